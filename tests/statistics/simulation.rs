//! What has no reference vectors is held to what it claims: intervals cover, tests keep their level and find what is
//! planted. Seeds are fixed, so that a run that passes passes again; bounds are three or more standard deviations wide.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tabjury::stats::binary::Confusion;
use tabjury::stats::bootstrap::{Resampling, bootstrap_mean};
use tabjury::stats::bradley_terry::davidson;
use tabjury::stats::discrimination::auroc;
use tabjury::stats::fleiss::fleiss_kappa;
use tabjury::stats::friedman::friedman;
use tabjury::stats::gwet::ac1;
use tabjury::stats::krippendorff::{Measurement, krippendorff_alpha};
use tabjury::stats::order::{OrderEffect, ShownRanking, order_effect};
use tabjury::stats::paired::{mcnemar_chi_square, paired_difference};
use tabjury::stats::power::{
    Discordance, friedman_power, kendall_w_of_mean_ranks, mcnemar_samples, signed_rank_samples,
};
use tabjury::stats::prediction_powered::{
    prediction_powered_difference, prediction_powered_mean, prediction_powered_ranks,
};
use tabjury::stats::signal_detection::signal_detection;
use tabjury::stats::signed_rank::{Method, Zeros, signed_rank};
use tabjury::stats::within::{Scale, within_correlation};

use super::*;

struct Chance(ChaCha8Rng);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// In (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn happens(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, (self.uniform() * (last + 1) as f64) as usize);
        }
    }
}

