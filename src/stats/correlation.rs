//! Correlations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::{checked_level, normal_quantile, normal_two_sided, t_two_sided_of_correlation};
use super::rank::average_ranks;
use super::{Interval, Stat, Undefined};

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

/// A rank correlation with its test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankCorrelation {
    /// The coefficient, in [-1, 1].
    pub coefficient: f64,
    /// Two-sided p of no association.
    pub p: f64,
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
    let p = if n == 2 {
        1.0
    } else {
        t_two_sided_of_correlation(r, n as f64 - 2.0)
    };
    Ok(Correlation {
        r: if n == 2 { r.signum() } else { r },
        p,
        interval: fisher_interval(r, n, level),
        n,
    })
}

/// tanh(atanh(r) -+ z / sqrt(n - 3)).
fn fisher_interval(r: f64, n: usize, level: f64) -> Stat<Interval> {
    if n <= 3 {
        return Err(Undefined::because(format!("n = {n} is too small for an interval")));
    }
    // Rounding alone separates these from a perfect correlation.
    if r.abs() > 1.0 - 1e-12 {
        return Err(Undefined::because(
            "all points lie on a line, where Fisher's z is infinite",
        ));
    }
    let centre = r.atanh();
    let half = normal_quantile(level) / (n as f64 - 3.0).sqrt();
    Ok(Interval {
        low: (centre - half).tanh(),
        high: (centre + half).tanh(),
        level,
    })
}

/// Spearman's rank correlation (Spearman 1904): Pearson's r of the average ranks, with p by Student's t with n - 2
/// degrees of freedom.
///
/// Undefined like [`pearson`], and for two points, which have no degree of freedom.
pub fn spearman(x: &[f64], y: &[f64]) -> Stat<RankCorrelation> {
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
        p: t_two_sided_of_correlation(rho, n as f64 - 2.0),
        n,
    })
}

/// Kendall's tau-b (Kendall 1945).
///
/// p is exact without ties up to 33 points, and beyond when at most one pair is out of order; else from the normal
/// approximation with the variance under ties (Kendall 1970), as `scipy.stats.kendalltau` chooses.
pub fn kendall(x: &[f64], y: &[f64]) -> Stat<RankCorrelation> {
    checked_pairs_of_ranks(x, y)?;
    let n = x.len();
    if n < 2 {
        return Err(Undefined::because(format!(
            "n = {n} is too small for a rank correlation"
        )));
    }
    let mut concordant = 0_u64;
    let mut discordant = 0_u64;
    for first in 0..n {
        for second in first + 1..n {
            let product = sign(x[first], x[second]) * sign(y[first], y[second]);
            concordant += u64::from(product > 0);
            discordant += u64::from(product < 0);
        }
    }
    let pairs = (n * (n - 1) / 2) as f64;
    let (x_ties, y_ties) = (Ties::of(x), Ties::of(y));
    if x_ties.pairs == pairs || y_ties.pairs == pairs {
        return Err(no_variation(if x_ties.pairs == pairs { "x" } else { "y" }));
    }
    let difference = concordant as f64 - discordant as f64;
    let tau = difference / (pairs - x_ties.pairs).sqrt() / (pairs - y_ties.pairs).sqrt();
    let least = concordant.min(discordant);
    let p = if x_ties.pairs == 0.0 && y_ties.pairs == 0.0 && (n <= 33 || least <= 1) {
        (2.0 * at_most_inversions(least, n)).min(1.0)
    } else if n == 2 {
        1.0
    } else {
        let size = n as f64;
        let m = size * (size - 1.0);
        let variance = (m * (2.0 * size + 5.0) - x_ties.weighted - y_ties.weighted) / 18.0
            + 2.0 * x_ties.pairs * y_ties.pairs / m
            + x_ties.triples * y_ties.triples / (9.0 * m * (size - 2.0));
        normal_two_sided(difference / variance.sqrt())
    };
    Ok(RankCorrelation {
        coefficient: tau.clamp(-1.0, 1.0),
        p,
        n,
    })
}

/// Sums over groups of equal values, each of size t.
struct Ties {
    /// t (t - 1) / 2.
    pairs: f64,
    /// t (t - 1) (t - 2).
    triples: f64,
    /// t (t - 1) (2 t + 5).
    weighted: f64,
}

impl Ties {
    fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut ties = Self {
            pairs: 0.0,
            triples: 0.0,
            weighted: 0.0,
        };
        for group in sorted.chunk_by(|a, b| a == b) {
            let t = group.len() as f64;
            ties.pairs += t * (t - 1.0) / 2.0;
            ties.triples += t * (t - 1.0) * (t - 2.0);
            ties.weighted += t * (t - 1.0) * (2.0 * t + 5.0);
        }
        ties
    }
}

fn sign(a: f64, b: f64) -> i8 {
    i8::from(a > b) - i8::from(a < b)
}

/// The probability that a random permutation of `n` has at most `most` inversions. The number of inversions is a sum of
/// independent uniform variables on 0..j for j below n, whose distributions are folded one by one.
fn at_most_inversions(most: u64, n: usize) -> f64 {
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(n * (n - 1) / 2);
    let mut probabilities = vec![0.0; most + 1];
    probabilities[0] = 1.0;
    for choices in 2..=n {
        let mut window = 0.0;
        let before = probabilities.clone();
        for inversions in 0..=most {
            window += before[inversions];
            if inversions >= choices {
                window -= before[inversions - choices];
            }
            probabilities[inversions] = window / choices as f64;
        }
    }
    probabilities.iter().sum()
}

/// Deviations from the mean, scaled to length 1. Scaling by a power of two first, which rounds nothing, keeps sums from
/// overflowing.
fn unit_deviations(values: &[f64], name: &str) -> Stat<Vec<f64>> {
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

fn no_variation(name: &str) -> Undefined {
    Undefined::because(format!("no variation in {name}"))
}

fn checked_pairs(x: &[f64], y: &[f64]) -> Stat<()> {
    checked_pairs_of_ranks(x, y)?;
    if x.iter().chain(y).any(|value| !value.is_finite()) {
        return Err(Undefined::because("a value is not finite"));
    }
    Ok(())
}

fn checked_pairs_of_ranks(x: &[f64], y: &[f64]) -> Stat<()> {
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

    #[test]
    fn inversions_of_short_permutations() {
        // Of the 6 permutations of 3, 1 has no inversion, 2 have one, 2 two, 1 three.
        for (most, count) in [(0, 1.0), (1, 3.0), (2, 5.0), (3, 6.0)] {
            assert!((at_most_inversions(most, 3) - count / 6.0).abs() < 1e-15);
        }
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
                for rank in [spearman(&x, &y).unwrap(), kendall(&x, &y).unwrap()] {
                    proptest::prop_assert!(rank.coefficient.abs() <= 1.0 && (0.0..=1.0).contains(&rank.p));
                }
            }
        }
    }
}
