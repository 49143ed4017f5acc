//! The settings of judging that a study chooses: tasks, designs of orders, labels, and what a judge sees.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a judge sees of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgeView {
    /// Markdown with the marks as text.
    #[default]
    Markdown,
    /// The page's HTML.
    Html,
}

/// The tasks of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tasks {
    /// Rank the explanations.
    pub preference: Option<PreferenceTask>,
    /// Guess the model's answer.
    pub simulation: Option<SimulationTask>,
    /// Judge the model's answer.
    pub verification: Option<VerificationTask>,
    /// Measure whether answers follow from what is marked. No judge is asked; it is part of a study unless switched off.
    pub faithfulness: FaithfulnessTask,
}

/// Settings of the faithfulness task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FaithfulnessTask {
    /// Part of the study unless switched off.
    pub enabled: bool,
    /// Whether answers that a model wrote after steps are measured too, by asking the method twice more.
    pub ask_models: bool,
}

impl Default for FaithfulnessTask {
    fn default() -> Self {
        Self {
            enabled: true,
            ask_models: false,
        }
    }
}

/// How explanations are ordered before a judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderDesign {
    /// A Williams square: every arm in every place equally often, and after every other arm equally often.
    #[default]
    Williams,
    /// Cyclic rotations of the study's order: every arm in every place, neighbours fixed (as published).
    Rotate,
    /// One order a sample, drawn from the seed.
    Random,
    /// Every permutation.
    All,
}

/// What the explanations are called before a judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Labels {
    /// `Explanation A`, `Explanation B`, ... by place.
    #[default]
    Blind,
    /// The arms' names (as published).
    Named,
}

/// Settings of the preference task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PreferenceTask {
    /// The design of orders.
    pub orders: OrderDesign,
    /// How many of the design's orders each sample is judged in, taken in turn over the samples. Default: all of them.
    pub orders_per_sample: Option<usize>,
    /// Labels.
    pub labels: Labels,
    /// A prompt of the study's own, instead of `judge_prompts/preference.txt`.
    pub prompt: Option<PathBuf>,
    /// Whether the control page is ranked too.
    pub include_control: bool,
}

/// Settings of the simulation task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationTask {
    /// A prompt of the study's own, instead of `judge_prompts/simulation.txt`.
    pub prompt: Option<PathBuf>,
}

/// How the two options are ordered before a judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OptionOrder {
    /// Half of the samples see `correct` first, half `incorrect`; the same for all arms of a sample.
    #[default]
    Balanced,
    /// `correct` first, always.
    CorrectFirst,
    /// `incorrect` first, always.
    IncorrectFirst,
}

/// Settings of the verification task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VerificationTask {
    /// Order of the options.
    pub options: OptionOrder,
    /// A prompt of the study's own, instead of `judge_prompts/verification.txt`.
    pub prompt: Option<PathBuf>,
}
