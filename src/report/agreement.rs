//! Whether judges agree with each other on the same trials: every two of them, and all together. Panels are made of judges
//! and are no further ones.
//!
//! What two judges say alike by chance depends on what there is to say: chance is taken within trials that offer the same
//! answers, and then put together.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::{Answer, QuestionKind};
use crate::judge::{CONTROL_ARM, Task, Trial, Verdict};
use crate::stats::stratified::{Item, Pair, Tables, kappa, nominal_alpha};
use crate::stats::{Interval, Stat, Undefined};

use super::index::{Index, Scored};
use super::inference::{Inference, by_sample};
use super::quantities::Proportion;
use super::records::StudyFacts;

/// Agreement in one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgreementAnalysis {
    /// The task.
    pub task: Task,
    /// What is compared: the verdict, the guess (TRUE or FALSE; of other questions whether it agrees with the model's
    /// answer), or which explanation comes first.
    pub compared: String,
    /// One entry every two judges.
    pub pairs: Vec<JudgePair>,
    /// Krippendorff's alpha over all judges, with its interval over samples.
    pub alpha: Stat<Alpha>,
}

/// Krippendorff's alpha, nominal, with expected disagreement taken within trials that offer the same answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Alpha {
    /// 1 is agreement, 0 agreement as by chance.
    pub value: f64,
    /// Jackknife interval over samples.
    pub interval: Stat<Interval>,
    /// Trials judged by two judges or more.
    pub trials: usize,
    /// Judges.
    pub judges: usize,
}

/// Two judges on the trials that both gave a readable verdict on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgePair {
    /// The one.
    pub first: String,
    /// The other.
    pub second: String,
    /// Trials on which they say the same.
    pub agreement: Proportion,
    /// The share on which they would by chance, from what each says how often on trials that offer the same answers.
    pub chance: Stat<f64>,
    /// Cohen's kappa: agreement beyond that chance, as a part of what is possible.
    pub kappa: Stat<f64>,
    /// Its interval, from a bootstrap over samples.
    pub kappa_interval: Stat<Interval>,
    /// What both said, counted; only what occurs.
    pub confusion: Vec<ConfusionCell>,
    /// Kinds of trials by the answers that they offer: the same arms to choose among, or the same kind of answer.
    pub strata: usize,
    /// The same by arm, in the order of the study, the control last; in tasks that show one arm at a time.
    pub arms: Vec<ArmAgreement>,
}

/// Two judges on the trials of one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmAgreement {
    /// The arm.
    pub arm: String,
    /// Trials on which they say the same.
    pub agreement: Proportion,
    /// The share on which they would by chance.
    pub chance: Stat<f64>,
    /// Cohen's kappa.
    pub kappa: Stat<f64>,
    /// Its interval, from a bootstrap over samples.
    pub kappa_interval: Stat<Interval>,
}

/// One cell of a confusion table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfusionCell {
    /// What the first judge said.
    pub first: String,
    /// What the second said.
    pub second: String,
    /// How often.
    pub trials: u64,
}

/// One entry a task that two judges or more were asked in.
pub fn analyze(index: &Index) -> Vec<AgreementAnalysis> {
    let study = &index.records.study;
    let judges: Vec<&str> = study
        .judges
        .iter()
        .filter(|judge| judge.panel.is_empty())
        .map(|judge| judge.name.as_str())
        .collect();
    let mut found = Vec::new();
    for task in index.tasks() {
        let said: Vec<(&str, BTreeMap<&str, Said>)> = judges
            .iter()
            .map(|judge| (*judge, said_of(task, index.scored(task, judge))))
            .filter(|(_, said)| !said.is_empty())
            .collect();
        if said.len() < 2 {
            continue;
        }
        let mut pairs = Vec::new();
        for (place, (first, one)) in said.iter().enumerate() {
            for (second, other) in &said[place + 1..] {
                pairs.push(agreement_with(study, task, (first, one), (second, other)));
            }
        }
        found.push(AgreementAnalysis {
            task,
            compared: match task {
                Task::Preference => "which explanation comes first",
                Task::Simulation => {
                    "the guess; of other answers than TRUE and FALSE, whether it agrees with the model's"
                }
                Task::Verification => "the verdict",
            }
            .to_owned(),
            pairs,
            alpha: alpha(&said, study.confidence),
        });
    }
    found
}

fn task_key(task: Task) -> &'static str {
    super::flags::task_name(task)
}

/// What a judge said on a trial, as a category, with the sample, the arm where it shows one, and what it offers to say.
#[derive(Clone, Debug)]
pub(super) struct Said<'a> {
    sample: &'a str,
    arm: Option<&'a str>,
    offers: String,
    category: String,
}

