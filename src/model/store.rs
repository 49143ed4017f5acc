//! The call store: every answer under the key of its request, in one SQLite file.
//!
//! An answer is used only after it is stored, so a run that is killed at any point loses at most the calls under way.
//! Writes go through one thread that commits whatever has queued up in one transaction ([`super::writer`]); reads run
//! beside it. The file is in WAL mode with `synchronous = NORMAL`: it survives the death of the process at any point,
//! and stays sound (though it may lack the last calls) when the machine loses power. One process writes at a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::database::{SCHEMA_VERSION, check, failure, has_log, lock_file, percent_encoded, prepare};
use super::flight::Flights;
use super::record::{CallOutcome, CallRecord};
use super::row::{COLUMNS, StoredRow, read_outcome, stored_row, usage_columns};
use super::writer::{Draft, Writer};

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

/// A lock that outlives a panic elsewhere: what it guards is whole at every point.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
