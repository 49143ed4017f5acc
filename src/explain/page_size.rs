//! Keeps a page within bounds whatever a sample and its trace hold: endless texts, steps without number and tables upon tables
//! are folded, and what is left out is counted where it would stand. The bounds are in docs/formats.md.
//!
//! The head of a page is shortened when the page is built, the rest when everything was withheld that has to be: a text
//! that is cut first could end in half an answer. Rows and columns are chosen in [`super::marked_table`].

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::imported::view::{ImportedPart, ImportedView};
use super::marked_table::{Cut, Line, TableView};
use super::sql_script::Script;
use super::view::{AnswerView, PageView, Rationale, ResultView, StepView};
use super::words::count;
use crate::trace::imported::ImportedRun;

/// Characters of any one text.
pub(super) const TEXT_CHARACTERS: usize = 20_000;

/// Characters of a caption, and of the name of a column.
pub(super) const NAME_CHARACTERS: usize = 400;

/// Characters of all texts beside tables; of each text after that there is only a beginning.
const ALL_TEXT_CHARACTERS: usize = 500_000;

/// That beginning.
const BEGINNING_CHARACTERS: usize = 200;

/// Characters of all cells; of each cell after that there is only a beginning.
const ALL_CELL_CHARACTERS: usize = 2_000_000;

/// That beginning.
const CELL_BEGINNING_CHARACTERS: usize = 20;

/// Steps: the first and the last ones.
const FIRST_STEPS: usize = 50;
const LAST_STEPS: usize = 10;

/// Tries of a step that failed, columns whose names in programs are told, operations of a step.
const LISTED: usize = 40;

/// Characters of a script; a longer one is left out, since a part of it would not run.
const SCRIPT_CHARACTERS: usize = 500_000;

/// Cells of an explanation that was made elsewhere, and its other parts.
const IMPORTED_CELLS: usize = 30_000;
const IMPORTED_PARTS: usize = 2_000;

/// A text's beginning, with how much follows it.
pub(super) fn shortened(mut text: String, most: usize) -> String {
    shorten(&mut text, most);
    text
}

/// Behind a text or cell that is cut.
pub(super) fn characters_more(more: usize) -> String {
    format!(" … {} more", count(more, "character"))
}

fn shorten(text: &mut String, most: usize) {
    // No text has more characters than bytes.
    if text.len() <= most {
        return;
    }
    if let Some((end, _)) = text.char_indices().nth(most) {
        let more = text.get(end..).unwrap_or_default().chars().count();
        text.truncate(end);
        text.truncate(text.trim_end().len());
        text.push_str(&characters_more(more));
    }
}

/// A text of a page without what folding says by itself - how much follows - and without the word before that, which may be but
/// the beginning of one. How long a text is tells nothing of what it says.
pub(super) fn without_folds(text: &str) -> Cow<'_, str> {
    static FOLDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?x) \S*\x20…\x20\d+\ characters?\ more
            | …\x20\d+\ more\ operations?
            | \b\d+\ more\ facts?\ (?:is|are)\ not\ shown\ here\.
            | \b\d+\ columns?\ not\ shown
            | Not\ shown\ here:\ \d+\ of\ the\ tries\ that\ failed\.
            | Not\ shown\ here:\ the\ steps\ from\ step\ \d+\ to\ step\ \d+\.
            | Not\ shown\ here:\ the\ rest\ of\ the\ explanation,\ from\ part\ \d+\ to\ part\ \d+\.",
        )
        .ok()
    });
    match FOLDS.as_ref() {
        Some(folds) if text.contains(['…', 'N']) || text.contains("not shown") => folds.replace_all(text, " … "),
        _ => Cow::Borrowed(text),
    }
}

