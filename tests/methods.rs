//! The methods from a sample to a trace, with a scripted model and the real engine.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "methods/pos.rs"]
mod pos;
#[path = "methods/scripted.rs"]
mod scripted;

use std::collections::BTreeSet;
use std::sync::Mutex;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tabjury::dataset::{Answer, QuestionKind};
use tabjury::method;
use tabjury::model::Role;
use tabjury::trace::{AnswerFailure, AnswerSource};

use scripted::{Scripted, answer, cut, question, reply, sample, statement, table, values};

const BY_MIRA: &str = "```sql\nSELECT * FROM table_sql WHERE owner = 'Mira';\n```";

#[tokio::test]
async fn text_to_sql_runs_one_statement() {
    let model = Scripted::new(&[(
        "text_to_sql.sql",
        "```sql\nSELECT CASE WHEN COUNT(*) = 2 THEN 'TRUE' ELSE 'FALSE' END AS verification_result\n\
         FROM table_sql WHERE owner = 'Mira' AND number_of_teas > 10;\n```",
    )]);
    let trace = answer("text_to_sql", json!({}), &statement(), &model).await;
    assert_eq!(trace.answer, Some(Answer::Verdict(true)));
    assert_eq!(trace.answer_source, Some(AnswerSource::Program));
    assert_eq!((trace.steps.len(), trace.steps[0].description.clone()), (1, None));

    let model = Scripted::new(&[("text_to_sql.sql", "SELECT stall FROM table_sql WHERE owner = 'Mira'")]);
    let trace = answer("text_to_sql", json!({}), &question(), &model).await;
    assert_eq!(trace.answer, values(&["Blue Cup", "Leaf, Bark & Co"]));
}

#[tokio::test]
async fn text_to_sql_repairs_and_never_falls_back() {
    let model = Scripted::new(&[
        ("text_to_sql.sql", "SELECT shop FROM table_sql"),
        ("text_to_sql.repair", "SELECT stall FROM table_sql LIMIT 1"),
    ]);
    let trace = answer("text_to_sql", json!({}), &question(), &model).await;
    assert_eq!((trace.answer, trace.counters.repairs), (values(&["Blue Cup"]), 1));

    let model = Scripted::new(&[
        ("text_to_sql.sql", "I think it is Blue Cup."),
        ("text_to_sql.repair", "SELECT shop FROM table_sql"),
    ]);
    let trace = answer("text_to_sql", json!({}), &question(), &model).await;
    assert!(matches!(trace.failure, Some(AnswerFailure::Program { .. })));
    let attempts = &trace.steps[0].failed_attempts;
    assert_eq!(
        (attempts.len(), attempts[0].program.as_str()),
        (2, "I think it is Blue Cup.")
    );
    assert_eq!((trace.counters.executions, trace.counters.executions_failed), (1, 1));
}

#[tokio::test]
async fn the_model_answers_in_one_call() {
    for (name, purpose) in [("end_to_end", "end_to_end.answer"), ("few_shot", "few_shot.answer")] {
        let model = Scripted::new(&[(purpose, "TRUE")]);
        let trace = answer(name, json!({}), &statement(), &model).await;
        assert_eq!((trace.answer, trace.rationale), (Some(Answer::Verdict(true)), None));
        assert_eq!(trace.answer_source, Some(AnswerSource::Model));

        let model = Scripted::new(&[(purpose, "[\"Blue Cup\", \"Leaf, Bark & Co\"]")]);
        let trace = answer(name, json!({}), &question(), &model).await;
        assert_eq!(trace.answer, values(&["Blue Cup", "Leaf, Bark & Co"]));

        let sample = sample(QuestionKind::FreeForm, "Who owns Blue Cup?");
        let model = Scripted::new(&[(purpose, "Mira owns it.")]);
        let trace = answer(name, json!({}), &sample, &model).await;
        assert_eq!(trace.answer, Some(Answer::Text("Mira owns it.".to_owned())));

        let model = Scripted::new(&[(purpose, "TRUE or FALSE")]);
        let trace = answer(name, json!({}), &statement(), &model).await;
        assert!(matches!(trace.failure, Some(AnswerFailure::Unparsed { .. })));

        let model = Scripted::default().then(purpose, Ok(cut("The statement is")));
        let trace = answer(name, json!({}), &statement(), &model).await;
        assert_eq!(trace.failure, Some(AnswerFailure::Truncated));
    }
}

