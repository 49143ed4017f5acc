//! Does what judges prefer go along with what helps them? Pearson's correlation of inverted mean rank against accuracy,
//! over cells of judge and arm, as published. The cells are not independent: every judge sees the same few arms. Beside it
//! stand the same without each arm, and the correlation within samples. Controls, where they were ranked or recorded as arms,
//! are in none of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::{CONTROL_ARM, Task};
use crate::stats::correlation::{Correlation, pearson};
use crate::stats::rank::average_ranks;
use crate::stats::within::{Scale, WithinCorrelation, within_correlation};
use crate::stats::{Stat, Undefined};

use super::flags::counted;
use super::index::Index;
use super::preference::PreferenceAnalysis;
use super::records::StudyFacts;
use super::simulation::SimulationAnalysis;
use super::verification::VerificationAnalysis;

/// Preference against one accuracy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreferenceCorrelation {
    /// Whose accuracy: simulation or verification.
    pub task: Task,
    /// The cells, in the order of judges and arms.
    pub points: Vec<CorrelationPoint>,
    /// Judges among the cells.
    pub judges: usize,
    /// Arms among the cells.
    pub arms: usize,
    /// Of `-mean_rank` against `accuracy`.
    pub pearson: Stat<Correlation>,
    /// The same without each arm: what rests on one arm alone shows.
    pub without_arm: Vec<WithoutArm>,
    /// Within samples, one entry a judge: whether of one sample's explanations the preferred ones are those that help.
    pub within_samples: Vec<WithinSamples>,
    /// What has to be said beside it.
    pub caveat: String,
}

/// The correlation of the cells without one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WithoutArm {
    /// The arm left out.
    pub arm: String,
    /// Of the other cells.
    pub pearson: Stat<Correlation>,
}

/// The correlation within samples before one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WithinSamples {
    /// The judge.
    pub judge: String,
    /// Of the inverted rank of each arm on a sample with its success there (of several trials the mean), both as
    /// deviations from the mean of the sample; p and interval are over samples.
    pub correlation: Stat<WithinCorrelation>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrelationPoint {
    /// The judge.
    pub judge: String,
    /// The arm.
    pub arm: String,
    /// Its mean rank; 1 is best.
    pub mean_rank: f64,
    /// Its accuracy in the task.
    pub accuracy: f64,
}

/// One entry each for simulation and verification, where there are cells with both figures or the task was run.
pub fn analyze(
    index: &Index,
    preference: &[PreferenceAnalysis],
    simulation: &[SimulationAnalysis],
    verification: &[VerificationAnalysis],
) -> Vec<PreferenceCorrelation> {
    let study = &index.records.study;
    let level = study.confidence;
    if preference.is_empty() {
        return Vec::new();
    }
    // A panel's cells are made of its judges' cells, and people are no further models.
    let own = |judge: &str| !study.is_panel(judge);
    let is_model = |judge: &str| own(judge) && !study.people().any(|person| person == judge);
    let simulation_cells = simulation
        .iter()
        .filter(|judge| is_model(&judge.judge))
        .flat_map(|judge| {
            let arms = judge.arms.iter().filter(|arm| !is_control(study, &arm.arm));
            arms.map(|arm| (&judge.judge, &arm.arm, &arm.accuracy.share))
        });
    let verification_cells = verification
        .iter()
        .filter(|judge| is_model(&judge.judge))
        .flat_map(|judge| {
            let arms = judge.arms.iter().filter(|arm| !is_control(study, &arm.arm));
            arms.map(|arm| (&judge.judge, &arm.arm, &arm.accuracy.share))
        });
    let mut correlations: Vec<PreferenceCorrelation> = Vec::new();
    if !simulation.is_empty() {
        correlations.push(correlate(
            Task::Simulation,
            preference,
            simulation_cells.collect(),
            level,
        ));
    }
    if !verification.is_empty() {
        correlations.push(correlate(
            Task::Verification,
            preference,
            verification_cells.collect(),
            level,
        ));
    }
    for correlation in &mut correlations {
        let judges = preference
            .iter()
            .filter(|judge| own(&judge.judge) && !judge.arms.is_empty());
        correlation.within_samples = judges
            .map(|judge| WithinSamples {
                judge: judge.judge.clone(),
                correlation: within_samples(index, correlation.task, &judge.judge, &judge.ranked_arms),
            })
            .collect();
    }
    correlations
}

/// Sum and count of the inverted ranks of an arm on a sample, and of its successes.
type RankAndSuccess = [(f64, f64); 2];

