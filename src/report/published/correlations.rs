//! The printed correlations between what judges prefer and what helps them, from the cells that are printed too.
//!
//! The cells are a few judges on the same few methods. Taken for independent draws, as published, they claim more than
//! the methods can show: leaving out one method or one judge, and looking within each judge, says how much.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LEVEL, PublishedNumber};
use crate::judge::Task;
use crate::report::correlation::CorrelationPoint;
use crate::report::flags::{counted, task_name};
use crate::stats::correlation::{Correlation, RankCorrelation, pearson, spearman};
use crate::stats::within::{Scale, WithinCorrelation, within_correlation};
use crate::stats::{Stat, Undefined};

/// One printed correlation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedCorrelation {
    /// Of preference with the accuracy in this task.
    pub task: Task,
    /// Where it is printed.
    pub place: String,
    /// The coefficient as printed.
    pub printed_r: String,
    /// Its p as printed.
    pub printed_p: String,
    /// The cells with both figures.
    pub points: Vec<CorrelationPoint>,
    /// Judges among them.
    pub judges: usize,
    /// Methods among them.
    pub arms: usize,
    /// Pearson's correlation of `-mean_rank` with accuracy over all cells.
    pub pearson: Stat<Correlation>,
    /// Whether r and p, rounded as printed, are the printed ones.
    pub reproduced: bool,
    /// Spearman's over all cells.
    pub spearman: Stat<RankCorrelation>,
    /// Without the cells of one method.
    pub without_arm: Vec<PartCorrelation>,
    /// Without the cells of one judge.
    pub without_judge: Vec<PartCorrelation>,
    /// Of one judge alone.
    pub of_judge: Vec<PartCorrelation>,
    /// Within judges, pooled: what differs between judges counts for nothing, and p is over judges.
    pub within_judges: Stat<WithinCorrelation>,
    /// Over the methods' means, one point a method.
    pub arm_means: Stat<Correlation>,
    /// What has to be said beside it.
    pub caveat: String,
}

/// The correlation over some of the cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartCorrelation {
    /// The judge or method that is left out, or alone.
    pub name: String,
    /// Over these cells.
    pub pearson: Stat<Correlation>,
}

/// Every correlation of preference that is printed, recomputed from the mean ranks and accuracies of the same source and
/// data set. People have accuracies and no ranks, so that their cells drop out by themselves.
pub fn recompute(numbers: &[PublishedNumber]) -> Vec<PublishedCorrelation> {
    let tasks = [Task::Simulation, Task::Verification];
    tasks
        .into_iter()
        .flat_map(|task| {
            let measure = |what: &str| format!("preference_{}_pearson_{what}", task_name(task));
            let (r, p) = (measure("r"), measure("p"));
            let coefficients = numbers.iter().filter(move |number| number.measure == r);
            coefficients.filter_map(move |r| {
                let beside = |number: &&PublishedNumber| {
                    number.measure == p
                        && (&number.source, &number.table, &number.dataset) == (&r.source, &r.table, &r.dataset)
                };
                Some(correlation(task, numbers, r, numbers.iter().find(beside)?))
            })
        })
        .collect()
}

