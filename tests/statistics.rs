//! Every statistic equals its reference implementation, where that is right; where the reference has NaN, infinity or a
//! false certainty, ours has the reason why there is no value.

#![allow(clippy::unwrap_used, reason = "in a test a missing value is a failure")]

mod support;

#[path = "statistics/agreement.rs"]
mod agreement;
#[path = "statistics/distributions.rs"]
mod distributions;
#[path = "statistics/hostile.rs"]
mod hostile;
#[path = "statistics/ranks.rs"]
mod ranks;
#[path = "statistics/resampling.rs"]
mod resampling;
#[path = "statistics/significance.rs"]
mod significance;
#[path = "statistics/simulation.rs"]
mod simulation;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tabjury::stats::correlation::{correlation_p, pearson, spearman};
use tabjury::stats::kendall::kendall;
use tabjury::stats::mean::{mean, mean_interval, normal_mean_interval, standard_deviation, standard_error, variance};
use tabjury::stats::proportion::{agresti_coull, binomial_test, clopper_pearson, jeffreys, wald, wilson};
use tabjury::stats::quantile::median;
use tabjury::stats::{Alternative, Interval, Stat};

/// For statistics and ends of intervals.
const STATISTIC: f64 = 1e-9;
/// For p-values.
const P_VALUE: f64 = 1e-7;

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cases of one file of vectors, or nothing after a line that says so.
fn cases(test: &str, file: &str) -> Option<Vec<Value>> {
    let directory = support::reference_dir(test)?;
    let whole = json(&directory.join("stats").join(file));
    let cases = whole["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{file} has no cases");
    Some(cases)
}

/// A number of the vectors, in which NaN and infinities are strings.
fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            other => panic!("no number: {other}"),
        },
        other => other.as_f64().unwrap_or_else(|| panic!("no number: {other}")),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn id(case: &Value) -> String {
    format!("{} ({})", case["id"].as_str().unwrap(), case["kind"].as_str().unwrap())
}

/// Relative, and absolute below 1e-12 where a statistic that should be 0 is rounding noise.
fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let bound = (tolerance * expected.abs()).max(1e-12 * f64::from(u8::from(tolerance == STATISTIC)));
    assert!(
        (found - expected).abs() <= bound,
        "{what}: {found:e}, reference {expected:e}"
    );
}

/// A value where the reference has one, and a reason where it has NaN.
fn assert_stat(found: &Stat<f64>, expected: &Value, tolerance: f64, what: &str) {
    let expected = number(expected);
    match found {
        Ok(found) => assert_close(*found, expected, tolerance, what),
        Err(undefined) => assert!(expected.is_nan(), "{what}: {undefined}, reference {expected:e}"),
    }
}

fn assert_interval(found: &Stat<Interval>, expected: &Value, what: &str) {
    let expected = numbers(expected);
    if expected.iter().any(|end| end.is_nan()) {
        assert!(found.is_err(), "{what}: {found:?}, reference undefined");
        return;
    }
    let found = found.as_ref().unwrap_or_else(|undefined| panic!("{what}: {undefined}"));
    assert_close(found.low, expected[0], STATISTIC, what);
    assert_close(found.high, expected[1], STATISTIC, what);
}

fn assert_p(found: f64, expected: f64, r: f64, n: usize, what: &str) {
    if r.abs() > 1.0 - 1e-12 && n != 2 {
        assert!(found < 1e-6, "{what}: p = {found:e} of a perfect correlation");
    } else {
        assert_close(found, expected, P_VALUE, what);
    }
}

#[test]
fn pearson_equals_the_reference() {
    let Some(cases) = cases("pearson_equals_the_reference", "pearson.json") else {
        return;
    };
    let mut defined = 0;
    for case in &cases {
        let what = id(case);
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        let expected = &case["expected"];
        for (level, field) in [(0.9, "ci_0.9"), (0.95, "ci_0.95"), (0.99, "ci_0.99")] {
            let found = pearson(&x, &y, level);
            if expected.get("error").is_some() || number(&expected["r"]).is_nan() {
                assert!(found.is_err(), "{what}: {found:?}");
                continue;
            }
            let found = found.unwrap_or_else(|undefined| panic!("{what}: {undefined}"));
            assert_eq!(found.n, x.len());
            assert_close(found.r, number(&expected["r"]), STATISTIC, &what);
            assert_p(found.p, number(&expected["p_two_sided"]), found.r, x.len(), &what);
            // The reference's [-1, 1] for up to three points and its point for a perfect correlation are no intervals.
            if x.len() <= 3 || found.r.abs() > 1.0 - 1e-12 {
                assert!(found.interval.is_err(), "{what}: {found:?}");
            } else {
                assert_interval(&found.interval, &expected[field], &format!("{what} {field}"));
            }
            for (field, alternative) in [("p_less", Alternative::Less), ("p_greater", Alternative::Greater)] {
                let expected = number(&expected[field]);
                let p = correlation_p(found.r, found.n, alternative).unwrap();
                // Of a perfect correlation the reference's smaller tail is float noise.
                if expected < 1e-6 && found.r.abs() > 1.0 - 1e-12 {
                    assert!(p < 1e-6, "{what} {field}: {p}");
                } else {
                    assert_close(p, expected, P_VALUE, &format!("{what} {field}"));
                }
            }
            defined += 1;
        }
    }
    println!(
        "pearson: {} cases, {defined} defined values with intervals",
        cases.len()
    );
    assert!(defined > 0);
}

