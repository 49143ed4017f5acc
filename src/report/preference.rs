//! Preference: which explanations a judge ranks first, and how far that follows the place where they were shown.
//!
//! Ranks are averaged over all orders within a sample first, so that a sample judged in more orders counts no more.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::{CONTROL_ARM, Task};

use super::index::{Index, Scored};
use super::quantities::{Mean, Proportion, Readings};
use super::records::StudyFacts;

/// One judge in preference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreferenceAnalysis {
    /// The judge.
    pub judge: String,
    /// Reading of its trials.
    pub readings: Readings,
    /// Arms ranked against each other, in the order of the study; the control last, where it is ranked too.
    pub ranked_arms: Vec<String>,
    /// Samples with a readable ranking of all ranked arms; all figures are over them.
    pub common_samples: usize,
    /// All samples of the study.
    pub samples: usize,
    /// Readable rankings of all ranked arms.
    pub rankings: u64,
    /// Readable rankings left out because they rank fewer arms.
    pub partial_rankings: u64,
    /// Common samples of which some planned order has no readable ranking, so that places are not quite balanced.
    pub samples_with_missing_orders: usize,
    /// One entry a ranked arm.
    pub arms: Vec<PreferenceArm>,
    /// What the place does, whatever stands there: one entry a place, from the first; none where the order shown is not
    /// known.
    pub places: Vec<PlaceEffect>,
    /// Rankings that repeat the shown order exactly.
    pub follows_shown_order: Proportion,
    /// Share of rankings that would repeat it by chance: 1 / (number of arms)!.
    pub follows_shown_order_by_chance: f64,
    /// Samples judged in several orders in which the same arm comes first in all of them.
    pub stable_first: Proportion,
}

/// One arm before one judge in preference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreferenceArm {
    /// The arm.
    pub arm: String,
    /// Mean over samples of the mean rank over orders; 1 is best. Its interval is cut to the ranks there are.
    pub mean_rank: Mean,
    /// Mean over samples of the share of orders with this arm first. Its interval is cut to [0, 1].
    pub first: Mean,
    /// Rankings with this arm first.
    pub first_rankings: u64,
    /// The same by the place where this arm was shown, from the first.
    pub by_place: Vec<ArmAtPlace>,
}

/// One arm at one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmAtPlace {
    /// From 1.
    pub place: usize,
    /// Rankings that showed it here.
    pub rankings: u64,
    /// Mean over samples of the share of these orders with it first.
    pub first: Mean,
    /// Its mean rank when shown here, likewise averaged within samples.
    pub mean_rank: Mean,
}

/// What a place does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceEffect {
    /// From 1.
    pub place: usize,
    /// Rankings that showed something here.
    pub rankings: u64,
    /// Mean over samples of the share of orders that put first what was shown here; one over the number of arms when
    /// places do nothing.
    pub first: Mean,
    /// Mean rank of what was shown here, likewise averaged within samples.
    pub mean_rank: Mean,
}

impl PreferenceAnalysis {
    /// Whether every ranking was given to one and the same order of arms.
    pub fn shows_one_order(&self) -> bool {
        let fixed = |places: &[ArmAtPlace]| places.iter().any(|place| place.rankings == self.rankings);
        self.arms.iter().all(|arm| fixed(&arm.by_place))
    }

    /// Whether rankings that repeat the shown order can be told from a judge with a favourite order of its own, which
    /// repeats the shown order whenever that order is shown: under one order they cannot, and the flag says what was
    /// seen; under several, what stands first has to gain from standing there.
    pub fn repeats_by_place(&self) -> bool {
        let chance = 1.0 / self.arms.len() as f64;
        let first = self.places.first().map(|place| &place.first);
        self.shows_one_order()
            || first.is_some_and(|first| match (&first.interval, &first.value) {
                (Ok(interval), _) => interval.low > chance,
                (Err(_), Ok(share)) => *share > chance + 1e-9,
                _ => false,
            })
    }
}

