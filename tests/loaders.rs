//! The loaders on the real upstream files: counts and digests of an independent reader; and on files that are wrong.

#![allow(clippy::unwrap_used)]

#[path = "loaders/custom_and_wrong_files.rs"]
mod custom_and_wrong_files;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use tabjury::dataset::{Answer, Gold, Sample, fetaqa, score, tabfact, wikitq};
use tabjury::table::Table;

/// Header and body as rows of strings.
fn rows(table: &Table) -> Vec<Vec<&str>> {
    let header = table.columns.iter().map(|column| column.original.as_str()).collect();
    let body = table
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| cell.as_deref().unwrap()).collect());
    std::iter::once(header).chain(body).collect()
}

/// SHA-256 of a value as compact JSON, in hexadecimal digits.
fn digest(value: &impl serde::Serialize) -> String {
    let bytes = Sha256::digest(serde_json::to_vec(value).unwrap());
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn expected(data: &Path) -> Map<String, Value> {
    serde_json::from_str(&fs::read_to_string(data.join("expected.json")).unwrap()).unwrap()
}

/// Asserts every count of an object; a count that this test does not know fails it.
fn assert_counts(what: &str, expected: &Value, counts: &BTreeMap<&str, usize>) {
    for (name, value) in expected.as_object().unwrap() {
        let count = counts
            .get(name.as_str())
            .unwrap_or_else(|| panic!("{what}: nothing counts `{name}`"));
        assert_eq!(Some(*count as u64), value.as_u64(), "{what}: {name}");
    }
}

fn tables_of(samples: &[Sample]) -> usize {
    samples
        .iter()
        .map(|sample| &sample.table_id)
        .collect::<BTreeSet<_>>()
        .len()
}

fn labelled(samples: &[Sample], name: &str, label: &str) -> usize {
    samples
        .iter()
        .filter(|sample| sample.groups.get(name).is_some_and(|found| found == label))
        .count()
}

fn entailed(samples: &[Sample]) -> usize {
    samples
        .iter()
        .filter(|sample| sample.gold == Some(Gold::Verdict(true)))
        .count()
}

/// Every sample's gold answer scores as right, and no answer as wrong.
fn assert_gold_scores(samples: &[Sample]) {
    for sample in samples {
        let answer = match sample.gold.as_ref().unwrap() {
            Gold::Verdict(verdict) => Answer::Verdict(*verdict),
            Gold::Values { values, .. } => Answer::Values(values.clone()),
            Gold::Text(_) => continue,
        };
        assert_eq!(score(sample, Some(&answer)).correct(), Some(true), "{}", sample.id);
        assert_eq!(score(sample, None).correct(), Some(false), "{}", sample.id);
    }
}

#[test]
fn every_table_file() {
    #[derive(serde::Deserialize)]
    struct Expected {
        dataset: String,
        table: String,
        body_rows: usize,
        columns: usize,
        sha256: String,
    }
    let Some(data) = support::data_dir("every_table_file") else {
        return;
    };
    let list = fs::read_to_string(data.join("expected_tables.jsonl")).unwrap();
    let mut count = 0;
    for line in list.lines() {
        let expected: Expected = serde_json::from_str(line).unwrap();
        let table = match expected.dataset.as_str() {
            "wikitq" if expected.table.ends_with(".tsv") => {
                wikitq::read_table_tsv(&data.join("wikitq").join(&expected.table))
            }
            "wikitq" => wikitq::read_table_csv(&data.join("wikitq").join(&expected.table)),
            "tabfact" => tabfact::read_table(&tabfact_table(&data, &expected.table)),
            other => panic!("no reader for tables of {other}"),
        }
        .unwrap();
        assert_eq!(table.rows.len(), expected.body_rows, "{}", expected.table);
        assert_eq!(table.columns.len(), expected.columns, "{}", expected.table);
        assert_eq!(digest(&rows(&table)), expected.sha256, "{}", expected.table);
        count += 1;
    }
    assert!(count > 0);
    println!("{count} table files have the expected digest");
}

/// The list of tables names a TabFact table by its id or by its path.
fn tabfact_table(data: &Path, name: &str) -> PathBuf {
    let by_path = data.join("tabfact").join(name);
    if by_path.is_file() {
        by_path
    } else {
        data.join("tabfact/data/all_csv").join(name)
    }
}

#[test]
fn wikitq_splits() {
    let Some(data) = support::data_dir("wikitq_splits") else {
        return;
    };
    let expected = expected(&data);
    let root = data.join("wikitq");
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for (split, counts) in expected["wikitq"]["splits"].as_object().unwrap() {
        let samples = wikitq::load(&root, split).unwrap();
        let multi_item =
            |sample: &&Sample| matches!(&sample.gold, Some(Gold::Values { values, .. }) if values.len() > 1);
        assert_counts(
            split,
            counts,
            &BTreeMap::from([
                ("questions", samples.len()),
                ("tables", tables_of(&samples)),
                ("multi_item_answers", samples.iter().filter(multi_item).count()),
                ("simple", labelled(&samples, "difficulty", "simple")),
                ("complex", labelled(&samples, "difficulty", "complex")),
                ("small", labelled(&samples, "size", "small")),
                ("medium", labelled(&samples, "size", "medium")),
                ("large", labelled(&samples, "size", "large")),
            ]),
        );
        assert_gold_scores(&samples);
        let tagged = root.join(format!("tagged/data/{split}.tagged")).is_file();
        for sample in samples {
            let Some(Gold::Values { values, canon }) = &sample.gold else {
                panic!("{} has no values", sample.id);
            };
            assert_eq!(canon.len(), if tagged { values.len() } else { 0 }, "{}", sample.id);
            tables.insert(sample.table_id, sample.table);
        }
    }
    // Some tables have no question in any split here, so the totals count table files.
    let files: Vec<Table> = fs::read_dir(root.join("csv"))
        .unwrap()
        .flat_map(|directory| fs::read_dir(directory.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "csv"))
        .map(|file| wikitq::read_table_csv(&file).unwrap())
        .collect();
    assert!(tables.len() <= files.len());
    let mut totals = expected["wikitq"].clone();
    totals.as_object_mut().unwrap().remove("splits");
    assert_counts(
        "wikitq",
        &totals,
        &BTreeMap::from([
            ("tables", files.len()),
            ("body_rows", files.iter().map(|table| table.rows.len()).sum()),
            ("body_cells", files.iter().map(Table::cell_count).sum()),
        ]),
    );
    println!("{} tables of WikiTableQuestions have the expected counts", files.len());
}

#[test]
fn tabfact_splits() {
    let Some(data) = support::data_dir("tabfact_splits") else {
        return;
    };
    let expected = expected(&data);
    let root = data.join("tabfact");
    for (split, counts) in expected["tabfact"]["splits"].as_object().unwrap() {
        let samples = tabfact::load(&root, split).unwrap();
        let labels = ["simple", "complex"].map(|label| labelled(&samples, "difficulty", label));
        let small = if split == "test" {
            let [small, simple, complex] =
                ["small_test", "simple_test", "complex_test"].map(|part| tabfact::load(&root, part).unwrap());
            assert_eq!(labelled(&simple, "difficulty", "simple"), simple.len());
            assert_eq!(labelled(&complex, "difficulty", "complex"), complex.len());
            assert_eq!([simple.len(), complex.len()], labels);
            small.len()
        } else {
            0
        };
        assert_counts(
            split,
            counts,
            &BTreeMap::from([
                ("tables", tables_of(&samples)),
                ("statements", samples.len()),
                ("entailed", entailed(&samples)),
                ("small", small),
                ("simple", labels[0]),
                ("complex", labels[1]),
            ]),
        );
        assert_eq!(samples[0].id, format!("{}#0", samples[0].table_id));
        assert_gold_scores(&samples);
        println!("{} statements of {split} have the expected counts", samples.len());
    }
    let files: Vec<Table> = fs::read_dir(root.join("data/all_csv"))
        .unwrap()
        .map(|file| tabfact::read_table(&file.unwrap().path()).unwrap())
        .collect();
    let mut totals = expected["tabfact"].clone();
    totals
        .as_object_mut()
        .unwrap()
        .retain(|name, _| name != "splits" && name != "chain_of_table");
    assert_counts(
        "tabfact",
        &totals,
        &BTreeMap::from([
            ("tables", files.len()),
            ("body_rows", files.iter().map(|table| table.rows.len()).sum()),
            ("body_cells", files.iter().map(Table::cell_count).sum()),
        ]),
    );
}

#[test]
fn chain_of_table_rows() {
    let Some(data) = support::data_dir("chain_of_table_rows") else {
        return;
    };
    let mut counts = expected(&data)["tabfact"]["chain_of_table"].clone();
    let samples = tabfact::load_chain_of_table(&data.join("tabfact/chain_of_table/test.jsonl")).unwrap();
    let tables_digest = counts.as_object_mut().unwrap().remove("tables_sha256").unwrap();
    let tables: Vec<_> = samples.iter().map(|sample| rows(&sample.table)).collect();
    assert_eq!(Some(digest(&tables).as_str()), tables_digest.as_str());
    assert_counts(
        "chain_of_table",
        &counts,
        &BTreeMap::from([
            ("rows", samples.len()),
            ("tables", tables_of(&samples)),
            ("entailed", entailed(&samples)),
            ("simple", labelled(&samples, "difficulty", "simple")),
            ("complex", labelled(&samples, "difficulty", "complex")),
            ("small", labelled(&samples, "size", "small")),
            ("medium", labelled(&samples, "size", "medium")),
            ("large", labelled(&samples, "size", "large")),
        ]),
    );
    assert!(samples.iter().all(|sample| sample.groups.contains_key("difficulty")));
    assert_eq!(samples[1].id, "test-1");
    assert_gold_scores(&samples);
    println!(
        "{} rows of Chain-of-Table have the expected counts and digest",
        samples.len()
    );
}

#[test]
fn fetaqa_files() {
    let Some(data) = support::data_dir("fetaqa_files") else {
        return;
    };
    for (split, mut counts) in expected(&data)["fetaqa"].as_object().unwrap().clone() {
        let samples = fetaqa::load(&data.join(format!("fetaqa/data/fetaQA-v1_{split}.jsonl"))).unwrap();
        let counts = counts.as_object_mut().unwrap();
        let tables: Vec<_> = samples.iter().map(|sample| rows(&sample.table)).collect();
        let words: Vec<_> = samples
            .iter()
            .map(|sample| match &sample.gold {
                Some(Gold::Text(answer)) => [&sample.question, answer],
                other => panic!("{}: {other:?} is no sentence", sample.id),
            })
            .collect();
        assert_eq!(counts.remove("tables_sha256"), Some(digest(&tables).into()), "{split}");
        assert_eq!(
            counts.remove("questions_and_answers_sha256"),
            Some(digest(&words).into()),
            "{split}"
        );
        let counted = BTreeMap::from([("rows", samples.len()), ("tables", tables_of(&samples))]);
        assert_counts(&split, &Value::Object(counts.clone()), &counted);
        println!("{} rows of FeTaQA's {split} have the expected digests", samples.len());

        let wrapper = data.join(format!("fetaqa/end2end/data/fetaQA-v1_{split}.json"));
        if wrapper.is_file() {
            let sorted = |mut samples: Vec<Sample>| {
                samples.sort_by(|one, other| one.id.cmp(&other.id));
                samples
            };
            assert_eq!(sorted(fetaqa::load(&wrapper).unwrap()), sorted(samples));
        }
    }
}
