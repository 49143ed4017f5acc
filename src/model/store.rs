//! The call store: every answer under the key of its request, in one SQLite file.
//!
//! An answer is used only after it is stored, so a run that is killed at any point loses at most the calls under way.
//! Writes go through one thread that commits whatever has queued up in one transaction ([`super::writer`]); reads run
//! beside it. The file is in WAL mode with `synchronous = NORMAL`: it survives the death of the process at any point,
//! and stays sound (though it may lack the last calls) when the machine loses power. One process writes at a time.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};

use super::flight::Flights;
use super::key::KeyedRequest;
use super::record::{CallOutcome, CallRecord};
use super::writer::{Draft, Writer};
use super::{FinishReason, Purpose, Usage};

/// Marks a SQLite file as a call store of this project: `tjcs`.
const APPLICATION_ID: i32 = 0x746a_6373;

/// Counts up with every change of the tables.
const SCHEMA_VERSION: i32 = 1;

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

const COLUMNS: &str = "key, request, name, purpose, sample, arm, turn, text, finish, refusal, input_tokens, \
                       output_tokens, error, raw, attempts, elapsed_milliseconds, stored_at";

/// Stores up to this size are read through when they are opened; larger ones are checked as far as they are read.
const CHECKED_BYTES: u64 = 64 << 20;

/// A call store that cannot be opened, read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another process has it.
    #[error(
        "the call store {} is in use by another run{}; wait for it or stop it, then try again",
        .file.display(),
        .process.as_ref().map(|id| format!(" (process {id})")).unwrap_or_default()
    )]
    InUse {
        /// The store.
        file: PathBuf,
        /// The other process, where it said.
        process: Option<String>,
    },
    /// Not a call store, or a broken one.
    #[error(
        "{} is not a call store that can be read: {message}; move it away and run again (its calls will be made anew), \
         or save what is left with `sqlite3 FILE .recover`",
        .file.display()
    )]
    Corrupt {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// Written by another version.
    #[error(
        "the call store {} has version {found}, and this tabjury knows version {SCHEMA_VERSION}; use the tabjury that \
         wrote it, or begin a new run",
        .file.display()
    )]
    Version {
        /// The store.
        file: PathBuf,
        /// Its version.
        found: i32,
    },
    /// Opened for reading alone.
    #[error("the call store {} is open for reading only", .file.display())]
    ReadOnly {
        /// The store.
        file: PathBuf,
    },
    /// The file system or SQLite said no.
    #[error("the call store {} cannot be {action}: {message}", .file.display())]
    Access {
        /// The store.
        file: PathBuf,
        /// What was tried: `opened`, `read` or `written`.
        action: &'static str,
        /// Why it failed.
        message: String,
    },
}

/// All calls of a run.
pub struct CallStore {
    file: PathBuf,
    backing: Backing,
    pub(crate) flights: Flights,
}

enum Backing {
    File {
        /// Dropped before the writer: only a connection that writes can put the write-ahead log away, and only the
        /// last one to close does.
        readers: Mutex<Vec<Connection>>,
        /// `None` when open for reading only.
        writer: Option<Writer>,
        flags: OpenFlags,
        /// As SQLite wants it: a path, or a URI for a store that nothing can change.
        address: String,
        /// Held for as long as the store is open; the system lets go of it when the process dies.
        _lock: Option<File>,
    },
    Memory(Mutex<BTreeMap<String, CallRecord>>),
}

