//! The faithfulness task: a trace's own programs, run again on its first table with the marked cells alone and without
//! them. No model is asked unless the model wrote the answer and a study wants it asked again.
//!
//! Sufficiency and necessity (there: comprehensiveness) of marks are those of ERASER (DeYoung et al. 2020, Section 4),
//! which reads them off a model's probabilities. Programs have none: the answer stays, or it does not.
//! docs/faithfulness.md is the definition; [`Evidence`] is what counts as marked.

use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::BoxFuture;

use super::read_result::{AnswerColumns, columns_read, read_result};
use super::{Method, Question};
use crate::dataset::score::answers_agree;
use crate::dataset::{Answer, Sample};
use crate::engine::{Engine, EngineError};
use crate::model::{CallError, Model, Reply, Request};
use crate::table::value::column_type;
use crate::table::{ColumnType, Table};
use crate::trace::faithfulness::{AnswerNow, FaithfulnessOutcome, MarkCounts, NotApplicable, Rerun};
use crate::trace::{AnswerFailure, AnswerSource, CallMark, Evidence, FaithfulnessRecord, RowSources, Trace};

/// Measures one trace, asking no model.
pub fn measure(engine: &Engine, sample: &Sample, trace: &Trace) -> FaithfulnessRecord {
    let outcome = match by_programs(engine, sample, trace) {
        Ok(outcome) => outcome,
        Err(reason) => FaithfulnessOutcome::NotApplicable { reason },
    };
    FaithfulnessRecord {
        sample: trace.sample.clone(),
        answerer: trace.answerer.clone(),
        answer: trace.answer.clone(),
        outcome,
        calls: Vec::new(),
    }
}

/// The marks that a trace's answer is said to rest on; none when nothing is marked.
pub(super) fn evidence(sample: &Sample, trace: &Trace) -> Option<Evidence> {
    let last = trace.steps.iter().rev().find_map(|step| step.output)?;
    let columns = columns_read(trace.tables.get(last)?, sample.kind, AnswerColumns::of(trace));
    Evidence::of(trace, &columns)
}

/// How much of the sample's table is marked.
pub(super) fn counts(evidence: &Evidence, table: &Table) -> MarkCounts {
    MarkCounts {
        rows: evidence.row_count(),
        of_rows: table.rows.len(),
        cells: evidence.cell_count(),
        of_cells: table.cell_count(),
        at_least: evidence.at_least,
    }
}

fn by_programs(engine: &Engine, sample: &Sample, trace: &Trace) -> Result<FaithfulnessOutcome, NotApplicable> {
    if trace.imported.is_some() {
        return Err(NotApplicable::Imported);
    }
    let answer = trace.answer.as_ref().ok_or(NotApplicable::NoAnswer)?;
    match trace.answer_source {
        Some(AnswerSource::Program) => {}
        Some(AnswerSource::Fallback) => return Err(NotApplicable::Fallback),
        Some(AnswerSource::Imported) => return Err(NotApplicable::Imported),
        Some(AnswerSource::Model) | None => return Err(NotApplicable::ModelAnswer),
    }
    let table = trace.tables.first().ok_or(NotApplicable::NoMarks)?;
    let evidence = evidence(sample, trace).ok_or(NotApplicable::NoMarks)?;
    let again = |table: Table| now(sample, answer, &run_again(engine, sample, trace, table));
    if again(table.clone()).stays() == Some(false) {
        return Err(NotApplicable::NotReproduced);
    }
    Ok(FaithfulnessOutcome::Measured {
        by: Rerun::Programs,
        marks: counts(&evidence, table),
        sufficiency: again(evidence.alone(table)),
        necessity: again(evidence.removed(table)),
    })
}

/// Whether asking again can measure what [`measure`] could not: the model wrote the answer, and steps mark something.
pub fn can_be_asked(sample: &Sample, trace: &Trace, record: &FaithfulnessRecord) -> bool {
    let by_model = FaithfulnessOutcome::NotApplicable {
        reason: NotApplicable::ModelAnswer,
    };
    record.outcome == by_model && evidence(sample, trace).is_some()
}

