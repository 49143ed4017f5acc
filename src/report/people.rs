//! Model judges beside people: whether they agree on the same trials, and what few judgments by people and many by models say
//! together.
//!
//! Agreement is with what most people say of a trial who gave a verdict; where they are tied there is none. Estimates are of
//! these people: of each sample the mean over those who judged it, so that ties leave nothing out. Who else might judge
//! otherwise, no interval knows. Each person stands beside the others as a judge in every other table.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Task;
use crate::stats::prediction_powered::{PredictionPowered, prediction_powered_mean};
use crate::stats::{Interval, Stat, Undefined};

use super::agreement::{JudgePair, Said, agreement_with, beyond_chance, majority, said_of};
use super::cells::{ArmTrials, by_arm};
use super::control::Controls;
use super::flags::counted;
use super::index::{Index, Scored};
use super::preference::ranked_arms;
use super::quantities::Mean;
use super::records::StudyFacts;

/// What people are called where they stand as one judge.
pub const PEOPLE: &str = "people";

/// Below so many samples of people the interval is too narrow where a judge errs in one direction only: people and judge then
/// differ on so few samples, or on none, that its bias is not seen.
const FEWEST_SAMPLES: usize = 100;

/// People and models in one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeopleAnalysis {
    /// The task.
    pub task: Task,
    /// The people, in the order of the study.
    pub people: Vec<String>,
    /// Trials that people gave a readable verdict on.
    pub trials: u64,
    /// Those among them on which people are tied, so that they have no verdict: nothing is said by more than half of them.
    /// In preference that is which explanation comes first.
    pub tied: u64,
    /// Samples of the trials.
    pub samples: u64,
    /// Every judge that is no person beside the majority of people, panels last.
    pub agreement: Vec<JudgePair>,
    /// The judges among them whose kappa lies above 0 by intervals that hold for all judges at once (Bonferroni; panels are a
    /// family of their own).
    #[serde(default)]
    pub beyond_chance: Vec<String>,
    /// By judge, arm and quantity.
    pub estimates: Vec<PeopleEstimate>,
}

/// What is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PeopleQuantity {
    /// How often a person does the task right with the arm, on samples that were so judged with every arm.
    Accuracy,
    /// The same less how often the same person does it right with its control.
    Lift,
    /// The mean rank that a person gives the arm among all that are ranked, 1 the best.
    MeanRank,
}

impl PeopleQuantity {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Lift => "lift",
            Self::MeanRank => "mean_rank",
        }
    }

    /// The least and the most that it can be, of so many ranked arms.
    fn possible(self, ranked: usize) -> (f64, f64) {
        match self {
            Self::Accuracy => (0.0, 1.0),
            Self::Lift => (-1.0, 1.0),
            Self::MeanRank => (1.0, ranked.max(1) as f64),
        }
    }
}

/// What people would say of all samples, from those that they judged and a model's judgments of all (prediction-powered
/// inference, PPI++: Angelopoulos, Duchi and Zrnic 2023). It holds approximately, for a hundred samples of people or more, and
/// only where these are a random part of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeopleEstimate {
    /// The judge whose judgments are taken beside those of people.
    pub judge: String,
    /// The arm.
    pub arm: String,
    /// What is estimated.
    pub quantity: PeopleQuantity,
    /// By people alone, over all samples that they judged. Its interval is cut to what is possible.
    pub people_only: Mean,
    /// Samples that people and the judge have.
    #[serde(default)]
    pub shared_samples: u64,
    /// Samples that the judge has and people have not.
    pub further_samples: u64,
    /// By both.
    pub powered: Stat<Powered>,
}

/// An estimate by people and a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Powered {
    /// The estimate, in the unit of its quantity, cut to what is possible.
    pub value: f64,
    /// Its interval: Student's, over samples, cut likewise.
    pub interval: Interval,
    /// How far the model is trusted: 0 is not at all.
    pub lambda: f64,
    /// So many samples judged by people alone would have the same error.
    pub effective_samples: f64,
    /// The width of the interval as a part of that by people alone on all samples that they judged, both before they are cut;
    /// below 1 the model helps.
    pub width_ratio: Stat<f64>,
}

/// One entry a task in which people were asked.
pub fn analyze(index: &Index) -> Vec<PeopleAnalysis> {
    let study = &index.records.study;
    let people: Vec<&str> = study.people().collect();
    if people.is_empty() {
        return Vec::new();
    }
    index
        .tasks()
        .into_iter()
        .filter_map(|task| of_task(index, task, &people))
        .collect()
}

