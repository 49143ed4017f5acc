//! Lineage of one step: which rows, columns and cells of its input it read and kept, and what it made.
//!
//! Rows and columns are 0-based positions in the step's input table. Hidden row ids never enter a table that a user or
//! a model sees. How lineage is found is the engine's work ([`crate::engine::lineage`]); this file says what it is.
//!
//! Three sets of rows are told apart, because they mean different things to a reader:
//!
//! - [`Lineage::rows`]: the result comes from them (kept by a filter, members of an aggregate);
//! - [`Lineage::deciding_rows`]: a subquery in a condition or a window looked at them to decide, but no result row
//!   comes from them;
//! - [`Lineage::examined_rows`]: nothing matched; these were looked at.
//!
//! [`Lineage::has_marks`] is true for every statement that reads a table with a row in it.

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

/// What a statement had to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Rows of the table: there is something to mark.
    Rows,
    /// The table, but it has no rows.
    EmptyTable,
    /// No table at all, as `SELECT 1`: nothing can be marked, and the page says so.
    NoTable,
}

/// How result rows come from input rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowRole {
    /// Each result row is one input row (or one of each joined table), kept.
    Kept,
    /// Result rows combine several input rows: members of an aggregate, a group, or duplicates made one.
    Member,
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
    /// What there was to read.
    pub reading: Reading,
    /// How result rows come from `rows`.
    pub row_role: RowRole,
    /// Input rows that the result comes from (kept by a filter, members of an aggregate, and rows that a subquery in
    /// the result's own expressions used), ascending; the union of `sources`.
    pub rows: Vec<usize>,
    /// Rows among `rows` that attain a MIN or MAX of the result, ascending; changing another row towards the middle
    /// leaves the result alone.
    pub witness_rows: Vec<usize>,
    /// Input rows outside `rows` that decided without being kept: what a subquery in a condition or a window looked at;
    /// ascending.
    pub deciding_rows: Vec<usize>,
    /// Input columns that the statement reads to decide or compute (not those merely carried along by `*`), ascending.
    pub columns: Vec<usize>,
    /// Input cells for which a condition of the statement holds in its own right, in kept rows, ascending.
    pub condition_cells: Vec<CellPosition>,
    /// Input columns the result is ordered by, ascending.
    pub order_columns: Vec<usize>,
    /// Output columns that the statement computed (not carried along), ascending.
    pub produced_columns: Vec<usize>,
    /// For every output row the input rows it comes from, ascending.
    pub sources: Vec<Vec<usize>>,
    /// For every output row the rows of the trace's first table it comes from, ascending; `sources` composed back.
    pub origins: Vec<Vec<usize>>,
    /// Input rows examined when no row matched (the result, or what it was computed from, is empty); ascending.
    pub examined_rows: Vec<usize>,
}

impl Lineage {
    /// Whether there is a row, cell or column for a page to mark.
    pub fn has_marks(&self) -> bool {
        !(self.rows.is_empty()
            && self.deciding_rows.is_empty()
            && self.examined_rows.is_empty()
            && self.columns.is_empty())
    }

    /// Whether every mark is right and none is missing.
    pub fn is_exact(&self) -> bool {
        self.exactness == Exactness::Exact
    }
}
