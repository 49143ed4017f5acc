//! Intervals by drawing samples with replacement.

use super::distribution::{checked_level, normal_below, normal_point};
use super::mean::standard_deviation;
use super::quantile::{Definition, of_sorted};
use super::resample::Resampler;
use super::{Interval, Stat, Undefined, checked_finite};

/// More resamples without a value than this share make an interval undefined: what it would leave out is too much.
const MOST_WITHOUT_VALUE: f64 = 0.05;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Resamples, some thousands.
    pub resamples: usize,
    /// The seed; the same seed gives the same resamples.
    pub seed: u64,
    /// Confidence level, such as 0.95.
    pub level: f64,
}

/// What resampling says of a statistic.
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the rows as they are.
    pub estimate: f64,
    /// The standard deviation over the resamples.
    pub standard_error: f64,
    /// Between the quantiles of the resamples (Efron 1979).
    pub percentile: Stat<Interval>,
    /// The same, corrected for bias and for an error that changes with the value (Efron 1987).
    pub bca: Stat<Interval>,
    /// Resamples that had a value.
    pub resamples: usize,
    /// Resamples in which the statistic is undefined; they are left out.
    pub without_value: usize,
}

/// Bootstraps a statistic of column sums.
///
/// A row is what is drawn as one: a sample with all its judgments, so that judgments of one sample stay together. Its
/// columns are what the statistic needs summed: for a mean the sum and the count of its values, for a difference of two
/// means four columns, for kappa the cells of the table. This makes a resample cheap: equal rows are drawn as one
/// multinomial variable. `statistic` gets the column sums and is `None` where it is undefined.
///
/// Undefined for fewer than two rows, rows of unequal width, values that are not finite, no resamples, and where the
/// statistic of the rows themselves is undefined. The intervals are undefined when all resamples agree, when more than 5%
/// of them have no value, and BCa's when no row makes a difference or the estimate lies outside all resamples.
pub fn bootstrap(
    rows: &[Vec<f64>],
    resampling: Resampling,
    statistic: impl Fn(&[f64]) -> Option<f64>,
) -> Stat<Bootstrap> {
    let several = bootstrap_several(rows, 1, resampling, |totals, values| match statistic(totals) {
        Some(value) => {
            values[0] = value;
            true
        }
        None => false,
    })?;
    several
        .into_iter()
        .next()
        .ok_or_else(|| Undefined::because("no statistic"))
}

/// Bootstraps `outputs` statistics of the same column sums together. `statistics` writes them and says whether they have
/// values.
pub fn bootstrap_several(
    rows: &[Vec<f64>],
    outputs: usize,
    resampling: Resampling,
    mut statistics: impl FnMut(&[f64], &mut [f64]) -> bool,
) -> Stat<Vec<Bootstrap>> {
    let Resampling { resamples, seed, level } = resampling;
    checked_level(level)?;
    if rows.len() < 2 {
        return Err(Undefined::because(format!(
            "n = {} is too small to resample",
            rows.len()
        )));
    }
    if rows.iter().any(|row| row.len() != rows[0].len()) {
        return Err(Undefined::because("rows have different widths"));
    }
    for row in rows {
        checked_finite(row)?;
    }
    if resamples == 0 {
        return Err(Undefined::because("no resamples were asked for"));
    }
    let mut resampler = Resampler::new(rows, seed);
    let mut values = vec![0.0; outputs];
    if !statistics(&resampler.totals(), &mut values) || checked_finite(&values).is_err() {
        return Err(Undefined::because("the statistic is undefined for the rows themselves"));
    }
    let estimates = values.clone();
    let mut without: Stat<Vec<Vec<f64>>> = Ok(vec![Vec::with_capacity(rows.len()); outputs]);
    for (totals, times) in resampler.leave_one_out() {
        let has_value = statistics(&totals, &mut values) && checked_finite(&values).is_ok();
        match &mut without {
            Ok(columns) if has_value => {
                for (column, value) in columns.iter_mut().zip(&values) {
                    column.extend(std::iter::repeat_n(*value, times));
                }
            }
            _ => without = Err(Undefined::because("without one of the rows the statistic is undefined")),
        }
    }
    let mut distributions = vec![Vec::with_capacity(resamples); outputs];
    let mut totals = resampler.totals();
    for _ in 0..resamples {
        resampler.draw(&mut totals);
        if statistics(&totals, &mut values) && checked_finite(&values).is_ok() {
            for (distribution, value) in distributions.iter_mut().zip(&values) {
                distribution.push(*value);
            }
        }
    }
    let results = distributions.into_iter().zip(estimates).enumerate();
    results
        .map(|(output, (distribution, estimate))| {
            let without = without.as_ref().map(|columns| columns[output].as_slice());
            summary(estimate, distribution, without, resamples, level)
        })
        .collect()
}

