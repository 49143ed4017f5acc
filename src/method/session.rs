//! One sample being answered: asks the model and runs the engine for a method, and writes both into its trace.
//!
//! It decides nothing: what to ask, and what a failure leads to, stands in each method's own file.

use minijinja::Value as PromptContext;
use serde_json::Value;

use super::prompt;
use super::{Question, read_sql};
use crate::dataset::{Answer, Sample};
use crate::model::{CallError, FinishReason, Message, Purpose, Reply, Request, Sampling};
use crate::table::Table;
use crate::trace::{AnswerFailure, AnswerSource, FailedAttempt, Program, Step, Trace, TraceBuilder};

/// What a model wrote, and whether the token limit cut it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelText {
    /// The text, as it came.
    pub(super) text: String,
    /// The token limit ended it.
    pub(super) truncated: bool,
}

/// One sample being answered by one method.
pub(super) struct Session<'a> {
    question: Question<'a>,
    trace: TraceBuilder,
    sampling: Sampling,
}

impl<'a> Session<'a> {
    /// Nothing asked yet. `sampling` holds for every call.
    pub(super) fn open(question: Question<'a>, method: &str, settings: Value, sampling: Sampling) -> Self {
        let trace = TraceBuilder::new(
            question.sample,
            question.answerer,
            method,
            question.model.name(),
            settings,
        );
        Self {
            question,
            trace,
            sampling,
        }
    }

    /// The sample.
    pub(super) fn sample(&self) -> &'a Sample {
        self.question.sample
    }

    /// The newest table.
    pub(super) fn table(&self) -> &Table {
        self.trace.table()
    }

    /// The steps closed so far.
    pub(super) fn steps(&self) -> &[Step] {
        self.trace.steps()
    }

    /// The failed tries of the open step.
    pub(super) fn failed_attempts(&self) -> &[FailedAttempt] {
        self.trace.failed_attempts()
    }

    /// Renders the template of this name and asks. A refusal, and a filter's, is a failure; a cut text is not yet one.
    pub(super) async fn ask(
        &mut self,
        purpose: &str,
        template: &str,
        context: PromptContext,
    ) -> Result<ModelText, AnswerFailure> {
        let call_failed = |error| AnswerFailure::Call { error };
        let messages = prompt::render(template, context).map_err(|error| {
            call_failed(CallError::Failed {
                message: format!("the prompt {template} could not be rendered: {error:#}"),
            })
        })?;
        let request = Request {
            purpose: Purpose {
                name: purpose.to_owned(),
                sample: self.question.sample.id.clone(),
                arm: self.question.answerer.to_owned(),
                turn: self.trace.turn(purpose),
            },
            messages: vec![Message::system(messages.system), Message::user(messages.user)],
            sampling: self.sampling.clone(),
            repeat: 0,
        };
        let outcome = self.question.model.ask(request).await;
        self.trace.record_call(purpose, &outcome);
        readable(outcome.map_err(call_failed)?)
    }

    /// Begins a step on the newest table.
    pub(super) fn open_step(&mut self, description: Option<String>) {
        self.trace.open_step(description);
    }

    /// Begins a step whose words are the model's newest answer.
    pub(super) fn open_planned_step(&mut self, description: String) {
        self.trace.open_step(Some(description));
        self.trace.claim_last_call();
    }

    /// Closes the open step without a result.
    pub(super) fn abandon_step(&mut self) {
        self.trace.abandon_step();
    }

    /// Counts a repair that is about to be asked for.
    pub(super) fn count_repair(&mut self) {
        self.trace.count_repair();
    }

    /// Reads the statement out of a model's text and runs it on the newest table. Its result becomes the newest table
    /// and closes the open step; a failure is kept as an attempt of the step, which stays open.
    pub(super) async fn run(&mut self, reply: &ModelText, asked: &str) -> Result<(), AnswerFailure> {
        let statement = match read_sql::read_sql(&reply.text, reply.truncated, asked) {
            Ok(statement) => statement,
            Err(error) => {
                self.trace.fail_attempt(reply.text.trim(), &error.to_string(), false);
                return Err(error.into());
            }
        };
        let outcome = self
            .question
            .engine
            .run_aside(self.trace.table(), self.trace.origins(), &statement)
            .await;
        match outcome {
            Ok(execution) => {
                let program = Program::sql(&statement, execution.ran);
                self.trace.complete_step(program, execution.table, execution.lineage);
                Ok(())
            }
            Err(error) => {
                let message = error.to_string();
                self.trace.fail_attempt(&statement, &message, true);
                Err(AnswerFailure::Program { message })
            }
        }
    }

    /// Keeps the model's reasoning or explanation.
    pub(super) fn set_rationale(&mut self, rationale: &str) {
        self.trace.set_rationale(rationale);
    }

    /// Keeps why a fallback was asked.
    pub(super) fn set_fallback_reason(&mut self, reason: AnswerFailure) {
        self.trace.set_fallback_reason(reason);
    }

    /// The whole trace.
    pub(super) fn finish(self, outcome: Result<(Answer, AnswerSource), AnswerFailure>) -> Trace {
        self.trace.finish(outcome)
    }
}

/// Whether nothing else of this method may be asked: every other call would fail in the same way.
pub(super) fn ends_the_method(failure: &AnswerFailure) -> bool {
    matches!(
        failure,
        AnswerFailure::Call {
            error: CallError::Stopped
                | CallError::Store { .. }
                | CallError::Unauthorized { .. }
                | CallError::Offline { .. }
        }
    )
}

fn readable(reply: Reply) -> Result<ModelText, AnswerFailure> {
    if let Some(message) = reply.refusal {
        return Err(AnswerFailure::Refused { message });
    }
    match reply.finish {
        FinishReason::ContentFilter => Err(AnswerFailure::Refused {
            message: "the provider's content filter held the answer back".to_owned(),
        }),
        finish => Ok(ModelText {
            text: reply.text,
            truncated: finish == FinishReason::Length,
        }),
    }
}
