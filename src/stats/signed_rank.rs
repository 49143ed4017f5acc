//! Wilcoxon's signed-rank test of paired values.

use super::distribution::{normal_above, normal_below, normal_two_sided};
use super::rank::average_ranks;
use super::{Alternative, Stat, Undefined};

/// What becomes of pairs without a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// They are dropped before ranking (Wilcoxon 1945).
    Drop,
    /// They are ranked and then dropped (Pratt 1959).
    RankThenDrop,
    /// Their ranks are shared equally by both signs.
    Split,
}

/// How p is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Exact for up to 50 pairs that differ and do not tie, and for up to 13 pairs otherwise; else normal.
    Automatic,
    /// The distribution over all signs of the ranks as they are, ties included.
    Exact,
    /// Normal, with the variance under ties (Lehmann 1975; for zeros Cureton 1967).
    Normal {
        /// Moves the statistic by one half towards its mean.
        continuity: bool,
    },
}

/// A signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// The sum of the ranks of positive differences, first minus second.
    pub positive: f64,
    /// The sum of the ranks of negative differences.
    pub negative: f64,
    /// Pairs that differ.
    pub differing: usize,
    /// The matched-pairs rank-biserial correlation (Kerby 2014), (positive - negative) / (positive + negative): the
    /// effect size, 0 when nothing differs.
    pub rank_biserial: f64,
    /// p for the alternative asked.
    pub p: f64,
}

/// Wilcoxon's signed-rank test (Wilcoxon 1945) that the differences first - second are symmetric about 0.
///
/// Without any difference p is 1: there is no evidence either way. Undefined without pairs, for unequal lengths and for
/// a value that is not finite. Exact p-values need time that grows with the cube of the pairs and are given for up to
/// 1,000.
pub fn signed_rank(
    first: &[f64],
    second: &[f64],
    zeros: Zeros,
    method: Method,
    alternative: Alternative,
) -> Stat<SignedRank> {
    if first.len() != second.len() {
        return Err(Undefined::because(format!(
            "{} first values but {} second ones",
            first.len(),
            second.len()
        )));
    }
    if first.is_empty() {
        return Err(Undefined::because("no pairs (n = 0)"));
    }
    let mut differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    if differences.iter().any(|difference| !difference.is_finite()) {
        return Err(Undefined::because("a difference is not finite"));
    }
    let pairs = differences.len();
    let differing = differences.iter().filter(|difference| **difference != 0.0).count();
    if differing == 0 {
        return Ok(SignedRank {
            positive: 0.0,
            negative: 0.0,
            differing,
            rank_biserial: 0.0,
            p: 1.0,
        });
    }
    if zeros == Zeros::Drop {
        differences.retain(|difference| *difference != 0.0);
    }
    let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    let ranks = average_ranks(&sizes)?;
    let signed = Signed::of(&differences, &ranks, zeros);
    let tied = {
        let mut sorted = ranks.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.windows(2).any(|pair| pair[0] == pair[1])
    };
    let simple = !tied && differing == pairs;
    let p = match method {
        Method::Exact if pairs > 1000 => return Err(Undefined::because("more than 1,000 pairs for an exact p")),
        Method::Exact => signed.exact(alternative),
        Method::Automatic if pairs <= if simple { 50 } else { 13 } => signed.exact(alternative),
        Method::Automatic => signed.normal(false, alternative),
        Method::Normal { continuity } => signed.normal(continuity, alternative),
    };
    Ok(SignedRank {
        positive: signed.positive,
        negative: signed.negative,
        differing,
        rank_biserial: (signed.positive - signed.negative) / (signed.positive + signed.negative),
        p,
    })
}

/// The ranks that take a sign, and what they sum to.
struct Signed {
    ranks: Vec<f64>,
    positive: f64,
    negative: f64,
    /// What both sums have from zeros, whatever the signs.
    shared: f64,
    mean: f64,
    variance: f64,
}

