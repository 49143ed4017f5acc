//! Agreement that rare categories do not pull down.

use super::fleiss::Agreement;
use super::{Stat, Undefined, jackknife};

/// What an item adds to the sums.
struct Item {
    /// The share of agreeing pairs of judges, if at least two judged.
    agreement: Option<f64>,
    /// The share of every category among its judgments.
    shares: Vec<f64>,
}

/// Gwet's AC1 (Gwet 2008): (P - Pe) / (1 - Pe), where P is the mean share of agreeing pairs of judges over the items that
/// at least two judged, and Pe = sum pi (1 - pi) / (q - 1) with pi the mean share of each of the q categories.
///
/// Where nearly all judgments are of one category kappa can be near 0 although judges nearly always agree; AC1 is not.
/// `counts` has a row an item and a column a category, used or not: how many judges chose it. Rows may have different
/// sums; rows without judgments count for nothing. Undefined for rows of unequal length, for fewer than two categories,
/// and when no item was judged twice.
pub fn ac1(counts: &[Vec<u64>], level: f64) -> Stat<Agreement> {
    let categories = counts.first().map_or(0, Vec::len);
    if counts.iter().any(|row| row.len() != categories) {
        return Err(Undefined::because("rows have different numbers of categories"));
    }
    if categories < 2 {
        return Err(Undefined::because("fewer than two categories"));
    }
    let items: Vec<Item> = counts
        .iter()
        .filter(|row| row.iter().any(|count| *count > 0))
        .map(|row| {
            let judges: f64 = row.iter().map(|count| *count as f64).sum();
            let pairs: f64 = row.iter().map(|count| *count as f64 * (*count as f64 - 1.0)).sum();
            Item {
                agreement: (judges > 1.0).then(|| pairs / (judges * (judges - 1.0))),
                shares: row.iter().map(|count| *count as f64 / judges).collect(),
            }
        })
        .collect();
    let twice = items.iter().filter(|item| item.agreement.is_some()).count() as f64;
    let agreement: f64 = items.iter().filter_map(|item| item.agreement).sum();
    let mut shares = vec![0.0; categories];
    for item in &items {
        for (total, share) in shares.iter_mut().zip(&item.shares) {
            *total += share;
        }
    }
    let all = items.len() as f64;
    let none = vec![0.0; categories];
    let coefficient = |left_out: Option<&Item>| {
        let (mut twice, mut agreement, mut all) = (twice, agreement, all);
        if let Some(item) = left_out {
            all -= 1.0;
            twice -= f64::from(u8::from(item.agreement.is_some()));
            agreement -= item.agreement.unwrap_or(0.0);
        }
        if twice < 0.5 {
            return Err(Undefined::because("no item was judged twice"));
        }
        let removed = left_out.map_or(&none, |item| &item.shares);
        let spread: f64 = shares
            .iter()
            .zip(removed)
            .map(|(total, removed)| (total - removed) / all)
            .map(|share| share * (1.0 - share))
            .sum();
        let chance = spread / (categories as f64 - 1.0);
        Ok((agreement / twice - chance) / (1.0 - chance))
    };
    let value = coefficient(None)?;
    let without: Vec<Stat<f64>> = items.iter().map(|item| coefficient(Some(item))).collect();
    Ok(Agreement {
        value,
        interval: jackknife::agreement_interval(value, &without, level),
        items: items.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_category() {
        // 118 of 125 agree on the common category, none on the rare one: kappa is negative.
        let mut counts = vec![vec![2, 0]; 118];
        counts.extend(vec![vec![1, 1]; 7]);
        let found = ac1(&counts, 0.95).unwrap();
        let share = 243.0 / 250.0;
        let chance = 2.0 * share * (1.0 - share);
        assert!((found.value - (118.0 / 125.0 - chance) / (1.0 - chance)).abs() < 1e-12);
        assert!(super::super::fleiss::fleiss_kappa(&counts, 0.95).unwrap().value < 0.0);
        let interval = found.interval.unwrap();
        assert!(interval.low > 0.88 && interval.high < 0.99, "{interval:?}");
    }

    #[test]
    fn items_judged_once_count_for_the_shares_only() {
        let found = ac1(&[vec![2, 0], vec![0, 2], vec![1, 0], vec![0, 0]], 0.95).unwrap();
        assert_eq!((found.value, found.items), (1.0, 3));
        assert!(ac1(&[vec![1, 0]], 0.95).unwrap_err().reason.contains("twice"));
        assert!(ac1(&[vec![2]], 0.95).is_err());
        assert!(ac1(&[], 0.95).is_err());
        assert_eq!(ac1(&[vec![2, 0], vec![2, 0]], 0.95).unwrap().value, 1.0);
    }
}