fn as_number(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn holds(interval: &Interval, value: f64) -> f64 {
    as_number(interval.low <= value && value <= interval.high)
}

/// The mean over runs of what one run gives.
fn mean_of(runs: u32, mut run: impl FnMut() -> f64) -> f64 {
    (0..runs).map(|_| run()).sum::<f64>() / f64::from(runs)
}

#[track_caller]
fn assert_within(found: f64, low: f64, high: f64, what: &str) {
    assert!(
        (low..=high).contains(&found),
        "{what}: {found}, expected {low} to {high}"
    );
}

/// Rankings of items by strength plus what position adds plus noise, two a sample in orders of chance.
fn rankings(chance: &mut Chance, samples: usize, strengths: &[f64], by_position: &[f64]) -> Vec<ShownRanking> {
    let mut found = Vec::new();
    for sample in 0..samples {
        // What one sample has of its own makes its rankings alike.
        let own: Vec<f64> = strengths.iter().map(|_| chance.normal()).collect();
        for _ in 0..2 {
            let mut order: Vec<usize> = (0..strengths.len()).collect();
            chance.shuffle(&mut order);
            let utilities: Vec<f64> = order
                .iter()
                .zip(by_position)
                .map(|(item, added)| strengths[*item] + own[*item] + added - (-chance.uniform().ln()).ln())
                .collect();
            let rank = |utility: f64| 1.0 + utilities.iter().filter(|other| **other > utility).count() as f64;
            let shown = order
                .iter()
                .zip(&utilities)
                .map(|(item, utility)| (*item, rank(*utility)));
            found.push(ShownRanking {
                sample,
                shown: shown.collect(),
            });
        }
    }
    found
}

#[test]
fn order_effects_are_found_and_not_invented() {
    let mut chance = Chance::new(1);
    let strengths = [2.0, 0.5, 0.0, -1.0];
    let of = |chance: &mut Chance, by_position: [f64; 4]| -> OrderEffect {
        order_effect(&rankings(chance, 40, &strengths, &by_position), 4).unwrap()
    };
    let level = mean_of(250, || as_number(of(&mut chance, [0.0; 4]).test.p <= 0.05));
    assert_within(level, 0.012, 0.092, "level of the order test");
    let power = mean_of(20, || as_number(of(&mut chance, [1.0, 0.0, 0.0, -0.5]).test.p <= 0.05));
    assert!(power > 0.9, "{power}");
    // What a sample has of its own makes log odds smaller than the ones planted, but orders them.
    let found = of(&mut chance, [1.0, 0.0, 0.0, -1.0]);
    let log_odds = found.position_log_odds.unwrap();
    assert!(log_odds[0] > 0.3 && log_odds[3] < -0.3, "{log_odds:?}");
    assert!(found.mean_ranks[0] < found.mean_ranks[3]);
    println!("order effect: level {level}, power {power}");
}

#[test]
fn a_judge_who_follows_position_is_found_by_varied_orders_alone() {
    let mut chance = Chance::new(2);
    let mut shown_as_ranked = rankings(&mut chance, 60, &[0.0; 3], &[100.0, 50.0, 0.0]);
    let found = order_effect(&shown_as_ranked, 3).unwrap();
    assert!(found.test.p < 1e-9, "{found:?}");
    assert!(found.position_log_odds.is_err());
    assert_eq!(
        found.mean_ranks.iter().map(|rank| rank.round()).collect::<Vec<f64>>(),
        [1.0, 2.0, 3.0]
    );
    for ranking in &mut shown_as_ranked {
        for (position, shown) in ranking.shown.iter_mut().enumerate() {
            shown.0 = position;
        }
    }
    let fixed = order_effect(&shown_as_ranked, 3).unwrap_err();
    assert!(fixed.reason.contains("told apart"), "{fixed}");
    // Ties all over say nothing.
    for shown in shown_as_ranked.iter_mut().flat_map(|ranking| &mut ranking.shown) {
        shown.1 = 1.0;
    }
    assert!(order_effect(&shown_as_ranked, 3).is_err());
    assert!(
        order_effect(&shown_as_ranked[..4], 3)
            .unwrap_err()
            .reason
            .contains("too few")
    );
    assert!(order_effect(&shown_as_ranked, 2).is_err());
    assert!(order_effect(&[], 2).is_err());
}

/// Every sample in all these orders: the same content always, but for rankings that are of chance.
fn nearly_always_alike(chance: &mut Chance, samples: usize, orders: &[[usize; 4]], astray: f64) -> Vec<ShownRanking> {
    let mut found = Vec::new();
    for sample in 0..samples {
        for shown in orders {
            let mut rank_of = [1, 2, 3, 4];
            if chance.happens(astray) {
                chance.shuffle(&mut rank_of);
            }
            found.push(ShownRanking {
                sample,
                shown: shown.iter().map(|item| (*item, f64::from(rank_of[*item]))).collect(),
            });
        }
    }
    found
}

#[test]
fn a_judge_that_ranks_nearly_always_alike_is_not_said_to_follow_position() {
    // A variance over samples alone is said to find effects in half of these, since nearly all samples have one score.
    let square = [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]];
    let mut chance = Chance::new(12);
    for (samples, astray) in [(12, 0.02), (12, 0.06), (20, 0.02), (40, 0.1)] {
        let level = mean_of(200, || {
            let rankings = nearly_always_alike(&mut chance, samples, &square, astray);
            as_number(order_effect(&rankings, 4).unwrap().test.p <= 0.05)
        });
        println!("order effect, {samples} samples, {astray} astray: level {level}");
        assert_within(level, 0.0, 0.085, "level of the order test");
    }
}

#[test]
fn a_judge_who_follows_position_in_every_sample_alike_is_found() {
    let square = [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]];
    for samples in [8, 12, 20, 60] {
        // Always as shown, always turned around, and as shown in every other sample, else by content.
        for judge in 0..3 {
            let rankings: Vec<ShownRanking> = (0..samples)
                .flat_map(|sample| {
                    square.map(|shown| ShownRanking {
                        sample,
                        shown: (0..4)
                            .map(|place| {
                                let rank = match judge {
                                    0 => place + 1,
                                    1 => 4 - place,
                                    _ if sample % 2 == 0 => place + 1,
                                    _ => shown[place] + 1,
                                };
                                (shown[place], rank as f64)
                            })
                            .collect(),
                    })
                })
                .collect();
            let p = order_effect(&rankings, 4).unwrap().test.p;
            assert!(p < 0.05, "{samples} samples, judge {judge}: {p}");
            assert!(samples < 20 || p < 0.001, "{samples} samples, judge {judge}: {p}");
        }
    }
}

