//! Chain-of-Thought: one call that sees examples with their reasoning, reasons, and ends with the answer.
//!
//! Source: Wei et al. 2022, as a Table QA baseline in Chain-of-Table (Wang et al. 2024, Section 4.1).

use futures::future::BoxFuture;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::Session;
use super::{Method, Question, SettingsError, prompt, read_answer, settings};
use crate::dataset::Answer;
use crate::trace::{AnswerFailure, AnswerSource, Trace};

/// The method's name in the registry.
pub(super) const NAME: &str = "chain_of_thought";

/// Settings of Chain-of-Thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Most demonstrations. Default: all there are of the question's kind.
    shots: Option<usize>,
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
            shots: None,
            temperature: 0.0,
            max_tokens: 1_024,
            stop: Vec::new(),
            table_tokens: 6_000,
        }
    }
}

struct ChainOfThought {
    settings: Settings,
}

/// Builds the method.
pub(super) fn build(given: &Value) -> Result<Box<dyn Method>, SettingsError> {
    let settings = settings::read(NAME, given, |settings: &Settings| {
        settings::check_call(settings.temperature, settings.max_tokens, settings.table_tokens)
    })?;
    Ok(Box::new(ChainOfThought { settings }))
}

impl Method for ChainOfThought {
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

impl ChainOfThought {
    async fn ask_once(&self, session: &mut Session<'_>) -> Result<Answer, AnswerFailure> {
        let sample = session.sample();
        let values = context! {
            shots => prompt::shots(sample.kind, self.settings.shots.unwrap_or(usize::MAX)),
            ..prompt::question(sample, &sample.table, self.settings.table_tokens)
        };
        let reply = session
            .ask("chain_of_thought.answer", "chain_of_thought/answer.txt", values)
            .await?;
        let written = read_answer::read_answer(&reply, sample.kind)?;
        session.set_rationale(&written.rationale);
        Ok(written.answer)
    }
}
