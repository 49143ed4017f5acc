//! The table of tests against not looking, and against no explanation, in the section on verification.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::beyond_chance::{ChanceTest, VerificationTest};
use crate::stats::Stat;

use super::anchors;
use super::view::{CellView, TableView, p_value, points};

/// One row an arm and judge, over all readable verdicts of the arm.
pub(super) fn table(analysis: &Analysis) -> TableView {
    let mut table = TableView::new(
        "Beyond chance: every readable verdict of an arm, common samples or not; p is corrected over the rows (Holm)",
        &[
            "judge",
            "arm",
            "#accuracy",
            "#always “correct”",
            "#ahead of it",
            "#always the same",
            "#ahead of it",
            "#without explanation",
            "#ahead of it",
        ],
    );
    let study = &analysis.study;
    for test in &analysis.verification_tests {
        let judge = study.judges.iter().position(|judge| judge.name == test.judge);
        let arm = study.arms.iter().position(|arm| arm.name == test.arm);
        let to = judge
            .map(|judge| anchors::to_trials(Task::Verification, judge, arm))
            .unwrap_or_default();
        table.rows.push(vec![
            CellView::head(&test.judge),
            CellView::head(&test.arm),
            CellView::proportion(&test.accuracy).to(&to),
            CellView::part(&test.base_rate).to(&to),
            ahead(&Ok(test.against_base_rate.clone())),
            CellView::part(&test.better_constant).to(&to),
            ahead(&Ok(test.against_constant.clone())),
            control(test),
            ahead(&test.against_control),
        ]);
    }
    table
}

fn control(test: &VerificationTest) -> CellView {
    if test.against_control.is_err() {
        return CellView::number("–");
    }
    let cell = CellView::part(&test.control);
    if test.control_is_paired {
        return cell;
    }
    let detail = format!("{}\nother samples", cell.detail);
    cell.detail(detail)
}

fn ahead(test: &Stat<ChanceTest>) -> CellView {
    match test {
        Ok(test) => {
            let mut cell = CellView::figure(&Ok(test.difference), points);
            cell.detail =
                format!("p = {}\ncorrected {}", p_value(test.p), p_value(test.p_corrected)).replace("= <", "< ");
            cell
        }
        Err(undefined) => CellView::figure(&Err(undefined.clone()), points),
    }
}
