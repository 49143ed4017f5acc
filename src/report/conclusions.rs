//! What the figures say at once, in sentences at the head of the report: whether rankings follow places, and whether
//! verification is better than not looking and than no explanation. Each sentence has its n, interval and corrected p.

use crate::stats::multiple::{Correction, corrected};
use crate::stats::proportion::binomial_test;
use crate::stats::{Alternative, Interval, Stat};

use super::beyond_chance::{ChanceTest, VerificationTest};
use super::preference::PreferenceAnalysis;
use super::quantities::Proportion;
use super::records::StudyFacts;

/// The sentences; none where a task was not run.
pub fn conclude(
    study: &StudyFacts,
    preference: &[PreferenceAnalysis],
    verification: &[VerificationTest],
) -> Vec<String> {
    let mut said = rankings(study, preference);
    let explained: Vec<&VerificationTest> = verification.iter().filter(|test| !test.is_control).collect();
    if !explained.is_empty() {
        said.push(against_base_rate(study, &explained));
        said.push(against_control(study, &explained));
    }
    said
}

/// One sentence a judge. A judge that looks at nothing but the explanations repeats the shown order as often as its own
/// favourite order was shown, so that repetition is no evidence by itself where several orders were shown: there the share
/// of first places that went to what stood first is held against one over the number of arms, over samples.
fn rankings(study: &StudyFacts, preference: &[PreferenceAnalysis]) -> Vec<String> {
    let of: Vec<&PreferenceAnalysis> = preference
        .iter()
        .filter(|judge| judge.arms.len() > 1 && !judge.places.is_empty() && judge.rankings > 0)
        .collect();
    // Rankings of one sample are not independent of each other.
    let tested = |judge: &&PreferenceAnalysis| judge.shows_one_order() && judge.rankings == judge.common_samples as u64;
    let p = of.iter().copied().filter(tested).filter_map(|judge| {
        let follows = &judge.follows_shown_order;
        let chance = 1.0 / (1..=judge.arms.len()).map(|count| count as f64).product::<f64>();
        let p = binomial_test(follows.successes, follows.n, chance, Alternative::Greater).ok()?;
        Some((judge, chance, p))
    });
    let p: Vec<(&PreferenceAnalysis, f64, f64)> = p.collect();
    let raw: Vec<f64> = p.iter().map(|(_, _, p)| *p).collect();
    let Ok(corrected) = corrected(&raw, Correction::Holm) else {
        return Vec::new();
    };
    let fixed: Vec<(&PreferenceAnalysis, f64, f64)> = p
        .into_iter()
        .zip(corrected)
        .map(|((judge, chance, _), p)| (judge, chance, p))
        .collect();
    of.into_iter()
        .map(
            |judge| match fixed.iter().find(|(found, ..)| found.judge == judge.judge) {
                Some((_, chance, p)) => under_one_order(study, judge, *chance, *p),
                None => under_several_orders(judge),
            },
        )
        .collect()
}

fn under_one_order(study: &StudyFacts, judge: &PreferenceAnalysis, chance: f64, p: f64) -> String {
    let what = if p < 1.0 - study.confidence {
        "The ranking follows the order shown; since every trial showed one order, place and explanation cannot be told apart"
    } else {
        "The ranking does not repeat the order shown by more than chance; every trial showed one order, so that an effect of \
         the place cannot be told from one of the explanation"
    };
    format!(
        "Preference of {}: {what}. It repeats that order exactly in {}; were all orders equally likely it would be {} (exact \
         binomial test, {}).{}",
        judge.judge,
        proportion(&judge.follows_shown_order),
        percent(chance),
        p_words(p),
        first_shown(judge),
    )
}

fn under_several_orders(judge: &PreferenceAnalysis) -> String {
    let chance = 1.0 / judge.arms.len() as f64;
    let first = judge.places.first().map(|place| &place.first);
    let what = match first.map(|first| (&first.value, &first.interval)) {
        Some((_, Ok(interval))) if interval.low > chance => "What is shown first is ranked first too often",
        Some((_, Ok(interval))) if interval.high < chance => "What is shown first is ranked first too seldom",
        Some((Ok(share), Err(_))) if (share - chance).abs() > 1e-9 => {
            "How often what is shown first is ranked first differs from chance, in all samples alike"
        }
        _ => "No effect of being shown first was found",
    };
    format!(
        "Preference of {}: {what}.{} It repeats the order shown exactly in {}, over {} samples.",
        judge.judge,
        first_shown(judge),
        proportion(&judge.follows_shown_order),
        judge.common_samples,
    )
}