#[test]
fn prediction_powered_intervals_cover_and_are_narrower_for_a_good_model() {
    let mut chance = Chance::new(3);
    for (agreement, narrower) in [(0.95, true), (0.5, false)] {
        let (mut covered, mut width, mut alone) = (0.0, 0.0, 0.0);
        let runs = 1000;
        for _ in 0..runs {
            let mut draw = |count: usize| -> (Vec<f64>, Vec<f64>) {
                (0..count)
                    .map(|_| {
                        let right = chance.happens(0.7);
                        let said = if chance.happens(agreement) { right } else { !right };
                        (as_number(right), as_number(said))
                    })
                    .unzip()
            };
            let (human, model) = draw(60);
            let (_, elsewhere) = draw(600);
            let found = prediction_powered_mean(&human, &model, &elsewhere, 0.95).unwrap();
            covered += holds(&found.interval, 0.7);
            width += found.interval.high - found.interval.low;
            let human_only = found.human_only_interval.unwrap();
            alone += human_only.high - human_only.low;
        }
        let coverage = covered / f64::from(runs);
        println!(
            "prediction-powered mean, agreement {agreement}: coverage {coverage}, width {}",
            width / alone
        );
        assert_within(coverage, 0.925, 0.975, "coverage");
        assert_eq!(width < 0.75 * alone, narrower, "{width} {alone}");
        assert_eq!(width > 0.98 * alone, !narrower, "{width} {alone}");
    }
}

#[test]
fn prediction_powered_differences_and_ranks_cover() {
    let mut chance = Chance::new(4);
    let (mut difference, mut ranks) = (0.0, 0.0);
    let runs = 800;
    for _ in 0..runs {
        // Three arms of different merit; people and the model see the merit with errors of their own.
        let mut draw = |count: usize| -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
            (0..count)
                .map(|_| {
                    let merit: Vec<f64> = [0.0, 0.5, 1.5].iter().map(|base| base + chance.normal()).collect();
                    let mut ranked = |noise: f64| -> Vec<f64> {
                        let seen: Vec<f64> = merit.iter().map(|value| value + noise * chance.normal()).collect();
                        let above = |value: f64| seen.iter().filter(|other| **other > value).count();
                        seen.iter().map(|value| 1.0 + above(*value) as f64).collect()
                    };
                    (ranked(0.5), ranked(0.8))
                })
                .unzip()
        };
        let (human, model) = draw(50);
        let (_, elsewhere) = draw(500);
        let found = prediction_powered_ranks(&human, &model, &elsewhere, 0.95).unwrap();
        // The true mean rank of the first: 1 + P(second above) + P(third above), of differences with variance 2.5.
        let above = |gap: f64| 1.0 - tabjury::stats::distribution::normal_above(gap / 2.5_f64.sqrt());
        ranks += holds(&found[0].as_ref().unwrap().interval, 1.0 + above(0.5) + above(1.5));
        let arm = |rows: &[Vec<f64>], arm: usize| -> Vec<f64> { rows.iter().map(|row| row[arm]).collect() };
        let (a, b) = (arm(&human, 2), arm(&human, 0));
        let (c, d) = (arm(&model, 2), arm(&model, 0));
        let (e, f) = (arm(&elsewhere, 2), arm(&elsewhere, 0));
        let found = prediction_powered_difference((&a, &b), (&c, &d), (&e, &f), 0.95).unwrap();
        let third = 1.0 + above(-1.5) + above(-1.0);
        difference += holds(&found.interval, third - 1.0 - above(0.5) - above(1.5));
    }
    assert_within(ranks / f64::from(runs), 0.92, 0.98, "coverage of mean ranks");
    assert_within(difference / f64::from(runs), 0.92, 0.98, "coverage of a difference");
}

