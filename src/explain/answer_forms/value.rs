//! One value of an answer, and where a text has it: as its words, spelled apart or run together, or as another writing of the
//! number, date or time that it is.

use std::cell::OnceCell;
use std::ops::Range;

use super::EMPTY_WORDS;
use super::atoms::Atoms;
use super::calendar::{self, Date};
use super::numerals::{Numeral, may_count, numerals};
use super::other_orders::{self, Span};
use crate::explain::letters::{Letter, letters};
use crate::explain::text_words::{Token, index_runs, is_small_amount, is_small_number, tokens_of};
use crate::explain::withhold::marks;

/// Words in front of an amount that leave it one: currencies (of `US$` the letters) and the sign of a number. Behind any other
/// it is a part of a name: `Big 12`, `USS 688`.
const BEFORE_AMOUNTS: &[&str] = &[
    "a", "aed", "ars", "aud", "ats", "bef", "bgn", "brl", "c", "ca", "cad", "chf", "clp", "cny", "cop", "czk", "dem",
    "dkk", "dm", "egp", "esp", "eur", "frf", "gbp", "hk", "hkd", "huf", "idr", "ils", "inr", "isk", "itl", "jpy",
    "kes", "kr", "krw", "mxn", "myr", "ngn", "no", "nok", "nr", "nz", "nzd", "pen", "php", "pkr", "pln", "qar", "r",
    "rm", "rmb", "ron", "rs", "rub", "sar", "sek", "sfr", "sgd", "s", "thb", "try", "twd", "uah", "us", "usd", "vnd",
    "zar",
];

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    /// Its words and numbers, never none.
    pub(super) words: Vec<String>,
    /// The same with `and` for each `&`, where it has one: `Johnson & Johnson`.
    with_and: Option<Vec<String>>,
    /// Its words as one.
    joined: String,
    /// The amounts that it is, with the decimals that it has.
    amounts: Vec<f64>,
    decimals: usize,
    /// Whether it may have been rounded to a whole number.
    may_be_rounded: bool,
    dates: Vec<Date>,
    times: Vec<u32>,
    /// What a statement may shorten it to.
    parts: Vec<Vec<String>>,
    /// The range, season or score that it is.
    span: Option<Span>,
}

/// A place of a text that has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// In bytes.
    pub(super) place: Range<usize>,
    /// Whether it tells only where it is stated.
    pub(super) is_loose: bool,
    /// Whether it is a whole number below 100, which stands in any text.
    pub(super) is_small: bool,
}

/// A text that was taken apart.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    /// As it is written.
    pub(super) text: &'a str,
    /// Its words.
    pub(super) tokens: Vec<Token>,
    letters: Vec<Letter>,
    denoted: OnceCell<Denoted>,
    run_together: OnceCell<String>,
}

impl<'a> Text<'a> {
    /// Takes a text apart.
    pub(super) fn new(text: &'a str) -> Self {
        let letters = without_marks(letters(text), text);
        Self {
            text,
            tokens: tokens_of(&letters),
            letters,
            denoted: OnceCell::new(),
            run_together: OnceCell::new(),
        }
    }

    /// The readings of a text: as it stands, and with the tags in it left out, as in `<b>Pet</b>rel`.
    pub(super) fn all(text: &'a str) -> Vec<Self> {
        let as_it_stands = Self::new(text);
        let tags = tags(text);
        if tags.is_empty() {
            return vec![as_it_stands];
        }
        let mut letters = as_it_stands.letters.clone();
        retain_outside(&mut letters, &tags, |_| false);
        let without = Self {
            text,
            tokens: tokens_of(&letters),
            letters,
            denoted: OnceCell::new(),
            run_together: OnceCell::new(),
        };
        vec![as_it_stands, without]
    }

    /// Its words as one: what has no part of a value in it need not be read for it.
    fn run_together(&self) -> &str {
        self.run_together
            .get_or_init(|| self.tokens.iter().map(|token| token.text.as_str()).collect())
    }

    pub(super) fn raw(&self, place: &Range<usize>) -> &'a str {
        self.text.get(place.clone()).unwrap_or_default()
    }
}

