//! The one thread that writes to the call store. What has queued up while it wrote goes into one transaction, and
//! nobody hears that a call is stored before it is committed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, params};
use tokio::sync::oneshot;

use super::database::failure;
use super::provider::Asked;
use super::record::is_lasting;
use super::row::{StoredRow, finish_word};
use super::store::StoreError;
use super::{CallError, Purpose, key::CallKey};

/// Most calls in one transaction: enough for any concurrency, and few enough that nobody waits long.
const MOST_AT_ONCE: usize = 512;

/// A call on its way into the store.
pub(crate) struct Draft {
    pub(crate) key: CallKey,
    pub(crate) name: String,
    pub(crate) purpose: Purpose,
    pub(crate) asked: Asked,
}

impl Draft {
    /// Whether it is to be kept at all: answers, and failures that would come again.
    pub(crate) fn is_kept(&self) -> bool {
        match &self.asked.result {
            Ok(_) => true,
            Err(error) => is_lasting(error),
        }
    }

    /// The row, as of now.
    pub(crate) fn into_row(self) -> StoredRow {
        let stored_at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map(|since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            .unwrap_or(0);
        let (answer, error) = match self.asked.result {
            Ok(answer) => (Some(answer), None),
            Err(error) => (None, Some(error_text(&error))),
        };
        let (text, finish, refusal, usage) = match answer {
            Some(answer) => (
                Some(answer.text),
                Some(finish_word(answer.finish).to_owned()),
                answer.refusal,
                answer.usage,
            ),
            None => (None, None, None, None),
        };
        StoredRow {
            key: self.key.key,
            request: self.key.request,
            name: self.name,
            purpose: self.purpose,
            text,
            finish,
            refusal,
            usage,
            error,
            raw: self.asked.raw,
            attempts: self.asked.attempts,
            elapsed_milliseconds: u64::try_from(self.asked.elapsed.as_millis()).unwrap_or(u64::MAX),
            stored_at,
        }
    }
}

fn error_text(error: &CallError) -> String {
    // A failure is made of strings: there is nothing in it that JSON could not say.
    serde_json::to_string(error).unwrap_or_default()
}

struct Job {
    draft: Draft,
    done: oneshot::Sender<Result<(), StoreError>>,
}

/// The writing end of a store.
pub(crate) struct Writer {
    file: PathBuf,
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread, which owns the connection.
    pub(crate) fn start(file: &Path, connection: Connection) -> Result<Self, StoreError> {
        let (jobs, queue) = channel();
        let path = file.to_owned();
        let thread = std::thread::Builder::new()
            .name("call-store".to_owned())
            .spawn(move || write_all(&path, &connection, &queue))
            .map_err(|error| StoreError::Access {
                file: file.to_owned(),
                action: "opened",
                message: error.to_string(),
            })?;
        Ok(Self {
            file: file.to_owned(),
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Writes a call and returns once it is committed.
    pub(crate) async fn put(&self, draft: Draft) -> Result<(), StoreError> {
        let gone = || StoreError::Access {
            file: self.file.clone(),
            action: "written",
            message: "its writer has ended".to_owned(),
        };
        let (done, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        jobs.send(Job { draft, done }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Closing the queue ends the thread, after it has written what is left in it.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write_all(file: &Path, connection: &Connection, queue: &Receiver<Job>) {
    while let Ok(first) = queue.recv() {
        let mut rows = Vec::new();
        let mut waiting = Vec::new();
        for job in std::iter::once(first).chain(queue.try_iter().take(MOST_AT_ONCE - 1)) {
            rows.push(job.draft.into_row());
            waiting.push(job.done);
        }
        let result = write_batch(connection, &rows).map_err(|error| failure(file, "written", &error));
        for done in waiting {
            // Nobody waits any more when the asker was dropped; the call is stored all the same.
            let _ = done.send(result.clone());
        }
    }
}

fn write_batch(connection: &Connection, rows: &[StoredRow]) -> rusqlite::Result<()> {
    let transaction = connection.unchecked_transaction()?;
    {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO calls (key, request, name, purpose, sample, arm, turn, text, finish, refusal, \
             input_tokens, output_tokens, error, raw, attempts, elapsed_milliseconds, stored_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) ON CONFLICT (key) DO NOTHING",
        )?;
        for row in rows {
            let tokens = |pick: fn(super::Usage) -> u64| row.usage.map(|usage| clamp(pick(usage)));
            insert.execute(params![
                row.key,
                row.request,
                row.name,
                row.purpose.name,
                row.purpose.sample,
                row.purpose.arm,
                row.purpose.turn,
                row.text,
                row.finish,
                row.refusal,
                tokens(|usage| usage.input_tokens),
                tokens(|usage| usage.output_tokens),
                row.error,
                row.raw,
                row.attempts,
                clamp(row.elapsed_milliseconds),
                row.stored_at,
            ])?;
        }
    }
    transaction.commit()
}

fn clamp(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