/// One entry a judge that has trials in this task.
pub fn analyze(index: &Index) -> Vec<PreferenceAnalysis> {
    let judges = &index.records.study.judges;
    judges
        .iter()
        .filter_map(|judge| judge_analysis(index, &judge.name))
        .collect()
}

fn judge_analysis(index: &Index, judge: &str) -> Option<PreferenceAnalysis> {
    let study = &index.records.study;
    let level = study.confidence;
    let scored = index.scored(Task::Preference, judge);
    if scored.is_empty() {
        return None;
    }
    let arms = ranked_arms(study, &scored);
    let readable: Vec<&Scored> = scored.iter().filter(|scored| scored.ranking().is_some()).collect();
    let rankings: Vec<Ranking> = readable
        .iter()
        .filter_map(|scored| Ranking::of_all(scored, &arms))
        .collect();

    let mut by_sample: BTreeMap<&str, Vec<&Ranking>> = BTreeMap::new();
    for ranking in &rankings {
        by_sample.entry(ranking.sample).or_default().push(ranking);
    }
    let mut planned: BTreeMap<&str, usize> = BTreeMap::new();
    for scored in &scored {
        *planned.entry(&scored.trial.sample).or_default() += 1;
    }
    let shown = study.shown_order_known();
    let several = by_sample.values().filter(|rankings| rankings.len() > 1);
    Some(PreferenceAnalysis {
        judge: judge.to_owned(),
        readings: Readings::of(scored.iter().map(Scored::state)),
        common_samples: by_sample.len(),
        samples: index.sample_ids().len(),
        rankings: rankings.len() as u64,
        partial_rankings: (readable.len() - rankings.len()) as u64,
        samples_with_missing_orders: by_sample
            .iter()
            .filter(|(sample, rankings)| planned.get(*sample).is_some_and(|planned| *planned > rankings.len()))
            .count(),
        arms: arms
            .iter()
            .enumerate()
            .map(|(arm, name)| {
                let mut analysis = arm_analysis(arm, name, &by_sample, arms.len(), level);
                if !shown {
                    analysis.by_place.clear();
                }
                analysis
            })
            .collect(),
        places: (0..if shown { arms.len() } else { 0 })
            .map(|place| PlaceEffect {
                place: place + 1,
                rankings: rankings.len() as u64,
                first: first_share(&by_sample, |ranking| Some(ranking.rank_at(place)), level),
                mean_rank: mean_rank(&by_sample, |ranking| Some(ranking.rank_at(place)), arms.len(), level),
            })
            .collect(),
        follows_shown_order: Proportion::of(
            rankings.iter().filter(|_| shown).map(Ranking::follows_shown_order),
            level,
        ),
        follows_shown_order_by_chance: 1.0 / (1..=arms.len()).map(|count| count as f64).product::<f64>(),
        stable_first: Proportion::of(
            several.map(|rankings| rankings.iter().all(|ranking| ranking.best() == rankings[0].best())),
            level,
        ),
        ranked_arms: arms.iter().map(|name| (*name).to_owned()).collect(),
    })
}

/// The arms that these trials show, in the order of the study; the control last, where it is ranked too.
pub fn ranked_arms<'a>(study: &'a StudyFacts, scored: &[Scored]) -> Vec<&'a str> {
    let shown: BTreeSet<&str> = scored
        .iter()
        .flat_map(|scored| scored.trial.arms.iter().map(String::as_str))
        .collect();
    let names = study.arms.iter().map(|arm| arm.name.as_str()).chain([CONTROL_ARM]);
    names.filter(|name| shown.contains(name)).collect()
}

/// Whether a trial has a readable ranking of all these arms.
pub fn ranks_all(scored: &Scored, arms: &[&str]) -> bool {
    Ranking::of_all(scored, arms).is_some()
}

