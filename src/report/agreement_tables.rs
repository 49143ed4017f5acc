//! Agreement of judges, and sensitivity to what was left out, as CSV tables.

use super::analysis::Analysis;
use super::csv_table::{CsvTable, ends, figure, proportion_cells, why_incomplete};
use super::flags::task_name;
use super::quantities::Proportion;
use crate::stats::{Interval, Stat};

/// One row a task and two judges, one an arm of theirs where a trial shows one; and one a task with alpha over all judges.
pub(super) fn agreement(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "task",
            "judge",
            "and_judge",
            "arm",
            "agreement",
            "low",
            "high",
            "agreeing",
            "n",
            "by_chance",
        ],
        &["kappa", "kappa_low", "kappa_high", "alpha", "alpha_low", "alpha_high"],
        &["undefined_because"],
    ]);
    for task in &analysis.agreement {
        for pair in &task.pairs {
            let mut add = |arm: &str, of: (&Proportion, &Stat<f64>, &Stat<f64>, &Stat<Interval>)| {
                let mut row = vec![
                    task_name(task.task).to_owned(),
                    pair.first.clone(),
                    pair.second.clone(),
                    arm.to_owned(),
                ];
                row.extend(proportion_cells(of.0));
                row.extend([figure(of.1), figure(of.2)]);
                row.extend(ends(of.3));
                row.extend([const { String::new() }; 3]);
                row.push(why_incomplete(of.2, of.3));
                table.rows.push(row);
            };
            add(
                "(all)",
                (&pair.agreement, &pair.chance, &pair.kappa, &pair.kappa_interval),
            );
            for arm in &pair.arms {
                add(&arm.arm, (&arm.agreement, &arm.chance, &arm.kappa, &arm.kappa_interval));
            }
        }
        let mut row = vec![task_name(task.task).to_owned()];
        row.extend(["(all)", "(all)", "(all)"].map(str::to_owned));
        row.extend([const { String::new() }; 4]);
        let trials = task.alpha.as_ref().map(|alpha| alpha.trials.to_string());
        row.push(trials.unwrap_or_default());
        row.extend([const { String::new() }; 4]);
        let value = task.alpha.as_ref().map(|alpha| alpha.value).map_err(Clone::clone);
        let interval = task.alpha.clone().and_then(|alpha| alpha.interval);
        row.push(figure(&value));
        row.extend(ends(&interval));
        row.push(why_incomplete(&value, &interval));
        table.rows.push(row);
    }
    table
}

/// One row a task, two judges and what both said.
pub(super) fn verdicts(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&["task", "judge", "and_judge", "said", "and_said", "trials"]]);
    for task in &analysis.agreement {
        for pair in &task.pairs {
            for cell in &pair.confusion {
                table.rows.push(vec![
                    task_name(task.task).to_owned(),
                    pair.first.clone(),
                    pair.second.clone(),
                    cell.first.clone(),
                    cell.second.clone(),
                    cell.trials.to_string(),
                ]);
            }
        }
    }
    table
}

/// One row a task, judge and arm.
pub(super) fn sensitivity(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "task",
            "judge",
            "arm",
            "unread",
            "common",
            "common_n",
            "all_readable",
            "all_readable_n",
        ],
        &[
            "unread_wrong",
            "unread_right",
            "asked",
            "without_repaired",
            "without_repaired_n",
        ],
    ]);
    for entry in &analysis.sensitivity {
        table.rows.push(vec![
            task_name(entry.task).to_owned(),
            entry.judge.clone(),
            entry.arm.clone(),
            entry.unread.to_string(),
            figure(&entry.common.share),
            entry.common.n.to_string(),
            figure(&entry.all_readable.share),
            entry.all_readable.n.to_string(),
            figure(&entry.unread_wrong.share),
            figure(&entry.unread_right.share),
            entry.unread_wrong.n.to_string(),
            figure(&entry.without_repaired.share),
            entry.without_repaired.n.to_string(),
        ]);
    }
    table
}
