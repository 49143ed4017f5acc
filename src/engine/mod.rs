//! Running what models write, guarded: SQLite in memory, one SELECT or WITH statement, limits on time, steps and size.

use std::time::Duration;

use crate::table::Table;
use crate::trace::Lineage;

/// The name of the current table in every statement.
pub const TABLE_NAME: &str = "table_sql";

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

/// A statement's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// The result as a table; its columns keep the original names of columns carried along.
    pub table: Table,
    /// What it read, kept and made; `origins` are composed through the origins given.
    pub lineage: Lineage,
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
        /// Which: `time`, `rows`, `bytes`, `steps`, `statement`.
        limit: &'static str,
        /// Its value with the unit.
        value: String,
    },
}

impl Engine {
    /// Runs one statement on a table whose row `i` comes from the rows `origins[i]` of the trace's first table.
    pub fn run(&self, table: &Table, origins: &[Vec<usize>], statement: &str) -> Result<Execution, EngineError> {
        let _ = (table, origins, statement);
        todo!("engine room")
    }
}
