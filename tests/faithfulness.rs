//! The faithfulness task: in a run, with models asked again, and over recorded chains.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::Value;
use tabjury::dataset::{DatasetKind, QuestionKind, Sample};
use tabjury::engine::Engine;
use tabjury::method::faithfulness::measure;
use tabjury::method::written_plan::WrittenStep;
use tabjury::method::{AnswerColumns, replay};
use tabjury::model::Stop;
use tabjury::study::estimate::estimate;
use tabjury::study::{Options, RunError, Silent, Stage, Study, Summary, report, run};
use tabjury::table::{Column, Table};
use tabjury::trace::FaithfulnessRecord;
use tabjury::trace::faithfulness::{AnswerNow, FaithfulnessOutcome, NotApplicable, Rerun};

fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

fn options(out: &Path) -> Options {
    Options {
        out: Some(out.to_owned()),
        ..Options::default()
    }
}

fn run_in(study: &Study, options: &Options) -> Result<Summary, RunError> {
    wait(run(study, options, &Silent, &Stop::new()))
}

fn records(run: &Path) -> Vec<FaithfulnessRecord> {
    let text = fs::read_to_string(run.join("faithfulness.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn quickstart() -> Study {
    Study::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/quickstart/study.toml")).unwrap()
}

#[test]
fn a_run_measures_what_programs_answered_and_lists_the_rest() {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().join("run");
    run_in(&quickstart(), &options(&out)).unwrap();
    let records = records(&out);
    let traces = fs::read_to_string(out.join("traces.jsonl")).unwrap();
    assert_eq!(records.len(), traces.lines().count());
    let mut reasons: BTreeMap<NotApplicable, usize> = BTreeMap::new();
    let mut measured = 0;
    for record in &records {
        match &record.outcome {
            FaithfulnessOutcome::Measured {
                by, marks, sufficiency, ..
            } => {
                measured += 1;
                assert_eq!((*by, sufficiency), (Rerun::Programs, &AnswerNow::Same), "{record:?}");
                assert!(marks.cells <= marks.of_cells && marks.rows <= marks.of_rows);
            }
            FaithfulnessOutcome::NotApplicable { reason } => *reasons.entry(*reason).or_default() += 1,
        }
        assert!(record.calls.is_empty());
    }
    assert!(measured > 10, "{measured}");
    assert!(reasons.contains_key(&NotApplicable::ModelAnswer), "{reasons:?}");
    assert!(!reasons.contains_key(&NotApplicable::NotReproduced), "{reasons:?}");

    let analysis: Value = serde_json::from_str(&fs::read_to_string(out.join("analysis.json")).unwrap()).unwrap();
    let entries = analysis["faithfulness"].as_array().unwrap();
    let sum: u64 = entries.iter().map(|entry| entry["measured"].as_u64().unwrap()).sum();
    assert_eq!(sum, measured);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("id=\"faithfulness\"") && page.contains("id=\"faithfulness-1\""));
    let table = fs::read_to_string(out.join("tables/faithfulness_traces.csv")).unwrap();
    assert_eq!(table.lines().count(), records.len() + 1);

    // The stage is done again by itself, and a changed record is noticed.
    let again = Options {
        stages: [Stage::Faithfulness, Stage::Analyze, Stage::Report].into(),
        ..options(&out)
    };
    let before = fs::read(out.join("faithfulness.jsonl")).unwrap();
    run_in(&quickstart(), &again).unwrap();
    assert_eq!(fs::read(out.join("faithfulness.jsonl")).unwrap(), before);
    let changed = String::from_utf8(before)
        .unwrap()
        .replacen("\"same\"", "\"vanished\",\"reason\":\"\"", 1);
    fs::write(out.join("faithfulness.jsonl"), changed).unwrap();
    let error = wait(report(&out, &Silent)).unwrap_err().to_string();
    assert!(error.contains("faithfulness.jsonl"), "{error}");
}

/// A study with one question for a sentence, which Plan-of-SQLs answers by a model after its steps.
fn sentence_study(directory: &Path, task: &str) -> Study {
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write("boats.csv", "Boat,Crew,Port\nHeron,3,Alm\nOsprey,5,Bern\nGrebe,9,Alm\n");
    write(
        "questions.jsonl",
        "{\"id\": \"b1\", \"table\": \"boats.csv\", \"question\": \"How large is the crew of the Osprey?\", \
         \"kind\": \"free_form\", \"answer\": \"It has a crew of 5.\"}\n",
    );
    let plan = "1. Select the row where Boat is Osprey.";
    let sql = "SELECT * FROM table_sql WHERE boat = 'Osprey'";
    let mut script = String::new();
    let mut line = |purpose: &str, turn: u32, text: &str| {
        script.push_str(&serde_json::json!({"purpose": purpose, "turn": turn, "text": text}).to_string());
        script.push('\n');
    };
    line("pos.plan", 0, plan);
    line("pos.sql", 0, sql);
    line("pos.sentence", 0, "Answer: The Osprey has a crew of 5.");
    for purpose in ["faithfulness.sufficiency", "faithfulness.necessity"] {
        line(purpose, 0, plan);
        line(purpose, 1, sql);
    }
    line("faithfulness.sufficiency", 2, "Answer: The Osprey has a crew of 5.");
    // Without the marked cells the row is not found, and the fallback answers.
    line("faithfulness.necessity", 2, "Answer: The table does not say.");
    write("script.jsonl", &script);
    write(
        "study.toml",
        &format!(
            "[study]\nname = \"boats\"\n[[samples]]\ndataset = \"custom\"\nquestions = \"questions.jsonl\"\n\
             [[models]]\nname = \"m\"\nprovider = \"script\"\nfile = \"script.jsonl\"\n\
             [[arms]]\nname = \"pos\"\nmethod = \"pos\"\nmodel = \"m\"\n[tasks.faithfulness]\n{task}\n"
        ),
    );
    Study::load(&directory.join("study.toml")).unwrap()
}

#[test]
fn models_are_asked_again_only_when_a_study_wants_it() {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().join("plain");
    let study = sentence_study(scratch.path(), "");
    assert_eq!(run_in(&study, &options(&out)).unwrap().calls_made, 3);
    let reason = NotApplicable::ModelAnswer;
    assert_eq!(records(&out)[0].outcome, FaithfulnessOutcome::NotApplicable { reason });

    let out = scratch.path().join("asking");
    let study = sentence_study(scratch.path(), "ask_models = true");
    let ahead = wait(estimate(&study, &options(&out))).unwrap().models.remove(0);
    assert_eq!(ahead.faithfulness_calls.low, 0);
    assert!(ahead.faithfulness_calls.high >= 6, "{ahead:?}");
    let first = run_in(&study, &options(&out)).unwrap();
    assert_eq!(first.calls_made, 9);
    let records = records(&out);
    let FaithfulnessOutcome::Measured {
        by,
        sufficiency,
        necessity,
        ..
    } = &records[0].outcome
    else {
        panic!("{records:?}");
    };
    assert_eq!((*by, sufficiency), (Rerun::Model, &AnswerNow::Same));
    assert!(matches!(necessity, AnswerNow::Changed { .. }), "{necessity:?}");
    assert_eq!(records[0].calls.len(), 6);
    let calls = fs::read_to_string(out.join("tables/calls.csv")).unwrap();
    assert!(
        calls.contains("faithfulness.sufficiency") && calls.contains("faithfulness.necessity"),
        "{calls}"
    );

    // Every call is kept: the same again asks nothing, and nothing lies ahead.
    let before = fs::read(out.join("analysis.json")).unwrap();
    let second = run_in(&study, &options(&out)).unwrap();
    assert_eq!((second.calls_made, second.calls_from_store), (0, 9));
    assert_eq!(fs::read(out.join("analysis.json")).unwrap(), before);
    let ahead = wait(estimate(&study, &options(&out))).unwrap().models.remove(0);
    assert_eq!(ahead.faithfulness_calls.high, 0);
}

#[test]
fn a_study_can_switch_it_off() {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().join("run");
    run_in(&sentence_study(scratch.path(), "enabled = false"), &options(&out)).unwrap();
    assert!(records(&out).is_empty());
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!page.contains("id=\"faithfulness\""));
}

