//! Two shares of different samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::function::factorial::ln_binomial;

use super::proportion::wilson;
use super::{Interval, Stat, Undefined};

/// The difference of two shares of different samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnpairedDifference {
    /// The first share minus the second.
    pub difference: f64,
    /// Newcombe's interval.
    pub interval: Interval,
    /// Two-sided exact p of Fisher's test.
    pub p: f64,
}

/// The difference of `first.0 / first.1` and `second.0 / second.1` (successes and observations), with the hybrid score
/// interval of Newcombe (1998, method 10) and Fisher's exact test (1935): p is the probability, given all margins, of all
/// tables that are no more likely than the one seen (likelihoods within a relative 1e-7 count as equal).
///
/// Undefined without observations on either side.
pub fn unpaired_difference(first: (u64, u64), second: (u64, u64), level: f64) -> Stat<UnpairedDifference> {
    let ((a, n), (b, m)) = (first, second);
    if n == 0 || m == 0 {
        return Err(Undefined::because("no observations (n = 0)"));
    }
    let (one, other) = (wilson(a, n, level)?, wilson(b, m, level)?);
    let (p, q) = (a as f64 / n as f64, b as f64 / m as f64);
    let below = ((p - one.low).powi(2) + (other.high - q).powi(2)).sqrt();
    let above = ((one.high - p).powi(2) + (q - other.low).powi(2)).sqrt();
    Ok(UnpairedDifference {
        difference: p - q,
        interval: Interval {
            low: p - q - below,
            high: p - q + above,
            level,
        },
        p: fisher(a, n, b, m),
    })
}

fn fisher(a: u64, n: u64, b: u64, m: u64) -> f64 {
    let successes = a + b;
    let likelihood =
        |first: u64| (ln_binomial(n, first) + ln_binomial(m, successes - first) - ln_binomial(n + m, successes)).exp();
    let seen = likelihood(a) * (1.0 + 1e-7);
    let (least, most) = (successes.saturating_sub(m), successes.min(n));
    let p: f64 = (least..=most).map(likelihood).filter(|likely| *likely <= seen).sum();
    p.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tables() {
        // Fisher's tea, and a table of the documentation of R's fisher.test.
        let tea = unpaired_difference((3, 4), (1, 4), 0.95).unwrap();
        assert!((tea.p - 0.485_714_285_714_285_7).abs() < 1e-12, "{}", tea.p);
        let dieters = unpaired_difference((1, 12), (9, 12), 0.95).unwrap();
        assert!((dieters.p - 0.002_759_456_185_220_09).abs() < 1e-12, "{}", dieters.p);
        // Newcombe (1998), table II: 56/70 - 48/80 has 0.0524 to 0.3339.
        let newcombe = unpaired_difference((56, 70), (48, 80), 0.95).unwrap();
        assert!((newcombe.interval.low - 0.0524).abs() < 5e-5 && (newcombe.interval.high - 0.3339).abs() < 5e-5);
    }

    #[test]
    fn nothing_to_tell_apart() {
        assert_eq!(unpaired_difference((0, 5), (0, 9), 0.95).unwrap().p, 1.0);
        assert!(unpaired_difference((0, 0), (1, 2), 0.95).is_err());
        let same = unpaired_difference((5, 10), (5, 10), 0.95).unwrap();
        assert!((same.p - 1.0).abs() < 1e-12 && same.difference == 0.0);
    }
}
