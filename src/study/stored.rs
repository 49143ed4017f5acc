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

/// The trace of a sample in a run. With several answerers one has to be named; an arm's name does as well.
pub fn stored_trace(root: &Path, sample: &str, answerer: Option<&str>) -> Result<StoredTrace, RunError> {
    let run = RunDirectory::open(root)?;
    refuse_imported(&run)?;
    let manifest = run.manifest()?;
    check_stored(&run, &manifest, directory::STUDY)?;
    let path = run.path(directory::STUDY);
    let study = Study::from_text(&path, PathBuf::new(), run.read_text(directory::STUDY)?)?;
    let found = stored::<Sample>(&run, &manifest, directory::SAMPLES)?
        .into_iter()
        .find(|found| found.id == sample)
        .ok_or_else(|| {
            RunError::Stage(format!(
                "{}: there is no sample `{sample}` in this run; samples.jsonl lists them",
                run.root().display()
            ))
        })?;
    let mut traces = stored::<Trace>(&run, &manifest, directory::TRACES)?;
    traces.retain(|trace| trace.sample == sample);
    let answerers: Vec<String> = traces.iter().map(|trace| format!("`{}`", trace.answerer)).collect();
    let wanted = match answerer {
        Some(name) => {
            let arms = study.arms()?;
            let of_arm = arms.iter().find(|arm| arm.name == name);
            Some(of_arm.map_or_else(|| name.to_owned(), |arm| arm.answerer.clone()))
        }
        None => None,
    };
    let wrong = |message: String| RunError::Stage(format!("{}: {message}", run.root().display()));
    traces.retain(|trace| wanted.as_ref().is_none_or(|wanted| trace.answerer == *wanted));
    match (traces.pop(), traces.is_empty()) {
        (Some(trace), true) => Ok(StoredTrace {
            sample: found,
            trace,
            engine: analyze::engine(&study.file.engine),
        }),
        (Some(_), false) => Err(wrong(format!(
            "sample `{sample}` was answered by several: {}; name one",
            answerers.join(", ")
        ))),
        (None, _) => Err(wrong(format!(
            "sample `{sample}` has no trace{}; it was answered by: {}",
            answerer.map(|name| format!(" of `{name}`")).unwrap_or_default(),
            if answerers.is_empty() {
                "nobody".to_owned()
            } else {
                answerers.join(", ")
            }
        ))),
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
