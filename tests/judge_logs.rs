//! Published answers of real judges, read again: every one as its recorded value or as a typed failure, none wrongly,
//! and the counts that follow from them as recorded.

#![allow(clippy::unwrap_used, reason = "in a test a missing value is a failure")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

use serde_json::Value;
use tabjury::judge::NoVerdict;
use tabjury::judge::read::{Completeness, Unread, read_binary, read_binary_guess, read_ranking};

fn rows(directory: &Path, file: &str) -> Vec<Value> {
    let path = directory.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows: Vec<Value> = text
        .split('\n')
        .filter(|line| !line.is_empty())
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}, line {}: {error}", index + 1))
        })
        .collect();
    assert!(!rows.is_empty(), "{file} is empty");
    rows
}

fn expected(directory: &Path) -> Value {
    let text = std::fs::read_to_string(directory.join("expected.json")).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    whole["this_folder"].clone()
}

fn logs(test: &str) -> Option<std::path::PathBuf> {
    support::data_dir(test).map(|data| data.join("judge_logs"))
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is not text in {row}"))
}

fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected
        .as_f64()
        .unwrap_or_else(|| panic!("{what}: no number recorded"));
    assert!((found - expected).abs() < 1e-12, "{what}: {found}, recorded {expected}");
}

/// Counts of what was read, and a panic on the first wrong reading.
#[derive(Default)]
struct Tally {
    read: usize,
    failures: BTreeMap<NoVerdict, usize>,
}

impl Tally {
    fn add<T: PartialEq + Debug>(&mut self, found: &Result<T, Unread>, accepted: &[T], raw: &str) {
        match found {
            Ok(value) => {
                assert!(
                    accepted.contains(value),
                    "read {value:?}, recorded {accepted:?}, from: {raw}"
                );
                self.read += 1;
            }
            Err(unread) => {
                println!("{:?} ({unread}): {raw:?}", unread.state);
                *self.failures.entry(unread.state).or_default() += 1;
            }
        }
    }

    fn failed(&self) -> usize {
        self.failures.values().sum()
    }

    fn print(&self, what: &str) {
        println!(
            "{what}: {} read as recorded, typed failures {:?}",
            self.read, self.failures
        );
    }
}

#[test]
fn preference_rankings_are_read_as_recorded() {
    let Some(directory) = logs("preference_rankings_are_read_as_recorded") else {
        return;
    };
    let rows = rows(&directory, "preference_rankings.jsonl");
    let mut labels = strings(&rows[0]["order"]);
    labels.sort();
    let mut tally = Tally::default();
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for row in &rows {
        let raw = text(row, "ranking_text");
        let recorded: Vec<usize> = strings(&row["order"])
            .iter()
            .map(|name| labels.iter().position(|label| label == name).unwrap())
            .collect();
        // Many of these texts were cut at the token limit.
        for completeness in [Completeness::Whole, Completeness::Cut] {
            let found = read_ranking(raw, &labels, completeness);
            tally.add(&found, std::slice::from_ref(&recorded), raw);
            if completeness == Completeness::Whole {
                orders.extend(found.ok());
            }
        }
    }
    tally.print("preference_rankings (whole and as cut)");
    assert_eq!(tally.failed(), 0, "every text of this file holds one clear ranking");

    let expected = &expected(&directory)["preference"];
    assert_eq!(expected["n"], orders.len());
    let n = orders.len() as f64;
    let place = |order: &[usize], arm: usize| order.iter().position(|found| *found == arm).unwrap();
    for (arm, name) in labels.iter().enumerate() {
        let ranks: usize = orders.iter().map(|order| place(order, arm) + 1).sum();
        close(ranks as f64 / n, &expected["average_rank"][name], name);
        let points: usize = orders.iter().map(|order| order.len() - place(order, arm)).sum();
        assert_eq!(expected["points_4_to_1"][name], points, "{name}");
        let firsts = orders.iter().filter(|order| order[0] == arm).count();
        assert_eq!(expected["first_place"][name], firsts, "{name}");
        for (other, other_name) in labels.iter().enumerate().filter(|(other, _)| *other != arm) {
            let wins = orders
                .iter()
                .filter(|order| place(order, arm) < place(order, other))
                .count();
            assert_eq!(expected["wins"][name][other_name], wins, "{name} over {other_name}");
        }
    }
}

