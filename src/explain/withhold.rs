//! What a page leaves out so that its judge stays blind: the answer, where it is withheld, and on every page the names
//! of the method and the model that the model's own text gives away.
//!
//! A pass over the finished view, so that it holds for every format alike: a table that states the answer is not
//! shown, and in text the place is taken by [`WITHHELD`]. What counts as stating it is [`super::answer_forms`]'s
//! to say.

use std::ops::Range;

use super::answer_forms::{AnswerForms, contains, is_small_number, runs, tokens, words as words_of};
use super::leak::names_answer;
use super::marked_table::TableView;
use super::sql_pieces::{PieceKind, pieces};
use super::view::{PageView, Rationale, ResultView, StepView};
use super::{AnswerVisibility, words};
use crate::dataset::Sample;
use crate::trace::Trace;

/// Stands where text was left out.
pub(super) const WITHHELD: &str = "[withheld]";

/// Takes out of a view what it may not tell; gives the number of places.
pub(super) fn conceal(view: &mut PageView, sample: &Sample, trace: &Trace, visibility: AnswerVisibility) -> usize {
    let mut places = conceal_names(view, sample, trace);
    let forms = trace.answer.as_ref().and_then(AnswerForms::of);
    if let (AnswerVisibility::Withheld, Some(forms)) = (visibility, forms) {
        places += Concealer { forms, sample, trace }.conceal(view);
        view.renew_legend();
    }
    places
}

struct Concealer<'a> {
    forms: AnswerForms,
    sample: &'a Sample,
    trace: &'a Trace,
}

impl Concealer<'_> {
    fn conceal(&self, view: &mut PageView) -> usize {
        let mut places = 0;
        for step in &mut view.steps {
            places += self.conceal_tables(step);
            let question = &self.sample.question;
            places += replace(&mut step.words, |text| self.forms.said_in_step(text, question));
            for text in step.program.iter_mut() {
                places += replace(text, |text| self.said_in_program(text));
            }
            for failed in &mut step.failed_tries {
                for text in failed.program.iter_mut() {
                    places += replace(text, |text| self.said_in_program(text));
                }
                places += replace(&mut failed.error, |text| self.forms.said_in_step(text, question));
            }
            if let Some(text) = &mut step.error {
                places += replace(text, |text| self.forms.said_in_step(text, question));
            }
        }
        if let Some(Rationale::Words(text)) = &mut view.rationale {
            places += replace(text, |text| self.forms.said_in(text));
        }
        if let Some(imported) = &mut view.imported {
            places += imported.conceal(&self.forms, self.sample);
        }
        if let Some(text) = &mut view.closing.notice_reason {
            places += replace(text, |text| self.forms.said_in(text));
        }
        places
    }

    /// Leaves out the tables of a step that state the answer.
    fn conceal_tables(&self, step: &mut StepView) -> usize {
        let mut places = 0;
        if step.input.as_ref().is_some_and(|table| self.states_answer(table)) {
            step.input = None;
            step.marked = false;
            step.notes.insert(0, words::INPUT_WITHHELD.to_owned());
            places += 1;
        }
        if let Some(ResultView::Table(table)) = &step.result
            && self.states_answer(table)
        {
            step.result = Some(ResultView::Withheld);
            places += 1;
        }
        places
    }

    /// Whether a column of a step's result holds the answer and nothing else, or a computed one is named by it.
    fn states_answer(&self, shown: &TableView) -> bool {
        let Some(table) = self.trace.tables.get(shown.index).filter(|_| shown.index > 0) else {
            return false;
        };
        let lineage = self
            .trace
            .steps
            .iter()
            .find(|step| step.output == Some(shown.index))
            .and_then(|step| step.lineage.as_ref());
        let first_table_states_it = fills_first_table(&self.forms, self.sample);
        table.columns.iter().enumerate().any(|(column, named)| {
            // Not known how it came about: it may be computed.
            let is_computed = lineage.is_none_or(|lineage| lineage.produced_columns.contains(&column));
            let cells = table
                .rows
                .iter()
                .map(|row| row.get(column).and_then(|cell| cell.as_deref()));
            self.forms.fill(cells, is_computed) && !first_table_states_it
                || (is_computed && names_answer(&self.forms, &words_of(&named.display)))
        })
    }

    fn said_in_program(&self, text: &str) -> Vec<Range<usize>> {
        said_in_program(&self.forms, text, &self.sample.question)
    }
}

/// Whether the first table alone has a column that holds the answer and nothing else.
pub(super) fn fills_first_table(forms: &AnswerForms, sample: &Sample) -> bool {
    let table = &sample.table;
    (0..table.columns.len()).any(|column| {
        let cells = table
            .rows
            .iter()
            .map(|row| row.get(column).and_then(|cell| cell.as_deref()));
        forms.fill(cells, false)
    })
}

