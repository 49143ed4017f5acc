//! What a page made elsewhere may not say, beside what every page may not.

use super::LeakKind;
use super::parts::Part;
use crate::dataset::QuestionKind;
use crate::explain::imported::view as imported;
use crate::explain::text_words::{contains, words as words_of};
use crate::explain::withhold::Blind;

/// The rules for a page that was made elsewhere.
pub(super) struct ImportedRules<'b, 'a> {
    blind: &'b Blind<'a>,
}

/// Words that tell the right answer, or whether the answer is right.
const OUTCOMES: &[&[&str]] = &[
    &["ground", "truth"],
    &["gold", "answer"],
    &["gold", "label"],
    &["gold", "standard"],
    &["reference", "answer"],
    &["expected", "answer"],
    &["target", "answer"],
    &["matches", "the", "reference"],
    &["matches", "the", "gold"],
    &["reference", "label"],
    &["actual", "answer"],
    &["actual", "label"],
    &["true", "label"],
    &["correct", "answer"],
    &["correct", "prediction"],
    &["incorrect", "prediction"],
    &["wrong", "prediction"],
    &["true", "positive"],
    &["true", "negative"],
    &["false", "positive"],
    &["false", "negative"],
];

impl<'b, 'a> ImportedRules<'b, 'a> {
    pub(super) fn new(blind: &'b Blind<'a>) -> Self {
        Self { blind }
    }

    /// What a part tells and must not.
    pub(super) fn of(&self, part: &Part) -> Vec<LeakKind> {
        let forms = self.blind.forms.as_ref();
        let sample = self.blind.sample;
        let text = match part {
            Part::Table(table) => {
                let header: Vec<&str> = table.header.iter().map(String::as_str).collect();
                let rows = table
                    .rows
                    .iter()
                    .map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or_default()).collect());
                let all: Vec<Vec<&str>> = std::iter::once(header).chain(rows).collect();
                let told = forms.map(|forms| imported::told_by_table(forms, sample, &self.blind.own, &all, 1));
                let is_told = told.is_some_and(|told| told.everything || !told.cells.is_empty());
                let has = |is: &dyn Fn(&str) -> bool| all.iter().flatten().any(|text| is(text));
                return kinds(
                    is_told,
                    has(&|text| self.names(text)),
                    has(&|text| self.tells_outcome(text)),
                );
            }
            Part::Program(text) | Part::Script(text) => {
                let said = forms.map(|forms| imported::said_in_code(forms, text));
                let is_told = said.is_some_and(|said| !said.is_empty());
                return kinds(is_told, self.names(text), self.tells_outcome(text));
            }
            // A heading of the explanation's own.
            Part::Step { number, words } => format!("Step {number}: {words}"),
            Part::Line(text) if is_name_of_table(text) => return Vec::new(),
            Part::Head(text) | Part::Said(text) | Part::Fact { text, .. } | Part::Answer(text) | Part::Line(text) => {
                text.clone()
            }
        };
        let said = forms.map(|forms| imported::said_in_text(forms, &text));
        kinds(
            said.is_some_and(|said| !said.is_empty()),
            self.names(&text),
            self.tells_outcome(&text),
        )
    }

    /// Whether words of steps, programs or an explanation tell the right answer, or whether the answer is right.
    pub(super) fn outcome_in(&self, part: &Part) -> bool {
        match part {
            Part::Table(_) | Part::Head(_) | Part::Answer(_) => false,
            Part::Program(text)
            | Part::Script(text)
            | Part::Said(text)
            | Part::Step { words: text, .. }
            | Part::Fact { text, .. }
            | Part::Line(text) => self.tells_outcome(text),
        }
    }

    fn names(&self, text: &str) -> bool {
        !self.blind.names.found_in(text).is_empty()
    }

    fn tells_outcome(&self, text: &str) -> bool {
        let words = words_of(text);
        OUTCOMES.iter().any(|outcome| {
            let outcome: Vec<String> = outcome.iter().map(|word| (*word).to_owned()).collect();
            contains(&words, &outcome) && !self.blind.own.has_words(&outcome)
        }) || self.marks_the_answer(&words)
            || self.begins_with_the_right_answer(text)
    }

    /// `The model was correct here.` Of a statement `the answer is correct` may be the verdict itself.
    fn marks_the_answer(&self, words: &[String]) -> bool {
        const RIGHT: &[&str] = &["correct", "incorrect", "right", "wrong"];
        const BETWEEN: &[&str] = &[
            "is", "was", "s", "not", "indeed", "clearly", "in", "fact", "here", "also",
        ];
        let has_verdict = self.blind.sample.kind == QuestionKind::FactVerification;
        let is_marked = |word: &str| matches!(word, "model" | "prediction") || !has_verdict && word == "answer";
        words.iter().enumerate().any(|(at, word)| {
            let rest = words.get(at + 1..).unwrap_or_default();
            let copula = rest
                .first()
                .is_some_and(|next| matches!(next.as_str(), "is" | "was" | "s"));
            let judged = rest.iter().find(|word| !BETWEEN.contains(&word.as_str()));
            is_marked(word) && copula && judged.is_some_and(|word| RIGHT.contains(&word.as_str()))
        })
    }

    /// `Expected: Skua`, `Gold: 3`
    fn begins_with_the_right_answer(&self, text: &str) -> bool {
        const LABELS: &[&str] = &["expected", "gold", "gold truth", "target", "reference", "label gold"];
        text.lines().any(|line| {
            let line = line.trim().trim_start_matches(['-', '*', ' ']);
            line.split_once(':').is_some_and(|(label, behind)| {
                let label = words_of(label);
                !behind.trim().is_empty()
                    && LABELS.contains(&label.join(" ").as_str())
                    && !self.blind.own.has_words(&label)
            })
        })
    }
}

/// Whether a line is the name of a table with its size, as the page gives it, and nothing else.
fn is_name_of_table(line: &str) -> bool {
    let is_ours =
        |word: &str| word.chars().all(|c| c.is_ascii_digit()) || matches!(word, "row" | "rows" | "column" | "columns");
    let rest = line
        .strip_prefix("Show all ")
        .or_else(|| line.strip_prefix("The table ("))
        .or_else(|| line.strip_prefix("The explanation’s table "));
    let rest = rest.or_else(|| line.strip_prefix("The table").filter(|rest| rest.is_empty()));
    rest.is_some_and(|rest| {
        rest.split(|c: char| c == ' ' || c.is_ascii_punctuation())
            .filter(|word| !word.is_empty())
            .all(is_ours)
    })
}

fn kinds(answer: bool, name: bool, outcome: bool) -> Vec<LeakKind> {
    let told = [
        (answer, LeakKind::Answer),
        (name, LeakKind::Name),
        (outcome, LeakKind::Secret),
    ];
    told.into_iter()
        .filter_map(|(is_told, kind)| is_told.then_some(kind))
        .collect()
}
