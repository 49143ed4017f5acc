//! Finding the lineage of a statement that ran.
//!
//! SQLite decides what a statement gives. The parser explains it, and whatever it explains is asked of SQLite again:
//! a *provenance query* gives the statement's own result with the hidden row ids of the rows it came from beside it.
//! Only when the visible part equals the result row by row is the lineage called exact; otherwise the answer is the
//! conservative one, with the reason.

use std::collections::BTreeSet;

use super::sqlite::{Database, ResultSet};
use crate::trace::Lineage;
use crate::trace::lineage::{Exactness, Reading, RowRole};

/// The lineage of a statement that gave `result` on a table of `row_count` rows.
pub(super) fn trace(
    database: &Database,
    row_count: usize,
    columns_read: &BTreeSet<usize>,
    statement: &str,
    result: &ResultSet,
    origins: &[Vec<usize>],
) -> Lineage {
    let _ = (database, statement);
    conservative(
        row_count,
        columns_read,
        result,
        origins,
        "statements are not traced yet".to_owned(),
    )
}

/// Every row, and every column that SQLite says the statement reads.
fn conservative(
    row_count: usize,
    columns_read: &BTreeSet<usize>,
    result: &ResultSet,
    origins: &[Vec<usize>],
    reason: String,
) -> Lineage {
    let every_row: Vec<usize> = (0..row_count).collect();
    let sources = vec![every_row.clone(); result.rows.len()];
    let none_matched = result.rows.is_empty();
    Lineage {
        exactness: Exactness::AtLeast { reason },
        reading: if row_count == 0 {
            Reading::EmptyTable
        } else {
            Reading::Rows
        },
        row_role: RowRole::Member,
        rows: if none_matched { Vec::new() } else { every_row.clone() },
        witness_rows: Vec::new(),
        deciding_rows: Vec::new(),
        columns: columns_read.iter().copied().collect(),
        condition_cells: Vec::new(),
        order_columns: Vec::new(),
        produced_columns: produced_columns(result),
        origins: compose(&sources, origins),
        sources,
        examined_rows: if none_matched { every_row } else { Vec::new() },
    }
}

fn produced_columns(result: &ResultSet) -> Vec<usize> {
    (0..result.names.len())
        .filter(|index| result.carried[*index].is_none())
        .collect()
}

/// Takes rows of a step's input back to rows of the trace's first table.
fn compose(sources: &[Vec<usize>], origins: &[Vec<usize>]) -> Vec<Vec<usize>> {
    sources
        .iter()
        .map(|rows| {
            rows.iter()
                .filter_map(|row| origins.get(*row))
                .flatten()
                .copied()
                .collect::<BTreeSet<usize>>()
                .into_iter()
                .collect()
        })
        .collect()
}
