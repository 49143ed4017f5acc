//! Whether a verification is better than one that does not look, and than one without explanation, by more than chance.
//!
//! Each arm is taken on its own readable verdicts, and tested against the judge that calls every answer right and against
//! the control. Of many tests some come out small by chance alone, so p is corrected over each family of them (Holm 1979).
//!
//! Verdicts of one sample are not independent of each other, so that of several draws of a sample the first readable one
//! counts here, and n is a number of samples.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Task;
use crate::stats::multiple::{Correction, corrected};
use crate::stats::paired::mcnemar_exact;
use crate::stats::unpaired::unpaired_difference;
use crate::stats::{Interval, Stat, Undefined};

use super::control::Controls;
use super::index::{Index, Scored};
use super::quantities::Proportion;

/// One arm before one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationTest {
    /// The judge.
    pub judge: String,
    /// The arm.
    pub arm: String,
    /// Whether it is a control of its own, whose pages held no explanation; such arms are no part of the families that p is
    /// corrected over.
    pub is_control: bool,
    /// Right verdicts among the first readable one of each sample of this arm, common samples or not.
    pub accuracy: Proportion,
    /// What always saying "correct" reaches on the same trials.
    pub base_rate: Proportion,
    /// What the better of always saying "correct" and always saying "incorrect" reaches; which of them it is follows from
    /// these very trials.
    pub better_constant: Proportion,
    /// Against always saying "correct": McNemar's exact test on the same trials.
    pub against_base_rate: ChanceTest,
    /// Against the better constant, likewise.
    pub against_constant: ChanceTest,
    /// Against the control.
    pub against_control: Stat<ChanceTest>,
    /// Whether the control was judged on the same samples and answers, and the test is a paired one (McNemar); else
    /// Fisher's, over other samples.
    pub control_is_paired: bool,
    /// Right verdicts on the control.
    pub control: Proportion,
}

/// A difference with its test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChanceTest {
    /// Accuracy minus what it is held against, in [-1, 1].
    pub difference: f64,
    /// Its interval, where it is that of different samples.
    pub interval: Option<Interval>,
    /// Two-sided p.
    pub p: f64,
    /// The same, corrected over all arms and judges (Holm).
    pub p_corrected: f64,
}

impl ChanceTest {
    /// Whether it is better by more than chance at this level of confidence.
    pub fn is_better(&self, confidence: f64) -> bool {
        self.difference > 0.0 && self.p_corrected < 1.0 - confidence
    }
}

/// One entry an arm and judge with verdicts on answers known to be right or wrong.
pub fn analyze(index: &Index) -> Vec<VerificationTest> {
    let study = &index.records.study;
    let imported = study.imported_judgments.as_ref();
    let control_arms = imported
        .map(|imported| imported.control_arms.as_slice())
        .unwrap_or_default();
    let mut tests = Vec::new();
    for judge in &study.judges {
        let scored = index.scored(Task::Verification, &judge.name);
        let paired = Controls::among(&scored);
        let recorded: Vec<bool> = scored
            .iter()
            .filter(|scored| scored.trial.arms.first().is_some_and(|arm| control_arms.contains(arm)))
            .filter_map(Scored::verification_right)
            .collect();
        for arm in &study.arms {
            let mut samples: BTreeSet<&str> = BTreeSet::new();
            let own: Vec<&Scored> = scored
                .iter()
                .filter(|scored| scored.trial.arms.len() == 1 && scored.trial.arms[0] == arm.name)
                .filter(|scored| scored.verification_right().is_some() && samples.insert(&scored.trial.sample))
                .collect();
            if own.is_empty() {
                continue;
            }
            let is_control = control_arms.contains(&arm.name);
            tests.push(of_arm(
                &judge.name,
                &arm.name,
                &own,
                &paired,
                &recorded,
                is_control,
                study.confidence,
            ));
        }
    }
    correct(&mut tests, |test| Some(&mut test.against_base_rate));
    correct(&mut tests, |test| Some(&mut test.against_constant));
    correct(&mut tests, |test| test.against_control.as_mut().ok());
    tests
}

fn of_arm(
    judge: &str,
    arm: &str,
    own: &[&Scored],
    paired: &Controls,
    recorded: &[bool],
    is_control: bool,
    level: f64,
) -> VerificationTest {
    let count = |wanted: &dyn Fn(bool, bool) -> bool| {
        let verdicts = own
            .iter()
            .filter_map(|scored| Some((scored.said_correct()?, scored.prediction_right?)));
        verdicts.filter(|(said, right)| wanted(*said, *right)).count() as u64
    };
    let n = own.len() as u64;
    let successes = count(&|said, right| said == right);
    let right = count(&|_, right| right);
    // Where the judge differs from always saying "correct", it is right on the wrong answers and wrong on the right ones.
    let against_correct = against(
        count(&|said, right| !said && !right),
        count(&|said, right| !said && right),
        n,
    );
    let against_incorrect = against(
        count(&|said, right| said && right),
        count(&|said, right| said && !right),
        n,
    );
    let pairs: Vec<(bool, bool)> = own
        .iter()
        .filter_map(|scored| Some((scored.verification_right()?, paired.of(scored)?.verification_right()?)))
        .collect();
    let (control, against_control) = if is_control {
        (
            Proportion::new(0, 0, level),
            Err(Undefined::because("it is the control itself")),
        )
    } else if !pairs.is_empty() {
        let only = |wanted: (bool, bool)| pairs.iter().filter(|pair| **pair == wanted).count() as u64;
        let test = against(only((true, false)), only((false, true)), pairs.len() as u64);
        (Proportion::of(pairs.iter().map(|pair| pair.1), level), Ok(test))
    } else {
        let control = Proportion::of(recorded.iter().copied(), level);
        let test = unpaired_difference((successes, n), (control.successes, control.n), level)
            .map(|found| ChanceTest {
                difference: found.difference,
                interval: Some(found.interval),
                p: found.p,
                p_corrected: found.p,
            })
            .map_err(|_| Undefined::because("there are no control trials"));
        (control, test)
    };
    VerificationTest {
        judge: judge.to_owned(),
        arm: arm.to_owned(),
        is_control,
        accuracy: Proportion::new(successes, n, level),
        base_rate: Proportion::new(right, n, level),
        better_constant: Proportion::new(right.max(n - right), n, level),
        against_constant: if 2 * right >= n {
            against_correct.clone()
        } else {
            against_incorrect
        },
        against_base_rate: against_correct,
        control_is_paired: !pairs.is_empty(),
        against_control,
        control,
    }
}

fn against(first_only: u64, second_only: u64, n: u64) -> ChanceTest {
    // The exact test is defined for any counts.
    let p = mcnemar_exact(first_only, second_only).map_or(1.0, |test| test.p);
    ChanceTest {
        difference: (first_only as f64 - second_only as f64) / n as f64,
        interval: None,
        p,
        p_corrected: p,
    }
}

fn correct(tests: &mut [VerificationTest], of: impl Fn(&mut VerificationTest) -> Option<&mut ChanceTest>) {
    let explained = |test: &&mut VerificationTest| !test.is_control;
    let family = tests.iter_mut().filter(explained);
    let p: Vec<f64> = family.filter_map(|test| of(test).map(|test| test.p)).collect();
    let Ok(corrected) = corrected(&p, Correction::Holm) else {
        return;
    };
    let family = tests.iter_mut().filter(explained).filter_map(of);
    for (test, p) in family.zip(corrected) {
        test.p_corrected = p;
    }
}
