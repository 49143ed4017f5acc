//! The forms in which an answer can stand in a text or a table, whatever its case, spelling of numbers, accents and
//! punctuation. The rule, also in docs/formats.md:
//!
//! - A text is taken as its words and numbers: small letters, no accents, `1,234.50` is `1234.5`, `three` is `3`; a
//!   Chinese, Japanese or Korean character is a word by itself.
//! - A value stands in a text where its words and numbers do, in one run.
//! - So does it where the text spells it otherwise: a date in another order, an amount without its unit, a measure rounded.
//! - A sentence as an answer stands in a sentence that has most of the words which it adds to the question.
//! - A value that any sentence may have - a number below 100, or what the question names - is told where it is *stated*
//!   ([`super::stated`]): `so the answer is V`.
//! - A verdict stands in a sentence that has `true` or `false`, or that says of the statement that it is supported,
//!   refuted, correct and the like; or that begins with yes or no. Both verdicts count: what is left out must not tell
//!   which it was.

use std::collections::BTreeSet;
use std::ops::Range;

use super::stated::Read;
use super::text_words::{contains, index_runs, is_small_number, joined, runs, sentences, tokens, words};
use crate::dataset::Answer;
use crate::table::reading::MONTHS;

/// What an answer looks like in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerForms {
    /// TRUE or FALSE.
    Verdict,
    /// Values, or one sentence; each as its words and numbers, none empty.
    Values(Vec<Vec<String>>),
    /// A sentence.
    Sentence {
        /// All its words and numbers.
        whole: Vec<Vec<String>>,
        /// Those that say something and that the question has not.
        news: BTreeSet<String>,
    },
}

/// Words of a sentence that say nothing by themselves.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "did", "do", "does", "for", "from", "had", "has", "have",
    "he", "her", "his", "in", "is", "it", "its", "of", "on", "or", "she", "that", "the", "their", "they", "this", "to",
    "was", "were", "which", "while", "who", "with",
];

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

impl AnswerForms {
    /// `None` for an answer without a word or number in it: it has no form that could be told from punctuation.
    pub(super) fn of(answer: &Answer, question: &str) -> Option<Self> {
        let words_of = |text: &str| words(text);
        let values: Vec<Vec<String>> = match answer {
            Answer::Verdict(_) => return Some(Self::Verdict),
            Answer::Values(values) => values.iter().map(|value| words_of(value)).collect(),
            Answer::Text(text) => vec![words_of(text)],
        };
        let values: Vec<Vec<String>> = values.into_iter().filter(|value| !value.is_empty()).collect();
        let first = values.first()?;
        if let Answer::Text(_) = answer {
            let known = words(question);
            let is_news = |word: &&String| !EMPTY_WORDS.contains(&word.as_str()) && !known.contains(*word);
            let news = first.iter().filter(is_news).cloned().collect();
            return Some(Self::Sentence { whole: values, news });
        }
        Some(Self::Values(values))
    }

    /// Its values, each as its words and numbers; none of a verdict.
    pub(super) fn values(&self) -> &[Vec<String>] {
        match self {
            Self::Verdict => &[],
            Self::Values(values) | Self::Sentence { whole: values, .. } => values,
        }
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
        let tokens = tokens(text);
        let mut occurrences: Vec<Range<usize>> = Vec::new();
        for value in self.values() {
            for form in spellings(value).into_iter().chain(parts(value)) {
                occurrences.extend(index_runs(&tokens, &form));
            }
        }
        Read::new(text, &tokens)
            .stated(occurrences)
            .into_iter()
            .filter_map(|run| Some(tokens.get(run.start)?.place.start..tokens.get(run.end - 1)?.place.end))
            .collect()
    }

