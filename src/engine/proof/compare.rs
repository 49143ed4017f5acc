//! Telling results apart: what is merely carried along, and what is another result.

use std::collections::BTreeMap;

use rusqlite::types::Value as SqlValue;

use super::session::Change;
use super::values::as_sql;
use crate::engine::sqlite::Outcome;
use crate::trace::Lineage;
use crate::trace::proof::{CellChange, Difference, Perturbation};

/// Cells and rows that a record lists of a perturbation.
const MOST_LISTED: usize = 50;
/// Characters of a value that a record keeps.
const MOST_CHARACTERS: usize = 200;

/// Where the result after a change differs from the one before, other than in cells that carry a changed cell along: a
/// cell of a carried column must hold what one of its row's sources holds now, and stay where none of them changed.
pub(super) fn beyond_carried(
    before: &[Vec<SqlValue>],
    after: &Outcome,
    lineage: &Lineage,
    table: &[Vec<SqlValue>],
    change: &Change,
) -> Option<Difference> {
    let after = match same_shape(before, after) {
        Ok(after) => after,
        Err(difference) => return Some(difference),
    };
    let changed: BTreeMap<(usize, usize), &SqlValue> =
        change.cells.iter().map(|(place, value)| (*place, value)).collect();
    for (row, (old, new)) in before.iter().zip(after).enumerate() {
        for (column, (old, new)) in old.iter().zip(new).enumerate() {
            let carried = lineage.carried_columns.get(column).copied().flatten();
            let may_stand = match carried {
                Some(from) => may_carry(old, new, from, row, lineage, table, &changed),
                None => old == new,
            };
            if !may_stand {
                return Some(cell_difference(row, column, old, new));
            }
        }
    }
    None
}

fn may_carry(
    old: &SqlValue,
    new: &SqlValue,
    from: usize,
    row: usize,
    lineage: &Lineage,
    table: &[Vec<SqlValue>],
    changed: &BTreeMap<(usize, usize), &SqlValue>,
) -> bool {
    let holds = |source: usize| {
        changed
            .get(&(source, from))
            .copied()
            .or_else(|| table.get(source).and_then(|row| row.get(from)))
    };
    // Of a conservative lineage any row may be the source.
    let sources = lineage.is_exact().then(|| lineage.sources.of(row));
    let is_touched = match &sources {
        Some(sources) => sources.iter().any(|source| changed.contains_key(&(*source, from))),
        None => changed.keys().any(|(_, column)| *column == from),
    };
    if !is_touched {
        return old == new;
    }
    // An outer join or a scalar subquery that found no row gives NULL, whatever the cells hold.
    (*old == SqlValue::Null && *new == SqlValue::Null)
        || match &sources {
            Some(sources) => sources.iter().any(|source| holds(*source) == Some(new)),
            None => (0..table.len()).any(|source| holds(source) == Some(new)),
        }
}

/// Whether a change of one cell alters a result, other than by being carried along itself.
pub(super) fn alters(
    before: &Outcome,
    after: &Outcome,
    lineage: &Lineage,
    column: usize,
    from: &SqlValue,
    to: &SqlValue,
) -> bool {
    let before = match before {
        Outcome::Rows(rows) => rows,
        Outcome::Failed(_) => return before != after,
    };
    let Ok(after) = same_shape(before, after) else {
        return true;
    };
    before.iter().zip(after).any(|(old, new)| {
        old.iter().zip(new).enumerate().any(|(place, (old, new))| {
            let is_carried = lineage.carried_columns.get(place) == Some(&Some(column)) && old == from && new == to;
            old != new && !is_carried
        })
    })
}

fn same_shape<'after>(before: &[Vec<SqlValue>], after: &'after Outcome) -> Result<&'after [Vec<SqlValue>], Difference> {
    match after {
        Outcome::Failed(message) => Err(Difference::Error {
            message: message.clone(),
        }),
        Outcome::Rows(rows) if rows.len() != before.len() => Err(Difference::Rows {
            before: before.len(),
            after: rows.len(),
        }),
        Outcome::Rows(rows) => Ok(rows),
    }
}

fn cell_difference(row: usize, column: usize, before: &SqlValue, after: &SqlValue) -> Difference {
    Difference::Cell {
        row,
        column,
        before: short(before),
        after: short(after),
    }
}

/// A change as a record.
pub(super) fn recorded(change: &Change, table: &[Vec<SqlValue>]) -> Perturbation {
    let cells: BTreeMap<(usize, usize), &SqlValue> =
        change.cells.iter().map(|(place, value)| (*place, value)).collect();
    let mut deleted_rows = change.deleted.clone();
    deleted_rows.sort_unstable();
    deleted_rows.dedup();
    let left_out = cells.len().saturating_sub(MOST_LISTED) + deleted_rows.len().saturating_sub(MOST_LISTED);
    deleted_rows.truncate(MOST_LISTED);
    Perturbation {
        changed: cells
            .into_iter()
            .take(MOST_LISTED)
            .map(|((row, column), value)| cell_change(row, column, value, table))
            .collect(),
        deleted_rows,
        left_out,
    }
}

/// One cell's change as a record.
pub(super) fn cell_change(row: usize, column: usize, to: &SqlValue, table: &[Vec<SqlValue>]) -> CellChange {
    let from = table.get(row).and_then(|cells| cells.get(column));
    CellChange {
        row,
        column,
        from: from.map_or_else(String::new, short),
        to: short(to),
    }
}

fn short(value: &SqlValue) -> String {
    let text = as_sql(value);
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
