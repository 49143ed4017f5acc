//! Correlations of preference with accuracy as CSV tables.

use crate::stats::Stat;
use crate::stats::correlation::Correlation;

use super::analysis::Analysis;
use super::csv_table::{CsvTable, ends};
use super::flags::task_name;

/// One row a task and what it is over: cells, cells without one arm, samples before one judge.
pub(super) fn correlations(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&[
        "task",
        "pearson_r",
        "p",
        "low",
        "high",
        "n_cells",
        "judges",
        "arms",
        "undefined_because",
        "over",
        "without_arm",
        "judge",
        "n_samples",
    ]]);
    for correlation in &analysis.correlations {
        let mut add = |found: Stat<[String; 4]>, counts: [String; 3], last: [&str; 3], samples: String| {
            let mut row = vec![task_name(correlation.task).to_owned()];
            let undefined = match found {
                Ok(cells) => {
                    row.extend(cells);
                    String::new()
                }
                Err(undefined) => {
                    row.extend([const { String::new() }; 4]);
                    undefined.reason
                }
            };
            row.extend(counts);
            row.push(undefined);
            row.extend(last.map(str::to_owned));
            row.push(samples);
            table.rows.push(row);
        };
        let pearson = |found: &Stat<Correlation>| {
            found.clone().map(|found| {
                let [low, high] = ends(&found.interval);
                [found.r.to_string(), found.p.to_string(), low, high]
            })
        };
        let counts = [correlation.points.len(), correlation.judges, correlation.arms].map(|count| count.to_string());
        add(pearson(&correlation.pearson), counts, ["cells", "", ""], String::new());
        for without in &correlation.without_arm {
            let points = correlation.points.iter().filter(|point| point.arm != without.arm);
            let counts = [points.count(), correlation.judges, correlation.arms - 1].map(|count| count.to_string());
            add(
                pearson(&without.pearson),
                counts,
                ["cells", &without.arm, ""],
                String::new(),
            );
        }
        for within in &correlation.within_samples {
            let cells = within.correlation.clone().map(|found| {
                let [low, high] = ends(&found.interval);
                [found.r.to_string(), found.p.to_string(), low, high]
            });
            let samples = within
                .correlation
                .as_ref()
                .map_or(String::new(), |found| found.samples.to_string());
            let none = [const { String::new() }; 3];
            add(cells, none, ["within_samples", "", &within.judge], samples);
        }
    }
    table
}

/// One row a task and cell.
pub(super) fn points(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&["task", "judge", "arm", "mean_rank", "accuracy"]]);
    for correlation in &analysis.correlations {
        for point in &correlation.points {
            table.rows.push(vec![
                task_name(correlation.task).to_owned(),
                point.judge.clone(),
                point.arm.clone(),
                point.mean_rank.to_string(),
                point.accuracy.to_string(),
            ]);
        }
    }
    table
}
