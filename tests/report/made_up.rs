//! Records of a made-up run over fictional tables, small enough to compute every figure by hand.
//!
//! Two arms over eight samples: six statements (`f1` to `f6`) and two questions (`q1`, `q2`). Judge `alder` does all
//! three tasks; `birch`, which runs on the answering model, ranks and simulates but was not asked to verify, and saw no
//! control.

use std::collections::BTreeMap;

use serde_json::json;
use tabjury::dataset::{Answer, DatasetKind, Gold, QuestionKind, Sample};
use tabjury::explain::{AnswerVisibility, Format, Leak, LeakKind, PageFacts};
use tabjury::judge::{CONTROL_ARM, Judgment, NoVerdict, Outcome, Task, Trial, Verdict};
use tabjury::report::{
    ArmFacts, CallMessage, CallTokens, CallUsage, CallView, JudgeFacts, ModelFacts, ModelPrice, PageRecord, RunRecords,
    StudyFacts,
};
use tabjury::table::Table;
use tabjury::trace::{AnswerFailure, AnswerSource, Counters, Trace};

const SAMPLES: [&str; 8] = ["f1", "f2", "f3", "f4", "f5", "f6", "q1", "q2"];

fn truth(value: bool) -> Answer {
    Answer::Verdict(value)
}

fn values(value: &str) -> Answer {
    Answer::Values(vec![value.to_owned()])
}

fn kind(sample: &str) -> QuestionKind {
    if sample.starts_with('f') {
        QuestionKind::FactVerification
    } else {
        QuestionKind::ShortAnswer
    }
}

fn sample(id: &str) -> Sample {
    let gold = match id {
        "f1" | "f2" | "f3" => Gold::Verdict(true),
        "f4" | "f5" | "f6" => Gold::Verdict(false),
        "q1" => Gold::Values {
            values: vec!["12".to_owned()],
            canon: Vec::new(),
        },
        _ => Gold::Values {
            values: vec!["oak".to_owned()],
            canon: Vec::new(),
        },
    };
    let size = if matches!(id, "f1" | "f2" | "q1") {
        "small"
    } else {
        "large"
    };
    Sample {
        id: id.to_owned(),
        dataset: DatasetKind::Custom,
        kind: kind(id),
        table_id: "orchard".to_owned(),
        caption: Some("Trees of the Lower Orchard".to_owned()),
        table: Table::from_text(["row", "tree"], [vec!["1".to_owned(), "oak".to_owned()]]).unwrap(),
        question: match id {
            "q1" => "how many trees stand in the lower orchard?".to_owned(),
            "q2" => "which tree was planted first?".to_owned(),
            _ => format!("the lower orchard has more oaks than row {id} has elms"),
        },
        gold: Some(gold),
        groups: BTreeMap::from([("size".to_owned(), size.to_owned())]),
    }
}

/// What an arm answered; `None` is a failed program.
fn prediction(arm: &str, sample: &str) -> Option<Answer> {
    Some(match (arm, sample) {
        ("pos", "f1" | "f2" | "f3" | "f5") => truth(true),
        ("pos", "f4" | "f6") => truth(false),
        ("pos", "q1") => values("12"),
        ("pos", _) => values("elm"),
        (_, "f1" | "f3") => truth(true),
        (_, "f2" | "f4" | "f5") => truth(false),
        (_, "f6") => return None,
        (_, "q1") => values("12.0"),
        _ => values("oak"),
    })
}

fn trace(arm: &str, sample: &str) -> Trace {
    let answer = prediction(arm, sample);
    let fallback = arm == "pos" && sample == "f5";
    Trace {
        sample: sample.to_owned(),
        answerer: format!("{arm}-larch"),
        method: arm.to_owned(),
        model: "larch".to_owned(),
        settings: json!({}),
        tables: Vec::new(),
        steps: Vec::new(),
        rationale: None,
        answer_source: answer.as_ref().map(|_| {
            if fallback {
                AnswerSource::Fallback
            } else {
                AnswerSource::Program
            }
        }),
        failure: answer.is_none().then(|| AnswerFailure::Program {
            message: "no such column: bark".to_owned(),
        }),
        fallback_reason: fallback.then(|| AnswerFailure::NoResult {
            message: "the result has no rows".to_owned(),
        }),
        answer,
        calls: Vec::new(),
        counters: Counters {
            requests: 3,
            samples: 3,
            input_tokens: 1000,
            output_tokens: 100,
            executions: 2,
            executions_failed: u64::from(arm == "sql" && sample == "f6"),
            repairs: u64::from(arm == "sql" && sample == "f6"),
            ..Counters::default()
        },
        imported: None,
    }
}

