//! What a judge repeats of the model's answer, which is no verdict on it.

use std::sync::LazyLock;

use regex::Regex;

use super::marked::marked;
use super::visible::pattern;

/// Lines that repeat the model's answer, or give the one the judge holds for right: `Prediction: Yes`.
static RESTATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^(?:(?:the|its|this|so|thus|a)\s+)*(?:(?:final|model'?s?|system'?s?|predicted|given|stated|proposed|reported|likely|simulated|expected|correct|actual|right|true)\s+)*["']?(?:answer|prediction|guess|result|response|output|model'?s? (?:final )?(?:verdict|conclusion|decision))["']?(?:\s+(?:is|was|would be))?\s*(?:[:=]|->|→)+"#,
    )
});
/// What a model or an answer says: `the model answered Yes`.
pub(super) static TELLS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:model|system|it|answer|prediction|guess|response)\s+(?:\w+\s+)?(?:answer(?:s|ed)?|predict(?:s|ed)?|conclude[sd]?|outputs?|said|says?|gave|gives?)\b",
    )
});

/// Empties the lines that repeat the model's answer, and the value below them, but for those that `own` marks.
pub(super) fn without_restated(lines: &mut [String], own: &Regex) {
    let own: Vec<usize> = marked(lines, own).into_iter().map(|mark| mark.line).collect();
    for restated in marked(lines, &RESTATED) {
        for line in [restated.line, restated.end_line] {
            if !own.contains(&line) {
                lines[line].clear();
            }
        }
    }
}

/// The words that say of an answer that it is right or wrong: `the answer is yes` may be what the model answered.
pub(super) fn without_yes_and_no<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let is_kept = |word: &&&str| !["yes", "no"].iter().any(|other| other.eq_ignore_ascii_case(word));
    words.iter().filter(is_kept).copied().collect()
}

/// Whether what follows these words is what the model says: `the model says that its`.
pub(super) fn is_told(before: &str) -> bool {
    TELLS
        .find_iter(before)
        .last()
        .is_some_and(|told| !before[told.end()..].contains([',', ';']))
}
