//! Which samples the figures of a task leave out, and why: the complement of the common samples, one entry a reason.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::QuestionKind;
use crate::judge::Task;

use super::answers::failure_words;
use super::cells::by_arm;
use super::index::{Index, Scored};
use super::names::state_name;
use super::preference::{common_samples, ranked_arms};

/// One reason why a sample is not among the common samples of a task before a judge; a sample may have several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The task whose figures leave it out.
    pub task: Task,
    /// The judge before whom.
    pub judge: String,
    /// The sample's id.
    pub sample: String,
    /// The arm that lacks something; `None` if it lies with the ranking of all of them.
    pub arm: Option<String>,
    /// What is lacking.
    pub reason: LeftOutReason,
    /// More exactly, where there is more to say: how the answer failed, or what became of the judgment.
    pub detail: String,
}

/// What a sample that is left out lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// The arm was not run on it.
    NotRun,
    /// The arm gave no answer to it.
    NoAnswer,
    /// There is no trial of it, although there is an answer.
    NoTrial,
    /// The judge was not asked.
    NotJudged,
    /// The judgment could not be read.
    Unread,
    /// The ranking is of fewer arms.
    PartialRanking,
    /// The answer is not known to be right or wrong.
    NoTruth,
    /// A guess of a free-form answer cannot be scored.
    FreeForm,
    /// Every arm has a usable verdict, but not on the same draw.
    DifferentDraws,
}

impl LeftOutReason {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotRun => "not_run",
            Self::NoAnswer => "no_answer",
            Self::NoTrial => "no_trial",
            Self::NotJudged => "not_judged",
            Self::Unread => "unread",
            Self::PartialRanking => "partial_ranking",
            Self::NoTruth => "no_truth",
            Self::FreeForm => "free_form",
            Self::DifferentDraws => "different_draws",
        }
    }
}

/// Everything left out, by task, judge in the order of the study, sample and arm in the order of the study.
pub fn analyze(index: &Index) -> Vec<LeftOut> {
    let mut found = Vec::new();
    // Each arm is counted on its own samples, and none of those is left out.
    if index.records.study.own_samples() {
        return found;
    }
    for task in index.tasks() {
        for judge in &index.records.study.judges {
            let scored = index.scored(task, &judge.name);
            let lacks = match task {
                Task::Preference => of_rankings(index, scored),
                Task::Simulation | Task::Verification => of_single_arms(index, scored),
            };
            found.extend(lacks.into_iter().map(|lack| LeftOut {
                task,
                judge: judge.name.clone(),
                sample: lack.sample.to_owned(),
                arm: lack.arm.map(str::to_owned),
                reason: lack.reason,
                detail: lack.detail,
            }));
        }
    }
    found
}

struct Lack<'a> {
    sample: &'a str,
    arm: Option<&'a str>,
    reason: LeftOutReason,
    detail: String,
}

fn by_sample<'a, 'b>(scored: impl IntoIterator<Item = &'b Scored<'a>>) -> BTreeMap<&'a str, Vec<&'b Scored<'a>>>
where
    'a: 'b,
{
    let mut trials: BTreeMap<&str, Vec<&Scored>> = BTreeMap::new();
    for scored in scored {
        trials.entry(&scored.trial.sample).or_default().push(scored);
    }
    trials
}

