//! Whether a judge's ranking follows the order in which things were shown.

use super::matrix::SymmetricMatrix;
use super::{ChiSquareTest, Stat, Undefined};

/// More are not ranked at once by anybody.
const MOST_ITEMS: usize = 200;
/// Holds the strengths of items that always win or lose at a finite value; too little to matter for others.
const RIDGE: f64 = 1e-3;
/// Positions whose log odds are further apart than this, odds of a thousand, are only held together by the ridge.
const LARGEST_LOG_ODDS: f64 = 7.0;

/// Less information than this on a position is less than a tenth of one ranking that could have turned out otherwise:
/// every ranking follows the items.
const LEAST_INFORMATION: f64 = 0.1;

/// Squared scores below this part of the information are rounding.
const NO_SCORE: f64 = 1e-12;

/// A variance over samples below this part of what it was before items were taken out says nothing.
const CONFOUNDED: f64 = 1e-6;
/// The same of the model's variance, of which the ridge is a part.
const CONFOUNDED_BY_MODEL: f64 = 1e-3;

/// One ranking of things in the order in which they were shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownRanking {
    /// The sample it is of; rankings of one sample are not independent.
    pub sample: usize,
    /// For every position, from the first: the item, 0-based, and its rank, 1 for the best; equal ranks are ties.
    pub shown: Vec<(usize, f64)>,
}

/// How much position matters.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderEffect {
    /// The test that position does not matter.
    pub test: ChiSquareTest,
    /// The log odds of being preferred that each position adds, with mean 0; undefined where position decides all.
    pub position_log_odds: Stat<Vec<f64>>,
    /// The mean rank of what was shown at each position.
    pub mean_ranks: Vec<f64>,
    /// Rankings and samples.
    pub rankings: usize,
    /// Samples, the independent units of the test.
    pub samples: usize,
}

/// Tests whether position matters by a rank-ordered logit with a term for every item and every position.
///
/// An item at a position is preferred with odds exp(item + position), stage by stage from the best rank on (Plackett 1975;
/// Beggs, Cardell and Hausman 1981), ties by Efron's (1977) approximation. The test is the score test of all position
/// terms against the fit without them, chi-square with one degree less than positions. It is done twice, with variances
/// taken over samples (Boos 1992) and with those of the model, and the test with the larger p is the one given: the first
/// knows that rankings of one sample are alike, but finds effects in chance where nearly all rankings agree, which the
/// second does not. Where all samples pull the same way, as with a judge that always repeats the order shown, the variance
/// over samples has a lower rank, its generalised inverse is taken, and its rank is the degrees of freedom. Against Mack and Skillings' test it also holds for incomplete rankings, for any design of orders and for
/// rankings of the same sample, and items of different strength do not blur it; it needs no fit with position, so that a
/// judge who follows positions always is no trouble. Where every ranking follows the items, whatever stands where, there is
/// no evidence of any effect: the statistic is 0 and p is 1.
///
/// All rankings show the same number of positions; `items` is the number of items. Undefined for fewer than two positions,
/// an unknown item, a rank that is not finite, fewer samples than twice the positions, where every item was always shown at
/// the same position, so that item and position cannot be told apart, and where positions vary but only together with the
/// items that stand there.
pub fn order_effect(rankings: &[ShownRanking], items: usize) -> Stat<OrderEffect> {
    let positions = rankings.first().map_or(0, |ranking| ranking.shown.len());
    checked(rankings, items, positions)?;
    let mut order: Vec<&ShownRanking> = rankings.iter().collect();
    order.sort_by_key(|ranking| ranking.sample);
    let samples = order.chunk_by(|a, b| a.sample == b.sample).count();
    if samples < 2 * positions {
        return Err(Undefined::because(format!(
            "{samples} samples are too few for {positions} positions"
        )));
    }
    let model = Model {
        rankings: &order,
        items,
        positions,
    };
    let mut at = vec![0.0; items + positions];
    model.maximise(&mut at, false)?;
    let test = model.score_test(&at)?;
    let mut full = at;
    let position_log_odds = model.maximise(&mut full, true).and_then(|()| {
        let log_odds = &full[items..];
        let mean = log_odds.iter().sum::<f64>() / positions as f64;
        let centred: Vec<f64> = log_odds.iter().map(|value| value - mean).collect();
        let most = centred.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = centred.iter().copied().fold(f64::INFINITY, f64::min);
        if most - least > LARGEST_LOG_ODDS {
            return Err(Undefined::because(
                "position decides all, so that its odds are infinite",
            ));
        }
        Ok(centred)
    });
    let mut mean_ranks = vec![0.0; positions];
    for ranking in rankings {
        for (sum, (_, rank)) in mean_ranks.iter_mut().zip(&ranking.shown) {
            *sum += rank / rankings.len() as f64;
        }
    }
    Ok(OrderEffect {
        test,
        position_log_odds,
        mean_ranks,
        rankings: rankings.len(),
        samples,
    })
}

