//! How well a graded confidence separates right from wrong answers.

use std::collections::BTreeMap;

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
    let each: Vec<usize> = (0..scores.len()).collect();
    auroc_of_clusters(scores, right, &each, level)
}

/// The same of answers that come in clusters, as several answers about one sample do. The area is the same; its variance is
/// Obuchowski's (1997), from the sums of placements within clusters: with m right and n wrong answers, and of cluster i the
/// sums X_i and Y_i of m_i and n_i placements less the area,
/// `I+ / ((I+ - 1) m^2) sum X_i^2 + I- / ((I- - 1) n^2) sum Y_i^2 + 2 I / ((I - 1) m n) sum X_i Y_i`, where I+, I- and I
/// count the clusters with a right answer, with a wrong one and all. With one answer a cluster it is DeLong's.
///
/// Undefined like [`auroc`], and for fewer than two clusters with a right or with a wrong answer.
pub fn auroc_of_clusters<C: Ord>(scores: &[f64], right: &[bool], clusters: &[C], level: f64) -> Stat<Auroc> {
    checked_level(level)?;
    checked_finite(scores)?;
    if clusters.len() != scores.len() {
        return Err(Undefined::because(format!(
            "{} clusters of {} answers",
            clusters.len(),
            scores.len()
        )));
    }
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
    let area = mean(&above_wrong).clamp(0.0, 1.0);
    // Of each cluster what its right answers and what its wrong ones are off, where it has such. What is above a wrong answer
    // is placed rightly, what is counted is below it: hence the sign.
    let mut off: BTreeMap<&C, [Option<f64>; 2]> = BTreeMap::new();
    let classes = [(&positive, &above_wrong, 1.0), (&negative, &above_right, -1.0)];
    for (class, (members, placed, sign)) in classes.into_iter().enumerate() {
        let centre = mean(placed);
        for (index, placed) in members.iter().zip(placed) {
            let sum = &mut off.entry(&clusters[*index]).or_default()[class];
            *sum = Some(sum.unwrap_or(0.0) + sign * (placed - centre));
        }
    }
    let standard_error = of_clusters(&off.into_values().collect::<Vec<_>>(), positive.len(), negative.len())?;
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

/// Obuchowski's standard error, from what the right and the wrong answers of each cluster are off.
fn of_clusters(off: &[[Option<f64>; 2]], right: usize, wrong: usize) -> Stat<f64> {
    let counts = [right as f64, wrong as f64];
    let mut variance = 0.0;
    for (class, name) in [(0, "right"), (1, "wrong")] {
        let sums: Vec<f64> = off.iter().filter_map(|cluster| cluster[class]).collect();
        let clusters = sums.len() as f64;
        if sums.len() < 2 {
            return Err(Undefined::because(format!(
                "fewer than two clusters with a {name} answer"
            )));
        }
        let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
        variance += clusters / (clusters - 1.0) * squares / counts[class] / counts[class];
    }
    let products: f64 = off
        .iter()
        .map(|[right, wrong]| right.unwrap_or(0.0) * wrong.unwrap_or(0.0))
        .sum();
    let clusters = off.len() as f64;
    variance += 2.0 * clusters / (clusters - 1.0) * products / counts[0] / counts[1];
    Ok(variance.max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_one_cluster_are_not_independent() {
        // Every answer four times: as wide as once, where taking them as independent halves the error.
        let scores = [0.9, 0.5, 0.4, 0.5, 0.1, 0.3];
        let right = [true, true, true, false, false, false];
        let once = auroc(&scores, &right, 0.95).unwrap();
        let many: Vec<usize> = (0..24).map(|index| index % 6).collect();
        let (scores, right): (Vec<f64>, Vec<bool>) = many.iter().map(|index| (scores[*index], right[*index])).unzip();
        let clustered = auroc_of_clusters(&scores, &right, &many, 0.95).unwrap();
        assert!((clustered.area - once.area).abs() < 1e-12);
        assert!((clustered.standard_error - once.standard_error).abs() < 1e-12);
        assert!(auroc(&scores, &right, 0.95).unwrap().standard_error < 0.55 * once.standard_error);
    }

    #[test]
    fn right_and_wrong_answers_of_one_cluster_go_together() {
        // Three clusters with a right and a wrong answer each. Placements of the right: 1, 2/3, 1/3; of the wrong: 1, 2/3,
        // 1/3 in other clusters, off by 1/3, 0, -1/3 and by 0, 1/3, -1/3 of the area 2/3.
        let scores = [0.9, 0.5, 0.3, 0.4, 0.2, 0.6];
        let right = [true, true, true, false, false, false];
        let found = auroc_of_clusters(&scores, &right, &["a", "b", "c", "a", "b", "c"], 0.95).unwrap();
        assert!((found.area - 2.0 / 3.0).abs() < 1e-12);
        // (3/2 * 2/9 + 3/2 * 2/9 + 2 * 3/2 * 1/9) / 9.
        assert!((found.standard_error.powi(2) - 1.0 / 9.0).abs() < 1e-12, "{found:?}");
        assert!(auroc_of_clusters(&scores, &right, &["a", "a", "a", "b", "c", "d"], 0.95).is_err());
    }

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
