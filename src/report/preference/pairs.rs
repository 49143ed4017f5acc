//! Which of two explanations a judge prefers, from pairs or from the pairs that a ranking holds: strengths, every pair with
//! its test, and what being shown first does.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::discernment::Estimate;
use crate::report::flags::counted;
use crate::report::index::Scored;
use crate::report::inference::{Inference, best_interval};
use crate::report::quantities::Mean;
use crate::stats::bootstrap::bootstrap_several;
use crate::stats::bradley_terry::{Strengths, davidson, davidson_from, separation};
use crate::stats::multiple::{Correction, corrected};
use crate::stats::paired::mcnemar_exact;
use crate::stats::{Stat, Undefined};

/// The pairs before one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairAnalysis {
    /// Comparisons of two arms.
    pub comparisons: u64,
    /// Those in which both share a place.
    pub ties: u64,
    /// Samples they are of.
    pub samples: usize,
    /// One entry an arm.
    pub arms: Vec<PairArm>,
    /// One entry a pair of arms.
    pub pairs: Vec<ArmPair>,
    /// Mean over samples of the share of comparisons won by what was shown earlier, ties by half; one half when the order
    /// does nothing. `None` where the order shown is not known.
    pub shown_earlier: Option<Mean>,
}

/// One arm in comparisons with the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairArm {
    /// The arm.
    pub arm: String,
    /// Its log strength by Bradley and Terry, with Davidson's ties; the mean over arms is 0. The interval is from a
    /// bootstrap over samples.
    pub strength: Estimate,
    /// Mean over samples of the share of its comparisons that it wins, ties by half.
    pub won: Mean,
}

/// Two arms against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmPair {
    /// The one.
    pub first: String,
    /// The other.
    pub second: String,
    /// Comparisons won by the first.
    pub first_wins: u64,
    /// Comparisons won by the second.
    pub second_wins: u64,
    /// Ties.
    pub ties: u64,
    /// Samples in which the first wins more often than the second.
    pub first_ahead: u64,
    /// Samples in which the second does.
    pub second_ahead: u64,
    /// Exact sign test over samples.
    pub p: f64,
    /// The same, corrected over the pairs of the judge (Holm).
    pub p_corrected: f64,
    /// Comparisons in which the first was shown before the second; `None` where the order shown is not known.
    pub first_shown_earlier: Option<u64>,
    /// What has to be said beside the test: that one was shown earlier more often, where places decide or may decide.
    pub caveat: Option<String>,
}

impl ArmPair {
    /// Comparisons of the two.
    pub fn comparisons(&self) -> u64 {
        self.first_wins + self.second_wins + self.ties
    }

    /// Whether one was shown before the other in less than 40% or more than 60% of the comparisons, by more than one of
    /// them.
    fn is_unbalanced(&self) -> bool {
        let Some(earlier) = self.first_shown_earlier else {
            return false;
        };
        let off = earlier.abs_diff(self.comparisons() - earlier);
        off > 1 && off as f64 > 2.0 * IMBALANCE * self.comparisons() as f64
    }

    /// Notes a caveat where the two were not shown in balanced order and places are not known to do nothing: `places` is p
    /// of the test that they do, or why there is none.
    pub(super) fn note_places(&mut self, places: &Stat<f64>, level: f64) {
        let Some(earlier) = self.first_shown_earlier.filter(|_| self.is_unbalanced()) else {
            return;
        };
        let why = match places {
            Ok(p) if *p >= 1.0 - level => return,
            Ok(_) => "places decide before this judge".to_owned(),
            Err(undefined) => format!("whether places decide could not be tested ({})", undefined.reason),
        };
        self.caveat = Some(format!(
            "{} was shown before {} in {earlier} of {}, and {why}: the pair's difference and p mix explanation and place",
            self.first,
            self.second,
            counted(self.comparisons(), "comparison"),
        ));
    }
}

/// How far from half of the time one of a pair may be shown earlier.
const IMBALANCE: f64 = 0.1;

