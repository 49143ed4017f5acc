//! `tabjury execute`: a plan on a table, wrong plans, and a stored plan edited and run again.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails says why")]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::Value;
use tabjury::method::written_plan::WrittenPlan;
use tabjury::trace::Trace;

fn root(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    path.to_string_lossy().into_owned()
}

/// A directory with the deals of the example and a run of one sample about them.
struct Desk {
    directory: tempfile::TempDir,
}

const SCRIPT: &str = r#"{"purpose": "pos.plan", "text": "1. Select rows where Region is 'South'.\n2. Group by Rep and sum Units.\n3. Order by the sum, highest first, and take the first row."}
{"purpose": "pos.sql", "turn": 0, "text": "SELECT * FROM table_sql WHERE region = 'South'"}
{"purpose": "pos.sql", "turn": 1, "text": "SELECT rep, SUM(units) AS total FROM table_sql GROUP BY rep"}
{"purpose": "pos.sql", "turn": 2, "text": "SELECT rep FROM table_sql ORDER BY total DESC LIMIT 1"}
{"purpose": "end_to_end.answer", "text": "Answer: Alice"}
"#;

impl Desk {
    fn new() -> Self {
        let desk = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        std::fs::copy(root("examples/deals/deals.csv"), desk.path("deals.csv")).unwrap();
        std::fs::copy(root("examples/deals/plan.json"), desk.path("plan.json")).unwrap();
        desk
    }