fn checked(rankings: &[ShownRanking], items: usize, positions: usize) -> Stat<()> {
    if items > MOST_ITEMS || positions > MOST_ITEMS {
        return Err(Undefined::because(format!("more than {MOST_ITEMS} items or positions")));
    }
    if positions < 2 {
        return Err(Undefined::because("fewer than two positions, or no rankings"));
    }
    for ranking in rankings {
        if ranking.shown.len() != positions {
            return Err(Undefined::because("rankings show different numbers of positions"));
        }
        for (place, (item, rank)) in ranking.shown.iter().enumerate() {
            if ranking.shown[..place].iter().any(|(other, _)| other == item) {
                return Err(Undefined::because(format!("item {item} is shown twice in one ranking")));
            }
            if *item >= items {
                return Err(Undefined::because(format!("item {item} of {items}, counted from 0")));
            }
            if !rank.is_finite() {
                return Err(Undefined::because("a rank is not finite"));
            }
        }
    }
    Ok(())
}

/// Log-likelihood with its first two derivatives over items, then positions.
struct Slope {
    value: f64,
    gradient: Vec<f64>,
    curvature: SymmetricMatrix,
}

impl Slope {
    fn new(parameters: usize) -> Self {
        Self {
            value: 0.0,
            gradient: vec![0.0; parameters],
            curvature: SymmetricMatrix::new(parameters),
        }
    }
}

struct Model<'a> {
    /// In the order of samples.
    rankings: &'a [&'a ShownRanking],
    items: usize,
    positions: usize,
}

