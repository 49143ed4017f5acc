//! The papers' printed numbers under results/published, and what follows from them.

use std::collections::BTreeSet;

use serde_json::Value;
use tabjury::judge::Task;
use tabjury::report::published::contradictions::ContradictionKind;
use tabjury::report::published::counts::SamplesFrom;
use tabjury::report::published::groups::GroupVerdict;
use tabjury::report::published::{PublishedChecks, PublishedNumber, numbers, recompute, text};

use crate::support;

fn checks() -> PublishedChecks {
    recompute(&numbers().unwrap())
}

#[test]
fn published_numbers_are_tidy_and_unique() {
    let mut seen = BTreeSet::new();
    let numbers = numbers().unwrap();
    for number in &numbers {
        assert!(!number.source.is_empty() && !number.table.is_empty(), "{number:?}");
        assert!(!number.measure.is_empty() && !number.dataset.is_empty(), "{number:?}");
        assert!(
            !number.is_percentage() || (0.0..=100.0).contains(&number.value()),
            "{number:?}"
        );
        assert!(
            number.measure.contains("pearson_r") || number.value() >= 0.0,
            "{number:?}"
        );
        let key = [
            &number.source,
            &number.table,
            &number.row,
            &number.column,
            &number.method,
            &number.setting,
            &number.model,
            &number.dataset,
            &number.measure,
        ];
        assert!(seen.insert(key.map(String::clone)), "{number:?} stands twice");
    }
    assert!(!numbers.is_empty());
}

fn reference(test: &str, name: &str) -> Option<Value> {
    let path = support::reference_dir(test)?.join("papers").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(serde_json::from_str(&text).unwrap())
}

fn method(name: &str) -> &str {
    if name == "CoTable" { "Chain-of-Table" } else { name }
}

fn judge(name: &str) -> &str {
    name.strip_suffix("-Instruct")
        .or_else(|| name.strip_suffix("-Inst"))
        .unwrap_or(name)
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item.as_str().unwrap())
        .collect()
}

/// Asserts that a number stands in the tables with the place it has in the paper.
struct Printed<'a>(&'a [PublishedNumber]);

impl Printed<'_> {
    fn assert(&self, table: &str, of: &str, by: &str, dataset: &str, measure: &str, value: &Value) {
        let value = value.as_f64().unwrap();
        let found = self.0.iter().any(|number| {
            number.table == table
                && number.method == method(of)
                && judge(&number.model) == judge(by)
                && number.dataset == dataset
                && number.measure == measure
                && number.value() == value
        });
        assert!(found, "{table}, {of}, {by}, {dataset}, {measure}: {value} is missing");
    }

    fn row(&self, table: &str, methods: &[&str], by: &str, dataset: &str, measure: &str, values: &Value) {
        let values = values.as_array().unwrap();
        assert_eq!(values.len(), methods.len());
        for (method, value) in methods.iter().zip(values) {
            self.assert(table, method, by, dataset, measure, value);
        }
    }
}