/// The letters of a text, with a sign for each place that was withheld: `[withheld]` is no answer `withheld`.
fn without_marks(mut letters: Vec<Letter>, text: &str) -> Vec<Letter> {
    let marks = marks(text);
    if !marks.is_empty() {
        retain_outside(&mut letters, &marks, |is_first| is_first);
    }
    letters
}

/// Keeps the letters outside of ranges, which are in order and apart as the letters are; those within if `within` says so
/// of them, told whether a letter is the first of its range.
fn retain_outside(letters: &mut Vec<Letter>, ranges: &[Range<usize>], within: impl Fn(bool) -> bool) {
    let mut ranges = ranges.iter().peekable();
    letters.retain(|(_, place)| {
        while ranges.next_if(|range| range.end <= place.start).is_some() {}
        ranges
            .peek()
            .is_none_or(|range| place.end <= range.start || within(place.start == range.start))
    });
}

/// What looks like a tag of HTML, in bytes.
fn tags(text: &str) -> Vec<Range<usize>> {
    const LONGEST: usize = 200;
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, _) in text.match_indices('<') {
        let rest = &text[start + 1..];
        let begins = rest
            .trim_start_matches('/')
            .starts_with(|c: char| c.is_ascii_alphabetic());
        if let Some(end) = rest.find(['<', '>']).filter(|end| begins && *end < LONGEST)
            && rest[end..].starts_with('>')
        {
            found.push(start..start + end + 2);
        }
    }
    found
}

/// What a text denotes by numbers.
#[derive(Clone, Debug, Default)]
struct Denoted {
    atoms: Atoms,
    numerals: Vec<Numeral>,
    dates: Vec<calendar::PlacedDate>,
    times: Vec<calendar::PlacedTime>,
}

impl Denoted {
    fn of(letters: &[Letter]) -> Self {
        let atoms = Atoms::of(letters);
        let numerals = numerals(&atoms);
        Self {
            dates: calendar::dates(&atoms, &numerals),
            times: calendar::times(&atoms, &numerals),
            numerals,
            atoms,
        }
    }
}

impl Value {
    /// `None` of a text without a word or number.
    pub(super) fn of(text: &str) -> Option<Self> {
        let read = Text::new(text);
        let words: Vec<String> = read.tokens.iter().map(|token| token.text.clone()).collect();
        if words.is_empty() {
            return None;
        }
        let denoted = read.denoted.get_or_init(|| Denoted::of(&read.letters));
        let count = denoted.atoms.len();
        let all_words = |mut run: Range<usize>, most: usize, is: &dyn Fn(&str) -> bool| {
            run.len() <= most && run.all(|at| is(denoted.atoms.word(at)))
        };
        let is_beside = |run: &Range<usize>| {
            let is = calendar::is_beside_date;
            all_words(0..run.start, 3, &is) && all_words(run.end..count, 3, &is)
        };
        let whole = |run: &Range<usize>| *run == (0..count);
        let dates: Vec<Date> = denoted
            .dates
            .iter()
            .filter(|(_, run)| is_beside(run))
            .map(|(date, _)| *date)
            .collect();
        let times = denoted
            .times
            .iter()
            .filter(|(_, run, is_open)| whole(run) && !is_open)
            .map(|(time, ..)| *time)
            .collect();
        // `35 minutes` is told by 35.
        let is_unit = |word: &str| !word.is_empty() && calendar::month(word).is_none() && word != "and";
        let is_amount = |numeral: &&Numeral| {
            let has_currency = numeral.run.start == 1 && BEFORE_AMOUNTS.contains(&denoted.atoms.word(0));
            let begins = numeral.run.start == 0 || has_currency && !numeral.is_loose;
            begins && all_words(numeral.run.end..count, 2, &is_unit) && (!numeral.is_loose || words.len() == 1)
        };
        let is_roman = |numeral: &Numeral| numeral.is_loose && numeral.amount > 10.0;
        let amounts = denoted
            .numerals
            .iter()
            .filter(is_amount)
            .filter(|numeral| !is_roman(numeral))
            .map(|numeral| numeral.amount)
            .collect();
        let decimals = match words.as_slice() {
            [first, ..] if first.parse::<f64>().is_ok() => first.split_once('.').map_or(0, |(_, behind)| behind.len()),
            _ => 0,
        };
        Some(Self {
            joined: words.concat(),
            with_and: with_and(&read),
            parts: parts(&words),
            span: Span::of(text, &words),
            words,
            amounts,
            decimals,
            may_be_rounded: false,
            dates,
            times,
        })
    }

