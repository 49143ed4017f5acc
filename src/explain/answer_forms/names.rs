//! Names of persons and the like in their usual other writings: with the last part first, with initials for names and names for
//! initials, without what stands between or around (`Kennedy, John F.`, `J. F. Kennedy`, `John Kennedy`, `O'Connor, S.`).

use std::ops::Range;

use super::EMPTY_WORDS;
use super::text::Text;

/// A name of two parts or more, the last of which always stands in a text that has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    /// What stands before the last, in order.
    given: Vec<Part>,
    last: Vec<String>,
}

/// A part of a name before its last.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// More than one where an apostrophe parts it: `O'Brien`.
    words: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Whole,
    /// A single letter for a name.
    Initial,
    /// A title, or a small word such as `van`: a text may leave it out.
    Beside,
}

const PARTICLES: &[&str] = &[
    "af", "al", "av", "bin", "da", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "el", "ibn", "la",
    "le", "ten", "ter", "van", "von", "zu",
];

const TITLES: &[&str] = &[
    "dame", "dr", "jr", "lady", "lord", "mr", "mrs", "ms", "prof", "sir", "sr",
];

/// Parts of a name beside its last, and words that a text may have between them.
const MOST_GIVEN: usize = 5;
const MOST_ASIDE: usize = 2;

fn is_beside(word: &str) -> bool {
    PARTICLES.contains(&word) || TITLES.contains(&word)
}

fn is_apostrophe(gap: &str) -> bool {
    matches!(gap, "'" | "’" | "ʼ" | "‘" | "`" | "′")
}

fn is_single(word: &str) -> bool {
    word.chars().nth(1).is_none()
}

impl Name {
    /// Of a value; none of one that no name looks like.
    pub(super) fn of(value: &Text<'_>) -> Option<Self> {
        let mut parts: Vec<Vec<String>> = Vec::new();
        // `Smith, John`
        let mut behind_comma = None;
        // `John Smith (USA)`
        let mut brackets = 0_usize;
        if value.tokens.len() > 2 * (MOST_GIVEN + 1) {
            return None;
        }
        for (at, token) in value.tokens.iter().enumerate() {
            let gap = value.gap(at);
            for sign in gap.chars() {
                match sign {
                    '(' | '[' => brackets += 1,
                    ')' | ']' => brackets = brackets.saturating_sub(1),
                    _ => {}
                }
            }
            if brackets > 0 {
                continue;
            }
            let is_word = token.text.chars().all(char::is_alphabetic) && !EMPTY_WORDS.contains(&token.text.as_str());
            let is_initial = is_single(&token.text) && value.gap(at + 1).starts_with('.');
            let is_near = gap
                .chars()
                .all(|c| c.is_whitespace() || "-‐‑.,\"“”()[]".contains(c) || is_apostrophe(&c.to_string()));
            if !(is_word || is_initial) || !is_near {
                return None;
            }
            if gap.contains(',') && !TITLES.contains(&token.text.as_str()) {
                if behind_comma.is_some() {
                    return None;
                }
                behind_comma = Some(parts.len());
            }
            match parts.last_mut() {
                Some(last) if is_apostrophe(gap) => last.push(token.text.clone()),
                _ => parts.push(vec![token.text.clone()]),
            }
        }
        parts.rotate_left(behind_comma.unwrap_or(0));
        let part = |words: &Vec<String>| Part {
            kind: match words.as_slice() {
                [only] if is_single(only) => Kind::Initial,
                [only] if is_beside(only) => Kind::Beside,
                _ => Kind::Whole,
            },
            words: words.clone(),
        };
        let mut given: Vec<Part> = parts.iter().map(part).collect();
        let last = given.iter().rposition(|part| part.kind != Kind::Beside)?;
        if given[last].kind == Kind::Initial {
            return None;
        }
        let last = given.remove(last).words;
        let is_name = given.iter().any(|part| part.kind != Kind::Beside) && given.len() <= MOST_GIVEN;
        is_name.then_some(Self { given, last })
    }

    /// Where a text has it, each of its words with a capital letter.
    pub(super) fn runs_in(&self, text: &Text<'_>) -> Vec<Range<usize>> {
        let Some(longest) = self.last.iter().max_by_key(|word| word.len()) else {
            return Vec::new();
        };
        let joined = self.last.concat();
        let anchors = text.places(longest).iter();
        let others = text.places(&joined).iter().filter(|_| joined != *longest);
        let most = self.given.len() + self.last.len() + MOST_ASIDE;
        anchors
            .chain(others)
            .filter_map(|at| {
                let starts = at.saturating_sub(most)..=*at;
                starts
                    .filter_map(|start| Some(start..self.end_in(text, start)?))
                    .find(|run| run.contains(at))
            })
            .collect()
    }

