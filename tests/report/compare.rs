//! A made-up run beside published numbers: nothing is called comparable that is not.

use std::collections::BTreeMap;

use tabjury::dataset::DatasetKind;
use tabjury::judge::Task;
use tabjury::report::compare::{ComparedPair, ObstacleKind, RunProtocol, Split, compare, text};
use tabjury::report::published::{PublishedNumber, numbers};
use tabjury::report::quantities::Proportion;
use tabjury::report::{Analysis, analyze};

use crate::made_up::records;

/// The made-up run, as if it had answered TabFact with a model that papers name, on so many samples.
fn run(right: u64, n: u64) -> Analysis {
    let mut records = records();
    for sample in &mut records.samples {
        sample.dataset = DatasetKind::Tabfact;
    }
    for model in &mut records.study.models {
        model.identifier = Some("openai/gpt-4o-mini".to_owned());
    }
    let mut analysis = analyze(&records);
    for group in &mut analysis.answerers[0].groups {
        if group.label == "dataset" {
            group.accuracy = Proportion::new(right, n, 0.95);
        }
    }
    analysis
}

fn small_test() -> RunProtocol {
    RunProtocol {
        splits: vec![Split {
            name: Some("TabFact small test".to_owned()),
            selected: false,
        }],
        settings: BTreeMap::new(),
        differences: BTreeMap::new(),
    }
}

fn number(measure: &str, dataset: &str, printed: &str, n: Option<u64>) -> PublishedNumber {
    PublishedNumber {
        source: "A paper".to_owned(),
        table: "1".to_owned(),
        row: String::new(),
        column: String::new(),
        method: "POS".to_owned(),
        setting: String::new(),
        model: "GPT-4o-mini".to_owned(),
        dataset: dataset.to_owned(),
        measure: measure.to_owned(),
        printed: printed.to_owned(),
        n,
    }
}

fn kinds(pair: &ComparedPair) -> Vec<ObstacleKind> {
    pair.obstacles.iter().map(|obstacle| obstacle.kind).collect()
}

#[test]
fn the_same_method_model_and_samples_can_be_compared() {
    let numbers = [number("accuracy_percent", "TabFact small test", "88.0", Some(1000))];
    let found = compare(&run(900, 1000), &small_test(), &numbers);
    let pair = &found.pairs[0];
    assert!(pair.comparable, "{:?}", pair.obstacles);
    assert!((pair.value - 90.0).abs() < 1e-9 && (pair.difference - 2.0).abs() < 1e-9);
    let (own, moved) = (
        pair.interval.as_ref().unwrap(),
        pair.difference_interval.as_ref().unwrap(),
    );
    assert!((own.low - 88.0 - moved.low).abs() < 1e-9 && (own.high - 88.0 - moved.high).abs() < 1e-9);
    assert!(text::markdown(&found).contains("## Comparable"));
}

#[test]
fn each_difference_is_an_obstacle_of_its_own() {
    let published = || number("accuracy_percent", "TabFact small test", "88.0", Some(1000));
    let against = |analysis: &Analysis, protocol: &RunProtocol, number: PublishedNumber| {
        let found = compare(analysis, protocol, &[number]);
        assert!(!found.pairs[0].comparable);
        kinds(&found.pairs[0])
    };
    let (analysis, protocol) = (run(900, 1000), small_test());
    let other = PublishedNumber {
        model: "GPT-4o".to_owned(),
        ..published()
    };
    assert_eq!(against(&analysis, &protocol, other), [ObstacleKind::OtherModel]);
    let fewer = run(450, 500);
    let kinds = against(&fewer, &protocol, published());
    assert_eq!(kinds, [ObstacleKind::OtherSamples]);
    assert_eq!(
        against(
            &run(9, 10),
            &protocol,
            number("accuracy_percent", "TabFact small test", "90.0", Some(10))
        ),
        [ObstacleKind::TooFewSamples]
    );
    let mut selected = small_test();
    selected.splits[0].selected = true;
    assert_eq!(against(&analysis, &selected, published()), [ObstacleKind::OtherSamples]);
    let complex = number("accuracy_percent", "TabFact complex test", "88.0", Some(1000));
    assert_eq!(against(&analysis, &protocol, complex), [ObstacleKind::OtherSamples]);
    let planned = PublishedNumber {
        setting: "one-step planning".to_owned(),
        ..published()
    };
    assert_eq!(against(&analysis, &protocol, planned), [ObstacleKind::OtherSetting]);
    let doubtful = number("accuracy_percent", "TabFact small test", "88.04", Some(1000));
    assert_eq!(against(&analysis, &protocol, doubtful), [ObstacleKind::DoubtfulNumber]);
    let mut scripted = run(900, 1000);
    scripted.scripted = true;
    assert_eq!(
        against(&scripted, &protocol, published()),
        [ObstacleKind::ScriptedAnswers]
    );
}

#[test]
fn judged_figures_say_who_judged_what_otherwise() {
    let mut protocol = small_test();
    protocol
        .differences
        .insert(Task::Preference, vec!["blind labels".to_owned()]);
    let found = compare(&run(900, 1000), &protocol, &numbers().unwrap());
    assert!(found.pairs.iter().all(|pair| !pair.comparable));
    let rank = found
        .pairs
        .iter()
        .find(|pair| pair.measure == "mean_rank" && pair.published.model == "GPT-4o-mini")
        .unwrap();
    let kinds = kinds(rank);
    for kind in [
        ObstacleKind::OtherArms,
        ObstacleKind::OtherProtocol,
        ObstacleKind::OtherView,
    ] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    assert!(!kinds.contains(&ObstacleKind::OtherModel));
    // Ablations are no published figures of the whole method, and released counts no printed ones.
    assert!(
        found
            .pairs
            .iter()
            .all(|pair| !pair.published.setting.starts_with("with"))
    );
    assert!(found.pairs.iter().all(|pair| !pair.published.is_released()));
    let text = text::markdown(&found);
    assert!(text.contains("None can be compared") && text.contains("other pages"));
}

#[test]
fn what_nobody_published_is_said() {
    let found = compare(&analyze(&records()), &RunProtocol::default(), &numbers().unwrap());
    assert!(found.pairs.is_empty() && !found.unmatched.is_empty());
    assert!(text::markdown(&found).contains("## Nothing published"));
}
