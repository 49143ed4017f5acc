//! Column names: the original, the one shown to people, and the one SQL can use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The three names of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Exactly as the source has it; may be empty, repeated, or hold line breaks.
    pub original: String,
    /// For people: the original on one line, or `column N` when it is empty.
    pub display: String,
    /// For SQL: a plain lower-case identifier, unique in its table without regard to case, never a keyword.
    pub sql: String,
}

/// Names every column. The same headers always give the same names.
pub fn name_columns(originals: Vec<String>) -> Vec<Column> {
    let _ = originals;
    todo!("table room")
}
