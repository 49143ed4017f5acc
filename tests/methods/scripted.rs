//! A model that answers from queues, a small sample, and what holds for every trace.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;

use futures::future::BoxFuture;
use pretty_assertions::assert_eq;
use serde_json::Value;
use tabjury::dataset::{Answer, DatasetKind, QuestionKind, Sample};
use tabjury::engine::Engine;
use tabjury::method::{self, Question};
use tabjury::model::{CallError, FinishReason, Model, Reply, Request, Usage};
use tabjury::table::Table;
use tabjury::trace::{AnswerSource, Trace};

pub(crate) type Outcome = Result<Reply, CallError>;

/// A model that answers each purpose from its own queue, and keeps what it was asked.
#[derive(Default)]
pub(crate) struct Scripted {
    replies: Mutex<BTreeMap<&'static str, VecDeque<Outcome>>>,
    pub(crate) asked: Mutex<Vec<Request>>,
}

impl Scripted {
    pub(crate) fn new(replies: &[(&'static str, &str)]) -> Self {
        let scripted = Self::default();
        for (purpose, text) in replies {
            scripted.push(purpose, Ok(reply(text)));
        }
        scripted
    }

    pub(crate) fn then(self, purpose: &'static str, outcome: Outcome) -> Self {
        self.push(purpose, outcome);
        self
    }

    pub(crate) fn push(&self, purpose: &'static str, outcome: Outcome) {
        self.replies
            .lock()
            .unwrap()
            .entry(purpose)
            .or_default()
            .push_back(outcome);
    }

    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn prompt(&self, purpose: &str, turn: u32) -> String {
        let asked = self.asked();
        let request = asked
            .iter()
            .find(|request| request.purpose.name == purpose && request.purpose.turn == turn)
            .unwrap_or_else(|| panic!("{purpose} {turn} was not asked"));
        request.messages.last().unwrap().content.clone()
    }

    pub(crate) fn purposes(&self) -> Vec<String> {
        self.asked().into_iter().map(|request| request.purpose.name).collect()
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn ask<'a>(&'a self, request: Request) -> BoxFuture<'a, Outcome> {
        let purpose = request.purpose.clone();
        self.asked.lock().unwrap().push(request);
        let mut replies = self.replies.lock().unwrap();
        let next = replies.get_mut(purpose.name.as_str()).and_then(VecDeque::pop_front);
        let outcome = next.unwrap_or_else(|| panic!("no reply for {} {}", purpose.name, purpose.turn));
        let outcome = outcome.map(|reply| Reply {
            call: format!("{}#{}", purpose.name, purpose.turn),
            ..reply
        });
        Box::pin(async move { outcome })
    }
}

pub(crate) fn reply(text: &str) -> Reply {
    Reply {
        call: String::new(),
        text: text.to_owned(),
        finish: FinishReason::Stop,
        refusal: None,
        usage: Some(Usage {
            input_tokens: 100,
            output_tokens: 10,
        }),
    }
}

pub(crate) fn cut(text: &str) -> Reply {
    Reply {
        finish: FinishReason::Length,
        ..reply(text)
    }
}

pub(crate) fn sample(kind: QuestionKind, question: &str) -> Sample {
    let rows = [
        ["Blue Cup", "Mira", "12", "4.5"],
        ["Old Kettle", "Jon", "7", "3.9"],
        ["Leaf, Bark & Co", "Mira", "20", "4.8"],
        ["The Spout", "Ada", "7", "4.1"],
    ];
    Sample {
        id: "tea-1".to_owned(),
        dataset: DatasetKind::Custom,
        kind,
        table_id: "tea".to_owned(),
        caption: Some("Tea stalls of the Lower Market".to_owned()),
        table: table(&["stall", "owner", "number of teas", "rating"], &rows.map(Vec::from)),
        question: question.to_owned(),
        gold: None,
        groups: BTreeMap::new(),
    }
}

pub(crate) fn table(header: &[&str], rows: &[Vec<&str>]) -> Table {
    let rows = rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect());
    Table::from_text(header.iter().copied(), rows).unwrap()
}

pub(crate) fn statement() -> Sample {
    sample(
        QuestionKind::FactVerification,
        "Mira owns two stalls with more than 10 teas.",
    )
}

pub(crate) fn question() -> Sample {
    sample(QuestionKind::ShortAnswer, "which stalls belong to mira?")
}

pub(crate) async fn answer(name: &str, settings: Value, sample: &Sample, model: &Scripted) -> Trace {
    let method = (method::find(name).unwrap().build)(&settings).unwrap();
    let engine = Engine::default();
    let trace = method
        .answer(Question {
            sample,
            answerer: "arm-a",
            model,
            engine: &engine,
        })
        .await;
    check(&trace, sample, model);
    trace
}

/// What holds for every trace of every method.
fn check(trace: &Trace, sample: &Sample, model: &Scripted) {
    assert_eq!(trace.tables[0], sample.table, "the first table is the sample's");
    assert_eq!(trace.answer.is_some(), trace.failure.is_none());
    assert_eq!(trace.answer.is_some(), trace.answer_source.is_some());
    let fell_back = trace.answer_source == Some(AnswerSource::Fallback);
    assert!(!fell_back || trace.fallback_reason.is_some());

    let mut next = 1;
    for step in &trace.steps {
        assert_eq!(step.lineage.is_some(), step.output.is_some());
        assert_eq!(step.program.is_some(), step.output.is_some());
        assert_eq!(step.input, next - 1, "a step works on what the last one left");
        if let (Some(output), Some(lineage)) = (step.output, &step.lineage) {
            assert_eq!(output, next);
            assert_eq!(lineage.origins.len(), trace.tables[output].rows.len());
            next += 1;
        } else {
            assert!(!step.failed_attempts.is_empty() || trace.failure.is_some() || fell_back);
        }
    }
    assert_eq!(trace.tables.len(), next, "every table is a step's result");

    let counters = trace.counters;
    let succeeded = trace.steps.iter().filter(|step| step.output.is_some()).count() as u64;
    assert_eq!(counters.executions - counters.executions_failed, succeeded);
    assert_eq!(counters.requests, trace.calls.len() as u64);
    assert_eq!(counters.requests, counters.samples + counters.requests_failed);
    assert_eq!(counters.requests, model.asked().len() as u64);
    let repairs = trace.calls.iter().filter(|mark| mark.purpose.ends_with(".repair"));
    assert_eq!(counters.repairs, repairs.count() as u64);

    let known = method::find(&trace.method).unwrap();
    let mut turns: BTreeMap<String, u32> = BTreeMap::new();
    for (mark, request) in trace.calls.iter().zip(model.asked()) {
        let purpose = request.purpose;
        assert_eq!(mark.purpose, purpose.name);
        assert!(known.purposes.contains(&purpose.name.as_str()), "{}", purpose.name);
        assert_eq!((purpose.sample.as_str(), purpose.arm.as_str()), ("tea-1", "arm-a"));
        let turn = turns.entry(purpose.name).or_default();
        assert_eq!(purpose.turn, *turn, "turns count the calls of a purpose");
        *turn += 1;
    }
    let in_steps = trace.steps.iter().flat_map(|step| &step.calls);
    let known_calls: BTreeSet<&String> = trace.calls.iter().map(|mark| &mark.call).collect();
    assert!(in_steps.into_iter().all(|call| known_calls.contains(call)));
}

pub(crate) fn values(values: &[&str]) -> Option<Answer> {
    Some(Answer::Values(values.iter().map(|&value| value.to_owned()).collect()))
}
