//! Agreement of two judges. For several judges see [`super::fleiss`], [`super::krippendorff`] and [`super::gwet`].

use super::distribution::{checked_level, normal_quantile, normal_two_sided};
use super::{Interval, Stat, Undefined};

/// More are no categories that judges choose among, and their table would not fit.
const MOST_CATEGORIES: usize = 2_000;

/// How disagreements between ordered categories weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// All alike.
    None,
    /// By the distance of the categories.
    Linear,
    /// By the squared distance of the categories.
    Quadratic,
}

/// Share of items on which both judges agree.
pub fn percent_agreement<T: PartialEq>(first: &[T], second: &[T]) -> Stat<f64> {
    checked(first.len(), second.len())?;
    let agreed = first.iter().zip(second).filter(|(a, b)| a == b).count();
    Ok(agreed as f64 / first.len() as f64)
}

/// Cohen's kappa with what is known of its error.
#[derive(Clone, Debug, PartialEq)]
pub struct CohenKappa {
    /// The coefficient: 1 for perfect agreement, 0 for agreement as by chance.
    pub kappa: f64,
    /// Its standard error for large samples.
    pub standard_error: f64,
    /// Its standard error if agreement were by chance only.
    pub standard_error_of_chance: f64,
    /// kappa -+ z standard error, cut to [-1, 1]; undefined when that error is 0, as for perfect agreement.
    pub interval: Stat<Interval>,
    /// Two-sided p of agreement by chance only; undefined when a judge uses one category throughout.
    pub p: Stat<f64>,
    /// Items.
    pub items: usize,
}

/// Cohen's kappa (Cohen 1960), weighted (Cohen 1968) if asked: 1 - observed disagreement / disagreement expected by
/// chance from both judges' shares. Its standard errors are those of Fleiss, Cohen and Everitt (1969), by the delta method.
///
/// Categories are 0-based below `categories`, in their order. Undefined when no disagreement is expected, because both
/// judges use one and the same category throughout.
pub fn cohen_kappa(
    first: &[usize],
    second: &[usize],
    categories: usize,
    weights: Weights,
    level: f64,
) -> Stat<CohenKappa> {
    checked(first.len(), second.len())?;
    checked_level(level)?;
    if categories > MOST_CATEGORIES {
        return Err(Undefined::because(format!("{categories} categories are too many")));
    }
    if let Some(unknown) = first.iter().chain(second).find(|category| **category >= categories) {
        return Err(Undefined::because(format!(
            "category {unknown} of {categories}, counted from 0"
        )));
    }
    let n = first.len() as f64;
    let mut table = vec![vec![0.0; categories]; categories];
    let mut rows = vec![0.0; categories];
    let mut columns = vec![0.0; categories];
    for (&a, &b) in first.iter().zip(second) {
        table[a][b] += 1.0;
        rows[a] += 1.0;
        columns[b] += 1.0;
    }
    let disagreement = |a: usize, b: usize| {
        let distance = a.abs_diff(b) as f64;
        match weights {
            Weights::None => f64::from(u8::from(a != b)),
            Weights::Linear => distance,
            Weights::Quadratic => distance * distance,
        }
    };
    let observed = total(categories, |a, b| table[a][b] * disagreement(a, b));
    let expected = total(categories, |a, b| rows[a] * columns[b] * disagreement(a, b));
    if expected == 0.0 {
        return Err(Undefined::because("both judges use one category throughout"));
    }
    let kappa = 1.0 - observed * n / expected;
    // The authors' formulas, with disagreements u for their agreements w = 1 - u: 1 - Pe is the disagreement expected,
    // and w - (mean w of row and column) (1 - kappa) becomes the bracket below.
    let by_chance = expected / (n * n);
    let of_rows: Vec<f64> = (0..categories)
        .map(|a| (0..categories).map(|b| columns[b] * disagreement(a, b)).sum::<f64>() / n)
        .collect();
    let of_columns: Vec<f64> = (0..categories)
        .map(|b| (0..categories).map(|a| rows[a] * disagreement(a, b)).sum::<f64>() / n)
        .collect();
    let left = 1.0 - kappa;
    let bracket = |a: usize, b: usize, left: f64| disagreement(a, b) - (of_rows[a] + of_columns[b]) * left;
    let error = |squares: f64, centre: f64| (((squares - centre * centre) / n).max(0.0)).sqrt() / by_chance;
    let squares = total(categories, |a, b| table[a][b] / n * bracket(a, b, left).powi(2));
    let chance_squares = total(categories, |a, b| {
        rows[a] * columns[b] / (n * n) * bracket(a, b, 1.0).powi(2)
    });
    let standard_error = without_rounding(error(squares, left * by_chance));
    let standard_error_of_chance = without_rounding(error(chance_squares, by_chance));
    let interval = if standard_error == 0.0 {
        Err(Undefined::because("the standard error is 0, as for perfect agreement"))
    } else {
        let half = normal_quantile(level) * standard_error;
        Ok(Interval {
            low: (kappa - half).max(-1.0),
            high: (kappa + half).min(1.0),
            level,
        })
    };
    let p = if standard_error_of_chance == 0.0 {
        Err(Undefined::because("a judge uses one category throughout"))
    } else {
        Ok(normal_two_sided(kappa / standard_error_of_chance))
    };
    Ok(CohenKappa {
        kappa,
        standard_error,
        standard_error_of_chance,
        interval,
        p,
        items: first.len(),
    })
}

fn total(categories: usize, of: impl Fn(usize, usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for a in 0..categories {
        for b in 0..categories {
            sum += of(a, b);
        }
    }
    sum
}

/// The root of a difference that is 0 but for its rounding is some 1e-8.
fn without_rounding(error: f64) -> f64 {
    if error < 1e-7 { 0.0 } else { error }
}

fn checked(first: usize, second: usize) -> Stat<()> {
    if first != second {
        return Err(Undefined::because(format!(
            "{first} judgments of one judge but {second} of the other"
        )));
    }
    if first == 0 {
        return Err(Undefined::because("no items were judged by both (n = 0)"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_table() {
        // 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: agreement 0.7, by chance 0.5, kappa 0.4.
        let mut first = vec![0; 25];
        first.extend(vec![1; 25]);
        let mut second = vec![0; 20];
        second.extend(vec![1; 5]);
        second.extend(vec![0; 10]);
        second.extend(vec![1; 15]);
        assert_eq!(percent_agreement(&first, &second), Ok(0.7));
        assert!((cohen_kappa(&first, &second, 2, Weights::None, 0.95).unwrap().kappa - 0.4).abs() < 1e-12);
    }

    #[test]
    fn undefined_has_a_reason() {
        assert!(
            cohen_kappa(&[1, 1], &[1, 1], 2, Weights::None, 0.95)
                .unwrap_err()
                .reason
                .contains("one category")
        );
        assert!(
            cohen_kappa(&[], &[], 2, Weights::None, 0.95)
                .unwrap_err()
                .reason
                .contains("n = 0")
        );
        assert!(cohen_kappa(&[0], &[0, 1], 2, Weights::None, 0.95).is_err());
        assert!(cohen_kappa(&[2], &[0], 2, Weights::None, 0.95).is_err());
    }
}