#[tokio::test]
async fn reasoning_and_explanation_are_kept_without_the_answer() {
    let model = Scripted::new(&[(
        "chain_of_thought.answer",
        "Mira owns Blue Cup and Leaf, Bark & Co.\nBoth have more than 10 teas.\nAnswer: TRUE",
    )]);
    let trace = answer("chain_of_thought", json!({}), &statement(), &model).await;
    assert_eq!(trace.answer, Some(Answer::Verdict(true)));
    assert_eq!(
        trace.rationale.as_deref(),
        Some("Mira owns Blue Cup and Leaf, Bark & Co.\nBoth have more than 10 teas.")
    );

    let model = Scripted::new(&[(
        "self_explanation.answer",
        "Answer: [\"Blue Cup\"]\nExplanation: I looked at the owner.\n\nThe first row says Mira.",
    )]);
    let trace = answer("self_explanation", json!({}), &question(), &model).await;
    assert_eq!(trace.answer, values(&["Blue Cup"]));
    assert_eq!(
        trace.rationale.as_deref(),
        Some("I looked at the owner.\n\nThe first row says Mira.")
    );
}

#[test]
fn the_registry_says_what_the_methods_do() {
    let mut names = BTreeSet::new();
    for descriptor in method::registry() {
        assert!(names.insert(descriptor.name));
        let built = (descriptor.build)(&Value::Null).unwrap();
        let settings = built.settings();
        let listed: BTreeSet<&str> = descriptor.settings.iter().map(|setting| setting.name).collect();
        let real: BTreeSet<&str> = settings.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(listed, real, "{}", descriptor.name);
        for setting in descriptor.settings.iter().filter(|setting| setting.name != "shots") {
            let parsed: toml::Table = format!("value = {}", setting.default).parse().unwrap();
            let default = serde_json::to_value(&parsed["value"]).unwrap();
            assert_eq!(default, settings[setting.name], "{} {}", descriptor.name, setting.name);
        }
        let (fewest, most) = (descriptor.call_bounds)(built.as_ref());
        assert!(1 <= fewest && fewest <= most, "{}", descriptor.name);
        let prefix = format!("{}.", descriptor.name);
        assert!(descriptor.purposes.iter().all(|purpose| purpose.starts_with(&prefix)));
        let formats = ["attribution_chain", "program_listing", "free_text", "none"];
        assert!(formats.contains(&descriptor.default_format));

        let refused = |settings| (descriptor.build)(&settings).err().unwrap().to_string();
        let unknown = refused(json!({"temprature": 1}));
        assert!(
            unknown.contains("temprature") && unknown.contains(descriptor.name),
            "{unknown}"
        );
        let wrong = refused(json!({"max_tokens": "many"}));
        assert!(wrong.contains("max_tokens"), "{wrong}");
        assert!(refused(json!({"temperature": 3.0})).contains("from 0 to 2"));
    }
    let bounds = |name, settings| {
        let descriptor = method::find(name).unwrap();
        (descriptor.call_bounds)((descriptor.build)(&settings).unwrap().as_ref())
    };
    assert_eq!(bounds("pos", json!({})), (2, 23));
    assert_eq!(
        bounds(
            "pos",
            json!({"planner": "one_step", "max_steps": 3, "repairs": 0, "fallback": false})
        ),
        (1, 7)
    );
    assert_eq!(bounds("text_to_sql", json!({"repairs": 2})), (1, 3));
    assert!((method::find("pos").unwrap().build)(&json!({"max_steps": 0})).is_err());
}

#[tokio::test]
async fn a_long_table_is_shown_in_part_and_used_whole() {
    let mut sample = question();
    let names: Vec<String> = (0..600).map(|row| format!("stall {row}")).collect();
    let rows: Vec<Vec<&str>> = names.iter().map(|name| vec![name.as_str(), "Mira"]).collect();
    sample.table = table(&["stall", "owner"], &rows);
    let model = Scripted::new(&[
        ("pos.plan", "1. Count the rows."),
        ("pos.sql", "SELECT COUNT(*) AS n FROM table_sql"),
    ]);
    let trace = answer("pos", json!({"table_tokens": 500}), &sample, &model).await;
    assert_eq!(trace.answer, values(&["600"]));
    for purpose in ["pos.plan", "pos.sql"] {
        let prompt = model.prompt(purpose, 0);
        assert!(prompt.contains("rows omitted (rows "), "{prompt}");
        assert!(prompt.contains("600 rows"), "{prompt}");
    }
}

