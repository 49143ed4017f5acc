//! Whether paired differences, one whole number a sample, add up to more than chance.

use std::collections::BTreeMap;

use super::Stat;
use super::Undefined;

/// Additions up to which the distribution is built up sample by sample, which keeps small p to the last digit.
const MOST_ADDITIONS: u64 = 4_000_000;

/// More than this in all is not counted by anybody.
const LARGEST_SUM: u64 = 1 << 24;

/// Below this the sum over frequencies is rounding.
const LEAST_BY_FREQUENCIES: f64 = 1e-12;

/// The two-sided p of the paired sign-flip (randomisation) test of a sum (Fisher 1935): the share of all ways to give each
/// difference a plus or a minus whose sum is at least as far from 0 as the one seen.
///
/// It tests what a difference of two shares over trials is made of: the sum over samples of trials won less trials lost.
/// Where every difference is 1, 0 or -1 it is McNemar's exact test. It is exact for any number of samples: sample by sample
/// where that takes few additions, else from the sum's characteristic function, the product of cosines, where p below
/// 1e-12 is given as 1e-12. Always defined below 2^24 in all; p is 1 where the sum is 0.
pub fn sign_flip(differences: &[i64]) -> Stat<f64> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut total, mut samples) = (0_u64, 0_u64);
    for difference in differences.iter().filter(|difference| **difference != 0) {
        let size = difference.unsigned_abs();
        total = total.saturating_add(size);
        samples += 1;
        *sizes.entry(size).or_default() += 1;
    }
    if total > LARGEST_SUM {
        return Err(Undefined::because("the differences are too large"));
    }
    let seen = differences.iter().sum::<i64>().unsigned_abs();
    if seen == 0 {
        return Ok(1.0);
    }
    let p = if samples * total <= MOST_ADDITIONS {
        by_samples(&sizes, total, seen)
    } else {
        by_frequencies(&sizes, total, seen).max(LEAST_BY_FREQUENCIES)
    };
    Ok(p.clamp(f64::MIN_POSITIVE, 1.0))
}

/// Twice the probability that what is given a plus adds up to at most (total - seen) / 2.
fn by_samples(sizes: &BTreeMap<u64, u64>, total: u64, seen: u64) -> f64 {
    let most = ((total - seen) / 2) as usize;
    let mut chance = vec![0.0_f64; most + 1];
    chance[0] = 1.0;
    for (size, count) in sizes {
        let size = *size as usize;
        for _ in 0..*count {
            for sum in (0..=most).rev() {
                let with = sum.checked_sub(size).map_or(0.0, |rest| chance[rest]);
                chance[sum] = 0.5 * (chance[sum] + with);
            }
        }
    }
    2.0 * chance.iter().sum::<f64>()
}

/// One less the probability of all sums nearer to 0, by the inverse of the discrete Fourier transform over 2 total + 1
/// points.
fn by_frequencies(sizes: &BTreeMap<u64, u64>, total: u64, seen: u64) -> f64 {
    let points = 2 * total + 1;
    let nearer = (2 * seen - 1) as f64;
    let step = 2.0 * std::f64::consts::PI / points as f64;
    let mut sum = nearer;
    for place in 1..=total {
        let characteristic: f64 = sizes
            .iter()
            .map(|(size, count)| {
                // The angle is taken from the remainder, which is exact.
                let cosine = (step * (place * size % points) as f64).cos();
                cosine.powi((*count).min(i32::MAX as u64) as i32)
            })
            .product();
        // The sum of e^(i j angle) over all |j| < seen.
        let half = 0.5 * step * place as f64;
        sum += 2.0 * characteristic * (nearer * half).sin() / half.sin();
    }
    1.0 - sum / points as f64
}

#[cfg(test)]
mod tests {
    use super::super::paired::mcnemar_exact;
    use super::*;

    /// Over all signs, one by one.
    fn enumerated(differences: &[i64]) -> f64 {
        let seen = differences.iter().sum::<i64>().abs();
        let ways = 1_u32 << differences.len();
        let far = (0..ways).filter(|signs| {
            let flipped = differences.iter().enumerate();
            let sum: i64 = flipped
                .map(|(at, value)| if signs >> at & 1 == 1 { -value } else { *value })
                .sum();
            sum.abs() >= seen
        });
        far.count() as f64 / f64::from(ways)
    }

    #[test]
    fn it_is_the_share_of_all_signs() {
        for differences in [
            vec![5, -1, -1, -1, -1, 2, 0],
            vec![3, 3, 3, -2, -2, -2, 1],
            vec![10, 10, 10, -1, -1, -1, -1, -1, -1],
            vec![-4, -4, -4],
            vec![7],
        ] {
            let expected = enumerated(&differences);
            assert!(
                (sign_flip(&differences).unwrap() - expected).abs() < 1e-12,
                "{differences:?}"
            );
            let mut sizes = BTreeMap::new();
            for difference in differences.iter().filter(|difference| **difference != 0) {
                *sizes.entry(difference.unsigned_abs()).or_default() += 1;
            }
            let total: u64 = sizes.iter().map(|(size, count)| size * count).sum();
            let seen = differences.iter().sum::<i64>().unsigned_abs();
            let found = by_frequencies(&sizes, total, seen);
            assert!((found - expected).abs() < 1e-12, "{differences:?}: {found} {expected}");
        }
    }

    #[test]
    fn with_one_trial_a_sample_it_is_mcnemars() {
        for (won, lost) in [(0, 0), (1, 0), (5, 1), (40, 61), (300, 200)] {
            let differences: Vec<i64> = [vec![1; won], vec![-1; lost], vec![0; 7]].concat();
            let (found, expected) = (
                sign_flip(&differences).unwrap(),
                mcnemar_exact(won as u64, lost as u64).unwrap().p,
            );
            assert!((found - expected).abs() < 1e-12, "{won} {lost}: {found} {expected}");
        }
    }

    #[test]
    fn many_samples_take_the_other_way_to_the_same_p() {
        // 3,000 samples whose sums are near the normal distribution, on the way by frequencies.
        let differences: Vec<i64> = (0..3_000)
            .map(|at| if at % 60 == 5 { 2 } else { [1, -1, 3, -3, 2, -2][at % 6] })
            .collect();
        let squares: i64 = differences.iter().map(|value| value * value).sum();
        let sum: i64 = differences.iter().sum();
        assert_eq!(sum, 200);
        // The normal approximation with the correction for continuity: sums have steps of 2.
        let z = (sum as f64 - 1.0) / (squares as f64).sqrt();
        let normal = 2.0 * crate::stats::distribution::normal_above(z);
        let found = sign_flip(&differences).unwrap();
        assert!((found - normal).abs() < 1e-4 + 0.02 * normal, "{found} {normal}");
        assert!(sign_flip(&[1_000_000; 4_000]).is_err());
    }

    #[test]
    fn many_small_losses_do_not_outweigh_few_large_gains() {
        // Ten trials a sample: ahead by 10 on 6 samples, behind by 1 on 24, equal on 30.
        let differences: Vec<i64> = [vec![10; 6], vec![-1; 24], vec![0; 30]].concat();
        let p = sign_flip(&differences).unwrap();
        // Counted apart; a sign test over samples has 0.001 for the other direction.
        assert!((p - 0.190_287_822_857_49).abs() < 1e-12, "{p}");
        assert!(mcnemar_exact(6, 24).unwrap().p < 0.002);
    }
}
