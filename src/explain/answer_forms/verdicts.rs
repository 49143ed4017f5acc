//! How a sentence says a verdict.

use std::ops::Range;

use crate::explain::stated::Read;
use crate::explain::text_words::{sentences, tokens, words};

const CLAIM: &[&str] = &[
    "statement",
    "claim",
    "assertion",
    "sentence",
    "answer",
    "verdict",
    "conclusion",
    "table",
    "it",
];

const JUDGED: &[&str] = &[
    "supported",
    "supports",
    "support",
    "unsupported",
    "refuted",
    "refutes",
    "refute",
    "entailed",
    "entails",
    "contradicted",
    "contradicts",
    "contradict",
    "confirmed",
    "confirms",
    "confirm",
    "correct",
    "incorrect",
    "accurate",
    "inaccurate",
    "right",
    "wrong",
    "valid",
    "invalid",
    "holds",
    "untrue",
    "disproved",
    "disproves",
    "proven",
];

/// The sentences of a model's own text that say a verdict, in bytes.
pub(super) fn said_in(text: &str) -> Vec<Range<usize>> {
    sentences_that(text, says_a_verdict)
}

/// The sentences of a step that claim one. A rule that speaks of both is no claim.
pub(super) fn claimed_in(text: &str) -> Vec<Range<usize>> {
    sentences_that(text, |sentence| {
        claims_a_verdict(sentence) && !has_both_verdicts(sentence)
    })
}

fn sentences_that(text: &str, is: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = sentences(text);
    found.retain(|sentence| text.get(sentence.clone()).is_some_and(&is));
    found
}

/// Whether a column that was computed has one verdict and nothing else.
pub(super) fn fill<'a>(cells: impl Iterator<Item = &'a str>, computed: bool) -> bool {
    let mut cells = cells.map(words).filter(|words| !words.is_empty());
    let Some(first) = cells.next().filter(|cell| computed && is_verdict_word(cell)) else {
        return false;
    };
    cells.all(|cell| cell == first)
}

fn is_verdict_word(words: &[String]) -> bool {
    matches!(words, [word] if matches!(word.as_str(), "true" | "false"))
}

fn has_both_verdicts(sentence: &str) -> bool {
    let words = words(sentence);
    ["true", "false"]
        .iter()
        .all(|verdict| words.iter().any(|word| word == verdict))
}

/// Whether a sentence of an explanation says a verdict.
fn says_a_verdict(sentence: &str) -> bool {
    let words = words(sentence);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&["true", "false"])
        || states_a_verdict(sentence)
        || (has(CLAIM) && has(JUDGED))
        || words.first().is_some_and(|word| matches!(word.as_str(), "yes" | "no"))
            && (words.len() == 1 || sentence.trim_start().chars().nth(words[0].len()) == Some(','))
}

/// Whether a sentence states a verdict as it would a value (`result: TRUE`), or is nothing else.
fn states_a_verdict(sentence: &str) -> bool {
    const VERDICTS: &[&str] = &[
        "true",
        "false",
        "yes",
        "no",
        "supported",
        "unsupported",
        "refuted",
        "entailed",
        "contradicted",
    ];
    let tokens = tokens(sentence);
    let occurrences = tokens
        .iter()
        .enumerate()
        .filter(|(index, token)| {
            // `there is no row` says nothing of the statement.
            let after = tokens.get(index + 1).map_or(sentence.len(), |next| next.place.start);
            let ends = tokens.len() == index + 1
                || sentence
                    .get(token.place.end..after)
                    .is_some_and(|gap| gap.contains([',', '.', ':', ';', '\n']));
            VERDICTS.contains(&token.text.as_str()) && (ends || !matches!(token.text.as_str(), "yes" | "no"))
        })
        .map(|(index, _)| index..index + 1)
        .collect();
    is_verdict_word(&words(sentence)) || !Read::new(sentence, &tokens).stated(occurrences).is_empty()
}

/// Whether a sentence about a step claims a verdict: `true` may be a value of the table as well.
fn claims_a_verdict(sentence: &str) -> bool {
    if states_a_verdict(sentence) {
        return true;
    }
    let words = words(sentence);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    const OF_THE_QUESTION: &[&str] = &[
        "statement",
        "claim",
        "answer",
        "verdict",
        "conclusion",
        "therefore",
        "hence",
    ];
    has(OF_THE_QUESTION) && (has(&["true", "false"]) || has(JUDGED))
}
