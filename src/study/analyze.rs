//! The analyze and report stages: what a run stored, into the report room and back into files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::dataset::Sample;
use crate::engine::Engine;
use crate::judge::panel::{self, Panel};
use crate::judge::{Judgment, Task, Trial};
use crate::method;
use crate::model::store::CallStore;
use crate::model::{ModelEntry, Usage};
use crate::report::run_check::RunCheck;
use crate::report::{
    self, Analysis, ArmFacts, CallUsage, JudgeFacts, ModelFacts, ModelPrice, PageRecord, RunRecords, StudyFacts,
};
use crate::report::{CallLookup, CallTokens};
use crate::trace::imported::IMPORTED;
use crate::trace::{FaithfulnessRecord, Trace};

use super::ask::{purpose, repair_purpose};
use super::directory::{ANALYSIS, RunDirectory};
use super::file::{ArmOrigin, EngineSettings, StudyFile};
use super::load::{Arm, Study};
use super::models::{Models, word};
use super::preset::differences;
use super::run::RunError;

/// The engine that a study asks for.
pub(super) fn engine(settings: &EngineSettings) -> Engine {
    let mut engine = Engine::default();
    engine.limits.time = Duration::from_millis(settings.time_limit_milliseconds);
    engine.double_quoted_strings = settings.double_quoted_strings;
    engine.typed_columns = settings.typed_columns;
    engine
}

/// Puts together what the analysis looks at.
#[expect(clippy::too_many_arguments, reason = "one argument for each kind of record of a run")]
pub(super) fn records(
    study: &Study,
    arms: &[Arm],
    models: &Models,
    samples: Vec<Sample>,
    traces: Vec<Trace>,
    pages: Vec<PageRecord>,
    trials: Vec<Trial>,
    mut judgments: Vec<Judgment>,
    check: Option<RunCheck>,
    faithfulness: Vec<FaithfulnessRecord>,
) -> Result<RunRecords, RunError> {
    let calls = calls(&study.file, models.store(), &traces, &faithfulness, &trials, &judgments)?;
    let of_panels = panel_judgments(&study.file, &trials, &judgments);
    judgments.extend(of_panels);
    Ok(RunRecords {
        study: facts(study, arms, models, &traces),
        samples,
        traces,
        pages,
        trials,
        judgments,
        check,
        faithfulness,
        calls,
    })
}

/// What the panels of a study come to, from the judgments of their judges.
fn panel_judgments(file: &StudyFile, trials: &[Trial], judgments: &[Judgment]) -> Vec<Judgment> {
    let mut by_trial: BTreeMap<&str, Vec<&Judgment>> = BTreeMap::new();
    for judgment in judgments {
        by_trial.entry(&judgment.trial).or_default().push(judgment);
    }
    let mut made = Vec::new();
    for entry in &file.panels {
        let panel = Panel {
            name: entry.name.clone(),
            judges: entry.judges.clone(),
            quorum: entry.quorum(),
        };
        made.extend(trials.iter().filter_map(|trial| {
            let own = by_trial.get(trial.id.as_str())?;
            panel::judgment(&panel, trial, own)
        }));
    }
    made
}

fn facts(study: &Study, arms: &[Arm], models: &Models, traces: &[Trace]) -> StudyFacts {
    let file = &study.file;
    let arm_facts = |(arm, entry): (&Arm, &super::file::ArmEntry)| {
        let own = traces.iter().find(|trace| trace.answerer == arm.answerer);
        let imported = own.and_then(|trace| trace.imported.as_ref());
        let (method, model) = match entry.origin() {
            Some(ArmOrigin::Method { method, model }) => (method, model.to_owned()),
            _ => (
                IMPORTED,
                imported.and_then(|imported| imported.model.clone()).unwrap_or_default(),
            ),
        };
        ArmFacts {
            name: arm.name.clone(),
            answerer: arm.answerer.clone(),
            method: method.to_owned(),
            method_title: match imported {
                Some(imported) => format!("{} (imported)", imported.name),
                None => method::find(method).map_or_else(|| method.to_owned(), |found| found.title.to_owned()),
            },
            model,
            imported: entry.import.is_some(),
            format: arm.format,
        }
    };
    let model_facts = |entry: &ModelEntry| ModelFacts {
        name: entry.name().to_owned(),
        identifier: match entry {
            ModelEntry::Openai { model, .. } => Some(model.clone()),
            ModelEntry::Script { .. } => None,
        },
        scripted: matches!(entry, ModelEntry::Script { .. }),
        price: models.price(entry.name()).map(|price| ModelPrice {
            input_per_million: price.input_per_million,
            output_per_million: price.output_per_million,
        }),
    };
    StudyFacts {
        name: file.study.name.clone(),
        title: file.study.title.clone(),
        note: file.study.note.clone(),
        seed: file.study.seed,
        confidence: file.report.confidence,
        arms: arms.iter().zip(&file.arms).map(arm_facts).collect(),
        judges: file
            .judges
            .iter()
            .map(|judge| JudgeFacts {
                name: judge.name.clone(),
                model: judge.model.clone(),
                view: word(&judge.view),
                panel: Vec::new(),
                person: false,
            })
            .chain(file.panels.iter().map(|panel| JudgeFacts {
                name: panel.name.clone(),
                model: String::new(),
                view: String::new(),
                panel: panel.judges.clone(),
                person: false,
            }))
            .collect(),
        models: file.models.iter().map(model_facts).collect(),
        tasks: tasks(file),
        control: file.control.enabled,
        imported_judgments: None,
        protocol: differences(file),
    }
}

