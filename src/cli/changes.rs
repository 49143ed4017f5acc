//! What changed between a stored trace and the same sample's chain run again, in words for a terminal.

use std::fmt::Write as _;

use super::chain;
use crate::dataset::{Sample, score};
use crate::explain::visible_text::visible_line;
use crate::table::Table;
use crate::trace::{AnswerSource, Step, Trace};

/// The steps that differ, their results, and the answer and its score before and after.
pub(super) fn render(sample: &Sample, before: &Trace, after: &Trace) -> String {
    let mut text = format!("\nAgainst the stored trace of {}:\n", visible_line(&before.answerer));
    let mut all_alike = true;
    for index in 0..before.steps.len().max(after.steps.len()) {
        let said = match (before.steps.get(index), after.steps.get(index)) {
            (Some(old), Some(new)) => step((before, old), (after, new)),
            (Some(_), None) => Some("not run now".to_owned()),
            (None, Some(new)) => Some(format!("new; {}", result(after, new))),
            (None, None) => None,
        };
        if let Some(said) = said {
            all_alike = false;
            let _ = writeln!(text, "  step {}: {said}", index + 1);
        }
    }
    if all_alike {
        let _ = writeln!(text, "  every step is the same, and so is its result");
    }
    let (old, new) = (answer(before), answer(after));
    let _ = writeln!(text, "  answer: {}", arrow(&old, &new));
    let not_from_steps = match before.answer_source {
        Some(AnswerSource::Fallback) => Some("the stored answer came from a fallback, not from these steps"),
        Some(AnswerSource::Model) => Some("the stored answer was written by the model, not read off these steps"),
        _ => None,
    };
    if let Some(not_from_steps) = not_from_steps {
        let _ = writeln!(text, "  {not_from_steps}");
    }
    let right = |trace: &Trace| match score(sample, trace.answer.as_ref()).correct() {
        Some(true) => "right",
        Some(false) => "wrong",
        None => "not known",
    };
    let _ = writeln!(text, "  by the gold answer: {}", arrow(right(before), right(after)));
    text
}

fn arrow(before: &str, after: &str) -> String {
    if before == after {
        format!("{before} (as before)")
    } else {
        format!("{before} -> {after}")
    }
}

/// What differs between two steps at the same place; none when nothing does.
fn step((before, old): (&Trace, &Step), (after, new): (&Trace, &Step)) -> Option<String> {
    let program = |step: &Step| step.program.as_ref().map(|program| program.text.clone());
    let mut differences = Vec::new();
    if old.description.as_deref().map(str::trim) != new.description.as_deref().map(str::trim) {
        differences.push("other words".to_owned());
    }
    // A failed step has no program, only tries: that it fails again is the same.
    if program(old) != program(new) && (old.output.is_some() || new.output.is_some()) {
        differences.push("another program".to_owned());
    }
    if table(before, old) != table(after, new) {
        differences.push(format!(
            "another result: {} -> {}",
            result(before, old),
            result(after, new)
        ));
    }
    (!differences.is_empty()).then(|| differences.join("; "))
}

fn table<'a>(trace: &'a Trace, step: &Step) -> Option<&'a Table> {
    trace.tables.get(step.output?)
}

fn result(trace: &Trace, step: &Step) -> String {
    table(trace, step).map_or_else(|| "failed".to_owned(), chain::size)
}

fn answer(trace: &Trace) -> String {
    match &trace.answer {
        Some(answer) => visible_line(&answer.display()),
        None => "none".to_owned(),
    }
}
