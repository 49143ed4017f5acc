//! Bootstrap intervals, and strengths from comparisons.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tabjury::stats::bootstrap::{
    Resampling, basic_interval, bca_interval, bootstrap_mean, bootstrap_several, percentile_interval,
};
use tabjury::stats::bradley_terry::{Separation, bradley_terry, davidson_from, separation};
use tabjury::stats::mean::{mean, standard_deviation};

use super::*;

/// For strengths.
const STRENGTH: f64 = 1e-6;

#[test]
fn bootstrap_of_given_indices_equals_the_reference() {
    let Some(cases) = cases(
        "bootstrap_of_given_indices_equals_the_reference",
        "bootstrap_indices.json",
    ) else {
        return;
    };
    for case in &cases {
        let what = id(case);
        let x = numbers(&case["x"]);
        let level = number(&case["confidence"]);
        let statistic = |values: &[f64]| match case["statistic"].as_str().unwrap() {
            "mean" => mean(values),
            "median" => median(values),
            other => panic!("{other}"),
        };
        let point = statistic(&x).unwrap();
        let expected = &case["expected"];
        assert_close(point, number(&expected["point"]), STATISTIC, &what);
        let drawn = case["indices"].as_array().unwrap().iter();
        let distribution: Vec<f64> = drawn
            .map(|indices| {
                let indices = indices.as_array().unwrap().iter();
                let values: Vec<f64> = indices.map(|index| x[index.as_u64().unwrap() as usize]).collect();
                statistic(&values).unwrap()
            })
            .collect();
        for (found, expected) in distribution.iter().zip(numbers(&expected["distribution"])) {
            assert_close(*found, expected, STATISTIC, &what);
        }
        let error = standard_deviation(&distribution);
        assert_stat(&error, &expected["standard_error"], STATISTIC, &what);
        let without: Vec<f64> = (0..x.len())
            .filter_map(|left_out| {
                let mut rest = x.clone();
                rest.remove(left_out);
                statistic(&rest).ok()
            })
            .collect();
        let bca = bca_interval(point, &distribution, &without, level);
        if expected["percentile"].is_string() {
            // The reference refuses a single value; our percentiles do not know of how many values they are.
            assert!(bca.is_err(), "{what}: {bca:?}");
            continue;
        }
        assert_interval(
            &percentile_interval(&distribution, level),
            &expected["percentile"],
            &what,
        );
        assert_interval(&basic_interval(point, &distribution, level), &expected["basic"], &what);
        if expected["BCa"][0] == "NaN" {
            assert!(bca.is_err(), "{what}: {bca:?}");
            continue;
        }
        let ends = numbers(&expected["BCa"]);
        let reached = as_rounding_may_place_ties(point, &distribution)
            .into_iter()
            .any(|distribution| {
                let found = bca_interval(point, &distribution, &without, level).unwrap();
                [(found.low, ends[0]), (found.high, ends[1])]
                    .into_iter()
                    .all(|(found, expected)| (found - expected).abs() <= STATISTIC * expected.abs().max(1e-3))
            });
        assert!(reached, "{what}: {bca:?}, reference {ends:?}");
    }
    println!("bootstrap_indices: {} cases of 3 intervals", cases.len());
}

/// The distribution with none, some or all of the values that equal the estimate moved below or above it by less than the
/// tolerance. The reference compares sums as they were rounded, so that its equal values may lie on either side; for us
/// they are equal.
fn as_rounding_may_place_ties(point: f64, distribution: &[f64]) -> Vec<Vec<f64>> {
    let is_tied = |value: &f64| (value - point).abs() <= 1e-12 * point.abs();
    let ties = distribution.iter().filter(|value| is_tied(value)).count();
    let mut ways = Vec::new();
    for below in 0..=ties {
        for above in 0..=ties - below {
            let mut place = 0;
            let moved = distribution.iter().map(|value| {
                if !is_tied(value) {
                    return *value;
                }
                place += 1;
                let side = if place <= below {
                    -1.0
                } else {
                    f64::from(u8::from(place <= below + above))
                };
                point + side * 1e-11 * point.abs()
            });
            ways.push(moved.collect());
        }
    }
    // An estimate that many resamples share is a value on a lattice, which is not rounded.
    if ties > 12 { vec![distribution.to_vec()] } else { ways }
}

