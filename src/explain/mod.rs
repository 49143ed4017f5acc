//! Pages: one trace in one format, as HTML for people and as Markdown for models.

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
    /// Steps of which at least one row, column or cell is marked.
    pub steps_marked: usize,
    /// Steps whose lineage is `at_least`, not exact.
    pub steps_inexact: usize,
    /// The chain does not end in the answer shown (a fallback answered).
    pub answer_not_from_steps: bool,
    /// The answer's text stands in the page although it is withheld.
    pub withheld_answer_visible: bool,
    /// Bytes of the HTML.
    pub html_bytes: usize,
    /// Bytes of the Markdown.
    pub markdown_bytes: usize,
}

/// Renders a trace of a sample.
pub fn render(sample: &Sample, trace: &Trace, format: Format, answer: AnswerVisibility) -> Page {
    let _ = (sample, trace, format, answer);
    todo!("explain room")
}
