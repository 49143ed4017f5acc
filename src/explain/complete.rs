//! What a format makes of the finished steps, after everything was withheld that has to be: a script that runs by
//! itself, chains of operations, facts. Nothing here can tell what the steps do not.

use super::material::Material;
use super::own_texts::OwnTexts;
use super::view::{PageView, ResultView};
use super::withhold::Blind;
use super::{AnswerVisibility, Format, facts, operations, sql_script, withhold, words};

/// Completes a view. What must not be told is told by `blind`.
pub(super) fn complete(
    view: &mut PageView,
    material: &Material<'_>,
    own: &OwnTexts<'_>,
    format: Format,
    visibility: AnswerVisibility,
    blind: Option<&Blind<'_>>,
) {
    let is_withheld = visibility == AnswerVisibility::Withheld;
    let forms = blind.and_then(|blind| blind.forms.as_ref());
    let conceal = |text: &mut String, is_made: bool| {
        if let Some(blind) = blind {
            withhold::replace(text, |text| blind.names.found_in(text));
        }
        if let Some((forms, blind)) = forms.zip(blind) {
            withhold::replace(text, |text| {
                if is_made {
                    withhold::told_by_note(forms, text, blind.sample)
                } else {
                    forms.said_in_step(text)
                }
            });
        }
    };
    match format {
        Format::StepThrough if is_withheld => leave_no_trace_of_withheld_results(view),
        Format::ProgramListing => view.script = sql_script::write(material, own, &view.steps),
        Format::FunctionChain => {
            for step in &mut view.steps {
                if let Some(program) = step.program.take() {
                    step.operations = operations::of(&program);
                    step.operations.iter_mut().for_each(|text| conceal(text, false));
                }
            }
        }
        Format::Facts => {
            let (mut made, part) = facts::of(material, &view.steps, is_withheld, view.counts, conceal);
            for fact in &mut made.facts {
                withhold::replace(fact, |text| {
                    blind.map_or_else(Vec::new, |blind| blind.names.found_in(text))
                });
            }
            let states_answer = forms.zip(part.as_ref()).is_some_and(|(forms, part)| {
                !withhold::fills_first_table(forms, material.table)
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
