//! What a comparison with published numbers has to know of a run: its analysis, and how it was made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::dataset::{Selection, Source};
use crate::judge::Task;
use crate::judge::settings::{
    Labels, OptionOrder, OrderDesign, PreferenceTask, SimulationTask, Tasks, VerificationTask,
};
use crate::report::compare::{RunProtocol, Split};
use crate::report::{Analysis, SCHEMA_VERSION};

use super::directory::{self, RunDirectory};
use super::file::ArmOrigin;
use super::load::Study;
use super::run::RunError;

/// The analysis of a run, and how the run was made as far as published numbers say how theirs were.
pub fn compared_run(root: &Path) -> Result<(Analysis, RunProtocol), RunError> {
    let run = RunDirectory::open(root)?;
    let found: Value = run.read_json(directory::ANALYSIS)?.ok_or_else(|| {
        RunError::Stage(format!(
            "{}: there is no analysis.json in this run; make it with `tabjury report`",
            run.root().display()
        ))
    })?;
    if found["schema_version"] != SCHEMA_VERSION {
        return Err(RunError::Stage(format!(
            "{}: its analysis.json is of another version ({}, not {SCHEMA_VERSION}); make it again with `tabjury report`",
            run.root().display(),
            found["schema_version"]
        )));
    }
    let analysis: Analysis = run
        .read_json(directory::ANALYSIS)?
        .ok_or_else(|| RunError::Changed(format!("{}: analysis.json is gone", run.root().display())))?;
    let path = run.path(directory::STUDY);
    // What was imported has no study, and of how it was made nothing is known.
    if !path.is_file() {
        return Ok((analysis, RunProtocol::default()));
    }
    let study = Study::from_text(&path, PathBuf::new(), run.read_text(directory::STUDY)?)?;
    Ok((analysis, protocol(&study)))
}

fn protocol(study: &Study) -> RunProtocol {
    let settings = study.file.arms.iter().filter_map(|arm| match arm.origin() {
        Some(ArmOrigin::Method { method: "pos", .. }) => {
            let planner = arm.settings.get("planner").and_then(|value| value.as_str());
            let words = match planner {
                Some("one_step") => "one-step planning",
                _ => "one-time planning",
            };
            Some((arm.name.clone(), words.to_owned()))
        }
        _ => None,
    });
    RunProtocol {
        splits: study.file.samples.iter().map(split).collect(),
        settings: settings.collect(),
        differences: differences(&study.file.tasks),
    }
}

fn split(source: &Source) -> Split {
    let (name, select) = match source {
        Source::Tabfact { split, select, .. } => {
            let name = match split.as_deref() {
                Some("small_test") => Some("TabFact small test"),
                Some("complex_test") => Some("TabFact complex test"),
                _ => None,
            };
            (name, select)
        }
        Source::Wikitq { split, select, .. } => {
            let name = match split.as_str() {
                "pristine-unseen-tables" => Some("WikiTQ test"),
                "random-split-1-dev" => Some("WikiTQ dev"),
                _ => None,
            };
            (name, select)
        }
        Source::Fetaqa { select, .. } => (Some("FeTaQA"), select),
        Source::Custom { select, .. } => (None, select),
    };
    Split {
        name: name.map(str::to_owned),
        selected: *select != Selection::default(),
    }
}

/// What of the tasks is not as published. Settings are taken apart whole, so that a new one does not compile unmentioned.
fn differences(tasks: &Tasks) -> BTreeMap<Task, Vec<String>> {
    let mut differences: BTreeMap<Task, Vec<String>> = BTreeMap::new();
    let mut add = |task, differs: bool, words: &str| {
        if differs {
            differences.entry(task).or_default().push(words.to_owned());
        }
    };
    let Tasks {
        preset: _,
        preference,
        simulation,
        verification,
        faithfulness: _,
    } = tasks;
    if let Some(preference) = preference {
        let PreferenceTask {
            protocol,
            ties,
            repeats,
            orders,
            orders_per_sample,
            labels,
            prompt,
            include_control,
        } = preference;
        let task = Task::Preference;
        add(task, !protocol.is_ranking(), "no rankings were asked for");
        add(task, *ties, "explanations may share a place");
        add(task, *repeats > 1, "every trial several times");
        add(
            task,
            *orders != OrderDesign::Rotate,
            "orders other than rotations of one order",
        );
        add(task, orders_per_sample.is_some(), "not every order for every sample");
        add(
            task,
            *labels == Labels::Blind,
            "blind labels; published: the methods' names",
        );
        add(
            task,
            *labels != Labels::NamedWithDescriptions,
            "no descriptions of the methods; published: with them",
        );
        add(task, prompt.is_some(), "a prompt of the study's own");
        add(task, *include_control, "the control is ranked too");
    }
    if let Some(SimulationTask { repeats, prompt: _ }) = simulation {
        add(Task::Simulation, *repeats > 1, "every trial several times");
        add(Task::Simulation, true, "another prompt");
    }
    if let Some(verification) = verification {
        let VerificationTask {
            repeats,
            options,
            prompt: _,
        } = verification;
        let task = Task::Verification;
        add(task, *repeats > 1, "every trial several times");
        add(
            task,
            *options == OptionOrder::Balanced,
            "options in both orders; published: in one order a run",
        );
        add(task, true, "another prompt");
    }
    differences
}
