//! The demonstrations in prompts: their SQL runs and gives the stated answers, and none of them is in a data set.

#![allow(clippy::expect_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tabjury::dataset::{Answer, QuestionKind};
use tabjury::engine::Engine;
use tabjury::method::demonstrations::{demonstrations, step_demonstrations};
use tabjury::table::Table;
use tabjury::trace::RowSources;

const KINDS: [QuestionKind; 3] = [
    QuestionKind::FactVerification,
    QuestionKind::ShortAnswer,
    QuestionKind::FreeForm,
];

/// The cells of a statement's result, row by row.
fn run(table: &Table, statement: &str) -> Table {
    let origins = RowSources::each_from_itself(table.rows.len());
    Engine::default()
        .run(table, &origins, statement)
        .unwrap_or_else(|error| panic!("{statement}: {error}"))
        .table
}

fn cells(table: &Table) -> Vec<Option<String>> {
    table.rows.iter().flatten().cloned().collect()
}

fn some(values: &[String]) -> Vec<Option<String>> {
    values.iter().cloned().map(Some).collect()
}

#[test]
fn there_are_enough_of_every_kind() {
    let verification = demonstrations(QuestionKind::FactVerification);
    let short_answer = demonstrations(QuestionKind::ShortAnswer);
    assert!(verification.len() >= 10 && short_answer.len() >= 10);
    assert!(demonstrations(QuestionKind::FreeForm).len() >= 3);
    assert!(
        step_demonstrations()
            .iter()
            .map(|shown| shown.steps.len())
            .sum::<usize>()
            >= 10
    );
    // Few-shot shows the first four verifications: half of them must be true.
    for count in [4, verification.len()] {
        let entailed = verification[..count]
            .iter()
            .filter(|shot| shot.answer == Answer::Verdict(true))
            .count();
        assert_eq!(entailed, count / 2);
    }
}

#[test]
fn every_plan_gives_its_answer() {
    for shot in KINDS.into_iter().flat_map(demonstrations) {
        let last = shot
            .plan
            .iter()
            .fold(shot.table.clone(), |table, step| run(&table, &step.sql));
        assert!(!shot.values.is_empty(), "{}", shot.question);
        assert_eq!(cells(&last), some(&shot.values), "{}", shot.question);
        match &shot.answer {
            Answer::Verdict(verdict) => {
                assert_eq!(last.columns[0].sql, "verification_result");
                assert_eq!(shot.values, [if *verdict { "TRUE" } else { "FALSE" }]);
            }
            Answer::Values(values) => {
                assert_eq!(last.columns.len(), 1, "{}", shot.question);
                assert_eq!(values, &shot.values);
            }
            Answer::Text(sentence) => {
                for value in &shot.values {
                    assert!(sentence.contains(value.as_str()), "{sentence}: {value}");
                }
            }
        }
    }
}

#[test]
fn every_single_statement_gives_its_answer() {
    for kind in [QuestionKind::FactVerification, QuestionKind::ShortAnswer] {
        for shot in demonstrations(kind) {
            let statement = shot.sql.as_deref().expect("a statement");
            let result = run(&shot.table, statement);
            assert_eq!(cells(&result), some(&shot.values), "{}", shot.question);
            assert_eq!(result.columns.len(), 1, "{}", shot.question);
        }
    }
}

#[test]
fn every_single_step_gives_its_result() {
    for shown in step_demonstrations() {
        for step in &shown.steps {
            let result = run(&shown.table, &step.sql);
            let wanted: Vec<Vec<Option<String>>> = step.result.iter().map(|row| some(row)).collect();
            assert!(!wanted.is_empty(), "{}", step.step);
            assert_eq!(result.rows, wanted, "{}", step.step);
        }
    }
}

/// What of a data set a demonstration could overlap with, normalised.
#[derive(Default)]
struct Corpus {
    texts: BTreeSet<String>,
    /// Runs of [`RUN`] words of the texts.
    runs: BTreeSet<String>,
    captions: BTreeSet<String>,
    rows: BTreeSet<BTreeSet<String>>,
    headers: BTreeSet<BTreeSet<String>>,
    tables: usize,
}