#[test]
fn studies_of_the_planned_size_have_the_planned_power() {
    let mut chance = Chance::new(5);
    let effect = Discordance {
        first_only: 0.2,
        second_only: 0.08,
    };
    let samples = mcnemar_samples(effect, 0.05, 0.8).unwrap();
    let mcnemar = mean_of(1500, || {
        let (mut first, mut second) = (0, 0);
        for _ in 0..samples {
            let at = chance.uniform();
            first += u64::from(at < 0.2);
            second += u64::from((0.2..0.28).contains(&at));
        }
        as_number(mcnemar_chi_square(first, second, false).p <= 0.05)
    });
    assert_within(mcnemar, 0.76, 0.84, "McNemar's power");

    // Normal differences of mean m: the sum of two is positive with probability Phi(m sqrt(2)).
    let shift = 0.4_f64;
    let positive = 1.0 - tabjury::stats::distribution::normal_above(shift * 2.0_f64.sqrt());
    let pairs = signed_rank_samples(positive, 0.05, 0.8).unwrap();
    let wilcoxon = mean_of(1000, || {
        let differences: Vec<f64> = (0..pairs).map(|_| shift + chance.normal()).collect();
        let none = vec![0.0; differences.len()];
        let method = Method::Normal { continuity: false };
        let test = signed_rank(&differences, &none, Zeros::Drop, method, Alternative::TwoSided);
        as_number(test.unwrap().p <= 0.05)
    });
    assert_within(wilcoxon, 0.76, 0.88, "Wilcoxon's power");

    let strengths = [0.35, 0.0, 0.0, -0.2];
    let draw = |chance: &mut Chance| -> Vec<f64> { strengths.iter().map(|mean| mean + chance.normal()).collect() };
    let many: Vec<Vec<f64>> = (0..30_000).map(|_| draw(&mut chance)).collect();
    let w = kendall_w_of_mean_ranks(&friedman(&many).unwrap().mean_ranks).unwrap();
    let planned = friedman_power(100, 4, w, 0.05).unwrap();
    let found = mean_of(1000, || {
        let values: Vec<Vec<f64>> = (0..100).map(|_| draw(&mut chance)).collect();
        as_number(friedman(&values).unwrap().test.p <= 0.05)
    });
    println!("power: McNemar {mcnemar}, Wilcoxon {wilcoxon}, Friedman {found}, planned {planned}");
    assert_within(found, planned - 0.05, planned + 0.05, "Friedman's power");
}

#[test]
fn intervals_of_agreement_cover() {
    // Three judges see a truth of two equally common values and err with probability 0.15 each: every two agree with
    // probability 0.745, by chance 0.5, so that all coefficients are 0.49.
    let mut chance = Chance::new(6);
    let truth = 2.0 * (0.85 * 0.85 + 0.15 * 0.15) - 1.0;
    let mut covered = [0.0; 3];
    let runs = 700;
    for _ in 0..runs {
        let mut judges = vec![Vec::new(); 3];
        let mut counts = Vec::new();
        for _ in 0..60 {
            let value = chance.happens(0.5);
            let mut row = vec![0, 0];
            for judge in &mut judges {
                let said = value != chance.happens(0.15);
                judge.push(Some(as_number(said)));
                row[usize::from(said)] += 1;
            }
            counts.push(row);
        }
        for (covered, found) in covered.iter_mut().zip([
            fleiss_kappa(&counts, 0.95),
            ac1(&counts, 0.95),
            krippendorff_alpha(&judges, Measurement::Nominal, 0.95),
        ]) {
            *covered += holds(&found.unwrap().interval.unwrap(), truth);
        }
    }
    println!("agreement: {covered:?} of {runs} cover");
    for covered in covered {
        assert_within(covered / f64::from(runs), 0.92, 0.98, "coverage of agreement");
    }
}

