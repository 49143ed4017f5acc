//! Whether confidence is as high as the share of right answers.

use super::proportion::wilson;
use super::{Interval, Stat, Undefined};

/// Finer bins show nothing.
const MOST_BINS: usize = 1_000;

/// One bin of a calibration curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// The lowest confidence that belongs to it.
    pub from: f64,
    /// The confidence below which it ends; the last bin holds 1.
    pub to: f64,
    /// Answers in it.
    pub count: u64,
    /// Their mean confidence.
    pub mean_confidence: f64,
    /// The share of them that is right.
    pub share_right: f64,
    /// Wilson interval of that share.
    pub interval: Interval,
}

/// A calibration curve and what it comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The bins that hold an answer, from low to high confidence.
    pub bins: Vec<Bin>,
    /// Expected calibration error (Naeini et al. 2015; Guo et al. 2017): the mean over answers of the distance between
    /// share right and mean confidence of their bin. It grows with the number of bins and falls with that of answers.
    pub expected_error: f64,
    /// The largest of these distances.
    pub maximum_error: f64,
    /// Brier's score (Brier 1950): the mean of (confidence - outcome)^2, which needs no bins.
    pub brier: f64,
}

/// Which of so many bins of equal width holds a confidence, from 0.
pub fn bin_of(confidence: f64, bins: usize) -> usize {
    ((confidence * bins as f64) as usize).min(bins.saturating_sub(1))
}

/// The calibration of `confidences`, from 0 to 1, that answers are `right`, in `bins` of equal width.
///
/// Undefined without answers or bins, for unequal lengths, and for a confidence outside [0, 1].
pub fn calibration(confidences: &[f64], right: &[bool], bins: usize, level: f64) -> Stat<Calibration> {
    if confidences.len() != right.len() {
        return Err(Undefined::because(format!(
            "{} confidences of {} answers",
            confidences.len(),
            right.len()
        )));
    }
    if confidences.is_empty() {
        return Err(Undefined::because("no answers (n = 0)"));
    }
    if bins == 0 || bins > MOST_BINS {
        return Err(Undefined::because(format!("{bins} bins are none, or too many")));
    }
    if let Some(outside) = confidences.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        return Err(Undefined::because(format!(
            "confidence {outside} is not between 0 and 1"
        )));
    }
    let n = confidences.len() as f64;
    let mut sums = vec![(0_u64, 0_u64, 0.0_f64); bins];
    let mut brier = 0.0;
    for (confidence, right) in confidences.iter().zip(right) {
        let outcome = f64::from(u8::from(*right));
        brier += (confidence - outcome).powi(2);
        let place = bin_of(*confidence, bins);
        let (count, hits, sum) = &mut sums[place];
        *count += 1;
        *hits += u64::from(*right);
        *sum += confidence;
    }
    let mut filled = Vec::new();
    let (mut expected_error, mut maximum_error) = (0.0, 0.0_f64);
    for (place, (count, hits, sum)) in sums.into_iter().enumerate() {
        if count == 0 {
            continue;
        }
        let bin = Bin {
            from: place as f64 / bins as f64,
            to: (place as f64 + 1.0) / bins as f64,
            count,
            mean_confidence: sum / count as f64,
            share_right: hits as f64 / count as f64,
            interval: wilson(hits, count, level)?,
        };
        let distance = (bin.share_right - bin.mean_confidence).abs();
        expected_error += distance * count as f64 / n;
        maximum_error = maximum_error.max(distance);
        filled.push(bin);
    }
    Ok(Calibration {
        bins: filled,
        expected_error,
        maximum_error,
        brier: brier / n,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bins() {
        // Low: 0.2 and 0.4, one right. High: 0.9 twice and 1, all right.
        let confidences = [0.2, 0.4, 0.9, 0.9, 1.0];
        let right = [true, false, true, true, true];
        let found = calibration(&confidences, &right, 2, 0.95).unwrap();
        assert_eq!(found.bins.len(), 2);
        assert_eq!((found.bins[0].count, found.bins[0].share_right), (2, 0.5));
        assert_eq!((found.bins[1].from, found.bins[1].to), (0.5, 1.0));
        let low = 0.2;
        let high = 1.0 - 2.8 / 3.0;
        assert!((found.expected_error - (0.4 * low + 0.6 * high)).abs() < 1e-12);
        assert!((found.maximum_error - low).abs() < 1e-12);
        assert!((found.brier - (0.64 + 0.16 + 0.01 + 0.01) / 5.0).abs() < 1e-12);
    }

    #[test]
    fn undefined_has_a_reason() {
        assert!(calibration(&[], &[], 10, 0.95).unwrap_err().reason.contains("n = 0"));
        assert!(calibration(&[0.5], &[true], 0, 0.95).is_err());
        assert!(calibration(&[0.5], &[], 10, 0.95).is_err());
        assert!(calibration(&[1.5], &[true], 10, 0.95).is_err());
        assert!(calibration(&[f64::NAN], &[true], 10, 0.95).is_err());
    }
}
