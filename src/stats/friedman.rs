//! Whether several conditions rank alike on the same samples, and which of them differ.

use super::distribution::f_above;
use super::rank::average_ranks;
use super::studentized_range::{range_above, range_point_above};
use super::{ChiSquareTest, Stat, Undefined};

/// Friedman's test.
#[derive(Clone, Debug, PartialEq)]
pub struct Friedman {
    /// The test by chi-square with k - 1 degrees of freedom, corrected for ties.
    pub test: ChiSquareTest,
    /// The mean rank of every condition, 1 for the smallest value.
    pub mean_ranks: Vec<f64>,
    /// Kendall's W (Kendall and Babington Smith 1939), chi-square / (n (k - 1)): the effect size, from 0 (no agreement of
    /// the samples) to 1 (all samples rank alike).
    pub kendall_w: f64,
    /// The test of Iman and Davenport (1980), less conservative; undefined when all samples rank alike, where its F is
    /// infinite, and for one sample.
    pub iman_davenport: Stat<FTest>,
}

/// A test by the F distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FTest {
    /// The statistic, at least 0.
    pub statistic: f64,
    /// Degrees of freedom of its numerator and denominator.
    pub freedom: (f64, f64),
    /// The probability of a statistic at least as large when the hypothesis holds.
    pub p: f64,
}

/// Friedman's test (Friedman 1937) with the correction for ties (Conover 1999, 5.8).
///
/// `values` has a row a sample and a column a condition; the values of a row are ranked. With mean rank R:
/// chi-square = 12 n / (k (k + 1)) sum (R - (k + 1)/2)^2 / (1 - sum (t^3 - t) / (n k (k^2 - 1))). Undefined without
/// samples, for fewer than three conditions (see [`super::signed_rank`] and [`super::paired`]), for rows of unequal
/// length, for a value that is not a number, and when every row is constant.
pub fn friedman(values: &[Vec<f64>]) -> Stat<Friedman> {
    let Ranked { mean_ranks, ties } = ranked(values)?;
    let (n, k) = (values.len() as f64, mean_ranks.len() as f64);
    if mean_ranks.len() < 3 {
        return Err(Undefined::because("fewer than three conditions"));
    }
    let untied = 1.0 - ties / (n * k * (k * k - 1.0));
    // Whole numbers were summed, so that this is exact.
    if ties == n * k * (k * k - 1.0) {
        return Err(Undefined::because("no sample tells the conditions apart"));
    }
    let spread: f64 = mean_ranks.iter().map(|rank| (rank - (k + 1.0) / 2.0).powi(2)).sum();
    let statistic = 12.0 * n / (k * (k + 1.0)) * spread / untied;
    let kendall_w = (statistic / (n * (k - 1.0))).min(1.0);
    let left = n * (k - 1.0) - statistic;
    let iman_davenport = if values.len() < 2 {
        Err(Undefined::because("n = 1 is too small"))
    } else if left <= 1e-9 * n * (k - 1.0) {
        Err(Undefined::because("all samples rank alike, where F is infinite"))
    } else {
        let freedom = (k - 1.0, (k - 1.0) * (n - 1.0));
        let f = (n - 1.0) * statistic / left;
        Ok(FTest {
            statistic: f,
            freedom,
            p: f_above(f, freedom.0, freedom.1),
        })
    };
    Ok(Friedman {
        test: ChiSquareTest::of(statistic, mean_ranks.len() - 1),
        mean_ranks,
        kendall_w,
        iman_davenport,
    })
}

/// The mean over samples of each condition's rank within the sample, which is what Friedman's and Nemenyi's tests are of.
/// Where the values are ranks averaged over several rankings of a sample, it is another figure than their mean.
pub fn mean_ranks(values: &[Vec<f64>]) -> Stat<Vec<f64>> {
    ranked(values).map(|ranked| ranked.mean_ranks)
}