    /// Where a text of a model's own says the answer, in bytes, ascending and apart.
    pub(super) fn said_in(&self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Verdict => sentences(text)
                .into_iter()
                .filter(|sentence| text.get(sentence.clone()).is_some_and(says_a_verdict))
                .collect(),
            Self::Values(values) | Self::Sentence { whole: values, .. } => {
                let tokens = tokens(text);
                let forms = values.iter().flat_map(|value| spellings(value));
                let mut places: Vec<Range<usize>> = forms.flat_map(|form| runs(&tokens, &form)).collect();
                places.extend(self.retold_in(text));
                places.extend(self.stated_in(text));
                joined(places)
            }
        }
    }

    /// As [`AnswerForms::said_in`], but a small number that counts is none: `step 3`, `row 2`.
    pub(super) fn said_apart_from_counting(&self, text: &str) -> Vec<Range<usize>> {
        const COUNTED: &[&str] = &[
            "step", "steps", "row", "rows", "table", "column", "columns", "line", "part",
        ];
        if *self == Self::Verdict {
            return self.said_in(text);
        }
        let tokens = tokens(text);
        let counts = |place: &Range<usize>| {
            let before = tokens.iter().rfind(|token| token.place.end <= place.start);
            before.is_some_and(|token| COUNTED.contains(&token.text.as_str()))
        };
        let forms = self.values().iter().flat_map(|value| spellings(value));
        let mut said: Vec<Range<usize>> = Vec::new();
        for form in forms {
            let small = is_small_number(&form);
            said.extend(
                runs(&tokens, &form)
                    .into_iter()
                    .filter(|place| !(small && counts(place))),
            );
        }
        said.extend(self.retold_in(text));
        said.extend(self.stated_in(text));
        joined(said)
    }

    /// Where the words of a step say the answer: as [`AnswerForms::named_in_step`], and where they state it. Of a sentence
    /// that states what the question offers nothing is left: the other offers in it would tell which it was.
    pub(super) fn said_in_step(&self, text: &str, question: &str) -> Vec<Range<usize>> {
        let mut places = self.named_in_step(text, question);
        if *self != Self::Verdict {
            let asked = words(question);
            let sentences = sentences(text);
            places.extend(self.retold_in(text));
            places.extend(self.stated_in(text).into_iter().map(|place| {
                let said = words(text.get(place.clone()).unwrap_or_default());
                let whole = sentences
                    .iter()
                    .find(|sentence| sentence.start <= place.start && place.end <= sentence.end);
                match whole {
                    Some(sentence) if contains(&asked, &said) && !is_small_number(&said) => sentence.clone(),
                    _ => place,
                }
            }));
        }
        joined(places)
    }

    /// Where a program, or the words of a step, name the answer: as [`AnswerForms::said_in`], but a step may name what
    /// the question names, and small numbers (`row 1`); a rule that speaks of both verdicts is no claim.
    pub(super) fn named_in_step(&self, text: &str, question: &str) -> Vec<Range<usize>> {
        match self {
            Self::Verdict => sentences(text)
                .into_iter()
                .filter(|sentence| {
                    text.get(sentence.clone())
                        .is_some_and(|sentence| claims_a_verdict(sentence) && !has_both_verdicts(sentence))
                })
                .collect(),
            Self::Values(values) | Self::Sentence { whole: values, .. } => {
                let question = words(question);
                let tokens = tokens(text);
                let told = values
                    .iter()
                    .filter(|value| !contains(&question, value))
                    .flat_map(|value| spellings(value))
                    .filter(|form| !is_small_number(form) && !contains(&question, form));
                joined(told.flat_map(|form| runs(&tokens, &form)).collect())
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
            Self::Values(values) | Self::Sentence { whole: values, .. } => {
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

/// A value as a text may spell it, itself first.
fn spellings(value: &[String]) -> Vec<Vec<String>> {
    let mut found = vec![value.to_vec()];
    found.extend(dates(value));
    if let [number, units @ ..] = value
        && let Ok(amount) = number.parse::<f64>()
    {
        let is_unit = |word: &String| word.chars().all(char::is_alphabetic);
        if matches!(units.len(), 1 | 2) && units.iter().all(is_unit) && month(&units[0]).is_none() {
            found.push(vec![number.clone()]);
        }
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        for fewer in 1..decimals.min(4) {
            let rounded = format!("{amount:.fewer$}");
            found.push(words(&rounded));
        }
    }
    found
}

/// The number of a month by its name or the first letters of it.
fn month(word: &str) -> Option<usize> {
    let is_name = |name: &str| name.starts_with(word) && (word.len() == 3 || word.len() == name.len());
    MONTHS.iter().position(|name| is_name(name)).map(|index| index + 1)
}

/// A date of day, month and year in the orders in which texts have it; empty if it is none.
fn dates(value: &[String]) -> Vec<Vec<String>> {
    let [first, second, third] = value else {
        return Vec::new();
    };
    let number = |word: &String| word.parse::<usize>().ok();
    let date = match (month(first), month(second)) {
        (Some(month), _) => number(second).zip(number(third)).map(|(day, year)| (year, month, day)),
        (_, Some(month)) => number(first).zip(number(third)).map(|(day, year)| (year, month, day)),
        _ if first.len() == 4 => match (number(first), number(second), number(third)) {
            (Some(year), Some(month), Some(day)) => Some((year, month, day)),
            _ => None,
        },
        _ => None,
    };
    let Some((year, month, day)) = date.filter(|(_, month, day)| (1..=12).contains(month) && (1..=31).contains(day))
    else {
        return Vec::new();
    };
    let name = MONTHS[month - 1];
    let two = |number: usize| format!("{number:02}");
    let (year, day) = (year.to_string(), day.to_string());
    let mut found = Vec::new();
    for name in [name.to_owned(), name.chars().take(3).collect()] {
        for day in [day.clone(), format!("{day:0>2}"), format!("{day}{}", ordinal(&day))] {
            found.push(vec![day.clone(), name.clone(), year.clone()]);
            found.push(vec![day.clone(), "of".to_owned(), name.clone(), year.clone()]);
            found.push(vec![name.clone(), day.clone(), year.clone()]);
        }
    }
    for (month, day) in [(month.to_string(), day.clone()), (two(month), format!("{day:0>2}"))] {
        found.push(vec![year.clone(), month.clone(), day.clone()]);
        found.push(vec![day.clone(), month.clone(), year.clone()]);
        found.push(vec![month, day, year.clone()]);
    }
    found
}

fn ordinal(day: &str) -> &'static str {
    match day {
        "11" | "12" | "13" => "th",
        _ => match day.chars().last() {
            Some('1') => "st",
            Some('2') => "nd",
            Some('3') => "rd",
            _ => "th",
        },
    }
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
        || states_a_verdict(sentence)
        || (has(CLAIM) && has(JUDGED))
        || words.first().is_some_and(|word| matches!(word.as_str(), "yes" | "no"))
            && (words.len() == 1 || sentence.trim_start().chars().nth(words[0].len()) == Some(','))
}

/// Whether a sentence states a verdict as it would a value (`result: TRUE`), or is nothing else.
fn states_a_verdict(sentence: &str) -> bool {
    const VERDICTS: &[&str] = &[
        "true",
        "false",
        "yes",
        "no",
        "supported",
        "unsupported",
        "refuted",
        "entailed",
        "contradicted",
    ];
    let tokens = tokens(sentence);
    let occurrences = tokens
        .iter()
        .enumerate()
        .filter(|(index, token)| {
            // `there is no row` says nothing of the statement.
            let after = tokens.get(index + 1).map_or(sentence.len(), |next| next.place.start);
            let ends = tokens.len() == index + 1
                || sentence
                    .get(token.place.end..after)
                    .is_some_and(|gap| gap.contains([',', '.', ':', ';', '\n']));
            VERDICTS.contains(&token.text.as_str()) && (ends || !matches!(token.text.as_str(), "yes" | "no"))
        })
        .map(|(index, _)| index..index + 1)
        .collect();
    is_verdict_word(&words(sentence)) || !Read::new(sentence, &tokens).stated(occurrences).is_empty()
}

/// Whether a sentence about a step claims a verdict: `true` may be a value of the table as well.
fn claims_a_verdict(sentence: &str) -> bool {
    if states_a_verdict(sentence) {
        return true;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(values: &[&str]) -> AnswerForms {
        AnswerForms::of(
            &Answer::Values(values.iter().map(|value| (*value).to_owned()).collect()),
            "",
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
        assert_eq!(said(&values(&["3"]), "three of 13; 3rd"), ["three"]);
        assert_eq!(said(&values(&["東京"]), "首都は東京です"), ["東京"]);
        assert_eq!(AnswerForms::of(&Answer::Values(vec!["—".to_owned()]), ""), None);
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
