//! What a run would ask and cost, without a call.
//!
//! The estimate is a rehearsal: every method runs on every sample over the call store alone. Where the store has all
//! answers nothing is left to ask, and the judges' calls are counted one by one; where it has not, the bounds of the
//! methods count, and judges are assumed to get a page of every arm.

mod asking_again;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::dataset::{Answer, QuestionKind, Sample};
use crate::explain::Format;
use crate::judge::Trial;
use crate::judge::trial::SampleAnswers;
use crate::method::{self, Question};
use crate::model::price::prompt_tokens;
use crate::model::store::CallStore;
use crate::model::{CallError, Model, Reply, Request, Stop, StoredModel};
use crate::trace::{AnswerFailure, Trace, TraceBuilder};

use super::analyze::engine;
use super::answer::Ready;
use super::ask;
use super::directory::CALLS;
use super::explain::{Pages, explain, telling_names};
use super::import::arms::Imports;
use super::judge::{self, Bench, ReadyJudge};
use super::load::{Arm, Study};
use super::models::Models;
use super::picture::Pictures;
use super::run::{Options, RunError, Stage, load_samples};

/// A chain shows its table once a step, at most ten steps, and the result: how much longer than the page without an
/// explanation a page may be.
const PAGE_GROWTH: u64 = 12;

/// The longest answer assumed where a request sets no limit, in tokens.
const UNLIMITED_ANSWER: u64 = 1_024;

/// A low and a high bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// At least so many, if every arm answers.
    pub low: u64,
    /// At most so many.
    pub high: u64,
}

/// What one model would be asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelEstimate {
    /// Its name in the study.
    pub model: String,
    /// Calls for answers.
    pub answer_calls: Bounds,
    /// Calls for judgments.
    pub judge_calls: Bounds,
    /// Calls to measure faithfulness, where a study has models asked again.
    pub faithfulness_calls: Bounds,
    /// Tokens of prompts, by their length in bytes.
    pub input_tokens: Bounds,
    /// Tokens of answers, up to their limits.
    pub output_tokens: Bounds,
    /// US dollars, low and high; `None` when the model has no known price.
    pub cost: Option<(f64, f64)>,
    /// Whether answers come from a file and cost nothing.
    pub scripted: bool,
}

/// What a run would ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Samples.
    pub samples: usize,
    /// By model, in the order of the study.
    pub models: Vec<ModelEstimate>,
    /// Calls already in the store of the run directory.
    pub stored_calls: u64,
}

impl Bounds {
    fn add(&mut self, other: Self) {
        self.low += other.low;
        self.high += other.high;
    }
}

/// Rehearses a study.
pub async fn estimate(study: &Study, options: &Options) -> Result<Estimate, RunError> {
    let samples = load_samples(study, options.limit)?;
    let prompts = judge::prompts(study)?;
    let file = options.directory(study).join(CALLS);
    let store = Arc::new(if file.is_file() {
        CallStore::open_read_only(&file)?
    } else {
        CallStore::in_memory()
    });
    let stored_calls = store.count()?;
    let offline = Options {
        offline: true,
        ..options.clone()
    };
    let models = Models::over(study, store, &offline, &Stop::new())?;
    let arms = study.arms()?;
    let mut sums = Sums::of(study);
    // Nobody is asked for what is imported.
    let imports = Imports::read(study, &samples)?;
    let answers = rehearse_answers(study, &samples, &models, &mut sums).await?;
    let answers = answers
        .map(|traces| imports.join(study, &samples, traces))
        .transpose()?;
    let rehearsal = Rehearsal {
        study,
        samples: &samples,
        arms: &arms,
        models: &models,
    };
    if !options.wants(Stage::Answer) {
        sums.forget_answers();
    }
    let measures = &study.file.tasks.faithfulness;
    if options.wants(Stage::Faithfulness) && measures.enabled && measures.ask_models {
        asking_again::ahead(study, &samples, &models, answers.as_deref(), &mut sums).await?;
    }
    match answers {
        _ if !options.wants(Stage::Judge) => {}
        Some(traces) => rehearsal.known(&traces, prompts, &mut sums)?,
        None => rehearsal.unknown(prompts, stored_calls > 0, &mut sums)?,
    }
    Ok(Estimate {
        samples: samples.len(),
        models: sums.priced(&models),
        stored_calls,
    })
}

struct Sums(Vec<ModelEstimate>);

impl Sums {
    fn of(study: &Study) -> Self {
        let named = |name: &str| ModelEstimate {
            model: name.to_owned(),
            ..ModelEstimate::default()
        };
        Self(study.file.models.iter().map(|entry| named(entry.name())).collect())
    }

    fn of_model(&mut self, model: &str) -> Option<&mut ModelEstimate> {
        self.0.iter_mut().find(|sum| sum.model == model)
    }

