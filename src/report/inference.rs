//! How intervals and tests are made where a sample has several trials: what is independent of each other is samples, so
//! that they are what is drawn and what counts.

use std::collections::BTreeMap;

use crate::stats::bootstrap::{Bootstrap, Resampling, bootstrap};
use crate::stats::{Interval, Stat};

use super::records::StudyFacts;

/// Resamples of every bootstrap.
const RESAMPLES: usize = 2_000;

/// The level of intervals, and the seed of what is drawn for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inference {
    /// Confidence level.
    pub level: f64,
    /// Derived from the study's seed and what the figure is of.
    pub seed: u64,
}

impl Inference {
    /// For a figure of these: task, judge, arm and the like.
    pub fn of(study: &StudyFacts, figure: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("tabjury report 1 resampling");
        hasher.update(&study.seed.to_le_bytes());
        for name in figure {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
        }
        let mut seed = [0; 8];
        hasher.finalize_xof().fill(&mut seed);
        Self {
            level: study.confidence,
            seed: u64::from_le_bytes(seed),
        }
    }

    /// How its resamples are drawn.
    pub fn resampling(self) -> Resampling {
        Resampling {
            resamples: RESAMPLES,
            seed: self.seed,
            level: self.level,
        }
    }

    /// The interval of a statistic of column sums, one row a sample: BCa's, or between the quantiles of the resamples
    /// where that is undefined.
    pub fn interval(self, rows: &[Vec<f64>], statistic: impl Fn(&[f64]) -> Option<f64>) -> Stat<Interval> {
        bootstrap(rows, self.resampling(), statistic).and_then(|found| best_interval(&found))
    }

    /// The same as one of several intervals that are to hold all at once (Bonferroni).
    pub fn interval_of_family(
        self,
        rows: &[Vec<f64>],
        intervals: usize,
        statistic: impl Fn(&[f64]) -> Option<f64>,
    ) -> Stat<Interval> {
        let intervals = intervals.max(1);
        let resampling = Resampling {
            resamples: RESAMPLES * intervals.min(MOST_GROWTH),
            level: 1.0 - (1.0 - self.level) / intervals as f64,
            ..self.resampling()
        };
        bootstrap(rows, resampling, statistic).and_then(|found| best_interval(&found))
    }
}

/// The most that resamples grow by for an interval whose ends lie further out.
const MOST_GROWTH: usize = 10;

/// BCa's interval, or the percentile one where that is undefined.
pub fn best_interval(found: &Bootstrap) -> Stat<Interval> {
    found.bca.clone().or_else(|_| found.percentile.clone())
}

/// Values by sample, in the order of the samples' ids.
pub fn by_sample<'a, T>(values: impl IntoIterator<Item = (&'a str, T)>) -> BTreeMap<&'a str, Vec<T>> {
    let mut found: BTreeMap<&str, Vec<T>> = BTreeMap::new();
    for (sample, value) in values {
        found.entry(sample).or_default().push(value);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_over_samples_and_the_same_each_time() {
        let inference = Inference { level: 0.95, seed: 3 };
        let mean = |totals: &[f64]| (totals[1] > 0.0).then(|| totals[0] / totals[1]);
        // Forty samples of five equal trials each: as wide as of forty trials.
        let rows: Vec<Vec<f64>> = (0..40).map(|i| vec![5.0 * f64::from(i % 2), 5.0]).collect();
        let found = inference.interval(&rows, mean).unwrap();
        let half = 1.96 * (0.25_f64 / 40.0).sqrt();
        assert!((found.high - found.low - 2.0 * half).abs() < 0.04, "{found:?}");
        assert_eq!(inference.interval(&rows, mean).unwrap(), found);
    }
}
