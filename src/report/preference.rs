//! Preference: which explanations a judge ranks first, and how far that follows the place where they were shown.
//!
//! Ranks are averaged over all orders within a sample first, so that a sample judged in more orders counts no more. What
//! is no ranking of all arms at once - pairs, the best and the worst, scores - has figures of its own.

mod other_forms;
mod pairs;
mod rank_tests;
mod ranking;
mod stability;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::{CONTROL_ARM, Protocol, Task, Verdict};
use crate::stats::Undefined;

pub use self::other_forms::{
    BestWorstAnalysis, BestWorstArm, FirstPlaceTest, FirstPlaceTestKind, ScoredArm, ScoredCriterion,
};
pub use self::pairs::{ArmPair, PairAnalysis, PairArm};
pub use self::rank_tests::{ArmsDiffer, PlaceTest, RankPair, RankTests};
use self::ranking::Ranking;
pub use self::stability::Stability;
use super::difference::correct_each;
use super::index::{Index, Scored};
use super::inference::Inference;
use super::quantities::{Mean, Proportion, Readings};
use super::records::StudyFacts;

/// One judge in preference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreferenceAnalysis {
    /// The judge.
    pub judge: String,
    /// What it was asked for.
    pub protocol: Protocol,
    /// Reading of its trials.
    pub readings: Readings,
    /// Arms ranked against each other, in the order of the study; the control last, where it is ranked too.
    pub ranked_arms: Vec<String>,
    /// Samples with all that is asked for: a readable ranking of all ranked arms, a verdict on every pair, a choice of the
    /// best and the worst, or scores of every arm. Ranks and scores are over them.
    pub common_samples: usize,
    /// All samples of the study.
    pub samples: usize,
    /// Readable rankings of all ranked arms.
    pub rankings: u64,
    /// Readable rankings left out because they rank fewer arms.
    pub partial_rankings: u64,
    /// Common samples of which some planned order has no readable ranking, so that places are not quite balanced.
    pub samples_with_missing_orders: usize,
    /// One entry a ranked arm; none where all arms are never ranked at once.
    pub arms: Vec<PreferenceArm>,
    /// What the place does, whatever stands there: one entry a place, from the first; none where the order shown is not
    /// known.
    pub places: Vec<PlaceEffect>,
    /// Whether no two explanations were ever shown in both orders, so that an effect of the place cannot be told from one of
    /// the explanations; false where the order shown is not known.
    pub one_order: bool,
    /// Rankings that repeat the shown order exactly.
    pub follows_shown_order: Proportion,
    /// Share of rankings that would repeat it by chance: 1 / (number of arms)!.
    pub follows_shown_order_by_chance: f64,
    /// The first ranking of each sample alone that repeats it.
    pub follows_in_first_ranking: Proportion,
    /// Agreement with itself over several orders of the same explanations.
    pub stability: Stability,
    /// Agreement with itself over repeats of one trial: of trials with several readable draws those with one verdict.
    pub repeats_agree: Proportion,
    /// Tests of rankings; `None` without any.
    pub tests: Option<RankTests>,
    /// Pairs, shown as such or held by rankings; `None` without any.
    pub pairs: Option<PairAnalysis>,
    /// Choices of the best and the worst; `None` without any.
    pub best_worst: Option<BestWorstAnalysis>,
    /// Scores, one entry an arm; none without any.
    pub scores: Vec<ScoredArm>,
}

/// One arm before one judge in preference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreferenceArm {
    /// The arm.
    pub arm: String,
    /// Mean over samples of the mean rank over orders; 1 is best. Its interval is cut to the ranks there are.
    pub mean_rank: Mean,
    /// Mean over samples of the share of orders with this arm first; of a first place that it shares, a part. Its interval
    /// is cut to [0, 1].
    pub first: Mean,
    /// Rankings with this arm alone first.
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
        !self.arms.is_empty() && self.arms.iter().all(|arm| fixed(&arm.by_place))
    }

    /// Whether rankings that repeat the shown order can be told from a judge with a favourite order of its own, which
    /// repeats the shown order whenever that order is shown: under one order they cannot, and the flag says what was
    /// seen; under several, what stands first has to gain from standing there.
    pub fn repeats_by_place(&self) -> bool {
        let chance = 1.0 / self.arms.len().max(1) as f64;
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
    let study = &index.records.study;
    let mut found: Vec<PreferenceAnalysis> = study
        .judges
        .iter()
        .filter_map(|judge| judge_analysis(index, &judge.name))
        .collect();
    for panels in [false, true] {
        let of_panels = |judge: &&mut PreferenceAnalysis| study.is_panel(&judge.judge) == panels;
        correct_each(found.iter_mut().filter(of_panels).filter_map(|judge| {
            let test = judge.tests.as_mut()?.places.as_mut().ok()?;
            Some((test.p, &mut test.p_corrected))
        }));
        correct_each(found.iter_mut().filter(of_panels).filter_map(|judge| {
            let test = judge.best_worst.as_mut()?.first_place.as_mut().ok()?;
            Some((test.p, &mut test.p_corrected))
        }));
    }
    found
}

