//! Names that tell what made a page: of methods, models, arms, samples and files. The rule, also in docs/formats.md:
//!
//! - a name of several words, or with digits among its letters, and a name that is no word of any language (`ChatGPT`) tells
//!   wherever it stands;
//! - a name that is one word (`claude`, an arm called `facts`) tells where it is introduced: `I am Claude`, `the facts arm`;
//! - the name of a sample or a file tells where it stands letter for letter;
//! - what the sample itself has, in its question, caption or table, tells nothing.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::own_texts::OwnTexts;
use super::text_words::{Token, is_small_number, joined, runs, tokens, words};
use super::withhold::marks;
use crate::dataset::Sample;
use crate::trace::Trace;
use crate::trace::imported::Imported;

/// Models that are known by these words and nothing else is.
const FAMILIES: &[&str] = &[
    "anthropic",
    "chatgpt",
    "deepseek",
    "gpt",
    "mixtral",
    "openai",
    "qwen",
    "vicuna",
];

/// Models that are known by words which name other things too.
const FAMILIES_LIKE_WORDS: &[&str] = &[
    "alpaca", "bard", "claude", "codex", "copilot", "falcon", "gemini", "gemma", "grok", "llama", "mistral", "palm",
    "phi",
];

/// The names that pages of a sample must not have.
pub(super) struct TellingNames<'a> {
    /// Tell anywhere.
    anywhere: Vec<Vec<String>>,
    /// Tell where they are introduced.
    introduced: BTreeSet<String>,
    /// Tell letter for letter, in small ASCII letters.
    letters: Vec<String>,
    /// What the sample itself has.
    own: Rc<OwnTexts<'a>>,
}

impl<'a> TellingNames<'a> {
    /// The names of a trace and its sample, and `others`, which a study knows.
    pub(super) fn new(own: Rc<OwnTexts<'a>>, sample: &Sample, trace: &Trace, others: &[String]) -> Self {
        let mut names = Self {
            anywhere: Vec::new(),
            introduced: FAMILIES_LIKE_WORDS.iter().map(|word| (*word).to_owned()).collect(),
            letters: Vec::new(),
            own,
        };
        for name in [&trace.method, &trace.model, &trace.answerer].into_iter().chain(others) {
            names.add(name);
        }
        if let Some(imported) = &trace.imported {
            names.add_imported(imported, sample);
        }
        for name in [&sample.id, &sample.table_id] {
            names.add_letters(name);
            // A path is known by its last part as well.
            names.add_letters(name.rsplit(['/', '\\']).next().unwrap_or_default());
        }
        names.anywhere.sort();
        names.anywhere.dedup();
        names
    }

    fn add(&mut self, name: &str) {
        if name.contains(['/', '.']) {
            self.add_letters(name);
        }
        let words = words(name);
        let has = |is: fn(char) -> bool| words.iter().any(|word| word.chars().any(is));
        match words.as_slice() {
            [only] if !(has(char::is_alphabetic) && has(char::is_numeric)) => {
                let is_word = only.chars().any(char::is_alphabetic);
                self.introduced.extend(is_word.then(|| only.clone()));
            }
            _ if has(char::is_alphabetic) => self.anywhere.push(words),
            _ => {}
        }
    }

    /// What was made elsewhere may give away its file, the sample's id and its table's, in whatever spelling.
    fn add_imported(&mut self, imported: &Imported, sample: &Sample) {
        let stem = imported
            .file
            .rsplit_once('.')
            .map_or(imported.file.as_str(), |(stem, _)| stem);
        for name in [&imported.name, imported.method.as_deref().unwrap_or_default()] {
            self.anywhere
                .extend(Some(words(name)).filter(|words| !words.is_empty() && !is_small_number(words)));
        }
        let model = imported.model.as_deref().unwrap_or_default();
        for name in [model, &imported.file, stem, &sample.id, &sample.table_id] {
            let words = words(name);
            let has_digit = words.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
            if (words.len() > 1 || has_digit) && !is_small_number(&words) {
                self.anywhere.push(words);
            }
        }
    }

    fn add_letters(&mut self, name: &str) {
        const SHORTEST: usize = 4;
        let is_word_or_number = name.chars().all(char::is_alphabetic) || name.parse::<f64>().is_ok();
        if name.len() >= SHORTEST && !is_word_or_number {
            self.letters.push(name.to_ascii_lowercase());
        }
    }

