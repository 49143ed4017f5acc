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
use super::control::{ControlComparison, Controls, IS_THE_CONTROL, NO_CONTROL};
use super::difference::{Difference, correct};
use super::discernment::Discernment;
use super::index::{Index, Scored};
use super::inference::Inference;
use super::quantities::{Proportion, Readings};
use super::records::StudyFacts;

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
    /// Against always guessing that answer, on the same trials, by which it is chosen.
    pub against_base_rate: Stat<Difference>,
    /// How well the model's TRUE and FALSE are told apart; only where all its answers are one of them.
    pub discernment: Stat<Discernment>,
    /// Guesses that are the right answer to the sample, on common samples with a gold answer.
    pub gold_agreement: Proportion,
    /// Guesses that agree with the model's answer where that answer is wrong.
    pub where_model_wrong: Proportion,
    /// Guesses that agree with the model's answer where that answer is right.
    pub where_model_right: Proportion,
    /// The lift over the control where the model's answer is wrong: only there do foreseeing it and solving the task differ.
    pub lift_where_wrong: Stat<ControlComparison>,
    /// Agreement with the model's answer less agreement with the right one, on trials with a gold answer.
    pub prediction_over_gold: Stat<Difference>,
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
    /// Against always guessing that answer, on the same trials.
    pub against_base_rate: Stat<Difference>,
}

/// What the class of TRUE answers is called.
const TRUE: &str = "TRUE";
/// Why nothing is known of trials on which the model is wrong.
const NEVER_WRONG: &str = "no answer is known to be wrong";

/// One entry a judge that has trials in this task.
pub fn analyze(index: &Index) -> Vec<SimulationAnalysis> {
    let study = &index.records.study;
    let mut found: Vec<SimulationAnalysis> = study
        .judges
        .iter()
        .filter_map(|judge| judge_analysis(index, &judge.name))
        .collect();
    // Panels repeat what their judges said, so that they are a family of their own.
    for panels in [false, true] {
        type OfArm = fn(&mut SimulationArm) -> Option<&mut Difference>;
        let kinds: [OfArm; 4] = [
            |arm| arm.against_base_rate.as_mut().ok(),
            |arm| arm.control.as_mut().ok().map(|control| &mut control.lift),
            |arm| arm.lift_where_wrong.as_mut().ok().map(|control| &mut control.lift),
            |arm| arm.prediction_over_gold.as_mut().ok(),
        ];
        for of in kinds {
            correct(tested_arms(&mut found, study, panels).filter_map(of));
        }
        correct(
            tested_arms(&mut found, study, panels)
                .flat_map(|arm| &mut arm.kinds)
                .filter_map(|kind| kind.against_base_rate.as_mut().ok()),
        );
    }
    found
}

/// The arms that a family of tests is over: of judges proper or of panels, and no controls.
fn tested_arms<'f>(
    found: &'f mut [SimulationAnalysis],
    study: &'f StudyFacts,
    panels: bool,
) -> impl Iterator<Item = &'f mut SimulationArm> {
    found
        .iter_mut()
        .filter(move |judge| study.is_panel(&judge.judge) == panels)
        .flat_map(|judge| &mut judge.arms)
        .filter(|arm| !study.is_recorded_control(&arm.arm))
}

fn judge_analysis(index: &Index, judge: &str) -> Option<SimulationAnalysis> {
    let study = &index.records.study;
    let scored = index.scored(Task::Simulation, judge);
    if scored.is_empty() {
        return None;
    }
    let controls = Controls::among(study, scored);
    let arms = by_arm(study, scored);
    Some(SimulationAnalysis {
        judge: judge.to_owned(),
        common_samples: arms.first().map_or(0, |arm| sample_count(&arm.common)),
        samples: index.sample_ids().len(),
        unscored: scored
            .iter()
            .filter(|scored| scored.trial.kind == QuestionKind::FreeForm)
            .count() as u64,
        control: Readings::of(scored.iter().filter(|scored| scored.is_control()).map(Scored::state)),
        control_gold_agreement: Proportion::of_samples(
            scored
                .iter()
                .filter(|scored| scored.is_control())
                .filter_map(|scored| Some((scored.trial.sample.as_str(), scored.guess_right()?))),
            Inference::of(study, &["simulation", judge, "control"]),
        ),
        arms: arms
            .iter()
            .map(|arm| arm_analysis(study, judge, arm, &controls))
            .collect(),
    })
}