/// ` What stood first came first in 40.0% (n = 12 samples, 95% interval ...); chance gives 33.3%.`
fn first_shown(judge: &PreferenceAnalysis) -> String {
    let Some(first) = judge.places.first().map(|place| &place.first) else {
        return String::new();
    };
    match &first.value {
        Ok(share) => format!(
            " What stood first came first in {} (mean over {} samples{}); chance gives {}.",
            percent(*share),
            first.n,
            interval_words(&first.interval),
            percent(1.0 / judge.arms.len() as f64)
        ),
        Err(_) => String::new(),
    }
}

fn against_base_rate(study: &StudyFacts, tests: &[&VerificationTest]) -> String {
    let better = tests
        .iter()
        .filter(|test| test.against_base_rate.is_better(study.confidence));
    let better: Vec<String> = better
        .map(|test| {
            // Where most answers are wrong, always saying "correct" is no great rival.
            let constant = if test.better_constant.successes == test.base_rate.successes {
                String::new()
            } else {
                format!(
                    "; always saying \"incorrect\" would reach {}, {}",
                    proportion(&test.better_constant),
                    p_words(test.against_constant.p_corrected)
                )
            };
            format!(
                "{}, {}{constant}",
                held_against(test, &test.base_rate),
                p_words(test.against_base_rate.p_corrected)
            )
        })
        .collect();
    let sentence = format!(
        "Verification beats its base rate (always saying \"correct\") by more than chance in {} (McNemar's exact test, \
         Holm-corrected)",
        some_of(better.len(), tests.len()),
    );
    if !better.is_empty() {
        return format!("{sentence}: {}.", better.join("; "));
    }
    let best = best(tests, |test| Some(&test.against_base_rate));
    let best = best.map(|(test, found)| (held_against(test, &test.base_rate), found));
    format!("{sentence}. {}", furthest(best))
}

fn against_control(study: &StudyFacts, tests: &[&VerificationTest]) -> String {
    let tested: Vec<(&VerificationTest, &ChanceTest)> = tests
        .iter()
        .filter_map(|test| Some((*test, test.against_control.as_ref().ok()?)))
        .collect();
    if tested.is_empty() {
        return "There is no control: what an explanation adds to a judge's verdicts is not known.".to_owned();
    }
    let better: Vec<String> = tested
        .iter()
        .filter(|(_, found)| found.is_better(study.confidence))
        .map(|(test, found)| format!("{}, {}", held_against(test, &test.control), p_words(found.p_corrected)))
        .collect();
    let sentence = format!(
        "Verification with an explanation beats the one without by more than chance in {} ({}, Holm-corrected)",
        some_of(better.len(), tested.len()),
        if tested.iter().all(|(test, _)| test.control_is_paired) {
            "McNemar's exact test"
        } else {
            "Fisher's exact test, since the control was judged on other samples"
        },
    );
    if !better.is_empty() {
        return format!("{sentence}: {}.", better.join("; "));
    }
    let best = best(tests, |test| test.against_control.as_ref().ok());
    let best = best.map(|(test, found)| (held_against(test, &test.control), found));
    format!("{sentence}. {}", furthest(best))
}

fn some_of(some: usize, all: usize) -> String {
    format!(
        "{some} of {all} {} of arm and judge",
        if all == 1 { "pair" } else { "pairs" }
    )
}

/// `POS before teal: 49 of 63 (...) against 48 of 63 (...)`.
fn held_against(test: &VerificationTest, other: &Proportion) -> String {
    format!(
        "{} before {}: {} against {}",
        test.arm,
        test.judge,
        proportion(&test.accuracy),
        proportion(other)
    )
}

fn furthest(best: Option<(String, &ChanceTest)>) -> String {
    best.map_or(String::new(), |(words, found)| {
        let how = if found.difference > 0.0 {
            "Furthest ahead"
        } else {
            "Nearest"
        };
        format!("{how}: {words}, {}.", p_words(found.p_corrected))
    })
}

fn best<'a>(
    tests: &[&'a VerificationTest],
    of: impl Fn(&'a VerificationTest) -> Option<&'a ChanceTest>,
) -> Option<(&'a VerificationTest, &'a ChanceTest)> {
    let found = tests.iter().filter_map(|test| Some((*test, of(test)?)));
    found.max_by(|one, other| one.1.difference.total_cmp(&other.1.difference))
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

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn p_words(p: f64) -> String {
    if p < 0.001 {
        "corrected p < 0.001".to_owned()
    } else {
        format!("corrected p = {p:.3}")
    }
}
