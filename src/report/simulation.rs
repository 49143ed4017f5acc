//! Forward simulation: does the judge's guess agree with what the model answered?
//!
//! A judge that solves the task agrees with a model that solves it too, so the accuracy on samples where the model is
//! wrong, and the agreement of the guesses with the right answer, stand beside it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::{Answer, QuestionKind};
use crate::judge::Task;
use crate::stats::{Stat, Undefined};

use super::answers::question_name;
use super::cells::{ArmTrials, by_arm, sample_count};
use super::control::{ControlComparison, Controls};
use super::index::{Index, Scored};
use super::quantities::{Proportion, Readings};

/// One judge in simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationAnalysis {
    /// The judge.
    pub judge: String,
    /// Samples on which every arm has a readable guess; all figures are over them unless they say otherwise.
    pub common_samples: usize,
    /// All samples of the study.
    pub samples: usize,
    /// Trials whose answer is free-form, so that no guess of it can be scored; they count nowhere but in the readings.
    pub unscored: u64,
    /// Reading of the control trials.
    pub control: Readings,
    /// How often the control's guess is the right answer to the sample.
    pub control_gold_agreement: Proportion,
    /// One entry an arm, in the order of the study.
    pub arms: Vec<SimulationArm>,
}

/// One arm before one judge in simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationArm {
    /// The arm.
    pub arm: String,
    /// Reading of its trials, all samples.
    pub readings: Readings,
    /// Guesses that agree with the model's answer, on common samples.
    pub accuracy: Proportion,
    /// The same over every readable guess of this arm, common or not.
    pub accuracy_all_readable: Proportion,
    /// What always guessing the model's more frequent answer would reach.
    pub base_rate: Stat<MajorityClass>,
    /// Guesses that are the right answer to the sample, on common samples with a gold answer.
    pub gold_agreement: Proportion,
    /// Guesses that agree with the model's answer where that answer is wrong.
    pub where_model_wrong: Proportion,
    /// Guesses that agree with the model's answer where that answer is right.
    pub where_model_right: Proportion,
    /// Accuracy and base rate by kind of question.
    pub kinds: Vec<SimulationKind>,
    /// Beside the control.
    pub control: Stat<ControlComparison>,
}

/// The more frequent of two answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MajorityClass {
    /// Which one: `TRUE` or `FALSE`; `TRUE` when both are equally frequent.
    pub class: String,
    /// How frequent.
    pub proportion: Proportion,
}

/// Simulation within one kind of question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationKind {
    /// The kind.
    pub kind: String,
    /// Guesses that agree with the model's answer, on common samples.
    pub accuracy: Proportion,
    /// As for all kinds.
    pub base_rate: Stat<MajorityClass>,
}

/// One entry a judge that has trials in this task.
pub fn analyze(index: &Index) -> Vec<SimulationAnalysis> {
    let judges = &index.records.study.judges;
    judges
        .iter()
        .filter_map(|judge| judge_analysis(index, &judge.name))
        .collect()
}

fn judge_analysis(index: &Index, judge: &str) -> Option<SimulationAnalysis> {
    let study = &index.records.study;
    let scored = index.scored(Task::Simulation, judge);
    if scored.is_empty() {
        return None;
    }
    let controls = Controls::among(&scored);
    let arms = by_arm(study, &scored);
    Some(SimulationAnalysis {
        judge: judge.to_owned(),
        common_samples: arms.first().map_or(0, |arm| sample_count(&arm.common)),
        samples: index.sample_ids().len(),
        unscored: scored
            .iter()
            .filter(|scored| scored.trial.kind == QuestionKind::FreeForm)
            .count() as u64,
        control: Readings::of(scored.iter().filter(|scored| scored.is_control()).map(Scored::state)),
        control_gold_agreement: Proportion::of(
            scored
                .iter()
                .filter(|scored| scored.is_control())
                .filter_map(Scored::guess_right),
            study.confidence,
        ),
        arms: arms
            .iter()
            .map(|arm| arm_analysis(arm, &controls, study.confidence))
            .collect(),
    })
}

fn arm_analysis(arm: &ArmTrials, controls: &Controls, level: f64) -> SimulationArm {
    let where_model = |right: bool| {
        Proportion::of(
            arm.common
                .iter()
                .filter(|scored| scored.prediction_right == Some(right))
                .filter_map(|scored| scored.success()),
            level,
        )
    };
    let mut kinds: BTreeMap<QuestionKind, Vec<&Scored>> = BTreeMap::new();
    for scored in &arm.common {
        kinds.entry(scored.trial.kind).or_default().push(scored);
    }
    SimulationArm {
        arm: arm.arm.clone(),
        readings: Readings::of(arm.all.iter().map(|scored| scored.state())),
        accuracy: accuracy(&arm.common, level),
        accuracy_all_readable: accuracy(&arm.all, level),
        base_rate: majority_class(&arm.common, level),
        gold_agreement: Proportion::of(arm.common.iter().filter_map(|scored| scored.guess_right()), level),
        where_model_wrong: where_model(false),
        where_model_right: where_model(true),
        kinds: kinds
            .into_iter()
            .map(|(kind, trials)| SimulationKind {
                kind: question_name(kind).to_owned(),
                accuracy: accuracy(&trials, level),
                base_rate: majority_class(&trials, level),
            })
            .collect(),
        control: controls.compare(&arm.common, level),
    }
}

fn accuracy(trials: &[&Scored], level: f64) -> Proportion {
    Proportion::of(trials.iter().filter_map(|scored| scored.success()), level)
}

fn majority_class(trials: &[&Scored], level: f64) -> Stat<MajorityClass> {
    if trials.is_empty() {
        return Err(Undefined::because("nothing to count (n = 0)"));
    }
    let mut yes = 0;
    for scored in trials {
        match scored.trial.prediction {
            Some(Answer::Verdict(said)) => yes += u64::from(said),
            _ => {
                return Err(Undefined::because(
                    "some answers are not TRUE or FALSE, so no answer can be given always",
                ));
            }
        }
    }
    let n = trials.len() as u64;
    let (class, count) = if 2 * yes >= n {
        ("TRUE", yes)
    } else {
        ("FALSE", n - yes)
    };
    Ok(MajorityClass {
        class: class.to_owned(),
        proportion: Proportion::new(count, n, level),
    })
}
