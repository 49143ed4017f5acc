//! The demonstrations that prompts show: tables, questions, reasoning, plans and SQL, all made up for this project.
//!
//! Every method draws on the same ones, so that arms of a study have seen the same examples. Their SQL is run and
//! their answers are checked by a test, and another test compares them with the data sets.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::dataset::{Answer, QuestionKind};
use crate::table::Table;

/// A table with a question or statement, answered.
#[derive(Clone, Debug)]
pub struct Demonstration {
    /// The table.
    pub table: Table,
    /// Its caption.
    pub caption: String,
    /// The question or statement.
    pub question: String,
    /// The right answer.
    pub answer: Answer,
    /// Cells of the plan's last table, row by row. For a sentence: what it is written from.
    pub values: Vec<String>,
    /// The way to the answer in a few sentences.
    pub reasoning: String,
    /// The way to the answer in steps.
    pub plan: Vec<StepDemonstration>,
    /// One statement that gives the answer; none for a sentence.
    pub sql: Option<String>,
}

/// A step in words with its statement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepDemonstration {
    /// The words.
    pub step: String,
    /// The statement, over the table that the step before left.
    pub sql: String,
    /// Cells of the result, row by row, where the steps of a list all start from the same table.
    #[serde(default)]
    pub result: Vec<Vec<String>>,
}

/// Single steps that all start from one table.
#[derive(Clone, Debug)]
pub struct TableSteps {
    /// The table.
    pub table: Table,
    /// Its caption.
    pub caption: String,
    /// The steps.
    pub steps: Vec<StepDemonstration>,
}

/// The demonstrations of a kind of question, in the order they are shown.
pub fn demonstrations(kind: QuestionKind) -> &'static [Demonstration] {
    static VERIFICATION: LazyLock<Vec<Demonstration>> =
        LazyLock::new(|| read(include_str!("../../templates/prompts/demonstrations/verification.json")));
    static SHORT_ANSWER: LazyLock<Vec<Demonstration>> =
        LazyLock::new(|| read(include_str!("../../templates/prompts/demonstrations/short_answer.json")));
    static FREE_FORM: LazyLock<Vec<Demonstration>> =
        LazyLock::new(|| read(include_str!("../../templates/prompts/demonstrations/free_form.json")));
    match kind {
        QuestionKind::FactVerification => &VERIFICATION,
        QuestionKind::ShortAnswer => &SHORT_ANSWER,
        QuestionKind::FreeForm => &FREE_FORM,
    }
}

/// The single steps that the prompt for a step's SQL shows.
pub fn step_demonstrations() -> &'static [TableSteps] {
    static STEPS: LazyLock<Vec<TableSteps>> = LazyLock::new(|| {
        let entries: Vec<StepsEntry> =
            serde_json::from_str(include_str!("../../templates/prompts/pos/demos/steps.json")).unwrap_or_default();
        entries
            .into_iter()
            .filter_map(|entry| {
                let (caption, table) = table(&entry.table)?;
                Some(TableSteps {
                    table,
                    caption,
                    steps: entry.steps,
                })
            })
            .collect()
    });
    &STEPS
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableEntry {
    caption: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepsEntry {
    table: String,
    steps: Vec<StepDemonstration>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    table: String,
    question: String,
    answer: EntryAnswer,
    #[serde(default)]
    values: Vec<String>,
    reasoning: String,
    plan: Vec<StepDemonstration>,
    #[serde(default)]
    sql: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum EntryAnswer {
    Values(Vec<String>),
    Text(String),
}

fn table(name: &str) -> Option<(String, Table)> {
    static TABLES: LazyLock<BTreeMap<String, TableEntry>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../../templates/prompts/demonstrations/tables.json")).unwrap_or_default()
    });
    let entry = TABLES.get(name)?.clone();
    let table = Table::from_text(entry.header, entry.rows).ok()?;
    Some((entry.caption, table))
}

/// The embedded files are checked by tests, so that none of this can fail in a release.
fn read(text: &str) -> Vec<Demonstration> {
    let entries: Vec<Entry> = serde_json::from_str(text).unwrap_or_default();
    entries
        .into_iter()
        .filter_map(|entry| {
            let (caption, table) = table(&entry.table)?;
            let (answer, values) = match entry.answer {
                EntryAnswer::Values(values) => (Answer::Values(values.clone()), values),
                EntryAnswer::Text(text) if text == "TRUE" || text == "FALSE" => {
                    (Answer::Verdict(text == "TRUE"), vec![text])
                }
                EntryAnswer::Text(text) => (Answer::Text(text), entry.values),
            };
            Some(Demonstration {
                table,
                caption,
                question: entry.question,
                answer,
                values,
                reasoning: entry.reasoning,
                plan: entry.plan,
                sql: entry.sql,
            })
        })
        .collect()
}