/// Measures a trace whose answer the model wrote, by asking its method again on both changed tables. The method sees an
/// ordinary question: a table that holds less. Also gives the traces of both attempts, which show how calls failed.
///
/// `question` is the one that the trace answers. Purposes of the calls are `faithfulness.sufficiency` and
/// `faithfulness.necessity`.
pub async fn measure_by_asking(
    question: Question<'_>,
    method: &dyn Method,
    trace: &Trace,
) -> (FaithfulnessRecord, Vec<Trace>) {
    let sample = question.sample;
    let mut record = measure(question.engine, sample, trace);
    let (Some(answer), Some(evidence)) = (&trace.answer, evidence(sample, trace)) else {
        return (record, Vec::new());
    };
    let mut attempts = Vec::new();
    let mut outcomes = Vec::new();
    for (purpose, table) in [
        ("faithfulness.sufficiency", evidence.alone(&sample.table)),
        ("faithfulness.necessity", evidence.removed(&sample.table)),
    ] {
        let changed = Sample {
            table,
            ..sample.clone()
        };
        let model = AskedAgain {
            model: question.model,
            purpose,
            turn: AtomicU32::new(0),
        };
        let attempt = method
            .answer(Question {
                sample: &changed,
                answerer: question.answerer,
                model: &model,
                engine: question.engine,
            })
            .await;
        outcomes.push(now(sample, answer, &answer_of(&attempt)));
        record.calls.extend(attempt.calls.iter().map(|call| CallMark {
            purpose: purpose.to_owned(),
            ..call.clone()
        }));
        attempts.push(attempt);
    }
    if let (Some(necessity), Some(sufficiency)) = (outcomes.pop(), outcomes.pop()) {
        record.outcome = FaithfulnessOutcome::Measured {
            by: Rerun::Model,
            marks: counts(&evidence, &sample.table),
            sufficiency,
            necessity,
        };
    }
    (record, attempts)
}

fn answer_of(trace: &Trace) -> Result<Answer, NoAnswer> {
    match (&trace.answer, &trace.failure) {
        (Some(answer), _) => Ok(answer.clone()),
        (None, Some(AnswerFailure::Call { error })) => Err(NoAnswer::Stopped(error.to_string())),
        (None, Some(AnswerFailure::NoResult { message } | AnswerFailure::Program { message })) => {
            Err(NoAnswer::Vanished(message.clone()))
        }
        (None, _) => Err(NoAnswer::Vanished(
            "the model gave no answer that can be read".to_owned(),
        )),
    }
}

/// A model whose calls carry the purpose of this task, so that a script, a price and a report tell them from answers.
struct AskedAgain<'a> {
    model: &'a dyn Model,
    purpose: &'static str,
    turn: AtomicU32,
}

impl Model for AskedAgain<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask<'a>(&'a self, mut request: Request) -> BoxFuture<'a, Result<Reply, CallError>> {
        self.purpose.clone_into(&mut request.purpose.name);
        request.purpose.turn = self.turn.fetch_add(1, Ordering::SeqCst);
        self.model.ask(request)
    }
}

/// Why there is no answer on a changed table.
enum NoAnswer {
    /// The programs do not run there, or give none.
    Vanished(String),
    /// They were stopped.
    Stopped(String),
}

fn now(sample: &Sample, before: &Answer, after: &Result<Answer, NoAnswer>) -> AnswerNow {
    match after {
        Ok(answer) if answers_agree(sample.kind, before, answer) => AnswerNow::Same,
        Ok(answer) => AnswerNow::Changed { answer: answer.clone() },
        Err(NoAnswer::Vanished(reason)) => AnswerNow::Vanished { reason: reason.clone() },
        Err(NoAnswer::Stopped(reason)) => AnswerNow::Undecided { reason: reason.clone() },
    }
}

/// The answer of the trace's programs on another first table with the same columns.
fn run_again(engine: &Engine, sample: &Sample, trace: &Trace, first: Table) -> Result<Answer, NoAnswer> {
    let vanished = |reason: &str| NoAnswer::Vanished(reason.to_owned());
    let mut tables: Vec<Option<Table>> = trace.tables.iter().map(|_| None).collect();
    let mut last = 0;
    if let Some(place) = tables.first_mut() {
        *place = Some(first);
    }
    for step in &trace.steps {
        let (Some(output), Some(program)) = (step.output, &step.program) else {
            continue;
        };
        let recorded = trace.tables.get(step.input);
        let table = tables.get(step.input).and_then(Option::as_ref);
        let (Some(recorded), Some(table)) = (recorded, table) else {
            return Err(vanished("the trace lacks a table"));
        };
        let types = types_as_recorded(&engine.types_of(recorded), table);
        let made = engine.run_typed(table, &types, &RowSources::default(), &program.text);
        let made = made.map_err(|error| match error {
            EngineError::Limit { .. } => NoAnswer::Stopped(error.to_string()),
            _ => NoAnswer::Vanished(error.to_string()),
        })?;
        if let Some(place) = tables.get_mut(output) {
            *place = Some(made.table);
        }
        last = output;
    }
    let result = tables.get(last).and_then(Option::as_ref);
    let result = result.ok_or_else(|| vanished("the trace lacks a table"))?;
    read_result(result, sample.kind, AnswerColumns::of(trace)).map_err(|failure| match failure {
        AnswerFailure::NoResult { message } => NoAnswer::Vanished(message),
        _ => vanished("the result holds no answer"),
    })
}

