//! The forms in which an answer can stand in a text or a table, whatever its case, spelling of numbers, accents and
//! punctuation. The rule, also in docs/formats.md:
//!
//! - A text is taken as its words and numbers: small letters, no accents, `1,234.50` is `1234.5`, `three` is `3`; a
//!   Chinese, Japanese or Korean character is a word by itself; what is not shown is not there; a letter that looks like a
//!   Latin one is that one.
//! - A value stands in a text where its words and numbers do, in one run: in the singular or plural, parted by signs or blanks
//!   (`P.e.t.r.e.l`), or run together with others (`thePetrel`).
//! - So does it where the text spells it otherwise: a number, date or time in any other writing of it ([`numerals`],
//!   [`calendar`]), an amount without its unit, a measure rounded; and of a list, written as one value, each item.
//! - A sentence as an answer stands in a sentence that has most of the words which it adds to the question.
//! - A value that any sentence may have - a whole number below 100, or what the question names - is told where it is *stated*
//!   ([`super::stated`]): `so the answer is V`.
//! - A verdict stands in a sentence that has `true` or `false`, or that says of the statement that it is supported,
//!   refuted, correct and the like; or that begins with yes or no. Both verdicts count: what is left out must not tell
//!   which it was.

mod atoms;
mod calendar;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what a test builds has to be there")]
mod hostile;
mod names;
mod numerals;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what a test builds has to be there")]
pub(super) mod planted_forms;
mod spans;
mod text;
mod value;
mod verdicts;
mod wordings;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::stated::Read;
use super::text_words::{Token, joined, sentences, words};
use crate::dataset::Answer;
use text::Text;
use value::{Occurrence, Value};

pub(super) use verdicts::{gives_verdict, names_a_verdict, verdict_of};

/// What an answer looks like in a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AnswerForms {
    /// TRUE or FALSE.
    Verdict,
    /// Values.
    Values(Values),
    /// A sentence.
    Sentence {
        /// The whole of it.
        whole: Values,
        /// Its words that say something and that the question has not.
        news: BTreeSet<String>,
    },
}

/// The values of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    /// As they are; at least one.
    whole: Vec<Value>,
    /// The items of those that are lists.
    items: Vec<Value>,
    /// Which of all these, in order, the question has.
    known: Vec<bool>,
}

/// Words of a sentence that say nothing by themselves.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "did", "do", "does", "for", "from", "had", "has", "have",
    "he", "her", "his", "in", "is", "it", "its", "of", "on", "or", "she", "that", "the", "their", "they", "this", "to",
    "was", "were", "which", "while", "who", "with",
];

impl Values {
    fn of<'a>(
        texts: impl Iterator<Item = &'a str>,
        question: &str,
        items: impl Fn(&str) -> Vec<Value>,
    ) -> Option<Self> {
        let texts: Vec<&str> = texts.collect();
        let of_text = |text: &&str| {
            let letters = letters_of(&listed(text)).unwrap_or_default();
            Some(Value::of(text)?.of_letters(letters))
        };
        let whole: Vec<Value> = texts.iter().filter_map(of_text).collect();
        if whole.is_empty() {
            return None;
        }
        let items: Vec<Value> = texts.iter().flat_map(|text| items(text)).collect();
        let asked = Text::all(question);
        let is_known = |value: &Value| occurrences(&[value], &asked).any(|found| !found.is_loose);
        let known = whole.iter().chain(&items).map(is_known).collect();
        Some(Self { whole, items, known })
    }

    fn all(&self) -> impl Iterator<Item = &Value> {
        self.whole.iter().chain(&self.items)
    }

    /// The values that the question has, or the others.
    fn that_are(&self, known: bool) -> Vec<&Value> {
        let all = self.all().zip(&self.known);
        all.filter(|(_, is_known)| **is_known == known)
            .map(|(value, _)| value)
            .collect()
    }
}

