//! An explanation that was made elsewhere: what is left of it once everything active, every style and every link is gone.
//!
//! It is kept as plain text in blocks, never as markup, so that our own templates write it as they write any text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in [`super::Trace::method`] of a trace that was imported: no method of the registry made it.
pub const IMPORTED: &str = "imported";

/// Where an imported trace came from. Its makers' names and its file are kept out of every page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Imported {
    /// What made it, as whoever imported it says.
    pub name: String,
    /// The model that answered, as whoever imported it or the trace itself says.
    pub model: Option<String>,
    /// The method, as the trace itself says; none for a page.
    pub method: Option<String>,
    /// The name of the page's file, or of the file of traces.
    pub file: String,
    /// The explanation, where it is a page; none where it is the trace's own steps and words.
    pub page: Option<ImportedPage>,
}

/// A page that was made elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportedPage {
    /// What it says.
    pub blocks: Vec<ImportedBlock>,
    /// What it says where the answer is withheld, if it was made twice; else the same with the answer taken out.
    pub withheld: Option<Vec<ImportedBlock>>,
    /// What was taken out of both when they were imported.
    pub removed: Removed,
}

/// What was taken out of pages so that nothing in them runs, loads, links or styles. Counted by tags and attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Removed {
    /// Scripts.
    pub scripts: usize,
    /// Attributes that run something, such as `onclick`.
    pub handlers: usize,
    /// Style sheets, and links to them.
    pub styles: usize,
    /// Links.
    pub links: usize,
    /// Pictures, drawings, sounds and films.
    pub media: usize,
    /// Pages and programs within the page, and what redirects it.
    pub embedded: usize,
    /// Forms and what they hold.
    pub forms: usize,
}

impl Removed {
    /// Each count with its name.
    pub fn counts(&self) -> [(&'static str, usize); 7] {
        [
            ("scripts", self.scripts),
            ("event handlers", self.handlers),
            ("style sheets", self.styles),
            ("links", self.links),
            ("pictures and media", self.media),
            ("embedded pages and redirections", self.embedded),
            ("forms and their fields", self.forms),
        ]
    }

    /// Adds what was taken out of another page.
    pub fn add(&mut self, other: &Self) {
        self.scripts += other.scripts;
        self.handlers += other.handlers;
        self.styles += other.styles;
        self.links += other.links;
        self.media += other.media;
        self.embedded += other.embedded;
        self.forms += other.forms;
    }
}

/// A piece of an imported explanation, in reading order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ImportedBlock {
    /// A heading.
    Heading {
        /// Its text, on one line.
        text: String,
    },
    /// A paragraph, or an item of a list.
    Text {
        /// Its runs of text, in order.
        runs: Vec<ImportedRun>,
        /// Whether it is an item of a list.
        item: bool,
    },
    /// Preformatted text, such as a program.
    Code {
        /// Its text, with line breaks.
        text: String,
    },
    /// A table.
    Table {
        /// Its rows; they may differ in length.
        rows: Vec<Vec<ImportedCell>>,
    },
}

/// A run of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportedRun {
    /// Its text; blanks in a row are one.
    pub text: String,
    /// Whether it was highlighted.
    pub marked: bool,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportedCell {
    /// Its text, on one line.
    pub text: String,
    /// Whether it is a heading of its row or column.
    pub header: bool,
    /// Whether it, its row, or text in it was highlighted.
    pub marked: bool,
}
