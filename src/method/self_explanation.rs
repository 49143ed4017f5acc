//! Self-explanation: one call that answers and then explains the answer in the model's own words.
//!
//! The explanation is a claim of the model and comes from no program; nothing in it can be traced to cells.
//!
//! Source: the self-explanation condition of Plan-of-SQLs (appendix, the figure with three tasks in one prompt).

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::Session;
use super::{Method, Question, SettingsError, prompt, read_answer, settings};
use crate::dataset::Answer;
use crate::trace::{AnswerFailure, AnswerSource, Trace};

/// The method's name in the registry.
pub(super) const NAME: &str = "self_explanation";

/// Settings of self-explanation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Softmax temperature.
    temperature: f64,
    /// Longest answer, in tokens.
    max_tokens: u32,
    /// Texts that end the answer.
    stop: Vec<String>,
    /// Longest table in a prompt, in estimated tokens.
    table_tokens: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            temperature: 0.0,
            max_tokens: 1_024,
            stop: Vec::new(),
            table_tokens: 6_000,
        }
    }
}

struct SelfExplanation {
    settings: Settings,
}

/// Builds the method.
pub(super) fn build(given: &Value) -> Result<Box<dyn Method>, SettingsError> {
    let settings = settings::read(NAME, given, |settings: &Settings| {
        settings::check_call(settings.temperature, settings.max_tokens, settings.table_tokens)
    })?;
    Ok(Box::new(SelfExplanation { settings }))
}

impl Method for SelfExplanation {
    fn settings(&self) -> Value {
        settings::write(&self.settings)
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Trace> {
        Box::pin(async move {
            let Settings {
                temperature,
                max_tokens,
                stop,
                ..
            } = &self.settings;
            let sampling = settings::sampling(*temperature, *max_tokens, stop);
            let mut session = Session::open(question, NAME, self.settings(), sampling);
            let outcome = self.ask_once(&mut session).await;
            session.finish(outcome.map(|answer| (answer, AnswerSource::Model)))
        })
    }
}

impl SelfExplanation {
    async fn ask_once(&self, session: &mut Session<'_>) -> Result<Answer, AnswerFailure> {
        let sample = session.sample();
        let reply = session
            .ask(
                "self_explanation.answer",
                "self_explanation/answer.txt",
                prompt::question(sample, &sample.table, self.settings.table_tokens),
            )
            .await?;
        let written = read_answer::read_explained_answer(&reply, sample.kind)?;
        session.set_rationale(&written.rationale);
        Ok(written.answer)
    }
}