#[test]
fn every_number_of_the_reference_tables_is_there() {
    let test = "every_number_of_the_reference_tables_is_there";
    let (Some(tables), Some(correlation), Some(counts)) = (
        reference(test, "pos_tables.json"),
        reference(test, "pos_correlation.json"),
        reference(test, "pos_count_checks.json"),
    ) else {
        return;
    };
    let numbers = numbers().unwrap();
    let printed = Printed(&numbers);
    let (simulation, verification) = ("simulation_accuracy_percent", "verification_accuracy_percent");
    let (methods, judges) = (strings(&tables["methods"]), strings(&tables["judges"]));
    for (index, by) in judges.iter().enumerate() {
        printed.row(
            "1a",
            &methods,
            by,
            "TabFact",
            "mean_rank",
            &tables["table1a_rank"][index],
        );
        printed.row("1b", &methods, by, "TabFact", simulation, &tables["table1b_sim"][index]);
        printed.row(
            "2",
            &methods,
            by,
            "TabFact",
            verification,
            &tables["table2_tabfact"][index],
        );
        printed.row(
            "2",
            &["DATER", "POS"],
            by,
            "WikiTQ",
            verification,
            &tables["table2_wikitq_DATER_POS"][index],
        );
    }
    printed.row("1b", &methods, "Human", "TabFact", simulation, &tables["table1b_human"]);
    let by_judge = |table: &str, measure: &str, values: &Value| {
        for (by, values) in values.as_object().unwrap() {
            printed.row(table, &methods, by, "TabFact", measure, values);
        }
    };
    by_judge("3", simulation, &tables["table3_forward"]);
    by_judge("3", verification, &tables["table3_verification"]);
    by_judge("4", "agreement_with_humans_percent", &tables["table4_agreement"]);
    printed.row(
        "4",
        &methods,
        "Human",
        "TabFact",
        "samples",
        &tables["table4_human_samples"],
    );
    let released = &tables["counts"];
    printed.row(
        "released data",
        &methods,
        "",
        "TabFact",
        "samples",
        &released["full_set_n"],
    );
    printed.row(
        "released data",
        &methods,
        "",
        "TabFact",
        "correct",
        &released["correct_n"],
    );
    let two = ["DATER", "POS"];
    printed.row(
        "released data",
        &two,
        "",
        "WikiTQ",
        "samples",
        &released["wikitq_n_DATER_POS"],
    );
    printed.row(
        "released data",
        &two,
        "",
        "WikiTQ",
        "correct",
        &released["wikitq_repo_correct_DATER_POS"],
    );
    let known = BTreeSet::from([
        "methods",
        "judges",
        "table1a_rank",
        "table1b_sim",
        "table1b_human",
        "table2_tabfact",
        "table2_wikitq_DATER_POS",
        "table3_forward",
        "table3_verification",
        "table4_agreement",
        "table4_human_samples",
        "counts",
        "expected",
    ]);
    for key in tables.as_object().unwrap().keys() {
        assert!(known.contains(key.as_str()), "{key} is not looked for");
    }

    for (task, figures) in correlation["published"].as_object().unwrap() {
        for what in ["r", "p"] {
            let measure = format!("preference_{task}_pearson_{what}");
            printed.assert(
                "Section 4.1.3",
                "all methods",
                "GPT judges",
                "TabFact",
                &measure,
                &figures[what],
            );
        }
    }
    for pair in correlation["pairs"].as_array().unwrap() {
        let (of, by) = (pair["method"].as_str().unwrap(), pair["judge"].as_str().unwrap());
        printed.assert("1a", of, by, "TabFact", "mean_rank", &pair["rank"]);
        printed.assert("1b", of, by, "TabFact", simulation, &pair["simulation"]);
        printed.assert("2", of, by, "TabFact", verification, &pair["verification"]);
    }
    for check in counts["agreement"].as_array().unwrap() {
        let (table, of) = (check["table"].to_string(), check["method"].as_str().unwrap());
        let measure = if table == "4" {
            "agreement_with_humans_percent"
        } else {
            simulation
        };
        printed.assert(
            &table,
            of,
            check["judge"].as_str().unwrap(),
            "TabFact",
            measure,
            &check["percent"],
        );
    }
    for row in counts["table7"].as_array().unwrap() {
        let group = row["size"].as_str().unwrap().to_lowercase();
        let dataset = numbers
            .iter()
            .find(|number| number.table == "7" && number.row == row["dataset"].as_str().unwrap());
        let dataset = &dataset.unwrap().dataset;
        for (measure, field) in [
            ("accuracy_percent", "percent_stated"),
            ("correct", "correct"),
            ("samples", "n"),
        ] {
            printed.assert(
                "7",
                "POS",
                "GPT-4o-mini",
                dataset,
                &format!("{measure}:size={group}"),
                &row[field],
            );
        }
    }
}

#[test]
fn every_number_of_the_reference_groups_is_there() {
    let Some(reference) = reference("every_number_of_the_reference_groups_is_there", "potable_groups.json") else {
        return;
    };
    let numbers = numbers().unwrap();
    let printed = Printed(&numbers);
    let dataset = |short: &str| {
        let of = numbers.iter().find(|number| number.table == "I" && number.row == short);
        of.unwrap_or_else(|| panic!("{short} is not in Table I"))
            .dataset
            .clone()
    };
    let grouped = |name: &str| match name {
        "simple" | "complex" => format!("difficulty={name}"),
        _ => format!("size={name}"),
    };
    for (short, sizes) in reference["table1"].as_object().unwrap() {
        for (name, value) in sizes.as_object().unwrap() {
            // The whole is printed once as what the groups do not add up to; the contradiction has its own test.
            if name != "n" {
                let measure = format!("samples:{}", grouped(name));
                printed.assert("I", "", "", &dataset(short), &measure, value);
            }
        }
    }
    for case in reference["grouped_accuracy"].as_array().unwrap() {
        let (by, dataset) = (
            case["backbone"].as_str().unwrap(),
            dataset(case["dataset"].as_str().unwrap()),
        );
        printed.assert(
            "II",
            "PoTable",
            by,
            &dataset,
            "accuracy_percent",
            &case["overall_percent"],
        );
        for groups in ["difficulty", "size"] {
            for (name, group) in case[groups].as_object().unwrap() {
                if !group["percent"].is_null() {
                    let measure = format!("accuracy_percent:{}", grouped(name));
                    printed.assert("III", "PoTable", by, &dataset, &measure, &group["percent"]);
                }
            }
        }
    }
}

