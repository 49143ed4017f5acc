//! What a comparison with published numbers has to know of a run: its analysis, and how it was made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::dataset::{Selection, Source};
use crate::judge::Task;
use crate::judge::settings::{Labels, OptionOrder, OrderDesign, Tasks};
use crate::report::Analysis;
use crate::report::compare::{RunProtocol, Split};

use super::directory::{self, RunDirectory};
use super::file::ArmOrigin;
use super::load::Study;
use super::run::RunError;

/// The analysis of a run, and how the run was made as far as published numbers say how theirs were.
pub fn compared_run(root: &Path) -> Result<(Analysis, RunProtocol), RunError> {
    let run = RunDirectory::open(root)?;
    let analysis: Analysis = run.read_json(directory::ANALYSIS)?.ok_or_else(|| {
        RunError::Stage(format!(
            "{}: there is no analysis.json in this run; make it with `tabjury report`",
            run.root().display()
        ))
    })?;
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
        Source::Tabfact { path, split, select } => {
            let name = match split.as_deref() {
                Some("small_test") => Some("TabFact small test"),
                Some("complex_test") => Some("TabFact complex test"),
                // Chain-of-Table's file of the small test set.
                None if path.extension().is_some_and(|ending| ending == "jsonl") => Some("TabFact small test"),
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

fn differences(tasks: &Tasks) -> BTreeMap<Task, Vec<String>> {
    let mut differences: BTreeMap<Task, Vec<String>> = BTreeMap::new();
    let mut add = |task, words: &str| differences.entry(task).or_default().push(words.to_owned());
    if let Some(preference) = &tasks.preference {
        if preference.orders != OrderDesign::Rotate {
            add(Task::Preference, "orders other than rotations of one order");
        }
        if preference.labels == Labels::Blind {
            add(Task::Preference, "blind labels; published: the methods' names");
        }
        if preference.include_control {
            add(Task::Preference, "the control is ranked too");
        }
        if preference.labels != Labels::NamedWithDescriptions {
            add(Task::Preference, "no descriptions of the methods; published: with them");
        }
    }
    if tasks.simulation.is_some() {
        add(Task::Simulation, "another prompt");
    }
    if let Some(verification) = &tasks.verification {
        if verification.options == OptionOrder::Balanced {
            add(
                Task::Verification,
                "options in both orders; published: in one order a run",
            );
        }
        add(Task::Verification, "another prompt");
    }
    differences
}
