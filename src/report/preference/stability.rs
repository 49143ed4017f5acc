//! Whether a judge agrees with itself: over the orders in which one and the same explanations are shown, and over repeats
//! of one and the same trial.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Verdict;
use crate::report::index::Scored;
use crate::report::inference::Inference;
use crate::report::quantities::Proportion;

/// Explanations of one sample that were shown together in several orders, by how far the verdicts agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stability {
    /// Shown in several orders with readable verdicts in at least two.
    pub compared: u64,
    /// One and the same verdict in every order.
    pub stable: u64,
    /// The same best in every order, while the rest changes.
    pub unstable: u64,
    /// Another best in some order.
    pub inconsistent: u64,
}

/// A verdict, whatever the order shown.
#[derive(Debug, PartialEq)]
struct Content<'a> {
    /// What comes first.
    best: Vec<&'a str>,
    /// Every arm with its rank, doubled, so that halves are whole.
    whole: Vec<(&'a str, u64)>,
}

fn content(verdict: &Verdict) -> Option<Content<'_>> {
    if let Verdict::BestWorst { best, worst } = verdict {
        return Some(Content {
            best: vec![best],
            whole: vec![(best, 1), (worst, 2)],
        });
    }
    let ranks = verdict.mid_ranks()?;
    let mut doubled: Vec<(&str, u64)> = ranks
        .iter()
        .map(|(arm, rank)| (*arm, (2.0 * rank).round() as u64))
        .collect();
    doubled.sort_unstable();
    let least = doubled.iter().map(|(_, rank)| *rank).min()?;
    let best = doubled
        .iter()
        .filter(|(_, rank)| *rank == least)
        .map(|(arm, _)| *arm)
        .collect();
    Some(Content { best, whole: doubled })
}

/// Over orders. Of repeats of one order the first readable one counts.
pub(super) fn over_orders(scored: &[Scored]) -> Stability {
    /// Arms of a sample, whatever their order.
    type Together<'a> = (&'a str, Vec<&'a str>);
    let mut shown: BTreeMap<Together, BTreeMap<&[String], &Verdict>> = BTreeMap::new();
    for scored in scored {
        let Some(verdict) = scored.verdict() else {
            continue;
        };
        let mut arms: Vec<&str> = scored.trial.arms.iter().map(String::as_str).collect();
        arms.sort_unstable();
        let orders = shown.entry((&scored.trial.sample, arms)).or_default();
        orders.entry(&scored.trial.arms).or_insert(verdict);
    }
    let mut found = Stability::default();
    for orders in shown.values().filter(|orders| orders.len() > 1) {
        let contents: Option<Vec<_>> = orders.values().map(|verdict| content(verdict)).collect();
        let Some(contents) = contents else {
            continue;
        };
        found.compared += 1;
        if contents.iter().any(|content| content.best != contents[0].best) {
            found.inconsistent += 1;
        } else if contents.iter().any(|content| *content != contents[0]) {
            found.unstable += 1;
        } else {
            found.stable += 1;
        }
    }
    found
}

/// Over repeats: trials that were put before the judge several times, and of them those with one verdict throughout.
pub(super) fn over_repeats(scored: &[Scored], inference: Inference) -> Proportion {
    let mut draws: BTreeMap<(&str, &[String], u32), Vec<&Verdict>> = BTreeMap::new();
    for scored in scored {
        if let Some(verdict) = scored.verdict() {
            let trial = scored.trial;
            draws
                .entry((&trial.sample, &trial.arms, trial.turn))
                .or_default()
                .push(verdict);
        }
    }
    let repeated = draws.iter().filter(|(_, verdicts)| verdicts.len() > 1);
    let same =
        repeated.map(|((sample, ..), verdicts)| (*sample, verdicts.iter().all(|verdict| *verdict == verdicts[0])));
    Proportion::of_samples(same, inference)
}