    /// The index behind it, where it begins at a token.
    fn end_in(&self, text: &Text<'_>, start: usize) -> Option<usize> {
        let mut missing: Vec<&Part> = self.given.iter().collect();
        let mut reading = Reading::default();
        let mut at = start;
        let mut end = None;
        while at < text.tokens.len() && (at == start || is_near(text, at)) {
            let next = if let Some(next) = words_at(text, at, &self.last).filter(|_| !reading.has_last) {
                reading.has_last = true;
                next
            } else if let Some((taken, next, is_whole)) = given_at(text, at, &missing) {
                let part = missing.remove(taken);
                reading.begins_with_first |=
                    part.kind != Kind::Beside && self.given.iter().find(|part| part.kind != Kind::Beside) == Some(part);
                reading.wholes += usize::from(is_whole && part.kind != Kind::Beside);
                reading.given += usize::from(part.kind != Kind::Beside);
                next
            } else if at > start && reading.asides < MOST_ASIDE && is_aside(text, at) {
                reading.asides += 1;
                at + 1
            } else {
                break;
            };
            at = next;
            if self.is_told_by(&reading, &missing) {
                end = Some(at);
            }
        }
        end
    }

    /// Whether what was read is the name: its last part, and of those before it every whole one, or the first by an initial.
    fn is_told_by(&self, reading: &Reading, missing: &[&Part]) -> bool {
        let misses_whole = missing.iter().any(|part| part.kind == Kind::Whole);
        let is_long = self.last.concat().chars().count() >= 3;
        reading.has_last
            && reading.given > 0
            && (reading.wholes > 0 || is_long)
            && (!misses_whole || reading.wholes == 0 && reading.begins_with_first)
    }
}

/// What of a name was read.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    has_last: bool,
    begins_with_first: bool,
    /// Parts before the last, and how many of them not by an initial.
    given: usize,
    wholes: usize,
    asides: usize,
}

/// The part that stands at a token, the index behind it, and whether it is written out.
fn given_at(text: &Text<'_>, at: usize, missing: &[&Part]) -> Option<(usize, usize, bool)> {
    let word = text.tokens.get(at)?.text.as_str();
    let written = missing.iter().enumerate().find_map(|(taken, part)| match part.kind {
        Kind::Whole => Some((taken, words_at(text, at, &part.words)?, true)),
        Kind::Beside => (part.words.concat() == word).then_some((taken, at + 1, true)),
        Kind::Initial => None,
    });
    let initial = word.chars().next()?;
    let is_initial = is_single(word)
        && text.is_capital(at)
        && (!EMPTY_WORDS.contains(&word) && word != "i" || text.gap(at + 1).starts_with('.'));
    // `John` for `J.`
    let is_name = !is_single(word)
        && text.is_capital(at)
        && word.chars().all(char::is_alphabetic)
        && !EMPTY_WORDS.contains(&word)
        && !is_beside(word);
    let begins = |part: &Part| part.words.first().is_some_and(|word| word.starts_with(initial));
    let shortened = || {
        let taken = missing.iter().position(|part| match part.kind {
            Kind::Initial => (is_initial || is_name) && begins(part),
            Kind::Whole => is_initial && begins(part),
            Kind::Beside => false,
        })?;
        Some((taken, at + 1, is_name && missing[taken].kind == Kind::Initial))
    };
    written.or_else(shortened)
}

/// The index behind words that stand at a token, put together or parted by an apostrophe.
fn words_at(text: &Text<'_>, at: usize, words: &[String]) -> Option<usize> {
    if !text.is_capital(at) {
        return None;
    }
    let joined = words.concat();
    let mut rest = joined.as_str();
    for end in at..at + words.len() + 1 {
        let gap = text.gap(end);
        if end > at && !(is_apostrophe(gap.trim_end()) || words.len() > 1 && gap == " ") {
            return None;
        }
        rest = rest.strip_prefix(text.tokens.get(end)?.text.as_str())?;
        if rest.is_empty() {
            return Some(end + 1);
        }
    }
    None
}

/// An initial, or a word in quotes or brackets.
fn is_aside(text: &Text<'_>, index: usize) -> bool {
    let is_initial = text.tokens.get(index).is_some_and(|token| is_single(&token.text)) && text.is_capital(index);
    let before = text.gap(index);
    is_initial || before.ends_with(['"', '“', '(', '\'', '‘', '«'])
}

/// Whether a word stands in the sentence of the one before it, close to it.
fn is_near(text: &Text<'_>, index: usize) -> bool {
    let gap = text.gap(index);
    let after_short = index
        .checked_sub(1)
        .and_then(|before| text.tokens.get(before))
        .is_some_and(|before| is_single(&before.text) || TITLES.contains(&before.text.as_str()));
    gap.chars().count() <= 3
        && !gap.contains(['\n', ';', ':', '!', '?', '/', '|'])
        && (after_short || !gap.contains('.'))
}
