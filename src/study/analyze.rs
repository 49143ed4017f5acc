//! The analyze and report stages: what a run stored, into the report room and back into files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::dataset::Sample;
use crate::engine::Engine;
use crate::judge::{Judgment, Task, Trial};
use crate::method;
use crate::model::store::CallStore;
use crate::model::{ModelEntry, Usage};
use crate::report::CallTokens;
use crate::report::{
    self, Analysis, ArmFacts, CallUsage, JudgeFacts, ModelFacts, ModelPrice, PageRecord, RunRecords, StudyFacts,
};
use crate::trace::Trace;

use super::directory::{ANALYSIS, RunDirectory};
use super::file::{EngineSettings, StudyFile};
use super::judge::purpose;
use super::load::{Arm, Study};
use super::models::{Models, StoredCalls, word};
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
    judgments: Vec<Judgment>,
) -> Result<RunRecords, RunError> {
    let calls = calls(&study.file, models.store(), &traces, &trials, &judgments)?;
    Ok(RunRecords {
        study: facts(study, arms, models),
        samples,
        traces,
        pages,
        trials,
        judgments,
        calls,
    })
}

fn facts(study: &Study, arms: &[Arm], models: &Models) -> StudyFacts {
    let file = &study.file;
    let arm_facts = |(arm, entry): (&Arm, &super::file::ArmEntry)| ArmFacts {
        name: arm.name.clone(),
        answerer: arm.answerer.clone(),
        method: entry.method.clone(),
        method_title: method::find(&entry.method).map_or_else(|| entry.method.clone(), |found| found.title.to_owned()),
        model: entry.model.clone(),
        format: arm.format,
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
            })
            .collect(),
        models: file.models.iter().map(model_facts).collect(),
        tasks: tasks(file),
        control: file.control.enabled,
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

/// Sums the calls of methods and judges by model and purpose.
fn calls(
    file: &StudyFile,
    store: &CallStore,
    traces: &[Trace],
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
    let keys = judgments.iter().filter_map(|judgment| judgment.call.as_deref());
    let usage: BTreeMap<String, Option<Usage>> = store
        .records(keys)?
        .into_iter()
        .map(|record| (record.key.clone(), record.usage()))
        .collect();
    let asked = traces.iter().flat_map(|trace| {
        trace.calls.iter().map(|call| {
            (
                trace.model.as_str(),
                call.purpose.as_str(),
                call.usage.map(tokens),
                call.failed,
            )
        })
    });
    let judged = judgments.iter().map(|judgment| {
        let model = models
            .get(judgment.judge.as_str())
            .copied()
            .unwrap_or(judgment.judge.as_str());
        let purpose = purposes.get(judgment.trial.as_str()).copied().unwrap_or("judge");
        let spent = judgment.call.as_ref().and_then(|key| usage.get(key).copied().flatten());
        (model, purpose, spent.map(tokens), judgment.call.is_none())
    });
    Ok(CallUsage::tally(asked.chain(judged)))
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
    let tables = report::csv_tables(analysis, records)?;
    directory.write_json(ANALYSIS, analysis)?;
    let inside = |(path, bytes): (String, Vec<u8>)| (path.trim_start_matches("tables/").to_owned(), bytes);
    Ok(directory.replace_directory("tables", &tables.into_iter().map(inside).collect::<Vec<_>>())?)
}

/// Writes the report and the pages of its trials; returns where the report is.
pub(super) fn write_report(
    directory: &RunDirectory,
    analysis: &Analysis,
    records: &RunRecords,
    store: &CallStore,
) -> Result<PathBuf, RunError> {
    let mut trials = directory.replacement("trials")?;
    report::report_pages(analysis, records, &StoredCalls(store), |path, bytes| {
        let written = match path.strip_prefix("trials/") {
            Some(inside) => trials.add(inside, &bytes),
            None => directory.write(&path, &bytes),
        };
        written.map_err(RunError::from)
    })?;
    trials.put_in_place()?;
    Ok(directory.path("report.html"))
}
