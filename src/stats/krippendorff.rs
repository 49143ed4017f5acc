//! Agreement of any number of judges with gaps, on any level of measurement.

use super::fleiss::Agreement;
use super::{Stat, Undefined, jackknife};

/// More distinct values than this would need a table of gigabytes.
const MOST_VALUES: usize = 3_000;

/// What a difference of two values means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measurement {
    /// Values are equal or not.
    Nominal,
    /// Values have an order: a difference is the number of values between, as often as they occur.
    Ordinal,
    /// Differences have a size: (a - b)^2.
    Interval,
    /// Ratios have a size: ((a - b) / (a + b))^2.
    Ratio,
}

/// Krippendorff's alpha (Krippendorff 1970; computed by coincidences as in Krippendorff 2011): 1 - observed / expected
/// disagreement.
///
/// `judgments` has a row a judge and a column an item; `None` is a missing judgment. Items judged once have no pair and
/// count for nothing. Undefined for rows of unequal length, values that are not finite, no item judged twice, and when
/// all values that have a pair are equal, where no disagreement is expected. The interval is the jackknife's over the
/// items judged twice; an ordinal difference is left as in the whole.
pub fn krippendorff_alpha(judgments: &[Vec<Option<f64>>], measurement: Measurement, level: f64) -> Stat<Agreement> {
    let items = judgments.first().map_or(0, Vec::len);
    if judgments.iter().any(|row| row.len() != items) {
        return Err(Undefined::because("not all judges have as many items"));
    }
    if judgments.iter().flatten().flatten().any(|value| !value.is_finite()) {
        return Err(Undefined::because("a value is not finite"));
    }
    let of_items: Vec<Vec<f64>> = (0..items)
        .map(|item| {
            judgments
                .iter()
                .filter_map(|row| row[item])
                .map(|value| value + 0.0)
                .collect()
        })
        .filter(|values: &Vec<f64>| values.len() > 1)
        .collect();
    if of_items.is_empty() {
        return Err(Undefined::because("no item was judged twice"));
    }
    let mut values: Vec<f64> = of_items.iter().flatten().copied().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    if values.len() < 2 {
        return Err(Undefined::because("all judgments are equal"));
    }
    if values.len() > MOST_VALUES {
        return Err(Undefined::because(format!(
            "{} distinct values are too many",
            values.len()
        )));
    }
    // How often every item has every value, as places in `values`.
    let counts: Vec<Vec<(usize, f64)>> = of_items.iter().map(|item| counted(item, &values)).collect();
    let mut totals = vec![0.0; values.len()];
    for (place, count) in counts.iter().flatten() {
        totals[*place] += count;
    }
    let distance = distances(&values, &totals, measurement);
    let observed: Vec<f64> = counts.iter().map(|item| disagreement(item, &distance)).collect();
    let whole: f64 = observed.iter().sum();
    let n: f64 = totals.iter().sum();
    // What every value expects to disagree with all judgments.
    let of_values: Vec<f64> = distance
        .iter()
        .map(|row| row.iter().zip(&totals).map(|(distance, total)| distance * total).sum())
        .collect();
    let expected: f64 = of_values.iter().zip(&totals).map(|(value, total)| value * total).sum();
    let alpha_of_rest = |n: f64, observed: f64, left: f64| {
        // Where only one value is left, rounding is left of what was expected.
        if left <= 1e-12 * expected {
            return Err(Undefined::because("all judgments are equal"));
        }
        Ok(1.0 - observed * (n - 1.0) / left)
    };
    if expected <= 0.0 || !expected.is_finite() {
        return Err(Undefined::because("all judgments are equal, or too far apart"));
    }
    let value = 1.0 - whole * (n - 1.0) / expected;
    let without: Vec<Stat<f64>> = counts
        .iter()
        .zip(&observed)
        .map(|(item, part)| {
            let judges: f64 = item.iter().map(|(_, count)| count).sum();
            let with_all: f64 = item.iter().map(|(place, count)| count * of_values[*place]).sum();
            let among = part * (judges - 1.0);
            alpha_of_rest(n - judges, whole - part, expected - 2.0 * with_all + among)
        })
        .collect();
    Ok(Agreement {
        value,
        interval: jackknife::agreement_interval(value, &without, level),
        items: of_items.len(),
    })
}

fn counted(item: &[f64], values: &[f64]) -> Vec<(usize, f64)> {
    let mut sorted = item.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .chunk_by(|a, b| a == b)
        .map(|group| (values.partition_point(|value| *value < group[0]), group.len() as f64))
        .collect()
}

/// Disagreement of the pairs of one item, each judgment weighing the same whatever the number of judges.
fn disagreement(item: &[(usize, f64)], distance: &[Vec<f64>]) -> f64 {
    let judges: f64 = item.iter().map(|(_, count)| count).sum();
    let mut sum = 0.0;
    for (a, first) in item {
        for (b, second) in item {
            sum += first * second * distance[*a][*b];
        }
    }
    sum / (judges - 1.0)
}

fn distances(values: &[f64], totals: &[f64], measurement: Measurement) -> Vec<Vec<f64>> {
    let between = |a: usize, b: usize| {
        let (low, high) = (a.min(b), a.max(b));
        let (first, second) = (values[low], values[high]);
        let difference = match measurement {
            Measurement::Nominal => return f64::from(u8::from(a != b)),
            Measurement::Ordinal => totals[low..=high].iter().sum::<f64>() - f64::midpoint(totals[low], totals[high]),
            Measurement::Interval => second - first,
            Measurement::Ratio if first + second == 0.0 => 0.0,
            Measurement::Ratio => (second - first) / (first + second),
        };
        difference * difference
    };
    (0..values.len())
        .map(|a| (0..values.len()).map(|b| between(a, b)).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_single_judgments_are_left_out() {
        let whole = vec![
            vec![Some(1.0), Some(2.0), Some(1.0)],
            vec![Some(1.0), Some(2.0), Some(2.0)],
        ];
        let mut gaps = whole.clone();
        gaps[0].push(None);
        gaps[1].push(Some(9.0));
        let alpha = |judgments: &[Vec<Option<f64>>]| krippendorff_alpha(judgments, Measurement::Nominal, 0.95);
        let found = alpha(&whole).unwrap();
        assert_eq!(found, alpha(&gaps).unwrap());
        // One of three items disagrees: observed 2 of 6, expected 2 * 3 * 3 of 30.
        assert!((found.value - (1.0 - (2.0 / 6.0) / (18.0 / 30.0))).abs() < 1e-12);
    }

    #[test]
    fn undefined_has_a_reason() {
        let reason = |judgments: &[Vec<Option<f64>>]| {
            krippendorff_alpha(judgments, Measurement::Interval, 0.95)
                .unwrap_err()
                .reason
        };
        assert!(reason(&[]).contains("twice"));
        assert!(reason(&[vec![Some(1.0)], vec![]]).contains("as many"));
        assert!(reason(&[vec![Some(1.0)], vec![Some(1.0)]]).contains("equal"));
        assert!(reason(&[vec![Some(f64::NAN)], vec![Some(1.0)]]).contains("finite"));
    }
}
