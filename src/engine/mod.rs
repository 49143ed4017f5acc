//! Running what models write, guarded: SQLite in memory, one SELECT or WITH statement, limits on time, steps and size.
//!
//! [`Engine::run`] gives the result and its lineage. SQLite alone decides whether a statement is valid and what it
//! gives; the parser only explains what SQLite did (see [`lineage`]).
//!
//! What differs from SQLite as it comes: nothing outside the table can be read; functions that are random, read the
//! clock or depend on the time zone are denied; `REGEXP` works; a column may be called by its file's name in quotes;
//! `"name"` that is no column is an error unless [`Engine::double_quoted_strings`] is set.

mod functions;
mod guard;
mod join_names;
pub mod lineage;
mod members;
mod names;
pub mod proof;
mod result;
mod sqlite;

use std::rc::Rc;
use std::time::Duration;

use crate::table::{ColumnType, Table};
use crate::trace::{Lineage, RowSources};
use sqlite::Database;

/// The name of the current table in every statement.
pub const TABLE_NAME: &str = "table_sql";

/// Stack of the thread that a statement runs on; memory is only taken for what is used.
const STACK_BYTES: usize = 64 << 20;

/// What a statement may use.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Wall-clock time of one statement.
    pub time: Duration,
    /// Rows of a result; more is an error, never a silent cut.
    pub rows: usize,
    /// Bytes of a result's text.
    pub bytes: usize,
    /// Bytes of a statement.
    pub statement_bytes: usize,
    /// SQLite virtual machine instructions.
    pub steps: u64,
}

impl Default for Limits {
    /// Room for any honest statement on a table of a million rows. `steps` is what stops a runaway statement, at the
    /// same place each time; `time` is the safety net behind it.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(20),
            rows: 1_000_000,
            bytes: 64 << 20,
            statement_bytes: 20_000,
            steps: 100_000_000,
        }
    }
}

/// The guarded SQL engine. Holds settings only; every run gets a database of its own.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The limits.
    pub limits: Limits,
    /// Whether `"name"` that is no column becomes text, as SQLite and the published code have it. Off: an error.
    pub double_quoted_strings: bool,
    /// Whether columns are typed by their cells (`false`: all text, as the published Text-to-SQL runs were).
    pub typed_columns: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            double_quoted_strings: false,
            typed_columns: true,
        }
    }
}

/// A statement's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// The result as a table; its columns keep the original names of columns carried along.
    pub table: Table,
    /// What it read, kept and made; `origins` are composed through the origins given.
    pub lineage: Lineage,
    /// The statement for SQLite alone: each column by its name in SQL, texts in single quotes.
    pub ran: String,
}

/// Why a statement did not run, in words fit for a model and a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// SQLite did not accept or finish it.
    #[error("{message}")]
    Statement {
        /// SQLite's words.
        message: String,
    },
    /// It is not one SELECT or WITH statement, or asks for something the guard denies.
    #[error("only one SELECT or WITH statement may run: {message}")]
    NotAllowed {
        /// What it was.
        message: String,
    },
    /// It met a limit.
    #[error("stopped by the {limit} limit of {value}")]
    Limit {
        /// Which: `time`, `rows`, `bytes`, `steps`, `statement`, `memory`.
        limit: &'static str,
        /// Its value with the unit.
        value: String,
    },
}

impl Engine {
    /// [`Engine::run`] where it may take its time: on a thread for blocking work, so that a statement that runs into its
    /// limit holds up nothing else. Without a runtime it runs here.
    pub async fn run_aside(
        &self,
        table: &Table,
        origins: &RowSources,
        statement: &str,
    ) -> Result<Execution, EngineError> {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return self.run(table, origins, statement);
        };
        let (engine, table, origins) = (self.clone(), table.clone(), origins.clone());
        let statement = statement.to_owned();
        let running = runtime.spawn_blocking(move || engine.run(&table, &origins, &statement));
        running.await.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(fault) => std::panic::resume_unwind(fault),
            Err(error) => Err(EngineError::Statement {
                message: format!("the engine stopped: {error}"),
            }),
        })
    }

    /// Runs one statement on a table whose row `i` comes from the rows `origins.of(i)` of the trace's first table; where
    /// `origins` is too short, a row has none.
    pub fn run(&self, table: &Table, origins: &RowSources, statement: &str) -> Result<Execution, EngineError> {
        self.run_typed(table, &self.types_of(table), origins, statement)
    }

    /// [`Engine::run`] with the type of each column given instead of read from the cells (a column without one is text),
    /// so that a table that was changed keeps the types it had: a whole column stays whole when one of its cells is
    /// blanked. A cell that is no value of its column's type is text there, a blank one NULL in a column of numbers.
    pub fn run_typed(
        &self,
        table: &Table,
        types: &[ColumnType],
        origins: &RowSources,
        statement: &str,
    ) -> Result<Execution, EngineError> {
        self.accept(statement)?;
        on_deep_stack(|| self.run_here(table, types, origins, statement))
    }

    /// The types that [`Engine::run`] gives the columns of a table.
    pub fn types_of(&self, table: &Table) -> Vec<ColumnType> {
        if self.typed_columns {
            table.column_types()
        } else {
            vec![ColumnType::Text; table.columns.len()]
        }
    }

    fn accept(&self, statement: &str) -> Result<(), EngineError> {
        if statement.len() > self.limits.statement_bytes {
            return Err(EngineError::Limit {
                limit: "statement",
                value: format!("{} bytes", self.limits.statement_bytes),
            });
        }
        if names::is_blank(statement) {
            return Err(EngineError::NotAllowed {
                message: "there is no statement".to_owned(),
            });
        }
        Ok(())
    }

    fn run_here(
        &self,
        table: &Table,
        types: &[ColumnType],
        origins: &RowSources,
        statement: &str,
    ) -> Result<Execution, EngineError> {
        let database = Database::load(table, types, &self.limits)?;
        let resolved = names::resolve(&database, &table.columns, statement, self.double_quoted_strings)?;
        let columns_read = database.check(&resolved.parse).map_err(|refusal| refusal.error)?;
        database.set_double_quoted_strings(self.double_quoted_strings)?;
        let result = Rc::new(database.run(&resolved.run)?);
        database.set_double_quoted_strings(false)?;
        let lineage = lineage::trace(&lineage::Ran {
            database: &database,
            statement: &resolved.parse,
            result: &result,
            row_count: table.rows.len(),
            columns_read: &columns_read,
            origins,
        });
        Ok(Execution {
            table: result::to_table(Rc::unwrap_or_clone(result), &table.columns)?,
            lineage,
            ran: resolved.parse,
        })
    }
}

/// Works on a thread with a large stack: a thousand conditions in a row nest a thousand deep in the parser's tree, whose
/// clone, print and drop recur. A panic there is a defect of ours and never the statement's fault: it goes on here.
fn on_deep_stack<T: Send>(work: impl FnOnce() -> Result<T, EngineError> + Send) -> Result<T, EngineError> {
    let worked = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .map(|thread| thread.join())
    });
    let failed = |message: &str| EngineError::Statement {
        message: message.to_owned(),
    };
    match worked {
        Ok(Ok(done)) => done,
        Ok(Err(fault)) => std::panic::resume_unwind(fault),
        Err(_) => Err(failed("no thread is left to run the statement")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_ours_is_not_the_statements() {
        let caught = std::panic::catch_unwind(|| on_deep_stack::<()>(|| panic!("a defect")));
        let fault = caught.expect_err("the panic goes on");
        assert_eq!(fault.downcast_ref::<&str>(), Some(&"a defect"));
    }
}
