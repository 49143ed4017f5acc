//! Running one accepted statement many times while its table is changed: what a perturbation proof needs of a database.
//!
//! The statement is prepared as any model's, behind the authorizer; only the database's own changes, prepared apart, may
//! write. A database that was opened for changes is not used for anything else.

use rusqlite::Statement;
use rusqlite::limits::Limit;
use rusqlite::types::Value as SqlValue;

use super::{Database, Mode, quoted};
use crate::engine::{EngineError, TABLE_NAME};

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::engine) enum Outcome {
    /// Rows.
    Rows(Vec<Vec<SqlValue>>),
    /// SQLite's words why there are none, as for a sum beyond 64 bits; not a limit.
    Failed(String),
}

/// Statements that change the table.
pub(in crate::engine) struct Changes<'db> {
    /// For each column: sets it (`?1`) in the row of a number (`?2`).
    pub(in crate::engine) updates: Vec<Statement<'db>>,
    /// Deletes the row of a number.
    pub(in crate::engine) delete: Statement<'db>,
    /// A name of the row's number.
    pub(in crate::engine) row_id: &'static str,
}

impl Database {
    /// Prepares a model's statement to be run often.
    pub(in crate::engine) fn prepare_to_rerun(&self, statement: &str) -> Result<Statement<'_>, EngineError> {
        self.guard.start(Mode::Untrusted, self.limits.time, self.limits.steps);
        let prepared = self
            .connection
            .prepare(statement)
            .map_err(|error| self.explain(error))?;
        super::only_select(&prepared, statement)?;
        Ok(prepared)
    }

    /// Runs it, and says how many instructions it took (in thousands, rounded down). Errors are limits.
    pub(in crate::engine) fn rerun(&self, prepared: &mut Statement<'_>) -> Result<(Outcome, u64), EngineError> {
        self.guard.start(Mode::Untrusted, self.limits.time, self.limits.steps);
        let outcome = match self.rows(prepared, Mode::Untrusted) {
            Ok(rows) => Outcome::Rows(rows),
            Err(error @ EngineError::Limit { .. }) => return Err(error),
            Err(error) => Outcome::Failed(error.to_string()),
        };
        Ok((outcome, self.limits.steps.saturating_sub(self.guard.steps_left())))
    }

    /// Prepares a question of the proof's about the table, made of parts of an accepted statement; it may have `?1` and `?2`.
    pub(in crate::engine) fn prepare_question(&self, question: &str) -> Result<Statement<'_>, EngineError> {
        self.guard.start(Mode::Untrusted, self.limits.time, self.limits.steps);
        let prepared = self.connection.prepare(question).map_err(|error| self.explain(error))?;
        super::only_select(&prepared, question)?;
        Ok(prepared)
    }

    /// The first value that a question of these things gives (NULL where there is none or the question fails), and how
    /// many instructions it took. Errors are limits.
    pub(in crate::engine) fn ask(
        &self,
        question: &mut Statement<'_>,
        of: &[SqlValue],
    ) -> Result<(SqlValue, u64), EngineError> {
        let (rows, steps) = self.ask_all(question, of)?;
        let first = rows.into_iter().next().and_then(|row| row.into_iter().next());
        Ok((first.unwrap_or(SqlValue::Null), steps))
    }

    /// All rows that a question gives (none where it fails), and how many instructions it took. Errors are limits.
    pub(in crate::engine) fn ask_all(
        &self,
        question: &mut Statement<'_>,
        of: &[SqlValue],
    ) -> Result<(Vec<Vec<SqlValue>>, u64), EngineError> {
        self.guard.start(Mode::Untrusted, self.limits.time, self.limits.steps);
        let asked = (|| {
            for (place, value) in of.iter().take(question.parameter_count()).enumerate() {
                question.raw_bind_parameter(place + 1, value)?;
            }
            let width = question.column_count();
            let mut rows = Vec::new();
            let mut cursor = question.raw_query();
            while let Some(row) = cursor.next()? {
                rows.push((0..width).map(|index| row.get(index)).collect::<Result<_, _>>()?);
            }
            Ok(rows)
        })();
        let rows = match asked.map_err(|error| self.explain(error)) {
            Ok(rows) => rows,
            Err(error @ EngineError::Limit { .. }) => return Err(error),
            Err(_) => Vec::new(),
        };
        Ok((rows, self.limits.steps.saturating_sub(self.guard.steps_left())))
    }

    /// Makes a change of the table.
    pub(in crate::engine) fn change(&self, change: impl FnOnce() -> rusqlite::Result<()>) -> Result<(), EngineError> {
        self.guard.start(Mode::Keeping, self.limits.time, self.limits.steps);
        change().map_err(|error| self.explain(error))
    }

    /// Opens the table for changes.
    pub(in crate::engine) fn prepare_changes(&self) -> Result<Changes<'_>, EngineError> {
        let row_id = ["rowid", "_rowid_", "oid"]
            .into_iter()
            .find(|name| !self.column_names.iter().any(|column| column.eq_ignore_ascii_case(name)))
            .ok_or_else(|| EngineError::Statement {
                message: "columns have taken every name of the row id".to_owned(),
            })?;
        let failed = |error| self.explain(error);
        self.guard.start(Mode::Keeping, self.limits.time, self.limits.steps);
        self.connection
            .set_limit(Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 2)
            .map_err(failed)?;
        self.connection
            .execute_batch("PRAGMA query_only = OFF")
            .map_err(failed)?;
        let updates = self
            .column_names
            .iter()
            .map(|column| {
                let column = quoted(column);
                self.connection
                    .prepare(&format!("UPDATE {TABLE_NAME} SET {column} = ?1 WHERE {row_id} = ?2"))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        let delete = self
            .connection
            .prepare(&format!("DELETE FROM {TABLE_NAME} WHERE {row_id} = ?1"))
            .map_err(failed)?;
        Ok(Changes {
            updates,
            delete,
            row_id,
        })
    }

    /// The table's rows as SQLite holds them, after what the types of its columns made of them.
    pub(in crate::engine) fn stored_rows(&self, row_id: &str) -> Result<Vec<Vec<SqlValue>>, EngineError> {
        self.guard.start(Mode::Keeping, self.limits.time, self.limits.steps);
        let mut prepared = self
            .connection
            .prepare(&format!("SELECT * FROM {TABLE_NAME} ORDER BY {row_id}"))
            .map_err(|error| self.explain(error))?;
        self.rows(&mut prepared, Mode::Keeping)
    }

    /// Changes the table, runs, and puts the table back.
    pub(in crate::engine) fn in_savepoint<T>(
        &self,
        change: impl FnOnce() -> rusqlite::Result<()>,
        run: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let execute = |statement: &str| {
            self.guard.start(Mode::Keeping, self.limits.time, self.limits.steps);
            self.connection
                .prepare_cached(statement)
                .and_then(|mut prepared| prepared.execute([]))
                .map_err(|error| self.explain(error))
        };
        execute("SAVEPOINT tabjury_change")?;
        let done = change().map_err(|error| self.explain(error)).and_then(|()| run());
        execute("ROLLBACK TO tabjury_change")?;
        execute("RELEASE tabjury_change")?;
        done
    }
}
