//! Judgments recorded elsewhere, as a run directory that `report` and `compare` read as any other.
//!
//! A mapping says what the fields of the log mean. Verdicts are taken by the values that it lists; whatever else stands
//! there is an unparsed judgment with its text kept. Nothing is invented: there are no pages, no calls, no answers of
//! methods, and no right answer, shown order or control unless the log has them.

mod mapping;
mod records;
mod rows;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::explain::Format;
use crate::judge::{Outcome, Task};
use crate::report::records::ImportedJudgments;
use crate::report::{self, Analysis, ArmFacts, CallView, JudgeFacts, RunRecords, StudyFacts};
use crate::trace::imported::IMPORTED;

use super::ImportError;
use crate::study::analyze;
use crate::study::directory::{self, Manifest, RunDirectory};
use crate::study::run::{RunError, Stage};
use crate::study::stored::{check_stored, stored};
use crate::study::summary::{Summary, Tally};
use mapping::{Mapping, SampleSets};
use records::Records;

/// What was imported, counted.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgmentImport {
    /// What was written.
    pub summary: Summary,
    /// Rows of the log.
    pub rows: usize,
    /// Samples.
    pub samples: usize,
    /// What the log says, and what it does not.
    pub facts: ImportedJudgments,
}

/// Imports a log into a new run directory, with its analysis and report.
pub fn import_judgments(log: &Path, mapping_file: &Path, out: &Path) -> Result<JudgmentImport, RunError> {
    let (mapping, mapping_digest) = Mapping::read(mapping_file)?;
    let (rows, log_digest) = rows::read(log)?;
    let records = records::make(log, &mapping, &rows)?;
    mapping.check_names(mapping_file, &records.arms)?;
    mapping.check_people(mapping_file, &records.judges)?;
    let study = facts(log, &mapping, &records, rows.len());
    let run = RunDirectory::create(out)?;
    if run.path(directory::STUDY).is_file() || run.path(directory::CALLS).is_file() {
        return Err(RunError::Import(ImportError::file(
            out,
            "a study was run here",
            "name a new or empty directory with --out",
        )));
    }
    let mut manifest = Manifest {
        schema_version: directory::SCHEMA_VERSION,
        tabjury: env!("CARGO_PKG_VERSION").to_owned(),
        study: mapping.name.clone(),
        ..Manifest::default()
    };
    run.write_manifest(&manifest)?;
    run.write_records(directory::SAMPLES, &records.samples)?;
    run.write_records(directory::TRIALS, &records.trials)?;
    run.write_records(directory::JUDGMENTS, &records.judgments)?;
    run.write_json(directory::IMPORTED, &study)?;
    for file in [
        directory::SAMPLES,
        directory::TRIALS,
        directory::JUDGMENTS,
        directory::IMPORTED,
    ] {
        manifest.records.insert(file.to_owned(), run.digest(file)?);
    }
    for (name, digest) in [("judgments", log_digest), ("mapping", mapping_digest)] {
        manifest.imports.insert(name.to_owned(), digest);
    }
    run.write_manifest(&manifest)?;
    let summary = report(out)?;
    Ok(JudgmentImport {
        summary,
        rows: rows.len(),
        samples: records.samples.len(),
        facts: study.imported_judgments.unwrap_or_default(),
    })
}

/// Whether a run directory holds judgments recorded elsewhere.
pub(in crate::study) fn is_imported(run: &RunDirectory) -> bool {
    run.path(directory::IMPORTED).is_file()
}

/// Refuses what only a study's own run has: pages, traces and lineage.
pub(in crate::study) fn refuse_imported(run: &RunDirectory) -> Result<(), RunError> {
    if !is_imported(run) {
        return Ok(());
    }
    Err(RunError::Stage(format!(
        "{}: its judgments were imported, so it has no traces and no pages",
        run.root().display()
    )))
}

