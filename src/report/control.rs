//! What an explanation adds: the same judge on the same sample and prediction, with and without it.
//!
//! In simulation the control page holds no answer of any arm, so its one guess is scored against each arm's prediction.
//! In verification the control page shows the same prediction, so the control trial of that prediction is taken.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Task;
use crate::stats::paired::{McNemar, mcnemar_exact};
use crate::stats::{Stat, Undefined};

use super::index::Scored;
use super::quantities::Proportion;

/// An arm beside its control, over the trials that have a readable verdict in both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlComparison {
    /// Pairs.
    pub n: u64,
    /// Right with the explanation.
    pub with_explanation: Proportion,
    /// Right without it.
    pub without_explanation: Proportion,
    /// Accuracy with the explanation minus accuracy without it, in [-1, 1].
    pub lift: Stat<f64>,
    /// Exact test of the pairs that differ; `first_only` are right with the explanation only.
    pub mcnemar: Stat<McNemar>,
}

/// Control trials of one task and judge, found by what they are the control of.
#[derive(Debug)]
pub struct Controls<'a> {
    by_sample: BTreeMap<(&'a str, u32), Vec<&'a Scored<'a>>>,
}

impl<'a> Controls<'a> {
    /// The controls among these trials.
    pub fn among(scored: &'a [Scored<'a>]) -> Self {
        let mut by_sample: BTreeMap<(&str, u32), Vec<&Scored>> = BTreeMap::new();
        for control in scored.iter().filter(|scored| scored.is_control()) {
            by_sample
                .entry((&control.trial.sample, control.trial.repeat))
                .or_default()
                .push(control);
        }
        Self { by_sample }
    }

    /// The control of an arm's trial.
    pub fn of(&self, scored: &Scored) -> Option<&'a Scored<'a>> {
        let candidates = self
            .by_sample
            .get(&(scored.trial.sample.as_str(), scored.trial.repeat))?;
        let arm = scored.trial.arms.first()?;
        candidates.iter().copied().find(|control| {
            control.trial.control_of.contains(arm)
                && (scored.trial.task != Task::Verification || control.trial.prediction == scored.trial.prediction)
        })
    }

    /// Whether the control of a trial does right by the trial's own prediction; `None` if there is none to compare.
    pub fn success(&self, scored: &Scored) -> Option<bool> {
        let control = self.of(scored)?;
        match scored.trial.task {
            Task::Preference => None,
            Task::Simulation => control.guess_agrees(scored.trial.prediction.as_ref()),
            Task::Verification => control.verification_right(),
        }
    }

    /// Compares trials of one arm with their controls.
    pub fn compare(&self, trials: &[&Scored], level: f64) -> Stat<ControlComparison> {
        if self.by_sample.is_empty() {
            return Err(Undefined::because("the study has no control trials for this task"));
        }
        let pairs: Vec<(bool, bool)> = trials
            .iter()
            .filter_map(|scored| Some((scored.success()?, self.success(scored)?)))
            .collect();
        let n = pairs.len() as u64;
        if n == 0 {
            return Err(Undefined::because(
                "no trial has a readable verdict both with and without the explanation",
            ));
        }
        let count = |wanted: (bool, bool)| pairs.iter().filter(|pair| **pair == wanted).count() as u64;
        let (first_only, second_only) = (count((true, false)), count((false, true)));
        Ok(ControlComparison {
            n,
            with_explanation: Proportion::of(pairs.iter().map(|pair| pair.0), level),
            without_explanation: Proportion::of(pairs.iter().map(|pair| pair.1), level),
            lift: Ok((first_only as f64 - second_only as f64) / n as f64),
            mcnemar: mcnemar_exact(first_only, second_only),
        })
    }
}
