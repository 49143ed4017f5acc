//! Agreement of several judges who each judged every item.

use super::{Interval, Stat, Undefined, jackknife};

/// Agreement with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The coefficient: 1 for perfect agreement, 0 for agreement as by chance.
    pub value: f64,
    /// Jackknife interval over the items, cut to [-1, 1], or why there is none.
    pub interval: Stat<Interval>,
    /// Items.
    pub items: usize,
}

/// What is summed over the items of a table.
#[derive(Clone)]
struct Totals {
    items: f64,
    judges: f64,
    agreement: f64,
    categories: Vec<f64>,
}

/// Fleiss' kappa (Fleiss 1971): (P - Pe) / (1 - Pe) with P the mean share of agreeing pairs of judges an item, and Pe the
/// sum of squared shares of the categories.
///
/// `counts` has a row an item and a column a category: how many judges chose it. Undefined without items, for rows of
/// unequal length or sum, for fewer than two judges, and when all judgments are of one category.
pub fn fleiss_kappa(counts: &[Vec<u64>], level: f64) -> Stat<Agreement> {
    with_interval(counts, level, |totals| {
        let all: f64 = totals.categories.iter().sum();
        if totals.categories.contains(&all) {
            return Err(Undefined::because("all judges use one category throughout"));
        }
        let chance: f64 = totals.categories.iter().map(|count| (count / all).powi(2)).sum();
        Ok((totals.agreement / totals.items - chance) / (1.0 - chance))
    })
}

/// Kappa with free marginals (Brennan and Prediger 1981, Randolph 2005): Pe is 1 / the number of categories offered.
/// Undefined like [`fleiss_kappa`], but not for one category chosen out of several.
pub fn free_marginal_kappa(counts: &[Vec<u64>], level: f64) -> Stat<Agreement> {
    with_interval(counts, level, |totals| {
        let chance = 1.0 / totals.categories.len() as f64;
        if totals.categories.len() < 2 {
            return Err(Undefined::because("there is one category only"));
        }
        Ok((totals.agreement / totals.items - chance) / (1.0 - chance))
    })
}

/// The mean share of agreeing pairs of judges an item.
pub fn pairwise_agreement(counts: &[Vec<u64>]) -> Stat<f64> {
    let totals = totals(counts)?;
    Ok(totals.agreement / totals.items)
}

fn with_interval(counts: &[Vec<u64>], level: f64, value: impl Fn(&Totals) -> Stat<f64>) -> Stat<Agreement> {
    let whole = totals(counts)?;
    let estimate = value(&whole)?;
    let without: Vec<Stat<f64>> = counts
        .iter()
        .map(|row| {
            let mut rest = whole.clone();
            rest.items -= 1.0;
            rest.agreement -= agreement_of(row, whole.judges);
            for (total, count) in rest.categories.iter_mut().zip(row) {
                *total -= *count as f64;
            }
            value(&rest)
        })
        .collect();
    Ok(Agreement {
        value: estimate,
        interval: jackknife::agreement_interval(estimate, &without, level),
        items: counts.len(),
    })
}

fn totals(counts: &[Vec<u64>]) -> Stat<Totals> {
    let Some(first) = counts.first() else {
        return Err(Undefined::because("no items (n = 0)"));
    };
    let judges: f64 = sum(first);
    if judges < 2.0 {
        return Err(Undefined::because("fewer than two judges"));
    }
    let mut totals = Totals {
        items: counts.len() as f64,
        judges,
        agreement: 0.0,
        categories: vec![0.0; first.len()],
    };
    for row in counts {
        if row.len() != first.len() || sum(row) != judges {
            return Err(Undefined::because("not all items were judged by as many judges"));
        }
        totals.agreement += agreement_of(row, totals.judges);
        for (total, count) in totals.categories.iter_mut().zip(row) {
            *total += *count as f64;
        }
    }
    Ok(totals)
}

/// As floating-point numbers, which do not overflow.
fn sum(row: &[u64]) -> f64 {
    row.iter().map(|count| *count as f64).sum()
}

fn agreement_of(row: &[u64], judges: f64) -> f64 {
    let pairs: f64 = row.iter().map(|count| *count as f64 * (*count as f64 - 1.0)).sum();
    pairs / (judges * (judges - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_judges_who_agree_half_of_the_time() {
        let counts = vec![vec![2, 0], vec![0, 2], vec![1, 1], vec![1, 1]];
        assert_eq!(pairwise_agreement(&counts), Ok(0.5));
        let kappa = fleiss_kappa(&counts, 0.95).unwrap();
        assert!(kappa.value.abs() < 1e-15);
        let interval = kappa.interval.unwrap();
        assert!(interval.low < 0.0 && interval.high > 0.0);
        assert_eq!(free_marginal_kappa(&counts, 0.95).unwrap().value, 0.0);
    }

    #[test]
    fn undefined_has_a_reason() {
        let reason = |counts: &[Vec<u64>]| fleiss_kappa(counts, 0.95).unwrap_err().reason;
        assert!(reason(&[]).contains("n = 0"));
        assert!(reason(&[vec![1, 0]]).contains("two judges"));
        assert!(reason(&[vec![2, 0], vec![2, 1]]).contains("as many"));
        assert!(reason(&[vec![2, 0], vec![2, 0]]).contains("one category"));
        let perfect = fleiss_kappa(&[vec![2, 0], vec![0, 2], vec![2, 0], vec![0, 2]], 0.95).unwrap();
        assert_eq!(perfect.value, 1.0);
        assert!(perfect.interval.is_err());
    }
}