/// What was said on every trial with a readable verdict, by trial.
pub(super) fn said_of<'a>(task: Task, scored: &[Scored<'a>]) -> BTreeMap<&'a str, Said<'a>> {
    let said = scored.iter().filter_map(|scored| {
        let trial = scored.trial;
        let said = Said {
            sample: &trial.sample,
            arm: match (task, trial.arms.as_slice()) {
                (Task::Simulation | Task::Verification, [arm]) => Some(arm),
                _ => None,
            },
            offers: offers(trial),
            category: category(scored)?,
        };
        Some((trial.id.as_str(), said))
    });
    said.collect()
}

/// What there is to say on a trial: trials of which this is equal offer the same answers.
fn offers(trial: &Trial) -> String {
    match trial.task {
        Task::Preference => {
            let mut arms: Vec<&str> = trial.arms.iter().map(String::as_str).collect();
            arms.sort_unstable();
            format!("{:?} {} {arms:?}", trial.protocol, trial.ties)
        }
        Task::Simulation => format!("{:?}", trial.kind),
        Task::Verification => String::new(),
    }
}

fn category(scored: &Scored) -> Option<String> {
    match scored.verdict()? {
        Verdict::Correct(true) => Some("correct".to_owned()),
        Verdict::Correct(false) => Some("incorrect".to_owned()),
        Verdict::Guess(Answer::Verdict(said)) if scored.trial.kind == QuestionKind::FactVerification => {
            Some(if *said { "TRUE" } else { "FALSE" }.to_owned())
        }
        Verdict::Guess(_) => {
            let agrees = scored.guess_agrees(scored.trial.prediction.as_ref())?;
            Some(if agrees { "agrees" } else { "differs" }.to_owned())
        }
        Verdict::BestWorst { best, .. } => Some(best.clone()),
        verdict @ (Verdict::Ranking(_) | Verdict::TiedRanking(_)) => {
            let ranks = verdict.mid_ranks()?;
            let least = ranks.iter().map(|(_, rank)| *rank).fold(f64::INFINITY, f64::min);
            let mut best: Vec<&str> = ranks
                .iter()
                .filter(|(_, rank)| *rank <= least)
                .map(|(arm, _)| *arm)
                .collect();
            best.sort_unstable();
            Some(best.join(" = "))
        }
        Verdict::Scores(_) => None,
    }
}

/// A trial that both judges gave a readable verdict on.
struct Both<'a> {
    sample: &'a str,
    arm: Option<&'a str>,
    first: &'a str,
    second: &'a str,
    /// The numbers of what both said and of what there was to say.
    numbers: Pair,
}

/// Numbers of names, by their order.
fn numbers<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().zip(0..).collect()
}

/// What several judges say together, as one: of every trial what more than half of those say who say anything; and on how
/// many trials there is no such thing.
///
/// What is counted is what is compared: in preference which explanation comes first, whatever stands behind it.
pub(super) fn majority<'a>(judges: &[BTreeMap<&'a str, Said<'a>>]) -> (BTreeMap<&'a str, Said<'a>>, u64) {
    let mut by_trial: BTreeMap<&str, Vec<&Said>> = BTreeMap::new();
    for (trial, said) in judges.iter().flatten() {
        by_trial.entry(trial).or_default().push(said);
    }
    let (mut found, mut tied) = (BTreeMap::new(), 0);
    for (trial, said) in by_trial {
        let supporters = |of: &Said| said.iter().filter(|other| other.category == of.category).count();
        match said.iter().find(|own| 2 * supporters(own) > said.len()) {
            Some(most) => {
                found.insert(trial, (*most).clone());
            }
            None => tied += 1,
        }
    }
    (found, tied)
}

/// The trials that two judges gave a verdict on, and how many strata they are of.
fn of_both<'s>(one: &'s BTreeMap<&str, Said>, other: &'s BTreeMap<&str, Said>) -> (Vec<Both<'s>>, usize) {
    let both = || one.iter().filter_map(|(trial, said)| Some((said, other.get(trial)?)));
    let categories = numbers(both().flat_map(|(one, other)| [one.category.as_str(), other.category.as_str()]));
    let offered = numbers(both().map(|(one, _)| one.offers.as_str()));
    let found = both()
        .map(|(one, other)| Both {
            sample: one.sample,
            arm: one.arm,
            first: &one.category,
            second: &other.category,
            numbers: Pair {
                stratum: offered[one.offers.as_str()],
                first: categories[one.category.as_str()],
                second: categories[other.category.as_str()],
            },
        })
        .collect();
    (found, offered.len())
}

