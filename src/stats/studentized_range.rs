//! The studentized range with infinitely many degrees of freedom: the range of k independent standard normal variables.

use super::distribution::{normal_above, normal_below, positive_root};

/// Beyond this the probability is 0 in double precision, whatever the number of variables.
const LARGEST: f64 = 100.0;
/// The step of the integral. Its integrand is smooth and falls off like a normal density on both sides, so that the
/// trapezoidal rule converges faster than any power of the step.
const STEP: f64 = 0.05;

/// The probability that the range of `variables` standard normal variables is greater than `q`; 0 for fewer than two.
///
/// With z the greatest of them, P = k times the integral of phi(z) (Phi(z)^(k - 1) - (Phi(z) - Phi(z - q))^(k - 1))
/// (Harter 1960), where the difference of the powers is formed without cancellation, so that small tails keep their
/// relative accuracy.
pub fn range_above(q: f64, variables: usize) -> f64 {
    if variables < 2 || q.is_nan() || q >= LARGEST {
        return 0.0;
    }
    if q <= 0.0 {
        return 1.0;
    }
    let others = variables as f64 - 1.0;
    let reach = 10.0;
    let steps = ((q + 2.0 * reach) / STEP).ceil();
    let mut sum = 0.0;
    for step in 0..=steps as u32 {
        let z = f64::from(step) * STEP - reach;
        let below = normal_below(z);
        let far_below = normal_below(z - q);
        let share = (far_below / below).min(1.0);
        let lost = -(others * (-share).ln_1p()).exp_m1();
        let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        sum += density * (others * log_below(z, below)).exp() * lost;
    }
    (variables as f64 * sum * STEP).clamp(0.0, 1.0)
}

/// The q that the range of `variables` standard normal variables exceeds with probability `p`, within (0, 1).
pub fn range_point_above(p: f64, variables: usize) -> f64 {
    positive_root(LARGEST, |q| range_above(q, variables) <= p)
}

/// ln Phi(z), also where Phi rounds to 1.
fn log_below(z: f64, below: f64) -> f64 {
    if z > 0.0 {
        (-normal_above(z)).ln_1p()
    } else {
        below.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_variables_are_one_normal_difference() {
        // |a - b| > q with a - b of variance 2.
        for q in [0.1, 1.0, 3.0, 10.0] {
            let exact = 2.0 * normal_above(q / std::f64::consts::SQRT_2);
            let found = range_above(q, 2);
            assert!((found / exact - 1.0).abs() < 1e-10, "{q}: {found:e}, exactly {exact:e}");
        }
        assert_eq!((range_above(0.0, 5), range_above(1e300, 5)), (1.0, 0.0));
    }

    #[test]
    fn tables_of_critical_values() {
        assert!((range_point_above(0.05, 3) - 3.314_493).abs() < 1e-5);
        assert!((range_point_above(0.01, 10) - 5.157).abs() < 1e-3);
    }
}