/// A comparison: the sample, the arm shown earlier, the one shown later, and 1 for the earlier, 0 for the later, 0.5 for
/// a tie.
type Comparison<'a> = (&'a str, usize, usize, f64);

/// Of all readable verdicts that rank; `None` where there are none.
pub(super) fn analyze(
    scored: &[Scored],
    arms: &[&str],
    order_known: bool,
    inference: Inference,
) -> Option<PairAnalysis> {
    let comparisons: Vec<Comparison> = scored.iter().flat_map(|scored| of_verdict(scored, arms)).collect();
    if comparisons.is_empty() {
        return None;
    }
    let mut samples: BTreeMap<&str, Vec<&Comparison>> = BTreeMap::new();
    for comparison in &comparisons {
        samples.entry(comparison.0).or_default().push(comparison);
    }
    let mean = |value: &dyn Fn(&Comparison) -> Option<f64>| {
        let values: Vec<f64> = samples
            .values()
            .filter_map(|comparisons| {
                let values: Vec<f64> = comparisons.iter().filter_map(|comparison| value(comparison)).collect();
                (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
            })
            .collect();
        let mut mean = Mean::of(&values, inference.level);
        if let Ok(interval) = &mut mean.interval {
            interval.low = interval.low.max(0.0);
            interval.high = interval.high.min(1.0);
        }
        mean
    };
    let strengths = strengths(&samples, arms, inference);
    let mut pairs = Vec::new();
    for first in 0..arms.len() {
        for second in first + 1..arms.len() {
            pairs.extend(pair(&samples, arms, first, second).map(|mut pair| {
                pair.first_shown_earlier = pair.first_shown_earlier.filter(|_| order_known);
                pair
            }));
        }
    }
    if let Ok(p) = corrected(&pairs.iter().map(|pair| pair.p).collect::<Vec<f64>>(), Correction::Holm) {
        for (pair, p) in pairs.iter_mut().zip(p) {
            pair.p_corrected = p;
        }
    }
    Some(PairAnalysis {
        comparisons: comparisons.len() as u64,
        ties: comparisons.iter().filter(|comparison| comparison.3 == 0.5).count() as u64,
        samples: samples.len(),
        arms: arms
            .iter()
            .enumerate()
            .zip(strengths)
            .map(|((arm, name), strength)| PairArm {
                arm: (*name).to_owned(),
                strength,
                won: mean(&|comparison| match comparison {
                    (_, earlier, _, won) if *earlier == arm => Some(*won),
                    (_, _, later, won) if *later == arm => Some(1.0 - *won),
                    _ => None,
                }),
            })
            .collect(),
        pairs,
        shown_earlier: order_known.then(|| mean(&|comparison| Some(comparison.3))),
    })
}

fn of_verdict<'a>(scored: &Scored<'a>, arms: &[&str]) -> Vec<Comparison<'a>> {
    let Some(ranks) = scored.verdict().and_then(|verdict| verdict.mid_ranks()) else {
        return Vec::new();
    };
    let shown: Vec<(usize, f64)> = scored
        .trial
        .arms
        .iter()
        .filter_map(|name| {
            let arm = arms.iter().position(|arm| arm == name)?;
            let rank = ranks.iter().find(|(ranked, _)| ranked == name)?.1;
            Some((arm, rank))
        })
        .collect();
    let mut found = Vec::new();
    for (place, (earlier, rank)) in shown.iter().enumerate() {
        for (later, other) in &shown[place + 1..] {
            let won = match rank.total_cmp(other) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 0.0,
            };
            found.push((scored.trial.sample.as_str(), *earlier, *later, won));
        }
    }
    found
}

