//! Looking into a run that is done: one sample and what one answerer did on it. Nothing in the run is changed.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::dataset::Sample;
use crate::engine::Engine;
use crate::trace::Trace;

use super::analyze;
use super::directory::{self, Manifest, RunDirectory};
use super::import::judgments::refuse_imported;
use super::load::Study;
use super::run::RunError;

/// A stored trace with what it was made from.
#[derive(Clone, Debug)]
pub struct StoredTrace {
    /// The sample.
    pub sample: Sample,
    /// The trace.
    pub trace: Trace,
    /// The engine as the run's study sets it.
    pub engine: Engine,
}

/// Why a run has not the one trace that is looked for.
#[derive(Debug, thiserror::Error)]
pub enum StoredTraceError {
    /// The run itself cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It has no such sample.
    #[error("{}: there is no sample `{sample}` in this run{}", run.display(), such_as(example.as_deref()))]
    NoSample {
        /// The run.
        run: PathBuf,
        /// The id that was asked for.
        sample: String,
        /// An id that it has.
        example: Option<String>,
    },
    /// Several answered the sample, and none of them was named.
    #[error("{}: sample `{sample}` was answered by several: {}", run.display(), quoted(answerers))]
    Several {
        /// The run.
        run: PathBuf,
        /// The sample.
        sample: String,
        /// Who answered it.
        answerers: Vec<String>,
    },
    /// Nobody answered it, or not the one that was named.
    #[error(
        "{}: sample `{sample}` has no trace{}; it was answered by: {}",
        run.display(),
        wanted.as_ref().map(|name| format!(" of `{name}`")).unwrap_or_default(),
        quoted(answerers)
    )]
    NoTrace {
        /// The run.
        run: PathBuf,
        /// The sample.
        sample: String,
        /// The answerer or arm that was asked for.
        wanted: Option<String>,
        /// Who answered it.
        answerers: Vec<String>,
    },
}

fn such_as(example: Option<&str>) -> String {
    example.map_or_else(
        || ", which has none".to_owned(),
        |id| format!("; it has such as `{id}`"),
    )
}

fn quoted(names: &[String]) -> String {
    if names.is_empty() {
        return "nobody".to_owned();
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The trace of a sample in a run. With several answerers one has to be named; an arm's name does as well.
pub fn stored_trace(root: &Path, sample: &str, answerer: Option<&str>) -> Result<StoredTrace, StoredTraceError> {
    let run = RunDirectory::open(root).map_err(RunError::from)?;
    refuse_imported(&run)?;
    let manifest = run.manifest().map_err(RunError::from)?;
    check_stored(&run, &manifest, directory::STUDY)?;
    let path = run.path(directory::STUDY);
    let text = run.read_text(directory::STUDY).map_err(RunError::from)?;
    let study = Study::from_text(&path, PathBuf::new(), text).map_err(RunError::from)?;
    let samples = stored::<Sample>(&run, &manifest, directory::SAMPLES)?;
    let example = samples.first().map(|sample| sample.id.clone());
    let found = samples
        .into_iter()
        .find(|found| found.id == sample)
        .ok_or_else(|| StoredTraceError::NoSample {
            run: run.root().to_owned(),
            sample: sample.to_owned(),
            example,
        })?;
    let mut traces = stored::<Trace>(&run, &manifest, directory::TRACES)?;
    traces.retain(|trace| trace.sample == sample);
    let answerers: Vec<String> = traces.iter().map(|trace| trace.answerer.clone()).collect();
    let wanted = match answerer {
        Some(name) => {
            let arms = study.arms().map_err(RunError::from)?;
            let of_arm = arms.iter().find(|arm| arm.name == name);
            Some(of_arm.map_or_else(|| name.to_owned(), |arm| arm.answerer.clone()))
        }
        None => None,
    };
    traces.retain(|trace| wanted.as_ref().is_none_or(|wanted| trace.answerer == *wanted));
    match (traces.pop(), traces.is_empty()) {
        (Some(trace), true) => Ok(StoredTrace {
            sample: found,
            trace,
            engine: analyze::engine(&study.file.engine),
        }),
        (Some(_), false) => Err(StoredTraceError::Several {
            run: run.root().to_owned(),
            sample: sample.to_owned(),
            answerers,
        }),
        (None, _) => Err(StoredTraceError::NoTrace {
            run: run.root().to_owned(),
            sample: sample.to_owned(),
            wanted: answerer.map(str::to_owned),
            answerers,
        }),
    }
}

/// Reads records back that a run wrote, if they are still what it wrote.
pub(super) fn stored<T: DeserializeOwned>(
    run: &RunDirectory,
    manifest: &Manifest,
    file: &str,
) -> Result<Vec<T>, RunError> {
    check_stored(run, manifest, file)?;
    Ok(run.read_records(file)?)
}

/// Refuses a file that is not what a run wrote.
pub(super) fn check_stored(run: &RunDirectory, manifest: &Manifest, file: &str) -> Result<(), RunError> {
    if manifest.records.get(file) == Some(&run.digest(file)?) {
        return Ok(());
    }
    Err(RunError::Changed(format!(
        "{}: it is not as the run wrote it",
        run.path(file).display()
    )))
}
