//! Two shares of right trials, held against each other: the difference, its interval, how large it is, and whether it is
//! more than chance.
//!
//! Trials of one sample are not independent of each other. With one pair a sample the test is McNemar's; with several it
//! is the sign-flip test of the samples' sums, and the interval is drawn over samples. Difference, interval and p are of
//! one and the same quantity: how many samples are ahead is counted beside them and tested nowhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::effect::cohen_h;
use crate::stats::multiple::{Correction, corrected};
use crate::stats::paired::{mcnemar_exact, paired_difference};
use crate::stats::sign_flip::sign_flip;
use crate::stats::unpaired::unpaired_difference;
use crate::stats::{Interval, Stat, Undefined};

use super::inference::{Inference, by_sample};
use super::quantities::Proportion;

/// Which test a p is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceTest {
    /// McNemar's exact test, one pair a sample.
    McNemar,
    /// Exact sign-flip test over samples, of which some have several pairs: each sample's pairs won less pairs lost keep or
    /// change their sign.
    SignFlipOverSamples,
    /// Fisher's exact test of different samples.
    Fisher,
}

impl DifferenceTest {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::McNemar => "McNemar's exact test",
            Self::SignFlipOverSamples => "sign-flip test over samples",
            Self::Fisher => "Fisher's exact test",
        }
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::McNemar => "mc_nemar",
            Self::SignFlipOverSamples => "sign_flip_over_samples",
            Self::Fisher => "fisher",
        }
    }
}

/// The difference of two shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Samples on which both were counted; of different samples, those of both together.
    pub samples: u64,
    /// Right in the first condition.
    pub first: Proportion,
    /// Right in the second.
    pub second: Proportion,
    /// The first share minus the second, in [-1, 1].
    pub difference: f64,
    /// Newcombe's, or with several pairs a sample from a bootstrap over samples.
    pub interval: Stat<Interval>,
    /// Samples on which the first condition is right more often; 0 for different samples.
    pub first_ahead: u64,
    /// Samples on which the second one is.
    pub second_ahead: u64,
    /// Cohen's h: 0.2 is small, 0.5 medium, 0.8 large.
    pub effect: f64,
    /// Which test.
    pub test: DifferenceTest,
    /// Its two-sided p.
    pub p: f64,
    /// The same, corrected over the tests of its family (Holm); undefined where it belongs to none, as that of a control.
    pub p_corrected: Stat<f64>,
}

impl Difference {
    /// Of pairs of outcomes, each with its sample. Undefined without any.
    pub fn paired<'a>(
        pairs: impl IntoIterator<Item = (&'a str, bool, bool)>,
        inference: Inference,
    ) -> Stat<Difference> {
        let samples = by_sample(
            pairs
                .into_iter()
                .map(|(sample, first, second)| (sample, (first, second))),
        );
        if samples.is_empty() {
            return Err(Undefined::because("there is no pair to compare"));
        }
        let each = || {
            samples
                .iter()
                .flat_map(|(sample, pairs)| pairs.iter().map(|pair| (*sample, *pair)))
        };
        let first = Proportion::of_samples(each().map(|(sample, pair)| (sample, pair.0)), inference);
        let second = Proportion::of_samples(each().map(|(sample, pair)| (sample, pair.1)), inference);
        let ahead = |pairs: &[(bool, bool)]| {
            let gained = pairs
                .iter()
                .map(|(first, second)| i64::from(*first) - i64::from(*second));
            gained.sum::<i64>()
        };
        let (mut first_ahead, mut second_ahead) = (0, 0);
        for pairs in samples.values() {
            match ahead(pairs) {
                0 => {}
                gained if gained > 0 => first_ahead += 1,
                _ => second_ahead += 1,
            }
        }
        let one_each = samples.values().all(|pairs| pairs.len() == 1);
        let count = |wanted: (bool, bool)| each().filter(|(_, pair)| *pair == wanted).count() as u64;
        let interval = if one_each {
            let counts = [(true, true), (true, false), (false, true), (false, false)].map(count);
            paired_difference(counts[0], counts[1], counts[2], counts[3], inference.level).map(|found| found.interval)
        } else {
            let rows: Vec<Vec<f64>> = samples
                .values()
                .map(|pairs| vec![ahead(pairs) as f64, pairs.len() as f64])
                .collect();
            inference.interval(&rows, |totals| (totals[1] > 0.0).then(|| totals[0] / totals[1]))
        };
        let shares = (
            first.successes as f64 / first.n as f64,
            second.successes as f64 / second.n as f64,
        );
        let (test, p) = if one_each {
            (DifferenceTest::McNemar, mcnemar_exact(first_ahead, second_ahead)?.p)
        } else {
            let gained: Vec<i64> = samples.values().map(|pairs| ahead(pairs)).collect();
            (DifferenceTest::SignFlipOverSamples, sign_flip(&gained)?)
        };
        Ok(Difference {
            samples: samples.len() as u64,
            difference: (first.successes as f64 - second.successes as f64) / first.n as f64,
            interval,
            first_ahead,
            second_ahead,
            effect: cohen_h(shares.0, shares.1)?,
            test,
            p,
            p_corrected: not_corrected(),
            first,
            second,
        })
    }

