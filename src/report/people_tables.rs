//! Judges beside people, as CSV tables.

use super::analysis::Analysis;
use super::csv_table::{CsvTable, ends, figure, mean_cells, proportion_cells, why_incomplete};
use super::flags::task_name;
use super::quantities::Proportion;
use crate::stats::{Interval, Stat, Undefined};

/// One row a task and judge, and one an arm of theirs where a trial shows one.
pub(super) fn agreement(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &["task", "judge", "arm", "agreement", "low", "high", "agreeing", "n"],
        &["by_chance", "kappa", "kappa_low", "kappa_high", "undefined_because"],
    ]);
    for task in &analysis.people {
        for pair in &task.agreement {
            let mut add =
                |arm: &str, agreement: &Proportion, chance: &Stat<f64>, kappa: (&Stat<f64>, &Stat<Interval>)| {
                    let mut row = vec![task_name(task.task).to_owned(), pair.first.clone(), arm.to_owned()];
                    row.extend(proportion_cells(agreement));
                    row.extend([figure(chance), figure(kappa.0)]);
                    row.extend(ends(kappa.1));
                    row.push(why_incomplete(kappa.0, kappa.1));
                    table.rows.push(row);
                };
            add(
                "(all)",
                &pair.agreement,
                &pair.chance,
                (&pair.kappa, &pair.kappa_interval),
            );
            for arm in &pair.arms {
                add(&arm.arm, &arm.agreement, &arm.chance, (&arm.kappa, &arm.kappa_interval));
            }
        }
    }
    table
}

/// One row a task, judge, arm and quantity.
pub(super) fn estimates(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "task",
            "judge",
            "arm",
            "measure",
            "people_only",
            "people_low",
            "people_high",
            "people_samples",
            "people_undefined_because",
        ],
        &[
            "shared_samples",
            "further_samples",
            "estimate",
            "low",
            "high",
            "lambda",
            "effective_samples",
            "width_ratio",
            "undefined_because",
        ],
    ]);
    for task in &analysis.people {
        for found in &task.estimates {
            let mut row = vec![
                task_name(task.task).to_owned(),
                found.judge.clone(),
                found.arm.clone(),
                found.quantity.name().to_owned(),
            ];
            row.extend(mean_cells(&found.people_only));
            row.push(why_incomplete(&found.people_only.value, &found.people_only.interval));
            row.extend([found.shared_samples, found.further_samples].map(|samples| samples.to_string()));
            match &found.powered {
                Ok(powered) => {
                    row.push(powered.value.to_string());
                    row.extend(ends(&Ok(powered.interval)));
                    row.extend([powered.lambda.to_string(), powered.effective_samples.to_string()]);
                    row.extend([figure(&powered.width_ratio), String::new()]);
                }
                Err(Undefined { reason }) => {
                    row.extend([const { String::new() }; 6]);
                    row.push(reason.clone());
                }
            }
            table.rows.push(row);
        }
    }
    table
}
