//! The table of tests against not looking, and against no explanation, in the sections of simulation and verification.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::control::ControlComparison;
use crate::report::difference::Difference;
use crate::stats::Stat;

use super::anchors;
use super::view::{Block, CellView, TableView, p_value, points, two_decimals};

const CAPTION: &str = "Beyond chance: what each arm is held against, the difference with its interval, and p; corrected \
     over all arms and judges (Holm), panels apart";

/// One row an arm and judge of verification.
pub(super) fn verification(analysis: &Analysis) -> TableView {
    let mut table = TableView::new(
        CAPTION,
        &[
            "judge",
            "arm",
            "#less always “correct”",
            "#less the better constant",
            "#less the control",
        ],
    );
    for judge in &analysis.verification {
        for arm in &judge.arms {
            let to = trials(analysis, Task::Verification, &judge.judge, &arm.arm);
            table.rows.push(vec![
                CellView::head(&judge.judge),
                CellView::head(&arm.arm),
                ahead(arm.against_base_rate.as_ref()).to(&to),
                ahead(arm.against_constant.as_ref()).to(&to),
                control(&arm.control).to(&to),
            ]);
        }
    }
    table
}

/// One row an arm and judge of simulation.
pub(super) fn simulation(analysis: &Analysis) -> TableView {
    let mut table = TableView::new(
        CAPTION,
        &[
            "judge",
            "arm",
            "#less the control",
            "#the same where the model is wrong",
            "#less always the more frequent answer",
            "#agreement with the model less with the right answer",
        ],
    );
    for judge in &analysis.simulation {
        for arm in &judge.arms {
            let to = trials(analysis, Task::Simulation, &judge.judge, &arm.arm);
            table.rows.push(vec![
                CellView::head(&judge.judge),
                CellView::head(&arm.arm),
                control(&arm.control).to(&to),
                control(&arm.lift_where_wrong).to(&to),
                ahead(arm.against_base_rate.as_ref()).to(&to),
                ahead(arm.prediction_over_gold.as_ref()).to(&to),
            ]);
        }
    }
    table
}

/// Every two arms before one judge, and what Cochran's Q says of all.
pub(super) fn arm_pairs(analysis: &Analysis, task: Task, judge: &str) -> Vec<Block> {
    let found = analysis
        .arm_pairs
        .iter()
        .find(|found| found.task == task && found.judge == judge);
    let Some(found) = found else {
        return Vec::new();
    };
    let mut table = TableView::new(
        "Every two arms: accuracy of the one less that of the other on the same trials; p is corrected over the pairs (Holm)",
        &["arm", "against", "#difference"],
    );
    for pair in &found.pairs {
        table.rows.push(vec![
            CellView::head(&pair.first),
            CellView::text(&pair.second),
            ahead(pair.difference.as_ref()),
        ]);
    }
    let words = match &found.all {
        Ok(test) => format!(
            "All arms at once: Cochran's Q is {} (df = {}, p = {}).",
            two_decimals(test.statistic),
            test.freedom,
            p_value(test.p)
        )
        .replace("= <", "< "),
        Err(undefined) => format!("All arms at once (Cochran's Q): {}.", undefined.reason),
    };
    vec![Block::Table(table), Block::Text(words)]
}

fn trials(analysis: &Analysis, task: Task, judge: &str, arm: &str) -> String {
    let study = &analysis.study;
    let judge = study.judges.iter().position(|known| known.name == judge);
    let arm = study.arms.iter().position(|known| known.name == arm);
    judge
        .map(|judge| anchors::to_trials(task, judge, arm))
        .unwrap_or_default()
}

/// A cell of a difference from the control.
pub(super) fn control(control: &Stat<ControlComparison>) -> CellView {
    let mut cell = ahead(control.as_ref().map(|control| &control.lift));
    if control.as_ref().is_ok_and(|control| control.right_answers.is_some()) {
        cell.detail.push_str("\nof other samples");
    }
    cell
}

/// A cell of a difference, with its interval, effect size and test.
pub(super) fn ahead(test: Result<&Difference, &crate::stats::Undefined>) -> CellView {
    let test = match test {
        Ok(test) => test,
        Err(undefined) => return CellView::figure(&Err(undefined.clone()), points),
    };
    let mut cell = CellView::figure(&Ok(test.difference), points);
    let mut lines = Vec::new();
    if let Ok(interval) = &test.interval {
        lines.push(format!("{} to {}", points(interval.low), points(interval.high)));
    }
    lines.push(format!(
        "{}/{} against {}/{}",
        test.first.successes, test.first.n, test.second.successes, test.second.n
    ));
    let corrected = match &test.p_corrected {
        Ok(p) => format!("corrected {}", p_value(*p)),
        Err(_) => "not corrected".to_owned(),
    };
    lines.push(format!("p = {}, {corrected}", p_value(test.p)).replace("= <", "< "));
    lines.push(format!("h = {}, n = {}", two_decimals(test.effect), test.samples));
    cell.detail = lines.join("\n");
    cell
}