fn summary(
    estimate: f64,
    mut distribution: Vec<f64>,
    without: Result<&[f64], &Undefined>,
    resamples: usize,
    level: f64,
) -> Stat<Bootstrap> {
    let kept = distribution.len();
    if kept < 2 {
        return Err(Undefined::because("fewer than two resamples have a value"));
    }
    distribution.sort_by(f64::total_cmp);
    let refused = if (resamples - kept) as f64 > MOST_WITHOUT_VALUE * resamples as f64 {
        Some(Undefined::because(format!(
            "{} of {resamples} resamples have no value",
            resamples - kept
        )))
    } else if distribution[kept - 1] - distribution[0] <= 1e-14 * estimate.abs() {
        Some(Undefined::because("no variation: all resamples have the same value"))
    } else {
        None
    };
    let (percentile, bca) = match refused {
        Some(undefined) => (Err(undefined.clone()), Err(undefined)),
        None => (
            between(&distribution, level),
            without
                .map_err(Clone::clone)
                .and_then(|without| bca_of_sorted(estimate, &distribution, without, level)),
        ),
    };
    Ok(Bootstrap {
        estimate,
        standard_error: standard_deviation(&distribution)?,
        percentile,
        bca,
        resamples: kept,
        without_value: resamples - kept,
    })
}

/// The percentile interval of the values of resamples: between their quantiles (1 - level) / 2 and (1 + level) / 2.
pub fn percentile_interval(distribution: &[f64], level: f64) -> Stat<Interval> {
    between(&sorted(distribution)?, level)
}

/// The basic interval, the percentile interval mirrored at the estimate.
pub fn basic_interval(estimate: f64, distribution: &[f64], level: f64) -> Stat<Interval> {
    let mirrored = percentile_interval(distribution, level)?;
    let (low, high) = (2.0 * estimate - mirrored.high, 2.0 * estimate - mirrored.low);
    checked_finite(&[low, high])?;
    Ok(Interval { low, high, level })
}

/// The bias-corrected and accelerated interval (Efron 1987) of an estimate from the values of resamples and the values
/// `without` each of the rows.
///
/// With z0 the normal quantile of the share of resamples below the estimate (equal ones by half) and
/// a = sum u^3 / (6 (sum u^2)^1.5), u the deviations of the values without a row from their mean, its ends are the
/// quantiles Phi(z0 + (z0 -+ z) / (1 - a (z0 -+ z))).
pub fn bca_interval(estimate: f64, distribution: &[f64], without: &[f64], level: f64) -> Stat<Interval> {
    bca_of_sorted(estimate, &sorted(distribution)?, without, level)
}

fn sorted(distribution: &[f64]) -> Stat<Vec<f64>> {
    checked_finite(distribution)?;
    let mut sorted = distribution.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}

fn between(sorted: &[f64], level: f64) -> Stat<Interval> {
    checked_level(level)?;
    let tail = (1.0 - level) / 2.0;
    Ok(Interval {
        low: of_sorted(sorted, tail, Definition::Linear)?,
        high: of_sorted(sorted, 1.0 - tail, Definition::Linear)?,
        level,
    })
}