#[derive(serde::Deserialize)]
struct Recorded {
    id: String,
    table_columns: Vec<String>,
    table_rows: Vec<Vec<String>>,
    steps: Vec<RecordedStep>,
}

#[derive(serde::Deserialize)]
struct RecordedStep {
    sql: String,
}

impl Recorded {
    fn sample(&self) -> Sample {
        let columns = self.table_columns.iter().map(|name| Column {
            original: name.clone(),
            display: name.clone(),
            sql: name.clone(),
        });
        let rows = self.table_rows.iter();
        let rows = rows.map(|row| row.iter().cloned().map(Some).collect());
        Sample {
            id: self.id.clone(),
            dataset: DatasetKind::Tabfact,
            kind: QuestionKind::FactVerification,
            table_id: self.id.clone(),
            caption: None,
            table: Table::new(columns.collect(), rows.collect()).unwrap(),
            question: "?".to_owned(),
            gold: None,
            groups: BTreeMap::new(),
        }
    }
}

/// What whole rows are compared by is evidence, though no statement names it.
#[test]
fn cells_that_tell_rows_apart_are_evidence() {
    let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
    let recorded = Recorded {
        id: "boats".to_owned(),
        table_columns: vec!["boat".to_owned(), "port".to_owned()],
        table_rows: vec![
            row(["Heron", "Alm"]),
            row(["Osprey", "Bern"]),
            row(["Heron", "Alm"]),
            row(["Heron", "Bern"]),
        ],
        steps: Vec::new(),
    };
    let steps = ["SELECT DISTINCT * FROM table_sql", "SELECT COUNT(*) FROM table_sql"].map(|sql| WrittenStep {
        nl: None,
        sql: sql.to_owned(),
    });
    let mut sample = recorded.sample();
    sample.kind = QuestionKind::ShortAnswer;
    let trace = replay(&Engine::default(), &sample, &steps, AnswerColumns::First);
    let outcome = measure(&Engine::default(), &sample, &trace).outcome;
    let FaithfulnessOutcome::Measured {
        marks,
        sufficiency,
        necessity,
        ..
    } = outcome
    else {
        panic!("{outcome:?}");
    };
    assert_eq!((marks.rows, marks.cells), (4, 8));
    assert_eq!(sufficiency, AnswerNow::Same);
    assert_ne!(necessity, AnswerNow::Same);
}

