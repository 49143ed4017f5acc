//! Values to put into a cell: what its column holds, what the statement speaks of, what lies beyond both, nothing, and
//! values of another kind.
//!
//! They are given as SQLite would hold them in a column of the type: a number in a column of text is its text, and a text
//! in a column of numbers is none that reads as a number.

use std::cmp::Ordering;

use rusqlite::types::Value as SqlValue;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::table::{Cell, ColumnType};

/// Values of a column that are tried for one of its cells.
const MOST_OF_A_COLUMN: usize = 8;
/// Literals of the statement that are tried.
const MOST_LITERALS: usize = 16;

/// What cells may become.
#[derive(Clone, Debug)]
pub(super) struct Values {
    types: Vec<ColumnType>,
    /// For each column the different values in it, in order, NULL apart.
    present: Vec<Vec<SqlValue>>,
    /// For each column its largest number, or zero.
    most: Vec<f64>,
    /// For each column and row the next row, round the end, that holds another value; none in a column of one value.
    next_other: Vec<Vec<Option<usize>>>,
    numbers: Vec<f64>,
    texts: Vec<String>,
}

impl Values {
    /// Of a table of these types, under this statement.
    pub(super) fn new(types: &[ColumnType], rows: &[Vec<SqlValue>], statement: &str) -> Self {
        let present: Vec<Vec<SqlValue>> = (0..types.len())
            .map(|column| {
                let mut values: Vec<SqlValue> = rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .filter(|value| **value != SqlValue::Null)
                    .cloned()
                    .collect();
                values.sort_by(compare);
                values.dedup();
                values
            })
            .collect();
        let (numbers, texts) = literals(statement);
        Self {
            types: types.to_vec(),
            most: present.iter().map(|values| most(values)).collect(),
            present,
            next_other: (0..types.len())
                .map(|column| {
                    let cell = |row: usize| rows.get(row).and_then(|cells| cells.get(column));
                    next_others(rows.len(), |row, after| cell(row) == cell(after))
                })
                .collect(),
            numbers,
            texts,
        }
    }

    /// Other values for a cell of a column that holds `current`, those that are likely to matter first.
    pub(super) fn alternatives(&self, column: usize, current: &SqlValue) -> Vec<SqlValue> {
        let mut found: Vec<SqlValue> = Vec::new();
        let mut add = |value: SqlValue| {
            if value != *current && !found.contains(&value) {
                found.push(value);
            }
        };
        add(SqlValue::Null);
        let is_text = self.is_text(column);
        let present = self.present.get(column).map_or(&[][..], Vec::as_slice);
        for value in spread(present, current) {
            add(value);
        }
        if is_text {
            for text in &self.texts {
                add(SqlValue::Text(text.clone()));
                let plain = text.replace(['%', '_', '*', '?', '^', '$', '[', ']'], "");
                add(SqlValue::Text(plain));
            }
            for number in &self.numbers {
                for near in [*number, number + 1.0, number - 1.0] {
                    add(SqlValue::Text(near.to_string()));
                }
            }
            for text in ["", "~", " ", "\u{10fffd}", "0", "7"] {
                add(SqlValue::Text(text.to_owned()));
            }
            if let SqlValue::Text(text) = current {
                add(SqlValue::Text(text.to_uppercase()));
                add(SqlValue::Text(text.to_lowercase()));
                add(SqlValue::Text(format!("{text}~")));
                add(SqlValue::Text(format!("~{text}")));
            }
            return found;
        }
        for number in &self.numbers {
            for near in [*number, number + 1.0, number - 1.0] {
                add(self.number(column, near));
            }
        }
        if let Some(number) = as_number(current) {
            for near in [number + 1.0, number - 1.0, -number] {
                add(self.number(column, near));
            }
        }
        let bounds = [present.first(), present.last()].map(|value| value.and_then(as_number).unwrap_or_default());
        add(self.number(column, bounds[0].min(bounds[1]) - 1.0));
        add(self.number(column, bounds[1].max(bounds[0]) + 1.0));
        add(self.number(column, 0.0));
        for text in ["", "~"] {
            add(SqlValue::Text(text.to_owned()));
        }
        for text in &self.texts {
            if text.trim().parse::<f64>().is_err() {
                add(SqlValue::Text(text.clone()));
            }
        }
        found
    }

