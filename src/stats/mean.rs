//! The mean of a few values and its interval.

use super::distribution::{checked_level, normal_quantile, t_quantile};
use super::{Interval, Stat, Undefined};

/// Arithmetic mean.
pub fn mean(values: &[f64]) -> Stat<f64> {
    if values.is_empty() {
        return Err(Undefined::because("no values (n = 0)"));
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(Undefined::because("a value is not finite"));
    }
    finite(values.iter().sum::<f64>() / values.len() as f64, "the mean")
}

/// Student's t interval of a mean (Student 1908): mean -+ t(n - 1) s / sqrt(n), with s the sample deviation (n - 1).
///
/// Undefined for fewer than two values and for values without variation, where it would be of no width and claim a
/// certainty that nothing supports.
pub fn mean_interval(values: &[f64], level: f64) -> Stat<Interval> {
    around(values, level, |freedom| t_quantile(level, freedom))
}

/// The normal interval of a mean, mean -+ z s / sqrt(n). Too narrow for few values; undefined like [`mean_interval`].
pub fn normal_mean_interval(values: &[f64], level: f64) -> Stat<Interval> {
    around(values, level, |_| normal_quantile(level))
}

/// The sample variance, sum (x - mean)^2 / (n - 1). Undefined for fewer than two values.
pub fn variance(values: &[f64]) -> Stat<f64> {
    let centre = mean(values)?;
    if values.len() < 2 {
        return Err(Undefined::because("n = 1 is too small for a variance"));
    }
    // Of equal values the mean may be off by its rounding, their variance not.
    if values.iter().all(|value| value == &values[0]) {
        return Ok(0.0);
    }
    let sum: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    finite(sum / (values.len() as f64 - 1.0), "the variance")
}

/// The sample standard deviation, the root of [`variance`].
pub fn standard_deviation(values: &[f64]) -> Stat<f64> {
    variance(values).map(f64::sqrt)
}

/// The standard error of the mean, s / sqrt(n).
pub fn standard_error(values: &[f64]) -> Stat<f64> {
    Ok(standard_deviation(values)? / (values.len() as f64).sqrt())
}

fn around(values: &[f64], level: f64, quantile: impl Fn(f64) -> f64) -> Stat<Interval> {
    let centre = mean(values)?;
    if values.len() < 2 {
        return Err(Undefined::because("n = 1 is too small for an interval"));
    }
    checked_level(level)?;
    let error = standard_error(values)?;
    if error == 0.0 {
        return Err(Undefined::because(format!(
            "no variation: all {} values are equal",
            values.len()
        )));
    }
    let half = finite(quantile(values.len() as f64 - 1.0) * error, "the interval")?;
    Ok(Interval {
        low: centre - half,
        high: centre + half,
        level,
    })
}

fn finite(value: f64, what: &str) -> Stat<f64> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Undefined::because(format!("{what} is not finite")))
    }
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
