//! Printed numbers that cannot be true together, each with the tables and cells that say so.
//!
//! Only what follows from the numbers: one quantity with two values, a whole that its parts do not add up to, a percentage
//! that its samples cannot give, ranks that do not add up. Which of two numbers is right is not known from them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PublishedNumber;
use super::counts::{CountCheck, FractionCheck, SamplesFrom};
use super::groups::{GroupCheck, GroupVerdict};

/// What kind of contradiction it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContradictionKind {
    /// One quantity is printed with two values.
    TwoValues,
    /// A value whose setting is not said is that of none of the settings printed elsewhere.
    NoSettingFits,
    /// The sizes of groups do not add up to the size of the whole.
    SizesDoNotAddUp,
    /// The right answers of groups do not give the accuracy of the whole.
    GroupsDoNotAddUp,
    /// A percentage is not that of the counts beside it.
    NotOfItsCounts,
    /// A percentage cannot come from the samples that it is said to be over.
    NotOfItsSamples,
    /// Mean ranks of some explanations do not add up to what the mean ranks of so many do.
    RanksDoNotAddUp,
    /// Calls are counted for one way to run a method, and accuracy for another.
    CallsOfAnotherSetting,
}

impl ContradictionKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::TwoValues => "one quantity, two values",
            Self::NoSettingFits => "fits no setting printed elsewhere",
            Self::SizesDoNotAddUp => "sizes do not add up",
            Self::GroupsDoNotAddUp => "groups do not add up to the whole",
            Self::NotOfItsCounts => "not the percentage of the counts beside it",
            Self::NotOfItsSamples => "no count of the stated samples gives it",
            Self::RanksDoNotAddUp => "mean ranks do not add up",
            Self::CallsOfAnotherSetting => "calls and accuracy are of different runs",
        }
    }
}

/// One contradiction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// Its kind.
    pub kind: ContradictionKind,
    /// What it is, in words.
    pub message: String,
    /// The numbers that say so.
    pub numbers: Vec<PublishedNumber>,
}

/// Every contradiction, by kind.
pub fn find(
    numbers: &[PublishedNumber],
    counts: &[CountCheck],
    fractions: &[FractionCheck],
    groups: &[GroupCheck],
) -> Vec<Contradiction> {
    let mut found = values(numbers);
    found.extend(sizes(numbers));
    found.extend(group_sums(numbers, groups));
    found.extend(
        fractions
            .iter()
            .filter(|check| !check.agrees)
            .map(|check| Contradiction {
                kind: ContradictionKind::NotOfItsCounts,
                message: format!(
                    "{}: {} is printed beside {} of {}, which is {:.digits$}.",
                    what(&check.number),
                    check.number.printed,
                    check.correct,
                    check.n,
                    check.percent,
                    digits = check.number.decimals()
                ),
                numbers: vec![check.number.clone()],
            }),
    );
    // Where another table, or the released data, gives the number of samples, it may be that of other samples.
    let impossible = counts
        .iter()
        .filter(|check| check.counts.is_empty() && check.n_from == SamplesFrom::Printed);
    found.extend(impossible.map(|check| Contradiction {
        kind: ContradictionKind::NotOfItsSamples,
        message: format!(
            "{}: no count of {} samples gives {}{}.",
            what(&check.number),
            check.n,
            check.number.printed,
            match (check.near.as_slice(), &check.least) {
                ([], Some(least)) => format!("; {} of {} would be the first to", least.counts[0], least.n),
                ([], None) => String::new(),
                (near, _) => {
                    let near: Vec<String> = near
                        .iter()
                        .map(|other| format!("{} of {}", other.counts[0], other.n))
                        .collect();
                    format!("; {} would", near.join(" or "))
                }
            }
        ),
        numbers: vec![check.number.clone()],
    }));
    found.extend(ranks(numbers));
    found.extend(calls(numbers));
    once(found)
}

/// What several versions of a paper repeat is one contradiction, with all the places it stands in.
fn once(found: Vec<Contradiction>) -> Vec<Contradiction> {
    let mut kept: Vec<Contradiction> = Vec::new();
    for contradiction in found {
        let same =
            |other: &&mut Contradiction| other.kind == contradiction.kind && other.message == contradiction.message;
        match kept.iter_mut().find(same) {
            Some(known) => known.numbers.extend(contradiction.numbers),
            None => kept.push(contradiction),
        }
    }
    kept.sort_by_key(|contradiction| contradiction.kind);
    kept
}

/// What a number is of, in words.
fn what(number: &PublishedNumber) -> String {
    [
        number
            .quantity()
            .trim_end_matches("_percent")
            .replace('_', " ")
            .as_str(),
        &number.method,
        &number.setting,
        &number.model,
        &number.dataset,
    ]
    .into_iter()
    .filter(|word| !word.is_empty())
    .collect::<Vec<_>>()
    .join(", ")
}

