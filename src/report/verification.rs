//! Prediction verification: does the judge call right answers right and wrong ones wrong?
//!
//! Most answers are right, so a judge that says "correct" to everything scores the share of right answers. Accuracy
//! therefore never stands without that base rate, and balanced accuracy stands beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Task;
use crate::judge::verification::{CORRECT, INCORRECT};
use crate::stats::Stat;
use crate::stats::binary::{Confusion, balanced_accuracy};

use super::cells::{ArmTrials, by_arm, sample_count};
use super::control::{ControlComparison, Controls};
use super::index::{Index, Scored};
use super::quantities::{Proportion, Readings};

/// One judge in verification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationAnalysis {
    /// The judge.
    pub judge: String,
    /// Samples on which every arm has a readable verdict on an answer known to be right or wrong; all figures are over
    /// them unless they say otherwise.
    pub common_samples: usize,
    /// All samples of the study.
    pub samples: usize,
    /// Trials whose answer is not known to be right or wrong; they count nowhere but in the readings.
    pub without_truth: u64,
    /// Reading of the control trials.
    pub control: Readings,
    /// What the order of the two options does.
    pub options: OptionOrderEffect,
    /// One entry an arm, in the order of the study.
    pub arms: Vec<VerificationArm>,
}

/// Verdicts by the option shown first, over all readable verdicts, the control's among them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionOrderEffect {
    /// Trials put before the judge that showed `correct` first.
    pub correct_first: Proportion,
    /// Verdicts for the option shown first; half of them when the order does nothing and is balanced.
    pub first_shown_chosen: Proportion,
    /// "Correct" when `correct` was shown first.
    pub yes_when_correct_first: Proportion,
    /// "Correct" when `incorrect` was shown first.
    pub yes_when_incorrect_first: Proportion,
}

/// One arm before one judge in verification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationArm {
    /// The arm.
    pub arm: String,
    /// Reading of its trials, all samples.
    pub readings: Readings,
    /// Right verdicts, on common samples.
    pub accuracy: Proportion,
    /// The same over every readable verdict of this arm, common or not.
    pub accuracy_all_readable: Proportion,
    /// The share of right answers: what a judge that always says "correct" would reach on the same trials.
    pub base_rate: Proportion,
    /// Accuracy minus the base rate.
    pub above_base_rate: Stat<f64>,
    /// The better of always saying "correct" and always saying "incorrect", on the same trials.
    pub constant: ConstantVerdict,
    /// Accuracy minus what the better constant verdict reaches.
    pub above_constant: Stat<f64>,
    /// Verdicts against truth; positive is "the answer is right".
    pub confusion: Confusion,
    /// Mean of sensitivity and specificity; 0.5 is chance, whatever the base rate.
    pub balanced_accuracy: Stat<f64>,
    /// Right answers called right.
    pub sensitivity: Proportion,
    /// Wrong answers called wrong.
    pub specificity: Proportion,
    /// Verdicts that say "correct".
    pub yes_share: Proportion,
    /// Beside the control.
    pub control: Stat<ControlComparison>,
}

/// The same verdict on everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantVerdict {
    /// Which: `correct` or `incorrect`; `correct` when both reach the same.
    pub verdict: String,
    /// How often it is right.
    pub proportion: Proportion,
}

/// One entry a judge that has trials in this task.
pub fn analyze(index: &Index) -> Vec<VerificationAnalysis> {
    let judges = &index.records.study.judges;
    judges
        .iter()
        .filter_map(|judge| judge_analysis(index, &judge.name))
        .collect()
}

fn judge_analysis(index: &Index, judge: &str) -> Option<VerificationAnalysis> {
    let study = &index.records.study;
    let scored = index.scored(Task::Verification, judge);
    if scored.is_empty() {
        return None;
    }
    let controls = Controls::among(&scored);
    let arms = by_arm(study, &scored);
    Some(VerificationAnalysis {
        judge: judge.to_owned(),
        common_samples: arms.first().map_or(0, |arm| sample_count(&arm.common)),
        samples: index.sample_ids().len(),
        without_truth: scored.iter().filter(|scored| scored.prediction_right.is_none()).count() as u64,
        control: Readings::of(scored.iter().filter(|scored| scored.is_control()).map(Scored::state)),
        options: option_order(&scored, study.confidence),
        arms: arms
            .iter()
            .map(|arm| arm_analysis(arm, &controls, study.confidence))
            .collect(),
    })
}

/// Whether `correct` was shown first; `None` when the trial has no options.
pub fn correct_first(scored: &Scored) -> Option<bool> {
    scored.trial.options.first().map(|option| option == CORRECT)
}

fn option_order(scored: &[Scored], level: f64) -> OptionOrderEffect {
    let verdicts: Vec<(bool, bool)> = scored
        .iter()
        .filter_map(|scored| Some((correct_first(scored)?, scored.said_correct()?)))
        .collect();
    let yes_when = |first: bool| {
        Proportion::of(
            verdicts
                .iter()
                .filter(|verdict| verdict.0 == first)
                .map(|verdict| verdict.1),
            level,
        )
    };
    OptionOrderEffect {
        correct_first: Proportion::of(
            scored
                .iter()
                .filter(|scored| scored.judgment.is_some())
                .filter_map(correct_first),
            level,
        ),
        first_shown_chosen: Proportion::of(verdicts.iter().map(|(first, yes)| first == yes), level),
        yes_when_correct_first: yes_when(true),
        yes_when_incorrect_first: yes_when(false),
    }
}

fn arm_analysis(arm: &ArmTrials, controls: &Controls, level: f64) -> VerificationArm {
    let mut confusion = Confusion::default();
    for scored in &arm.common {
        match (scored.prediction_right, scored.said_correct()) {
            (Some(true), Some(true)) => confusion.true_positive += 1,
            (Some(false), Some(true)) => confusion.false_positive += 1,
            (Some(false), Some(false)) => confusion.true_negative += 1,
            (Some(true), Some(false)) => confusion.false_negative += 1,
            _ => {}
        }
    }
    let positive = confusion.true_positive + confusion.false_negative;
    let negative = confusion.true_negative + confusion.false_positive;
    let accuracy = Proportion::new(
        confusion.true_positive + confusion.true_negative,
        positive + negative,
        level,
    );
    let base_rate = Proportion::new(positive, positive + negative, level);
    let (verdict, right) = if positive >= negative {
        (CORRECT, positive)
    } else {
        (INCORRECT, negative)
    };
    let constant = ConstantVerdict {
        verdict: verdict.to_owned(),
        proportion: Proportion::new(right, positive + negative, level),
    };
    let above = |constant: &Proportion| {
        let (accuracy, constant) = (accuracy.share.clone(), constant.share.clone());
        accuracy.and_then(|accuracy| constant.map(|constant| accuracy - constant))
    };
    let (above_base_rate, above_constant) = (above(&base_rate), above(&constant.proportion));
    VerificationArm {
        arm: arm.arm.clone(),
        readings: Readings::of(arm.all.iter().map(|scored| scored.state())),
        accuracy_all_readable: Proportion::of(arm.all.iter().filter_map(|scored| scored.success()), level),
        above_base_rate,
        constant,
        above_constant,
        accuracy,
        base_rate,
        balanced_accuracy: balanced_accuracy(&confusion),
        sensitivity: Proportion::new(confusion.true_positive, positive, level),
        specificity: Proportion::new(confusion.true_negative, negative, level),
        yes_share: Proportion::new(
            confusion.true_positive + confusion.false_positive,
            positive + negative,
            level,
        ),
        confusion,
        control: controls.compare(&arm.common, level),
    }
}
