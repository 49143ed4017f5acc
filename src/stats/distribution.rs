//! The distributions that tests and intervals stand on, so that every one of them comes from one place. Arguments are in
//! the range that each states: the tests and intervals have checked them.

use statrs::function::beta::ln_beta;
use statrs::function::erf::{erfc, erfc_inv};
use statrs::function::factorial::ln_binomial;
use statrs::function::gamma::gamma_ur;

use super::{Stat, Undefined};

/// Checks a confidence level.
pub(super) fn checked_level(level: f64) -> Stat<f64> {
    if level > 0.0 && level < 1.0 {
        Ok(level)
    } else {
        Err(Undefined::because(format!("level {level} is not between 0 and 1")))
    }
}

/// The probability that a standard normal variable is greater than `z`.
pub fn normal_above(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

/// The probability that a standard normal variable is at most `z`.
pub fn normal_below(z: f64) -> f64 {
    normal_above(-z)
}

/// The z that a standard normal variable stays below with probability `p`, which is within (0, 1).
pub fn normal_point(p: f64) -> f64 {
    -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p)
}

/// The z that a standard normal variable stays within, on both sides, with probability `level`.
pub fn normal_quantile(level: f64) -> f64 {
    std::f64::consts::SQRT_2 * erfc_inv(1.0 - level)
}

/// The probability that a standard normal variable is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The probability that Student's t with `freedom` degrees is greater than `t`.
pub fn t_above(t: f64, freedom: f64) -> f64 {
    let square = t * t;
    let rest = if square.is_finite() {
        square / (freedom + square)
    } else {
        1.0
    };
    let half = 0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + square), rest);
    if t < 0.0 { 1.0 - half } else { half }
}

/// The probability that a chi-square variable with `freedom` degrees is greater than `x`.
pub fn chi_square_above(x: f64, freedom: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        1.0
    } else if x.is_infinite() {
        0.0
    } else {
        gamma_ur(freedom / 2.0, x / 2.0).clamp(0.0, 1.0)
    }
}

/// The probability that an F variable with `upper` and `lower` degrees of freedom is greater than `x`.
pub fn f_above(x: f64, upper: f64, lower: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if x.is_infinite() {
        0.0
    } else {
        let whole = lower + upper * x;
        incomplete_beta(lower / 2.0, upper / 2.0, lower / whole, upper * x / whole)
    }
}

/// The probability that Student's t with `freedom` degrees is at least as far from 0 as the t of a correlation `r`:
/// t^2 = r^2 freedom / (1 - r^2), so that the tail is I(1 - r^2; freedom / 2, 1 / 2).
pub(super) fn t_two_sided_of_correlation(r: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / 2.0, 0.5, (1.0 - r) * (1.0 + r), r * r)
}

/// The t that Student's variable with `freedom` degrees stays within, on both sides, with probability `level`.
pub fn t_quantile(level: f64, freedom: f64) -> f64 {
    let tail = 1.0 - level;
    positive_root(f64::MAX, |t| {
        let square = t * t;
        let rest = if square.is_finite() {
            square / (freedom + square)
        } else {
            1.0
        };
        incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + square), rest) <= tail
    })
}

/// The x below which a beta variable lies with probability `p`.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    positive_root(1.0, |x| incomplete_beta(a, b, x, 1.0 - x) >= p)
}

/// The regularized incomplete beta function I(x; a, b), with `rest` = 1 - x handed in, since it may be known better than
/// the subtraction gives it.
///
/// By its continued fraction (Press et al., Numerical Recipes, 6.4). `statrs` ends that after 140 terms, silently; about
/// sqrt(max(a, b)) are needed, which a study of some ten thousand judgments goes beyond.
pub fn incomplete_beta(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    let factor = (a * x.ln() + b * rest.ln() - ln_beta(a, b)).exp();
    let value = if x < (a + 1.0) / (a + b + 2.0) {
        factor * continued_fraction(a, b, x) / a
    } else {
        1.0 - factor * continued_fraction(b, a, rest) / b
    };
    value.clamp(0.0, 1.0)
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const MOST_TERMS: u32 = 100_000;
    let nonzero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for term in 1..MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        value *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The smallest positive number up to `most` for which `reached` holds, by halving between floating-point numbers:
/// positive ones are ordered as their bits are, so that 64 steps find it to the last bit whatever its size.
pub(super) fn positive_root(most: f64, reached: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0_u64, most.to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        if reached(f64::from_bits(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    f64::from_bits(low)
}

/// The probability of exactly `successes` out of `n` with success probability `p`, which is within (0, 1).
pub fn binomial_exactly(successes: u64, n: u64, p: f64) -> f64 {
    if successes > n {
        return 0.0;
    }
    (ln_binomial(n, successes) + successes as f64 * p.ln() + (n - successes) as f64 * (-p).ln_1p()).exp()
}

/// The probability of at most `successes` out of `n` with success probability `p`.
pub fn binomial_at_most(successes: u64, n: u64, p: f64) -> f64 {
    if successes >= n {
        return 1.0;
    }
    incomplete_beta((n - successes) as f64, successes as f64 + 1.0, 1.0 - p, p)
}

/// The probability of at least `successes` out of `n` with success probability `p`.
pub fn binomial_at_least(successes: u64, n: u64, p: f64) -> f64 {
    if successes == 0 {
        return 1.0;
    }
    if successes > n {
        return 0.0;
    }
    incomplete_beta(successes as f64, (n - successes) as f64 + 1.0, p, 1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_textbooks() {
        assert!((normal_quantile(0.95) - 1.959_963_984_540_054).abs() < 1e-13);
        assert!((t_quantile(0.95, 10.0) - 2.228_138_851_986_275).abs() < 1e-12);
        assert!((t_quantile(0.95, 1.0) - 12.706_204_736_174_698).abs() < 1e-9);
        assert!((beta_quantile(0.5, 1.0, 1.0) - 0.5).abs() < 1e-14);
        assert!((normal_two_sided(-1.959_963_984_540_054) - 0.05).abs() < 1e-10);
    }

    #[test]
    fn large_studies() {
        // Half of a symmetric binomial with an odd number of trials.
        assert!((binomial_at_most(500_000, 1_000_001, 0.5) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn binomial_tails() {
        // 1 + 4 of 16 outcomes.
        assert!((binomial_at_most(1, 4, 0.5) - 5.0 / 16.0).abs() < 1e-14);
        assert!((binomial_at_least(3, 4, 0.5) - 5.0 / 16.0).abs() < 1e-14);
        assert!((binomial_at_most(4, 4, 0.5), binomial_at_least(0, 4, 0.5)) == (1.0, 1.0));
    }
}