    /// The answer stage is left out.
    fn forget_answers(&mut self) {
        for sum in &mut self.0 {
            *sum = ModelEstimate {
                model: std::mem::take(&mut sum.model),
                ..ModelEstimate::default()
            };
        }
    }

    fn priced(mut self, models: &Models) -> Vec<ModelEstimate> {
        for sum in &mut self.0 {
            sum.scripted = models.is_scripted(&sum.model);
            sum.cost = models.price(&sum.model).map(|price| {
                let cost = |input: u64, output: u64| {
                    (input as f64 * price.input_per_million + output as f64 * price.output_per_million) / 1e6
                };
                let (input, output) = (sum.input_tokens, sum.output_tokens);
                (cost(input.low, output.low), cost(input.high, output.high))
            });
        }
        self.0
    }
}

/// A model that answers from the store and remembers the prompts that it could not answer.
struct Tap {
    inner: Arc<StoredModel>,
    missed: Mutex<Vec<Request>>,
}

impl Model for Tap {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn ask<'a>(&'a self, request: Request) -> BoxFuture<'a, Result<Reply, CallError>> {
        async move {
            let result = self.inner.ask(request.clone()).await;
            if matches!(result, Err(CallError::Offline { .. })) {
                self.missed.lock().unwrap_or_else(PoisonError::into_inner).push(request);
            }
            result
        }
        .boxed()
    }
}

/// Runs the methods over the store; `None` when an answer is missing, and then the sums hold the bounds of what is.
async fn rehearse_answers(
    study: &Study,
    samples: &[Sample],
    models: &Models,
    sums: &mut Sums,
) -> Result<Option<Vec<Trace>>, RunError> {
    let engine = engine(&study.file.engine);
    let mut traces = Vec::new();
    let mut whole = true;
    for answerer in study.answerers()? {
        let tap = Arc::new(Tap {
            inner: models.get(&answerer.model)?,
            missed: Mutex::default(),
        });
        let ready = Ready {
            answerer,
            model: tap.clone(),
        };
        let bounds = method::find(ready.answerer.method_name).map_or((0, 0), |descriptor| {
            (descriptor.call_bounds)(ready.answerer.method.as_ref())
        });
        for sample in samples {
            let question = Question {
                sample,
                answerer: &ready.answerer.name,
                model: ready.model.as_ref(),
                engine: &engine,
            };
            let trace = ready.answerer.method.answer(question).await;
            let missed = std::mem::take(&mut *tap.missed.lock().unwrap_or_else(PoisonError::into_inner));
            if let Some(request) = missed.first().filter(|_| is_missing(&trace)) {
                whole = false;
                if let Some(sum) = sums.of_model(&ready.answerer.model) {
                    let answered = trace.calls.iter().filter(|call| !call.failed).count() as u64;
                    let left = |bound: u64| bound.saturating_sub(answered).max(1);
                    let calls = Bounds {
                        low: left(bounds.0),
                        high: left(bounds.1),
                    };
                    sum.answer_calls.add(calls);
                    sum.add_tokens(calls, prompt_bounds(request), answer_limit(request));
                }
            }
            traces.push(trace);
        }
    }
    // The order of the answer stage: sample by sample.
    let place: BTreeMap<&str, usize> = samples
        .iter()
        .enumerate()
        .map(|(at, sample)| (sample.id.as_str(), at))
        .collect();
    traces.sort_by_key(|trace| place.get(trace.sample.as_str()).copied());
    Ok(whole.then_some(traces))
}

fn is_missing(trace: &Trace) -> bool {
    let offline = |failure: &AnswerFailure| {
        matches!(
            failure,
            AnswerFailure::Call {
                error: CallError::Offline { .. }
            }
        )
    };
    trace.failure.as_ref().is_some_and(offline) || trace.fallback_reason.as_ref().is_some_and(offline)
}

fn prompt_bounds(request: &Request) -> Bounds {
    let (low, high) = prompt_tokens(&request.messages);
    Bounds { low, high }
}

fn answer_limit(request: &Request) -> u64 {
    request.sampling.max_tokens.map_or(UNLIMITED_ANSWER, u64::from)
}

impl ModelEstimate {
    /// Adds the tokens of some calls with prompts and answers of these sizes.
    fn add_tokens(&mut self, calls: Bounds, prompt: Bounds, answer_limit: u64) {
        self.input_tokens.add(Bounds {
            low: calls.low * prompt.low,
            high: calls.high * prompt.high,
        });
        self.output_tokens.add(Bounds {
            low: calls.low,
            high: calls.high * answer_limit,
        });
    }
}

struct Rehearsal<'a> {
    study: &'a Study,
    samples: &'a [Sample],
    arms: &'a [Arm],
    models: &'a Models,
}

