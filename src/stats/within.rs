//! Correlation within samples: whether, of the things judged on the same sample, the longer (or more useful) one is the
//! preferred one, whatever differs between samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::{checked_level, t_above};
use super::jackknife;
use super::rank::average_ranks;
use super::{Interval, Stat, Undefined, checked_finite};

/// What is correlated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The values.
    Values,
    /// Their ranks within the sample, which long tails do not rule.
    Ranks,
}

/// A correlation within samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WithinCorrelation {
    /// The coefficient, in [-1, 1].
    pub r: f64,
    /// Two-sided p of no association, by Student's t over samples.
    pub p: f64,
    /// Jackknife interval over samples on the scale of Fisher's z, or why there is none.
    pub interval: Stat<Interval>,
    /// Samples in which both vary; others say nothing.
    pub samples: usize,
    /// Points in these samples.
    pub points: usize,
}

/// The pooled correlation within samples (Bland and Altman 1995): r = sum xy / sqrt(sum xx sum yy), with x and y as
/// deviations from their mean in the sample.
///
/// Points of a sample are not independent, samples are: p is that of Student's t test that the samples' sums of xy have
/// mean 0. `samples` holds the points (x, y) of every sample. Undefined for a value that is not finite, and when fewer
/// than two samples vary in both.
pub fn within_correlation(samples: &[Vec<(f64, f64)>], scale: Scale, level: f64) -> Stat<WithinCorrelation> {
    checked_level(level)?;
    let mut sums = Vec::new();
    let mut points = 0;
    for sample in samples {
        let x = deviations(sample.iter().map(|point| point.0).collect(), scale)?;
        let y = deviations(sample.iter().map(|point| point.1).collect(), scale)?;
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (xx, yy) = (product(&x, &x), product(&y, &y));
        if xx > 0.0 && yy > 0.0 {
            sums.push([product(&x, &y), xx, yy]);
            points += sample.len();
        }
    }
    let count = sums.len();
    if count < 2 {
        return Err(Undefined::because(format!(
            "no variation: {count} samples vary in both, and two are needed"
        )));
    }
    let total = sums.iter().fold([0.0; 3], |mut total: [f64; 3], sample| {
        total.iter_mut().zip(sample).for_each(|(total, value)| *total += value);
        total
    });
    let correlation = |[xy, xx, yy]: [f64; 3]| (xy / xx.sqrt() / yy.sqrt()).clamp(-1.0, 1.0);
    let r = correlation(total);
    if !r.is_finite() || total.iter().any(|sum| !sum.is_finite()) {
        return Err(Undefined::because("the values are too large"));
    }
    let z = |r: f64| {
        if !r.is_finite() {
            Err(Undefined::because("the values are too large"))
        } else if r.abs() > 1.0 - 1e-12 {
            Err(Undefined::because(
                "all points lie on a line, where Fisher's z is infinite",
            ))
        } else {
            Ok(r.atanh())
        }
    };
    let without: Vec<Stat<f64>> = sums
        .iter()
        .map(|sample| z(correlation(std::array::from_fn(|place| total[place] - sample[place]))))
        .collect();
    let interval = z(r)
        .and_then(|centre| jackknife::interval(centre, &without, level))
        .map(|interval| Interval {
            low: interval.low.tanh(),
            high: interval.high.tanh(),
            level,
        });
    let n = count as f64;
    let mean = total[0] / n;
    let variance = sums.iter().map(|sample| (sample[0] - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    if !error.is_finite() {
        return Err(Undefined::because("the values are too large"));
    }
    let p = if error > 1e-14 * mean.abs() {
        2.0 * t_above((mean / error).abs(), n - 1.0)
    } else if mean == 0.0 {
        1.0
    } else {
        // All samples say the same; were their signs random, this is how likely they would agree.
        0.5_f64.powf(n - 1.0)
    };
    Ok(WithinCorrelation {
        r,
        p,
        interval,
        samples: count,
        points,
    })
}

fn deviations(mut values: Vec<f64>, scale: Scale) -> Stat<Vec<f64>> {
    checked_finite(&values)?;
    if values.iter().all(|value| *value == values[0]) {
        return Ok(vec![0.0; values.len()]);
    }
    if scale == Scale::Ranks {
        values = average_ranks(&values)?;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    Ok(values.into_iter().map(|value| value - mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_between_samples_do_not_count() {
        // Within each sample more is less, though over all samples more is more.
        let samples: Vec<Vec<(f64, f64)>> = (0..20)
            .map(|sample| {
                let base = f64::from(sample) * 10.0;
                let last = f64::from(sample % 3);
                vec![(base, base + 2.0), (base + 1.0, base + 1.0), (base + 2.0, base - last)]
            })
            .collect();
        for scale in [Scale::Values, Scale::Ranks] {
            let found = within_correlation(&samples, scale, 0.95).unwrap();
            assert!(found.r < -0.9 && found.p < 1e-4, "{found:?}");
            assert_eq!((found.samples, found.points), (20, 60));
        }
    }

    #[test]
    fn samples_without_variation_say_nothing() {
        let flat = vec![(1.0, 2.0), (1.0, 3.0)];
        let varied = vec![(1.0, 2.0), (2.0, 3.0), (3.0, 1.0)];
        let samples = [flat.clone(), varied.clone(), flat, varied, vec![]];
        assert_eq!(within_correlation(&samples, Scale::Values, 0.95).unwrap().samples, 2);
        assert!(
            within_correlation(&samples[..2], Scale::Ranks, 0.95)
                .unwrap_err()
                .reason
                .contains("no variation")
        );
        assert!(within_correlation(&[vec![(f64::NAN, 1.0)]], Scale::Ranks, 0.95).is_err());
    }
}
