//! How well a judge tells right from wrong answers, apart from how readily it says "right".

use super::binary::Confusion;
use super::distribution::{checked_level, normal_point, normal_quantile};
use super::{Interval, Stat, Undefined};

/// Sensitivity and bias of the equal-variance model of signal detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalDetection {
    /// d' = z(H) - z(F): how far apart right and wrong answers look, in standard deviations; 0 for guessing.
    pub d_prime: f64,
    /// Interval of d'.
    pub d_prime_interval: Interval,
    /// c = -(z(H) + z(F)) / 2: negative for a judge that leans to "right", positive for one that leans to "wrong".
    pub criterion: f64,
    /// Interval of the criterion.
    pub criterion_interval: Interval,
    /// H, the corrected share of right answers called right.
    pub hit_rate: f64,
    /// F, the corrected share of wrong answers called right.
    pub false_alarm_rate: f64,
}

/// d' and criterion c (Green and Swets 1966; Macmillan and Creelman 2005).
///
/// Shares are log-linearly corrected whatever they are (Hautus 1995): H = (TP + 1/2) / (P + 1), F = (FP + 1/2) / (N + 1),
/// so that a judge that is always right has a finite d'. Variances are those of Gourevitch and Galanter (1967):
/// v = H (1 - H) / (P phi(z(H))^2) + F (1 - F) / (N phi(z(F))^2) for d', v / 4 for c. Undefined when a class is missing.
pub fn signal_detection(counts: &Confusion, level: f64) -> Stat<SignalDetection> {
    checked_level(level)?;
    let right = counts.true_positive as f64 + counts.false_negative as f64;
    let wrong = counts.false_positive as f64 + counts.true_negative as f64;
    for (count, name) in [(right, "right"), (wrong, "wrong")] {
        if count == 0.0 {
            return Err(Undefined::because(format!("no {name} answers were judged")));
        }
    }
    let hit_rate = (counts.true_positive as f64 + 0.5) / (right + 1.0);
    let false_alarm_rate = (counts.false_positive as f64 + 0.5) / (wrong + 1.0);
    let (hits, alarms) = (normal_point(hit_rate), normal_point(false_alarm_rate));
    let variance = |share: f64, z: f64, n: f64| share * (1.0 - share) / (n * density(z).powi(2));
    let error = (variance(hit_rate, hits, right) + variance(false_alarm_rate, alarms, wrong)).sqrt();
    if !(hits.is_finite() && alarms.is_finite() && error.is_finite()) {
        return Err(Undefined::because("the counts are too large"));
    }
    let z = normal_quantile(level);
    let around = |value: f64, error: f64| Interval {
        low: value - z * error,
        high: value + z * error,
        level,
    };
    let (d_prime, criterion) = (hits - alarms, -f64::midpoint(hits, alarms));
    Ok(SignalDetection {
        d_prime,
        d_prime_interval: around(d_prime, error),
        criterion,
        criterion_interval: around(criterion, error / 2.0),
        hit_rate,
        false_alarm_rate,
    })
}

fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(true_positive: u64, false_negative: u64, false_positive: u64, true_negative: u64) -> Stat<SignalDetection> {
        let counts = Confusion {
            true_positive,
            false_positive,
            true_negative,
            false_negative,
        };
        signal_detection(&counts, 0.95)
    }

    #[test]
    fn a_judge_that_always_says_right_has_bias_and_no_sensitivity() {
        let found = of(80, 0, 80, 0).unwrap();
        assert!(found.d_prime.abs() < 1e-12 && found.criterion < -2.0);
        assert!(found.d_prime_interval.low < 0.0 && found.d_prime_interval.high > 0.0);
    }

    #[test]
    fn without_bias_the_criterion_is_zero() {
        let found = of(75, 25, 25, 75).unwrap();
        // z(75.5 / 101) = 0.66672.
        assert!((found.d_prime - 2.0 * 0.666_72).abs() < 2e-5, "{found:?}");
        assert!(found.criterion.abs() < 1e-12);
        let perfect = of(50, 0, 0, 50).unwrap();
        assert!(perfect.d_prime > 4.0 && perfect.d_prime.is_finite());
        assert!(of(1, 1, 0, 0).unwrap_err().reason.contains("no wrong"));
    }
}