/// Words in a row that two texts do not share by chance.
const RUN: usize = 6;
/// Telling cells of a row, or names of a header, that two tables do not share by chance.
const TELLING: usize = 3;

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn normalised(text: &str) -> String {
    words(text).join(" ")
}

fn runs(text: &str) -> Vec<String> {
    words(text).windows(RUN).map(|run| run.join(" ")).collect()
}

/// The cells that tell a row from others: longer than one sign and not only a missing-value mark.
fn telling<'a>(cells: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    cells
        .map(normalised)
        .filter(|cell| cell.chars().count() > 1 && !["n a", "none", "nan", "yes", "no"].contains(&cell.as_str()))
        .collect()
}

impl Corpus {
    fn add_text(&mut self, text: &str) {
        self.texts.insert(normalised(text));
        self.runs.extend(runs(text));
    }

    fn add_table(&mut self, table: &[Vec<String>]) {
        let mut rows = table.iter().map(|row| telling(row.iter().map(String::as_str)));
        self.headers.extend(rows.next());
        self.rows.extend(rows);
        self.tables += 1;
    }

    fn text_overlap(&self, text: &str) -> Option<String> {
        if self.texts.contains(&normalised(text)) {
            return Some(text.to_owned());
        }
        runs(text).into_iter().find(|run| self.runs.contains(run))
    }

    fn table_overlap(&self, caption: &str, table: &Table) -> Option<String> {
        if self.captions.contains(&normalised(caption)) {
            return Some(format!("caption {caption}"));
        }
        let header = telling(table.columns.iter().map(|column| column.original.as_str()));
        if header.len() >= TELLING && self.headers.contains(&header) {
            return Some(format!("header {header:?}"));
        }
        table
            .rows
            .iter()
            .map(|row| telling(row.iter().flatten().map(String::as_str)))
            .find(|row| row.len() >= TELLING && self.rows.contains(row))
            .map(|row| format!("row {row:?}"))
    }
}

fn text_rows(value: &serde_json::Value) -> Vec<Vec<String>> {
    let rows = value.as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let cells = row.as_array().expect("cells");
            cells
                .iter()
                .map(|cell| cell.as_str().unwrap_or_default().to_owned())
                .collect()
        })
        .collect()
}

