//! Prediction verification: does the judge call right answers right and wrong ones wrong?
//!
//! Most answers are right, so a judge that says "correct" to everything scores the share of right answers. Accuracy
//! therefore never stands without that base rate, and balanced accuracy stands beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Task;
use crate::judge::verification::{CORRECT, INCORRECT};
use crate::stats::binary::Confusion;
use crate::stats::sign_flip::sign_flip;
use crate::stats::{Stat, Undefined};

use super::cells::{ArmTrials, by_arm, sample_count};
use super::control::{ControlComparison, Controls};
use super::difference::{Difference, correct, correct_each};
use super::discernment::Discernment;
use super::index::{Index, Scored};
use super::inference::{Inference, by_sample};
use super::quantities::{Proportion, Readings};
use super::records::StudyFacts;

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
    /// Whether it is half.
    pub test: Stat<OptionOrderTest>,
    /// "Correct" when `correct` was shown first.
    pub yes_when_correct_first: Proportion,
    /// "Correct" when `incorrect` was shown first.
    pub yes_when_incorrect_first: Proportion,
}

/// Whether the option shown first is chosen more or less often than the other: the sign-flip test over samples, of the
/// verdicts for it less those for the other within each sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionOrderTest {
    /// Samples, the independent units.
    pub samples: u64,
    /// Two-sided p.
    pub p: f64,
    /// The same, corrected over the judges (Holm).
    pub p_corrected: f64,
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
    /// Against always saying "correct", on the same trials.
    pub against_base_rate: Stat<Difference>,
    /// The better of always saying "correct" and always saying "incorrect", on the same trials.
    pub constant: ConstantVerdict,
    /// Against the better constant verdict, on the same trials, by which it is chosen.
    pub against_constant: Stat<Difference>,
    /// Verdicts against truth; positive is "the answer is right".
    pub confusion: Confusion,
    /// How well right and wrong answers are told apart.
    pub discernment: Discernment,
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
    let study = &index.records.study;
    let mut found: Vec<VerificationAnalysis> = study
        .judges
        .iter()
        .filter_map(|judge| judge_analysis(index, &judge.name))
        .collect();
    // Panels repeat what their judges said, so that they are a family of their own.
    for panels in [false, true] {
        let of_panels = |judge: &&mut VerificationAnalysis| study.is_panel(&judge.judge) == panels;
        correct_each(found.iter_mut().filter(of_panels).filter_map(|judge| {
            let test = judge.options.test.as_mut().ok()?;
            Some((test.p, &mut test.p_corrected))
        }));
        type OfArm = fn(&mut VerificationArm) -> Option<&mut Difference>;
        let kinds: [OfArm; 3] = [
            |arm| arm.against_base_rate.as_mut().ok(),
            |arm| arm.against_constant.as_mut().ok(),
            |arm| arm.control.as_mut().ok().map(|control| &mut control.lift),
        ];
        for of in kinds {
            correct(
                found
                    .iter_mut()
                    .filter(|judge| study.is_panel(&judge.judge) == panels)
                    .flat_map(|judge| &mut judge.arms)
                    .filter(|arm| !study.is_recorded_control(&arm.arm))
                    .filter_map(of),
            );
        }
    }
    found
}

fn judge_analysis(index: &Index, judge: &str) -> Option<VerificationAnalysis> {
    let study = &index.records.study;
    let scored = index.scored(Task::Verification, judge);
    if scored.is_empty() {
        return None;
    }
    let controls = Controls::among(study, scored);
    let arms = by_arm(study, scored);
    Some(VerificationAnalysis {
        judge: judge.to_owned(),
        common_samples: arms.first().map_or(0, |arm| sample_count(&arm.common)),
        samples: index.sample_ids().len(),
        without_truth: scored.iter().filter(|scored| scored.prediction_right.is_none()).count() as u64,
        control: Readings::of(scored.iter().filter(|scored| scored.is_control()).map(Scored::state)),
        options: option_order(scored, Inference::of(study, &["verification", judge, "options"])),
        arms: arms
            .iter()
            .map(|arm| arm_analysis(study, judge, arm, &controls))
            .collect(),
    })
}

/// Whether `correct` was shown first; `None` when the trial has no options.
pub fn correct_first(scored: &Scored) -> Option<bool> {
    scored.trial.options.first().map(|option| option == CORRECT)
}

