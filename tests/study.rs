//! Running a study through the library: stages, resuming, limits, offline mode, estimates, and what goes wrong.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tabjury::model::Stop;
use tabjury::study::estimate::estimate;
use tabjury::study::{Options, RunError, Silent, Stage, Study, StudyError, Summary, report, run};

fn quickstart() -> Study {
    Study::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/quickstart/study.toml")).unwrap()
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}

fn run_in(study: &Study, out: &Path, change: impl FnOnce(&mut Options)) -> Result<Summary, RunError> {
    let mut options = Options {
        out: Some(out.to_owned()),
        ..Options::default()
    };
    change(&mut options);
    wait(run(study, &options, &Silent, &Stop::new()))
}

/// Every output with its bytes; the call store is no output.
fn outputs(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(directory: &Path, root: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else if !path.file_name().unwrap().to_string_lossy().starts_with("calls.sqlite") {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

#[test]
fn the_second_run_asks_nothing_and_writes_the_same_bytes() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    let first = run_in(&study, scratch.path(), |_| ()).unwrap();
    let written = outputs(scratch.path());
    let second = run_in(&study, scratch.path(), |options| options.concurrency = Some(3)).unwrap();
    assert!(first.calls_made > 400, "{first:?}");
    assert_eq!(
        (second.calls_made, second.calls_from_store),
        (0, first.calls_made + first.calls_from_store)
    );
    assert_eq!(written, outputs(scratch.path()));
    assert!(written.contains_key(Path::new("report.html")));
    let rebuilt = wait(report(scratch.path(), &Silent)).unwrap();
    assert_eq!(rebuilt.calls_made, 0);
    assert_eq!(written, outputs(scratch.path()));
}

#[test]
fn one_trace_may_be_an_arm_in_every_format() {
    let scratch = tempfile::tempdir().unwrap();
    let quickstart = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/quickstart");
    let formats = [
        "attribution_chain",
        "step_through",
        "program_listing",
        "function_chain",
        "facts",
        "free_text",
        "none",
    ];
    let arms = formats.map(|format| {
        format!("[[arms]]\nname = \"as_{format}\"\nmethod = \"pos\"\nmodel = \"m\"\nformat = \"{format}\"\n")
    });
    let path = |file: &str| serde_json::to_string(&quickstart.join(file)).unwrap();
    let file = scratch.path().join("study.toml");
    let text = format!(
        "[study]\nname = \"formats\"\n[[samples]]\ndataset = \"custom\"\nquestions = {}\n[[models]]\nname = \"m\"\n\
         provider = \"script\"\nfile = {}\n{}",
        path("questions.jsonl"),
        path("models/answerer.jsonl"),
        arms.concat()
    );
    fs::write(&file, text).unwrap();
    let out = scratch.path().join("run");
    run_in(&Study::load(&file).unwrap(), &out, |_| ()).unwrap();
    let samples = fs::read_to_string(out.join("samples.jsonl")).unwrap().lines().count();
    let traces = fs::read_to_string(out.join("traces.jsonl")).unwrap().lines().count();
    assert_eq!(traces, samples, "all arms show one answer to each question");
    for format in formats {
        let pages = fs::read_dir(out.join("pages").join(format!("as_{format}")))
            .unwrap()
            .count();
        assert_eq!(
            pages,
            4 * samples,
            "{format}: shown and withheld, as HTML and as Markdown"
        );
    }
}

#[test]
fn stages_one_by_one_give_what_all_at_once_give() {
    let scratch = tempfile::tempdir().unwrap();
    let (whole, staged) = (scratch.path().join("whole"), scratch.path().join("staged"));
    let study = quickstart();
    run_in(&study, &whole, |options| options.limit = Some(4)).unwrap();
    for stage in Stage::ALL {
        run_in(&study, &staged, |options| {
            options.limit = Some(4);
            options.stages.insert(stage);
        })
        .unwrap();
    }
    assert_eq!(outputs(&whole), outputs(&staged));
}

#[test]
fn a_stage_left_out_must_have_been_run_on_the_same() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    let only = |stage: Stage, limit: usize| {
        run_in(&study, scratch.path(), |options| {
            options.stages.insert(stage);
            options.limit = Some(limit);
        })
    };
    let missing = only(Stage::Explain, 2).unwrap_err().to_string();
    assert!(missing.contains("`answer` has not been run"), "{missing}");
    only(Stage::Answer, 2).unwrap();
    only(Stage::Explain, 2).unwrap();
    let other = only(Stage::Judge, 3).unwrap_err().to_string();
    assert!(other.contains("`answer` was run on another study"), "{other}");
    only(Stage::Answer, 2).unwrap();
    let stale = only(Stage::Judge, 2).unwrap_err().to_string();
    assert!(stale.contains("`explain` has not been run"), "{stale}");
}

#[test]
fn offline_answers_from_the_store_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    run_in(&study, scratch.path(), |options| options.limit = Some(2)).unwrap();
    let summary = run_in(&study, scratch.path(), |options| {
        options.limit = Some(3);
        options.offline = true;
    })
    .unwrap();
    assert_eq!(summary.calls_made, 0);
    assert_eq!(summary.answers.total, 9);
    assert_eq!(summary.answers.failed, 3, "the third sample was never asked");
    assert!(summary.failure_share() > 0.0);
}