/// Two judges, each by name and what they said.
pub(super) fn agreement_with(
    study: &StudyFacts,
    task: Task,
    (first, one): (&str, &BTreeMap<&str, Said>),
    (second, other): (&str, &BTreeMap<&str, Said>),
) -> JudgePair {
    let (both, strata) = of_both(one, other);
    let mut cells: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for both in &both {
        *cells.entry((both.first, both.second)).or_default() += 1;
    }
    let key = ["agreement", task_key(task), first, second];
    let whole = of_trials(&both.iter().collect::<Vec<_>>(), Inference::of(study, &key));
    let names = study.arms.iter().map(|arm| arm.name.as_str()).chain([CONTROL_ARM]);
    let arms = names.filter_map(|arm| {
        let of_arm: Vec<&Both> = both.iter().filter(|both| both.arm == Some(arm)).collect();
        let inference = Inference::of(study, &["agreement", task_key(task), first, second, arm]);
        (!of_arm.is_empty()).then(|| {
            let found = of_trials(&of_arm, inference);
            ArmAgreement {
                arm: arm.to_owned(),
                agreement: found.agreement,
                chance: found.chance,
                kappa: found.kappa,
                kappa_interval: found.kappa_interval,
            }
        })
    });
    JudgePair {
        first: first.to_owned(),
        second: second.to_owned(),
        agreement: whole.agreement,
        chance: whole.chance,
        kappa: whole.kappa,
        kappa_interval: whole.kappa_interval,
        confusion: cells
            .into_iter()
            .map(|((first, second), trials)| ConfusionCell {
                first: first.to_owned(),
                second: second.to_owned(),
                trials,
            })
            .collect(),
        strata,
        arms: arms.collect(),
    }
}

/// Whether two judges agree by more than chance where they are one of `family` pairs that are tested: their kappa's interval
/// at a level that all of them hold together (Bonferroni) lies above 0. `None` where there is no interval.
pub(super) fn beyond_chance(
    study: &StudyFacts,
    task: Task,
    (first, one): (&str, &BTreeMap<&str, Said>),
    (second, other): (&str, &BTreeMap<&str, Said>),
    family: usize,
) -> Option<bool> {
    let (both, _) = of_both(one, other);
    let (tables, rows) = tables_of(&both.iter().collect::<Vec<_>>());
    let inference = Inference::of(study, &["agreement", task_key(task), first, second]);
    inference
        .interval_of_family(&rows, family, |totals| kappa_of(&tables, totals))
        .ok()
        .map(|interval| interval.low > 0.0)
}

/// What some trials come to.
struct Found {
    agreement: Proportion,
    chance: Stat<f64>,
    kappa: Stat<f64>,
    kappa_interval: Stat<Interval>,
}

fn of_trials(both: &[&Both], inference: Inference) -> Found {
    let pairs: Vec<Pair> = both.iter().map(|both| both.numbers).collect();
    let (tables, rows) = tables_of(both);
    let found = if both.is_empty() {
        Err(Undefined::because("no trial has a readable verdict of both"))
    } else {
        tables.chance(&tables.cells(&pairs))
    };
    let (chance, found) = match found {
        Ok((observed, chance)) => (Ok(chance), kappa(observed, chance)),
        Err(undefined) => (Err(undefined.clone()), Err(undefined)),
    };
    Found {
        agreement: Proportion::of_samples(
            both.iter().map(|both| (both.sample, both.first == both.second)),
            inference,
        ),
        chance,
        kappa: found,
        kappa_interval: inference.interval(&rows, |totals| kappa_of(&tables, totals)),
    }
}

/// The tables of some trials, and their cells by sample, in the order of the samples: kappa is a function of their sums.
fn tables_of(both: &[&Both]) -> (Tables, Vec<Vec<f64>>) {
    let pairs: Vec<Pair> = both.iter().map(|both| both.numbers).collect();
    let tables = Tables::of(&pairs);
    let rows = by_sample(both.iter().map(|both| (both.sample, both.numbers)))
        .into_values()
        .map(|pairs| tables.cells(&pairs))
        .collect();
    (tables, rows)
}

fn kappa_of(tables: &Tables, totals: &[f64]) -> Option<f64> {
    let (observed, chance) = tables.chance(totals).ok()?;
    kappa(observed, chance).ok()
}

fn alpha(said: &[(&str, BTreeMap<&str, Said>)], level: f64) -> Stat<Alpha> {
    let all = || said.iter().flat_map(|(_, said)| said.iter());
    let categories = numbers(all().map(|(_, said)| said.category.as_str()));
    let offered = numbers(all().map(|(_, said)| said.offers.as_str()));
    let samples = numbers(all().map(|(_, said)| said.sample));
    let mut items: BTreeMap<&str, Item> = BTreeMap::new();
    for (trial, said) in all() {
        let item = items.entry(trial).or_insert_with(|| Item {
            cluster: samples[said.sample],
            stratum: offered[said.offers.as_str()],
            categories: Vec::new(),
        });
        item.categories.push(categories[said.category.as_str()]);
    }
    let items: Vec<Item> = items.into_values().collect();
    nominal_alpha(&items, level).map(|found| Alpha {
        value: found.value,
        interval: found.interval,
        trials: found.items,
        judges: said.len(),
    })
}
