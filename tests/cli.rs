//! The binary from outside: what it prints where, and the code it exits with.

#![allow(clippy::expect_used, reason = "a test that fails says why")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::Value;

fn tabjury() -> Command {
    let mut command = Command::cargo_bin("tabjury").expect("the binary is built");
    for name in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "NO_COLOR", "TERM", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs it and gives exit code, stdout and stderr.
fn outcome(arguments: &[&str]) -> (i32, String, String) {
    let output = tabjury().args(arguments).output().expect("it runs");
    (
        output.status.code().expect("an exit code"),
        String::from_utf8(output.stdout).expect("UTF-8"),
        String::from_utf8(output.stderr).expect("UTF-8"),
    )
}

#[test]
fn help_and_version_are_data() {
    let (code, out, err) = outcome(&["--help"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for command in [
        "run",
        "ask",
        "report",
        "check",
        "doctor",
        "methods",
        "schema",
        "completions",
        "man",
    ] {
        assert!(out.contains(&format!("\n  {command} ")), "{command} is not in:\n{out}");
    }
    let (code, out, _) = outcome(&["--version"]);
    assert_eq!((code, out), (0, format!("tabjury {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn every_exit_code_of_the_help_is_in_the_docs() {
    let (_, help, _) = outcome(&["--help"]);
    let list = help.split("Exit codes:").nth(1).expect("the list of exit codes");
    let page = read("docs/exit-codes.md");
    let codes: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(codes, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "130"]);
    for code in codes {
        assert!(page.contains(&format!("| {code} |")), "docs/exit-codes.md lacks {code}");
    }
}

#[test]
fn a_wrong_command_line_exits_2_with_nothing_on_stdout() {
    for arguments in [
        &["nonsense"][..],
        &["run"],
        &["run", "study.toml", "--concurrency", "0"],
        &["run", "study.toml", "--limit", "many"],
        &["schema", "nonsense"],
        &["schema", "trial", "--out", "."],
        &["completions", "nonsense"],
        &[
            "ask",
            "--table",
            "t.csv",
            "--method",
            "nonsense",
            "--model",
            "m",
            "--question",
            "q",
        ],
        &["ask", "--table", "t.csv", "--question", "q", "--statement", "s"],
    ] {
        let (code, out, err) = outcome(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.starts_with("error: "), "{arguments:?}: {err}");
    }
    let (code, out, err) = outcome(&[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("Usage: tabjury"), "{err}");
}

#[test]
fn completions_and_the_manual_name_every_subcommand() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, out, _) = outcome(&["completions", shell]);
        assert_eq!(code, 0);
        assert!(out.contains("dry-run"), "{shell}: {out}");
    }
    let (code, out, _) = outcome(&["man"]);
    assert_eq!(code, 0);
    for heading in [
        ".SH NAME",
        ".SH \"TABJURY RUN\"",
        ".SH \"TABJURY ASK\"",
        ".SS OPTIONS",
        "Exit codes",
    ] {
        assert!(out.contains(heading), "{heading} is not in:\n{out}");
    }
}

#[test]
fn checked_in_schemas_are_what_the_program_prints() {
    let (code, out, _) = outcome(&["schema"]);
    assert_eq!(code, 0);
    let all: Value = serde_json::from_str(&out).expect("JSON");
    let kinds: BTreeSet<String> = all.as_object().expect("an object").keys().cloned().collect();
    let files: BTreeSet<String> = std::fs::read_dir(root("docs/schema"))
        .expect("docs/schema")
        .map(|entry| {
            let path = entry.expect("entry").path();
            path.file_stem().expect("a name").to_string_lossy().into_owned()
        })
        .collect();
    assert_eq!(files, kinds, "write them with: tabjury schema --out docs/schema");
    for kind in kinds {
        let (_, printed, _) = outcome(&["schema", &kind]);
        assert_eq!(
            read(&format!("docs/schema/{kind}.json")),
            printed,
            "docs/schema/{kind}.json is old; write it with: tabjury schema --out docs/schema"
        );
    }
}

/// Reads an example into its type and back: nothing may be unknown, left out or changed.
fn round_trip<T: serde::de::DeserializeOwned + serde::Serialize>(kind: &str) {
    let example: Value = serde_json::from_str(&read(&format!("docs/examples/{kind}.json"))).expect("JSON");
    let value: T = serde_json::from_value(example.clone()).unwrap_or_else(|error| panic!("{kind}: {error}"));
    assert_eq!(serde_json::to_value(&value).expect("JSON"), example, "{kind}");
}

#[test]
fn every_kind_of_record_has_an_example_that_is_one() {
    round_trip::<tabjury::dataset::Sample>("sample");
    round_trip::<tabjury::trace::Trace>("trace");
    round_trip::<tabjury::trace::proof::StepProof>("step_proof");
    round_trip::<tabjury::explain::PageFacts>("page_facts");
    round_trip::<tabjury::judge::Trial>("trial");
    round_trip::<tabjury::judge::Judgment>("judgment");
    round_trip::<tabjury::trace::FaithfulnessRecord>("faithfulness");
    round_trip::<tabjury::model::CallRecord>("call");
    round_trip::<tabjury::model::script::ScriptLine>("script");
    round_trip::<tabjury::report::Analysis>("analysis");
    round_trip::<tabjury::study::directory::Manifest>("run");
    round_trip::<tabjury::method::written_plan::WrittenPlan>("plan");
    round_trip::<tabjury::report::run_check::RunCheck>("check");
    let study: tabjury::study::file::StudyFile = toml::from_str(&read("docs/examples/study.toml")).expect("study");
    assert_eq!(study.arms.len(), 2);
    for entry in std::fs::read_dir(root("docs/schema")).expect("docs/schema") {
        let path = entry.expect("entry").path();
        let kind = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let ending = if kind == "study" { "toml" } else { "json" };
        assert!(
            root(&format!("docs/examples/{kind}.{ending}")).is_file(),
            "docs/examples lacks {kind}"
        );
    }
}

#[test]
fn links_of_the_documents_lead_somewhere() {
    let link = regex::Regex::new(r"\]\(([^)#:]+)(#[^)]*)?\)").expect("a pattern");
    let mut seen = 0;
    let mut documents: Vec<String> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .map(str::to_owned)
        .into();
    for directory in ["docs", "docs/methods"] {
        for entry in std::fs::read_dir(root(directory)).expect("a directory") {
            let name = entry.expect("entry").file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                documents.push(format!("{directory}/{name}"));
            }
        }
    }
    for document in &documents {
        let directory = root(document).parent().expect("a parent").to_owned();
        let has_pictures = root("docs/images").is_dir();
        for found in link.captures_iter(&read(document)) {
            if found[1].contains("images/") && !has_pictures {
                continue;
            }
            seen += 1;
            assert!(
                directory.join(&found[1]).exists(),
                "{document}: {} leads nowhere",
                &found[1]
            );
        }
    }
    assert!(seen > 10);
}

fn property_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                names.extend(properties.keys().cloned());
            }
            fields.values().for_each(|value| property_names(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| property_names(item, names)),
        _ => {}
    }
}

