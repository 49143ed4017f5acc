//! The mean of a few values and its interval.

use super::distribution::{checked_level, t_quantile};
use super::{Interval, Stat, Undefined};

/// Arithmetic mean.
pub fn mean(values: &[f64]) -> Stat<f64> {
    if values.is_empty() {
        return Err(Undefined::because("no values (n = 0)"));
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(Undefined::because("a value is not finite"));
    }
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// Student's t interval of a mean (Student 1908): mean -+ t(n - 1) s / sqrt(n), with s the sample deviation (n - 1).
///
/// Undefined for fewer than two values and for values without variation, where it would be of no width and claim a
/// certainty that nothing supports.
pub fn mean_interval(values: &[f64], level: f64) -> Stat<Interval> {
    let centre = mean(values)?;
    let n = values.len() as f64;
    if values.len() < 2 {
        return Err(Undefined::because("n = 1 is too small for an interval"));
    }
    checked_level(level)?;
    let variance = values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (n - 1.0);
    if values.iter().all(|value| value == &values[0]) || variance <= 0.0 {
        return Err(Undefined::because(format!(
            "no variation: all {} values are equal",
            values.len()
        )));
    }
    let t = t_quantile(level, n - 1.0);
    let half = t * (variance / n).sqrt();
    if !half.is_finite() {
        return Err(Undefined::because("the interval is not finite"));
    }
    Ok(Interval {
        low: centre - half,
        high: centre + half,
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_of_a_mean_equals_the_textbook_value() {
        // 1, 2, 3, 4: mean 2.5, s = 1.290994, t(3) at 97.5% = 3.182446, half width 2.054260.
        let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0], 0.95).unwrap();
        assert!((interval.low - 0.445_740).abs() < 1e-5, "{interval:?}");
        assert!((interval.high - 4.554_260).abs() < 1e-5, "{interval:?}");
    }

    #[test]
    fn undefined_has_a_reason() {
        assert!(mean(&[]).is_err());
        assert!(mean(&[f64::NAN]).is_err());
        assert!(mean_interval(&[1.0], 0.95).unwrap_err().reason.contains("n = 1"));
        assert!(
            mean_interval(&[2.0, 2.0], 0.95)
                .unwrap_err()
                .reason
                .contains("no variation")
        );
        assert!(mean_interval(&[1.0, 2.0], 1.0).is_err());
    }
}