/// What is measured of what, whatever the setting.
type Quantity<'a> = (&'a str, &'a str, &'a str, &'a str);

/// A paper, whatever its version: `PoTable v2` is `PoTable`.
fn paper(source: &str) -> &str {
    match source.rsplit_once(" v") {
        Some((paper, version)) if version.chars().all(|letter| letter.is_ascii_digit()) => paper,
        _ => source,
    }
}

fn values(numbers: &[PublishedNumber]) -> Vec<Contradiction> {
    let mut by_quantity: BTreeMap<Quantity, Vec<&PublishedNumber>> = BTreeMap::new();
    for number in numbers.iter().filter(|number| !number.is_released()) {
        let quantity = (
            number.measure.as_str(),
            number.dataset.as_str(),
            number.method.as_str(),
            number.model.as_str(),
        );
        by_quantity.entry(quantity).or_default().push(number);
    }
    let mut found = Vec::new();
    for ((measure, dataset, method, model), of_quantity) in by_quantity {
        let measure = measure.trim_end_matches("_percent").replace('_', " ");
        let of_what = [measure.as_str(), method, model, dataset]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        let mut by_setting: BTreeMap<&str, Vec<&PublishedNumber>> = BTreeMap::new();
        for number in &of_quantity {
            by_setting.entry(&number.setting).or_default().push(number);
        }
        // Versions of one paper report the same runs; what another paper prints of a method may be a run of its own.
        let mut by_paper: BTreeMap<(&str, &str), Vec<&PublishedNumber>> = BTreeMap::new();
        for number in &of_quantity {
            let key = (number.setting.as_str(), paper(&number.source));
            by_paper.entry(key).or_default().push(number);
        }
        for ((setting, _), same) in &by_paper {
            if same.iter().any(|number| number.value() != same[0].value()) {
                let setting = if setting.is_empty() {
                    String::new()
                } else {
                    format!(" ({setting})")
                };
                found.push(contradiction(
                    ContradictionKind::TwoValues,
                    format!("{of_what}{setting}: {}.", printed(same)),
                    same,
                ));
            }
        }
        // A change that a table was made to show is none of the ways in which the whole method may have been run.
        let ways: Vec<&PublishedNumber> = of_quantity
            .iter()
            .copied()
            .filter(|number| !number.setting.is_empty() && !is_ablation(&number.setting))
            .collect();
        let unsaid = by_setting.get("").map(Vec::as_slice).unwrap_or_default();
        let fits = |number: &&PublishedNumber| ways.iter().any(|way| way.value() == number.value());
        if !ways.is_empty() && !unsaid.iter().any(fits) && !unsaid.is_empty() {
            let all: Vec<&PublishedNumber> = unsaid.iter().copied().chain(ways.iter().copied()).collect();
            found.push(contradiction(
                ContradictionKind::NoSettingFits,
                format!(
                    "{of_what}: {} without saying how it was run, but {}.",
                    printed(unsaid),
                    ways.iter()
                        .map(|way| format!("{} with {} ({})", way.printed, way.setting, way.source))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
                &all,
            ));
        }
    }
    found
}

fn is_ablation(setting: &str) -> bool {
    setting.starts_with("with") || setting.ends_with("only")
}

fn contradiction(kind: ContradictionKind, message: String, numbers: &[&PublishedNumber]) -> Contradiction {
    Contradiction {
        kind,
        message,
        numbers: numbers.iter().map(|number| (*number).clone()).collect(),
    }
}

/// The values with their sources, each value once a source.
fn printed(numbers: &[&PublishedNumber]) -> String {
    let mut said: Vec<String> = Vec::new();
    for number in numbers {
        let table = number.table.as_str();
        let words = format!("{} ({}, {table})", number.printed, number.source);
        if !said.contains(&words) {
            said.push(words);
        }
    }
    said.join(", ")
}

/// Sizes of splits, and of their groups.
fn sizes(numbers: &[PublishedNumber]) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for whole in numbers
        .iter()
        .filter(|number| number.measure == "samples" && !number.is_released())
    {
        let mut parts: BTreeMap<&str, Vec<&PublishedNumber>> = BTreeMap::new();
        let same = |other: &&PublishedNumber| {
            other.quantity() == "samples"
                && [&other.source, &other.table, &other.dataset, &other.method]
                    == [&whole.source, &whole.table, &whole.dataset, &whole.method]
        };
        for part in numbers.iter().filter(same) {
            if let Some((by, _)) = part.group() {
                parts.entry(by).or_default().push(part);
            }
        }
        for (by, parts) in parts {
            let sum: f64 = parts.iter().map(|part| part.value()).sum();
            if sum != whole.value() {
                let all: Vec<&PublishedNumber> = [whole].into_iter().chain(parts).collect();
                found.push(contradiction(
                    ContradictionKind::SizesDoNotAddUp,
                    format!(
                        "{} is printed to have {} samples, and its groups by {by} have {sum} together.",
                        whole.dataset, whole.printed
                    ),
                    &all,
                ));
            }
        }
    }
    found
}