    /// A value that the column does not hold, another for each row.
    pub(super) fn fresh(&self, column: usize, row: usize) -> SqlValue {
        if self.is_text(column) {
            return SqlValue::Text(format!("~{row}"));
        }
        let most = self.most.get(column).copied().unwrap_or_default();
        // Reals beyond 2^53 have no room for one more.
        let base = if most.abs() < 1e15 { most } else { -1e15 };
        #[allow(clippy::cast_precision_loss)]
        self.number(column, base.floor() + 1.0 + row as f64)
    }

    /// A value of another kind than the column's, another for each row: a text among numbers, digits among texts.
    pub(super) fn foreign(&self, column: usize, row: usize) -> SqlValue {
        if self.is_text(column) {
            SqlValue::Text((1000 + row).to_string())
        } else {
            SqlValue::Text(format!("~{row}"))
        }
    }

    /// The next row, round the end, whose cell in the column holds another value.
    pub(super) fn next_other(&self, column: usize, row: usize) -> Option<usize> {
        self.next_other.get(column)?.get(row).copied().flatten()
    }

    fn is_text(&self, column: usize) -> bool {
        self.types.get(column).copied().unwrap_or(ColumnType::Text) == ColumnType::Text
    }

    /// A number as a column of numbers holds it.
    fn number(&self, column: usize, number: f64) -> SqlValue {
        let bounded = number.abs() < 9e15 && number.fract() == 0.0;
        if bounded && self.types.get(column) == Some(&ColumnType::Integer) {
            #[allow(clippy::cast_possible_truncation)]
            return SqlValue::Integer(number as i64);
        }
        SqlValue::Real(number)
    }
}

fn most(values: &[SqlValue]) -> f64 {
    values.iter().filter_map(as_number).fold(0.0, f64::max)
}

/// For each row the next, round the end, that is not equal to it. One walk from the end to the beginning, twice round: a row
/// whose successor is equal has the successor's next.
fn next_others(count: usize, mut are_equal: impl FnMut(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut next = vec![None; count];
    for step in (0..2 * count).rev() {
        let (row, after) = (step % count, (step + 1) % count);
        next[row] = if are_equal(row, after) {
            next[after]
        } else {
            Some(after)
        };
    }
    next
}

/// At most [`MOST_OF_A_COLUMN`] of a column's values: the neighbours of the current one, the ends, and others between.
fn spread(present: &[SqlValue], current: &SqlValue) -> Vec<SqlValue> {
    if present.len() <= MOST_OF_A_COLUMN {
        return present.to_vec();
    }
    let place = present
        .binary_search_by(|value| compare(value, current))
        .unwrap_or_else(|place| place);
    let last = present.len() - 1;
    let mut places = vec![place.saturating_sub(1), (place + 1).min(last), 0, last];
    places.extend((1..=MOST_OF_A_COLUMN - 4).map(|part| part * last / (MOST_OF_A_COLUMN - 3)));
    places.into_iter().map(|place| present[place].clone()).collect()
}

/// The numbers and texts that a statement writes out, numbers behind a minus with their sign too.
fn literals(statement: &str) -> (Vec<f64>, Vec<String>) {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    let mut is_negative = false;
    for token in Tokenizer::new(&SQLiteDialect {}, statement)
        .tokenize()
        .unwrap_or_default()
    {
        let is_behind_minus = std::mem::replace(&mut is_negative, token == Token::Minus);
        match token {
            Token::Number(text, _) => {
                let number = text.parse::<f64>().ok();
                numbers.extend(number);
                numbers.extend(number.filter(|_| is_behind_minus).map(|number| -number));
            }
            Token::SingleQuotedString(text) | Token::DoubleQuotedString(text) => {
                numbers.extend(text.parse::<f64>().ok());
                texts.push(text);
            }
            _ => {}
        }
    }
    numbers.retain(|number| number.is_finite());
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    texts.sort();
    texts.dedup();
    numbers.truncate(MOST_LITERALS);
    texts.truncate(MOST_LITERALS);
    (numbers, texts)
}

fn as_number(value: &SqlValue) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss)]
        SqlValue::Integer(number) => Some(*number as f64),
        SqlValue::Real(number) => Some(*number),
        _ => None,
    }
}

