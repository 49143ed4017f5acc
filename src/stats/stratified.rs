//! Agreement of judges on items that do not all offer the same answers. Chance is taken within strata of items that do, and
//! then put together. Not for items that all offer the same: see [`super::agreement`] and [`super::krippendorff`], whose
//! values these are where there is one stratum.

use std::collections::BTreeMap;

use super::fleiss::Agreement;
use super::{Stat, Undefined, jackknife};

/// What two judges said on one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The stratum: items with one number offer the same answers.
    pub stratum: usize,
    /// The category that the first judge chose.
    pub first: usize,
    /// The category that the second chose.
    pub second: usize,
}

/// The tables of two judges, one a stratum, of the categories that occur in it.
///
/// Cells are kept one after the other, so that they can be summed over samples and drawn anew by a bootstrap.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The place of each category in its stratum's table.
    places: BTreeMap<(usize, usize), usize>,
    /// Of each stratum where its table begins, and its number of categories.
    strata: BTreeMap<usize, (usize, usize)>,
    width: usize,
    most_items: usize,
}

impl Tables {
    /// For these items.
    pub fn of(pairs: &[Pair]) -> Self {
        let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut items: BTreeMap<usize, usize> = BTreeMap::new();
        for pair in pairs {
            *items.entry(pair.stratum).or_default() += 1;
            for category in [pair.first, pair.second] {
                places.insert((pair.stratum, category), 0);
            }
        }
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for ((stratum, _), place) in &mut places {
            let size = sizes.entry(*stratum).or_default();
            *place = *size;
            *size += 1;
        }
        let mut width = 0;
        let strata = sizes
            .into_iter()
            .map(|(stratum, size)| {
                let begins = width;
                width += size * size;
                (stratum, (begins, size))
            })
            .collect();
        Self {
            places,
            strata,
            width,
            most_items: items.into_values().max().unwrap_or(0),
        }
    }

    /// How many strata there are.
    pub fn strata(&self) -> usize {
        self.strata.len()
    }

    /// The cells of some of these items.
    pub fn cells<'a>(&self, pairs: impl IntoIterator<Item = &'a Pair>) -> Vec<f64> {
        let mut cells = vec![0.0; self.width];
        for pair in pairs {
            let place = |category: usize| self.places.get(&(pair.stratum, category));
            if let (Some((begins, size)), Some(row), Some(column)) =
                (self.strata.get(&pair.stratum), place(pair.first), place(pair.second))
            {
                cells[begins + row * size + column] += 1.0;
            }
        }
        cells
    }

    /// The share of items on which both say the same, and the share on which they would by chance: the mean over items of
    /// their stratum's `sum_c p1(c) p2(c)`, from what both judges say within it.
    ///
    /// Undefined without items, and where of several strata none has two items: an item alone in its stratum agrees with
    /// itself as much as by chance.
    pub fn chance(&self, cells: &[f64]) -> Stat<(f64, f64)> {
        if self.strata.len() > 1 && self.most_items < 2 {
            return Err(Undefined::because(
                "no two trials offer the same answers, so that agreement by chance is not known",
            ));
        }
        let (mut n, mut observed, mut expected) = (0.0, 0.0, 0.0);
        for (begins, size) in self.strata.values() {
            let table = &cells[*begins..begins + size * size];
            let items: f64 = table.iter().sum();
            if items <= 0.0 {
                continue;
            }
            n += items;
            for category in 0..*size {
                observed += table[category * size + category];
                let row: f64 = table[category * size..(category + 1) * size].iter().sum();
                let column: f64 = (0..*size).map(|other| table[other * size + category]).sum();
                expected += row * column / items;
            }
        }
        if n <= 0.0 {
            return Err(Undefined::because("no items were judged by both (n = 0)"));
        }
        Ok((observed / n, expected / n))
    }
}

/// Cohen's kappa (Cohen 1960), (observed - expected) / (1 - expected), of agreement whose chance was taken within strata
/// ([`Tables::chance`]).
///
/// It is the mean of the strata's kappas weighted by items times `1 - chance`; Barlow, Lai and Azen (1991) compare
/// weightings. Two judges who say things independently of each other within strata have 0 in expectation of the numerator,
/// whatever their habits in each. Strata of few items pull towards 0. Undefined where no disagreement is expected, because
/// in each stratum both judges use one and the same category throughout.
pub fn kappa(observed: f64, expected: f64) -> Stat<f64> {
    // What rounding leaves of no disagreement.
    if 1.0 - expected < 1e-12 {
        return Err(Undefined::because("both judges use one category throughout"));
    }
    Ok((observed - expected) / (1.0 - expected))
}

/// What any number of judges said on one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it belongs to that is independent of the others: a sample.
    pub cluster: usize,
    /// The stratum: items with one number offer the same answers.
    pub stratum: usize,
    /// The categories chosen, one a judge that judged it.
    pub categories: Vec<usize>,
}

/// What the items of a stratum come to.
#[derive(Clone, Debug, Default)]
struct Sums {
    judgments: f64,
    disagreement: f64,
    categories: BTreeMap<usize, f64>,
}

