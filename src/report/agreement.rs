//! Whether judges agree with each other on the same trials: every two of them, and all together. Panels are made of judges
//! and are no further ones.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::{Answer, QuestionKind};
use crate::judge::{Task, Verdict};
use crate::stats::agreement::{CohenKappa, Weights, cohen_kappa};
use crate::stats::krippendorff::{Measurement, krippendorff_alpha};
use crate::stats::{Interval, Stat, Undefined};

use super::index::{Index, Scored};
use super::inference::{Inference, by_sample};
use super::quantities::Proportion;

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
    /// Krippendorff's alpha over all judges, with its interval over trials.
    pub alpha: Stat<Alpha>,
}

/// Krippendorff's alpha, nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Alpha {
    /// 1 is agreement, 0 agreement as by chance.
    pub value: f64,
    /// Jackknife interval over trials.
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
    /// The share on which they would by chance, from what each says how often.
    pub chance: Stat<f64>,
    /// Cohen's kappa.
    pub kappa: Stat<f64>,
    /// Its interval, from a bootstrap over samples.
    pub kappa_interval: Stat<Interval>,
    /// What both said, counted; only what occurs.
    pub confusion: Vec<ConfusionCell>,
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
            .map(|judge| (*judge, of_judge(index, task, judge)))
            .filter(|(_, said)| !said.is_empty())
            .collect();
        if said.len() < 2 {
            continue;
        }
        let mut pairs = Vec::new();
        for (place, (first, one)) in said.iter().enumerate() {
            for (second, other) in &said[place + 1..] {
                let inference = Inference::of(study, &["agreement", task_key(task), first, second]);
                pairs.push(pair((first, one), (second, other), inference));
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

/// What a judge said on a trial, as a category, with the sample.
#[derive(Clone, Debug)]
struct Said<'a> {
    sample: &'a str,
    category: String,
}

fn of_judge<'a>(index: &Index<'a>, task: Task, judge: &str) -> BTreeMap<&'a str, Said<'a>> {
    let scored = index.scored(task, judge);
    let said = scored.iter().filter_map(|scored| {
        let said = Said {
            sample: &scored.trial.sample,
            category: category(scored)?,
        };
        Some((scored.trial.id.as_str(), said))
    });
    said.collect()
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

fn pair(
    (first, one): (&str, &BTreeMap<&str, Said>),
    (second, other): (&str, &BTreeMap<&str, Said>),
    inference: Inference,
) -> JudgePair {
    let both: Vec<(&str, &str, &str)> = one
        .iter()
        .filter_map(|(trial, said)| {
            let other = other.get(trial)?;
            Some((said.sample, said.category.as_str(), other.category.as_str()))
        })
        .collect();
    let categories: Vec<&str> = both
        .iter()
        .flat_map(|(_, one, other)| [*one, *other])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let number = |category: &str| categories.binary_search(&category).unwrap_or_default();
    let mut cells: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (_, one, other) in &both {
        *cells.entry((one, other)).or_default() += 1;
    }
    let kappa: Stat<CohenKappa> = if both.is_empty() {
        Err(Undefined::because("no trial has a readable verdict of both"))
    } else {
        let one: Vec<usize> = both.iter().map(|said| number(said.1)).collect();
        let other: Vec<usize> = both.iter().map(|said| number(said.2)).collect();
        cohen_kappa(&one, &other, categories.len(), Weights::None, inference.level)
    };
    let n = both.len() as f64;
    let share = |of: &dyn Fn(&(&str, &str, &str)) -> bool| both.iter().filter(|said| of(said)).count() as f64 / n;
    // Kappa is a function of the cells summed over samples.
    let k = categories.len();
    let rows: Vec<Vec<f64>> = by_sample(
        both.iter()
            .map(|(sample, one, other)| (*sample, (number(one), number(other)))),
    )
    .into_values()
    .map(|said| {
        let mut row = vec![0.0; k * k];
        for (one, other) in said {
            row[one * k + other] += 1.0;
        }
        row
    })
    .collect();
    JudgePair {
        first: first.to_owned(),
        second: second.to_owned(),
        agreement: Proportion::of_samples(
            both.iter().map(|(sample, one, other)| (*sample, one == other)),
            inference,
        ),
        chance: if both.is_empty() {
            Err(Undefined::because("no trial has a readable verdict of both"))
        } else {
            Ok(categories
                .iter()
                .map(|category| share(&|said| said.1 == *category) * share(&|said| said.2 == *category))
                .sum())
        },
        kappa: kappa.map(|found| found.kappa),
        kappa_interval: inference.interval(&rows, |totals| kappa_of_cells(totals, k)),
        confusion: cells
            .into_iter()
            .map(|((first, second), trials)| ConfusionCell {
                first: first.to_owned(),
                second: second.to_owned(),
                trials,
            })
            .collect(),
    }
}

/// Cohen's kappa from the cells of a table, row by row.
fn kappa_of_cells(cells: &[f64], k: usize) -> Option<f64> {
    let n: f64 = cells.iter().sum();
    let observed: f64 = (0..k).map(|i| cells[i * k + i]).sum();
    let expected: f64 = (0..k)
        .map(|i| {
            let row: f64 = cells[i * k..(i + 1) * k].iter().sum();
            let column: f64 = (0..k).map(|j| cells[j * k + i]).sum();
            row * column
        })
        .sum::<f64>()
        / n;
    (n > 0.0 && expected < n).then(|| (observed - expected) / (n - expected))
}

fn alpha(said: &[(&str, BTreeMap<&str, Said>)], level: f64) -> Stat<Alpha> {
    let trials: BTreeSet<&str> = said.iter().flat_map(|(_, said)| said.keys().copied()).collect();
    let categories: BTreeSet<&str> = said
        .iter()
        .flat_map(|(_, said)| said.values().map(|said| said.category.as_str()))
        .collect();
    let number = |category: &str| {
        categories
            .iter()
            .position(|known| *known == category)
            .map(|place| place as f64)
    };
    let table: Vec<Vec<Option<f64>>> = said
        .iter()
        .map(|(_, said)| trials.iter().map(|trial| number(&said.get(trial)?.category)).collect())
        .collect();
    krippendorff_alpha(&table, Measurement::Nominal, level).map(|found| Alpha {
        value: found.value,
        interval: found.interval,
        trials: found.items,
        judges: said.len(),
    })
}