fn of_rankings<'a>(index: &Index<'a>, scored: &[Scored<'a>]) -> Vec<Lack<'a>> {
    let arms = ranked_arms(&index.records.study, scored);
    let common = common_samples(scored, &arms);
    let trials = by_sample(scored);
    let mut lacks = Vec::new();
    for sample in index.sample_ids() {
        let Some(trials) = trials.get(sample) else {
            let before = lacks.len();
            let arms = index.records.study.arms.iter().map(|arm| arm.name.as_str());
            lacks.extend(
                arms.map(|arm| without_trial(index, sample, arm))
                    .filter(|lack| lack.reason != LeftOutReason::NoTrial),
            );
            if lacks.len() == before {
                lacks.push(Lack {
                    sample,
                    arm: None,
                    reason: LeftOutReason::NoTrial,
                    detail: String::new(),
                });
            }
            continue;
        };
        if common.contains(sample) {
            continue;
        }
        let (reason, detail) = without_verdict(trials);
        lacks.push(Lack {
            sample,
            arm: None,
            reason: reason.unwrap_or(LeftOutReason::PartialRanking),
            detail,
        });
    }
    lacks
}

fn of_single_arms<'a>(index: &Index<'a>, scored: &[Scored<'a>]) -> Vec<Lack<'a>> {
    let study = &index.records.study;
    let compared = by_arm(study, scored);
    let common: BTreeSet<&str> = compared
        .iter()
        .flat_map(|arm| &arm.common)
        .map(|scored| scored.trial.sample.as_str())
        .collect();
    // An arm without a trial is compared with nobody; if all are, none of them has anything on any sample.
    let arms: Vec<_> = study
        .arms
        .iter()
        .filter_map(|arm| {
            let own = compared.iter().find(|compared| compared.arm == arm.name);
            let trials = by_sample(own.into_iter().flat_map(|own| own.all.iter().copied()));
            (own.is_some() || compared.is_empty()).then_some((arm.name.as_str(), trials))
        })
        .collect();
    let mut lacks = Vec::new();
    for sample in index.sample_ids().into_iter().filter(|sample| !common.contains(sample)) {
        let before = lacks.len();
        for (arm, trials) in &arms {
            let Some(trials) = trials.get(sample) else {
                lacks.push(without_trial(index, sample, arm));
                continue;
            };
            if trials.iter().any(|scored| scored.success().is_some()) {
                continue;
            }
            let (reason, detail) = without_verdict(trials);
            let unscored = match trials.first().map(|scored| (scored.trial.task, scored.trial.kind)) {
                Some((Task::Simulation, QuestionKind::FreeForm)) => LeftOutReason::FreeForm,
                _ => LeftOutReason::NoTruth,
            };
            lacks.push(Lack {
                sample,
                arm: Some(arm),
                reason: reason.unwrap_or(unscored),
                detail,
            });
        }
        if lacks.len() == before && !arms.is_empty() {
            lacks.push(Lack {
                sample,
                arm: None,
                reason: LeftOutReason::DifferentDraws,
                detail: String::new(),
            });
        }
    }
    lacks
}

/// Why an arm has no trial on a sample.
fn without_trial<'a>(index: &Index<'a>, sample: &'a str, arm: &'a str) -> Lack<'a> {
    let answerer = index.records.study.arm(arm).map_or(arm, |arm| arm.answerer.as_str());
    let (reason, detail) = match index.trace(sample, answerer) {
        None => (LeftOutReason::NotRun, String::new()),
        Some(trace) if trace.answer.is_none() => {
            let kind = failure_words(trace.failure.as_ref()).0;
            (LeftOutReason::NoAnswer, kind.replace('_', " "))
        }
        Some(_) => (LeftOutReason::NoTrial, String::new()),
    };
    Lack {
        sample,
        arm: Some(arm),
        reason,
        detail,
    }
}

/// Why trials have no verdict; no reason if some have one that cannot be used.
fn without_verdict(trials: &[&Scored]) -> (Option<LeftOutReason>, String) {
    if trials.iter().any(|scored| scored.verdict().is_some()) {
        return (None, String::new());
    }
    let states: BTreeSet<&str> = trials
        .iter()
        .filter_map(|scored| scored.reading?.err().map(state_name))
        .collect();
    if states.is_empty() {
        (Some(LeftOutReason::NotJudged), String::new())
    } else {
        let words: Vec<String> = states.into_iter().map(|state| state.replace('_', " ")).collect();
        (Some(LeftOutReason::Unread), words.join(", "))
    }
}
