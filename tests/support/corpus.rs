//! Recorded plans: tables, statements, and what they gave.

#![allow(dead_code)]

use serde::Deserialize;
use serde_json::Value as Json;
use tabjury::engine::Engine;
use tabjury::table::{Column, Table};

#[derive(Deserialize)]
pub(crate) struct Sample {
    pub(crate) id: String,
    pub(crate) table_columns: Vec<String>,
    pub(crate) table_rows: Vec<Vec<String>>,
    pub(crate) steps: Vec<Step>,
    pub(crate) predicted_answer: Json,
    pub(crate) answer_source: String,
}

#[derive(Deserialize)]
pub(crate) struct Step {
    pub(crate) sql: String,
    pub(crate) match_strength: Option<String>,
    pub(crate) columns_read: Option<Vec<String>>,
    pub(crate) out_columns: Option<Vec<String>>,
    pub(crate) out_row_count: Option<usize>,
    pub(crate) out_rows: Option<Vec<Vec<Json>>>,
    pub(crate) original_selected_cells: Option<Vec<[usize; 2]>>,
    pub(crate) error: Option<String>,
    pub(crate) out_value_typed_table: Option<Json>,
    pub(crate) out_value_all_text_table: Option<Json>,
}

impl Sample {
    pub(crate) fn table(&self) -> Table {
        let columns = self
            .table_columns
            .iter()
            .map(|name| Column {
                original: name.clone(),
                display: name.clone(),
                sql: name.clone(),
            })
            .collect();
        let rows = self
            .table_rows
            .iter()
            .map(|row| row.iter().cloned().map(Some).collect())
            .collect();
        Table::new(columns, rows).unwrap()
    }
}

pub(crate) fn samples(test: &str) -> Option<Vec<Sample>> {
    let directory = crate::support::data_dir(test)?;
    let text = std::fs::read_to_string(directory.join("sql_corpus/corpus.jsonl")).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The published runs had double-quoted text, as SQLite's default has it.
pub(crate) fn engine() -> Engine {
    Engine {
        double_quoted_strings: true,
        ..Engine::default()
    }
}
