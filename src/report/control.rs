//! What an explanation adds: the same judge on the same sample and prediction, with and without it.
//!
//! In simulation the control page holds no answer of any arm, so its one guess is scored against each arm's prediction.
//! In verification the control page shows the same prediction, so the control trial of that prediction is taken. A log
//! that was imported names for each arm the arm that is its control, and the same rules find its trials; only there may
//! the control be of other samples.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::{CONTROL_ARM, Task};
use crate::stats::{Stat, Undefined};

use super::difference::Difference;
use super::index::Scored;
use super::inference::Inference;
use super::quantities::Proportion;
use super::records::StudyFacts;

/// Why an arm is not held against itself.
pub const IS_THE_CONTROL: &str = "it is the control itself";
/// Why there is nothing to hold an arm against.
pub const NO_CONTROL: &str = "the study has no control trials for this task";

/// An arm beside its control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlComparison {
    /// The arm without an explanation.
    pub control: String,
    /// Right with the explanation less right without it.
    pub lift: Difference,
    /// The share of right answers on either side, where they are of different samples.
    pub right_answers: Option<RightAnswers>,
    /// Samples that both sides have, and that are left to the smaller side, where they are else of different samples.
    pub shared_samples: u64,
}

/// How many of the judged answers are right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RightAnswers {
    /// Of those that were judged with an explanation.
    pub with_explanation: Proportion,
    /// Of those that were judged without one.
    pub without_explanation: Proportion,
}

/// Control trials of one task and judge, found by what they are the control of.
#[derive(Debug)]
pub struct Controls<'a> {
    study: &'a StudyFacts,
    by_sample: BTreeMap<(&'a str, u32), Vec<&'a Scored<'a>>>,
    /// The trials of the arms that a log has as controls.
    recorded: BTreeMap<&'a str, Vec<&'a Scored<'a>>>,
}

