//! Strengths from comparisons of two.

use super::matrix::SymmetricMatrix;
use super::{Stat, Undefined, checked_finite};

/// Why strengths from comparisons have no finite value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Separation {
    /// No comparison links the groups, so that nothing says how they stand to each other.
    Disconnected(Vec<Vec<usize>>),
    /// The items, 0-based, that were compared with the others but never lost or tied against them: their strength is
    /// infinite in proportion.
    Unbeaten(Vec<usize>),
}

impl std::fmt::Display for Separation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Disconnected(groups) => write!(formatter, "no comparison links the groups {groups:?}"),
            Self::Unbeaten(items) => write!(formatter, "{items:?} never lost against the others"),
        }
    }
}

/// Strengths of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths {
    /// Logarithms of the strengths, with mean 0: item i is preferred to j with odds exp(a - b).
    pub log_strengths: Vec<f64>,
    /// Their covariance by the Fisher information. Row by row; the variance of a difference a - b is aa + bb - 2 ab.
    pub covariance: Vec<Vec<f64>>,
    /// Davidson's nu: a tie of two equal items has odds nu : 2. Absent when the model has no ties.
    pub tie_odds: Option<f64>,
    /// The logarithm of the likelihood.
    pub log_likelihood: f64,
    /// What was taken off for large strengths: penalty times the sum of their squares.
    pub penalty: f64,
}

impl Strengths {
    /// The standard error of each strength against the mean of all.
    pub fn standard_errors(&self) -> Vec<f64> {
        (0..self.covariance.len())
            .map(|item| self.covariance[item][item].sqrt())
            .collect()
    }

    /// log strength of `first` less that of `second`, and its standard error.
    pub fn difference(&self, first: usize, second: usize) -> (f64, f64) {
        let c = &self.covariance;
        let variance = c[first][first] + c[second][second] - 2.0 * c[first][second];
        (
            self.log_strengths[first] - self.log_strengths[second],
            variance.max(0.0).sqrt(),
        )
    }

    /// The probability that `first` is preferred to `second` when they do not tie.
    pub fn win_probability(&self, first: usize, second: usize) -> f64 {
        1.0 / (1.0 + (self.log_strengths[second] - self.log_strengths[first]).exp())
    }
}

