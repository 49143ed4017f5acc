//! Judgments recorded elsewhere: what their mapping says of them, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{done, read, refused};
use crate::support;

/// A made-up log with its mapping.
pub(super) struct Log {
    root: tempfile::TempDir,
}

impl Log {
    pub(super) fn new(log: &str, content: &str, mapping: &str) -> Self {
        let made = Self {
            root: tempfile::tempdir().unwrap(),
        };
        fs::write(made.path(log), content).unwrap();
        fs::write(made.path("mapping.toml"), mapping).unwrap();
        made
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self, log: &str) -> Vec<String> {
        command(&self.path(log), &self.path("mapping.toml"), &self.path("run"))
    }

    pub(super) fn import(&self, log: &str) -> (String, Value) {
        let said = done(&words(&self.command(log)));
        (said, analysis(&self.path("run")))
    }

    pub(super) fn refuse(&self, log: &str) -> String {
        refused(&words(&self.command(log)), 3)
    }
}

fn command(log: &Path, mapping: &Path, out: &Path) -> Vec<String> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    vec![
        "import".to_owned(),
        "--judgments".to_owned(),
        text(log),
        "--mapping".to_owned(),
        text(mapping),
        "--out".to_owned(),
        text(out),
    ]
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

fn analysis(run: &Path) -> Value {
    serde_json::from_str(&read(run.join("analysis.json"))).unwrap()
}

pub(super) const VERIFICATION: &str = r#"
name = "boats"
task = "verification"
dataset = "tabfact"
samples = "own"
control_arms = ["bare"]
sample = { field = "id", after_last = "/", strip_suffix = ".html" }
arm = { field = "method" }
judge = { value = "teal" }
verdict = { field = "said", is_true = ["Yes"], is_false = ["No"] }
right = { field = "right", is_true = ["1"], is_false = ["0"] }
"#;