    /// Of outcomes of different samples, one a sample. Undefined where either side has none.
    pub fn of_different_samples(first: &[bool], second: &[bool], level: f64) -> Stat<Difference> {
        let count = |outcomes: &[bool]| {
            let successes = outcomes.iter().filter(|outcome| **outcome).count() as u64;
            (successes, outcomes.len() as u64)
        };
        let (first, second) = (count(first), count(second));
        let found = unpaired_difference(first, second, level)?;
        Ok(Difference {
            samples: first.1 + second.1,
            difference: found.difference,
            interval: Ok(found.interval),
            first_ahead: 0,
            second_ahead: 0,
            effect: cohen_h(first.0 as f64 / first.1 as f64, second.0 as f64 / second.1 as f64)?,
            test: DifferenceTest::Fisher,
            p: found.p,
            p_corrected: not_corrected(),
            first: Proportion::new(first.0, first.1, level),
            second: Proportion::new(second.0, second.1, level),
        })
    }

    /// Whether the first is better by more than chance at this level of confidence.
    pub fn is_better(&self, confidence: f64) -> bool {
        self.difference > 0.0 && self.is_beyond_chance(confidence)
    }

    /// Whether the first is worse by more than chance.
    pub fn is_worse(&self, confidence: f64) -> bool {
        self.difference < 0.0 && self.is_beyond_chance(confidence)
    }

    fn is_beyond_chance(&self, confidence: f64) -> bool {
        self.p_corrected.as_ref().is_ok_and(|p| *p < 1.0 - confidence)
    }
}

/// Corrects the p of a family of tests (Holm 1979).
pub fn correct<'a>(family: impl IntoIterator<Item = &'a mut Difference>) {
    let mut family: Vec<&mut Difference> = family.into_iter().collect();
    let mut p: Vec<f64> = family.iter().map(|test| test.p).collect();
    correct_each(p.iter_mut().map(|p| (*p, p)));
    for (test, p) in family.iter_mut().zip(p) {
        test.p_corrected = Ok(p);
    }
}

/// A difference that nobody puts into a family of tests has no corrected p.
fn not_corrected<T>() -> Stat<T> {
    Err(Undefined::because(
        "it is in no family of tests that are corrected together",
    ))
}

