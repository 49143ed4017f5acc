//! How many samples a study needs, and what one of its size can find.

use super::distribution::{chi_square_above, normal_below, normal_point, normal_quantile, positive_root};
use super::{Stat, Undefined};

/// More samples than this are not looked for.
const MOST_SAMPLES: u64 = 100_000_000;

/// How often two conditions are right on the same samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discordance {
    /// The probability that the first alone is right.
    pub first_only: f64,
    /// The probability that the second alone is right.
    pub second_only: f64,
}

/// The discordance of two conditions from the share each is right and the correlation phi of their outcomes.
///
/// Undefined when no pair of conditions has this correlation.
pub fn discordance(first: f64, second: f64, correlation: f64) -> Stat<Discordance> {
    if !(0.0..=1.0).contains(&first) || !(0.0..=1.0).contains(&second) {
        return Err(Undefined::because("a share is not between 0 and 1"));
    }
    let spread = (first * (1.0 - first) * second * (1.0 - second)).sqrt();
    let both = first * second + correlation * spread;
    let found = Discordance {
        first_only: first - both,
        second_only: second - both,
    };
    let possible = both >= -1e-12 && found.first_only >= -1e-12 && found.second_only >= -1e-12;
    if !possible || first + second - both > 1.0 + 1e-12 {
        return Err(Undefined::because(format!(
            "shares {first} and {second} cannot have the correlation {correlation}"
        )));
    }
    Ok(Discordance {
        first_only: found.first_only.max(0.0),
        second_only: found.second_only.max(0.0),
    })
}

/// The power of McNemar's two-sided test with `samples` (Connor 1987): with s the sum and d the difference of both
/// probabilities, Phi((|d| sqrt(n) - z sqrt(s)) / sqrt(s - d^2)).
pub fn mcnemar_power(samples: u64, discordance: Discordance, alpha: f64) -> Stat<f64> {
    let (sum, difference) = sum_and_difference(discordance)?;
    let z = normal_quantile(1.0 - checked_share(alpha, "alpha")?);
    let root = (sum - difference * difference).max(f64::MIN_POSITIVE).sqrt();
    Ok(normal_below(
        (difference * (samples as f64).sqrt() - z * sum.sqrt()) / root,
    ))
}

/// The samples McNemar's two-sided test needs for `power` (Connor 1987):
/// n = ((z sqrt(s) + z_power sqrt(s - d^2)) / d)^2, rounded up.
pub fn mcnemar_samples(discordance: Discordance, alpha: f64, power: f64) -> Stat<u64> {
    checked_share(power, "power")?;
    least(|samples| mcnemar_power(samples, discordance, alpha), power)
}

/// The power of Wilcoxon's signed-rank test with `samples` pairs (Noether 1987): Phi(sqrt(3 n) |p - 1/2| - z), with p the
/// probability that the sum of two independent differences is positive.
pub fn signed_rank_power(samples: u64, positive_sum: f64, alpha: f64) -> Stat<f64> {
    let z = normal_quantile(1.0 - checked_share(alpha, "alpha")?);
    let effect = (checked_share(positive_sum, "the probability")? - 0.5).abs();
    if effect == 0.0 {
        return Err(Undefined::because("there is no effect to find"));
    }
    Ok(normal_below((3.0 * samples as f64).sqrt() * effect - z))
}

/// The pairs Wilcoxon's signed-rank test needs for `power`.
pub fn signed_rank_samples(positive_sum: f64, alpha: f64, power: f64) -> Stat<u64> {
    checked_share(power, "power")?;
    least(|samples| signed_rank_power(samples, positive_sum, alpha), power)
}

/// The power of Friedman's test of `conditions` on `samples`, by the noncentral chi-square with n (k - 1) W as its
/// noncentrality, W being Kendall's W of the expected mean ranks: 12 sum (R - (k + 1)/2)^2 / (k (k^2 - 1)).
///
/// It takes the spread of ranks to be as without an effect, which is close for small effects and cautious for large ones.
pub fn friedman_power(samples: u64, conditions: usize, kendall_w: f64, alpha: f64) -> Stat<f64> {
    checked_share(alpha, "alpha")?;
    if conditions < 3 {
        return Err(Undefined::because("fewer than three conditions"));
    }
    if !(kendall_w > 0.0 && kendall_w <= 1.0) {
        return Err(Undefined::because("W is not above 0 and at most 1"));
    }
    let freedom = conditions as f64 - 1.0;
    let critical = positive_root(f64::MAX, |x| chi_square_above(x, freedom) <= alpha);
    Ok(noncentral_chi_square_above(
        critical,
        freedom,
        samples as f64 * freedom * kendall_w,
    ))
}

/// The samples Friedman's test needs for `power`.
pub fn friedman_samples(conditions: usize, kendall_w: f64, alpha: f64, power: f64) -> Stat<u64> {
    checked_share(power, "power")?;
    least(|samples| friedman_power(samples, conditions, kendall_w, alpha), power)
}

/// Kendall's W of expected mean ranks, the effect size of [`friedman_power`].
pub fn kendall_w_of_mean_ranks(mean_ranks: &[f64]) -> Stat<f64> {
    super::checked_finite(mean_ranks)?;
    let k = mean_ranks.len() as f64;
    if mean_ranks.len() < 2 {
        return Err(Undefined::because("fewer than two conditions"));
    }
    let spread: f64 = mean_ranks.iter().map(|rank| (rank - (k + 1.0) / 2.0).powi(2)).sum();
    let w = 12.0 * spread / (k * (k * k - 1.0));
    super::checked_finite(&[w])?;
    Ok(w)
}

