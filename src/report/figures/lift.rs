//! What each explanation adds over none: a forest plot of lifts.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::control::{ControlComparison, IS_THE_CONTROL};
use crate::stats::Stat;

use super::{Axis, Behind, Figure, FigureRow, Form, Unit, arm_number, judge_number, label};

/// The figure, if anything has a control.
pub(super) fn figure(analysis: &Analysis) -> Option<Figure> {
    let mut series = Vec::new();
    let mut rows = Vec::new();
    let several = analysis.study.judges.len() > 1;
    let mut add = |series: usize, task: Task, judge: &str, arm: &str, control: &Stat<ControlComparison>| {
        let Some(number) = judge_number(analysis, judge) else {
            return;
        };
        if matches!(control, Err(undefined) if undefined.reason == IS_THE_CONTROL) {
            return;
        }
        let lift = control.as_ref().map(|control| &control.lift);
        rows.push(FigureRow {
            label: label(several, judge, arm),
            series,
            place: (0.0, 0.0),
            value: lift.map(|lift| lift.difference).map_err(Clone::clone),
            interval: lift.ok().and_then(|lift| lift.interval.clone().ok()),
            n: lift.map_or(0, |lift| lift.samples),
            behind: Behind::Trials {
                task,
                judge: number,
                arm: Some(arm_number(analysis, arm)),
            },
        });
    };
    if !analysis.simulation.is_empty() {
        for judge in &analysis.simulation {
            for arm in &judge.arms {
                add(series.len(), Task::Simulation, &judge.judge, &arm.arm, &arm.control);
            }
        }
        series.push("simulation".to_owned());
    }
    if !analysis.verification.is_empty() {
        for judge in &analysis.verification {
            for arm in &judge.arms {
                add(series.len(), Task::Verification, &judge.judge, &arm.arm, &arm.control);
            }
        }
        series.push("verification".to_owned());
    }
    if rows.iter().all(|row| row.value.is_err()) {
        return None;
    }
    let reached = rows
        .iter()
        .filter_map(|row| {
            let value = *row.value.as_ref().ok()?;
            let ends = row
                .interval
                .map_or([value; 2], |interval| [interval.low, interval.high]);
            Some(ends.into_iter().map(f64::abs).fold(value.abs(), f64::max))
        })
        .fold(0.1_f64, f64::max);
    let half = ((reached * 10.0).ceil() / 10.0).min(1.0);
    Some(Figure {
        name: "lift".to_owned(),
        title: "What each explanation adds over none (lift), with its interval".to_owned(),
        summary:
            "Right of the dashed line the judge is right more often with the explanation than without any. Where the \
                  interval crosses the line, chance may be all there is; corrected p are in the tables."
                .to_owned(),
        section: "glance",
        row_name: "task, judge and arm",
        unit: Unit::Difference,
        counted: "samples",
        series,
        rows,
        form: Form::Rows {
            axis: Axis {
                name: "accuracy with the explanation less without, in percentage points".to_owned(),
                low: -half,
                high: half,
                step: if half > 0.6 {
                    0.25
                } else if half > 0.3 {
                    0.2
                } else {
                    0.1
                },
            },
            reference: Some(0.0),
        },
    })
}
