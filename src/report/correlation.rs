//! Does what judges prefer go along with what helps them? Pearson's correlation of inverted mean rank against accuracy,
//! over cells of judge and arm, as published. The cells are not independent: every judge sees the same few arms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Task;
use crate::stats::correlation::{Correlation, pearson};
use crate::stats::{Stat, Undefined};

use super::flags::counted;
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
    /// What has to be said beside it.
    pub caveat: String,
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
    preference: &[PreferenceAnalysis],
    simulation: &[SimulationAnalysis],
    verification: &[VerificationAnalysis],
    study: &StudyFacts,
) -> Vec<PreferenceCorrelation> {
    let level = study.confidence;
    if preference.is_empty() {
        return Vec::new();
    }
    // A panel's cells are made of its judges' cells.
    let own = |judge: &str| !study.is_panel(judge);
    let simulation_cells = simulation.iter().filter(|judge| own(&judge.judge)).flat_map(|judge| {
        judge
            .arms
            .iter()
            .map(|arm| (&judge.judge, &arm.arm, &arm.accuracy.share))
    });
    let verification_cells = verification.iter().filter(|judge| own(&judge.judge)).flat_map(|judge| {
        judge
            .arms
            .iter()
            .map(|arm| (&judge.judge, &arm.arm, &arm.accuracy.share))
    });
    let mut correlations = Vec::new();
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
    correlations
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
    let inverted: Vec<f64> = points.iter().map(|point| -point.mean_rank).collect();
    let accuracies: Vec<f64> = points.iter().map(|point| point.accuracy).collect();
    let pearson = if points.len() < 3 {
        Err(Undefined::because(format!(
            "{} cells of judge and arm are too few; at least 3 are needed",
            points.len()
        )))
    } else {
        pearson(&inverted, &accuracies, level)
    };
    PreferenceCorrelation {
        task,
        judges,
        arms,
        pearson,
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
