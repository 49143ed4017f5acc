//! `run`, `ask`, `report` and `doctor` from outside: exit codes, streams and the files they write.

#![allow(clippy::expect_used, reason = "a test that fails says why")]

#[path = "../examples/endpoint/server.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::Value;
use server::{Endpoint, Mode, Settings};

/// A study directory that a test may break.
struct Desk {
    directory: tempfile::TempDir,
}

const TABLE: &str = "Ferry,Year built,Passengers\nHeron,1964,120\nOsprey,1988,260\nGrebe,2003,310\n";

const SCRIPT: &str = r#"{"purpose": "text_to_sql.sql", "text": "SELECT CASE WHEN COUNT(*) = 2 THEN 'TRUE' ELSE 'FALSE' END AS verdict FROM table_sql WHERE passengers > 200"}
{"purpose": "judge.simulation", "text": "Answer: TRUE"}
{"purpose": "judge.verification", "text": "Verdict: correct"}
"#;

impl Desk {
    fn new() -> Self {
        let desk = Self {
            directory: tempfile::tempdir().expect("a directory"),
        };
        desk.write("ferries.csv", TABLE);
        let mut questions = String::new();
        for sample in 0..6 {
            questions.push_str(&format!(
                "{{\"id\": \"f{sample}\", \"table\": \"ferries.csv\", \"statement\": \"Claim {sample}: two carry more than 200.\", \
                 \"label\": true}}\n"
            ));
        }
        desk.write("questions.jsonl", &questions);
        desk.write("script.jsonl", SCRIPT);
        desk.study("provider = \"script\"\nfile = \"script.jsonl\"", "");
        desk
    }

    /// Writes the study with this model and these lines at its end.
    fn study(&self, model: &str, rest: &str) {
        self.write(
            "study.toml",
            &format!(
                "[study]\nname = \"ferries\"\n\n[[samples]]\ndataset = \"custom\"\nquestions = \"questions.jsonl\"\n\n\
                 [[models]]\nname = \"m\"\n{model}\n\n[[arms]]\nname = \"sql\"\nmethod = \"text_to_sql\"\nmodel = \"m\"\n\n\
                 [[judges]]\nname = \"j\"\nmodel = \"m\"\n\n[tasks.simulation]\n[tasks.verification]\n{rest}\n"
            ),
        );
    }

    fn endpoint_study(&self, endpoint: &Endpoint) {
        let model = format!(
            "provider = \"openai\"\nbase_url = \"http://{}\"\nmodel = \"local\"\nconcurrency = 1",
            endpoint.address
        );
        self.study(&model, "");
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("it can be written");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("tabjury").expect("the binary is built");
        for name in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "NO_COLOR", "TERM", "COLUMNS"] {
            command.env_remove(name);
        }
        command.current_dir(self.directory.path()).args(arguments);
        command
    }

    /// Exit code, stdout, stderr.
    fn outcome(&self, arguments: &[&str]) -> (i32, String, String) {
        read(&self.command(arguments).output().expect("it runs"))
    }

    /// Runs the study into `run`.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.outcome(&[&["run", "study.toml", "--out", "run"], arguments].concat())
    }

    fn spawn(&self) -> Child {
        std::process::Command::new(assert_cmd::cargo::cargo_bin("tabjury"))
            .args(["run", "study.toml", "--out", "run"])
            .current_dir(self.directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs")
    }

    fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }
}

fn read(output: &Output) -> (i32, String, String) {
    (
        output.status.code().expect("an exit code"),
        String::from_utf8(output.stdout.clone()).expect("UTF-8"),
        String::from_utf8(output.stderr.clone()).expect("UTF-8"),
    )
}

/// An error in the form that all errors have.
fn assert_error(err: &str, words: &[&str]) {
    assert!(err.contains("error: ") && err.contains("\nnext: "), "{err}");
    for word in words {
        assert!(err.contains(word), "`{word}` is not in:\n{err}");
    }
}

