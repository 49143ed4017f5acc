//! One guarded SQLite database in memory: a table goes in, one SELECT comes out.
//!
//! Order of the guard: load, register functions, harden the connection, set limits, `query_only`, authorizer, progress
//! handler. Every statement of a model runs in [`Mode::Untrusted`]; the lineage tracer's own statements, which are made
//! from an already accepted statement, run in [`Mode::Tracing`] or, to keep an intermediate result, [`Mode::Keeping`].

mod rerun;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, Statement};

use super::guard::{Guard, Mode};
use super::members::MemberStore;
use super::{EngineError, Limits, TABLE_NAME, functions, members};
use crate::table::value::typed_value;
use crate::table::{ColumnType, Table, Value};

pub(super) use rerun::Outcome;

/// Virtual machine instructions between two looks at the limits.
const STEPS_BETWEEN_CHECKS: i32 = 1000;

/// Bytes that all of this process's databases may hold together: a statement that needs more is out of memory, and the
/// process is not.
const PROCESS_MEMORY_BYTES: i64 = 2 << 30;

static PROCESS_MEMORY: Once = Once::new();

/// What a statement gave.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ResultSet {
    /// Column names as SQLite says them; may repeat or be empty.
    pub(super) names: Vec<String>,
    /// For each column the column of the table that SQLite says it carries unchanged.
    pub(super) carried: Vec<Option<usize>>,
    /// Rows of as many values.
    pub(super) rows: Vec<Vec<SqlValue>>,
}

/// A statement that SQLite will not prepare.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The error as a caller sees it.
    pub(super) error: EngineError,
    /// What SQLite says, if it is SQLite that refuses.
    pub(super) message: Option<String>,
    /// Where the name stands that no column has, as a byte offset; not known of ON and USING.
    pub(super) unknown_column_at: Option<usize>,
}

/// A loaded and guarded database.
pub(super) struct Database {
    connection: Connection,
    guard: Arc<Guard>,
    limits: Limits,
    column_names: Vec<String>,
    members: MemberStore,
    /// Instructions and time that the tracer's statements have left together.
    tracing_left: Cell<(u64, Duration)>,
}

/// The tracer's statements together may take this many times the instructions of the model's statement; a lineage that
/// takes more is not exact.
const TRACING_SHARE: u64 = 4;

/// And this many times its time: far more than those instructions take, so that how exact a lineage is does not depend on
/// the machine.
const TRACING_TIME_SHARE: u32 = 20;

impl Database {
    /// Loads a table under its SQL names; a column without a type is text.
    pub(super) fn load(table: &Table, types: &[ColumnType], limits: &Limits) -> Result<Self, EngineError> {
        let failed = |error: rusqlite::Error| EngineError::Statement {
            message: format!("the table could not be loaded: {error}"),
        };
        if table.columns.is_empty() {
            return Err(EngineError::Statement {
                message: format!("{TABLE_NAME} has no columns"),
            });
        }
        let mut types = types.to_vec();
        types.resize(table.columns.len(), ColumnType::Text);
        let column_names = table.columns.iter().map(|column| column.sql.clone()).collect();
        let fill = |connection: &mut Connection| fill(connection, table, &types);
        Self::open(fill, column_names, limits).map_err(failed)
    }

    /// The same table without rows and without row numbers: what a name means, where a column is called like them.
    pub(super) fn without_row_numbers(&self) -> Result<Self, EngineError> {
        let columns: Vec<String> = self.column_names.iter().map(|name| quoted(name)).collect();
        let definition = format!(
            "CREATE TABLE {TABLE_NAME} ({}, PRIMARY KEY ({})) WITHOUT ROWID",
            columns.join(", "),
            columns.first().map_or("", String::as_str)
        );
        let fill = |connection: &mut Connection| connection.execute_batch(&definition);
        Self::open(fill, self.column_names.clone(), &self.limits).map_err(|error| self.explain(error))
    }

