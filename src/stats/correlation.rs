//! Correlations of values and of their ranks. Kendall's is in [`super::kendall`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::{checked_level, normal_quantile, t_two_sided_of_correlation};
use super::rank::average_ranks;
use super::{Alternative, Interval, Stat, Undefined};

/// A correlation with its test and interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The coefficient, in [-1, 1].
    pub r: f64,
    /// Two-sided p of r = 0, by Student's t with n - 2 degrees of freedom.
    pub p: f64,
    /// Fisher z interval, or why there is none.
    pub interval: Result<Interval, super::Undefined>,
    /// Points.
    pub n: usize,
}

/// A rank correlation with its test and interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankCorrelation {
    /// The coefficient, in [-1, 1].
    pub coefficient: f64,
    /// Two-sided p of no association.
    pub p: f64,
    /// Interval on the scale of Fisher's z, or why there is none.
    pub interval: Result<Interval, super::Undefined>,
    /// Points.
    pub n: usize,
}

/// Pearson's product-moment correlation (Pearson 1895), with Fisher's z interval (Fisher 1921).
///
/// Undefined for fewer than two points, a value that is not finite, or no variation in x or y. Two points lie on a line
/// always: r is 1 or -1 and p is 1. The interval needs n > 3, and |r| < 1, where z is finite.
pub fn pearson(x: &[f64], y: &[f64], level: f64) -> Stat<Correlation> {
    checked_level(level)?;
    checked_pairs(x, y)?;
    let n = x.len();
    if n < 2 {
        return Err(Undefined::because(format!("n = {n} is too small for a correlation")));
    }
    let (x, y) = (unit_deviations(x, "x")?, unit_deviations(y, "y")?);
    let r = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>().clamp(-1.0, 1.0);
    Ok(Correlation {
        r: if n == 2 { r.signum() } else { r },
        p: correlation_p(r, n, Alternative::TwoSided)?,
        interval: fisher_interval(r, n, 3, 1.0, level),
        n,
    })
}

/// p of a correlation of `n` points, by Student's t with n - 2 degrees of freedom, for the alternative asked. Two points
/// lie on a line always, and p is 1.
pub fn correlation_p(r: f64, n: usize, alternative: Alternative) -> Stat<f64> {
    if !(-1.0..=1.0).contains(&r) {
        return Err(Undefined::because(format!("r = {r} is not between -1 and 1")));
    }
    if n < 2 {
        return Err(Undefined::because(format!("n = {n} is too small for a correlation")));
    }
    if n == 2 {
        return Ok(1.0);
    }
    let two_sided = t_two_sided_of_correlation(r, n as f64 - 2.0);
    Ok(match alternative {
        Alternative::TwoSided => two_sided,
        Alternative::Less if r < 0.0 => two_sided / 2.0,
        Alternative::Greater if r > 0.0 => two_sided / 2.0,
        _ => 1.0 - two_sided / 2.0,
    })
}

/// tanh(atanh(r) -+ z e) with the standard error e = sqrt(factor / (n - lost)).
pub(super) fn fisher_interval(r: f64, n: usize, lost: usize, factor: f64, level: f64) -> Stat<Interval> {
    checked_level(level)?;
    if n <= lost {
        return Err(Undefined::because(format!("n = {n} is too small for an interval")));
    }
    // Rounding alone separates these from a perfect correlation.
    if r.abs() > 1.0 - 1e-12 {
        return Err(Undefined::because(
            "all points lie on a line, where Fisher's z is infinite",
        ));
    }
    let centre = r.atanh();
    let half = normal_quantile(level) * (factor / (n - lost) as f64).sqrt();
    Ok(Interval {
        low: (centre - half).tanh(),
        high: (centre + half).tanh(),
        level,
    })
}

/// Spearman's rank correlation (Spearman 1904): Pearson's r of the average ranks, with p by Student's t with n - 2
/// degrees of freedom, and the interval tanh(atanh(rho) -+ z sqrt((1 + rho^2 / 2) / (n - 3))) of Bonett and Wright (2000).
///
/// Undefined like [`pearson`], and for two points, which have no degree of freedom. Infinite values have a rank.
pub fn spearman(x: &[f64], y: &[f64], level: f64) -> Stat<RankCorrelation> {
    checked_level(level)?;
    checked_pairs_of_ranks(x, y)?;
    let n = x.len();
    if n < 3 {
        return Err(Undefined::because(format!(
            "n = {n} is too small for a rank correlation"
        )));
    }
    let (x, y) = (
        unit_deviations(&average_ranks(x)?, "x")?,
        unit_deviations(&average_ranks(y)?, "y")?,
    );
    let rho = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>().clamp(-1.0, 1.0);
    Ok(RankCorrelation {
        coefficient: rho,
        p: correlation_p(rho, n, Alternative::TwoSided)?,
        interval: fisher_interval(rho, n, 3, 1.0 + rho * rho / 2.0, level),
        n,
    })
}

