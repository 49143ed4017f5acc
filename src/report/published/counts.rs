//! Whether a printed percentage can come from so many samples: some whole count, divided and rounded, has to give it.
//!
//! With many samples almost any percentage can, so each check says what share of all percentages would pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PublishedNumber;

/// So far from the stated number of samples others are looked at.
const NEAR: u64 = 5;
/// Up to so many samples the least number that can give a percentage is looked for.
const MOST: u64 = 20_000;

/// Where the number of samples comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SamplesFrom {
    /// The paper prints it for this number.
    Printed,
    /// Another table or paper prints the size of the split.
    SplitSize,
    /// It is counted in what the authors released.
    Released,
}

/// One percentage against one number of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountCheck {
    /// The number.
    pub number: PublishedNumber,
    /// Samples.
    pub n: u64,
    /// Who says so.
    pub n_from: SamplesFrom,
    /// Every count that gives the percentage; none says that it cannot come from `n` samples.
    pub counts: Vec<u64>,
    /// Near numbers of samples that can give it.
    pub near: Vec<OtherSamples>,
    /// The least number of samples that can give it at all.
    pub least: Option<OtherSamples>,
    /// The share of all percentages with as many digits that `n` samples can give; near 1 the check says nothing.
    pub passes_by_chance: f64,
}

/// Another number of samples, with the counts that give the percentage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherSamples {
    /// Samples.
    pub n: u64,
    /// Counts.
    pub counts: Vec<u64>,
}

/// A percentage printed beside the counts that it is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FractionCheck {
    /// The percentage.
    pub number: PublishedNumber,
    /// The count printed beside it.
    pub correct: u64,
    /// The samples printed beside it.
    pub n: u64,
    /// What the counts give, in percent.
    pub percent: f64,
    /// Whether that rounds to what is printed.
    pub agrees: bool,
}

/// Every count of `n` samples that gives the number when rounded as printed. A tie may have been rounded either way.
pub fn counts_giving(number: &PublishedNumber, n: u64) -> Vec<u64> {
    if n == 0 {
        return Vec::new();
    }
    let (value, rounding, samples) = (number.value(), number.rounding() + 1e-9, n as f64);
    let first = ((value - rounding) * samples / 100.0).ceil().max(0.0);
    let last = ((value + rounding) * samples / 100.0).floor().min(samples);
    if first > last {
        return Vec::new();
    }
    (first as u64..=last as u64).collect()
}

/// Checks every percentage for which a number of samples is known.
pub fn check(numbers: &[PublishedNumber]) -> Vec<CountCheck> {
    numbers
        .iter()
        .filter(|number| number.is_percentage() && !number.is_released() && fraction_of(numbers, number).is_none())
        .filter_map(|number| {
            let (n, n_from) = samples_of(numbers, number)?;
            Some(one(number, n, n_from))
        })
        .collect()
}

fn one(number: &PublishedNumber, n: u64, n_from: SamplesFrom) -> CountCheck {
    let with = |n: u64| {
        let counts = counts_giving(number, n);
        (!counts.is_empty()).then_some(OtherSamples { n, counts })
    };
    let near = (n.saturating_sub(NEAR)..=n.saturating_add(NEAR)).filter(|other| *other != n);
    let printable = 100.0 * 10_f64.powi(number.decimals() as i32) + 1.0;
    CountCheck {
        number: number.clone(),
        n,
        n_from,
        counts: counts_giving(number, n),
        near: near.filter_map(with).collect(),
        least: (1..=MOST).find_map(with),
        passes_by_chance: ((n as f64 + 1.0) / printable).min(1.0),
    }
}

