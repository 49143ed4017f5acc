//! Ranks, what correlates by them, and what compares conditions by them.

use tabjury::stats::correlation::RankCorrelation;
use tabjury::stats::friedman::{critical_difference, friedman, nemenyi};
use tabjury::stats::kendall::{Method, kendall_p, tau_c};
use tabjury::stats::rank::{Ties, average_ranks, ranks};
use tabjury::stats::studentized_range::{range_above, range_point_above};

use super::*;

/// For values of the studentized range.
const RANGE: f64 = 1e-6;

#[test]
fn ranks_equal_the_reference() {
    let Some(cases) = cases("ranks_equal_the_reference", "rankdata.json") else {
        return;
    };
    for case in &cases {
        let x = numbers(&case["x"]);
        for (field, ties) in [
            ("average", Ties::Average),
            ("min", Ties::Lowest),
            ("max", Ties::Highest),
            ("dense", Ties::Dense),
            ("ordinal", Ties::AsGiven),
        ] {
            let what = format!("{} {field}", id(case));
            let found = ranks(&x, ties);
            if x.iter().any(|value| value.is_nan()) {
                assert!(found.is_err(), "{what}");
            } else {
                assert_eq!(found.unwrap(), numbers(&case["expected"][field]), "{what}");
            }
        }
        assert_eq!(average_ranks(&x), ranks(&x, Ties::Average));
    }
    println!("rankdata: {} cases of 5 kinds of ranks", cases.len());
}

fn is_undefined(value: Option<&Value>) -> bool {
    value.is_none_or(|value| value == "NaN" || value.as_str().is_some_and(|text| text.contains("Error")))
}

fn xy(case: &Value) -> (Vec<f64>, Vec<f64>) {
    (numbers(&case["x"]), numbers(&case["y"]))
}

fn assert_rank_correlation(found: Stat<RankCorrelation>, coefficient: &Value, n: usize, what: &str) -> RankCorrelation {
    let found = found.unwrap_or_else(|undefined| panic!("{what}: {undefined}"));
    assert_close(found.coefficient, number(coefficient), STATISTIC, what);
    assert_eq!(found.n, n, "{what}");
    if let Ok(interval) = &found.interval {
        assert!(
            interval.low <= found.coefficient && found.coefficient <= interval.high,
            "{what}"
        );
    }
    found
}

#[test]
fn spearman_equals_the_reference() {
    let Some(cases) = cases("spearman_equals_the_reference", "spearman.json") else {
        return;
    };
    let mut defined = 0;
    for case in &cases {
        let what = id(case);
        let (x, y) = xy(case);
        let expected = &case["expected"];
        let found = spearman(&x, &y, 0.95);
        // For two points the reference has a coefficient without a test.
        if is_undefined(expected.get("rho")) || is_undefined(expected.get("p_two_sided")) {
            assert!(found.is_err(), "{what}: {found:?}");
            continue;
        }
        let found = assert_rank_correlation(found, &expected["rho"], x.len(), &what);
        assert_p(
            found.p,
            number(&expected["p_two_sided"]),
            found.coefficient,
            x.len(),
            &what,
        );
        for (field, alternative) in [("p_less", Alternative::Less), ("p_greater", Alternative::Greater)] {
            let p = correlation_p(found.coefficient, found.n, alternative).unwrap();
            let expected = number(&expected[field]);
            if found.coefficient.abs() > 1.0 - 1e-12 {
                assert!((p - expected).abs() < 1e-6, "{what} {field}: {p}");
            } else {
                assert_close(p, expected, P_VALUE, &format!("{what} {field}"));
            }
        }
        defined += 1;
    }
    println!("spearman: {} cases, {defined} defined with 3 alternatives", cases.len());
    assert!(defined > 0);
}

