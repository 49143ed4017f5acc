//! How often each answerer is right, where its answers come from, and what they took.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::score::score;
use crate::dataset::{DatasetKind, QuestionKind};
use crate::stats::{Stat, Undefined};
use crate::trace::{AnswerFailure, AnswerSource, Counters, Trace};

use super::index::Index;
use super::quantities::{Proportion, share};
use super::records::{ArmFacts, StudyFacts};
use super::usage::{self, Tokens};

/// One answerer: a method with a model and settings, shown by one or more arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswererAnalysis {
    /// The answerer's name.
    pub answerer: String,
    /// The arms that show it.
    pub arms: Vec<String>,
    /// The method's name for people.
    pub method_title: String,
    /// The model's name in the study; of imported answers what is said of them, or empty.
    pub model: String,
    /// Answers and explanations that were made elsewhere and imported.
    pub imported: u64,
    /// Samples of the study that it has not answered yet.
    pub not_run: u64,
    /// Answers that cannot be called right or wrong: no gold answer, or a sentence. Not in `accuracy`.
    pub unscored: u64,
    /// Right answers; an answer that is missing counts as wrong.
    pub accuracy: Proportion,
    /// Missing answers by the kind of failure.
    pub failures: BTreeMap<String, u64>,
    /// Every missing answer.
    pub failed_samples: Vec<FailedSample>,
    /// Answers by where they came from, and how many of them are right.
    pub sources: Vec<SourceAccuracy>,
    /// Accuracy by data set, kind of question and group label.
    pub groups: Vec<GroupAccuracy>,
    /// What it took.
    pub effort: Effort,
}

/// A sample without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedSample {
    /// The sample's id.
    pub sample: String,
    /// The kind of failure.
    pub kind: String,
    /// In words.
    pub detail: String,
}

/// Answers of one source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceAccuracy {
    /// Where the answers came from.
    pub source: AnswerSource,
    /// Answers.
    pub answers: u64,
    /// The right ones among those that can be scored.
    pub accuracy: Proportion,
}

/// Accuracy within one group of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupAccuracy {
    /// What the samples are grouped by: `dataset`, `question`, or a group label such as `size`.
    pub label: String,
    /// The group.
    pub value: String,
    /// Accuracy within it.
    pub accuracy: Proportion,
}

/// What the answers took, with what failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// Questions put to the method.
    pub questions: u64,
    /// Sums over the questions; `None` for what was imported, of which nothing is known.
    pub totals: Option<Counters>,
    /// Model requests a question.
    pub requests_per_question: Stat<f64>,
    /// Texts sampled a question.
    pub samples_per_question: Stat<f64>,
    /// Prompt tokens a question, where said.
    pub input_tokens_per_question: Stat<f64>,
    /// Answer tokens a question, where said.
    pub output_tokens_per_question: Stat<f64>,
    /// Programs run a question.
    pub executions_per_question: Stat<f64>,
    /// Repairs asked for a question.
    pub repairs_per_question: Stat<f64>,
    /// US dollars of all questions, or why that is not known.
    pub cost: Stat<f64>,
}

/// One entry an answerer, in the order of the arms.
pub fn analyze(index: &Index) -> Vec<AnswererAnalysis> {
    let study = &index.records.study;
    // Imported judgments are of answers of which nothing but what was judged is known.
    if study.imported_judgments.is_some() {
        return Vec::new();
    }
    let mut answerers: Vec<(&str, Vec<&ArmFacts>)> = Vec::new();
    for arm in &study.arms {
        match answerers.iter_mut().find(|(name, _)| *name == arm.answerer) {
            Some((_, arms)) => arms.push(arm),
            None => answerers.push((&arm.answerer, vec![arm])),
        }
    }
    answerers
        .into_iter()
        .map(|(name, arms)| answerer(index, study, name, &arms))
        .collect()
}

fn answerer(index: &Index, study: &StudyFacts, name: &str, arms: &[&ArmFacts]) -> AnswererAnalysis {
    let level = study.confidence;
    let mut analysis = AnswererAnalysis {
        answerer: name.to_owned(),
        arms: arms.iter().map(|arm| arm.name.clone()).collect(),
        method_title: arms.first().map(|arm| arm.method_title.clone()).unwrap_or_default(),
        model: arms.first().map(|arm| arm.model.clone()).unwrap_or_default(),
        imported: 0,
        not_run: 0,
        unscored: 0,
        accuracy: Proportion::new(0, 0, level),
        failures: BTreeMap::new(),
        failed_samples: Vec::new(),
        sources: Vec::new(),
        groups: Vec::new(),
        effort: effort(study, &[], false),
    };
    let mut outcomes: Vec<bool> = Vec::new();
    let mut groups: BTreeMap<(usize, String, String), Vec<bool>> = BTreeMap::new();
    let mut sources: BTreeMap<AnswerSource, (u64, Vec<bool>)> = BTreeMap::new();
    let mut traces: Vec<&Trace> = Vec::new();
    for sample in index.samples.values() {
        let Some(trace) = index.trace(&sample.id, name) else {
            analysis.not_run += 1;
            continue;
        };
        traces.push(trace);
        if trace.answer.is_none() {
            let (kind, detail) = failure_words(trace.failure.as_ref());
            *analysis.failures.entry(kind.to_owned()).or_default() += 1;
            analysis.failed_samples.push(FailedSample {
                sample: sample.id.clone(),
                kind: kind.to_owned(),
                detail,
            });
        }
        let right = trace_right(index, trace);
        if let (Some(_), Some(source)) = (&trace.answer, trace.answer_source) {
            let entry = sources.entry(source).or_default();
            entry.0 += 1;
            entry.1.extend(right);
        }
        let Some(right) = right else {
            analysis.unscored += 1;
            continue;
        };
        outcomes.push(right);
        let mut note = |rank: usize, label: &str, value: &str| {
            groups
                .entry((rank, label.to_owned(), value.to_owned()))
                .or_default()
                .push(right);
        };
        note(0, "dataset", dataset_name(sample.dataset));
        note(1, "question", question_name(sample.kind));
        for (label, value) in &sample.groups {
            note(2, label, value);
        }
    }
    analysis.accuracy = Proportion::of(outcomes, level);
    analysis.sources = sources
        .into_iter()
        .map(|(source, (answers, right))| SourceAccuracy {
            source,
            answers,
            accuracy: Proportion::of(right, level),
        })
        .collect();
    analysis.groups = groups
        .into_iter()
        .map(|((_, label, value), right)| GroupAccuracy {
            label,
            value,
            accuracy: Proportion::of(right, level),
        })
        .collect();
    analysis.imported = traces.iter().filter(|trace| trace.imported.is_some()).count() as u64;
    analysis.effort = effort(study, &traces, arms.iter().any(|arm| arm.imported));
    analysis
}

