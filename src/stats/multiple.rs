//! Corrections of several p-values for being several.

use super::{Stat, Undefined};

/// How p-values are corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// m p (Bonferroni 1936): the chance of any false rejection, whatever the dependence.
    Bonferroni,
    /// Step-down Bonferroni (Holm 1979): as safe, and never weaker.
    Holm,
    /// Step-down 1 - (1 - p)^k (Sidak 1967, Holm 1979): for tests that are independent or positively dependent.
    HolmSidak,
    /// Hommel (1988): stronger than Holm, for tests that are independent or positively dependent.
    Hommel,
    /// Benjamini and Hochberg (1995): the share of false rejections among all rejections, for tests that are
    /// independent or positively dependent.
    BenjaminiHochberg,
    /// Benjamini and Yekutieli (2001): the same share, whatever the dependence.
    BenjaminiYekutieli,
}

/// The corrected p-values, in the order given: a hypothesis is rejected at level alpha when its value is at most alpha.
///
/// Undefined when a value is not a number from 0 to 1. No p-values give none.
pub fn corrected(p_values: &[f64], correction: Correction) -> Stat<Vec<f64>> {
    if let Some(wrong) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(Undefined::because(format!("p = {wrong} is not between 0 and 1")));
    }
    let count = p_values.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let sorted: Vec<f64> = order.iter().map(|&index| p_values[index]).collect();
    let m = count as f64;
    let adjusted = match correction {
        Correction::Bonferroni => sorted.iter().map(|p| p * m).collect(),
        Correction::Holm => step_down(&sorted, |p, left| p * left),
        Correction::HolmSidak => step_down(&sorted, |p, left| -(left * (-p).ln_1p()).exp_m1()),
        Correction::Hommel => hommel(&sorted),
        Correction::BenjaminiHochberg => step_up(&sorted, m),
        Correction::BenjaminiYekutieli => step_up(&sorted, m * (1..=count).map(|i| 1.0 / i as f64).sum::<f64>()),
    };
    let mut result = vec![0.0; count];
    for (place, index) in order.into_iter().enumerate() {
        result[index] = adjusted[place].min(1.0);
    }
    Ok(result)
}

/// From the smallest p on, corrected for the hypotheses not yet rejected, and never below its predecessor.
fn step_down(sorted: &[f64], corrected: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let mut least: f64 = 0.0;
    let mut adjusted = Vec::with_capacity(sorted.len());
    for (place, p) in sorted.iter().enumerate() {
        least = least.max(corrected(*p, (sorted.len() - place) as f64));
        adjusted.push(least);
    }
    adjusted
}

/// From the largest p on, p times `scale` over its rank, and never above its successor.
fn step_up(sorted: &[f64], scale: f64) -> Vec<f64> {
    let mut most: f64 = 1.0;
    let mut adjusted = vec![0.0; sorted.len()];
    for (place, p) in sorted.iter().enumerate().rev() {
        most = most.min(p * scale / (place as f64 + 1.0));
        adjusted[place] = most;
    }
    adjusted
}

/// Hommel's adjusted values by the algorithm of Wright (1992).
fn hommel(sorted: &[f64]) -> Vec<f64> {
    let count = sorted.len();
    let mut adjusted = sorted.to_vec();
    for m in (2..=count).rev() {
        let size = m as f64;
        let largest = &sorted[count - m..];
        let least = largest
            .iter()
            .enumerate()
            .map(|(place, p)| size * p / (place as f64 + 1.0))
            .fold(f64::INFINITY, f64::min);
        for value in &mut adjusted[count - m..] {
            *value = value.max(least);
        }
        for (value, p) in adjusted[..count - m].iter_mut().zip(sorted) {
            *value = value.max(least.min(size * p));
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example() {
        // 0.01 x 3, then 0.02 x 2, then 0.04.
        let holm = corrected(&[0.04, 0.01, 0.02], Correction::Holm).unwrap();
        assert_eq!(holm, [0.04, 0.03, 0.04]);
        let rate = corrected(&[0.04, 0.01, 0.02], Correction::BenjaminiHochberg).unwrap();
        assert_eq!(rate, [0.04, 0.03, 0.03]);
        assert!(corrected(&[0.5, f64::NAN], Correction::Holm).is_err());
        assert!(corrected(&[1.5], Correction::Bonferroni).is_err());
        assert_eq!(corrected(&[], Correction::Hommel), Ok(vec![]));
    }

    proptest::proptest! {
        #[test]
        fn corrections_are_ordered_by_their_power(p in proptest::collection::vec(0.0_f64..=1.0, 1..30)) {
            let by = |correction| corrected(&p, correction).unwrap();
            let chain = [
                p.clone(),
                by(Correction::BenjaminiHochberg),
                by(Correction::Hommel),
                by(Correction::Holm),
                by(Correction::Bonferroni),
            ];
            for pair in chain.windows(2) {
                for (smaller, larger) in pair[0].iter().zip(&pair[1]) {
                    proptest::prop_assert!(*smaller <= larger + 1e-12);
                    proptest::prop_assert!((0.0..=1.0).contains(larger));
                }
            }
        }
    }
}
