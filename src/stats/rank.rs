//! Ranks of values.

use super::{Stat, Undefined};

/// The rank of every value, 1 for the smallest; equal values share the mean of their ranks ("midranks").
pub fn average_ranks(values: &[f64]) -> Stat<Vec<f64>> {
    if values.iter().any(|value| value.is_nan()) {
        return Err(Undefined::because("a value is not a number"));
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    // 0.0 and -0.0 are equal and must stay neighbours, which `total_cmp` alone would grant but not as a tie.
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    while begin < order.len() {
        let tied = order[begin..]
            .iter()
            .take_while(|&&index| values[index] == values[order[begin]])
            .count();
        // Ranks begin + 1 to begin + tied, whose mean is exact in halves.
        let rank = begin as f64 + (tied as f64 + 1.0) / 2.0;
        for &index in &order[begin..begin + tied] {
            ranks[index] = rank;
        }
        begin += tied;
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
