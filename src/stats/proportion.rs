//! Intervals of a proportion, and its exact test.

use super::distribution::{
    beta_quantile, binomial_at_least, binomial_at_most, binomial_exactly, checked_level, normal_quantile,
};
use super::{Alternative, Interval, Stat, Undefined};

/// More are not counted exactly by a floating-point number.
const MOST_OBSERVATIONS: u64 = 1 << 53;

/// Wilson score interval of `successes` out of `n` (Wilson 1927).
///
/// (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Undefined for n = 0.
pub fn wilson(successes: u64, n: u64, level: f64) -> Stat<Interval> {
    let (k, n) = checked(successes, n, level)?;
    let z = normal_quantile(level);
    let p = k / n;
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    Ok(Interval {
        // Without successes the two parts of the lower end are equal, and rounding must not leave it below 0.
        low: if k == 0.0 { 0.0 } else { (centre - half) / scale },
        high: if k == n { 1.0 } else { (centre + half) / scale },
        level,
    })
}

/// Interval of Wald: p -+ z sqrt(p (1 - p) / n), cut to [0, 1]. Given for comparison with published numbers; it covers
/// less than it says (Brown, Cai and DasGupta 2001). Undefined for n = 0, and for 0 or n successes, where it has no width.
pub fn wald(successes: u64, n: u64, level: f64) -> Stat<Interval> {
    let (k, n) = checked(successes, n, level)?;
    if k == 0.0 || k == n {
        return Err(Undefined::because("no variation: the interval would have no width"));
    }
    let p = k / n;
    let half = normal_quantile(level) * (p * (1.0 - p) / n).sqrt();
    Ok(Interval {
        low: (p - half).max(0.0),
        high: (p + half).min(1.0),
        level,
    })
}

/// Exact interval of Clopper and Pearson (1934), by quantiles of the beta distribution. Undefined for n = 0.
pub fn clopper_pearson(successes: u64, n: u64, level: f64) -> Stat<Interval> {
    let (k, n) = checked(successes, n, level)?;
    let tail = (1.0 - level) / 2.0;
    Ok(Interval {
        low: if k == 0.0 {
            0.0
        } else {
            beta_quantile(tail, k, n - k + 1.0)
        },
        high: if k == n {
            1.0
        } else {
            1.0 - beta_quantile(tail, n - k, k + 1.0)
        },
        level,
    })
}

/// Interval of Agresti and Coull (1998): a normal interval around (k + z^2/2) / (n + z^2), cut to [0, 1]. Undefined for
/// n = 0, where it would be made of z alone.
pub fn agresti_coull(successes: u64, n: u64, level: f64) -> Stat<Interval> {
    let (k, n) = checked(successes, n, level)?;
    let z = normal_quantile(level);
    let n = n + z * z;
    let p = (k + z * z / 2.0) / n;
    let half = z * (p * (1.0 - p) / n).sqrt();
    Ok(Interval {
        low: (p - half).max(0.0),
        high: (p + half).min(1.0),
        level,
    })
}

/// Equal-tailed interval of the posterior under Jeffreys' prior, beta(1/2, 1/2) (Brown, Cai and DasGupta 2001), whose
/// ends are 0 without successes and 1 without failures, as they advise. Undefined for n = 0, where it would be the prior.
pub fn jeffreys(successes: u64, n: u64, level: f64) -> Stat<Interval> {
    let (k, n) = checked(successes, n, level)?;
    let tail = (1.0 - level) / 2.0;
    Ok(Interval {
        low: if k == 0.0 {
            0.0
        } else {
            beta_quantile(tail, k + 0.5, n - k + 0.5)
        },
        high: if k == n {
            1.0
        } else {
            1.0 - beta_quantile(tail, n - k + 0.5, k + 0.5)
        },
        level,
    })
}

