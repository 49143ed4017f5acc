//! The file of a call store: taking it, making it, and refusing what is none.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::row::COLUMNS;
use super::store::StoreError;

/// Marks a SQLite file as a call store of this project: `tjcs`.
const APPLICATION_ID: i32 = 0x746a_6373;

/// Counts up with every change of the tables.
pub(crate) const SCHEMA_VERSION: i32 = 1;

const SCHEMA: &str = "
CREATE TABLE calls (
    key TEXT PRIMARY KEY NOT NULL,
    request TEXT NOT NULL,
    name TEXT NOT NULL,
    purpose TEXT NOT NULL,
    sample TEXT NOT NULL,
    arm TEXT NOT NULL,
    turn INTEGER NOT NULL,
    text TEXT,
    finish TEXT,
    refusal TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    error TEXT,
    raw TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    elapsed_milliseconds INTEGER NOT NULL,
    stored_at INTEGER NOT NULL
) STRICT;
";

/// Stores up to this size are read through when they are opened; larger ones are checked as far as they are read.
const CHECKED_BYTES: u64 = 64 << 20;

/// Takes the lock of a store: a file beside it that holds the number of the process that has it.
pub(crate) fn lock_file(file: &Path) -> Result<File, StoreError> {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    let failed = |error: std::io::Error| StoreError::Access {
        file: file.to_owned(),
        action: "opened",
        message: error.to_string(),
    };
    let mut lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&name)
        .map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {
            lock.set_len(0).map_err(failed)?;
            lock.rewind().map_err(failed)?;
            writeln!(lock, "{}", std::process::id()).map_err(failed)?;
            Ok(lock)
        }
        Err(TryLockError::WouldBlock) => {
            let mut process = String::new();
            // The number is a courtesy: a lock without one is still a lock.
            let _ = lock.read_to_string(&mut process);
            let process = process.trim().to_owned();
            Err(StoreError::InUse {
                file: file.to_owned(),
                process: (!process.is_empty()).then_some(process),
            })
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Makes the table in an empty file, and sets how it is written.
pub(crate) fn prepare(file: &Path, connection: &Connection) -> Result<(), StoreError> {
    let set = || -> rusqlite::Result<()> {
        connection.busy_timeout(Duration::from_secs(30))?;
        let empty: bool = connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
        let version: i32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if empty && version == 0 {
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            connection.execute_batch(&format!(
                "BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id = {APPLICATION_ID}; \
                 PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            ))?;
        }
        connection.execute_batch("PRAGMA synchronous = NORMAL;")
    };
    set().map_err(|error| failure(file, "opened", &error))
}

/// Refuses what is not a sound call store of this version.
pub(crate) fn check(file: &Path, connection: &Connection) -> Result<(), StoreError> {
    let pragma = |name: &str| -> Result<i32, StoreError> {
        connection
            .query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
            .map_err(|error| failure(file, "opened", &error))
    };
    let corrupt = |message: String| StoreError::Corrupt {
        file: file.to_owned(),
        message,
    };
    if pragma("application_id")? != APPLICATION_ID {
        return Err(corrupt("it is a SQLite database of something else".to_owned()));
    }
    let found = pragma("user_version")?;
    if found != SCHEMA_VERSION {
        return Err(StoreError::Version {
            file: file.to_owned(),
            found,
        });
    }
    connection
        .prepare(&format!("SELECT {COLUMNS} FROM calls"))
        .map_err(|error| failure(file, "opened", &error))?;
    let bytes = file.metadata().map(|metadata| metadata.len()).unwrap_or(0);
    if bytes <= CHECKED_BYTES {
        let said: String = connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| failure(file, "opened", &error))?;
        if said != "ok" {
            return Err(corrupt(said));
        }
    }
    Ok(())
}

/// Whether calls of a killed run wait beside the file to be put into it.
pub(crate) fn has_log(file: &Path) -> bool {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    Path::new(&name).metadata().is_ok_and(|metadata| metadata.len() > 0)
}

/// What SQLite said, as an error of the store.
pub(crate) fn failure(file: &Path, action: &'static str, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode;
    let message = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt {
            file: file.to_owned(),
            message,
        },
        _ => StoreError::Access {
            file: file.to_owned(),
            action,
            message,
        },
    }
}

/// A path within a URI.
pub(crate) fn percent_encoded(path: &str) -> String {
    let mut encoded = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}
