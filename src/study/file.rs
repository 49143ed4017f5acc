//! The study file: a TOML document that names samples, models, arms, judges and tasks.
//!
//! This is the schema with its defaults. What it means together (do the named models exist, is a method defined for
//! the samples) is checked by [`super::check`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::Source;
use crate::explain::Format;
use crate::judge::settings::{ConfidenceSource, JudgeOutput, JudgeView, Tasks};
use crate::model::settings::{ModelEntry, Price};

/// A whole study file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// Name, seed and note.
    pub study: StudyHead,
    /// Where the samples come from; several sources are put together in order.
    pub samples: Vec<Source>,
    /// The models that answer and judge.
    pub models: Vec<ModelEntry>,
    /// What is compared.
    pub arms: Vec<ArmEntry>,
    /// Who judges.
    #[serde(default)]
    pub judges: Vec<JudgeEntry>,
    /// Judges that are several others together; they ask nobody.
    #[serde(default)]
    pub panels: Vec<PanelEntry>,
    /// What the judges do; a task left out is not run.
    #[serde(default)]
    pub tasks: Tasks,
    /// The no-explanation control.
    #[serde(default)]
    pub control: Control,
    /// Prices by model identifier; they come before the built-in table.
    #[serde(default)]
    pub prices: BTreeMap<String, Price>,
    /// The guarded SQL engine.
    #[serde(default)]
    pub engine: EngineSettings,
    /// The pages.
    #[serde(default)]
    pub pages: PageSettings,
    /// The analysis and report.
    #[serde(default)]
    pub report: ReportSettings,
}

/// Name, seed and note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyHead {
    /// Letters, digits, `-`, `_` and `.`; names the run directory under `results/`.
    pub name: String,
    /// For people.
    #[serde(default)]
    pub title: Option<String>,
    /// The one seed; every random choice derives from (seed, purpose, ids).
    #[serde(default)]
    pub seed: u64,
    /// Printed at the head of the report, such as what the data cannot say.
    #[serde(default)]
    pub note: Option<String>,
}

/// What is compared: method + model + format, or explanations made elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmEntry {
    /// Letters, digits, `-`, `_` and `.`; not `none`, which names the control.
    pub name: String,
    /// A method of the registry; not with `import`.
    #[serde(default)]
    pub method: Option<String>,
    /// A model of this study; not with `import`.
    #[serde(default)]
    pub model: Option<String>,
    /// A file that `tabjury import` wrote, relative to the study file: explanations made elsewhere.
    #[serde(default)]
    pub import: Option<PathBuf>,
    /// What its method does, in a sentence, for judges that see named explanations with descriptions. Default: the
    /// registry's sentence on the method; none for explanations made elsewhere.
    #[serde(default)]
    pub description: Option<String>,
    /// How its traces are shown. Default: the method's own format; of imported pages, the pages themselves.
    #[serde(default)]
    pub format: Option<Format>,
    /// Settings of the method.
    #[serde(default)]
    pub settings: BTreeMap<String, serde_json::Value>,
}

/// Where an arm's traces come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArmOrigin<'a> {
    /// A method answers with a model.
    Method {
        /// The method's name in the registry.
        method: &'a str,
        /// The model's name in the study.
        model: &'a str,
    },
    /// They were made elsewhere.
    Import(&'a Path),
}

impl ArmEntry {
    /// Where its traces come from; `None` when the entry does not say, or says both.
    pub fn origin(&self) -> Option<ArmOrigin<'_>> {
        match (&self.method, &self.model, &self.import) {
            (Some(method), Some(model), None) => Some(ArmOrigin::Method { method, model }),
            (None, None, Some(path)) => Some(ArmOrigin::Import(path)),
            _ => None,
        }
    }
}

/// Who judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeEntry {
    /// Its name in reports.
    pub name: String,
    /// A model of this study.
    pub model: String,
    /// What it sees of a page.
    #[serde(default)]
    pub view: JudgeView,
    /// Longest answer, in tokens.
    #[serde(default = "default_judge_max_tokens")]
    pub max_tokens: u32,
    /// Softmax temperature.
    #[serde(default)]
    pub temperature: f64,
    /// How it is asked to give its verdict.
    #[serde(default)]
    pub output: JudgeOutput,
    /// Whether it is asked once more, for the last line alone, when no verdict can be read in its answer.
    #[serde(default = "default_judge_repair")]
    pub repair: bool,
    /// Whether an ambiguous verdict (a half one, a tie, two that differ) is asked for once more too, which makes the judge
    /// choose. Only with `repair`.
    #[serde(default)]
    pub repair_ambiguous: bool,
    /// Where its confidence is taken from. Default: nowhere.
    #[serde(default)]
    pub confidence: Option<ConfidenceSource>,
}

/// Judges that count as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PanelEntry {
    /// Its name in reports.
    pub name: String,
    /// Judges of this study, at least two.
    pub judges: Vec<String>,
    /// How many of them have to give a verdict that can be read. Default: more than half.
    #[serde(default)]
    pub quorum: Option<usize>,
}

impl PanelEntry {
    /// How many of its judges have to give a verdict.
    pub fn quorum(&self) -> usize {
        self.quorum.unwrap_or(self.judges.len() / 2 + 1)
    }
}

fn default_judge_repair() -> bool {
    true
}

pub(super) fn default_judge_max_tokens() -> u32 {
    512
}

/// The pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PageSettings {
    /// What happens when the leak check finds that a page tells its withheld answer, the gold answer or what made it.
    pub on_leak: OnLeak,
}

/// What happens when a page tells what it must not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnLeak {
    /// The run stops before any trial is asked.
    #[default]
    Refuse,
    /// The run goes on, and the report says so.
    Flag,
}

/// The no-explanation control.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Control {
    /// Part of the study unless switched off.
    pub enabled: bool,
}

impl Default for Control {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// The guarded SQL engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EngineSettings {
    /// Longest time of one statement, in milliseconds.
    pub time_limit_milliseconds: u64,
    /// Whether `"name"` that is no column becomes text, as in the published runs.
    pub double_quoted_strings: bool,
    /// Whether columns are typed by their cells.
    pub typed_columns: bool,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            time_limit_milliseconds: 2_000,
            double_quoted_strings: false,
            typed_columns: true,
        }
    }
}

/// The analysis and report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSettings {
    /// Confidence level of all intervals.
    pub confidence: f64,
    /// A run in which a larger share of answers and judgments failed ends with its own exit code.
    pub max_failure_share: f64,
    /// A run in which a larger share of some judge's judgments has no verdict ends with its own exit code.
    pub max_unparsed_share: f64,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            max_failure_share: 0.1,
            max_unparsed_share: 0.2,
        }
    }
}