#[test]
fn a_limit_on_calls_stops_the_run_and_keeps_what_was_answered() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    let stopped = run_in(&study, scratch.path(), |options| {
        options.max_calls = Some(30);
        options.concurrency = Some(2);
    });
    assert!(matches!(stopped, Err(RunError::Limit(_))), "{stopped:?}");
    let resumed = run_in(&study, scratch.path(), |_| ()).unwrap();
    let fresh = run_in(&study, &scratch.path().join("fresh"), |_| ()).unwrap();
    assert!(resumed.calls_from_store >= 30, "{resumed:?}");
    assert!(resumed.calls_made < fresh.calls_made, "{resumed:?}");
}

#[test]
fn a_stopped_run_begins_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let stop = Stop::new();
    stop.stop();
    let options = Options {
        out: Some(scratch.path().to_owned()),
        ..Options::default()
    };
    let outcome = wait(run(&quickstart(), &options, &Silent, &stop));
    assert!(matches!(outcome, Err(RunError::Interrupted)), "{outcome:?}");
    assert!(!scratch.path().join("traces.jsonl").exists());
}

#[test]
fn an_estimate_bounds_the_run_and_is_zero_after_it() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    let options = Options {
        out: Some(scratch.path().to_owned()),
        limit: Some(6),
        ..Options::default()
    };
    let before = wait(estimate(&study, &options)).unwrap();
    assert!(
        !scratch.path().join("calls.sqlite").exists(),
        "a rehearsal writes nothing"
    );
    let made = wait(run(&study, &options, &Silent, &Stop::new())).unwrap().calls_made;
    let sum = |bound: fn(&tabjury::study::estimate::Bounds) -> u64| -> u64 {
        before
            .models
            .iter()
            .map(|model| bound(&model.answer_calls) + bound(&model.judge_calls))
            .sum()
    };
    assert!(
        sum(|bounds| bounds.low) <= made && made <= sum(|bounds| bounds.high),
        "{made} of {before:?}"
    );
    let after = wait(estimate(&study, &options)).unwrap();
    assert!(
        after
            .models
            .iter()
            .all(|model| model.answer_calls.high + model.judge_calls.high == 0),
        "{after:?}"
    );
}

