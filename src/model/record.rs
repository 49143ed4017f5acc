//! A call as the store keeps it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CallError, FinishReason, Message, Purpose, Reply, Sampling, Usage};

/// One call, whole: what was asked, what came back, and what was read from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallRecord {
    /// The key: hexadecimal BLAKE3 of the request, 64 characters.
    pub key: String,
    /// Why it was made. Where several requests are the same call, the purpose of whichever came first; a trace or
    /// judgment knows its own.
    pub purpose: Purpose,
    /// The model's name in the study.
    pub name: String,
    /// `openai` or `script`.
    pub provider: String,
    /// The endpoint, normalised, where the provider has one.
    pub base_url: Option<String>,
    /// The identifier sent to the endpoint; what prices go by.
    pub model: String,
    /// The rendered conversation.
    pub messages: Vec<Message>,
    /// The sampling that was asked for, the study's settings included.
    pub sampling: Sampling,
    /// Which independent draw of the same request this is.
    pub repeat: u32,
    /// What came of it.
    pub outcome: CallOutcome,
    /// The response body as it came, keys taken out; a script's answer.
    pub raw: String,
    /// How often the endpoint was asked for it.
    pub attempts: u32,
    /// From the first attempt to the answer, in milliseconds.
    pub elapsed_milliseconds: u64,
    /// When it was stored, in milliseconds since 1970. For people who look into a store; never part of an output.
    #[serde(skip)]
    pub stored_at: i64,
}

/// What came of a call that is worth keeping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CallOutcome {
    /// An answer, truncated and refused ones too.
    Answer {
        /// The text, as it came.
        text: String,
        /// Why it ended.
        finish: FinishReason,
        /// A refusal that the provider marks as one.
        refusal: Option<String>,
        /// Tokens, where the provider says.
        usage: Option<Usage>,
    },
    /// A failure that the same request meets every time.
    Error(CallError),
}

impl CallRecord {
    /// Tokens, where the provider said.
    pub fn usage(&self) -> Option<Usage> {
        match &self.outcome {
            CallOutcome::Answer { usage, .. } => *usage,
            CallOutcome::Error(_) => None,
        }
    }
}

impl CallOutcome {
    /// What the asker gets.
    pub(crate) fn into_reply(self, key: &str) -> Result<Reply, CallError> {
        match self {
            Self::Answer {
                text,
                finish,
                refusal,
                usage,
            } => Ok(Reply {
                call: key.to_owned(),
                text,
                finish,
                refusal,
                usage,
            }),
            Self::Error(error) => Err(error),
        }
    }
}

/// Whether the same request would fail the same way again, so that the failure is kept like an answer.
pub(crate) fn is_lasting(error: &CallError) -> bool {
    matches!(
        error,
        CallError::TooLong { .. } | CallError::Filtered { .. } | CallError::Unsupported { .. }
    )
}
