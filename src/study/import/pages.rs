//! A folder of pages in HTML, with a table of predictions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::{ImportError, ImportResult, ImportSummary, Maker, known_sample, note_new, prediction, read_text};
use crate::dataset::Sample;
use crate::dataset::custom::read_records;
use crate::explain::imported::{MOST_BYTES, read_html, removed};
use crate::trace::imported::{IMPORTED, Imported, ImportedBlock, ImportedPage, Removed};
use crate::trace::{AnswerFailure, AnswerSource, Trace, TraceBuilder};

const COLUMNS: &str = "the columns are sample, prediction, and if you like html, withheld_html and answer";

/// One line of the table of predictions.
struct Line {
    line: usize,
    sample: String,
    prediction: String,
    html: String,
    withheld_html: Option<String>,
    answer: Option<String>,
}

pub(super) fn import(
    known: &BTreeMap<&str, &Sample>,
    maker: &Maker,
    folder: &Path,
    answers: &Path,
) -> Result<ImportResult, ImportError> {
    let mut folder = Folder::open(folder, answers)?;
    let mut seen = BTreeMap::new();
    let mut summary = ImportSummary::default();
    let mut traces = Vec::new();
    for line in lines(answers)? {
        let sample = known_sample(known, answers, line.line, &line.sample)?;
        note_new(&mut seen, answers, line.line, &line.sample)?;
        traces.push(trace(sample, maker, &mut folder, answers, &line)?);
    }
    if traces.is_empty() {
        return Err(ImportError::file(
            answers,
            "it names no sample",
            "write one line a sample below the header",
        ));
    }
    summary.unnamed_pages = folder.unnamed()?;
    Ok(ImportResult { traces, summary })
}

fn trace(
    sample: &Sample,
    maker: &Maker,
    folder: &mut Folder<'_>,
    answers: &Path,
    line: &Line,
) -> Result<Trace, ImportError> {
    let read = |field: &str, what: &str| {
        prediction::read(sample.kind, field).map_err(|(problem, next_step)| {
            ImportError::line(
                answers,
                line.line,
                format!("{what} of `{}`: {problem}", sample.id),
                next_step,
            )
        })
    };
    let outcome = match line.prediction.trim() {
        "" => Err(AnswerFailure::NotGiven),
        field => Ok((read(field, "the prediction")?, AnswerSource::Imported)),
    };
    if let Some(field) = &line.answer
        && prediction::is_gold(sample, &read(field, "the answer")?) == Some(false)
    {
        return Err(ImportError::line(
            answers,
            line.line,
            format!("the right answer of `{}` is not {field:?} in the data set", sample.id),
            "look whether the ids are of this data set and split, or leave the column `answer` out",
        ));
    }
    let mut removed = Removed::default();
    let blocks = folder.page(line.line, &line.html, &mut removed)?;
    let withheld = match &line.withheld_html {
        Some(name) => Some(folder.page(line.line, name, &mut removed)?),
        None => None,
    };
    let mut trace = TraceBuilder::new(sample, &maker.name, IMPORTED, "", serde_json::Value::Null).finish(outcome);
    trace.imported = Some(Imported {
        name: maker.name.clone(),
        model: maker.model.clone(),
        method: None,
        file: base_name(&line.html),
        page: Some(ImportedPage {
            blocks,
            withheld,
            removed,
        }),
    });
    Ok(trace)
}

fn base_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// The lines of a table of predictions.
fn lines(answers: &Path) -> Result<Vec<Line>, ImportError> {
    let mut records = read_records(answers)?.into_iter();
    let Some((header_line, header)) = records.next() else {
        return Err(ImportError::file(answers, "it is empty", COLUMNS));
    };
    let header: Vec<&str> = header.iter().map(|name| name.trim()).collect();
    let wrong = |problem: String| ImportError::line(answers, header_line, problem, COLUMNS);
    let known = ["sample", "prediction", "html", "withheld_html", "answer"];
    for (index, name) in header.iter().enumerate() {
        if !known.contains(name) {
            return Err(wrong(format!("has a column {name:?}, which means nothing here")));
        }
        if header[..index].contains(name) {
            return Err(wrong(format!("has the column `{name}` twice")));
        }
    }
    for needed in ["sample", "prediction"] {
        if !header.contains(&needed) {
            return Err(wrong(format!("has no column `{needed}`")));
        }
    }
    let place = |name: &str| header.iter().position(|column| *column == name);
    let places = known.map(place);
    records
        .map(|(line, fields)| {
            if fields.len() != header.len() {
                let problem = format!("has {} fields, but the header has {}", fields.len(), header.len());
                return Err(ImportError::line(answers, line, problem, "give every line all fields"));
            }
            let [sample, prediction, html, withheld_html, answer] = places.map(|place| {
                let field = place.and_then(|place| fields.get(place));
                field.filter(|field| !field.trim().is_empty()).cloned()
            });
            let Some(sample) = sample else {
                return Err(ImportError::line(
                    answers,
                    line,
                    "names no sample",
                    "write its id into `sample`",
                ));
            };
            Ok(Line {
                line,
                html: html.unwrap_or_else(|| format!("{sample}.html")),
                sample,
                prediction: prediction.unwrap_or_default(),
                withheld_html,
                answer,
            })
        })
        .collect()
}

