//! Soundness: nothing outside the marks matters.
//!
//! Outside are the cells of columns that the statement neither examines nor compares, in every row, and the rows that neither are in
//! the result nor decided it nor were examined. They are changed together first - whole columns, all columns, all rows -
//! because that takes few runs and finds most; then one by one, all of them or, where they are too many, a seeded choice.

use std::collections::BTreeSet;

use rand::seq::index;
use rand::{Rng, RngExt};
use rusqlite::types::Value as SqlValue;

use super::compare::{beyond_carried, recorded};
use super::session::{Budget, Change, Session};
use super::values::Values;
use super::{ProofSettings, Undecided, generator};
use crate::trace::Lineage;
use crate::trace::proof::{CounterExample, Difference, Soundness};

/// Counter-examples kept.
const MOST_COUNTER_EXAMPLES: usize = 5;
/// Random changes of many cells and rows at once.
const RANDOM_CHANGES: usize = 12;
/// Elements up to which a counter-example is made smaller one by one.
const MOST_TO_DROP: usize = 16;
/// Values tried for a single cell: nothing, another of the column, a new one, one of another kind.
const KINDS: usize = 4;

/// A single change, made when it is its turn.
#[derive(Clone, Copy)]
enum Single {
    Cell { row: usize, column: usize, kind: usize },
    Swap { row: usize, column: usize },
    Delete { row: usize },
}

/// Tries changes outside the marks.
pub(super) fn soundness(
    session: &mut Session<'_>,
    lineage: &Lineage,
    values: &Values,
    seed: &[u8],
    settings: &ProofSettings,
    budget: &mut Budget,
) -> Soundness {
    let row_count = session.values.len();
    let width = session.values.first().map_or(0, Vec::len);
    let marked: BTreeSet<usize> = [&lineage.rows, &lineage.deciding_rows, &lineage.examined_rows]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let read: BTreeSet<usize> = lineage
        .columns
        .iter()
        .chain(&lineage.compared_columns)
        .copied()
        .collect();
    let mut prover = Prover {
        session,
        lineage,
        values,
        settings,
        budget,
        columns: (0..width).filter(|column| !read.contains(column)).collect(),
        rows: (0..row_count).filter(|row| !marked.contains(row)).collect(),
        row_count,
        found: Vec::new(),
        tried: 0,
    };
    if row_count == 0 || (prover.columns.is_empty() && prover.rows.is_empty()) {
        return Soundness::Sound {
            runs: 0,
            vacuous: true,
            exhaustive: true,
        };
    }
    let mut random = generator(seed, "soundness");
    let together = prover.together(&mut random);
    let one_by_one = match together {
        Ok(()) => prover.one_by_one(&mut random),
        Err(_) => Ok(false),
    };
    let (counter_examples, runs) = (prover.found, prover.tried);
    if !counter_examples.is_empty() {
        return Soundness::Unsound { counter_examples };
    }
    match (together, one_by_one) {
        (Err(reason), _) | (Ok(()), Err(reason @ (Undecided::Time | Undecided::NotPossible { .. }))) => {
            Soundness::Undecided { reason }
        }
        (Ok(()), outcome) => Soundness::Sound {
            runs,
            vacuous: false,
            exhaustive: outcome == Ok(true),
        },
    }
}

struct Prover<'run, 'db> {
    session: &'run mut Session<'db>,
    lineage: &'run Lineage,
    values: &'run Values,
    settings: &'run ProofSettings,
    budget: &'run mut Budget,
    /// Columns outside.
    columns: Vec<usize>,
    /// Rows outside.
    rows: Vec<usize>,
    row_count: usize,
    found: Vec<CounterExample>,
    tried: usize,
}

impl Prover<'_, '_> {
    /// Whole columns, all of them, all rows, and random mixtures.
    fn together(&mut self, random: &mut impl Rng) -> Result<(), Undecided> {
        self.attempt(&Change::deleting(self.rows.clone()))?;
        let columns = self.columns.clone();
        for kind in 0..=KINDS {
            let mut all = Change::default();
            for column in &columns {
                let change = self.column_change(*column, kind);
                self.attempt(&change)?;
                all.cells.extend(change.cells);
            }
            self.attempt(&all)?;
            all.deleted.clone_from(&self.rows);
            self.attempt(&all)?;
        }
        for _ in 0..RANDOM_CHANGES {
            let mut mixed = Change::default();
            for row in 0..self.row_count {
                for column in &columns {
                    if random.random_bool(0.4) {
                        let kind = random.random_range(0..KINDS);
                        mixed.cells.extend(self.cell_value(row, *column, kind));
                    }
                }
            }
            mixed.deleted = self.rows.iter().copied().filter(|_| random.random_bool(0.5)).collect();
            self.attempt(&mixed)?;
        }
        Ok(())
    }

