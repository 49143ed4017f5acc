//! Functions that statements see beside SQLite's own: REGEXP, which SQLite leaves to its host, and the date functions
//! without the clock and the time zone, so that a statement gives the same result each time and everywhere.

use std::sync::{Mutex, PoisonError};

use regex::{Regex, RegexBuilder};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value as SqlValue, ValueRef};

/// Bytes a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

/// SQLite's date functions, and which of their arguments are times or modifiers.
const DATE_FUNCTIONS: [(&str, usize); 7] = [
    ("date", 0),
    ("time", 0),
    ("datetime", 0),
    ("julianday", 0),
    ("unixepoch", 0),
    ("strftime", 1),
    ("timediff", 0),
];

/// Registers them.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("regexp", 2, flags, regexp)?;
    for (name, times_from) in DATE_FUNCTIONS {
        let inner = Mutex::new(None::<Connection>);
        connection.create_scalar_function(name, -1, flags, move |context| {
            date_function(name, times_from, &inner, context)
        })?;
    }
    Ok(())
}

fn user_error(message: String) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(message.into())
}

/// `text REGEXP pattern`, which SQLite calls as `regexp(pattern, text)`; NULL if either is.
fn regexp(context: &mut Context<'_>) -> rusqlite::Result<Option<bool>> {
    let pattern = context.get_or_create_aux(0, |value| -> Result<Option<Regex>, rusqlite::Error> {
        match as_text(value) {
            None => Ok(None),
            Some(pattern) => RegexBuilder::new(&pattern)
                .size_limit(PATTERN_BYTES)
                .dfa_size_limit(PATTERN_BYTES)
                .build()
                .map(Some)
                .map_err(|error| user_error(format!("REGEXP pattern: {error}"))),
        }
    })?;
    let text = as_text(context.get_raw(1));
    Ok(match (pattern.as_ref(), text) {
        (Some(pattern), Some(text)) => Some(pattern.is_match(&text)),
        _ => None,
    })
}

fn as_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(crate::table::Value::Real(number).into_cell().unwrap_or_default()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// What a date function sees of text or binary data: it reads up to the first NUL.
fn as_c_text(value: ValueRef<'_>) -> Option<String> {
    let (ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = value else {
        return None;
    };
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// SQLite's own function, asked on a connection without this override, once it is sure not to look at the clock.
fn date_function(
    name: &str,
    times_from: usize,
    inner: &Mutex<Option<Connection>>,
    context: &mut Context<'_>,
) -> rusqlite::Result<SqlValue> {
    let clock = |what: &str| {
        user_error(format!(
            "{name}() {what}, and a statement must give the same result each time and everywhere"
        ))
    };
    if context.len() <= times_from {
        return Err(clock("without a time reads the clock"));
    }
    let mut arguments = Vec::with_capacity(context.len());
    for index in 0..context.len() {
        let value = SqlValue::try_from(context.get_raw(index)).map_err(|error| user_error(error.to_string()))?;
        if let (Some(text), true) = (as_c_text(context.get_raw(index)), index >= times_from) {
            let is_time = index == times_from || name == "timediff";
            match text.trim().to_ascii_lowercase().as_str() {
                "now" => return Err(clock("of 'now' reads the clock")),
                "subsec" | "subsecond" if is_time => return Err(clock("of 'subsec' alone reads the clock")),
                "localtime" | "utc" => return Err(clock("with 'localtime' or 'utc' depends on the time zone")),
                _ => {}
            }
        }
        arguments.push(value);
    }
    let mut inner = inner.lock().unwrap_or_else(PoisonError::into_inner);
    let connection = match &mut *inner {
        Some(connection) => connection,
        empty => empty.insert(Connection::open_in_memory()?),
    };
    let marks = vec!["?"; arguments.len()].join(",");
    connection
        .prepare_cached(&format!("SELECT {name}({marks})"))?
        .query_row(rusqlite::params_from_iter(arguments), |row| row.get(0))
}
