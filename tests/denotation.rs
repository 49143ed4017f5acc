//! The official WikiTableQuestions matcher against the vectors of the reference implementation.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use tabjury::dataset::denotation::{
    Amount, DenotationValue, Kind, denotation_matches, distinct_values, evaluate_predictions, normalize,
};
use tabjury::dataset::wikitq::{read_tagged, unescape_list};

/// The cases of a vector file; never none, so that no test passes for want of cases.
fn cases<T: DeserializeOwned>(file: &Path) -> Vec<T> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let cases: Vec<T> = text
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", file.display())))
        .collect();
    assert!(!cases.is_empty(), "{} holds no case", file.display());
    cases
}

/// A value as the vectors write it: type and value; numbers as reals.
fn described(value: &DenotationValue) -> (String, Value) {
    match &value.kind {
        Kind::Number(amount) => ("number".to_owned(), json!(amount_text(amount))),
        Kind::Date { year, month, day } => ("date".to_owned(), json!([year, month, day])),
        Kind::Text => ("string".to_owned(), Value::Null),
    }
}

fn amount_text(amount: &Amount) -> String {
    match amount {
        Amount::Whole(digits) => digits.clone(),
        Amount::Fraction(real) => format!("{real:?}"),
    }
}

/// Numbers are written as Python writes them; the same amount may be written otherwise here.
fn same_value(ours: &Value, theirs: &Value) -> bool {
    match (ours.as_str(), theirs.as_str()) {
        (Some(ours), Some(theirs)) => {
            ours == theirs || (ours.contains(['.', 'e']) && ours.parse::<f64>().ok() == theirs.parse::<f64>().ok())
        }
        _ => ours == theirs,
    }
}

#[test]
fn normal_forms() {
    #[derive(Deserialize)]
    struct Case {
        id: String,
        raw: String,
        normalized: String,
    }
    let Some(reference) = support::reference_dir("normal_forms") else {
        return;
    };
    let cases: Vec<Case> = cases(&reference.join("wikitq_normalize.jsonl"));
    for case in &cases {
        assert_eq!(normalize(&case.raw), case.normalized, "{}: {:?}", case.id, case.raw);
    }
    println!("{} normal forms equal", cases.len());
}

