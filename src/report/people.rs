//! Model judges beside people: whether they agree on the same trials, and what few judgments by people and many by models say
//! together.
//!
//! Agreement is with what most people say of a trial who gave a verdict; where they are tied there is none. Estimates are of
//! a person: the mean over people, so that ties leave nothing out. Each person stands beside the others as a judge in every
//! other table.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::panel::{self, Panel};
use crate::judge::{Judgment, NoVerdict, Outcome, Task};
use crate::stats::prediction_powered::{PredictionPowered, prediction_powered_mean};
use crate::stats::{Interval, Stat, Undefined};

use super::agreement::{JudgePair, agreement_with, said_of};
use super::control::Controls;
use super::flags::counted;
use super::index::{Index, Scored};
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
    /// Those among them on which people are tied, so that they have no verdict.
    pub tied: u64,
    /// Samples of the trials.
    pub samples: u64,
    /// Every judge that is no person beside the majority of people, panels last.
    pub agreement: Vec<JudgePair>,
    /// By judge, arm and quantity.
    pub estimates: Vec<PeopleEstimate>,
}

/// What is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PeopleQuantity {
    /// How often a person does the task right with the arm.
    Accuracy,
    /// The same less how often they do it right with its control.
    Lift,
    /// The mean rank that a person gives the arm, 1 the best.
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
    /// By people alone, over the samples that the judge has as well.
    pub people_only: Mean,
    /// Samples that the judge has and people have not.
    pub further_samples: u64,
    /// By both.
    pub powered: Stat<Powered>,
}

/// An estimate by people and a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Powered {
    /// The estimate, in the unit of its quantity.
    pub value: f64,
    /// Its interval: Student's, over samples.
    pub interval: Interval,
    /// How far the model is trusted: 0 is not at all.
    pub lambda: f64,
    /// So many samples judged by people alone would have the same error.
    pub effective_samples: f64,
    /// The width of the interval as a part of that by people alone; below 1 the model helps.
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
    let of_people: Vec<&[Scored]> = people.iter().map(|person| index.scored(task, person)).collect();
    let majorities = majorities(people, &of_people);
    if majorities.is_empty() {
        return None;
    }
    let together: Vec<Scored> = majorities
        .iter()
        .map(|(scored, judgment)| scored.judged_otherwise(judgment))
        .collect();
    let tied = |judgment: &Judgment| {
        matches!(
            judgment.outcome,
            Outcome::None {
                state: NoVerdict::Ambiguous,
                ..
            }
        )
    };
    let judges = [false, true].map(|panels| {
        study
            .judges
            .iter()
            .filter(move |judge| !judge.person && judge.panel.is_empty() != panels)
    });
    let judges: Vec<&str> = judges.into_iter().flatten().map(|judge| judge.name.as_str()).collect();
    let said = said_of(task, &together);
    let agreement = judges
        .iter()
        .map(|judge| {
            let of_judge = said_of(task, index.scored(task, judge));
            agreement_with(study, task, (judge, &of_judge), (PEOPLE, &said))
        })
        .filter(|pair| pair.agreement.n > 0)
        .collect();
    let estimates = judges
        .iter()
        .flat_map(|judge| estimates(study, task, &of_people, (judge, index.scored(task, judge))))
        .collect();
    let samples: BTreeSet<&str> = together.iter().map(|scored| scored.trial.sample.as_str()).collect();
    Some(PeopleAnalysis {
        task,
        people: people.iter().map(|name| (*name).to_owned()).collect(),
        trials: together.len() as u64,
        tied: majorities.iter().filter(|(_, judgment)| tied(judgment)).count() as u64,
        samples: samples.len() as u64,
        agreement,
        estimates,
    })
}

/// What people say together of every trial that one of them gave a readable verdict on.
fn majorities<'i, 'a>(people: &[&str], of_people: &[&'i [Scored<'a>]]) -> Vec<(&'i Scored<'a>, Judgment)> {
    let Some(first) = of_people.first() else {
        return Vec::new();
    };
    let all = Panel {
        name: PEOPLE.to_owned(),
        judges: people.iter().map(|name| (*name).to_owned()).collect(),
        quorum: 1,
    };
    first
        .iter()
        .enumerate()
        .filter_map(|(place, scored)| {
            let readable: Vec<&Judgment> = of_people
                .iter()
                .filter_map(|person| person.get(place))
                .filter(|scored| scored.verdict().is_some())
                .filter_map(|scored| scored.judgment)
                .collect();
            Some((scored, panel::judgment(&all, scored.trial, &readable)?))
        })
        .collect()
}

/// Means by sample.
type BySample<'a> = BTreeMap<&'a str, f64>;

