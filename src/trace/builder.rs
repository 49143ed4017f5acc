//! Writing a trace down while a method works: calls, counters, steps and tables, so that methods stay short.
//!
//! The builder only records. It asks no model and runs no program, and it never decides what a failure means.

use serde_json::Value;

use super::{
    AnswerFailure, AnswerSource, CallMark, Counters, FailedAttempt, Lineage, Program, RowSources, Step, Trace,
};
use crate::dataset::{Answer, Sample};
use crate::model::{CallError, Reply};
use crate::table::Table;

/// What makes a trace, from the first call to the answer.
#[derive(Clone, Debug)]
pub struct TraceBuilder {
    trace: Trace,
    /// For each of the trace's tables, the rows of the first table that each of its rows comes from.
    origins: Vec<RowSources>,
    open_step: Option<Step>,
}

impl TraceBuilder {
    /// A trace that holds the sample's table and nothing else yet.
    pub fn new(sample: &Sample, answerer: &str, method: &str, model: &str, settings: Value) -> Self {
        Self {
            origins: vec![RowSources::each_from_itself(sample.table.rows.len())],
            open_step: None,
            trace: Trace {
                sample: sample.id.clone(),
                answerer: answerer.to_owned(),
                method: method.to_owned(),
                model: model.to_owned(),
                settings,
                tables: vec![sample.table.clone()],
                steps: Vec::new(),
                rationale: None,
                answer: None,
                answer_source: None,
                failure: None,
                fallback_reason: None,
                calls: Vec::new(),
                counters: Counters::default(),
                imported: None,
            },
        }
    }

    /// How many calls of this purpose were recorded: the turn of the next one.
    pub fn turn(&self, purpose: &str) -> u32 {
        let made = self.trace.calls.iter().filter(|mark| mark.purpose == purpose).count();
        u32::try_from(made).unwrap_or(u32::MAX)
    }

    /// Records a call and counts it; while a step is open, the call belongs to it.
    pub fn record_call(&mut self, purpose: &str, outcome: &Result<Reply, CallError>) {
        let counters = &mut self.trace.counters;
        counters.requests += 1;
        let mark = match outcome {
            Ok(reply) => {
                counters.samples += 1;
                match reply.usage {
                    Some(usage) => {
                        counters.input_tokens += usage.input_tokens;
                        counters.output_tokens += usage.output_tokens;
                    }
                    None => counters.requests_without_usage += 1,
                }
                CallMark {
                    call: reply.call.clone(),
                    purpose: purpose.to_owned(),
                    usage: reply.usage,
                    failed: false,
                }
            }
            Err(error) => {
                counters.requests_failed += 1;
                counters.requests_without_usage += 1;
                let call = match error {
                    CallError::Offline { call, .. } => call.clone(),
                    _ => String::new(),
                };
                CallMark {
                    call,
                    purpose: purpose.to_owned(),
                    usage: None,
                    failed: true,
                }
            }
        };
        if let Some(step) = &mut self.open_step
            && !mark.call.is_empty()
        {
            step.calls.push(mark.call.clone());
        }
        self.trace.calls.push(mark);
    }

    /// Begins a step on the newest table. A step still open is kept as a failed one first.
    pub fn open_step(&mut self, description: Option<String>) {
        self.abandon_step();
        self.open_step = Some(Step {
            description,
            program: None,
            input: self.trace.tables.len() - 1,
            output: None,
            lineage: None,
            failed_attempts: Vec::new(),
            calls: Vec::new(),
        });
    }

    /// Gives the open step the newest call that was recorded before it was opened, such as the one that planned it.
    pub fn claim_last_call(&mut self) {
        if let (Some(step), Some(mark)) = (&mut self.open_step, self.trace.calls.last())
            && !mark.call.is_empty()
        {
            step.calls.push(mark.call.clone());
        }
    }

    /// Records a try at the open step's program that did not run. `executed` tells whether the engine saw it.
    pub fn fail_attempt(&mut self, program: &str, error: &str, executed: bool) {
        if executed {
            self.trace.counters.executions += 1;
            self.trace.counters.executions_failed += 1;
        }
        if let Some(step) = &mut self.open_step {
            step.failed_attempts.push(FailedAttempt {
                program: program.to_owned(),
                error: error.to_owned(),
            });
        }
    }

    /// The failed tries of the open step, oldest first.
    pub fn failed_attempts(&self) -> &[FailedAttempt] {
        self.open_step.as_ref().map_or(&[], |step| &step.failed_attempts)
    }

    /// Counts a repair that is about to be asked for.
    pub fn count_repair(&mut self) {
        self.trace.counters.repairs += 1;
    }

    /// Closes the open step with the program that ran and its result.
    pub fn complete_step(&mut self, program: Program, table: Table, lineage: Lineage) {
        self.trace.counters.executions += 1;
        let Some(mut step) = self.open_step.take() else {
            return;
        };
        step.program = Some(program);
        step.output = Some(self.trace.tables.len());
        self.origins.push(lineage.origins.clone());
        step.lineage = Some(lineage);
        self.trace.tables.push(table);
        self.trace.steps.push(step);
    }

    /// Closes the open step, if there is one, without a result.
    pub fn abandon_step(&mut self) {
        if let Some(step) = self.open_step.take() {
            self.trace.steps.push(step);
        }
    }

    /// The newest table: the sample's own, or the last step's result.
    pub fn table(&self) -> &Table {
        &self.trace.tables[self.trace.tables.len() - 1]
    }

    /// For every row of the newest table, the rows of the first table that it comes from.
    pub fn origins(&self) -> &RowSources {
        &self.origins[self.origins.len() - 1]
    }

    /// The steps closed so far.
    pub fn steps(&self) -> &[Step] {
        &self.trace.steps
    }

    /// Keeps the model's reasoning or explanation, the answer line taken out. Blank text is none.
    pub fn set_rationale(&mut self, rationale: &str) {
        let rationale = rationale.trim();
        self.trace.rationale = (!rationale.is_empty()).then(|| rationale.to_owned());
    }

    /// Keeps why the chain did not answer and a fallback was asked.
    pub fn set_fallback_reason(&mut self, reason: AnswerFailure) {
        self.trace.fallback_reason = Some(reason);
    }

    /// The whole trace.
    pub fn finish(mut self, outcome: Result<(Answer, AnswerSource), AnswerFailure>) -> Trace {
        self.abandon_step();
        match outcome {
            Ok((answer, source)) => {
                self.trace.answer = Some(answer);
                self.trace.answer_source = Some(source);
            }
            Err(failure) => self.trace.failure = Some(failure),
        }
        self.trace
    }
}
