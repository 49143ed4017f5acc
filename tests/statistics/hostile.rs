//! Any input gives a value or a reason: nothing panics, and no value is NaN or infinite.

use std::fmt::Debug;

use proptest::prelude::*;
use tabjury::stats::agreement::{Weights, cohen_kappa, percent_agreement};
use tabjury::stats::binary::{Confusion, accuracy, balanced_accuracy, matthews_correlation};
use tabjury::stats::bootstrap::{Resampling, basic_interval, bca_interval, bootstrap_mean};
use tabjury::stats::bradley_terry::{bradley_terry, davidson, separation};
use tabjury::stats::calibration::calibration;
use tabjury::stats::cochran::cochran_q;
use tabjury::stats::discrimination::auroc;
use tabjury::stats::fleiss::{fleiss_kappa, free_marginal_kappa};
use tabjury::stats::friedman::{critical_difference, friedman, nemenyi};
use tabjury::stats::gwet::ac1;
use tabjury::stats::kendall::{Method, kendall_p, tau_c};
use tabjury::stats::krippendorff::{Measurement, krippendorff_alpha};
use tabjury::stats::multiple::{Correction, corrected};
use tabjury::stats::order::{ShownRanking, order_effect};
use tabjury::stats::paired::{mcnemar_chi_square, mcnemar_exact, paired_difference};
use tabjury::stats::power::{
    detectable_difference, discordance, friedman_power, kendall_w_of_mean_ranks, mcnemar_samples, signed_rank_power,
};
use tabjury::stats::prediction_powered::{prediction_powered_mean, prediction_powered_ranks};
use tabjury::stats::quantile::{Definition, quantile};
use tabjury::stats::signal_detection::signal_detection;
use tabjury::stats::signed_rank::{Method as SignedRankMethod, Zeros, signed_rank};
use tabjury::stats::within::{Scale, within_correlation};

use super::*;

/// A value without NaN or infinity, or a reason. Reasons of parts may name what was wrong.
#[track_caller]
fn sound<T: Debug>(found: Stat<T>) {
    if let Ok(value) = found {
        let text = format!("{value:?}");
        let plain = text.split("Undefined").next().unwrap_or_default();
        let mut words = plain.split(|letter: char| !letter.is_alphanumeric());
        assert!(words.all(|word| word != "NaN" && word != "inf"), "{text}");
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -3.0_f64..3.0,
        4 => (-2_i8..4).prop_map(f64::from),
        1 => prop::sample::select(vec![
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN_POSITIVE,
            1e-320,
            -0.0,
            1e200,
            -1e155,
        ]),
    ]
}

fn numbers_up_to(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(any_number(), 0..most)
}

fn matrices() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let ragged = prop::collection::vec(numbers_up_to(5), 0..6);
    let even =
        (1_usize..5).prop_flat_map(|width| prop::collection::vec(prop::collection::vec(any_number(), width), 0..8));
    prop_oneof![ragged, even]
}

