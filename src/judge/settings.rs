//! The settings of judging that a study chooses: tasks, designs of orders, labels, and what a judge sees.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::protocol::Protocol;

/// What a judge sees of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgeView {
    /// Markdown with the marks as text.
    #[default]
    Markdown,
    /// The page's HTML.
    Html,
    /// A picture of the page, as the Chromium of this machine draws it; for models that see.
    Picture,
}

/// A set of settings under one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The defaults that this page names.
    #[default]
    Default,
    /// As the Plan-of-SQLs study judged: rotated orders, named explanations with descriptions, options in one order, no
    /// control, HTML. What the study file sets itself holds.
    Published,
}

/// How a judge is asked to give its verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgeOutput {
    /// Free text that ends in a line with the verdict.
    #[default]
    Text,
    /// A JSON object of a schema that is sent along; text where the endpoint refuses the schema.
    Json,
}

/// Where a judge's confidence is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceSource {
    /// The probabilities of the tokens that the verdict could have begun with, where the endpoint tells them.
    TokenProbabilities,
}

/// The tasks of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tasks {
    /// Defaults of what is left out below.
    pub preset: Preset,
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
    /// The arms' names.
    Named,
    /// The arms' names, and what each arm's method does, in a sentence (as published).
    NamedWithDescriptions,
}

/// Settings of the preference task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PreferenceTask {
    /// What is asked for.
    pub protocol: Protocol,
    /// Whether a ranking or pair may be tied.
    pub ties: bool,
    /// How often each trial is put before each judge, as independent draws.
    pub repeats: u32,
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

impl Default for PreferenceTask {
    fn default() -> Self {
        Self {
            protocol: Protocol::default(),
            ties: false,
            repeats: 1,
            orders: OrderDesign::default(),
            orders_per_sample: None,
            labels: Labels::default(),
            prompt: None,
            include_control: false,
        }
    }
}

/// Settings of the simulation task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationTask {
    /// How often each trial is put before each judge, as independent draws.
    pub repeats: u32,
    /// A prompt of the study's own, instead of `judge_prompts/simulation.txt`.
    pub prompt: Option<PathBuf>,
}

impl Default for SimulationTask {
    fn default() -> Self {
        Self {
            repeats: 1,
            prompt: None,
        }
    }
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VerificationTask {
    /// How often each trial is put before each judge, as independent draws.
    pub repeats: u32,
    /// Order of the options.
    pub options: OptionOrder,
    /// A prompt of the study's own, instead of `judge_prompts/verification.txt`.
    pub prompt: Option<PathBuf>,
}

impl Default for VerificationTask {
    fn default() -> Self {
        Self {
            repeats: 1,
            options: OptionOrder::default(),
            prompt: None,
        }
    }
}