impl Model<'_> {
    /// Adds one ranking's part.
    fn add(&self, ranking: &ShownRanking, at: &[f64], slope: &mut Slope) {
        let features = |position: usize| (ranking.shown[position].0, self.items + position);
        let mut order: Vec<usize> = (0..self.positions).collect();
        order.sort_by(|&a, &b| ranking.shown[a].1.total_cmp(&ranking.shown[b].1));
        let utilities: Vec<f64> = (0..self.positions)
            .map(|position| at[features(position).0] + at[features(position).1])
            .collect();
        let highest = utilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = utilities.iter().map(|utility| (utility - highest).exp()).collect();
        let mut begin = 0;
        for group in order.chunk_by(|&a, &b| ranking.shown[a].1 == ranking.shown[b].1) {
            let left = &order[begin..];
            begin += group.len();
            // What is left when all of it ties says nothing.
            if group.len() == left.len() {
                break;
            }
            for &position in group {
                slope.value += utilities[position] - highest;
                slope.gradient[features(position).0] += 1.0;
                slope.gradient[features(position).1] += 1.0;
            }
            for tied in 0..group.len() {
                let taken = tied as f64 / group.len() as f64;
                let share_of = |place: usize| {
                    let kept = if place < group.len() { 1.0 - taken } else { 1.0 };
                    kept * weights[left[place]]
                };
                let whole: f64 = (0..left.len()).map(share_of).sum();
                slope.value -= whole.ln();
                let mut mean = vec![0.0; at.len()];
                for (place, &position) in left.iter().enumerate() {
                    let share = share_of(place) / whole;
                    let (item, shown) = features(position);
                    mean[item] += share;
                    mean[shown] += share;
                    slope.curvature.add(item, item, share);
                    slope.curvature.add(shown, shown, share);
                    slope.curvature.add(item, shown, share);
                }
                for (row, first) in mean.iter().enumerate() {
                    slope.gradient[row] -= first;
                    for (column, second) in mean[..=row].iter().enumerate() {
                        if first * second > 0.0 {
                            slope.curvature.add(row, column, -first * second);
                        }
                    }
                }
            }
        }
    }

    /// All rankings, drawn a little towards equality.
    fn slope(&self, at: &[f64]) -> Slope {
        let mut slope = Slope::new(at.len());
        for ranking in self.rankings {
            self.add(ranking, at, &mut slope);
        }
        for (place, value) in at.iter().enumerate() {
            slope.value -= RIDGE / 2.0 * value * value;
            slope.gradient[place] -= RIDGE * value;
            slope.curvature.add(place, place, RIDGE);
        }
        slope
    }

    /// Newton's method over the items, or over items and positions.
    fn maximise(&self, at: &mut [f64], with_positions: bool) -> Stat<()> {
        let free = if with_positions { at.len() } else { self.items };
        let mut slope = self.slope(at);
        for _ in 0..100 {
            let gradient = &slope.gradient[..free];
            if gradient
                .iter()
                .all(|value| value.abs() < 1e-9 * self.rankings.len() as f64)
            {
                return Ok(());
            }
            let Some(step) = slope.curvature.leading(free).solve(gradient) else {
                return Err(Undefined::because(
                    "the rankings do not determine the strengths of items",
                ));
            };
            let longest = step.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let mut scale = (5.0 / longest).min(1.0);
            loop {
                let mut next = at.to_vec();
                for (value, step) in next.iter_mut().zip(&step) {
                    *value += scale * step;
                }
                let next_slope = self.slope(&next);
                if next_slope.value >= slope.value || scale < 1e-6 {
                    at.copy_from_slice(&next);
                    slope = next_slope;
                    break;
                }
                scale /= 2.0;
            }
            if longest < 1e-12 {
                return Ok(());
            }
        }
        Err(Undefined::because("the strengths of items were not found"))
    }

    /// Whether some item is shown at different positions.
    fn varies_positions(&self) -> bool {
        let mut seen: Vec<Option<usize>> = vec![None; self.items];
        self.rankings.iter().any(|ranking| {
            let mut places = ranking.shown.iter().enumerate();
            places.any(|(place, (item, _))| *seen[*item].get_or_insert(place) != place)
        })
    }

    /// The score test of all positions at the fit without them. The last position is left out, which is fixed by the
    /// others.
    fn score_test(&self, at: &[f64]) -> Stat<ChiSquareTest> {
        let whole = self.slope(at);
        let tested = self.positions - 1;
        let information: f64 = (self.items..self.items + self.positions)
            .map(|position| whole.curvature.at(position, position) - RIDGE)
            .sum();
        if !self.varies_positions() {
            return Err(Undefined::because(
                "item and position cannot be told apart: vary the order in which items are shown",
            ));
        }
        if information < LEAST_INFORMATION * self.positions as f64 {
            // All that is left of such scores is what the ridge and rounding leave.
            return Ok(ChiSquareTest::of(0.0, tested));
        }
        let Some(inverse) = whole.curvature.leading(self.items).inverse() else {
            return Err(Undefined::because(
                "the rankings do not determine the strengths of items",
            ));
        };
        // What of a position's score the fitted items account for.
        let explained: Vec<Vec<f64>> = (0..tested)
            .map(|position| {
                let row: Vec<f64> = (0..self.items)
                    .map(|item| whole.curvature.at(self.items + position, item))
                    .collect();
                let weigh = |column: &Vec<f64>| row.iter().zip(column).map(|(a, b)| a * b).sum();
                inverse.iter().map(weigh).collect()
            })
            .collect();
        let mut score = vec![0.0; tested];
        let mut variance = SymmetricMatrix::new(tested);
        let mut raw = vec![0.0; tested];
        for sample in self.rankings.chunk_by(|a, b| a.sample == b.sample) {
            let mut part = Slope::new(at.len());
            for ranking in sample {
                self.add(ranking, at, &mut part);
            }
            let own: Vec<f64> = (0..tested)
                .map(|position| {
                    let by_items: f64 = explained[position].iter().zip(&part.gradient).map(|(a, b)| a * b).sum();
                    part.gradient[self.items + position] - by_items
                })
                .collect();
            for (row, value) in own.iter().enumerate() {
                score[row] += value;
                raw[row] += part.gradient[self.items + row].powi(2);
                for (column, other) in own[..=row].iter().enumerate() {
                    variance.add(row, column, value * other);
                }
            }
        }
        // A judge that ranks a sample alike in every order of a balanced design has no score at all on it; what is left is
        // rounding, and means nothing.
        if raw.iter().sum::<f64>() < NO_SCORE * information {
            return Ok(ChiSquareTest::of(0.0, tested));
        }
        let robust = quadratic_form(score.clone(), &variance, &raw, CONFOUNDED);
        if robust.freedom > 0 {
            let at = |row: usize, column: usize| whole.curvature.at(row, column);
            let mut expected = SymmetricMatrix::new(tested);
            for (row, weights) in explained.iter().enumerate() {
                for column in 0..=row {
                    let by_items: f64 = weights
                        .iter()
                        .enumerate()
                        .map(|(item, weight)| weight * at(item, self.items + column))
                        .sum();
                    expected.add(row, column, at(self.items + row, self.items + column) - by_items);
                }
            }
            let before: Vec<f64> = (self.items..self.items + tested).map(|row| at(row, row)).collect();
            let of_model = quadratic_form(score, &expected, &before, CONFOUNDED_BY_MODEL);
            // The less convincing of both.
            return Ok(if of_model.freedom > 0 && of_model.p > robust.p {
                of_model
            } else {
                robust
            });
        }
        Err(Undefined::because(
            "what places do cannot be told from what items do in the orders shown, although places vary",
        ))
    }
}

