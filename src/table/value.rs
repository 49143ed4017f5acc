//! The typed view of a table: what kind of column each is, and the value of each cell.
//!
//! The rule is that of `pandas.to_numeric` (3.1), because the recorded runs in the literature were typed by it: a column
//! is numeric if and only if every cell reads as a number. In particular
//!
//! - only ASCII digits count, with an optional sign, point and exponent: `+3`, `5.`, `.5`, `1e3`, `007` are numbers;
//!   `1,000`, `12%`, `1_000`, `0x1F`, `- 5`, `True`, `nan` and digits of other scripts are text;
//! - blanks around are ignored, but only the six of ASCII: a no-break space makes text;
//! - `inf` and `infinity`, in any case and with a sign but no blanks, are numbers, and so is what overflows (`1e400`);
//! - NULL and the empty string have no value and do not make a column text; a blank does. A column without a single
//!   value is numeric too, and all its cells are NULL.
//! - whole numbers in a column that has a fraction or a cell without a value are [`Value::Real`].
//!
//! It differs from pandas in two points. A whole number beyond 64 bits makes the column [`ColumnType::Real`], where pandas
//! gives `uint64`, Python integers or text by turns. And every real is the nearest one to its text, where pandas can be
//! off in the last digit (`5E71`).
//!
//! The view never rewrites a cell: the table keeps the text. What numbers with units or dates mean is read by
//! [`super::reading`], and never by the typed view.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cell, Table};

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

impl ColumnType {
    /// The type that SQLite's `CREATE TABLE` declares for such a column.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Text => "TEXT",
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
        }
    }
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

impl Value {
    /// The value as a cell of a computed table. Whole reals keep their point (`12.0`), so that they stay real when the
    /// table is typed again.
    pub fn into_cell(self) -> Cell {
        match self {
            Self::Null => None,
            Self::Integer(number) => Some(number.to_string()),
            Self::Real(number) => Some(format!("{number:?}")),
            Self::Text(text) => Some(text),
        }
    }
}

/// A table with the type of each column.
#[derive(Clone, Debug)]
pub struct TypedView<'table> {
    table: &'table Table,
    types: Vec<ColumnType>,
}

impl<'table> TypedView<'table> {
    /// The type of each column, in order.
    pub fn types(&self) -> &[ColumnType] {
        &self.types
    }

    /// The typed rows, top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = Vec<Value>> + '_ {
        let table: &'table Table = self.table;
        table.rows.iter().map(|row| {
            row.iter()
                .zip(&self.types)
                .map(|(cell, &column_type)| typed_value(cell, column_type))
                .collect()
        })
    }
}

impl Table {
    /// The typed view.
    pub fn typed(&self) -> TypedView<'_> {
        TypedView {
            table: self,
            types: self.column_types(),
        }
    }

    /// The type of each column, in order.
    pub fn column_types(&self) -> Vec<ColumnType> {
        (0..self.columns.len()).map(|column| self.column_type(column)).collect()
    }

    /// The type of the column at this 0-based position; a table without rows holds [`ColumnType::Text`].
    pub fn column_type(&self, column: usize) -> ColumnType {
        column_type(self.rows.iter().filter_map(|row| row.get(column)))
    }
}

/// The type of a column of these cells.
pub fn column_type<'cells>(cells: impl Iterator<Item = &'cells Cell>) -> ColumnType {
    let mut whole = true;
    let mut any = false;
    for cell in cells {
        any = true;
        match read_cell(cell) {
            Some(Value::Integer(_)) => {}
            Some(Value::Real(_) | Value::Null) => whole = false,
            Some(Value::Text(_)) | None => return ColumnType::Text,
        }
    }
    match (any, whole) {
        (false, _) => ColumnType::Text,
        (true, true) => ColumnType::Integer,
        (true, false) => ColumnType::Real,
    }
}

/// The value of a cell in a column of this type. A cell that is no number stays text, whatever the column.
pub fn typed_value(cell: &Cell, column_type: ColumnType) -> Value {
    let text = match cell {
        None => return Value::Null,
        Some(text) => text,
    };
    let read = match column_type {
        ColumnType::Text => None,
        ColumnType::Integer => read_cell(cell),
        ColumnType::Real => match read_cell(cell) {
            Some(Value::Integer(number)) => Some(Value::Real(number as f64)),
            read => read,
        },
    };
    read.unwrap_or_else(|| Value::Text(text.clone()))
}

/// NULL for a cell without a value, the number that it is, or nothing.
fn read_cell(cell: &Cell) -> Option<Value> {
    match cell.as_deref() {
        None | Some("") => Some(Value::Null),
        Some(text) => plain_number(text),
    }
}

/// The number written by a sign and at most 18 digits, which is most numbers of most tables: one pass, and no overflow.
fn short_integer(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut number = 0_i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -number } else { number })
}