fn correlation(
    task: Task,
    numbers: &[PublishedNumber],
    r: &PublishedNumber,
    p: &PublishedNumber,
) -> PublishedCorrelation {
    let points = points(task, numbers, r);
    let names = |name: fn(&CorrelationPoint) -> &String| {
        let mut names: Vec<String> = Vec::new();
        for point in &points {
            if !names.contains(name(point)) {
                names.push(name(point).clone());
            }
        }
        names
    };
    let (judges, arms) = (names(|point| &point.judge), names(|point| &point.arm));
    let part = |name: &String, keep: &dyn Fn(&CorrelationPoint) -> bool| PartCorrelation {
        name: name.clone(),
        pearson: of_points(points.iter().filter(|point| keep(point))),
    };
    let pearson = of_points(&points);
    let reproduced = pearson.as_ref().is_ok_and(|found| {
        (found.r - r.value()).abs() <= r.rounding() + 1e-12 && (found.p - p.value()).abs() <= p.rounding() + 1e-12
    });
    let by_judge: Vec<Vec<(f64, f64)>> = judges
        .iter()
        .map(|judge| {
            let of_judge = points.iter().filter(|point| point.judge == *judge);
            of_judge.map(|point| (-point.mean_rank, point.accuracy)).collect()
        })
        .collect();
    let means: Vec<CorrelationPoint> = arms
        .iter()
        .map(|arm| {
            let of_arm: Vec<&CorrelationPoint> = points.iter().filter(|point| point.arm == *arm).collect();
            let mean = |value: fn(&CorrelationPoint) -> f64| {
                of_arm.iter().map(|point| value(point)).sum::<f64>() / of_arm.len() as f64
            };
            CorrelationPoint {
                judge: String::new(),
                arm: arm.clone(),
                mean_rank: mean(|point| point.mean_rank),
                accuracy: mean(|point| point.accuracy),
            }
        })
        .collect();
    PublishedCorrelation {
        task,
        place: r.place(),
        printed_r: r.printed.clone(),
        printed_p: p.printed.clone(),
        judges: judges.len(),
        arms: arms.len(),
        reproduced,
        spearman: rank_correlation(&points),
        without_arm: arms.iter().map(|arm| part(arm, &|point| point.arm != *arm)).collect(),
        without_judge: judges
            .iter()
            .map(|judge| part(judge, &|point| point.judge != *judge))
            .collect(),
        of_judge: judges
            .iter()
            .map(|judge| part(judge, &|point| point.judge == *judge))
            .collect(),
        within_judges: within_correlation(&by_judge, Scale::Values, LEVEL),
        arm_means: of_points(&means),
        caveat: format!(
            "{} are {} on the same {}. The judges see the same explanations, so the cells are no independent draws \
             (pseudo-replication): p and interval, which take them for {} draws, claim more than {} can show.",
            counted(points.len() as u64, "cell"),
            counted(judges.len() as u64, "judge"),
            counted(arms.len() as u64, "method"),
            points.len(),
            counted(arms.len() as u64, "method"),
        ),
        pearson,
        points,
    }
}

/// Cells of judge and method that have a mean rank and an accuracy, in the order of the ranks. Ranks among other
/// explanations than most (a fifth one, say) stand in other tables and are not taken.
fn points(task: Task, numbers: &[PublishedNumber], printed: &PublishedNumber) -> Vec<CorrelationPoint> {
    let here = |number: &&PublishedNumber| number.source == printed.source && number.dataset == printed.dataset;
    let accuracy_measure = format!("{}_accuracy_percent", task_name(task));
    let ranks: Vec<&PublishedNumber> = numbers
        .iter()
        .filter(here)
        .filter(|number| number.measure == "mean_rank")
        .collect();
    let table = ranks.first().map(|number| &number.table);
    ranks
        .iter()
        .filter(|number| Some(&number.table) == table)
        .filter_map(|rank| {
            let accuracy = numbers.iter().filter(here).find(|number| {
                number.measure == accuracy_measure
                    && number.setting.is_empty()
                    && (&number.method, &number.model) == (&rank.method, &rank.model)
            })?;
            Some(CorrelationPoint {
                judge: rank.model.clone(),
                arm: rank.method.clone(),
                mean_rank: rank.value(),
                accuracy: accuracy.value(),
            })
        })
        .collect()
}

fn of_points<'a>(points: impl IntoIterator<Item = &'a CorrelationPoint>) -> Stat<Correlation> {
    let (x, y): (Vec<f64>, Vec<f64>) = points
        .into_iter()
        .map(|point| (-point.mean_rank, point.accuracy))
        .unzip();
    if x.len() < 3 {
        return Err(Undefined::because(format!("{} cells are too few", x.len())));
    }
    pearson(&x, &y, LEVEL)
}

fn rank_correlation(points: &[CorrelationPoint]) -> Stat<RankCorrelation> {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|point| (-point.mean_rank, point.accuracy)).unzip();
    spearman(&x, &y, LEVEL)
}