fn option_order(scored: &[Scored], inference: Inference) -> OptionOrderEffect {
    // Of each verdict the sample, whether "correct" was shown first, and whether it was said.
    let verdicts: Vec<(&str, bool, bool)> = scored
        .iter()
        .filter_map(|scored| {
            let sample = scored.trial.sample.as_str();
            Some((sample, correct_first(scored)?, scored.said_correct()?))
        })
        .collect();
    let yes_when = |first: bool| {
        let such = verdicts.iter().filter(|verdict| verdict.1 == first);
        Proportion::of_samples(such.map(|(sample, _, yes)| (*sample, *yes)), inference)
    };
    let chosen = || verdicts.iter().map(|(sample, first, yes)| (*sample, first == yes));
    let gained: Vec<i64> = by_sample(chosen())
        .values()
        .map(|chosen| chosen.iter().map(|chosen| if *chosen { 1 } else { -1 }).sum())
        .collect();
    OptionOrderEffect {
        correct_first: Proportion::of_samples(
            scored
                .iter()
                .filter(|scored| scored.judgment.is_some())
                .filter_map(|scored| Some((scored.trial.sample.as_str(), correct_first(scored)?))),
            inference,
        ),
        first_shown_chosen: Proportion::of_samples(chosen(), inference),
        test: if gained.is_empty() {
            Err(Undefined::because("no verdict on options could be read"))
        } else {
            sign_flip(&gained).map(|p| OptionOrderTest {
                samples: gained.len() as u64,
                p,
                p_corrected: p,
            })
        },
        yes_when_correct_first: yes_when(true),
        yes_when_incorrect_first: yes_when(false),
    }
}

fn arm_analysis(study: &StudyFacts, judge: &str, arm: &ArmTrials, controls: &Controls) -> VerificationArm {
    let inference = Inference::of(study, &["verification", judge, &arm.arm]);
    // Of each verdict the sample, what was said and what is so.
    let verdicts: Vec<(&str, bool, bool)> = arm
        .common
        .iter()
        .filter_map(|scored| {
            Some((
                scored.trial.sample.as_str(),
                scored.said_correct()?,
                scored.prediction_right?,
            ))
        })
        .collect();
    let count = |wanted: (bool, bool)| {
        let found = verdicts.iter().filter(|(_, said, right)| (*said, *right) == wanted);
        found.count() as u64
    };
    let confusion = Confusion {
        true_positive: count((true, true)),
        false_positive: count((true, false)),
        true_negative: count((false, false)),
        false_negative: count((false, true)),
    };
    let right = confusion.true_positive + confusion.false_negative;
    let wrong = confusion.true_negative + confusion.false_positive;
    let share = |of: &dyn Fn(bool, bool) -> Option<bool>| {
        let outcomes = verdicts
            .iter()
            .filter_map(|(sample, said, right)| Some((*sample, of(*said, *right)?)));
        Proportion::of_samples(outcomes, inference)
    };
    let against = |constant: bool| {
        let pairs = verdicts
            .iter()
            .map(|(sample, said, right)| (*sample, said == right, *right == constant));
        Difference::paired(pairs, inference)
    };
    let correct_is_better = right >= wrong;
    VerificationArm {
        arm: arm.arm.clone(),
        readings: Readings::of(arm.all.iter().map(|scored| scored.state())),
        accuracy: share(&|said, right| Some(said == right)),
        accuracy_all_readable: Proportion::of_samples(
            arm.all
                .iter()
                .filter_map(|scored| Some((scored.trial.sample.as_str(), scored.success()?))),
            inference,
        ),
        base_rate: share(&|_, right| Some(right)),
        against_base_rate: against(true),
        constant: ConstantVerdict {
            verdict: if correct_is_better { CORRECT } else { INCORRECT }.to_owned(),
            proportion: share(&|_, right| Some(right == correct_is_better)),
        },
        against_constant: against(correct_is_better),
        discernment: Discernment::of(verdicts.iter().copied(), inference),
        sensitivity: share(&|said, right| right.then_some(said)),
        specificity: share(&|said, right| (!right).then_some(!said)),
        yes_share: share(&|said, _| Some(said)),
        confusion,
        control: controls.compare(&arm.arm, &arm.common, inference),
    }
}
