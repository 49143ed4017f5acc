//! Drawing rows with replacement, as often as there are rows: how often each distinct row is drawn, and what the drawn
//! rows sum to.

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// So many draws cost as much as one binomial variable.
const DRAWS_OF_A_BINOMIAL: usize = 12;

/// Rows of up to this width are summed as they are drawn; wider ones are counted first.
const NARROW: usize = 2;

/// Rows grouped into kinds of equal ones, so that a resample is one multinomial variable over the kinds.
pub(super) struct Resampler {
    /// Rows, and draws of a resample.
    rows: usize,
    width: usize,
    /// The distinct rows one after another.
    kinds: Vec<f64>,
    /// How many rows are of each kind.
    multiplicities: Vec<usize>,
    /// The kind of every row.
    kind_of_row: Vec<u32>,
    /// How often each kind is in the current resample.
    counts: Vec<u32>,
    random: ChaCha8Rng,
}

impl Resampler {
    /// Of rows of the same width.
    pub(super) fn new(rows: &[Vec<f64>], seed: u64) -> Self {
        let width = rows.first().map_or(0, Vec::len);
        let mut places: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        let mut kinds = Vec::new();
        let mut multiplicities = Vec::new();
        let mut kind_of_row = Vec::with_capacity(rows.len());
        for row in rows {
            let bits: Vec<u64> = row.iter().map(|value| value.to_bits()).collect();
            let next = multiplicities.len() as u32;
            let kind = *places.entry(bits).or_insert(next);
            if kind == next {
                kinds.extend_from_slice(row);
                multiplicities.push(0);
            }
            multiplicities[kind as usize] += 1;
            kind_of_row.push(kind);
        }
        Self {
            rows: rows.len(),
            width,
            kinds,
            counts: vec![0; multiplicities.len()],
            multiplicities,
            kind_of_row,
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// The column sums of all rows.
    pub(super) fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.width];
        for (kind, count) in self.kinds.chunks_exact(self.width.max(1)).zip(&self.multiplicities) {
            add(&mut totals, kind, *count as f64);
        }
        totals
    }

    /// The column sums without one row of each kind, and how many rows are of that kind.
    pub(super) fn leave_one_out(&self) -> Vec<(Vec<f64>, usize)> {
        let totals = self.totals();
        let kinds = self.kinds.chunks_exact(self.width.max(1));
        kinds
            .zip(&self.multiplicities)
            .map(|(kind, count)| {
                let mut rest = totals.clone();
                add(&mut rest, kind, -1.0);
                (rest, *count)
            })
            .collect()
    }

    /// The column sums of one resample.
    pub(super) fn draw(&mut self, totals: &mut [f64]) {
        if self.multiplicities.len() * DRAWS_OF_A_BINOMIAL < self.rows {
            self.draw_kinds();
        } else if self.rows > usize::from(u16::MAX) {
            self.draw_many_rows();
        } else if self.width == 1 {
            return self.draw_narrow_rows::<1>(totals);
        } else if self.width == NARROW {
            return self.draw_narrow_rows::<NARROW>(totals);
        } else {
            self.draw_rows();
        }
        totals.fill(0.0);
        for (kind, count) in self.kinds.chunks_exact(self.width.max(1)).zip(&self.counts) {
            if *count > 0 {
                add(totals, kind, f64::from(*count));
            }
        }
    }

    /// A multinomial variable as binomial ones, each of what the kinds before have left.
    fn draw_kinds(&mut self) {
        let mut draws = self.rows as u64;
        let mut rows = self.rows;
        for (count, multiplicity) in self.counts.iter_mut().zip(&self.multiplicities) {
            let drawn = if *multiplicity == rows {
                draws
            } else {
                binomial(&mut self.random, draws, *multiplicity as f64 / rows as f64)
            };
            *count = drawn as u32;
            draws -= drawn;
            rows -= multiplicity;
        }
    }

    /// Row by row, four 16-bit numbers out of every 64 random bits, without bias (Lemire 2019).
    fn draw_rows(&mut self) {
        self.counts.fill(0);
        let rows = self.rows as u32;
        let biased = (1 << 16) % rows;
        let mut left = self.rows;
        while left > 0 {
            let mut bits = self.random.next_u64();
            for _ in 0..4 {
                let product = (bits & 0xffff) as u32 * rows;
                bits >>= 16;
                if product & 0xffff >= biased && left > 0 {
                    self.counts[self.kind_of_row[(product >> 16) as usize] as usize] += 1;
                    left -= 1;
                }
            }
        }
    }

    /// The same, adding up every row at once. Four sums side by side do not wait for each other.
    fn draw_narrow_rows<const WIDTH: usize>(&mut self, totals: &mut [f64]) {
        let (kinds, _) = self.kinds.as_chunks::<WIDTH>();
        let kind_of_row = self.kind_of_row.as_slice();
        let rows = self.rows as u32;
        let biased = (1 << 16) % rows;
        let mut sums = [[0.0; WIDTH]; 4];
        let mut left = self.rows;
        while left > 0 {
            let mut bits = self.random.next_u64();
            for sum in &mut sums {
                let product = (bits & 0xffff) as u32 * rows;
                bits >>= 16;
                if product & 0xffff >= biased && left > 0 {
                    let kind = &kinds[kind_of_row[(product >> 16) as usize] as usize];
                    for (sum, value) in sum.iter_mut().zip(kind) {
                        *sum += value;
                    }
                    left -= 1;
                }
            }
        }
        for (column, total) in totals.iter_mut().enumerate() {
            *total = sums.iter().map(|sum| sum[column]).sum();
        }
    }