/// The same of any tests: each p, and where the corrected one goes.
pub fn correct_each<'a>(family: impl Iterator<Item = (f64, &'a mut f64)>) {
    let (p, places): (Vec<f64>, Vec<&mut f64>) = family.unzip();
    if let Ok(corrected) = corrected(&p, Correction::Holm) {
        for (place, p) in places.into_iter().zip(corrected) {
            *place = p;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFERENCE: Inference = Inference { level: 0.95, seed: 1 };

    #[test]
    fn one_pair_a_sample_is_mcnemars() {
        // Right with both on 2, with the first only on 5, with the second only on 1, with neither on 2.
        let pairs = ["ff", "tt", "tt", "tf", "tf", "tf", "tf", "tf", "ft", "ff"];
        let names: Vec<String> = (0..10).map(|i| format!("s{i}")).collect();
        let pairs = names
            .iter()
            .zip(pairs)
            .map(|(name, pair)| (name.as_str(), pair.starts_with('t'), pair.ends_with('t')));
        let found = Difference::paired(pairs, INFERENCE).unwrap();
        assert_eq!((found.first_ahead, found.second_ahead, found.samples), (5, 1, 10));
        assert_eq!(found.test, DifferenceTest::McNemar);
        // 2 (1 + 6) / 64.
        assert!((found.p - 0.21875).abs() < 1e-12 && (found.difference - 0.4).abs() < 1e-12);
        // 2 asin(sqrt 0.7) - 2 asin(sqrt 0.3).
        assert!((found.effect - 0.823_033_692).abs() < 1e-8, "{}", found.effect);
    }

    #[test]
    fn several_trials_of_a_sample_are_not_several_samples() {
        // Ten samples, five equal draws each: the first wins on nine, the second on one.
        let names: Vec<String> = (0..10).map(|i| format!("s{i}")).collect();
        let pairs: Vec<(&str, bool, bool)> = names
            .iter()
            .enumerate()
            .flat_map(|(i, name)| std::iter::repeat_n((name.as_str(), i > 0, i == 0), 5))
            .collect();
        let found = Difference::paired(pairs, INFERENCE).unwrap();
        assert_eq!(found.test, DifferenceTest::SignFlipOverSamples);
        assert_eq!((found.first.successes, found.first.n, found.samples), (45, 50, 10));
        // 2 (1 + 10) / 1024, where 45 : 5 of independent trials would have 4e-9.
        assert!((found.p - 22.0 / 1024.0).abs() < 1e-12, "{}", found.p);
        let interval = found.interval.unwrap();
        assert!(interval.high - interval.low > 0.4, "{interval:?}");
    }

    #[test]
    fn what_is_tested_is_the_difference_that_is_shown() {
        // Ten trials a sample. On six samples right always against never, on 24 right nine times against ten, else equal:
        // ahead by 36 of 600 trials, though behind on four samples for every one ahead.
        let names: Vec<String> = (0..60).map(|i| format!("s{i:02}")).collect();
        let mut pairs: Vec<(&str, bool, bool)> = Vec::new();
        for (i, name) in names.iter().enumerate() {
            for repeat in 0..10 {
                pairs.push(match i {
                    0..6 => (name, true, false),
                    6..30 => (name, repeat < 9, true),
                    _ => (name, true, true),
                });
            }
        }
        let found = Difference::paired(pairs.iter().copied(), INFERENCE).unwrap();
        assert!((found.difference - 0.06).abs() < 1e-12);
        assert_eq!((found.first_ahead, found.second_ahead), (6, 24));
        assert!((found.p - 0.190_287_822_857).abs() < 1e-9, "{}", found.p);
        assert!(!found.is_better(0.95) && !found.is_worse(0.95));
        // Turned around the other one is as little behind.
        let turned = Difference::paired(pairs.iter().map(|pair| (pair.0, pair.2, pair.1)), INFERENCE).unwrap();
        assert!((turned.p - found.p).abs() < 1e-12 && !turned.is_worse(0.95));
    }

    #[test]
    fn nothing_to_compare_has_a_reason() {
        assert!(Difference::paired([], INFERENCE).is_err());
        assert!(Difference::of_different_samples(&[true], &[], 0.95).is_err());
    }
}