    /// The same of a program that rounds: 37 is told by 36.6667.
    pub(super) fn rounded(mut self) -> Self {
        self.may_be_rounded = self.decimals == 0;
        self
    }

    /// Whether it is a whole number below 100 and nothing else.
    pub(super) fn is_small(&self) -> bool {
        is_small_number(&self.words)
    }

    fn is_of_letters(&self) -> bool {
        self.joined.chars().any(char::is_alphabetic)
    }

    /// Whether it is a number, a date or a time.
    pub(super) fn is_denoting(&self) -> bool {
        !(self.amounts.is_empty() && self.dates.is_empty() && self.times.is_empty())
    }

    /// Where a text has it.
    pub(super) fn occurrences(&self, text: &Text<'_>) -> Vec<Occurrence> {
        let mut found = self.as_words(text);
        if self.is_denoting() {
            self.as_denoted(text, &mut found);
        }
        found
    }

    /// Where it may be shortened to a part, which tells where it is stated.
    pub(super) fn shortened(&self, text: &Text<'_>) -> Vec<Range<usize>> {
        let has = |part: &&Vec<String>| part.iter().all(|word| text.run_together().contains(word));
        let parts = self.parts.iter().filter(has);
        parts.flat_map(|part| index_runs(&text.tokens, part)).collect()
    }

    /// Whether a text is the value and nothing else.
    pub(super) fn is_all_of(&self, text: &str, words: &[String]) -> bool {
        self.has_words(words)
            || self.may_be_denoted_by(words) && Self::of(text).is_some_and(|other| self.denotes_the_same(&other))
    }

    /// Whether it has these words and no others, parted as they are or otherwise.
    pub(super) fn has_words(&self, words: &[String]) -> bool {
        self.words == words || self.is_of_letters() && words.concat() == self.joined
    }

    /// Whether a text of these words may be another writing of the number, date or time that it is.
    pub(super) fn may_be_denoted_by(&self, words: &[String]) -> bool {
        self.is_denoting() && words.iter().any(|word| may_count(word))
    }

    pub(super) fn denotes_the_same(&self, other: &Self) -> bool {
        let amounts = self
            .amounts
            .iter()
            .any(|ours| other.amounts.iter().any(|theirs| is_same(*ours, *theirs)));
        let dates = self
            .dates
            .iter()
            .any(|ours| other.dates.iter().any(|theirs| theirs.tells(ours)));
        amounts && self.words.len() == 1 || dates || self.times.iter().any(|ours| other.times.contains(ours))
    }

    /// Whether a text has what every writing of its words has: its first word or its last, but for the ending that makes a
    /// plural. A season may begin with any of its numbers.
    fn may_stand_in(&self, text: &Text<'_>) -> bool {
        let has = |word: &String| {
            let stem = word.trim_end_matches(['s', 'e', 'i', 'y']);
            text.run_together().contains(stem)
        };
        self.span.is_some() || self.words.first().is_some_and(has) || self.words.last().is_some_and(has)
    }

