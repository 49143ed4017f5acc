//! Tests of significance, corrections for several of them, and quantiles.

use tabjury::stats::ChiSquareTest;
use tabjury::stats::cochran::cochran_q;
use tabjury::stats::multiple::{Correction, corrected};
use tabjury::stats::paired::{mcnemar_chi_square, mcnemar_exact};
use tabjury::stats::quantile::{Definition, quantile};
use tabjury::stats::signed_rank::{Method, Zeros, signed_rank};

use super::*;

fn assert_chi_square(found: &ChiSquareTest, expected: &Value, what: &str) {
    assert_close(found.statistic, number(&expected["statistic"]), STATISTIC, what);
    assert_close(found.p, number(&expected["p"]), P_VALUE, what);
}

#[test]
fn mcnemar_equals_the_reference() {
    let Some(cases) = cases("mcnemar_equals_the_reference", "mcnemar.json") else {
        return;
    };
    for case in &cases {
        let what = id(case);
        let cell = |row: usize, column: usize| case["table"][row][column].as_u64().unwrap();
        let (first, second) = (cell(0, 1), cell(1, 0));
        let found = mcnemar_exact(first, second).unwrap();
        let exact = &case["expected"]["exact"];
        assert_close(found.p, number(&exact["p"]), P_VALUE, &what);
        assert_eq!(first.min(second) as f64, number(&exact["statistic"]), "{what}");
        assert!(found.p <= 1.0 && found.p > 0.0, "{what}");
        for (field, corrected) in [("chi2_corrected", true), ("chi2_uncorrected", false)] {
            let found = mcnemar_chi_square(first, second, corrected);
            if first + second == 0 {
                // The reference has an infinite statistic and p = 0, or NaN.
                assert_eq!((found.statistic, found.p), (0.0, 1.0), "{what}");
            } else {
                assert_chi_square(&found, &case["expected"][field], &format!("{what} {field}"));
            }
        }
    }
    println!("mcnemar: {} cases of 3 tests", cases.len());
}

#[test]
fn cochran_q_equals_the_reference() {
    let Some(cases) = cases("cochran_q_equals_the_reference", "cochran_q.json") else {
        return;
    };
    for case in &cases {
        let rows = case["matrix"].as_array().unwrap();
        let outcomes: Vec<Vec<bool>> = rows
            .iter()
            .map(|row| numbers(row).iter().map(|value| *value == 1.0).collect())
            .collect();
        let expected = &case["expected"];
        let found = cochran_q(&outcomes);
        if expected.get("error").is_some() || number(&expected["statistic"]).is_nan() {
            assert!(found.is_err(), "{}: {found:?}", id(case));
            continue;
        }
        let found = found.unwrap_or_else(|undefined| panic!("{}: {undefined}", id(case)));
        assert_eq!(found.freedom, expected["df"].as_u64().unwrap(), "{}", id(case));
        assert_chi_square(&found, expected, &id(case));
    }
    println!("cochran_q: {} cases", cases.len());
}

#[test]
fn corrections_equal_the_reference() {
    let Some(cases) = cases("corrections_equal_the_reference", "multiple_tests.json") else {
        return;
    };
    for case in &cases {
        let p = numbers(&case["p"]);
        for (field, correction) in [
            ("bonferroni", Correction::Bonferroni),
            ("holm", Correction::Holm),
            ("holm-sidak", Correction::HolmSidak),
            ("hommel", Correction::Hommel),
            ("fdr_bh", Correction::BenjaminiHochberg),
            ("fdr_by", Correction::BenjaminiYekutieli),
        ] {
            let what = format!("{} {field}", id(case));
            let expected = &case["expected"][field];
            let found = corrected(&p, correction).unwrap();
            let adjusted = numbers(&expected["adjusted"]);
            assert_eq!(found.len(), adjusted.len(), "{what}");
            for ((found, adjusted), reject) in found
                .iter()
                .zip(adjusted)
                .zip(expected["reject_0_05"].as_array().unwrap())
            {
                assert_close(*found, adjusted, STATISTIC, &what);
                assert_eq!(*found <= 0.05, reject.as_bool().unwrap(), "{what}");
            }
        }
    }
    println!("multiple_tests: {} cases of 6 corrections", cases.len());
}