#[test]
fn the_printed_correlations_follow_from_the_printed_cells() {
    let checks = checks();
    assert_eq!(checks.correlations.len(), 2);
    for found in &checks.correlations {
        let pearson = found.pearson.as_ref().unwrap();
        assert!(found.reproduced, "{:?}", found.pearson);
        assert_eq!(format!("{:.4}", pearson.r), found.printed_r);
        assert_eq!(format!("{:.4}", pearson.p), found.printed_p);
        assert_eq!((found.points.len(), found.judges, found.arms), (12, 3, 4));
        assert_eq!((found.without_arm.len(), found.without_judge.len()), (4, 3));
        // Without one method, one of them no longer differs from no correlation.
        let weakest = found.without_arm.iter().map(|part| part.pearson.as_ref().unwrap().p);
        assert!(weakest.fold(0.0, f64::max) > 0.1);
        assert!(found.within_judges.as_ref().is_ok_and(|within| within.samples == 3));
    }
}

#[test]
fn correlations_equal_the_reference() {
    let Some(reference) = reference("correlations_equal_the_reference", "pos_correlation.json") else {
        return;
    };
    let checks = checks();
    let close = |found: f64, expected: &Value, what: &str| {
        let expected = expected.as_f64().unwrap();
        assert!((found - expected).abs() < 1e-7, "{what}: {found}, expected {expected}");
    };
    for (task, name) in [(Task::Simulation, "simulation"), (Task::Verification, "verification")] {
        let found = checks.correlations.iter().find(|found| found.task == task).unwrap();
        let expected = &reference["reproduced"][name]["-rank"];
        let pearson = found.pearson.as_ref().unwrap();
        let interval = pearson.interval.as_ref().unwrap();
        close(pearson.r, &expected["pearson_r"], name);
        close(pearson.p, &expected["pearson_p_two_sided"], name);
        close(interval.low, &expected["pearson_ci95_fisher"][0], name);
        close(interval.high, &expected["pearson_ci95_fisher"][1], name);
        let spearman = found.spearman.as_ref().unwrap();
        close(spearman.coefficient, &expected["spearman_rho"], name);
        close(spearman.p, &expected["spearman_p"], name);
        let other = &reference["does_not_reproduce"][name];
        let means = found.arm_means.as_ref().unwrap();
        close(
            means.r,
            &other["method means over judges (n=4), -rank"]["pearson_r"],
            "means",
        );
        for (judge, expected) in other["per judge (n=4), -rank"].as_object().unwrap() {
            let of_judge = found.of_judge.iter().find(|part| part.name == *judge).unwrap();
            let pearson = of_judge.pearson.as_ref().unwrap();
            close(pearson.r, &expected["pearson_r"], judge);
            close(pearson.p, &expected["pearson_p_two_sided"], judge);
        }
    }
}

#[test]
fn count_checks_equal_the_reference() {
    let Some(reference) = reference("count_checks_equal_the_reference", "pos_count_checks.json") else {
        return;
    };
    let checks = checks();
    let counts = |value: &Value| -> Vec<u64> {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|count| count.as_u64().unwrap())
            .collect()
    };
    for expected in reference["agreement"].as_array().unwrap() {
        let table = expected["table"].to_string();
        let check = checks
            .counts
            .iter()
            .find(|check| {
                check.number.table == table
                    && check.number.method == method(expected["method"].as_str().unwrap())
                    && judge(&check.number.model) == judge(expected["judge"].as_str().unwrap())
                    && check.number.value() == expected["percent"].as_f64().unwrap()
                    && check.n_from == SamplesFrom::Printed
            })
            .unwrap_or_else(|| panic!("no check of {expected}"));
        assert_eq!(check.n, expected["n_stated"].as_u64().unwrap(), "{expected}");
        assert_eq!(check.counts, counts(&expected["agreements"]), "{expected}");
        let near = expected["other_n"].as_object().unwrap();
        assert_eq!(check.near.len(), near.len(), "{expected}");
        for other in &check.near {
            assert_eq!(other.counts, counts(&near[&other.n.to_string()]), "{expected}");
        }
    }
    for expected in reference["table7"].as_array().unwrap() {
        let check = checks
            .fractions
            .iter()
            .find(|check| {
                check.number.row == expected["dataset"].as_str().unwrap()
                    && check.number.column == expected["size"].as_str().unwrap()
            })
            .unwrap_or_else(|| panic!("no check of {expected}"));
        assert_eq!(check.agrees, expected["agrees"].as_bool().unwrap(), "{expected}");
        assert!((check.percent - expected["percent_from_counts"].as_f64().unwrap()).abs() < 5e-5);
    }
}

