//! What a page leaves out so that its judge stays blind: the answer, where it is withheld, and on every page the names
//! that the model's own text gives away.
//!
//! A pass over the finished view, so that it holds for every format alike: a table that states the answer is not
//! shown, and in text the place is taken by [`WITHHELD`]. What counts as stating it is [`super::answer_forms`]'s
//! to say, what counts as a name [`super::telling_names`]'. Whether it worked is for [`super::leak`] to find out, which
//! reads the written page.

mod choice;
mod marks;
mod own_sentences;
mod programs;

use std::cell::OnceCell;
use std::rc::Rc;

use super::answer_forms::{self, AnswerForms, names_a_verdict};
use super::marked_table::TableView;
use super::own_texts::OwnTexts;
use super::sql_constants::{comes_from_first_table, is_quantity};
use super::telling_names::TellingNames;
use super::text_words::words as words_of;
use super::view::{PageView, Rationale, ResultView, StepView};
use super::{AnswerVisibility, words};
use crate::dataset::Sample;
use crate::table::Table;
use crate::trace::Trace;
pub(super) use choice::Choice;
pub(super) use marks::{WITHHELD, in_rounds, marks, reaching_into, replace, unmarked};
pub(super) use own_sentences::{told_by_note, without_places};
pub(super) use programs::said_in_program;

/// What a page must not tell, by the true sample and trace.
pub(super) struct Blind<'a> {
    /// The sample.
    pub(super) sample: &'a Sample,
    /// What was done on it.
    pub(super) trace: &'a Trace,
    /// What every page of the sample has.
    pub(super) own: Rc<OwnTexts<'a>>,
    /// The names.
    pub(super) names: TellingNames<'a>,
    /// The answer, where the page withholds it.
    pub(super) forms: Option<AnswerForms>,
    /// What the question offers to choose from, once it was looked for.
    choice: OnceCell<Option<Choice>>,
    /// Whether the first table states the answer, once it was looked at.
    first_table_states_it: OnceCell<bool>,
}

impl<'a> Blind<'a> {
    /// With the names that a study knows.
    pub(super) fn new(
        own: &Rc<OwnTexts<'a>>,
        sample: &'a Sample,
        trace: &'a Trace,
        names: &[String],
        visibility: AnswerVisibility,
    ) -> Self {
        Self {
            sample,
            trace,
            own: Rc::clone(own),
            names: TellingNames::new(Rc::clone(own), sample, trace, names),
            forms: trace
                .answer
                .as_ref()
                .filter(|_| visibility == AnswerVisibility::Withheld)
                .and_then(|answer| AnswerForms::of(answer, &sample.question, |words| own.has_cell_of(words)))
                .map(|forms| if rounds(trace) { forms.rounded() } else { forms }),
            choice: OnceCell::new(),
            first_table_states_it: OnceCell::new(),
        }
    }

    /// What the question offers to choose from, of which the answer is one.
    pub(super) fn choice(&self, forms: &AnswerForms) -> Option<&Choice> {
        self.choice.get_or_init(|| Choice::of(forms, self.sample)).as_ref()
    }

    /// Whether the first table, which is on every page, states the answer.
    pub(super) fn first_table_states_it(&self, forms: &AnswerForms) -> bool {
        *self
            .first_table_states_it
            .get_or_init(|| fills_first_table(forms, &self.sample.table))
    }

    /// Takes out of a view what it may not tell; gives the number of places.
    pub(super) fn conceal(&self, view: &mut PageView) -> usize {
        let mut places = self.conceal_names(view);
        if let Some(forms) = &self.forms {
            let concealer = Concealer { forms, blind: self };
            places += concealer.conceal(view);
            view.renew_legend();
        }
        places
    }

    fn conceal_names(&self, view: &mut PageView) -> usize {
        let mut texts: Vec<&mut String> = Vec::new();
        for step in &mut view.steps {
            texts.push(&mut step.words);
            texts.extend(step.program.iter_mut());
            texts.extend(step.error.iter_mut());
            texts.extend(step.notes.iter_mut());
            for failed in &mut step.failed_tries {
                texts.push(&mut failed.error);
                texts.extend(failed.program.iter_mut());
            }
            let result = match &mut step.result {
                Some(ResultView::Table(table)) => Some(table.as_mut()),
                _ => None,
            };
            for table in step.input.iter_mut().chain(result).filter(|table| table.index > 0) {
                texts.extend(table.texts().filter(|text| !self.own.is_cell(text)));
            }
        }
        if let Some(Rationale::Words(text)) = &mut view.rationale {
            texts.push(text);
        }
        texts.extend(view.closing.notice_reason.iter_mut());
        let mut places = texts
            .into_iter()
            .map(|text| replace(text, |text| self.names.found_in(text)))
            .sum();
        if let Some(imported) = &mut view.imported {
            places += imported.replace(|text| self.names.found_in(text));
        }
        places
    }
}

/// Whether a program of the trace rounds to whole numbers, as far as its words tell.
fn rounds(trace: &Trace) -> bool {
    let programs = trace.steps.iter().filter_map(|step| step.program.as_ref());
    programs
        .map(|program| program.text.to_ascii_lowercase())
        .any(|text| text.contains("round") || text.contains(" as int"))
}

struct Concealer<'b, 'a> {
    forms: &'b AnswerForms,
    blind: &'b Blind<'a>,
}

