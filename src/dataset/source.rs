//! Where samples come from, and which of them are taken: the part of a study file that this room reads.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source of samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "dataset", rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// TabFact as its repository has it.
    Tabfact {
        /// Directory that holds `data/` and `tokenized_data/`, or Chain-of-Table's `test.jsonl` itself.
        path: PathBuf,
        /// `test`, `val`, `small_test`, `simple_test` or `complex_test`; not for a `.jsonl` path.
        #[serde(default)]
        split: Option<String>,
        /// Which of them.
        #[serde(default)]
        select: Selection,
    },
    /// WikiTableQuestions as its repository has it.
    Wikitq {
        /// Directory that holds `data/` and `csv/`.
        path: PathBuf,
        /// Name of a file in `data/` without its ending, such as `pristine-unseen-tables`.
        split: String,
        /// Which of them.
        #[serde(default)]
        select: Selection,
    },
    /// FeTaQA as its repository has it.
    Fetaqa {
        /// A `.jsonl` file.
        path: PathBuf,
        /// Which of them.
        #[serde(default)]
        select: Selection,
    },
    /// A user's own tables and questions.
    Custom {
        /// A `.jsonl`, `.csv` or `.tsv` file of questions; tables are named relative to it.
        questions: PathBuf,
        /// Which of them.
        #[serde(default)]
        select: Selection,
    },
}

/// Which samples of a source are taken. Everything given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Selection {
    /// At most so many, from the start (after `shuffle`).
    pub limit: Option<usize>,
    /// Take them in an order drawn from the study's seed.
    pub shuffle: bool,
    /// Only these ids.
    pub ids: Option<Vec<String>>,
    /// Only samples with these group labels, such as `{ difficulty = "complex" }`.
    pub groups: BTreeMap<String, String>,
}