    /// Its words in one run; spelled apart; with other letters around them.
    fn as_words(&self, text: &Text<'_>) -> Vec<Occurrence> {
        let tokens = &text.tokens;
        let is_of_letters = self.is_of_letters();
        let mut found = Vec::new();
        if !self.may_stand_in(text) {
            return found;
        }
        let mut push = |run: Range<usize>, is_small: bool| {
            let place = tokens
                .get(run.start)
                .zip(tokens.get(run.end - 1))
                .map(|(first, last)| first.place.start..last.place.end);
            found.extend(place.map(|place| Occurrence {
                place,
                is_loose: false,
                is_small,
            }));
        };
        let is_small = is_small_number(&self.words);
        let length = self.words.len();
        for (start, token) in tokens.iter().enumerate() {
            if let Some(end) = other_orders::of_name(&self.words, text, start)
                .or_else(|| self.span.as_ref().and_then(|span| span.end_in(text, start)))
            {
                push(start..end, false);
            }
            let has = |words: &[String]| {
                let window = tokens.get(start..start + words.len());
                window.is_some_and(|window| {
                    let mut pairs = window.iter().zip(words);
                    pairs.all(|(token, word)| is_same_word(&token.text, word))
                })
            };
            if has(&self.words) {
                push(start..start + length, is_small);
            } else if let Some(words) = self.with_and.as_ref().filter(|words| has(words)) {
                push(start..start + words.len(), false);
            } else if is_of_letters {
                if let Some(end) = self.spelled_apart(text, start) {
                    push(start..end, false);
                } else if self.is_run_together(text, token) {
                    push(start..start + 1, false);
                }
            }
        }
        found
    }

    /// The index behind the words that make it when they are put together: `P.e.t.r.e.l`, `Pet rel`, `U.S.A.`
    fn spelled_apart(&self, text: &Text<'_>, start: usize) -> Option<usize> {
        const SHORTEST_IN_PIECES: usize = 5;
        let tokens = &text.tokens;
        let mut rest = self.joined.as_str();
        let mut end = start;
        let mut all_single = true;
        while let Some(token) = tokens.get(end)
            && let Some(after) = rest.strip_prefix(token.text.as_str())
        {
            if end > start {
                let gap = text.raw(&(tokens[end - 1].place.end..token.place.start));
                if gap.chars().count() > 4 || gap.contains(". ") && token.text.chars().count() > 1 {
                    return None;
                }
            }
            all_single &= token.text.chars().nth(1).is_none();
            end += 1;
            rest = after;
            if rest.is_empty() {
                let is_long = self.joined.chars().count() >= SHORTEST_IN_PIECES;
                let is_one = end == start + 1;
                return (is_long || is_one || all_single && end > start + 1).then_some(end);
            }
        }
        None
    }

    /// Whether it stands in a longer word as a word of its own: `thePetrel`, `xPetrel`.
    fn is_run_together(&self, text: &Text<'_>, token: &Token) -> bool {
        const SHORTEST: usize = 3;
        /// So long a word is seldom part of another.
        const LONG: usize = 6;
        const MOST_BEFORE: usize = 3;
        if self.joined.len() < SHORTEST || token.text.len() <= self.joined.len() {
            return false;
        }
        let Some(at) = token.text.find(&self.joined) else {
            return false;
        };
        let is_at_the_end = token
            .text
            .trim_end_matches('s')
            .ends_with(self.joined.trim_end_matches('s'));
        if self.joined.chars().count() >= LONG && at <= MOST_BEFORE && is_at_the_end {
            return true;
        }
        // In camel case, or beside a digit.
        let raw = text.raw(&token.place);
        if raw.len() != token.text.len() {
            return false;
        }
        let end = at + self.joined.len();
        let begins = at == 0 || {
            let before = raw.get(..at).and_then(|before| before.chars().next_back());
            let first = raw.get(at..).and_then(|rest| rest.chars().next());
            before.is_some_and(|before| !before.is_uppercase()) && first.is_some_and(char::is_uppercase)
                || before.is_some_and(char::is_numeric)
        };
        let after = raw.get(end..).and_then(|rest| rest.chars().next());
        begins && after.is_none_or(|after| after.is_uppercase() || after.is_numeric())
    }