#[tokio::test]
async fn junk_is_never_an_answer_and_never_breaks_a_trace() {
    let junk = [
        "",
        "\n\n",
        "```",
        "```sql",
        "[]",
        "[",
        "SELECT",
        "1.",
        "Final step:",
        "Answer:",
        "TRUE FALSE",
        "\u{0}",
        "é\u{200f}",
    ];
    let kinds = [QuestionKind::FactVerification, QuestionKind::ShortAnswer];
    for (descriptor, kind) in method::registry()
        .iter()
        .flat_map(|method| kinds.map(|kind| (method, kind)))
    {
        for text in junk {
            let model = Scripted::default();
            for purpose in descriptor.purposes {
                (0..3).for_each(|_| model.push(purpose, Ok(reply(text))));
            }
            let sample = sample(kind, "Whatever?");
            let trace = answer(descriptor.name, Value::Null, &sample, &model).await;
            let said = matches!((&trace.answer, kind), (Some(Answer::Values(values)), _) if values == &[text]);
            assert!(
                trace.answer.is_none() || said,
                "{} {text:?}: {:?}",
                descriptor.name,
                trace.answer
            );
        }
    }
}

/// Every prompt as a model gets it.
#[tokio::test]
async fn prompts() {
    let free_form = sample(QuestionKind::FreeForm, "Which stalls does Mira own?");
    for (kind, sample) in [
        ("verification", statement()),
        ("short_answer", question()),
        ("free_form", free_form),
    ] {
        let answer_text = match sample.kind {
            QuestionKind::FactVerification => "Answer: TRUE",
            QuestionKind::ShortAnswer => "Answer: [\"Blue Cup\"]",
            QuestionKind::FreeForm => "Answer: Mira owns Blue Cup.",
        };
        let mut model = Scripted::new(&[
            ("end_to_end.answer", answer_text),
            ("few_shot.answer", answer_text),
            ("chain_of_thought.answer", answer_text),
            ("self_explanation.answer", answer_text),
            ("pos.plan", "1. Select rows where 'owner' is 'Mira'."),
            ("pos.next_step", "1. Select rows where 'owner' is 'Mira'."),
            ("pos.next_step", "2. Final step: Say it."),
            ("pos.sql", "SELECT * FROM table_sql WHERE owners = 'Mira'"),
            ("pos.repair", BY_MIRA),
            ("pos.sql", BY_MIRA),
            ("pos.sql", "SELECT stall, owner FROM table_sql"),
            ("pos.sentence", answer_text),
            ("pos.sentence", answer_text),
            ("text_to_sql.sql", "SELECT stall FROM table_sql"),
        ]);
        let runs = [
            ("end_to_end", json!({}), vec!["end_to_end.answer"]),
            ("few_shot", json!({}), vec!["few_shot.answer"]),
            ("chain_of_thought", json!({"shots": 2}), vec!["chain_of_thought.answer"]),
            ("self_explanation", json!({}), vec!["self_explanation.answer"]),
            (
                "pos",
                json!({"fallback": false}),
                vec!["pos.plan", "pos.sql", "pos.repair", "pos.sentence"],
            ),
            (
                "pos",
                json!({"fallback": false, "planner": "one_step"}),
                vec!["pos.next_step"],
            ),
            ("text_to_sql", json!({}), vec!["text_to_sql.sql"]),
        ];
        for (name, settings, shown) in runs {
            if !method::find(name).unwrap().kinds.contains(&sample.kind) {
                continue;
            }
            model.asked = Mutex::default();
            answer(name, settings, &sample, &model).await;
            for request in model.asked() {
                let (purpose, turn) = (request.purpose.name.as_str(), request.purpose.turn);
                let is_shown = shown.contains(&purpose) && (turn == 0 || purpose == "pos.next_step");
                // The prompts of a step and its repair are the same for every kind.
                let is_repeated = kind != "verification" && ["pos.sql", "pos.repair"].contains(&purpose);
                if is_shown && !is_repeated {
                    let messages = request.messages.iter().map(|message| match message.role {
                        Role::System => format!("[system]\n{}\n", message.content),
                        _ => format!("[user]\n{}\n", message.content),
                    });
                    insta::assert_snapshot!(format!("{kind}__{purpose}__{turn}"), messages.collect::<String>());
                }
            }
        }
    }
}
