//! Checking a run that is done: every page for leaks, every trace's first table against its sample's, and the lineage of
//! every step by perturbation. Asks no model; writes nothing but `check.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::dataset::Sample;
use crate::engine::Engine;
use crate::engine::proof::{ProofSettings, prove_trace};
use crate::report::PageRecord;
use crate::report::run_check::{
    ArmProof, CHECK_SCHEMA_VERSION, ChangedTable, PageCheck, PageLeak, RunCheck, TraceProof,
};
use crate::table::{Cell, Table};
use crate::trace::Trace;
use crate::trace::proof::{ProofSummary, StepProof};

use super::analyze;
use super::directory::{self, Manifest, RunDirectory};
use super::explain::{explain, telling_names};
use super::import::judgments::refuse_imported;
use super::load::{Arm, Study};
use super::run::{RunError, Stage};
use super::stored::{check_stored, stored};

/// How a run is checked. What is `None` is as the study or [`ProofSettings`] has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// The seed of the proofs. Default: the study's.
    pub seed: Option<u64>,
    /// Most runs of one step's statement.
    pub runs_per_step: Option<usize>,
    /// Most time for one step, far behind the bounds on runs and work; what it cuts short is undecided, and may not be on
    /// another machine.
    pub time_per_step: Option<Duration>,
}

