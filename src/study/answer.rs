//! The answer stage: every sample by every answerer, into traces.

use std::sync::Arc;

use crate::dataset::Sample;
use crate::engine::Engine;
use crate::method::Question;
use crate::model::{CallError, Model, Stop};
use crate::trace::{AnswerFailure, Trace};

use super::load::Answerer;
use super::work::{Halt, each};

/// An answerer with the model that it asks.
pub(super) struct Ready {
    /// The answerer.
    pub(super) answerer: Answerer,
    /// Its model.
    pub(super) model: Arc<dyn Model>,
}

/// Answers every sample by every answerer: sample by sample, answerers in the study's order.
pub(super) async fn answer(
    samples: &Arc<Vec<Sample>>,
    ready: &Arc<Vec<Ready>>,
    engine: &Arc<Engine>,
    concurrency: usize,
    stop: &Stop,
    mut after: impl FnMut(&Trace) -> Option<Halt>,
) -> Result<Vec<Trace>, Halt> {
    let begin = |index: usize| {
        let (samples, ready, engine) = (samples.clone(), ready.clone(), engine.clone());
        async move {
            let sample = &samples[index / ready.len()];
            let who = &ready[index % ready.len()];
            let question = Question {
                sample,
                answerer: &who.answerer.name,
                model: who.model.as_ref(),
                engine: &engine,
            };
            who.answerer.method.answer(question).await
        }
    };
    each(samples.len() * ready.len(), concurrency, stop, begin, |_, trace| {
        halt_of(trace).or_else(|| after(trace))
    })
    .await
}

/// Whether a trace shows that going on is useless.
pub(super) fn halt_of(trace: &Trace) -> Option<Halt> {
    let failures = [&trace.failure, &trace.fallback_reason];
    failures.into_iter().flatten().find_map(|failure| match failure {
        AnswerFailure::Call { error } => halt_of_call(error),
        _ => None,
    })
}

/// Whether a failed call shows that going on is useless.
pub(super) fn halt_of_call(error: &CallError) -> Option<Halt> {
    match error {
        CallError::Unauthorized { message } => Some(Halt::Provider(message.clone())),
        CallError::Stopped => Some(Halt::Stopped),
        CallError::Store { message } => Some(Halt::Store(message.clone())),
        _ => None,
    }
}

/// How the call failed that left a trace without an answer, if one did.
pub(super) fn call_failure(trace: &Trace) -> Option<String> {
    match &trace.failure {
        Some(AnswerFailure::Call { error }) => Some(error.to_string()),
        _ => None,
    }
}
