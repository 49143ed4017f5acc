//! `tabjury schema`: the JSON Schema (draft 2020-12) of the study file and of every kind of record.

use schemars::{Schema, schema_for};
use serde_json::{Map, Value};

use super::arguments::SchemaArguments;
use super::exit::{Exit, Failure};
use super::files;
use super::printer::Printer;

/// What has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Kind {
    /// The study file, as the JSON form of its TOML.
    Study,
    /// One table with a question and its gold answer.
    Sample,
    /// What a method did on a sample.
    Trace,
    /// What a perturbation proof of a step's lineage found.
    StepProof,
    /// What the analysis counts about a page.
    PageFacts,
    /// One thing put before a judge.
    Trial,
    /// What a judge answered.
    Judgment,
    /// Whether an answer follows from what its explanation marks.
    Faithfulness,
    /// One call of a model, as the call store keeps it.
    Call,
    /// Every number of a run.
    Analysis,
    /// What made each output of a run.
    Run,
    /// One line of a script of answers.
    Script,
    /// A plan for `tabjury execute`.
    Plan,
    /// What `tabjury check` found.
    Check,
}

impl Kind {
    /// Its name on the command line and of its file in `docs/schema`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::Sample => "sample",
            Self::Trace => "trace",
            Self::StepProof => "step_proof",
            Self::PageFacts => "page_facts",
            Self::Trial => "trial",
            Self::Judgment => "judgment",
            Self::Faithfulness => "faithfulness",
            Self::Call => "call",
            Self::Analysis => "analysis",
            Self::Run => "run",
            Self::Script => "script",
            Self::Plan => "plan",
            Self::Check => "check",
        }
    }

    /// Its schema.
    pub(super) fn schema(self) -> Schema {
        match self {
            Self::Study => schema_for!(crate::study::file::StudyFile),
            Self::Sample => schema_for!(crate::dataset::Sample),
            Self::Trace => schema_for!(crate::trace::Trace),
            Self::StepProof => schema_for!(crate::trace::proof::StepProof),
            Self::PageFacts => schema_for!(crate::explain::PageFacts),
            Self::Trial => schema_for!(crate::judge::Trial),
            Self::Judgment => schema_for!(crate::judge::Judgment),
            Self::Faithfulness => schema_for!(crate::trace::FaithfulnessRecord),
            Self::Call => schema_for!(crate::model::CallRecord),
            Self::Analysis => schema_for!(crate::report::Analysis),
            Self::Run => schema_for!(crate::study::directory::Manifest),
            Self::Script => schema_for!(crate::model::script::ScriptLine),
            Self::Plan => schema_for!(crate::method::written_plan::WrittenPlan),
            Self::Check => schema_for!(crate::report::run_check::RunCheck),
        }
    }
}

/// Runs the command.
pub(super) fn run(arguments: &SchemaArguments, printer: &Printer) -> Result<Exit, Failure> {
    let kinds = <Kind as clap::ValueEnum>::value_variants();
    match (arguments.kind, &arguments.out) {
        (Some(kind), _) => printer.data(&pretty(kind.schema().as_value())?)?,
        (None, Some(directory)) => {
            for kind in kinds {
                let path = directory.join(format!("{}.json", kind.name()));
                files::write(&path, pretty(kind.schema().as_value())?.as_bytes())?;
            }
        }
        (None, None) => {
            let all: Map<String, Value> = kinds
                .iter()
                .map(|kind| (kind.name().to_owned(), kind.schema().to_value()))
                .collect();
            printer.data(&pretty(&Value::Object(all))?)?;
        }
    }
    Ok(Exit::Success)
}

/// JSON for people, with a line break at its end.
pub(super) fn pretty(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| Failure::new(Exit::Other, error, super::REPORT_DEFECT))
}
