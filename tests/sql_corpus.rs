//! Replays recorded plans: every step's table, every answer, every expected error, and the lineage of every step.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/corpus.rs"]
mod corpus;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use corpus::{Step, engine, samples};
use serde_json::Value as Json;
use tabjury::engine::{Engine, Execution};
use tabjury::table::{Cell, Table};
use tabjury::trace::RowSources;
use tabjury::trace::lineage::{Exactness, Reading};

fn cell(value: &Json) -> Cell {
    match value {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        other => panic!("a cell that is {other}"),
    }
}

/// Equal as text but for blanks at the edges, or the same number: recorded tables were written by another program.
fn same_cell(found: &Cell, recorded: &Cell) -> bool {
    found.as_deref().map(str::trim) == recorded.as_deref().map(str::trim)
        || match (found, recorded) {
            (Some(found), Some(recorded)) => match (found.parse::<f64>(), recorded.parse::<f64>()) {
                (Ok(found), Ok(recorded)) => (found - recorded).abs() <= 1e-9 * recorded.abs(),
                _ => false,
            },
            _ => false,
        }
}

fn same_rows(found: &[Vec<Cell>], recorded: &[Vec<Json>]) -> bool {
    found.len() == recorded.len()
        && found.iter().zip(recorded).all(|(found, recorded)| {
            found.len() == recorded.len()
                && found
                    .iter()
                    .zip(recorded)
                    .all(|(found, recorded)| same_cell(found, &cell(recorded)))
        })
}

#[derive(Default)]
struct Counts {
    steps: usize,
    exact: usize,
    at_least: BTreeMap<String, usize>,
    errors_expected: usize,
    columns_compared: usize,
    floors: usize,
    answers: usize,
    values: usize,
    faults: Vec<String>,
}

fn check_lineage(counts: &mut Counts, id: &str, input: &Table, step: &Step, execution: &Execution) {
    let lineage = &execution.lineage;
    let mut fault = |what: String| {
        counts
            .faults
            .push(format!("{id}: {what}\n    {}", step.sql.replace('\n', " ")))
    };
    match &lineage.exactness {
        Exactness::Exact => counts.exact += 1,
        Exactness::AtLeast { reason } => *counts.at_least.entry(reason.clone()).or_default() += 1,
    }
    if lineage.reading == Reading::Rows && !lineage.has_marks() {
        fault("nothing is marked".to_owned());
    }
    if lineage.sources.len() != execution.table.rows.len() || lineage.origins != lineage.sources {
        fault("sources do not fit the rows, or origins the sources".to_owned());
    }
    let union: BTreeSet<usize> = lineage.sources.union();
    if union.into_iter().collect::<Vec<_>>() != lineage.rows {
        fault("rows are not the union of sources".to_owned());
    }
    if let Some(recorded) = &step.columns_read {
        counts.columns_compared += 1;
        let found: BTreeSet<String> = lineage
            .columns
            .iter()
            .map(|index| input.columns[*index].original.to_lowercase())
            .collect();
        let expected: BTreeSet<String> = recorded.iter().map(|name| name.to_lowercase()).collect();
        if found != expected {
            fault(format!("columns {found:?}, recorded {expected:?}"));
        }
    }
    if step.match_strength.as_deref() == Some("strong")
        && step.sql.starts_with("SELECT *\nFROM table_sql\nWHERE")
        && let Some(cells) = &step.original_selected_cells
    {
        counts.floors += 1;
        for [row, column] in cells {
            let marked = lineage
                .condition_cells
                .iter()
                .any(|cell| cell.row == *row && cell.column == *column);
            // The recorded cells are each named column of a kept row. A column named only inside a subquery has its
            // condition tested on the subquery's rows.
            let in_subquery = step.sql.matches("SELECT").count() > 1;
            let crossed = lineage.columns.contains(column) && lineage.rows.contains(row);
            if !(marked || in_subquery && crossed) {
                fault(format!("recorded cell [{row}, {column}] is not marked"));
            }
        }
    }
}

