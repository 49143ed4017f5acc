//! Small symmetric matrices and what Newton's method asks of them.

/// A symmetric matrix of a few rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SymmetricMatrix {
    size: usize,
    /// Rows one after another, both halves filled.
    values: Vec<f64>,
}

impl SymmetricMatrix {
    /// Of zeros.
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            values: vec![0.0; size * size],
        }
    }

    /// Adds to an element and to its mirror.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] += value;
        if row != column {
            self.values[column * self.size + row] += value;
        }
    }

    /// An element.
    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// The matrix of the first rows and columns.
    pub(super) fn leading(&self, size: usize) -> Self {
        let mut part = Self::new(size);
        for row in 0..size {
            for column in 0..=row {
                part.add(row, column, self.at(row, column));
            }
        }
        part
    }

    /// The x with M x = `right`, or `None` when M is not positive definite.
    pub(super) fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        let factor = self.factor()?;
        Some(self.solve_factored(&factor, right))
    }

    /// The inverse row by row, or `None` when the matrix is not positive definite.
    pub(super) fn inverse(&self) -> Option<Vec<Vec<f64>>> {
        let factor = self.factor()?;
        let column = |at: usize| {
            let mut unit = vec![0.0; self.size];
            unit[at] = 1.0;
            self.solve_factored(&factor, &unit)
        };
        Some((0..self.size).map(column).collect())
    }

    /// Cholesky's lower triangle L with M = L L'.
    fn factor(&self) -> Option<Vec<f64>> {
        let size = self.size;
        let mut lower = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let mut sum = self.values[row * size + column];
                for k in 0..column {
                    sum -= lower[row * size + k] * lower[column * size + k];
                }
                if row == column {
                    // What is left of the diagonal must stand out from its rounding.
                    if sum <= 1e-14 * self.values[row * size + row] || !sum.is_finite() {
                        return None;
                    }
                    lower[row * size + row] = sum.sqrt();
                } else {
                    lower[row * size + column] = sum / lower[column * size + column];
                }
            }
        }
        Some(lower)
    }

    fn solve_factored(&self, lower: &[f64], right: &[f64]) -> Vec<f64> {
        let size = self.size;
        let mut x = right.to_vec();
        for row in 0..size {
            for k in 0..row {
                x[row] -= lower[row * size + k] * x[k];
            }
            x[row] /= lower[row * size + row];
        }
        for row in (0..size).rev() {
            for k in row + 1..size {
                x[row] -= lower[k * size + row] * x[k];
            }
            x[row] /= lower[row * size + row];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system() {
        let mut matrix = SymmetricMatrix::new(2);
        matrix.add(0, 0, 4.0);
        matrix.add(0, 1, 2.0);
        matrix.add(1, 1, 3.0);
        let solution = matrix.solve(&[8.0, 8.0]).unwrap();
        assert!((solution[0] - 1.0).abs() < 1e-14 && (solution[1] - 2.0).abs() < 1e-14);
        let inverse = matrix.inverse().unwrap();
        assert!((inverse[0][0] - 3.0 / 8.0).abs() < 1e-15 && (inverse[1][0] + 0.25).abs() < 1e-15);
        matrix.add(1, 1, -2.0);
        assert_eq!(matrix.solve(&[1.0, 1.0]), None);
    }
}