#[test]
fn a_run_prints_its_directory_and_a_second_asks_nothing() {
    let desk = Desk::new();
    let (code, out, err) = desk.run(&[]);
    assert_eq!((code, out.as_str()), (0, "run\n"), "{err}");
    assert!(err.contains("answer: 6/6 (0 failed, 6 calls made"), "{err}");
    for file in ["report.html", "analysis.json", "judgments.jsonl"] {
        assert!(desk.exists(&format!("run/{file}")), "{file}");
    }
    let before = (desk.read("run/analysis.json"), desk.read("run/report.html"));
    let (code, _, err) = desk.run(&["--offline"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("0 calls made") && !err.contains(" 6 calls made"), "{err}");
    assert_eq!((desk.read("run/analysis.json"), desk.read("run/report.html")), before);

    std::fs::remove_file(desk.path("run/report.html")).expect("it was there");
    let (code, out, err) = desk.outcome(&["report", "run"]);
    assert_eq!((code, out.as_str()), (0, "run\n"), "{err}");
    assert_eq!(desk.read("run/report.html"), before.1);

    std::fs::remove_file(desk.path("run/calls.sqlite")).expect("it was there");
    let (code, _, err) = desk.outcome(&["report", "run"]);
    assert_eq!(code, 3, "{err}");
    assert_error(&err, &["calls.sqlite", "missing"]);
    assert!(
        !desk.exists("run/calls.sqlite"),
        "a store that is gone is not made anew"
    );
    assert_eq!(desk.read("run/report.html"), before.1);
}

#[test]
fn a_comparison_prints_what_it_writes() {
    let desk = Desk::new();
    let written = |arguments: &[&str]| {
        let all = [arguments, &["--json", "compared.json", "--markdown", "compared.md"]].concat();
        let (code, out, _) = desk.outcome(&all);
        assert_eq!((code, out.as_str()), (0, desk.read("compared.md").as_str()));
        let json: Value = serde_json::from_str(&desk.read("compared.json")).expect("JSON");
        (out, json)
    };
    let (text, json) = written(&["compare", "--published"]);
    assert!(text.contains("0.7865") && text.contains("0.7035"), "{text}");
    assert_eq!(json["correlations"].as_array().map(Vec::len), Some(2));

    // What was asked for on stdout is alone there, and the text goes where messages go.
    let (code, out, err) = desk.outcome(&["compare", "--published", "--json", "-"]);
    assert_eq!(code, 0, "{err}");
    assert!(serde_json::from_str::<Value>(&out).is_ok(), "{out}");
    assert!(err.contains("0.7865"), "{err}");
    assert_eq!(
        desk.outcome(&["compare", "--published", "--json", "-", "--markdown", "-"])
            .0,
        2
    );

    assert_eq!(desk.run(&[]).0, 0);
    let (text, json) = written(&["compare", "run"]);
    // Samples of one's own have no published numbers.
    assert!(text.contains("## Nothing published"), "{text}");
    assert_eq!(json["pairs"].as_array().map(Vec::len), Some(0));
    let (code, _, err) = desk.outcome(&["compare", "nowhere"]);
    assert_eq!(code, 3);
    assert_error(&err, &["not a run directory"]);
    assert_eq!(desk.outcome(&["compare"]).0, 2);
    assert_eq!(desk.outcome(&["compare", "run", "--published"]).0, 2);
    assert_eq!(desk.outcome(&["compare", "run", "--json", "run/analysis.json"]).0, 2);
}

#[test]
fn a_report_on_changed_records_is_refused() {
    let desk = Desk::new();
    let (code, _, err) = desk.run(&[]);
    assert_eq!(code, 0, "{err}");
    let written = (desk.read("run/analysis.json"), desk.read("run/report.html"));
    for file in [
        "study.toml",
        "samples.jsonl",
        "traces.jsonl",
        "pages.jsonl",
        "trials.jsonl",
        "judgments.jsonl",
    ] {
        let name = format!("run/{file}");
        let whole = desk.read(&name);
        let changed: String = match file {
            "study.toml" => format!("{whole}\n# changed\n"),
            _ => whole.split_inclusive('\n').skip(1).collect(),
        };
        desk.write(&name, &changed);
        let (code, _, err) = desk.outcome(&["report", "run"]);
        assert_eq!(code, 3, "{file}: {err}");
        assert_error(&err, &[file, "run the study again"]);
        desk.write(&name, &whole);
    }
    let (code, _, err) = desk.outcome(&["report", "run"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!((desk.read("run/analysis.json"), desk.read("run/report.html")), written);
}

#[test]
fn a_wrong_study_or_data_file_exits_3_and_names_the_place() {
    let desk = Desk::new();
    let (code, out, err) = desk.outcome(&["run", "absent.toml"]);
    assert_eq!((code, out.as_str()), (3, ""));
    assert_error(&err, &["absent.toml"]);

    desk.study(
        "provider = \"script\"\nfile = \"script.jsonl\"",
        "[engine]\ntime_limit_hours = 3\n",
    );
    let (code, _, err) = desk.run(&[]);
    assert_eq!(code, 3);
    assert_error(&err, &["study.toml:", "time_limit_hours"]);

    desk.study("provider = \"script\"\nfile = \"absent.jsonl\"", "");
    let (code, _, err) = desk.run(&[]);
    assert_eq!(code, 3);
    assert_error(&err, &["absent.jsonl", "`m`"]);

    let desk = Desk::new();
    desk.write("questions.jsonl", "{\"id\": \"a\", \"table\": \"ferries.csv\"\n");
    let (code, _, err) = desk.run(&[]);
    assert_eq!(code, 3);
    assert_error(&err, &["questions.jsonl"]);

    let (code, _, err) = desk.outcome(&["report", "."]);
    assert_eq!(code, 3);
    assert_error(&err, &["run.json"]);
}

#[test]
fn a_missing_key_exits_4() {
    let desk = Desk::new();
    desk.study(
        "provider = \"openai\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"x\"\napi_key_env = \"TABJURY_TEST_UNSET_KEY\"",
        "",
    );
    let (code, _, err) = desk.run(&[]);
    assert_eq!(code, 4, "{err}");
    assert_error(&err, &["TABJURY_TEST_UNSET_KEY"]);
}

#[test]
fn a_limit_on_calls_exits_5_and_the_same_command_goes_on() {
    let endpoint = endpoint("Answer: TRUE", 0);
    let desk = Desk::new();
    desk.endpoint_study(&endpoint);
    let (code, _, err) = desk.run(&["--max-calls", "2"]);
    assert_eq!(code, 5, "{err}");
    assert_error(&err, &["--max-calls", "run study.toml --out run --max-calls 2"]);
    let made = endpoint.served();
    assert!((2..6).contains(&made), "{made}");
    assert!(!desk.exists("run/report.html"));
}

#[test]
fn more_failures_than_allowed_exit_6_after_the_report() {
    let desk = Desk::new();
    desk.write(
        "script.jsonl",
        &SCRIPT.replace("Verdict: correct", "I would rather talk about the weather."),
    );
    let (code, out, err) = desk.run(&[]);
    assert_eq!((code, out.as_str()), (6, "run\n"), "{err}");
    assert_error(&err, &["max_failure_share"]);
    assert!(desk.exists("run/report.html"));
}

#[test]
fn more_unread_judgments_than_allowed_exit_9_after_the_report() {
    for (allowed, expected) in [(0.01, 9), (1.0, 0)] {
        let desk = Desk::new();
        desk.write(
            "script.jsonl",
            &SCRIPT.replace("Verdict: correct", "I would rather talk about the weather."),
        );
        let report = format!("\n[report]\nmax_failure_share = 1.0\nmax_unparsed_share = {allowed}\n");
        desk.write("study.toml", &format!("{}{report}", desk.read("study.toml")));
        let (code, out, err) = desk.run(&[]);
        assert_eq!((code, out.as_str()), (expected, "run\n"), "{err}");
        if expected == 9 {
            assert_error(&err, &["max_unparsed_share", "have no verdict"]);
        }
        assert!(desk.exists("run/report.html"));
    }
}

#[test]
fn a_dry_run_asks_nothing_and_writes_nothing() {
    let endpoint = endpoint("Answer: TRUE", 0);
    let desk = Desk::new();
    desk.endpoint_study(&endpoint);
    let (code, out, err) = desk.run(&["--dry-run"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("\nm\n") && out.contains("cost:   unknown"), "{out}");
    assert_eq!(endpoint.served(), 0);
    assert!(!desk.exists("run"), "a run directory was made");
}

#[test]
#[cfg(unix)]
fn interrupted_once_it_keeps_what_was_under_way_and_goes_on_later() {
    stops_and_goes_on("-INT");
    stops_and_goes_on("-TERM");
}

#[cfg(unix)]
fn stops_and_goes_on(sign: &str) {
    let endpoint = endpoint("SELECT 'TRUE' AS verdict FROM table_sql LIMIT 1", 300);
    let desk = Desk::new();
    desk.endpoint_study(&endpoint);
    let child = desk.spawn();
    wait_for(|| endpoint.served() == 2);
    interrupt(&child, sign);
    let (code, out, err) = read(&child.wait_with_output().expect("it ends"));
    assert_eq!((code, out.as_str()), (130, ""), "{err}");
    assert_error(&err, &["no new calls", "goes on", "run study.toml --out run"]);
    let asked = endpoint.served();
    assert!(asked <= 3, "{asked}");
    let (code, _, err) = desk.run(&["--stage", "answer"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(endpoint.served(), 6, "no call was made again");
}

#[test]
#[cfg(unix)]
fn interrupted_twice_it_stops_at_once() {
    let endpoint = endpoint("never mind", 60_000);
    let desk = Desk::new();
    desk.endpoint_study(&endpoint);
    let child = desk.spawn();
    wait_for(|| endpoint.served() == 1);
    let began = Instant::now();
    interrupt(&child, "-INT");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child, "-INT");
    let (code, _, err) = read(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, 130, "{err}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

fn endpoint(answer: &str, milliseconds: u64) -> Endpoint {
    let settings = Settings {
        mode: Mode::Fixed(answer.to_owned()),
        latency: Duration::from_millis(milliseconds),
        log: None,
        key: None,
    };
    Endpoint::start(0, settings).expect("it listens")
}

fn wait_for(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(60), "it did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn interrupt(child: &Child, sign: &str) {
    let status = std::process::Command::new("kill")
        .args([sign, &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(status.success());
}

const ASK: &[&str] = &[
    "ask",
    "--table",
    "ferries.csv",
    "--statement",
    "Two of the ferries carry more than 200 passengers.",
    "--method",
    "text_to_sql",
    "--script",
    "script.jsonl",
];

#[test]
fn ask_prints_the_chain_and_writes_page_and_trace() {
    let desk = Desk::new();
    let (code, out, err) = desk.outcome(&[ASK, &["--html", "page.html", "--json", "trace.json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    for words in [
        "> | Osprey",
        "[260]",
        "*Passengers*",
        "Answer: TRUE (the last step's result)",
    ] {
        assert!(out.contains(words), "`{words}` is not in:\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "colour off a terminal");
    assert!(
        desk.read("page.html").starts_with("<!DOCTYPE html>") || desk.read("page.html").starts_with("<!doctype html>")
    );
    let trace: Value = serde_json::from_str(&desk.read("trace.json")).expect("JSON");
    assert_eq!(trace["answer"]["verdict"], Value::Bool(true));
}

#[test]
fn ask_says_what_is_wrong_by_its_code() {
    let desk = Desk::new();
    for (arguments, expected, words) in [
        (&["--set", "repairs=many"][..], 2, "repairs"),
        (&["--set", "shots=4"], 2, "shots"),
        (&["--html", "absent/page.html"], 3, "absent"),
    ] {
        let (code, _, err) = desk.outcome(&[ASK, arguments].concat());
        assert_eq!(code, expected, "{arguments:?}: {err}");
        assert_error(&err, &[words]);
    }
    desk.write("ferries.csv", "Ferry,Passengers\nHeron\n");
    let (code, out, err) = desk.outcome(ASK);
    assert_eq!((code, out.as_str()), (3, ""));
    assert_error(&err, &["ferries.csv"]);

    let desk = Desk::new();
    desk.write(
        "script.jsonl",
        &SCRIPT.replace("SELECT CASE", "DROP TABLE table_sql; SELECT CASE"),
    );
    let (code, out, err) = desk.outcome(&[ASK, &["--set", "repairs=0"]].concat());
    assert_eq!(code, 6, "{err}");
    assert!(out.contains("No answer:"), "{out}");
    assert_error(&err, &["there is no answer"]);
}

#[test]
fn hostile_tables_and_answers_do_not_reach_the_terminal() {
    let desk = Desk::new();
    desk.write(
        "ferries.csv",
        "Ferry\u{1b}[2J,Passengers\n\u{1b}]0;owned\u{7},260\nb\u{202e}c,310\n",
    );
    let (code, out, err) = desk.outcome(ASK);
    assert_eq!(code, 0, "{err}");
    let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!out.chars().chain(err.chars()).any(acts), "{out}{err}");
    assert!(out.contains("owned"), "{out}");
}

#[test]
fn doctor_says_what_works_and_what_to_do() {
    let desk = Desk::new();
    let (code, out, _) = desk.outcome(&["doctor"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("OPENAI_API_KEY is not set") && out.contains("do: "),
        "{out}"
    );

    let endpoint = endpoint("OK\u{1b}[2J", 0);
    desk.endpoint_study(&endpoint);
    let (code, out, err) = desk.outcome(&["doctor", "study.toml"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("ok       model `m`") && !out.contains('\u{1b}'), "{out}");
    assert_eq!(endpoint.served(), 1);

    desk.study(
        "provider = \"openai\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"x\"\nmax_retries = 9",
        "",
    );
    let (code, out, _) = desk.outcome(&["doctor", "study.toml"]);
    assert_eq!(code, 4);
    assert!(out.contains("BROKEN   model `m`") && out.contains("do: "), "{out}");

    desk.study("provider = \"script\"\nfile = \"absent.jsonl\"", "");
    let (code, out, _) = desk.outcome(&["doctor", "study.toml"]);
    assert_eq!(code, 3);
    assert!(
        out.contains("BROKEN   model `m`") && out.contains("absent.jsonl"),
        "{out}"
    );
    assert!(Path::new(&desk.path("study.toml")).is_file() && !desk.exists("results"));
}
