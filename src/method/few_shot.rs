//! Few-shot QA: one call that sees answered examples, then the table, and writes the answer.
//!
//! Source: the few-shot baseline of Chain-of-Table (Wang et al. 2024, Section 4.1): four examples for TabFact; and of
//! Plan-of-SQLs: ten for WikiTableQuestions.

use futures::future::BoxFuture;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::Session;
use super::{Method, Question, SettingsError, prompt, read_answer, settings};
use crate::dataset::{Answer, QuestionKind};
use crate::trace::{AnswerFailure, AnswerSource, Trace};

/// The method's name in the registry.
pub(super) const NAME: &str = "few_shot";

/// Settings of few-shot QA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Most demonstrations. Default: 4 of a verification, all there are of other kinds.
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
            max_tokens: 512,
            stop: Vec::new(),
            table_tokens: 6_000,
        }
    }
}

struct FewShot {
    settings: Settings,
}

/// Builds the method.
pub(super) fn build(given: &Value) -> Result<Box<dyn Method>, SettingsError> {
    let settings = settings::read(NAME, given, |settings: &Settings| {
        settings::check_call(settings.temperature, settings.max_tokens, settings.table_tokens)
    })?;
    Ok(Box::new(FewShot { settings }))
}

impl Method for FewShot {
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

impl FewShot {
    async fn ask_once(&self, session: &mut Session<'_>) -> Result<Answer, AnswerFailure> {
        let sample = session.sample();
        let shots = self.settings.shots.unwrap_or(match sample.kind {
            QuestionKind::FactVerification => 4,
            QuestionKind::ShortAnswer | QuestionKind::FreeForm => usize::MAX,
        });
        let values = context! {
            shots => prompt::shots(sample.kind, shots),
            ..prompt::question(sample, &sample.table, self.settings.table_tokens)
        };
        let reply = session.ask("few_shot.answer", "few_shot/answer.txt", values).await?;
        Ok(read_answer::read_answer(&reply, sample.kind)?.answer)
    }
}