/// Whether an arm is a control: it explains nothing, so that what is preferred to it says nothing of explanations that help.
fn is_control(study: &StudyFacts, arm: &str) -> bool {
    arm == CONTROL_ARM || study.is_recorded_control(arm)
}

/// Points of one judge on samples: the inverted mean rank of an arm, and how often the task was done right with it.
fn within_samples(index: &Index, task: Task, judge: &str, arms: &[String]) -> Stat<WithinCorrelation> {
    let study = &index.records.study;
    let mut points: BTreeMap<&str, BTreeMap<&str, RankAndSuccess>> = BTreeMap::new();
    let mut add = |sample, arm, column: usize, value: f64| {
        let (sum, count) = &mut points.entry(sample).or_default().entry(arm).or_default()[column];
        *sum += value;
        *count += 1.0;
    };
    for scored in index.scored(Task::Preference, judge) {
        let Some(mut ranks) = scored.verdict().and_then(|verdict| verdict.mid_ranks()) else {
            continue;
        };
        if ranks.len() == arms.len() {
            ranks.retain(|(arm, _)| !is_control(study, arm));
            let places: Vec<f64> = ranks.iter().map(|(_, rank)| *rank).collect();
            // A control between two explanations moves them apart no further.
            for ((arm, _), rank) in ranks.iter().zip(average_ranks(&places).unwrap_or_default()) {
                add(scored.trial.sample.as_str(), *arm, 0, -rank);
            }
        }
    }
    for scored in index.scored(task, judge) {
        if let ([arm], Some(success)) = (scored.trial.arms.as_slice(), scored.success())
            && !is_control(study, arm)
        {
            add(&scored.trial.sample, arm, 1, f64::from(u8::from(success)));
        }
    }
    let samples: Vec<Vec<(f64, f64)>> = points
        .into_values()
        .map(|arms| {
            let both = arms
                .into_values()
                .filter(|[rank, success]| rank.1 > 0.0 && success.1 > 0.0);
            both.map(|[rank, success]| (rank.0 / rank.1, success.0 / success.1))
                .collect()
        })
        .collect();
    within_correlation(&samples, Scale::Values, study.confidence)
}

fn of_points(points: &[&CorrelationPoint], level: f64) -> Stat<Correlation> {
    if points.len() < 3 {
        return Err(Undefined::because(format!(
            "too few cells of judge and arm: {}, and at least 3 are needed",
            points.len()
        )));
    }
    let inverted: Vec<f64> = points.iter().map(|point| -point.mean_rank).collect();
    let accuracies: Vec<f64> = points.iter().map(|point| point.accuracy).collect();
    pearson(&inverted, &accuracies, level)
}

fn correlate(
    task: Task,
    preference: &[PreferenceAnalysis],
    cells: Vec<(&String, &String, &Stat<f64>)>,
    level: f64,
) -> PreferenceCorrelation {
    let points: Vec<CorrelationPoint> = cells
        .into_iter()
        .filter_map(|(judge, arm, accuracy)| {
            let of_judge = preference.iter().find(|analysis| analysis.judge == *judge)?;
            let of_arm = of_judge.arms.iter().find(|candidate| candidate.arm == *arm)?;
            Some(CorrelationPoint {
                judge: judge.clone(),
                arm: arm.clone(),
                mean_rank: of_arm.mean_rank.value.as_ref().ok().copied()?,
                accuracy: accuracy.as_ref().ok().copied()?,
            })
        })
        .collect();
    let distinct =
        |name: fn(&CorrelationPoint) -> &str| points.iter().map(name).collect::<std::collections::BTreeSet<_>>().len();
    let (judges, arms) = (distinct(|point| &point.judge), distinct(|point| &point.arm));
    let all: Vec<&CorrelationPoint> = points.iter().collect();
    let pearson = of_points(&all, level);
    let mut names: Vec<&str> = Vec::new();
    for point in &points {
        if !names.contains(&point.arm.as_str()) {
            names.push(&point.arm);
        }
    }
    let without_arm = names
        .into_iter()
        .map(|arm| WithoutArm {
            arm: arm.to_owned(),
            pearson: of_points(
                &points.iter().filter(|point| point.arm != arm).collect::<Vec<_>>(),
                level,
            ),
        })
        .collect();
    PreferenceCorrelation {
        task,
        judges,
        arms,
        pearson,
        without_arm,
        within_samples: Vec::new(),
        caveat: format!(
            "{} from {} and the same {}. They are not independent, so p and interval claim more than {} can show.",
            counted(points.len() as u64, "cell"),
            counted(judges as u64, "judge"),
            counted(arms as u64, "arm"),
            counted(arms as u64, "arm"),
        ),
        points,
    }
}
