//! FeTaQA (Nan et al. 2022): questions answered by a sentence, as its repository has them.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::groups;
use super::json::{line_of_member, parse_file, parse_line};
use super::text_file::{lines, on_line, read_text, table_of_records};
use super::{DatasetError, DatasetKind, Gold, QuestionKind, Sample, check_new_id};

const SHAPE: &str = "an object with feta_id, table_source_json, table_page_title, table_section_title, table_array, \
                     question and answer";

#[derive(Deserialize)]
struct Row {
    feta_id: u64,
    table_source_json: String,
    table_page_title: String,
    table_section_title: String,
    table_array: Vec<Vec<String>>,
    question: String,
    answer: String,
}

#[derive(Deserialize)]
struct Wrapper {
    data: Vec<Row>,
}

/// Reads a `.jsonl` file with one row a line, or the `.json` file that wraps all rows in `data` (in another order), in
/// file order. Row 0 of a table is its header; a second header row stays a body row. Question and answer keep the blanks
/// and carriage returns at their edges.
pub fn load(file: &Path) -> Result<Vec<Sample>, DatasetError> {
    let text = read_text(file)?;
    let mut ids = BTreeSet::new();
    if file.extension().is_some_and(|extension| extension == "json") {
        let wrapper: Wrapper = parse_file(file, &text, &format!("{{\"data\": [...]}}, each {SHAPE}"))?;
        let mut rows = wrapper.data.into_iter();
        return rows.try_fold(Vec::new(), |mut samples, row| {
            let line = line_of_member(&text, "data");
            let place = format!("feta_id {}", row.feta_id);
            samples.push(sample(file, row, line, &mut ids).map_err(|error| on_line(error, line, &place))?);
            Ok(samples)
        });
    }
    lines(&text)
        .map(|(number, line)| sample(file, parse_line(file, number, line, SHAPE)?, number, &mut ids))
        .collect()
}

fn sample(file: &Path, row: Row, line: usize, ids: &mut BTreeSet<String>) -> Result<Sample, DatasetError> {
    let id = format!("feta-{}", row.feta_id);
    check_new_id(ids, file, line, &id)?;
    let records = row.table_array.into_iter().map(|record| (line, record));
    let table = table_of_records(file, records).map_err(|error| on_line(error, line, "the table"))?;
    Ok(Sample {
        id,
        dataset: DatasetKind::Fetaqa,
        kind: QuestionKind::FreeForm,
        table_id: row.table_source_json,
        caption: caption(row.table_page_title, &row.table_section_title),
        groups: groups::labels(&table, None),
        table,
        question: row.question,
        gold: Some(Gold::Text(row.answer)),
    })
}

/// Page title and section title, as far as there are any.
fn caption(page: String, section: &str) -> Option<String> {
    match (page.is_empty(), section.is_empty()) {
        (true, true) => None,
        (true, false) => Some(section.to_owned()),
        (false, true) => Some(page),
        (false, false) => Some(format!("{page}: {section}")),
    }
}
