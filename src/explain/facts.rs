//! The facts of a chain beside the part of the table that matters, in the manner of DATER (Ye et al., SIGIR 2023): what each
//! step found in one sentence, and the rows and columns of the first table that it rests on.

use std::collections::BTreeSet;

use super::marked_table::{Dropped, Marks, Provenance, TableView};
use super::material::Material;
use super::view::{ResultView, StepView};
use super::visible_text::visible_line;
use super::words::{self, Counts};
use crate::table::Table;
use crate::trace::lineage::RowRole;
use crate::trace::{Lineage, RowSources};

/// What a page of facts shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FactsView {
    /// The part of the table that matters, unless there is none.
    pub(super) part: Option<TableView>,
    /// Why there is none.
    pub(super) note: Option<&'static str>,
    /// A sentence a step.
    pub(super) facts: Vec<String>,
}

/// Makes the facts from the steps as a page may tell them. With `before_last`, the part of the table is what the last
/// step ran on: what it gives would state the answer. `conceal` takes out of a fact's own words what it may not tell; it is told
/// whether they are a sentence of ours.
pub(super) fn of(
    material: &Material<'_>,
    shown: &[StepView],
    before_last: bool,
    counts: Counts,
    conceal: impl Fn(&mut String, bool),
) -> (FactsView, Option<Table>) {
    let table = material.table;
    let facts = shown
        .iter()
        .map(|view| fact(material, view, counts, &conceal))
        .collect();
    let (part, sub_table) = match part(material, before_last) {
        Some((rows, columns)) => {
            let sub_table = sub_table(table, &rows, &columns);
            let name = match counts {
                Counts::Withheld => words::PART.to_owned(),
                Counts::Said => format!(
                    "{}, out of {} and {}",
                    words::PART,
                    words::count(table.rows.len(), "row"),
                    words::count(table.columns.len(), "column")
                ),
            };
            let origins: RowSources = rows.iter().map(|row| vec![*row]).collect();
            let provenance = Provenance {
                origins: Some(&origins),
                new_columns: &[],
            };
            let view = TableView::new(
                0,
                name,
                &sub_table,
                Marks::default(),
                &Dropped::default(),
                provenance,
                counts,
            );
            (Some(view), Some(sub_table))
        }
        None => (None, None),
    };
    let note = match &sub_table {
        None => Some("No row of the table is left at the end of the steps."),
        Some(part) if part == table => Some("Every row and every column of the table matters."),
        Some(_) => None,
    };
    let part = part.filter(|_| note.is_none());
    (FactsView { part, note, facts }, sub_table)
}

fn sub_table(table: &Table, rows: &BTreeSet<usize>, columns: &BTreeSet<usize>) -> Table {
    Table {
        columns: columns
            .iter()
            .filter_map(|column| table.columns.get(*column))
            .cloned()
            .collect(),
        rows: rows
            .iter()
            .filter_map(|row| table.rows.get(*row))
            .map(|row| {
                columns
                    .iter()
                    .map(|column| row.get(*column).cloned().flatten())
                    .collect()
            })
            .collect(),
    }
}

/// The rows of the first table that the last result comes from, and the columns that a step examined or that reach it.
fn part(material: &Material<'_>, before_last: bool) -> Option<(BTreeSet<usize>, BTreeSet<usize>)> {
    let table = material.table;
    let traced: Vec<(usize, usize, &Lineage)> = material
        .steps
        .iter()
        .filter_map(|step| Some((step.input, step.output?, step.lineage.as_ref()?)))
        .collect();
    let (last_input, last_output, _) = traced.last()?;
    // For every table of the trace the columns of the first one that its columns carry.
    let mut carried: Vec<Vec<Option<usize>>> = vec![Vec::new(); material.tables.len().max(1)];
    if let Some(first) = carried.first_mut() {
        *first = (0..table.columns.len()).map(Some).collect();
    }
    let mut columns = BTreeSet::new();
    let mut rows_of_last = None;
    for (input, output, lineage) in &traced {
        let of_input = carried.get(*input).cloned().unwrap_or_default();
        let in_first = |column: &usize| of_input.get(*column).copied().flatten();
        columns.extend(lineage.columns_that_matter().iter().filter_map(in_first));
        if let Some(made) = carried.get_mut(*output) {
            *made = lineage
                .carried_columns
                .iter()
                .map(|column| column.as_ref().and_then(in_first))
                .collect();
        }
        let is_part = if before_last {
            output == last_input
        } else {
            output == last_output
        };
        if is_part {
            rows_of_last = Some(lineage.origins.union());
        }
    }
    let rows = rows_of_last.unwrap_or_else(|| (0..table.rows.len()).collect());
    if !before_last {
        columns.extend(carried.get(*last_output).into_iter().flatten().flatten().copied());
    }
    if columns.is_empty() {
        columns = (0..table.columns.len()).collect();
    }
    let rows: BTreeSet<usize> = rows.into_iter().filter(|row| *row < table.rows.len()).collect();
    (!rows.is_empty()).then_some((rows, columns))
}

