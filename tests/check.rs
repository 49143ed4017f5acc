//! `tabjury check`: a run with nothing wrong, and runs in which something is.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tabjury::report::run_check::RunCheck;

fn tabjury(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("tabjury")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .unwrap()
}

fn code(output: &std::process::Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A run of the quickstart without its judges' stages, in a new directory.
fn a_run(root: &Path) -> String {
    let run = root.join("run").to_str().unwrap().to_owned();
    let made = tabjury(&["run", "examples/quickstart/study.toml", "--out", &run]);
    assert_eq!(code(&made), 0, "{}", text(&made.stderr));
    run
}

#[test]
fn a_run_with_nothing_wrong_is_proven_and_reported() {
    let root = tempfile::tempdir().unwrap();
    let run = a_run(root.path());
    let report = |run: &str| fs::read_to_string(format!("{run}/report.html")).unwrap();
    assert!(report(&run).contains("This run was not checked."));
    let checked = tabjury(&["check", &run]);
    assert_eq!(code(&checked), 0, "{}", text(&checked.stderr));
    let said = text(&checked.stdout);
    assert!(
        said.contains("134 checked, 0 leaks, 0 changed since, 0 of no page"),
        "{said}"
    );
    let kept: RunCheck = serde_json::from_str(&fs::read_to_string(format!("{run}/check.json")).unwrap()).unwrap();
    let pos = &kept.arms.iter().find(|arm| arm.arm == "pos").unwrap().summary;
    assert!(pos.steps > 30 && pos.sound_in_all() == pos.steps, "{pos:?}");
    assert_eq!(
        (
            pos.complete + pos.explained + pos.explained_by_tracing,
            pos.unsound,
            pos.incomplete
        ),
        (pos.steps, 0, 0)
    );
    assert_eq!(code(&tabjury(&["report", &run])), 0);
    assert!(!report(&run).contains("This run was not checked."));
    // The same seed proves the same.
    let first = fs::read(format!("{run}/check.json")).unwrap();
    assert_eq!(code(&tabjury(&["check", &run])), 0);
    assert_eq!(fs::read(format!("{run}/check.json")).unwrap(), first);
    assert!(
        said.contains("sound undecided") && said.contains("complete undecided"),
        "of what they are undecided: {said}"
    );
    // A bound that is too low leaves steps undecided: no finding, and no success.
    let hasty = tabjury(&["check", &run, "--runs", "3"]);
    assert_eq!(code(&hasty), 8, "{}", text(&hasty.stderr));
    assert!(
        text(&hasty.stderr).contains("the bound on runs was met"),
        "{}",
        text(&hasty.stderr)
    );
    let allowed = tabjury(&["check", &run, "--runs", "3", "--max-unproven", "1"]);
    assert_eq!(code(&allowed), 0, "{}", text(&allowed.stderr));
    let kept: RunCheck = serde_json::from_str(&fs::read_to_string(format!("{run}/check.json")).unwrap()).unwrap();
    assert!(
        kept.arms
            .iter()
            .any(|arm| arm.summary.soundness_undecided + arm.summary.completeness_undecided > 0)
    );
    assert_eq!(code(&tabjury(&["report", &run])), 0);
    assert!(report(&run).contains("A check left marks unproven"));
    // A check that was changed is none, and is told; so is one that cannot be read.
    let changed = String::from_utf8(first.clone())
        .unwrap()
        .replacen("\"seed\": ", "\"seed\": 1", 1);
    fs::write(format!("{run}/check.json"), changed).unwrap();
    let told = tabjury(&["report", &run]);
    assert_eq!(code(&told), 0);
    assert!(
        text(&told.stderr).contains("not as `tabjury check` wrote it"),
        "{}",
        text(&told.stderr)
    );
    assert!(report(&run).contains("This run was not checked."));
    fs::write(format!("{run}/check.json"), &first[..first.len() / 2]).unwrap();
    let told = tabjury(&["report", &run]);
    assert_eq!(code(&told), 0);
    assert!(text(&told.stderr).contains("check.json"), "{}", text(&told.stderr));
    assert!(report(&run).contains("This run was not checked."));
}

#[test]
fn a_page_of_no_record_is_found() {
    let root = tempfile::tempdir().unwrap();
    let run = a_run(root.path());
    fs::create_dir(format!("{run}/pages/old")).unwrap();
    fs::write(format!("{run}/pages/old/page.html"), "an earlier page").unwrap();
    let found = tabjury(&["check", &run, "--runs", "1"]);
    assert_eq!(code(&found), 7, "{}", text(&found.stderr));
    let said = text(&found.stderr);
    assert!(
        said.contains("pages/old/page.html stands among the pages, and no record names it"),
        "{said}"
    );
}

#[test]
fn a_changed_page_and_a_wrong_lineage_are_found() {
    let root = tempfile::tempdir().unwrap();
    let run = a_run(root.path());
    let traces = format!("{run}/traces.jsonl");
    // A mark is taken away, as a faulty version would have written it.
    let mut lines: Vec<String> = fs::read_to_string(&traces)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    let at = lines
        .iter()
        .position(|line| line.contains(r#""method":"pos""#) && line.contains(r#""columns":[0]"#))
        .unwrap();
    lines[at] = lines[at].replacen(r#""columns":[0]"#, r#""columns":[]"#, 1);
    let text_of_traces = lines.join("\n") + "\n";
    fs::write(&traces, &text_of_traces).unwrap();
    let refused = tabjury(&["check", &run]);
    assert_eq!(code(&refused), 3);
    assert!(text(&refused.stderr).contains("traces.jsonl: it is not as the run wrote it"));
    let manifest = format!("{run}/run.json");
    let mut parsed: Value = serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    parsed["records"]["traces.jsonl"] = blake3::hash(text_of_traces.as_bytes()).to_hex().to_string().into();
    fs::write(&manifest, parsed.to_string()).unwrap();
    let found = tabjury(&["check", &run]);
    assert_eq!(code(&found), 7, "{}", text(&found.stderr));
    let said = text(&found.stderr);
    assert!(
        said.contains("not reproduced: traced again, the statement has another lineage"),
        "{said}"
    );
    assert!(said.contains("is not what its trace gives"), "{said}");
    // What was found stands in the report, as severe as anything.
    assert_eq!(code(&tabjury(&["report", &run])), 0);
    let report = fs::read_to_string(format!("{run}/report.html")).unwrap();
    assert!(report.contains("A check found pages or marks wrong"));
}

/// Changes the record of a trace as somebody would who knows of the digests.
fn change_trace(run: &str, answerer: &str, change: impl FnOnce(&mut Value)) {
    let traces = format!("{run}/traces.jsonl");
    let mut lines: Vec<Value> = fs::read_to_string(&traces)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    change(lines.iter_mut().find(|trace| trace["answerer"] == answerer).unwrap());
    let changed: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&traces, &changed).unwrap();
    let manifest = format!("{run}/run.json");
    let mut parsed: Value = serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    parsed["records"]["traces.jsonl"] = blake3::hash(changed.as_bytes()).to_hex().to_string().into();
    fs::write(&manifest, parsed.to_string()).unwrap();
}

#[test]
fn a_trace_of_another_table_than_its_samples_is_found() {
    let root = tempfile::tempdir().unwrap();
    let run = a_run(root.path());
    let mut sample = String::new();
    change_trace(&run, "pos", |trace| {
        sample = trace["sample"].as_str().unwrap().to_owned();
        trace["tables"][0]["rows"][1][0] = "somebody\u{1b}[2J else".into();
    });
    let found = tabjury(&["check", &run, "--runs", "1", "--max-unproven", "1"]);
    assert_eq!(code(&found), 7, "{}", text(&found.stderr));
    let said = text(&found.stderr);
    assert!(
        said.contains(&format!(
            "pos, sample {sample}: its first table is not the sample's: row 2, column 1 holds"
        )),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "{said:?}");
    let kept: RunCheck = serde_json::from_str(&fs::read_to_string(format!("{run}/check.json")).unwrap()).unwrap();
    assert_eq!(kept.changed_tables.len(), 1);
    assert_eq!(kept.changed_tables[0].sample, sample);
    assert_eq!(code(&tabjury(&["report", &run])), 0);
    let report = fs::read_to_string(format!("{run}/report.html")).unwrap();
    assert!(report.contains("A check found pages or marks wrong"));
}

#[test]
fn only_a_run_with_pages_can_be_checked() {
    let root = tempfile::tempdir().unwrap();
    let nothing = tabjury(&["check", root.path().to_str().unwrap()]);
    assert_eq!(code(&nothing), 3);
    assert!(text(&nothing.stderr).contains("not a run directory"));
    let run = root.path().join("run").to_str().unwrap().to_owned();
    let made = tabjury(&[
        "run",
        "examples/quickstart/study.toml",
        "--out",
        &run,
        "--stage",
        "answer",
    ]);
    assert_eq!(code(&made), 0, "{}", text(&made.stderr));
    let early = tabjury(&["check", &run]);
    assert_eq!(code(&early), 3);
    assert!(
        text(&early.stderr).contains("`explain` has not been run"),
        "{}",
        text(&early.stderr)
    );
}

#[test]
fn what_is_no_run_is_told_so_with_a_step_that_helps() {
    for command in ["check", "report", "compare"] {
        let refused = tabjury(&[command, "docs"]);
        assert_eq!(code(&refused), 3, "{command}");
        let said = text(&refused.stderr);
        assert!(
            said.contains("docs is not a run directory") && said.contains("next: name the directory of a run"),
            "{command}: {said}"
        );
    }
}
