//! Agreement of two judges, of several, and of several with gaps.

use tabjury::stats::agreement::{CohenKappa, Weights, cohen_kappa, percent_agreement};
use tabjury::stats::fleiss::{fleiss_kappa, free_marginal_kappa, pairwise_agreement};
use tabjury::stats::krippendorff::{Measurement, krippendorff_alpha};

use super::*;

/// Standard errors, interval and p of kappa. The reference does not cut its intervals, and gives one of no width for an
/// error of 0.
fn assert_inference(found: &CohenKappa, expected: &Value, what: &str) {
    let field = |name: &str| number(&expected[name]);
    for (found, expected) in [
        (found.standard_error, field("std_kappa")),
        (found.standard_error_of_chance, field("std_kappa0")),
    ] {
        if expected < 1e-7 {
            assert_eq!(found, 0.0, "{what}: standard error {expected}");
        } else {
            assert_close(found, expected, STATISTIC, what);
        }
    }
    if found.standard_error == 0.0 {
        assert!(found.interval.is_err(), "{what}");
    } else {
        let interval = found.interval.as_ref().unwrap();
        assert_close(interval.low, field("kappa_low").max(-1.0), STATISTIC, what);
        assert_close(interval.high, field("kappa_upp").min(1.0), STATISTIC, what);
    }
    if found.standard_error_of_chance == 0.0 {
        assert!(found.p.is_err(), "{what}");
    } else {
        assert_close(*found.p.as_ref().unwrap(), field("pvalue_two_sided"), P_VALUE, what);
    }
}

#[test]
fn kappas_equal_the_reference() {
    let Some(cases) = cases("kappas_equal_the_reference", "cohen_kappa.json") else {
        return;
    };
    let (mut defined, mut inferences) = (0, 0);
    for case in &cases {
        let what = id(case);
        let judge =
            |name: &str| -> Vec<String> { case[name].as_array().unwrap().iter().map(ToString::to_string).collect() };
        let (a, b) = (judge("a"), judge("b"));
        let mut labels = match case["labels"].as_array() {
            Some(labels) => labels.iter().map(ToString::to_string).collect(),
            None => [a.clone(), b.clone()].concat(),
        };
        labels.sort();
        labels.dedup();
        let places: BTreeMap<&str, usize> = labels.iter().map(String::as_str).zip(0..).collect();
        let categories =
            |judge: &[String]| -> Vec<usize> { judge.iter().map(|label| places[label.as_str()]).collect() };
        let (first, second) = (categories(&a), categories(&b));
        let expected = &case["expected"];
        if a.is_empty() {
            assert!(percent_agreement(&first, &second).is_err(), "{what}");
            continue;
        }
        assert_close(
            percent_agreement(&first, &second).unwrap(),
            number(&expected["percent_agreement"]),
            STATISTIC,
            &what,
        );
        for (field, weights) in [
            ("kappa_unweighted", Weights::None),
            ("kappa_linear", Weights::Linear),
            ("kappa_quadratic", Weights::Quadratic),
        ] {
            let Some(value) = expected.get(field) else { continue };
            let what = format!("{what} {field}");
            let found = cohen_kappa(&first, &second, labels.len(), weights, 0.95);
            if number(value).is_nan() {
                assert!(found.is_err(), "{what}: {found:?}");
                continue;
            }
            let found = found.unwrap();
            assert_close(found.kappa, number(value), STATISTIC, &what);
            defined += 1;
            if let Some(inference) = expected.get(field.replace("kappa", "statsmodels")) {
                assert_inference(&found, inference, &what);
                inferences += 1;
            }
        }
    }
    println!(
        "cohen_kappa: {} cases, {defined} kappas, {inferences} with their errors",
        cases.len()
    );
    assert!(defined > 0 && inferences > 0);
}

#[test]
fn fleiss_kappas_equal_the_reference() {
    let Some(cases) = cases("fleiss_kappas_equal_the_reference", "fleiss_kappa.json") else {
        return;
    };
    for case in &cases {
        let table: Vec<Vec<u64>> = case["table"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                row.as_array()
                    .unwrap()
                    .iter()
                    .map(|count| count.as_u64().unwrap())
                    .collect()
            })
            .collect();
        let expected = &case["expected"];
        let what = id(case);
        let fleiss = fleiss_kappa(&table, 0.95).map(|found| found.value);
        let randolph = free_marginal_kappa(&table, 0.95).map(|found| found.value);
        if expected.get("error").is_some() {
            assert!(
                fleiss.is_err() && randolph.is_err() && pairwise_agreement(&table).is_err(),
                "{what}"
            );
            continue;
        }
        assert_stat(&fleiss, &expected["fleiss"], STATISTIC, &what);
        assert_stat(&randolph, &expected["randolph"], STATISTIC, &what);
        let percent = pairwise_agreement(&table);
        assert_stat(&percent, &expected["percent_agreement_pairwise"], STATISTIC, &what);
    }
    println!("fleiss_kappa: {} cases of 3 values", cases.len());
}

#[test]
fn krippendorffs_alphas_equal_the_reference() {
    let Some(cases) = cases("krippendorffs_alphas_equal_the_reference", "krippendorff_alpha.json") else {
        return;
    };
    let mut defined = 0;
    for case in &cases {
        let judgments: Vec<Vec<Option<f64>>> = case["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                numbers(row)
                    .into_iter()
                    .map(|value| (!value.is_nan()).then_some(value))
                    .collect()
            })
            .collect();
        for (field, measurement) in [
            ("nominal", Measurement::Nominal),
            ("ordinal", Measurement::Ordinal),
            ("interval", Measurement::Interval),
            ("ratio", Measurement::Ratio),
        ] {
            let what = format!("{} {field}", id(case));
            let expected = &case["expected"][field];
            let found = krippendorff_alpha(&judgments, measurement, 0.95);
            if expected
                .as_str()
                .is_some_and(|text| text.contains("Error") || text == "NaN")
            {
                assert!(found.is_err(), "{what}: {found:?}");
                continue;
            }
            let found = found.unwrap_or_else(|undefined| panic!("{what}: {undefined}"));
            assert_close(found.value, number(expected), STATISTIC, &what);
            if let Ok(interval) = found.interval {
                assert!(interval.low <= found.value && found.value <= interval.high, "{what}");
            }
            defined += 1;
        }
    }
    println!("krippendorff_alpha: {} cases, {defined} alphas", cases.len());
    assert!(defined > 0);
}