/// Deviations from the mean, scaled to length 1. Scaling by a power of two first, which rounds nothing, keeps sums from
/// overflowing.
pub(super) fn unit_deviations(values: &[f64], name: &str) -> Stat<Vec<f64>> {
    if values.iter().all(|value| *value == values[0]) {
        return Err(no_variation(name));
    }
    let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let scale = (-largest.log2().floor().clamp(-1000.0, 1000.0)).exp2();
    let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
    let mean = scaled.iter().sum::<f64>() / scaled.len() as f64;
    let deviations: Vec<f64> = scaled.iter().map(|value| value - mean).collect();
    let spread = deviations.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if spread == 0.0 {
        return Err(no_variation(name));
    }
    let length = spread
        * deviations
            .iter()
            .map(|value| (value / spread).powi(2))
            .sum::<f64>()
            .sqrt();
    Ok(deviations.iter().map(|value| value / length).collect())
}

pub(super) fn no_variation(name: &str) -> Undefined {
    Undefined::because(format!("no variation in {name}"))
}

fn checked_pairs(x: &[f64], y: &[f64]) -> Stat<()> {
    checked_pairs_of_ranks(x, y)?;
    if x.iter().chain(y).any(|value| !value.is_finite()) {
        return Err(Undefined::because("a value is not finite"));
    }
    Ok(())
}

pub(super) fn checked_pairs_of_ranks(x: &[f64], y: &[f64]) -> Stat<()> {
    if x.len() != y.len() {
        return Err(Undefined::because(format!(
            "{} values of x but {} of y",
            x.len(),
            y.len()
        )));
    }
    if x.iter().chain(y).any(|value| value.is_nan()) {
        return Err(Undefined::because("a value is not a number"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::kendall::kendall;
    use super::*;

    #[test]
    fn undefined_has_a_reason() {
        let reason = |x: &[f64], y: &[f64]| pearson(x, y, 0.95).unwrap_err().reason;
        assert_eq!(reason(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), "no variation in x");
        assert_eq!(reason(&[1.0, 2.0, 3.0], &[0.1, 0.1, 0.1]), "no variation in y");
        assert!(reason(&[1.0], &[1.0]).contains("n = 1"));
        assert!(reason(&[1.0, 2.0], &[1.0]).contains("2 values of x but 1 of y"));
        assert!(reason(&[1.0, f64::NAN], &[1.0, 2.0]).contains("not a number"));
        assert!(reason(&[1.0, f64::INFINITY], &[1.0, 2.0]).contains("not finite"));
    }

    #[test]
    fn small_and_perfect_samples() {
        let two = pearson(&[1.0, 2.0], &[5.0, 3.0], 0.95).unwrap();
        assert_eq!((two.r, two.p, two.n), (-1.0, 1.0, 2));
        assert!(two.interval.unwrap_err().reason.contains("n = 2"));
        let line = pearson(&[0.0, 1.0, 2.0, 3.0], &[1.0, 3.0, 5.0, 7.0], 0.95).unwrap();
        assert!(line.p < 1e-6 && line.interval.unwrap_err().reason.contains("on a line"));
    }

    proptest::proptest! {
        #[test]
        fn coefficients_are_symmetric_and_bounded(pairs in proptest::collection::vec((-5_i8..5, -5_i8..5), 3..40)) {
            let x: Vec<f64> = pairs.iter().map(|(x, _)| f64::from(*x)).collect();
            let y: Vec<f64> = pairs.iter().map(|(_, y)| f64::from(*y)).collect();
            if let Ok(found) = pearson(&x, &y, 0.9) {
                let turned = pearson(&y, &x, 0.9).unwrap();
                proptest::prop_assert!((found.r - turned.r).abs() < 1e-12);
                proptest::prop_assert!(found.r.abs() <= 1.0 && (0.0..=1.0).contains(&found.p));
                for rank in [spearman(&x, &y, 0.9).unwrap(), kendall(&x, &y, 0.9).unwrap()] {
                    proptest::prop_assert!(rank.coefficient.abs() <= 1.0 && (0.0..=1.0).contains(&rank.p));
                }
            }
        }
    }
}
