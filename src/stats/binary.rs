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

/// Share of all answers that were called what they are.
pub fn accuracy(counts: &Confusion) -> Stat<f64> {
    let right = counts.true_positive + counts.true_negative;
    share(right, counts.false_positive + counts.false_negative, "right or wrong")
}

/// Matthews' correlation coefficient (Matthews 1975), the correlation of what was called right with what is right:
/// (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).
///
/// Undefined when a class is missing or the judge says the same of every answer (some put 0 there).
pub fn matthews_correlation(counts: &Confusion) -> Stat<f64> {
    sensitivity(counts)?;
    specificity(counts)?;
    let [tp, fp, tn, fn_] = [
        counts.true_positive,
        counts.false_positive,
        counts.true_negative,
        counts.false_negative,
    ]
    .map(|count| count as f64);
    if tp + fp == 0.0 || tn + fn_ == 0.0 {
        return Err(Undefined::because("the judge says the same of every answer"));
    }
    let scale = ((tp + fp) * (tp + fn_)).sqrt() * ((tn + fp) * (tn + fn_)).sqrt();
    Ok(((tp * tn - fp * fn_) / scale).clamp(-1.0, 1.0))
}

/// Cohen's kappa (Cohen 1960) of what was said against what is so: (observed - expected) / (1 - expected) agreement, as
/// [`super::agreement::cohen_kappa`] has it. Undefined when all that was said and all that is so is one and the same.
pub fn kappa(counts: &Confusion) -> Stat<f64> {
    let [a, b, d, c] = [
        counts.true_positive,
        counts.false_positive,
        counts.true_negative,
        counts.false_negative,
    ]
    .map(|count| count as f64);
    let n = a + b + c + d;
    if n == 0.0 {
        return Err(Undefined::because("nothing was judged"));
    }
    let expected = ((a + b) * (a + c) + (c + d) * (b + d)) / n;
    if expected >= n {
        return Err(Undefined::because(
            "everything said and everything so is one and the same",
        ));
    }
    Ok((a + d - expected) / (n - expected))
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
        assert_eq!(accuracy(&counts), Ok(0.79));
        assert!(matthews_correlation(&counts).unwrap_err().reason.contains("the same"));
    }

    #[test]
    fn a_judge_that_is_right_three_times_of_four() {
        let counts = Confusion {
            true_positive: 30,
            false_positive: 10,
            true_negative: 30,
            false_negative: 10,
        };
        assert_eq!(matthews_correlation(&counts), Ok(0.5));
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
