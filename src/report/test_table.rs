//! Every test of two shares as a CSV table: one row an arm, judge and what it is held against.

use crate::stats::Stat;

use super::analysis::Analysis;
use super::control::ControlComparison;
use super::csv_table::{CsvTable, ends, figure};
use super::difference::Difference;

/// What arms are held against, as the column `against` names it.
const ALWAYS_CORRECT: &str = "always_correct";
const BETTER_CONSTANT: &str = "better_constant";
const MORE_FREQUENT: &str = "more_frequent_answer";
const CONTROL: &str = "control";
const CONTROL_WHERE_WRONG: &str = "control_where_model_wrong";
const GOLD: &str = "agreement_with_right_answer";

/// One row a test, also of those that are undefined.
pub(super) fn tests(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &["task", "judge", "panel", "arm", "against", "test", "samples"],
        &["share", "n", "against_share", "against_n", "difference", "low", "high"],
        &["samples_ahead", "samples_behind", "cohens_h", "p", "p_corrected"],
        &["undefined_because"],
    ]);
    let study = &analysis.study;
    let mut add = |task: &str, judge: &str, arm: &str, against: &str, found: Stat<&Difference>| {
        let mut row = [
            task,
            judge,
            if study.is_panel(judge) { "true" } else { "false" },
            arm,
            against,
        ]
        .map(str::to_owned)
        .to_vec();
        match found {
            Ok(found) => row.extend(cells(found)),
            Err(undefined) => {
                row.extend([const { String::new() }; 14]);
                row.push(undefined.reason);
            }
        }
        table.rows.push(row);
    };
    let lift = |control: &'_ Stat<ControlComparison>| control.clone().map(|control| control.lift);
    for judge in &analysis.simulation {
        for arm in &judge.arms {
            let (base, gold) = (arm.against_base_rate.clone(), arm.prediction_over_gold.clone());
            for (against, found) in [
                (CONTROL, lift(&arm.control)),
                (CONTROL_WHERE_WRONG, lift(&arm.lift_where_wrong)),
                (MORE_FREQUENT, base),
                (GOLD, gold),
            ] {
                add(
                    "simulation",
                    &judge.judge,
                    &arm.arm,
                    against,
                    found.as_ref().map_err(Clone::clone),
                );
            }
            // Of all answers together none can be given always.
            for kind in arm.kinds.iter().filter(|_| arm.kinds.len() > 1) {
                let against = format!("{MORE_FREQUENT}_on_{}", kind.kind);
                let found = kind.against_base_rate.as_ref().map_err(Clone::clone);
                add("simulation", &judge.judge, &arm.arm, &against, found);
            }
        }
    }
    for judge in &analysis.verification {
        for arm in &judge.arms {
            for (against, found) in [
                (CONTROL, lift(&arm.control)),
                (ALWAYS_CORRECT, arm.against_base_rate.clone()),
                (BETTER_CONSTANT, arm.against_constant.clone()),
            ] {
                add(
                    "verification",
                    &judge.judge,
                    &arm.arm,
                    against,
                    found.as_ref().map_err(Clone::clone),
                );
            }
        }
    }
    for found in &analysis.arm_pairs {
        for pair in &found.pairs {
            let difference = pair.difference.as_ref().map_err(Clone::clone);
            add(
                super::flags::task_name(found.task),
                &found.judge,
                &pair.first,
                &pair.second,
                difference,
            );
        }
    }
    table
}

fn cells(found: &Difference) -> Vec<String> {
    let mut row = vec![
        found.test.name().to_owned(),
        found.samples.to_string(),
        figure(&found.first.share),
        found.first.n.to_string(),
        figure(&found.second.share),
        found.second.n.to_string(),
        found.difference.to_string(),
    ];
    row.extend(ends(&found.interval));
    row.extend([found.first_ahead, found.second_ahead].map(|count| count.to_string()));
    row.extend([found.effect, found.p].map(|value| value.to_string()));
    row.push(figure(&found.p_corrected));
    row.push(match &found.p_corrected {
        Ok(_) => String::new(),
        Err(undefined) => format!("p is not corrected: {}", undefined.reason),
    });
    row
}