/// Whether comparisons determine strengths (Ford 1957): every item must be linked to every other by a chain of wins or
/// ties. `wins[i][j]` is how often i beat j, `ties[i][j]` (symmetric) how often they tied.
pub fn separation(wins: &[Vec<f64>], ties: Option<&[Vec<f64>]>) -> Option<Separation> {
    let k = wins.len();
    let positive = |counts: &[Vec<f64>], i: usize, j: usize| {
        let count = counts.get(i).and_then(|row| row.get(j));
        count.is_some_and(|count| *count > 0.0)
    };
    let beat = |i: usize, j: usize| i != j && (positive(wins, i, j) || ties.is_some_and(|ties| positive(ties, i, j)));
    let reached = |start: usize, edge: &dyn Fn(usize, usize) -> bool| {
        let mut seen = vec![false; k];
        let mut open = vec![start];
        seen[start] = true;
        while let Some(item) = open.pop() {
            for (next, visited) in seen.iter_mut().enumerate() {
                if !*visited && edge(item, next) {
                    *visited = true;
                    open.push(next);
                }
            }
        }
        seen
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for start in 0..k {
        if groups.iter().flatten().all(|item| *item != start) {
            let seen = reached(start, &|i, j| beat(i, j) || beat(j, i));
            groups.push((0..k).filter(|item| seen[*item]).collect());
        }
    }
    if groups.len() > 1 {
        return Some(Separation::Disconnected(groups));
    }
    // Who can be reached against the wins, that is who beat someone who beat ... the start, is not always everybody: the
    // start with the smallest such set is in a group that nobody outside beat.
    let above = (0..k).map(|start| reached(start, &|i, j| beat(j, i)));
    let unbeaten = above.min_by_key(|seen| seen.iter().filter(|seen| **seen).count())?;
    let items: Vec<usize> = (0..k).filter(|item| unbeaten[*item]).collect();
    (items.len() < k).then_some(Separation::Unbeaten(items))
}

/// The model of Bradley and Terry (1952; Zermelo 1929): i beats j with odds s_i : s_j.
///
/// `wins[i][j]` is how often i beat j; a tie may count as half a win of both. Maximises the likelihood, less `penalty`
/// times the sum of squared log strengths, by Newton's method. Without a penalty it is undefined when the comparisons do
/// not determine strengths (see [`separation`]); with one it always has a value, drawn towards equality. Undefined also
/// for a matrix that is not square or holds something else than counts.
pub fn bradley_terry(wins: &[Vec<f64>], penalty: f64) -> Stat<Strengths> {
    checked_counts(wins, penalty)?;
    Fit::new(wins, None, penalty)?.run(None)
}

/// The model of Davidson (1970), in which two items tie with odds nu sqrt(s_i s_j) : s_i + s_j.
///
/// `ties[i][j]`, symmetric, is how often i and j tied. Otherwise like [`bradley_terry`]; also undefined when all
/// comparisons are ties. Without any tie it is that model.
pub fn davidson(wins: &[Vec<f64>], ties: &[Vec<f64>], penalty: f64) -> Stat<Strengths> {
    davidson_from(wins, ties, penalty, None)
}

/// The same, beginning at strengths that are near: those of the whole for a resample.
pub fn davidson_from(wins: &[Vec<f64>], ties: &[Vec<f64>], penalty: f64, start: Option<&Strengths>) -> Stat<Strengths> {
    checked_counts(wins, penalty)?;
    checked_counts(ties, penalty)?;
    let symmetric = (0..ties.len()).all(|i| (0..i).all(|j| ties[i][j] == ties[j][i]));
    if ties.len() != wins.len() || !symmetric {
        return Err(Undefined::because("ties are not a symmetric matrix of the items"));
    }
    let total = |counts: &[Vec<f64>]| counts.iter().flatten().sum::<f64>();
    if total(ties) == 0.0 {
        return Fit::new(wins, None, penalty)?.run(start);
    }
    if total(wins) == 0.0 {
        return Err(Undefined::because("all comparisons are ties"));
    }
    Fit::new(wins, Some(ties), penalty)?.run(start)
}

fn checked_counts(counts: &[Vec<f64>], penalty: f64) -> Stat<()> {
    if counts.is_empty() {
        return Err(Undefined::because("no items"));
    }
    for (item, row) in counts.iter().enumerate() {
        checked_finite(row)?;
        if row.len() != counts.len() {
            return Err(Undefined::because("the comparisons are not a square matrix"));
        }
        if row.iter().any(|count| *count < 0.0) || row[item] != 0.0 {
            return Err(Undefined::because(
                "a count is negative, or an item is compared with itself",
            ));
        }
    }
    if !(penalty >= 0.0 && penalty.is_finite()) {
        return Err(Undefined::because(format!("penalty {penalty} is negative")));
    }
    Ok(())
}

/// One pair of items that were compared.
struct Pair {
    first: usize,
    second: usize,
    won: f64,
    lost: f64,
    tied: f64,
}

struct Fit {
    items: usize,
    pairs: Vec<Pair>,
    with_ties: bool,
    penalty: f64,
}

/// Log-likelihood, its gradient and the negative of its second derivative.
struct Slope {
    value: f64,
    gradient: Vec<f64>,
    curvature: SymmetricMatrix,
}

impl Fit {
    fn new(wins: &[Vec<f64>], ties: Option<&[Vec<f64>]>, penalty: f64) -> Stat<Self> {
        if penalty == 0.0
            && let Some(separation) = separation(wins, ties)
        {
            return Err(Undefined::because(separation.to_string()));
        }
        let mut pairs = Vec::new();
        for first in 0..wins.len() {
            for second in first + 1..wins.len() {
                let tied = ties.map_or(0.0, |ties| ties[first][second]);
                let pair = Pair {
                    first,
                    second,
                    won: wins[first][second],
                    lost: wins[second][first],
                    tied,
                };
                if pair.won + pair.lost + pair.tied > 0.0 {
                    pairs.push(pair);
                }
            }
        }
        Ok(Self {
            items: wins.len(),
            pairs,
            with_ties: ties.is_some(),
            penalty,
        })
    }

    /// Newton's method, halving steps that go too far. The likelihood is concave, and strictly so but for adding a
    /// constant to all strengths, which the added matrix of ones holds fixed.
    fn run(&self, start: Option<&Strengths>) -> Stat<Strengths> {
        const MOST_STEPS: usize = 200;
        let mut at = vec![0.0; self.items];
        if let Some(start) = start.filter(|start| start.log_strengths.len() == self.items) {
            at.copy_from_slice(&start.log_strengths);
        }
        if self.with_ties {
            at.push(start.and_then(|start| start.tie_odds).map_or(0.0, f64::ln));
        }
        let mut slope = self.slope(&at);
        let compared: f64 = self.pairs.iter().map(|pair| pair.won + pair.lost + pair.tied).sum();
        for _ in 0..MOST_STEPS {
            let steepest = slope.gradient.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            if steepest <= 1e-11 * compared.max(1.0) {
                break;
            }
            let Some(step) = slope.curvature.solve(&slope.gradient) else {
                return Err(Undefined::because(
                    "the comparisons are too uneven to determine strengths",
                ));
            };
            let longest = step.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let mut scale = (5.0 / longest).min(1.0);
            loop {
                let next: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + scale * step).collect();
                let next_slope = self.slope(&next);
                if next_slope.value >= slope.value || scale < 1e-6 {
                    at = next;
                    slope = next_slope;
                    break;
                }
                scale /= 2.0;
            }
            if longest < 1e-13 {
                break;
            }
        }
        self.strengths(at, &slope)
    }

    fn strengths(&self, mut at: Vec<f64>, slope: &Slope) -> Stat<Strengths> {
        let Some(inverse) = slope.curvature.inverse() else {
            return Err(Undefined::because(
                "the comparisons are too uneven to determine strengths",
            ));
        };
        let k = self.items;
        let tie_odds = self.with_ties.then(|| at[k].exp());
        at.truncate(k);
        let mean = at.iter().sum::<f64>() / k as f64;
        at.iter_mut().for_each(|value| *value -= mean);
        let squares: f64 = at.iter().map(|value| value * value).sum();
        // What the added ones contribute to the inverse is a constant, which strengths with mean 0 do not have.
        let added = if self.penalty == 0.0 { 1.0 / k as f64 } else { 0.0 };
        let covariance = (0..k)
            .map(|i| (0..k).map(|j| inverse[i][j] - added).collect())
            .collect();
        checked_finite(&at)?;
        checked_finite(&[slope.value])?;
        checked_finite(&inverse.concat())?;
        Ok(Strengths {
            log_strengths: at,
            covariance,
            tie_odds,
            log_likelihood: slope.value + self.penalty * squares,
            penalty: self.penalty,
        })
    }

    fn slope(&self, at: &[f64]) -> Slope {
        let k = self.items;
        let mut gradient = vec![0.0; at.len()];
        let mut curvature = SymmetricMatrix::new(at.len());
        let mut value = 0.0;
        for pair in &self.pairs {
            let (i, j) = (pair.first, pair.second);
            let n = pair.won + pair.lost + pair.tied;
            // Weights relative to the larger of both, so that nothing overflows.
            let half = (at[i] - at[j]) / 2.0;
            let (log_win, log_loss) = (half - half.abs(), -half - half.abs());
            let log_tie = if self.with_ties {
                at[k] - half.abs()
            } else {
                f64::NEG_INFINITY
            };
            let whole = log_win.exp() + log_loss.exp() + log_tie.exp();
            let log_whole = whole.ln();
            value += pair.won * (log_win - log_whole) + pair.lost * (log_loss - log_whole);
            let (win, loss, tie) = (log_win.exp() / whole, log_loss.exp() / whole, log_tie.exp() / whole);
            // What a comparison counts for i, for j and for ties, and its covariance.
            let (for_i, for_j) = (win + tie / 2.0, loss + tie / 2.0);
            gradient[i] += pair.won + pair.tied / 2.0 - n * for_i;
            gradient[j] += pair.lost + pair.tied / 2.0 - n * for_j;
            // Both shares sum to 1, so that one variance is all.
            let variance = n * (win + tie / 4.0 - for_i * for_i);
            curvature.add(i, i, variance);
            curvature.add(j, j, variance);
            curvature.add(i, j, -variance);
            if self.with_ties {
                value += pair.tied * (log_tie - log_whole);
                gradient[k] += pair.tied - n * tie;
                curvature.add(k, k, n * tie * (1.0 - tie));
                curvature.add(i, k, n * (tie / 2.0 - for_i * tie));
                curvature.add(j, k, n * (tie / 2.0 - for_j * tie));
            }
        }
        if self.penalty > 0.0 {
            for i in 0..k {
                value -= self.penalty * at[i] * at[i];
                gradient[i] -= 2.0 * self.penalty * at[i];
                curvature.add(i, i, 2.0 * self.penalty);
            }
        } else {
            for i in 0..k {
                for j in 0..=i {
                    curvature.add(i, j, 1.0 / k as f64);
                }
            }
        }
        Slope {
            value,
            gradient,
            curvature,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn two_items_have_the_odds_of_their_wins() {
        let found = bradley_terry(&[vec![0.0, 3.0], vec![1.0, 0.0]], 0.0).unwrap();
        let (difference, error) = found.difference(0, 1);
        close(difference, 3.0_f64.ln());
        // The standard error of log odds.
        close(error, (1.0_f64 / 3.0 + 1.0).sqrt());
        close(found.win_probability(0, 1), 0.75);
    }

    #[test]
    fn ties_have_odds_of_their_own() {
        // Equal items with as many ties as wins of both together: nu is 2.
        let wins = vec![vec![0.0, 5.0], vec![5.0, 0.0]];
        let ties = vec![vec![0.0, 10.0], vec![10.0, 0.0]];
        let found = davidson(&wins, &ties, 0.0).unwrap();
        close(found.tie_odds.unwrap(), 2.0);
        close(found.difference(0, 1).0, 0.0);
        // Uneven: probabilities 6/20, 4/20 and 10/20 are reached exactly.
        let found = davidson(&[vec![0.0, 6.0], vec![4.0, 0.0]], &ties, 0.0).unwrap();
        close(found.difference(0, 1).0, 1.5_f64.ln());
        close(found.tie_odds.unwrap(), 10.0 / 24.0_f64.sqrt());
        let again = davidson_from(&[vec![0.0, 6.0], vec![4.0, 0.0]], &ties, 0.0, Some(&found)).unwrap();
        close(again.log_strengths[0], found.log_strengths[0]);
        let none = vec![vec![0.0; 2]; 2];
        assert_eq!(davidson(&wins, &none, 0.0), bradley_terry(&wins, 0.0));
    }

    #[test]
    fn separation_is_said() {
        let unbeaten = [vec![0.0, 2.0, 1.0], vec![0.0, 0.0, 3.0], vec![0.0, 1.0, 0.0]];
        assert_eq!(separation(&unbeaten, None), Some(Separation::Unbeaten(vec![0])));
        assert!(
            bradley_terry(&unbeaten, 0.0)
                .unwrap_err()
                .reason
                .contains("[0] never lost")
        );
        assert!(bradley_terry(&unbeaten, 0.1).unwrap().log_strengths[0] > 1.0);
        let apart = [
            vec![0.0, 1.0, 0.0, 0.0],
            vec![1.0, 0.0, 0.0, 0.0],
            vec![0.0, 0.0, 0.0, 1.0],
            vec![0.0, 0.0, 1.0, 0.0],
        ];
        let groups = Separation::Disconnected(vec![vec![0, 1], vec![2, 3]]);
        assert_eq!(separation(&apart, None), Some(groups));
        // A tie links what wins alone do not.
        let mut ties = vec![vec![0.0; 3]; 3];
        (ties[0][1], ties[1][0]) = (1.0, 1.0);
        assert_eq!(separation(&unbeaten, Some(&ties)), None);
        assert!(
            davidson(&vec![vec![0.0; 3]; 3], &ties, 0.1)
                .unwrap_err()
                .reason
                .contains("ties")
        );
    }

    #[test]
    fn bad_matrices_are_refused() {
        assert!(bradley_terry(&[], 0.0).is_err());
        assert!(bradley_terry(&[vec![0.0, 1.0]], 0.0).is_err());
        assert!(bradley_terry(&[vec![0.0, -1.0], vec![1.0, 0.0]], 0.0).is_err());
        assert!(bradley_terry(&[vec![1.0]], 0.0).is_err());
        assert!(bradley_terry(&[vec![0.0, f64::NAN], vec![1.0, 0.0]], 0.0).is_err());
        assert!(bradley_terry(&[vec![0.0]], -1.0).is_err());
    }
}
