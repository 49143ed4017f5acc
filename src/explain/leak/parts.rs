//! The parts of a finished page, as its reader meets them: what the leak check looks at.

use std::borrow::Cow;

use crate::explain::page_size::without_folds;

/// A part, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// 1-based line of the file.
    pub(super) line: usize,
    /// What it is.
    pub(super) part: Part,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The question or statement, or the caption of the table.
    Head(String),
    /// A table.
    Table(TablePart),
    /// A program, or operations.
    Program(String),
    /// The script that runs by itself.
    Script(String),
    /// The model's own words.
    Said(String),
    /// The heading of a step.
    Step {
        /// Its number from one.
        number: usize,
        /// Its words.
        words: String,
    },
    /// A fact.
    Fact {
        /// The number of its step, from one.
        number: usize,
        /// Its sentence.
        text: String,
    },
    /// The answer, or why there is none.
    Answer(String),
    /// Any other text.
    Line(String),
}

impl Part {
    /// Takes out what folding says by itself. The head is known whole.
    pub(super) fn remove_folds(&mut self) {
        match self {
            Self::Head(_) => {}
            Self::Table(table) => {
                let cells = table.rows.iter_mut().flatten().flatten();
                table.header.iter_mut().chain(cells).for_each(remove_folds);
            }
            Self::Program(text)
            | Self::Script(text)
            | Self::Said(text)
            | Self::Step { words: text, .. }
            | Self::Fact { text, .. }
            | Self::Answer(text)
            | Self::Line(text) => remove_folds(text),
        }
    }
}

fn remove_folds(text: &mut String) {
    if let Cow::Owned(without) = without_folds(text) {
        *text = without;
    }
}

/// A table as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TablePart {
    /// What stands above it.
    pub(super) caption: String,
    /// The names of its columns, without marks.
    pub(super) header: Vec<String>,
    /// Its rows, without numbers and marks; `None` is NULL.
    pub(super) rows: Vec<Vec<Option<String>>>,
    /// Whether rows or columns of it are left out.
    pub(super) is_cut: bool,
}
