//! One value of an answer, and where a text has it: as its words, spelled apart or run together, or as another writing of the
//! number, date or time that it is.

use std::ops::Range;

use super::EMPTY_WORDS;
use super::calendar::{self, Date};
use super::names::Name;
use super::numerals::{Numeral, may_count};
use super::spans::Span;
use super::text::{Text, runs_of};
use super::wordings::{Wording, wordings};
use crate::explain::text_words::{Token, is_small_amount, is_small_number};
use crate::explain::work;

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
    /// The same in other words: `Johnson and Johnson`, `World War 2`.
    wordings: Vec<Wording>,
    /// Its words as one.
    joined: String,
    /// The amounts that it is, with the decimals that it has.
    amounts: Vec<f64>,
    decimals: usize,
    /// Whether it is so many percents.
    is_percents: bool,
    /// Whether it may have been rounded to a whole number.
    may_be_rounded: bool,
    dates: Vec<Date>,
    times: Vec<u32>,
    /// What a statement may shorten it to.
    parts: Vec<String>,
    /// The range, season or score that it is.
    span: Option<Span>,
    /// The name that it is.
    name: Option<Name>,
    /// Whether it is of numbers parted by something else than commas, which a text lists as well: `rows 3, 2 and 1`.
    is_of_numbers: bool,
    /// The letters of the list that it is: `A, C`.
    letters: Vec<String>,
    /// Whether it is one of the letters of such a list.
    is_letter: bool,
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

