//! What follows from the published numbers, as Markdown.

use std::fmt::Write as _;

use super::correlations::{PartCorrelation, PublishedCorrelation};
use super::counts::SamplesFrom;
use super::groups::GroupCheck;
use super::{LEVEL, PublishedChecks};
use crate::report::flags::{counted, task_name};
use crate::report::markdown_table::{MarkdownTable, interval_words};
use crate::stats::correlation::Correlation;
use crate::stats::{Interval, Stat};

/// Of the percentages that stated samples do give, only the share of all percentages that they could give says anything.
const TELLING: f64 = 0.5;

/// The whole text.
pub fn markdown(checks: &PublishedChecks) -> String {
    let mut text = format!(
        "# What the published numbers say by themselves\n\n{} printed numbers of three papers, and {} counted in released \
         data (results/published). Everything here follows from them alone; no model was asked.\n",
        checks.printed, checks.released
    );
    for correlation in &checks.correlations {
        text.push_str(&correlation_text(correlation));
    }
    contradictions(checks, &mut text);
    base_rates(checks, &mut text);
    counts(checks, &mut text);
    groups(checks, &mut text);
    text
}

fn correlation_text(found: &PublishedCorrelation) -> String {
    let mut text = format!("\n## Preference against {} accuracy\n\n", task_name(found.task));
    let _ = writeln!(
        text,
        "{} prints r = {}, p = {}. Recomputed from {} (mean rank with its sign turned): {}.\n",
        found.place,
        found.printed_r,
        found.printed_p,
        counted(found.points.len() as u64, "printed cell"),
        if found.reproduced { "the same" } else { "not the same" }
    );
    let mut table = MarkdownTable::new(&["cells", "#n", "#r", "#95% interval", "#p"]);
    table.row(correlation_row("all, as published", &found.pearson));
    if let Ok(spearman) = &found.spearman {
        table.row(vec![
            "all, of ranks (Spearman)".to_owned(),
            spearman.n.to_string(),
            format!("{:.4}", spearman.coefficient),
            interval(&spearman.interval),
            p_value(spearman.p),
        ]);
    }
    let mut parts = |what: &str, parts: &[PartCorrelation]| {
        for part in parts {
            table.row(correlation_row(&format!("{what} {}", part.name), &part.pearson));
        }
    };
    parts("without method", &found.without_arm);
    parts("without judge", &found.without_judge);
    parts("only judge", &found.of_judge);
    table.row(match &found.within_judges {
        Ok(within) => vec![
            format!("within judges, p over {} judges", within.samples),
            within.points.to_string(),
            format!("{:.4}", within.r),
            interval(&within.interval),
            p_value(within.p),
        ],
        Err(undefined) => undefined_row("within judges", &undefined.reason),
    });
    table.row(correlation_row("means of the methods", &found.arm_means));
    text.push_str(&table.finish());
    let _ = writeln!(text, "\n{}", found.caveat);
    text
}

fn correlation_row(name: &str, found: &Stat<Correlation>) -> Vec<String> {
    match found {
        Ok(found) => vec![
            name.to_owned(),
            found.n.to_string(),
            format!("{:.4}", found.r),
            interval(&found.interval),
            p_value(found.p),
        ],
        Err(undefined) => undefined_row(name, &undefined.reason),
    }
}

fn undefined_row(name: &str, reason: &str) -> Vec<String> {
    vec![
        name.to_owned(),
        "–".to_owned(),
        "–".to_owned(),
        reason.to_owned(),
        "–".to_owned(),
    ]
}

fn interval(interval: &Stat<Interval>) -> String {
    match interval {
        Ok(interval) => interval_words(interval.low, interval.high, 2),
        Err(_) => "–".to_owned(),
    }
}

fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "under 0.0001".to_owned()
    } else {
        format!("{p:.4}")
    }
}

fn contradictions(checks: &PublishedChecks, text: &mut String) {
    let _ = write!(
        text,
        "\n## What cannot be true together ({})\n\nWhich of two numbers is the right one does not follow from them.\n\n",
        checks.contradictions.len()
    );
    let mut table = MarkdownTable::new(&["what", "numbers", "where"]);
    for found in &checks.contradictions {
        let mut places: Vec<String> = Vec::new();
        for number in &found.numbers {
            let place = number.place();
            if !places.contains(&place) {
                places.push(place);
            }
        }
        // A table of many cells is named once.
        let places = if places.len() > 4 {
            format!("{} and {} more cells", places[0], places.len() - 1)
        } else {
            places.join("; ")
        };
        table.row([found.kind.words(), &found.message, &places]);
    }
    text.push_str(&table.finish());
}

