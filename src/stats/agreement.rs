//! Agreement of two judges.

use super::{Stat, Undefined};

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

/// Cohen's kappa (Cohen 1960), weighted (Cohen 1968) if asked: 1 - observed disagreement / disagreement expected by
/// chance from both judges' shares.
///
/// Categories are 0-based below `categories`, in their order. Undefined when no disagreement is expected, because both
/// judges use one and the same category throughout.
pub fn cohen_kappa(first: &[usize], second: &[usize], categories: usize, weights: Weights) -> Stat<f64> {
    checked(first.len(), second.len())?;
    if let Some(unknown) = first.iter().chain(second).find(|category| **category >= categories) {
        return Err(Undefined::because(format!(
            "category {unknown} of {categories}, counted from 0"
        )));
    }
    let n = first.len() as f64;
    let weight = |a: usize, b: usize| {
        let distance = a.abs_diff(b) as f64;
        match weights {
            Weights::None => f64::from(u8::from(a != b)),
            Weights::Linear => distance,
            Weights::Quadratic => distance * distance,
        }
    };
    let shares = |judge: &[usize]| {
        let mut counts = vec![0.0; categories];
        for &category in judge {
            counts[category] += 1.0;
        }
        counts
    };
    let (first_counts, second_counts) = (shares(first), shares(second));
    let observed: f64 = first.iter().zip(second).map(|(&a, &b)| weight(a, b)).sum();
    let mut expected = 0.0;
    for (a, first_count) in first_counts.iter().enumerate() {
        for (b, second_count) in second_counts.iter().enumerate() {
            expected += first_count * second_count * weight(a, b);
        }
    }
    if expected == 0.0 {
        return Err(Undefined::because("both judges use one category throughout"));
    }
    Ok(1.0 - observed * n / expected)
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
        assert!((cohen_kappa(&first, &second, 2, Weights::None).unwrap() - 0.4).abs() < 1e-12);
    }

    #[test]
    fn undefined_has_a_reason() {
        assert!(
            cohen_kappa(&[1, 1], &[1, 1], 2, Weights::None)
                .unwrap_err()
                .reason
                .contains("one category")
        );
        assert!(
            cohen_kappa(&[], &[], 2, Weights::None)
                .unwrap_err()
                .reason
                .contains("n = 0")
        );
        assert!(cohen_kappa(&[0], &[0, 1], 2, Weights::None).is_err());
        assert!(cohen_kappa(&[2], &[0], 2, Weights::None).is_err());
    }
}
