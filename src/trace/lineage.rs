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
//! What one cell did is read off these sets by [`Lineage::roles`] (input) and [`Lineage::is_produced`] (output). Several
//! roles can meet in a cell:
//!
//! | role | the cell |
//! | --- | --- |
//! | kept row | stands in a row that is in the result as it is, alone or joined |
//! | aggregate member | stands in a row that the result combines with others |
//! | deciding row | stands in a row that decided without being kept |
//! | examined row | stands in a row that was looked at when nothing matched |
//! | examined column | stands in a column that the statement names, to decide or to compute |
//! | condition cell | makes a condition that names its column true for its row, by that condition alone |
//! | ordering key | stands in a row of the result, in a column that the result is ordered by |
//! | witness | is what a MIN or MAX of the result gives (or a part of it, where that is of an expression) |
//! | produced | is an output cell that the statement computed |
//!
//! [`Lineage::has_marks`] is true for every statement that reads a table with a row in it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RowSources;

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
    /// Input cells that a MIN or MAX of the result gives: its arguments in the rows that attain it (several columns where
    /// the argument is an expression, none where a subquery computed it), ascending.
    pub witness_cells: Vec<CellPosition>,
    /// Input rows outside `rows` that decided without being kept: what a subquery in a condition or a window looked at;
    /// ascending.
    pub deciding_rows: Vec<usize>,
    /// Input columns that the statement reads to decide or compute (not those merely carried along by `*`), ascending.
    pub columns: Vec<usize>,
    /// Input columns outside `columns` that a `*` carries along and on which the result depends all the same, ascending:
    /// DISTINCT, UNION, INTERSECT or EXCEPT tell whole rows apart by them, or SQLite joins through an index of its own that
    /// holds them and puts rows with equal keys in their order.
    pub compared_columns: Vec<usize>,
    /// Input cells for which a condition of the statement holds in its own right, in kept rows, ascending.
    pub condition_cells: Vec<CellPosition>,
    /// Input columns the result is ordered by, ascending.
    pub order_columns: Vec<usize>,
    /// Output columns that the statement computed (not carried along), ascending.
    pub produced_columns: Vec<usize>,
    /// For every output column the input column whose values it carries unchanged, each from one of the row's `sources`
    /// (or NULL, where an outer join or a scalar subquery found no row); `None` where it is computed.
    pub carried_columns: Vec<Option<usize>>,
    /// For every output row the input rows it comes from.
    pub sources: RowSources,
    /// For every output row the rows of the trace's first table it comes from; `sources` composed back.
    pub origins: RowSources,
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

    /// The input columns on whose cells the result depends, ascending: those that it reads, is ordered by, or tells rows
    /// apart by.
    pub fn columns_that_matter(&self) -> BTreeSet<usize> {
        [&self.columns, &self.order_columns, &self.compared_columns]
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }

    /// Whether every mark is right and none is missing.
    pub fn is_exact(&self) -> bool {
        self.exactness == Exactness::Exact
    }

    /// What one cell of the input did.
    pub fn roles(&self, row: usize, column: usize) -> CellRoles {
        let cell = CellPosition { row, column };
        let is_used = contains(&self.rows, &row);
        CellRoles {
            kept_row: is_used && self.row_role == RowRole::Kept,
            aggregate_member: is_used && self.row_role == RowRole::Member,
            deciding_row: contains(&self.deciding_rows, &row),
            examined_row: contains(&self.examined_rows, &row),
            examined_column: contains(&self.columns, &column),
            condition_cell: contains(&self.condition_cells, &cell),
            ordering_key: is_used && contains(&self.order_columns, &column),
            witness: contains(&self.witness_cells, &cell),
        }
    }

    /// Whether the statement computed the cells of this output column.
    pub fn is_produced(&self, output_column: usize) -> bool {
        contains(&self.produced_columns, &output_column)
    }
}

fn contains<T: Ord>(ascending: &[T], value: &T) -> bool {
    ascending.binary_search(value).is_ok()
}

/// What one cell of a step's input did; each role is explained in the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellRoles {
    /// Its row is in the result as it is.
    pub kept_row: bool,
    /// Its row is combined with others.
    pub aggregate_member: bool,
    /// Its row decided without being kept.
    pub deciding_row: bool,
    /// Its row was looked at when nothing matched.
    pub examined_row: bool,
    /// The statement names its column.
    pub examined_column: bool,
    /// A condition holds for it.
    pub condition_cell: bool,
    /// The result is ordered by it.
    pub ordering_key: bool,
    /// A MIN or MAX gives it.
    pub witness: bool,
}

impl CellRoles {
    /// Whether it has any role.
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_off_the_sets() {
        let cell = |row, column| CellPosition { row, column };
        let mut lineage = Lineage {
            exactness: Exactness::Exact,
            reading: Reading::Rows,
            row_role: RowRole::Kept,
            rows: vec![0, 2],
            witness_rows: vec![2],
            witness_cells: vec![cell(2, 1)],
            deciding_rows: vec![3],
            columns: vec![1, 4],
            compared_columns: Vec::new(),
            condition_cells: vec![cell(0, 4), cell(2, 4)],
            order_columns: vec![1],
            produced_columns: vec![1],
            carried_columns: vec![Some(0), None],
            sources: [vec![0], vec![2]].into_iter().collect(),
            origins: [vec![0], vec![2]].into_iter().collect(),
            examined_rows: Vec::new(),
        };
        let none = CellRoles::default();
        assert_eq!(lineage.roles(1, 0), none);
        assert!(!none.any());
        let kept = CellRoles { kept_row: true, ..none };
        assert_eq!(lineage.roles(0, 0), kept);
        let examined = CellRoles {
            examined_column: true,
            ..none
        };
        assert_eq!(lineage.roles(1, 1), examined, "no row of the result is ordered by it");
        assert_eq!(
            lineage.roles(2, 1),
            CellRoles {
                kept_row: true,
                examined_column: true,
                ordering_key: true,
                witness: true,
                ..none
            }
        );
        assert_eq!(
            lineage.roles(0, 4),
            CellRoles {
                kept_row: true,
                examined_column: true,
                condition_cell: true,
                ..none
            }
        );
        assert_eq!(
            lineage.roles(3, 0),
            CellRoles {
                deciding_row: true,
                ..none
            }
        );
        lineage.row_role = RowRole::Member;
        assert_eq!(
            lineage.roles(0, 0),
            CellRoles {
                aggregate_member: true,
                ..none
            }
        );
        assert!(lineage.is_produced(1) && !lineage.is_produced(0));
    }
}