/// p of the exact binomial test that the success probability is `p`.
///
/// Two-sided: the probability of all outcomes that are no more likely than the one seen (likelihoods within a relative
/// 1e-7 count as equal). Undefined for n = 0.
pub fn binomial_test(successes: u64, n: u64, p: f64, alternative: Alternative) -> Stat<f64> {
    if successes > n || n > MOST_OBSERVATIONS {
        return Err(Undefined::because(format!("{successes} successes out of {n}")));
    }
    if !(0.0..=1.0).contains(&p) {
        return Err(Undefined::because(format!("probability {p} is not between 0 and 1")));
    }
    if n == 0 {
        return Err(Undefined::because("no observations (n = 0)"));
    }
    if p == 0.0 || p == 1.0 {
        return Ok(certain(successes, n, p, alternative));
    }
    let two_sided = || {
        let likelihood = |k: u64| binomial_exactly(k, n, p);
        let seen = likelihood(successes) * (1.0 + 1e-7);
        let expected = p * n as f64;
        let k = successes as f64;
        // The outcomes as unlikely on the other side of the mode are found by halving, since likelihoods fall off it.
        if k == expected {
            1.0
        } else if k < expected {
            let mode = ((n + 1) as f64 * p).floor() as u64;
            let from = first(mode.max(successes), n + 1, |k| likelihood(k) <= seen);
            let upper = if from > n { 0.0 } else { binomial_at_least(from, n, p) };
            binomial_at_most(successes, n, p) + upper
        } else {
            let mode = ((n + 1) as f64 * p).ceil() as u64;
            let end = first(0, mode.min(successes), |k| likelihood(k) > seen);
            let lower = if end == 0 { 0.0 } else { binomial_at_most(end - 1, n, p) };
            lower + binomial_at_least(successes, n, p)
        }
    };
    Ok(match alternative {
        Alternative::Less => binomial_at_most(successes, n, p),
        Alternative::Greater => binomial_at_least(successes, n, p),
        Alternative::TwoSided => two_sided(),
    }
    .min(1.0))
}

/// The test of a probability of 0 or 1, under which only one outcome is possible.
fn certain(successes: u64, n: u64, p: f64, alternative: Alternative) -> f64 {
    let possible = if p == 0.0 { 0 } else { n };
    let holds = match alternative {
        Alternative::TwoSided => successes == possible,
        Alternative::Less => successes >= possible,
        Alternative::Greater => successes <= possible,
    };
    f64::from(u8::from(holds))
}

/// The first number from `low` up to `high` for which `holds`, which holds from there on; `high` when there is none.
fn first(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

fn checked(successes: u64, n: u64, level: f64) -> Stat<(f64, f64)> {
    checked_level(level)?;
    if n == 0 {
        return Err(Undefined::because("no observations (n = 0)"));
    }
    if successes > n || n > MOST_OBSERVATIONS {
        return Err(Undefined::because(format!("{successes} successes out of {n}")));
    }
    Ok((successes as f64, n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_exact_and_nothing_is_undefined_silently() {
        let none = wilson(0, 5, 0.95).unwrap();
        let all = wilson(5, 5, 0.95).unwrap();
        assert_eq!((none.low, all.high), (0.0, 1.0));
        assert!(wilson(0, 0, 0.95).unwrap_err().reason.contains("n = 0"));
        assert!(wilson(2, 1, 0.95).is_err());
        assert!(wilson(1, 2, 1.0).is_err() && wilson(1, 2, f64::NAN).is_err());
        assert_eq!(jeffreys(0, 5, 0.95).unwrap().low, 0.0);
    }

    #[test]
    fn a_certain_probability() {
        assert_eq!(binomial_test(0, 5, 0.0, Alternative::TwoSided), Ok(1.0));
        assert_eq!(binomial_test(1, 5, 0.0, Alternative::TwoSided), Ok(0.0));
        assert_eq!(binomial_test(5, 5, 1.0, Alternative::Less), Ok(1.0));
        assert!(binomial_test(0, 0, 0.5, Alternative::TwoSided).is_err());
        assert!(binomial_test(2, 1, 0.5, Alternative::Less).is_err());
    }

    proptest::proptest! {
        #[test]
        fn intervals_hold_the_proportion(n in 1_u64..2000, share in 0.0_f64..=1.0, level in 0.5_f64..0.999) {
            let k = (share * n as f64).round() as u64;
            let p = k as f64 / n as f64;
            for interval in [wilson(k, n, level), clopper_pearson(k, n, level), agresti_coull(k, n, level), jeffreys(k, n, level)] {
                let interval = interval.unwrap();
                proptest::prop_assert!(0.0 <= interval.low && interval.low <= p + 1e-12);
                proptest::prop_assert!(p - 1e-12 <= interval.high && interval.high <= 1.0);
            }
        }
    }
}