#[test]
fn published_correlations_of_plan_of_sqls_are_reproduced() {
    let Some(directory) = support::reference_dir("published_correlations_of_plan_of_sqls_are_reproduced") else {
        return;
    };
    let paper = json(&directory.join("papers/pos_correlation.json"));
    let pairs = paper["pairs"].as_array().unwrap();
    let column = |name: &str| -> Vec<f64> { pairs.iter().map(|pair| number(&pair[name])).collect() };
    let inverted_rank: Vec<f64> = column("rank").iter().map(|rank| -rank).collect();
    for task in ["simulation", "verification"] {
        let found = pearson(&inverted_rank, &column(task), 0.95).unwrap();
        let published = &paper["published"][task];
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        assert_eq!(rounded(found.r), number(&published["r"]), "{task}");
        assert_eq!(rounded(found.p), number(&published["p"]), "{task}");
        let reproduced = &paper["reproduced"][task]["-rank"];
        assert_eq!(reproduced["n"], found.n);
        assert_close(found.r, number(&reproduced["pearson_r"]), STATISTIC, task);
        assert_close(found.p, number(&reproduced["pearson_p_two_sided"]), P_VALUE, task);
        assert_interval(&found.interval, &reproduced["pearson_ci95_fisher"], task);
        let rho = spearman(&inverted_rank, &column(task), 0.95).unwrap();
        assert_close(rho.coefficient, number(&reproduced["spearman_rho"]), STATISTIC, task);
        assert_close(rho.p, number(&reproduced["spearman_p"]), P_VALUE, task);
        let tau = kendall(&inverted_rank, &column(task), 0.95).unwrap();
        assert_close(tau.coefficient, number(&reproduced["kendall_tau_b"]), STATISTIC, task);
        assert_close(tau.p, number(&reproduced["kendall_p"]), P_VALUE, task);
        println!("{task}: r = {:.4}, p = {:.4}", found.r, found.p);
    }
}

#[test]
fn intervals_of_a_proportion_equal_the_reference() {
    let Some(cases) = cases("intervals_of_a_proportion_equal_the_reference", "proportion_ci.json") else {
        return;
    };
    for case in &cases {
        let what = id(case);
        let (k, n) = (case["successes"].as_u64().unwrap(), case["n"].as_u64().unwrap());
        let level = number(&case["confidence"]);
        let found = [
            ("normal", wald(k, n, level)),
            ("wilson", wilson(k, n, level)),
            ("beta", clopper_pearson(k, n, level)),
            ("agresti_coull", agresti_coull(k, n, level)),
            ("jeffreys", jeffreys(k, n, level)),
        ];
        for (name, interval) in found {
            let what = format!("{what} {name} of {k}/{n} at {level}");
            if n == 0 {
                // Some reference intervals of no observations hold nothing but the method's own constants.
                assert!(interval.is_err(), "{what}");
                continue;
            }
            let mut expected = case["expected"][name].clone();
            if name == "normal" && (k == 0 || k == n) {
                // The reference's interval has no width there.
                assert!(interval.is_err(), "{what}");
                continue;
            }
            if name == "jeffreys" {
                // The reference leaves the ends at 0 and n successes inside, so that they miss the proportion itself.
                if k == 0 {
                    expected[0] = Value::from(0.0);
                }
                if k == n {
                    expected[1] = Value::from(1.0);
                }
            }
            assert_interval(&interval, &expected, &what);
        }
    }
    println!("proportion_ci: {} cases of 5 intervals", cases.len());
}

#[test]
fn binomial_test_equals_the_reference() {
    let Some(cases) = cases("binomial_test_equals_the_reference", "binom_test.json") else {
        return;
    };
    for case in &cases {
        let (k, n) = (case["successes"].as_u64().unwrap(), case["n"].as_u64().unwrap());
        let p = number(&case["p"]);
        for (field, alternative) in [
            ("p_two_sided", Alternative::TwoSided),
            ("p_less", Alternative::Less),
            ("p_greater", Alternative::Greater),
        ] {
            let what = format!("{} {field} of {k}/{n} at {p}", id(case));
            let found = binomial_test(k, n, p, alternative);
            if case["expected"].get("error").is_some() {
                assert!(found.is_err(), "{what}: {found:?}");
                continue;
            }
            let found = found.unwrap_or_else(|undefined| panic!("{what}: {undefined}"));
            assert_close(found, number(&case["expected"][field]), P_VALUE, &what);
        }
    }
    println!("binom_test: {} cases of 3 alternatives", cases.len());
}

#[test]
fn means_equal_the_reference() {
    let Some(cases) = cases("means_equal_the_reference", "mean_ci.json") else {
        return;
    };
    for case in &cases {
        let x = numbers(&case["x"]);
        let level = number(&case["confidence"]);
        let what = id(case);
        let expected = number(&case["expected"]["mean"]);
        match mean(&x) {
            Ok(found) => assert_close(found, expected, STATISTIC, &what),
            Err(_) => assert!(expected.is_nan(), "{what}"),
        }
        assert_interval(&mean_interval(&x, level), &case["expected"]["t_interval"], &what);
        assert_interval(
            &normal_mean_interval(&x, level),
            &case["expected"]["normal_interval"],
            &what,
        );
        for (found, field) in [
            (standard_deviation(&x), "sd_ddof1"),
            (standard_error(&x), "sem"),
            (variance(&x), "var_ddof1"),
            (median(&x), "median"),
        ] {
            assert_stat(&found, &case["expected"][field], STATISTIC, &format!("{what} {field}"));
        }
    }
    println!("mean_ci: {} cases", cases.len());
}