/// The number that `pandas.to_numeric` reads: [`Value::Integer`] when it is whole, fits 64 bits and has neither point
/// nor exponent.
fn plain_number(text: &str) -> Option<Value> {
    if let Some(number) = short_integer(text) {
        return Some(Value::Integer(number));
    }
    let infinite = text.strip_prefix(['+', '-']).unwrap_or(text);
    if infinite.eq_ignore_ascii_case("inf") || infinite.eq_ignore_ascii_case("infinity") {
        let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
        return Some(Value::Real(sign * f64::INFINITY));
    }
    let text = text.trim_matches(|character| matches!(character, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r'));
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    // Rust's own reader takes the same forms, apart from words.
    let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') || !unsigned.bytes().all(plain) {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = text.parse::<i64>()
    {
        return Some(Value::Integer(number));
    }
    text.parse::<f64>().ok().map(Value::Real)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn number(text: &str) -> Option<Value> {
        plain_number(text)
    }

    fn table(column: &[Option<&str>]) -> Table {
        let rows = column.iter().map(|cell| vec![cell.map(str::to_owned)]).collect();
        Table::new(super::super::columns::name_columns(vec!["a".to_owned()]), rows).unwrap()
    }

    fn values(column: &[Option<&str>]) -> Vec<Value> {
        table(column).typed().rows().flatten().collect()
    }

    /// What `pandas.to_numeric` 3.1.1 gave for a series of this one text.
    #[test]
    fn numbers_as_pandas_reads_them() {
        for (text, whole) in [
            ("5", 5),
            (" 5", 5),
            ("\t5\n", 5),
            ("\u{b}5\u{c}", 5),
            ("+3", 3),
            ("-0", 0),
            ("007", 7),
        ] {
            assert_eq!(number(text), Some(Value::Integer(whole)), "{text:?}");
        }
        assert_eq!(number("9223372036854775807"), Some(Value::Integer(i64::MAX)));
        assert_eq!(number("-9223372036854775808"), Some(Value::Integer(i64::MIN)));
        for (text, real) in [
            ("1.", 1.0),
            (".5", 0.5),
            ("+.5", 0.5),
            ("-.5e-3", -0.0005),
            ("1.e5", 1e5),
            ("1e3", 1e3),
            ("1E+5 ", 1e5),
            ("1e0005", 1e5),
            ("1e400", f64::INFINITY),
            ("1e-400", 0.0),
            ("-INF", f64::NEG_INFINITY),
            ("+iNfinity", f64::INFINITY),
            ("1e23", 1e23),
        ] {
            assert_eq!(number(text), Some(Value::Real(real)), "{text:?}");
        }
        for text in [
            " ",
            "\u{a0}5",
            "5\u{a0}",
            "1_000",
            "1e",
            "e3",
            "nan",
            "NaN",
            "-nan",
            "0x1F",
            "True",
            ".",
            "-",
            "+",
            "1,000",
            "1 000",
            "12%",
            "$5",
            "1d3",
            "5L",
            "--5",
            "+-5",
            "- 5",
            "1e+",
            "1.5.5",
            "None",
            "1e3.5",
            "²",
            "½",
            "１２",
            "١٢٣",
            "1\u{0}",
            "\u{feff}5",
            "\u{1c}5",
            "\u{85}5",
            "\u{3000}5",
            "#",
            ".e5",
            "infinit",
            " inf",
            "i",
            "- inf",
        ] {
            assert_eq!(number(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_whole_number_beyond_64_bits_is_real() {
        assert_eq!(
            number("9223372036854775808"),
            Some(Value::Real(9_223_372_036_854_775_808.0))
        );
        assert_eq!(
            table(&[Some("1"), Some("18446744073709551616")]).column_type(0),
            ColumnType::Real
        );
    }

    #[test]
    fn one_text_makes_a_column_text() {
        let column = [Some("1"), Some("-"), None, Some("")];
        assert_eq!(table(&column).column_type(0), ColumnType::Text);
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(values(&column), [text("1"), text("-"), Value::Null, text("")]);
    }

    #[test]
    fn a_fraction_or_a_missing_value_makes_a_column_real() {
        assert_eq!(values(&[Some("1"), Some("2")]), [Value::Integer(1), Value::Integer(2)]);
        assert_eq!(values(&[Some("1"), Some("2.5")]), [Value::Real(1.0), Value::Real(2.5)]);
        assert_eq!(values(&[Some("1"), None]), [Value::Real(1.0), Value::Null]);
        assert_eq!(values(&[Some("1"), Some("")]), [Value::Real(1.0), Value::Null]);
    }

    #[test]
    fn a_column_without_values_is_null() {
        assert_eq!(values(&[Some(""), Some("")]), [Value::Null, Value::Null]);
        assert_eq!(table(&[]).column_type(0), ColumnType::Text);
    }

    #[test]
    fn reals_stay_real_when_typed_again() {
        for real in [12.0, 1e22, -0.5, 1e-7, f64::INFINITY, f64::MAX] {
            let cell = Value::Real(real).into_cell();
            assert_eq!(column_type([cell.clone()].iter()), ColumnType::Real);
            assert_eq!(typed_value(&cell, ColumnType::Real), Value::Real(real));
        }
    }
}