    /// Other writings of the number, date or time that it is.
    fn as_denoted(&self, text: &Text<'_>, found: &mut Vec<Occurrence>) {
        // Most texts and cells have no number at all.
        if !text.tokens.iter().any(|token| may_count(&token.text)) {
            return;
        }
        let denoted = text.denoted.get_or_init(|| Denoted::of(&text.letters));
        let mut push = |run: &Range<usize>, is_loose: bool, is_small: bool| {
            found.extend(denoted.atoms.place(run).map(|place| Occurrence {
                place,
                is_loose,
                is_small,
            }));
        };
        for numeral in &denoted.numerals {
            if self.amounts.iter().any(|amount| self.is_amount(*amount, numeral)) {
                let is_small = is_small_amount(numeral.amount);
                push(&numeral.run, numeral.is_loose, is_small);
            }
        }
        for (date, run) in &denoted.dates {
            if self.dates.iter().any(|ours| date.tells(ours)) {
                push(run, false, false);
            } else if self.dates.iter().any(|ours| date.hints_at(ours)) {
                push(run, true, false);
            }
        }
        for (time, run, is_open) in &denoted.times {
            if self.times.contains(time) {
                push(run, *is_open, false);
            }
        }
    }

    /// Whether an amount of ours is what a number with more decimals is rounded to: `36.666667` tells 36.67, but `3.4` is not 3.
    fn is_rounding_of(&self, exact: f64, amount: f64) -> bool {
        let has_two_decimals = (exact * 10.0).fract() != 0.0;
        match self.decimals {
            0 => self.may_be_rounded && amount.fract() == 0.0 && has_two_decimals && is_rounded(0, exact, amount),
            decimals => is_rounded(decimals.min(12), exact, amount),
        }
    }

    fn is_amount(&self, amount: f64, numeral: &Numeral) -> bool {
        if is_same(amount, numeral.amount) {
            return true;
        }
        // A share that is written out to two decimals or more, and a measure that is rounded to one or more.
        numeral.is_share && self.decimals >= 2 && is_rounded(self.decimals.min(12), numeral.amount, amount)
            || !numeral.is_share && numeral.amount.fract() != 0.0 && self.is_rounding_of(numeral.amount, amount)
            || !numeral.is_share
                && numeral.amount.fract() != 0.0
                && (1..self.decimals.min(4)).any(|fewer| is_rounded(fewer, amount, numeral.amount))
    }
}

/// Whether a number rounded to so many decimals is another.
fn is_rounded(decimals: usize, exact: f64, rounded: f64) -> bool {
    // Most are far apart, and need not be written out.
    let most = 0.1_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX)) + 1e-9 * rounded.abs();
    (exact - rounded).abs() <= most
        && format!("{exact:.decimals$}")
            .parse::<f64>()
            .is_ok_and(|exact| is_same(exact, rounded))
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// Whether a word is another, in the singular or in the plural.
fn is_same_word(text: &str, value: &str) -> bool {
    const SHORTEST: usize = 3;
    if text == value {
        return true;
    }
    let (short, long) = if text.len() < value.len() {
        (text, value)
    } else {
        (value, text)
    };
    if short.len() < SHORTEST || long.len() - short.len() > 3 || !short.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    match long.strip_prefix(short) {
        Some("s" | "es") => true,
        Some(_) => false,
        None => long
            .strip_suffix("ies")
            .is_some_and(|stem| short.strip_suffix('y') == Some(stem)),
    }
}

/// The words of a text with `and` for each `&` between them, if there is one.
fn with_and(text: &Text<'_>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut end = 0;
    for token in &text.tokens {
        if end > 0 && text.raw(&(end..token.place.start)).trim() == "&" {
            words.push("and".to_owned());
        }
        words.push(token.text.clone());
        end = token.place.end;
    }
    (words.len() > text.tokens.len()).then_some(words)
}

/// What a statement may shorten a name of several words to: its first or last word.
fn parts(value: &[String]) -> Vec<Vec<String>> {
    let tells = |word: &&String| {
        word.chars().count() >= 4 && word.chars().all(char::is_alphabetic) && !EMPTY_WORDS.contains(&word.as_str())
    };
    match value {
        [first, .., last] => [first, last]
            .into_iter()
            .filter(tells)
            .map(|word| vec![word.clone()])
            .collect(),
        _ => Vec::new(),
    }
}
