//! Judging through the whole line: trials of every protocol, verdicts asked for again, as JSON or with their
//! probabilities, panels and presets; from a study file to judgments, analysis and flags.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "judging/endpoints.rs"]
mod endpoints;
#[path = "judging/shown.rs"]
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabjury::judge::{Judgment, NoVerdict, Outcome, Trial, Verdict};
use tabjury::model::Stop;
use tabjury::study::{Options, Silent, Study, run};

use endpoints::{completion, endpoint};

/// A study of two arms on three samples of the quickstart, with what a test adds to it.
struct Line {
    scratch: tempfile::TempDir,
    text: String,
}

/// What a run wrote.
struct Written {
    trials: BTreeMap<String, Trial>,
    judgments: Vec<Judgment>,
    analysis: Value,
    root: PathBuf,
    _scratch: tempfile::TempDir,
}

impl Line {
    fn new() -> Self {
        let quickstart = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/quickstart");
        let path = |file: &str| serde_json::to_string(&quickstart.join(file)).unwrap();
        let text = format!(
            "[study]\nname = \"line\"\nseed = 3\n[[samples]]\ndataset = \"custom\"\nquestions = {}\n[[models]]\n\
             name = \"answerer\"\nprovider = \"script\"\nfile = {}\n[[arms]]\nname = \"pos\"\nmethod = \"pos\"\nmodel = \
             \"answerer\"\n[[arms]]\nname = \"shown\"\nmethod = \"pos\"\nmodel = \"answerer\"\nformat = \
             \"free_text\"\ndescription = \"Steps told in words.\"\n",
            path("questions.jsonl"),
            path("models/answerer.jsonl"),
        );
        Self {
            scratch: tempfile::tempdir().unwrap(),
            text,
        }
    }

    /// Adds a judge whose answers are these, by purpose.
    fn judge(mut self, name: &str, settings: &str, answers: &[(&str, &str)]) -> Self {
        let lines: Vec<String> = answers
            .iter()
            .map(|(purpose, text)| json!({"purpose": purpose, "text": text}).to_string())
            .collect();
        let file = self.scratch.path().join(format!("{name}.jsonl"));
        fs::write(&file, lines.join("\n")).unwrap();
        self.text += &format!(
            "[[models]]\nname = \"{name}\"\nprovider = \"script\"\nfile = \"{name}.jsonl\"\n[[judges]]\nname = \
             \"{name}\"\nmodel = \"{name}\"\n{settings}\n"
        );
        self
    }

    fn add(mut self, text: &str) -> Self {
        self.text += text;
        self.text.push('\n');
        self
    }

    fn run(self) -> Written {
        let file = self.scratch.path().join("study.toml");
        fs::write(&file, &self.text).unwrap();
        let study = Study::load(&file).unwrap();
        let root = self.scratch.path().join("run");
        let options = Options {
            out: Some(root.clone()),
            limit: Some(3),
            ..Options::default()
        };
        let stop = Stop::new();
        let work = run(&study, &options, &Silent, &stop);
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(work)
            .unwrap();
        let lines = |file: &str| fs::read_to_string(root.join(file)).unwrap();
        let trials = lines("trials.jsonl");
        let judgments = lines("judgments.jsonl");
        Written {
            trials: trials
                .lines()
                .map(|line| serde_json::from_str::<Trial>(line).unwrap())
                .map(|trial| (trial.id.clone(), trial))
                .collect(),
            judgments: judgments
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
            analysis: serde_json::from_str(&lines("analysis.json")).unwrap(),
            root,
            _scratch: self.scratch,
        }
    }

    fn error(&self) -> String {
        let file = self.scratch.path().join("study.toml");
        fs::write(&file, &self.text).unwrap();
        Study::load(&file).unwrap_err().to_string()
    }
}

impl Written {
    /// The same study in the same directory once more.
    fn again(self) -> Self {
        let line = Line {
            text: fs::read_to_string(self._scratch.path().join("study.toml")).unwrap(),
            scratch: self._scratch,
        };
        line.run()
    }

