//! Plan-of-SQLs: a plan of atomic steps in words, each turned into SQL and run on the table the last one left.
//!
//! Source: the Plan-of-SQLs paper, Section 3 (one-time planning) and Appendix (one-step planning), and its released
//! code. Where the released code loses samples or misreads its own output, this does what the paper describes:
//! docs/methods/pos.md lists every difference.

use futures::future::BoxFuture;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::end_to_end::answer_directly;
use super::read_plan::{PlannedStep, read_next_step, read_plan};
use super::read_result::{AnswerColumns, early_verdict, read_result};
use super::session::{Session, ends_the_method};
use super::statement::{RepairPlan, run_with_repairs};
use super::{Method, Question, SettingsError, prompt, read_answer, settings};
use crate::dataset::{Answer, QuestionKind};
use crate::trace::{AnswerFailure, AnswerSource, Trace};

/// The method's name in the registry.
pub(super) const NAME: &str = "pos";

/// When steps are planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Planner {
    /// All of them before the first one runs.
    #[default]
    OneTime,
    /// Each one when the result of the one before is known.
    OneStep,
}

/// Settings of Plan-of-SQLs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// When steps are planned.
    planner: Planner,
    /// Most steps of a question.
    max_steps: usize,
    /// Most repairs of one failing statement.
    repairs: u32,
    /// Whether the model answers without a chain when the chain gives no answer.
    fallback: bool,
    /// Which columns of the last table hold the values.
    answer_columns: AnswerColumns,
    /// Softmax temperature.
    temperature: f64,
    /// Longest text of one call, in tokens.
    max_tokens: u32,
    /// Texts that end the model's text.
    stop: Vec<String>,
    /// Longest table in a prompt, in estimated tokens; statements always run on the whole table.
    table_tokens: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            planner: Planner::OneTime,
            max_steps: 10,
            repairs: 1,
            fallback: true,
            answer_columns: AnswerColumns::First,
            temperature: 0.0,
            max_tokens: 1_024,
            stop: Vec::new(),
            table_tokens: 6_000,
        }
    }
}

struct PlanOfSqls {
    settings: Settings,
}

/// Builds the method.
pub(super) fn build(given: &Value) -> Result<Box<dyn Method>, SettingsError> {
    let settings = settings::read(NAME, given, |settings: &Settings| {
        if settings.max_steps == 0 {
            return Err("max_steps is 0, but a chain needs at least 1".to_owned());
        }
        settings::check_call(settings.temperature, settings.max_tokens, settings.table_tokens)
    })?;
    Ok(Box::new(PlanOfSqls { settings }))
}

/// Fewest and most calls of one question.
pub(super) fn call_bounds(method: &dyn Method) -> (u64, u64) {
    let settings: Settings = settings::of(method);
    let steps = u64::try_from(settings.max_steps).unwrap_or(u64::MAX);
    let statement = 1 + u64::from(settings.repairs);
    // A question for a sentence ends with the call that writes it; the fallback may still follow.
    let ending = 1 + u64::from(settings.fallback);
    let most = match settings.planner {
        Planner::OneTime => 1_u64.saturating_add(steps.saturating_mul(statement)),
        Planner::OneStep => steps.saturating_mul(1 + statement),
    };
    // The fewest: planning fails at once.
    (1 + u64::from(settings.fallback), most.saturating_add(ending))
}

impl Method for PlanOfSqls {
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
                ..
            } = &self.settings;
            let sampling = settings::sampling(*temperature, *max_tokens, stop);
            let mut session = Session::open(question, NAME, self.settings(), sampling);

            let chain = match self.settings.planner {
                Planner::OneTime => self.one_time(&mut session).await,
                Planner::OneStep => self.one_step(&mut session).await,
            };
            session.abandon_step();

            let outcome = match chain {
                Err(reason) if self.settings.fallback && !ends_the_method(&reason) => {
                    session.set_fallback_reason(reason);
                    let answer = answer_directly(&mut session, "pos.fallback", *table_tokens).await;
                    answer.map(|answer| (answer, AnswerSource::Fallback))
                }
                chain => chain,
            };
            session.finish(outcome)
        })
    }
}