/// One step in one sentence: what it did, and what came of it.
fn fact(material: &Material<'_>, view: &StepView, counts: Counts, conceal: &impl Fn(&mut String, bool)) -> String {
    let mut said = visible_line(&view.words).trim_end_matches(['.', ':', ';']).to_owned();
    let is_made = said.is_empty();
    if is_made {
        said = made(material, view.number, counts)
            .unwrap_or_default()
            .trim_end_matches('.')
            .to_owned();
    }
    conceal(&mut said, is_made);
    if let Some(error) = &view.error {
        return format!("{said}{FAILED}{}", visible_line(error));
    }
    let (Some(input), Some(output), lineage) = tables_of_step(material, view.number) else {
        return format!("{said}.");
    };
    if view.result == Some(ResultView::Withheld) {
        return format!("{said}. {}", words::RESULT_WITHHELD);
    }
    format!("{said}: {}.", outcome(input, output, lineage, counts))
}

/// What a step, by its number from one, ran on, what came of it, and how.
fn tables_of_step<'a>(
    material: &Material<'a>,
    number: usize,
) -> (Option<&'a Table>, Option<&'a Table>, Option<&'a Lineage>) {
    let Some(step) = number.checked_sub(1).and_then(|index| material.steps.get(index)) else {
        return (None, None, None);
    };
    let output = step.output.and_then(|output| material.tables.get(output));
    (material.table_at(step.input), output, step.lineage.as_ref())
}

/// Between the words of a step that failed and its error.
pub(super) const FAILED: &str = ": this step failed. Error: ";

/// The sentence of ours for a step without words.
pub(super) fn made(material: &Material<'_>, number: usize, counts: Counts) -> Option<String> {
    let (input, output, lineage) = tables_of_step(material, number);
    let input = input?;
    let marks = lineage.map(|lineage| Marks::of(lineage, input)).unwrap_or_default();
    Some(words::made_sentence(lineage, &marks, input, output, counts))
}

/// How the fact of a step ends that says what came of it.
pub(super) fn ending(material: &Material<'_>, number: usize, counts: Counts) -> Option<String> {
    let (input, output, lineage) = tables_of_step(material, number);
    Some(format!(": {}.", outcome(input?, output?, lineage, counts)))
}

/// What came of a step: how many rows of how many, and the values where they are few.
fn outcome(input: &Table, output: &Table, lineage: Option<&Lineage>, counts: Counts) -> String {
    /// Rows of a computed result, and columns of any, that a sentence gives.
    const ROWS_NAMED: usize = 5;
    const COLUMNS_NAMED: usize = 4;
    let rows = output.rows.len();
    if rows == 0 {
        return "no row".to_owned();
    }
    let produced: &[usize] = lineage.map_or(&[], |lineage| &lineage.produced_columns);
    let kept = lineage.filter(|lineage| lineage.row_role == RowRole::Kept);
    let mut parts = Vec::new();
    if let Some(lineage) = kept {
        let origins = lineage.origins.union();
        let mut kept = match (rows == input.rows.len(), counts) {
            (true, Counts::Said) => format!("all {}", words::count(rows, "row")),
            (false, Counts::Said) => format!("{rows} of {}", words::count(input.rows.len(), "row")),
            (true, Counts::Withheld) => "every row".to_owned(),
            (false, Counts::Withheld) => "some of the rows".to_owned(),
        };
        if rows < input.rows.len() && !origins.is_empty() {
            let noun = if origins.len() == 1 { "row" } else { "rows" };
            kept.push_str(&format!(" ({noun} {} of the table)", words::row_numbers(&origins)));
        }
        parts.push(kept);
        if rows > 1 && !produced.is_empty() {
            parts.push(format!("new {}", words::column_names(output, produced)));
        }
    } else if rows > 1 {
        parts.push(match counts {
            Counts::Said => words::count(rows, "row"),
            Counts::Withheld => "several rows".to_owned(),
        });
    }
    let is_few = rows == 1 || (rows <= ROWS_NAMED && kept.is_none());
    if is_few && output.columns.len() <= COLUMNS_NAMED {
        for row in &output.rows {
            let values: Vec<String> = output
                .columns
                .iter()
                .zip(row)
                .map(|(column, cell)| {
                    let value = cell.as_deref().map_or_else(|| "NULL".to_owned(), visible_line);
                    format!("“{}” is “{value}”", super::marked_table::column_name(column))
                })
                .collect();
            parts.push(values.join(", "));
        }
    }
    if parts.is_empty() {
        "a single row".to_owned()
    } else {
        parts.join("; ")
    }
}