#[test]
fn a_wrong_study_file_names_line_and_key() {
    let text = fs::read_to_string(&quickstart().path).unwrap();
    let broken = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        Study::from_text(Path::new("study.toml"), PathBuf::new(), changed).unwrap_err()
    };
    let error = broken("seed = 7", "seed = \"seven\"");
    let StudyError::Schema { line, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(*line, text.lines().position(|line| line == "seed = 7").unwrap() + 1);
    assert!(error.to_string().contains("study.seed"), "{error}");
    for (from, to, expected) in [
        ("seed = 7", "sead = 7", "sead"),
        ("method = \"pos\"", "method = \"sop\"", "known are"),
        ("name = \"pos\"", "name = \"none\"", "names the control"),
        ("name = \"pos\"", "name = \"../pos\"", "letters, digits"),
        ("name = \"text_to_sql\"", "name = \"POS\"", "two of [[arms]]"),
        ("model = \"answerer\"", "model = \"nobody\"", "[[models]] has only"),
        ("repairs = 0", "repair = 0", "text_to_sql"),
        ("max_failure_share = 0.1", "max_failure_share = 10", "between 0 and 1"),
    ] {
        let error = broken(from, to).to_string();
        assert!(
            error.starts_with("study.toml") && error.contains(expected),
            "{from} -> {to}: {error}"
        );
    }
}

#[test]
fn one_run_directory_has_one_run_at_a_time() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    run_in(&study, scratch.path(), |options| options.limit = Some(1)).unwrap();
    let store = tabjury::model::store::CallStore::open(&scratch.path().join("calls.sqlite")).unwrap();
    let second = run_in(&study, scratch.path(), |_| ());
    assert!(matches!(second, Err(RunError::Store(_))), "{second:?}");
    drop(store);
}

#[test]
fn an_endpoint_that_answers_nothing_is_given_up_early() {
    let scratch = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(&quickstart().path).unwrap();
    let scripted = "name = \"answerer\"\nprovider = \"script\"\nfile = \"models/answerer.jsonl\"";
    // Port 9 of this machine: nothing listens there.
    let dead =
        "name = \"answerer\"\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"m\"\nmax_retries = 0";
    let changed = text.replacen(scripted, dead, 1);
    assert_ne!(changed, text);
    let study = Study::from_text(Path::new("study.toml"), quickstart().base, changed).unwrap();
    let outcome = run_in(&study, scratch.path(), |options| options.concurrency = Some(2));
    let Err(RunError::Provider(message)) = &outcome else {
        panic!("{outcome:?}")
    };
    assert!(message.contains("`answerer`"), "{message}");
}

#[test]
fn what_is_refused_leaves_the_run_as_it_was() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    run_in(&study, scratch.path(), |options| options.limit = Some(2)).unwrap();
    let written = outputs(scratch.path());
    let other_samples = run_in(&study, scratch.path(), |options| {
        options.limit = Some(1);
        options.stages.insert(Stage::Report);
    });
    assert!(matches!(other_samples, Err(RunError::Stage(_))), "{other_samples:?}");
    let gap = run_in(&study, scratch.path(), |options| {
        options.limit = Some(2);
        options.stages.extend([Stage::Answer, Stage::Report]);
    });
    assert!(gap.unwrap_err().to_string().contains("add --stage judge"));
    let renamed = study.text.replacen("name = \"quickstart\"", "name = \"another\"", 1);
    let another = Study::from_text(Path::new("another.toml"), study.base.clone(), renamed).unwrap();
    let refused = run_in(&another, scratch.path(), |_| ()).unwrap_err().to_string();
    assert!(refused.contains("--out"), "{refused}");
    assert_eq!(written, outputs(scratch.path()));
}

#[test]
fn a_report_is_made_anew_without_scripts() {
    let scratch = tempfile::tempdir().unwrap();
    let example = quickstart().base;
    let copy = scratch.path().join("study");
    for directory in ["tables", "models"] {
        fs::create_dir_all(copy.join(directory)).unwrap();
        for entry in fs::read_dir(example.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, copy.join(directory).join(path.file_name().unwrap())).unwrap();
        }
    }
    for file in ["study.toml", "questions.jsonl"] {
        fs::copy(example.join(file), copy.join(file)).unwrap();
    }
    let study = Study::load(&copy.join("study.toml")).unwrap();
    let out = scratch.path().join("run");
    run_in(&study, &out, |options| options.limit = Some(2)).unwrap();
    let written = outputs(&out);
    fs::remove_dir_all(&copy).unwrap();
    wait(report(&out, &Silent)).unwrap();
    assert_eq!(written, outputs(&out));
}

