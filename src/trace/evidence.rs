//! What the marks of all steps come to in a trace's first table: the rows and cells that the answer is said to rest on.
//!
//! Only reading: nothing is run here. What is done with the evidence stands in docs/faithfulness.md.

use super::{Lineage, RowSources, Trace};
use crate::table::Table;
use crate::trace::lineage::RowRole;

/// The marks of all steps, composed back to the first table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// For each row of the first table, whether a step used it, looked at it to decide, or examined it in vain.
    pub rows: Vec<bool>,
    /// For each row and column, whether its row is marked and a step reads the column while the row is in its input, or
    /// the answer is read from it.
    pub cells: Vec<Vec<bool>>,
    /// For each row, whether a step counts it without reading a cell of it.
    pub counted_whole: Vec<bool>,
    /// Whether a step's marks are "at least these".
    pub at_least: bool,
    /// Whether a program names the row number, so that a row that goes would renumber the rows after it.
    pub numbered: bool,
}

/// Where a table of the trace comes from.
struct Place {
    /// For each row, the rows of the first table.
    origins: RowSources,
    /// For each column, the column of the first table that it carries unchanged.
    columns: Vec<Option<usize>>,
}

impl Evidence {
    /// Of a trace whose answer is read from these columns of its last table. `None` when a step has a result without
    /// marks, or the trace does not fit together.
    pub fn of(trace: &Trace, answer_columns: &[usize]) -> Option<Self> {
        let first = trace.tables.first()?;
        let height = first.rows.len();
        let mut evidence = Self {
            rows: vec![false; height],
            cells: vec![vec![false; first.columns.len()]; height],
            counted_whole: vec![false; height],
            at_least: false,
            numbered: false,
        };
        let mut places: Vec<Option<Place>> = trace.tables.iter().map(|_| None).collect();
        places[0] = Some(Place {
            origins: RowSources::each_from_itself(height),
            columns: (0..first.columns.len()).map(Some).collect(),
        });
        let mut last = 0;
        for step in &trace.steps {
            let Some(output) = step.output else { continue };
            let (lineage, place) = (step.lineage.as_ref()?, places.get(step.input)?.as_ref()?);
            evidence.add_step(lineage, place);
            evidence.numbered |= step
                .program
                .as_ref()
                .is_some_and(|program| names_row_number(&program.text));
            let next = Place {
                origins: lineage.origins.clone(),
                columns: lineage
                    .carried_columns
                    .iter()
                    .map(|carried| place.columns.get((*carried)?).copied().flatten())
                    .collect(),
            };
            *places.get_mut(output)? = Some(next);
            last = output;
        }
        let place = places[last].as_ref()?;
        for column in answer_columns {
            evidence.add_column(place, *column);
        }
        for (cells, is_marked) in evidence.cells.iter_mut().zip(&evidence.rows) {
            if !is_marked {
                cells.fill(false);
            }
        }
        Some(evidence)
    }

    fn add_step(&mut self, lineage: &Lineage, place: &Place) {
        self.at_least |= !lineage.is_exact();
        let marked = [&lineage.rows, &lineage.deciding_rows, &lineage.examined_rows];
        for row in place.origins.union_of(marked.into_iter().flatten().copied()) {
            set(&mut self.rows, row);
        }
        if lineage.columns_that_matter().is_empty() && lineage.row_role == RowRole::Member {
            for row in place.origins.union_of(lineage.rows.iter().copied()) {
                set(&mut self.counted_whole, row);
            }
        }
        for column in lineage.columns_that_matter() {
            self.add_column(place, column);
        }
    }

    /// A column that is read is read in every row of the step's input, not only in those that it keeps.
    fn add_column(&mut self, place: &Place, column: usize) {
        let Some(column) = place.columns.get(column).copied().flatten() else {
            return;
        };
        for row in place.origins.union() {
            if let Some(cells) = self.cells.get_mut(row) {
                set(cells, column);
            }
        }
    }

    /// Marked rows.
    pub fn row_count(&self) -> usize {
        self.rows.iter().filter(|marked| **marked).count()
    }

    /// Marked cells.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().flatten().filter(|marked| **marked).count()
    }

    /// The table with the evidence alone: rows that are not marked are gone (or hold only NULL, where a program names the
    /// row number), and in the others every cell that is not marked is NULL.
    pub fn alone(&self, table: &Table) -> Table {
        let rows = table.rows.iter().zip(&self.cells).zip(&self.rows);
        Table {
            columns: table.columns.clone(),
            rows: rows
                .filter(|(_, is_marked)| **is_marked || self.numbered)
                .map(|((row, marks), _)| {
                    let cells = row.iter().zip(marks);
                    cells.map(|(cell, kept)| cell.clone().filter(|_| *kept)).collect()
                })
                .collect(),
        }
    }

    /// The table without the evidence: marked cells are NULL; marked rows that have no marked cell, or that a step
    /// counted whole, are gone (or hold only NULL, where a program names the row number).
    pub fn removed(&self, table: &Table) -> Table {
        let mut rows = Vec::new();
        for (index, row) in table.rows.iter().enumerate() {
            let marks = self.cells.get(index).map_or(&[][..], Vec::as_slice);
            let is_marked = self.rows.get(index).copied().unwrap_or_default();
            let is_counted = self.counted_whole.get(index).copied().unwrap_or_default();
            if is_marked && (is_counted || !marks.contains(&true)) {
                if self.numbered {
                    rows.push(vec![None; row.len()]);
                }
                continue;
            }
            let cells = row.iter().zip(marks);
            rows.push(
                cells
                    .map(|(cell, removed)| cell.clone().filter(|_| !*removed))
                    .collect(),
            );
        }
        Table {
            columns: table.columns.clone(),
            rows,
        }
    }
}

/// Whether a statement names the row number, under any of SQLite's names for it. A text that says so counts too: then
/// rows are emptied instead of taken out, which seldom makes a difference.
fn names_row_number(statement: &str) -> bool {
    statement
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|word| {
            ["rowid", "_rowid_", "oid"]
                .iter()
                .any(|name| word.eq_ignore_ascii_case(name))
        })
}

fn set(marks: &mut [bool], index: usize) {
    if let Some(mark) = marks.get_mut(index) {
        *mark = true;
    }
}