    /// Each cell, each neighbouring pair and each row by itself, or a choice of as many as there are runs left; whether
    /// that were all of them.
    fn one_by_one(&mut self, random: &mut impl Rng) -> Result<bool, Undecided> {
        let count = self.rows.len() + self.columns.len() * self.row_count * (KINDS + 1);
        let chosen = count.min(self.budget.runs.saturating_add(1));
        for place in index::sample(random, count, chosen) {
            let single = self.single(place);
            let change = match single {
                Single::Delete { row } => Change::deleting(vec![row]),
                Single::Cell { row, column, kind } => Change {
                    cells: self.cell_value(row, column, kind).into_iter().collect(),
                    deleted: Vec::new(),
                },
                Single::Swap { row, .. } if row + 1 >= self.row_count => continue,
                Single::Swap { row, column } => {
                    let [first, second] = [row, row + 1].map(|row| self.session.values[row][column].clone());
                    let mut change = Change::default();
                    if first != second {
                        change.cells = vec![((row, column), second), ((row + 1, column), first)];
                    }
                    change
                }
            };
            match self.attempt(&change) {
                Ok(()) => {}
                Err(Undecided::Runs | Undecided::Work) => return Ok(false),
                Err(reason) => return Err(reason),
            }
        }
        Ok(chosen == count)
    }

    /// The change of a number: rows first, then for each column and row every kind of value, and the swap.
    fn single(&self, place: usize) -> Single {
        let Some(place) = place.checked_sub(self.rows.len()) else {
            return Single::Delete { row: self.rows[place] };
        };
        let (cell, kind) = (place / (KINDS + 1), place % (KINDS + 1));
        let (column, row) = (self.columns[cell / self.row_count], cell % self.row_count);
        if kind == KINDS {
            Single::Swap { row, column }
        } else {
            Single::Cell { row, column, kind }
        }
    }

    /// Another value for a cell, unless the kind has none.
    fn cell_value(&self, row: usize, column: usize, kind: usize) -> Option<((usize, usize), SqlValue)> {
        let current = &self.session.values[row][column];
        let value = match kind {
            0 => SqlValue::Null,
            1 => self.values.fresh(column, row),
            2 => self.values.foreign(column, row),
            _ => self.session.values[self.values.next_other(column, row)?][column].clone(),
        };
        (value != *current).then_some(((row, column), value))
    }

    /// Another value for every cell of a column; kind [`KINDS`] gives all the value of the first.
    fn column_change(&self, column: usize, kind: usize) -> Change {
        let cells = (0..self.row_count)
            .filter_map(|row| {
                if kind < KINDS {
                    return self.cell_value(row, column, kind);
                }
                let first = &self.session.values[0][column];
                (self.session.values[row][column] != *first).then(|| ((row, column), first.clone()))
            })
            .collect();
        Change {
            cells,
            deleted: Vec::new(),
        }
    }

    fn attempt(&mut self, change: &Change) -> Result<(), Undecided> {
        if change.size() == 0 || self.found.len() >= MOST_COUNTER_EXAMPLES {
            return Ok(());
        }
        self.tried += 1;
        let Some(difference) = differs(self.session, self.lineage, change, self.budget)? else {
            return Ok(());
        };
        let (small, difference) = self.made_small(change.clone(), difference);
        let example = CounterExample {
            perturbation: recorded(&small, &self.session.values),
            difference,
        };
        if !self.found.contains(&example) {
            self.found.push(example);
        }
        Ok(())
    }

    /// Halves a change while a half still alters the result, then drops parts one by one: within bounds of its own, and
    /// where they are met, what is left by then.
    fn made_small(&mut self, mut change: Change, mut difference: Difference) -> (Change, Difference) {
        let mut budget = self.budget.to_make_small(self.settings);
        let (session, lineage) = (&mut *self.session, self.lineage);
        let mut still = |change: &Change| differs(session, lineage, change, &mut budget).ok().flatten();
        while change.size() > 1 {
            let halves = halves(&change).into_iter().filter(|half| half.size() > 0);
            let Some(found) = halves
                .into_iter()
                .find_map(|half| still(&half).map(|found| (half, found)))
            else {
                break;
            };
            (change, difference) = found;
        }
        if change.size() > MOST_TO_DROP {
            return (change, difference);
        }
        let mut place = 0;
        while place < change.size() && change.size() > 1 {
            let fewer = change.without(place);
            if let Some(found) = still(&fewer) {
                (change, difference) = (fewer, found);
            } else {
                place += 1;
            }
        }
        (change, difference)
    }
}

fn differs(
    session: &mut Session<'_>,
    lineage: &Lineage,
    change: &Change,
    budget: &mut Budget,
) -> Result<Option<Difference>, Undecided> {
    let after = session.run(change, budget)?;
    Ok(beyond_carried(
        &session.baseline,
        &after,
        lineage,
        &session.values,
        change,
    ))
}

fn halves(change: &Change) -> [Change; 2] {
    if change.cells.is_empty() || change.deleted.is_empty() {
        let (first_cells, second_cells) = change.cells.split_at(change.cells.len() / 2);
        let (first_rows, second_rows) = change.deleted.split_at(change.deleted.len() / 2);
        return [(first_cells, first_rows), (second_cells, second_rows)].map(|(cells, rows)| Change {
            cells: cells.to_vec(),
            deleted: rows.to_vec(),
        });
    }
    [
        Change {
            cells: change.cells.clone(),
            deleted: Vec::new(),
        },
        Change::deleting(change.deleted.clone()),
    ]
}
