//! A text taken apart once for all values that are looked for in it: its words and where each stands, what it denotes by
//! numbers. What a value costs then depends on how often the text has it, and not on how long the text is.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::atoms::Atoms;
use super::calendar::{self, Date};
use super::numerals::{Numeral, numerals};
use crate::explain::letters::{Letter, letters};
use crate::explain::text_words::{Token, tokens_of};
use crate::explain::withhold::marks;
use crate::explain::work;

/// A text that was taken apart.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    /// As it is written.
    pub(super) text: &'a str,
    /// Its words.
    pub(super) tokens: Vec<Token>,
    letters: Vec<Letter>,
    denoted: OnceCell<Denoted>,
    index: OnceCell<Index>,
}

/// Where the words of a text stand.
#[derive(Clone, Debug, Default)]
struct Index {
    /// Its words as one.
    joined: String,
    /// Where each word begins in it, and where it ends.
    starts: Vec<usize>,
    /// The words by what they are.
    places: HashMap<String, Vec<usize>>,
    /// How many of the words up to each stand too far from the one before them to be parts of one.
    apart: Vec<usize>,
    /// How many of the words up to each have more than one letter.
    longer: Vec<usize>,
}

/// Where a text has a word that is spelled apart or run together with others.
#[derive(Debug, Default)]
pub(super) struct Spelled {
    /// Runs of words that make it when they are put together, and whether each is a letter.
    pub(super) runs: Vec<(Range<usize>, bool)>,
    /// Words that are longer and have it in them.
    pub(super) within: Vec<usize>,
}

impl<'a> Text<'a> {
    fn of_letters(text: &'a str, letters: Vec<Letter>) -> Self {
        Self {
            text,
            tokens: tokens_of(&letters),
            letters,
            denoted: OnceCell::new(),
            index: OnceCell::new(),
        }
    }

    /// Takes a text apart.
    pub(super) fn new(text: &'a str) -> Self {
        Self::of_letters(text, without_marks(letters(text), text))
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
        let without = Self::of_letters(text, letters);
        vec![as_it_stands, without]
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            let (mut apart, mut longer) = (0, 0);
            for (at, token) in self.tokens.iter().enumerate() {
                index.starts.push(index.joined.len());
                index.joined.push_str(&token.text);
                index.places.entry(token.text.clone()).or_default().push(at);
                let is_longer = token.text.chars().nth(1).is_some();
                let gap = self.gap(at);
                let is_apart = gap.chars().nth(4).is_some() || is_longer && gap.contains(". ");
                apart += usize::from(is_apart);
                longer += usize::from(is_longer);
                index.apart.push(apart);
                index.longer.push(longer);
            }
            index.starts.push(index.joined.len());
            index
        })
    }

    /// Where a word stands among its words.
    pub(super) fn places(&self, word: &str) -> &[usize] {
        self.index().places.get(word).map_or(&[], Vec::as_slice)
    }

    /// Where its words make a word that is spelled apart, or have it in them.
    pub(super) fn spelled(&self, word: &str) -> Spelled {
        let index = self.index();
        let mut spelled = Spelled::default();
        if !index.joined.contains(word) {
            return spelled;
        }
        for found in runs_of(index.joined.as_bytes(), word.as_bytes(), u8::eq, u8::eq) {
            let start = index.starts.partition_point(|start| *start <= found.start) - 1;
            let end = index.starts.partition_point(|start| *start < found.end);
            let begins = index.starts.get(start) == Some(&found.start);
            let ends = index.starts.get(end) == Some(&found.end);
            let last = end.saturating_sub(1);
            // Of a word such as `aaaa` every letter may begin one.
            if spelled.runs.last().is_some_and(|(run, _)| start < run.end) {
                continue;
            }
            if begins && ends {
                let between = |counts: &[usize]| counts[last] - counts[start];
                if between(&index.apart) == 0 {
                    let first_is_longer = self.tokens[start].text.chars().nth(1).is_some();
                    spelled
                        .runs
                        .push((start..end, between(&index.longer) == 0 && !first_is_longer));
                }
            } else if start == last && spelled.within.last() != Some(&start) {
                spelled.within.push(start);
            }
        }
        spelled
    }

    /// What it denotes by numbers.
    pub(super) fn denoted(&self) -> &Denoted {
        self.denoted.get_or_init(|| Denoted::of(&self.letters))
    }

    /// What stands in a place.
    pub(super) fn raw(&self, place: &Range<usize>) -> &'a str {
        self.text.get(place.clone()).unwrap_or_default()
    }

    /// What stands before a word, since the one before it; after the last, what stands at the end.
    pub(super) fn gap(&self, index: usize) -> &'a str {
        let from = index
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(0, |token| token.place.end);
        let to = self
            .tokens
            .get(index)
            .map_or(self.text.len(), |token| token.place.start);
        let gap = self.raw(&(from..to));
        work::count(gap.len() + 1);
        gap
    }

    /// Whether a word begins with a capital letter.
    pub(super) fn is_capital(&self, index: usize) -> bool {
        let raw = self.tokens.get(index).map_or("", |token| self.raw(&token.place));
        raw.chars().next().is_some_and(char::is_uppercase)
    }

    /// Where a run of words stands, in bytes.
    pub(super) fn place(&self, run: &Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.tokens.get(run.start)?, self.tokens.get(run.end.checked_sub(1)?)?);
        Some(first.place.start..last.place.end)
    }
}

