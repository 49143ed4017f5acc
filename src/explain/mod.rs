//! Pages: one trace in one format, as HTML for people and as Markdown for models.
//!
//! A page is built once, as a `view` that holds plain text only; `html` and `markdown` write that same view, so
//! that people and models see the same content. Nothing here calls a model, reads a file or changes a trace.
//!
//! - `material`: what a page may be made of; `own_texts`: what every page of a sample has, worked out once.
//! - `view`: what a page says, in the order it says it.
//! - `marked_table`: a table with its marks, cut to the rows worth showing.
//! - `words`: the sentences a page makes up itself.
//! - `visible_text`: text of tables and models made harmless to read.
//! - `sql_pieces`: the pieces of a statement that a listing colours.
//! - `content_policy`: what a page allows a browser to load and run.
//! - `text_words`: a text as its words and numbers.
//! - `answer_forms`: how an answer can stand in a text or a table; `stated`: how a text states a value; `sql_constants`:
//!   what a statement says whatever the table; `telling_names`: names that tell what made a page.
//! - `withhold`: what the view leaves out so that its judge stays blind.
//! - `complete`: what a format makes of the finished steps, by `sql_script` (a script that runs by itself), `operations`
//!   (a statement as a chain of operations) and `facts` (sentences and the part of the table that matters).
//! - `page_size`: bounds of a page, whatever a trace holds.
//! - `token_estimate`: how many tokens a page is, guessed.
//! - [`imported`]: pages that were made elsewhere, read into plain text.
//! - `leak`: whether the finished page tells what it must not.

mod answer_forms;
mod complete;
pub(crate) mod content_policy;
mod facts;
mod html;
pub mod imported;
mod leak;
mod letters;
mod markdown;
mod marked_table;
mod material;
mod operations;
mod own_texts;
mod page_size;
mod sql_constants;
mod sql_pieces;
mod sql_script;
mod stated;
mod telling_names;
mod text_words;
mod token_estimate;
pub(crate) mod view;
pub(crate) mod visible_text;
mod withhold;
pub(crate) mod words;
mod work;

use std::rc::Rc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use leak::{Leak, LeakKind};
pub use token_estimate::TOKEN_ESTIMATE;

use material::Material;
use own_texts::OwnTexts;

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
    /// The programs as chains of operations, each with its resulting table.
    FunctionChain,
    /// What each step found, in sentences, beside the part of the table that matters.
    Facts,
    /// The model's own words.
    FreeText,
    /// A page that was made elsewhere, as it was imported.
    Imported,
    /// Table, question and (unless withheld) answer alone: the control.
    None,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 8] = [
        Self::AttributionChain,
        Self::StepThrough,
        Self::ProgramListing,
        Self::FunctionChain,
        Self::Facts,
        Self::FreeText,
        Self::Imported,
        Self::None,
    ];

    /// Its name, as a study has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AttributionChain => "attribution_chain",
            Self::StepThrough => "step_through",
            Self::ProgramListing => "program_listing",
            Self::FunctionChain => "function_chain",
            Self::Facts => "facts",
            Self::FreeText => "free_text",
            Self::Imported => "imported",
            Self::None => "none",
        }
    }
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

impl AnswerVisibility {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Shown, Self::Withheld];

    /// Its name, as files and tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Withheld => "withheld",
        }
    }
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
    /// Steps shown, with those that a page of very many folds away.
    pub steps: usize,
    /// Steps of which at least one row, column or cell is marked; 0 in formats without marks.
    pub steps_marked: usize,
    /// Steps whose marks are said to be "at least these"; 0 in formats without marks.
    pub steps_inexact: usize,
    /// What it explains was made elsewhere and imported; never in the control.
    #[serde(default)]
    pub imported: bool,
    /// The chain does not end in the answer shown (a fallback answered); never in the control, which shows no steps.
    pub answer_not_from_steps: bool,
    /// Tables left out and texts replaced so that the page does not tell its answer or what made it; the rule is in
    /// docs/formats.md.
    pub places_withheld: usize,
    /// What it tells all the same and must not; a run refuses to put such a page before a judge.
    pub leaks: Vec<Leak>,
    /// Bytes of the HTML.
    pub html_bytes: usize,
    /// Bytes of the Markdown.
    pub markdown_bytes: usize,
    /// Tokens of the HTML, guessed by the word rule of docs/formats.md.
    pub html_tokens: usize,
    /// Tokens of the Markdown, guessed by the same rule.
    pub markdown_tokens: usize,
}