/// The items of a list that is written as one value; none of another value.
fn items(text: &str) -> Vec<Value> {
    const LONGEST: usize = 6;
    let found = listed(text);
    if found.iter().any(|item| item.words.len() > LONGEST) {
        return Vec::new();
    }
    if letters_of(&found).is_some() {
        return found.into_iter().map(Value::into_letter).collect();
    }
    let says_something = |item: &Value| match item.words.as_slice() {
        [only] => !EMPTY_WORDS.contains(&only.as_str()) && (only.len() > 1 || item.is_small()),
        _ => true,
    };
    found.into_iter().filter(says_something).collect()
}

/// The letters of a list of nothing else: `A, C`, `b and d`.
fn letters_of(items: &[Value]) -> Option<Vec<String>> {
    let letter = |item: &Value| match item.words.as_slice() {
        [only] if only.len() == 1 && only.chars().all(char::is_alphabetic) => Some(only.clone()),
        _ => None,
    };
    let letters: BTreeSet<String> = items.iter().map(letter).collect::<Option<_>>()?;
    (letters.len() > 1).then(|| letters.into_iter().collect())
}

/// What a list that is written as one value has in it, whatever it says.
fn listed(text: &str) -> Vec<Value> {
    if Value::of(text).is_none_or(|value| value.is_denoting()) {
        return Vec::new();
    }
    let characters: Vec<char> = text.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
    let mut parts = vec![String::new()];
    for (at, character) in characters.iter().enumerate() {
        let is_within_number = is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
        let ends = match character {
            ',' | '/' | '&' | '+' => !is_within_number,
            ';' | '|' | '\n' | '•' | '、' | '،' => true,
            _ => false,
        };
        if ends {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(*character);
        }
    }
    let parts = parts
        .iter()
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" or "))
        .map(|part| {
            let part = part.trim();
            ["and ", "or ", "the "]
                .iter()
                .fold(part, |part, word| part.strip_prefix(word).unwrap_or(part))
        });
    let found: Vec<Value> = parts.filter_map(Value::of).collect();
    // `Johnson & Johnson` is a name.
    let are_many = found.windows(2).any(|pair| pair[0].words != pair[1].words);
    if are_many { found } else { Vec::new() }
}

impl AnswerForms {
    /// `None` for an answer without a word or number in it: it has no form that could be told from punctuation.
    /// `is_cell` says of words whether a cell of the table has them and no others: what is one cell is no list
    /// (`Washington, D.C.`), unless each of its items is a cell too.
    pub(super) fn of(answer: &Answer, question: &str, is_cell: impl Fn(&[String]) -> bool) -> Option<Self> {
        let items_of = |text: &str| {
            let items = items(text);
            let is_list = items.is_empty() || !is_cell(&words(text)) || items.iter().all(|item| is_cell(&item.words));
            if is_list { items } else { Vec::new() }
        };
        match answer {
            Answer::Verdict(_) => Some(Self::Verdict),
            Answer::Values(values) => {
                Values::of(values.iter().map(String::as_str), question, items_of).map(Self::Values)
            }
            Answer::Text(text) => {
                let whole = Values::of(std::iter::once(text.as_str()), question, |_| Vec::new())?;
                let known = words(question);
                let is_news = |word: &&String| !EMPTY_WORDS.contains(&word.as_str()) && !known.contains(*word);
                let news = whole
                    .whole
                    .iter()
                    .flat_map(|value| &value.words)
                    .filter(is_news)
                    .cloned()
                    .collect();
                Some(Self::Sentence { whole, news })
            }
        }
    }

    /// The same of an answer that a program may have rounded.
    pub(super) fn rounded(mut self) -> Self {
        if let Self::Values(values) | Self::Sentence { whole: values, .. } = &mut self {
            let rounded = std::mem::take(&mut values.whole).into_iter().map(Value::rounded);
            values.whole = rounded.collect();
        }
        self
    }

    /// Its values and the items of those that are lists; none of a verdict.
    fn values(&self) -> Vec<&Value> {
        match self {
            Self::Verdict => Vec::new(),
            Self::Values(values) | Self::Sentence { whole: values, .. } => values.all().collect(),
        }
    }