    fn flag(&self, kind: &str) -> Option<&str> {
        let flags = self.analysis["flags"].as_array().unwrap();
        let found = flags.iter().find(|flag| flag["kind"] == kind)?;
        found["message"].as_str()
    }

    fn verdicts(&self) -> Vec<&Verdict> {
        let verdict = |judgment: &'_ Judgment| match &judgment.outcome {
            Outcome::Verdict(_) => true,
            Outcome::None { .. } => false,
        };
        assert!(!self.judgments.is_empty());
        self.judgments
            .iter()
            .inspect(|judgment| assert!(verdict(judgment), "{judgment:?}"))
            .filter_map(|judgment| match &judgment.outcome {
                Outcome::Verdict(verdict) => Some(verdict),
                Outcome::None { .. } => None,
            })
            .collect()
    }
}

fn states(written: &Written) -> BTreeSet<NoVerdict> {
    let state = |judgment: &Judgment| match &judgment.outcome {
        Outcome::None { state, .. } => Some(*state),
        Outcome::Verdict(_) => None,
    };
    written.judgments.iter().filter_map(state).collect()
}

#[test]
fn a_verdict_that_cannot_be_read_is_asked_for_once_more() {
    let answers = [
        ("judge.verification", "The rows are all there."),
        ("judge.verification.repair", "Verdict: incorrect"),
    ];
    let written = Line::new()
        .judge("mumbles", "", &answers)
        .add("[tasks.verification]")
        .run();
    assert!(
        written
            .verdicts()
            .iter()
            .all(|verdict| **verdict == Verdict::Correct(false))
    );
    for judgment in &written.judgments {
        let repair = judgment.repair.as_ref().unwrap();
        assert!(judgment.is_repaired());
        assert_eq!((repair.was, repair.failure.as_ref()), (NoVerdict::Unparsed, None));
        assert_eq!(repair.raw.as_deref(), Some("Verdict: incorrect"));
        assert_eq!(judgment.raw.as_deref(), Some("The rows are all there."));
        assert!(repair.call.is_some() && repair.call != judgment.call);
    }
    let flag = written.flag("repaired").unwrap();
    let count = written.judgments.len();
    let arms: Vec<&str> = ["none", "pos", "shown"].to_vec();
    assert!(
        flag.starts_with(&format!("{count} of {count} answers of mumbles in verification"))
            && flag.contains(&format!("{count} gave one then, 0 did not, 0 of the requests failed"))
            && arms.iter().all(|arm| flag.contains(&format!("{arm} 3"))),
        "{flag}"
    );
    // The page of a trial shows both answers.
    let first = &written.judgments[0];
    let pages = fs::read_dir(written.root.join("trials")).unwrap();
    let page = pages
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .find(|page| page.contains(&first.trial))
        .unwrap();
    assert!(
        page.contains("Asked again, since") && page.contains("<dd>Verdict: incorrect</dd>"),
        "{page}"
    );
    // The calls that asked again are counted by themselves.
    let calls = serde_json::to_string(&written.analysis).unwrap();
    assert!(calls.contains("judge.verification.repair"));
    let store = tabjury::model::CallStore::open(&written.root.join("calls.sqlite")).unwrap();
    let call = written.judgments[0]
        .repair
        .as_ref()
        .and_then(|repair| repair.call.clone())
        .unwrap();
    let record = store.record(&call).unwrap().unwrap();
    assert_eq!(record.messages.len(), 3);
    assert!(
        record.messages[2].content.contains("`Verdict:` and one word"),
        "{:?}",
        record.messages[2]
    );
}