fn of_task(index: &Index, task: Task, people: &[&str]) -> Option<PeopleAnalysis> {
    let study = &index.records.study;
    let people: Vec<Person> = people
        .iter()
        .map(|person| (*person, index.scored(task, person)))
        .collect();
    let judged: Vec<&Scored> = people
        .iter()
        .flat_map(|(_, scored)| *scored)
        .filter(|scored| scored.verdict().is_some())
        .collect();
    if judged.is_empty() {
        return None;
    }
    let said: Vec<BTreeMap<&str, Said>> = people.iter().map(|(_, scored)| said_of(task, scored)).collect();
    let (said, tied) = majority(&said);
    let (mut agreement, mut beyond, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for panels in [false, true] {
        let judges: Vec<Person> = study
            .judges
            .iter()
            .filter(|judge| !judge.person && judge.panel.is_empty() != panels)
            .map(|judge| (judge.name.as_str(), index.scored(task, &judge.name)))
            .filter(|(_, scored)| scored.iter().any(|scored| scored.verdict().is_some()))
            .collect();
        for judge in &judges {
            let of_judge = said_of(task, judge.1);
            let both = ((judge.0, &of_judge), (PEOPLE, &said));
            agreement.push(agreement_with(study, task, both.0, both.1));
            if beyond_chance(study, task, both.0, both.1, judges.len()) == Some(true) {
                beyond.push(judge.0.to_owned());
            }
            found.extend(estimates(study, task, &people, *judge));
        }
    }
    let trials: BTreeSet<&str> = judged.iter().map(|scored| scored.trial.id.as_str()).collect();
    let samples: BTreeSet<&str> = judged.iter().map(|scored| scored.trial.sample.as_str()).collect();
    Some(PeopleAnalysis {
        task,
        people: people.iter().map(|(name, _)| (*name).to_owned()).collect(),
        trials: trials.len() as u64,
        tied,
        samples: samples.len() as u64,
        agreement,
        beyond_chance: beyond,
        estimates: found,
    })
}

/// A judge by name, with the trials of a task before it.
type Person<'p, 'a> = (&'p str, &'p [Scored<'a>]);

/// Means by sample.
type BySample<'a> = BTreeMap<&'a str, f64>;

/// What one party, people or a judge, comes to for an arm.
struct Found<'a> {
    arm: &'a str,
    quantity: PeopleQuantity,
    by_sample: BySample<'a>,
}

/// One entry an arm and quantity that the judge and people have; of lifts one an arm that the judge has it of.
fn estimates(study: &StudyFacts, task: Task, people: &[Person], model: Person) -> Vec<PeopleEstimate> {
    // An arm that nobody of a party judged leaves the samples of the others as they are.
    let (of_people, of_model) = (judged(people), judged(&[model]));
    let ranked = ranked_arms(study, model.1);
    let worst = ranked.len();
    let of_people = found_of(study, task, people, &of_people, &ranked);
    let of_model = found_of(study, task, &[model], &of_model, &ranked);
    of_model
        .iter()
        .filter(|found| !found.by_sample.is_empty())
        .filter_map(|found| {
            let same = |other: &&Found| other.arm == found.arm && other.quantity == found.quantity;
            let own = of_people.iter().find(same)?;
            let wanted = !own.by_sample.is_empty() || found.quantity == PeopleQuantity::Lift;
            wanted.then(|| estimate(model.0, found.quantity.possible(worst), own, found, study.confidence))
        })
        .collect()
}

/// The trials on which somebody of a party has a verdict.
fn judged<'a>(party: &[Person<'_, 'a>]) -> Vec<Scored<'a>> {
    let all = party.iter().flat_map(|(_, scored)| *scored);
    all.filter(|scored| scored.verdict().is_some()).cloned().collect()
}

fn found_of<'s>(
    study: &'s StudyFacts,
    task: Task,
    party: &[Person<'s, 's>],
    trials: &'s [Scored<'s>],
    ranked: &[&'s str],
) -> Vec<Found<'s>> {
    match task {
        Task::Preference => ranks(trials, ranked),
        Task::Simulation | Task::Verification => successes_and_lifts(study, party, trials),
    }
}

/// Accuracy and lift of every arm. Everyone counts alike in a sample, however many trials of it they judged; a lift is of the
/// same person with and without the explanation.
fn successes_and_lifts<'s>(
    study: &'s StudyFacts,
    party: &[Person<'s, 's>],
    trials: &'s [Scored<'s>],
) -> Vec<Found<'s>> {
    let controls: BTreeMap<&str, Controls> = party
        .iter()
        .map(|(name, scored)| (*name, Controls::among(study, scored)))
        .collect();
    let lift = |scored: &Scored| {
        let without = controls.get(scored.judgment?.judge.as_str())?.success(scored)?;
        Some(number(scored.success()?) - number(without))
    };
    let arms = by_arm(study, trials);
    let mut found = Vec::new();
    for ArmTrials { arm, common, .. } in arms {
        let Some(arm) = study
            .arms
            .iter()
            .map(|facts| facts.name.as_str())
            .find(|name| *name == arm)
        else {
            continue;
        };
        let values = |value: &dyn Fn(&Scored) -> Option<f64>| means(common.iter().copied(), value);
        found.push(Found {
            arm,
            quantity: PeopleQuantity::Accuracy,
            by_sample: values(&|scored| scored.success().map(number)),
        });
        found.push(Found {
            arm,
            quantity: PeopleQuantity::Lift,
            by_sample: values(&lift),
        });
    }
    found
}

