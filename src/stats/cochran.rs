//! Whether several conditions succeed equally often on the same samples.

use super::{ChiSquareTest, Stat, Undefined};

/// Cochran's Q test (Cochran 1950), which is McNemar's for more than two conditions.
///
/// `outcomes` has a row a sample and a column a condition. Q = (k - 1) (k sum C^2 - N^2) / (k N - sum R^2) with column
/// sums C, row sums R and their total N; chi-square with k - 1 degrees of freedom. Undefined for fewer than two
/// conditions, for rows of unequal length, and when all conditions agree on every sample.
pub fn cochran_q(outcomes: &[Vec<bool>]) -> Stat<ChiSquareTest> {
    let conditions = outcomes.first().map_or(0, Vec::len);
    if outcomes.is_empty() {
        return Err(Undefined::because("no samples (n = 0)"));
    }
    if conditions < 2 {
        return Err(Undefined::because("fewer than two conditions"));
    }
    if outcomes.iter().any(|row| row.len() != conditions) {
        return Err(Undefined::because("some samples lack a condition"));
    }
    let mut columns = vec![0.0_f64; conditions];
    let mut squared_rows = 0.0;
    for row in outcomes {
        let sum = row.iter().filter(|success| **success).count() as f64;
        squared_rows += sum * sum;
        for (column, success) in columns.iter_mut().zip(row) {
            *column += f64::from(u8::from(*success));
        }
    }
    let k = conditions as f64;
    let total: f64 = columns.iter().sum();
    let spread = k * total - squared_rows;
    if spread == 0.0 {
        return Err(Undefined::because("all conditions agree on every sample"));
    }
    let squared_columns: f64 = columns.iter().map(|sum| sum * sum).sum();
    let statistic = (k - 1.0) * (k * squared_columns - total * total) / spread;
    Ok(ChiSquareTest::of(statistic, conditions - 1))
}

#[cfg(test)]
mod tests {
    use super::super::paired::mcnemar_chi_square;
    use super::*;

    #[test]
    fn two_conditions_give_mcnemar() {
        let mut outcomes = vec![vec![true, false]; 12];
        outcomes.extend(vec![vec![false, true]; 5]);
        outcomes.extend(vec![vec![true, true]; 20]);
        let q = cochran_q(&outcomes).unwrap();
        let mcnemar = mcnemar_chi_square(12, 5, false);
        assert!((q.statistic - mcnemar.statistic).abs() < 1e-12);
        assert_eq!(q.freedom, 1);
    }

    #[test]
    fn undefined_has_a_reason() {
        assert!(cochran_q(&[]).is_err());
        assert!(cochran_q(&[vec![true]]).is_err());
        assert!(cochran_q(&[vec![true, false], vec![true]]).is_err());
        assert!(cochran_q(&[vec![true, true]]).unwrap_err().reason.contains("agree"));
    }
}
