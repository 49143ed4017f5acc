//! An explanation that was made elsewhere: what is left of it once everything active, every style and every link is gone.
//!
//! It is kept as plain text in blocks, never as markup, so that our own templates write it as they write any text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A piece of an imported explanation, in reading order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ImportedBlock {
    /// A heading.
    Heading {
        /// Its text, on one line.
        text: String,
    },
    /// A paragraph, or an item of a list.
    Text {
        /// Its runs of text, in order.
        runs: Vec<ImportedRun>,
        /// Whether it is an item of a list.
        item: bool,
    },
    /// Preformatted text, such as a program.
    Code {
        /// Its text, with line breaks.
        text: String,
    },
    /// A table.
    Table {
        /// Its rows; they may differ in length.
        rows: Vec<Vec<ImportedCell>>,
    },
}

/// A run of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportedRun {
    /// Its text; blanks in a row are one.
    pub text: String,
    /// Whether it was highlighted.
    pub marked: bool,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportedCell {
    /// Its text, on one line.
    pub text: String,
    /// Whether it is a heading of its row or column.
    pub header: bool,
    /// Whether it, its row, or text in it was highlighted.
    pub marked: bool,
}