fn group_sums(numbers: &[PublishedNumber], groups: &[GroupCheck]) -> impl Iterator<Item = Contradiction> {
    groups
        .iter()
        .filter(|check| check.verdict == GroupVerdict::Contradicts)
        .map(|check| {
            let sums: Vec<String> = check
                .groupings
                .iter()
                .filter_map(|grouping| {
                    Some(format!(
                        "{} of {} ({:.2}%) by {}",
                        grouping.correct?, grouping.n, grouping.percent?, grouping.by
                    ))
                })
                .collect();
            let overall: Vec<&PublishedNumber> = check.overall.iter().collect();
            let whole = match overall.as_slice() {
                [] => String::new(),
                overall => format!("; for all samples together it prints {}", printed(overall)),
            };
            let setting = match check.setting.as_str() {
                "" => String::new(),
                setting => format!(" ({setting})"),
            };
            Contradiction {
                kind: ContradictionKind::GroupsDoNotAddUp,
                message: format!(
                    "{}, Table {}: the right answers of {}{setting} on {} add up to {}{whole}.",
                    check.source,
                    check.table,
                    check.method,
                    check.dataset,
                    sums.join(" and "),
                ),
                numbers: check
                    .numbers_of(numbers)
                    .into_iter()
                    .chain(&check.overall)
                    .cloned()
                    .collect(),
            }
        })
}

/// The mean ranks of k explanations that are all ranked add up to k (k + 1) / 2, whatever the judge prefers.
fn ranks(numbers: &[PublishedNumber]) -> Vec<Contradiction> {
    let mut by_judge: BTreeMap<[&str; 4], Vec<&PublishedNumber>> = BTreeMap::new();
    for rank in numbers.iter().filter(|number| number.measure == "mean_rank") {
        let key = [&rank.source, &rank.table, &rank.model, &rank.dataset].map(String::as_str);
        by_judge.entry(key).or_default().push(rank);
    }
    by_judge
        .into_iter()
        .filter_map(|([source, table, judge, _], ranks)| {
            let count = ranks.len() as f64;
            let (sum, expected): (f64, f64) = (
                ranks.iter().map(|rank| rank.value()).sum(),
                count * (count + 1.0) / 2.0,
            );
            let rounding: f64 = ranks.iter().map(|rank| rank.rounding()).sum();
            ((sum - expected).abs() > rounding + 1e-9).then(|| {
                contradiction(
                    ContradictionKind::RanksDoNotAddUp,
                    format!(
                        "{source}, {table}: the mean ranks of {judge} add up to {sum:.2}; those of {count} explanations \
                         add up to {expected}."
                    ),
                    &ranks,
                )
            })
        })
        .collect()
}

/// A paper that counts as many calls for a method as another does for many answers a question, beside an accuracy that the
/// other prints for one.
fn calls(numbers: &[PublishedNumber]) -> Vec<Contradiction> {
    let is_call = |number: &&PublishedNumber| number.measure == "model_calls_per_question";
    numbers
        .iter()
        .filter(is_call)
        .filter(|unsaid| unsaid.setting.is_empty())
        .filter_map(|unsaid| {
            let voted = numbers.iter().filter(is_call).find(|other| {
                other.method == unsaid.method && !other.setting.is_empty() && other.value() == unsaid.value()
            })?;
            let accuracy = numbers.iter().find(|number| {
                number.measure == "accuracy_percent"
                    && number.setting.is_empty()
                    && (&number.source, &number.method) == (&unsaid.source, &unsaid.method)
                    && number.model == voted.model
                    && number.dataset == voted.dataset
            })?;
            let other = numbers.iter().find(|number| {
                number.measure == "accuracy_percent"
                    && !number.setting.is_empty()
                    && number.setting != voted.setting
                    && number.value() == accuracy.value()
                    && (&number.method, &number.model, &number.dataset)
                        == (&accuracy.method, &accuracy.model, &accuracy.dataset)
            })?;
            Some(contradiction(
                ContradictionKind::CallsOfAnotherSetting,
                format!(
                    "{}: {} calls a question are what {} counts with {}, and the accuracy {} beside them is what {} \
                     prints with {}.",
                    unsaid.method,
                    unsaid.printed,
                    voted.source,
                    voted.setting,
                    accuracy.printed,
                    other.source,
                    other.setting
                ),
                &[unsaid, voted, accuracy, other],
            ))
        })
        .collect()
}
