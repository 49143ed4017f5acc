//! What a page says, in the order it says it: plain text, the same for HTML and Markdown.

use std::collections::BTreeSet;
use std::ops::Range;

use super::content_policy::PageScript;
use super::facts::FactsView;
use super::imported::view::ImportedView;
use super::marked_table::{Dropped, Marks, Provenance, TableView, column_name};
use super::material::{GivenAnswer, Material};
use super::page_size::{NAME_CHARACTERS, TEXT_CHARACTERS, shortened};
use super::sql_pieces::without_comments;
use super::sql_script::Script;
use super::visible_text::{visible, visible_line};
use super::words::Counts;
use super::{AnswerVisibility, Format, page_size, words};
use crate::dataset::Answer;
use crate::table::Table;
use crate::trace::lineage::Exactness;
use crate::trace::{AnswerSource, Lineage, Step};

/// A page as plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageView {
    /// `Statement` or `Question`.
    pub(super) question_label: &'static str,
    /// Its text.
    pub(super) question: String,
    /// The table's caption.
    pub(super) caption: Option<String>,
    /// The first table without marks, where no step shows it.
    pub(super) table: Option<TableView>,
    /// Names that programs use for columns, where a reader could not guess them: name in programs, name for people.
    pub(super) program_names: Vec<(String, String)>,
    /// The steps shown, in order.
    pub(super) steps: Vec<StepView>,
    /// Whether the page explains by steps, and so says it when there are none.
    pub(super) shows_steps: bool,
    /// Whether the page can show its steps one at a time.
    pub(super) stepper: bool,
    /// What marks stand in the page.
    pub(super) legend: Legend,
    /// The model's own words, in a format that shows them.
    pub(super) rationale: Option<Rationale>,
    /// What was made elsewhere, in the format that shows it.
    pub(super) imported: Option<ImportedView>,
    /// That the explanation was made elsewhere.
    pub(super) imported_note: Option<&'static str>,
    /// The programs as a script, in a format that shows programs.
    pub(super) script: Option<Script>,
    /// The facts, in a format that shows them in place of steps.
    pub(super) facts: Option<FactsView>,
    /// The end of the page.
    pub(super) closing: Closing,
    /// Whether it counts rows and columns.
    pub(super) counts: Counts,
}

impl PageView {
    /// Steps shown, each by itself or as a fact.
    pub(super) fn step_count(&self) -> usize {
        self.steps.len() + self.facts.as_ref().map_or(0, |facts| facts.facts.len())
    }

    /// The script that the page runs to be handier.
    pub(super) fn page_script(&self) -> PageScript {
        match &self.script {
            Some(Script::Runs(_)) => PageScript::Copy,
            _ if self.stepper => PageScript::StepThrough,
            _ => PageScript::None,
        }
    }

    /// Makes the legend anew from the tables that are left.
    pub(super) fn renew_legend(&mut self) {
        self.legend = Legend::default();
        if let Some(table) = &self.table {
            self.legend.add(table);
        }
        if let Some(part) = self.facts.as_ref().and_then(|facts| facts.part.as_ref()) {
            self.legend.add(part);
        }
        for step in &self.steps {
            if let Some(table) = &step.input {
                self.legend.add(table);
            }
            if let Some(ResultView::Table(table)) = &step.result {
                self.legend.add(table);
            }
        }
    }
}

/// The model's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rationale {
    /// As it wrote them.
    Words(String),
    /// There are none.
    Missing,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepView {
    /// 1-based.
    pub(super) number: usize,
    /// The step in words; empty where the program speaks for itself.
    pub(super) words: String,
    /// Whether they are a sentence of ours, since the step has no words of its own.
    pub(super) is_made: bool,
    /// The program, where the format shows it.
    pub(super) program: Option<String>,
    /// The program as a chain of operations, in a format that shows it so.
    pub(super) operations: Vec<String>,
    /// Tries that failed before the one that worked.
    pub(super) failed_tries: Vec<FailedTry>,
    /// The table it ran on, marked.
    pub(super) input: Option<TableView>,
    /// What is to be said about the marks or the input.
    pub(super) notes: Vec<String>,
    /// What becomes of the table, in a format that shows what a step leaves behind.
    pub(super) change: Option<String>,
    /// Why it has no result.
    pub(super) error: Option<String>,
    /// Its result, where the page shows it here.
    pub(super) result: Option<ResultView>,
    /// Whether at least one row, column or cell is marked.
    pub(super) marked: bool,
    /// Whether the marks are at least, not exactly, what was used.
    pub(super) inexact: bool,
}