impl Rehearsal<'_> {
    /// Every answer is known: counts the judges' calls that the store does not have.
    fn known(&self, traces: &[Trace], prompts: judge::Prompts, sums: &mut Sums) -> Result<(), RunError> {
        let pages = explain(
            self.samples,
            self.arms,
            traces,
            &telling_names(self.study),
            self.study.file.control.enabled,
        )
        .pages;
        let trials = judge::trials(self.study, &judge::answers(self.samples, self.arms, traces))?;
        let bench = self.bench(pages, trials, prompts);
        for judge in self.models.judges(&self.study.file.judges)? {
            let asked = self.models.get(&judge.entry.model)?;
            for trial in &bench.trials {
                let stored = |request: &Request| {
                    let record = self.models.store().record(&asked.key(request))?;
                    Ok(record.map(|record| record.outcome))
                };
                let Some(request) = ask::next_request(&bench, &judge, trial, stored)? else {
                    continue;
                };
                if let Some(sum) = sums.of_model(&judge.entry.model) {
                    let one = Bounds { low: 1, high: 1 };
                    sum.judge_calls.add(one);
                    sum.add_tokens(one, prompt_bounds(&request), answer_limit(&request));
                }
            }
        }
        Ok(())
    }

    /// Answers are missing: bounds from pages without an explanation, all arms agreeing (low) or none (high).
    fn unknown(&self, prompts: judge::Prompts, some_are_stored: bool, sums: &mut Sums) -> Result<(), RunError> {
        let agreeing = judge::trials(self.study, &self.imagined(|_| 0))?;
        let differing = judge::trials(self.study, &self.imagined(|arm| arm))?;
        let bare = self.bare_pages();
        let bench = self.bench(bare, Vec::new(), prompts);
        for judge in self.models.judges(&self.study.file.judges)? {
            // Which judgments the store has cannot be told before their pages are known.
            let agreeing = if some_are_stored { &[] } else { agreeing.as_slice() };
            let (low, _) = self.prompt_sum(&bench, &judge, agreeing);
            let (_, high) = self.prompt_sum(&bench, &judge, &differing);
            if let Some(sum) = sums.of_model(&judge.entry.model) {
                let calls = Bounds {
                    low: agreeing.len() as u64,
                    high: differing.len() as u64,
                };
                sum.judge_calls.add(calls);
                sum.input_tokens.add(Bounds {
                    low,
                    high: high * PAGE_GROWTH,
                });
                sum.output_tokens.add(Bounds {
                    low: calls.low,
                    high: calls.high * u64::from(judge.entry.max_tokens),
                });
            }
        }
        Ok(())
    }

    fn prompt_sum(&self, bench: &Bench, judge: &ReadyJudge, trials: &[Trial]) -> (u64, u64) {
        let mut sum = Bounds::default();
        for trial in trials {
            if let Ok(messages) = judge::messages_without_answers(bench, judge, trial) {
                let (low, high) = prompt_tokens(&messages);
                sum.add(Bounds { low, high });
            }
        }
        (sum.low, sum.high)
    }

    fn bench(&self, pages: Pages, trials: Vec<Trial>, prompts: judge::Prompts) -> Bench {
        Bench {
            samples: self
                .samples
                .iter()
                .map(|sample| (sample.id.clone(), sample.clone()))
                .collect(),
            pages,
            pictures: Pictures::imagined(),
            trials,
            prompts,
            seed: self.study.file.study.seed,
            store: self.models.store().clone(),
        }
    }

    /// Answers as if arm number `a` had given answer number `which(a)`.
    fn imagined(&self, which: impl Fn(usize) -> usize) -> Vec<SampleAnswers> {
        let answer = |sample: &Sample, arm: usize| match sample.kind {
            QuestionKind::FactVerification => Answer::Verdict(which(arm).is_multiple_of(2)),
            QuestionKind::ShortAnswer => Answer::Values(vec![which(arm).to_string()]),
            QuestionKind::FreeForm => Answer::Text(which(arm).to_string()),
        };
        self.samples
            .iter()
            .map(|sample| SampleAnswers {
                sample: sample.id.clone(),
                kind: sample.kind,
                arms: self
                    .arms
                    .iter()
                    .enumerate()
                    .map(|(index, arm)| (arm.name.clone(), Some(answer(sample, index))))
                    .collect(),
            })
            .collect()
    }

    /// The page of every sample without explanation or answer, under the name of every arm.
    fn bare_pages(&self) -> Pages {
        let bare_arms: Vec<Arm> = self
            .arms
            .iter()
            .map(|arm| Arm {
                format: Format::None,
                ..arm.clone()
            })
            .collect();
        let traces: Vec<Trace> = self
            .samples
            .iter()
            .flat_map(|sample| bare_arms.iter().map(|arm| bare_trace(sample, &arm.answerer)))
            .collect();
        explain(self.samples, &bare_arms, &traces, &[], true).pages
    }
}

/// A trace in which nothing was done.
fn bare_trace(sample: &Sample, answerer: &str) -> Trace {
    let failure = AnswerFailure::NoResult {
        message: "not asked".to_owned(),
    };
    TraceBuilder::new(sample, answerer, "", "", serde_json::Value::Null).finish(Err(failure))
}
