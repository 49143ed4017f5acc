//! Kendall's rank correlation.

use super::correlation::{RankCorrelation, checked_pairs_of_ranks, fisher_interval, no_variation};
use super::distribution::{checked_level, normal_above, normal_below, normal_two_sided};
use super::{Alternative, Stat, Undefined};

/// How p is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Exact without ties up to 33 points, and beyond when at most one pair is out of order (or in order); else normal,
    /// as `scipy.stats.kendalltau` chooses.
    Automatic,
    /// Over all permutations; there is none with ties, nor for more than 1,000 points.
    Exact,
    /// Normal with the variance under ties (Kendall 1970).
    Normal,
}

/// Kendall's tau-b (Kendall 1945) with its two-sided p, chosen automatically.
///
/// The interval is tanh(atanh(tau) -+ z sqrt(0.437 / (n - 4))) of Fieller, Hartley and Pearson (1957), which knows of no
/// ties. Undefined for fewer than two points, a value that is not a number, and no variation in x or y.
pub fn kendall(x: &[f64], y: &[f64], level: f64) -> Stat<RankCorrelation> {
    checked_level(level)?;
    let pairs = Pairs::of(x, y)?;
    let tau = pairs.tau_b();
    Ok(RankCorrelation {
        coefficient: tau,
        p: pairs.p(Method::Automatic, Alternative::TwoSided)?,
        interval: fisher_interval(tau, x.len(), 4, 0.437, level),
        n: x.len(),
    })
}

/// Stuart's tau-c (Stuart 1953): 2 m (C - D) / (n^2 (m - 1)) with m the smaller number of distinct values.
pub fn tau_c(x: &[f64], y: &[f64]) -> Stat<f64> {
    let pairs = Pairs::of(x, y)?;
    let m = pairs.x.distinct.min(pairs.y.distinct) as f64;
    let n = x.len() as f64;
    Ok((2.0 * pairs.difference() / (n * n * (m - 1.0) / m)).clamp(-1.0, 1.0))
}

/// p of no association by the method and for the alternative asked.
pub fn kendall_p(x: &[f64], y: &[f64], method: Method, alternative: Alternative) -> Stat<f64> {
    Pairs::of(x, y)?.p(method, alternative)
}

/// How the pairs of points stand.
struct Pairs {
    n: usize,
    all: f64,
    discordant: u64,
    /// Pairs tied in both.
    both: f64,
    x: Ties,
    y: Ties,
}

impl Pairs {
    fn of(x: &[f64], y: &[f64]) -> Stat<Self> {
        checked_pairs_of_ranks(x, y)?;
        let n = x.len();
        if n < 2 {
            return Err(Undefined::because(format!(
                "n = {n} is too small for a rank correlation"
            )));
        }
        let all = n as f64 * (n as f64 - 1.0) / 2.0;
        let (x_ties, y_ties) = (Ties::of(x), Ties::of(y));
        for (ties, name) in [(&x_ties, "x"), (&y_ties, "y")] {
            if ties.distinct == 1 {
                return Err(no_variation(name));
            }
        }
        let mut points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
        // Adding 0 makes -0 and 0 one value, as they are for ties.
        points.sort_by(|a, b| {
            let by_x = (a.0 + 0.0).total_cmp(&(b.0 + 0.0));
            by_x.then((a.1 + 0.0).total_cmp(&(b.1 + 0.0)))
        });
        let both = points
            .chunk_by(|a, b| a == b)
            .map(|group| group.len() as f64 * (group.len() as f64 - 1.0) / 2.0)
            .sum();
        let mut second: Vec<f64> = points.iter().map(|point| point.1).collect();
        let mut space = second.clone();
        Ok(Self {
            n,
            all,
            discordant: inversions(&mut second, &mut space),
            both,
            x: x_ties,
            y: y_ties,
        })
    }

    /// Concordant minus discordant pairs.
    fn difference(&self) -> f64 {
        self.all - self.x.pairs - self.y.pairs + self.both - 2.0 * self.discordant as f64
    }

    fn tau_b(&self) -> f64 {
        let tau = self.difference() / (self.all - self.x.pairs).sqrt() / (self.all - self.y.pairs).sqrt();
        tau.clamp(-1.0, 1.0)
    }

