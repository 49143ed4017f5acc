//! Traces that another run or tool wrote, one a line. What they claim and cannot be seen in them is dropped: lineage, calls
//! and counters.

use std::collections::BTreeMap;
use std::path::Path;

use super::{ImportError, ImportResult, ImportSummary, Maker, check, known_sample, note_new, read_text};
use crate::dataset::Sample;
use crate::trace::imported::{IMPORTED, Imported};
use crate::trace::{AnswerFailure, AnswerSource, Counters, Trace};

pub(super) fn import(
    known: &BTreeMap<&str, &Sample>,
    maker: &Maker,
    file: &Path,
    answerer: Option<&str>,
) -> Result<ImportResult, ImportError> {
    let mut read = read(file)?;
    let mut answerers: Vec<String> = Vec::new();
    for (_, trace) in &read {
        if !answerers.contains(&trace.answerer) {
            answerers.push(trace.answerer.clone());
        }
    }
    match answerer {
        Some(wanted) => read.retain(|(_, trace)| trace.answerer == wanted),
        None if answerers.len() > 1 => {
            let problem = format!("it has the traces of several answerers: {}", answerers.join(", "));
            return Err(ImportError::file(file, problem, "name one with --answerer"));
        }
        None => {}
    }
    if read.is_empty() {
        let problem = match answerer {
            Some(wanted) => format!("it has no trace of `{wanted}`, only of: {}", answerers.join(", ")),
            None => "it has no traces".to_owned(),
        };
        return Err(ImportError::file(file, problem, "name a file with one trace a line"));
    }
    let mut seen = BTreeMap::new();
    let mut summary = ImportSummary::default();
    let mut traces = Vec::new();
    for (line, trace) in read {
        let sample = known_sample(known, file, line, &trace.sample)?;
        note_new(&mut seen, file, line, &trace.sample)?;
        check::of_sample(sample, &trace).map_err(|problem| {
            let problem = format!("the trace of `{}`: {problem}", trace.sample);
            ImportError::line(
                file,
                line,
                problem,
                "import traces of this data set, whole and unchanged",
            )
        })?;
        summary.lineages_dropped += trace.steps.iter().filter(|step| step.lineage.is_some()).count();
        summary.calls_dropped += trace.calls.len();
        traces.push(unclaimed(trace, maker, file));
    }
    Ok(ImportResult { traces, summary })
}

/// Every trace of a file with its line.
pub(super) fn read(file: &Path) -> Result<Vec<(usize, Trace)>, ImportError> {
    read_text(file)?
        .split('\n')
        .enumerate()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(index, text)| {
            let trace = serde_json::from_str(text).map_err(|error| {
                ImportError::line(
                    file,
                    index + 1,
                    format!("it is no trace: {error}"),
                    "write one trace a line; `tabjury schema trace` says its form",
                )
            })?;
            Ok((index + 1, trace))
        })
        .collect()
}

/// A trace without what it only claims.
fn unclaimed(mut trace: Trace, maker: &Maker, file: &Path) -> Trace {
    let said = |name: String| (!name.is_empty()).then_some(name);
    let before = trace.imported.take();
    let (method, page) = match before {
        Some(before) => (before.method, before.page),
        None => (said(std::mem::take(&mut trace.method)), None),
    };
    trace.imported = Some(Imported {
        name: maker.name.clone(),
        model: maker.model.clone().or_else(|| said(std::mem::take(&mut trace.model))),
        method,
        file: file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        page,
    });
    trace.answerer.clone_from(&maker.name);
    IMPORTED.clone_into(&mut trace.method);
    trace.model = String::new();
    trace.settings = serde_json::Value::Null;
    for step in &mut trace.steps {
        step.lineage = None;
        if let Some(program) = &mut step.program {
            program.ran = None;
        }
        step.calls.clear();
    }
    trace.calls.clear();
    trace.counters = Counters::default();
    trace.answer_source = match (&trace.answer, trace.answer_source) {
        (None, _) => None,
        // Nobody claims this without need.
        (Some(_), Some(AnswerSource::Fallback)) => Some(AnswerSource::Fallback),
        (Some(_), _) => Some(AnswerSource::Imported),
    };
    if trace.answer.is_none() && trace.failure.is_none() {
        trace.failure = Some(AnswerFailure::NotGiven);
    }
    trace
}
