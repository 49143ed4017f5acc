//! Measures of a binary judge against the truth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Stat;

/// Counts of a binary judge; positive means "the answer is right".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confusion {
    /// Right answers called right.
    pub true_positive: u64,
    /// Wrong answers called right.
    pub false_positive: u64,
    /// Wrong answers called wrong.
    pub true_negative: u64,
    /// Right answers called wrong.
    pub false_negative: u64,
}

/// Mean of sensitivity and specificity; undefined when a class is missing.
pub fn balanced_accuracy(counts: &Confusion) -> Stat<f64> {
    let _ = counts;
    todo!("stats room")
}
