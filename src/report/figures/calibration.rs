//! Whether judges are right as often as their probabilities say.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::flags::task_name;
use crate::stats::Undefined;

use super::{Behind, Figure, FigureRow, Form, Unit, judge_number, label, shares};

/// One figure a task whose judges gave probabilities.
pub(super) fn figures(analysis: &Analysis) -> Vec<Figure> {
    [Task::Simulation, Task::Verification]
        .into_iter()
        .filter_map(|task| figure(analysis, task))
        .collect()
}

fn figure(analysis: &Analysis, task: Task) -> Option<Figure> {
    let judges: Vec<_> = analysis
        .confidence
        .iter()
        .filter(|entry| entry.task == task && !entry.bins.is_empty())
        .collect();
    let mut rows = Vec::new();
    for (series, entry) in judges.iter().enumerate() {
        let number = judge_number(analysis, &entry.judge)?;
        for bin in &entry.bins {
            let between = format!("{:.0}–{:.0}%", 100.0 * bin.from, 100.0 * bin.to);
            rows.push(FigureRow {
                label: label(judges.len() > 1, &entry.judge, &between),
                series,
                place: (bin.mean_confidence, 0.0),
                value: if bin.count > 0 {
                    Ok(bin.share)
                } else {
                    Err(Undefined::because("no verdict"))
                },
                interval: bin.interval.as_ref().ok().copied(),
                n: bin.count,
                behind: Behind::Trials {
                    task,
                    judge: number,
                    arm: None,
                },
            });
        }
    }
    let (what, event) = match task {
        Task::Simulation => ("the model answered TRUE", "how often it did"),
        _ => ("the answer is right", "how often it is"),
    };
    (!rows.is_empty()).then(|| Figure {
        name: format!("calibration-{}", task_name(task)),
        title: format!(
            "Calibration in {}: the probability that {what}, against {event}",
            task_name(task)
        ),
        summary:
            "On the dashed line a judge's probability is as high as the share. Probabilities are those of the tokens \
                  that the verdict could have begun with."
                .to_owned(),
        section: match task {
            Task::Simulation => "simulation",
            _ => "verification",
        },
        row_name: "judge and probability",
        unit: Unit::Share,
        counted: "verdicts",
        series: judges.iter().map(|entry| entry.judge.clone()).collect(),
        rows,
        form: Form::Curves {
            axis: shares(event),
            across: shares(&format!("mean probability that {what}")),
            places: Vec::new(),
            diagonal: true,
        },
    })
}