    /// The words of the only value, if there is but one. It may look like a list: `Smith, John`.
    pub(super) fn only_value(&self) -> Option<&[String]> {
        match self {
            Self::Values(values) | Self::Sentence { whole: values, .. } => match values.whole.as_slice() {
                [only] => Some(&only.words),
                _ => None,
            },
            Self::Verdict => None,
        }
    }

    /// Whether a text is one of the values and nothing else.
    pub(super) fn is_value(&self, text: &str) -> bool {
        let cell = ReadCell::new(text, words(text));
        self.values().into_iter().any(|value| cell.is(value))
    }

    /// Whether a name has a value in it that not every name may have.
    pub(super) fn is_named_by(&self, name: &str) -> bool {
        occurrences(&self.values(), &Text::all(name)).any(|found| !found.is_loose && !found.is_small)
    }

    /// Sentences that have most of what a sentence as an answer adds to the question.
    fn retold_in(&self, text: &str) -> Vec<Range<usize>> {
        let Self::Sentence { news, .. } = self else {
            return Vec::new();
        };
        let most = (news.len() * 3).div_ceil(5).max(1);
        sentences(text)
            .into_iter()
            .filter(|sentence| {
                let told: BTreeSet<String> = words(text.get(sentence.clone()).unwrap_or_default())
                    .into_iter()
                    .collect();
                !news.is_empty() && news.intersection(&told).count() >= most
            })
            .collect()
    }

    /// Where a text states a value, however short or often named it is.
    pub(super) fn stated_in(&self, text: &str) -> Vec<Range<usize>> {
        stated(&Text::all(text), &self.values())
    }

    /// Where a text of a model's own says the answer, in bytes, ascending and apart.
    pub(super) fn said_in(&self, text: &str) -> Vec<Range<usize>> {
        self.said_but(text, |_, _| false)
    }

    /// As [`AnswerForms::said_in`], but a small number that counts is none: `step 3`, `row 2`.
    pub(super) fn said_apart_from_counting(&self, text: &str) -> Vec<Range<usize>> {
        const COUNTED: &[&str] = &[
            "step", "steps", "row", "rows", "table", "column", "columns", "line", "part",
        ];
        self.said_but(text, |tokens, found| {
            let before = tokens.iter().rfind(|token| token.place.end <= found.place.start);
            found.is_small && before.is_some_and(|token| COUNTED.contains(&token.text.as_str()))
        })
    }

    fn said_but(&self, text: &str, is_none: impl Fn(&[Token], &Occurrence) -> bool) -> Vec<Range<usize>> {
        if *self == Self::Verdict {
            return verdicts::said_in(text);
        }
        let texts = Text::all(text);
        let mut places: Vec<Range<usize>> = Vec::new();
        for read in &texts {
            let found = occurrences(&self.values(), std::slice::from_ref(read));
            let reader = Read::new(read.text, &read.tokens);
            let tells = |found: &Occurrence| {
                !found.is_loose && !is_none(&read.tokens, found)
                    || found.is_loose && reader.is_alone(&run_at(&read.tokens, &found.place))
            };
            let said = found.filter(tells);
            places.extend(said.map(|found| found.place));
        }
        places.extend(self.retold_in(text));
        places.extend(stated(&texts, &self.values()));
        joined(places)
    }

    /// Where the words of a step say the answer: as [`AnswerForms::named_in_step`], and where they state it. Of a sentence
    /// that states what the question offers nothing is left: the other offers in it would tell which it was.
    pub(super) fn said_in_step(&self, text: &str) -> Vec<Range<usize>> {
        let mut places = self.named_in_step(text);
        if *self != Self::Verdict {
            let known = self.values_that_are(true).into_iter();
            let known: Vec<&Value> = known.filter(|value| !value.is_small()).collect();
            let sentences = sentences(text);
            let texts = Text::all(text);
            places.extend(self.retold_in(text));
            places.extend(stated(&texts, &self.values()));
            places.extend(stated(&texts, &known).into_iter().map(|place| {
                let behind = sentences.partition_point(|sentence| sentence.start <= place.start);
                let whole = behind.checked_sub(1).and_then(|at| sentences.get(at));
                whole
                    .filter(|sentence| place.end <= sentence.end)
                    .cloned()
                    .unwrap_or(place)
            }));
        }
        joined(places)
    }

