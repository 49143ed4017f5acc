//! A text as runs of digits and runs of letters, with what stands between: what numbers and dates are read from. `5th` is
//! two of them, `1.5` as well.

use std::ops::Range;

use crate::explain::letters::Letter;
use crate::explain::work;

/// A run of digits or a run of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    /// Folded.
    pub(super) text: String,
    /// Whether it is of digits.
    pub(super) is_digits: bool,
    /// What stands between it and the one before it, folded.
    pub(super) gap: String,
    /// Where it stands, in bytes.
    pub(super) place: Range<usize>,
}

/// The runs of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Atoms {
    list: Vec<Atom>,
    /// What stands after the last.
    end: String,
}

/// What stands between two runs, without the signs of LaTeX: `1{,}250`, `1\\,250`.
fn plain_gap(gap: String) -> String {
    match gap.as_str() {
        "{,}" => ",".to_owned(),
        "{.}" => ".".to_owned(),
        "\\," | "\\;" | "\\:" | "\\!" | "\\ " | "{\\,}" | "{ }" | "~" => " ".to_owned(),
        _ => gap,
    }
}

impl Atoms {
    /// Of a text's folded characters.
    pub(super) fn of(letters: &[Letter]) -> Self {
        let mut found = Self::default();
        // Whether the last run may go on.
        let mut is_open = false;
        for (letter, place) in letters {
            let is_digit = letter.is_ascii_digit();
            if !is_digit && !letter.is_alphabetic() {
                found.end.push(*letter);
                is_open = false;
                continue;
            }
            match found.list.last_mut() {
                Some(last) if is_open && last.is_digits == is_digit => {
                    last.text.push(*letter);
                    last.place.end = place.end;
                }
                _ => found.list.push(Atom {
                    text: letter.to_string(),
                    is_digits: is_digit,
                    gap: plain_gap(std::mem::take(&mut found.end)),
                    place: place.clone(),
                }),
            }
            is_open = true;
        }
        found
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// A run.
    pub(super) fn get(&self, index: usize) -> Option<&Atom> {
        work::count(1);
        self.list.get(index)
    }

    /// Digits, or nothing.
    pub(super) fn digits(&self, index: usize) -> Option<&str> {
        self.get(index)
            .filter(|atom| atom.is_digits)
            .map(|atom| atom.text.as_str())
    }

    /// Letters, or nothing.
    pub(super) fn word(&self, index: usize) -> &str {
        self.get(index)
            .filter(|atom| !atom.is_digits)
            .map_or("", |atom| atom.text.as_str())
    }

    /// What stands before a run; after the last, what stands at the end.
    pub(super) fn gap(&self, index: usize) -> &str {
        self.get(index).map_or(self.end.as_str(), |atom| atom.gap.as_str())
    }

    /// Where runs stand in the text, in bytes.
    pub(super) fn place(&self, run: &Range<usize>) -> Option<Range<usize>> {
        let last = run.end.checked_sub(1)?;
        Some(self.get(run.start)?.place.start..self.get(last)?.place.end)
    }
}
