//! The rows of a log: JSON lines, CSV or TSV, with the line each stands on.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::super::{ImportError, read_text};

/// One row.
pub(super) struct Row {
    /// 1-based line.
    pub(super) line: usize,
    /// Its fields.
    pub(super) fields: Map<String, Value>,
}

/// Reads every row; the digest is of the very text that was read.
pub(super) fn read(path: &Path) -> Result<(Vec<Row>, String), ImportError> {
    let text = read_text(path)?;
    let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
    let text = text.trim_start_matches('\u{feff}');
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let rows = match ending.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => json_lines(path, text)?,
        "csv" => separated(path, text, b',')?,
        "tsv" => separated(path, text, b'\t')?,
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
    Ok((rows, digest))
}

fn json_lines(path: &Path, text: &str) -> Result<Vec<Row>, ImportError> {
    let lines = text.split('\n').enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(
            |(index, line)| match serde_json::from_str(line).map(|Unique(value)| value) {
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
            },
        )
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
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(wrong)?.clone();
    let mut names = BTreeSet::new();
    if let Some(twice) = header.iter().find(|name| !names.insert(*name)) {
        return Err(ImportError::line(
            path,
            1,
            format!("two columns are called {twice:?}"),
            "give each column a name of its own",
        ));
    }
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

/// A JSON value in which no object has a key twice: which of the two is meant, nobody knows.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a JSON value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(value.into())
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let mut values = Vec::new();
                while let Some(Unique(value)) = items.next_element()? {
                    values.push(value);
                }
                Ok(Value::Array(values))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
                let mut fields = Map::new();
                while let Some((key, Unique(value))) = entries.next_entry::<String, Unique>()? {
                    if fields.contains_key(&key) {
                        return Err(A::Error::custom(format!("the key {key:?} stands twice in one object")));
                    }
                    fields.insert(key, value);
                }
                Ok(Value::Object(fields))
            }
        }
        deserializer.deserialize_any(Any).map(Unique)
    }
}
