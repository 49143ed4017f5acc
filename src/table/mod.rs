//! Tables: the text of every cell exactly as its source gave it, and a typed view computed beside it.
//!
//! A table knows nothing of where it came from, of models or of SQL engines. [`columns`] makes the SQL-safe names,
//! [`value`] types them, [`reading`] reads looser numbers and dates, [`prompt`] writes the text forms that prompts use.

pub mod columns;
pub mod prompt;
pub mod reading;
mod reserved;
pub mod value;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use columns::Column;
pub use value::{ColumnType, TypedView, Value};

/// The text of one cell; `None` is SQL's NULL, which only a computed table can hold. An empty string is a text.
pub type Cell = Option<String>;

/// A rectangle of cells under named columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// One entry a column, in order.
    pub columns: Vec<Column>,
    /// Body rows, top to bottom; each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

/// A row whose length is not that of the header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {row} (counted from 1, the header apart) has {found} cells, but the header has {expected}")]
pub struct RaggedRow {
    /// 1-based body row.
    pub row: usize,
    /// Cells the row has.
    pub found: usize,
    /// Cells the header has.
    pub expected: usize,
}

impl Table {
    /// Builds a table of text cells, making an SQL-safe name for every header.
    pub fn from_text<H, R>(header: H, rows: R) -> Result<Self, RaggedRow>
    where
        H: IntoIterator,
        H::Item: Into<String>,
        R: IntoIterator<Item = Vec<String>>,
    {
        let columns = columns::name_columns(header.into_iter().map(Into::into).collect());
        let rows = rows
            .into_iter()
            .map(|row| row.into_iter().map(Some).collect())
            .collect();
        Self::new(columns, rows)
    }

    /// Builds a table from named columns and cells, refusing rows of another length.
    pub fn new(columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Result<Self, RaggedRow> {
        for (index, row) in rows.iter().enumerate() {
            if row.len() != columns.len() {
                return Err(RaggedRow {
                    row: index + 1,
                    found: row.len(),
                    expected: columns.len(),
                });
            }
        }
        Ok(Self { columns, rows })
    }

    /// Body rows x columns, empty cells counted, the header not.
    pub fn cell_count(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}
