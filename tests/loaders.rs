//! The loaders on the real upstream files: counts and digests of an independent reader; and on files that are wrong.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use tabjury::dataset::{
    Answer, DatasetError, DatasetKind, Gold, QuestionKind, Sample, Selection, Source, custom, fetaqa, load, score,
    tabfact, wikitq,
};
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

/// A directory with these files.
fn files(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = directory.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    directory
}

/// What a custom questions file gives, the directory taken out of errors.
fn custom_error(name: &str, contents: &[(&str, &str)]) -> String {
    let directory = files(contents);
    let error = custom::load(&directory.path().join(name)).unwrap_err().to_string();
    error.replace(&format!("{}/", directory.path().display()), "")
}

const TREES: (&str, &str) = (
    "trees.csv",
    "\u{feff}Tree,\"Height, m\"\r\noak,\"21\"\r\n\"the \"\"elm\"\"\n(old)\",\r\n",
);

#[test]
fn custom_questions_in_every_form() {
    let jsonl = concat!(
        r#"{"id": "a", "table": "trees.csv", "question": "Which?", "answer": ["oak", 7], "caption": "Trees"}"#,
        "\n\n",
        r#"{"id": "b", "table": "sub/trees.tsv", "statement": "Oaks.", "label": false, "groups": {"origin": "field"}}"#,
        "\n",
        r#"{"id": "c", "table": "trees.jsonl", "question": "Why?", "kind": "free_form", "answer": "Because."}"#,
        "\n",
        r#"{"id": "d", "table": "lists.jsonl", "question": "Unknown?"}"#,
        "\n",
    );
    let csv = "id,table,question,statement,answer,label,kind,caption,groups.origin\n\
               a,trees.csv,Which?,,\"[\"\"oak\"\", 7]\",,,Trees,\n\
               b,sub/trees.tsv,,Oaks.,,FALSE,,,field\n\
               c,trees.jsonl,Why?,,Because.,,free_form,,\n\
               d,lists.jsonl,Unknown?,,,,,,\n";
    let directory = files(&[
        TREES,
        ("sub/trees.tsv", "Tree\tHeight\r\n\"oak\t21\r\n"),
        (
            "trees.jsonl",
            "{\"Tree\": \"oak\", \"Height\": 21.5}\n{\"Height\": null, \"Tree\": true}\n",
        ),
        ("lists.jsonl", "[\"Tree\", \"Tree\"]\n[\"oak\", 3]\n"),
        ("q.jsonl", jsonl),
        ("q.csv", csv),
        (
            "q.tsv",
            &csv.replace("\"[\"\"oak\"\", 7]\"", "[\"oak\"; 7]")
                .replace(',', "\t")
                .replace("\"; 7", "\", 7"),
        ),
    ]);
    let samples = custom::load(&directory.path().join("q.jsonl")).unwrap();
    assert_eq!(samples, custom::load(&directory.path().join("q.csv")).unwrap());
    assert_eq!(samples, custom::load(&directory.path().join("q.tsv")).unwrap());
    let ids: Vec<&str> = samples.iter().map(|sample| sample.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    assert_eq!(
        rows(&samples[0].table),
        [["Tree", "Height, m"], ["oak", "21"], ["the \"elm\"\n(old)", ""]]
    );
    assert_eq!(rows(&samples[1].table), [["Tree", "Height"], ["\"oak", "21"]]);
    assert_eq!(
        rows(&samples[2].table),
        [["Tree", "Height"], ["oak", "21.5"], ["true", ""]]
    );
    assert_eq!(rows(&samples[3].table), [["Tree", "Tree"], ["oak", "3"]]);
    let values = vec!["oak".to_owned(), "7".to_owned()];
    assert_eq!(
        samples[0].gold,
        Some(Gold::Values {
            values,
            canon: Vec::new()
        })
    );
    assert_eq!(samples[0].caption.as_deref(), Some("Trees"));
    assert_eq!(
        (samples[1].kind, &samples[1].gold),
        (QuestionKind::FactVerification, &Some(Gold::Verdict(false)))
    );
    assert_eq!(samples[1].groups["origin"], "field");
    assert_eq!(samples[2].gold, Some(Gold::Text("Because.".to_owned())));
    assert_eq!((samples[3].dataset, &samples[3].gold), (DatasetKind::Custom, &None));
}

#[test]
fn custom_files_that_are_wrong_say_where() {
    let question = |rest: &str| format!("{{\"id\": \"a\", \"table\": \"trees.csv\", {rest}}}\n");
    let good = question("\"question\": \"Which?\"");
    let with = |second: &str| custom_error("q.jsonl", &[TREES, ("q.jsonl", &format!("{good}{second}"))]);
    let starts = |error: String, start: &str| assert!(error.starts_with(start), "{error}");
    starts(with("{\"id\": 1"), "q.jsonl, line 2: column ");
    starts(with(&good), "q.jsonl, line 2: the id `a` stands for a question before");
    let other = |rest: &str| question(rest).replace("\"a\"", "\"b\"");
    starts(
        with(&other("\"question\": \"Q\", \"hint\": 1")),
        "q.jsonl, line 2: column 57: unknown field `hint`",
    );
    starts(
        with(&other("\"answer\": \"x\"")),
        "q.jsonl, line 2: has neither a question nor a statement",
    );
    starts(
        with(&other("\"question\": \"Q\", \"statement\": \"S\"")),
        "q.jsonl, line 2: has a question and a statement",
    );
    starts(
        with(&other("\"statement\": \"S\", \"label\": \"perhaps\"")),
        "q.jsonl, line 2: the label is neither",
    );
    starts(
        with(&other("\"question\": \"Q\", \"answer\": []")),
        "q.jsonl, line 2: the list of answers is empty",
    );
    starts(
        with(&other("\"question\": \"Q\", \"answer\": {}")),
        "q.jsonl, line 2: column ",
    );
    for path in ["../trees.csv", "/etc/hosts", "sub/../../trees.csv", ""] {
        let second = other("\"question\": \"Q\"").replace("trees.csv", path);
        starts(
            with(&second),
            &format!("q.jsonl, line 2: the table `{path}` is no path below"),
        );
    }
    let missing = with(&other("\"question\": \"Q\"").replace("trees.csv", "shrubs.csv"));
    starts(
        missing,
        "q.jsonl, line 2: names the table shrubs.csv, which cannot be read: ",
    );

    let table = |name: &str, text: &str| {
        let questions = good.replace("trees.csv", name);
        custom_error("q.jsonl", &[(name, text), ("q.jsonl", &questions)])
    };
    starts(
        table("t.csv", "a,b\n1,2\n\n3\n"),
        "t.csv, line 4: the row has 1 cells, but the header has 2",
    );
    starts(
        table("t.csv", "a,b\n\"1,2\n"),
        "t.csv, line 2: the quoted field that begins here never ends",
    );
    starts(table("t.tsv", "a\tb\n1\n"), "t.tsv, line 2: the row has 1 cells");
    starts(
        table("t.jsonl", "{\"a\": 1}\n{\"b\": 1}\n"),
        "t.jsonl, line 2: has no \"a\"",
    );
    starts(
        table("t.jsonl", "{\"a\": 1}\n{\"a\": 1, \"b\": 1}\n"),
        "t.jsonl, line 2: has \"b\"",
    );
    starts(table("t.jsonl", "[\"a\"]\n[[1]]\n"), "t.jsonl, line 2: column ");
    starts(table("t.csv", ""), "t.csv, line 1: there is no table");
    starts(table("t.xlsx", "a"), "t.xlsx, line 1: the name does not say");
    let unknown_column = custom_error("q.csv", &[("q.csv", "id,table,query\na,t.csv,Q\n")]);
    starts(unknown_column, "q.csv, line 1: has a column \"query\"");

    let directory = files(&[("q.jsonl", &good)]);
    fs::write(directory.path().join("trees.csv"), b"a\nb\n\xff\n").unwrap();
    let error = custom::load(&directory.path().join("q.jsonl")).unwrap_err().to_string();
    assert!(error.contains("trees.csv, line 3: is not UTF-8"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_directory_is_not_followed() {
    let outside = files(&[TREES]);
    let directory = files(&[(
        "q.jsonl",
        "{\"id\": \"a\", \"table\": \"link.csv\", \"question\": \"Q\"}\n",
    )]);
    std::os::unix::fs::symlink(outside.path().join("trees.csv"), directory.path().join("link.csv")).unwrap();
    let error = custom::load(&directory.path().join("q.jsonl")).unwrap_err();
    assert!(matches!(error, DatasetError::Malformed { line: 1, .. }), "{error}");
}

#[test]
fn wikitq_files_that_are_wrong_say_where() {
    let header = "id\tutterance\tcontext\ttargetValue\n";
    let good = "nt-1\twhich tree?\tcsv/1-csv/1.csv\toak|e\\plm\n";
    let table = "\"Tree\",\"Said\"\n\"oak\",\"\\\"hi\\\"\\\\\"\n";
    let read = |lines: &str, more: &[(&str, &str)]| {
        let lines = format!("{header}{lines}");
        let mut contents = vec![("data/s.tsv", lines.as_str()), ("csv/1-csv/1.csv", table)];
        contents.extend(more);
        let directory = files(&contents);
        wikitq::load(directory.path(), "s").map_err(|error| {
            error
                .to_string()
                .replace(&format!("{}/", directory.path().display()), "")
        })
    };
    let samples = read(good, &[]).unwrap();
    assert_eq!(rows(&samples[0].table), [["Tree", "Said"], ["oak", "\"hi\"\\"]]);
    assert_eq!(
        samples[0].gold,
        Some(Gold::Values {
            values: vec!["oak".to_owned(), "e|lm".to_owned()],
            canon: Vec::new()
        })
    );
    let fails = |lines: &str, more: &[(&str, &str)], start: &str| {
        let error = read(lines, more).unwrap_err();
        assert!(error.starts_with(start), "{error}");
    };
    fails(
        &format!("{good}nt-2\tq\n"),
        &[],
        "data/s.tsv, line 3: has 2 fields, but the header has 4",
    );
    fails(
        &format!("{good}{good}"),
        &[],
        "data/s.tsv, line 3: the id `nt-1` stands for a question before",
    );
    fails(
        "nt-2\tq\tcsv/1-csv/2.csv\tx\n",
        &[],
        "data/s.tsv, line 2: names the table csv/1-csv/2.csv, which cannot be read: ",
    );
    fails(
        "nt-2\tq\tcsv/../../1.csv\tx\n",
        &[],
        "data/s.tsv, line 2: `csv/../../1.csv` is no path below",
    );
    fails(
        good,
        &[("csv/1-csv/1.csv", "\"a\"\n\"b\",\"c\"\n")],
        "csv/1-csv/1.csv, line 2: the row has 2 cells",
    );
    let tagged = "id\ttargetValue\ttargetCanon\nnt-9\toak\toak\n";
    fails(
        good,
        &[("tagged/data/s.tagged", tagged)],
        "tagged/data/s.tagged, line 1: has no line for `nt-1`",
    );
    let directory = files(&[("data/s.tsv", "id\tquestion\n")]);
    let error = wikitq::load(directory.path(), "s").unwrap_err().to_string();
    assert!(
        error.contains("s.tsv, line 1: the header has no field `utterance`"),
        "{error}"
    );
    assert!(matches!(
        wikitq::load(directory.path(), "../s"),
        Err(DatasetError::Split { .. })
    ));
}

#[test]
fn tabfact_files_that_are_wrong_say_where() {
    let statements = |id: &str, labels: &str| format!("{{\n  \"{id}\": [[\"a\", \"b\"], [{labels}], \"trees\"]\n}}");
    let read = |ids: &str, statements: &str, table: &str| {
        let directory = files(&[
            ("data/test_id.json", ids),
            ("data/all_csv/1.html.csv", table),
            ("tokenized_data/test_examples.json", statements),
        ]);
        tabfact::load(directory.path(), "test").map_err(|error| {
            error
                .to_string()
                .replace(&format!("{}/", directory.path().display()), "")
        })
    };
    let ids = "[\n  \"1.html.csv\"\n]";
    let table = "tree#\"height\"#\r\noak # 21 #\r\nelm##\n";
    let samples = read(ids, &statements("1.html.csv", "1, 0"), table).unwrap();
    assert_eq!(
        rows(&samples[0].table),
        [["tree", "\"height\"", ""], ["oak ", " 21 ", ""], ["elm", "", ""]]
    );
    let found: Vec<_> = samples
        .iter()
        .map(|sample| (sample.id.as_str(), sample.gold.clone().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ("1.html.csv#0", Gold::Verdict(true)),
            ("1.html.csv#1", Gold::Verdict(false))
        ]
    );
    assert_eq!(
        samples[0].groups,
        BTreeMap::from([("size".to_owned(), "small".to_owned())])
    );
    let fails = |ids: &str, statements: &str, table: &str, start: &str| {
        let error = read(ids, statements, table).unwrap_err();
        assert!(error.starts_with(start), "{error}");
    };
    fails(
        ids,
        &statements("1.html.csv", "1"),
        table,
        "tokenized_data/test_examples.json, line 2: 1.html.csv has 2 statements, but 1 labels",
    );
    fails(
        ids,
        &statements("1.html.csv", "1, 2"),
        table,
        "tokenized_data/test_examples.json, line 2: 1.html.csv has the label 2",
    );
    fails(
        ids,
        &statements("2.html.csv", "1, 0"),
        table,
        "data/test_id.json, line 2: names the table 1.html.csv, of which ",
    );
    fails(
        ids,
        "{\n  \"1.html.csv\": 7\n}",
        table,
        "tokenized_data/test_examples.json, line 2: column ",
    );
    fails(
        ids,
        &statements("1.html.csv", "1, 0"),
        "a#b\r\nc\r\n",
        "data/all_csv/1.html.csv, line 2: the row has 1 cells",
    );
    let twice = "[\"1.html.csv\", \"1.html.csv\"]";
    fails(
        twice,
        &statements("1.html.csv", "1, 0"),
        table,
        "data/test_id.json, line 1: names the table 1.html.csv twice",
    );
    let missing = statements("2.html.csv", "1, 0");
    fails(
        "[\"2.html.csv\"]",
        &missing,
        table,
        "data/test_id.json, line 1: names the table data/all_csv/2.html.csv, which cannot",
    );
    let outside = statements("../1.html.csv", "1, 0");
    fails(
        "[\"../1.html.csv\"]",
        &outside,
        table,
        "data/test_id.json, line 1: `../1.html.csv` is no file name",
    );
}

#[test]
fn sources_are_loaded_below_the_study_file() {
    let directory = files(&[
        TREES,
        (
            "q.jsonl",
            "{\"id\": \"a\", \"table\": \"trees.csv\", \"question\": \"Q\"}\n",
        ),
        (
            "rows.jsonl",
            concat!(
                r#"{"statement": "s", "label": 1, "table_caption": "", "table_text": [["a"], ["1"]], "table_id": "1.csv"}"#,
                "\n",
                r#"{"statement": "s", "label": 0, "table_caption": "c", "table_text": [["a"], ["1"]], "table_id": "1.csv"}"#,
                "\n",
            ),
        ),
        ("empty.jsonl", ""),
    ]);
    let custom = |questions: &str| Source::Custom {
        questions: questions.into(),
        select: Selection::default(),
    };
    let samples = load(&custom("q.jsonl"), directory.path(), 1).unwrap();
    assert_eq!(samples.len(), 1);
    assert!(matches!(
        load(&custom("empty.jsonl"), directory.path(), 1),
        Err(DatasetError::Empty { .. })
    ));
    assert!(matches!(
        load(&custom("none.jsonl"), directory.path(), 1),
        Err(DatasetError::Unreadable { .. })
    ));
    let rows = |split: Option<&str>| Source::Tabfact {
        path: "rows.jsonl".into(),
        split: split.map(str::to_owned),
        select: Selection {
            limit: Some(1),
            ..Selection::default()
        },
    };
    let samples = load(&rows(None), directory.path(), 1).unwrap();
    assert_eq!(
        (samples.len(), samples[0].id.as_str(), &samples[0].caption),
        (1, "test-0", &None)
    );
    assert!(matches!(
        load(&rows(Some("test")), directory.path(), 1),
        Err(DatasetError::Split { .. })
    ));
}
