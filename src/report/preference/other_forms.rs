//! Preference that is no ranking: the best and the worst of all, and scores of each by itself.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Verdict;
use crate::judge::protocol::{Criterion, GREATEST_SCORE, LEAST_SCORE};
use crate::report::index::Scored;
use crate::report::quantities::Mean;
use crate::stats::distribution::t_above;
use crate::stats::mean::{mean, standard_error};
use crate::stats::paired::mcnemar_exact;
use crate::stats::proportion::binomial_test;
use crate::stats::{Alternative, Stat, Undefined};

/// Choices of the best and the worst before one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BestWorstAnalysis {
    /// Readable choices.
    pub choices: u64,
    /// One entry an arm.
    pub arms: Vec<BestWorstArm>,
    /// The share of orders in which what stood in each place was chosen as the best, from the first place; of trials that
    /// have such a place.
    pub best_by_place: Vec<Mean>,
    /// The share of each place by chance: the mean over the same samples of 1 / (number of arms shown).
    pub chance_by_place: Vec<f64>,
    /// Whether what stands first is chosen as the best more or less often than chance.
    pub first_place: Stat<FirstPlaceTest>,
}

/// How the share of choices in which what stood first is the best is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FirstPlaceTestKind {
    /// Exact binomial test of samples, where what stood first was in each sample always or never the best, as with one
    /// choice a sample, and all trials show as many arms.
    Binomial,
    /// Student's t test over samples, of the share less the one by chance.
    StudentT,
    /// Exact sign test over samples, where all have one and the same share.
    Sign,
}

/// A test of the mean over samples of the share of choices in which what stood first is the best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstPlaceTest {
    /// Samples, the independent units.
    pub samples: usize,
    /// The share by chance: the mean over samples of 1 / (number of arms shown).
    pub chance: f64,
    /// Which test.
    pub test: FirstPlaceTestKind,
    /// Two-sided p.
    pub p: f64,
    /// The same, corrected over the judges (Holm).
    pub p_corrected: f64,
}

impl FirstPlaceTest {
    /// Of the share of each sample, and what it is by chance.
    fn of(shares: &[f64], chances: &[f64]) -> Stat<Self> {
        let chance = mean(chances)?;
        let alike = chances.iter().all(|own| (own - chance).abs() < 1e-12);
        let (test, p) = if alike && shares.iter().all(|share| [0.0, 1.0].contains(share)) {
            let first = shares.iter().filter(|share| **share == 1.0).count() as u64;
            let p = binomial_test(first, shares.len() as u64, chance, Alternative::TwoSided)?;
            (FirstPlaceTestKind::Binomial, p)
        } else {
            let off: Vec<f64> = shares
                .iter()
                .zip(chances)
                .map(|(share, chance)| share - chance)
                .collect();
            let (off, error) = (mean(&off)?.abs(), standard_error(&off)?);
            if error < 1e-12 {
                // Without variation a t test has no p. A judge whose choice does not depend on places has just this, the
                // share by chance in every sample, in a design in which each explanation stands first equally often.
                let ahead = if off < 1e-9 { 0 } else { shares.len() as u64 };
                (FirstPlaceTestKind::Sign, mcnemar_exact(ahead, 0)?.p)
            } else {
                (
                    FirstPlaceTestKind::StudentT,
                    2.0 * t_above(off / error, shares.len() as f64 - 1.0),
                )
            }
        };
        Ok(Self {
            samples: shares.len(),
            chance,
            test,
            p,
            p_corrected: p,
        })
    }

    /// Which test it is, in words.
    pub fn words(&self) -> &'static str {
        match self.test {
            FirstPlaceTestKind::Binomial => "exact binomial test",
            FirstPlaceTestKind::StudentT => "Student's t test",
            FirstPlaceTestKind::Sign => "exact sign test",
        }
    }
}

/// One arm among choices of the best and the worst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BestWorstArm {
    /// The arm.
    pub arm: String,
    /// Choices as the best.
    pub best: u64,
    /// Choices as the worst.
    pub worst: u64,
    /// Mean over samples of the share of choices as the best.
    pub best_share: Mean,
    /// Likewise as the worst.
    pub worst_share: Mean,
    /// Mean over samples of best less worst, in [-1, 1].
    pub score: Mean,
}

/// Scores of one arm before one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoredArm {
    /// The arm.
    pub arm: String,
    /// Mean over common samples of the mean over criteria, 1 to 5.
    pub overall: Mean,
    /// The same by criterion.
    pub criteria: Vec<ScoredCriterion>,
}

/// Scores by one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoredCriterion {
    /// By what.
    pub criterion: Criterion,
    /// Mean over common samples.
    pub mean: Mean,
}

/// The mean over samples of each sample's mean, its interval cut to the values there are.
fn over_samples<'a>(values: impl Iterator<Item = (&'a str, f64)>, ends: (f64, f64), level: f64) -> Mean {
    let mut mean = Mean::of(&sample_means(values), level);
    if let Ok(interval) = &mut mean.interval {
        interval.low = interval.low.max(ends.0);
        interval.high = interval.high.min(ends.1);
    }
    mean
}

/// The mean of each sample.
fn sample_means<'a>(values: impl Iterator<Item = (&'a str, f64)>) -> Vec<f64> {
    let mut samples: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (sample, value) in values {
        let (sum, count) = samples.entry(sample).or_default();
        *sum += value;
        *count += 1.0;
    }
    samples.values().map(|(sum, count)| sum / count).collect()
}

