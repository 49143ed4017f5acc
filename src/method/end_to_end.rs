//! End-to-End QA: one call that sees the table and writes the answer, without demonstrations.
//!
//! Source: the direct-answer baseline of Chain-of-Table (Wang et al. 2024, Section 4.1) and of Plan-of-SQLs.

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::Session;
use super::{Method, Question, SettingsError, prompt, read_answer, settings};
use crate::dataset::Answer;
use crate::trace::{AnswerFailure, AnswerSource, Trace};

/// The method's name in the registry.
pub(super) const NAME: &str = "end_to_end";

/// Settings of End-to-End QA.
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
            max_tokens: 512,
            stop: Vec::new(),
            table_tokens: 6_000,
        }
    }
}

struct EndToEnd {
    settings: Settings,
}

/// Builds the method.
pub(super) fn build(given: &Value) -> Result<Box<dyn Method>, SettingsError> {
    let settings = settings::read(NAME, given, |settings: &Settings| {
        settings::check_call(settings.temperature, settings.max_tokens, settings.table_tokens)
    })?;
    Ok(Box::new(EndToEnd { settings }))
}

impl Method for EndToEnd {
    fn settings(&self) -> Value {
        settings::write(&self.settings)
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Trace> {
        Box::pin(async move {
            let Settings {
                temperature,
                max_tokens,
                stop,
                table_tokens,
            } = &self.settings;
            let sampling = settings::sampling(*temperature, *max_tokens, stop);
            let mut session = Session::open(question, NAME, self.settings(), sampling);
            let outcome = answer_directly(&mut session, "end_to_end.answer", *table_tokens).await;
            session.finish(outcome.map(|answer| (answer, AnswerSource::Model)))
        })
    }
}

/// Asks for the answer on the sample's own table. The fallback of other methods, too.
pub(super) async fn answer_directly(
    session: &mut Session<'_>,
    purpose: &str,
    table_tokens: usize,
) -> Result<Answer, AnswerFailure> {
    let sample = session.sample();
    let reply = session
        .ask(
            purpose,
            "end_to_end/answer.txt",
            prompt::question(sample, &sample.table, table_tokens),
        )
        .await?;
    Ok(read_answer::read_answer(&reply, sample.kind)?.answer)
}