impl Concealer<'_, '_> {
    fn conceal(&self, view: &mut PageView) -> usize {
        let own_words = |text: &str| self.forms.said_in_step(text);
        let program = |text: &str| said_in_program(self.forms, text);
        let mut places = 0;
        for step in &mut view.steps {
            places += self.conceal_tables(step);
            places += if step.is_made {
                replace(&mut step.words, |text| {
                    told_by_note(self.forms, text, self.blind.sample)
                })
            } else {
                replace(&mut step.words, own_words)
            };
            for text in step.program.iter_mut() {
                places += replace(text, program);
            }
            for failed in &mut step.failed_tries {
                for text in failed.program.iter_mut() {
                    places += replace(text, program);
                }
                places += replace(&mut failed.error, own_words);
            }
            for text in step.error.iter_mut().filter(|text| *text != words::NO_REASON) {
                places += replace(text, own_words);
            }
            for text in step.notes.iter_mut().chain(step.change.iter_mut()) {
                places += replace(text, |text| told_by_note(self.forms, text, self.blind.sample));
            }
        }
        if let Some(step) = view.steps.last_mut() {
            places += self.conceal_choice(step);
        }
        if let Some(Rationale::Words(text)) = &mut view.rationale {
            places += replace(text, |text| self.forms.said_in(text));
        }
        if let Some(imported) = &mut view.imported {
            places += imported.conceal(self.forms, self.blind.sample, &self.blind.own);
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

    /// Whether a step's result states the answer: a column holds it and nothing else, or is named by it, or what was
    /// computed says it in words or in pieces.
    fn states_answer(&self, shown: &TableView) -> bool {
        let trace = self.blind.trace;
        let Some(table) = trace.tables.get(shown.index).filter(|_| shown.index > 0) else {
            return false;
        };
        // By this step or by one before it, or not known how.
        let is_computed = |column: usize| !comes_from_first_table(trace, shown.index, column);
        let computed = || (0..table.columns.len()).filter(|column| is_computed(*column));
        is_told_in_pieces(self.forms, &table.rows, computed)
            || (0..table.columns.len()).any(|column| {
                let name = table.columns.get(column).map_or("", |column| &column.display);
                let is_own_name = self.blind.sample.table.columns.iter().any(|own| own.display == name);
                self.forms.fill(cells(table, column), is_computed(column))
                    && !self.blind.first_table_states_it(self.forms)
                    || !is_own_name && is_told_by_name(self.forms, name)
                    || (is_computed(column) && self.is_put_in_words(table, column))
                    || (*self.forms == AnswerForms::Verdict && gives_verdict(trace, table, shown.index, column))
            })
    }

    fn is_put_in_words(&self, table: &Table, column: usize) -> bool {
        cells(table, column)
            .flatten()
            .any(|cell| puts_in_words(self.forms, cell))
    }

    /// The last step of a chain that compares what the question offers must not pick out the answer alone.
    fn conceal_choice(&self, step: &mut StepView) -> usize {
        let Some(choice) = self.blind.choice(self.forms) else {
            return 0;
        };
        let texts = [Some(step.words.as_str()), step.program.as_deref()];
        if !choice.is_made_by(texts.into_iter().flatten()) {
            return 0;
        }
        let mut places = replace(&mut step.words, |text| choice.sentences(text));
        for text in step.program.iter_mut() {
            places += replace(text, |text| choice.places(text));
        }
        places
    }
}

/// The cells of a column.
fn cells(table: &Table, column: usize) -> impl Iterator<Item = Option<&str>> + Clone {
    table
        .rows
        .iter()
        .map(move |row| row.get(column).and_then(|cell| cell.as_deref()))
}

/// Whether a text of more than a value states the answer.
fn states(forms: &AnswerForms, text: &str) -> bool {
    match forms {
        AnswerForms::Verdict => !forms.said_in_step(text).is_empty(),
        _ => !forms.stated_in(text).is_empty(),
    }
}

/// Whether a cell is more than a value, by words or by a sign that leads to one, and states the answer.
pub(super) fn puts_in_words(forms: &AnswerForms, cell: &str) -> bool {
    (words_of(cell).len() > 1 || has_leading_sign(cell)) && states(forms, cell)
}

/// Whether a text has a sign that leads to a value as words do: `→ 3`.
pub(super) fn has_leading_sign(text: &str) -> bool {
    text.contains(['=', '→', '⇒', '≈'])
}

/// Whether a result of one row gives a verdict in a column that was computed, in whatever way: 1, yes, T.
fn gives_verdict(trace: &Trace, table: &Table, index: usize, column: usize) -> bool {
    let [row] = table.rows.as_slice() else {
        return false;
    };
    row.get(column)
        .and_then(|cell| cell.as_deref())
        .is_some_and(answer_forms::gives_verdict)
        && !is_quantity(trace, index, column)
}

/// Whether the first table alone has a column that holds the answer and nothing else.
pub(super) fn fills_first_table(forms: &AnswerForms, table: &Table) -> bool {
    (0..table.columns.len()).any(|column| forms.fill(cells(table, column), false))
}

/// Whether the name of a column tells the answer: has it, or states it.
pub(super) fn is_told_by_name(forms: &AnswerForms, name: &str) -> bool {
    forms.is_named_by(name)
        || *forms == AnswerForms::Verdict && names_a_verdict(name)
        || *forms != AnswerForms::Verdict && !forms.said_in_step(&name.replace('_', " ")).is_empty()
}

/// Whether what was computed in a result of one row is the answer in pieces, a cell each.
pub(super) fn is_told_in_pieces<Columns: Iterator<Item = usize>>(
    forms: &AnswerForms,
    rows: &[Vec<Option<String>>],
    computed: impl Fn() -> Columns,
) -> bool {
    let [row] = rows else {
        return false;
    };
    let cells: Vec<&str> = computed().filter_map(|column| row.get(column)?.as_deref()).collect();
    cells.len() > 1 && forms.is_named_by(&cells.join(" "))
}