impl<'a> Controls<'a> {
    /// The controls among these trials.
    pub fn among(study: &'a StudyFacts, scored: &'a [Scored<'a>]) -> Self {
        let mut by_sample: BTreeMap<(&str, u32), Vec<&Scored>> = BTreeMap::new();
        let mut recorded: BTreeMap<&str, Vec<&Scored>> = BTreeMap::new();
        for control in scored {
            let [arm] = control.trial.arms.as_slice() else {
                continue;
            };
            let is_recorded = study.is_recorded_control(arm);
            if is_recorded {
                recorded.entry(arm).or_default().push(control);
            }
            if is_recorded || control.is_control() {
                by_sample
                    .entry((&control.trial.sample, control.trial.repeat))
                    .or_default()
                    .push(control);
            }
        }
        Self {
            study,
            by_sample,
            recorded,
        }
    }

    /// The control of an arm's trial.
    pub fn of(&self, scored: &Scored) -> Option<&'a Scored<'a>> {
        let candidates = self
            .by_sample
            .get(&(scored.trial.sample.as_str(), scored.trial.repeat))?;
        let arm = scored.trial.arms.first()?;
        let recorded = self.study.recorded_control_of(arm);
        candidates.iter().copied().find(|control| {
            let of_arm = match recorded {
                Some(name) => control.trial.arms.first().is_some_and(|arm| arm == name),
                None => control.trial.control_of.contains(arm),
            };
            let same_answer = control.trial.prediction == scored.trial.prediction
                && control.trial.recorded_right == scored.trial.recorded_right;
            of_arm && (scored.trial.task != Task::Verification || same_answer)
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
    pub fn compare(&self, arm: &str, trials: &[&Scored], inference: Inference) -> Stat<ControlComparison> {
        self.compare_where(arm, trials, |_| true, inference)
    }

    /// Compares some trials of one arm with their controls. `counted` says which trials are meant; where the control was
    /// judged on other samples, its trials are held to it too.
    pub fn compare_where(
        &self,
        arm: &str,
        trials: &[&Scored],
        counted: impl Fn(&Scored) -> bool,
        inference: Inference,
    ) -> Stat<ControlComparison> {
        let trials: Vec<&Scored> = trials.iter().copied().filter(|scored| counted(scored)).collect();
        let trials = trials.as_slice();
        if self.study.is_recorded_control(arm) {
            return Err(Undefined::because(IS_THE_CONTROL));
        }
        let recorded = self.study.recorded_control_of(arm);
        let controls: Vec<&Scored> = match recorded {
            Some(name) => self.recorded.get(name).cloned().unwrap_or_default(),
            None => {
                let of_arm = |control: &&Scored| control.trial.control_of.iter().any(|of| of == arm);
                self.by_sample.values().flatten().copied().filter(of_arm).collect()
            }
        };
        if controls.is_empty() {
            return Err(Undefined::because(NO_CONTROL));
        }
        if controls.iter().all(|control| control.verdict().is_none()) {
            return Err(Undefined::because("no verdict on the control could be read"));
        }
        let pairs: Vec<(&str, bool, bool)> = trials
            .iter()
            .filter_map(|scored| Some((scored.trial.sample.as_str(), scored.success()?, self.success(scored)?)))
            .collect();
        let control = recorded.unwrap_or(CONTROL_ARM);
        if recorded.is_some() {
            let samples = |trials: &[&Scored]| {
                let usable = trials.iter().filter(|scored| scored.success().is_some());
                usable
                    .map(|scored| scored.trial.sample.clone())
                    .collect::<BTreeSet<_>>()
                    .len()
            };
            let paired = pairs.iter().map(|pair| pair.0).collect::<BTreeSet<_>>().len();
            let controls: Vec<&Scored> = controls.iter().copied().filter(|control| counted(control)).collect();
            if 2 * paired < samples(trials).min(samples(&controls)) {
                return on_different_samples(control, trials, &controls, inference.level);
            }
        }
        if pairs.is_empty() {
            return Err(Undefined::because(
                "no trial has a readable verdict both with and without the explanation",
            ));
        }
        Ok(ControlComparison {
            control: control.to_owned(),
            lift: Difference::paired(pairs, inference)?,
            right_answers: None,
            shared_samples: 0,
        })
    }
}

/// The first usable trial of each sample on either side. Samples that both sides have are left to the smaller one, so that
/// the two are of different samples.
fn on_different_samples(
    control: &str,
    trials: &[&Scored],
    controls: &[&Scored],
    level: f64,
) -> Stat<ControlComparison> {
    fn first_of_each<'b>(trials: &[&'b Scored<'b>]) -> BTreeMap<&'b str, (bool, Option<bool>)> {
        let mut found = BTreeMap::new();
        for scored in trials {
            if let Some(success) = scored.success() {
                let right = scored.prediction_right;
                found.entry(scored.trial.sample.as_str()).or_insert((success, right));
            }
        }
        found
    }
    let (mut with, mut without) = (first_of_each(trials), first_of_each(controls));
    let shared: Vec<&str> = with
        .keys()
        .copied()
        .filter(|sample| without.contains_key(sample))
        .collect();
    let with_is_larger = with.len() > without.len();
    for sample in &shared {
        if with_is_larger {
            with.remove(sample);
        } else {
            without.remove(sample);
        }
    }
    let outcomes =
        |side: &BTreeMap<&str, (bool, Option<bool>)>| side.values().map(|outcome| outcome.0).collect::<Vec<bool>>();
    let right = |side: &BTreeMap<&str, (bool, Option<bool>)>| {
        Proportion::of(side.values().filter_map(|outcome| outcome.1), level)
    };
    Ok(ControlComparison {
        control: control.to_owned(),
        lift: Difference::of_different_samples(&outcomes(&with), &outcomes(&without), level)?,
        right_answers: Some(RightAnswers {
            with_explanation: right(&with),
            without_explanation: right(&without),
        }),
        shared_samples: shared.len() as u64,
    })
}