fn pages() -> Vec<PageRecord> {
    let mut pages = Vec::new();
    let mut add = |sample: &str, arm: &str, answer: AnswerVisibility, prediction: Option<Answer>, name: String| {
        let steps = if arm == CONTROL_ARM { 0 } else { 4 };
        pages.push(PageRecord {
            sample: sample.to_owned(),
            arm: arm.to_owned(),
            answer,
            facts: PageFacts {
                steps,
                steps_marked: steps.min(3),
                steps_inexact: 0,
                imported: false,
                answer_not_from_steps: arm == "pos" && sample == "f5",
                places_withheld: 0,
                leaks: if arm == "sql" && sample == "q2" && answer == AnswerVisibility::Withheld {
                    vec![Leak {
                        what: LeakKind::Answer,
                        place: "Markdown line 9".to_owned(),
                    }]
                } else {
                    Vec::new()
                },
                html_bytes: 4000,
                markdown_bytes: 1500,
                html_tokens: 2500,
                markdown_tokens: 500,
            },
            prediction,
            html: format!("pages/{sample}/{name}.html"),
            markdown: format!("pages/{sample}/{name}.md"),
        });
    };
    for sample in SAMPLES {
        let mut shown: Vec<Answer> = Vec::new();
        for arm in ["pos", "sql"] {
            let Some(answer) = prediction(arm, sample) else {
                continue;
            };
            add(
                sample,
                arm,
                AnswerVisibility::Shown,
                Some(answer.clone()),
                format!("{arm}-shown"),
            );
            add(
                sample,
                arm,
                AnswerVisibility::Withheld,
                Some(answer.clone()),
                format!("{arm}-withheld"),
            );
            if !shown.contains(&answer) {
                let name = format!("none-shown-{}", shown.len());
                add(sample, CONTROL_ARM, AnswerVisibility::Shown, Some(answer.clone()), name);
                shown.push(answer);
            }
        }
        add(
            sample,
            CONTROL_ARM,
            AnswerVisibility::Withheld,
            None,
            "none-withheld".to_owned(),
        );
    }
    pages
}

fn trial(task: Task, sample: &str, arms: &[&str]) -> Trial {
    Trial {
        id: String::new(),
        task,
        sample: sample.to_owned(),
        kind: kind(sample),
        arms: arms.iter().map(|arm| (*arm).to_owned()).collect(),
        labels: (0..arms.len())
            .map(|place| format!("Explanation {}", ["A", "B"][place]))
            .collect(),
        options: Vec::new(),
        prediction: None,
        control_of: Vec::new(),
        recorded_right: None,
        repeat: 0,
        turn: 0,
        protocol: tabjury::judge::Protocol::Ranking,
        ties: false,
        descriptions: Vec::new(),
        suspects: Vec::new(),
    }
}

fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (number, sample) in SAMPLES.into_iter().enumerate() {
        let answered: Vec<(&str, Answer)> = ["pos", "sql"]
            .into_iter()
            .filter_map(|arm| Some((arm, prediction(arm, sample)?)))
            .collect();
        if answered.len() == 2 {
            for (turn, arms) in [["pos", "sql"], ["sql", "pos"]].iter().enumerate() {
                let mut shown = trial(Task::Preference, sample, arms);
                shown.turn = turn as u32;
                trials.push(shown);
            }
        }
        let mut options = vec!["correct".to_owned(), "incorrect".to_owned()];
        if number % 2 == 1 {
            options.reverse();
        }
        let mut controls: Vec<Trial> = Vec::new();
        for (arm, answer) in &answered {
            let mut simulation = trial(Task::Simulation, sample, &[arm]);
            simulation.prediction = Some(answer.clone());
            trials.push(simulation);
            let mut verification = trial(Task::Verification, sample, &[arm]);
            verification.prediction = Some(answer.clone());
            verification.options = options.clone();
            match controls
                .iter_mut()
                .find(|control| control.prediction == verification.prediction)
            {
                Some(control) => control.control_of.push((*arm).to_owned()),
                None => {
                    let mut control = verification.clone();
                    control.arms = vec![CONTROL_ARM.to_owned()];
                    control.control_of = vec![(*arm).to_owned()];
                    control.turn = controls.len() as u32;
                    controls.push(control);
                }
            }
            trials.push(verification);
        }
        trials.extend(controls);
        let mut control = trial(Task::Simulation, sample, &[CONTROL_ARM]);
        control.control_of = answered.iter().map(|(arm, _)| (*arm).to_owned()).collect();
        trials.push(control);
    }
    trials.into_iter().map(Trial::identified).collect()
}

fn unread(state: NoVerdict) -> Outcome {
    Outcome::None {
        state,
        detail: "no verdict at the end of the text".to_owned(),
    }
}

fn alder(trial: &Trial) -> Outcome {
    let (arm, sample) = (trial.arms[0].as_str(), trial.sample.as_str());
    let pos_first = Verdict::Ranking(vec!["pos".to_owned(), "sql".to_owned()]);
    Outcome::Verdict(match trial.task {
        Task::Preference => match (sample, trial.turn) {
            ("f1" | "f2" | "f3" | "f4", _) => Verdict::Ranking(trial.arms.clone()),
            ("q2", 1) => return unread(NoVerdict::Ambiguous),
            _ => pos_first,
        },
        Task::Simulation => Verdict::Guess(match (arm, sample) {
            ("pos", "f6") => return unread(NoVerdict::Unparsed),
            ("sql", "q2") => return unread(NoVerdict::Refused),
            ("pos", "f1" | "f2") => truth(true),
            ("pos", "f3" | "f4" | "f5") => truth(false),
            ("pos", "q2") => values("elm"),
            ("sql", "f4" | "f5") => truth(false),
            (CONTROL_ARM, "f5" | "f6") => truth(false),
            (CONTROL_ARM, "q2") => values("ash"),
            (_, "q1") => values("12"),
            _ => truth(true),
        }),
        Task::Verification => Verdict::Correct(!matches!((arm, sample), ("pos", "f1" | "f4") | ("sql", "f2"))),
    })
}