/// A try at a step that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FailedTry {
    /// What was tried, where the format shows programs.
    pub(super) program: Option<String>,
    /// Why it did not run.
    pub(super) error: String,
}

/// A step's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ResultView {
    /// Its table.
    Table(Box<TableView>),
    /// It holds the answer, and the answer is withheld.
    Withheld,
}

/// Which marks stand in the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Legend {
    /// Rows used.
    pub(super) rows: bool,
    /// Among them, rows with the smallest or largest value.
    pub(super) witnesses: bool,
    /// Rows compared with.
    pub(super) deciding: bool,
    /// Rows examined in vain.
    pub(super) examined: bool,
    /// Columns used.
    pub(super) columns: bool,
    /// Columns ordered by.
    pub(super) order: bool,
    /// Cells that meet a condition.
    pub(super) conditions: bool,
    /// Columns computed by the step before.
    pub(super) new: bool,
    /// Rows with their number in the first table.
    pub(super) origins: bool,
    /// Rows and columns that a step leaves behind.
    pub(super) dropped: bool,
}

impl Legend {
    /// Every mark there is.
    pub(super) const EVERYTHING: Self = Self {
        rows: true,
        witnesses: true,
        deciding: true,
        examined: true,
        columns: true,
        order: true,
        conditions: true,
        new: true,
        origins: true,
        dropped: true,
    };

    /// Whether there is anything to explain.
    pub(super) fn is_needed(&self) -> bool {
        *self != Self::default()
    }

    fn add(&mut self, table: &TableView) {
        use super::marked_table::{Line, RowRole};
        let marks = &table.marks;
        self.rows |= !marks.rows.is_empty();
        self.deciding |= !marks.deciding_rows.is_empty();
        self.columns |= !marks.columns.is_empty();
        self.order |= !marks.order_columns.is_empty();
        self.conditions |= !marks.condition_cells.is_empty();
        self.new |= table.headers.iter().any(|header| header.new);
        self.dropped |= table.headers.iter().any(|header| header.dropped);
        for line in &table.fullest().lines {
            if let Line::Row(row) = line {
                self.dropped |= row.dropped;
                self.witnesses |= row.role == RowRole::Witness;
                self.examined |= row.role == RowRole::Examined;
                self.origins |= row.origin.is_some();
            }
        }
    }
}

/// The end of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Closing {
    /// That the steps did not produce the answer.
    pub(super) notice: Option<&'static str>,
    /// Why they did not.
    pub(super) notice_reason: Option<String>,
    /// The answer.
    pub(super) answer: AnswerView,
    /// Where it came from.
    pub(super) source: Option<&'static str>,
}

/// The answer as the page has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerView {
    /// Its values in order, one for a verdict or a sentence; and behind them how many more are not shown, if any.
    Values(Vec<String>, String),
    /// Not shown.
    Withheld,
    /// There is none, and why, without a full stop.
    Missing(String),
}

/// Builds what a page says.
pub(super) fn build(material: Material<'_>, format: Format, answer: AnswerVisibility) -> PageView {
    let mut builder = Builder::new(material, format, answer);
    let shows_steps =
        is_chain(format) || matches!(format, Format::ProgramListing | Format::FunctionChain | Format::Facts);
    // A chain shows the first table as the input of its first step; every other page shows it by itself.
    let chain_starts_with_table = is_chain(format) && material.steps.first().is_some_and(|step| step.input == 0);
    let table = (!chain_starts_with_table).then(|| builder.first_table());
    let steps: Vec<StepView> = if shows_steps {
        (0..material.steps.len())
            .filter_map(|index| builder.step(index))
            .collect()
    } else {
        Vec::new()
    };
    let rationale = (format == Format::FreeText).then(|| match material.rationale {
        Some(text) if !text.trim().is_empty() => Rationale::Words(visible(text.trim())),
        _ => Rationale::Missing,
    });
    let imported = (format == Format::Imported).then(|| imported_page(material, answer));
    PageView {
        question_label: words::question_label(material.kind),
        question: shortened(visible_line(material.question), TEXT_CHARACTERS),
        caption: material
            .caption
            .map(|caption| shortened(visible_line(caption), NAME_CHARACTERS))
            .filter(|caption| !caption.is_empty()),
        table,
        program_names: if matches!(format, Format::ProgramListing | Format::FunctionChain) {
            program_names(material.table, &steps)
        } else {
            Vec::new()
        },
        closing: closing(material, format, !steps.is_empty()),
        stepper: format == Format::StepThrough && steps.len() > 1,
        steps,
        shows_steps,
        counts: builder.counts,
        legend: builder.legend,
        rationale,
        imported_note: (material.is_imported && format != Format::None)
            .then(|| words::imported(imported.as_ref().is_some_and(ImportedView::has_marks))),
        imported,
        script: None,
        facts: None,
    }
}