fn counts() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0_u64..20, 1 => Just(u64::MAX), 1 => Just(1_u64 << 53)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn of_two_columns(x in numbers_up_to(12), y in numbers_up_to(12), level in any_number()) {
        for level in [level, 0.95] {
            let pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            sound(pearson(&x, &y, level));
            sound(spearman(&x, &y, level));
            sound(kendall(&x, &y, level));
            sound(tau_c(&x, &y));
            for method in [Method::Exact, Method::Normal] {
                sound(kendall_p(&x, &y, method, Alternative::Less));
            }
            for (zeros, method) in [
                (Zeros::Drop, SignedRankMethod::Automatic),
                (Zeros::Split, SignedRankMethod::Exact),
                (Zeros::RankThenDrop, SignedRankMethod::Normal { continuity: true }),
            ] {
                sound(signed_rank(&x, &y, zeros, method, Alternative::TwoSided));
            }
            let right: Vec<bool> = y.iter().map(|value| *value > 0.0).collect();
            sound(auroc(&x, &right, level));
            sound(calibration(&x, &right, 5, level));
            sound(prediction_powered_mean(&x, &y, &x, level));
            for scale in [Scale::Values, Scale::Ranks] {
                let samples: Vec<Vec<(f64, f64)>> = pairs.chunks(3).map(<[_]>::to_vec).collect();
                sound(within_correlation(&samples, scale, level));
            }
        }
        sound(pearson(&x, &y, 0.9));
        sound(signed_rank(&x, &y, Zeros::Drop, SignedRankMethod::Automatic, Alternative::Less));
    }

    #[test]
    fn of_one_column(x in numbers_up_to(12), q in any_number()) {
        sound(mean(&x));
        sound(mean_interval(&x, 0.95));
        sound(normal_mean_interval(&x, 0.95));
        sound(variance(&x));
        sound(quantile(&x, q, Definition::Hazen));
        sound(median(&x));
        sound(corrected(&x, Correction::Hommel));
        sound(basic_interval(q, &x, 0.95));
        sound(bca_interval(q, &x, &x, 0.95));
        sound(kendall_w_of_mean_ranks(&x));
        let samples: Vec<Vec<f64>> = x.chunks(2).map(<[f64]>::to_vec).collect();
        sound(bootstrap_mean(&samples, Resampling { resamples: 50, seed: 1, level: 0.95 }));
        sound(discordance(q, 0.5, 0.2));
        sound(detectable_difference(10, q, 0.05, 0.8));
        sound(signed_rank_power(10, q, 0.05));
        sound(friedman_power(u64::MAX, 3, q, 0.05));
        sound(critical_difference(3, 10, q));
        if let Ok(effect) = discordance(0.5, 0.4, q) {
            sound(mcnemar_samples(effect, 0.05, 0.8));
        }
    }

    #[test]
    fn of_matrices(values in matrices(), others in matrices()) {
        sound(friedman(&values));
        sound(nemenyi(&values));
        sound(bradley_terry(&values, 0.0));
        let square = |values: &[Vec<f64>], both: bool| -> Vec<Vec<f64>> {
            let size = values.len().min(4);
            let at = |i: usize, j: usize| values[i].get(j).map_or(0.0, |value| value.abs());
            (0..size)
                .map(|i| (0..size).map(|j| if i == j { 0.0 } else if both { at(i.min(j), i.max(j)) } else { at(i, j) }).collect())
                .collect()
        };
        let wins = square(&values, false);
        for penalty in [0.0, 0.1] {
            sound(bradley_terry(&wins, penalty));
            sound(davidson(&wins, &square(&others, true), penalty));
            sound(davidson(&wins, &square(&values, true), penalty));
        }
        let _ = separation(&values, Some(&others));
        sound(prediction_powered_ranks(&values, &values, &others, 0.95));
        let judgments: Vec<Vec<Option<f64>>> = values
            .iter()
            .map(|row| row.iter().map(|value| (!value.is_nan()).then_some(*value)).collect())
            .collect();
        for measurement in [Measurement::Nominal, Measurement::Ordinal, Measurement::Interval, Measurement::Ratio] {
            sound(krippendorff_alpha(&judgments, measurement, 0.95));
        }
        let outcomes: Vec<Vec<bool>> = values.iter().map(|row| row.iter().map(|value| *value > 0.0).collect()).collect();
        sound(cochran_q(&outcomes));
        let rankings: Vec<ShownRanking> = values
            .iter()
            .cycle()
            .take(3 * values.len())
            .enumerate()
            .map(|(sample, row)| ShownRanking {
                sample,
                shown: row.iter().enumerate().map(|(place, rank)| ((place + sample) % row.len(), *rank)).collect(),
            })
            .collect();
        sound(order_effect(&rankings, 4));
    }

    #[test]
    fn of_counts(counts in prop::collection::vec(counts(), 8), width in 1_usize..5) {
        let [a, b, c, d] = [counts[0], counts[1], counts[2], counts[3]];
        sound(wilson(a, b, 0.95));
        sound(clopper_pearson(a, b, 0.95));
        sound(binomial_test(a, b, 0.3, Alternative::TwoSided));
        sound(mcnemar_exact(a, b));
        sound(Ok(mcnemar_chi_square(a, b, true)));
        sound(paired_difference(a, b, c, d, 0.95));
        let table: Vec<Vec<u64>> = counts.chunks(width).map(<[u64]>::to_vec).collect();
        sound(fleiss_kappa(&table, 0.95));
        sound(free_marginal_kappa(&table, 0.95));
        sound(ac1(&table, 0.95));
        let small = |count: u64| (count % 5) as usize;
        let judge = |from: usize| -> Vec<usize> { counts[from..from + 4].iter().map(|count| small(*count)).collect() };
        sound(percent_agreement(&judge(0), &judge(4)));
        sound(cohen_kappa(&judge(0), &judge(4), small(c), Weights::Linear, 0.95));
        sound(cohen_kappa(&judge(0), &judge(4), a as usize, Weights::None, 0.95));
        if [a, b, c, d].iter().all(|count| *count < 1 << 60) {
            let table = Confusion { true_positive: a, false_positive: b, true_negative: c, false_negative: d };
            sound(accuracy(&table));
            sound(balanced_accuracy(&table));
            sound(matthews_correlation(&table));
            sound(signal_detection(&table, 0.95));
        }
    }
}