/// The folder of pages. Nothing outside it is read, and no page twice.
struct Folder<'a> {
    path: &'a Path,
    /// With symbolic links followed.
    real: PathBuf,
    answers: &'a Path,
    read: BTreeMap<PathBuf, usize>,
}

impl<'a> Folder<'a> {
    fn open(path: &'a Path, answers: &'a Path) -> Result<Self, ImportError> {
        let real = path.canonicalize().map_err(|source| ImportError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        if !real.is_dir() {
            return Err(ImportError::file(
                path,
                "it is no folder",
                "name the folder that holds the pages",
            ));
        }
        Ok(Self {
            path,
            real,
            answers,
            read: BTreeMap::new(),
        })
    }

    /// Reads a page that a line names.
    fn page(
        &mut self,
        line: usize,
        name: &str,
        removed_so_far: &mut Removed,
    ) -> Result<Vec<ImportedBlock>, ImportError> {
        let wrong = |problem: String, next_step: &str| ImportError::line(self.answers, line, problem, next_step);
        let below = |component| matches!(component, Component::Normal(_) | Component::CurDir);
        let outside = || {
            wrong(
                format!("the page `{name}` is no path below the folder of the pages"),
                "name the page relative to that folder, without `..`",
            )
        };
        if name.contains(['\0', '\\']) || !Path::new(name).components().all(below) {
            return Err(outside());
        }
        let path = self.path.join(name);
        let real = path.canonicalize().map_err(|error| {
            wrong(
                format!("the page {} cannot be read: {error}", path.display()),
                "put it there, or name it in the column `html`",
            )
        })?;
        if !real.starts_with(&self.real) {
            return Err(outside());
        }
        let size = std::fs::metadata(&real).map_err(|source| ImportError::Unreadable {
            path: path.clone(),
            source,
        })?;
        if !size.is_file() {
            return Err(ImportError::file(&path, "it is no file", "name a page in HTML"));
        }
        if size.len() > MOST_BYTES as u64 {
            let problem = format!("the page has {} bytes, more than {MOST_BYTES}", size.len());
            return Err(ImportError::file(&path, problem, "take out what is no explanation"));
        }
        if let Some(before) = self.read.insert(real.clone(), line) {
            return Err(wrong(
                format!("the page `{name}` stands in line {before} already"),
                "give every sample a page of its own, and `withheld_html` another than `html`",
            ));
        }
        let html = read_text(&real).map_err(|error| error.named(&path))?;
        removed_so_far.add(&removed(&html));
        read_html(&html).map_err(|error| ImportError::file(&path, error.to_string(), "mend the page or leave it out"))
    }

    /// Pages in the folder itself that no line named.
    fn unnamed(&self) -> Result<Vec<String>, ImportError> {
        let unreadable = |source| ImportError::Unreadable {
            path: self.path.to_owned(),
            source,
        };
        let mut names = BTreeSet::new();
        for entry in std::fs::read_dir(&self.real).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let is_page = path
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm"));
            if is_page && path.canonicalize().is_ok_and(|real| !self.read.contains_key(&real)) {
                names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        Ok(names.into_iter().collect())
    }
}

impl ImportError {
    /// The same error about a file under the name that the user knows.
    fn named(self, name: &Path) -> Self {
        match self {
            Self::File { problem, next_step, .. } => Self::file(name, problem, next_step),
            Self::Unreadable { source, .. } => Self::Unreadable {
                path: name.to_owned(),
                source,
            },
            other => other,
        }
    }
}