#[test]
fn groups_turn_back_into_the_counts_of_the_reference() {
    let Some(reference) = reference(
        "groups_turn_back_into_the_counts_of_the_reference",
        "potable_groups.json",
    ) else {
        return;
    };
    let (checks, numbers) = (checks(), numbers().unwrap());
    for expected in reference["grouped_accuracy"].as_array().unwrap() {
        let check = checks
            .groups
            .iter()
            .find(|check| {
                let of = numbers
                    .iter()
                    .find(|number| number.table == "I" && number.row == expected["dataset"].as_str().unwrap());
                check.table == "III"
                    && check.model == expected["backbone"].as_str().unwrap()
                    && of.is_some_and(|of| of.dataset == check.dataset)
            })
            .unwrap_or_else(|| panic!("no check of {expected}"));
        assert_eq!(check.verdict, GroupVerdict::Consistent, "{expected}");
        for grouping in &check.groupings {
            assert_eq!(grouping.correct, expected["correct"].as_u64(), "{expected}");
            assert_eq!(Some(grouping.n), expected["n"].as_u64(), "{expected}");
            for group in &grouping.groups {
                let expected = &expected[&grouping.by][&group.name];
                assert_eq!(group.correct, [expected["correct"].as_u64().unwrap()]);
                assert_eq!(Some(group.n), expected["n"].as_u64());
            }
        }
    }
}

#[test]
fn contradictions_are_found_with_both_sides() {
    let found = checks().contradictions;
    let has = |kind: ContradictionKind, printed: &[&str]| {
        found.iter().any(|contradiction| {
            contradiction.kind == kind
                && printed
                    .iter()
                    .all(|value| contradiction.numbers.iter().any(|number| number.printed == *value))
        })
    };
    assert!(has(ContradictionKind::TwoValues, &["80.98", "83.99"]));
    assert!(has(ContradictionKind::NoSettingFits, &["58.83", "58.33"]));
    assert!(has(ContradictionKind::NoSettingFits, &["82.70", "77.22", "83.45"]));
    assert!(has(ContradictionKind::SizesDoNotAddUp, &["8308", "8608"]));
    for percentage in ["56.1", "46.7", "47.8"] {
        assert!(has(ContradictionKind::NotOfItsCounts, &[percentage]));
    }
    assert!(has(ContradictionKind::GroupsDoNotAddUp, &["56.1", "59.32"]));
    assert!(has(ContradictionKind::NotOfItsSamples, &["90.59"]));
    assert!(has(ContradictionKind::CallsOfAnotherSetting, &["100", "80.98"]));
    assert!(found.iter().all(|contradiction| !contradiction.numbers.is_empty()));
    // Ranks of four and of five explanations are different quantities; the whole method and its ablations too.
    assert!(!found.iter().any(|contradiction| {
        let printed = |value: &str| contradiction.numbers.iter().any(|number| number.printed == value);
        printed("1.55") || printed("78.11")
    }));
}

#[test]
fn a_judge_that_always_says_correct_beats_most_printed_verifications() {
    let checks = checks();
    let of = |dataset: &str, gpt: bool| {
        let of = checks
            .base_rates
            .iter()
            .filter(move |check| check.number.dataset == dataset && check.number.model.starts_with("GPT") == gpt);
        (of.clone().count(), of.filter(|check| check.difference < 0.0).count())
    };
    assert_eq!(of("TabFact", true), (12, 12));
    assert_eq!(of("TabFact", false), (8, 7));
    assert_eq!(of("WikiTQ", true), (6, 1));
}

#[test]
fn the_text_says_what_the_values_say() {
    let checks = checks();
    let text = text::markdown(&checks);
    for words in [
        "0.7865",
        "0.0024",
        "0.7035",
        "0.0107",
        "pseudo-replication",
        "without method POS",
    ] {
        assert!(text.contains(words), "{words}");
    }
    for contradiction in &checks.contradictions {
        assert!(text.contains(contradiction.kind.words()));
    }
    assert!(!text.contains("NaN"));
    let json = serde_json::to_string(&checks).unwrap();
    let again: PublishedChecks = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (again.counts.len(), again.groups.len()),
        (checks.counts.len(), checks.groups.len())
    );
    assert_eq!(again.contradictions, checks.contradictions);
}