    /// Row by row by 64-bit numbers, whose bias is below one in 10^12.
    fn draw_many_rows(&mut self) {
        self.counts.fill(0);
        for _ in 0..self.rows {
            let row = (u128::from(self.random.next_u64()) * self.rows as u128) >> 64;
            self.counts[self.kind_of_row[row as usize] as usize] += 1;
        }
    }
}

fn add(totals: &mut [f64], row: &[f64], times: f64) {
    for (total, value) in totals.iter_mut().zip(row) {
        *total += value * times;
    }
}

/// A uniform number in (0, 1).
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// A binomial variable.
fn binomial(random: &mut ChaCha8Rng, n: u64, p: f64) -> u64 {
    if n == 0 || p <= 0.0 {
        0
    } else if p >= 1.0 {
        n
    } else if p > 0.5 {
        n - binomial(random, n, 1.0 - p)
    } else if n as f64 * p < 10.0 {
        binomial_by_inversion(random, n, p)
    } else {
        binomial_by_rejection(random, n as f64, p) as u64
    }
}

/// By summing probabilities until they pass a uniform number.
fn binomial_by_inversion(random: &mut ChaCha8Rng, n: u64, p: f64) -> u64 {
    let odds = p / (1.0 - p);
    let mut left = uniform(random);
    let mut probability = (n as f64 * (-p).ln_1p()).exp();
    let mut k = 0;
    while left > probability && k < n {
        left -= probability;
        k += 1;
        probability *= odds * (n - k + 1) as f64 / k as f64;
    }
    k
}

/// By transformed rejection with squeeze (Hormann 1993, BTRS).
fn binomial_by_rejection(random: &mut ChaCha8Rng, n: f64, p: f64) -> f64 {
    let deviation = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let centre = n * p + 0.5;
    let squeeze = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * deviation;
    let odds = p / (1.0 - p);
    let mode = ((n + 1.0) * p).floor();
    loop {
        let u = uniform(random) - 0.5;
        let v = uniform(random);
        let edge = 0.5 - u.abs();
        let k = ((2.0 * a / edge + b) * u + centre).floor();
        if edge >= 0.07 && v <= squeeze {
            return k;
        }
        if k < 0.0 || k > n {
            continue;
        }
        let height = (v * alpha / (a / (edge * edge) + b)).ln();
        let bound = (mode + 0.5) * ((mode + 1.0) / (odds * (n - mode + 1.0))).ln()
            + (n + 1.0) * ((n - mode + 1.0) / (n - k + 1.0)).ln()
            + (k + 0.5) * (odds * (n - k + 1.0) / (k + 1.0)).ln()
            + stirling_rest(mode)
            + stirling_rest(n - mode)
            - stirling_rest(k)
            - stirling_rest(n - k);
        if height <= bound {
            return k;
        }
    }
}

/// ln k! less Stirling's formula at k + 1: (k + 1/2) ln (k + 1) - (k + 1) + ln (2 pi) / 2.
fn stirling_rest(k: f64) -> f64 {
    let next = k + 1.0;
    if k < 10.0 {
        let formula = (k + 0.5) * next.ln() - next + 0.5 * (2.0 * std::f64::consts::PI).ln();
        return statrs::function::factorial::ln_factorial(k as u64) - formula;
    }
    let square = next * next;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / next
}

#[cfg(test)]
mod tests {
    use super::super::distribution::{binomial_exactly, chi_square_above};
    use super::*;

    #[test]
    fn binomial_variables_have_their_distribution() {
        for (n, p) in [(30, 0.1), (30, 0.5), (200, 0.3), (8000, 0.79), (40, 0.9)] {
            let mut random = ChaCha8Rng::seed_from_u64(11);
            let draws = 20_000;
            let mut seen = vec![0.0; n as usize + 1];
            for _ in 0..draws {
                seen[binomial(&mut random, n, p) as usize] += 1.0;
            }
            // Neighbouring outcomes are joined until each group expects at least ten.
            let (mut statistic, mut groups, mut expected, mut found) = (0.0, 0.0, 0.0, 0.0);
            for k in 0..=n {
                expected += f64::from(draws) * binomial_exactly(k, n, p);
                found += seen[k as usize];
                if expected >= 10.0 || k == n {
                    statistic += (found - expected) * (found - expected) / f64::max(expected, 1e-9);
                    groups += 1.0;
                    (expected, found) = (0.0, 0.0);
                }
            }
            assert!(
                chi_square_above(statistic, groups - 1.0) > 1e-3,
                "{n} {p}: {statistic} in {groups}"
            );
        }
    }

    #[test]
    fn every_way_of_drawing_draws_as_many_rows_as_there_are() {
        let few: Vec<Vec<f64>> = (0..500).map(|row| vec![1.0, f64::from(row % 3)]).collect();
        let all: Vec<Vec<f64>> = (0..500).map(|row| vec![1.0, f64::from(row)]).collect();
        for rows in [few, all] {
            let mut resampler = Resampler::new(&rows, 3);
            let expected = resampler.totals()[1];
            let (mut totals, mut sum) = ([0.0; 2], 0.0);
            for _ in 0..2000 {
                resampler.draw(&mut totals);
                assert_eq!(totals[0], 500.0);
                sum += totals[1];
            }
            // The mean over resamples is the total; its relative error is some 0.1%.
            assert!((sum / 2000.0 / expected - 1.0).abs() < 0.01, "{sum}");
        }
        let mut many = Resampler::new(&vec![vec![1.0]; 70_000], 3);
        many.draw_many_rows();
        assert_eq!(many.counts, [70_000]);
    }
}