#[test]
fn recorded_chains_are_sufficient_wherever_their_marks_are_exact() {
    let Some(directory) = support::data_dir("recorded_chains_are_sufficient_wherever_their_marks_are_exact") else {
        return;
    };
    let text = fs::read_to_string(directory.join("sql_corpus/corpus.jsonl")).unwrap();
    let engine = Engine {
        double_quoted_strings: true,
        ..Engine::default()
    };
    let (mut measured, mut necessary, mut at_least, mut faults) = (0, 0, 0, Vec::new());
    let mut not_measured: BTreeMap<NotApplicable, usize> = BTreeMap::new();
    let (mut verdicts, mut needed) = ([0, 0], [0, 0]);
    for line in text.lines() {
        let recorded: Recorded = serde_json::from_str(line).unwrap();
        let sample = recorded.sample();
        let steps = recorded.steps.iter().map(|step| WrittenStep {
            nl: None,
            sql: step.sql.clone(),
        });
        let trace = replay(&engine, &sample, &steps.collect::<Vec<_>>(), AnswerColumns::First);
        let record = measure(&engine, &sample, &trace);
        match record.outcome {
            FaithfulnessOutcome::NotApplicable { reason } => *not_measured.entry(reason).or_default() += 1,
            FaithfulnessOutcome::Measured {
                marks,
                sufficiency,
                necessity,
                ..
            } => {
                measured += 1;
                at_least += usize::from(marks.at_least);
                let is_true = usize::from(record.answer == Some(tabjury::dataset::Answer::Verdict(true)));
                verdicts[is_true] += 1;
                if necessity.stays() == Some(false) {
                    necessary += 1;
                    needed[is_true] += 1;
                }
                if sufficiency != AnswerNow::Same {
                    faults.push(format!("{}: {sufficiency:?}", recorded.id));
                }
            }
        }
    }
    println!(
        "{measured} chains measured ({at_least} with marks that are at least these): {} sufficient, {necessary} necessary \
         (TRUE {}/{}, FALSE {}/{}); not measured: {not_measured:?}",
        measured - faults.len(),
        needed[1],
        verdicts[1],
        needed[0],
        verdicts[0],
    );
    assert!(measured > 0 && faults.is_empty(), "{}", faults.join("\n"));
    assert!(!not_measured.contains_key(&NotApplicable::NotReproduced));
}
