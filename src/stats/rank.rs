//! Ranks of values.

use super::{Stat, Undefined};

/// Which rank equal values get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The mean of their ranks ("midranks").
    Average,
    /// The lowest of their ranks, as in sports.
    Lowest,
    /// The highest of their ranks.
    Highest,
    /// One more than the distinct values below.
    Dense,
    /// Their ranks in the order given.
    AsGiven,
}

/// The rank of every value, 1 for the smallest; equal values share the mean of their ranks ("midranks").
pub fn average_ranks(values: &[f64]) -> Stat<Vec<f64>> {
    ranks(values, Ties::Average)
}

/// The rank of every value, 1 for the smallest. Undefined when a value is not a number.
pub fn ranks(values: &[f64], ties: Ties) -> Stat<Vec<f64>> {
    if values.iter().any(|value| value.is_nan()) {
        return Err(Undefined::because("a value is not a number"));
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    // Adding 0 makes -0 and 0 one value, so that their order is the one given.
    order.sort_by(|&a, &b| (values[a] + 0.0).total_cmp(&(values[b] + 0.0)));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    for (distinct, tied) in order.chunk_by(|&a, &b| values[a] == values[b]).enumerate() {
        for (place, &index) in tied.iter().enumerate() {
            ranks[index] = match ties {
                // Ranks begin + 1 to begin + tied, whose mean is exact in halves.
                Ties::Average => begin as f64 + (tied.len() as f64 + 1.0) / 2.0,
                Ties::Lowest => begin as f64 + 1.0,
                Ties::Highest => (begin + tied.len()) as f64,
                Ties::Dense => distinct as f64 + 1.0,
                Ties::AsGiven => (begin + place) as f64 + 1.0,
            };
        }
        begin += tied.len();
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean() {
        assert_eq!(
            average_ranks(&[3.0, 1.0, 2.0, 3.0, 3.0]),
            Ok(vec![4.0, 1.0, 2.0, 4.0, 4.0])
        );
        assert_eq!(average_ranks(&[0.0, -0.0]), Ok(vec![1.5, 1.5]));
        assert_eq!(average_ranks(&[]), Ok(vec![]));
        assert!(average_ranks(&[f64::NAN]).is_err());
    }
}