    fn with_run() -> Self {
        let desk = Self::new();
        desk.write("script.jsonl", SCRIPT);
        desk.write(
            "questions.jsonl",
            "{\"id\": \"d1\", \"table\": \"deals.csv\", \"question\": \"Who sold most units in the North?\", \"answer\": \"Carol\"}\n",
        );
        desk.write(
            "study.toml",
            "[study]\nname = \"deals\"\n[[samples]]\ndataset = \"custom\"\nquestions = \"questions.jsonl\"\n\
             [[models]]\nname = \"m\"\nprovider = \"script\"\nfile = \"script.jsonl\"\n\
             [[arms]]\nname = \"pos\"\nmethod = \"pos\"\nmodel = \"m\"\n\
             [[arms]]\nname = \"listing\"\nmethod = \"pos\"\nmodel = \"m\"\nformat = \"program_listing\"\n\
             [[arms]]\nname = \"plain\"\nmethod = \"end_to_end\"\nmodel = \"m\"\n",
        );
        let (code, _, err) = desk.outcome(&["run", "study.toml", "--out", "run"]);
        assert_eq!(code, 0, "{err}");
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Exit code, stdout, stderr.
    fn outcome(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::cargo_bin("tabjury")
            .unwrap()
            .current_dir(self.directory.path())
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    fn execute(&self, arguments: &[&str]) -> (i32, String, String) {
        self.outcome(&[&["execute", "--table", "deals.csv", "--plan", "plan.json"], arguments].concat())
    }

    fn again(&self, arguments: &[&str]) -> (i32, String, String) {
        self.outcome(&[&["execute", "--from", "run", "--sample", "d1"], arguments].concat())
    }

    /// Every file of the run with its bytes.
    fn run_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut ahead = vec![self.path("run")];
        while let Some(directory) = ahead.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    ahead.push(path);
                } else {
                    files.push((path.clone(), std::fs::read(path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

fn assert_error(err: &str, words: &[&str]) {
    assert!(err.contains("error: ") && err.contains("\nnext: "), "{err}");
    for word in words {
        assert!(err.contains(word), "`{word}` is not in:\n{err}");
    }
}

#[test]
fn the_example_runs_without_a_model() {
    let desk = Desk::new();
    let (code, out, err) = desk.execute(&["--html", "page.html", "--json", "trace.json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for words in [
        "5 of 8 rows used",
        "Answer: Alice (the last step's result)",
        "0 model calls, 5 program runs",
        "right",
    ] {
        assert!(out.contains(words), "`{words}` is not in:\n{out}");
    }
    let trace: Trace = serde_json::from_str(&desk.read("trace.json")).unwrap();
    let rows: Vec<usize> = trace.tables.iter().map(|table| table.rows.len()).collect();
    assert_eq!(rows, [8, 8, 5, 3, 3, 1]);
    let sums: Vec<(&str, &str)> = trace.tables[4]
        .rows
        .iter()
        .map(|row| (row[0].as_deref().unwrap(), row[1].as_deref().unwrap()))
        .collect();
    assert_eq!(sums, [("Alice", "450"), ("Carol", "440"), ("Bram", "210")]);
    assert_eq!(trace.tables[1].columns[6].display, "Revenue");
    // Composed back to the file: Alice's two deals in the North.
    let last = trace.steps[4].lineage.as_ref().unwrap();
    assert_eq!(last.origins.rows, [vec![0, 7]]);
    assert!(trace.steps.iter().all(|step| step.lineage.as_ref().unwrap().is_exact()));
    let page = desk.read("page.html");
    assert!(page.contains("450") && page.contains("440") && !page.contains("<script"));
    let (code, _, err) = desk.execute(&["--format", "step_through", "--html", "page.html"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let page = desk.read("page.html");
    assert!(page.contains("id=\"stepper\"") && page.contains("dropped") && page.contains("440"));
    let (code, _, err) = desk.execute(&["--format", "hologram"]);
    assert_eq!(code, 2);
    assert!(err.contains("step_through"), "{err}");
}

#[test]
fn a_step_that_does_not_run_leaves_the_steps_before_it() {
    let desk = Desk::new();
    let plan = desk
        .read("plan.json")
        .replace("GROUP BY \\\"Rep\\\"", "GROUP BY \\\"Seller\\\"");
    desk.write("plan.json", &plan);
    let (code, out, err) = desk.execute(&["--html", "page.html", "--json", "trace.json"]);
    assert_eq!(code, 3, "{err}");
    assert!(
        out.contains("5 of 8 rows used") && out.contains("failed: there is no result"),
        "{out}"
    );
    assert_error(
        &err,
        &["plan.json", "step 3 failed", "Seller", "steps after it were not run"],
    );
    let trace: Trace = serde_json::from_str(&desk.read("trace.json")).unwrap();
    assert_eq!((trace.steps.len(), trace.tables.len()), (3, 3));
    assert!(desk.read("page.html").contains("Seller"));
}

#[test]
fn what_is_no_plan_is_refused_with_file_and_step() {
    let desk = Desk::new();
    for (plan, words) in [
        (
            "{\"steps\": [{\"operation\": \"sort_by\"}]}",
            &["plan.json:1:", "step 1", "`sql`"][..],
        ),
        (
            "{\"steps\": [{\"sql\": \"SELECT 1\"}, {\"nl\": \"x\"}]}",
            &["step 2", "`sql`"],
        ),
        ("{\"steps\": []}", &["plan.json", "at least one step"]),
        ("[{\"sql\": \"SELECT 1\"}]", &["plan.json:1:", "`steps`"]),
        ("{\"step\": []}", &["plan.json", "step"]),
        ("nonsense", &["plan.json:1:"]),
        (
            "{\"answer\": true, \"question\": \"Who?\", \"steps\": [{\"sql\": \"SELECT 1\"}]}",
            &["answer"],
        ),
    ] {
        desk.write("plan.json", plan);
        let (code, out, err) = desk.execute(&["--json", "trace.json"]);
        assert_eq!((code, out.as_str()), (3, ""), "{plan}: {err}");
        assert_error(&err, words);
    }
    assert!(!desk.path("trace.json").exists());
    std::fs::write(desk.path("plan.json"), b"{\"steps\": \"\xff\"}").unwrap();
    assert_eq!(desk.execute(&[]).0, 3);
    std::fs::remove_file(desk.path("plan.json")).unwrap();
    assert_error(&desk.execute(&[]).2, &["plan.json"]);
}

#[test]
fn an_answer_that_the_plan_calls_wrong_and_none_at_all_exit_6() {
    let desk = Desk::new();
    let plan = desk.read("plan.json");
    desk.write(
        "plan.json",
        &plan.replace("\"answer\": \"Alice\"", "\"answer\": \"Carol\""),
    );
    let (code, out, err) = desk.execute(&[]);
    assert_eq!(code, 6, "{err}");
    assert!(out.contains("That is wrong"), "{out}");
    desk.write("plan.json", &plan.replace("LIMIT 1", "LIMIT 0"));
    let (code, out, _) = desk.execute(&[]);
    assert_eq!(code, 6);
    assert!(out.contains("No answer:"), "{out}");
}

#[test]
fn outputs_replace_no_input_and_not_each_other() {
    let desk = Desk::new();
    let table = desk.read("deals.csv");
    let ask = [
        "ask",
        "--table",
        "deals.csv",
        "--question",
        "Who?",
        "--method",
        "end_to_end",
        "--script",
        "deals.csv",
    ];
    for outputs in [
        &["--html", "./deals.csv"][..],
        &["--json", "deals.csv"],
        &["--html", "page", "--json", "page"],
    ] {
        let (code, out, err) = desk.execute(outputs);
        assert_eq!((code, out.as_str()), (2, ""), "{outputs:?}: {err}");
        let (code, out, err) = desk.outcome(&[&ask[..], outputs].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{outputs:?}: {err}");
        assert_error(&err, &[outputs[0]]);
    }
    assert_eq!(desk.execute(&["--html", "plan.json"]).0, 2);
    assert_eq!(desk.read("deals.csv"), table);
}

#[test]
fn a_dash_is_stdout_and_nothing_else_goes_there() {
    let desk = Desk::new();
    let (code, out, err) = desk.execute(&["--json", "-", "--html", "page.html"]);
    assert_eq!(code, 0, "{err}");
    let trace: Trace = serde_json::from_str(&out).unwrap();
    assert_eq!(trace.steps.len(), 5);
    assert!(err.contains("Answer: Alice") && err.contains("That is right"), "{err}");
    assert!(desk.read("page.html").contains("Alice") && !desk.path("-").exists());
    let (code, out, _) = desk.execute(&["--html", "-"]);
    assert!(code == 0 && out.starts_with("<!DOCTYPE html>") && out.trim_end().ends_with("</html>"));
    let (code, out, err) = desk.execute(&["--html", "-", "--json", "-"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert_error(&err, &["--html", "--json", "same file"]);
}

#[test]
fn a_stored_plan_is_edited_and_run_again() {
    let desk = Desk::with_run();
    let before = desk.run_files();

    let (code, out, err) = desk.again(&["--answerer", "pos", "--write-plan", "mine.json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.contains("every step is the same") && out.contains("answer: Dev (as before)"),
        "{out}"
    );
    let written = desk.read("mine.json");
    let (code, out, err) = desk.again(&["--answerer", "pos", "--write-plan", "-"]);
    assert_eq!((code, out.as_str()), (0, written.as_str()), "{err}");
    assert!(err.contains("every step is the same"), "{err}");
    let plan = WrittenPlan::read(&written).unwrap();
    assert_eq!(plan.steps.len(), 3);
    assert_eq!(plan.question.as_deref(), Some("Who sold most units in the North?"));

    desk.write("mine.json", &written.replace("South", "North"));
    // The arm's name does as well as that of the answerer whose trace it shows.
    let (code, out, err) = desk.again(&["--answerer", "listing", "--plan", "mine.json", "--json", "trace.json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for words in [
        "step 1: other words; another program; another result: 2 rows x 6 columns -> 5 rows x 6 columns",
        "step 2: another result: 2 rows x 2 columns -> 3 rows x 2 columns",
        "step 3: another result",
        "answer: Dev -> Carol",
        "by the gold answer: wrong -> right",
    ] {
        assert!(out.contains(words), "`{words}` is not in:\n{out}");
    }
    let trace: Value = serde_json::from_str(&desk.read("trace.json")).unwrap();
    assert_eq!(trace["answer"]["values"][0], "Carol");
    assert_eq!(desk.run_files(), before, "the run was changed");
}

#[test]
fn a_stored_fallback_is_not_taken_for_the_steps_answer() {
    let desk = Desk::new();
    let study = root("examples/quickstart/study.toml");
    let (code, _, err) = desk.outcome(&["run", &study, "--out", "run"]);
    assert_eq!(code, 0, "{err}");
    let again = ["execute", "--from", "run", "--sample", "chess-3", "--answerer", "pos"];
    let (_, out, _) = desk.outcome(&again);
    assert!(
        out.contains("the stored answer came from a fallback, not from these steps"),
        "{out}"
    );
}

#[test]
fn what_cannot_be_run_again_says_why() {
    let desk = Desk::with_run();
    let before = desk.run_files();
    for (arguments, expected, words) in [
        (
            &[][..],
            3,
            &["several", "`pos`", "`plain`", "next: name one of them with --answerer"][..],
        ),
        (
            &["--answerer", "nobody"],
            3,
            &["nobody", "`pos`", "next: name one of them with --answerer"],
        ),
        (&["--answerer", "plain"], 3, &["no steps"]),
        (
            &["--answerer", "pos", "--html", "run/report.html"],
            2,
            &["--html", "run directory"],
        ),
        (
            &["--answerer", "pos", "--write-plan", "run/samples.jsonl"],
            2,
            &["--write-plan"],
        ),
        (
            &["--answerer", "pos", "--plan", "plan.json"],
            3,
            &["plan.json", "question", "d1"],
        ),
    ] {
        let (code, _, err) = desk.again(arguments);
        assert_eq!(code, expected, "{arguments:?}: {err}");
        assert_error(&err, words);
    }
    let (code, _, err) = desk.outcome(&["execute", "--from", "run", "--sample", "d2"]);
    assert_eq!(code, 3);
    assert_error(
        &err,
        &[
            "`d2`",
            "such as `d1`",
            "next: name one of the ids in samples.jsonl with --sample",
        ],
    );
    let (code, _, err) = desk.outcome(&["execute", "--from", ".", "--sample", "d1"]);
    assert_eq!(code, 3);
    assert_error(&err, &["not a run directory", "with --from"]);
    assert!(!err.contains("--sample"), "{err}");
    assert_eq!(desk.run_files(), before);
    let traces = desk.read("run/traces.jsonl").replace("Dev", "Eve");
    desk.write("run/traces.jsonl", &traces);
    assert_error(
        &desk.again(&["--answerer", "pos"]).2,
        &["traces.jsonl", "not as the run wrote it"],
    );
}

#[test]
fn formats_that_would_show_nothing_of_the_steps_are_refused() {
    let desk = Desk::new();
    for (format, why) in [
        ("free_text", "a model's own words"),
        ("imported", "made elsewhere"),
        ("none", "no explanation"),
    ] {
        let given = [
            "execute",
            "--table",
            "deals.csv",
            "--plan",
            "plan.json",
            "--html",
            "page.html",
        ];
        let (code, out, err) = desk.outcome(&[&given[..], &["--format", format]].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{format}: {err}");
        assert_error(
            &err,
            &[format, why, "next: choose one of attribution_chain, step_through"],
        );
        assert!(!desk.path("page.html").exists(), "{format}");
    }
}
