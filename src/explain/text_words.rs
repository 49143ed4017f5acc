//! A text as its words and numbers, so that what it says can be compared whatever its case, spelling of numbers, accents and
//! punctuation: small letters, no accents, `1,234.50` is `1234.5`, `three` is `3`; a Chinese, Japanese or Korean character
//! is a word by itself.

use std::ops::Range;

use super::letters::{Letter, letters};
use super::work;

/// A word or number of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// In its normal form.
    pub(super) text: String,
    /// Where it stands, in bytes.
    pub(super) place: Range<usize>,
}

/// Zero to twenty, in their order.
pub(super) const NUMBER_WORDS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// Sentences of a text, in bytes: up to a full stop, question mark or exclamation mark before a blank, or a line's end.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        work::count(1);
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
    tokens_of(&letters(text))
}

/// The same of folded characters.
pub(super) fn tokens_of(characters: &[Letter]) -> Vec<Token> {
    let mut found = Vec::new();
    let mut open: Option<Token> = None;
    // Of the open one: whether it is of digits and a point alone, and whether it has the point. It may be as long as the text.
    let (mut is_number, mut has_point) = (true, false);
    for (index, (character, place)) in characters.iter().enumerate() {
        work::count(1);
        if open.is_none() {
            (is_number, has_point) = (true, false);
        }
        let next_is_digit = || characters.get(index + 1).is_some_and(|(next, _)| next.is_ascii_digit());
        let goes_on = match character {
            '.' => open.is_some() && is_number && !has_point && next_is_digit(),
            ',' => open.is_some() && is_number && next_is_digit(),
            _ => character.is_alphanumeric(),
        };
        if stands_alone(*character) {
            finish(&mut found, &mut open);
            open = Some(Token {
                text: character.to_string(),
                place: place.clone(),
            });
            finish(&mut found, &mut open);
        } else if goes_on && *character == ',' {
            // Between the digits of a number.
        } else if goes_on {
            let token = open.get_or_insert_with(|| Token {
                text: String::new(),
                place: place.clone(),
            });
            has_point |= *character == '.';
            is_number &= *character == '.' || character.is_ascii_digit();
            token.text.push(*character);
            token.place.end = place.end;
        } else {
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
    index_runs(tokens, value)
        .into_iter()
        .filter_map(|run| Some(tokens.get(run.start)?.place.start..tokens.get(run.end - 1)?.place.end))
        .collect()
}

/// The same, by the indices of the tokens.
pub(super) fn index_runs(tokens: &[Token], value: &[String]) -> Vec<Range<usize>> {
    if value.is_empty() {
        return Vec::new();
    }
    tokens
        .windows(value.len())
        .enumerate()
        .filter(|(_, window)| window.iter().map(|token| &token.text).eq(value))
        .map(|(start, window)| start..start + window.len())
        .collect()
}

/// Whether words hold others in one run.
pub(super) fn contains(words: &[String], value: &[String]) -> bool {
    !value.is_empty() && words.windows(value.len()).any(|window| window == value)
}

/// Whether words are a whole number below 100, which stands in any page.
pub(super) fn is_small_number(value: &[String]) -> bool {
    matches!(value, [only] if only.parse().is_ok_and(is_small_amount))
}

/// Whether a number is a whole one below 100.
pub(super) fn is_small_amount(number: f64) -> bool {
    number < 100.0 && number.fract() == 0.0
}

/// Ranges in order, those that touch or overlap made one.
pub(super) fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
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