#[test]
fn a_second_failure_is_the_typed_one_and_refusals_are_not_asked_again() {
    let twice = [
        ("judge.verification", "Hm."),
        ("judge.verification.repair", "Verdict: partly correct"),
    ];
    let written = Line::new()
        .judge("mumbles", "", &twice)
        .add("[tasks.verification]")
        .run();
    assert_eq!(states(&written), BTreeSet::from([NoVerdict::Ambiguous]));
    assert!(
        written
            .judgments
            .iter()
            .all(|judgment| judgment.repair.is_some() && !judgment.is_repaired())
    );

    let refuses = [
        ("judge.verification", "I'm sorry, but I can't help with that."),
        ("judge.verification.repair", "Verdict: correct"),
    ];
    let written = Line::new()
        .judge("refuses", "", &refuses)
        .add("[tasks.verification]")
        .run();
    assert_eq!(states(&written), BTreeSet::from([NoVerdict::Refused]));
    assert!(written.judgments.iter().all(|judgment| judgment.repair.is_none()));

    let off = Line::new()
        .judge("mumbles", "repair = false", &twice)
        .add("[tasks.verification]")
        .run();
    assert_eq!(states(&off), BTreeSet::from([NoVerdict::Unparsed]));
    assert!(off.judgments.iter().all(|judgment| judgment.repair.is_none()));
    assert!(off.flag("protocol").unwrap().contains("not asked again"));

    // Where asking again fails, the judgment stays what it was.
    let written = Line::new()
        .judge("mumbles", "", &twice[..1])
        .add("[tasks.verification]")
        .run();
    assert_eq!(states(&written), BTreeSet::from([NoVerdict::Unparsed]));
    assert!(
        written
            .judgments
            .iter()
            .all(|judgment| judgment.repair.as_ref().unwrap().failure.is_some())
    );
    let count = written.judgments.len();
    let flag = written.flag("repaired").unwrap();
    assert!(
        flag.contains(&format!("0 gave one then, 0 did not, {count} of the requests failed")),
        "{flag}"
    );
}

#[test]
fn an_ambiguous_verdict_is_an_answer_and_asked_again_only_on_request() {
    let answers = [
        ("judge.verification", "Verdict: partly correct"),
        ("judge.verification.repair", "Verdict: incorrect"),
    ];
    let written = Line::new()
        .judge("halves", "", &answers)
        .add("[tasks.verification]")
        .run();
    assert_eq!(states(&written), BTreeSet::from([NoVerdict::Ambiguous]));
    assert!(written.judgments.iter().all(|judgment| judgment.repair.is_none()));
    assert_eq!(written.flag("repaired"), None);

    let written = Line::new()
        .judge("halves", "repair_ambiguous = true", &answers)
        .add("[tasks.verification]")
        .run();
    assert!(written.judgments.iter().all(Judgment::is_repaired));
    assert!(written.flag("protocol").unwrap().contains("makes it choose"));
}

#[test]
fn pairs_are_shown_in_both_orders_or_refused() {
    for half in [
        "orders = \"random\"",
        "orders_per_sample = 1",
        "orders = \"rotate\"\norders_per_sample = 1",
    ] {
        let line = Line::new()
            .judge("one", "", &[])
            .add(&format!("[tasks.preference]\nprotocol = \"pairwise\"\n{half}"));
        assert!(line.error().contains("in both orders"), "{half}: {}", line.error());
    }
}