    fn open(
        fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
        column_names: Vec<String>,
        limits: &Limits,
    ) -> rusqlite::Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        fill(&mut connection)?;
        let guard = Arc::new(Guard::new());
        let members = MemberStore::default();
        functions::register(&connection)?;
        members::register(&connection, &members)?;
        harden(&mut connection, &guard, limits)?;
        Ok(Self {
            connection,
            guard,
            limits: limits.clone(),
            column_names,
            members,
            tracing_left: Cell::new((
                limits.steps.saturating_mul(TRACING_SHARE),
                limits.time.saturating_mul(TRACING_TIME_SHARE),
            )),
        })
    }

    /// The SQL names of the table's columns.
    pub(super) fn column_names(&self) -> &[String] {
        &self.column_names
    }

    /// Where the tracer's aggregate function leaves what it saw.
    pub(super) fn members(&self) -> &MemberStore {
        &self.members
    }

    /// Turns `"name"` that is no column into text, or leaves it an error.
    pub(super) fn set_double_quoted_strings(&self, allowed: bool) -> Result<(), EngineError> {
        self.connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, allowed)
            .map(|_| ())
            .map_err(|error| self.explain(error))
    }

    /// Prepares a model's statement without running it: whether it may run, and the base columns that SQLite says it
    /// reads (all of them for a `*`).
    pub(super) fn check(&self, statement: &str) -> Result<BTreeSet<usize>, Refusal> {
        self.guard.start(Mode::Untrusted, self.limits.time, self.limits.steps);
        let prepared = self.connection.prepare(statement).map_err(|error| {
            let (message, unknown_column_at) = (message_of(&error), unknown_column_offset(&error));
            let error = match self.explain(error) {
                EngineError::NotAllowed { .. } if !begins_as_select(statement) => begins_otherwise(statement),
                error => error,
            };
            Refusal {
                error,
                message,
                unknown_column_at,
            }
        })?;
        let refuse = |error| Refusal {
            error,
            message: None,
            unknown_column_at: None,
        };
        only_select(&prepared, statement).map_err(refuse)?;
        let reads = self.guard.reads();
        Ok((0..self.column_names.len())
            .filter(|index| {
                reads
                    .iter()
                    .any(|read| read.eq_ignore_ascii_case(&self.column_names[*index]))
            })
            .collect())
    }

    /// Runs a model's statement.
    pub(super) fn run(&self, statement: &str) -> Result<ResultSet, EngineError> {
        self.guard.start(Mode::Untrusted, self.limits.time, self.limits.steps);
        self.query(statement, Mode::Untrusted)
    }

    /// Runs one of the tracer's statements.
    pub(super) fn trace(&self, statement: &str) -> Result<ResultSet, EngineError> {
        self.within_tracing_budget(Mode::Tracing, || self.query(statement, Mode::Tracing))
    }

    /// Runs one of the tracer's statements and hands on its rows one by one, so that they are never held together.
    pub(super) fn trace_each(&self, statement: &str, mut each: impl FnMut(&[SqlValue])) -> Result<(), EngineError> {
        self.within_tracing_budget(Mode::Tracing, || {
            let explain = |error| self.explain(error);
            let mut prepared = self.connection.prepare(statement).map_err(explain)?;
            only_select(&prepared, statement)?;
            let width = prepared.column_count();
            let mut values = Vec::with_capacity(width);
            let mut cursor = prepared.query([]).map_err(explain)?;
            while let Some(row) = cursor.next().map_err(explain)? {
                values.clear();
                for index in 0..width {
                    values.push(row.get(index).map_err(explain)?);
                }
                each(&values);
            }
            Ok(())
        })
    }

    /// Runs one of the tracer's statements that gives known rows with hidden columns beside them, and keeps the hidden
    /// ones; `None` as soon as the others differ from what is known.
    pub(super) fn hidden_beside(
        &self,
        statement: &str,
        known: &[Vec<SqlValue>],
    ) -> Result<Option<Vec<Vec<SqlValue>>>, EngineError> {
        self.within_tracing_budget(Mode::Tracing, || {
            let explain = |error| self.explain(error);
            let mut prepared = self.connection.prepare(statement).map_err(explain)?;
            only_select(&prepared, statement)?;
            let width = prepared.column_count();
            let mut known = known.iter();
            let mut hidden = Vec::with_capacity(known.len());
            let mut cursor = prepared.query([]).map_err(explain)?;
            while let Some(row) = cursor.next().map_err(explain)? {
                let Some(expected) = known.next() else {
                    return Ok(None);
                };
                for (index, value) in expected.iter().enumerate() {
                    if !is_same(row.get_ref(index).map_err(explain)?, value) {
                        return Ok(None);
                    }
                }
                hidden.push(
                    (expected.len()..width)
                        .map(|index| row.get(index).map_err(explain))
                        .collect::<Result<Vec<SqlValue>, EngineError>>()?,
                );
            }
            Ok(known.next().is_none().then_some(hidden))
        })
    }

    /// Runs with what the tracer has left, and takes what was used from it.
    fn within_tracing_budget<T>(
        &self,
        mode: Mode,
        run: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (steps, time) = self.tracing_left.get();
        let begun = Instant::now();
        self.guard.start(mode, time, steps);
        let done = run();
        self.tracing_left
            .set((self.guard.steps_left(), time.saturating_sub(begun.elapsed())));
        done
    }

    /// Whether a statement stands by itself: every name in it is its own.
    pub(super) fn stands_alone(&self, statement: &str) -> bool {
        self.guard.start(Mode::Tracing, self.limits.time, self.limits.steps);
        self.connection.prepare(statement).is_ok()
    }

    /// Whether a statement that stands alone looks at the table, be it only to count its rows.
    pub(super) fn reads_table(&self, statement: &str) -> bool {
        self.stands_alone(statement) && !self.guard.reads().is_empty()
    }

    /// Whether SQLite joins through an index that it makes for this statement alone.
    pub(super) fn makes_an_index(&self, statement: &str) -> bool {
        let plan = self.within_tracing_budget(Mode::Tracing, || {
            let failed = |error| self.explain(error);
            let mut prepared = self
                .connection
                .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
                .map_err(failed)?;
            self.rows(&mut prepared, Mode::Tracing)
        });
        plan.unwrap_or_default().iter().flatten().any(|value| match value {
            SqlValue::Text(detail) => detail.contains(" AUTOMATIC "),
            _ => false,
        })
    }

    /// Keeps the result of a query as a table, with the types SQLite gives the columns of a subquery.
    pub(super) fn keep(&self, name: &str, query: &str) -> Result<(), EngineError> {
        let execute = |statement: &str| {
            self.connection
                .execute_batch(statement)
                .map_err(|error| self.explain(error))
        };
        self.within_tracing_budget(Mode::Keeping, || {
            execute("PRAGMA query_only = OFF")?;
            let kept = execute(&format!("CREATE TABLE {name} AS {query}"));
            execute("PRAGMA query_only = ON")?;
            kept
        })
    }

    fn query(&self, statement: &str, mode: Mode) -> Result<ResultSet, EngineError> {
        let mut prepared = self
            .connection
            .prepare(statement)
            .map_err(|error| self.explain(error))?;
        only_select(&prepared, statement)?;
        let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
        let carried = self.carried_columns(&prepared);
        let rows = self.rows(&mut prepared, mode)?;
        Ok(ResultSet { names, carried, rows })
    }

    /// Runs a prepared statement; its budget has been started.
    fn rows(&self, prepared: &mut Statement<'_>, mode: Mode) -> Result<Vec<Vec<SqlValue>>, EngineError> {
        let width = prepared.column_count();
        let mut rows = Vec::new();
        let mut bytes = 0_usize;
        let mut cursor = prepared.query([]).map_err(|error| self.explain(error))?;
        while let Some(row) = cursor.next().map_err(|error| self.explain(error))? {
            if mode == Mode::Untrusted && rows.len() == self.limits.rows {
                return Err(EngineError::Limit {
                    limit: "rows",
                    value: format!("{} rows", self.limits.rows),
                });
            }
            let mut values = Vec::with_capacity(width);
            for index in 0..width {
                let value = row.get_ref(index).map_err(|error| self.explain(error))?;
                bytes += match value {
                    ValueRef::Text(text) | ValueRef::Blob(text) => text.len(),
                    _ => 8,
                };
                values.push(SqlValue::try_from(value).map_err(|_| EngineError::Statement {
                    message: format!("the result's column {} holds text that is not UTF-8", index + 1),
                })?);
            }
            if mode == Mode::Untrusted && bytes > self.limits.bytes {
                return Err(EngineError::Limit {
                    limit: "bytes",
                    value: format!("{} bytes", self.limits.bytes),
                });
            }
            rows.push(values);
        }
        Ok(rows)
    }

    fn carried_columns(&self, prepared: &Statement<'_>) -> Vec<Option<usize>> {
        prepared
            .columns_with_metadata()
            .map(|column| {
                let of_the_table = column
                    .table_name()
                    .is_some_and(|table| table.eq_ignore_ascii_case(TABLE_NAME));
                let origin = column.origin_name().filter(|_| of_the_table)?;
                self.column_names
                    .iter()
                    .position(|name| name.eq_ignore_ascii_case(origin))
            })
            .collect()
    }

    /// SQLite's error in words fit for the model that wrote the statement.
    fn explain(&self, error: rusqlite::Error) -> EngineError {
        if let Some(limit) = self.guard.stopped() {
            return EngineError::Limit {
                limit,
                value: match limit {
                    "time" => format!("{} seconds", self.limits.time.as_secs_f64()),
                    _ => format!("{} instructions", self.limits.steps),
                },
            };
        }
        if let Some(message) = self.guard.denied() {
            return EngineError::NotAllowed { message };
        }
        match error {
            rusqlite::Error::MultipleStatement => EngineError::NotAllowed {
                message: "there is a second statement after the first".to_owned(),
            },
            rusqlite::Error::SqlInputError { msg, .. } => self.statement_error(msg),
            rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
                rusqlite::ErrorCode::TooBig => EngineError::Limit {
                    limit: "bytes",
                    value: format!("{} bytes in one text", self.text_limit()),
                },
                rusqlite::ErrorCode::OutOfMemory => EngineError::Limit {
                    limit: "memory",
                    value: format!("{PROCESS_MEMORY_BYTES} bytes"),
                },
                _ => self.statement_error(message.unwrap_or_else(|| failure.to_string())),
            },
            other => self.statement_error(other.to_string()),
        }
    }

    fn text_limit(&self) -> i32 {
        self.connection.limit(Limit::SQLITE_LIMIT_LENGTH).unwrap_or_default()
    }

    fn statement_error(&self, message: String) -> EngineError {
        let message = if message.starts_with("no such column") {
            format!("{message} ({TABLE_NAME} has: {})", self.column_names.join(", "))
        } else if message.starts_with("no such table") {
            format!("{message} (the only table is {TABLE_NAME})")
        } else if message == "too many SQL variables" || message.starts_with("variable number must be") {
            "a statement here has no parameters: write the value itself in place of ?, :name, @name or $name".to_owned()
        } else {
            message
        };
        EngineError::Statement { message }
    }
}