/// The page that was imported, or its second one that withholds the answer.
fn imported_page(material: Material<'_>, answer: AnswerVisibility) -> ImportedView {
    material.imported_page.map_or_else(ImportedView::default, |page| {
        let withheld = page.withheld.as_ref().filter(|_| answer == AnswerVisibility::Withheld);
        ImportedView::of(withheld.unwrap_or(&page.blocks))
    })
}

/// Whether a format shows each step over its input, with marks.
fn is_chain(format: Format) -> bool {
    matches!(format, Format::AttributionChain | Format::StepThrough)
}

/// The table that holds the answer, when the answer came from it, or may have: the last result.
fn answer_table(material: Material<'_>) -> Option<usize> {
    matches!(
        material.answer_source,
        Some(AnswerSource::Program | AnswerSource::Imported)
    )
    .then(|| material.steps.iter().rev().find_map(|step| step.output))
    .flatten()
}

/// Builds the parts that depend on what the page has shown before.
struct Builder<'a> {
    material: Material<'a>,
    format: Format,
    counts: Counts,
    withheld_table: Option<usize>,
    shown: Vec<(&'a Table, String)>,
    legend: Legend,
    /// Cells that the page may still have in tables to open.
    whole_cells_left: usize,
    /// Steps of which the page will show nothing. Facts have no tables of steps.
    folded: Range<usize>,
}

/// Cells that all tables to open on one page may have together; the first table always comes first.
const WHOLE_CELLS_OF_A_PAGE: usize = 30_000;

impl<'a> Builder<'a> {
    fn new(material: Material<'a>, format: Format, answer: AnswerVisibility) -> Self {
        Self {
            material,
            format,
            counts: Counts::of_page(material.kind, answer),
            withheld_table: match answer {
                AnswerVisibility::Shown => None,
                AnswerVisibility::Withheld => answer_table(material),
            },
            shown: Vec::new(),
            legend: Legend::default(),
            whole_cells_left: WHOLE_CELLS_OF_A_PAGE,
            folded: page_size::folded_steps(material.steps.len()),
        }
    }

    /// The sample's own table: the same on every page of the sample, whatever its trace holds.
    fn first_table(&mut self) -> TableView {
        self.show(
            0,
            self.material.table,
            words::FIRST_TABLE.to_owned(),
            Marks::default(),
            &Dropped::default(),
            Provenance::default(),
        )
    }

    fn table(&mut self, index: usize, marks: Marks, dropped: &Dropped) -> Option<TableView> {
        if index == 0 {
            return Some(self.show(
                0,
                self.material.table,
                words::FIRST_TABLE.to_owned(),
                marks,
                dropped,
                Provenance::default(),
            ));
        }
        let table = self.material.tables.get(index)?;
        let maker = self
            .material
            .steps
            .iter()
            .enumerate()
            .find(|(_, step)| step.output == Some(index));
        let (name, provenance) = match maker {
            Some((step_index, step)) => (
                format!("Table after step {}", step_index + 1),
                step.lineage
                    .as_ref()
                    .map_or_else(Provenance::default, |lineage| Provenance {
                        origins: Some(&lineage.origins),
                        new_columns: &lineage.produced_columns,
                    }),
            ),
            None => (format!("Table {}", index + 1), Provenance::default()),
        };
        Some(self.show(index, table, name, marks, dropped, provenance))
    }

    fn show(
        &mut self,
        index: usize,
        table: &'a Table,
        name: String,
        marks: Marks,
        dropped: &Dropped,
        provenance: Provenance<'_>,
    ) -> TableView {
        let mut view = TableView::new(index, name.clone(), table, marks, dropped, provenance, self.counts);
        if view.whole.is_some() {
            let cells = table.cell_count();
            match self.whole_cells_left.checked_sub(cells) {
                Some(left) => self.whole_cells_left = left,
                None => view.whole = None,
            }
        }
        if self.format == Format::ProgramListing {
            view.without_provenance();
        }
        view.shown_before_as = self
            .shown
            .iter()
            .find(|(shown, _)| std::ptr::eq(*shown, table) || *shown == table)
            .map(|(_, name)| name.clone());
        self.shown.push((table, name));
        self.legend.add(&view);
        view
    }

