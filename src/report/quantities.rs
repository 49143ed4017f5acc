//! The small shapes that every part of an analysis is made of: shares with intervals, means, readings with coverage.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::inference::Inference;
use crate::judge::NoVerdict;
use crate::stats::{Interval, Stat, Undefined, mean, proportion};

/// A share of counted things, with its Wilson interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proportion {
    /// How many.
    pub successes: u64,
    /// Out of how many.
    pub n: u64,
    /// The share, in [0, 1].
    pub share: Stat<f64>,
    /// Wilson score interval; of samples with several counted things each, from a bootstrap over samples.
    pub interval: Stat<Interval>,
    /// How many samples the counted things are of, where some have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
}

impl Proportion {
    /// Of `successes` out of `n`.
    pub fn new(successes: u64, n: u64, level: f64) -> Self {
        Self {
            successes,
            n,
            share: share(successes, n),
            interval: if n == 0 {
                Err(Undefined::because("nothing to count (n = 0)"))
            } else {
                proportion::wilson(successes, n, level)
            },
            samples: None,
        }
    }

    /// Of the `true` among outcomes that come with their samples.
    pub fn of_samples<'a>(outcomes: impl IntoIterator<Item = (&'a str, bool)>, inference: Inference) -> Self {
        let counts = outcomes
            .into_iter()
            .map(|(sample, outcome)| (sample, u64::from(outcome), 1));
        Self::of_counts(counts, inference)
    }

    /// Of successes and the number they are out of, which come with their samples; of one sample they are added up.
    pub fn of_counts<'a>(counts: impl IntoIterator<Item = (&'a str, u64, u64)>, inference: Inference) -> Self {
        let mut samples: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (sample, successes, n) in counts.into_iter().filter(|(.., n)| *n > 0) {
            let sums = samples.entry(sample).or_default();
            *sums = (sums.0 + successes, sums.1 + n);
        }
        let sum = |of: fn(&(u64, u64)) -> u64| samples.values().map(of).sum::<u64>();
        let mut found = Self::new(sum(|sums| sums.0), sum(|sums| sums.1), inference.level);
        if samples.values().all(|sums| sums.1 == 1) {
            return found;
        }
        let count = samples.len() as u64;
        found.samples = Some(count);
        found.interval = if found.successes == 0 || found.successes == found.n {
            // Nothing varies, and all that is known is how many samples there are.
            proportion::wilson(if found.successes == 0 { 0 } else { count }, count, inference.level)
        } else {
            let rows: Vec<Vec<f64>> = samples
                .values()
                .map(|(successes, n)| vec![*successes as f64, *n as f64])
                .collect();
            inference.interval(&rows, |totals| (totals[1] > 0.0).then(|| totals[0] / totals[1]))
        };
        found
    }

    /// Of the `true` among the given.
    pub fn of(outcomes: impl IntoIterator<Item = bool>, level: f64) -> Self {
        let (mut successes, mut n) = (0, 0);
        for outcome in outcomes {
            n += 1;
            successes += u64::from(outcome);
        }
        Self::new(successes, n, level)
    }
}

/// `successes / n`, or why there is none.
pub fn share(successes: u64, n: u64) -> Stat<f64> {
    if n == 0 {
        Err(Undefined::because("nothing to count (n = 0)"))
    } else {
        Ok(successes as f64 / n as f64)
    }
}

/// A mean over samples, with Student's t interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mean {
    /// Values it is the mean of.
    pub n: usize,
    /// The mean.
    pub value: Stat<f64>,
    /// Student's t interval.
    pub interval: Stat<Interval>,
}

impl Mean {
    /// Of these values.
    pub fn of(values: &[f64], level: f64) -> Self {
        Self {
            n: values.len(),
            value: mean::mean(values),
            interval: mean::mean_interval(values, level),
        }
    }
}

/// How many judgments could be read, and what became of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Readings {
    /// Trials planned.
    pub trials: u64,
    /// Trials put before the judge.
    pub asked: u64,
    /// Judgments with a readable verdict.
    pub readable: u64,
    /// Judgments without one, by reason.
    pub unread: BTreeMap<NoVerdict, u64>,
    /// `readable / asked`.
    pub coverage: Stat<f64>,
}

impl Readings {
    /// Of one reading a trial; `None` is a trial that was not put before the judge.
    pub fn of(readings: impl IntoIterator<Item = Option<Result<(), NoVerdict>>>) -> Self {
        let (mut trials, mut asked, mut readable) = (0, 0, 0);
        let mut unread: BTreeMap<NoVerdict, u64> = BTreeMap::new();
        for reading in readings {
            trials += 1;
            match reading {
                None => {}
                Some(Ok(())) => {
                    asked += 1;
                    readable += 1;
                }
                Some(Err(state)) => {
                    asked += 1;
                    *unread.entry(state).or_default() += 1;
                }
            }
        }
        Self {
            trials,
            asked,
            readable,
            unread,
            coverage: share(readable, asked),
        }
    }

    /// Trials planned but not put before the judge.
    pub fn not_asked(&self) -> u64 {
        self.trials - self.asked
    }
}