fn bca_of_sorted(estimate: f64, sorted: &[f64], without: &[f64], level: f64) -> Stat<Interval> {
    checked_level(level)?;
    checked_finite(without)?;
    if sorted.is_empty() || without.len() < 2 || !estimate.is_finite() {
        return Err(Undefined::because("fewer than two rows, or no resamples"));
    }
    // Sums of the same values in another order differ by their rounding, which must not decide on which side they are.
    let slack = 1e-12 * estimate.abs();
    let below = sorted.partition_point(|value| *value < estimate - slack);
    let up_to = sorted.partition_point(|value| *value <= estimate + slack);
    let share = (below + up_to) as f64 / (2.0 * sorted.len() as f64);
    if share <= 0.0 || share >= 1.0 {
        return Err(Undefined::because("the estimate lies outside all resamples"));
    }
    let centre = without.iter().sum::<f64>() / without.len() as f64;
    let squares: f64 = without.iter().map(|value| (centre - value).powi(2)).sum();
    let cubes: f64 = without.iter().map(|value| (centre - value).powi(3)).sum();
    // Equal values may differ from their mean by its rounding.
    let rounding = 1e-14 * estimate.abs();
    if squares <= (without.len() as f64 * rounding * rounding).max(f64::MIN_POSITIVE) {
        return Err(Undefined::because("no variation: no row makes a difference"));
    }
    let acceleration = cubes / (6.0 * squares.powf(1.5));
    let bias = normal_point(share);
    let end = |tail: f64| {
        let z = bias + normal_point(tail);
        let moved = bias + z / (1.0 - acceleration * z);
        of_sorted(sorted, normal_below(moved), Definition::Linear)
    };
    let tail = (1.0 - level) / 2.0;
    Ok(Interval {
        low: end(tail)?,
        high: end(1.0 - tail)?,
        level,
    })
}

/// The rows of a mean over judgments that come in samples: sum and count of every sample's values.
pub fn rows_of_mean(samples: &[Vec<f64>]) -> Vec<Vec<f64>> {
    samples
        .iter()
        .map(|values| vec![values.iter().sum(), values.len() as f64])
        .collect()
}

/// Bootstraps the mean over all judgments, drawing samples with all their judgments.
pub fn bootstrap_mean(samples: &[Vec<f64>], resampling: Resampling) -> Stat<Bootstrap> {
    bootstrap(&rows_of_mean(samples), resampling, |totals| {
        (totals[1] > 0.0).then(|| totals[0] / totals[1])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_THOUSAND: Resampling = Resampling {
        resamples: 2000,
        seed: 5,
        level: 0.95,
    };

    #[test]
    fn of_a_mean_it_is_the_normal_interval() {
        let samples: Vec<Vec<f64>> = (0..400).map(|i| vec![f64::from(u8::from(i % 4 == 0))]).collect();
        let found = bootstrap_mean(&samples, TWO_THOUSAND).unwrap();
        assert_eq!((found.estimate, found.resamples, found.without_value), (0.25, 2000, 0));
        let error = (0.25_f64 * 0.75 / 400.0).sqrt();
        assert!((found.standard_error / error - 1.0).abs() < 0.06, "{found:?}");
        for interval in [&found.percentile, &found.bca] {
            let interval = interval.as_ref().unwrap();
            assert!((interval.low - (0.25 - 1.96 * error)).abs() < 0.006, "{interval:?}");
            assert!((interval.high - (0.25 + 1.96 * error)).abs() < 0.006, "{interval:?}");
        }
        assert_eq!(found, bootstrap_mean(&samples, TWO_THOUSAND).unwrap());
    }

    #[test]
    fn judgments_of_one_sample_stay_together() {
        // 50 samples whose ten judgments agree: the error is that of 50 values, not of 500.
        let samples: Vec<Vec<f64>> = (0..50).map(|i| vec![f64::from(i % 2); 10]).collect();
        let found = bootstrap_mean(&samples, TWO_THOUSAND).unwrap();
        assert!((found.standard_error / (0.25_f64 / 50.0).sqrt() - 1.0).abs() < 0.06);
    }

    #[test]
    fn undefined_has_a_reason() {
        let reason = |samples: &[Vec<f64>]| bootstrap_mean(samples, TWO_THOUSAND).unwrap_err().reason;
        assert!(reason(&[vec![1.0]]).contains("n = 1"));
        assert!(reason(&[vec![], vec![]]).contains("undefined"));
        assert!(reason(&[vec![f64::NAN], vec![1.0]]).contains("finite"));
        let constant = bootstrap_mean(&vec![vec![1.0]; 20], TWO_THOUSAND).unwrap();
        assert!(constant.percentile.unwrap_err().reason.contains("no variation"));
        let rows = vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 0.0]];
        let ratio = bootstrap(&rows, TWO_THOUSAND, |totals| {
            (totals[1] > 0.0).then(|| totals[0] / totals[1])
        });
        let ratio = ratio.unwrap();
        assert!(ratio.without_value > 400);
        assert!(ratio.percentile.unwrap_err().reason.contains("have no value"));
        assert!(ratio.bca.is_err());
    }
}
