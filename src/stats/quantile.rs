//! Quantiles of a sample.

use super::{Stat, Undefined, checked_finite};

/// Which of the usual definitions (Hyndman and Fan 1996) a quantile follows; they differ in what lies between two
/// neighbouring values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// Their definition 7, the most common one: place (n - 1) q counted from 0, interpolated.
    Linear,
    /// The value at or below that place.
    Lower,
    /// The value at or above it.
    Higher,
    /// The nearest value; of two as near the one at the even place.
    Nearest,
    /// Half-way between the values at or below and at or above.
    Midpoint,
    /// Their definition 5: place n q - 1/2.
    Hazen,
    /// Their definition 6: place (n + 1) q - 1.
    Weibull,
    /// Their definition 8, which they advise: place (n + 1/3) q - 2/3, unbiased for the median.
    MedianUnbiased,
}

/// The value below which a share `q` of the values lies. Undefined without values, for a value that is not finite, and
/// for q outside [0, 1].
pub fn quantile(values: &[f64], q: f64, definition: Definition) -> Stat<f64> {
    checked_finite(values)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    of_sorted(&sorted, q, definition)
}

/// The middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> Stat<f64> {
    quantile(values, 0.5, Definition::Linear)
}

/// The same of values that are finite and in ascending order.
pub(super) fn of_sorted(sorted: &[f64], q: f64, definition: Definition) -> Stat<f64> {
    if sorted.is_empty() {
        return Err(Undefined::because("no values (n = 0)"));
    }
    if !(0.0..=1.0).contains(&q) {
        return Err(Undefined::because(format!("q = {q} is not between 0 and 1")));
    }
    let n = sorted.len() as f64;
    let from_zero = (n - 1.0) * q;
    let place = match definition {
        Definition::Linear | Definition::Midpoint => from_zero,
        Definition::Lower => from_zero.floor(),
        Definition::Higher => from_zero.ceil(),
        Definition::Nearest => from_zero.round_ties_even(),
        Definition::Hazen => n * q - 0.5,
        Definition::Weibull => n * q + q - 1.0,
        Definition::MedianUnbiased => n * q + (1.0 / 3.0 + q / 3.0) - 1.0,
    }
    .clamp(0.0, n - 1.0);
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    let value = match definition {
        Definition::Midpoint => f64::midpoint(below, above),
        _ => below + (above - below) * place.fract(),
    };
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Undefined::because("the values are too far apart"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_values() {
        assert_eq!(median(&[3.0, 1.0]), Ok(2.0));
        assert_eq!(quantile(&[1.0, 3.0], 0.25, Definition::Linear), Ok(1.5));
        assert_eq!(quantile(&[1.0, 3.0], 0.25, Definition::Higher), Ok(3.0));
        assert_eq!(quantile(&[1.0, 3.0], 0.5, Definition::Nearest), Ok(1.0));
        assert!(median(&[]).unwrap_err().reason.contains("n = 0"));
        assert!(median(&[f64::NAN]).is_err());
        assert!(quantile(&[1.0], 1.5, Definition::Linear).is_err());
    }
}
