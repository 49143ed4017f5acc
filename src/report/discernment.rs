//! How well a judge tells two answers apart, whatever the share of each: balanced accuracy, kappa against the truth,
//! Matthews' correlation, d' and criterion, each with an interval over samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::binary::{Confusion, balanced_accuracy, kappa, matthews_correlation};
use crate::stats::signal_detection::signal_detection;
use crate::stats::{Interval, Stat, Undefined};

use super::inference::{Inference, by_sample};

/// A figure with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Samples.
    pub samples: u64,
    /// The figure.
    pub value: Stat<f64>,
    /// From a bootstrap over samples.
    pub interval: Stat<Interval>,
}

/// How well two answers are told apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Discernment {
    /// Mean of sensitivity and specificity; 0.5 is chance, whatever the base rate.
    pub balanced_accuracy: Estimate,
    /// Cohen's kappa of what was said against what is so; 0 is chance.
    pub kappa: Estimate,
    /// Matthews' correlation coefficient of the same.
    pub matthews: Estimate,
    /// d': how far apart both answers look; 0 is guessing. Undefined where every verdict says the same.
    pub d_prime: Estimate,
    /// Criterion c: below 0 leans to the positive answer, above to the other.
    pub criterion: Estimate,
}

impl Discernment {
    /// Of what was said and what is so, each with its sample.
    pub fn of<'a>(said: impl IntoIterator<Item = (&'a str, bool, bool)>, inference: Inference) -> Self {
        let samples = by_sample(said.into_iter().map(|(sample, said, so)| (sample, (said, so))));
        let rows: Vec<Vec<f64>> = samples
            .values()
            .map(|verdicts| {
                let count = |wanted: (bool, bool)| verdicts.iter().filter(|verdict| **verdict == wanted).count() as f64;
                [(true, true), (true, false), (false, false), (false, true)]
                    .map(count)
                    .to_vec()
            })
            .collect();
        let totals: Vec<f64> = (0..4).map(|cell| rows.iter().map(|row| row[cell]).sum()).collect();
        let estimate = |statistic: fn(&Confusion) -> Stat<f64>| Estimate {
            samples: rows.len() as u64,
            value: statistic(&confusion(&totals)),
            interval: inference.interval(&rows, |totals| statistic(&confusion(totals)).ok()),
        };
        Self {
            balanced_accuracy: estimate(balanced_accuracy),
            kappa: estimate(kappa),
            matthews: estimate(matthews_correlation),
            // The level has no part in the values.
            d_prime: estimate(distance),
            criterion: estimate(|counts| signal_detection(counts, 0.95).map(|found| found.criterion)),
        }
    }
}

/// d'. Of a judge that always says the same it would be what the correction by half a verdict makes of the numbers of both
/// answers, and not 0.
fn distance(counts: &Confusion) -> Stat<f64> {
    let said_so = counts.true_positive + counts.false_positive;
    let said_not = counts.true_negative + counts.false_negative;
    if said_so.min(said_not) == 0 {
        return Err(Undefined::because("every verdict says the same"));
    }
    signal_detection(counts, 0.95).map(|found| found.d_prime)
}

/// Counts of verdicts from sums over samples, which are whole.
fn confusion(totals: &[f64]) -> Confusion {
    let cell = |index: usize| totals.get(index).map_or(0, |total| total.round() as u64);
    Confusion {
        true_positive: cell(0),
        false_positive: cell(1),
        true_negative: cell(2),
        false_negative: cell(3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_that_always_says_the_same_tells_nothing_apart() {
        let said = [
            ("a", true, true),
            ("b", true, true),
            ("c", true, true),
            ("d", true, false),
        ];
        let found = Discernment::of(said, Inference { level: 0.95, seed: 2 });
        assert_eq!(found.balanced_accuracy.value, Ok(0.5));
        assert_eq!(
            found.d_prime.value,
            Err(Undefined::because("every verdict says the same"))
        );
        assert!(found.d_prime.interval.is_err());
        assert!(found.criterion.value.unwrap() < 0.0);
    }

    #[test]
    fn figures_of_a_small_table() {
        // 6 right called right, 2 wrong called right, 3 wrong called wrong, 1 right called wrong.
        let cells = [
            (6, (true, true)),
            (2, (true, false)),
            (3, (false, false)),
            (1, (false, true)),
        ];
        let names: Vec<String> = (0..12).map(|i| format!("s{i:02}")).collect();
        let verdicts = cells
            .iter()
            .flat_map(|(count, verdict)| std::iter::repeat_n(*verdict, *count));
        let said = names
            .iter()
            .zip(verdicts)
            .map(|(name, verdict)| (name.as_str(), verdict.0, verdict.1));
        let found = Discernment::of(said, Inference { level: 0.95, seed: 2 });
        let value = |estimate: &Estimate| *estimate.value.as_ref().unwrap();
        assert!((value(&found.balanced_accuracy) - f64::midpoint(6.0 / 7.0, 3.0 / 5.0)).abs() < 1e-12);
        // Observed 9 of 12; expected (8 * 7 + 4 * 5) / 12 = 19/3 of 12.
        assert!((value(&found.kappa) - (9.0 - 19.0 / 3.0) / (12.0 - 19.0 / 3.0)).abs() < 1e-12);
        assert!((value(&found.matthews) - 16.0 / (8.0_f64 * 7.0 * 5.0 * 4.0).sqrt()).abs() < 1e-12);
        let interval = found.kappa.interval.unwrap();
        assert!(interval.low < 0.2 && interval.high > 0.7, "{interval:?}");
    }

    #[test]
    fn a_judge_that_says_the_same_always_is_at_chance() {
        let said = [("a", true, true), ("b", true, false), ("c", true, true)];
        let found = Discernment::of(said, Inference { level: 0.95, seed: 2 });
        assert_eq!(found.balanced_accuracy.value, Ok(0.5));
        assert_eq!(found.kappa.value, Ok(0.0));
        assert!(found.matthews.value.is_err());
        assert!(
            Discernment::of([], Inference { level: 0.95, seed: 2 })
                .kappa
                .value
                .is_err()
        );
    }
}
