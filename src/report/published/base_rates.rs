//! Printed verification accuracies beside what always saying "correct" would reach on the answers that were released.
//!
//! No paper prints the share of right answers. It is counted in released data, so this is no recomputation from printed
//! numbers alone, and it holds only as far as the released answers are those that were judged.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PublishedNumber;
use super::counts::{counts_giving, released};

/// One printed verification accuracy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaseRateCheck {
    /// The accuracy.
    pub number: PublishedNumber,
    /// Released answers that are right.
    pub right: u64,
    /// Released answers.
    pub n: u64,
    /// What always saying "correct" reaches, in percent.
    pub base_rate: f64,
    /// The printed accuracy minus that, in points.
    pub difference: f64,
    /// Whether the printed accuracy can come from `n` samples at all; if not, other samples were judged, or it is rounded
    /// otherwise or misprinted.
    pub fits_samples: bool,
}

/// One entry for each printed verification accuracy of a whole method on a data set whose released answers are counted;
/// one that another table repeats is taken once.
pub fn check(numbers: &[PublishedNumber]) -> Vec<BaseRateCheck> {
    let mut seen = BTreeSet::new();
    numbers
        .iter()
        .filter(|number| number.measure == "verification_accuracy_percent" && number.setting.is_empty())
        .filter(|number| {
            let same = [
                &number.source,
                &number.method,
                &number.model,
                &number.dataset,
                &number.printed,
            ];
            seen.insert(same.map(String::as_str))
        })
        .filter_map(|number| {
            let count = |measure: &str| released(numbers, number, measure).map(|found| found.value() as u64);
            let (right, n) = (count("correct")?, count("samples").filter(|n| *n > 0)?);
            let base_rate = 100.0 * right as f64 / n as f64;
            Some(BaseRateCheck {
                number: number.clone(),
                right,
                n,
                base_rate,
                difference: number.value() - base_rate,
                fits_samples: !counts_giving(number, n).is_empty(),
            })
        })
        .collect()
}
