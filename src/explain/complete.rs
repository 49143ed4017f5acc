//! What a format makes of the finished steps, after everything was withheld that has to be: a script that runs by
//! itself, chains of operations, facts. Nothing here can tell what the steps do not.

use super::answer_forms::AnswerForms;
use super::view::{PageView, ResultView};
use super::{AnswerVisibility, Format, facts, operations, sql_script, withhold, words};
use crate::dataset::Sample;
use crate::trace::Trace;

/// Completes a view. What must not be told is told by `blind`, the true sample and trace.
pub(super) fn complete(
    view: &mut PageView,
    (sample, trace): (&Sample, &Trace),
    format: Format,
    visibility: AnswerVisibility,
    blind: (&Sample, &Trace),
) {
    let is_withheld = visibility == AnswerVisibility::Withheld;
    let forms = blind
        .1
        .answer
        .as_ref()
        .filter(|_| is_withheld)
        .and_then(AnswerForms::of);
    let conceal = |text: &mut String| {
        if let Some(forms) = &forms {
            withhold::replace(text, |text| forms.said_in_step(text, &blind.0.question));
        }
    };
    match format {
        Format::StepThrough if is_withheld => leave_no_trace_of_withheld_results(view),
        Format::ProgramListing => view.script = sql_script::write(&sample.table, trace, &view.steps),
        Format::FunctionChain => {
            for step in &mut view.steps {
                if let Some(program) = step.program.take() {
                    step.operations = operations::of(&program);
                    step.operations.iter_mut().for_each(conceal);
                }
            }
        }
        Format::Facts => {
            let (mut made, part) = facts::of(&sample.table, trace, &view.steps, is_withheld);
            made.facts.iter_mut().for_each(conceal);
            let states_answer = forms.as_ref().zip(part.as_ref()).is_some_and(|(forms, part)| {
                !withhold::fills_first_table(forms, blind.0)
                    && (0..part.columns.len()).any(|column| {
                        let cells = part
                            .rows
                            .iter()
                            .map(|row| row.get(column).and_then(|cell| cell.as_deref()));
                        forms.fill(cells, false)
                    })
            });
            if states_answer {
                made.part = None;
                made.note = Some(words::PART_WITHHELD);
            }
            if view.steps.is_empty() {
                made.part = None;
                made.note = None;
            }
            view.facts = Some(made);
            view.steps.clear();
            view.renew_legend();
        }
        _ => {}
    }
}

/// What a step leaves behind tells what it gives.
fn leave_no_trace_of_withheld_results(view: &mut PageView) {
    let shows_result: Vec<bool> = (0..view.steps.len())
        .map(|index| {
            let next_shows_it = view.steps.get(index + 1).is_some_and(|next| next.input.is_some());
            view.steps.get(index).is_some_and(|step| match step.result {
                Some(ResultView::Table(_)) => true,
                Some(ResultView::Withheld) => false,
                None => next_shows_it,
            })
        })
        .collect();
    for (step, shows_result) in view.steps.iter_mut().zip(shows_result) {
        if !shows_result {
            step.change = None;
            if let Some(table) = &mut step.input {
                table.without_dropped();
            }
        }
    }
    view.renew_legend();
}
