//! What judges' probabilities come to, as CSV tables.

use super::analysis::Analysis;
use super::csv_table::{CsvTable, ends, figure};
use super::flags::task_name;

/// One row a task and judge.
pub(super) fn figures(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&[
        "task",
        "judge",
        "n",
        "absent",
        "expected_error",
        "brier",
        "auroc",
        "auroc_low",
        "auroc_high",
    ]]);
    for entry in &analysis.confidence {
        let [low, high] = ends(&entry.area_interval);
        table.rows.push(vec![
            task_name(entry.task).to_owned(),
            entry.judge.clone(),
            entry.verdicts.to_string(),
            entry.absent.to_string(),
            figure(&entry.expected_error),
            figure(&entry.brier),
            figure(&entry.area),
            low,
            high,
        ]);
    }
    table
}

/// One row a task, judge and bin.
pub(super) fn bins(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&[
        "task",
        "judge",
        "from",
        "to",
        "n",
        "mean_confidence",
        "share",
        "low",
        "high",
    ]]);
    for entry in &analysis.confidence {
        for bin in &entry.bins {
            let [low, high] = ends(&bin.interval);
            table.rows.push(vec![
                task_name(entry.task).to_owned(),
                entry.judge.clone(),
                bin.from.to_string(),
                bin.to.to_string(),
                bin.count.to_string(),
                bin.mean_confidence.to_string(),
                bin.share.to_string(),
                low,
                high,
            ]);
        }
    }
    table
}