fn pair(samples: &BTreeMap<&str, Vec<&Comparison>>, arms: &[&str], first: usize, second: usize) -> Option<ArmPair> {
    let (mut first_wins, mut second_wins, mut ties) = (0, 0, 0);
    let mut shown_earlier = 0;
    let (mut first_ahead, mut second_ahead) = (0, 0);
    for comparisons in samples.values() {
        let mut gained = 0_i64;
        for (_, earlier, later, won) in comparisons {
            let turned = if (*earlier, *later) == (first, second) {
                shown_earlier += 1;
                *won
            } else if (*later, *earlier) == (first, second) {
                1.0 - *won
            } else {
                continue;
            };
            if turned == 0.5 {
                ties += 1;
            } else if turned == 1.0 {
                first_wins += 1;
                gained += 1;
            } else {
                second_wins += 1;
                gained -= 1;
            }
        }
        first_ahead += u64::from(gained > 0);
        second_ahead += u64::from(gained < 0);
    }
    if first_wins + second_wins + ties == 0 {
        return None;
    }
    // The exact sign test and McNemar's are one.
    let p = mcnemar_exact(first_ahead, second_ahead).map_or(1.0, |test| test.p);
    Some(ArmPair {
        first: arms[first].to_owned(),
        second: arms[second].to_owned(),
        first_wins,
        second_wins,
        ties,
        first_ahead,
        second_ahead,
        p,
        p_corrected: p,
        first_shown_earlier: Some(shown_earlier),
        caveat: None,
    })
}

/// Column sums into wins and ties: `wins[i][j]` stands at i * k + j, ties after them.
fn matrices(totals: &[f64], k: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let square = |from: usize| {
        (0..k)
            .map(|i| totals[from + i * k..from + (i + 1) * k].to_vec())
            .collect()
    };
    (square(0), square(k * k))
}

fn strengths(samples: &BTreeMap<&str, Vec<&Comparison>>, arms: &[&str], inference: Inference) -> Vec<Estimate> {
    let k = arms.len();
    let rows: Vec<Vec<f64>> = samples
        .values()
        .map(|comparisons| {
            let mut row = vec![0.0; 2 * k * k];
            for (_, earlier, later, won) in comparisons {
                if *won == 0.5 {
                    row[k * k + earlier * k + later] += 1.0;
                    row[k * k + later * k + earlier] += 1.0;
                } else if *won == 1.0 {
                    row[earlier * k + later] += 1.0;
                } else {
                    row[later * k + earlier] += 1.0;
                }
            }
            row
        })
        .collect();
    let totals: Vec<f64> = (0..2 * k * k)
        .map(|cell| rows.iter().map(|row| row[cell]).sum())
        .collect();
    let (wins, ties) = matrices(&totals, k);
    let whole: Stat<Strengths> = match separation(&wins, Some(&ties)) {
        // By name, since nobody knows the numbers.
        Some(crate::stats::bradley_terry::Separation::Unbeaten(items)) => {
            let names: Vec<&str> = items.into_iter().map(|item| arms[item]).collect();
            Err(Undefined::because(format!(
                "{} never lost against the others",
                names.join(", ")
            )))
        }
        Some(crate::stats::bradley_terry::Separation::Disconnected(_)) => {
            Err(Undefined::because("no comparison links some of the arms"))
        }
        None => davidson(&wins, &ties, 0.0),
    };
    let whole = match whole {
        Ok(whole) => whole,
        Err(undefined) => {
            let none = Estimate {
                samples: rows.len() as u64,
                value: Err(undefined.clone()),
                interval: Err(undefined),
            };
            return vec![none; k];
        }
    };
    let drawn = bootstrap_several(&rows, k, inference.resampling(), |totals, values| {
        let (wins, ties) = matrices(totals, k);
        match davidson_from(&wins, &ties, 0.0, Some(&whole)) {
            Ok(found) => {
                values.copy_from_slice(&found.log_strengths);
                true
            }
            Err(_) => false,
        }
    });
    (0..k)
        .map(|arm| Estimate {
            samples: rows.len() as u64,
            value: Ok(whole.log_strengths[arm]),
            interval: match &drawn {
                Ok(drawn) => best_interval(&drawn[arm]),
                Err(undefined) => Err(undefined.clone()),
            },
        })
        .collect()
}
