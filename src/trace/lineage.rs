//! Lineage of one step: which rows, columns and cells of its input it read and kept, and what it made.
//!
//! Rows and columns are 0-based positions in the step's input table. Hidden row ids never enter a table that a user or
//! a model sees. How lineage is found is the engine's work ([`crate::engine::lineage`]); this file says what it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far the marks can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Exactness {
    /// Every mark is right and none is missing.
    Exact,
    /// The statement could not be traced exactly; the rows and columns marked are at least all it used.
    AtLeast {
        /// What could not be traced.
        reason: String,
    },
}

/// A cell by its position in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellPosition {
    /// 0-based row.
    pub row: usize,
    /// 0-based column.
    pub column: usize,
}

/// What a step read, kept and made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lineage {
    /// How far to trust it.
    pub exactness: Exactness,
    /// Input rows that the result comes from (kept by a filter, members of an aggregate), ascending.
    pub rows: Vec<usize>,
    /// Input columns that the statement reads to decide or compute (not those merely carried along by `*`), ascending.
    pub columns: Vec<usize>,
    /// Input cells for which a condition of the statement holds in its own right, ascending.
    pub condition_cells: Vec<CellPosition>,
    /// Input columns the result is ordered by, ascending.
    pub order_columns: Vec<usize>,
    /// Output columns that the statement computed (not carried along), ascending.
    pub produced_columns: Vec<usize>,
    /// For every output row the input rows it comes from, ascending.
    pub sources: Vec<Vec<usize>>,
    /// For every output row the rows of the trace's first table it comes from, ascending; `sources` composed back.
    pub origins: Vec<Vec<usize>>,
    /// Input rows examined and found not to match, when the result is empty for that reason; ascending.
    pub examined_rows: Vec<usize>,
}