/// Samples that a percentage is over. A group's own count is printed beside it; of the whole, the size of its split or,
/// for judges' figures, the number of explanations released counts.
pub(in crate::report) fn samples_of(
    numbers: &[PublishedNumber],
    number: &PublishedNumber,
) -> Option<(u64, SamplesFrom)> {
    if let Some(n) = number.n {
        return Some((n, SamplesFrom::Printed));
    }
    if number.group().is_some() {
        return None;
    }
    let count = |found: &PublishedNumber| found.value() as u64;
    if number.quantity() == "accuracy_percent" {
        let of_split = |other: &&PublishedNumber| other.measure == "samples" && other.method.is_empty();
        return numbers
            .iter()
            .filter(of_split)
            .find(|other| other.dataset == number.dataset)
            .map(|size| (count(size), SamplesFrom::SplitSize));
    }
    let judged = ["simulation_accuracy_percent", "verification_accuracy_percent"].contains(&number.quantity());
    if judged && number.setting.is_empty() && number.model != "Human" {
        return released(numbers, number, "samples").map(|size| (count(size), SamplesFrom::Released));
    }
    None
}

/// What is counted in the released data of the same source, method and data set.
pub(super) fn released<'a>(
    numbers: &'a [PublishedNumber],
    number: &PublishedNumber,
    measure: &str,
) -> Option<&'a PublishedNumber> {
    numbers.iter().find(|other| {
        other.is_released()
            && other.measure == measure
            && (&other.source, &other.method, &other.dataset) == (&number.source, &number.method, &number.dataset)
    })
}

fn fraction_of(numbers: &[PublishedNumber], number: &PublishedNumber) -> Option<u64> {
    let (_, group) = number.measure.split_once(':')?;
    let measure = format!("correct:{group}");
    let beside = numbers.iter().find(|other| {
        other.measure == measure
            && (&other.source, &other.table, &other.row, &other.method, &other.dataset)
                == (
                    &number.source,
                    &number.table,
                    &number.row,
                    &number.method,
                    &number.dataset,
                )
    })?;
    Some(beside.value() as u64)
}

/// Checks every percentage that is printed beside its counts.
pub fn check_fractions(numbers: &[PublishedNumber]) -> Vec<FractionCheck> {
    numbers
        .iter()
        .filter(|number| number.is_percentage())
        .filter_map(|number| {
            let (correct, n) = (fraction_of(numbers, number)?, number.n.filter(|n| *n > 0)?);
            let percent = 100.0 * correct as f64 / n as f64;
            Some(FractionCheck {
                number: number.clone(),
                correct,
                n,
                percent,
                agrees: (percent - number.value()).abs() <= number.rounding() + 1e-9,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percentage(printed: &str, n: Option<u64>) -> PublishedNumber {
        PublishedNumber {
            source: "paper".to_owned(),
            table: "1".to_owned(),
            row: String::new(),
            column: String::new(),
            method: "M".to_owned(),
            setting: String::new(),
            model: String::new(),
            dataset: "D".to_owned(),
            measure: "accuracy_percent".to_owned(),
            printed: printed.to_owned(),
            n,
        }
    }

    #[test]
    fn a_percentage_has_the_counts_that_round_to_it() {
        assert_eq!(counts_giving(&percentage("33.3", None), 3), [1]);
        assert_eq!(
            counts_giving(&percentage("33", None), 1000),
            (325..=335).collect::<Vec<_>>()
        );
        // A tie: 12.5 may have been printed as 12 or as 13.
        assert_eq!(counts_giving(&percentage("12", None), 8), [1]);
        assert_eq!(counts_giving(&percentage("13", None), 8), [1]);
        assert!(counts_giving(&percentage("33.3", None), 4).is_empty());
        assert_eq!(counts_giving(&percentage("0.00", None), 9), [0]);
        assert_eq!(counts_giving(&percentage("100.0", None), 9), [9]);
        assert!(counts_giving(&percentage("50", None), 0).is_empty());
    }

    #[test]
    fn what_cannot_be_names_what_could() {
        let checks = check(&[percentage("66.7", Some(10)), percentage("70.0", Some(10))]);
        assert!(checks[0].counts.is_empty());
        assert_eq!(checks[0].least, Some(OtherSamples { n: 3, counts: vec![2] }));
        assert_eq!(
            checks[0].near.iter().map(|other| other.n).collect::<Vec<_>>(),
            [6, 9, 12, 15]
        );
        assert_eq!(
            (checks[1].counts.as_slice(), checks[1].n_from),
            ([7].as_slice(), SamplesFrom::Printed)
        );
        assert!((checks[1].passes_by_chance - 11.0 / 1001.0).abs() < 1e-12);
    }
}
