//! Arms of a study that show what was imported.

use std::collections::BTreeMap;
use std::path::Path;

use super::{ImportError, by_id, check, note_new, read_text, traces};
use crate::dataset::Sample;
use crate::explain::Format;
use crate::study::load::{ImportedAnswerer, Study, StudyError};
use crate::study::run::RunError;
use crate::trace::Trace;

/// What the arms of a study show that is imported.
#[derive(Clone, Debug, Default)]
pub(in crate::study) struct Imports {
    /// In the order of the study.
    pub(in crate::study) answerers: Vec<ImportOfStudy>,
}

/// What one of them shows.
#[derive(Clone, Debug)]
pub(in crate::study) struct ImportOfStudy {
    /// Its name: that of the first arm that shows it.
    pub(in crate::study) name: String,
    /// BLAKE3 of the file.
    pub(in crate::study) digest: String,
    /// One a sample of the study, in their order.
    pub(in crate::study) traces: Vec<Trace>,
}

impl Imports {
    /// Reads what a study imports for these samples.
    pub(in crate::study) fn read(study: &Study, samples: &[Sample]) -> Result<Self, RunError> {
        let mut answerers = Vec::new();
        for answerer in study.imported_answerers() {
            let path = study.resolve(&answerer.path);
            let digest = blake3::hash(read_text(&path)?.as_bytes()).to_hex().to_string();
            let traces = of_samples(&path, &answerer, samples)?;
            formats_fit(study, &answerer, &traces)?;
            answerers.push(ImportOfStudy {
                name: answerer.name,
                digest,
                traces,
            });
        }
        Ok(Self { answerers })
    }

    /// The digest of each file, by answerer.
    pub(in crate::study) fn digests(&self) -> BTreeMap<String, String> {
        let digests = self.answerers.iter();
        digests
            .map(|import| (import.name.clone(), import.digest.clone()))
            .collect()
    }

    /// Puts imported traces among those that methods made: sample by sample, answerers in the order of the study.
    pub(in crate::study) fn join(
        &self,
        study: &Study,
        samples: &[Sample],
        mut traces: Vec<Trace>,
    ) -> Result<Vec<Trace>, StudyError> {
        if self.answerers.is_empty() {
            return Ok(traces);
        }
        let arms = study.arms()?;
        let answerer_place = |name: &str| arms.iter().position(|arm| arm.answerer == name);
        let sample_places: BTreeMap<&str, usize> = samples
            .iter()
            .enumerate()
            .map(|(place, sample)| (sample.id.as_str(), place))
            .collect();
        traces.extend(self.answerers.iter().flat_map(|import| import.traces.iter().cloned()));
        traces.sort_by_key(|trace| {
            (
                sample_places.get(trace.sample.as_str()).copied(),
                answerer_place(&trace.answerer),
            )
        });
        Ok(traces)
    }
}

/// The trace of every sample of the study; what the file has of others is left.
fn of_samples(path: &Path, answerer: &ImportedAnswerer, samples: &[Sample]) -> Result<Vec<Trace>, ImportError> {
    const NEXT: &str = "import the explanations again with `tabjury import`";
    let known = by_id(samples);
    let mut seen = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (line, mut trace) in traces::read(path)? {
        note_new(&mut seen, path, line, &trace.sample)?;
        let Some(sample) = known.get(trace.sample.as_str()) else {
            continue;
        };
        let checked = check::as_imported(&trace).and_then(|()| check::of_sample(sample, &trace));
        checked.map_err(|problem| {
            ImportError::line(path, line, format!("the trace of `{}`: {problem}", trace.sample), NEXT)
        })?;
        trace.answerer.clone_from(&answerer.name);
        found.insert(trace.sample.clone(), trace);
    }
    let missing: Vec<&str> = samples
        .iter()
        .map(|sample| sample.id.as_str())
        .filter(|id| !found.contains_key(*id))
        .collect();
    if let Some(first) = missing.first() {
        let problem = format!(
            "arm `{}`: it has no explanation of {} of the study's {} samples, such as `{first}`",
            answerer.name,
            missing.len(),
            samples.len()
        );
        return Err(ImportError::file(
            path,
            problem,
            "import those too, or name the ones it has under `select = { ids = [...] }`",
        ));
    }
    Ok(samples.iter().filter_map(|sample| found.remove(&sample.id)).collect())
}

/// A page is shown as it is, and only a page can be; what has steps and words needs a format that shows them.
fn formats_fit(study: &Study, answerer: &ImportedAnswerer, traces: &[Trace]) -> Result<(), StudyError> {
    let has_page = |trace: &&Trace| trace.imported.as_ref().is_some_and(|imported| imported.page.is_some());
    let pages = traces.iter().filter(has_page).count();
    for arm in study.arms()?.iter().filter(|arm| arm.answerer == answerer.name) {
        let problem = match arm.format {
            Format::None => continue,
            Format::Imported if pages < traces.len() => {
                "imported traces are no pages; name a format that shows them, such as `attribution_chain` or `free_text`"
            }
            Format::Imported => continue,
            _ if pages > 0 => "imported pages are shown as they are; leave `format` out",
            _ => continue,
        };
        return Err(StudyError::Meaning {
            path: study.path.clone(),
            message: format!("arm `{}`: {problem}", arm.name),
        });
    }
    Ok(())
}