fn estimates(
    study: &StudyFacts,
    task: Task,
    people: &[&[Scored]],
    (judge, model): (&str, &[Scored]),
) -> Vec<PeopleEstimate> {
    let mut found = Vec::new();
    let level = study.confidence;
    let quantities: &[(PeopleQuantity, Values)] = match task {
        Task::Preference => &[(PeopleQuantity::MeanRank, ranks)],
        Task::Simulation | Task::Verification => {
            &[(PeopleQuantity::Accuracy, successes), (PeopleQuantity::Lift, lifts)]
        }
    };
    for arm in study.arms.iter().map(|arm| arm.name.as_str()) {
        for (quantity, values) in quantities {
            // Everyone counts alike, however many trials of a sample they judged.
            let of_people: Vec<(String, f64)> = people
                .iter()
                .flat_map(|person| {
                    let own = values(study, person, arm);
                    let own = means(&own).into_iter().map(|(sample, mean)| (sample.to_owned(), mean));
                    own.collect::<Vec<_>>()
                })
                .collect();
            let of_model = values(study, model, arm);
            let (of_people, of_model) = (means(&of_people), means(&of_model));
            if of_people.keys().any(|sample| of_model.contains_key(sample)) {
                found.push(estimate((judge, arm, *quantity), &of_people, &of_model, level));
            }
        }
    }
    found
}

/// A judge's values of a quantity of an arm, each with its sample.
type Values = fn(&StudyFacts, &[Scored], &str) -> Vec<(String, f64)>;

fn successes(_: &StudyFacts, scored: &[Scored], arm: &str) -> Vec<(String, f64)> {
    of_arm(scored, arm)
        .filter_map(|scored| Some((scored.trial.sample.clone(), number(scored.success()?))))
        .collect()
}

fn lifts(study: &StudyFacts, scored: &[Scored], arm: &str) -> Vec<(String, f64)> {
    let controls = Controls::among(study, scored);
    of_arm(scored, arm)
        .filter_map(|scored| {
            let control = controls.of(scored)?;
            let without = match scored.trial.task {
                // The control's guess is held against the prediction of the arm.
                Task::Simulation => control.guess_agrees(scored.trial.prediction.as_ref())?,
                _ => control.success()?,
            };
            let lift = number(scored.success()?) - number(without);
            Some((scored.trial.sample.clone(), lift))
        })
        .collect()
}

/// Ranks of an arm in the rankings of all arms.
fn ranks(study: &StudyFacts, scored: &[Scored], arm: &str) -> Vec<(String, f64)> {
    scored
        .iter()
        .filter_map(|scored| {
            let ranks = scored.verdict()?.mid_ranks()?;
            let whole = ranks.len() == study.arms.len();
            let (_, rank) = ranks.into_iter().find(|(ranked, _)| whole && *ranked == arm)?;
            Some((scored.trial.sample.clone(), rank))
        })
        .collect()
}

fn of_arm<'s, 'a>(scored: &'s [Scored<'a>], arm: &str) -> impl Iterator<Item = &'s Scored<'a>> {
    scored
        .iter()
        .filter(move |scored| matches!(scored.trial.arms.as_slice(), [shown] if shown == arm))
}

fn number(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn means(values: &[(String, f64)]) -> BySample<'_> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (sample, value) in values {
        let (sum, count) = sums.entry(sample).or_default();
        *sum += value;
        *count += 1.0;
    }
    sums.into_iter()
        .map(|(sample, (sum, count))| (sample, sum / count))
        .collect()
}

fn estimate(
    (judge, arm, quantity): (&str, &str, PeopleQuantity),
    people: &BySample<'_>,
    model: &BySample<'_>,
    level: f64,
) -> PeopleEstimate {
    let (own, beside): (Vec<f64>, Vec<f64>) = people
        .iter()
        .filter_map(|(sample, value)| Some((*value, *model.get(sample)?)))
        .unzip();
    let further: Vec<f64> = model
        .iter()
        .filter(|(sample, _)| !people.contains_key(*sample))
        .map(|(_, value)| *value)
        .collect();
    let powered = if further.is_empty() {
        Err(Undefined::because("the judge has no sample that people have not"))
    } else if own.len() < FEWEST_SAMPLES {
        Err(Undefined::because(format!(
            "people judged {}: of fewer than {FEWEST_SAMPLES} the interval would be too narrow for a judge that errs one way",
            counted(own.len(), "sample")
        )))
    } else {
        prediction_powered_mean(&own, &beside, &further, level).map(powered)
    };
    PeopleEstimate {
        judge: judge.to_owned(),
        arm: arm.to_owned(),
        quantity,
        people_only: Mean::of(&own, level),
        further_samples: further.len() as u64,
        powered,
    }
}

fn powered(found: PredictionPowered) -> Powered {
    let width = |interval: &Interval| interval.high - interval.low;
    Powered {
        value: found.estimate,
        width_ratio: found
            .human_only_interval
            .map(|alone| width(&found.interval) / width(&alone)),
        interval: found.interval,
        lambda: found.lambda,
        effective_samples: found.effective_humans,
    }
}