impl CallStore {
    /// Opens a store for a run, making the file if there is none.
    ///
    /// # Errors
    ///
    /// Another process has it; it is no call store, a broken one or one of another version; or the file system fails.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let lock = lock_file(file)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags).map_err(|error| failure(file, "opened", &error))?;
        prepare(file, &connection)?;
        check(file, &connection)?;
        let writer = Writer::start(file, connection)?;
        Ok(Self {
            file: file.to_owned(),
            backing: Backing::File {
                writer: Some(writer),
                readers: Mutex::default(),
                flags: OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
                address: file.to_string_lossy().into_owned(),
                _lock: Some(lock),
            },
            flights: Flights::default(),
        })
    }

    /// Opens a store to read it, whether or not a run is writing to it.
    ///
    /// # Errors
    ///
    /// There is no such file; it is no call store, a broken one or one of another version.
    pub fn open_read_only(file: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let attempt = |address: &str, flags| {
            let connection =
                Connection::open_with_flags(address, flags).map_err(|error| failure(file, "opened", &error))?;
            check(file, &connection)?;
            Ok(connection)
        };
        let path = file.to_string_lossy().into_owned();
        let (connection, address, flags) = match attempt(&path, flags) {
            Ok(connection) => (connection, path, flags),
            // A store in a directory that cannot be written to has no room for the files that WAL needs. Without them it
            // is read as it lies, which is all there is only when no log of a killed run lies beside it.
            Err(StoreError::Access { .. }) if file.is_file() && !has_log(file) => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                let address = format!("file:{}?immutable=1", percent_encoded(&path));
                (attempt(&address, flags)?, address, flags)
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            file: file.to_owned(),
            backing: Backing::File {
                writer: None,
                readers: Mutex::new(vec![connection]),
                flags,
                address,
                _lock: None,
            },
            flights: Flights::default(),
        })
    }

    /// A store that is gone when it is dropped, for a question asked without a run.
    pub fn in_memory() -> Self {
        Self {
            file: PathBuf::from(":memory:"),
            backing: Backing::Memory(Mutex::default()),
            flights: Flights::default(),
        }
    }

    /// Where it is.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Number of calls.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn count(&self) -> Result<u64, StoreError> {
        match &self.backing {
            Backing::Memory(records) => Ok(lock(records).len() as u64),
            Backing::File { .. } => self.with_reader(|connection| {
                connection
                    .query_row("SELECT count(*) FROM calls", [], |row| row.get::<_, i64>(0))
                    .map(i64::unsigned_abs)
            }),
        }
    }

    /// The call under a key.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or holds something else than a call there.
    pub fn record(&self, key: &str) -> Result<Option<CallRecord>, StoreError> {
        match &self.backing {
            Backing::Memory(records) => Ok(lock(records).get(key).cloned()),
            Backing::File { .. } => self
                .with_reader(|connection| {
                    connection
                        .prepare_cached(&format!("SELECT {COLUMNS} FROM calls WHERE key = ?1"))?
                        .query_row([key], stored_row)
                        .optional()
                })?
                .map(|row| self.read(row))
                .transpose(),
        }
    }

    /// What came of the call under a key; the part of [`Self::record`] that an asker waits for.
    pub(crate) fn outcome(&self, key: &str) -> Result<Option<CallOutcome>, StoreError> {
        if let Backing::Memory(records) = &self.backing {
            return Ok(lock(records).get(key).map(|record| record.outcome.clone()));
        }
        let columns = self.with_reader(|connection| {
            connection
                .prepare_cached(
                    "SELECT text, finish, refusal, error, input_tokens, output_tokens FROM calls WHERE key = ?1",
                )?
                .query_row([key], |row| {
                    Ok((
                        row.get(0)?,
                        row.get(1)?,
                        row.get(2)?,
                        usage_columns(row, 4)?,
                        row.get(3)?,
                    ))
                })
                .optional()
        })?;
        columns
            .map(|(text, finish, refusal, usage, error)| {
                read_outcome(text, finish, refusal, usage, error).map_err(|message| self.corrupt(key, &message))
            })
            .transpose()
    }

    /// The calls under these keys, in their order; a key that is not in the store is left out.
    ///
    /// # Errors
    ///
    /// As [`Self::record`].
    pub fn records<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> Result<Vec<CallRecord>, StoreError> {
        let mut records = Vec::new();
        for key in keys {
            records.extend(self.record(key)?);
        }
        Ok(records)
    }

    /// Every call, in the order of the keys, one after the other.
    ///
    /// # Errors
    ///
    /// As [`Self::record`].
    pub fn for_each(&self, mut visit: impl FnMut(CallRecord)) -> Result<(), StoreError> {
        match &self.backing {
            Backing::Memory(records) => lock(records).values().cloned().for_each(visit),
            Backing::File { .. } => {
                let keys: Vec<String> = self.with_reader(|connection| {
                    connection
                        .prepare("SELECT key FROM calls ORDER BY key")?
                        .query_map([], |row| row.get(0))?
                        .collect()
                })?;
                for key in keys {
                    if let Some(record) = self.record(&key)? {
                        visit(record);
                    }
                }
            }
        }
        Ok(())
    }

    /// Stores a call and returns once it is safe. A key that is there already keeps its first answer.
    pub(crate) async fn put(&self, draft: Draft) -> Result<(), StoreError> {
        match &self.backing {
            Backing::Memory(records) => {
                let record = self.read(draft.into_row())?;
                lock(records).entry(record.key.clone()).or_insert(record);
                Ok(())
            }
            Backing::File {
                writer: Some(writer), ..
            } => writer.put(draft).await,
            Backing::File { writer: None, .. } => Err(StoreError::ReadOnly {
                file: self.file.clone(),
            }),
        }
    }

    fn with_reader<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let Backing::File {
            readers,
            flags,
            address,
            ..
        } = &self.backing
        else {
            return Err(self.access("read", "it has no file".to_owned()));
        };
        let pooled = lock(readers).pop();
        let connection = match pooled {
            Some(connection) => connection,
            None => {
                let connection = Connection::open_with_flags(address, *flags)
                    .map_err(|error| failure(&self.file, "opened", &error))?;
                connection
                    .busy_timeout(Duration::from_secs(30))
                    .map_err(|error| failure(&self.file, "opened", &error))?;
                connection
            }
        };
        let result = read(&connection).map_err(|error| failure(&self.file, "read", &error));
        lock(readers).push(connection);
        result
    }

    fn access(&self, action: &'static str, message: String) -> StoreError {
        StoreError::Access {
            file: self.file.clone(),
            action,
            message,
        }
    }

    fn read(&self, row: StoredRow) -> Result<CallRecord, StoreError> {
        let key = row.key.clone();
        row.into_record().map_err(|message| self.corrupt(&key, &message))
    }

    fn corrupt(&self, key: &str, message: &str) -> StoreError {
        StoreError::Corrupt {
            file: self.file.clone(),
            message: format!("call {key}: {message}"),
        }
    }
}