fn base_rates(checks: &PublishedChecks, text: &mut String) {
    let below = checks.base_rates.iter().filter(|check| check.difference < 0.0).count();
    let _ = write!(
        text,
        "\n## Verification beside always saying \"correct\"\n\nNo paper prints the share of right answers. Counted in the \
         released ones, a judge that calls everything correct reaches more than the printed accuracy in {below} of {} \
         cells. Judge and constant were not tested against each other: which verdicts were right is not printed.\n\n",
        checks.base_rates.len()
    );
    let mut table = MarkdownTable::new(&[
        "data set",
        "method",
        "judge",
        "#printed",
        "#always correct",
        "#difference",
        "samples",
    ]);
    for check in &checks.base_rates {
        let number = &check.number;
        table.row([
            number.dataset.clone(),
            number.method.clone(),
            number.model.clone(),
            format!("{}%", number.printed),
            format!("{:.2}%", check.base_rate),
            format!("{:+.2}", check.difference),
            format!(
                "{} of {}{}",
                check.right,
                check.n,
                if check.fits_samples {
                    ""
                } else {
                    ", of which it cannot be"
                }
            ),
        ]);
    }
    text.push_str(&table.finish());
}

fn counts(checks: &PublishedChecks, text: &mut String) {
    text.push_str(
        "\n## Which percentages can come from which samples\n\nA percentage of n samples is a whole count over n. Where many \
         percentages could come from so many samples anyway, that one does says little.\n\n",
    );
    let mut table = MarkdownTable::new(&["samples said by", "#percentages", "#impossible", "#pass by chance"]);
    for (from, words) in [
        (SamplesFrom::Printed, "the paper, for this number"),
        (SamplesFrom::SplitSize, "the size of the split"),
        (SamplesFrom::Released, "the released data"),
    ] {
        let of: Vec<_> = checks.counts.iter().filter(|check| check.n_from == from).collect();
        if of.is_empty() {
            continue;
        }
        let chance = of.iter().map(|check| check.passes_by_chance).sum::<f64>() / of.len() as f64;
        table.row([
            words.to_owned(),
            of.len().to_string(),
            of.iter().filter(|check| check.counts.is_empty()).count().to_string(),
            format!("{:.0}%", 100.0 * chance),
        ]);
    }
    text.push_str(&table.finish());
    text.push_str("\nPercentages that cannot come from the samples:\n\n");
    let mut table = MarkdownTable::new(&[
        "number",
        "#printed",
        "#samples",
        "near samples that could",
        "#least that could",
    ]);
    for check in checks.counts.iter().filter(|check| check.counts.is_empty()) {
        let near: Vec<String> = check
            .near
            .iter()
            .map(|other| format!("{} of {}", other.counts[0], other.n))
            .collect();
        let least = check.least.as_ref();
        table.row([
            format!("{}: {}", check.number.place(), check.number.method),
            check.number.printed.clone(),
            check.n.to_string(),
            if near.is_empty() {
                "none".to_owned()
            } else {
                near.join(", ")
            },
            least.map_or("–".to_owned(), |least| format!("{} of {}", least.counts[0], least.n)),
        ]);
    }
    text.push_str(&table.finish());
    let telling = checks
        .counts
        .iter()
        .filter(|check| !check.counts.is_empty() && check.passes_by_chance < TELLING)
        .count();
    let _ = writeln!(
        text,
        "\n{telling} percentages do come from their samples where fewer than half of all percentages would. Printed beside \
         their counts: {} of {} agree with them.",
        checks.fractions.iter().filter(|check| check.agrees).count(),
        checks.fractions.len()
    );
}

fn groups(checks: &PublishedChecks, text: &mut String) {
    text.push_str("\n## Groups back to counts\n\n");
    let mut table = MarkdownTable::new(&["table", "method", "data set", "groups", "whole", "verdict"]);
    for check in &checks.groups {
        table.row([
            format!("{}, {}", check.source, check.table),
            [&check.method, &check.setting, &check.model]
                .into_iter()
                .filter(|word| !word.is_empty())
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
            check.dataset.clone(),
            group_words(check),
            match check.overall.first() {
                Some(overall) => overall.printed.clone(),
                None => "–".to_owned(),
            },
            check.verdict.words().to_owned(),
        ]);
    }
    text.push_str(&table.finish());
    let _ = writeln!(text, "\nIntervals are at {:.0}%.", 100.0 * LEVEL);
}

fn group_words(check: &GroupCheck) -> String {
    let words: Vec<String> = check
        .groupings
        .iter()
        .map(|grouping| {
            let counts: Vec<String> = grouping
                .groups
                .iter()
                .map(|group| match group.correct.as_slice() {
                    [one] => one.to_string(),
                    [] => "none".to_owned(),
                    [first, .., last] => format!("{first} to {last}"),
                })
                .collect();
            let sum = grouping.correct.map_or("?".to_owned(), |correct| correct.to_string());
            format!("{}: {} = {sum} of {}", grouping.by, counts.join(" + "), grouping.n)
        })
        .collect();
    words.join("; ")
}
