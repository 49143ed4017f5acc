//! What the figures would be if what was left out counted: judgments that could not be read, once against the arm and once
//! for it; samples that not all arms share; verdicts that were read only after asking again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::QuestionKind;
use crate::judge::{Judgment, Task};

use super::cells::by_arm;
use super::index::{Index, Scored};
use super::inference::Inference;
use super::quantities::Proportion;

/// One arm before one judge in simulation or verification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sensitivity {
    /// Simulation or verification.
    pub task: Task,
    /// The judge.
    pub judge: String,
    /// The arm.
    pub arm: String,
    /// Judgments that could not be read, of trials that a readable one would be scored on: in simulation the model's answer
    /// is known and not free-form, in verification it is known whether it is right. Others count nowhere here.
    pub unread: u64,
    /// On the samples that all arms share: the figure elsewhere in the analysis.
    pub common: Proportion,
    /// On every readable judgment of the arm.
    pub all_readable: Proportion,
    /// On every judgment asked for that could be scored, the unread ones counted as wrong.
    pub unread_wrong: Proportion,
    /// The same, the unread ones counted as right.
    pub unread_right: Proportion,
    /// On common samples, without verdicts that were read only after asking again.
    pub without_repaired: Proportion,
}

/// One entry a task, judge and arm that was asked anything.
pub fn analyze(index: &Index) -> Vec<Sensitivity> {
    let study = &index.records.study;
    let mut found = Vec::new();
    for task in [Task::Simulation, Task::Verification] {
        for judge in &study.judges {
            let scored = index.scored(task, &judge.name);
            for arm in by_arm(study, scored) {
                let unread: Vec<&str> = arm
                    .all
                    .iter()
                    .filter(|scored| matches!(scored.reading, Some(Err(_))) && could_be_scored(scored))
                    .map(|scored| scored.trial.sample.as_str())
                    .collect();
                let readable = outcomes(&arm.all);
                if readable.len() + unread.len() == 0 {
                    continue;
                }
                let key = ["sensitivity", super::flags::task_name(task), &judge.name, &arm.arm];
                let inference = Inference::of(study, &key);
                let unread_as = |right: bool| {
                    let unread = unread.iter().map(|sample| (*sample, right));
                    Proportion::of_samples(readable.iter().copied().chain(unread), inference)
                };
                let first_answers: Vec<&Scored> = arm
                    .common
                    .iter()
                    .copied()
                    .filter(|scored| !scored.judgment.is_some_and(Judgment::is_repaired))
                    .collect();
                found.push(Sensitivity {
                    task,
                    judge: judge.name.clone(),
                    arm: arm.arm.clone(),
                    unread: unread.len() as u64,
                    common: Proportion::of_samples(outcomes(&arm.common), inference),
                    all_readable: Proportion::of_samples(readable.iter().copied(), inference),
                    unread_wrong: unread_as(false),
                    unread_right: unread_as(true),
                    without_repaired: Proportion::of_samples(outcomes(&first_answers), inference),
                });
            }
        }
    }
    found
}

fn outcomes<'a>(trials: &[&Scored<'a>]) -> Vec<(&'a str, bool)> {
    let outcomes = trials
        .iter()
        .filter_map(|scored| Some((scored.trial.sample.as_str(), scored.success()?)));
    outcomes.collect()
}

/// Whether a readable judgment of the trial would be right or wrong. What never could be is no worst and no best case.
fn could_be_scored(scored: &Scored) -> bool {
    match scored.trial.task {
        Task::Preference => false,
        Task::Simulation => scored.trial.kind != QuestionKind::FreeForm && scored.trial.prediction.is_some(),
        Task::Verification => scored.prediction_right.is_some(),
    }
}