#[test]
fn random_bootstraps_agree_with_the_reference() {
    let Some(cases) = cases("random_bootstraps_agree_with_the_reference", "bootstrap_random.json") else {
        return;
    };
    for case in &cases {
        let what = id(case);
        let x = numbers(&case["x"]);
        let samples: Vec<Vec<f64>> = x.iter().map(|value| vec![*value]).collect();
        let resampling = Resampling {
            resamples: 20_000,
            seed: 1,
            level: number(&case["confidence"]),
        };
        let found = bootstrap_mean(&samples, resampling).unwrap();
        let interval = found.percentile.unwrap();
        let expected = |name: &str| number(&case["expected"][name]);
        // Values on a lattice jump from one of its points to the next.
        let lattice = if x.iter().all(|value| value.fract() == 0.0) {
            1.0 / x.len() as f64
        } else {
            0.0
        };
        for (found, name) in [(interval.low, "low"), (interval.high, "high")] {
            let spread = expected(&format!("spread_{name}")).max(0.05 * expected("mean_se"));
            let distance = (found - expected(&format!("mean_{name}"))).abs();
            assert!(distance <= 3.0 * spread + lattice, "{what} {name}: {found}");
        }
        let distance = (found.standard_error - expected("mean_se")).abs();
        assert!(
            distance <= 3.0 * expected("spread_se") + 0.01 * expected("mean_se"),
            "{what}"
        );
    }
    println!("bootstrap_random: {} cases", cases.len());
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn assert_strength(found: f64, expected: f64, what: &str) {
    let bound = STRENGTH * expected.abs().max(1.0);
    assert!(
        (found - expected).abs() <= bound,
        "{what}: {found:e}, reference {expected:e}"
    );
}

#[test]
fn strengths_equal_the_reference() {
    let Some(cases) = cases("strengths_equal_the_reference", "bradley_terry.json") else {
        return;
    };
    let mut defined = 0;
    for case in &cases {
        let what = id(case);
        let wins = matrix(&case["wins"]);
        let expected = &case["expected"];
        for penalty in ["0.01", "0.1", "1.0"] {
            let found = bradley_terry(&wins, penalty.parse().unwrap()).unwrap();
            let strengths = numbers(&expected[format!("l2_{penalty}")]["log_strengths"]);
            for (found, expected) in found.log_strengths.iter().zip(strengths) {
                assert_strength(*found, expected, &format!("{what} l2 {penalty}"));
            }
        }
        let found = bradley_terry(&wins, 0.0);
        let why = separation(&wins, None);
        let connected = expected["weakly_connected"].as_bool().unwrap();
        assert_eq!(matches!(why, Some(Separation::Disconnected(_))), !connected, "{what}");
        assert_eq!(why.is_none(), expected["mle_exists"].as_bool().unwrap(), "{what}");
        let Ok(found) = found else {
            assert!(!expected["mle_exists"].as_bool().unwrap(), "{what}: {found:?}");
            continue;
        };
        assert!(expected["mle_exists"].as_bool().unwrap(), "{what}: {found:?}");
        defined += 1;
        assert_strength(found.log_likelihood, number(&expected["log_likelihood"]), &what);
        let strengths = numbers(&expected["log_strengths_mean0"]);
        for (found, expected) in found.log_strengths.iter().zip(&strengths) {
            assert_strength(*found, *expected, &what);
        }
        let whole: f64 = found.log_strengths.iter().map(|value| value.exp()).sum();
        for (found, expected) in found.log_strengths.iter().zip(numbers(&expected["strengths_sum1"])) {
            assert_strength(found.exp() / whole, expected, &what);
        }
        for (first, row) in matrix(&expected["win_probability"]).iter().enumerate() {
            for (second, probability) in row.iter().enumerate() {
                assert_strength(found.win_probability(first, second), *probability, &what);
            }
        }
        if let Some(errors) = expected.get("se_mean0") {
            for (found, expected) in found.standard_errors().iter().zip(numbers(errors)) {
                assert_strength(*found, expected, &what);
            }
            let first = &expected["vs_item0"];
            let pairs = numbers(&first["diff"]).into_iter().zip(numbers(&first["se"]));
            for (item, (difference, error)) in pairs.enumerate() {
                let found = found.difference(item + 1, 0);
                assert_strength(found.0, difference, &what);
                assert_strength(found.1, error, &what);
            }
        }
    }
    println!(
        "bradley_terry: {} cases with 3 penalties, {defined} without",
        cases.len()
    );
    assert!(defined > 0);
}

#[test]
fn strengths_are_bootstrapped_over_samples() {
    // 300 samples, in each of which three arms are compared with ties; arm 2 is the best.
    let k = 3;
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let rows: Vec<Vec<f64>> = (0..300)
        .map(|_| {
            let mut row = vec![0.0; 2 * k * k];
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                match random.next_u32() % 10 {
                    0..=2 => row[i * k + j] += 1.0,
                    3..=4 => {
                        row[k * k + i * k + j] += 1.0;
                        row[k * k + j * k + i] += 1.0;
                    }
                    _ => row[j * k + i] += 1.0,
                }
            }
            row
        })
        .collect();
    let matrices = |totals: &[f64]| -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let half = |part: &[f64]| part.chunks_exact(k).map(<[f64]>::to_vec).collect();
        (half(&totals[..k * k]), half(&totals[k * k..]))
    };
    let resampling = Resampling {
        resamples: 400,
        seed: 2,
        level: 0.95,
    };
    let mut start = None;
    let found = bootstrap_several(&rows, k, resampling, |totals, values| {
        let (wins, ties) = matrices(totals);
        let Ok(strengths) = davidson_from(&wins, &ties, 0.0, start.as_ref()) else {
            return false;
        };
        values.copy_from_slice(&strengths.log_strengths);
        start.get_or_insert(strengths);
        true
    })
    .unwrap();
    let fitted = start.unwrap();
    for (item, found) in found.iter().enumerate() {
        // Comparisons are independent here, so that both errors are about the same.
        let ratio = found.standard_error / fitted.standard_errors()[item];
        assert!((0.8..1.25).contains(&ratio), "{item}: {ratio}");
        let interval = found.bca.as_ref().unwrap();
        assert!(interval.low < found.estimate && found.estimate < interval.high);
    }
    assert!(found[2].percentile.as_ref().unwrap().low > 0.0 && found[0].percentile.as_ref().unwrap().high < 0.0);
}
