//! A loaded table that is changed, asked and put back, many times.
//!
//! The statement is prepared once, behind the guard, and the table loaded once; each run changes cells or deletes rows
//! inside a savepoint, runs the statement, and rolls back. Rows keep their numbers when others are deleted.

use std::time::Instant;

use rusqlite::Statement;
use rusqlite::types::Value as SqlValue;

use super::{ProofSettings, Undecided};
use crate::engine::EngineError;
use crate::engine::sqlite::{Database, Outcome};

/// A change of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Change {
    /// Cells and the values they get; of a cell named twice the last counts.
    pub(super) cells: Vec<((usize, usize), SqlValue)>,
    /// Rows deleted.
    pub(super) deleted: Vec<usize>,
}

impl Change {
    /// One cell.
    pub(super) fn cell(row: usize, column: usize, value: SqlValue) -> Self {
        Self {
            cells: vec![((row, column), value)],
            deleted: Vec::new(),
        }
    }

    /// Rows deleted.
    pub(super) fn deleting(rows: Vec<usize>) -> Self {
        Self {
            cells: Vec::new(),
            deleted: rows,
        }
    }

    /// This change and then another.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.cells.extend(other.cells.iter().cloned());
        both.deleted.extend(&other.deleted);
        both
    }

    /// Cells and rows changed.
    pub(super) fn size(&self) -> usize {
        self.cells.len() + self.deleted.len()
    }
}

/// What is left of a proof's bounds.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    pub(super) runs: usize,
    pub(super) work: u64,
    deadline: Option<Instant>,
}

impl Budget {
    pub(super) fn new(settings: &ProofSettings) -> Self {
        Self {
            runs: settings.runs,
            work: settings.work,
            deadline: Instant::now().checked_add(settings.time),
        }
    }

    /// Takes one run that is made elsewhere.
    pub(super) fn take_run(&mut self) -> Result<(), Undecided> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Undecided::Time);
        }
        self.runs = self.runs.checked_sub(1).ok_or(Undecided::Runs)?;
        Ok(())
    }

    /// Half of what is left, the rest staying here.
    pub(super) fn split(&mut self) -> Self {
        let half = Self {
            runs: self.runs / 2,
            work: self.work / 2,
            deadline: self.deadline,
        };
        self.runs -= half.runs;
        self.work -= half.work;
        half
    }

    /// Takes back what was not needed.
    pub(super) fn merge(&mut self, other: &Self) {
        self.runs += other.runs;
        self.work += other.work;
    }
}

/// The statement over its table.
pub(super) struct Session<'db> {
    database: &'db Database,
    statement: Statement<'db>,
    updates: Vec<Statement<'db>>,
    delete: Statement<'db>,
    /// The table as SQLite holds it.
    pub(super) values: Vec<Vec<SqlValue>>,
    /// The result of the table as it is.
    pub(super) baseline: Vec<Vec<SqlValue>>,
    /// Runs so far.
    pub(super) runs: usize,
}

/// Instructions that changing one cell is counted as.
const WORK_OF_A_CHANGE: u64 = 50;
/// Instructions that a run is counted as beside its own.
const WORK_OF_A_RUN: u64 = 500;

impl<'db> Session<'db> {
    /// Prepares the statement and the changes, and runs it once.
    pub(super) fn open(
        database: &'db Database,
        statement: &str,
        double_quoted_strings: bool,
    ) -> Result<Self, EngineError> {
        database.set_double_quoted_strings(double_quoted_strings)?;
        // Turning it back would have SQLite prepare the statement again without it; the session's own statements name
        // only columns that there are.
        let mut statement = database.prepare_to_rerun(statement)?;
        let baseline = match database.rerun(&mut statement)?.0 {
            Outcome::Rows(rows) => rows,
            Outcome::Failed(message) => return Err(EngineError::Statement { message }),
        };
        let changes = database.prepare_changes()?;
        let values = database.stored_rows(changes.row_id)?;
        Ok(Self {
            database,
            statement,
            updates: changes.updates,
            delete: changes.delete,
            values,
            baseline,
            runs: 1,
        })
    }

    /// Runs the statement on the changed table, and puts the table back.
    pub(super) fn run(&mut self, change: &Change, budget: &mut Budget) -> Result<Outcome, Undecided> {
        if budget.runs == 0 {
            return Err(Undecided::Runs);
        }
        let work =
            WORK_OF_A_RUN + WORK_OF_A_CHANGE * u64::try_from(change.size()).unwrap_or(u64::MAX / WORK_OF_A_CHANGE);
        if budget.work < work {
            return Err(Undecided::Work);
        }
        if budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Undecided::Time);
        }
        budget.runs -= 1;
        budget.work -= work;
        self.runs += 1;
        let (updates, delete) = (&mut self.updates, &mut self.delete);
        let changed = self.database.in_savepoint(
            || {
                for ((row, column), value) in &change.cells {
                    if let Some(update) = updates.get_mut(*column) {
                        update.execute(rusqlite::params![value, row_number(*row)])?;
                    }
                }
                for row in &change.deleted {
                    delete.execute([row_number(*row)])?;
                }
                Ok(())
            },
            || self.database.rerun(&mut self.statement),
        );
        match changed {
            Ok((outcome, steps)) => {
                budget.work = budget.work.saturating_sub(steps);
                Ok(outcome)
            }
            Err(EngineError::Limit { limit: "time", .. }) => Err(Undecided::Time),
            Err(EngineError::Limit { .. }) => Err(Undecided::Work),
            Err(error) => Err(Undecided::NotPossible {
                message: error.to_string(),
            }),
        }
    }
}

/// SQLite's number of a 0-based row.
fn row_number(row: usize) -> i64 {
    i64::try_from(row).map_or(i64::MAX, |row| row.saturating_add(1))
}