#[test]
fn kendall_equals_the_reference() {
    let Some(cases) = cases("kendall_equals_the_reference", "kendall.json") else {
        return;
    };
    let (mut defined, mut tests) = (0, 0);
    for case in &cases {
        let what = id(case);
        let (x, y) = xy(case);
        let expected = &case["expected"];
        let found = kendall(&x, &y, 0.95);
        if is_undefined(expected.get("tau_b")) {
            assert!(found.is_err(), "{what}: {found:?}");
            assert!(tau_c(&x, &y).is_err(), "{what}");
        } else {
            assert_rank_correlation(found, &expected["tau_b"], x.len(), &what);
            assert_stat(&tau_c(&x, &y), &expected["tau_c"], STATISTIC, &what);
            defined += 1;
        }
        for (name, method) in [
            ("auto", Method::Automatic),
            ("exact", Method::Exact),
            ("asymptotic", Method::Normal),
        ] {
            for (ending, alternative) in [
                ("two_sided", Alternative::TwoSided),
                ("less", Alternative::Less),
                ("greater", Alternative::Greater),
            ] {
                let found = kendall_p(&x, &y, method, alternative);
                // The test is of the order of pairs and the same for both coefficients.
                for variant in ["b", "c"] {
                    let field = format!("p_{variant}_{name}_{ending}");
                    let what = format!("{what} {field}");
                    if is_undefined(expected.get(&field)) {
                        assert!(found.is_err(), "{what}: {found:?}");
                    } else {
                        assert_stat(&found, &expected[&field], P_VALUE, &what);
                        tests += 1;
                    }
                }
            }
        }
    }
    println!("kendall: {} cases, {defined} defined, {tests} tests", cases.len());
    assert!(defined > 0 && tests > 0);
}

fn assert_range(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= RANGE * expected.abs(),
        "{what}: {found:e}, reference {expected:e}"
    );
}

#[test]
fn studentized_range_equals_the_reference() {
    let Some(cases) = cases("studentized_range_equals_the_reference", "special_functions.json") else {
        return;
    };
    let mut count = 0;
    for case in &cases {
        let args = numbers(&case["args"]);
        let found = match case["kind"].as_str().unwrap() {
            "studentized_range_sf_inf_df" => range_above(args[0], args[1] as usize),
            "studentized_range_ppf_inf_df" => range_point_above(1.0 - args[0], args[1] as usize),
            _ => continue,
        };
        assert_range(found, number(&case["expected"]), &format!("{} of {args:?}", id(case)));
        count += 1;
    }
    println!("studentized range: {count} values");
    assert!(count > 0);
}

#[test]
fn friedman_and_nemenyi_equal_the_reference() {
    let Some(cases) = cases("friedman_and_nemenyi_equal_the_reference", "friedman_nemenyi.json") else {
        return;
    };
    let mut defined = 0;
    for case in &cases {
        let what = id(case);
        let values: Vec<Vec<f64>> = case["matrix"].as_array().unwrap().iter().map(numbers).collect();
        let expected = &case["expected"];
        let conditions = values[0].len();
        let p = nemenyi(&values).unwrap();
        for (row, expected) in p.iter().zip(expected["nemenyi_p"].as_array().unwrap()) {
            for (found, expected) in row.iter().zip(numbers(expected)) {
                assert_range(*found, expected, &what);
            }
        }
        for alpha in [0.05, 0.1, 0.01] {
            let found = critical_difference(conditions, values.len(), alpha).unwrap();
            assert_range(found, number(&expected[format!("critical_difference_{alpha}")]), &what);
        }
        let found = friedman(&values);
        if expected.get("error").is_some() || number(&expected["statistic"]).is_nan() {
            assert!(found.is_err(), "{what}: {found:?}");
            continue;
        }
        let found = found.unwrap_or_else(|undefined| panic!("{what}: {undefined}"));
        assert_close(found.test.statistic, number(&expected["statistic"]), STATISTIC, &what);
        assert_close(found.test.p, number(&expected["p"]), P_VALUE, &what);
        assert_close(found.kendall_w, number(&expected["kendall_W"]), STATISTIC, &what);
        for (found, expected) in found.mean_ranks.iter().zip(numbers(&expected["average_ranks"])) {
            assert_close(*found, expected, STATISTIC, &what);
        }
        let f = number(&expected["iman_davenport_F"]);
        match found.iman_davenport {
            Ok(found) => {
                assert_close(found.statistic, f, STATISTIC, &what);
                assert_close(found.p, number(&expected["iman_davenport_p"]), P_VALUE, &what);
            }
            // Infinite in the reference, but for rounding.
            Err(_) => assert!(f > 1e9, "{what}: {f}"),
        }
        defined += 1;
    }
    println!("friedman_nemenyi: {} cases, {defined} defined tests", cases.len());
    assert!(defined > 0);
}
