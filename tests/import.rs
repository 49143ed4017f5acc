//! Explanations made elsewhere: imported, judged as an arm, checked and reported; and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "import/controls.rs"]
mod controls;
#[path = "import/judgments.rs"]
mod judgments;
#[path = "import/people.rs"]
mod people;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};
use tabjury::trace::{AnswerFailure, AnswerSource, Trace};

fn tabjury(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("tabjury")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that has to succeed; gives what it printed.
fn done(arguments: &[&str]) -> String {
    let output = tabjury(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that has to be refused as bad input; gives the message.
fn refused(arguments: &[&str], code: i32) -> String {
    let output = tabjury(arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stderr)
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

fn traces(path: impl AsRef<Path>) -> Vec<Trace> {
    read(path)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A folder with a table of boats, two questions, pages and predictions.
struct Workshop {
    root: tempfile::TempDir,
}

impl Workshop {
    fn new() -> Self {
        let workshop = Self {
            root: tempfile::tempdir().unwrap(),
        };
        workshop.write("boats.csv", "Boat,Crew\nHeron,3\nOsprey,5\nGrebe,9\n");
        workshop.write(
            "questions.jsonl",
            concat!(
                r#"{"id": "b-1", "table": "boats.csv", "statement": "The Grebe has the largest crew.", "label": true}"#,
                "\n",
                r#"{"id": "b-2", "table": "boats.csv", "question": "Which boats have a crew of more than four?", "answer": ["Osprey", "Grebe"]}"#,
                "\n",
            ),
        );
        workshop.write(
            "pages/b-1.html",
            "<p>The Grebe has <mark>9</mark>, so the statement is TRUE.</p>",
        );
        workshop.write("pages/b-2.html", "<p>They are Osprey and Grebe.</p>");
        workshop.write(
            "answers.csv",
            "sample,prediction\nb-1,TRUE\nb-2,\"[\"\"Osprey\"\", \"\"Grebe\"\"]\"\n",
        );
        workshop
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.root.path().join(name).to_str().unwrap().to_owned()
    }

    fn command(&self, more: &[&str]) -> Vec<String> {
        let own = [
            ("--data", format!("custom:{}", self.path("questions.jsonl"))),
            ("--html", self.path("pages")),
            ("--answers", self.path("answers.csv")),
            ("--name", "my-method".to_owned()),
            ("--out", self.path("mine.jsonl")),
        ];
        let mut command = vec!["import".to_owned()];
        for (option, value) in own {
            if !more.contains(&option) {
                command.extend([option.to_owned(), value]);
            }
        }
        command.extend(more.iter().map(|&argument| argument.to_owned()));
        command
    }

    fn import(&self) -> String {
        let command = self.command(&[]);
        done(&command.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn refuses(&self) -> String {
        let command = self.command(&[]);
        let said = refused(&command.iter().map(String::as_str).collect::<Vec<_>>(), 3);
        assert!(
            !Path::new(&self.path("mine.jsonl")).exists(),
            "half an import was written"
        );
        said
    }

    /// A study with the import as its only arm and a judge that says what a script has it say.
    fn study(&self, arm: &str) -> String {
        self.write(
            "judge.jsonl",
            concat!(
                r#"{"purpose": "judge.simulation", "text": "Answer: TRUE"}"#,
                "\n",
                r#"{"purpose": "judge.simulation", "sample": "b-2", "text": "Answer: [\"Osprey\", \"Grebe\"]"}"#,
                "\n",
                r#"{"purpose": "judge.verification", "text": "Verdict: correct"}"#,
                "\n",
            ),
        );
        self.write(
            "study.toml",
            format!(
                "[study]\nname = \"boats\"\n[[samples]]\ndataset = \"custom\"\nquestions = \"questions.jsonl\"\n\
                 [[models]]\nname = \"judge\"\nprovider = \"script\"\nfile = \"judge.jsonl\"\n\
                 [[arms]]\nname = \"mine\"\n{arm}\n[[judges]]\nname = \"judge\"\nmodel = \"judge\"\n\
                 [tasks.simulation]\n[tasks.verification]\n"
            ),
        );
        self.path("study.toml")
    }
}

#[test]
fn the_example_is_imported_judged_checked_and_reported() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let said = done(&[
        "import",
        "--data",
        "examples/imported/study.toml",
        "--html",
        "examples/imported/pages",
        "--answers",
        "examples/imported/predictions.csv",
        "--name",
        "ledger-notes",
        "--out",
        &at("notes.jsonl"),
    ]);
    for part in [
        "imported: 4 explanations",
        "1 more for when the answer is withheld",
        "scripts (1), event handlers (1), style sheets (1), links (1)",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("must not"), "{said}");
    assert_eq!(
        read(at("notes.jsonl")),
        read("examples/imported/ledger_notes.jsonl"),
        "import the example's pages again, as its study.toml says"
    );

    let run = at("run");
    done(&["run", "examples/imported/study.toml", "--out", &run]);
    let imported: Vec<Trace> = traces(format!("{run}/traces.jsonl"))
        .into_iter()
        .filter(|trace| trace.answerer == "ledger_notes")
        .collect();
    assert_eq!(imported.len(), 4);
    for trace in &imported {
        assert_eq!(trace.answer_source, Some(AnswerSource::Imported));
        assert_eq!(trace.imported.as_ref().unwrap().name, "ledger-notes");
    }
    let manifest: Value = serde_json::from_str(&read(format!("{run}/run.json"))).unwrap();
    assert!(manifest["imports"]["ledger_notes"].is_string(), "{manifest}");

    let analysis: Value = serde_json::from_str(&read(format!("{run}/analysis.json"))).unwrap();
    let answerer = &analysis["answerers"][1];
    assert_eq!(answerer["imported"], 4);
    assert_eq!(answerer["accuracy"]["successes"], 3);
    assert_eq!(answerer["effort"]["totals"], Value::Null);
    let flags = analysis["flags"].as_array().unwrap();
    assert!(
        flags
            .iter()
            .any(|flag| flag["kind"] == "imported_explanations" && flag["severity"] == "caution")
    );
    for task in ["preference", "simulation", "verification"] {
        assert!(
            analysis[task][0]["arms"]
                .as_array()
                .unwrap()
                .iter()
                .any(|arm| arm["arm"] == "ledger_notes"),
            "{task}"
        );
    }
    let not_measured = analysis["faithfulness"].to_string();
    assert!(not_measured.contains("\"imported\":4"), "{not_measured}");
    let report = read(format!("{run}/report.html"));
    for part in [
        "ledger-notes (imported)",
        "not known: imported",
        "Explanations made elsewhere",
        ">imported<",
    ] {
        assert!(report.contains(part), "{part}");
    }
    let table = read(format!("{run}/tables/answerers.csv"));
    let row = table.lines().find(|line| line.starts_with("ledger_notes")).unwrap();
    assert!(row.contains(",,,,,,,,,"), "what it took is not empty: {row}");

    let said = done(&["check", &run]);
    assert!(
        said.contains("0 leaks") && said.contains("ledger_notes: imported: nothing to prove"),
        "{said}"
    );
    let said = refused(
        &[
            "execute",
            "--from",
            &run,
            "--sample",
            "loans-2",
            "--answerer",
            "ledger_notes",
        ],
        3,
    );
    assert!(said.contains("made elsewhere and imported"), "{said}");

    // A second run makes no call, and a report without the imported file is the same.
    let again = tabjury(&["run", "examples/imported/study.toml", "--out", &run, "--offline"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    done(&["report", &run]);
}

#[test]
fn pages_hold_no_markup_but_ours_and_say_that_they_are_imported() {
    let workshop = Workshop::new();
    workshop.write(
        "pages/b-1.html",
        "<html><head><title>my-method on b-1.html</title><style>@import '//evil'</style></head>\
         <body onload=steal()><script>steal()</script><h1>my-method: step 1</h1>\
         <table bgcolor=yellow><tr><th>Boat<th>Crew<tr><td><b onclick='steal()'>Grebe</b><td>9</table>\
         <p>&lt;script&gt;steal()&lt;/script&gt; | ` **bold** <a href='javascript:steal()'>link</a><img src=x onerror=steal()>\
         <iframe src='//evil'>frame</iframe></p><form><input></form>See boats.csv and b-1.html. It is true.</body></html>",
    );
    let said = workshop.import();
    assert!(
        said.contains("scripts (1), event handlers (3), style sheets (1), links (1), pictures and media (1), embedded pages and redirections (1), forms and their fields (2)"),
        "{said}"
    );
    let study = workshop.study("import = \"mine.jsonl\"");
    let run = workshop.path("run");
    done(&["run", &study, "--out", &run]);
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(format!("{run}/pages/mine")).unwrap() {
        let path = entry.unwrap().path();
        pages.insert(path.file_name().unwrap().to_string_lossy().into_owned(), read(&path));
    }
    assert_eq!(pages.len(), 8);
    for (name, page) in &pages {
        assert!(page.contains("made elsewhere and imported"), "{name}: {page}");
        for word in [
            "my-method",
            "evil",
            "onerror",
            "javascript:",
            "<script>",
            "b-1.html",
            "boats.csv",
        ] {
            assert!(!page.contains(word), "`{word}` is in {name}: {page}");
        }
    }
    let page = |start: &str, end: &str| {
        let found = pages
            .iter()
            .find(|(name, _)| name.starts_with(start) && name.ends_with(end));
        found.map(|(_, page)| page.as_str()).unwrap()
    };
    let withheld = page("b-1", "withheld.md");
    assert!(!withheld.to_lowercase().contains("true"), "{withheld}");
    assert!(withheld.contains("|1|[[Grebe]]|[[9]]|"), "{withheld}");
    assert!(page("b-1", "shown.md").contains("It is true."));
    let html = page("b-1", "shown.html");
    assert!(html.contains("&#60;script&#62;steal()"), "{html}");
    assert!(html.contains("<td class=\"highlighted\">"), "{html}");
    let values = page("b-2", "withheld.md");
    assert!(values.contains("They are [withheld] and [withheld]."), "{values}");
}

#[test]
fn wrong_files_are_refused_by_line() {
    let long = format!("<p>{}</p>", "x".repeat(10 << 20));
    let deep = "<div>".repeat(20_000);
    let cases: &[(&str, &[u8], &[&str])] = &[
        (
            "answers.csv",
            b"sample,prediction\nb-9,TRUE\n",
            &["line 2", "no sample `b-9`", "such as `b-1`"],
        ),
        (
            "answers.csv",
            b"sample,prediction\nb-1,TRUE\nb-1,FALSE\n",
            &["line 3", "`b-1` stands in line 2"],
        ),
        ("answers.csv", b"sample\nb-1\n", &["line 1", "no column `prediction`"]),
        (
            "answers.csv",
            b"sample,prediction,witheld_html\nb-1,TRUE,x\n",
            &["line 1", "witheld_html"],
        ),
        (
            "answers.csv",
            b"sample,prediction,sample\nb-1,TRUE,x\n",
            &["line 1", "`sample` twice"],
        ),
        ("answers.csv", b"sample,prediction\nb-1\n", &["line 2", "1 fields"]),
        (
            "answers.csv",
            b"sample,prediction\n,TRUE\n",
            &["line 2", "names no sample"],
        ),
        ("answers.csv", b"sample,prediction\n", &["names no sample"]),
        ("answers.csv", b"", &["empty"]),
        (
            "answers.csv",
            b"sample,prediction\nb-1,\"TRUE\n",
            &["line 2", "never ends"],
        ),
        (
            "answers.csv",
            b"sample,prediction\nb-1,oak\n",
            &["line 2", "\"oak\" is no verdict", "TRUE or FALSE"],
        ),
        (
            "answers.csv",
            b"sample,prediction\nb-2,[]\n",
            &["line 2", "the list of values is empty"],
        ),
        (
            "answers.csv",
            b"sample,prediction,answer\nb-1,TRUE,FALSE\n",
            &["line 2", "is not \"FALSE\" in the data set"],
        ),
        (
            "answers.csv",
            b"sample,prediction,html\nb-1,TRUE,../answers.csv\n",
            &["line 2", "no path below"],
        ),
        (
            "answers.csv",
            b"sample,prediction,html\nb-1,TRUE,/etc/hostname\n",
            &["line 2", "no path below"],
        ),
        (
            "answers.csv",
            b"sample,prediction,html\nb-1,TRUE,none.html\n",
            &["line 2", "cannot be read"],
        ),
        ("answers.csv", b"sample,prediction,html\nb-1,TRUE,.\n", &["is no file"]),
        (
            "answers.csv",
            b"sample,prediction,html\nb-1,TRUE,b-2.html\nb-2,Osprey,b-2.html\n",
            &["line 3", "stands in line 2"],
        ),
        (
            "answers.csv",
            b"sample,prediction,withheld_html\nb-1,TRUE,b-1.html\n",
            &["line 2", "another than `html`"],
        ),
        (
            "answers.csv",
            b"sample,prediction\nb-1,TR\xff\n",
            &["line 2", "not UTF-8"],
        ),
        ("pages/b-1.html", b"<p>\xff</p>", &["b-1.html", "not UTF-8 (byte 4)"]),
        ("pages/b-1.html", b" <script>x</script> ", &["b-1.html", "no text"]),
        ("pages/b-1.html", long.as_bytes(), &["b-1.html", "bytes, more than"]),
        ("pages/b-1.html", deep.as_bytes(), &["b-1.html", "nests more than"]),
    ];
    for (file, content, parts) in cases {
        let workshop = Workshop::new();
        workshop.write(file, content);
        let said = workshop.refuses();
        for part in *parts {
            assert!(said.contains(part), "{file}: `{part}` is not in {said}");
        }
        assert!(said.contains("next: "), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let workshop = Workshop::new();
    workshop.write("secret.html", "<p>secret</p>");
    fs::remove_file(workshop.path("pages/b-1.html")).unwrap();
    std::os::unix::fs::symlink(workshop.path("secret.html"), workshop.path("pages/b-1.html")).unwrap();
    let said = workshop.refuses();
    assert!(said.contains("no path below") && !said.contains("secret"), "{said}");
}

#[test]
fn a_table_of_predictions_may_be_written_in_many_ways() {
    let workshop = Workshop::new();
    workshop.write("pages/deep/one.html", "\u{feff}<p>Nine is the most.</p>");
    workshop.write(
        "answers.csv",
        "\u{feff}html,sample,answer,prediction\r\ndeep/one.html,b-1,true,false\r\n,b-2,\"[\"\"grebe\"\", \"\"osprey\"\"]\",\"a\r\nname, odd\"\r\n",
    );
    let said = workshop.import();
    assert!(said.contains("named by no line: 1 page, b-1.html"), "{said}");
    let imported = traces(workshop.path("mine.jsonl"));
    let shown: Vec<String> = imported
        .iter()
        .map(|trace| trace.answer.as_ref().unwrap().display())
        .collect();
    assert_eq!(shown, ["FALSE", "a\r\nname, odd"]);
    assert!(
        imported
            .iter()
            .all(|trace| trace.tables.len() == 1 && trace.calls.is_empty())
    );

    workshop.write("answers.csv", "sample,prediction\nb-1,\n");
    let said = workshop.import();
    assert!(said.contains("without a prediction: 1"), "{said}");
    assert_eq!(
        traces(workshop.path("mine.jsonl"))[0].failure,
        Some(AnswerFailure::NotGiven)
    );
}

#[test]
fn the_output_never_replaces_what_is_read() {
    let workshop = Workshop::new();
    for (place, part) in [
        ("answers.csv", "would overwrite"),
        ("pages/out.jsonl", "the folder of the pages"),
    ] {
        let path = workshop.path(place);
        let command = workshop.command(&["--out", &path]);
        let said = refused(&command.iter().map(String::as_str).collect::<Vec<_>>(), 2);
        assert!(said.contains(part), "{said}");
    }
    let command = workshop.command(&["--data", "oak"]);
    let said = refused(&command.iter().map(String::as_str).collect::<Vec<_>>(), 2);
    assert!(said.contains("KIND:PATH"), "{said}");
}

#[test]
fn a_page_that_tells_what_it_must_not_is_refused() {
    for (page, what) in [
        ("<p>Ground truth: refuted by nobody</p>", "the gold answer or a name"),
        ("<p>This one is a false negative.</p>", "the gold answer or a name"),
    ] {
        let workshop = Workshop::new();
        workshop.write("pages/b-1.html", page);
        let said = workshop.import();
        assert!(said.contains("a run refuses them") && said.contains(what), "{said}");
        let study = workshop.study("import = \"mine.jsonl\"");
        let said = refused(&["run", &study, "--out", &workshop.path("run")], 3);
        assert!(said.contains("no trial was asked") && said.contains(what), "{said}");
    }
}

#[test]
fn a_study_says_what_is_wrong_with_an_imported_arm() {
    let workshop = Workshop::new();
    workshop.import();
    let cases = [
        (
            "import = \"mine.jsonl\"\nmethod = \"pos\"",
            "leave `method` and `model` out",
        ),
        ("import = \"mine.jsonl\"\nsettings = { shots = 1 }", "leave them out"),
        ("import = \"mine.jsonl\"\nformat = \"facts\"", "leave `format` out"),
        ("import = \"nothing.jsonl\"", "cannot read"),
        (
            "method = \"pos\"\nmodel = \"judge\"\nformat = \"imported\"",
            "made elsewhere",
        ),
        ("model = \"judge\"", "has no `method`"),
        ("method = \"pos\"", "has no `model`"),
    ];
    for (arm, part) in cases {
        let study = workshop.study(arm);
        let said = refused(&["run", &study, "--out", &workshop.path("run")], 3);
        assert!(said.contains(part), "{arm}: {said}");
        assert!(!Path::new(&workshop.path("run")).exists(), "{arm}");
    }
    let study = workshop.study("import = \"mine.jsonl\"");
    let whole = read(workshop.path("mine.jsonl"));
    let lines: Vec<&str> = whole.lines().collect();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut trace: Value = serde_json::from_str(lines[0]).unwrap();
        change(&mut trace);
        format!("{trace}\n{}\n", lines[1])
    };
    let cases = [
        (
            format!("{}\n", lines[0]),
            "no explanation of 1 of the study's 2 samples, such as `b-2`",
        ),
        (
            format!("{}\n{}\n", lines[0], lines[0]),
            "line 2: the sample `b-1` stands in line 1",
        ),
        (
            changed(&|trace| trace["imported"] = Value::Null),
            "not marked as imported",
        ),
        (
            changed(&|trace| trace["method"] = json!("pos")),
            "not marked as imported",
        ),
        (
            changed(&|trace| trace["answer_source"] = json!("program")),
            "claims where its answer comes from",
        ),
        (
            changed(&|trace| trace["counters"]["requests"] = json!(3)),
            "has counters",
        ),
        (
            changed(&|trace| trace["answer"] = json!({"text": "oak"})),
            "not of the kind",
        ),
        (
            changed(&|trace| trace["tables"][0]["rows"][0][0] = json!("Tern")),
            "not that of the sample",
        ),
        ("{}\n".to_owned(), "line 1: it is no trace"),
    ];
    for (content, part) in cases {
        workshop.write("mine.jsonl", content);
        let said = refused(&["run", &study, "--out", &workshop.path("run")], 3);
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn another_import_makes_the_answers_out_of_date() {
    let workshop = Workshop::new();
    workshop.import();
    let study = workshop.study("import = \"mine.jsonl\"");
    let run = workshop.path("run");
    done(&["run", &study, "--out", &run]);
    done(&["run", &study, "--out", &run, "--stage", "report", "--stage", "analyze"]);
    workshop.write("pages/b-2.html", "<p>Two of them: Osprey and Grebe.</p>");
    workshop.import();
    let said = refused(&["run", &study, "--out", &run, "--stage", "explain"], 3);
    assert!(said.contains("another study, other samples"), "{said}");
    done(&["run", &study, "--out", &run]);
    let shown = read(format!("{run}/pages.jsonl"));
    assert!(shown.contains("\"imported\":true"), "{shown}");
    // The report needs the file no more.
    fs::remove_file(workshop.path("mine.jsonl")).unwrap();
    done(&["report", &run]);
    let estimate = refused(&["run", &study, "--out", &run, "--dry-run"], 3);
    assert!(estimate.contains("mine.jsonl"), "{estimate}");
}

#[test]
fn traces_of_another_run_lose_what_they_only_claim() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let run = at("run");
    done(&[
        "run",
        "examples/quickstart/study.toml",
        "--out",
        &run,
        "--stage",
        "answer",
    ]);
    let file = format!("{run}/traces.jsonl");
    let import = |more: &[&str]| {
        let mut command = vec![
            "import",
            "--data",
            "examples/quickstart/study.toml",
            "--traces",
            &file,
            "--name",
            "theirs",
        ];
        command.extend(more);
        command.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let out = at("theirs.jsonl");
    let several = import(&["--out", &out]);
    let said = refused(&several.iter().map(String::as_str).collect::<Vec<_>>(), 3);
    assert!(said.contains("several answerers: pos, text_to_sql"), "{said}");
    let one = import(&["--out", &out, "--answerer", "pos"]);
    let said = done(&one.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(
        said.contains("imported: 16 explanations") && said.contains("dropped"),
        "{said}"
    );
    let imported = traces(&out);
    assert!(imported.iter().any(|trace| trace.steps.len() > 1));
    for trace in &imported {
        assert!(
            trace
                .steps
                .iter()
                .all(|step| step.lineage.is_none() && step.calls.is_empty())
        );
        assert!(trace.calls.is_empty() && trace.model.is_empty() && trace.counters == Default::default());
        let origin = trace.imported.as_ref().unwrap();
        assert_eq!(
            (origin.name.as_str(), origin.method.as_deref()),
            ("theirs", Some("pos"))
        );
        assert_eq!(origin.model.as_deref(), Some("answerer"));
    }
    // A fallback admits that the steps do not yield the answer, and is believed.
    assert!(
        imported
            .iter()
            .any(|trace| trace.answer_source == Some(AnswerSource::Fallback))
    );
    assert!(
        imported
            .iter()
            .any(|trace| trace.answer_source == Some(AnswerSource::Imported))
    );

    let questions = format!("{}/examples/quickstart/questions.jsonl", env!("CARGO_MANIFEST_DIR"));
    let study = |format: &str| {
        let text = format!(
            "[study]\nname = \"theirs\"\nmodels = []\n[[samples]]\ndataset = \"custom\"\nquestions = {questions:?}\n\
             [[arms]]\nname = \"theirs\"\nimport = \"theirs.jsonl\"\n{format}\n"
        );
        fs::write(
            at("study.toml"),
            text.replace("models = []\n", "")
                .replacen("[study]", "models = []\n[study]", 1),
        )
        .unwrap();
        at("study.toml")
    };
    let said = refused(&["run", &study(""), "--out", &at("shown")], 3);
    assert!(said.contains("name a format that shows them"), "{said}");
    done(&["run", &study("format = \"step_through\""), "--out", &at("shown")]);
    let said = done(&["check", &at("shown")]);
    assert!(
        said.contains("theirs: imported: nothing to prove") && said.contains(" 0 leaks"),
        "{said}"
    );
    let check: Value = serde_json::from_str(&read(format!("{}/check.json", at("shown")))).unwrap();
    assert_eq!(check["arms"][0]["summary"]["steps"], 0);
    assert_eq!(check["proofs"], json!([]));
}
