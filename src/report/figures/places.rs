//! What the place does in which an explanation is shown.

use crate::judge::Task;
use crate::report::analysis::Analysis;

use super::{Behind, Figure, FigureRow, Form, Unit, judge_number, label, shares};

/// The figure, if the order shown is known.
pub(super) fn figure(analysis: &Analysis) -> Option<Figure> {
    let judges: Vec<_> = analysis
        .preference
        .iter()
        .filter(|judge| !judge.places.is_empty())
        .collect();
    let mut rows = Vec::new();
    for (series, judge) in judges.iter().enumerate() {
        let number = judge_number(analysis, &judge.judge)?;
        for place in &judge.places {
            rows.push(FigureRow {
                label: label(
                    judges.len() > 1,
                    &judge.judge,
                    &format!("shown in place {}", place.place),
                ),
                series,
                place: (0.0, 0.0),
                value: place.first.value.clone(),
                interval: place.first.interval.clone().ok(),
                n: place.rankings,
                behind: Behind::Trials {
                    task: Task::Preference,
                    judge: number,
                    arm: None,
                },
            });
        }
    }
    let arms: Vec<usize> = judges.iter().map(|judge| judge.places.len()).collect();
    let same = arms.windows(2).all(|two| two[0] == two[1]);
    let even = arms.first().filter(|_| same).map(|arms| 1.0 / *arms as f64);
    (!rows.is_empty()).then(|| Figure {
        name: "places".to_owned(),
        title: "How often a judge puts first what stood in each place".to_owned(),
        summary: format!(
            "Where places do nothing, every place has {}.",
            if even.is_some() {
                "the even share, which the dashed line marks"
            } else {
                "one share of as many as there are places"
            }
        ),
        section: "preference",
        row_name: "place",
        unit: Unit::Share,
        counted: "rankings",
        series: judges.iter().map(|judge| judge.judge.clone()).collect(),
        rows,
        form: Form::Rows {
            axis: shares("share of first ranks"),
            reference: even,
        },
    })
}
