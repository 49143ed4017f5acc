//! Where a program tells the answer, which no reader has to run it for: by a constant, or by conditions that are settled before.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::explain::answer_forms::{AnswerForms, names_a_verdict, verdict_of};
use crate::explain::sql_constants::given_constants;
use crate::explain::sql_pieces::{PieceKind, pieces};
use crate::explain::text_words::{joined, words as words_of};

/// Where a program says the answer: a value as the words of a step name it, or as the only constant it gives out; of a
/// verdict the constants of a program that knows only one.
pub(in crate::explain) fn said_in_program(forms: &AnswerForms, text: &str) -> Vec<Range<usize>> {
    let given = given_constants(text);
    match forms {
        AnswerForms::Verdict => {
            let (mut constants, has_both) = verdict_constants(text);
            let certain = [constant_truths(text), verdict_names(text)].concat();
            if has_both {
                return joined(certain);
            }
            constants.extend(certain);
            let verdicts: Vec<bool> = given.iter().filter_map(|constant| verdict_of(&constant.text)).collect();
            if verdicts.len() == given.len() && verdicts.windows(2).all(|pair| pair[0] == pair[1]) {
                constants.extend(given.into_iter().map(|constant| constant.place));
            }
            joined(constants)
        }
        _ => {
            let mut places = forms.named_in_step(text);
            if given.iter().all(|constant| forms.is_value(&constant.text)) {
                places.extend(given.into_iter().map(|constant| constant.place));
            }
            joined(places)
        }
    }
}

/// Where a program holds two constants against each other, or asks for none, so that its verdict is settled before it runs:
/// `1 = 1`, `WHEN 1 THEN`. In `WHERE 1 = 1` nothing is settled.
fn constant_truths(program: &str) -> Vec<Range<usize>> {
    static SETTLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?ix) (?:^|[^\w.'])(?P<equation>(?:[0-9]+|'[^']*')\s*(?:==?|<>|!=|<=?|>=?)\s*(?:[0-9]+|'[^']*'))(?:[^\w.']|$)
            | \bWHEN\s+(?P<constant>[0-9]+|TRUE|FALSE)\s+THEN\b",
        )
        .ok()
    });
    let Some(settled) = SETTLED.as_ref() else {
        return Vec::new();
    };
    let is_idle = |at: usize| {
        let before = program.get(..at).unwrap_or_default().trim_end().as_bytes();
        ["WHERE", "AND", "ON", "HAVING"].iter().any(|word| {
            let last = before.len().checked_sub(word.len()).and_then(|from| before.get(from..));
            last.is_some_and(|last| last.eq_ignore_ascii_case(word.as_bytes()))
        })
    };
    let places = settled.captures_iter(program).filter_map(|found| {
        let place = found.name("equation").or_else(|| found.name("constant"))?;
        Some(place.range())
    });
    places.filter(|place| !is_idle(place.start)).collect()
}

/// The names that a program gives its columns and that state a verdict.
fn verdict_names(program: &str) -> Vec<Range<usize>> {
    static NAMED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?i)\bAS\s+("[^"]*"|`[^`]*`|\[[^\]]*\]|[a-z_]\w*)"#).ok());
    let Some(named) = NAMED.as_ref() else {
        return Vec::new();
    };
    let names = named.captures_iter(program).filter_map(|found| found.get(1));
    names
        .filter(|name| names_a_verdict(name.as_str()))
        .map(|name| name.range())
        .collect()
}

/// The constants of a program that are verdicts, and whether both are among them. `'TR' || 'UE'` is one.
fn verdict_constants(program: &str) -> (Vec<Range<usize>>, bool) {
    let mut at = 0;
    let mut constants: Vec<(String, Range<usize>)> = Vec::new();
    let mut between = String::new();
    for piece in pieces(program) {
        let place = at..at + piece.text.len();
        at = place.end;
        if piece.kind != PieceKind::Text {
            between.push_str(&piece.text);
            continue;
        }
        let text = words_of(&piece.text).concat();
        match constants.last_mut() {
            Some((all, whole)) if between.trim() == "||" => {
                all.push_str(&text);
                whole.end = place.end;
            }
            _ => constants.push((text, place)),
        }
        between.clear();
    }
    constants.retain(|(text, _)| matches!(text.as_str(), "true" | "false"));
    let verdicts: BTreeSet<&str> = constants.iter().map(|(text, _)| text.as_str()).collect();
    let has_both = verdicts.len() == 2;
    (constants.into_iter().map(|(_, place)| place).collect(), has_both)
}