#[test]
fn an_edited_script_makes_old_answers_out_of_date() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    run_in(&study, scratch.path(), |options| options.limit = Some(1)).unwrap();
    let script = scratch.path().join("edited.jsonl");
    let text = fs::read_to_string(study.base.join("models/hasty.jsonl")).unwrap();
    fs::write(&script, text.replacen("Ranking", "ranking", 1)).unwrap();
    let changed = study.text.replacen("models/hasty.jsonl", &script.to_string_lossy(), 1);
    let edited = Study::from_text(&study.path, study.base.clone(), changed).unwrap();
    let stale = run_in(&edited, scratch.path(), |options| {
        options.limit = Some(1);
        options.stages.insert(Stage::Report);
    });
    assert!(
        stale
            .unwrap_err()
            .to_string()
            .contains("`judge` was run on another study")
    );
}

#[test]
fn an_arm_may_be_called_as_the_directory_of_pages() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    let text = study.text.replacen("name = \"pos\"", "name = \"pages\"", 1);
    let renamed = Study::from_text(&study.path, study.base.clone(), text).unwrap();
    run_in(&renamed, scratch.path(), |options| options.limit = Some(1)).unwrap();
    let records = fs::read_to_string(scratch.path().join("pages.jsonl")).unwrap();
    for record in records.lines() {
        let record: serde_json::Value = serde_json::from_str(record).unwrap();
        assert!(
            scratch.path().join(record["html"].as_str().unwrap()).is_file(),
            "{record}"
        );
    }
}

#[test]
fn a_directory_that_no_run_wrote_is_left_alone() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join("tables")).unwrap();
    fs::write(scratch.path().join("tables/mine.csv"), "a\n1\n").unwrap();
    let refused = run_in(&quickstart(), scratch.path(), |_| ()).unwrap_err().to_string();
    assert!(refused.contains("tables") && refused.contains("--out"), "{refused}");
    assert_eq!(
        fs::read_to_string(scratch.path().join("tables/mine.csv")).unwrap(),
        "a\n1\n"
    );
}

#[test]
fn records_that_lost_lines_are_not_reported_on() {
    let scratch = tempfile::tempdir().unwrap();
    let study = quickstart();
    run_in(&study, scratch.path(), |options| options.limit = Some(2)).unwrap();
    let written = outputs(scratch.path());
    for file in ["traces.jsonl", "pages.jsonl", "trials.jsonl", "judgments.jsonl"] {
        let path = scratch.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap().to_owned() + "\n";
        fs::write(&path, first).unwrap();
        let refused = wait(report(scratch.path(), &Silent)).unwrap_err().to_string();
        assert!(
            refused.contains(file) && refused.contains("not as the run wrote it"),
            "{refused}"
        );
        fs::write(&path, text).unwrap();
    }
    run_in(&study, scratch.path(), |options| options.limit = Some(2)).unwrap();
    assert_eq!(written, outputs(scratch.path()));
}

#[test]
fn a_limit_on_cost_needs_prices() {
    let scratch = tempfile::tempdir().unwrap();
    let scripted = "name = \"answerer\"\nprovider = \"script\"\nfile = \"models/answerer.jsonl\"";
    let unpriced =
        "name = \"answerer\"\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"nobody-prices-this\"";
    let text = quickstart().text.replacen(scripted, unpriced, 1);
    let study = Study::from_text(Path::new("study.toml"), quickstart().base, text).unwrap();
    let refused = run_in(&study, scratch.path(), |options| options.max_cost = Some(1.0))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`answerer`") && refused.contains("[prices]"),
        "{refused}"
    );
}