    fn p(&self, method: Method, alternative: Alternative) -> Stat<f64> {
        let untied = self.x.pairs == 0.0 && self.y.pairs == 0.0;
        let most = self.all as u64;
        let least = self.discordant.min(most.saturating_sub(self.discordant));
        let exact = match method {
            Method::Exact if self.n > 1000 => return Err(Undefined::because("more than 1,000 points for an exact p")),
            Method::Exact if untied => true,
            Method::Exact => return Err(Undefined::because("values are tied, which the exact p does not know")),
            Method::Automatic => untied && (self.n <= 33 || least <= 1),
            Method::Normal => false,
        };
        if exact {
            // Permutations are as likely to have few inversions as to have few non-inversions.
            let tail = at_most_inversions(least, self.n);
            let towards_few = self.discordant == least;
            return Ok(match alternative {
                Alternative::TwoSided => 2.0 * tail.at_most,
                Alternative::Greater if towards_few => tail.at_most,
                Alternative::Less if !towards_few => tail.at_most,
                _ => 1.0 - tail.at_most + tail.exactly,
            }
            .min(1.0));
        }
        if self.n == 2 {
            return Err(Undefined::because("n = 2 is too small for the normal approximation"));
        }
        let n = self.n as f64;
        let m = n * (n - 1.0);
        let variance = (m * (2.0 * n + 5.0) - self.x.weighted - self.y.weighted) / 18.0
            + 2.0 * self.x.pairs * self.y.pairs / m
            + self.x.triples * self.y.triples / (9.0 * m * (n - 2.0));
        let z = self.difference() / variance.sqrt();
        Ok(match alternative {
            Alternative::TwoSided => normal_two_sided(z),
            Alternative::Less => normal_below(z),
            Alternative::Greater => normal_above(z),
        })
    }
}

/// Sums over groups of equal values, each of size t.
struct Ties {
    distinct: usize,
    /// t (t - 1) / 2.
    pairs: f64,
    /// t (t - 1) (t - 2).
    triples: f64,
    /// t (t - 1) (2 t + 5).
    weighted: f64,
}

impl Ties {
    fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut ties = Self {
            distinct: 0,
            pairs: 0.0,
            triples: 0.0,
            weighted: 0.0,
        };
        for group in sorted.chunk_by(|a, b| a == b) {
            let t = group.len() as f64;
            ties.distinct += 1;
            ties.pairs += t * (t - 1.0) / 2.0;
            ties.triples += t * (t - 1.0) * (t - 2.0);
            ties.weighted += t * (t - 1.0) * (2.0 * t + 5.0);
        }
        ties
    }
}

/// Pairs in which the earlier value is greater, counted while merging (Knight 1966).
fn inversions(values: &mut [f64], space: &mut [f64]) -> u64 {
    let n = values.len();
    if n < 2 {
        return 0;
    }
    let middle = n / 2;
    let mut count = inversions(&mut values[..middle], &mut space[..middle])
        + inversions(&mut values[middle..], &mut space[middle..]);
    let (mut left, mut right) = (0, middle);
    for slot in space.iter_mut() {
        if right == n || (left < middle && values[left] <= values[right]) {
            *slot = values[left];
            left += 1;
        } else {
            count += (middle - left) as u64;
            *slot = values[right];
            right += 1;
        }
    }
    values.copy_from_slice(space);
    count
}

struct Tail {
    at_most: f64,
    exactly: f64,
}

/// The probability that a random permutation of `n` has at most, and exactly, `most` inversions. The number of
/// inversions is a sum of independent uniform variables on 0..j for j up to n, whose distributions are folded one by
/// one.
fn at_most_inversions(most: u64, n: usize) -> Tail {
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(n * (n - 1) / 2);
    let mut probabilities = vec![0.0; most + 1];
    probabilities[0] = 1.0;
    let mut folded = probabilities.clone();
    for choices in 2..=n {
        fold_uniform(&probabilities, &mut folded, choices);
        std::mem::swap(&mut probabilities, &mut folded);
    }
    Tail {
        at_most: probabilities.iter().sum(),
        exactly: probabilities[most],
    }
}

/// The distribution of a sum with one more uniform variable on 0..choices. Of a long permutation this runs some 10^8
/// times, which is why it is written out.
fn fold_uniform(before: &[f64], after: &mut [f64], choices: usize) {
    let share = 1.0 / choices as f64;
    let most = before.len();
    let mut window = 0.0;
    let mut sum = 0;
    while sum < most {
        window += before[sum];
        if sum >= choices {
            window -= before[sum - choices];
        }
        after[sum] = window * share;
        sum += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_of_short_permutations() {
        // Of the 6 permutations of 3, 1 has no inversion, 2 have one, 2 two, 1 three.
        for (most, count, exactly) in [(0, 1.0, 1.0), (1, 3.0, 2.0), (2, 5.0, 2.0), (3, 6.0, 1.0)] {
            let tail = at_most_inversions(most, 3);
            assert!((tail.at_most - count / 6.0).abs() < 1e-15);
            assert!((tail.exactly - exactly / 6.0).abs() < 1e-15);
        }
    }

    proptest::proptest! {
        #[test]
        fn pairs_are_counted_as_one_by_one(points in proptest::collection::vec((-4_i8..4, -4_i8..4), 2..40)) {
            let x: Vec<f64> = points.iter().map(|(x, _)| f64::from(*x)).collect();
            let y: Vec<f64> = points.iter().map(|(_, y)| f64::from(*y)).collect();
            let mut difference = 0.0;
            for (i, a) in points.iter().enumerate() {
                for b in &points[..i] {
                    difference += f64::from((a.0 - b.0).signum() * (a.1 - b.1).signum());
                }
            }
            if let Ok(pairs) = Pairs::of(&x, &y) {
                proptest::prop_assert_eq!(pairs.difference(), difference);
            }
        }
    }
}
