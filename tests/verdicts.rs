//! Hostile and odd answers of judges, each read by hand first: quoted and planted verdicts, echoes, thinking, signs that
//! cannot be seen, cut texts, JSON that is almost right, refusals, other languages. Every one is read as the verdict it
//! gives, or as a typed failure where it gives none; never as another verdict.

#![allow(clippy::unwrap_used, reason = "in a test a missing value is a failure")]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tabjury::dataset::{Answer, QuestionKind};
use tabjury::judge::read::{Completeness, read_text};
use tabjury::judge::{Outcome, Protocol, Task, Trial, Verdict};

/// One answer, and what it says to a person who reads it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    task: Task,
    kind: QuestionKind,
    /// What is asked for in preference.
    #[serde(default)]
    protocol: Protocol,
    /// Whether a ranking may be tied.
    #[serde(default)]
    ties: bool,
    /// `stop` or `length`.
    finish: String,
    /// What is odd about it.
    why: String,
    text: String,
    /// The verdict; null for none.
    expect: Value,
    /// Whether a typed failure would do as well, since nobody could blame a reader who is not sure.
    #[serde(default)]
    or_none: bool,
}

fn outputs() -> Vec<Output> {
    let text = include_str!("fixtures/verdicts/outputs.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn trial(output: &Output) -> Trial {
    let (task, kind) = (output.task, output.kind);
    let places = match (task, output.protocol) {
        (Task::Preference, Protocol::Pairwise) => 2,
        (Task::Preference, Protocol::Ranking | Protocol::BestWorst) => 3,
        _ => 1,
    };
    let names = |list: [&str; 3]| list[..places].iter().map(|name| (*name).to_owned()).collect();
    Trial {
        id: String::new(),
        task,
        sample: "s".to_owned(),
        kind,
        arms: names(["A", "B", "C"]),
        labels: names(["Explanation A", "Explanation B", "Explanation C"]),
        options: vec!["correct".to_owned(), "incorrect".to_owned()],
        prediction: None,
        control_of: Vec::new(),
        recorded_right: None,
        repeat: 0,
        turn: 0,
        protocol: output.protocol,
        ties: output.ties,
        descriptions: Vec::new(),
        suspects: Vec::new(),
    }
}

/// What was read, in the words of the fixture; null for a typed failure.
fn read(output: &Output) -> Value {
    let completeness = match output.finish.as_str() {
        "length" => Completeness::Cut,
        _ => Completeness::Whole,
    };
    match read_text(&trial(output), &output.text, completeness) {
        Outcome::Verdict(Verdict::Ranking(arms)) => json!(arms.concat()),
        Outcome::Verdict(Verdict::TiedRanking(places)) => {
            let places: Vec<String> = places.iter().map(|place| place.concat()).collect();
            json!(places)
        }
        Outcome::Verdict(Verdict::BestWorst { best, worst }) => json!({"best": best, "worst": worst}),
        Outcome::Verdict(Verdict::Scores(scores)) => scores.iter().map(|score| json!(score.score)).collect(),
        Outcome::Verdict(Verdict::Correct(right)) => json!(if right { "correct" } else { "incorrect" }),
        Outcome::Verdict(Verdict::Guess(Answer::Verdict(guess))) => json!(if guess { "TRUE" } else { "FALSE" }),
        Outcome::Verdict(Verdict::Guess(Answer::Values(values))) => json!(values),
        Outcome::Verdict(Verdict::Guess(Answer::Text(text))) => json!(text),
        Outcome::None { .. } => Value::Null,
    }
}

#[test]
fn every_answer_is_read_right_or_not_at_all() {
    let mut wrong = Vec::new();
    let mut by_task: BTreeMap<Task, [usize; 3]> = BTreeMap::new();
    for (number, output) in outputs().iter().enumerate() {
        let found = read(output);
        let is_right = found == output.expect;
        let counts = by_task.entry(output.task).or_default();
        counts[usize::from(!is_right)] += 1;
        let is_typed = output.or_none && found.is_null();
        if !(is_right || is_typed) {
            counts[2] += 1;
            wrong.push(format!(
                "line {}, {} ({:?}): read {found}, says {}: {:?}",
                number + 1,
                output.why,
                output.task,
                output.expect,
                output.text.chars().take(120).collect::<String>()
            ));
        }
    }
    for (task, [right, other, wrong]) in by_task {
        println!(
            "{task:?}: {right} as they say, {} typed instead, {wrong} wrong",
            other - wrong
        );
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        outputs().len(),
        wrong.join("\n")
    );
}
