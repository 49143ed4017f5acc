//! Telling results apart: what is merely carried along, and what is another result.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value as SqlValue;

use super::session::Change;
use super::values::{as_sql, in_order};
use crate::engine::sqlite::Outcome;
use crate::trace::proof::{CellChange, Difference, Perturbation};
use crate::trace::{Lineage, RowSources};

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
    let mut now = Now::new(table, change, &lineage.sources);
    for (row, (old, new)) in before.iter().zip(after).enumerate() {
        for (column, (old, new)) in old.iter().zip(new).enumerate() {
            if old == new {
                continue;
            }
            let carried = lineage.carried_columns.get(column).copied().flatten();
            // Of a conservative lineage any row may be the source.
            let may_stand = match carried {
                None => false,
                Some(from) if lineage.is_exact() => {
                    now.touches_a_source(row, from) && now.a_source_holds(row, from, new)
                }
                Some(from) => now.touches_column(from) && now.column_holds(from, new),
            };
            if !may_stand {
                return Some(cell_difference(row, column, old, new));
            }
        }
    }
    // What stayed must not have: where a source of a carried cell changed, another must hold what is still there.
    for (row, old) in before.iter().enumerate() {
        for (column, (old, new)) in old.iter().zip(&after[row]).enumerate() {
            let carried = lineage.carried_columns.get(column).copied().flatten();
            // An outer join or a scalar subquery that found no row gives NULL, whatever the cells hold.
            let Some(from) = carried.filter(|from| now.touches_column(*from) && *old != SqlValue::Null) else {
                continue;
            };
            if old != new {
                continue;
            }
            let may_stand = if lineage.is_exact() {
                !now.touches_a_source(row, from) || now.a_source_holds(row, from, new)
            } else {
                now.column_holds(from, new)
            };
            if !may_stand {
                return Some(cell_difference(row, column, old, new));
            }
        }
    }
    None
}

/// What the table's cells hold after a change. Whole columns, and rows that many result rows come from together, are looked
/// through once, and only when asked for.
struct Now<'change> {
    table: &'change [Vec<SqlValue>],
    sources: &'change RowSources,
    changed: BTreeMap<(usize, usize), &'change SqlValue>,
    columns: BTreeSet<usize>,
    held: BTreeMap<usize, Vec<&'change SqlValue>>,
    /// By group and column: whether a cell was changed, and what they hold.
    groups: BTreeMap<(usize, usize), (bool, Vec<&'change SqlValue>)>,
}

impl<'change> Now<'change> {
    fn new(table: &'change [Vec<SqlValue>], change: &'change Change, sources: &'change RowSources) -> Self {
        let changed: BTreeMap<(usize, usize), &SqlValue> =
            change.cells.iter().map(|(place, value)| (*place, value)).collect();
        Self {
            table,
            sources,
            columns: changed.keys().map(|(_, column)| *column).collect(),
            changed,
            held: BTreeMap::new(),
            groups: BTreeMap::new(),
        }
    }

    fn touches_column(&self, column: usize) -> bool {
        self.columns.contains(&column)
    }

    fn touches_a_source(&mut self, row: usize, column: usize) -> bool {
        let sources = self.sources;
        self.touches_column(column)
            && (self.touches(sources.own(row), column)
                || sources.groups_of(row).iter().any(|group| self.group(*group, column).0))
    }

    fn touches(&self, rows: &[usize], column: usize) -> bool {
        rows.iter().any(|row| self.changed.contains_key(&(*row, column)))
    }

    fn a_source_holds(&mut self, row: usize, column: usize, value: &SqlValue) -> bool {
        let sources = self.sources;
        sources
            .own(row)
            .iter()
            .any(|row| self.cell(*row, column) == Some(value))
            || sources
                .groups_of(row)
                .iter()
                .any(|group| has(&self.group(*group, column).1, value))
    }

    fn group(&mut self, group: usize, column: usize) -> &(bool, Vec<&'change SqlValue>) {
        if !self.groups.contains_key(&(group, column)) {
            let rows = self.sources.groups.get(group).map_or(&[][..], Vec::as_slice);
            let found = (self.touches(rows, column), self.values_of(rows.iter().copied(), column));
            self.groups.insert((group, column), found);
        }
        &self.groups[&(group, column)]
    }

    fn values_of(&self, rows: impl Iterator<Item = usize>, column: usize) -> Vec<&'change SqlValue> {
        let mut held: Vec<&SqlValue> = rows.filter_map(|row| self.cell(row, column)).collect();
        held.sort_by(|first, second| in_order(first, second));
        held.dedup();
        held
    }

    fn cell(&self, row: usize, column: usize) -> Option<&'change SqlValue> {
        self.changed
            .get(&(row, column))
            .copied()
            .or_else(|| self.table.get(row).and_then(|cells| cells.get(column)))
    }

    fn column_holds(&mut self, column: usize, value: &SqlValue) -> bool {
        if !self.held.contains_key(&column) {
            let held = self.values_of(0..self.table.len(), column);
            self.held.insert(column, held);
        }
        has(&self.held[&column], value)
    }
}

fn has(in_order_of_size: &[&SqlValue], value: &SqlValue) -> bool {
    in_order_of_size
        .binary_search_by(|other| in_order(other, value))
        .is_ok()
}

/// Whether a change of one cell alters a result, other than by being carried along itself. A statement that fails, before
/// or after, shows nothing.
pub(super) fn alters(
    before: &Outcome,
    after: &Outcome,
    lineage: &Lineage,
    column: usize,
    from: &SqlValue,
    to: &SqlValue,
) -> bool {
    let (Outcome::Rows(before), Outcome::Rows(_)) = (before, after) else {
        return false;
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
