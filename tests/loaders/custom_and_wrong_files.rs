//! A user's own files, and files of every kind that are wrong: the error says where.

use std::collections::BTreeMap;
use std::fs;

use pretty_assertions::assert_eq;

use tabjury::dataset::{
    DatasetError, DatasetKind, Gold, QuestionKind, Selection, Source, custom, load, tabfact, wikitq,
};

use super::rows;

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
    for nothing in ["\"question\": \"\"", "\"statement\": \" \\n\", \"label\": true"] {
        starts(with(&other(nothing)), "q.jsonl, line 2: asks nothing");
    }
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
