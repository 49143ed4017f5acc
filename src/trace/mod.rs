//! What a method did on a sample. A trace is whole: pages, lineage checks and judges never need the model again.

pub mod builder;
pub mod evidence;
pub mod faithfulness;
pub mod imported;
pub mod lineage;
pub mod proof;
mod row_sources;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::Answer;
use crate::model::{CallError, Usage};
use crate::table::Table;

pub use builder::TraceBuilder;
pub use evidence::Evidence;
pub use faithfulness::FaithfulnessRecord;
pub use imported::Imported;
pub use lineage::Lineage;
pub use row_sources::RowSources;

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// SQLite's SQL; the current table is `table_sql`.
    Sql,
}

/// A program as it ran, without fences or comments added by the model's habit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// In what language.
    pub language: Language,
    /// Its text.
    pub text: String,
    /// The same for SQLite alone, where that is another text: each column by its name in SQL, also where the program calls
    /// it as its file does, and texts in single quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<String>,
}

impl Program {
    /// A statement, and what of it SQLite ran.
    pub fn sql(text: &str, ran: String) -> Self {
        Self {
            language: Language::Sql,
            text: text.to_owned(),
            ran: Some(ran).filter(|ran| ran != text),
        }
    }
}

/// A try at a step's program that failed, kept beside the one that worked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedAttempt {
    /// What the model wrote.
    pub program: String,
    /// Why it did not run.
    pub error: String,
}

/// One step of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The step in words, where the method has them.
    pub description: Option<String>,
    /// What ran.
    pub program: Option<Program>,
    /// Index into [`Trace::tables`] of the table it ran on.
    pub input: usize,
    /// Index into [`Trace::tables`] of its result; `None` when it failed.
    pub output: Option<usize>,
    /// What it read, kept and made; `None` when there is no output, and in an imported trace: a lineage that came from
    /// elsewhere is a claim, and is dropped.
    pub lineage: Option<Lineage>,
    /// Failed tries before (and, without output, up to) this one.
    pub failed_attempts: Vec<FailedAttempt>,
    /// Keys of the calls that made the step, in order.
    pub calls: Vec<String>,
}

/// Where the shown answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSource {
    /// The last step's table: the explanation yields the answer it shows.
    Program,
    /// The model wrote the answer itself, as the method means it to.
    Model,
    /// The chain failed and the model answered without it: no step yields the answer shown.
    Fallback,
    /// It was imported with its explanation: where it came from cannot be told.
    Imported,
}

/// Why there is no answer. Counts as wrong and is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AnswerFailure {
    /// The model's text held no answer that could be read.
    Unparsed {
        /// What was looked for.
        expected: String,
    },
    /// The token limit cut the model's text.
    Truncated,
    /// The model or its filter declined.
    Refused {
        /// Its words.
        message: String,
    },
    /// The program failed, and no fallback was allowed.
    Program {
        /// The engine's words.
        message: String,
    },
    /// The program ran, but its result holds no answer (no rows, NULL, not TRUE or FALSE).
    NoResult {
        /// What it held.
        message: String,
    },
    /// More steps than the method's limit.
    TooManySteps {
        /// The limit.
        limit: usize,
    },
    /// A call failed.
    Call {
        /// How.
        error: CallError,
    },
    /// The explanation was imported without a prediction.
    NotGiven,
}

/// One call as a trace remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallMark {
    /// Key in the call store; empty when the call failed before it had one.
    pub call: String,
    /// The purpose's name, such as `pos.sql`.
    pub purpose: String,
    /// Tokens, where the provider says.
    pub usage: Option<Usage>,
    /// Whether it had no answer.
    pub failed: bool,
}

/// The four counters of a question, each with its failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Requests to a model, and those without an answer.
    pub requests: u64,
    /// Failed requests.
    pub requests_failed: u64,
    /// Texts sampled (one request may sample several).
    pub samples: u64,
    /// Tokens of prompts, where said.
    pub input_tokens: u64,
    /// Tokens of answers, where said.
    pub output_tokens: u64,
    /// Requests whose tokens were not said.
    pub requests_without_usage: u64,
    /// Programs run.
    pub executions: u64,
    /// Programs that failed.
    pub executions_failed: u64,
    /// Repairs asked for.
    pub repairs: u64,
}

/// What a method did on a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The sample's id.
    pub sample: String,
    /// The answerer (method, model and settings) that made it; one or more arms show it.
    pub answerer: String,
    /// The method's name in the registry; [`imported::IMPORTED`] where none made it.
    pub method: String,
    /// The model's name in the study; empty where none of the study's answered.
    pub model: String,
    /// Every setting of the method, defaults filled in.
    pub settings: serde_json::Value,
    /// Every table: the first is the sample's, the others are results of steps.
    pub tables: Vec<Table>,
    /// The steps in order, failed ones too.
    pub steps: Vec<Step>,
    /// Free text that the model gave as its reasoning or explanation, the answer line taken out.
    pub rationale: Option<String>,
    /// The answer; `None` when there is none, and then `failure` says why.
    pub answer: Option<Answer>,
    /// Where the answer came from.
    pub answer_source: Option<AnswerSource>,
    /// Why there is no answer.
    pub failure: Option<AnswerFailure>,
    /// Why the chain did not answer and a fallback did.
    pub fallback_reason: Option<AnswerFailure>,
    /// Every call, in order.
    pub calls: Vec<CallMark>,
    /// The counters; all zero in an imported trace, where nothing is known of them.
    pub counters: Counters,
    /// Where it came from, if it was made elsewhere: then it has no lineage, no calls and no counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}
