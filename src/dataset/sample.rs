//! One sample: a table, what is asked of it, and what the right answer is.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// Which data set a sample came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DatasetKind {
    /// TabFact (Chen et al. 2020): statements to verify.
    Tabfact,
    /// WikiTableQuestions (Pasupat and Liang 2015): questions with short answers.
    Wikitq,
    /// FeTaQA (Nan et al. 2022): questions answered by a sentence.
    Fetaqa,
    /// A user's own tables and questions.
    Custom,
}

/// What is asked of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// A statement that the table entails (TRUE) or refutes (FALSE).
    FactVerification,
    /// A question whose answer is a list of short values.
    ShortAnswer,
    /// A question answered by a sentence.
    FreeForm,
}

/// The right answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Gold {
    /// The statement is entailed (`true`) or refuted.
    Verdict(bool),
    /// The values of the answer, with the canonical forms of the `.tagged` files aligned with them where known.
    Values {
        /// As the data set prints them, after unescaping.
        values: Vec<String>,
        /// `targetCanon`, same length as `values`, or empty when the data set has none.
        canon: Vec<String>,
    },
    /// A sentence.
    Text(String),
}

/// An answer to a sample, by a method or as guessed by a judge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// TRUE or FALSE.
    Verdict(bool),
    /// A list of short values; never split out of one string at commas.
    Values(Vec<String>),
    /// A sentence.
    Text(String),
}

impl Answer {
    /// The answer as a reader sees it: `TRUE`, `FALSE`, the values joined by `; `, or the sentence.
    pub fn display(&self) -> String {
        match self {
            Self::Verdict(true) => "TRUE".to_owned(),
            Self::Verdict(false) => "FALSE".to_owned(),
            Self::Values(values) => values.join("; "),
            Self::Text(text) => text.clone(),
        }
    }
}

/// One table with a question or statement and its gold answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Unique within a study; everything is keyed by it, never by the text of the question.
    pub id: String,
    /// Where it came from.
    pub dataset: DatasetKind,
    /// What is asked.
    pub kind: QuestionKind,
    /// The data set's own name of the table.
    pub table_id: String,
    /// The table's caption or title, where there is one.
    pub caption: Option<String>,
    /// The table.
    pub table: Table,
    /// The question or statement, as the data set has it.
    pub question: String,
    /// The right answer; `None` for a question asked without knowing it (`tabjury ask`).
    pub gold: Option<Gold>,
    /// Group labels: `difficulty` (simple, complex) and `size` (small, medium, large), as PoTable Table I defines them.
    pub groups: BTreeMap<String, String>,
}