fn objects(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn files(directory: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    paths
}

fn corpus(data: &Path) -> Corpus {
    let mut corpus = Corpus::default();
    let tabfact = data.join("tabfact");
    for path in files(&tabfact.join("data/all_csv"), ".csv") {
        let text = fs::read_to_string(path).expect("text");
        let rows: Vec<Vec<String>> = text
            .lines()
            .map(|line| line.trim_end_matches('\r').split('#').map(str::to_owned).collect())
            .collect();
        corpus.add_table(&rows);
    }
    for path in files(&tabfact.join("tokenized_data"), "_examples.json") {
        let text = fs::read_to_string(path).expect("text");
        let tables: BTreeMap<String, (Vec<String>, serde_json::Value, String)> =
            serde_json::from_str(&text).expect("JSON");
        for (statements, _, caption) in tables.values() {
            statements.iter().for_each(|statement| corpus.add_text(statement));
            corpus.captions.insert(normalised(caption));
        }
    }
    for path in files(&tabfact.join("chain_of_table"), ".jsonl") {
        for entry in objects(&path) {
            corpus.add_text(entry["statement"].as_str().expect("statement"));
            corpus
                .captions
                .insert(normalised(entry["table_caption"].as_str().unwrap_or_default()));
            corpus.add_table(&text_rows(&entry["table_text"]));
        }
    }
    let wikitq = data.join("wikitq");
    for path in files(&wikitq.join("data"), ".tsv") {
        let text = fs::read_to_string(path).expect("text");
        for line in text.lines().skip(1) {
            corpus.add_text(line.split('\t').nth(1).expect("utterance"));
        }
    }
    let mut directories = files(&wikitq.join("csv"), "-csv");
    directories.retain(|path| path.is_dir());
    for path in directories.iter().flat_map(|directory| files(directory, ".tsv")) {
        let text = fs::read_to_string(path).expect("text");
        let rows: Vec<Vec<String>> = text
            .lines()
            .map(|line| line.split('\t').map(|cell| cell.replace("\\n", "\n")).collect())
            .collect();
        corpus.add_table(&rows);
    }
    for path in files(&data.join("fetaqa/data"), ".jsonl") {
        for entry in objects(&path) {
            corpus.add_text(entry["question"].as_str().expect("question"));
            corpus.add_text(entry["answer"].as_str().expect("answer"));
            corpus
                .captions
                .insert(normalised(entry["table_page_title"].as_str().expect("title")));
            corpus.add_table(&text_rows(&entry["table_array"]));
        }
    }
    corpus.captions.remove("");
    corpus
}

#[test]
fn no_demonstration_is_in_a_data_set() {
    let Some(data) = support::data_dir("no_demonstration_is_in_a_data_set") else {
        return;
    };
    let corpus = corpus(&data);
    assert!(corpus.tables > 0 && !corpus.texts.is_empty(), "nothing to compare with");
    for shot in KINDS.into_iter().flat_map(demonstrations) {
        let mut texts = vec![shot.question.as_str(), shot.reasoning.as_str()];
        texts.extend(shot.plan.iter().map(|step| step.step.as_str()));
        if let Answer::Text(sentence) = &shot.answer {
            texts.push(sentence);
        }
        for text in texts {
            assert_eq!(corpus.text_overlap(text), None, "{text}");
        }
        assert_eq!(
            corpus.table_overlap(&shot.caption, &shot.table),
            None,
            "{}",
            shot.caption
        );
    }
    for shown in step_demonstrations() {
        assert_eq!(
            corpus.table_overlap(&shown.caption, &shown.table),
            None,
            "{}",
            shown.caption
        );
    }
}

#[test]
fn an_overlap_is_found() {
    let rows = |rows: &[&[&str]]| -> Vec<Vec<String>> {
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect())
            .collect()
    };
    let mut planted = Corpus::default();
    planted.add_text("Two of the ferries, to lamp island: have MORE than 70 seats");
    planted.add_text("we know that comet darro was the target on 12 and 15 march 2031");
    planted.add_table(&rows(&[
        &["a", "b", "c", "d"],
        &["-", "wren", "Saltmarsh", "2011"],
        &["Paper  Whale", "estoria", "Tamsin Roe", "6.1", "145"],
    ]));
    planted.add_table(&rows(&[&["Section", "BOOKS", "loans", "lost"]]));
    planted.captions.insert(normalised("Night buses  of Ardmoor"));

    let verification = demonstrations(QuestionKind::FactVerification);
    let short_answer = demonstrations(QuestionKind::ShortAnswer);
    let texts: Vec<_> = verification
        .iter()
        .chain(short_answer)
        .filter(|shot| {
            planted.text_overlap(&shot.question).is_some() || planted.text_overlap(&shot.reasoning).is_some()
        })
        .map(|shot| shot.caption.as_str())
        .collect();
    assert_eq!(
        texts,
        [
            "Harbour ferries of Port Callis",
            "Night log of the Mount Ressel observatory"
        ]
    );
    let tables: BTreeSet<_> = verification
        .iter()
        .filter(|shot| planted.table_overlap(&shot.caption, &shot.table).is_some())
        .map(|shot| shot.caption.as_str())
        .collect();
    // Not the ferries: the planted row of the wren has three cells in common with theirs, but is another row.
    assert_eq!(
        tables.into_iter().collect::<Vec<_>>(),
        [
            "Entries of the Quillon kite festival",
            "Loans of the Tannery Street library in one year",
            "Night buses of Ardmoor"
        ]
    );
}
