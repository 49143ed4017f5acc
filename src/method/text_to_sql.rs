//! Text-to-SQL: one statement for the whole question, run on the whole table; its result is the answer.
//!
//! Source: the pure-SQL baseline of Binder (Cheng et al. 2023, Section 4), as compared in the Plan-of-SQLs paper.
//! There is no fallback: a statement that does not run, after its repairs, leaves the question unanswered.

use futures::future::BoxFuture;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read_result::{AnswerColumns, read_result};
use super::session::Session;
use super::statement::{RepairPlan, run_with_repairs};
use super::{Method, Question, SettingsError, prompt, settings};
use crate::dataset::Answer;
use crate::trace::{AnswerFailure, AnswerSource, Trace};

/// The method's name in the registry.
pub(super) const NAME: &str = "text_to_sql";

/// Settings of Text-to-SQL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Most repairs of the statement when it fails.
    repairs: u32,
    /// Which columns of the result hold the values.
    answer_columns: AnswerColumns,
    /// Softmax temperature.
    temperature: f64,
    /// Longest text of one call, in tokens.
    max_tokens: u32,
    /// Texts that end the model's text.
    stop: Vec<String>,
    /// Longest table in a prompt, in estimated tokens; the statement always runs on the whole table.
    table_tokens: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            repairs: 1,
            answer_columns: AnswerColumns::First,
            temperature: 0.0,
            max_tokens: 1_024,
            stop: Vec::new(),
            table_tokens: 6_000,
        }
    }
}

struct TextToSql {
    settings: Settings,
}

/// Builds the method.
pub(super) fn build(given: &Value) -> Result<Box<dyn Method>, SettingsError> {
    let settings = settings::read(NAME, given, |settings: &Settings| {
        settings::check_call(settings.temperature, settings.max_tokens, settings.table_tokens)
    })?;
    Ok(Box::new(TextToSql { settings }))
}

/// Fewest and most calls of one question.
pub(super) fn call_bounds(method: &dyn Method) -> (u64, u64) {
    let settings: Settings = settings::of(method);
    (1, 1 + u64::from(settings.repairs))
}

impl Method for TextToSql {
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
            let outcome = self.ask_and_run(&mut session).await;
            session.finish(outcome.map(|answer| (answer, AnswerSource::Program)))
        })
    }
}

impl TextToSql {
    async fn ask_and_run(&self, session: &mut Session<'_>) -> Result<Answer, AnswerFailure> {
        let sample = session.sample();
        let caption = sample.caption.as_deref();
        let table_tokens = self.settings.table_tokens;
        session.open_step(None);
        let values = context! {
            shots => prompt::sql_shots(sample.kind),
            definition => prompt::definition(&sample.table, caption, Some(table_tokens)),
            schema => prompt::schema(&sample.table),
            ..prompt::question(sample, &sample.table, table_tokens)
        };
        let reply = session.ask("text_to_sql.sql", "text_to_sql/sql.txt", values).await?;
        let repair = RepairPlan {
            purpose: "text_to_sql.repair",
            task: &sample.question,
            repairs: self.settings.repairs,
            table_tokens,
        };
        run_with_repairs(session, reply, &repair).await?;
        read_result(session.table(), sample.kind, self.settings.answer_columns)
    }
}
