//! Explanations made elsewhere, as arms of a study.
//!
//! [`import`] takes a folder of pages with a table of predictions, or traces, checks every one against its sample and
//! makes traces of them that say they are imported; `tabjury import` writes these into one file. An arm of a study that
//! names the file shows them ([`arms`]). Nothing imported is believed: no lineage, no calls, no counters, and no markup.

pub(super) mod arms;
mod check;
pub mod judgments;
mod pages;
mod prediction;
mod traces;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::dataset::{self, DatasetError, Sample, Selection, Source};
use crate::explain::{AnswerVisibility, Format, render};
use crate::trace::Trace;
use crate::trace::imported::Removed;

/// What is to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportFrom {
    /// Pages in HTML, with a table of predictions.
    Pages {
        /// The folder that holds the pages.
        folder: PathBuf,
        /// A `.csv` or `.tsv` file with the columns `sample` and `prediction`, and if you like `html`, `withheld_html` and
        /// `answer`.
        answers: PathBuf,
    },
    /// Traces of the form of `docs/schema/trace.json`, one a line.
    Traces {
        /// The file.
        file: PathBuf,
        /// Whose, where the file has those of several answerers.
        answerer: Option<String>,
    },
}

/// Who made what is imported. Both names are kept out of every page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The method's name.
    pub name: String,
    /// The model that answered, where known.
    pub model: Option<String>,
}

/// What was imported.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportResult {
    /// One a sample, in the order of the file that names them.
    pub traces: Vec<Trace>,
    /// What there is to say about it.
    pub summary: ImportSummary,
}

/// What was imported, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Samples with an explanation.
    pub explanations: usize,
    /// Samples that there are.
    pub samples: usize,
    /// Explanations that are pages.
    pub pages: usize,
    /// Explanations with a page of their own for when the answer is withheld.
    pub withheld_pages: usize,
    /// Explanations without a prediction; they count as wrong.
    pub without_prediction: usize,
    /// What was taken out of the pages.
    pub removed: Removed,
    /// Steps whose lineage was dropped.
    pub lineages_dropped: usize,
    /// Calls that were dropped.
    pub calls_dropped: usize,
    /// Pages in the folder that nothing names, by file name.
    pub unnamed_pages: Vec<String>,
    /// Pages that tell what they must not, one sentence each; a run refuses them.
    pub leaks: Vec<String>,
}

/// What cannot be imported. Nothing is half imported: one fault refuses the whole.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A data file.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {problem}; {next_step}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// What to do.
        next_step: String,
    },
    /// A line of a file is not what it should be.
    #[error("{}, line {line}: {problem}; {next_step}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to do.
        next_step: String,
    },
}

impl ImportError {
    fn file(path: &Path, problem: impl Into<String>, next_step: impl Into<String>) -> Self {
        Self::File {
            path: path.to_owned(),
            problem: problem.into(),
            next_step: next_step.into(),
        }
    }

    fn line(path: &Path, line: usize, problem: impl Into<String>, next_step: impl Into<String>) -> Self {
        Self::Line {
            path: path.to_owned(),
            line,
            problem: problem.into(),
            next_step: next_step.into(),
        }
    }
}

/// Imports explanations of these samples.
pub fn import(samples: &[Sample], maker: &Maker, from: &ImportFrom) -> Result<ImportResult, ImportError> {
    let known = by_id(samples);
    let mut result = match from {
        ImportFrom::Pages { folder, answers } => pages::import(&known, maker, folder, answers)?,
        ImportFrom::Traces { file, answerer } => traces::import(&known, maker, file, answerer.as_deref())?,
    };
    let traces = &result.traces;
    for trace in traces {
        let (Some(page), Some(sample)) = (
            trace.imported.as_ref().and_then(|imported| imported.page.as_ref()),
            known.get(trace.sample.as_str()),
        ) else {
            continue;
        };
        let summary = &mut result.summary;
        summary.pages += 1;
        summary.withheld_pages += usize::from(page.withheld.is_some());
        summary.removed.add(&page.removed);
        summary.leaks.extend(leaks(sample, trace));
    }
    result.summary.explanations = traces.len();
    result.summary.samples = samples.len();
    result.summary.without_prediction = traces.iter().filter(|trace| trace.answer.is_none()).count();
    Ok(result)
}

/// What the pages of a trace tell that they must not.
fn leaks(sample: &Sample, trace: &Trace) -> Vec<String> {
    let views = [
        (AnswerVisibility::Shown, "shown"),
        (AnswerVisibility::Withheld, "withheld"),
    ];
    let mut said = Vec::new();
    for (visibility, name) in views {
        for leak in render(sample, trace, Format::Imported, visibility).facts.leaks {
            said.push(format!(
                "sample `{}`, with the answer {name}: {} ({})",
                sample.id,
                leak.what.words(),
                leak.place
            ));
        }
    }
    said
}

/// All samples of a source, whatever of them a study selects.
pub fn all_samples(source: &Source, base: &Path) -> Result<Vec<Sample>, DatasetError> {
    let mut source = source.clone();
    match &mut source {
        Source::Tabfact { select, .. }
        | Source::Wikitq { select, .. }
        | Source::Fetaqa { select, .. }
        | Source::Custom { select, .. } => *select = Selection::default(),
    }
    dataset::load(&source, base, 0)
}

fn by_id(samples: &[Sample]) -> BTreeMap<&str, &Sample> {
    samples.iter().map(|sample| (sample.id.as_str(), sample)).collect()
}

/// The sample that a line names.
fn known_sample<'a>(
    known: &BTreeMap<&str, &'a Sample>,
    path: &Path,
    line: usize,
    id: &str,
) -> Result<&'a Sample, ImportError> {
    known.get(id).copied().ok_or_else(|| {
        let example = known.keys().next().copied().unwrap_or_default();
        ImportError::line(
            path,
            line,
            format!("there is no sample `{id}` among the {} of the data set", known.len()),
            format!("write its ids as the data set has them, such as `{example}`, and look at the split"),
        )
    })
}

/// Notes a sample, refusing one that was there before.
fn note_new(seen: &mut BTreeMap<String, usize>, path: &Path, line: usize, id: &str) -> Result<(), ImportError> {
    match seen.insert(id.to_owned(), line) {
        None => Ok(()),
        Some(before) => Err(ImportError::line(
            path,
            line,
            format!("the sample `{id}` stands in line {before} already"),
            "give every sample one explanation",
        )),
    }
}

/// The text of a file in UTF-8, without a byte-order mark.
fn read_text(path: &Path) -> Result<String, ImportError> {
    let bytes = std::fs::read(path).map_err(|source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let problem = format!("it is not UTF-8 (byte {})", error.utf8_error().valid_up_to() + 1);
        ImportError::file(path, problem, "convert it to UTF-8")
    })?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}
