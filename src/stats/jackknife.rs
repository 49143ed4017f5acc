//! The interval of an estimate from what it would be without each of the items it is made of.

use super::distribution::{checked_level, t_quantile};
use super::{Interval, Stat, Undefined};

/// The delete-one jackknife interval (Tukey 1958): estimate -+ t(n - 1) e with e^2 = (n - 1)/n sum (x_i - mean)^2, where
/// x_i is the estimate without item i.
///
/// Undefined for fewer than two items, when the estimate is undefined without one of them, and when no item makes a
/// difference, where it would be of no width.
pub(super) fn interval(estimate: f64, without: &[Stat<f64>], level: f64) -> Stat<Interval> {
    checked_level(level)?;
    let n = without.len() as f64;
    if without.len() < 2 {
        return Err(Undefined::because("fewer than two items are too few for an interval"));
    }
    let mut values = Vec::with_capacity(without.len());
    for value in without {
        match value {
            Ok(value) => values.push(*value),
            Err(undefined) => {
                return Err(Undefined::because(format!(
                    "without one of the items it is undefined ({})",
                    undefined.reason
                )));
            }
        }
    }
    let centre = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let error = ((n - 1.0) / n * squares).sqrt();
    if error < 1e-14 {
        return Err(Undefined::because("no variation: no item makes a difference"));
    }
    let half = t_quantile(level, n - 1.0) * error;
    if !(half.is_finite() && estimate.is_finite()) {
        return Err(Undefined::because("the interval is not finite"));
    }
    Ok(Interval {
        low: estimate - half,
        high: estimate + half,
        level,
    })
}

/// The same, cut to the range that agreement can have.
pub(super) fn agreement_interval(estimate: f64, without: &[Stat<f64>], level: f64) -> Stat<Interval> {
    let whole = interval(estimate, without, level)?;
    Ok(Interval {
        low: whole.low.max(-1.0),
        high: whole.high.min(1.0),
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_mean_it_is_students() {
        let values = [1.0, 2.0, 3.0, 4.0];
        let without: Vec<Stat<f64>> = values.iter().map(|value| Ok((10.0 - value) / 3.0)).collect();
        let jackknife = interval(2.5, &without, 0.95).unwrap();
        let student = super::super::mean::mean_interval(&values, 0.95).unwrap();
        assert!((jackknife.low - student.low).abs() < 1e-12);
        assert!((jackknife.high - student.high).abs() < 1e-12);
    }

    #[test]
    fn undefined_has_a_reason() {
        assert!(interval(1.0, &[Ok(1.0)], 0.95).is_err());
        assert!(
            interval(1.0, &[Ok(1.0), Ok(1.0)], 0.95)
                .unwrap_err()
                .reason
                .contains("no variation")
        );
        let partly = interval(1.0, &[Ok(1.0), Err(Undefined::because("why"))], 0.95);
        assert!(partly.unwrap_err().reason.contains("why"));
    }
}