/// Checks a run and keeps what was found in `check.json`, which `tabjury report` shows. `progress` hears how many traces
/// of how many are proven.
pub fn check_run(
    root: &Path,
    options: &CheckOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<RunCheck, RunError> {
    let run = RunDirectory::open(root)?;
    refuse_imported(&run)?;
    let mut manifest = run.manifest()?;
    check_stored(&run, &manifest, directory::STUDY)?;
    let path = run.path(directory::STUDY);
    let study = Study::from_text(&path, PathBuf::new(), run.read_text(directory::STUDY)?)?;
    if !manifest.stages.contains_key(&Stage::Explain) {
        return Err(RunError::Stage(format!(
            "{}: the stage `explain` has not been run, so there are no pages to check; run the study",
            run.root().display()
        )));
    }
    let samples: Vec<Sample> = stored(&run, &manifest, directory::SAMPLES)?;
    let traces: Vec<Trace> = stored(&run, &manifest, directory::TRACES)?;
    let arms = study.arms()?;
    let settings = settings(options, &study);
    let check = RunCheck {
        schema_version: CHECK_SCHEMA_VERSION,
        traces_digest: digest_of(&manifest, directory::TRACES),
        pages_digest: digest_of(&manifest, directory::PAGES),
        seed: settings.seed,
        runs_per_step: settings.runs,
        pages: check_pages(&run, &manifest, &study, &samples, &arms, &traces)?,
        changed_tables: changed_tables(&samples, &traces),
        arms: Vec::new(),
        proofs: Vec::new(),
    };
    let proofs = prove(&traces, &analyze::engine(&study.file.engine), &settings, progress);
    let check = RunCheck {
        arms: arms.iter().map(|arm| count(arm, &traces, &proofs)).collect(),
        proofs: traces
            .iter()
            .zip(proofs)
            .filter(|(_, steps)| !steps.is_empty())
            .map(|(trace, steps)| TraceProof {
                sample: trace.sample.clone(),
                answerer: trace.answerer.clone(),
                steps,
            })
            .collect(),
        ..check
    };
    run.write_json(directory::CHECK, &check)?;
    manifest
        .records
        .insert(directory::CHECK.to_owned(), run.digest(directory::CHECK)?);
    run.write_manifest(&manifest)?;
    Ok(check)
}

fn settings(options: &CheckOptions, study: &Study) -> ProofSettings {
    let default = ProofSettings::default();
    ProofSettings {
        seed: options.seed.unwrap_or(study.file.study.seed),
        runs: options.runs_per_step.unwrap_or(default.runs),
        time: options.time_per_step.unwrap_or(default.time),
        ..default
    }
}

fn digest_of(manifest: &Manifest, file: &str) -> String {
    manifest.records.get(file).cloned().unwrap_or_default()
}

/// Renders every page again: whether it leaks, and whether its file is what its trace gives.
fn check_pages(
    run: &RunDirectory,
    manifest: &Manifest,
    study: &Study,
    samples: &[Sample],
    arms: &[Arm],
    traces: &[Trace],
) -> Result<PageCheck, RunError> {
    let records: Vec<PageRecord> = stored(run, manifest, directory::PAGES)?;
    let again = explain(samples, arms, traces, &telling_names(study), study.file.control.enabled);
    let mut check = PageCheck {
        checked: again.records.len(),
        leaks: again
            .leaks()
            .map(|(record, leak)| PageLeak {
                page: record.markdown.clone(),
                arm: record.arm.clone(),
                sample: record.sample.clone(),
                leak: leak.clone(),
            })
            .collect(),
        ..PageCheck::default()
    };
    let by_file: BTreeMap<&str, &PageRecord> = records
        .iter()
        .map(|record| (record.markdown.as_str(), record))
        .collect();
    let mut changed = BTreeSet::new();
    let mut expected = BTreeSet::new();
    for (name, bytes) in again.files() {
        let path = format!("{}/{name}", super::explain::PAGES_DIRECTORY);
        if run.read_bytes(&path).ok().as_deref() != Some(bytes.as_slice()) {
            changed.insert(path.clone());
        }
        expected.insert(path);
    }
    for record in &again.records {
        let is_same = by_file
            .get(record.markdown.as_str())
            .is_some_and(|stored| *stored == record);
        if !is_same {
            changed.insert(record.markdown.clone());
        }
    }
    check.changed = changed.into_iter().collect();
    check.unknown = run.files_in(super::explain::PAGES_DIRECTORY)?;
    check.unknown.retain(|path| !expected.contains(path));
    Ok(check)
}

/// Traces that do not begin with the table that the run read of their sample. What their steps make of it is proven step by
/// step; that it is the sample's, only this comparison shows.
fn changed_tables(samples: &[Sample], traces: &[Trace]) -> Vec<ChangedTable> {
    let by_id: BTreeMap<&str, &Sample> = samples.iter().map(|sample| (sample.id.as_str(), sample)).collect();
    let what_differs = |trace: &Trace| match (by_id.get(trace.sample.as_str()), trace.tables.first()) {
        (None, _) => Some(format!("{} has no such sample", directory::SAMPLES)),
        (_, None) => Some("the trace has no table".to_owned()),
        (Some(sample), Some(table)) => first_difference(table, &sample.table),
    };
    let changed = traces.iter().filter_map(|trace| {
        Some(ChangedTable {
            sample: trace.sample.clone(),
            answerer: trace.answerer.clone(),
            what: what_differs(trace)?,
        })
    });
    changed.collect()
}

/// Where a trace's table differs first from its sample's, in words.
fn first_difference(table: &Table, of_sample: &Table) -> Option<String> {
    if table == of_sample {
        return None;
    }
    let size = |table: &Table| format!("{} rows of {} columns", table.rows.len(), table.columns.len());
    let is_of_one_size = table.rows.len() == of_sample.rows.len() && table.columns.len() == of_sample.columns.len();
    if !is_of_one_size {
        return Some(format!("it has {}, the sample's {}", size(table), size(of_sample)));
    }
    let rows = table.rows.iter().zip(&of_sample.rows).enumerate();
    for (row, (found, expected)) in rows {
        let cells = found.iter().zip(expected).enumerate();
        for (column, (found, expected)) in cells {
            if found != expected {
                return Some(format!(
                    "row {}, column {} holds {}, the sample's {}",
                    row + 1,
                    column + 1,
                    in_quotes(found),
                    in_quotes(expected)
                ));
            }
        }
        if found.len() != expected.len() {
            return Some(format!("row {} has another number of cells", row + 1));
        }
    }
    let names = table.columns.iter().zip(&of_sample.columns);
    let column = names.take_while(|(found, expected)| found == expected).count();
    Some(format!("column {} has another name", column + 1))
}

/// A cell as a message shows it: on one line, its beginning only.
fn in_quotes(cell: &Cell) -> String {
    const MOST_CHARACTERS: usize = 60;
    let Some(text) = cell else {
        return "nothing".to_owned();
    };
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// The proofs of every trace, in the order of the traces, on all cores.
fn prove(
    traces: &[Trace],
    engine: &Engine,
    settings: &ProofSettings,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Vec<StepProof>> {
    progress(0, traces.len());
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let proofs: Mutex<Vec<Vec<StepProof>>> = Mutex::new(vec![Vec::new(); traces.len()]);
    let work = || {
        while let Some((index, trace)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| traces.get(index).map(|trace| (index, trace)))
        {
            let found = prove_trace(engine, trace, settings);
            proofs.lock().unwrap_or_else(PoisonError::into_inner)[index] = found;
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, traces.len());
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 1..cores.min(traces.len()) {
            scope.spawn(work);
        }
        work();
    });
    proofs.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn count(arm: &Arm, traces: &[Trace], proofs: &[Vec<StepProof>]) -> ArmProof {
    let own = || {
        traces
            .iter()
            .zip(proofs)
            .filter(|(trace, _)| trace.answerer == arm.answerer)
    };
    ArmProof {
        arm: arm.name.clone(),
        answerer: arm.answerer.clone(),
        imported: own().any(|(trace, _)| trace.imported.is_some()),
        steps: own().map(|(trace, _)| trace.steps.len()).sum(),
        summary: ProofSummary::of(own().flat_map(|(_, steps)| steps)),
    }
}