/// Whether a trace's answer is right: a missing one is wrong, and `None` is one that cannot be scored.
pub fn trace_right(index: &Index, trace: &Trace) -> Option<bool> {
    score(index.samples.get(trace.sample.as_str())?, trace.answer.as_ref()).correct()
}

fn effort(study: &StudyFacts, traces: &[&Trace], is_imported: bool) -> Effort {
    if is_imported {
        return Effort::not_known(traces.len() as u64);
    }
    let mut totals = Counters::default();
    let mut tokens: BTreeMap<&str, Tokens> = BTreeMap::new();
    for trace in traces {
        let counters = &trace.counters;
        totals.requests += counters.requests;
        totals.requests_failed += counters.requests_failed;
        totals.samples += counters.samples;
        totals.input_tokens += counters.input_tokens;
        totals.output_tokens += counters.output_tokens;
        totals.requests_without_usage += counters.requests_without_usage;
        totals.executions += counters.executions;
        totals.executions_failed += counters.executions_failed;
        totals.repairs += counters.repairs;
        let sum = tokens.entry(trace.model.as_str()).or_default();
        sum.input += counters.input_tokens;
        sum.output += counters.output_tokens;
        sum.uncounted_calls += counters.requests_without_usage.saturating_sub(counters.requests_failed);
    }
    let questions = traces.len() as u64;
    Effort {
        questions,
        totals: Some(totals),
        requests_per_question: share(totals.requests, questions),
        samples_per_question: share(totals.samples, questions),
        input_tokens_per_question: share(totals.input_tokens, questions),
        output_tokens_per_question: share(totals.output_tokens, questions),
        executions_per_question: share(totals.executions, questions),
        repairs_per_question: share(totals.repairs, questions),
        cost: usage::total_cost(tokens.iter().map(|(model, tokens)| usage::cost(study, model, tokens))),
    }
}

impl Effort {
    /// What is known of answers made elsewhere: nothing, which is not none.
    fn not_known(questions: u64) -> Self {
        let unknown = || {
            Err(Undefined::because(
                "imported: what the answers took is not known".to_owned(),
            ))
        };
        Self {
            questions,
            totals: None,
            requests_per_question: unknown(),
            samples_per_question: unknown(),
            input_tokens_per_question: unknown(),
            output_tokens_per_question: unknown(),
            executions_per_question: unknown(),
            repairs_per_question: unknown(),
            cost: unknown(),
        }
    }
}

/// Kind and words of a failure to answer.
pub fn failure_words(failure: Option<&AnswerFailure>) -> (&'static str, String) {
    match failure {
        None => ("unknown", "the trace holds neither an answer nor a reason".to_owned()),
        Some(AnswerFailure::Unparsed { expected }) => {
            ("unparsed", format!("no answer in the text; expected {expected}"))
        }
        Some(AnswerFailure::Truncated) => ("truncated", "the token limit cut the text".to_owned()),
        Some(AnswerFailure::Refused { message }) => ("refused", message.clone()),
        Some(AnswerFailure::Program { message }) => ("program", message.clone()),
        Some(AnswerFailure::NoResult { message }) => ("no_result", message.clone()),
        Some(AnswerFailure::TooManySteps { limit }) => ("too_many_steps", format!("more than {limit} steps")),
        Some(AnswerFailure::Call { error }) => ("call", error.to_string()),
        Some(AnswerFailure::NotGiven) => (
            "not_given",
            "the explanation was imported without a prediction".to_owned(),
        ),
    }
}

/// A data set's name in tables.
pub fn dataset_name(dataset: DatasetKind) -> &'static str {
    match dataset {
        DatasetKind::Tabfact => "tabfact",
        DatasetKind::Wikitq => "wikitq",
        DatasetKind::Fetaqa => "fetaqa",
        DatasetKind::Custom => "custom",
    }
}

/// A question kind's name in tables.
pub fn question_name(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::FactVerification => "fact_verification",
        QuestionKind::ShortAnswer => "short_answer",
        QuestionKind::FreeForm => "free_form",
    }
}
