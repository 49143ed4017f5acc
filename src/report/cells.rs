//! Which trials of a judge are compared: for each arm its trials, and the draws that every arm has a verdict on.

use std::collections::BTreeSet;

use super::index::{Draw, Scored};
use super::records::StudyFacts;

/// The trials of one arm before one judge, in one task that shows one arm at a time.
#[derive(Debug)]
pub struct ArmTrials<'a> {
    /// The arm.
    pub arm: String,
    /// All of them.
    pub all: Vec<&'a Scored<'a>>,
    /// Those that can be scored, on the draws that every arm has such a trial on.
    pub common: Vec<&'a Scored<'a>>,
}

/// Splits a judge's trials by arm, in the order of the study, and finds the common ones.
///
/// Where judgments were imported that are of different samples for each arm, the common ones of an arm are all its own.
///
/// An arm of the study without any trial in the task (it answered nothing) is left out here, and flagged elsewhere: it
/// would leave no common sample at all.
pub fn by_arm<'a>(study: &StudyFacts, scored: &'a [Scored<'a>]) -> Vec<ArmTrials<'a>> {
    let mut arms: Vec<ArmTrials> = study
        .arms
        .iter()
        .map(|arm| ArmTrials {
            arm: arm.name.clone(),
            all: scored
                .iter()
                .filter(|scored| matches!(scored.trial.arms.as_slice(), [shown] if *shown == arm.name))
                .collect(),
            common: Vec::new(),
        })
        .filter(|arm| !arm.all.is_empty())
        .collect();
    let common = arms
        .iter()
        .map(|arm| {
            arm.all
                .iter()
                .filter(|scored| scored.success().is_some())
                .map(|scored| scored.draw())
                .collect()
        })
        .reduce(|one: BTreeSet<Draw>, other| one.intersection(&other).copied().collect())
        .unwrap_or_default();
    for arm in &mut arms {
        arm.common = arm
            .all
            .iter()
            .copied()
            .filter(|scored| common.contains(&scored.draw()) || (study.own_samples() && scored.success().is_some()))
            .collect();
    }
    arms
}

/// Different samples among some trials.
pub fn sample_count(trials: &[&Scored]) -> usize {
    trials
        .iter()
        .map(|scored| scored.trial.sample.as_str())
        .collect::<BTreeSet<_>>()
        .len()
}
