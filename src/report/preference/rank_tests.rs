//! Tests of rankings: whether the arms differ, which of them do, whether places decide, and whether length does.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::AnswerVisibility;
use crate::report::index::Index;
use crate::stats::friedman::{friedman, mean_ranks, nemenyi};
use crate::stats::order::{ShownRanking, order_effect};
use crate::stats::within::{Scale, WithinCorrelation, within_correlation};
use crate::stats::{Stat, Undefined};

use super::ranking::Ranking;

/// Tests over all samples of one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankTests {
    /// Whether the arms' ranks within samples differ by more than chance.
    pub arms_differ: Stat<ArmsDiffer>,
    /// Nemenyi's comparison of every two mean ranks.
    pub nemenyi: Vec<RankPair>,
    /// Whether places decide, whatever stands there.
    pub places: Stat<PlaceTest>,
    /// Length of the pages (tokens, as the judge sees them) against the rank, within samples: below 0, the longer is
    /// preferred.
    pub length: Stat<WithinCorrelation>,
}

/// Friedman's test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmsDiffer {
    /// Samples.
    pub samples: usize,
    /// Chi-square, corrected for ties.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub freedom: u64,
    /// Its p.
    pub p: f64,
    /// p by Iman and Davenport's F, less conservative.
    pub iman_davenport_p: Stat<f64>,
    /// Kendall's W, the effect size: 0 where samples do not agree at all, 1 where all rank alike.
    pub kendall_w: f64,
}

/// Two mean ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankPair {
    /// The one arm.
    pub first: String,
    /// The other.
    pub second: String,
    /// Mean rank of the first less that of the second.
    pub difference: f64,
    /// The same of ranks within samples, where the mean ranks of a sample's rankings are ranked again: what p is of.
    pub within_samples: f64,
    /// Nemenyi's p, corrected for comparing all.
    pub p: f64,
}

/// Whether places decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceTest {
    /// Samples, the independent units.
    pub samples: usize,
    /// Score test of a rank-ordered logit with a term for every arm and place.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub freedom: u64,
    /// Two-sided p.
    pub p: f64,
    /// The same, corrected over the judges (Holm).
    pub p_corrected: f64,
    /// The log odds of being preferred that each place adds, with mean 0.
    pub log_odds: Stat<Vec<f64>>,
}

/// Of rankings by sample.
pub(super) fn analyze(
    index: &Index,
    judge: &str,
    by_sample: &BTreeMap<&str, Vec<&Ranking>>,
    arms: &[&str],
    places: Stat<PlaceTest>,
) -> RankTests {
    let level = index.records.study.confidence;
    let means: Vec<Vec<f64>> = by_sample
        .values()
        .map(|rankings| {
            let count = rankings.len() as f64;
            (0..arms.len())
                .map(|arm| rankings.iter().map(|ranking| ranking.ranks[arm]).sum::<f64>() / count)
                .collect()
        })
        .collect();
    let mean_rank = |arm: usize| means.iter().map(|ranks| ranks[arm]).sum::<f64>() / means.len() as f64;
    let mut pairs = Vec::new();
    if let (Ok(p), Ok(within)) = (nemenyi(&means), mean_ranks(&means)) {
        for first in 0..arms.len() {
            for second in first + 1..arms.len() {
                pairs.push(RankPair {
                    first: arms[first].to_owned(),
                    second: arms[second].to_owned(),
                    difference: mean_rank(first) - mean_rank(second),
                    within_samples: within[first] - within[second],
                    p: p[first][second],
                });
            }
        }
    }
    RankTests {
        arms_differ: friedman(&means).map(|found| ArmsDiffer {
            samples: means.len(),
            chi_square: found.test.statistic,
            freedom: found.test.freedom,
            p: found.test.p,
            iman_davenport_p: found.iman_davenport.map(|test| test.p),
            kendall_w: found.kendall_w,
        }),
        nemenyi: pairs,
        places,
        length: length(index, judge, by_sample, &means, arms, level),
    }
}

/// Whether places decide, from orders shown and ranks given.
pub(super) fn places<'a>(shown: impl Iterator<Item = (&'a str, Vec<(usize, f64)>)>, arms: usize) -> Stat<PlaceTest> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let rankings: Vec<ShownRanking> = shown
        .map(|(sample, shown)| {
            let next = numbers.len();
            ShownRanking {
                sample: *numbers.entry(sample).or_insert(next),
                shown,
            }
        })
        .collect();
    order_effect(&rankings, arms).map(|found| PlaceTest {
        samples: found.samples,
        chi_square: found.test.statistic,
        freedom: found.test.freedom,
        p: found.test.p,
        p_corrected: found.test.p,
        log_odds: found.position_log_odds,
    })
}

fn length(
    index: &Index,
    judge: &str,
    by_sample: &BTreeMap<&str, Vec<&Ranking>>,
    means: &[Vec<f64>],
    arms: &[&str],
    level: f64,
) -> Stat<WithinCorrelation> {
    if index.records.pages.is_empty() {
        return Err(Undefined::because("no page is known"));
    }
    let known = index.records.study.judges.iter().find(|known| known.name == judge);
    let html = known.is_some_and(|judge| judge.view == "html");
    let tokens = |sample: &str, arm: &str| {
        let page = index.pages(sample, arm, AnswerVisibility::Shown).into_iter().next()?;
        Some(if html {
            page.facts.html_tokens
        } else {
            page.facts.markdown_tokens
        } as f64)
    };
    let points: Vec<Vec<(f64, f64)>> = by_sample
        .keys()
        .zip(means)
        .map(|(sample, ranks)| {
            let of_arms = arms.iter().zip(ranks);
            of_arms
                .filter_map(|(arm, rank)| Some((tokens(sample, arm)?, *rank)))
                .collect()
        })
        .collect();
    within_correlation(&points, Scale::Ranks, level)
}