#[test]
fn intervals_of_judges_cover() {
    let mut chance = Chance::new(7);
    let (mut d_prime, mut area, mut paired) = (0.0, 0.0, 0.0);
    let runs = 600;
    for _ in 0..runs {
        // Scores of right answers lie 1 above those of wrong ones; above 0.8 the judge says right.
        let right: Vec<bool> = (0..160).map(|_| chance.happens(0.6)).collect();
        let scores: Vec<f64> = right.iter().map(|right| as_number(*right) + chance.normal()).collect();
        let count = |right_is: bool, said_is: bool| {
            let both = right.iter().zip(&scores);
            both.filter(|(right, score)| **right == right_is && (**score > 0.8) == said_is)
                .count() as u64
        };
        let counts = Confusion {
            true_positive: count(true, true),
            false_positive: count(false, true),
            true_negative: count(false, false),
            false_negative: count(true, false),
        };
        d_prime += holds(&signal_detection(&counts, 0.95).unwrap().d_prime_interval, 1.0);
        let truth = 1.0 - tabjury::stats::distribution::normal_above(0.5_f64.sqrt());
        area += holds(&auroc(&scores, &right, 0.95).unwrap().interval.unwrap(), truth);

        // Both right 0.5, the first alone 0.2, the second alone 0.1.
        let mut cells = [0; 4];
        for _ in 0..80 {
            let at = chance.uniform();
            cells[if at < 0.5 {
                0
            } else if at < 0.7 {
                1
            } else if at < 0.8 {
                2
            } else {
                3
            }] += 1;
        }
        let found = paired_difference(cells[0], cells[1], cells[2], cells[3], 0.95).unwrap();
        paired += holds(&found.interval, 0.1);
    }
    println!("d' {d_prime}, AUROC {area}, paired difference {paired} of {runs} cover");
    for (covered, what) in [(d_prime, "d'"), (area, "AUROC"), (paired, "a paired difference")] {
        assert_within(covered / f64::from(runs), 0.92, 0.985, what);
    }
}

#[test]
fn bootstrap_intervals_over_samples_cover() {
    let mut chance = Chance::new(8);
    let (mut percentile, mut bca) = (0.0, 0.0);
    let runs = 200;
    for run in 0..runs {
        // Judgments of one sample are alike: each sample has a probability of its own, 0.6 on average.
        let samples: Vec<Vec<f64>> = (0..60)
            .map(|_| {
                let p = if chance.happens(0.5) { 0.9 } else { 0.3 };
                (0..4).map(|_| as_number(chance.happens(p))).collect()
            })
            .collect();
        let resampling = Resampling {
            resamples: 600,
            seed: run,
            level: 0.95,
        };
        let found = bootstrap_mean(&samples, resampling).unwrap();
        percentile += holds(&found.percentile.unwrap(), 0.6);
        bca += holds(&found.bca.unwrap(), 0.6);
    }
    println!("bootstrap over samples: percentile {percentile}, BCa {bca} of {runs} cover");
    for covered in [percentile, bca] {
        assert_within(covered / runs as f64, 0.89, 0.99, "coverage");
    }
}

#[test]
fn strengths_with_ties_cover() {
    let mut chance = Chance::new(9);
    let strengths = [0.6, 0.1, -0.7_f64];
    let nu = 0.8;
    let mut covered = 0.0;
    let runs = 400;
    for _ in 0..runs {
        let mut wins = vec![vec![0.0; 3]; 3];
        let mut ties = vec![vec![0.0; 3]; 3];
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            for _ in 0..60 {
                let (first, second) = (strengths[i].exp(), strengths[j].exp());
                let tie = nu * (first * second).sqrt();
                let at = chance.uniform() * (first + second + tie);
                if at < first {
                    wins[i][j] += 1.0;
                } else if at < first + second {
                    wins[j][i] += 1.0;
                } else {
                    ties[i][j] += 1.0;
                    ties[j][i] += 1.0;
                }
            }
        }
        let (difference, error) = davidson(&wins, &ties, 0.0).unwrap().difference(0, 2);
        covered += as_number((difference - 1.3).abs() <= 1.96 * error);
    }
    assert_within(covered / f64::from(runs), 0.92, 0.98, "coverage of strengths");
}

#[test]
fn length_preference_is_found_and_not_invented() {
    let mut chance = Chance::new(10);
    let of = |chance: &mut Chance, pull: f64| -> f64 {
        let samples: Vec<Vec<(f64, f64)>> = (0..40)
            .map(|_| {
                // Lengths of very different tables, and a rank that may follow the length.
                let table = 100.0 * chance.uniform();
                (0..4)
                    .map(|_| {
                        let length = chance.normal();
                        (table + length, pull * length + chance.normal())
                    })
                    .collect()
            })
            .collect();
        within_correlation(&samples, Scale::Ranks, 0.95).unwrap().p
    };
    let level = mean_of(500, || as_number(of(&mut chance, 0.0) <= 0.05));
    assert_within(level, 0.015, 0.085, "level");
    let power = mean_of(50, || as_number(of(&mut chance, 0.5) <= 0.05));
    assert!(power > 0.9, "{power}");
}
