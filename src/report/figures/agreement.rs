//! How far every two judges agree beyond chance.

use crate::report::agreement::AgreementAnalysis;
use crate::report::analysis::Analysis;
use crate::report::flags::task_name;

use super::{Behind, Figure, FigureRow, Form, Unit, judge_number};

/// One figure a task that two judges or more were asked in.
pub(super) fn figures(analysis: &Analysis) -> Vec<Figure> {
    analysis
        .agreement
        .iter()
        .filter_map(|task| figure(analysis, task))
        .collect()
}

fn figure(analysis: &Analysis, task: &AgreementAnalysis) -> Option<Figure> {
    let mut names: Vec<String> = Vec::new();
    for pair in &task.pairs {
        for name in [&pair.first, &pair.second] {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    let place = |name: &str| names.iter().position(|known| known == name).unwrap_or_default() as f64;
    let mut rows = Vec::new();
    for pair in &task.pairs {
        rows.push(FigureRow {
            label: format!("{} and {}", pair.first, pair.second),
            series: 0,
            place: (place(&pair.first), place(&pair.second)),
            value: pair.kappa.clone(),
            interval: pair.kappa_interval.clone().ok(),
            n: pair.agreement.n,
            behind: Behind::Trials {
                task: task.task,
                judge: judge_number(analysis, &pair.first)?,
                arm: None,
            },
        });
    }
    (!rows.is_empty()).then(|| Figure {
        name: format!("agreement-{}", task_name(task.task)),
        title: format!("Agreement of judges in {}: Cohen's kappa", task_name(task.task)),
        summary: format!(
            "1 is agreement on every trial, 0 as by chance. Compared: {}. The deeper the colour, the farther from chance; \
             a value below 0 is framed.",
            task.compared
        ),
        section: "agreement",
        row_name: "judges",
        unit: Unit::Coefficient,
        counted: "trials",
        series: vec!["kappa".to_owned()],
        rows,
        form: Form::Matrix { names },
    })
}
