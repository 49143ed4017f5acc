//! Running given steps on a sample's table without a model: a plan that a person wrote, or that of a stored trace.
//!
//! It shares with the methods what a chain is (a trace's steps and tables) and how an answer is read out of its last
//! table. There is no repair, no fallback and no early end: the steps are run as they stand.

use serde_json::json;

use super::read_result::{AnswerColumns, read_result};
use super::written_plan::WrittenStep;
use crate::dataset::{QuestionKind, Sample};
use crate::engine::Engine;
use crate::trace::{AnswerFailure, AnswerSource, Program, Trace, TraceBuilder};

/// The name that stands in a trace for the method and the answerer when nobody but a plan answered.
pub const PLAN: &str = "plan";

/// Runs the steps in order, each on the table that the one before left, and reads the answer out of the last table.
///
/// A step that does not run ends the chain: it is in the trace with its error, and no step after it is.
pub fn replay(engine: &Engine, sample: &Sample, steps: &[WrittenStep], columns: AnswerColumns) -> Trace {
    let settings = json!({ "answer_columns": columns });
    let mut trace = TraceBuilder::new(sample, PLAN, PLAN, "", settings);
    for step in steps {
        let words = step.nl.as_deref().map(str::trim).filter(|words| !words.is_empty());
        trace.open_step(words.map(str::to_owned));
        let statement = step.sql.trim();
        match engine.run(trace.table(), trace.origins(), statement) {
            Ok(execution) => {
                let program = Program::sql(statement, execution.ran);
                trace.complete_step(program, execution.table, execution.lineage);
            }
            Err(error) => {
                let message = error.to_string();
                trace.fail_attempt(statement, &message, true);
                return trace.finish(Err(AnswerFailure::Program { message }));
            }
        }
    }
    let outcome = match sample.kind {
        QuestionKind::FreeForm => Err(AnswerFailure::NoResult {
            message: "the question asks for a sentence, which a model writes, and none is asked here".to_owned(),
        }),
        kind => read_result(trace.table(), kind, columns).map(|answer| (answer, AnswerSource::Program)),
    };
    trace.finish(outcome)
}