/// A row as it lies in the file.
pub(crate) struct StoredRow {
    pub(crate) key: String,
    pub(crate) request: String,
    pub(crate) name: String,
    pub(crate) purpose: Purpose,
    pub(crate) text: Option<String>,
    pub(crate) finish: Option<String>,
    pub(crate) refusal: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) error: Option<String>,
    pub(crate) raw: String,
    pub(crate) attempts: u32,
    pub(crate) elapsed_milliseconds: u64,
    pub(crate) stored_at: i64,
}

impl StoredRow {
    fn into_record(self) -> Result<CallRecord, String> {
        if blake3::hash(self.request.as_bytes()).to_hex().as_str() != self.key {
            return Err("the request does not fit its key".to_owned());
        }
        let request: KeyedRequest = serde_json::from_str(&self.request).map_err(|error| error.to_string())?;
        let outcome = read_outcome(self.text, self.finish, self.refusal, self.usage, self.error)?;
        Ok(CallRecord {
            key: self.key,
            purpose: self.purpose,
            name: self.name,
            provider: request.provider,
            base_url: request.base_url,
            model: request.model,
            messages: request.messages,
            sampling: request.sampling,
            repeat: request.repeat,
            outcome,
            raw: self.raw,
            attempts: self.attempts,
            elapsed_milliseconds: self.elapsed_milliseconds,
            stored_at: self.stored_at,
        })
    }
}

/// The word that a finish reason is stored under.
pub(crate) fn finish_word(finish: FinishReason) -> &'static str {
    match finish {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Other => "other",
    }
}

/// What came of a call, from the columns that say so.
fn read_outcome(
    text: Option<String>,
    finish: Option<String>,
    refusal: Option<String>,
    usage: Option<Usage>,
    error: Option<String>,
) -> Result<CallOutcome, String> {
    match (text, finish, error) {
        (Some(text), Some(finish), None) => Ok(CallOutcome::Answer {
            text,
            finish: read_finish(&finish)?,
            refusal,
            usage,
        }),
        (None, None, Some(error)) => serde_json::from_str(&error)
            .map(CallOutcome::Error)
            .map_err(|error| error.to_string()),
        _ => Err("neither an answer nor an error".to_owned()),
    }
}

fn read_finish(word: &str) -> Result<FinishReason, String> {
    match word {
        "stop" => Ok(FinishReason::Stop),
        "length" => Ok(FinishReason::Length),
        "content_filter" => Ok(FinishReason::ContentFilter),
        "other" => Ok(FinishReason::Other),
        _ => Err(format!("`{word}` is no finish reason")),
    }
}

fn usage_columns(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Usage>> {
    let (input, output): (Option<i64>, Option<i64>) = (row.get(first)?, row.get(first + 1)?);
    Ok(input.zip(output).map(|(input, output)| Usage {
        input_tokens: input.unsigned_abs(),
        output_tokens: output.unsigned_abs(),
    }))
}

fn stored_row(row: &Row<'_>) -> rusqlite::Result<StoredRow> {
    Ok(StoredRow {
        key: row.get(0)?,
        request: row.get(1)?,
        name: row.get(2)?,
        purpose: Purpose {
            name: row.get(3)?,
            sample: row.get(4)?,
            arm: row.get(5)?,
            turn: row.get(6)?,
        },
        text: row.get(7)?,
        finish: row.get(8)?,
        refusal: row.get(9)?,
        usage: usage_columns(row, 10)?,
        error: row.get(12)?,
        raw: row.get(13)?,
        attempts: row.get(14)?,
        elapsed_milliseconds: row.get::<_, i64>(15)?.unsigned_abs(),
        stored_at: row.get(16)?,
    })
}

/// Takes the lock of a store: a file beside it that holds the number of the process that has it.
fn lock_file(file: &Path) -> Result<File, StoreError> {
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
fn prepare(file: &Path, connection: &Connection) -> Result<(), StoreError> {
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
fn check(file: &Path, connection: &Connection) -> Result<(), StoreError> {
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
fn has_log(file: &Path) -> bool {
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
fn percent_encoded(path: &str) -> String {
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

/// A lock that outlives a panic elsewhere: what it guards is whole at every point.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
