//! How sure judges were by the probabilities of their tokens, against what is so: calibration, and how well the
//! probability tells the two cases apart.
//!
//! The probability is that of the positive option: in verification that the answer is right, in simulation that the model
//! answered TRUE. Over trials with an explanation and a readable verdict, of all arms together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::Answer;
use crate::judge::{Confidence, Task};
use crate::stats::calibration::{bin_of, calibration};
use crate::stats::discrimination::auroc_of_clusters;
use crate::stats::{Interval, Stat};

use super::index::{Index, Scored};
use super::inference::Inference;
use super::quantities::Proportion;

/// Bins of equal width.
const BINS: usize = 10;

/// One judge in one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceAnalysis {
    /// The task.
    pub task: Task,
    /// The judge.
    pub judge: String,
    /// Readable verdicts with a probability on something that is known to be so or not.
    pub verdicts: u64,
    /// Readable verdicts of which a probability was asked for and not told.
    pub absent: u64,
    /// Expected calibration error over ten bins of equal width; it grows with the number of bins.
    pub expected_error: Stat<f64>,
    /// Brier's score, which needs no bins.
    pub brier: Stat<f64>,
    /// The area under the ROC curve: 1/2 for guessing.
    pub area: Stat<f64>,
    /// Its interval over samples (DeLong's; where a sample has several verdicts Obuchowski's).
    pub area_interval: Stat<Interval>,
    /// The bins that hold a verdict, from low to high probability.
    pub bins: Vec<ConfidenceBin>,
}

/// One bin of a calibration curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceBin {
    /// The lowest probability that belongs to it.
    pub from: f64,
    /// The probability below which it ends; the last bin holds 1.
    pub to: f64,
    /// Verdicts in it.
    pub count: u64,
    /// Their mean probability.
    pub mean_confidence: f64,
    /// The share of them of which it is so.
    pub share: f64,
    /// Wilson's interval of that share; where a sample has several verdicts in the bin from a bootstrap over samples.
    pub interval: Stat<Interval>,
}

/// One entry a task and judge whose probabilities were asked for.
pub fn analyze(index: &Index) -> Vec<ConfidenceAnalysis> {
    let level = index.records.study.confidence;
    let mut found = Vec::new();
    for task in [Task::Simulation, Task::Verification] {
        for judge in &index.records.study.judges {
            let scored = index.scored(task, &judge.name);
            let mut absent = 0;
            let (mut probabilities, mut so, mut samples) = (Vec::new(), Vec::new(), Vec::new());
            for scored in scored
                .iter()
                .filter(|scored| !scored.is_control() && scored.verdict().is_some())
            {
                match scored.judgment.and_then(|judgment| judgment.confidence.as_ref()) {
                    None => {}
                    Some(Confidence::Absent { .. }) => absent += 1,
                    Some(Confidence::TokenProbabilities { positive, .. }) => {
                        if let Some(is_so) = is_so(scored) {
                            probabilities.push(*positive);
                            so.push(is_so);
                            samples.push(scored.trial.sample.as_str());
                        }
                    }
                }
            }
            if absent == 0 && probabilities.is_empty() {
                continue;
            }
            let curve = calibration(&probabilities, &so, BINS, level);
            let area = auroc_of_clusters(&probabilities, &so, &samples, level);
            found.push(ConfidenceAnalysis {
                task,
                judge: judge.name.clone(),
                verdicts: probabilities.len() as u64,
                absent,
                expected_error: curve.as_ref().map(|curve| curve.expected_error).map_err(Clone::clone),
                brier: curve.as_ref().map(|curve| curve.brier).map_err(Clone::clone),
                area_interval: area
                    .as_ref()
                    .map_err(Clone::clone)
                    .and_then(|area| area.interval.clone()),
                area: area.map(|area| area.area),
                bins: curve.map_or_else(
                    |_| Vec::new(),
                    |curve| {
                        let key = ["confidence", super::flags::task_name(task), &judge.name];
                        let inference = Inference::of(&index.records.study, &key);
                        let share_in = |place: usize| {
                            let verdicts = probabilities.iter().zip(&so).zip(&samples);
                            let inside = verdicts.filter(|((probability, _), _)| bin_of(**probability, BINS) == place);
                            Proportion::of_samples(inside.map(|((_, so), sample)| (*sample, *so)), inference)
                        };
                        let bins = curve.bins.into_iter().map(|bin| ConfidenceBin {
                            from: bin.from,
                            to: bin.to,
                            count: bin.count,
                            mean_confidence: bin.mean_confidence,
                            share: bin.share_right,
                            interval: share_in(bin_of(f64::midpoint(bin.from, bin.to), BINS)).interval,
                        });
                        bins.collect()
                    },
                ),
            });
        }
    }
    found
}

/// Whether that is so whose probability a judge gave.
fn is_so(scored: &Scored) -> Option<bool> {
    match (scored.trial.task, scored.trial.prediction.as_ref()?) {
        (Task::Verification, _) => scored.prediction_right,
        (Task::Simulation, Answer::Verdict(said)) => Some(*said),
        _ => None,
    }
}