fn birch(trial: &Trial) -> Option<Outcome> {
    let arm = trial.arms[0].as_str();
    Some(Outcome::Verdict(match trial.task {
        Task::Preference => Verdict::Ranking(vec!["sql".to_owned(), "pos".to_owned()]),
        Task::Simulation if arm == CONTROL_ARM => return None,
        Task::Simulation if arm == "pos" && trial.sample == "f1" => Verdict::Guess(truth(false)),
        Task::Simulation => Verdict::Guess(trial.prediction.clone()?),
        Task::Verification => return None,
    }))
}

fn judgment(trial: &Trial, judge: &str, outcome: Outcome) -> Judgment {
    Judgment {
        trial: trial.id.clone(),
        judge: judge.to_owned(),
        call: Some(format!("call-{}-{judge}", trial.id)),
        raw: Some(format!("I looked at the page. My verdict: {}", trial.id)),
        outcome,
        asked: None,
        repair: None,
        confidence: None,
    }
}

/// The records.
pub(crate) fn records() -> RunRecords {
    let arm = |name: &str, title: &str, format| ArmFacts {
        name: name.to_owned(),
        answerer: format!("{name}-larch"),
        method: name.to_owned(),
        method_title: title.to_owned(),
        model: "larch".to_owned(),
        imported: false,
        format,
    };
    let judge = |name: &str, model: &str| JudgeFacts {
        name: name.to_owned(),
        model: model.to_owned(),
        view: "markdown".to_owned(),
        panel: Vec::new(),
        person: false,
    };
    let trials = trials();
    let mut judgments = Vec::new();
    for trial in &trials {
        judgments.push(judgment(trial, "alder", alder(trial)));
        judgments.extend(birch(trial).map(|outcome| judgment(trial, "birch", outcome)));
    }
    let tokens = CallTokens {
        input_tokens: 500,
        output_tokens: 10,
    };
    let calls = judgments.iter().map(|judgment| match judgment.judge.as_str() {
        "alder" => ("willow", "judge", Some(tokens), false),
        _ => ("larch", "judge", None, false),
    });
    RunRecords {
        check: None,
        faithfulness: Vec::new(),
        calls: CallUsage::tally(calls),
        study: StudyFacts {
            name: "orchard".to_owned(),
            title: Some("Trees of the Lower Orchard".to_owned()),
            note: Some("A made-up study: its figures say nothing about any model.".to_owned()),
            seed: 7,
            confidence: 0.95,
            arms: vec![
                arm("pos", "Plan-of-SQLs", Format::AttributionChain),
                arm("sql", "Text-to-SQL", Format::ProgramListing),
            ],
            judges: vec![judge("alder", "willow"), judge("birch", "larch")],
            models: vec![
                ModelFacts {
                    name: "larch".to_owned(),
                    identifier: Some("example/larch".to_owned()),
                    scripted: false,
                    price: None,
                },
                ModelFacts {
                    name: "willow".to_owned(),
                    identifier: Some("example/willow".to_owned()),
                    scripted: false,
                    price: Some(ModelPrice {
                        input_per_million: 2.0,
                        output_per_million: 10.0,
                    }),
                },
            ],
            tasks: vec![Task::Preference, Task::Simulation, Task::Verification],
            control: true,
            imported_judgments: None,
            protocol: Vec::new(),
        },
        samples: SAMPLES.map(sample).to_vec(),
        traces: ["pos", "sql"]
            .into_iter()
            .flat_map(|arm| SAMPLES.map(|sample| trace(arm, sample)))
            .collect(),
        pages: pages(),
        trials,
        judgments,
    }
}

/// The calls of the judgments.
pub(crate) fn call_views(records: &RunRecords) -> BTreeMap<String, CallView> {
    let views = records.judgments.iter().filter_map(|judgment| {
        let key = judgment.call.clone()?;
        let view = CallView {
            key: key.clone(),
            purpose: "judge".to_owned(),
            model: "willow".to_owned(),
            messages: vec![
                CallMessage {
                    role: "system".to_owned(),
                    content: "You judge explanations of answers about tables.".to_owned(),
                    pictures: Vec::new(),
                },
                CallMessage {
                    role: "user".to_owned(),
                    content: format!(
                        "Here is the page of trial {}.\n\n| row | tree |\n| 1 | oak |",
                        judgment.trial
                    ),
                    pictures: Vec::new(),
                },
            ],
            text: judgment.raw.clone().unwrap_or_default(),
            finish: "stop".to_owned(),
            usage: None,
        };
        Some((key, view))
    });
    views.collect()
}
