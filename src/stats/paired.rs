//! Tests of paired binary outcomes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::binomial_at_most;
use super::{ChiSquareTest, Stat};

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

#[cfg(test)]
mod tests {
    use super::*;

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
