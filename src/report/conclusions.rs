//! What the figures say at once, in sentences at the head of the report: whether rankings follow places, and whether
//! simulation and verification are better than not looking and than no explanation. Each sentence has its n, interval and
//! corrected p.

mod held;
mod people;

pub use people::beside_people;

use crate::stats::multiple::{Correction, corrected};
use crate::stats::proportion::{binomial_test, wilson};
use crate::stats::{Alternative, Interval, Stat};

use super::flags::counted;
use super::preference::PreferenceAnalysis;
use super::quantities::Proportion;
use super::records::StudyFacts;
use super::rounding::{percent, signed_points};
use super::simulation::SimulationAnalysis;
use super::verification::VerificationAnalysis;

/// The sentences; none where a task was not run. What panels say repeats what their judges said, and comes last.
pub fn conclude(
    study: &StudyFacts,
    preference: &[PreferenceAnalysis],
    simulation: &[SimulationAnalysis],
    verification: &[VerificationAnalysis],
) -> Vec<String> {
    let mut said = Vec::new();
    for panels in [false, true] {
        let of = |judge: &str| study.is_panel(judge) == panels;
        let preference: Vec<&PreferenceAnalysis> = preference.iter().filter(|judge| of(&judge.judge)).collect();
        said.extend(
            preference
                .iter()
                .copied()
                .filter_map(|judge| first_chosen(study, judge)),
        );
        said.extend(rankings(study, preference));
        said.extend(held::simulation(
            study,
            simulation.iter().filter(|judge| of(&judge.judge)),
            panels,
        ));
        said.extend(held::verification(
            study,
            verification.iter().filter(|judge| of(&judge.judge)),
            panels,
        ));
    }
    said
}

/// One sentence a judge. A judge that looks at nothing but the explanations repeats the shown order as often as its own
/// favourite order was shown, so that repetition is no evidence by itself where several orders were shown: there a model
/// with a term for every arm and every place is tested, over samples.
fn rankings(study: &StudyFacts, preference: Vec<&PreferenceAnalysis>) -> Vec<String> {
    let of: Vec<&PreferenceAnalysis> = preference
        .into_iter()
        .filter(|judge| study.shown_order_known() && judge.ranked_arms.len() > 1 && judge.tests.is_some())
        .collect();
    let fixed: Vec<(&str, f64, f64)> = of
        .iter()
        .filter(|judge| judge.shows_one_order())
        .filter_map(|judge| {
            // One ranking a sample, since several of one sample are not independent of each other.
            let follows = &judge.follows_in_first_ranking;
            let chance = judge.follows_shown_order_by_chance;
            let p = binomial_test(follows.successes, follows.n, chance, Alternative::Greater).ok()?;
            Some((judge.judge.as_str(), chance, p))
        })
        .collect();
    let raw: Vec<f64> = fixed.iter().map(|(_, _, p)| *p).collect();
    let corrected = corrected(&raw, Correction::Holm).unwrap_or_default();
    of.into_iter()
        .map(|judge| {
            let tested = fixed
                .iter()
                .zip(&corrected)
                .find(|((name, ..), _)| *name == judge.judge);
            match tested {
                Some(((_, chance, _), p)) => under_one_order(study, judge, *chance, *p),
                None => under_several_orders(study, judge),
            }
        })
        .collect()
}

/// Of choices of the best, how often it stood first.
fn first_chosen(study: &StudyFacts, judge: &PreferenceAnalysis) -> Option<String> {
    let choices = judge.best_worst.as_ref()?;
    let first = choices.best_by_place.first()?;
    let Ok(share) = &first.value else {
        return None;
    };
    let chance = choices.chance_by_place.first().copied()?;
    // Without any variation Student's interval is undefined, and just then places decide most.
    let interval = first.interval.clone().or_else(|undefined| match *share {
        0.0 => wilson(0, first.n as u64, study.confidence),
        1.0 => wilson(first.n as u64, first.n as u64, study.confidence),
        _ => Err(undefined),
    });
    let (differs, tested) = match &choices.first_place {
        Ok(test) => (
            Some(test.p_corrected < 1.0 - study.confidence),
            format!(
                "; {} over {}, {}",
                test.words(),
                counted(test.samples as u64, "sample"),
                p_words(test.p_corrected)
            ),
        ),
        Err(undefined) => (None, format!("; not tested: {}", undefined.reason)),
    };
    let one_order = "; since every trial showed one order, place and explanation cannot be told apart";
    let what = match differs {
        Some(true) if judge.one_order => format!(
            "What is shown first is chosen as the best {} often than by chance{one_order}",
            if *share > chance { "more" } else { "less" }
        ),
        Some(true) if *share > chance => "What is shown first is chosen as the best too often".to_owned(),
        Some(true) => "What is shown first is chosen as the best too seldom".to_owned(),
        Some(false) if judge.one_order => {
            format!("What is shown first is not chosen as the best more or less often than by chance{one_order}")
        }
        Some(false) => "No effect of being shown first was found".to_owned(),
        None => "Whether being shown first decides is not known".to_owned(),
    };
    Some(format!(
        "Preference, judge {}: {what}. It was in {} (mean over {}{}); chance gives {}{tested}.",
        judge.judge,
        percent(*share),
        counted(first.n, "sample"),
        interval_words(&interval),
        percent(chance)
    ))
}

