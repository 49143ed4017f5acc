//! SQLite's result as a table: each value in the text that the next step types again.

use rusqlite::types::Value as SqlValue;

use super::EngineError;
use super::sqlite::ResultSet;
use crate::table::columns::name_computed_columns;
use crate::table::{Cell, Column, Table};

/// The result as a table; columns carried along keep their names.
pub(super) fn to_table(result: ResultSet, columns: &[Column]) -> Result<Table, EngineError> {
    let named: Vec<(String, Option<&Column>)> = result
        .names
        .iter()
        .zip(&result.carried)
        .map(|(name, carried)| (name.clone(), carried.and_then(|index| columns.get(index))))
        .collect();
    let rows = result
        .rows
        .into_iter()
        .map(|row| {
            row.into_iter()
                .zip(&result.names)
                .map(|(value, name)| to_cell(value, name))
                .collect()
        })
        .collect::<Result<Vec<Vec<Cell>>, EngineError>>()?;
    Table::new(name_computed_columns(&named), rows).map_err(|error| EngineError::Statement {
        message: error.to_string(),
    })
}

fn to_cell(value: SqlValue, name: &str) -> Result<Cell, EngineError> {
    Ok(match value {
        SqlValue::Null => None,
        SqlValue::Integer(number) => Some(number.to_string()),
        SqlValue::Real(number) => Some(real_text(number)),
        SqlValue::Text(text) => Some(text),
        SqlValue::Blob(_) => {
            return Err(EngineError::Statement {
                message: format!("the result's column {name} holds binary data, which has no text"),
            });
        }
    })
}

/// A number as Python writes it (`2.5`, `5.0`, `1e+16`, `1e-05`, `inf`): the shortest text that reads back as the same
/// number, and always one that reads back as a real.
pub(super) fn real_text(number: f64) -> String {
    let text = format!("{number:?}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return text;
    };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::real_text;

    #[test]
    fn reals_are_written_as_python_writes_them() {
        for (number, text) in [
            (2.5, "2.5"),
            (5.0, "5.0"),
            (-0.0, "-0.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e16, "1e+16"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.25e-7, "1.25e-07"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(real_text(number), text);
        }
    }
}