/// Choices of the best and the worst; `None` where there are none.
pub(super) fn best_worst(scored: &[Scored], arms: &[&str], order_known: bool, level: f64) -> Option<BestWorstAnalysis> {
    let choices: Vec<(&Scored, &str, &str)> = scored
        .iter()
        .filter_map(|scored| match scored.verdict()? {
            Verdict::BestWorst { best, worst } => Some((scored, best.as_str(), worst.as_str())),
            _ => None,
        })
        .collect();
    if choices.is_empty() {
        return None;
    }
    let share = |value: &dyn Fn(&(&Scored, &str, &str)) -> f64, ends: (f64, f64)| {
        let values = choices
            .iter()
            .map(|choice| (choice.0.trial.sample.as_str(), value(choice)));
        over_samples(values, ends, level)
    };
    let is = |one: &str, other: &str| f64::from(u8::from(one == other));
    // Of trials that have such a place: whether what stood there is the best, and how often it would be by chance.
    let in_place = |place: usize| {
        let having = choices.iter().filter_map(move |(scored, best, _)| {
            let shown = scored.trial.arms.get(place)?;
            let chance = 1.0 / scored.trial.arms.len() as f64;
            Some((scored.trial.sample.as_str(), is(best, shown), chance))
        });
        having.collect::<Vec<_>>()
    };
    let shares = |place: usize| in_place(place).into_iter().map(|(sample, share, _)| (sample, share));
    let chances = |place: usize| in_place(place).into_iter().map(|(sample, _, chance)| (sample, chance));
    let places = if order_known {
        choices
            .iter()
            .map(|choice| choice.0.trial.arms.len())
            .max()
            .unwrap_or(0)
    } else {
        0
    };
    let first_place = if order_known {
        FirstPlaceTest::of(&sample_means(shares(0)), &sample_means(chances(0)))
    } else {
        Err(Undefined::because(
            "the order in which explanations were shown is not known",
        ))
    };
    Some(BestWorstAnalysis {
        choices: choices.len() as u64,
        arms: arms
            .iter()
            .map(|arm| BestWorstArm {
                arm: (*arm).to_owned(),
                best: choices.iter().filter(|choice| choice.1 == *arm).count() as u64,
                worst: choices.iter().filter(|choice| choice.2 == *arm).count() as u64,
                best_share: share(&|choice| is(choice.1, arm), (0.0, 1.0)),
                worst_share: share(&|choice| is(choice.2, arm), (0.0, 1.0)),
                score: share(&|choice| is(choice.1, arm) - is(choice.2, arm), (-1.0, 1.0)),
            })
            .collect(),
        best_by_place: (0..places)
            .map(|place| over_samples(shares(place), (0.0, 1.0), level))
            .collect(),
        chance_by_place: (0..places)
            .map(|place| mean(&sample_means(chances(place))).unwrap_or(0.0))
            .collect(),
        first_place,
    })
}

/// Samples on which every arm has scores.
pub(super) fn samples_scored<'a>(scored: &[Scored<'a>], arms: &[&str]) -> BTreeSet<&'a str> {
    let mut of_arms: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for scored in scored {
        if let (Some(Verdict::Scores(_)), [arm]) = (scored.verdict(), scored.trial.arms.as_slice()) {
            of_arms.entry(&scored.trial.sample).or_default().insert(arm);
        }
    }
    let whole = of_arms
        .into_iter()
        .filter(|(_, found)| arms.iter().all(|arm| found.contains(arm)));
    whole.map(|(sample, _)| sample).collect()
}

/// Scores, on samples that every arm has some on; none where nothing was scored.
pub(super) fn scores(scored: &[Scored], arms: &[&str], level: f64) -> Vec<ScoredArm> {
    let common = samples_scored(scored, arms);
    let of_arm = |arm: &str| {
        let given = scored
            .iter()
            .filter_map(|scored| match (scored.verdict()?, scored.trial.arms.as_slice()) {
                (Verdict::Scores(scores), [shown]) if shown == arm => Some((scored.trial.sample.as_str(), scores)),
                _ => None,
            });
        given.filter(|(sample, _)| common.contains(sample)).collect::<Vec<_>>()
    };
    if !scored
        .iter()
        .any(|scored| matches!(scored.verdict(), Some(Verdict::Scores(_))))
    {
        return Vec::new();
    }
    let ends = (f64::from(LEAST_SCORE), f64::from(GREATEST_SCORE));
    arms.iter()
        .map(|arm| {
            let given = of_arm(arm);
            let mean_of = |scores: &Vec<crate::judge::Score>| {
                let sum: f64 = scores.iter().map(|score| f64::from(score.score)).sum();
                (!scores.is_empty()).then(|| sum / scores.len() as f64)
            };
            ScoredArm {
                arm: (*arm).to_owned(),
                overall: over_samples(
                    given
                        .iter()
                        .filter_map(|(sample, scores)| Some((*sample, mean_of(scores)?))),
                    ends,
                    level,
                ),
                criteria: Criterion::ALL
                    .into_iter()
                    .map(|criterion| ScoredCriterion {
                        criterion,
                        mean: over_samples(
                            given.iter().filter_map(|(sample, scores)| {
                                let score = scores.iter().find(|score| score.criterion == criterion)?;
                                Some((*sample, f64::from(score.score)))
                            }),
                            ends,
                            level,
                        ),
                    })
                    .collect(),
            }
        })
        .collect()
}