/// Every place where a list has another in one run, those that overlap too, in as many steps as both are long (Knuth, Morris
/// and Pratt 1977).
pub(super) fn runs_of<A, B>(
    list: &[A],
    looked_for: &[B],
    is: impl Fn(&A, &B) -> bool,
    is_same: impl Fn(&B, &B) -> bool,
) -> Vec<Range<usize>> {
    let length = looked_for.len();
    if length == 0 || list.len() < length {
        return Vec::new();
    }
    // How much of a beginning of what is looked for its end begins again.
    let mut begins_again = vec![0; length];
    let mut have = 0;
    for at in 1..length {
        while have > 0 && !is_same(&looked_for[at], &looked_for[have]) {
            have = begins_again[have - 1];
        }
        have += usize::from(is_same(&looked_for[at], &looked_for[have]));
        begins_again[at] = have;
    }
    let mut found = Vec::new();
    let mut have = 0;
    for (at, item) in list.iter().enumerate() {
        work::count(1);
        while have > 0 && (have == length || !is(item, &looked_for[have])) {
            have = begins_again[have - 1];
        }
        have += usize::from(is(item, &looked_for[have]));
        if have == length {
            found.push(at + 1 - length..at + 1);
        }
    }
    found
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
pub(super) struct Denoted {
    /// Its runs of digits and letters.
    pub(super) atoms: Atoms,
    /// Its numbers, smallest first.
    pub(super) numerals: Vec<Numeral>,
    /// Its dates by their months, each with the runs that write it.
    dates: Vec<(Date, Vec<Range<usize>>)>,
    /// Its times of day, the same with whether each may be a half of the day later.
    pub(super) times: HashMap<u32, Vec<(Range<usize>, bool)>>,
}

impl Denoted {
    fn of(letters: &[Letter]) -> Self {
        let atoms = Atoms::of(letters);
        let mut numerals = numerals(&atoms);
        let mut dates: Vec<(Date, Vec<Range<usize>>)> = Vec::new();
        let mut known: HashMap<Date, usize> = HashMap::new();
        for (date, run) in calendar::dates(&atoms, &numerals) {
            let at = *known.entry(date).or_insert(dates.len());
            match dates.get_mut(at) {
                Some((_, runs)) => runs.push(run),
                None => dates.push((date, vec![run])),
            }
        }
        let mut times: HashMap<u32, Vec<(Range<usize>, bool)>> = HashMap::new();
        for (time, run, is_open) in calendar::times(&atoms, &numerals) {
            times.entry(time).or_default().push((run, is_open));
        }
        dates.sort_by_key(|(date, _)| date.month);
        // All are finite.
        numerals.sort_by(|one, other| one.amount.total_cmp(&other.amount));
        Self {
            atoms,
            numerals,
            dates,
            times,
        }
    }

    /// Its dates.
    pub(super) fn dates(&self) -> &[(Date, Vec<Range<usize>>)] {
        &self.dates
    }

    /// Its dates of the month of another.
    pub(super) fn dates_near(&self, date: &Date) -> &[(Date, Vec<Range<usize>>)] {
        let start = self.dates.partition_point(|(other, _)| other.month < date.month);
        let end = self.dates.partition_point(|(other, _)| other.month <= date.month);
        self.dates.get(start..end).unwrap_or_default()
    }

    /// Its numbers that differ from an amount by so much at most.
    pub(super) fn numerals_around(&self, amount: f64, most: f64) -> &[Numeral] {
        let start = self.numerals.partition_point(|numeral| numeral.amount < amount - most);
        let end = self.numerals.partition_point(|numeral| numeral.amount <= amount + most);
        self.numerals.get(start..end).unwrap_or_default()
    }
}