#[test]
fn quantiles_equal_the_reference() {
    let Some(cases) = cases("quantiles_equal_the_reference", "quantile.json") else {
        return;
    };
    let mut values = 0;
    for case in &cases {
        let x = numbers(&case["x"]);
        for (field, definition) in [
            ("linear", Definition::Linear),
            ("lower", Definition::Lower),
            ("higher", Definition::Higher),
            ("nearest", Definition::Nearest),
            ("midpoint", Definition::Midpoint),
            ("hazen", Definition::Hazen),
            ("weibull", Definition::Weibull),
            ("median_unbiased", Definition::MedianUnbiased),
        ] {
            for (q, expected) in numbers(&case["q"]).into_iter().zip(numbers(&case["expected"][field])) {
                let found = quantile(&x, q, definition).unwrap();
                assert_close(found, expected, STATISTIC, &format!("{} {field} {q}", id(case)));
                values += 1;
            }
        }
    }
    println!("quantile: {} cases, {values} values", cases.len());
}

#[test]
fn signed_ranks_equal_the_reference() {
    let Some(cases) = cases("signed_ranks_equal_the_reference", "wilcoxon.json") else {
        return;
    };
    let (mut equal, mut ours) = (0, 0);
    for case in &cases {
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        let differences: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
        let mut sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let irregular = sizes.first() == Some(&0.0) || sizes.windows(2).any(|pair| pair[0] == pair[1]);
        for (key, expected) in case["expected"].as_object().unwrap() {
            let what = format!("{} {key}", id(case));
            let parts: Vec<&str> = key.split('|').collect();
            let zeros = match parts[0] {
                "wilcox" => Zeros::Drop,
                "pratt" => Zeros::RankThenDrop,
                "zsplit" => Zeros::Split,
                other => panic!("{other}"),
            };
            let continuity = parts[2] == "corr";
            let method = match parts[1] {
                "exact" => Method::Exact,
                "asymptotic" => Method::Normal { continuity },
                // The reference applies its correction also where it turns to the normal approximation by itself.
                "auto" if continuity && (x.len() > 50 || (irregular && x.len() > 13)) => Method::Normal { continuity },
                "auto" => Method::Automatic,
                other => panic!("{other}"),
            };
            let alternative = match parts[3] {
                "two-sided" => Alternative::TwoSided,
                "less" => Alternative::Less,
                "greater" => Alternative::Greater,
                other => panic!("{other}"),
            };
            let found = signed_rank(&x, &y, zeros, method, alternative);
            if x.is_empty() || x.len() != y.len() || differences.iter().any(|difference| difference.is_nan()) {
                assert!(found.is_err(), "{what}: {found:?}");
                ours += 1;
                continue;
            }
            let found = found.unwrap_or_else(|undefined| panic!("{what}: {undefined}"));
            if differences.iter().all(|difference| *difference == 0.0) {
                // NaN, 1 or the table of another case in the reference.
                assert_eq!(found.p, 1.0, "{what}");
                ours += 1;
                continue;
            }
            let statistic = if alternative == Alternative::TwoSided {
                found.positive.min(found.negative)
            } else {
                found.positive
            };
            assert_close(statistic, number(&expected["statistic"]), STATISTIC, &what);
            if method == Method::Exact && irregular {
                // The reference takes the table without ties.
                ours += 1;
                continue;
            }
            assert_close(found.p, number(&expected["p"]), P_VALUE, &what);
            equal += 1;
        }
    }
    println!(
        "wilcoxon: {} cases, {equal} tests equal, {ours} where the reference is not to be copied",
        cases.len()
    );
    assert!(equal > 0);
}