    /// Where a text has such a name that the sample itself has not; in bytes, ascending and apart.
    pub(super) fn found_in(&self, text: &str) -> Vec<Range<usize>> {
        let tokens = tokens(text);
        let mut found: Vec<Range<usize>> = self.anywhere.iter().flat_map(|name| runs(&tokens, name)).collect();
        for (index, token) in tokens.iter().enumerate() {
            let word = token.text.as_str();
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let number = numbered(text, &tokens, index);
            let is_family = FAMILIES.contains(&letters)
                || word
                    .strip_prefix("gpt")
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let is_numbered_family = FAMILIES_LIKE_WORDS.contains(&letters) && (letters != word || number.is_some());
            let is_introduced = self.introduced.contains(word) && introduces(text, &tokens, index);
            if is_family || is_numbered_family || is_introduced {
                found.push(token.place.start..number.unwrap_or(token.place.end));
            }
        }
        let small = text.to_ascii_lowercase();
        for name in &self.letters {
            let whole = |place: &Range<usize>| {
                let before = small.get(..place.start).and_then(|before| before.chars().next_back());
                let after = small.get(place.end..).and_then(|after| after.chars().next());
                !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
            };
            found.extend(
                small
                    .match_indices(name.as_str())
                    .map(|(at, _)| at..at + name.len())
                    .filter(whole),
            );
        }
        let marks = marks(text);
        found.retain(|place| {
            let behind = marks.partition_point(|mark| mark.start <= place.start);
            behind.checked_sub(1).is_none_or(|at| marks[at].end < place.end)
        });
        found.retain(|place| !self.own.has_words(&words(text.get(place.clone()).unwrap_or_default())));
        joined(found)
    }
}

/// Where the number ends that makes a name of a model of the word: `llama 3`, `gpt-4o`.
fn numbered(text: &str, tokens: &[Token], index: usize) -> Option<usize> {
    let (token, next) = (tokens.get(index)?, tokens.get(index + 1)?);
    let gap = text.get(token.place.end..next.place.start)?;
    (matches!(gap, " " | "-" | "_") && next.text.starts_with(|c: char| c.is_ascii_digit())).then_some(next.place.end)
}

/// Whether a text introduces a word as the name of what speaks or of a way to answer.
fn introduces(text: &str, tokens: &[Token], index: usize) -> bool {
    const BEFORE: &[&str] = &[
        "am", "arm", "as", "by", "called", "from", "m", "method", "model", "named", "using", "via",
    ];
    const AFTER: &[&str] = &[
        "approach",
        "arm",
        "assistant",
        "here",
        "method",
        "model",
        "prompt",
        "says",
    ];
    let word = |index: Option<usize>| {
        index
            .and_then(|index| tokens.get(index))
            .map_or("", |token| token.text.as_str())
    };
    let before = word(index.checked_sub(1));
    let is_known = tokens
        .get(index)
        .is_some_and(|token| FAMILIES_LIKE_WORDS.contains(&token.text.as_str()));
    let place = tokens.get(index).map(|token| token.place.clone()).unwrap_or_default();
    let in_brackets = text.get(..place.start).is_some_and(|before| before.ends_with('('))
        && text.get(place.end..).is_some_and(|after| after.starts_with(')'));
    AFTER.contains(&word(Some(index + 1)))
        || is_known && (BEFORE.contains(&before) || in_brackets)
        // An arm may be called by any word, and `by country` or `as facts` are everyday words.
        || !is_known && matches!(before, "am" | "arm" | "m" | "method" | "model")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let example = |kind: &str| {
            let path = format!("{}/docs/examples/{kind}.json", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap()
        };
        let mut sample: Sample = serde_json::from_str(&example("sample")).unwrap();
        let mut trace: Trace = serde_json::from_str(&example("trace")).unwrap();
        sample.id = "q-17".to_owned();
        sample.table_id = "csv/harbour-3.csv".to_owned();
        sample.caption = Some("Flights of Gemini 6".to_owned());
        trace.method = "pos".to_owned();
        trace.model = "oakmoss-7b".to_owned();
        trace.answerer = "fir".to_owned();
        let others = ["Plan-of-SQLs", "gpt-4o-2024-08-06", "answers.jsonl", "facts"].map(str::to_owned);
        let names = TellingNames::new(Rc::new(OwnTexts::new(&sample)), &sample, &trace, &others);
        names
            .found_in(text)
            .into_iter()
            .map(|place| text[place].to_owned())
            .collect()
    }

    #[test]
    fn names_are_found_where_they_tell() {
        for (text, expected) in [
            ("As OakMoss 7B, by plan of SQLs", vec!["OakMoss 7B", "plan of SQLs"]),
            ("(gpt-4o)", vec!["gpt-4o"]),
            ("GPT says, ChatGPT too, gpt4", vec!["GPT", "ChatGPT", "gpt4"]),
            ("I am Claude.", vec!["Claude"]),
            ("Claude won; a llama, 3 alpacas", vec![]),
            ("llama-3 wrote it", vec!["llama-3"]),
            ("rows of harbour-3.csv; harbour 3", vec!["harbour-3.csv"]),
            ("see answers.jsonl", vec!["answers.jsonl"]),
            ("the facts arm; the facts are; method pos; pos 3", vec!["facts", "pos"]),
            ("Q-17, q-170", vec!["Q-17"]),
            ("Gemini 6 flew; as gemini", vec![]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
