//! Whether a trace fits its sample and itself, so that whatever reads it later meets no surprise.

use super::prediction::fits;
use crate::dataset::Sample;
use crate::trace::imported::IMPORTED;
use crate::trace::{AnswerSource, Counters, Trace};

/// What is wrong with a trace of this sample, if anything.
pub(super) fn of_sample(sample: &Sample, trace: &Trace) -> Result<(), String> {
    if trace.tables.first() != Some(&sample.table) {
        return Err("its first table is not that of the sample".to_owned());
    }
    for (index, table) in trace.tables.iter().enumerate() {
        let columns = table.columns.len();
        if table.rows.iter().any(|row| row.len() != columns) {
            return Err(format!(
                "table {} has rows that are not as long as its header",
                index + 1
            ));
        }
    }
    for (index, step) in trace.steps.iter().enumerate() {
        let is_there = |table: usize| table < trace.tables.len();
        if !is_there(step.input) || step.output.is_some_and(|output| output == 0 || !is_there(output)) {
            return Err(format!("step {} names a table that it does not hold", index + 1));
        }
    }
    match &trace.answer {
        Some(answer) if !fits(sample.kind, answer) => Err(format!(
            "its answer {:?} is not of the kind that the sample asks for",
            answer.display()
        )),
        _ => Ok(()),
    }
}

/// What about a trace is not as an import leaves it, if anything.
pub(super) fn as_imported(trace: &Trace) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what}, so `tabjury import` did not write it"));
    if trace.imported.is_none() || trace.method != IMPORTED {
        return wrong("it is not marked as imported");
    }
    if trace.steps.iter().any(|step| step.lineage.is_some()) {
        return wrong("it has lineage");
    }
    if !trace.calls.is_empty() || trace.steps.iter().any(|step| !step.calls.is_empty()) {
        return wrong("it has calls");
    }
    if trace.counters != Counters::default() {
        return wrong("it has counters");
    }
    let source_is_told = match trace.answer_source {
        None | Some(AnswerSource::Imported | AnswerSource::Fallback) => true,
        Some(AnswerSource::Program | AnswerSource::Model) => false,
    };
    if !source_is_told || trace.answer.is_some() != trace.answer_source.is_some() {
        return wrong("it claims where its answer comes from");
    }
    Ok(())
}
