//! Names of explanations in a text: labels, what is left of them without shared words, and nothing that only looks so.

use crate::judge::prompt::short_names;

/// A name and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Index into the labels.
    pub(super) label: usize,
    /// Byte after the name.
    pub(super) end: usize,
}

/// The spellings of all labels, longest first.
pub(super) struct Names {
    spellings: Vec<(String, usize)>,
    /// Whether case tells labels apart.
    exact: bool,
    count: usize,
}

/// Nouns that may stand before a short name.
const NOUNS: [&str; 9] = [
    "explanation",
    "method",
    "option",
    "candidate",
    "model",
    "system",
    "response",
    "arm",
    "the",
];

impl Names {
    pub(super) fn new<S: AsRef<str>>(labels: &[S]) -> Self {
        let labels: Vec<String> = labels
            .iter()
            .map(|label| super::visible::plain(label.as_ref()).trim().to_owned())
            .collect();
        let mut spellings: Vec<(String, usize)> = labels.iter().cloned().zip(0..).collect();
        for (index, short) in short_names(&labels).into_iter().enumerate() {
            if short != labels[index] {
                spellings.push((short, index));
            }
        }
        spellings.retain(|(spelling, _)| !spelling.is_empty());
        spellings.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        let exact = (0..labels.len()).any(|index| {
            labels[..index]
                .iter()
                .any(|earlier| earlier.to_lowercase() == labels[index].to_lowercase())
        });
        Self {
            spellings,
            exact,
            count: labels.len(),
        }
    }

    /// How many labels there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether no name can be the beginning of another one's.
    pub(super) fn is_short(&self) -> bool {
        let spellings = || self.spellings.iter().map(|(spelling, _)| spelling.to_lowercase());
        spellings().all(|one| spellings().filter(|other| other.starts_with(&one)).count() == 1)
    }

    /// A name that begins at byte `at`, with an opening quote or bracket or a noun before it if need be.
    pub(super) fn at(&self, text: &str, at: usize) -> Option<Found> {
        let begin = skip(text, at, |c| matches!(c, '"' | '\'' | '(' | '[' | '{' | ' '));
        if let Some(found) = self.exactly_at(text, begin) {
            return Some(found);
        }
        let noun_end = NOUNS.iter().find_map(|noun| starts_with(text, begin, noun, false))?;
        let after = skip(text, noun_end, |c| {
            matches!(c, ' ' | '"' | '\'' | '(' | '[' | '#' | ':')
        });
        if after == noun_end {
            return None;
        }
        self.exactly_at(text, after).or_else(|| {
            let second = starts_with(text, after, NOUNS[0], false)?;
            self.exactly_at(text, skip(text, second, |c| matches!(c, ' ' | '"' | '\'' | '(' | '[')))
        })
    }

    fn exactly_at(&self, text: &str, at: usize) -> Option<Found> {
        self.spellings.iter().find_map(|(spelling, label)| {
            // A single letter is a word in English; only its capital names an explanation.
            let exact = self.exact || spelling.chars().count() == 1;
            let end = starts_with(text, at, spelling, exact)?;
            ends_a_word(text, end).then_some(Found { label: *label, end })
        })
    }
}

/// The byte after `word` when the text goes on with it at byte `at`.
fn starts_with(text: &str, at: usize, word: &str, exact: bool) -> Option<usize> {
    let mut rest = text.get(at..)?.char_indices();
    let mut end = at;
    for expected in word.chars() {
        let (offset, found) = rest.next()?;
        let same = found == expected || (!exact && found.to_lowercase().eq(expected.to_lowercase()));
        if !same {
            return None;
        }
        end = at + offset + found.len_utf8();
    }
    Some(end)
}

/// Whether no word goes on at this byte: `pos` is not in `pos2` nor in `pos-2`.
fn ends_a_word(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    match rest.next() {
        Some(c) if c.is_alphanumeric() || c == '_' => false,
        Some('-' | '.' | '+' | '/') => !rest.next().is_some_and(char::is_alphanumeric),
        _ => true,
    }
}

/// The first byte from `at` on whose character is not to be skipped.
pub(super) fn skip(text: &str, at: usize, skipped: impl Fn(char) -> bool) -> usize {
    text[at..]
        .find(|c| !skipped(c))
        .map_or(text.len(), |offset| at + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name() {
        let names = Names::new(&["Explanation A", "Explanation B"]);
        for text in [
            "Explanation B",
            "explanation b: clear",
            "B",
            "(B)",
            "\"B\",",
            "Option B",
            "the explanation B",
            "Explanation (B)",
        ] {
            assert_eq!(names.at(text, 0).map(|found| found.label), Some(1), "{text}");
        }
        for text in ["b", "Better", "B2", "Explanation C", "B-2", "Explain"] {
            assert_eq!(names.at(text, 0), None, "{text}");
        }
    }

    #[test]
    fn longer_names_come_first_and_case_counts_only_where_it_must() {
        let names = Names::new(&["pos", "pos-2", "Text2SQL"]);
        assert_eq!(names.at("pos-2 is", 0).map(|found| found.label), Some(1));
        assert_eq!(names.at("POS: a", 0).map(|found| found.label), Some(0));
        assert_eq!(names.at("text2sql", 0).map(|found| found.label), Some(2));
        assert_eq!(names.at("pos-3", 0), None);
        let cased = Names::new(&["arm", "ARM"]);
        assert_eq!(cased.at("ARM", 0).map(|found| found.label), Some(1));
        assert_eq!(cased.at("Arm", 0), None);
    }
}