#[test]
fn every_protocol_of_preference_goes_through_the_line() {
    let run = |settings: &str, answer: &str| {
        Line::new()
            .judge("judge", "", &[("judge.preference", answer)])
            .add(&format!("[tasks.preference]\n{settings}"))
            .run()
    };
    let samples = 3;
    let tied = run("ties = true", "Ranking: A = B");
    assert_eq!(tied.judgments.len(), 2 * samples);
    assert!(
        tied.verdicts()
            .iter()
            .all(|verdict| matches!(verdict, Verdict::TiedRanking(places) if places.len() == 1))
    );
    assert!(tied.verdicts().iter().all(|verdict| {
        let ranks = verdict.mid_ranks().unwrap();
        ranks.len() == 2 && ranks.iter().all(|(_, rank)| *rank == 1.5)
    }));

    let pairs = run("protocol = \"pairwise\"\nrepeats = 2", "Ranking: B > A");
    assert_eq!(pairs.judgments.len(), 2 * 2 * samples);
    for judgment in &pairs.judgments {
        let trial = &pairs.trials[&judgment.trial];
        let second: Vec<String> = trial.arms.iter().rev().cloned().collect();
        assert_eq!(judgment.outcome, Outcome::Verdict(Verdict::Ranking(second)));
    }
    let repeats: BTreeSet<u32> = pairs.trials.values().map(|trial| trial.repeat).collect();
    assert_eq!(repeats, BTreeSet::from([0, 1]));

    let extremes = run(
        "protocol = \"best_worst\"",
        "Both show their rows.\n\nBest: B\nWorst: A",
    );
    for judgment in &extremes.judgments {
        let arms = &extremes.trials[&judgment.trial].arms;
        let expected = Verdict::BestWorst {
            best: arms[1].clone(),
            worst: arms[0].clone(),
        };
        assert_eq!(judgment.outcome, Outcome::Verdict(expected));
    }

    let scores = run(
        "protocol = \"pointwise\"",
        "Scores: clarity 4, coherence 3, helpfulness 5",
    );
    assert_eq!(scores.judgments.len(), 2 * samples);
    for verdict in scores.verdicts() {
        let Verdict::Scores(scores) = verdict else {
            panic!("{verdict:?}")
        };
        assert_eq!(scores.iter().map(|score| score.score).collect::<Vec<_>>(), [4, 3, 5]);
    }
    assert!(scores.flag("protocol").unwrap().contains("`pointwise`"));
}

#[test]
fn the_published_preset_fixes_what_the_study_leaves_open_and_says_so() {
    let judge = |line: Line| {
        line.judge(
            "judge",
            "",
            &[
                ("judge.preference", "Ranking: shown > pos"),
                ("judge.verification", "Verdict: correct"),
            ],
        )
    };
    let published = "[tasks]\npreset = \"published\"\n[tasks.preference]\n[tasks.verification]";
    let written = judge(Line::new()).add(published).run();
    written.verdicts();
    for trial in written.trials.values() {
        assert!(!trial.arms.contains(&"none".to_owned()), "no control is part of it");
        if trial.options.is_empty() {
            assert_eq!(trial.labels, trial.arms);
            assert!(
                trial.descriptions.contains(&"Steps told in words.".to_owned()),
                "{trial:?}"
            );
        } else {
            assert_eq!(trial.options, ["correct", "incorrect"]);
        }
    }
    let flag = written.flag("protocol").unwrap();
    assert!(flag.contains("Judge judge is not asked again"), "{flag}");
    for said in [
        "`published`",
        "rotations",
        "descriptions",
        "one order",
        "no control",
        "`html`",
    ] {
        assert!(flag.contains(said), "{said}: {flag}");
    }
    let store = tabjury::model::CallStore::open(&written.root.join("calls.sqlite")).unwrap();
    let shown = written.judgments.iter().find_map(|judgment| {
        let ranked = written.trials[&judgment.trial].options.is_empty();
        ranked.then(|| store.record(judgment.call.as_deref().unwrap()).unwrap().unwrap())
    });
    let prompt = shown.unwrap().messages[0].content.clone();
    assert!(prompt.contains("shown (Steps told in words.):"), "{prompt}");

    let own = published.replace("[tasks.preference]", "[tasks.preference]\nlabels = \"named\"")
        + "\n[control]\nenabled = true";
    let written = judge(Line::new()).add(&own).run();
    assert!(written.trials.values().all(|trial| trial.descriptions.is_empty()));
    assert!(written.trials.values().any(|trial| trial.arms == ["none"]));
    let default = judge(Line::new()).add("[tasks.verification]").run();
    assert_eq!(default.flag("protocol"), None);
}

