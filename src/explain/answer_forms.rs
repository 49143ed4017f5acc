//! The forms in which an answer can stand in a text or a table, whatever its case, spelling of numbers, accents and
//! punctuation. The rule, also in docs/formats.md:
//!
//! - A text is taken as its words and numbers: small letters, no accents, `1,234.50` is `1234.5`, `three` is `3`; a
//!   Chinese, Japanese or Korean character is a word by itself.
//! - A value stands in a text where its words and numbers do, in one run.
//! - A verdict stands in a sentence that has `true` or `false`, or that says of the statement that it is supported,
//!   refuted, correct and the like; or that begins with yes or no. Both verdicts count: what is left out must not tell
//!   which it was.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::dataset::Answer;

/// A word or number of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// In its normal form.
    pub(super) text: String,
    /// Where it stands, in bytes.
    pub(super) place: Range<usize>,
}

/// What an answer looks like in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerForms {
    /// TRUE or FALSE.
    Verdict,
    /// Values, or one sentence; each as its words and numbers, none empty.
    Values(Vec<Vec<String>>),
}

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

const NUMBER_WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

impl AnswerForms {
    /// `None` for an answer without a word or number in it: it has no form that could be told from punctuation.
    pub(super) fn of(answer: &Answer) -> Option<Self> {
        let words_of = |text: &str| words(text);
        let values: Vec<Vec<String>> = match answer {
            Answer::Verdict(_) => return Some(Self::Verdict),
            Answer::Values(values) => values.iter().map(|value| words_of(value)).collect(),
            Answer::Text(text) => vec![words_of(text)],
        };
        let values: Vec<Vec<String>> = values.into_iter().filter(|value| !value.is_empty()).collect();
        (!values.is_empty()).then_some(Self::Values(values))
    }

    /// Where a text of a model's own says the answer, in bytes, ascending and apart.
    pub(super) fn said_in(&self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Verdict => sentences(text)
                .into_iter()
                .filter(|sentence| text.get(sentence.clone()).is_some_and(says_a_verdict))
                .collect(),
            Self::Values(values) => {
                let tokens = tokens(text);
                joined(values.iter().flat_map(|value| runs(&tokens, value)).collect())
            }
        }
    }

    /// As [`AnswerForms::said_in`], but a small number that counts is none: `step 3`, `row 2`.
    pub(super) fn said_apart_from_counting(&self, text: &str) -> Vec<Range<usize>> {
        const COUNTED: &[&str] = &[
            "step", "steps", "row", "rows", "table", "column", "columns", "line", "part",
        ];
        let Self::Values(values) = self else {
            return self.said_in(text);
        };
        let tokens = tokens(text);
        let counts = |place: &Range<usize>| {
            let before = tokens.iter().rfind(|token| token.place.end <= place.start);
            before.is_some_and(|token| COUNTED.contains(&token.text.as_str()))
        };
        let said = values.iter().flat_map(|value| {
            let small = is_small_number(value);
            runs(&tokens, value)
                .into_iter()
                .filter(move |place| !(small && counts(place)))
        });
        joined(said.collect())
    }

    /// Where the words or the program of a step say the answer: as [`AnswerForms::said_in`], but a step may name what
    /// the question names, and small numbers (`row 1`); a rule that speaks of both verdicts is no claim.
    pub(super) fn said_in_step(&self, text: &str, question: &str) -> Vec<Range<usize>> {
        match self {
            Self::Verdict => sentences(text)
                .into_iter()
                .filter(|sentence| {
                    text.get(sentence.clone())
                        .is_some_and(|sentence| claims_a_verdict(sentence) && !has_both_verdicts(sentence))
                })
                .collect(),
            Self::Values(values) => {
                let question = words(question);
                let tokens = tokens(text);
                let told = values
                    .iter()
                    .filter(|value| !is_small_number(value) && !contains(&question, value));
                joined(told.flat_map(|value| runs(&tokens, value)).collect())
            }
        }
    }

    /// Whether a column of these cells holds the answer and nothing else: every cell has one of its values, and every
    /// value is in a cell. Of a computed column a cell may have more around it; so may one carried along, unless the
    /// value is a small number.
    pub(super) fn fill<'a>(&self, cells: impl Iterator<Item = Option<&'a str>>, computed: bool) -> bool {
        let mut cells = cells.flatten().map(words).filter(|words| !words.is_empty()).peekable();
        if cells.peek().is_none() {
            return false;
        }
        match self {
            Self::Verdict => {
                let Some(first) = cells.next().filter(|cell| computed && is_verdict_word(cell)) else {
                    return false;
                };
                cells.all(|cell| cell == first)
            }
            Self::Values(values) => {
                let has = |cell: &Vec<String>, value: &Vec<String>| {
                    cell == value || ((computed || !is_small_number(value)) && contains(cell, value))
                };
                // A column of a hundred thousand rows is seldom read beyond its first cell.
                let mut found: BTreeSet<usize> = BTreeSet::new();
                for cell in cells {
                    let held: Vec<usize> = (0..values.len()).filter(|at| has(&cell, &values[*at])).collect();
                    if held.is_empty() {
                        return false;
                    }
                    found.extend(held);
                }
                found.len() == values.len()
            }
        }
    }
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
        || (has(CLAIM) && has(JUDGED))
        || words.first().is_some_and(|word| matches!(word.as_str(), "yes" | "no"))
            && (words.len() == 1 || sentence.trim_start().chars().nth(words[0].len()) == Some(','))
}