fn under_one_order(study: &StudyFacts, judge: &PreferenceAnalysis, chance: f64, p: f64) -> String {
    let what = if p < 1.0 - study.confidence {
        "The ranking follows the order shown; since every trial showed one order, place and explanation cannot be told apart"
    } else {
        "The ranking does not repeat the order shown by more than chance; every trial showed one order, so that an effect of \
         the place cannot be told from one of the explanation"
    };
    format!(
        "Preference, judge {}: {what}. It repeats that order exactly in {}; were all orders equally likely it would be {} (exact \
         binomial test over samples, {}).{}",
        judge.judge,
        proportion(&judge.follows_in_first_ranking),
        percent(chance),
        p_words(p),
        first_shown(judge),
    )
}

fn under_several_orders(study: &StudyFacts, judge: &PreferenceAnalysis) -> String {
    let test = judge.tests.as_ref().map(|tests| &tests.places);
    let (what, tested) = match test {
        Some(Ok(test)) => (
            if test.p_corrected < 1.0 - study.confidence {
                "The place where an explanation is shown moves its rank by more than chance"
            } else {
                "No effect of the place was found"
            },
            format!(
                " (rank-ordered logit with terms for arms and places, score test over {}, {})",
                counted(test.samples, "sample"),
                p_words(test.p_corrected)
            ),
        ),
        Some(Err(undefined)) => (
            "Whether the place decides could not be tested",
            format!(" ({})", undefined.reason),
        ),
        None => ("Whether the place decides could not be tested", String::new()),
    };
    format!(
        "Preference, judge {}: {what}{tested}.{}",
        judge.judge,
        first_shown(judge)
    )
}

/// ` What stood first came first in 40.0% (n = 12 samples, 95% interval ...); chance gives 33.3%.`
fn first_shown(judge: &PreferenceAnalysis) -> String {
    let Some(first) = judge.places.first().map(|place| &place.first) else {
        let pairs = judge.pairs.as_ref().and_then(|pairs| pairs.shown_earlier.as_ref());
        return match pairs.map(|earlier| (earlier, &earlier.value)) {
            Some((earlier, Ok(share))) => format!(
                " What was shown first won {} of its pairs (mean over {}{}, ties by half); chance gives 50.0%.",
                percent(*share),
                counted(earlier.n, "sample"),
                interval_words(&earlier.interval)
            ),
            _ => String::new(),
        };
    };
    match &first.value {
        Ok(share) => format!(
            " What stood first came first in {} (mean over {}{}); chance gives {}.",
            percent(*share),
            counted(first.n, "sample"),
            interval_words(&first.interval),
            percent(1.0 / judge.arms.len().max(1) as f64)
        ),
        Err(_) => String::new(),
    }
}

/// `70 of 148 (47.3%, 95% interval 39.4% to 55.3%)`.
fn proportion(found: &Proportion) -> String {
    match &found.share {
        Ok(share) => format!(
            "{} of {} ({}{})",
            found.successes,
            found.n,
            percent(*share),
            interval_words(&found.interval)
        ),
        Err(undefined) => undefined.reason.clone(),
    }
}

fn interval_words(interval: &Stat<Interval>) -> String {
    match interval {
        Ok(interval) => format!(
            ", {:.0}% interval {} to {}",
            100.0 * interval.level,
            percent(interval.low),
            percent(interval.high)
        ),
        Err(_) => String::new(),
    }
}

/// ` (95% interval −8.4 to +11.5)`, in percentage points.
fn interval_in_points(interval: &Stat<Interval>) -> String {
    match interval {
        Ok(interval) => format!(
            " ({:.0}% interval {} to {})",
            100.0 * interval.level,
            signed_points(interval.low),
            signed_points(interval.high)
        ),
        Err(_) => String::new(),
    }
}

pub(super) fn p_words(p: f64) -> String {
    if p < 0.001 {
        "corrected p < 0.001".to_owned()
    } else {
        format!("corrected p = {p:.3}")
    }
}
