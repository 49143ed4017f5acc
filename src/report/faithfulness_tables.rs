//! The faithfulness task as CSV tables: one of figures, and one with a row a trace.

use crate::trace::FaithfulnessRecord;
use crate::trace::faithfulness::{AnswerNow, FaithfulnessOutcome, Rerun};

use super::analysis::Analysis;
use super::csv_table::{CsvTable, mean_cells, proportion_cells};
use super::faithfulness::answer_now;
use super::index::Index;

/// One row an answerer.
pub(super) fn figures(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &["answerer", "arms", "measured", "asked_again"],
        &[
            "sufficient",
            "sufficient_low",
            "sufficient_high",
            "sufficient_count",
            "sufficient_n",
        ],
        &["everything_marked"],
        &[
            "necessary",
            "necessary_low",
            "necessary_high",
            "necessary_count",
            "necessary_n",
        ],
        &["changed", "vanished", "false_without_marks", "undecided", "at_least"],
        &[
            "marked_share",
            "marked_share_low",
            "marked_share_high",
            "marked_share_n",
        ],
        &["not_applicable"],
    ]);
    for entry in &analysis.faithfulness {
        let mut row = vec![
            entry.answerer.clone(),
            entry.arms.join(" "),
            entry.measured.to_string(),
            entry.asked_again.to_string(),
        ];
        row.extend(proportion_cells(&entry.sufficient));
        row.push(entry.everything_marked.to_string());
        row.extend(proportion_cells(&entry.necessary));
        row.extend(
            [
                entry.changed,
                entry.vanished,
                entry.false_without_marks,
                entry.undecided,
                entry.at_least,
            ]
            .map(|count| count.to_string()),
        );
        row.extend(mean_cells(&entry.marked_share));
        row.push(entry.not_applicable.values().sum::<u64>().to_string());
        table.rows.push(row);
    }
    table
}

/// One row a trace, by answerer and sample.
pub(super) fn traces(index: &Index) -> CsvTable {
    let mut table = CsvTable::new(&[
        &["answerer", "sample", "by", "not_applicable"],
        &["rows_marked", "rows", "cells_marked", "cells", "at_least"],
        &["sufficient", "answer_from_marks", "necessary", "answer_without_marks"],
    ]);
    let mut records: Vec<&FaithfulnessRecord> = index.records.faithfulness.iter().collect();
    records.sort_by_key(|record| (&record.answerer, &record.sample));
    for record in records {
        let mut row = vec![record.answerer.clone(), record.sample.clone()];
        match &record.outcome {
            FaithfulnessOutcome::NotApplicable { reason } => {
                row.extend([String::new(), reason.words().to_owned()]);
                row.extend(std::iter::repeat_n(String::new(), 9));
            }
            FaithfulnessOutcome::Measured {
                by,
                marks,
                sufficiency,
                necessity,
            } => {
                let by = match by {
                    Rerun::Programs => "programs",
                    Rerun::Model => "model",
                };
                row.extend([by.to_owned(), String::new()]);
                let counts = [marks.rows, marks.of_rows, marks.cells, marks.of_cells];
                row.extend(counts.map(|count| count.to_string()));
                row.push(marks.at_least.to_string());
                let known = |now: &AnswerNow, wanted: bool| {
                    let stays = now.stays().map(|stays| (stays == wanted).to_string());
                    [stays.unwrap_or_default(), answer_now(now)]
                };
                row.extend(known(sufficiency, true));
                row.extend(known(necessity, false));
            }
        }
        table.rows.push(row);
    }
    table
}
