//! The rows of a log: JSON lines, CSV or TSV, with the line each stands on.

use std::path::Path;

use serde_json::{Map, Value};

use super::super::{ImportError, read_text};

/// One row.
pub(super) struct Row {
    /// 1-based line.
    pub(super) line: usize,
    /// Its fields.
    pub(super) fields: Map<String, Value>,
}

/// Reads every row.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, ImportError> {
    let text = read_text(path)?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let rows = match ending.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => json_lines(path, &text)?,
        "csv" => separated(path, &text, b',')?,
        "tsv" => separated(path, &text, b'\t')?,
        _ => {
            return Err(ImportError::file(
                path,
                "its name does not say what it is",
                "name a .jsonl, .csv or .tsv file",
            ));
        }
    };
    if rows.is_empty() {
        return Err(ImportError::file(path, "it has no rows", "name a log that has some"));
    }
    Ok(rows)
}

fn json_lines(path: &Path, text: &str) -> Result<Vec<Row>, ImportError> {
    let lines = text.split('\n').enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| match serde_json::from_str(line) {
            Ok(Value::Object(fields)) => Ok(Row {
                line: index + 1,
                fields,
            }),
            Ok(_) => Err(ImportError::line(
                path,
                index + 1,
                "it is no object",
                "write one object a line",
            )),
            Err(error) => Err(ImportError::line(
                path,
                index + 1,
                error.to_string(),
                "write one object a line",
            )),
        })
        .collect()
}

fn separated(path: &Path, text: &str, delimiter: u8) -> Result<Vec<Row>, ImportError> {
    const NEXT: &str = "mend the line; fields with separators or line breaks are quoted (RFC 4180)";
    let wrong = |error: csv::Error| {
        let line = error.position().map_or(1, |position| position.line() as usize);
        ImportError::line(path, line, error.to_string(), NEXT)
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let header = reader.headers().map_err(wrong)?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, |position| position.line() as usize);
        let fields = header
            .iter()
            .zip(&record)
            .map(|(name, value)| (name.to_owned(), Value::from(value)))
            .collect();
        rows.push(Row { line, fields });
    }
    Ok(rows)
}