impl Signed {
    fn of(differences: &[f64], ranks: &[f64], zeros: Zeros) -> Self {
        let with = |wanted: fn(f64) -> bool| -> f64 {
            let chosen = differences.iter().zip(ranks).filter(|(value, _)| wanted(**value));
            chosen.map(|(_, rank)| rank).sum()
        };
        let shared = if zeros == Zeros::Split {
            with(|value| value == 0.0) / 2.0
        } else {
            0.0
        };
        let signed: Vec<f64> = differences
            .iter()
            .zip(ranks)
            .filter(|(difference, _)| **difference != 0.0)
            .map(|(_, rank)| *rank)
            .collect();
        let sum: f64 = signed.iter().sum();
        let squares: f64 = if zeros == Zeros::Split {
            // The reference counts the zeros as values that could have had a sign.
            ranks.iter().map(|rank| rank * rank).sum()
        } else {
            signed.iter().map(|rank| rank * rank).sum()
        };
        Self {
            positive: with(|value| value > 0.0) + shared,
            negative: with(|value| value < 0.0) + shared,
            shared,
            mean: sum / 2.0 + shared,
            variance: squares / 4.0,
            ranks: signed,
        }
    }

    fn normal(&self, continuity: bool, alternative: Alternative) -> f64 {
        let distance = self.positive - self.mean;
        let half = if continuity { 0.5 } else { 0.0 };
        let deviation = self.variance.sqrt();
        match alternative {
            Alternative::TwoSided => {
                let moved = if distance == 0.0 { 0.0 } else { half * distance.signum() };
                normal_two_sided((distance - moved) / deviation)
            }
            Alternative::Less => normal_below((distance + half) / deviation),
            Alternative::Greater => normal_above((distance - half) / deviation),
        }
    }

    /// By counting, over all signs, how often each sum occurs. Ranks are multiples of one half, so that their doubles
    /// index the table.
    fn exact(&self, alternative: Alternative) -> f64 {
        let doubled: Vec<usize> = self.ranks.iter().map(|rank| (rank * 2.0).round() as usize).collect();
        let most: usize = doubled.iter().sum();
        let mut shares = vec![0.0; most + 1];
        shares[0] = 1.0;
        let mut reached = 0;
        for rank in doubled {
            reached += rank;
            for sum in (0..=reached).rev() {
                let before = if sum >= rank { shares[sum - rank] } else { 0.0 };
                shares[sum] = f64::midpoint(shares[sum], before);
            }
        }
        let seen = ((self.positive - self.shared) * 2.0).round() as usize;
        let at_most: f64 = shares[..=seen].iter().sum();
        let at_least: f64 = shares[seen..].iter().sum();
        match alternative {
            Alternative::TwoSided => 2.0 * at_most.min(at_least),
            Alternative::Less => at_most,
            Alternative::Greater => at_least,
        }
        .min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(first: &[f64], method: Method, alternative: Alternative) -> f64 {
        let none = vec![0.0; first.len()];
        signed_rank(first, &none, Zeros::Drop, method, alternative).unwrap().p
    }

    #[test]
    fn all_signs_of_few_pairs() {
        // Of 8 signings of the ranks 1, 2, 3 one has the sum 6.
        assert_eq!(p(&[1.0, 2.0, 3.0], Method::Exact, Alternative::Greater), 0.125);
        assert_eq!(p(&[1.0, 2.0, 3.0], Method::Exact, Alternative::TwoSided), 0.25);
        // With three equal ranks, three of the 8 have one negative sign and one has none.
        assert_eq!(p(&[1.0, 1.0, -1.0], Method::Exact, Alternative::Greater), 0.5);
    }

    #[test]
    fn exact_and_normal_agree_for_many_pairs() {
        let values: Vec<f64> = (0..200_u32).map(|i| f64::from((i * 7919) % 211) - 95.5).collect();
        let exact = p(&values, Method::Exact, Alternative::TwoSided);
        let normal = p(&values, Method::Normal { continuity: true }, Alternative::TwoSided);
        assert!((exact - normal).abs() < 2e-3, "{exact} {normal}");
    }

    #[test]
    fn nothing_differs() {
        for method in [Method::Automatic, Method::Exact, Method::Normal { continuity: false }] {
            let test = signed_rank(
                &[1.0, 2.0],
                &[1.0, 2.0],
                Zeros::RankThenDrop,
                method,
                Alternative::TwoSided,
            );
            assert_eq!(test.unwrap().p, 1.0);
        }
        assert!(signed_rank(&[], &[], Zeros::Drop, Method::Automatic, Alternative::TwoSided).is_err());
        assert!(signed_rank(&[1.0], &[], Zeros::Drop, Method::Automatic, Alternative::TwoSided).is_err());
        let not_finite = signed_rank(&[f64::INFINITY], &[1.0], Zeros::Drop, Method::Exact, Alternative::Less);
        assert!(not_finite.is_err());
    }
}