/// Folds what a finished view has too much of.
pub(super) fn fold(view: &mut PageView) {
    let mut left = Left {
        text: ALL_TEXT_CHARACTERS,
        cells: ALL_CELL_CHARACTERS,
    };
    if let Some(table) = &mut view.table {
        left.take_table(table);
    }
    fold_names(&mut view.program_names, &mut left);
    fold_steps(&mut view.steps);
    for step in &mut view.steps {
        left.take_step(step);
    }
    if let Some(facts) = &mut view.facts {
        if let Some(part) = &mut facts.part {
            left.take_table(part);
        }
        let most = FIRST_STEPS + LAST_STEPS;
        if facts.facts.len() > most {
            let more = facts.facts.len() - most;
            facts.facts.truncate(most);
            let are = if more == 1 { "is" } else { "are" };
            facts
                .facts
                .push(format!("{} {are} not shown here.", count(more, "more fact")));
        }
        facts.facts.iter_mut().for_each(|fact| left.take(fact));
    }
    if let Some(Rationale::Words(text)) = &mut view.rationale {
        left.take(text);
    }
    if let Some(imported) = &mut view.imported {
        left.take_imported(imported);
    }
    if let Some(Script::Runs(text)) = &view.script
        && text.chars().count() > SCRIPT_CHARACTERS
    {
        view.script = Some(Script::Missing("The programs are too long for a script on this page."));
    }
    view.closing.notice_reason.iter_mut().for_each(|text| left.take(text));
    match &mut view.closing.answer {
        AnswerView::Values(values, _) => values.iter_mut().for_each(|value| left.take(value)),
        AnswerView::Missing(reason) => left.take(reason),
        AnswerView::Withheld => {}
    }
}

/// Which of so many steps, from zero, are not shown: none, or all but the first and the last.
pub(super) fn folded_steps(steps: usize) -> Range<usize> {
    if steps <= FIRST_STEPS + LAST_STEPS + 1 {
        return steps..steps;
    }
    FIRST_STEPS..steps - LAST_STEPS
}

/// The one before the gap says which steps are not there.
fn fold_steps(steps: &mut Vec<StepView>) {
    let gap = folded_steps(steps.len());
    if gap.is_empty() {
        return;
    }
    if let Some(step) = steps.get_mut(FIRST_STEPS - 1) {
        let (from, to) = (gap.start + 1, gap.end);
        step.notes
            .push(format!("Not shown here: the steps from step {from} to step {to}."));
    }
    steps.drain(gap);
}

fn fold_names(names: &mut Vec<(String, String)>, left: &mut Left) {
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    for (in_programs, for_people) in names.iter_mut() {
        left.take(in_programs);
        shorten(for_people, NAME_CHARACTERS);
    }
    if more > 0 {
        names.push(("…".to_owned(), format!("{} not shown", count(more, "column"))));
    }
}

/// What a page may still have.
struct Left {
    text: usize,
    cells: usize,
}

impl Left {
    fn take(&mut self, text: &mut String) {
        shorten(text, TEXT_CHARACTERS.min(self.text.max(BEGINNING_CHARACTERS)));
        self.text = self.text.saturating_sub(text.chars().count());
    }

    fn take_step(&mut self, step: &mut StepView) {
        self.take(&mut step.words);
        let more = step.failed_tries.len().saturating_sub(LISTED);
        if more > 0 {
            step.failed_tries.drain(..more);
            step.notes
                .insert(0, format!("Not shown here: {more} of the tries that failed."));
        }
        for failed in &mut step.failed_tries {
            self.take(&mut failed.error);
            failed.program.iter_mut().for_each(|program| self.take(program));
        }
        step.program.iter_mut().for_each(|program| self.take(program));
        let more = step.operations.len().saturating_sub(LISTED);
        step.operations.truncate(LISTED);
        if more > 0 {
            step.operations.push(format!("… {}", count(more, "more operation")));
        }
        step.operations.iter_mut().for_each(|operation| self.take(operation));
        if let Some(table) = &mut step.input {
            self.take_table(table);
        }
        step.notes.iter_mut().for_each(|note| self.take(note));
        step.change.iter_mut().for_each(|change| self.take(change));
        step.error.iter_mut().for_each(|error| self.take(error));
        if let Some(ResultView::Table(table)) = &mut step.result {
            self.take_table(table);
        }
    }

    /// The first table comes first, so that it is the same on every page of its sample.
    fn take_table(&mut self, table: &mut TableView) {
        for header in &mut table.headers {
            shorten(&mut header.text, NAME_CHARACTERS);
        }
        self.take_cells(&mut table.glance);
        if let Some(whole) = &mut table.whole {
            self.take_cells(whole);
        }
    }