impl Sums {
    fn add(&mut self, item: &Item) {
        let judges = item.categories.len() as f64;
        let mut own: BTreeMap<usize, f64> = BTreeMap::new();
        for category in &item.categories {
            *own.entry(*category).or_default() += 1.0;
        }
        self.judgments += judges;
        self.disagreement += (judges * judges - own.values().map(|count| count * count).sum::<f64>()) / (judges - 1.0);
        for (category, count) in own {
            *self.categories.entry(category).or_default() += count;
        }
    }

    /// The disagreement observed and the one expected, each times the number of judgments, without what is left out.
    fn disagreements(&self, without: Option<&Sums>) -> (f64, f64) {
        let judgments = self.judgments - without.map_or(0.0, |without| without.judgments);
        if judgments < 1.5 {
            return (0.0, 0.0);
        }
        let left = |category: &usize, count: &f64| {
            count - without.map_or(0.0, |without| without.categories.get(category).copied().unwrap_or(0.0))
        };
        let squares: f64 = self
            .categories
            .iter()
            .map(|(category, count)| left(category, count).powi(2))
            .sum();
        let observed = self.disagreement - without.map_or(0.0, |without| without.disagreement);
        (observed, (judgments * judgments - squares) / (judgments - 1.0))
    }
}

/// Krippendorff's nominal alpha (Krippendorff 1970) with expected disagreement taken within strata: 1 - observed / expected,
/// where both are means over all judgments that have a pair, and a stratum's expected disagreement is that of its own
/// judgments drawn without replacement. With one stratum it is [`super::krippendorff::krippendorff_alpha`].
///
/// The interval is the jackknife's over clusters. Undefined when no item was judged twice, when within each stratum all
/// judgments are equal, and where of several strata none has two items.
pub fn nominal_alpha(items: &[Item], level: f64) -> Stat<Agreement> {
    let twice: Vec<&Item> = items.iter().filter(|item| item.categories.len() > 1).collect();
    if twice.is_empty() {
        return Err(Undefined::because("no item was judged twice"));
    }
    let mut strata: BTreeMap<usize, Sums> = BTreeMap::new();
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut clusters: BTreeMap<usize, BTreeMap<usize, Sums>> = BTreeMap::new();
    for item in &twice {
        strata.entry(item.stratum).or_default().add(item);
        *sizes.entry(item.stratum).or_default() += 1;
        let cluster = clusters.entry(item.cluster).or_default();
        cluster.entry(item.stratum).or_default().add(item);
    }
    if sizes.len() > 1 && sizes.values().all(|items| *items < 2) {
        return Err(Undefined::because(
            "no two trials offer the same answers, so that agreement by chance is not known",
        ));
    }
    let whole: BTreeMap<usize, (f64, f64)> = strata
        .iter()
        .map(|(stratum, sums)| (*stratum, sums.disagreements(None)))
        .collect();
    let total = |of: fn(&(f64, f64)) -> f64| whole.values().map(of).sum::<f64>();
    let (observed, expected) = (total(|sums| sums.0), total(|sums| sums.1));
    let alpha = |observed: f64, left: f64| {
        // Where only one value is left, rounding is left of what was expected.
        if left <= 1e-12 * expected || expected <= 0.0 {
            return Err(Undefined::because("all judgments are equal"));
        }
        Ok(1.0 - observed / left)
    };
    let value = alpha(observed, expected)?;
    let without: Vec<Stat<f64>> = clusters
        .values()
        .map(|cluster| {
            let (mut rest_observed, mut rest_expected) = (observed, expected);
            for (stratum, own) in cluster {
                if let (Some(sums), Some(before)) = (strata.get(stratum), whole.get(stratum)) {
                    let after = sums.disagreements(Some(own));
                    rest_observed += after.0 - before.0;
                    rest_expected += after.1 - before.1;
                }
            }
            alpha(rest_observed, rest_expected)
        })
        .collect();
    Ok(Agreement {
        value,
        interval: jackknife::agreement_interval(value, &without, level),
        items: twice.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::agreement::{Weights, cohen_kappa};
    use super::super::krippendorff::{Measurement, krippendorff_alpha};
    use super::*;

    fn pair(stratum: usize, first: usize, second: usize) -> Pair {
        Pair { stratum, first, second }
    }

    /// Agreement observed, by chance, and kappa.
    fn found(pairs: &[Pair]) -> Stat<(f64, f64, f64)> {
        let tables = Tables::of(pairs);
        let (observed, expected) = tables.chance(&tables.cells(pairs))?;
        Ok((observed, expected, kappa(observed, expected)?))
    }

    #[test]
    fn one_stratum_is_cohens() {
        let first = [0, 1, 2, 2, 1, 0, 0, 1, 2, 0];
        let second = [0, 1, 1, 2, 1, 0, 2, 1, 2, 1];
        let pairs: Vec<Pair> = first
            .iter()
            .zip(second)
            .map(|(one, other)| pair(7, *one, other))
            .collect();
        let (observed, expected, kappa) = found(&pairs).unwrap();
        let cohens = cohen_kappa(&first, &second, 3, Weights::None, 0.95).unwrap();
        assert!((kappa - cohens.kappa).abs() < 1e-12 && (observed - 0.7).abs() < 1e-12);
        // Shares 0.4, 0.3 and 0.3 of the first judge, 0.2, 0.5 and 0.3 of the second.
        assert!(
            (expected - (0.4 * 0.2 + 0.3 * 0.5 + 0.3 * 0.3)).abs() < 1e-12,
            "{expected}"
        );
    }

    #[test]
    fn chance_is_taken_within_strata() {
        // Two strata with categories of their own, in each every combination once: no agreement beyond chance, where
        // pooling finds a third of what is possible.
        let mut pairs = Vec::new();
        for (stratum, categories) in [(0, [0, 1]), (1, [2, 3])] {
            for first in categories {
                for second in categories {
                    pairs.push(pair(stratum, first, second));
                }
            }
        }
        assert_eq!(found(&pairs), Ok((0.5, 0.5, 0.0)));
        let pooled: Vec<Pair> = pairs.iter().map(|own| Pair { stratum: 0, ..*own }).collect();
        assert!((found(&pooled).unwrap().2 - 1.0 / 3.0).abs() < 1e-12);
        let items = |pairs: &[Pair]| -> Vec<Item> {
            let items = pairs.iter().enumerate().map(|(cluster, own)| Item {
                cluster,
                stratum: own.stratum,
                categories: vec![own.first, own.second],
            });
            items.collect()
        };
        // Of 8 judgments in a stratum 4 of each: 4 disagree, 2 * 4 * 4 / 7 are expected to.
        let alpha = nominal_alpha(&items(&pairs), 0.95).unwrap();
        assert!((alpha.value - (1.0 - 4.0 / (32.0 / 7.0))).abs() < 1e-12, "{alpha:?}");
        assert!(nominal_alpha(&items(&pooled), 0.95).unwrap().value > 0.35);
    }

    #[test]
    fn one_stratum_is_krippendorffs_with_its_interval() {
        let judgments = [
            vec![Some(1.0), Some(2.0), Some(3.0), None, Some(2.0), Some(1.0), Some(3.0)],
            vec![Some(1.0), Some(2.0), Some(1.0), Some(2.0), Some(2.0), Some(1.0), None],
            vec![None, Some(3.0), Some(3.0), Some(2.0), Some(2.0), Some(2.0), None],
        ];
        let items: Vec<Item> = (0..7)
            .map(|cluster| Item {
                cluster,
                stratum: 4,
                categories: judgments
                    .iter()
                    .filter_map(|row| Some(row[cluster]? as usize))
                    .collect(),
            })
            .collect();
        let found = nominal_alpha(&items, 0.95).unwrap();
        let known = krippendorff_alpha(&judgments, Measurement::Nominal, 0.95).unwrap();
        assert!((found.value - known.value).abs() < 1e-12 && found.items == known.items);
        let (found, known) = (found.interval.unwrap(), known.interval.unwrap());
        assert!((found.low - known.low).abs() < 1e-9 && (found.high - known.high).abs() < 1e-9);
    }

    #[test]
    fn items_of_one_cluster_are_left_out_together() {
        let once: Vec<Item> = (0..12)
            .map(|cluster| Item {
                cluster,
                stratum: cluster % 2,
                categories: vec![cluster % 3, if cluster % 4 == 0 { 0 } else { cluster % 3 }],
            })
            .collect();
        let thrice: Vec<Item> = once
            .iter()
            .flat_map(|item| std::iter::repeat_n(item.clone(), 3))
            .collect();
        let width = |items: &[Item]| {
            let interval = nominal_alpha(items, 0.95).unwrap().interval.unwrap();
            interval.high - interval.low
        };
        assert!(
            width(&thrice) > 0.8 * width(&once),
            "{} {}",
            width(&thrice),
            width(&once)
        );
    }

    #[test]
    fn undefined_has_a_reason() {
        let reason = |pairs: &[Pair]| found(pairs).unwrap_err().reason;
        assert!(reason(&[]).contains("n = 0"));
        assert!(reason(&[pair(0, 1, 1), pair(1, 2, 2), pair(1, 2, 2)]).contains("one category"));
        assert!(reason(&[pair(0, 1, 2), pair(1, 2, 3)]).contains("no two trials"));
        let item = |stratum: usize, categories: &[usize]| Item {
            cluster: 0,
            stratum,
            categories: categories.to_vec(),
        };
        assert!(
            nominal_alpha(&[item(0, &[1])], 0.95)
                .unwrap_err()
                .reason
                .contains("twice")
        );
        let equal = [item(0, &[1, 1]), item(1, &[2, 2]), item(1, &[2, 2])];
        assert!(nominal_alpha(&equal, 0.95).unwrap_err().reason.contains("equal"));
        let alone = [item(0, &[1, 2]), item(1, &[2, 3])];
        assert!(
            nominal_alpha(&alone, 0.95)
                .unwrap_err()
                .reason
                .contains("no two trials")
        );
    }
}