/// `"name"`, whatever is in the name.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn is_same(found: ValueRef<'_>, known: &SqlValue) -> bool {
    match (found, known) {
        (ValueRef::Null, SqlValue::Null) => true,
        (ValueRef::Integer(found), SqlValue::Integer(known)) => found == *known,
        (ValueRef::Real(found), SqlValue::Real(known)) => found == *known,
        (ValueRef::Text(found), SqlValue::Text(known)) => found == known.as_bytes(),
        (ValueRef::Blob(found), SqlValue::Blob(known)) => found == known,
        _ => false,
    }
}

fn only_select(prepared: &Statement<'_>, statement: &str) -> Result<(), EngineError> {
    let is_query = prepared.readonly() && prepared.is_explain() == 0 && prepared.column_count() > 0;
    if is_query && begins_as_select(statement) {
        return Ok(());
    }
    Err(begins_otherwise(statement))
}

fn begins_as_select(statement: &str) -> bool {
    let first = super::names::first_word(statement);
    first.eq_ignore_ascii_case("select") || first.eq_ignore_ascii_case("with")
}

fn begins_otherwise(statement: &str) -> EngineError {
    let first = super::names::first_word(statement).to_uppercase();
    EngineError::NotAllowed {
        message: format!("this one begins with {first}"),
    }
}