    /// A step's input, also when the trace does not hold it.
    fn input(&self, step: &Step) -> Option<&'a Table> {
        self.material.table_at(step.input)
    }

    fn step(&mut self, index: usize) -> Option<StepView> {
        let step = self.material.steps.get(index)?;
        let chain = is_chain(self.format);
        let described = step
            .description
            .as_deref()
            .map(|text| visible(text.trim()))
            .filter(|text| !text.is_empty());
        let input = self.input(step);
        let output = step.output.and_then(|output| self.material.tables.get(output));
        let marks = match (&step.lineage, input) {
            (Some(lineage), Some(input)) if chain => Marks::of(lineage, input),
            _ => Marks::default(),
        };
        // A step that never worked may have its program in the last try alone.
        let last_try = step.failed_attempts.last().filter(|_| step.output.is_none());
        let program = step
            .program
            .as_ref()
            .map(|program| program.text.as_str())
            .or(last_try.map(|attempt| attempt.program.as_str()))
            .map(|program| visible(&without_comments(program)))
            .filter(|_| !chain || described.is_none())
            .filter(|_| self.format != Format::Facts || step.output.is_none() && described.is_none());
        let (words, is_made) = match (described, input) {
            (Some(words), _) if chain || program.is_none() => (words, false),
            (None, Some(input)) if chain => {
                let made = words::made_sentence(step.lineage.as_ref(), &marks, input, output, self.counts);
                (made, true)
            }
            _ => (String::new(), false),
        };
        // What a step leaves behind tells what it gives.
        let steps_through = self.format == Format::StepThrough
            && step.output.is_some()
            && self.withheld_table != step.output
            && self.withheld_table != Some(step.input);
        let mut dropped = Dropped::default();
        let mut change = None;
        if let (true, Some(input), Some(output), Some(lineage)) = (steps_through, input, output, &step.lineage) {
            dropped = left_behind(lineage, input);
            change = Some(words::change(input, output, self.counts));
        }
        let mut notes = Vec::new();
        let mut input_view = None;
        if input.is_none() {
            notes.push("The table this step ran on was not kept.".to_owned());
        } else if self.withheld_table == Some(step.input) {
            notes.push(words::INPUT_WITHHELD.to_owned());
        } else if chain {
            if !self.folded.contains(&index) {
                input_view = self.table(step.input, marks.clone(), &dropped);
            }
        } else if self.runs_elsewhere(index) {
            notes.push(format!("This program ran on: {}.", self.name_of(step.input)));
        }
        if let (true, Some(input)) = (chain, input) {
            notes.extend(words::notes_on_marks(
                step.lineage.as_ref(),
                &marks,
                input,
                output,
                self.counts,
            ));
        }
        let (failed_tries, error) = self.failures(step, program.is_some() && self.format != Format::FunctionChain);
        Some(StepView {
            number: index + 1,
            words,
            is_made,
            program,
            operations: Vec::new(),
            failed_tries,
            input: input_view,
            notes,
            change,
            error,
            result: self.result(index),
            marked: !marks.is_empty(),
            inexact: chain
                && step
                    .lineage
                    .as_ref()
                    .is_some_and(|lineage| matches!(lineage.exactness, Exactness::AtLeast { .. })),
        })
    }

    /// Whether a step ran on something else than the result before it.
    fn runs_elsewhere(&self, index: usize) -> bool {
        let before = self
            .material
            .steps
            .iter()
            .take(index)
            .rev()
            .find_map(|step| step.output)
            .unwrap_or(0);
        self.material.steps.get(index).is_some_and(|step| step.input != before)
    }

    fn name_of(&self, table: usize) -> String {
        let maker = self.material.steps.iter().position(|step| step.output == Some(table));
        match maker {
            _ if table == 0 => "the table".to_owned(),
            Some(step) => format!("the table after step {}", step + 1),
            None => format!("table {}", table + 1),
        }
    }

    /// The tries before the one that worked, and the error of a step that never did.
    fn failures(&self, step: &Step, programs: bool) -> (Vec<FailedTry>, Option<String>) {
        let mut tries: Vec<FailedTry> = step
            .failed_attempts
            .iter()
            .map(|attempt| FailedTry {
                program: programs.then(|| visible(&without_comments(&attempt.program))),
                error: visible(attempt.error.trim()),
            })
            .collect();
        if step.output.is_some() {
            return (tries, None);
        }
        let last = tries.pop();
        // The program of the last try is the step's own; it is not shown twice.
        let error = last.map_or_else(|| words::NO_REASON.to_owned(), |last| last.error);
        (tries, Some(error))
    }

    /// The result, unless the page shows it as the next step's input.
    fn result(&mut self, index: usize) -> Option<ResultView> {
        let output = self.material.steps.get(index)?.output?;
        if self.withheld_table == Some(output) {
            return Some(ResultView::Withheld);
        }
        if self.folded.contains(&index) && self.format != Format::Facts {
            return None;
        }
        let next_shows_it = is_chain(self.format)
            && !self.folded.contains(&(index + 1))
            && self
                .material
                .steps
                .get(index + 1)
                .is_some_and(|next| next.input == output);
        if next_shows_it {
            return None;
        }
        self.table(output, Marks::default(), &Dropped::default())
            .map(|table| ResultView::Table(Box::new(table)))
    }
}

