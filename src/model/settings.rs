//! A model as a study file names it.
//!
//! Only the words are here. What they come to (a provider behind the call store) is made by [`super::build`].

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Sampling;

/// A model, and who answers for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelEntry {
    /// Any OpenAI-compatible chat endpoint.
    Openai {
        /// Its name in this study.
        name: String,
        /// With or without `/v1` and a trailing slash.
        base_url: String,
        /// The identifier sent to the endpoint.
        model: String,
        /// Environment variable that holds the key. Default: none, but for `api.openai.com` and this machine, which
        /// are given `OPENAI_API_KEY` where it is set. No other host is ever sent a key it was not named for.
        #[serde(default)]
        api_key_env: Option<String>,
        /// File whose first line is the key, relative to the study file.
        #[serde(default)]
        api_key_file: Option<PathBuf>,
        /// Longest time of one attempt, in seconds.
        #[serde(default = "default_timeout_seconds")]
        timeout_seconds: u64,
        /// Attempts after the first.
        #[serde(default = "default_max_retries")]
        max_retries: u32,
        /// Most calls under way at once.
        #[serde(default = "default_concurrency")]
        concurrency: usize,
        /// Sampling parameters put over those of methods and judges.
        #[serde(default)]
        sampling: Sampling,
        /// `max_tokens` (default) or `max_completion_tokens`, as the endpoint wants it.
        #[serde(default)]
        max_tokens_field: MaxTokensField,
    },
    /// Answers from a JSONL file, chosen by purpose, sample, arm and turn.
    Script {
        /// Its name in this study.
        name: String,
        /// The file, relative to the study file.
        file: PathBuf,
    },
}

impl ModelEntry {
    /// The model's name in this study.
    pub fn name(&self) -> &str {
        match self {
            Self::Openai { name, .. } | Self::Script { name, .. } => name,
        }
    }
}

fn default_timeout_seconds() -> u64 {
    120
}

fn default_max_retries() -> u32 {
    4
}

fn default_concurrency() -> usize {
    8
}

/// What an endpoint calls the longest answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_tokens`, which nearly every endpoint takes.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which the reasoning models of OpenAI insist on.
    MaxCompletionTokens,
}

impl MaxTokensField {
    /// The field's name in a request body.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// What a model costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// US dollars per million tokens of prompts.
    pub input_per_million: f64,
    /// US dollars per million tokens of answers.
    pub output_per_million: f64,
}
