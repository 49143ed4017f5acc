//! Pages: one trace in one format, as HTML for people and as Markdown for models.
//!
//! A page is built once, as a `view` that holds plain text only; `html` and `markdown` write that same view, so
//! that people and models see the same content. Nothing here calls a model, reads a file or changes a trace.
//!
//! - `view`: what a page says, in the order it says it.
//! - `marked_table`: a table with its marks, cut to the rows worth showing.
//! - `words`: the sentences a page makes up itself.
//! - `visible_text`: text of tables and models made harmless to read.
//! - `sql_pieces`: the pieces of a statement that a listing colours.
//! - `content_policy`: what a page allows a browser to load and run.
//! - `leak`: whether a withheld answer still stands in the page.

pub(crate) mod content_policy;
mod html;
mod leak;
mod markdown;
mod marked_table;
mod sql_pieces;
mod view;
pub(crate) mod visible_text;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::Sample;
use crate::trace::Trace;

/// A way to show a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Every step in words over its input table, with what it used marked.
    AttributionChain,
    /// The same, one step at a time, with what each step leaves behind.
    StepThrough,
    /// The programs in order.
    ProgramListing,
    /// The model's own words.
    FreeText,
    /// Table, question and (unless withheld) answer alone: the control.
    None,
}

/// Whether the page shows the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerVisibility {
    /// Shown, with where it came from.
    Shown,
    /// Withheld: neither the answer nor the table that holds only it.
    Withheld,
}

/// A page. Holds no arm, method or model name: judges see it blind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// A whole HTML5 document that needs nothing else.
    pub html: String,
    /// The same for a model, marks kept as text.
    pub markdown: String,
    /// What the page is like, for the analysis.
    pub facts: PageFacts,
}

/// What the analysis counts about a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageFacts {
    /// Steps shown.
    pub steps: usize,
    /// Steps of which at least one row, column or cell is marked; 0 in formats without marks.
    pub steps_marked: usize,
    /// Steps whose marks are said to be "at least these"; 0 in formats without marks.
    pub steps_inexact: usize,
    /// The chain does not end in the answer shown (a fallback answered); never in the control, which shows no steps.
    pub answer_not_from_steps: bool,
    /// The answer's text stands in the page although it is withheld; the rule is in docs/formats.md.
    pub withheld_answer_visible: bool,
    /// Bytes of the HTML.
    pub html_bytes: usize,
    /// Bytes of the Markdown.
    pub markdown_bytes: usize,
}

/// Renders a trace of a sample. The same sample and trace always give the same bytes.
///
/// A trace that does not fit together (a step that names a table it does not hold, marks outside their table) still
/// gives a page, which says what is missing.
pub fn render(sample: &Sample, trace: &Trace, format: Format, answer: AnswerVisibility) -> Page {
    let view = view::build(sample, trace, format, answer);
    let html = html::write(&view);
    let markdown = markdown::write(&view);
    let withheld_answer_visible = match answer {
        AnswerVisibility::Shown => false,
        AnswerVisibility::Withheld => leak::answer_visible(&view, sample, trace),
    };
    Page {
        facts: PageFacts {
            steps: view.steps.len(),
            steps_marked: view.steps.iter().filter(|step| step.marked).count(),
            steps_inexact: view.steps.iter().filter(|step| step.inexact).count(),
            answer_not_from_steps: view.closing.notice.is_some(),
            withheld_answer_visible,
            html_bytes: html.len(),
            markdown_bytes: markdown.len(),
        },
        html,
        markdown,
    }
}