    fn take_cells(&mut self, cut: &mut Cut) {
        for line in &mut cut.lines {
            let Line::Row(row) = line else { continue };
            for cell in &mut row.cells {
                let Some(text) = &mut cell.text else { continue };
                if text.chars().count() > self.cells
                    && let Some((end, _)) = text.char_indices().nth(CELL_BEGINNING_CHARACTERS)
                {
                    cell.cut += text.get(end..).unwrap_or_default().chars().count();
                    text.truncate(end);
                }
                self.cells = self.cells.saturating_sub(text.chars().count());
            }
        }
    }

    fn take_imported(&mut self, imported: &mut ImportedView) {
        let all = imported.parts.len();
        let mut cells = IMPORTED_CELLS;
        let mut kept = 0;
        for part in &mut imported.parts {
            let size = match part {
                ImportedPart::Table(table) => table.columns * (table.rows.len() + 1),
                ImportedPart::List(items) => items.len(),
                _ => 0,
            };
            if kept >= IMPORTED_PARTS || size > cells || self.text == 0 {
                break;
            }
            cells -= size;
            kept += 1;
            match part {
                ImportedPart::Heading(text) | ImportedPart::Code(text) => self.take(text),
                ImportedPart::Paragraph(runs) => runs.iter_mut().for_each(|run| self.take(&mut run.text)),
                ImportedPart::List(items) => items.iter_mut().flatten().for_each(|run| self.take(&mut run.text)),
                ImportedPart::Table(table) => {
                    let all = table.header.iter_mut().chain(&mut table.rows).flatten();
                    all.for_each(|cell| self.take(&mut cell.text));
                }
                ImportedPart::WithheldTable => {}
            }
        }
        if kept < all {
            imported.parts.truncate(kept);
            imported.parts.push(ImportedPart::Paragraph(vec![ImportedRun {
                text: format!(
                    "Not shown here: the rest of the explanation, from part {} to part {all}.",
                    kept + 1
                ),
                marked: false,
            }]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_counted() {
        assert_eq!(shortened("abc def".to_owned(), 7), "abc def");
        assert_eq!(shortened("abc defg".to_owned(), 4), "abc … 4 characters more");
        assert_eq!(shortened("äöü".to_owned(), 3), "äöü");
        assert_eq!(shortened("äöüß".to_owned(), 3), "äöü … 1 character more");
        let mut left = Left { text: 300, cells: 0 };
        let mut texts = ["x".repeat(290), "y".repeat(400), "z".repeat(400)];
        texts.iter_mut().for_each(|text| left.take(text));
        assert!(texts[0].ends_with('x') && texts[2].ends_with(" … 200 characters more"));
    }

    #[test]
    fn bounds_are_characters_of_any_script() {
        for letter in ["x", "ж", "東", "𝐏"] {
            let mut left = Left { text: 1_000, cells: 0 };
            let mut texts = [letter.repeat(600), letter.repeat(300), letter.repeat(300)];
            texts.iter_mut().for_each(|text| left.take(text));
            let shown = texts.map(|text| text.chars().filter(|c| letter.contains(*c)).count());
            assert_eq!(shown, [600, 300, 200], "{letter}");
        }
    }

    #[test]
    fn what_folding_says_is_taken_out_again() {
        for (text, expected) in [
            (
                "The mean is 12… 487 characters more",
                "The mean is 12… 487 characters more",
            ),
            ("The total of 12 … 487 characters more", "The total of  … "),
            ("in one run … 1 character more and 487", "in one  …  and 487"),
            ("a → … 41 more operations", "a →  … "),
            ("1 more fact is not shown here.", " … "),
            ("487 rows", "487 rows"),
        ] {
            assert_eq!(without_folds(text), expected);
        }
    }

    #[test]
    fn the_first_steps_and_the_last_are_shown() {
        assert!(folded_steps(0).is_empty() && folded_steps(61).is_empty());
        assert_eq!(folded_steps(62), 50..52);
    }
}