/// Renders a trace of a sample. The same sample and trace always give the same bytes.
///
/// A trace that does not fit together (a step that names a table it does not hold, marks outside their table) still
/// gives a page, which says what is missing.
pub fn render(sample: &Sample, trace: &Trace, format: Format, answer: AnswerVisibility) -> Page {
    PagesOfSample::new(sample, &[]).render(trace, format, answer)
}

/// The pages of one sample, of whatever traces and formats: what they all have is worked out once.
pub struct PagesOfSample<'a> {
    sample: &'a Sample,
    names: &'a [String],
    own: Rc<OwnTexts<'a>>,
}

impl<'a> PagesOfSample<'a> {
    /// Of a study that knows names which its pages must not tell: of arms, methods, models and files.
    pub fn new(sample: &'a Sample, names: &'a [String]) -> Self {
        Self {
            sample,
            names,
            own: Rc::new(OwnTexts::new(sample)),
        }
    }

    /// The sample.
    pub fn sample(&self) -> &'a Sample {
        self.sample
    }

    /// Renders a trace of the sample, as [`render`] does.
    pub fn render(&self, trace: &'a Trace, format: Format, answer: AnswerVisibility) -> Page {
        let blind = withhold::Blind::new(&self.own, self.sample, trace, self.names, answer);
        let page = Written::new(&blind, format, answer, true);
        let leaks = leak::of_page(&page, format, answer, &blind);
        Page {
            facts: PageFacts {
                steps: page.steps.all,
                steps_marked: page.steps.marked,
                imported: trace.imported.is_some() && format != Format::None,
                steps_inexact: page.steps.inexact,
                answer_not_from_steps: page.view.closing.notice.is_some(),
                places_withheld: page.places_withheld,
                leaks,
                html_bytes: page.html.len(),
                markdown_bytes: page.markdown.len(),
                html_tokens: token_estimate::tokens(&page.html),
                markdown_tokens: token_estimate::tokens(&page.markdown),
            },
            html: page.html,
            markdown: page.markdown,
        }
    }
}

/// A page as written, before it is checked.
struct Written {
    view: view::PageView,
    steps: StepCounts,
    html: String,
    markdown: String,
    places_withheld: usize,
}

/// Steps of a page before any is folded away.
struct StepCounts {
    all: usize,
    marked: usize,
    inexact: usize,
}

impl Written {
    /// Builds and writes a page. Unless it `conceals`, nothing is left out of it but the answer itself and its table.
    fn new(blind: &withhold::Blind<'_>, format: Format, answer: AnswerVisibility, conceals: bool) -> Self {
        let material = Material::new(blind.sample, blind.trace, format, answer);
        let mut view = view::build(material, format, answer);
        let places_withheld = if conceals { blind.conceal(&mut view) } else { 0 };
        let by = conceals.then_some(blind);
        complete::complete(&mut view, &material, &blind.own, format, answer, by);
        let steps = StepCounts {
            all: view.step_count(),
            marked: view.steps.iter().filter(|step| step.marked).count(),
            inexact: view.steps.iter().filter(|step| step.inexact).count(),
        };
        page_size::fold(&mut view);
        Self {
            steps,
            html: html::write(&view),
            markdown: markdown::write(&view),
            view,
            places_withheld,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_listed_once_by_the_name_it_is_read_by() {
        for (index, format) in Format::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::json!(format), format.name());
            assert!(!Format::ALL[..index].contains(&format));
        }
        let listed = schemars::schema_for!(Format).as_value()["oneOf"]
            .as_array()
            .map(Vec::len);
        assert_eq!(listed, Some(Format::ALL.len()));
        for visibility in AnswerVisibility::ALL {
            assert_eq!(serde_json::json!(visibility), visibility.name());
        }
    }
}