fn arm_analysis(study: &StudyFacts, judge: &str, arm: &ArmTrials, controls: &Controls) -> SimulationArm {
    let inference = Inference::of(study, &["simulation", judge, &arm.arm]);
    let where_model = |right: bool| -> Vec<&Scored> {
        let common = arm.common.iter().copied();
        common.filter(|scored| scored.prediction_right == Some(right)).collect()
    };
    let mut kinds: BTreeMap<QuestionKind, Vec<&Scored>> = BTreeMap::new();
    for scored in &arm.common {
        kinds.entry(scored.trial.kind).or_default().push(scored);
    }
    let base_rate = majority_class(&arm.common, inference);
    let against_base_rate = against_majority(&arm.common, &base_rate, inference);
    let discernment = base_rate.as_ref().map_err(Clone::clone).map(|_| {
        let guesses = arm.common.iter().filter_map(|scored| {
            let guess = matches!(scored.guess()?, Answer::Verdict(true));
            let said = matches!(scored.trial.prediction, Some(Answer::Verdict(true)));
            Some((scored.trial.sample.as_str(), guess, said))
        });
        Discernment::of(guesses, inference)
    });
    let gold = |scored: &&Scored| Some((scored.success()?, scored.guess_right()?));
    SimulationArm {
        arm: arm.arm.clone(),
        readings: Readings::of(arm.all.iter().map(|scored| scored.state())),
        accuracy: accuracy(&arm.common, inference),
        accuracy_all_readable: accuracy(&arm.all, inference),
        base_rate,
        against_base_rate,
        discernment,
        gold_agreement: Proportion::of_samples(
            arm.common
                .iter()
                .filter_map(|scored| Some((scored.trial.sample.as_str(), scored.guess_right()?))),
            inference,
        ),
        where_model_wrong: accuracy(&where_model(false), inference),
        where_model_right: accuracy(&where_model(true), inference),
        lift_where_wrong: lift_where_wrong(arm, controls, inference),
        prediction_over_gold: Difference::paired(
            arm.common.iter().filter_map(|scored| {
                let (prediction, gold) = gold(scored)?;
                Some((scored.trial.sample.as_str(), prediction, gold))
            }),
            inference,
        ),
        kinds: kinds
            .into_iter()
            .map(|(kind, trials)| {
                let base_rate = majority_class(&trials, inference);
                SimulationKind {
                    kind: question_name(kind).to_owned(),
                    accuracy: accuracy(&trials, inference),
                    against_base_rate: against_majority(&trials, &base_rate, inference),
                    base_rate,
                }
            })
            .collect(),
        control: controls.compare(&arm.arm, &arm.common, inference),
    }
}

/// The lift over the control on trials whose answer is known to be wrong.
fn lift_where_wrong(arm: &ArmTrials, controls: &Controls, inference: Inference) -> Stat<ControlComparison> {
    let is_wrong = |scored: &Scored| scored.prediction_right == Some(false);
    let found = controls.compare_where(&arm.arm, &arm.common, is_wrong, inference);
    match found {
        Err(undefined)
            if ![IS_THE_CONTROL, NO_CONTROL].contains(&undefined.reason.as_str())
                && !arm.common.iter().any(|scored| is_wrong(scored)) =>
        {
            Err(Undefined::because(NEVER_WRONG))
        }
        found => found,
    }
}

/// Guesses against always guessing the more frequent answer, on the same trials.
fn against_majority(trials: &[&Scored], base: &Stat<MajorityClass>, inference: Inference) -> Stat<Difference> {
    let always = base.as_ref().map_err(Clone::clone)?.class == TRUE;
    let pairs = trials.iter().filter_map(|scored| {
        let said = matches!(scored.trial.prediction, Some(Answer::Verdict(true)));
        Some((scored.trial.sample.as_str(), scored.success()?, said == always))
    });
    Difference::paired(pairs, inference)
}

fn accuracy(trials: &[&Scored], inference: Inference) -> Proportion {
    let outcomes = trials
        .iter()
        .filter_map(|scored| Some((scored.trial.sample.as_str(), scored.success()?)));
    Proportion::of_samples(outcomes, inference)
}

fn majority_class(trials: &[&Scored], inference: Inference) -> Stat<MajorityClass> {
    if trials.is_empty() {
        return Err(Undefined::because("nothing to count (n = 0)"));
    }
    let mut answers: Vec<(&str, bool)> = Vec::new();
    for scored in trials {
        match scored.trial.prediction {
            Some(Answer::Verdict(said)) => answers.push((&scored.trial.sample, said)),
            _ => {
                return Err(Undefined::because(
                    "some answers are not TRUE or FALSE, so no answer can be given always",
                ));
            }
        }
    }
    let yes = answers.iter().filter(|(_, said)| *said).count();
    let more = 2 * yes >= answers.len();
    Ok(MajorityClass {
        class: if more { TRUE } else { "FALSE" }.to_owned(),
        proportion: Proportion::of_samples(
            answers.into_iter().map(|(sample, said)| (sample, said == more)),
            inference,
        ),
    })
}