fn compare(first: &SqlValue, second: &SqlValue) -> Ordering {
    let rank = |value: &SqlValue| match value {
        SqlValue::Null => 0,
        SqlValue::Integer(_) | SqlValue::Real(_) => 1,
        SqlValue::Text(_) => 2,
        SqlValue::Blob(_) => 3,
    };
    match (first, second) {
        (SqlValue::Text(first), SqlValue::Text(second)) => first.as_bytes().cmp(second.as_bytes()),
        (SqlValue::Blob(first), SqlValue::Blob(second)) => first.cmp(second),
        (SqlValue::Integer(first), SqlValue::Integer(second)) => first.cmp(second),
        _ => match (as_number(first), as_number(second)) {
            (Some(first), Some(second)) => first.total_cmp(&second),
            _ => rank(first).cmp(&rank(second)),
        },
    }
}

/// [`compare`], a whole number and the real of the same size told apart.
pub(super) fn in_order(first: &SqlValue, second: &SqlValue) -> Ordering {
    let is_real = |value: &SqlValue| matches!(value, SqlValue::Real(_));
    compare(first, second).then_with(|| is_real(first).cmp(&is_real(second)))
}

/// A value as a cell that the engine types again.
pub(super) fn as_cell(value: &SqlValue) -> Cell {
    match value {
        SqlValue::Null | SqlValue::Blob(_) => None,
        SqlValue::Integer(number) => Some(number.to_string()),
        SqlValue::Real(number) => Some(crate::engine::result::real_text(*number)),
        SqlValue::Text(text) => Some(text.clone()),
    }
}

/// A value as SQL writes it.
pub(super) fn as_sql(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => "NULL".to_owned(),
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Real(number) => crate::engine::result::real_text(*number),
        SqlValue::Text(text) => format!("'{}'", text.replace('\'', "''")),
        SqlValue::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("X'{digits}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(numbers: &[i64]) -> Vec<Vec<SqlValue>> {
        numbers.iter().map(|number| vec![SqlValue::Integer(*number)]).collect()
    }

    #[test]
    fn alternatives_hold_neighbours_literals_ends_and_other_kinds() {
        let values = Values::new(
            &[ColumnType::Integer],
            &integers(&[3, 8, 8, 5]),
            "SELECT * FROM table_sql WHERE a > 20 AND b = 'it''s'",
        );
        let found = values.alternatives(0, &SqlValue::Integer(8));
        assert_eq!(found[..3], [SqlValue::Null, SqlValue::Integer(3), SqlValue::Integer(5)]);
        for wanted in [19, 20, 21, 7, 9, -8, 2, 0] {
            assert!(found.contains(&SqlValue::Integer(wanted)), "{wanted}");
        }
        assert!(found.contains(&SqlValue::Text("it's".into())));
        assert!(!found.contains(&SqlValue::Integer(8)));
    }

    #[test]
    fn fresh_values_are_new_and_differ() {
        let values = Values::new(&[ColumnType::Integer], &integers(&[3, 8]), "");
        assert_eq!(values.fresh(0, 0), SqlValue::Integer(9));
        assert_eq!(values.fresh(0, 1), SqlValue::Integer(10));
        let huge = Values::new(&[ColumnType::Integer], &integers(&[i64::MAX]), "");
        assert_ne!(huge.fresh(0, 0), huge.fresh(0, 1));
    }

    #[test]
    fn the_next_other_value_is_found_round_the_end() {
        let of = |values: &[i64]| next_others(values.len(), |row, after| values[row] == values[after]);
        assert_eq!(of(&[3, 3, 8, 8, 3]), [Some(2), Some(2), Some(4), Some(4), Some(2)]);
        assert_eq!(of(&[5, 5]), [None, None]);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn in_a_column_of_one_value_each_row_is_compared_twice() {
        for rows in [2_000, 16_000] {
            let mut compared = 0;
            let next = next_others(rows, |_, _| {
                compared += 1;
                true
            });
            assert_eq!((compared, next), (2 * rows, vec![None; rows]));
        }
    }

    #[test]
    fn many_values_are_spread() {
        let values: Vec<SqlValue> = (0..100).map(SqlValue::Integer).collect();
        let found = spread(&values, &SqlValue::Integer(40));
        assert_eq!(found.len(), MOST_OF_A_COLUMN);
        for wanted in [39, 41, 0, 99] {
            assert!(found.contains(&SqlValue::Integer(wanted)), "{wanted}");
        }
    }

    #[test]
    fn values_are_written_as_sql() {
        assert_eq!(as_sql(&SqlValue::Text("it's".into())), "'it''s'");
        assert_eq!(as_sql(&SqlValue::Real(2.0)), "2.0");
        assert_eq!(as_sql(&SqlValue::Blob(vec![1, 255])), "X'01FF'");
    }
}