impl Value {
    /// `None` of a text without a word or number.
    pub(super) fn of(text: &str) -> Option<Self> {
        let read = Text::new(text);
        let words: Vec<String> = read.tokens.iter().map(|token| token.text.clone()).collect();
        if words.is_empty() {
            return None;
        }
        let denoted = read.denoted();
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
            .dates()
            .iter()
            .filter(|(_, runs)| runs.iter().any(is_beside))
            .map(|(date, _)| *date)
            .collect();
        let is_time = |places: &[(Range<usize>, bool)]| places.iter().any(|(run, is_open)| whole(run) && !is_open);
        let mut times: Vec<u32> = denoted
            .times
            .iter()
            .filter(|(_, places)| is_time(places))
            .map(|(time, _)| *time)
            .collect();
        times.sort_unstable();
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
            wordings: wordings(&read),
            parts: parts(&words),
            span: Span::of(text, &words),
            name: Name::of(&read),
            is_of_numbers: words.len() > 1
                && !text.contains([',', ';'])
                && words.iter().all(|word| word.parse::<f64>().is_ok()),
            letters: Vec::new(),
            is_letter: false,
            words,
            amounts,
            decimals,
            is_percents: text.trim_end().ends_with(['%', '٪', '﹪', '％']),
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

    /// The same of a list of letters.
    pub(super) fn of_letters(mut self, letters: Vec<String>) -> Self {
        self.letters = letters;
        self
    }

    /// The same as one of the letters of a list: any text may have one, and it tells where it is stated.
    pub(super) fn into_letter(mut self) -> Self {
        self.is_letter = true;
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
        if self.is_letter {
            return self.as_letter_of(text);
        }
        let mut found = self.as_words(text);
        if self.is_denoting() {
            self.as_denoted(text, &mut found);
        }
        found
    }

    /// Where it may be shortened to a part, which tells where it is stated.
    pub(super) fn shortened(&self, text: &Text<'_>) -> Vec<Range<usize>> {
        let parts = self.parts.iter().flat_map(|part| text.places(part));
        parts.map(|at| *at..at + 1).collect()
    }

    /// Whether it has these words and no others, parted as they are or otherwise.
    pub(super) fn has_words(&self, words: &[String]) -> bool {
        self.words == words
            || self.is_of_letters()
                && words.iter().map(String::len).sum::<usize>() == self.joined.len()
                && words.concat() == self.joined
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

    /// Its words in one run or in other words; spelled apart; with other letters around them.
    fn as_words(&self, text: &Text<'_>) -> Vec<Occurrence> {
        let mut found = Vec::new();
        let mut push = |run: Range<usize>, is_small: bool| {
            work::count(1);
            found.extend(text.place(&run).map(|place| Occurrence {
                place,
                is_loose: false,
                is_small,
            }));
        };
        if let Some(span) = &self.span {
            span.runs_in(text).into_iter().for_each(|run| push(run, false));
            return found;
        }
        let is_small = is_small_number(&self.words);
        let is_list = |run: &Range<usize>| {
            self.is_of_numbers
                && (run.start + 1..run.end)
                    .any(|at| text.gap(at).contains([',', ';', '(', ')']) || text.gap(at).contains(". "))
        };
        let runs = word_runs(text, &self.words).into_iter().filter(|run| !is_list(run));
        runs.for_each(|run| push(run, is_small));
        for wording in &self.wordings {
            let runs = word_runs(text, &wording.words).into_iter();
            let runs = runs.filter(|run| !wording.is_capital || run.clone().all(|at| text.is_capital(at)));
            runs.for_each(|run| push(run, false));
        }
        if let Some(name) = &self.name {
            name.runs_in(text).into_iter().for_each(|run| push(run, false));
        }
        self.enumerated_in(text).into_iter().for_each(|run| push(run, false));
        if self.is_of_letters() {
            const SHORTEST_IN_PIECES: usize = 5;
            let spelled = text.spelled(&self.joined);
            let is_long = self.joined.chars().count() >= SHORTEST_IN_PIECES;
            for (run, is_of_single) in spelled.runs {
                if is_long || run.len() == 1 || is_of_single {
                    push(run, false);
                }
            }
            for at in spelled.within {
                if text
                    .tokens
                    .get(at)
                    .is_some_and(|token| self.is_run_together(text, token))
                {
                    push(at..at + 1, false);
                }
            }
        }
        found
    }

    /// A letter of a list: in capitals, in brackets or in quotes.
    fn as_letter_of(&self, text: &Text<'_>) -> Vec<Occurrence> {
        let is_set_apart =
            |at: usize| text.is_capital(at) || text.gap(at).ends_with(['(', '[', '"', '“', '\'', '‘', '*', '`']);
        let places = text.places(&self.joined).iter().filter(|at| is_set_apart(**at));
        let places = places.filter_map(|at| text.place(&(*at..at + 1)));
        places
            .map(|place| Occurrence {
                place,
                is_loose: true,
                is_small: false,
            })
            .collect()
    }

    /// Where a text has all the letters of a list of such, one after the other, in any order.
    fn enumerated_in(&self, text: &Text<'_>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let Some(first) = self.letters.first() else {
            return found;
        };
        let is_near = |at: usize| {
            text.gap(at)
                .chars()
                .all(|c| c.is_whitespace() && c != '\n' || ",;&/+()[]{}'\"“”‘’*`$".contains(c))
        };
        let word = |at: usize| text.tokens.get(at).map_or("", |token| token.text.as_str());
        let most = 2 * self.letters.len();
        let mut behind = 0;
        for anchor in text.places(first) {
            // The letters around the first one, with a word at most between two of them.
            let joins = |at: usize| matches!(word(at), "and" | "or" | "plus" | "then");
            let is_part = |at: usize| self.letters.iter().any(|letter| letter == word(at)) || joins(at);
            let mut start = *anchor;
            while start > behind.max(anchor.saturating_sub(most)) && is_near(start) && is_part(start - 1) {
                start -= 1;
            }
            let mut end = anchor + 1;
            while end < (anchor + most).min(text.tokens.len()) && is_near(end) && is_part(end) {
                end += 1;
            }
            let has = |letter: &String| (start..end).any(|at| word(at) == letter);
            if *anchor >= behind && self.letters.iter().all(has) {
                let is_letter = |at: &usize| !joins(*at);
                let from = (start..end).find(is_letter).unwrap_or(start);
                let to = (start..end).rfind(is_letter).map_or(end, |last| last + 1);
                found.push(from..to);
                behind = end;
            }
        }
        found
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
        let denoted = text.denoted();
        let mut push = |run: &Range<usize>, is_loose: bool, is_small: bool| {
            work::count(1);
            found.extend(denoted.atoms.place(run).map(|place| Occurrence {
                place,
                is_loose,
                is_small,
            }));
        };
        for amount in &self.amounts {
            // Rounded, it differs by less.
            let most = if self.may_be_rounded { 1.0 } else { 0.1 } + 1e-8 * amount.abs();
            // Of numbers that are alike one is looked at.
            let mut last: Option<(f64, bool, bool)> = None;
            for numeral in denoted.numerals_around(*amount, most) {
                work::count(1);
                let is_it = match last {
                    Some((of, is_share, is_it)) if of == numeral.amount && is_share == numeral.is_share => is_it,
                    _ => self.is_amount(*amount, numeral),
                };
                last = Some((numeral.amount, numeral.is_share, is_it));
                if is_it {
                    push(&numeral.run, numeral.is_loose, is_small_amount(numeral.amount));
                }
            }
        }
        for ours in &self.dates {
            for (date, runs) in denoted.dates_near(ours) {
                work::count(1);
                let (tells, hints) = (date.tells(ours), date.hints_at(ours));
                let runs = runs.iter().filter(|_| tells || hints);
                runs.for_each(|run| push(run, !tells, false));
            }
        }
        let times = self.times.iter().filter_map(|time| denoted.times.get(time));
        for (run, is_open) in times.flatten() {
            push(run, *is_open, false);
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
        // Of percents those of the share.
        let decimals = match self.decimals {
            decimals if decimals > 0 && self.is_percents => decimals + 2,
            decimals => decimals,
        };
        // A share that is written out to two decimals or more, and a measure that is rounded to one or more.
        numeral.is_share && decimals >= 2 && is_rounded(decimals.min(12), numeral.amount, amount)
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

/// Where a text has words in one run, each in the singular or the plural.
fn word_runs(text: &Text<'_>, words: &[String]) -> Vec<Range<usize>> {
    /// More words than anybody compares one by one.
    const MANY: usize = 32;
    let Some(first) = words.first() else {
        return Vec::new();
    };
    if words.len() > MANY {
        return runs_of(
            &text.tokens,
            words,
            |token, word| token.text == *word,
            |one, other| one == other,
        );
    }
    let is_run = |start: usize| {
        let window = text.tokens.get(start..start + words.len());
        window.is_some_and(|window| {
            let mut pairs = window.iter().zip(words);
            pairs.all(|(token, word)| {
                work::count(1);
                is_same_word(&token.text, word)
            })
        })
    };
    let numbers = numbers_of(first);
    let mut starts: Vec<usize> = numbers.iter().flat_map(|word| text.places(word)).copied().collect();
    starts.sort_unstable();
    starts.dedup();
    starts
        .into_iter()
        .filter(|start| is_run(*start))
        .map(|start| start..start + words.len())
        .collect()
}

/// A word in what may be its singular and its plurals.
fn numbers_of(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned(), format!("{word}s"), format!("{word}es")];
    all.extend(word.strip_suffix('y').map(|stem| format!("{stem}ies")));
    all.extend(word.strip_suffix("ies").map(|stem| format!("{stem}y")));
    all.extend(word.strip_suffix("es").map(str::to_owned));
    all.extend(word.strip_suffix('s').map(str::to_owned));
    all
}

/// What a statement may shorten a name of several words to: its first or last word.
fn parts(value: &[String]) -> Vec<String> {
    let tells = |word: &&String| {
        word.chars().count() >= 4 && word.chars().all(char::is_alphabetic) && !EMPTY_WORDS.contains(&word.as_str())
    };
    match value {
        [first, .., last] => [first, last].into_iter().filter(tells).cloned().collect(),
        _ => Vec::new(),
    }
}