/// The rank of every arm in the rankings of all that are ranked.
fn ranks<'s>(trials: &'s [Scored<'s>], arms: &[&'s str]) -> Vec<Found<'s>> {
    let rank = |scored: &Scored, arm: &str| {
        let ranks = scored.verdict()?.mid_ranks()?;
        let whole = ranks.len() == arms.len();
        let (_, rank) = ranks.into_iter().find(|(ranked, _)| whole && *ranked == arm)?;
        Some(rank)
    };
    let found = arms.iter().map(|arm| Found {
        arm,
        quantity: PeopleQuantity::MeanRank,
        by_sample: means(trials.iter(), &|scored| rank(scored, arm)),
    });
    found.collect()
}

fn number(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// Of each sample the mean over those who judged it of the means of their trials.
fn means<'s>(trials: impl Iterator<Item = &'s Scored<'s>>, value: &dyn Fn(&Scored) -> Option<f64>) -> BySample<'s> {
    let mut sums: BTreeMap<&str, BTreeMap<&str, (f64, f64)>> = BTreeMap::new();
    for scored in trials {
        if let (Some(judgment), Some(value)) = (scored.judgment, value(scored)) {
            let of_sample = sums.entry(&scored.trial.sample).or_default();
            let (sum, count) = of_sample.entry(&judgment.judge).or_default();
            *sum += value;
            *count += 1.0;
        }
    }
    sums.into_iter()
        .map(|(sample, judges)| {
            let count = judges.len() as f64;
            (
                sample,
                judges.into_values().map(|(sum, count)| sum / count).sum::<f64>() / count,
            )
        })
        .collect()
}

fn estimate(judge: &str, possible: (f64, f64), people: &Found, model: &Found, level: f64) -> PeopleEstimate {
    let all: Vec<f64> = people.by_sample.values().copied().collect();
    let (own, beside): (Vec<f64>, Vec<f64>) = people
        .by_sample
        .iter()
        .filter_map(|(sample, value)| Some((*value, *model.by_sample.get(sample)?)))
        .unzip();
    let further: Vec<f64> = model
        .by_sample
        .iter()
        .filter(|(sample, _)| !people.by_sample.contains_key(*sample))
        .map(|(_, value)| *value)
        .collect();
    let mut people_only = Mean::of(&all, level);
    if all.is_empty() {
        let none = Undefined::because("no person judged a trial of the arm and its control");
        (people_only.value, people_only.interval) = (Err(none.clone()), Err(none));
    }
    let together = if further.is_empty() {
        Err(Undefined::because("the judge has no sample that people have not"))
    } else if own.len() < FEWEST_SAMPLES {
        Err(Undefined::because(format!(
            "people and the judge share {}: of fewer than {FEWEST_SAMPLES} the interval would be too narrow for a judge \
             that errs one way",
            counted(own.len(), "sample")
        )))
    } else {
        prediction_powered_mean(&own, &beside, &further, level)
            .and_then(|found| powered(found, &people_only.interval, possible))
    };
    people_only.interval = people_only.interval.and_then(|interval| cut(interval, possible));
    PeopleEstimate {
        judge: judge.to_owned(),
        arm: people.arm.to_owned(),
        quantity: people.quantity,
        people_only,
        shared_samples: own.len() as u64,
        further_samples: further.len() as u64,
        powered: together,
    }
}

/// An interval without what is not possible: Student's reaches beyond it near the ends.
fn cut(interval: Interval, (least, most): (f64, f64)) -> Stat<Interval> {
    if interval.low > most || interval.high < least {
        return Err(Undefined::because("the interval holds no possible value"));
    }
    Ok(Interval {
        low: interval.low.max(least),
        high: interval.high.min(most),
        ..interval
    })
}

fn powered(found: PredictionPowered, alone: &Stat<Interval>, possible: (f64, f64)) -> Stat<Powered> {
    let width = |interval: &Interval| interval.high - interval.low;
    Ok(Powered {
        value: found.estimate.clamp(possible.0, possible.1),
        width_ratio: alone
            .as_ref()
            .map(|alone| width(&found.interval) / width(alone))
            .map_err(Clone::clone),
        interval: cut(found.interval, possible)?,
        lambda: found.lambda,
        effective_samples: found.effective_humans,
    })
}