    /// The values that the question has, or the others.
    fn values_that_are(&self, known: bool) -> Vec<&Value> {
        match self {
            Self::Verdict => Vec::new(),
            Self::Values(values) | Self::Sentence { whole: values, .. } => values.that_are(known),
        }
    }

    /// Where a program, or the words of a step, name the answer: as [`AnswerForms::said_in`], but a step may name what
    /// the question names, and small numbers (`row 1`); a rule that speaks of both verdicts is no claim.
    pub(super) fn named_in_step(&self, text: &str) -> Vec<Range<usize>> {
        if *self == Self::Verdict {
            return verdicts::claimed_in(text);
        }
        let found = occurrences(&self.values_that_are(false), &Text::all(text));
        joined(
            found
                .filter(|found| !found.is_loose && !found.is_small)
                .map(|found| found.place)
                .collect(),
        )
    }

    /// Whether a column of these cells holds the answer and nothing else: every cell has one of its values, and every
    /// value is in a cell. Of a computed column a cell may have more around it; so may one carried along, unless the
    /// value is a small number.
    pub(super) fn fill<'a>(&self, cells: impl Iterator<Item = Option<&'a str>> + Clone, computed: bool) -> bool {
        match self {
            Self::Verdict => verdicts::fill(cells.flatten(), computed),
            Self::Values(values) | Self::Sentence { whole: values, .. } => {
                fill(&values.whole, cells.clone().flatten(), computed)
                    || !values.items.is_empty() && fill(&values.items, cells.flatten(), computed)
            }
        }
    }
}

/// A cell, taken apart once for all values.
struct ReadCell<'a> {
    text: &'a str,
    words: Vec<String>,
    texts: OnceCell<Vec<Text<'a>>>,
    value: OnceCell<Option<Value>>,
}

impl<'a> ReadCell<'a> {
    fn new(text: &'a str, words: Vec<String>) -> Self {
        Self {
            text,
            words,
            texts: OnceCell::new(),
            value: OnceCell::new(),
        }
    }

    /// Whether it is the value and nothing else.
    fn is(&self, value: &Value) -> bool {
        value.has_words(&self.words)
            || value.may_be_denoted_by(&self.words) && {
                let own = self.value.get_or_init(|| Value::of(self.text));
                own.as_ref().is_some_and(|own| value.denotes_the_same(own))
            }
    }

    /// Whether it is the value, or has it beside other things if it may.
    fn has(&self, value: &Value, computed: bool) -> bool {
        let is_in_it = || {
            let texts = self.texts.get_or_init(|| Text::all(self.text));
            (computed || !value.is_small()) && occurrences(&[value], texts).any(|found| !found.is_loose)
        };
        self.is(value) || is_in_it()
    }
}

fn fill<'a>(values: &[Value], cells: impl Iterator<Item = &'a str>, computed: bool) -> bool {
    let mut by_words: HashMap<&[String], Vec<usize>> = HashMap::new();
    for (at, value) in values.iter().enumerate() {
        by_words.entry(&value.words).or_default().push(at);
    }
    let mut missing: BTreeSet<usize> = (0..values.len()).collect();
    // A column of a hundred thousand rows is seldom read beyond its first cell.
    let mut seen: HashSet<&str> = HashSet::new();
    let mut that_are_values: Vec<ReadCell<'_>> = Vec::new();
    for cell in cells {
        if !seen.insert(cell) {
            continue;
        }
        let cell = ReadCell::new(cell, words(cell));
        if cell.words.is_empty() {
            continue;
        }
        if let Some(held) = by_words.get(cell.words.as_slice()) {
            held.iter().for_each(|at| {
                missing.remove(at);
            });
            that_are_values.push(cell);
            continue;
        }
        let held: Vec<usize> = (0..values.len())
            .filter(|at| cell.has(&values[*at], computed))
            .collect();
        if held.is_empty() {
            return false;
        }
        held.iter().for_each(|at| {
            missing.remove(at);
        });
    }
    // What is one value may have another in it.
    for cell in that_are_values {
        missing.retain(|at| !cell.has(&values[*at], computed));
    }
    missing.is_empty()
}