/// Where a program says the answer: values as the words of its step, of a verdict the constants of a program that
/// knows only one.
pub(super) fn said_in_program(forms: &AnswerForms, text: &str, question: &str) -> Vec<Range<usize>> {
    match forms {
        AnswerForms::Values(_) => forms.said_in_step(text, question),
        AnswerForms::Verdict => match verdict_constants(text) {
            (constants, false) => constants,
            (_, true) => Vec::new(),
        },
    }
}

fn verdict_of(text: &str) -> Option<bool> {
    match words_of(text).as_slice() {
        [word] if word == "true" => Some(true),
        [word] if word == "false" => Some(false),
        _ => None,
    }
}

/// The constants of a program that are verdicts, and whether both are among them.
fn verdict_constants(program: &str) -> (Vec<Range<usize>>, bool) {
    let mut at = 0;
    let mut found = Vec::new();
    let mut verdicts = Vec::new();
    for piece in pieces(program) {
        let place = at..at + piece.text.len();
        at = place.end;
        if let (PieceKind::Text, Some(verdict)) = (piece.kind, verdict_of(&piece.text)) {
            verdicts.push(verdict);
            found.push(place);
        }
    }
    let both = verdicts.contains(&true) && verdicts.contains(&false);
    (found, both)
}

/// The names by which a judge could tell what made a page, as words: of the method, and of the model where its name is
/// not a word of any text. What was made elsewhere may also give away its file, the sample's id and its table's.
fn names(sample: &Sample, trace: &Trace) -> Vec<Vec<String>> {
    let telling = |name: &str| {
        let words = words_of(name);
        let is_telling = words.len() > 1 || words.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
        is_telling.then_some(words)
    };
    let mut names = vec![telling(&trace.model)];
    match &trace.imported {
        None => names.push(Some(words_of(&trace.method))),
        Some(imported) => {
            names.extend(
                [imported.name.as_str(), imported.method.as_deref().unwrap_or_default()]
                    .map(|name| Some(words_of(name))),
            );
            let stem = imported
                .file
                .rsplit_once('.')
                .map_or(imported.file.as_str(), |(stem, _)| stem);
            let telltales = [
                imported.model.as_deref().unwrap_or_default(),
                imported.file.as_str(),
                stem,
                sample.id.as_str(),
                sample.table_id.as_str(),
            ];
            names.extend(telltales.map(telling));
        }
    }
    names
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty() && !is_small_number(name))
        .collect()
}

/// Where a model's text has such a name that the sample itself has not.
pub(super) fn names_in(text: &str, sample: &Sample, trace: &Trace) -> Vec<Range<usize>> {
    let names: Vec<Vec<String>> = names(sample, trace);
    let tokens = tokens(text);
    let mut found: Vec<Range<usize>> = names.iter().flat_map(|name| runs(&tokens, name)).collect();
    if found.is_empty() {
        return found;
    }
    let own = words_of_sample(sample);
    found = names
        .iter()
        .filter(|name| !contains(&own, name))
        .flat_map(|name| runs(&tokens, name))
        .collect();
    found.sort_by_key(|place| (place.start, place.end));
    found.dedup_by(|next, before| next.start < before.end);
    found
}

pub(super) fn words_of_sample(sample: &Sample) -> Vec<String> {
    let table = &sample.table;
    let texts = [Some(sample.question.as_str()), sample.caption.as_deref()];
    let headers = table.columns.iter().map(|column| column.display.as_str());
    let cells = table.rows.iter().flatten().filter_map(|cell| cell.as_deref());
    texts
        .into_iter()
        .flatten()
        .chain(headers)
        .chain(cells)
        .flat_map(words_of)
        .collect()
}

fn conceal_names(view: &mut PageView, sample: &Sample, trace: &Trace) -> usize {
    let mut places = 0;
    let mut texts: Vec<&mut String> = Vec::new();
    for step in &mut view.steps {
        texts.push(&mut step.words);
        texts.extend(step.error.iter_mut());
        texts.extend(step.failed_tries.iter_mut().map(|failed| &mut failed.error));
    }
    if let Some(Rationale::Words(text)) = &mut view.rationale {
        texts.push(text);
    }
    for text in texts {
        places += replace(text, |text| names_in(text, sample, trace));
    }
    if let Some(imported) = &mut view.imported {
        places += imported.replace(|text| names_in(text, sample, trace));
    }
    places
}

/// Puts [`WITHHELD`] in the place of each range; gives how many there were.
pub(super) fn replace(text: &mut String, find: impl Fn(&str) -> Vec<Range<usize>>) -> usize {
    let places = find(text);
    if places.is_empty() {
        return 0;
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for place in &places {
        kept.push_str(text.get(from..place.start).unwrap_or_default());
        kept.push_str(WITHHELD);
        from = place.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    *text = kept;
    places.len()
}