#[test]
fn verdicts_are_the_listed_values_and_nothing_else() {
    let log = Log::new(
        "log.csv",
        "id,method,said,right\n\
         a/s1.html,chain,Yes,1\n\
         b/s2.html,chain,No,0\n\
         a/s3.html,chain,No,1\n\
         a/s4.html,chain,\"yes, clearly\",1\n\
         a/s5.html,chain,Yes,\n\
         a/s6.html,bare,Yes,1\n",
        VERIFICATION,
    );
    let (said, analysis) = log.import("log.csv");
    assert!(
        said.contains("6 judgments of 6 samples, from 6 rows; 1 without a verdict"),
        "{said}"
    );
    let arm = &analysis["verification"][0]["arms"][0];
    assert_eq!(arm["arm"], "chain");
    assert_eq!(
        (&arm["readings"]["asked"], &arm["readings"]["readable"]),
        (&json!(5), &json!(4))
    );
    assert_eq!(arm["readings"]["unread"], json!({"unparsed": 1}));
    // s5 has no word on whether its answer is right, so it is neither.
    assert_eq!(
        (&arm["accuracy"]["successes"], &arm["accuracy"]["n"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(arm["base_rate"]["successes"], 2);
    let judgments = read(log.path("run").join("judgments.jsonl"));
    assert!(
        judgments.contains("yes, clearly"),
        "the text of what is not read is kept"
    );
    let lift = &arm["control"]["Ok"]["lift"];
    assert_eq!((&lift["test"], &lift["second"]["n"]), (&json!("fisher"), &json!(1)));
    let control = &analysis["verification"][0]["arms"][1]["control"];
    assert_eq!(control["Err"]["reason"], "it is the control itself");
    let flags = analysis["flags"].as_array().unwrap();
    let imported = flags.iter().find(|flag| flag["kind"] == "imported_judgments").unwrap();
    let message = imported["message"].as_str().unwrap();
    assert!(message.contains("the pages that the judge saw") && message.contains("two arms cannot be compared"));
    assert!(analysis["answerers"].as_array().unwrap().is_empty());
    assert!(analysis["left_out"].as_array().unwrap().is_empty());

    // The run reads as any other: its report is made again, byte for byte, and it stands beside published numbers.
    let run = log.path("run");
    let report = read(run.join("report.html"));
    done(&["report", run.to_str().unwrap()]);
    assert_eq!(read(run.join("report.html")), report);
    let message = refused(&["check", run.to_str().unwrap()], 3);
    assert!(message.contains("its judgments were imported"), "{message}");
    let compared = done(&["compare", run.to_str().unwrap()]);
    assert!(compared.contains("# boats beside published numbers"), "{compared}");
}

#[test]
fn an_arm_with_the_name_of_the_control_is_refused() {
    let log = Log::new(
        "log.csv",
        "id,method,said,right\na/s1.html,chain,Yes,1\na/s2.html,none,Yes,1\n",
        VERIFICATION,
    );
    let message = log.refuse("log.csv");
    assert!(
        message.contains("log.csv, line 3: an arm is called `none`"),
        "{message}"
    );
    assert!(message.contains("control_arms"), "{message}");
    assert!(!log.path("run").exists());
}

#[test]
fn a_changed_log_of_a_run_is_refused() {
    let log = Log::new(
        "log.csv",
        "id,method,said,right\na/s1.html,chain,Yes,1\na/s2.html,bare,Yes,1\n",
        VERIFICATION,
    );
    log.import("log.csv");
    let judgments = log.path("run").join("judgments.jsonl");
    fs::write(&judgments, read(&judgments).replace("true", "false")).unwrap();
    let message = refused(&["report", log.path("run").to_str().unwrap()], 3);
    assert!(message.contains("judgments.jsonl"), "{message}");
}

#[test]
fn rankings_are_lists_or_words_and_places_are_told_only_where_known() {
    let mapping = |verdict: &str, order: &str| {
        format!(
            "name = \"boats\"\ntask = \"preference\"\ndataset = \"tabfact\"\nsample = {{ field = \"id\" }}\n\
             judge = {{ field = \"who\" }}\nverdict = {{ field = \"ranked\", {verdict} }}\n{order}\n"
        )
    };
    let rows = |rankings: [Value; 3]| -> String {
        (0..)
            .zip(rankings)
            .map(|(index, ranked)| {
                format!(
                    "{}\n",
                    json!({"id": format!("s{index}"), "who": "teal", "ranked": ranked})
                )
            })
            .collect()
    };
    let order = "shown_order = { value = [\"ash\", \"elm\", \"oak\"] }";
    let log = Log::new(
        "log.jsonl",
        &rows([
            json!(["ash", "elm", "oak"]),
            json!(["ash", "oak", "elm"]),
            json!(["ash", "oak"]),
        ]),
        &mapping("ranking = \"list\"", order),
    );
    let (said, analysis) = log.import("log.jsonl");
    assert!(said.contains("1 without a verdict"), "{said}");
    let judge = &analysis["preference"][0];
    assert_eq!(
        (&judge["rankings"], &judge["follows_shown_order"]["successes"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(judge["arms"][0]["mean_rank"]["value"]["Ok"], json!(1.0));
    assert_eq!(judge["places"].as_array().unwrap().len(), 3);

    let text = "1. oak\n2. elm\n3. ash\n";
    let log = Log::new(
        "log.jsonl",
        &rows([json!(text), json!(text), json!("I like all of them.")]),
        &mapping(
            "ranking = \"text\"",
            "[methods]\nash = \"Ash\"\nelm = \"Elm\"\noak = \"Oak\"",
        ),
    );
    let (said, analysis) = log.import("log.jsonl");
    assert!(said.contains("1 without a verdict") && said.contains("the order in which explanations were shown"));
    let judge = &analysis["preference"][0];
    assert!(judge["places"].as_array().unwrap().is_empty());
    assert_eq!(judge["follows_shown_order"]["n"], 0);
    assert!(judge["arms"][0]["by_place"].as_array().unwrap().is_empty());
    let flags = analysis["flags"].to_string();
    assert!(
        !flags.contains("position_bias") && !flags.contains("unbalanced_places"),
        "{flags}"
    );
}

#[test]
fn mistakes_of_log_or_mapping_are_told_with_their_place() {
    let good = "id,method,said,right\na/s1.html,chain,Yes,1\na/s2.html,bare,Yes,1\n";
    let cases = [
        (
            good,
            VERIFICATION.replace("\"said\"", "\"answer\""),
            "no row has a field `answer`",
        ),
        (
            good,
            VERIFICATION.replace("is_true = [\"Yes\"], ", ""),
            "verdict.is_true",
        ),
        (good, VERIFICATION.replace("\"tabfact\"", "\"tabfax\""), "line 4"),
        (
            good,
            VERIFICATION.replace("{ value = \"teal\" }", "{}"),
            "`judge` has to name",
        ),
        (
            "id,method,said,right\na/.html,chain,Yes,1\n",
            VERIFICATION.to_owned(),
            "line 2",
        ),
        ("id,method,said,right\na,b\n", VERIFICATION.to_owned(), "line 2"),
        ("id,method,said,right\n", VERIFICATION.to_owned(), "no rows"),
        (
            good,
            VERIFICATION.replace("[\"bare\"]", "[\"baer\"]"),
            "`control_arms` names the arm \"baer\"",
        ),
        (
            good,
            format!("{VERIFICATION}[methods]\nchian = \"Chain\"\n"),
            "`methods` names the arm \"chian\"",
        ),
        (
            good,
            VERIFICATION.replace("[\"bare\"]", "[\"bare\", \"chain\"]"),
            "which of them is the control of each arm",
        ),
        (good, VERIFICATION.replace("is_true = [\"1\"], ", ""), "`right.is_true`"),
        (
            "id,method,said,right,said\na/s1.html,chain,Yes,1,No\na/s2.html,bare,Yes,1,Yes\n",
            VERIFICATION.to_owned(),
            "two columns are called \"said\"",
        ),
    ];
    for (content, mapping, expected) in cases {
        let log = Log::new("log.csv", content, &mapping);
        let message = log.refuse("log.csv");
        assert!(message.contains(expected), "{expected} is not in: {message}");
        assert!(!log.path("run").exists(), "nothing is half imported");
    }
    let log = Log::new("log.txt", good, VERIFICATION);
    assert!(log.refuse("log.txt").contains("does not say what it is"));
}

fn recorded(test: &str) -> Option<(PathBuf, Value)> {
    let directory = support::data_dir(test)?.join("judge_logs");
    let expected: Value = serde_json::from_str(&read(directory.join("expected.json"))).unwrap();
    Some((directory, expected["this_folder"].clone()))
}

/// Imports a log of the data directory by its mapping among the examples.
fn import_recorded(directory: &Path, name: &str, out: &Path) -> Value {
    let mapping = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/judge_logs/{name}.toml"));
    done(&words(&command(
        &directory.join(format!("{name}.jsonl")),
        &mapping,
        out,
    )));
    analysis(out)
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

pub(super) fn conclusions(analysis: &Value) -> String {
    analysis["conclusions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|said| said.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

fn first_screen(run: &Path) -> String {
    let report = read(run.join("report.html"));
    report.split("<nav").next().unwrap().to_owned()
}

#[test]
fn recorded_verifications_count_as_recorded_and_none_beats_its_base_rate() {
    let Some((directory, expected)) = recorded("recorded_verifications_count_as_recorded") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let run = out.path().join("run");
    let analysis = import_recorded(&directory, "verification_tabfact", &run);
    let arms: BTreeMap<&str, &Value> = analysis["verification"][0]["arms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arm| (arm["arm"].as_str().unwrap(), arm))
        .collect();
    let runs = expected["verification_tabfact"].as_object().unwrap();
    assert_eq!(arms.len(), runs.len());
    for (name, expected) in runs {
        let arm = arms[name.as_str()];
        assert_eq!(arm["readings"]["asked"], expected["n"], "{name}");
        assert_eq!(arm["accuracy"]["successes"], expected["correct"], "{name}");
        let unparsed = arm["readings"]["unread"].get("unparsed").map_or(0, count);
        assert_eq!(unparsed, count(&expected["unparsable"]), "{name}");
        assert_eq!(arm["yes_share"]["successes"], expected["llm_yes"], "{name}");
    }
    let said = conclusions(&analysis);
    let (base_rate, control) = (
        "beats its base rate (always saying \"correct\") by more than chance in 0 of",
        "with an explanation beats the one without by more than chance in 0 of",
    );
    assert!(said.contains(base_rate) && said.contains(control), "{said}");
    assert!(said.contains("corrected p") && said.contains("95% interval"), "{said}");
    let screen = first_screen(&run);
    assert!(
        screen.contains("by more than chance in 0 of") && screen.contains(control),
        "the first screen says it"
    );
    for (name, arm) in &arms {
        let found = &arm["against_base_rate"]["Ok"];
        // What was recorded as a control is in no family of tests.
        let is_control = arm["control"]["Err"]["reason"] == "it is the control itself";
        match found["p_corrected"]["Ok"].as_f64() {
            Some(corrected) => assert!(!is_control && corrected >= found["p"].as_f64().unwrap(), "{name}"),
            None => assert!(is_control, "{name}: {found}"),
        }
        if name.starts_with("NO_XAI") {
            assert_eq!(arm["control"]["Err"]["reason"], "it is the control itself");
            continue;
        }
        let control = &arm["control"]["Ok"];
        let named = control["control"].as_str().unwrap();
        assert_eq!(
            name.contains("1000"),
            named.contains("1000"),
            "one control, of the same order of options"
        );
        // Few samples of a run and its control are the same, and those count on one side only.
        assert_eq!(control["lift"]["test"], "fisher");
        let sides = count(&control["lift"]["first"]["n"]) + count(&control["lift"]["second"]["n"]);
        let shared = count(&control["shared_samples"]);
        assert_eq!(
            sides + shared,
            count(&arm["accuracy"]["n"]) + count(&arms[named]["accuracy"]["n"]),
            "{name}"
        );
    }
}

#[test]
fn the_recorded_wikitq_verification_beats_its_base_rate() {
    let Some((directory, expected)) = recorded("the_recorded_wikitq_verification_beats_its_base_rate") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let run = out.path().join("run");
    let analysis = import_recorded(&directory, "verification_wikitq", &run);
    let arm = &analysis["verification"][0]["arms"][0];
    let expected = &expected["verification_wikitq_pos"];
    assert_eq!(arm["readings"]["asked"], expected["n"]);
    assert_eq!(arm["accuracy"]["successes"], expected["correct"]);
    assert_eq!(arm["yes_share"]["successes"], expected["llm_yes"]);
    let said = conclusions(&analysis);
    let beats = "beats its base rate (always saying \"correct\") by more than chance in 1 of 1 pair";
    assert!(said.contains(beats), "{said}");
    assert!(said.contains("always saying \"incorrect\" would reach"), "{said}");
    assert!(
        said.contains("the better of always saying \"correct\" and always saying \"incorrect\""),
        "{said}"
    );
    let screen = first_screen(&run);
    assert!(screen.contains("by more than chance in 1 of 1 pair") && screen.contains("beats its base rate"));
}

#[test]
fn the_recorded_simulation_counts_as_recorded() {
    let Some((directory, expected)) = recorded("the_recorded_simulation_counts_as_recorded") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let analysis = import_recorded(&directory, "forward_sim_text2sql", &out.path().join("run"));
    let arm = &analysis["simulation"][0]["arms"][0];
    let expected = &expected["forward_sim_text2sql"];
    assert_eq!(arm["accuracy"]["n"], expected["n"]);
    assert_eq!(arm["accuracy"]["successes"], expected["correct"]);
    // Held against always saying FALSE, which most of the model's answers are.
    let said = conclusions(&analysis);
    let beats = "Simulation beats always guessing the model's more frequent answer by more than chance in 1 of 1 pair";
    assert!(said.contains(beats) && said.contains("by \"FALSE\""), "{said}");
    assert!(
        said.contains("95% interval") && said.contains("corrected p = 0.025"),
        "{said}"
    );
}

#[test]
fn the_recorded_ranking_follows_the_order_shown() {
    let Some((directory, expected)) = recorded("the_recorded_ranking_follows_the_order_shown") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let run = out.path().join("run");
    let analysis = import_recorded(&directory, "preference_rankings", &run);
    let (judge, expected) = (&analysis["preference"][0], &expected["preference"]);
    assert_eq!(judge["readings"]["asked"], expected["n"]);
    assert_eq!(judge["rankings"], expected["n"]);
    for arm in judge["arms"].as_array().unwrap() {
        let name = arm["arm"].as_str().unwrap();
        let mean = arm["mean_rank"]["value"]["Ok"].as_f64().unwrap();
        assert!(
            (mean - expected["average_rank"][name].as_f64().unwrap()).abs() < 1e-12,
            "{name}"
        );
        assert_eq!(arm["first_rankings"], expected["first_place"][name], "{name}");
    }
    let said = conclusions(&analysis);
    assert!(said.contains("The ranking follows the order shown"), "{said}");
    assert!(
        said.contains("cannot be told apart") && said.contains("corrected p < 0.001"),
        "{said}"
    );
    assert!(first_screen(&run).contains("The ranking follows the order shown"));
}

#[test]
fn several_recorded_rankings_of_a_sample_are_several_judgments() {
    let Some((directory, expected)) = recorded("several_recorded_rankings_of_a_sample_are_several_judgments") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let analysis = import_recorded(&directory, "preference_rankings_3_runs", &out.path().join("run"));
    let judge = &analysis["preference"][0];
    assert_eq!(judge["common_samples"], expected["preference_3_runs"]["n"]);
    let rows: Vec<Value> = read(directory.join("preference_rankings_3_runs.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let rankings = |row: &Value| row["individual_rankings"].as_array().unwrap().clone();
    let all: usize = rows.iter().map(|row| rankings(row).len()).sum();
    assert_eq!(count(&judge["rankings"]), all as u64);
    for arm in judge["arms"].as_array().unwrap() {
        let name = arm["arm"].as_str().unwrap();
        let mean_of = |row: &Value| {
            let ranks: Vec<f64> = rankings(row)
                .iter()
                .map(|ranks| ranks[name].as_f64().unwrap())
                .collect();
            ranks.iter().sum::<f64>() / ranks.len() as f64
        };
        let expected = rows.iter().map(mean_of).sum::<f64>() / rows.len() as f64;
        let found = arm["mean_rank"]["value"]["Ok"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-9, "{name}: {found}, not {expected}");
    }
}
