//! Every two arms before one judge in simulation or verification, on the trials of the same draw; and all arms at once.
//!
//! Arms are explanations. One that a log has as a control is in none of these tests, as the control of a study's own run is in
//! none: what an explanation adds to its control is a test of its own (see [`super::control`]), in a family of its own, and
//! a control among the arms would make Cochran's Q find that explanations help where it should say that they differ.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Task;
use crate::stats::cochran::cochran_q;
use crate::stats::{ChiSquareTest, Stat, Undefined};

use super::cells::{ArmTrials, by_arm};
use super::difference::{Difference, correct};
use super::index::{Draw, Index};
use super::inference::Inference;

/// The arms before one judge in one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmPairsAnalysis {
    /// Simulation or verification.
    pub task: Task,
    /// The judge.
    pub judge: String,
    /// Cochran's Q over all arms but controls: whether any differs. Only where each sample has one trial an arm.
    pub all: Stat<ChiSquareTest>,
    /// One entry every two arms that are no controls; p is corrected over them (Holm).
    pub pairs: Vec<ArmPairDifference>,
}

/// Two arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmPairDifference {
    /// The one.
    pub first: String,
    /// The other.
    pub second: String,
    /// The accuracy of the first less that of the second, on trials of the same draw.
    pub difference: Stat<Difference>,
}

/// One entry a judge and task with two arms or more that are no controls. None where each arm has samples of its own.
pub fn analyze(index: &Index) -> Vec<ArmPairsAnalysis> {
    let study = &index.records.study;
    let mut found = Vec::new();
    if study.own_samples() {
        return found;
    }
    for task in [Task::Simulation, Task::Verification] {
        for judge in &study.judges {
            let scored = index.scored(task, &judge.name);
            let mut arms = by_arm(study, scored);
            arms.retain(|arm| !study.is_recorded_control(&arm.arm));
            if arms.len() < 2 || arms.iter().all(|arm| arm.common.is_empty()) {
                continue;
            }
            let outcomes: Vec<BTreeMap<Draw, bool>> = arms.iter().map(outcomes).collect();
            let mut pairs = Vec::new();
            for first in 0..arms.len() {
                for second in first + 1..arms.len() {
                    let names = [arms[first].arm.as_str(), arms[second].arm.as_str()];
                    let key = ["arms", super::flags::task_name(task), &judge.name, names[0], names[1]];
                    let both = outcomes[first].iter().filter_map(|(draw, right)| {
                        let other = outcomes[second].get(draw)?;
                        Some((draw.sample, *right, *other))
                    });
                    pairs.push(ArmPairDifference {
                        first: names[0].to_owned(),
                        second: names[1].to_owned(),
                        difference: Difference::paired(both, Inference::of(study, &key)),
                    });
                }
            }
            correct(pairs.iter_mut().filter_map(|pair| pair.difference.as_mut().ok()));
            found.push(ArmPairsAnalysis {
                task,
                judge: judge.name.clone(),
                all: all(&outcomes),
                pairs,
            });
        }
    }
    found
}

fn outcomes<'a>(arm: &ArmTrials<'a>) -> BTreeMap<Draw<'a>, bool> {
    let common = arm.common.iter();
    common
        .filter_map(|scored| Some((scored.draw(), scored.success()?)))
        .collect()
}

fn all(outcomes: &[BTreeMap<Draw, bool>]) -> Stat<ChiSquareTest> {
    let Some(first) = outcomes.first() else {
        return Err(Undefined::because("there are no arms"));
    };
    let samples: std::collections::BTreeSet<&str> = first.keys().map(|draw| draw.sample).collect();
    if samples.len() < first.len() {
        return Err(Undefined::because(
            "samples have several trials, which are not independent",
        ));
    }
    let rows: Vec<Vec<bool>> = first
        .keys()
        .filter_map(|draw| outcomes.iter().map(|arm| arm.get(draw).copied()).collect())
        .collect();
    cochran_q(&rows)
}
