//! Accuracies of groups, turned back into counts and added up: do the groups make the whole that is printed?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PublishedNumber;
use super::counts::counts_giving;

/// The groups of one method on one data set in one table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupCheck {
    /// The paper.
    pub source: String,
    /// The table.
    pub table: String,
    /// The method.
    pub method: String,
    /// What was changed in it.
    pub setting: String,
    /// The model that answers.
    pub model: String,
    /// The data set and split.
    pub dataset: String,
    /// One entry a way to group, such as by size of the table.
    pub groupings: Vec<Grouping>,
    /// The accuracies printed for all samples together.
    pub overall: Vec<PublishedNumber>,
    /// What the groups and the printed accuracies come to.
    pub verdict: GroupVerdict,
}

/// All samples in groups of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grouping {
    /// What the samples are grouped by.
    pub by: String,
    /// The groups.
    pub groups: Vec<GroupCount>,
    /// Samples of all groups.
    pub n: u64,
    /// Right answers of all groups, where every group's accuracy comes from one count alone.
    pub correct: Option<u64>,
    /// `correct / n` in percent.
    pub percent: Option<f64>,
}

/// One group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupCount {
    /// Its name.
    pub name: String,
    /// Its accuracy as printed.
    pub printed: String,
    /// Its samples.
    pub n: u64,
    /// Its right answers: those printed, or every count that gives the printed accuracy.
    pub correct: Vec<u64>,
}

impl GroupCheck {
    /// The accuracies of its groups, as printed.
    pub fn numbers_of<'a>(&self, numbers: &'a [PublishedNumber]) -> Vec<&'a PublishedNumber> {
        let of_group = |number: &&PublishedNumber| {
            number.quantity() == "accuracy_percent" && number.group().is_some() && is_of(self, number)
        };
        numbers.iter().filter(of_group).collect()
    }
}

/// What the groups come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupVerdict {
    /// All ways to group have one sum, and it gives an accuracy printed for the whole.
    Consistent,
    /// All ways to group have one sum; no accuracy of the whole is printed.
    NothingToCompare,
    /// They have different sums, or one that no accuracy printed for the whole comes from.
    Contradicts,
    /// Some group's accuracy comes from several counts, or from none.
    NotInvertible,
}

impl GroupVerdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Consistent => "adds up to the printed whole",
            Self::NothingToCompare => "adds up; no whole is printed",
            Self::Contradicts => "does not add up",
            Self::NotInvertible => "cannot be turned into counts",
        }
    }
}

/// Checks every table that prints accuracies of groups with their samples.
pub fn check(numbers: &[PublishedNumber]) -> Vec<GroupCheck> {
    let mut checks: Vec<GroupCheck> = Vec::new();
    for number in numbers {
        let (true, Some((by, name)), Some(n)) = (number.quantity() == "accuracy_percent", number.group(), number.n)
        else {
            continue;
        };
        let correct = match stated(numbers, number) {
            Some(correct) => vec![correct],
            None => counts_giving(number, n),
        };
        let check = match checks.iter_mut().position(|check| is_of(check, number)) {
            Some(index) => &mut checks[index],
            None => {
                checks.push(empty(numbers, number));
                let last = checks.len() - 1;
                &mut checks[last]
            }
        };
        let grouping = match check.groupings.iter().position(|grouping| grouping.by == by) {
            Some(index) => &mut check.groupings[index],
            None => {
                check.groupings.push(Grouping {
                    by: by.to_owned(),
                    groups: Vec::new(),
                    n: 0,
                    correct: None,
                    percent: None,
                });
                let last = check.groupings.len() - 1;
                &mut check.groupings[last]
            }
        };
        grouping.n += n;
        grouping.groups.push(GroupCount {
            name: name.to_owned(),
            printed: number.printed.clone(),
            n,
            correct,
        });
    }
    for check in &mut checks {
        for grouping in &mut check.groupings {
            let counts = grouping.groups.iter().map(|group| match group.correct.as_slice() {
                [one] => Some(*one),
                _ => None,
            });
            grouping.correct = counts.sum();
            grouping.percent = grouping
                .correct
                .map(|correct| 100.0 * correct as f64 / grouping.n as f64);
        }
        check.verdict = verdict(check);
    }
    checks
}

fn is_of(check: &GroupCheck, number: &PublishedNumber) -> bool {
    [
        &check.source,
        &check.table,
        &check.method,
        &check.setting,
        &check.model,
        &check.dataset,
    ] == [
        &number.source,
        &number.table,
        &number.method,
        &number.setting,
        &number.model,
        &number.dataset,
    ]
}

fn empty(numbers: &[PublishedNumber], number: &PublishedNumber) -> GroupCheck {
    let same_paper = |other: &PublishedNumber| {
        let paper = |source: &str| source.split(" v").next().unwrap_or_default().to_owned();
        paper(&other.source) == paper(&number.source)
    };
    let overall = numbers.iter().filter(|other| {
        other.measure == "accuracy_percent"
            && same_paper(other)
            && [&other.method, &other.setting, &other.model, &other.dataset]
                == [&number.method, &number.setting, &number.model, &number.dataset]
    });
    GroupCheck {
        source: number.source.clone(),
        table: number.table.clone(),
        method: number.method.clone(),
        setting: number.setting.clone(),
        model: number.model.clone(),
        dataset: number.dataset.clone(),
        groupings: Vec::new(),
        overall: overall.cloned().collect(),
        verdict: GroupVerdict::NotInvertible,
    }
}

/// The group's count where the same table prints it.
fn stated(numbers: &[PublishedNumber], number: &PublishedNumber) -> Option<u64> {
    let (_, group) = number.measure.split_once(':')?;
    let measure = format!("correct:{group}");
    numbers
        .iter()
        .find(|other| {
            other.measure == measure
                && (&other.source, &other.table, &other.dataset) == (&number.source, &number.table, &number.dataset)
        })
        .map(|count| count.value() as u64)
}

/// Where a split has no sample in some group, that group has no accuracy and adds nothing.
fn verdict(check: &GroupCheck) -> GroupVerdict {
    let sums: Option<Vec<(u64, u64)>> = check
        .groupings
        .iter()
        .map(|grouping| Some((grouping.correct?, grouping.n)))
        .collect();
    let Some(sums) = sums else {
        return GroupVerdict::NotInvertible;
    };
    let Some(&(correct, n)) = sums.first() else {
        return GroupVerdict::NotInvertible;
    };
    let one_sum = sums.iter().all(|sum| *sum == (correct, n));
    let gives = |overall: &PublishedNumber| counts_giving(overall, n).contains(&correct);
    match (one_sum, check.overall.is_empty()) {
        (false, _) => GroupVerdict::Contradicts,
        (true, true) => GroupVerdict::NothingToCompare,
        (true, false) if check.overall.iter().all(gives) => GroupVerdict::Consistent,
        (true, false) => GroupVerdict::Contradicts,
    }
}
