//! A call as a row of the store's table.

use rusqlite::Row;

use super::key::KeyedRequest;
use super::record::{CallOutcome, CallRecord};
use super::{FinishReason, Purpose, Usage};

/// The columns, in the order that [`stored_row`] reads them.
pub(crate) const COLUMNS: &str = "key, request, name, purpose, sample, arm, turn, text, finish, refusal, input_tokens, \
                       output_tokens, error, raw, attempts, elapsed_milliseconds, stored_at";

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
    /// The call, or what is wrong with the row.
    pub(crate) fn into_record(self) -> Result<CallRecord, String> {
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
pub(crate) fn read_outcome(
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

/// Tokens, from two columns beginning at `first`.
pub(crate) fn usage_columns(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Usage>> {
    let (input, output): (Option<i64>, Option<i64>) = (row.get(first)?, row.get(first + 1)?);
    Ok(input.zip(output).map(|(input, output)| Usage {
        input_tokens: input.unsigned_abs(),
        output_tokens: output.unsigned_abs(),
    }))
}

/// A whole row.
pub(crate) fn stored_row(row: &Row<'_>) -> rusqlite::Result<StoredRow> {
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
