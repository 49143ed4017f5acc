//! How well a graded confidence separates right from wrong answers.

use super::distribution::{checked_level, normal_quantile, normal_two_sided};
use super::rank::average_ranks;
use super::{Interval, Stat, Undefined, checked_finite};

/// The area under the ROC curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Auroc {
    /// The probability that a right answer has a higher score than a wrong one, ties counted by half; 1/2 for guessing.
    pub area: f64,
    /// Its standard error (DeLong, DeLong and Clarke-Pearson 1988).
    pub standard_error: f64,
    /// logit(area) -+ z error / (area (1 - area)), turned back, so that it stays within [0, 1] (Pepe 2003, 5.2.2);
    /// undefined for a perfect separation, whose error is 0.
    pub interval: Stat<Interval>,
    /// Two-sided p of an area of 1/2, by area and standard error; undefined like the interval.
    pub p: Stat<f64>,
}

/// The area under the ROC curve of `scores` for telling `right` answers from wrong ones.
///
/// By midranks (Sun and Xu 2014). Undefined for unequal lengths, a score that is not finite, and fewer than two right or
/// two wrong answers, of which no variance can be taken.
pub fn auroc(scores: &[f64], right: &[bool], level: f64) -> Stat<Auroc> {
    checked_level(level)?;
    checked_finite(scores)?;
    if scores.len() != right.len() {
        return Err(Undefined::because(format!(
            "{} scores of {} answers",
            scores.len(),
            right.len()
        )));
    }
    let of_class = |class: bool| -> Vec<usize> { (0..right.len()).filter(|index| right[*index] == class).collect() };
    let (positive, negative) = (of_class(true), of_class(false));
    for (class, name) in [(&positive, "right"), (&negative, "wrong")] {
        if class.len() < 2 {
            return Err(Undefined::because(format!("fewer than two {name} answers")));
        }
    }
    let all = average_ranks(scores)?;
    // For every answer the share of the other class that it is placed rightly against.
    let placed = |class: &[usize], others: usize| -> Stat<Vec<f64>> {
        let own: Vec<f64> = class.iter().map(|index| scores[*index]).collect();
        let own_ranks = average_ranks(&own)?;
        let among = class.iter().zip(own_ranks);
        Ok(among.map(|(index, own)| (all[*index] - own) / others as f64).collect())
    };
    let above_wrong = placed(&positive, negative.len())?;
    let above_right = placed(&negative, positive.len())?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let error_squared = |values: &[f64]| {
        let centre = mean(values);
        let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
        squares / (values.len() as f64 - 1.0) / values.len() as f64
    };
    let area = mean(&above_wrong).clamp(0.0, 1.0);
    let standard_error = (error_squared(&above_wrong) + error_squared(&above_right)).sqrt();
    let (interval, p) = if standard_error < 1e-12 || area <= 0.0 || area >= 1.0 {
        let undefined = Undefined::because("no variation: the standard error is 0");
        (Err(undefined.clone()), Err(undefined))
    } else {
        let centre = (area / (1.0 - area)).ln();
        let half = normal_quantile(level) * standard_error / (area * (1.0 - area));
        let back = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        let interval = Interval {
            low: back(centre - half),
            high: back(centre + half),
            level,
        };
        (Ok(interval), Ok(normal_two_sided((area - 0.5) / standard_error)))
    };
    Ok(Auroc {
        area,
        standard_error,
        interval,
        p,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_and_ties_by_half() {
        let scores = [0.9, 0.5, 0.4, 0.5, 0.1, 0.3];
        let right = [true, true, true, false, false, false];
        // Of 9 pairs 0.9 wins 3, 0.5 wins 2 and ties 1, 0.4 wins 2.
        let found = auroc(&scores, &right, 0.95).unwrap();
        assert!((found.area - 7.5 / 9.0).abs() < 1e-12);
        // Placements 1, 5/6, 2/3 of the right, and 1/2, 1, 1 of the wrong: variances 1/36 and 1/12, each over 3.
        assert!((found.standard_error - (1.0_f64 / 108.0 + 1.0 / 36.0).sqrt()).abs() < 1e-12);
        let interval = found.interval.unwrap();
        assert!(0.0 < interval.low && interval.low < found.area && found.area < interval.high && interval.high < 1.0);
    }

    #[test]
    fn undefined_has_a_reason() {
        let perfect = auroc(&[1.0, 2.0, 3.0, 4.0], &[false, false, true, true], 0.95).unwrap();
        assert_eq!(perfect.area, 1.0);
        assert!(perfect.interval.is_err() && perfect.p.is_err());
        assert!(
            auroc(&[1.0; 3], &[true, true, false], 0.95)
                .unwrap_err()
                .reason
                .contains("two wrong")
        );
        assert!(auroc(&[1.0], &[], 0.95).is_err());
        assert!(auroc(&[f64::NAN; 4], &[true, true, false, false], 0.95).is_err());
        let blind = auroc(&[0.5; 4], &[true, true, false, false], 0.95).unwrap();
        assert_eq!(blind.area, 0.5);
        assert!(blind.interval.is_err());
    }
}