fn closing(material: Material<'_>, format: Format, steps_shown: bool) -> Closing {
    let control = format == Format::None;
    let fallback = material.answer_source == Some(AnswerSource::Fallback);
    let answer = match material.answer {
        GivenAnswer::Withheld => AnswerView::Withheld,
        GivenAnswer::Shown(answer) => answer_values(answer),
        GivenAnswer::Missing => AnswerView::Missing(
            material
                .failure
                .map_or_else(|| words::NO_REASON.to_owned(), words::failure),
        ),
    };
    Closing {
        notice: (fallback && !control).then(|| words::fallback_notice(steps_shown)),
        notice_reason: material
            .fallback_reason
            .filter(|_| fallback && !control)
            .map(words::fallback_reason),
        source: (!control && !matches!(material.answer, GivenAnswer::Missing))
            .then(|| words::source(material.answer_source)),
        answer,
    }
}

fn answer_values(answer: &Answer) -> AnswerView {
    match answer {
        Answer::Values(values) => {
            let shown = values_shown(values);
            AnswerView::Values(
                shown.iter().map(|value| visible_line(value)).collect(),
                words::more_values(values.len() - shown.len()),
            )
        }
        Answer::Verdict(_) | Answer::Text(_) => AnswerView::Values(vec![visible(&answer.display())], String::new()),
    }
}

/// The first values of an answer that are shown where it is written out: no question is answered by hundreds, and a result
/// of a whole table would make the page as long as the table.
pub(crate) fn values_shown(values: &[String]) -> &[String] {
    const MOST_VALUES: usize = 200;
    const MOST_BYTES: usize = 100_000;
    let mut bytes = 0;
    let fitting = values
        .iter()
        .take(MOST_VALUES)
        .take_while(|value| {
            bytes += value.len();
            bytes <= MOST_BYTES
        })
        .count();
    &values[..fitting.max(1).min(values.len())]
}

/// The rows and columns of a step's input that its result does not have. Where the result carries no column at all
/// (a count, a verdict), none was left behind: the table became something else.
fn left_behind(lineage: &Lineage, input: &Table) -> Dropped {
    let used: BTreeSet<usize> = lineage.rows.iter().copied().collect();
    let carried: BTreeSet<usize> = lineage.carried_columns.iter().flatten().copied().collect();
    Dropped {
        rows: (0..input.rows.len()).filter(|row| !used.contains(row)).collect(),
        columns: (0..input.columns.len())
            .filter(|column| !carried.is_empty() && !carried.contains(column))
            .collect(),
    }
}

/// The columns that shown programs name, where their name in programs is not simply their name in small letters with
/// `_` for spaces.
fn program_names(table: &Table, steps: &[StepView]) -> Vec<(String, String)> {
    let named: BTreeSet<String> = steps
        .iter()
        .flat_map(|step| {
            step.program
                .iter()
                .chain(step.failed_tries.iter().filter_map(|failed| failed.program.as_ref()))
        })
        .flat_map(|program| program.split(|character: char| !(character.is_alphanumeric() || character == '_')))
        .map(str::to_lowercase)
        .collect();
    table
        .columns
        .iter()
        .map(|column| (visible_line(&column.sql), column_name(column)))
        .filter(|(in_programs, for_people)| {
            named.contains(in_programs) && *in_programs != for_people.to_lowercase().replace(' ', "_")
        })
        .collect()
}
