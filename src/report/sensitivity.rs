//! What the figures would be if what was left out counted: judgments that could not be read, once against the arm and once
//! for it; samples that not all arms share; verdicts that were read only after asking again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::{Judgment, Task};

use super::cells::by_arm;
use super::index::{Index, Scored};
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
    /// Judgments that could not be read.
    pub unread: u64,
    /// On the samples that all arms share: the figure elsewhere in the analysis.
    pub common: Proportion,
    /// On every readable judgment of the arm.
    pub all_readable: Proportion,
    /// On every judgment asked for, the unread ones counted as wrong.
    pub unread_wrong: Proportion,
    /// The same, the unread ones counted as right.
    pub unread_right: Proportion,
    /// On common samples, without verdicts that were read only after asking again.
    pub without_repaired: Proportion,
}

/// One entry a task, judge and arm that was asked anything.
pub fn analyze(index: &Index) -> Vec<Sensitivity> {
    let study = &index.records.study;
    let level = study.confidence;
    let mut found = Vec::new();
    for task in [Task::Simulation, Task::Verification] {
        for judge in &study.judges {
            let scored = index.scored(task, &judge.name);
            for arm in by_arm(study, scored) {
                let unread = arm
                    .all
                    .iter()
                    .filter(|scored| matches!(scored.reading, Some(Err(_))))
                    .count() as u64;
                let readable = outcomes(&arm.all);
                let (right, n) = (
                    readable.iter().filter(|right| **right).count() as u64,
                    readable.len() as u64,
                );
                if n + unread == 0 {
                    continue;
                }
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
                    unread,
                    common: Proportion::of(outcomes(&arm.common), level),
                    all_readable: Proportion::new(right, n, level),
                    unread_wrong: Proportion::new(right, n + unread, level),
                    unread_right: Proportion::new(right + unread, n + unread, level),
                    without_repaired: Proportion::of(outcomes(&first_answers), level),
                });
            }
        }
    }
    found
}

fn outcomes(trials: &[&Scored]) -> Vec<bool> {
    trials.iter().filter_map(|scored| scored.success()).collect()
}
