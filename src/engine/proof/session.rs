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

    /// All but one of its parts: its cells first, then its rows.
    pub(super) fn without(&self, place: usize) -> Self {
        let mut fewer = self.clone();
        if place < fewer.cells.len() {
            fewer.cells.remove(place);
        } else if place - fewer.cells.len() < fewer.deleted.len() {
            fewer.deleted.remove(place - fewer.cells.len());
        }
        fewer
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

/// Runs that making one counter-example smaller may take, beside the proof's own.
const RUNS_TO_MAKE_SMALL: usize = 60;
/// The share of a proof's work that making one counter-example smaller may take, beside the proof's own.
const SHARE_TO_MAKE_SMALL: u64 = 20;

impl Budget {
    pub(super) fn new(settings: &ProofSettings) -> Self {
        Self {
            runs: settings.runs,
            work: settings.work,
            deadline: Instant::now().checked_add(settings.time),
        }
    }

    /// What one counter-example may take to be made smaller: apart from the rest, so that one that was seen is not lost
    /// because nothing was left.
    pub(super) fn to_make_small(&self, settings: &ProofSettings) -> Self {
        Self {
            runs: RUNS_TO_MAKE_SMALL,
            work: settings.work / SHARE_TO_MAKE_SMALL,
            deadline: self.deadline,
        }
    }

    /// Takes one run and its work before it is made.
    pub(super) fn take_run(&mut self, work: u64) -> Result<(), Undecided> {
        if self.runs == 0 {
            return Err(Undecided::Runs);
        }
        self.take_work(work)?;
        self.runs -= 1;
        Ok(())
    }

    /// Takes work before it is done.
    pub(super) fn take_work(&mut self, work: u64) -> Result<(), Undecided> {
        if self.work < work {
            return Err(Undecided::Work);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Undecided::Time);
        }
        self.work -= work;
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
    /// A name of the row's number.
    pub(super) row_id: &'static str,
    /// The result of the table as it is.
    pub(super) baseline: Vec<Vec<SqlValue>>,
    /// Runs so far.
    pub(super) runs: usize,
    /// Instructions of a run on the table as it is.
    pub(super) steps: u64,
    /// What reading and comparing a result is counted as.
    work_of_a_result: u64,
}

/// Instructions that changing one cell, asking one question of a row, or loading one cell is counted as.
pub(super) const WORK_OF_A_CHANGE: u64 = 50;
/// Instructions that a run is counted as beside its own.
const WORK_OF_A_RUN: u64 = 500;
/// Instructions that reading and comparing one cell of a result is counted as.
const WORK_OF_A_RESULT_CELL: u64 = 5;

/// A statement about one row, with what it is asked of: its first value is the answer.
pub(super) struct Question<'ask, 'db> {
    pub(super) statement: &'ask mut Statement<'db>,
    pub(super) of: Vec<SqlValue>,
}

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
        let (outcome, steps) = database.rerun(&mut statement)?;
        let baseline = match outcome {
            Outcome::Rows(rows) => rows,
            Outcome::Failed(message) => return Err(EngineError::Statement { message }),
        };
        let result_cells = baseline.len() * baseline.first().map_or(0, Vec::len);
        let changes = database.prepare_changes()?;
        let values = database.stored_rows(changes.row_id)?;
        Ok(Self {
            database,
            statement,
            updates: changes.updates,
            delete: changes.delete,
            values,
            row_id: changes.row_id,
            baseline,
            runs: 1,
            steps,
            work_of_a_result: WORK_OF_A_RESULT_CELL * as_work(result_cells),
        })
    }

    /// Runs the statement on the changed table, and puts the table back.
    pub(super) fn run(&mut self, change: &Change, budget: &mut Budget) -> Result<Outcome, Undecided> {
        budget.take_run(WORK_OF_A_RUN + self.work_of_a_result + WORK_OF_A_CHANGE * as_work(change.size()))?;
        self.runs += 1;
        let (updates, delete) = (&mut self.updates, &mut self.delete);
        let changed = self.database.in_savepoint(
            || make(change, updates, delete),
            || self.database.rerun(&mut self.statement),
        );
        let (outcome, steps) = changed.map_err(|error| cut(&error))?;
        budget.work = budget.work.saturating_sub(steps);
        Ok(outcome)
    }

    /// Makes a change, then puts each value into a cell in turn, and asks the questions each time: one list of answers a
    /// value. A question that fails is answered with NULL.
    pub(super) fn ask(
        &mut self,
        change: &Change,
        cell: (usize, usize),
        values: &[SqlValue],
        questions: &mut [Question<'_, 'db>],
        budget: &mut Budget,
    ) -> Result<Vec<Vec<SqlValue>>, Undecided> {
        let asked = values.len() * (questions.len() + 1);
        budget.take_work(WORK_OF_A_RUN + WORK_OF_A_CHANGE * as_work(change.size() + asked))?;
        let (updates, delete) = (&mut self.updates, &mut self.delete);
        let (row, column) = cell;
        let answers = self.database.in_savepoint(
            || Ok(()),
            || {
                self.database.change(|| make(change, updates, delete))?;
                let mut answers = Vec::with_capacity(values.len());
                let mut steps = 0;
                for value in values {
                    if let Some(update) = updates.get_mut(column) {
                        self.database
                            .change(|| update.execute(rusqlite::params![value, row_number(row)]).map(|_| ()))?;
                    }
                    let mut of_this = Vec::with_capacity(questions.len());
                    for question in questions.iter_mut() {
                        let (answer, taken) = self.database.ask(question.statement, &question.of)?;
                        steps += taken;
                        of_this.push(answer);
                    }
                    answers.push(of_this);
                }
                Ok((answers, steps))
            },
        );
        let (answers, steps) = answers.map_err(|error| cut(&error))?;
        budget.work = budget.work.saturating_sub(steps);
        Ok(answers)
    }
}

impl<'db> Session<'db> {
    /// The 0-based rows that a question of these things gives.
    pub(super) fn ask_rows(
        &mut self,
        question: &mut Statement<'db>,
        of: &[SqlValue],
        budget: &mut Budget,
    ) -> Result<Vec<usize>, Undecided> {
        budget.take_work(WORK_OF_A_RUN + as_work(self.values.len()))?;
        let (rows, steps) = self.database.ask_all(question, of).map_err(|error| cut(&error))?;
        budget.work = budget.work.saturating_sub(steps);
        let number = |row: Vec<SqlValue>| match row.first() {
            Some(SqlValue::Integer(number)) => usize::try_from(*number).ok()?.checked_sub(1),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(number).collect())
    }
}

fn make(change: &Change, updates: &mut [Statement<'_>], delete: &mut Statement<'_>) -> rusqlite::Result<()> {
    for ((row, column), value) in &change.cells {
        if let Some(update) = updates.get_mut(*column) {
            update.execute(rusqlite::params![value, row_number(*row)])?;
        }
    }
    for row in &change.deleted {
        delete.execute([row_number(*row)])?;
    }
    Ok(())
}

/// A limit that a run met, or what made it impossible.
fn cut(error: &EngineError) -> Undecided {
    match error {
        EngineError::Limit { limit: "time", .. } => Undecided::Time,
        EngineError::Limit { .. } => Undecided::Work,
        error => Undecided::NotPossible {
            message: error.to_string(),
        },
    }
}

pub(super) fn as_work(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX / 1000)
}

/// SQLite's number of a 0-based row.
pub(super) fn row_number(row: usize) -> i64 {
    i64::try_from(row).map_or(i64::MAX, |row| row.saturating_add(1))
}