/// Makes analysis and report of imported judgments, from what is stored.
pub(in crate::study) fn report(root: &Path) -> Result<Summary, RunError> {
    let run = RunDirectory::open(root)?;
    let mut manifest = run.manifest()?;
    check_stored(&run, &manifest, directory::IMPORTED)?;
    let study: StudyFacts = run
        .read_json(directory::IMPORTED)?
        .ok_or_else(|| RunError::Changed(format!("{}: it is missing", run.path(directory::IMPORTED).display())))?;
    let records = RunRecords {
        study,
        samples: stored(&run, &manifest, directory::SAMPLES)?,
        traces: Vec::new(),
        pages: Vec::new(),
        trials: stored(&run, &manifest, directory::TRIALS)?,
        judgments: stored(&run, &manifest, directory::JUDGMENTS)?,
        check: None,
        faithfulness: Vec::new(),
        calls: Vec::new(),
    };
    let analysis: Analysis = report::analyze(&records);
    analyze::write(&run, &analysis, &records)?;
    let no_calls: BTreeMap<String, CallView> = BTreeMap::new();
    let page: PathBuf = analyze::write_report(&run, &analysis, &records, &no_calls)?;
    let inputs = directory::fingerprint(&manifest.records);
    manifest.stages.insert(Stage::Analyze, inputs.clone());
    manifest.stages.insert(Stage::Report, inputs);
    run.write_manifest(&manifest)?;
    let unread = records
        .judgments
        .iter()
        .filter(|judgment| matches!(judgment.outcome, Outcome::None { .. }));
    Ok(Summary {
        directory: root.to_owned(),
        answers: Tally::default(),
        judgments: Tally {
            total: records.judgments.len(),
            failed: unread.count(),
        },
        calls_made: 0,
        calls_from_store: 0,
        cost: 0.0,
        cost_incomplete: false,
        // What a log holds is as it is; there is no study that allows so much of it.
        max_failure_share: 1.0,
        most_unread: None,
        max_unparsed_share: 1.0,
        call_failure: None,
        report: Some(page),
    })
}

fn facts(log: &Path, mapping: &Mapping, records: &Records, rows: usize) -> StudyFacts {
    let mut absent = vec![
        "tables and questions of the samples",
        "the pages that the judge saw",
        "prompts and calls",
    ];
    let mut lacks = |missing: bool, what| {
        if missing {
            absent.push(what);
        }
    };
    match mapping.task {
        Task::Preference => lacks(
            mapping.shown_order.is_none(),
            "the order in which explanations were shown: what places do is not known",
        ),
        Task::Simulation => {
            lacks(records.predictions == 0, "the answers that were to be guessed");
            lacks(records.golds == 0, "the right answers");
        }
        Task::Verification => {
            lacks(
                records.read_labels == 0 && (records.golds == 0 || records.predictions == 0),
                "whether the judged answers are right",
            );
            lacks(true, "the order in which the options were shown");
        }
    }
    if mapping.task != Task::Preference {
        lacks(mapping.all_controls().is_empty(), "a control without an explanation");
    }
    let source = log.file_name().unwrap_or_default().to_string_lossy().into_owned();
    StudyFacts {
        name: mapping.name.clone(),
        title: mapping.title.clone(),
        note: mapping.note.clone(),
        seed: 0,
        confidence: mapping.confidence,
        arms: records
            .arms
            .iter()
            .map(|arm| ArmFacts {
                name: arm.clone(),
                answerer: arm.clone(),
                method: IMPORTED.to_owned(),
                method_title: mapping.methods.get(arm).unwrap_or(arm).clone(),
                model: String::new(),
                imported: true,
                format: Format::Imported,
            })
            .collect(),
        judges: records
            .judges
            .iter()
            .map(|judge| JudgeFacts {
                name: judge.clone(),
                model: judge.clone(),
                view: String::new(),
                panel: Vec::new(),
                person: mapping.people.contains(judge),
            })
            .collect(),
        models: Vec::new(),
        tasks: vec![mapping.task],
        control: false,
        protocol: Vec::new(),
        imported_judgments: Some(ImportedJudgments {
            source,
            rows: rows as u64,
            own_samples: mapping.samples == SampleSets::Own,
            shown_order_known: mapping.shown_order.is_some(),
            control_arms: mapping.all_controls(),
            controls: mapping.controls_of(&records.arms),
            absent: absent.into_iter().map(str::to_owned).collect(),
            unread_predictions: records.unread_predictions,
            unread_gold: records.unread_gold,
            unread_labels: records.unread_labels,
            rankings_without_arms: records.rankings_without_arms,
            conflicting_gold: records.conflicting_gold,
            labels_against_scoring: records.labels_against_scoring,
        }),
    }
}
