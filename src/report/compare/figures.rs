//! The figures of an analysis that papers print too, in the papers' units.

use crate::dataset::DatasetKind;
use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::answers::dataset_name;
use crate::report::flags::task_name;
use crate::report::quantities::{Mean, Proportion};
use crate::report::records::ArmFacts;
use crate::stats::{Interval, Stat};

/// One figure.
pub(super) struct Figure {
    /// As published numbers name it.
    pub(super) measure: String,
    /// The arm or answerer.
    pub(super) arm: String,
    /// The answerer.
    pub(super) answerer: String,
    /// The method's name in the registry, or that of an import.
    pub(super) method: String,
    /// The answering model's name in the study.
    pub(super) model: String,
    /// The data set.
    pub(super) dataset: DatasetKind,
    /// Who judged, of judged figures.
    pub(super) judge: Option<FigureJudge>,
    /// The methods ranked together, of mean ranks.
    pub(super) ranked: Option<Vec<String>>,
    /// In the unit of the measure.
    pub(super) value: f64,
    /// In the same unit.
    pub(super) interval: Stat<Interval>,
    /// Samples or trials.
    pub(super) n: u64,
    /// How far values can lie apart.
    pub(super) scale: f64,
}

/// Who judged.
pub(super) struct FigureJudge {
    pub(super) name: String,
    pub(super) model: String,
    pub(super) view: String,
    pub(super) task: Task,
}

impl Figure {
    /// What it is, in words.
    pub(super) fn words(&self) -> String {
        let measure = self.measure.trim_end_matches("_percent").replace('_', " ");
        match &self.judge {
            Some(judge) => format!("{measure} of {} before {}", self.arm, judge.name),
            None => format!("{measure} of {} on {}", self.arm, dataset_name(self.dataset)),
        }
    }
}

/// Every figure that papers print too. Judged figures over several data sets together are none.
pub(super) fn of_run(analysis: &Analysis) -> Vec<Figure> {
    let mut figures = answers(analysis);
    let kinds: Vec<DatasetKind> = KINDS
        .into_iter()
        .filter(|kind| analysis.samples.datasets.contains_key(dataset_name(*kind)))
        .collect();
    if let [dataset] = kinds.as_slice() {
        figures.extend(judged(analysis, *dataset));
    }
    figures
}

const KINDS: [DatasetKind; 4] = [
    DatasetKind::Tabfact,
    DatasetKind::Wikitq,
    DatasetKind::Fetaqa,
    DatasetKind::Custom,
];

fn method_of(arm: &ArmFacts) -> String {
    if arm.imported {
        arm.method_title.clone()
    } else {
        arm.method.clone()
    }
}

fn method_named(analysis: &Analysis, arm: &str) -> String {
    analysis.study.arm(arm).map_or_else(|| arm.to_owned(), method_of)
}

fn answers(analysis: &Analysis) -> Vec<Figure> {
    let mut figures = Vec::new();
    for answerer in &analysis.answerers {
        let Some(arm) = analysis.study.arms.iter().find(|arm| arm.answerer == answerer.answerer) else {
            continue;
        };
        for kind in KINDS {
            let of_kind = answerer
                .groups
                .iter()
                .find(|group| group.label == "dataset" && group.value == dataset_name(kind));
            let Some((value, interval)) = of_kind.and_then(|group| percent(&group.accuracy)) else {
                continue;
            };
            figures.push(Figure {
                measure: "accuracy_percent".to_owned(),
                arm: answerer.answerer.clone(),
                answerer: answerer.answerer.clone(),
                method: method_of(arm),
                model: arm.model.clone(),
                dataset: kind,
                judge: None,
                ranked: None,
                value,
                interval,
                n: of_kind.map_or(0, |group| group.accuracy.n),
                scale: 100.0,
            });
        }
    }
    figures
}

fn judged(analysis: &Analysis, dataset: DatasetKind) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |task: Task, judge: &str, arm: &str, value: f64, interval: Stat<Interval>, n: u64, scale: f64| {
        let (Some(arm), Some(facts)) = (
            analysis.study.arm(arm),
            analysis.study.judges.iter().find(|known| known.name == judge),
        ) else {
            return;
        };
        figures.push(Figure {
            measure: match task {
                Task::Preference => "mean_rank".to_owned(),
                _ => format!("{}_accuracy_percent", task_name(task)),
            },
            arm: arm.name.clone(),
            answerer: arm.answerer.clone(),
            method: method_of(arm),
            model: arm.model.clone(),
            dataset,
            judge: Some(FigureJudge {
                name: facts.name.clone(),
                model: facts.model.clone(),
                view: facts.view.clone(),
                task,
            }),
            ranked: (task == Task::Preference).then(Vec::new),
            value,
            interval,
            n,
            scale,
        });
    };
    for judge in &analysis.preference {
        for arm in &judge.arms {
            let Mean { n, value, interval } = &arm.mean_rank;
            if let Ok(value) = value {
                let scale = judge.arms.len().saturating_sub(1) as f64;
                add(
                    Task::Preference,
                    &judge.judge,
                    &arm.arm,
                    *value,
                    interval.clone(),
                    *n as u64,
                    scale,
                );
            }
        }
    }
    for judge in &analysis.simulation {
        for arm in &judge.arms {
            if let Some((value, interval)) = percent(&arm.accuracy) {
                let n = arm.accuracy.n;
                add(Task::Simulation, &judge.judge, &arm.arm, value, interval, n, 100.0);
            }
        }
    }
    for judge in &analysis.verification {
        for arm in &judge.arms {
            if let Some((value, interval)) = percent(&arm.accuracy) {
                let n = arm.accuracy.n;
                add(Task::Verification, &judge.judge, &arm.arm, value, interval, n, 100.0);
            }
        }
    }
    for figure in &mut figures {
        if let (Some(ranked), Some(judge)) = (&mut figure.ranked, &figure.judge) {
            let of_judge = analysis.preference.iter().find(|of| of.judge == judge.name);
            *ranked = of_judge
                .map(|of| of.ranked_arms.iter().map(|arm| method_named(analysis, arm)).collect())
                .unwrap_or_default();
        }
    }
    figures
}

fn percent(share: &Proportion) -> Option<(f64, Stat<Interval>)> {
    let value = 100.0 * share.share.as_ref().ok()?;
    let interval = share.interval.clone().map(|interval| Interval {
        low: 100.0 * interval.low,
        high: 100.0 * interval.high,
        level: interval.level,
    });
    Some((value, interval))
}