/// Whether no two arms were shown in both orders, in trials with a readable verdict on several.
fn one_order(scored: &[Scored]) -> bool {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for scored in scored.iter().filter(|scored| scored.verdict().is_some()) {
        let shown = &scored.trial.arms;
        for (place, earlier) in shown.iter().enumerate() {
            seen.extend(
                shown[place + 1..]
                    .iter()
                    .map(|later| (earlier.as_str(), later.as_str())),
            );
        }
    }
    !seen.is_empty() && !seen.iter().any(|(earlier, later)| seen.contains(&(later, earlier)))
}

fn judge_analysis(index: &Index, judge: &str) -> Option<PreferenceAnalysis> {
    let study = &index.records.study;
    let level = study.confidence;
    let scored = index.scored(Task::Preference, judge);
    if scored.is_empty() {
        return None;
    }
    let arms = ranked_arms(study, scored);
    let protocol = scored.first().map_or(Protocol::Ranking, |scored| scored.trial.protocol);
    let readable = scored
        .iter()
        .filter(|scored| scored.verdict().is_some_and(ranks))
        .count();
    // Pairs rank all arms where there are but two.
    let rankings: Vec<Ranking> = scored
        .iter()
        .filter_map(|scored| Ranking::of_all(scored, &arms))
        .collect();
    let inference = Inference::of(study, &["preference", judge]);

    let mut by_sample: BTreeMap<&str, Vec<&Ranking>> = BTreeMap::new();
    for ranking in &rankings {
        by_sample.entry(ranking.sample).or_default().push(ranking);
    }
    let mut planned: BTreeMap<&str, usize> = BTreeMap::new();
    for scored in scored {
        *planned.entry(&scored.trial.sample).or_default() += 1;
    }
    let shown = study.shown_order_known();
    // A judge that says "a draw is as good as any" once, says it of the sample, not of each draw.
    let first_of_each = by_sample
        .values()
        .filter_map(|rankings| rankings.iter().min_by_key(|ranking| ranking.repeat));
    let places = if shown {
        rank_tests::places(
            scored.iter().filter_map(|scored| shown_ranks(scored, &arms)),
            arms.len(),
        )
    } else {
        Err(Undefined::because(
            "the order in which explanations were shown is not known",
        ))
    };
    let mut pairs = pairs::analyze(scored, &arms, shown, inference);
    let places_p = places.as_ref().map(|test| test.p).map_err(Clone::clone);
    for pair in pairs.iter_mut().flat_map(|pairs| &mut pairs.pairs) {
        pair.note_places(&places_p, level);
    }
    Some(PreferenceAnalysis {
        judge: judge.to_owned(),
        protocol,
        tests: pairs
            .is_some()
            .then(|| rank_tests::analyze(index, judge, &by_sample, &arms, places)),
        pairs,
        best_worst: other_forms::best_worst(scored, &arms, shown, level),
        scores: other_forms::scores(scored, &arms, level),
        one_order: shown && one_order(scored),
        stability: stability::over_orders(if shown { scored } else { &[] }),
        repeats_agree: stability::over_repeats(scored, inference),
        follows_in_first_ranking: Proportion::of(
            first_of_each
                .filter(|_| shown)
                .map(|ranking| ranking.follows_shown_order()),
            level,
        ),
        readings: Readings::of(scored.iter().map(Scored::state)),
        common_samples: common_samples(scored, &arms).len(),
        samples: index.sample_ids().len(),
        rankings: rankings.len() as u64,
        partial_rankings: if protocol == Protocol::Pairwise {
            0
        } else {
            (readable - rankings.len()) as u64
        },
        samples_with_missing_orders: by_sample
            .iter()
            .filter(|(sample, rankings)| planned.get(*sample).is_some_and(|planned| *planned > rankings.len()))
            .count(),
        arms: (if rankings.is_empty() && protocol != Protocol::Ranking {
            &[]
        } else {
            arms.as_slice()
        })
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
        places: (0..if shown && !rankings.is_empty() { arms.len() } else { 0 })
            .map(|place| PlaceEffect {
                place: place + 1,
                rankings: rankings.len() as u64,
                first: first_share(
                    &by_sample,
                    |ranking| Some(ranking.first(ranking.shown_at(place)?)),
                    level,
                ),
                mean_rank: mean_rank(
                    &by_sample,
                    |ranking| Some(ranking.ranks[ranking.shown_at(place)?]),
                    arms.len(),
                    level,
                ),
            })
            .collect(),
        follows_shown_order: Proportion::of_samples(
            rankings
                .iter()
                .filter(|_| shown)
                .map(|ranking| (ranking.sample, ranking.follows_shown_order())),
            inference,
        ),
        follows_shown_order_by_chance: 1.0 / (1..=arms.len()).map(|count| count as f64).product::<f64>(),
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

/// Whether a verdict is a ranking.
fn ranks(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Ranking(_) | Verdict::TiedRanking(_))
}

/// The sample, and in the order shown which arm has which rank; `None` for verdicts that rank nothing.
fn shown_ranks<'a>(scored: &Scored<'a>, arms: &[&str]) -> Option<(&'a str, Vec<(usize, f64)>)> {
    let ranks = scored.verdict()?.mid_ranks()?;
    let shown = scored.trial.arms.iter().map(|name| {
        let arm = arms.iter().position(|arm| arm == name)?;
        Some((arm, ranks.iter().find(|(ranked, _)| ranked == name)?.1))
    });
    Some((&scored.trial.sample, shown.collect::<Option<_>>()?))
}

/// Samples with all that is asked for, which depends on what that is.
pub fn common_samples<'a>(scored: &[Scored<'a>], arms: &[&str]) -> BTreeSet<&'a str> {
    match scored.first().map(|scored| scored.trial.protocol) {
        Some(Protocol::Pointwise) => other_forms::samples_scored(scored, arms),
        Some(Protocol::Pairwise) => {
            let mut pairs: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
            for scored in scored {
                if let (Some(verdict), [one, other]) = (scored.verdict(), scored.trial.arms.as_slice())
                    && ranks(verdict)
                {
                    pairs
                        .entry(&scored.trial.sample)
                        .or_default()
                        .insert((one.min(other), one.max(other)));
                }
            }
            let all = arms.len() * arms.len().saturating_sub(1) / 2;
            let whole = pairs.into_iter().filter(|(_, pairs)| pairs.len() == all);
            whole.map(|(sample, _)| sample).collect()
        }
        Some(Protocol::BestWorst) => scored
            .iter()
            .filter(|scored| matches!(scored.verdict(), Some(Verdict::BestWorst { .. })))
            .map(|scored| scored.trial.sample.as_str())
            .collect(),
        _ => scored
            .iter()
            .filter(|scored| Ranking::of_all(scored, arms).is_some())
            .map(|scored| scored.trial.sample.as_str())
            .collect(),
    }
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
        first: first_share(by_sample, |ranking| Some(ranking.first(arm)), level),
        first_rankings: count(&|ranking| ranking.ranks[arm] == 1.0),
        by_place: (0..places)
            .map(|place| {
                let rank_here = |ranking: &Ranking| (ranking.places[arm] == place).then(|| ranking.ranks[arm]);
                ArmAtPlace {
                    place: place + 1,
                    rankings: count(&|ranking| ranking.places[arm] == place),
                    first: first_share(
                        by_sample,
                        |ranking| (ranking.places[arm] == place).then(|| ranking.first(arm)),
                        level,
                    ),
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

fn first_share(by_sample: &BTreeMap<&str, Vec<&Ranking>>, first: impl Fn(&Ranking) -> Option<f64>, level: f64) -> Mean {
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