#[test]
fn the_study_reference_explains_every_key() {
    let schema: Value = serde_json::from_str(&outcome(&["schema", "study"]).1).expect("JSON");
    let mut names = BTreeSet::new();
    property_names(&schema, &mut names);
    assert!(names.len() > 40, "{names:?}");
    let page = read("docs/study-reference.md");
    let missing: Vec<&String> = names
        .iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "docs/study-reference.md lacks {missing:?}");
}

#[test]
fn schemas_are_written_into_a_directory_or_it_is_named_as_missing() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().to_str().expect("UTF-8");
    let (code, out, _) = outcome(&["schema", "--out", path]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(directory.path().join("trace.json").is_file());
    let absent = directory.path().join("absent");
    let (code, _, err) = outcome(&["schema", "--out", absent.to_str().expect("UTF-8")]);
    assert_eq!(code, 3);
    assert!(err.contains("absent") && err.contains("\nnext: "), "{err}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let binary = assert_cmd::cargo::cargo_bin("tabjury");
    let mut child = std::process::Command::new(binary)
        .args(["schema"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn methods_are_listed_for_people_and_programs() {
    let (code, text, _) = outcome(&["methods"]);
    assert_eq!(code, 0);
    let (code, json, _) = outcome(&["methods", "--json"]);
    assert_eq!(code, 0);
    let methods: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(methods.len(), tabjury::method::registry().len());
    for method in methods {
        let name = method["name"].as_str().expect("a name");
        assert!(
            text.lines().any(|line| line.starts_with(&format!("{name}  "))),
            "{text}"
        );
        for setting in method["settings"].as_array().expect("settings") {
            assert!(text.contains(setting["name"].as_str().expect("a name")), "{text}");
        }
    }
}
