//! Usual other writings of values of two words or more: a name with its last part first or with initials (`Smith, John`, `John
//! A. Smith`, `J. Smith`), and a range, season or score (`1998/1999`, `10 to 12`).

use std::ops::Range;

use super::EMPTY_WORDS;
use super::value::Text;

/// The index behind a name that begins at a token: its words in any order, initials and one word in quotes or brackets
/// between them; or its first part as an initial. Each word has to be written as a name is, with a capital letter.
pub(super) fn of_name(value: &[String], text: &Text<'_>, start: usize) -> Option<usize> {
    const LONGEST: usize = 4;
    let is_of_words = |word: &String| {
        word.chars().count() >= 2 && word.chars().all(char::is_alphabetic) && !EMPTY_WORDS.contains(&word.as_str())
    };
    if !(2..=LONGEST).contains(&value.len()) || !value.iter().all(is_of_words) {
        return None;
    }
    in_any_order(value, text, start).or_else(|| with_initial(value, text, start))
}

fn in_any_order(value: &[String], text: &Text<'_>, start: usize) -> Option<usize> {
    let mut missing: Vec<&str> = value.iter().map(String::as_str).collect();
    let mut others = 0;
    let mut end = start;
    while let Some(token) = text.tokens.get(end).filter(|_| end < start + value.len() + 2) {
        if end > start && !is_near(text, end) {
            return None;
        }
        match missing.iter().position(|word| *word == token.text) {
            Some(at) if is_capital(text, end) => {
                missing.remove(at);
            }
            _ if end > start && is_aside(text, end) => others += 1,
            _ => return None,
        }
        end += 1;
        if missing.is_empty() {
            return (others <= 2).then_some(end);
        }
    }
    None
}

/// `J. Smith`, `J. A. Smith`
fn with_initial(value: &[String], text: &Text<'_>, start: usize) -> Option<usize> {
    let (first, last) = (value.first()?, value.last()?);
    let is_initial = |index: usize| {
        text.tokens
            .get(index)
            .is_some_and(|token| token.text.chars().nth(1).is_none())
    };
    let begins = is_initial(start)
        && is_capital(text, start)
        && text.tokens.get(start)?.text.chars().next() == first.chars().next()
        && last.chars().count() >= 3;
    let mut end = start + 1;
    while end < start + 3 && is_initial(end) && is_near(text, end) && is_capital(text, end) {
        end += 1;
    }
    let is_last = |index: usize| text.tokens.get(index).is_some_and(|token| token.text == *last);
    (begins && is_last(end) && is_near(text, end) && is_capital(text, end)).then_some(end + 1)
}

/// An initial, or a word in quotes or brackets.
fn is_aside(text: &Text<'_>, index: usize) -> bool {
    let Some(token) = text.tokens.get(index) else {
        return false;
    };
    let is_initial = token.text.chars().nth(1).is_none() && is_capital(text, index);
    let before = text.gap(index);
    is_initial || before.ends_with(['"', '“', '(', '\'', '‘', '«'])
}

/// Whether a token stands in the sentence of the one before it, close to it.
fn is_near(text: &Text<'_>, index: usize) -> bool {
    let gap = text.gap(index);
    let after_initial = index
        .checked_sub(1)
        .and_then(|before| text.tokens.get(before))
        .is_some_and(|before| before.text.chars().nth(1).is_none());
    gap.chars().count() <= 3
        && !gap.contains(['\n', ';', ':', '!', '?', '/', '|'])
        && (after_initial || !gap.contains('.'))
}

fn is_capital(text: &Text<'_>, index: usize) -> bool {
    let raw = text.tokens.get(index).map_or("", |token| text.raw(&token.place));
    raw.chars().next().is_some_and(char::is_uppercase)
}

/// A range, season or score of two whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    from: Vec<String>,
    to: Vec<String>,
    is_season: bool,
}

impl Span {
    /// Of a value such as `1998-99`, `10–12`, `3:2`.
    pub(super) fn of(text: &str, words: &[String]) -> Option<Self> {
        let [from, to] = words else {
            return None;
        };
        let is_number = |word: &String| word.len() <= 6 && word.bytes().all(|byte| byte.is_ascii_digit());
        let between: String = text.chars().filter(|c| !c.is_numeric() && !c.is_whitespace()).collect();
        if !(is_number(from) && is_number(to) && matches!(between.as_str(), "-" | "–" | "—" | "−" | "/" | ":" | "to"))
        {
            return None;
        }
        // A score has but one digit.
        let century = from.get(..2).unwrap_or_default();
        let long = match to.len() {
            2 if from.len() == 4 => Some(format!("{century}{to}")),
            4 if from.len() == 4 => Some(to.clone()),
            _ => None,
        };
        let follows = |long: &String| {
            let years = from.parse::<u32>().ok().zip(long.parse::<u32>().ok());
            years.is_some_and(|(from, long)| (1000..3000).contains(&from) && from < long)
        };
        let Some(long) = long.filter(follows) else {
            return Some(Self {
                from: vec![from.clone()],
                to: vec![to.clone()],
                is_season: false,
            });
        };
        let mut to = vec![long.clone(), long[2..].to_owned()];
        if from[..3] == long[..3] {
            to.push(long[3..].to_owned());
        }
        Some(Self {
            from: vec![from.clone(), from[2..].to_owned()],
            to,
            is_season: true,
        })
    }

    /// The index behind it, where a text has it from a token on.
    pub(super) fn end_in(&self, text: &Text<'_>, start: usize) -> Option<usize> {
        const BETWEEN: &[&str] = &["to", "through", "till", "until"];
        let word = |index: usize| text.tokens.get(index).map(|token| &token.text);
        let at = self.from.iter().position(|from| word(start) == Some(from))?;
        let is_between = |index: usize| word(index).is_some_and(|word| BETWEEN.contains(&word.as_str()));
        let next = start + 1 + usize::from(is_between(start + 1));
        let ends = word(next).is_some_and(|word| self.to.contains(word));
        let sign = text.gap(next).trim();
        let is_signed = matches!(sign, "-" | "–" | "—" | "−" | "/" | "‑" | "‐") || sign == ":" && !self.is_season;
        // `98 to 99` may be anything.
        let is_said = next > start + 1 && (at == 0 || !self.is_season) && text.gap(next).trim().is_empty();
        (ends && (is_said || next == start + 1 && is_signed)).then_some(next + 1)
    }
}

/// What stands before a token, since the one before it.
impl<'a> Text<'a> {
    fn gap(&self, index: usize) -> &'a str {
        let from = index
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(0, |token| token.place.end);
        let to = self
            .tokens
            .get(index)
            .map_or(self.text.len(), |token| token.place.start);
        self.raw(&Range { start: from, end: to })
    }
}