#[test]
fn recorded_plans_replay() {
    let Some(samples) = samples("recorded_plans_replay") else {
        return;
    };
    assert!(!samples.is_empty());
    let mut counts = Counts::default();
    for sample in &samples {
        let mut table = sample.table();
        for step in &sample.steps {
            let own_rows = RowSources::each_from_itself(table.rows.len());
            let execution = match engine().run(&table, &own_rows, &step.sql) {
                Ok(execution) => execution,
                Err(error) => {
                    if step.error.is_some() {
                        counts.errors_expected += 1;
                    } else {
                        counts.faults.push(format!("{}: {error}\n    {}", sample.id, step.sql));
                    }
                    break;
                }
            };
            counts.steps += 1;
            if let Some(error) = &step.error {
                counts
                    .faults
                    .push(format!("{}: ran, but was recorded as {error}: {}", sample.id, step.sql));
                break;
            }
            let names: Vec<&str> = execution
                .table
                .columns
                .iter()
                .map(|column| column.original.as_str())
                .collect();
            if let Some(recorded) = &step.out_columns
                && names != *recorded
                && execution
                    .table
                    .columns
                    .iter()
                    .map(|column| column.display.as_str())
                    .ne(recorded.iter())
            {
                counts
                    .faults
                    .push(format!("{}: columns {names:?}, recorded {recorded:?}", sample.id));
            }
            // Single Text-to-SQL statements were recorded with their first five rows.
            let most = if sample.id.contains("-t2s-") { 5 } else { usize::MAX };
            let count = execution.table.rows.len().min(most);
            if step.out_row_count.is_some_and(|recorded| recorded != count) {
                counts.faults.push(format!(
                    "{}: {count} rows, recorded {:?}: {}",
                    sample.id, step.out_row_count, step.sql
                ));
            }
            if let Some(recorded) = &step.out_rows
                && !same_rows(&execution.table.rows, recorded)
            {
                counts.faults.push(format!(
                    "{}: {:?}, recorded {recorded:?}: {}",
                    sample.id, execution.table.rows, step.sql
                ));
            }
            check_lineage(&mut counts, &sample.id, &table, step, &execution);
            for (typed_columns, recorded) in [
                (true, &step.out_value_typed_table),
                (false, &step.out_value_all_text_table),
            ] {
                let Some(recorded) = recorded else { continue };
                let engine = Engine {
                    typed_columns,
                    ..engine()
                };
                let value = engine
                    .run(&table, &own_rows, &step.sql)
                    .map(|execution| execution.table.rows.first().map(|row| row[0].clone()));
                if value != Ok(Some(cell(recorded))) {
                    counts.faults.push(format!(
                        "{}: typed {typed_columns}: {value:?}, recorded {recorded}",
                        sample.id
                    ));
                }
                counts.values += 1;
            }
            table = execution.table;
        }
        if sample.answer_source == "sql" && !sample.id.contains("-t2s-") {
            counts.answers += 1;
            let right = match &sample.predicted_answer {
                Json::Array(rows) => {
                    let rows: Vec<Vec<Json>> = rows.iter().map(|row| row.as_array().unwrap().clone()).collect();
                    same_rows(&table.rows, &rows)
                }
                answer => table.rows.first().is_some_and(|row| row[0] == cell(answer)),
            };
            if !right {
                counts.faults.push(format!(
                    "{}: answer {:?}, recorded {}",
                    sample.id, table.rows, sample.predicted_answer
                ));
            }
        }
    }
    println!(
        "{} samples, {} steps ran, {} expected errors, {} answers, {} values, {} column sets, {} floors of cells; lineage exact on {}, at least on {:?}",
        samples.len(),
        counts.steps,
        counts.errors_expected,
        counts.answers,
        counts.values,
        counts.columns_compared,
        counts.floors,
        counts.exact,
        counts.at_least
    );
    assert!(
        counts.faults.is_empty(),
        "{} faults:\n{}",
        counts.faults.len(),
        counts.faults.join("\n")
    );
}