/// The difference of a share from a fixed one that `samples` can find with `power` in a two-sided test at `alpha`:
/// (z + z_power) sqrt(p (1 - p) / n), the least detectable effect.
pub fn detectable_difference(samples: u64, share: f64, alpha: f64, power: f64) -> Stat<f64> {
    let z = normal_quantile(1.0 - checked_share(alpha, "alpha")?);
    let reach = normal_point(checked_share(power, "power")?);
    let p = checked_share(share, "the share")?;
    if samples == 0 {
        return Err(Undefined::because("no samples (n = 0)"));
    }
    Ok((z + reach) * (p * (1.0 - p) / samples as f64).sqrt())
}

/// Poisson mixture of central tails (Johnson, Kotz and Balakrishnan 1995, 29.3), summed outwards from its middle.
fn noncentral_chi_square_above(x: f64, freedom: f64, noncentrality: f64) -> f64 {
    let half = noncentrality / 2.0;
    // So far beyond x that no tail is left below it, and too many terms to sum.
    if half > 1e7 {
        return f64::from(u8::from(x < half));
    }
    let middle = half.floor();
    let log_weight = |j: f64| j * half.ln() - half - statrs::function::gamma::ln_gamma(j + 1.0);
    let term = |j: f64| log_weight(j).exp() * chi_square_above(x, freedom + 2.0 * j);
    let reach = 40.0 + 10.0 * half.sqrt();
    let (from, to) = ((middle - reach).max(0.0), middle + reach);
    let mut sum = 0.0;
    let mut j = from;
    while j <= to {
        sum += term(j);
        j += 1.0;
    }
    sum.clamp(0.0, 1.0)
}

/// The least number of samples whose power is enough, which grows with them.
fn least(power_of: impl Fn(u64) -> Stat<f64>, power: f64) -> Stat<u64> {
    let mut high = 2;
    while power_of(high)? < power {
        if high >= MOST_SAMPLES {
            return Err(Undefined::because(format!(
                "more than {MOST_SAMPLES} samples would be needed"
            )));
        }
        high *= 2;
    }
    let mut low = 1;
    while low < high {
        let middle = low + (high - low) / 2;
        if power_of(middle)? < power {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

fn sum_and_difference(discordance: Discordance) -> Stat<(f64, f64)> {
    let Discordance {
        first_only,
        second_only,
    } = discordance;
    let sum = first_only + second_only;
    if !(first_only >= 0.0 && second_only >= 0.0 && sum <= 1.0) {
        return Err(Undefined::because("discordant shares are not between 0 and 1"));
    }
    let difference = (first_only - second_only).abs();
    if difference == 0.0 {
        return Err(Undefined::because("there is no effect to find"));
    }
    Ok((sum, difference))
}

fn checked_share(value: f64, name: &str) -> Stat<f64> {
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(Undefined::because(format!("{name} {value} is not between 0 and 1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_power_are_inverse() {
        let effect = Discordance {
            first_only: 0.2,
            second_only: 0.1,
        };
        // ((1.96 sqrt(0.3) + 0.8416 sqrt(0.29)) / 0.1)^2 = 233.1.
        assert_eq!(mcnemar_samples(effect, 0.05, 0.8), Ok(234));
        assert!(mcnemar_power(234, effect, 0.05).unwrap() >= 0.8);
        assert!(mcnemar_power(233, effect, 0.05).unwrap() < 0.8);
        // (1.96 + 0.8416)^2 / (3 0.15^2) = 116.3.
        assert_eq!(signed_rank_samples(0.65, 0.05, 0.8), Ok(117));
        let samples = friedman_samples(4, 0.05, 0.05, 0.8).unwrap();
        // The noncentrality for 3 degrees of freedom is 10.903, here 3 n 0.05.
        assert_eq!(samples, 73);
        assert!((kendall_w_of_mean_ranks(&[1.0, 2.0, 3.0]).unwrap() - 1.0).abs() < 1e-12);
        assert!((detectable_difference(100, 0.5, 0.05, 0.8).unwrap() - 0.140_08).abs() < 1e-4);
    }

    #[test]
    fn outcomes_of_given_correlation() {
        let found = discordance(0.8, 0.7, 0.0).unwrap();
        assert!((found.first_only - 0.24).abs() < 1e-12 && (found.second_only - 0.14).abs() < 1e-12);
        assert!(discordance(0.9, 0.2, 1.0).is_err());
        assert!(discordance(1.2, 0.5, 0.0).is_err());
    }

    #[test]
    fn undefined_has_a_reason() {
        let none = Discordance {
            first_only: 0.1,
            second_only: 0.1,
        };
        assert!(
            mcnemar_samples(none, 0.05, 0.8)
                .unwrap_err()
                .reason
                .contains("no effect")
        );
        assert!(signed_rank_power(10, 0.5, 0.05).is_err());
        assert!(friedman_power(10, 2, 0.1, 0.05).is_err());
        assert!(friedman_samples(4, 0.0, 0.05, 0.8).is_err());
        assert!(friedman_power(10, 4, 0.1, 1.5).is_err());
        assert!(detectable_difference(0, 0.5, 0.05, 0.8).is_err());
    }
}