#[test]
fn values() {
    #[derive(Deserialize)]
    struct Case {
        id: String,
        text: String,
        canon: Option<String>,
        r#type: String,
        value: Value,
        normalized: String,
    }
    let Some(reference) = support::reference_dir("values") else {
        return;
    };
    let cases: Vec<Case> = cases(&reference.join("wikitq_values.jsonl"));
    for case in &cases {
        let value = DenotationValue::parse(&case.text, case.canon.as_deref());
        let (kind, described) = described(&value);
        assert_eq!(kind, case.r#type, "{}", case.id);
        assert!(
            same_value(&described, &case.value),
            "{}: {described} is not {}",
            case.id,
            case.value
        );
        assert_eq!(value.normalized, case.normalized, "{}", case.id);
    }
    println!("{} values equal", cases.len());
}

#[test]
fn denotations() {
    #[derive(Deserialize)]
    struct Case {
        id: String,
        gold: Vec<String>,
        gold_canon: Option<Vec<String>>,
        predicted: Vec<String>,
        correct: bool,
        gold_values: Vec<(String, Value, String)>,
        pred_values: Vec<(String, Value, String)>,
    }
    fn assert_values(case: &str, ours: &[DenotationValue], theirs: &[(String, Value, String)]) {
        assert_eq!(ours.len(), theirs.len(), "{case}: {ours:?} is not {theirs:?}");
        for (kind, value, normalized) in theirs {
            let found = ours.iter().any(|ours| {
                let (our_kind, our_value) = described(ours);
                our_kind == *kind && same_value(&our_value, value) && ours.normalized == *normalized
            });
            assert!(found, "{case}: {ours:?} holds no {kind} {value} {normalized:?}");
        }
    }
    let Some(reference) = support::reference_dir("denotations") else {
        return;
    };
    let cases: Vec<Case> = cases(&reference.join("wikitq_denotation.jsonl"));
    for case in &cases {
        let canon = case.gold_canon.clone().unwrap_or_default();
        assert_values(&case.id, &distinct_values(&case.gold, &canon), &case.gold_values);
        assert_values(&case.id, &distinct_values(&case.predicted, &[]), &case.pred_values);
        assert_eq!(
            denotation_matches(&case.gold, &canon, &case.predicted),
            case.correct,
            "{}",
            case.id
        );
    }
    println!("{} denotations equal", cases.len());
}

#[test]
fn one_pass_unescape() {
    #[derive(Deserialize)]
    struct Case {
        id: String,
        escaped: String,
        left_to_right: Vec<String>,
    }
    let Some(reference) = support::reference_dir("one_pass_unescape") else {
        return;
    };
    let cases: Vec<Case> = cases(&reference.join("wikitq_tsv_unescape.jsonl"));
    for case in &cases {
        assert_eq!(unescape_list(&case.escaped), case.left_to_right, "{}", case.id);
    }
    println!("{} unescaped fields equal", cases.len());
}

#[test]
fn a_file_of_predictions() {
    #[derive(Deserialize)]
    struct Expected {
        summary: Summary,
        per_line: Vec<(String, Value)>,
    }
    #[derive(Deserialize)]
    struct Summary {
        examples: usize,
        correct: usize,
        accuracy: f64,
    }
    let (Some(data), Some(reference)) = (
        support::data_dir("a_file_of_predictions"),
        support::reference_dir("a_file_of_predictions"),
    ) else {
        return;
    };
    let directory = reference.join("wikitq_cli");
    let tagged = data.join("wikitq/tagged/data/pristine-unseen-tables.tagged");
    let expected: Expected =
        serde_json::from_str(&fs::read_to_string(directory.join("expected.json")).unwrap()).unwrap();
    let evaluation = evaluate_predictions(&tagged, &directory.join("predictions.tsv")).unwrap();
    // The reference has an unknown id in its place among the lines, as a warning.
    let mut lines: Vec<(usize, (String, Value))> = evaluation
        .lines
        .iter()
        .map(|line| (line.line, (line.id.clone(), json!(line.correct))))
        .chain(
            evaluation
                .unknown
                .iter()
                .map(|(line, id)| (*line, ("WARNING".to_owned(), json!(id)))),
        )
        .collect();
    lines.sort_by_key(|(line, _)| *line);
    let lines: Vec<(String, Value)> = lines.into_iter().map(|(_, result)| result).collect();
    assert_eq!(lines, expected.per_line);
    assert_eq!(evaluation.lines.len(), expected.summary.examples);
    assert_eq!(evaluation.correct(), expected.summary.correct);
    assert!((evaluation.accuracy() - expected.summary.accuracy).abs() < 5e-5);
    println!(
        "{} of {} predictions right, as in the reference; {} unknown ids",
        evaluation.correct(),
        evaluation.lines.len(),
        evaluation.unknown.len()
    );
}

#[test]
fn gold_values_are_right_and_none_is_wrong() {
    let Some(data) = support::data_dir("gold_values_are_right_and_none_is_wrong") else {
        return;
    };
    for split in ["pristine-unseen-tables", "pristine-seen-tables"] {
        let questions = read_tagged(&data.join(format!("wikitq/tagged/data/{split}.tagged"))).unwrap();
        for question in &questions {
            let right = |predicted: &[String]| denotation_matches(&question.values, &question.canon, predicted);
            assert!(right(&question.values), "{}", question.id);
            assert!(right(&question.canon), "{}", question.id);
            assert!(!right(&[]), "{}", question.id);
        }
        println!("{} questions of {split} accept their own gold values", questions.len());
    }
}

#[test]
fn an_evaluation_without_lines_has_accuracy_one() {
    let directory = tempfile::tempdir().unwrap();
    let tagged = directory.path().join("gold.tagged");
    let predictions = directory.path().join("predictions.tsv");
    fs::write(
        &tagged,
        "id\ttargetValue\ttargetCanon\nq-1\toak|elm\toak|elm\nq-2\t1,200\t1200.0\n",
    )
    .unwrap();
    fs::write(&predictions, "").unwrap();
    let evaluation = evaluate_predictions(&tagged, &predictions).unwrap();
    assert_eq!((evaluation.lines.len(), evaluation.accuracy()), (0, 1.0));

    fs::write(&predictions, "q-1\tElm\toak.\nq-9\toak\nq-2\t1200\nq-2\nq-1\toak").unwrap();
    let evaluation = evaluate_predictions(&tagged, &predictions).unwrap();
    let correct: Vec<bool> = evaluation.lines.iter().map(|line| line.correct).collect();
    assert_eq!(correct, [true, true, false, false]);
    assert_eq!(evaluation.unknown, [(2, "q-9".to_owned())]);

    fs::write(&tagged, "id\ttargetValue\ttargetCanon\nq-1\toak|elm\toak\n").unwrap();
    let error = evaluate_predictions(&tagged, &predictions).unwrap_err().to_string();
    assert!(
        error.contains("gold.tagged, line 2: targetValue has 2 items"),
        "{error}"
    );
}