fn message_of(error: &rusqlite::Error) -> Option<String> {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg)) => Some(msg.clone()),
        _ => None,
    }
}

fn unknown_column_offset(error: &rusqlite::Error) -> Option<usize> {
    match error {
        rusqlite::Error::SqlInputError { msg, offset, .. } if msg.starts_with("no such column") => {
            usize::try_from(*offset).ok()
        }
        _ => None,
    }
}

fn fill(connection: &mut Connection, table: &Table, types: &[ColumnType]) -> rusqlite::Result<()> {
    PROCESS_MEMORY.call_once(|| {
        // Best effort: without it the other limits still hold.
        let _ = connection.query_row(&format!("PRAGMA hard_heap_limit = {PROCESS_MEMORY_BYTES}"), [], |_| {
            Ok(())
        });
    });
    connection.execute_batch("PRAGMA temp_store = MEMORY")?;
    let definitions: Vec<String> = table
        .columns
        .iter()
        .zip(types)
        .map(|(column, column_type)| format!("{} {}", quoted(&column.sql), column_type.sql()))
        .collect();
    connection.execute_batch(&format!("CREATE TABLE {TABLE_NAME} ({})", definitions.join(", ")))?;
    let marks = vec!["?"; table.columns.len()].join(", ");
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare(&format!("INSERT INTO {TABLE_NAME} VALUES ({marks})"))?;
        for row in &table.rows {
            for (index, (cell, column_type)) in row.iter().zip(types).enumerate() {
                let place = index + 1;
                if *column_type == ColumnType::Text {
                    insert.raw_bind_parameter(place, cell.as_deref())?;
                    continue;
                }
                match typed_value(cell, *column_type) {
                    Value::Null => insert.raw_bind_parameter(place, rusqlite::types::Null)?,
                    Value::Integer(number) => insert.raw_bind_parameter(place, number)?,
                    Value::Real(number) => insert.raw_bind_parameter(place, number)?,
                    Value::Text(text) => insert.raw_bind_parameter(place, text)?,
                }
            }
            insert.raw_execute()?;
        }
    }
    transaction.commit()
}

fn harden(connection: &mut Connection, guard: &Arc<Guard>, limits: &Limits) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, 4_000_000),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 1000),
        (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    // The tracer's own statements are longer than what they are made from.
    let statement_bytes = i32::try_from(limits.statement_bytes.saturating_mul(50)).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, statement_bytes)?;
    connection.execute_batch("PRAGMA query_only = ON")?;
    let watching = Arc::clone(guard);
    connection.progress_handler(
        STEPS_BETWEEN_CHECKS,
        Some(move || watching.must_stop(STEPS_BETWEEN_CHECKS)),
    )?;
    let deciding = Arc::clone(guard);
    connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
        deciding.authorize(&context)
    }))?;
    guard.mode.store(Mode::Untrusted as u8, Ordering::SeqCst);
    Ok(())
}