/// The test of s' V^- s with the rank of V as degrees of freedom; s lies in what V spans, so that every generalised inverse
/// gives the same. By elimination, the largest variance left first; a variance below `least` of `raw`, what it was before
/// the items were taken out, is rounding. V over samples has less than full rank where all samples pull the same way, as
/// for a judge that repeats the order shown in every sample.
fn quadratic_form(mut score: Vec<f64>, variance: &SymmetricMatrix, raw: &[f64], least: f64) -> ChiSquareTest {
    let size = score.len();
    let mut left: Vec<Vec<f64>> = (0..size)
        .map(|row| {
            (0..size)
                .map(|column| variance.at(row.max(column), row.min(column)))
                .collect()
        })
        .collect();
    let mut open: Vec<usize> = (0..size).filter(|row| raw[*row] > 0.0).collect();
    let (mut value, mut rank) = (0.0, 0);
    loop {
        let part = |row: &usize| left[*row][*row] / raw[*row];
        let largest = open
            .iter()
            .copied()
            .max_by(|one, other| part(one).total_cmp(&part(other)));
        let Some(pivot) = largest.filter(|row| part(row) > least) else {
            break;
        };
        open.retain(|row| *row != pivot);
        let (row, of_score) = (left[pivot].clone(), score[pivot]);
        value += of_score * of_score / row[pivot];
        rank += 1;
        for &other in &open {
            let share = row[other] / row[pivot];
            score[other] -= share * of_score;
            for &column in &open {
                left[other][column] -= share * row[column];
            }
        }
    }
    if rank == 0 {
        // Nothing can be tested, and there is no distribution without a degree of freedom.
        return ChiSquareTest {
            statistic: 0.0,
            freedom: 0,
            p: 1.0,
        };
    }
    ChiSquareTest::of(value, rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn always_ranked(orders: &[[usize; 3]], samples: usize) -> Vec<ShownRanking> {
        (0..samples)
            .flat_map(|sample| {
                orders.iter().map(move |shown| ShownRanking {
                    sample,
                    shown: shown.iter().map(|item| (*item, *item as f64 + 1.0)).collect(),
                })
            })
            .collect()
    }

    #[test]
    fn a_judge_that_ranks_a_sample_alike_in_every_order_follows_no_place() {
        // Samples differ in what comes first, and in none does it matter what stands where.
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let favourite = |sample: usize| match sample {
            0 => [3.0, 1.0, 2.0],
            1 | 2 => [1.0, 2.0, 3.0],
            _ => [1.0, 3.0, 2.0],
        };
        for (samples, orders) in [(16, &orders[..]), (100, &orders[..])] {
            let rankings: Vec<ShownRanking> = (0..samples)
                .flat_map(|sample| {
                    orders.iter().map(move |shown| ShownRanking {
                        sample,
                        shown: shown.iter().map(|item| (*item, favourite(sample)[*item])).collect(),
                    })
                })
                .collect();
            let found = order_effect(&rankings, 3).unwrap();
            assert_eq!((found.test.statistic, found.test.p), (0.0, 1.0), "{samples}");
        }
    }

    #[test]
    fn rankings_that_follow_the_items_are_no_evidence() {
        let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for samples in [6, 16, 200] {
            for orders in [&orders[..3], &orders] {
                let found = order_effect(&always_ranked(orders, samples), 3).unwrap();
                assert_eq!((found.test.statistic, found.test.p), (0.0, 1.0), "{samples}");
            }
        }
        // Where every item always stands at its own position nothing can be told.
        let fixed = order_effect(&always_ranked(&orders[..1], 16), 3);
        assert!(fixed.unwrap_err().reason.contains("cannot be told apart"));
    }

    /// Every sample in all these orders, ranked as `rank` says of sample, place and item.
    fn ranked(orders: &[Vec<usize>], samples: usize, rank: impl Fn(usize, usize, usize) -> usize) -> Vec<ShownRanking> {
        let mut rankings = Vec::new();
        for sample in 0..samples {
            for order in orders {
                let places = order.iter().enumerate();
                rankings.push(ShownRanking {
                    sample,
                    shown: places
                        .map(|(place, item)| (*item, rank(sample, place, *item) as f64))
                        .collect(),
                });
            }
        }
        rankings
    }

    #[test]
    fn a_judge_that_always_repeats_the_order_shown_is_found() {
        let all_orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map(|order| order.to_vec());
        let square = [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]].map(|order| order.to_vec());
        for (orders, items, samples, most) in [
            (&all_orders[..], 3, 60, 1e-9),
            (&square[..], 4, 8, 0.01),
            (&square[..], 4, 12, 0.001),
            (&square[..], 4, 20, 1e-4),
        ] {
            // Every sample has the same score, so that its variance has rank 1, and chi-square is the number of samples.
            for turned in [false, true] {
                let rankings = ranked(
                    orders,
                    samples,
                    |_, place, _| if turned { items - place } else { place + 1 },
                );
                let found = order_effect(&rankings, items).unwrap();
                assert_eq!(found.test.freedom, 1);
                assert!((found.test.statistic - samples as f64).abs() < 1e-6, "{:?}", found.test);
                assert!(found.test.p < most, "{items} {samples} {:?}", found.test);
                assert!(found.position_log_odds.is_err());
            }
            // Half of the samples by content: those have no score.
            let half = ranked(
                orders,
                samples,
                |sample, place, item| if sample % 2 == 0 { place } else { item } + 1,
            );
            let found = order_effect(&half, items).unwrap();
            assert!(
                found.test.p < 0.05 && found.test.statistic > 0.99 * samples as f64 / 2.0,
                "{:?}",
                found.test
            );
        }
    }

    #[test]
    fn where_positions_vary_that_is_not_the_reason() {
        // The first two change places and the third never does: the first two places can still be tested.
        let orders = [vec![0, 1, 2], vec![1, 0, 2]];
        let found = order_effect(&ranked(&orders, 12, |_, place, _| place + 1), 3).unwrap();
        assert!(found.test.p < 0.001 && found.test.freedom == 1, "{:?}", found.test);
        // 0 always before 1 and 1 always before 2: places vary, but no item can tell what a place does.
        let rankings: Vec<ShownRanking> = (0..24)
            .map(|sample| {
                let first = sample % 2;
                let won = f64::from(u8::from(sample % 3 == 0));
                ShownRanking {
                    sample,
                    shown: vec![(first, 1.0 + won), (first + 1, 2.0 - won)],
                }
            })
            .collect();
        let reason = order_effect(&rankings, 3).unwrap_err().reason;
        assert!(reason.contains("although places vary"), "{reason}");
    }
}