/// Values without those that are the same as one before.
fn distinct<'v>(values: &[&'v Value]) -> Vec<&'v Value> {
    let mut known: HashMap<&[String], Vec<&Value>> = HashMap::new();
    let mut distinct = Vec::new();
    for value in values.iter().copied() {
        let alike = known.entry(&value.words).or_default();
        if !alike.contains(&value) {
            alike.push(value);
            distinct.push(value);
        }
    }
    distinct
}

/// Where readings of a text have values.
fn occurrences(values: &[&Value], texts: &[Text<'_>]) -> std::vec::IntoIter<Occurrence> {
    let found: Vec<Occurrence> = distinct(values)
        .iter()
        .flat_map(|value| texts.iter().flat_map(|text| value.occurrences(text)))
        .collect();
    found.into_iter()
}

/// Where readings of a text state values, in bytes.
fn stated(texts: &[Text<'_>], values: &[&Value]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for text in texts {
        let places = occurrences(values, std::slice::from_ref(text)).map(|found| found.place);
        let mut runs: Vec<Range<usize>> = places.map(|place| run_at(&text.tokens, &place)).collect();
        runs.extend(values.iter().flat_map(|value| value.shortened(text)));
        runs.retain(|run| !run.is_empty());
        runs.sort_by_key(|run| (run.start, run.end));
        runs.dedup();
        let place = |run: Range<usize>| {
            let (first, last) = (text.tokens.get(run.start)?, text.tokens.get(run.end.checked_sub(1)?)?);
            Some(first.place.start..last.place.end)
        };
        found.extend(
            Read::new(text.text, &text.tokens)
                .stated(runs)
                .into_iter()
                .filter_map(place),
        );
    }
    found
}

/// The tokens that a place in bytes reaches into.
fn run_at(tokens: &[Token], place: &Range<usize>) -> Range<usize> {
    let start = tokens.partition_point(|token| token.place.end <= place.start);
    let end = tokens.partition_point(|token| token.place.start < place.end);
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(values: &[&str]) -> AnswerForms {
        AnswerForms::of(
            &Answer::Values(values.iter().map(|value| (*value).to_owned()).collect()),
            "",
            |_| false,
        )
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
        assert_eq!(said(&values(&["3"]), "three of 13; 3rd"), ["three", "3rd"]);
        assert_eq!(said(&values(&["東京"]), "首都は東京です"), ["東京"]);
        assert_eq!(
            AnswerForms::of(&Answer::Values(vec!["—".to_owned()]), "", |_| false),
            None
        );
    }

    #[test]
    fn a_small_number_is_a_whole_one_by_words_and_by_amount() {
        for (answer, in_words, otherwise, is_small) in [
            ("64", "64", "sixty-four", true),
            ("64.5", "64.5", "64,5", false),
            ("100", "100", "one hundred", false),
            ("0.5", "0.5", "a half", false),
        ] {
            let forms = values(&[answer]);
            for text in [in_words, otherwise] {
                let found = occurrences(&forms.values(), &Text::all(text)).filter(|found| !found.is_loose);
                let small: Vec<bool> = found.map(|found| found.is_small).collect();
                assert!(
                    !small.is_empty() && small.iter().all(|small| *small == is_small),
                    "{answer} {text}"
                );
            }
            let cell = format!("of {answer} or so");
            assert_eq!(
                forms.fill([Some(cell.as_str())].into_iter(), false),
                !is_small,
                "{answer}"
            );
        }
    }

    #[test]
    fn a_verdict_is_found_by_the_sentence_and_both_alike() {
        let text =
            "Row 2 has 5 wins. So the statement is true.\nThe table refutes it! No, it does not. No rows are left.";
        assert_eq!(
            said(&AnswerForms::Verdict, text),
            ["So the statement is true.", "The table refutes it!", "No, it does not."]
        );
        let step = |text: &str| AnswerForms::Verdict.said_in_step(text).len();
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
