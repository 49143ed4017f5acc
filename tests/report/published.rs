//! The papers' printed numbers under results/published.

use std::collections::{BTreeMap, BTreeSet};

#[derive(serde::Deserialize)]
struct PublishedNumber {
    source: String,
    table: String,
    method: String,
    model: String,
    dataset: String,
    measure: String,
    value: f64,
}

fn published(name: &str) -> Vec<PublishedNumber> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("results/published")
        .join(name);
    csv::Reader::from_path(path)
        .unwrap()
        .deserialize()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn published_numbers_are_tidy_and_unique() {
    for name in ["question_answering.csv", "groups.csv", "judges.csv", "efficiency.csv"] {
        let mut seen = BTreeSet::new();
        for number in published(name) {
            assert!(
                number.value.is_finite() && number.value >= 0.0,
                "{name}: {}",
                number.value
            );
            assert!(
                !number.measure.contains("percent") || number.value <= 100.0,
                "{name}: {}",
                number.value
            );
            let key = [
                number.source,
                number.table,
                number.method,
                number.model,
                number.dataset,
                number.measure,
            ];
            assert!(!key[5].is_empty() && !key[0].is_empty(), "{name}: {key:?}");
            assert!(seen.insert(key.clone()), "{name}: {key:?} stands twice");
        }
        assert!(!seen.is_empty(), "{name} is empty");
    }
}

#[test]
fn published_correlations_follow_from_the_published_tables() {
    let numbers = published("judges.csv");
    let cells = |table: &str, measure: &str| -> BTreeMap<(String, String), f64> {
        let of_table = numbers.iter().filter(|number| {
            number.table == table
                && number.measure == measure
                && number.dataset == "TabFact"
                && number.model.starts_with("GPT")
        });
        of_table
            .map(|number| ((number.model.clone(), number.method.clone()), number.value))
            .collect()
    };
    let ranks: Vec<f64> = cells("1a", "mean_rank").values().map(|rank| -rank).collect();
    assert_eq!(ranks.len(), 12);
    for (table, task) in [("1b", "simulation"), ("2", "verification")] {
        let accuracies: Vec<f64> = cells(table, &format!("{task}_accuracy_percent"))
            .into_values()
            .collect();
        let printed = |what: &str| {
            let measure = format!("preference_{task}_pearson_{what}");
            numbers.iter().find(|number| number.measure == measure).unwrap().value
        };
        let pearson = tabjury::stats::correlation::pearson(&ranks, &accuracies, 0.95).unwrap();
        assert!((pearson.r - printed("r")).abs() < 5e-5, "{task}: r = {}", pearson.r);
        assert!((pearson.p - printed("p")).abs() < 5e-5, "{task}: p = {}", pearson.p);
    }
}
