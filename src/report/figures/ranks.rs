//! Mean ranks with their intervals.

use crate::judge::Task;
use crate::report::analysis::Analysis;

use super::{Axis, Behind, Figure, FigureRow, Form, Unit, judge_number, label};

/// The figure, if anything was ranked.
pub(super) fn figure(analysis: &Analysis) -> Option<Figure> {
    let judges: Vec<_> = analysis
        .preference
        .iter()
        .filter(|judge| !judge.arms.is_empty())
        .collect();
    let mut rows = Vec::new();
    let mut worst = 2_usize;
    for (series, judge) in judges.iter().enumerate() {
        let number = judge_number(analysis, &judge.judge)?;
        worst = worst.max(judge.arms.len());
        for arm in &judge.arms {
            rows.push(FigureRow {
                label: label(judges.len() > 1, &judge.judge, &arm.arm),
                series,
                place: (0.0, 0.0),
                value: arm.mean_rank.value.clone(),
                interval: arm.mean_rank.interval.clone().ok(),
                n: arm.mean_rank.n as u64,
                behind: Behind::Trials {
                    task: Task::Preference,
                    judge: number,
                    arm: None,
                },
            });
        }
    }
    (!rows.is_empty()).then(|| Figure {
        name: "ranks".to_owned(),
        title: "Mean rank of each explanation, with its interval".to_owned(),
        summary: "1, at the left, is always ranked best. That a judge likes an explanation does not say that it helps."
            .to_owned(),
        section: "preference",
        row_name: "arm",
        unit: Unit::Rank,
        counted: "samples",
        series: judges.iter().map(|judge| judge.judge.clone()).collect(),
        rows,
        form: Form::Rows {
            axis: Axis {
                name: "mean rank (1 is best)".to_owned(),
                low: 1.0,
                high: worst as f64,
                step: (worst as f64 / 8.0).ceil(),
            },
            reference: Some((worst as f64 + 1.0) / 2.0),
        },
    })
}