fn tasks(file: &StudyFile) -> Vec<Task> {
    let named = [
        (Task::Preference, file.tasks.preference.is_some()),
        (Task::Simulation, file.tasks.simulation.is_some()),
        (Task::Verification, file.tasks.verification.is_some()),
    ];
    named
        .into_iter()
        .filter(|(_, asked)| *asked)
        .map(|(task, _)| task)
        .collect()
}

/// Sums the calls of methods and judges by model and purpose. Two answerers or judges may share a stored call, which was
/// made and paid for once.
fn calls(
    file: &StudyFile,
    store: &CallStore,
    traces: &[Trace],
    faithfulness: &[FaithfulnessRecord],
    trials: &[Trial],
    judgments: &[Judgment],
) -> Result<Vec<CallUsage>, RunError> {
    let purposes: BTreeMap<&str, &str> = trials
        .iter()
        .map(|trial| (trial.id.as_str(), purpose(trial.task)))
        .collect();
    let models: BTreeMap<&str, &str> = file
        .judges
        .iter()
        .map(|judge| (judge.name.as_str(), judge.model.as_str()))
        .collect();
    let repairs: BTreeMap<&str, String> = trials
        .iter()
        .map(|trial| (trial.id.as_str(), repair_purpose(trial.task)))
        .collect();
    let keys = judgments.iter().flat_map(|judgment| {
        let repair = judgment.repair.as_ref().and_then(|repair| repair.call.as_deref());
        judgment.call.as_deref().into_iter().chain(repair)
    });
    let usage: BTreeMap<String, Option<Usage>> = store
        .records(keys)?
        .into_iter()
        .map(|record| (record.key.clone(), record.usage()))
        .collect();
    let mut counted = BTreeSet::new();
    let mut calls = Vec::new();
    let mut count = |model, purpose, key: &str, usage: Option<Usage>, failed| {
        if key.is_empty() || counted.insert(key.to_owned()) {
            calls.push((model, purpose, usage.map(tokens), failed));
        }
    };
    for trace in traces {
        for call in &trace.calls {
            count(
                trace.model.as_str(),
                call.purpose.as_str(),
                &call.call,
                call.usage,
                call.failed,
            );
        }
    }
    let answering: BTreeMap<(&str, &str), &str> = traces
        .iter()
        .map(|trace| ((trace.sample.as_str(), trace.answerer.as_str()), trace.model.as_str()))
        .collect();
    for record in faithfulness {
        let model = answering.get(&(record.sample.as_str(), record.answerer.as_str()));
        for call in &record.calls {
            count(
                model.copied().unwrap_or_default(),
                call.purpose.as_str(),
                &call.call,
                call.usage,
                call.failed,
            );
        }
    }
    for judgment in judgments {
        let judge = judgment.judge.as_str();
        let model = models.get(judge).copied().unwrap_or(judge);
        let purpose = purposes.get(judgment.trial.as_str()).copied().unwrap_or("judge");
        let key = judgment.call.as_deref().unwrap_or_default();
        count(model, purpose, key, usage.get(key).copied().flatten(), key.is_empty());
        if let Some(repair) = &judgment.repair {
            let purpose = repairs
                .get(judgment.trial.as_str())
                .map_or("judge.repair", String::as_str);
            let key = repair.call.as_deref().unwrap_or_default();
            count(model, purpose, key, usage.get(key).copied().flatten(), key.is_empty());
        }
    }
    Ok(CallUsage::tally(calls))
}

/// Tokens as the report counts them.
pub(super) fn tokens(usage: Usage) -> CallTokens {
    CallTokens {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
    }
}

/// Writes the analysis and its tables.
pub(super) fn write(directory: &RunDirectory, analysis: &Analysis, records: &RunRecords) -> Result<(), RunError> {
    let mut tables = report::csv_tables(analysis, records)?;
    tables.extend(report::latex_tables(analysis));
    #[cfg(feature = "parquet")]
    tables.extend(report::parquet_tables(analysis, records)?);
    directory.write_json(ANALYSIS, analysis)?;
    let inside = |(path, bytes): (String, Vec<u8>)| (path.strip_prefix("tables/").unwrap_or(&path).to_owned(), bytes);
    Ok(directory.replace_directory("tables", &tables.into_iter().map(inside).collect::<Vec<_>>())?)
}

/// Writes the report and the pages of its trials; returns where the report is.
pub(super) fn write_report(
    directory: &RunDirectory,
    analysis: &Analysis,
    records: &RunRecords,
    calls: &dyn CallLookup,
) -> Result<PathBuf, RunError> {
    let names = ["figures", "lists", "trials"];
    let mut replaced = Vec::new();
    for name in names {
        replaced.push(directory.replacement(name)?);
    }
    let mut others = Vec::new();
    report::report_pages(analysis, records, calls, |path, bytes| {
        let inside = path.split_once('/');
        let place = inside.and_then(|(name, inside)| Some((names.iter().position(|known| *known == name)?, inside)));
        match place.and_then(|(place, inside)| Some((replaced.get_mut(place)?, inside))) {
            Some((directory, inside)) => directory.add(inside, &bytes)?,
            None => others.push((path, bytes)),
        }
        Ok::<(), RunError>(())
    })?;
    for directory in replaced {
        directory.put_in_place()?;
    }
    // Last, so that it never stands beside the trials of another report.
    for (path, bytes) in others {
        directory.write(&path, &bytes)?;
    }
    Ok(directory.path("report.html"))
}