/// Whether a sentence about a step claims a verdict: `true` may be a value of the table as well.
fn claims_a_verdict(sentence: &str) -> bool {
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

/// Sentences of a text, in bytes: up to a full stop, question mark or exclamation mark before a blank, or a line's end.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let blank_follows = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if character == '\n'
            || (matches!(character, '.' | '!' | '?') && blank_follows)
            || matches!(character, '。' | '！' | '？')
        {
            found.push(start..end);
            start = end;
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    // Without the blanks around them, so that what is left out leaves the text's lines as they were.
    found
        .into_iter()
        .filter_map(|place| {
            let sentence = text.get(place.clone())?;
            let from = place.start + (sentence.len() - sentence.trim_start().len());
            let to = from + sentence.trim().len();
            (from < to).then_some(from..to)
        })
        .collect()
}

/// A text's words and numbers, in their normal form.
pub(super) fn words(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

/// A text's words and numbers with their places.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let characters: Vec<(char, Range<usize>)> = text
        .char_indices()
        .flat_map(|(at, character)| {
            let place = at..at + character.len_utf8();
            std::iter::once(character)
                .nfkd()
                .filter(|part| !is_combining_mark(*part))
                .flat_map(char::to_lowercase)
                .map(move |part| (part, place.clone()))
                .collect::<Vec<_>>()
        })
        .collect();
    let mut found = Vec::new();
    let mut open: Option<Token> = None;
    for (index, (character, place)) in characters.iter().enumerate() {
        let next_is_digit = characters.get(index + 1).is_some_and(|(next, _)| next.is_ascii_digit());
        let in_number = open
            .as_ref()
            .is_some_and(|token| token.text.chars().all(|c| c.is_ascii_digit() || c == '.'));
        if stands_alone(*character) {
            finish(&mut found, &mut open);
            open = Some(Token {
                text: character.to_string(),
                place: place.clone(),
            });
            finish(&mut found, &mut open);
        } else if character.is_alphanumeric()
            || (*character == '.'
                && in_number
                && next_is_digit
                && open.as_ref().is_some_and(|token| !token.text.contains('.')))
        {
            let token = open.get_or_insert_with(|| Token {
                text: String::new(),
                place: place.clone(),
            });
            token.text.push(*character);
            token.place.end = place.end;
        } else if !(*character == ',' && in_number && next_is_digit) {
            finish(&mut found, &mut open);
        }
    }
    finish(&mut found, &mut open);
    found
}

fn finish(found: &mut Vec<Token>, open: &mut Option<Token>) {
    let Some(mut token) = open.take() else {
        return;
    };
    if token.text.contains('.') {
        let kept = token.text.trim_end_matches('0').trim_end_matches('.').len();
        token.text.truncate(kept);
    }
    if let Some(number) = NUMBER_WORDS.iter().position(|word| *word == token.text) {
        token.text = number.to_string();
    }
    if !token.text.is_empty() {
        found.push(token);
    }
}

/// Characters of scripts written without blanks between words.
fn stands_alone(character: char) -> bool {
    matches!(u32::from(character), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Where a run of words stands among tokens, in bytes.
pub(super) fn runs(tokens: &[Token], value: &[String]) -> Vec<Range<usize>> {
    if value.is_empty() {
        return Vec::new();
    }
    tokens
        .windows(value.len())
        .filter(|window| window.iter().map(|token| &token.text).eq(value))
        .filter_map(|window| Some(window.first()?.place.start..window.last()?.place.end))
        .collect()
}

/// Whether words hold others in one run.
pub(super) fn contains(words: &[String], value: &[String]) -> bool {
    !value.is_empty() && words.windows(value.len()).any(|window| window == value)
}

/// Numbers below 100, which stand in any page.
pub(super) fn is_small_number(value: &[String]) -> bool {
    matches!(value, [only] if only.parse::<f64>().is_ok_and(|number| number < 100.0))
}

/// Ranges in order, those that touch or overlap made one.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(values: &[&str]) -> AnswerForms {
        AnswerForms::of(&Answer::Values(
            values.iter().map(|value| (*value).to_owned()).collect(),
        ))
        .unwrap()
    }

    fn said<'a>(forms: &AnswerForms, text: &'a str) -> Vec<&'a str> {
        forms.said_in(text).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn texts_become_words_and_numbers() {
        assert_eq!(
            words("Won 1,234.50 points, in 2004."),
            ["won", "1234.5", "points", "in", "2004"]
        );
        assert_eq!(words("3.0"), ["3"]);
        assert_eq!(words("3-1 (a.b)"), ["3", "1", "a", "b"]);
        assert_eq!(
            words("Ångström ÉCOLE ﬁn ③ three"),
            ["angstrom", "ecole", "fin", "3", "3"]
        );
        assert_eq!(words("東京都は"), ["東", "京", "都", "は"]);
        assert_eq!(words("— !"), Vec::<String>::new());
    }

    #[test]
    fn a_value_is_found_as_a_whole_run_whatever_its_spelling() {
        let forms = values(&["Ana Lindqvist"]);
        assert_eq!(
            said(&forms, "The winner was ANA-LINDQVIST, in 12 races"),
            ["ANA-LINDQVIST"]
        );
        assert!(said(&forms, "Ana Lind won").is_empty());
        assert_eq!(said(&values(&["1,204"]), "about 1204.0 m, 11204"), ["1204.0"]);
        assert_eq!(said(&values(&["3"]), "three of 13; 3rd"), ["three"]);
        assert_eq!(said(&values(&["東京"]), "首都は東京です"), ["東京"]);
        assert_eq!(AnswerForms::of(&Answer::Values(vec!["—".to_owned()])), None);
    }

    #[test]
    fn a_verdict_is_found_by_the_sentence_and_both_alike() {
        let text =
            "Row 2 has 5 wins. So the statement is true.\nThe table refutes it! No, it does not. No rows are left.";
        assert_eq!(
            said(&AnswerForms::Verdict, text),
            ["So the statement is true.", "The table refutes it!", "No, it does not."]
        );
        let step = |text: &str| AnswerForms::Verdict.said_in_step(text, "").len();
        assert_eq!(step("Return TRUE if the statement holds, else FALSE."), 0);
        assert_eq!(step("Therefore return TRUE."), 1);
        assert_eq!(step("Select rows where retired is true."), 0);
    }

    #[test]
    fn a_column_states_the_answer_when_nothing_else_is_in_it() {
        let fill =
            |forms: &AnswerForms, cells: &[&str], computed| forms.fill(cells.iter().map(|cell| Some(*cell)), computed);
        assert!(fill(&values(&["Corvin"]), &["corvin", "Corvin"], false));
        assert!(fill(&values(&["Corvin"]), &["Corvin (captain)"], false));
        assert!(!fill(&values(&["Corvin"]), &["Corvin", "Ilsa"], false));
        assert!(!fill(&values(&["Corvin", "Ilsa"]), &["Corvin"], false));
        assert!(!fill(&values(&["3"]), &["3 May"], false));
        assert!(fill(&values(&["3"]), &["3 wins"], true));
        assert!(fill(&AnswerForms::Verdict, &["FALSE"], true));
        assert!(!fill(&AnswerForms::Verdict, &["FALSE"], false));
        assert!(!fill(&AnswerForms::Verdict, &["FALSE", "TRUE"], true));
    }
}
