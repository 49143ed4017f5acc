//! Measures of a binary judge against the truth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Stat, Undefined};

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

/// Share of right answers that were called right (recall of the positive class).
pub fn sensitivity(counts: &Confusion) -> Stat<f64> {
    share(counts.true_positive, counts.false_negative, "right")
}

/// Share of wrong answers that were called wrong (recall of the negative class).
pub fn specificity(counts: &Confusion) -> Stat<f64> {
    share(counts.true_negative, counts.false_positive, "wrong")
}

/// Mean of sensitivity and specificity; undefined when a class is missing.
///
/// A judge that says the same of every answer has 1/2, whatever the share of right answers (Brodersen et al. 2010).
pub fn balanced_accuracy(counts: &Confusion) -> Stat<f64> {
    Ok(f64::midpoint(sensitivity(counts)?, specificity(counts)?))
}

fn share(hits: u64, misses: u64, class: &str) -> Stat<f64> {
    let n = hits + misses;
    if n == 0 {
        return Err(Undefined::because(format!("no {class} answers were judged")));
    }
    Ok(hits as f64 / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_right_has_balanced_accuracy_one_half() {
        let counts = Confusion {
            true_positive: 79,
            false_positive: 21,
            true_negative: 0,
            false_negative: 0,
        };
        assert_eq!(sensitivity(&counts), Ok(1.0));
        assert_eq!(specificity(&counts), Ok(0.0));
        assert_eq!(balanced_accuracy(&counts), Ok(0.5));
    }

    #[test]
    fn a_missing_class_is_named() {
        let only_right = Confusion {
            true_positive: 3,
            false_negative: 1,
            ..Confusion::default()
        };
        assert_eq!(sensitivity(&only_right), Ok(0.75));
        assert!(
            balanced_accuracy(&only_right)
                .unwrap_err()
                .reason
                .contains("no wrong answers")
        );
        assert!(balanced_accuracy(&Confusion::default()).is_err());
    }
}
