//! Forms planted on purpose, by answer: what has to be found in a model's own words, what cannot be and is named in
//! docs/formats.md, and as many innocent texts, which have to stay.

mod names;
mod numbers;
mod sentences;
mod times;
mod words;

use super::*;
use names::NAMES;
use numbers::NUMBERS;
use sentences::{INNOCENT, NO_VERDICTS, VERDICTS, VERDICTS_NOT_FOUND};
use times::TIMES;
use words::WORDS;

/// What is said of one answer.
struct Planted {
    answer: fn() -> Answer,
    /// Tell it.
    telling: &'static [&'static str],
    /// Tell it, in ways that are not found.
    not_found: &'static [&'static str],
    /// Do not tell it.
    innocent: &'static [&'static str],
}

fn one(value: &str) -> Answer {
    Answer::Values(vec![value.to_owned()])
}

const SAID_OF_VERDICTS: Planted = Planted {
    answer: || Answer::Verdict(true),
    telling: VERDICTS,
    not_found: VERDICTS_NOT_FOUND,
    innocent: NO_VERDICTS,
};

fn planted() -> impl Iterator<Item = &'static Planted> {
    let values = [NAMES, NUMBERS, TIMES, WORDS];
    values.into_iter().flatten().chain([&SAID_OF_VERDICTS])
}

/// Every text that tells, with the answer that it tells.
pub(in crate::explain) fn telling() -> impl Iterator<Item = (Answer, &'static str)> {
    planted().flat_map(|planted| planted.telling.iter().map(|text| ((planted.answer)(), *text)))
}

#[test]
fn planted_forms_are_found_and_innocent_texts_stay() {
    let mut wrong = Vec::new();
    for planted in planted() {
        let answer = (planted.answer)();
        let forms = AnswerForms::of(&answer, "", |_| false).unwrap();
        if let Answer::Verdict(verdict) = answer {
            assert_eq!(
                AnswerForms::of(&Answer::Verdict(!verdict), "", |_| false),
                Some(forms.clone())
            );
        }
        let is_found = |text: &str| !forms.said_in(text).is_empty();
        let mut check = |texts: &[&str], expected: bool| {
            for text in texts.iter().filter(|text| is_found(text) != expected) {
                wrong.push(format!("{answer:?}: {text:?} found: {}", !expected));
            }
        };
        check(planted.telling, true);
        check(planted.not_found, false);
        check(planted.innocent, false);
        check(INNOCENT, false);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
