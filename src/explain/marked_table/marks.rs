//! What of a table is marked, where it came from, and what the step on it leaves behind.

use std::collections::BTreeSet;

use crate::table::Table;
use crate::trace::lineage::CellPosition;
use crate::trace::{Lineage, RowSources};

/// What of a table is marked; positions are 0-based and all inside the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::explain) struct Marks {
    /// Rows the result comes from.
    pub(in crate::explain) rows: BTreeSet<usize>,
    /// Rows among them that hold the smallest or largest value the result gives.
    pub(in crate::explain) witness_rows: BTreeSet<usize>,
    /// Rows outside them that a condition compared with.
    pub(in crate::explain) deciding_rows: BTreeSet<usize>,
    /// Columns read.
    pub(in crate::explain) columns: BTreeSet<usize>,
    /// Columns ordered by.
    pub(in crate::explain) order_columns: BTreeSet<usize>,
    /// Cells that meet the step's condition.
    pub(in crate::explain) condition_cells: BTreeSet<CellPosition>,
    /// Rows examined and found not to match.
    pub(in crate::explain) examined_rows: BTreeSet<usize>,
}

impl Marks {
    /// The marks that a step's lineage puts on its input.
    pub(in crate::explain) fn of(lineage: &Lineage, input: &Table) -> Self {
        let rows_in_table = |rows: &[usize]| -> BTreeSet<usize> {
            rows.iter().copied().filter(|row| *row < input.rows.len()).collect()
        };
        let columns_in_table = |columns: &[usize]| -> BTreeSet<usize> {
            columns
                .iter()
                .copied()
                .filter(|column| *column < input.columns.len())
                .collect()
        };
        Self {
            rows: rows_in_table(&lineage.rows),
            witness_rows: rows_in_table(&lineage.witness_rows),
            deciding_rows: rows_in_table(&lineage.deciding_rows),
            columns: columns_in_table(&lineage.columns),
            order_columns: columns_in_table(&lineage.order_columns),
            condition_cells: lineage
                .condition_cells
                .iter()
                .copied()
                .filter(|cell| cell.row < input.rows.len() && cell.column < input.columns.len())
                .collect(),
            examined_rows: rows_in_table(&lineage.examined_rows),
        }
    }

    /// Whether nothing is marked.
    pub(in crate::explain) fn is_empty(&self) -> bool {
        self.rows.is_empty()
            && self.deciding_rows.is_empty()
            && self.columns.is_empty()
            && self.order_columns.is_empty()
            && self.condition_cells.is_empty()
            && self.examined_rows.is_empty()
    }
}

/// Where a table came from, when it is a step's result.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::explain) struct Provenance<'a> {
    /// For every row the rows of the first table it comes from; empty when not known.
    pub(in crate::explain) origins: Option<&'a RowSources>,
    /// Columns the step computed.
    pub(in crate::explain) new_columns: &'a [usize],
}

/// What of a table the step on it leaves behind; positions are 0-based.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::explain) struct Dropped {
    /// Rows that no row of the result comes from.
    pub(in crate::explain) rows: BTreeSet<usize>,
    /// Columns that the result does not carry.
    pub(in crate::explain) columns: BTreeSet<usize>,
}