fn arm_analysis(
    arm: usize,
    name: &str,
    by_sample: &BTreeMap<&str, Vec<&Ranking>>,
    places: usize,
    level: f64,
) -> PreferenceArm {
    let count = |wanted: &dyn Fn(&Ranking) -> bool| {
        let rankings = by_sample.values().flatten();
        rankings.filter(|ranking| wanted(ranking)).count() as u64
    };
    PreferenceArm {
        arm: name.to_owned(),
        mean_rank: mean_rank(by_sample, |ranking| Some(ranking.ranks[arm]), places, level),
        first: first_share(by_sample, |ranking| Some(ranking.ranks[arm]), level),
        first_rankings: count(&|ranking| ranking.ranks[arm] == 1.0),
        by_place: (0..places)
            .map(|place| {
                let rank_here = |ranking: &Ranking| (ranking.places[arm] == place).then(|| ranking.ranks[arm]);
                ArmAtPlace {
                    place: place + 1,
                    rankings: count(&|ranking| ranking.places[arm] == place),
                    first: first_share(by_sample, rank_here, level),
                    mean_rank: mean_rank(by_sample, rank_here, places, level),
                }
            })
            .collect(),
    }
}

/// One value a sample: the mean over its rankings that have one. Orders of one sample are not independent, so that
/// intervals are over samples.
fn sample_means(by_sample: &BTreeMap<&str, Vec<&Ranking>>, value: impl Fn(&Ranking) -> Option<f64>) -> Vec<f64> {
    by_sample
        .values()
        .filter_map(|rankings| {
            let values: Vec<f64> = rankings.iter().filter_map(|ranking| value(ranking)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        })
        .collect()
}

fn mean_rank(
    by_sample: &BTreeMap<&str, Vec<&Ranking>>,
    rank: impl Fn(&Ranking) -> Option<f64>,
    worst: usize,
    level: f64,
) -> Mean {
    within(Mean::of(&sample_means(by_sample, rank), level), 1.0, worst as f64)
}

fn first_share(by_sample: &BTreeMap<&str, Vec<&Ranking>>, rank: impl Fn(&Ranking) -> Option<f64>, level: f64) -> Mean {
    let first = |ranking: &Ranking| rank(ranking).map(|rank| f64::from(u8::from(rank == 1.0)));
    within(Mean::of(&sample_means(by_sample, first), level), 0.0, 1.0)
}

/// Cuts the interval of a mean to the values there are: Student's t reaches beyond them near the ends.
fn within(mut mean: Mean, least: f64, most: f64) -> Mean {
    if let Ok(interval) = &mut mean.interval {
        interval.low = interval.low.max(least);
        interval.high = interval.high.min(most);
    }
    mean
}

/// A readable ranking of all ranked arms.
#[derive(Debug)]
struct Ranking<'a> {
    sample: &'a str,
    /// Rank of each arm, from 1, in the order of the arms.
    ranks: Vec<f64>,
    /// Place where each arm was shown, from 0, in the order of the arms.
    places: Vec<usize>,
}

impl<'a> Ranking<'a> {
    fn of_all(scored: &Scored<'a>, arms: &[&str]) -> Option<Self> {
        let ranking = scored.ranking()?;
        if ranking.len() != arms.len() {
            return None;
        }
        let position = |list: &[String], arm: &str| list.iter().position(|name| name == arm);
        let ranks = arms
            .iter()
            .map(|arm| position(ranking, arm))
            .collect::<Option<Vec<usize>>>()?;
        let places = arms
            .iter()
            .map(|arm| position(&scored.trial.arms, arm))
            .collect::<Option<Vec<usize>>>()?;
        Some(Self {
            sample: &scored.trial.sample,
            ranks: ranks.into_iter().map(|rank| rank as f64 + 1.0).collect(),
            places,
        })
    }

    fn rank_at(&self, place: usize) -> f64 {
        let arm = self.places.iter().position(|shown| *shown == place);
        arm.map_or(0.0, |arm| self.ranks[arm])
    }

    fn best(&self) -> Option<usize> {
        self.ranks.iter().position(|rank| *rank == 1.0)
    }

    fn follows_shown_order(&self) -> bool {
        self.ranks
            .iter()
            .zip(&self.places)
            .all(|(rank, place)| *rank == *place as f64 + 1.0)
    }
}
