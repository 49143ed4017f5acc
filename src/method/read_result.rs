//! Reading the answer out of the table that a chain of programs left.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::{Answer, QuestionKind};
use crate::table::Table;
use crate::trace::{AnswerFailure, Trace};

/// Names of a column that holds the verdict of a verification; the first is the one that prompts ask for, the second
/// is found in published runs.
const VERDICT_COLUMNS: [&str; 2] = ["verification_result", "comparison_result"];

/// Which columns of a last table with several of them hold the answer's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerColumns {
    /// The first one of each row, as the published evaluation has it: what a row is about stands first, and what else
    /// is in the row is seldom asked for.
    #[default]
    First,
    /// All of them, row by row.
    All,
}

impl AnswerColumns {
    /// As a trace's settings have it; the default where its method has no such setting.
    pub fn of(trace: &Trace) -> Self {
        let setting = trace.settings.get("answer_columns");
        setting
            .and_then(|columns| serde_json::from_value(columns.clone()).ok())
            .unwrap_or_default()
    }
}

/// Positions of the columns that [`read_result`] reads.
pub(super) fn columns_read(table: &Table, kind: QuestionKind, columns: AnswerColumns) -> Vec<usize> {
    match (kind, columns) {
        (QuestionKind::FactVerification, _) => vec![verdict_column(table).unwrap_or(0)],
        // A sentence is written from the whole table.
        (QuestionKind::FreeForm, _) | (QuestionKind::ShortAnswer, AnswerColumns::All) => {
            (0..table.columns.len()).collect()
        }
        (QuestionKind::ShortAnswer, AnswerColumns::First) => vec![0],
    }
}

/// The verdict of a table that is one beyond doubt, whatever plan it belongs to: a column named as a verdict's, alone
/// or in a single row, or a lone TRUE or FALSE. A lone 1 or 0 is none: it may be a count that a later step needs.
pub(super) fn early_verdict(table: &Table) -> Option<bool> {
    match verdict_column(table) {
        Some(column) if table.columns.len() == 1 || table.rows.len() == 1 => agreed(table, column, true),
        None if table.columns.len() == 1 && table.rows.len() == 1 => agreed(table, 0, false),
        _ => None,
    }
}

/// The answer that the last table of a finished chain holds. NULL is never a value.
pub(super) fn read_result(table: &Table, kind: QuestionKind, columns: AnswerColumns) -> Result<Answer, AnswerFailure> {
    let no_result = |message: &str| AnswerFailure::NoResult {
        message: message.to_owned(),
    };
    if table.rows.is_empty() {
        return Err(no_result("the last table has no rows"));
    }
    if kind == QuestionKind::FactVerification {
        let column = match verdict_column(table) {
            Some(column) => column,
            None if table.columns.len() == 1 => 0,
            None => {
                return Err(no_result(
                    "the last table has several columns and none named verification_result",
                ));
            }
        };
        // A statement without an aggregate repeats its verdict in every row.
        return agreed(table, column, true)
            .map(Answer::Verdict)
            .ok_or_else(|| no_result("the last table does not hold one verdict, TRUE or FALSE"));
    }
    let taken = match columns {
        AnswerColumns::First => 1,
        AnswerColumns::All => table.columns.len(),
    };
    let values: Vec<String> = table
        .rows
        .iter()
        .flat_map(|row| row.iter().take(taken))
        .filter_map(Clone::clone)
        .collect();
    if values.is_empty() {
        return Err(no_result("the last table holds only NULL"));
    }
    Ok(Answer::Values(values))
}

fn verdict_column(table: &Table) -> Option<usize> {
    table
        .columns
        .iter()
        .position(|column| VERDICT_COLUMNS.iter().any(|name| column.sql == *name))
}

/// The verdict that all rows of a column hold; none when there are no rows, or they differ.
fn agreed(table: &Table, column: usize, with_numbers: bool) -> Option<bool> {
    let mut agreed = None;
    for row in &table.rows {
        let verdict = match row.get(column)?.as_deref()?.trim().to_ascii_lowercase().as_str() {
            "true" => true,
            "false" => false,
            "1" if with_numbers => true,
            "0" if with_numbers => false,
            _ => return None,
        };
        if *agreed.get_or_insert(verdict) != verdict {
            return None;
        }
    }
    agreed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::name_columns;
    use pretty_assertions::assert_eq;

    fn table(header: &[&str], rows: &[&[Option<&str>]]) -> Table {
        let columns = name_columns(header.iter().map(|&name| name.to_owned()).collect());
        let rows = rows
            .iter()
            .map(|row| row.iter().map(|cell| cell.map(str::to_owned)).collect())
            .collect();
        Table::new(columns, rows).unwrap()
    }

    fn verdict(table: &Table) -> Option<bool> {
        match read_result(table, QuestionKind::FactVerification, AnswerColumns::First) {
            Ok(Answer::Verdict(verdict)) => Some(verdict),
            _ => None,
        }
    }

    #[test]
    fn a_verdict_stands_alone_or_under_its_name() {
        let named = table(
            &["team", "verification_result"],
            &[&[Some("a"), Some("TRUE")], &[Some("b"), Some("TRUE")]],
        );
        assert_eq!((early_verdict(&named), verdict(&named)), (None, Some(true)));
        let repeated = table(&["verification_result"], &[&[Some("TRUE")], &[Some("TRUE")]]);
        assert_eq!((early_verdict(&repeated), verdict(&repeated)), (Some(true), Some(true)));
        let number = table(&["verification_result"], &[&[Some("0")]]);
        assert_eq!((early_verdict(&number), verdict(&number)), (Some(false), Some(false)));
        let lone = table(&["CASE"], &[&[Some("false")]]);
        assert_eq!((early_verdict(&lone), verdict(&lone)), (Some(false), Some(false)));
    }

    #[test]
    fn a_lone_count_is_a_verdict_only_at_the_end() {
        let count = table(&["COUNT(*)"], &[&[Some("1")]]);
        assert_eq!((early_verdict(&count), verdict(&count)), (None, Some(true)));
    }

    #[test]
    fn what_is_no_verdict() {
        for table in [
            table(&["verification_result"], &[]),
            table(&["verification_result"], &[&[None]]),
            table(&["verification_result"], &[&[Some("TRUE")], &[Some("FALSE")]]),
            table(&["n"], &[&[Some("2")]]),
            table(&["a", "b"], &[&[Some("TRUE"), Some("x")]]),
            table(&[], &[]),
        ] {
            assert_eq!((early_verdict(&table), verdict(&table)), (None, None), "{table:?}");
        }
    }

    #[test]
    fn values_are_rows_and_never_null() {
        let pairs = table(&["a", "b"], &[&[Some("x, y"), Some("1")], &[None, Some("2")]]);
        let read = |columns| read_result(&pairs, QuestionKind::ShortAnswer, columns);
        let values = |values: &[&str]| Ok(Answer::Values(values.iter().map(|&value| value.to_owned()).collect()));
        assert_eq!(read(AnswerColumns::First), values(&["x, y"]));
        assert_eq!(read(AnswerColumns::All), values(&["x, y", "1", "2"]));
        let empty = table(&["SUM(a)"], &[&[None]]);
        assert!(read_result(&empty, QuestionKind::ShortAnswer, AnswerColumns::First).is_err());
    }
}