#[test]
fn a_panel_is_a_judge_that_asks_nobody() {
    let says = |word: &'static str| [("judge.verification", word)];
    let written = Line::new()
        .judge("one", "", &says("Verdict: correct"))
        .judge("two", "", &says("Verdict: incorrect"))
        .judge("three", "", &says("Verdict: correct"))
        .add("[[panels]]\nname = \"all\"\njudges = [\"one\", \"two\", \"three\"]")
        .add("[[panels]]\nname = \"pair\"\njudges = [\"one\", \"two\"]")
        .add("[tasks.verification]")
        .run();
    assert!(
        written
            .judgments
            .iter()
            .all(|judgment| !["all", "pair"].contains(&judgment.judge.as_str()))
    );
    let judges = written.analysis["verification"].as_array().unwrap();
    let of = |name: &str| judges.iter().find(|judge| judge["judge"] == name).unwrap();
    let arms = |name: &str| of(name)["arms"].as_array().unwrap().clone();
    let readable = |name: &str| arms(name)[0]["readings"]["readable"].as_u64().unwrap();
    assert_eq!((readable("all"), readable("pair")), (3, 0));
    assert_eq!(arms("pair")[0]["readings"]["unread"]["ambiguous"], 3);
    let study = &written.analysis["study"]["judges"];
    assert!(
        study
            .as_array()
            .unwrap()
            .iter()
            .any(|judge| judge["panel"] == json!(["one", "two"]))
    );

    for (panel, said) in [
        ("name = \"one\"\njudges = [\"one\", \"two\"]", "each its own name"),
        ("name = \"p\"\njudges = [\"one\"]", "fewer than two judges"),
        ("name = \"p\"\njudges = [\"one\", \"ten\"]", "`ten`"),
        ("name = \"p\"\njudges = [\"one\", \"two\"]\nquorum = 3", "quorum 3"),
    ] {
        let line = Line::new()
            .judge("one", "", &says("Verdict: correct"))
            .judge("two", "", &says("Verdict: correct"))
            .add(&format!("[[panels]]\n{panel}"));
        let error = line.error();
        assert!(error.contains(said), "{panel}: {error}");
    }
}

#[test]
fn a_judge_of_the_answering_models_family_is_flagged() {
    let (address, _) = endpoint("nothing", completion("Verdict: correct", Value::Null));
    let model = |name: &str, identifier: &str| {
        format!(
            "[[models]]\nname = \"{name}\"\nprovider = \"openai\"\nbase_url = \"{address}\"\nmodel = \
             \"{identifier}\"\nmax_retries = 0\n"
        )
    };
    let arm = "[[arms]]\nname = \"asked\"\nmethod = \"end_to_end\"\nmodel = \"small\"\n";
    let judge = |name: &str| format!("[[judges]]\nname = \"{name}\"\nmodel = \"{name}\"\n");
    let written = Line::new()
        .add(&(model("small", "gpt-3.5-turbo") + &model("large", "gpt-4o") + &model("other", "qwen2.5-7b") + arm))
        .add(&(judge("large") + &judge("other") + &judge("small")))
        .add("[tasks.verification]")
        .run();
    let flags = written.analysis["flags"].as_array().unwrap();
    let judges = |kind: &str| -> Vec<&str> {
        let of_kind = flags.iter().filter(|flag| flag["kind"] == kind);
        of_kind.filter_map(|flag| flag["judge"].as_str()).collect()
    };
    assert_eq!(judges("same_family"), ["large"]);
    assert_eq!(judges("self_judging"), ["small"]);
    assert!(written.flag("same_family").unwrap().contains("GPT family"));
}

#[test]
fn no_repeats_are_refused() {
    let error = Line::new()
        .judge("one", "", &[])
        .add("[tasks.simulation]\nrepeats = 0")
        .error();
    assert!(error.contains("tasks.simulation.repeats is 0"), "{error}");
}

#[test]
fn records_of_earlier_versions_are_read() {
    let judgment =
        r#"{"trial": "t", "judge": "j", "call": null, "raw": "x", "outcome": {"verdict": {"correct": true}}}"#;
    let judgment: Judgment = serde_json::from_str(judgment).unwrap();
    assert_eq!((judgment.repair, judgment.confidence), (None, None));
    let trial = r#"{"id": "t", "task": "preference", "sample": "s", "kind": "short_answer", "arms": ["a", "b"],
        "labels": ["A", "B"], "options": [], "prediction": null, "control_of": [], "repeat": 0, "turn": 0}"#;
    let trial: Trial = serde_json::from_str(trial).unwrap();
    assert!(trial.protocol.is_ranking() && !trial.ties && trial.descriptions.is_empty());
}