/// Nemenyi's comparison of every two conditions (Nemenyi 1963; Demsar 2006): p that two mean ranks differ as much as they
/// do, by the studentized range of |difference| sqrt(12 n / (k (k + 1))), corrected for comparing all.
///
/// The matrix is symmetric with 1 on its diagonal. Undefined like [`friedman`], but for two conditions, or constant rows,
/// it has values.
pub fn nemenyi(values: &[Vec<f64>]) -> Stat<Vec<Vec<f64>>> {
    let Ranked { mean_ranks, .. } = ranked(values)?;
    let k = mean_ranks.len();
    let scale = (12.0 * values.len() as f64 / (k as f64 * (k as f64 + 1.0))).sqrt();
    let mut p = vec![vec![1.0; k]; k];
    for first in 0..k {
        for second in 0..first {
            let value = range_above((mean_ranks[first] - mean_ranks[second]).abs() * scale, k);
            p[first][second] = value;
            p[second][first] = value;
        }
    }
    Ok(p)
}

/// The difference of two mean ranks that is significant at `alpha` by [`nemenyi`].
pub fn critical_difference(conditions: usize, samples: usize, alpha: f64) -> Stat<f64> {
    if conditions < 2 || samples == 0 {
        return Err(Undefined::because("fewer than two conditions, or no samples"));
    }
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(Undefined::because(format!("alpha {alpha} is not between 0 and 1")));
    }
    let (k, n) = (conditions as f64, samples as f64);
    Ok(range_point_above(alpha, conditions) * (k * (k + 1.0) / (12.0 * n)).sqrt())
}

struct Ranked {
    mean_ranks: Vec<f64>,
    /// The sum of t^3 - t over all groups of t equal values.
    ties: f64,
}

fn ranked(values: &[Vec<f64>]) -> Stat<Ranked> {
    let conditions = values.first().map_or(0, Vec::len);
    if values.is_empty() {
        return Err(Undefined::because("no samples (n = 0)"));
    }
    if conditions < 2 {
        return Err(Undefined::because("fewer than two conditions"));
    }
    let mut sums = vec![0.0; conditions];
    let mut ties = 0.0;
    for row in values {
        if row.len() != conditions {
            return Err(Undefined::because("some samples lack a condition"));
        }
        let mut ranks = average_ranks(row)?;
        for (sum, rank) in sums.iter_mut().zip(&ranks) {
            *sum += rank;
        }
        ranks.sort_by(f64::total_cmp);
        for group in ranks.chunk_by(|a, b| a == b) {
            let t = group.len() as f64;
            ties += t * t * t - t;
        }
    }
    let n = values.len() as f64;
    Ok(Ranked {
        mean_ranks: sums.into_iter().map(|sum| sum / n).collect(),
        ties,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_samples_rank_alike() {
        let values = vec![vec![1.0, 2.0, 3.0]; 10];
        let found = friedman(&values).unwrap();
        assert!((found.test.statistic - 20.0).abs() < 1e-12);
        assert_eq!((found.kendall_w, found.mean_ranks), (1.0, vec![1.0, 2.0, 3.0]));
        assert!(found.iman_davenport.unwrap_err().reason.contains("infinite"));
        let p = nemenyi(&values).unwrap();
        let difference = critical_difference(3, 10, p[0][1]).unwrap();
        assert!((difference - 1.0).abs() < 1e-9);
    }

    #[test]
    fn undefined_has_a_reason() {
        assert!(friedman(&[]).is_err());
        assert!(friedman(&[vec![1.0, 2.0]]).unwrap_err().reason.contains("three"));
        assert!(friedman(&[vec![1.0; 3]]).unwrap_err().reason.contains("apart"));
        assert!(friedman(&[vec![1.0, 2.0, 3.0], vec![1.0]]).is_err());
        assert!(friedman(&[vec![1.0, f64::NAN, 3.0]]).is_err());
        assert!(critical_difference(3, 0, 0.05).is_err() && critical_difference(3, 5, 0.0).is_err());
    }
}