/// `llm_response` is the text of one of the `individual_rankings`. A row with fewer rankings than the others lost one,
/// perhaps the one that this text gives; then the text has no recorded value to differ from.
#[test]
fn rankings_with_reasons_are_one_of_the_recorded_ones() {
    let Some(directory) = logs("rankings_with_reasons_are_one_of_the_recorded_ones") else {
        return;
    };
    let rows = rows(&directory, "preference_rankings_3_runs.jsonl");
    let labels: Vec<String> = rows[0]["aggregated_ranking"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let runs = |row: &Value| row["individual_rankings"].as_array().unwrap().clone();
    let most = rows.iter().map(|row| runs(row).len()).max().unwrap();
    let mut tally = Tally::default();
    let (mut last, mut unrecorded) = (0, 0);
    for row in &rows {
        let recorded: Vec<Vec<usize>> = runs(row)
            .iter()
            .map(|ranks| {
                let mut order: Vec<usize> = (0..labels.len()).collect();
                order.sort_by_key(|label| ranks[labels[*label].as_str()].as_u64().unwrap());
                order
            })
            .collect();
        let raw = text(row, "llm_response");
        let found = read_ranking(raw, &labels, Completeness::Whole);
        match &found {
            Ok(order) if recorded.len() < most && !recorded.contains(order) => unrecorded += 1,
            _ => tally.add(&found, &recorded, raw),
        }
        last += usize::from(found.ok().as_ref() == recorded.last());
    }
    tally.print("preference_rankings_3_runs");
    println!(
        "{last} of {} are the last recorded ranking; {unrecorded} of a lost run",
        rows.len()
    );
    assert_eq!(tally.failed(), 0);

    let expected = &expected(&directory)["preference_3_runs"];
    assert_eq!(expected["n"], rows.len());
    for label in &labels {
        let sum: f64 = rows
            .iter()
            .map(|row| row["aggregated_ranking"][label].as_f64().unwrap())
            .sum();
        close(
            sum / rows.len() as f64,
            &expected["mean_of_aggregated_rank"][label],
            label,
        );
    }
}

#[test]
fn simulated_answers_are_read_as_recorded() {
    let Some(directory) = logs("simulated_answers_are_read_as_recorded") else {
        return;
    };
    let rows = rows(&directory, "forward_sim_text2sql.jsonl");
    let mut tally = Tally::default();
    let mut right = 0_usize;
    for row in &rows {
        let raw = text(row, "LLM_guess");
        let recorded = match raw.to_lowercase().as_str() {
            "true" => vec![true],
            "false" => vec![false],
            _ => Vec::new(),
        };
        let found = read_binary_guess(raw, &["true"], &["false"], Completeness::Whole);
        tally.add(&found, &recorded, raw);
        right +=
            usize::from(found.is_ok_and(|guess| guess == text(row, "Actual_Prediction").eq_ignore_ascii_case("true")));
    }
    tally.print("forward_sim_text2sql");
    let expected = &expected(&directory)["forward_sim_text2sql"];
    assert_eq!(expected["n"], rows.len());
    assert_eq!(expected["correct"], right);
    close(right as f64 / rows.len() as f64, &expected["accuracy"], "accuracy");
}

#[derive(Default)]
struct Run {
    n: usize,
    correct: usize,
    yes: usize,
    no: usize,
    unparsable: usize,
}

#[test]
fn verifications_are_read_as_recorded() {
    let Some(directory) = logs("verifications_are_read_as_recorded") else {
        return;
    };
    let expected = expected(&directory);
    let mut tally = Tally::default();
    let mut read_runs = |file: &str| {
        let mut runs: BTreeMap<String, Run> = BTreeMap::new();
        for row in rows(&directory, file) {
            let raw = text(&row, "LLM_analysis");
            let recorded = match raw {
                "Yes" => vec![true],
                "No" => vec![false],
                _ => Vec::new(),
            };
            let found = read_binary(raw, &["yes"], &["no"], Completeness::Whole);
            tally.add(&found, &recorded, raw);
            let run = runs.entry(text(&row, "run").to_owned()).or_default();
            run.n += 1;
            match found {
                Ok(true) => run.yes += 1,
                Ok(false) => run.no += 1,
                Err(_) => run.unparsable += 1,
            }
            let actual = text(&row, "Actual_Correctness") == "Yes";
            run.correct += usize::from(found.is_ok_and(|verdict| verdict == actual));
        }
        runs
    };
    let tabfact = read_runs("verification_tabfact.jsonl");
    let wikitq = read_runs("verification_wikitq.jsonl");
    tally.print("verification");

    let check = |name: &str, run: &Run, recorded: &Value| {
        assert_eq!(recorded["n"], run.n, "{name}");
        assert_eq!(recorded["correct"], run.correct, "{name}");
        assert_eq!(recorded["llm_yes"], run.yes, "{name}");
        assert_eq!(recorded["llm_no"], run.no, "{name}");
        assert_eq!(recorded["unparsable"], run.unparsable, "{name}");
        close(run.correct as f64 / run.n as f64, &recorded["accuracy"], name);
    };
    let recorded_runs = expected["verification_tabfact"].as_object().unwrap();
    assert_eq!(recorded_runs.len(), tabfact.len());
    for (name, recorded) in recorded_runs {
        check(name, &tabfact[name], recorded);
    }
    assert_eq!(wikitq.len(), 1);
    for (name, run) in &wikitq {
        check(&format!("WikiTQ {name}"), run, &expected["verification_wikitq_pos"]);
    }
}
