//! The typed view of a cell's text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a column holds, by the rule of `pandas.to_numeric`: numeric if and only if every cell reads as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnType {
    /// Anything else.
    Text,
    /// Every cell is a whole number.
    Integer,
    /// Every cell is a number, and one has a fraction, an exponent or no value.
    Real,
}

/// A typed cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
}