/// The types of a changed table: those of the table as it was recorded, so that a blanked cell retypes no column. Only
/// what a program computed anew and does not fit is typed by itself: a fraction in a column of whole numbers, or text in
/// one of numbers.
fn types_as_recorded(recorded: &[ColumnType], table: &Table) -> Vec<ColumnType> {
    let typed = |(column, was): (usize, &ColumnType)| {
        let mut filled = table
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .filter(|cell| cell.is_some())
            .peekable();
        if *was == ColumnType::Text || filled.peek().is_none() {
            return *was;
        }
        match column_type(filled) {
            ColumnType::Integer => *was,
            other => other,
        }
    };
    recorded.iter().enumerate().map(typed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{DatasetKind, QuestionKind};
    use crate::method::replay;
    use crate::method::written_plan::WrittenStep;
    use pretty_assertions::assert_eq;
    use std::collections::BTreeMap;

    fn sample(kind: QuestionKind) -> Sample {
        let rows = [
            ["Heron", "Lake", "120", "1964"],
            ["Osprey", "Sea", "260", ""],
            ["Grebe", "Lake", "310", "2003"],
            ["Teal", "Sea", "90", "1990"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        Sample {
            id: "s".to_owned(),
            dataset: DatasetKind::Custom,
            kind,
            table_id: "t".to_owned(),
            caption: None,
            table: Table::from_text(["Ferry", "Water", "Passengers", "Year"], rows).unwrap(),
            question: "?".to_owned(),
            gold: None,
            groups: BTreeMap::new(),
        }
    }

    fn measured(kind: QuestionKind, steps: &[&str]) -> (MarkCounts, AnswerNow, AnswerNow) {
        let sample = sample(kind);
        let steps: Vec<WrittenStep> = steps
            .iter()
            .map(|sql| WrittenStep {
                nl: None,
                sql: (*sql).to_owned(),
            })
            .collect();
        let engine = Engine::default();
        let trace = replay(&engine, &sample, &steps, AnswerColumns::First);
        assert_eq!(trace.failure, None);
        match measure(&engine, &sample, &trace).outcome {
            FaithfulnessOutcome::Measured {
                marks,
                sufficiency,
                necessity,
                ..
            } => (marks, sufficiency, necessity),
            other @ FaithfulnessOutcome::NotApplicable { .. } => panic!("{other:?}"),
        }
    }

    fn short(steps: &[&str]) -> (MarkCounts, AnswerNow, AnswerNow) {
        measured(QuestionKind::ShortAnswer, steps)
    }

    #[test]
    fn a_chain_is_sufficient_and_necessary() {
        let (marks, sufficiency, necessity) = short(&[
            "SELECT * FROM table_sql WHERE water = 'Lake'",
            "SELECT ferry FROM table_sql WHERE passengers > 200",
        ]);
        // Rows 0 and 2 in the columns Ferry (the answer), Water and Passengers.
        assert_eq!((marks.rows, marks.cells, marks.of_cells), (2, 6, 16));
        assert_eq!(sufficiency, AnswerNow::Same);
        assert!(matches!(necessity, AnswerNow::Vanished { .. }), "{necessity:?}");
    }

    #[test]
    fn blank_cells_do_not_retype_a_column() {
        // As text, `9` sorts after `310`.
        let (_, sufficiency, necessity) = short(&["SELECT ferry FROM table_sql ORDER BY passengers DESC LIMIT 1"]);
        assert_eq!(sufficiency, AnswerNow::Same);
        assert_eq!(
            necessity,
            AnswerNow::Changed {
                answer: Answer::Values(vec!["Osprey".to_owned()])
            }
        );
        let (_, sufficiency, _) = short(&["SELECT SUM(passengers) FROM table_sql WHERE water = 'Sea'"]);
        assert_eq!(sufficiency, AnswerNow::Same);
        let recorded = [
            ColumnType::Integer,
            ColumnType::Real,
            ColumnType::Text,
            ColumnType::Integer,
        ];
        let columns = ["a", "b", "c", "d"].map(str::to_owned);
        let mut table = Table::from_text(columns, [["1", "2", "3", "2.5"].map(str::to_owned).to_vec()]).unwrap();
        table.rows.push(vec![None; 4]);
        let types = types_as_recorded(&recorded, &table);
        assert_eq!(
            types,
            [
                ColumnType::Integer,
                ColumnType::Real,
                ColumnType::Text,
                ColumnType::Real
            ]
        );
        table.rows.clear();
        assert_eq!(types_as_recorded(&recorded, &table), recorded);
    }

    #[test]
    fn counted_rows_are_evidence_without_a_cell() {
        let (marks, sufficiency, necessity) = short(&["SELECT COUNT(*) FROM table_sql"]);
        assert_eq!((marks.rows, marks.cells), (4, 0));
        assert_eq!(sufficiency, AnswerNow::Same);
        assert_eq!(
            necessity,
            AnswerNow::Changed {
                answer: Answer::Values(vec!["0".to_owned()])
            }
        );
        let (_, sufficiency, necessity) = short(&[
            "SELECT *, passengers * 2 AS double FROM table_sql",
            "SELECT COUNT(*) FROM table_sql",
        ]);
        assert_eq!((sufficiency, necessity.stays()), (AnswerNow::Same, Some(false)));
    }

    #[test]
    fn an_answer_that_does_not_depend_on_the_table_needs_none_of_it() {
        let verify = |steps: &[&str]| measured(QuestionKind::FactVerification, steps);
        let (marks, sufficiency, necessity) = verify(&["SELECT 'TRUE' AS verification_result"]);
        assert_eq!((marks.rows, marks.cells), (0, 0));
        assert_eq!((sufficiency, necessity), (AnswerNow::Same, AnswerNow::Same));
        // What is not there proves nothing: FALSE stays FALSE.
        let (_, sufficiency, necessity) = verify(&[
            "SELECT * FROM table_sql WHERE water = 'Lake'",
            "SELECT CASE WHEN COUNT(*) = 3 THEN 'TRUE' ELSE 'FALSE' END AS verification_result FROM table_sql",
        ]);
        assert_eq!((sufficiency, necessity), (AnswerNow::Same, AnswerNow::Same));
    }

    #[test]
    fn a_null_that_was_blanked_does_not_pass_for_one_of_the_table() {
        // Year is blank in the table for Osprey alone; rows that are not evidence must not join it.
        let (_, sufficiency, _) = short(&[
            "SELECT ferry, year FROM table_sql",
            "SELECT ferry FROM table_sql WHERE year IS NULL OR year = ''",
        ]);
        assert_eq!(sufficiency, AnswerNow::Same);
        let (_, sufficiency, _) = short(&[
            "SELECT * FROM table_sql ORDER BY passengers",
            "SELECT ferry FROM table_sql ORDER BY passengers ASC LIMIT 1",
        ]);
        assert_eq!(sufficiency, AnswerNow::Same);
    }

    #[test]
    fn rows_keep_their_numbers() {
        let (marks, sufficiency, _) = short(&["SELECT ferry FROM table_sql WHERE rowid = 3 AND water = 'Lake'"]);
        assert_eq!((marks.rows, sufficiency), (1, AnswerNow::Same));
    }

    #[test]
    fn what_no_program_answered_is_not_measured() {
        let sample = sample(QuestionKind::ShortAnswer);
        let engine = Engine::default();
        let step = WrittenStep {
            nl: None,
            sql: "SELECT ferry FROM table_sql LIMIT 1".to_owned(),
        };
        let trace = replay(&engine, &sample, &[step], AnswerColumns::First);
        let reason = |trace: &Trace| match measure(&engine, &sample, trace).outcome {
            FaithfulnessOutcome::NotApplicable { reason } => Some(reason),
            FaithfulnessOutcome::Measured { .. } => None,
        };
        assert_eq!(reason(&trace), None);
        let mut changed = trace.clone();
        changed.answer_source = Some(AnswerSource::Fallback);
        assert_eq!(reason(&changed), Some(NotApplicable::Fallback));
        changed.answer_source = Some(AnswerSource::Model);
        assert_eq!(reason(&changed), Some(NotApplicable::ModelAnswer));
        changed = trace.clone();
        changed.answer = Some(Answer::Values(vec!["Grebe".to_owned()]));
        assert_eq!(reason(&changed), Some(NotApplicable::NotReproduced));
        changed.answer = None;
        assert_eq!(reason(&changed), Some(NotApplicable::NoAnswer));
    }
}