impl PlanOfSqls {
    /// One-time planning: the whole plan, then one statement a step.
    async fn one_time(&self, session: &mut Session<'_>) -> Result<(Answer, AnswerSource), AnswerFailure> {
        let plan = self.plan(session).await?;
        if plan.len() > self.settings.max_steps {
            return Err(self.too_many_steps());
        }
        for step in plan {
            session.open_step(Some(step.description.clone()));
            self.run_step(session, &step).await?;
            if let Some(verdict) = self.early_verdict(session) {
                return Ok((Answer::Verdict(verdict), AnswerSource::Program));
            }
        }
        self.conclude(session).await
    }

    /// One-step planning: one step, its statement, its result, and so on until a step says that it is the last.
    async fn one_step(&self, session: &mut Session<'_>) -> Result<(Answer, AnswerSource), AnswerFailure> {
        for number in 1..=self.settings.max_steps {
            let step = self.next_step(session, number).await?;
            session.open_planned_step(step.description.clone());
            self.run_step(session, &step).await?;
            if let Some(verdict) = self.early_verdict(session) {
                return Ok((Answer::Verdict(verdict), AnswerSource::Program));
            }
            if step.is_final {
                return self.conclude(session).await;
            }
        }
        Err(self.too_many_steps())
    }

    async fn plan(&self, session: &mut Session<'_>) -> Result<Vec<PlannedStep>, AnswerFailure> {
        let sample = session.sample();
        let values = context! {
            shots => prompt::shots(sample.kind, usize::MAX),
            max_steps => self.settings.max_steps,
            ..prompt::question(sample, &sample.table, self.settings.table_tokens)
        };
        let reply = session.ask("pos.plan", "pos/plan.txt", values).await?;
        read_plan(&reply.text, reply.truncated)
    }

    async fn next_step(&self, session: &mut Session<'_>, number: usize) -> Result<PlannedStep, AnswerFailure> {
        let sample = session.sample();
        let values = context! {
            shots => prompt::shots(sample.kind, usize::MAX),
            done => descriptions(session),
            first_row_count => sample.table.rows.len(),
            number,
            max_steps => self.settings.max_steps,
            ..prompt::question(sample, session.table(), self.settings.table_tokens)
        };
        let reply = session.ask("pos.next_step", "pos/next_step.txt", values).await?;
        read_next_step(&reply.text, reply.truncated, number)
    }

    /// Turns the open step into a statement and runs it.
    async fn run_step(&self, session: &mut Session<'_>, step: &PlannedStep) -> Result<(), AnswerFailure> {
        let caption = session.sample().caption.as_deref();
        let values = context! {
            shots => prompt::step_shots(),
            task => prompt::one_line(&step.description),
            ..prompt::sql_table(session.table(), caption, self.settings.table_tokens)
        };
        let reply = session.ask("pos.sql", "pos/sql.txt", values).await?;
        let repair = RepairPlan {
            purpose: "pos.repair",
            task: &step.description,
            repairs: self.settings.repairs,
            table_tokens: self.settings.table_tokens,
        };
        run_with_repairs(session, reply, &repair).await
    }

    /// The answer that the finished chain leaves.
    async fn conclude(&self, session: &mut Session<'_>) -> Result<(Answer, AnswerSource), AnswerFailure> {
        let sample = session.sample();
        let answer = read_result(session.table(), sample.kind, self.settings.answer_columns)?;
        if sample.kind != QuestionKind::FreeForm {
            return Ok((answer, AnswerSource::Program));
        }
        // A sentence is written by the model, from the last table alone.
        let values = context! {
            done => descriptions(session),
            ..prompt::question(sample, session.table(), self.settings.table_tokens)
        };
        let reply = session.ask("pos.sentence", "pos/sentence.txt", values).await?;
        let written = read_answer::read_answer(&reply, sample.kind)?;
        Ok((written.answer, AnswerSource::Model))
    }

    fn early_verdict(&self, session: &Session<'_>) -> Option<bool> {
        match session.sample().kind {
            QuestionKind::FactVerification => early_verdict(session.table()),
            QuestionKind::ShortAnswer | QuestionKind::FreeForm => None,
        }
    }

    fn too_many_steps(&self) -> AnswerFailure {
        AnswerFailure::TooManySteps {
            limit: self.settings.max_steps,
        }
    }
}

fn descriptions(session: &Session<'_>) -> Vec<String> {
    let steps = session.steps().iter();
    steps
        .filter_map(|step| step.description.as_deref().map(prompt::one_line))
        .collect()
}
