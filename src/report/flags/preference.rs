//! Flags on preference: places that decide, or that are not balanced.

use super::{About, FlagKind, Flags, IMBALANCE, Severity, counted, excludes, percent};
use crate::judge::Task;
use crate::report::preference::PreferenceAnalysis;
use crate::report::quantities::{Mean, Proportion};

impl Flags {
    pub(super) fn preference(&mut self, judge: &PreferenceAnalysis, level: f64) {
        let about = (Some(Task::Preference), Some(judge.judge.as_str()), None);
        if self.not_asked([&judge.readings], about) {
            return;
        }
        self.readings(&judge.readings, about);
        self.common(judge.common_samples, judge.samples, about);
        let unbalanced: Vec<&str> = judge
            .arms
            .iter()
            .filter(|arm| {
                let fair = judge.rankings as f64 / judge.arms.len() as f64;
                arm.by_place.iter().any(|place| {
                    let off = (place.rankings as f64 - fair).abs();
                    off >= 1.0 && off > IMBALANCE * judge.rankings as f64
                })
            })
            .map(|arm| arm.arm.as_str())
            .collect();
        if !unbalanced.is_empty() {
            self.add(
                Severity::Severe,
                FlagKind::UnbalancedPlaces,
                about,
                format!(
                    "In the readable rankings of {}, {} did not stand equally often in every place, so that mean ranks \
                     mix explanation and place.",
                    judge.judge,
                    unbalanced.join(", ")
                ),
            );
        }
        self.unbalanced_pairs(judge, about);
        let chance = 1.0 / judge.ranked_arms.len().max(1) as f64;
        // Where places are tested, one test of all of them decides, and not the interval of each.
        let tested = judge.tests.as_ref().and_then(|tests| tests.places.as_ref().ok());
        let untested = match tested {
            Some(_) => "",
            None => " No test of all places was possible: the interval of the share excludes that.",
        };
        // Under one order what stands first is always the same explanation, and may be the best.
        let one_order = judge.one_order || judge.shows_one_order();
        let of_rankings = judge.places.iter().map(|place| (&place.first, chance)).enumerate();
        let of_choices = judge.best_worst.iter().flat_map(|choices| {
            let places = choices
                .best_by_place
                .iter()
                .zip(choices.chance_by_place.iter().copied());
            places.enumerate()
        });
        let uneven: Vec<(String, f64)> = of_rankings
            .chain(of_choices)
            .filter(|(_, (first, chance))| match tested {
                Some(test) => test.p_corrected < 1.0 - level,
                None => !one_order && mean_excludes(first, *chance, level),
            })
            .map(|(place, (first, chance))| {
                let share = first.value.as_ref().map_or(0.0, |share| *share);
                (
                    format!("in place {} in {} of orders", place + 1, percent(share)),
                    chance,
                )
            })
            .collect();
        let earlier = judge.pairs.as_ref().and_then(|pairs| pairs.shown_earlier.as_ref());
        if let (true, Some(earlier)) = (judge.places.is_empty(), earlier) {
            let decides = match tested {
                Some(test) => test.p_corrected < 1.0 - level,
                None => !one_order && mean_excludes(earlier, 0.5, level),
            };
            if let (true, Ok(share)) = (decides, &earlier.value) {
                self.add(
                    Severity::Severe,
                    FlagKind::PositionBias,
                    about,
                    format!(
                        "Of two explanations {} prefers the one shown first in {}, over {}. If places did nothing, it would \
                         be half.{untested}",
                        judge.judge,
                        percent(*share),
                        counted(earlier.n as u64, "sample")
                    ),
                );
            }
        }
        if !uneven.is_empty() {
            self.add(
                Severity::Severe,
                FlagKind::PositionBias,
                about,
                format!(
                    "What {} ranks first was shown {}, over {}. If places did nothing, {}.{untested}",
                    judge.judge,
                    uneven
                        .iter()
                        .map(|(said, _)| said.as_str())
                        .collect::<Vec<_>>()
                        .join(", "),
                    counted(judge.common_samples as u64, "sample"),
                    by_chance(&uneven.iter().map(|(_, chance)| *chance).collect::<Vec<_>>())
                ),
            );
        }
        let follows = &judge.follows_shown_order;
        if judge.arms.len() > 1 && judge.repeats_by_place() && above(follows, judge.follows_shown_order_by_chance) {
            self.add(
                Severity::Severe,
                FlagKind::FollowsShownOrder,
                about,
                format!(
                    "{} repeats the shown order exactly in {} of {}; chance gives {}.{}",
                    judge.judge,
                    follows.successes,
                    counted(follows.n, "ranking"),
                    percent(judge.follows_shown_order_by_chance),
                    if one_order {
                        " Every trial showed one order, so that place and explanation cannot be told apart."
                    } else {
                        ""
                    }
                ),
            );
        }
    }
}

impl Flags {
    /// Pairs whose difference may be the place's.
    fn unbalanced_pairs(&mut self, judge: &PreferenceAnalysis, about: About) {
        let pairs = judge.pairs.iter().flat_map(|pairs| &pairs.pairs);
        let caveats: Vec<&str> = pairs.filter_map(|pair| pair.caveat.as_deref()).collect();
        if caveats.is_empty() {
            return;
        }
        let known = judge.tests.as_ref().is_some_and(|tests| tests.places.is_ok());
        self.add(
            if known { Severity::Severe } else { Severity::Caution },
            FlagKind::UnbalancedPairs,
            about,
            format!("Pairs before {}: {}.", judge.judge, caveats.join("; ")),
        );
    }
}

/// What each of some places would have by chance; not the same where trials show different numbers of arms.
fn by_chance(chances: &[f64]) -> String {
    match chances {
        [first, rest @ ..] if rest.iter().all(|other| (first - other).abs() < 1e-12) => {
            format!("each would have {}", percent(*first))
        }
        chances => {
            let each: Vec<String> = chances.iter().map(|chance| percent(*chance)).collect();
            format!("they would have {}", each.join(", "))
        }
    }
}

/// Whether a mean share over samples is away from `value`. Without variation Student's interval is undefined, and just
/// then a share of all or none says most: Wilson's interval over as many samples is taken instead.
fn mean_excludes(share: &Mean, value: f64, level: f64) -> bool {
    match (&share.interval, &share.value) {
        (Ok(interval), _) => value < interval.low || value > interval.high,
        (Err(_), Ok(mean)) => {
            let samples = share.n as u64;
            let successes = ((mean * samples as f64).round() as u64).min(samples);
            excludes(&Proportion::new(successes, samples, level), value)
        }
        (Err(_), Err(_)) => false,
    }
}

fn above(proportion: &Proportion, value: f64) -> bool {
    proportion.interval.as_ref().is_ok_and(|interval| value < interval.low)
}
