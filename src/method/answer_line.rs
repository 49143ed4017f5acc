//! Finding the line of a model's text that holds its answer, by the marker before it.

use super::read_list::leading_list;
use crate::dataset::QuestionKind;

/// Where in a text the answer stands.
pub(super) struct Located<'a> {
    /// Text before the line of the marker.
    pub(super) before: &'a str,
    /// The answer's own line, the marker taken off.
    pub(super) line: &'a str,
    /// What follows that line.
    pub(super) after: &'a str,
    /// Whether there is a marker; without one, `line` is the whole text.
    pub(super) has_marker: bool,
    /// A line break follows the line.
    pub(super) line_ended: bool,
}

impl<'a> Located<'a> {
    /// Looks for the last marker that counts for this kind of answer.
    pub(super) fn find(text: &'a str, kind: QuestionKind) -> Self {
        let marker = match kind {
            QuestionKind::FactVerification => last_marker(text),
            QuestionKind::ShortAnswer if leading_list(text).is_some() => None,
            QuestionKind::ShortAnswer => last_marker(text),
            QuestionKind::FreeForm => last_answer_line(text),
        };
        let Some((line_start, answer_start)) = marker else {
            return Self {
                before: "",
                line: text,
                after: "",
                has_marker: false,
                line_ended: false,
            };
        };
        // Emphasis that was opened before the marker is closed behind it: `**Answer:** TRUE`.
        let is_open = text[line_start..answer_start].matches("**").count() % 2 == 1;
        let behind = &text[answer_start..];
        let rest = match behind.trim_start().strip_prefix("**") {
            Some(rest) if is_open => rest,
            _ => behind,
        };
        let answer_start = text.len() - rest.trim_start().len();
        let length = text[answer_start..].find('\n');
        let end = length.map_or(text.len(), |length| answer_start + length);
        Self {
            before: &text[..line_start],
            line: text[answer_start..end].trim(),
            after: &text[end..],
            has_marker: true,
            line_ended: length.is_some(),
        }
    }
}

/// Where the line of the last marker begins, and where the text behind the marker does.
fn last_marker(text: &str) -> Option<(usize, usize)> {
    const WITH_COLON: [&str; 5] = ["answer", "verdict", "verification", "prediction", "conclusion"];
    const SENTENCE: [&str; 2] = ["answer is", "verdict is"];
    // Lower-casing ASCII alone keeps every byte where it is.
    let lower = text.to_ascii_lowercase();
    let mut last = None;
    let mut line_start = 0;
    for line in lower.split_inclusive('\n') {
        let words = SENTENCE.iter().chain(&WITH_COLON);
        for word in words {
            for (position, _) in line.match_indices(word) {
                let begins_word = !line[..position].ends_with(|c: char| c.is_alphanumeric());
                let behind = &line[position + word.len()..];
                let signs = behind.len() - behind.trim_start_matches([' ', '*', '_', '\t']).len();
                let rest = &behind[signs..];
                let end = if rest.starts_with(':') {
                    position + word.len() + signs + 1
                } else if SENTENCE.contains(word) && signs > 0 {
                    position + word.len() + signs
                } else {
                    continue;
                };
                let marker = (line_start, line_start + end);
                if begins_word && last.is_none_or(|last| marker > last) {
                    last = Some(marker);
                }
            }
        }
        line_start += line.len();
    }
    last
}

/// The same for a line that begins with `Answer:` or `Final answer:`.
fn last_answer_line(text: &str) -> Option<(usize, usize)> {
    let mut last = None;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        if let Some((label, _)) = line.split_once(':') {
            let words: String = label.chars().filter(|c| c.is_ascii_alphabetic()).collect();
            if ["answer", "finalanswer"].contains(&words.to_ascii_lowercase().as_str()) {
                last = Some((line_start, line_start + label.len() + 1));
            }
        }
        line_start += line.len();
    }
    last
}
