//! Tests of paired binary outcomes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::binomial_at_most;
use super::proportion::wilson;
use super::{ChiSquareTest, Interval, Stat, Undefined};

/// McNemar's test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McNemar {
    /// Pairs right in the first condition only.
    pub first_only: u64,
    /// Pairs right in the second condition only.
    pub second_only: u64,
    /// Two-sided exact binomial p; 1 when no pair is discordant.
    pub p: f64,
}

/// Exact McNemar test from the two discordant counts (McNemar 1947; exact binomial form).
///
/// Under no difference a discordant pair is right in either condition with probability 1/2; p is twice the smaller
/// tail, at most 1. Always defined: without a discordant pair there is no evidence at all, and p is 1.
pub fn mcnemar_exact(first_only: u64, second_only: u64) -> Stat<McNemar> {
    let discordant = first_only.saturating_add(second_only);
    let p = (2.0 * binomial_at_most(first_only.min(second_only), discordant, 0.5)).min(1.0);
    Ok(McNemar {
        first_only,
        second_only,
        p,
    })
}

/// McNemar's test by chi-square with one degree of freedom: (b - c)^2 / (b + c), or with the correction of Edwards (1948)
/// (|b - c| - 1)^2 / (b + c). Without a discordant pair the statistic is 0 and p is 1.
pub fn mcnemar_chi_square(first_only: u64, second_only: u64, corrected: bool) -> ChiSquareTest {
    let discordant = first_only as f64 + second_only as f64;
    if discordant == 0.0 {
        return ChiSquareTest::of(0.0, 1);
    }
    let distance = first_only.abs_diff(second_only) as f64 - f64::from(u8::from(corrected));
    ChiSquareTest::of(distance * distance / discordant, 1)
}

/// The difference of two proportions on the same samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedDifference {
    /// Share right in the first condition less that in the second.
    pub difference: f64,
    /// Newcombe's interval.
    pub interval: Interval,
}

/// The difference of two paired proportions with the interval of Newcombe (1998, method 10): the Wilson intervals of both
/// shares, joined by squaring and adding under their correlation phi, which is taken towards 0 by half a sample.
///
/// `both`, `first_only`, `second_only` and `neither` count samples by the conditions that were right. Undefined without
/// samples.
pub fn paired_difference(
    both: u64,
    first_only: u64,
    second_only: u64,
    neither: u64,
    level: f64,
) -> Stat<PairedDifference> {
    let counts = [both, first_only, second_only, neither];
    let Some(n) = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count)) else {
        return Err(Undefined::because("the counts are too large"));
    };
    let (first, second) = (both + first_only, both + second_only);
    let (of_first, of_second) = (wilson(first, n, level)?, wilson(second, n, level)?);
    let [a, b, c, d] = counts.map(|count| count as f64);
    let margins = ((a + b) * (c + d)).sqrt() * ((a + c) * (b + d)).sqrt();
    let association = a * d - b * c;
    let phi = if margins == 0.0 {
        0.0
    } else if association > 0.0 {
        (association - n as f64 / 2.0).max(0.0) / margins
    } else {
        association / margins
    };
    let (p, q) = (first as f64 / n as f64, second as f64 / n as f64);
    let joined = |x: f64, y: f64| (x * x - 2.0 * phi * x * y + y * y).max(0.0).sqrt();
    let difference = (b - c) / n as f64;
    Ok(PairedDifference {
        difference,
        interval: Interval {
            low: (difference - joined(p - of_first.low, of_second.high - q)).max(-1.0),
            high: (difference + joined(of_first.high - p, q - of_second.low)).min(1.0),
            level,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_a_difference_turn_with_it() {
        let found = paired_difference(30, 12, 4, 14, 0.95).unwrap();
        let turned = paired_difference(30, 4, 12, 14, 0.95).unwrap();
        assert!((found.difference - 8.0 / 60.0).abs() < 1e-15);
        assert!((found.interval.low + turned.interval.high).abs() < 1e-12);
        assert!(found.interval.low < found.difference && found.difference < found.interval.high);
        // About the normal interval, whose error is sqrt(b + c - (b - c)^2 / n) / n = 0.0642.
        assert!((found.interval.low - 0.0075).abs() < 0.02 && (found.interval.high - 0.259).abs() < 0.02);
        let same = paired_difference(60, 0, 0, 0, 0.95).unwrap();
        assert!(same.interval.low < 0.0 && same.interval.high > 0.0);
        assert!(paired_difference(0, 0, 0, 0, 0.95).is_err());
        assert!(paired_difference(u64::MAX, 1, 0, 0, 0.95).is_err());
    }

    #[test]
    fn without_discordant_pairs_p_is_one() {
        assert_eq!(mcnemar_exact(0, 0).unwrap().p, 1.0);
        assert_eq!(mcnemar_exact(4, 4).unwrap().p, 1.0);
    }

    #[test]
    fn two_sided_and_symmetric() {
        let test = mcnemar_exact(0, 3).unwrap();
        assert!((test.p - 0.25).abs() < 1e-14);
        assert_eq!(test.p, mcnemar_exact(3, 0).unwrap().p);
        assert_eq!((test.first_only, test.second_only), (0, 3));
    }
}
