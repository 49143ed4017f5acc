//! Asking a language model.
//!
//! A method or a judge sees [`Model`] alone. Behind it stand, from the outside in: the call store ([`StoredModel`],
//! [`store`]), and a provider: [`script`], or an endpoint, whose wire format `openai` translates and `client` speaks over HTTP,
//! with limits and retries. [`build`] puts them together from a model of the study file.

pub mod build;
mod client;
mod database;
pub mod fence;
mod flight;
mod key;
pub mod logprobs;
mod meter;
mod openai;
mod picture;
pub mod price;
mod provider;
mod record;
mod retry;
mod row;
pub mod script;
mod secret;
pub mod settings;
mod stop;
pub mod store;
mod stored;
mod writer;

use std::collections::BTreeMap;
use std::fmt;

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use build::{ModelError, Options, ProbeError, build, probe};
pub use meter::{Meter, Reading};
pub use picture::Picture;
pub use price::Prices;
pub use record::{CallOutcome, CallRecord};
pub use settings::{ModelEntry, Price};
pub use stop::Stop;
pub use store::{CallStore, StoreError};
pub use stored::StoredModel;

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Standing instructions.
    System,
    /// What is asked.
    User,
    /// What the model said before.
    Assistant,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text, fully rendered.
    pub content: String,
    /// Pictures that go with the text, in the order in which it numbers them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
}

impl Message {
    /// Standing instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Self {
            role: Role::System,
            content: content.into(),
            pictures: Vec::new(),
        }
    }

    /// A question.
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: content.into(),
            pictures: Vec::new(),
        }
    }

    /// A question about pictures.
    pub fn user_with_pictures(content: impl Into<String>, pictures: Vec<Picture>) -> Self {
        Self {
            pictures,
            ..Self::user(content)
        }
    }

    /// An earlier answer.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            pictures: Vec::new(),
        }
    }
}

/// How an answer is sampled. `None` leaves the parameter out of the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Softmax temperature; 0 asks for the most likely text.
    pub temperature: Option<f64>,
    /// Nucleus mass, in (0, 1].
    pub top_p: Option<f64>,
    /// The longest answer, in tokens of the model.
    pub max_tokens: Option<u32>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// The provider's own seed, where it has one.
    pub seed: Option<u64>,
    /// Any further field of the request body, as the endpoint names it.
    pub extra: BTreeMap<String, serde_json::Value>,
}

impl Sampling {
    /// These parameters put over others: what is set here holds, `extra` field by field.
    pub fn over(&self, under: &Self) -> Self {
        let mut extra = under.extra.clone();
        extra.extend(self.extra.iter().map(|(name, value)| (name.clone(), value.clone())));
        Self {
            temperature: self.temperature.or(under.temperature),
            top_p: self.top_p.or(under.top_p),
            max_tokens: self.max_tokens.or(under.max_tokens),
            stop: if self.stop.is_empty() {
                under.stop.clone()
            } else {
                self.stop.clone()
            },
            seed: self.seed.or(under.seed),
            extra,
        }
    }
}

/// Why a call is made: what its record, the cost tables and the `script` provider go by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Purpose {
    /// What is asked, such as `pos.plan`, `pos.sql`, `pos.fallback`, `judge.simulation`.
    pub name: String,
    /// The sample's id.
    pub sample: String,
    /// The arm (for a judge: the arms in shown order, joined by `+`).
    pub arm: String,
    /// Which call of this name, sample and arm this is, from 0; a judge's trials differ in it by their order.
    pub turn: u32,
}

impl fmt::Display for Purpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} of sample {}, arm {}, turn {}",
            self.name, self.sample, self.arm, self.turn
        )
    }
}

/// One call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Why.
    pub purpose: Purpose,
    /// The rendered conversation.
    pub messages: Vec<Message>,
    /// How to sample.
    pub sampling: Sampling,
    /// Which independent draw of the same request this is, from 0; part of the call's key.
    pub repeat: u32,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model stopped, or met a stop text.
    Stop,
    /// The token limit cut it.
    Length,
    /// The provider's filter held it back.
    ContentFilter,
    /// Anything else, or not said.
    Other,
}

/// Tokens as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

impl Usage {
    /// No prompt or answer has more tokens; a larger count is a fault of who said it, and no count.
    const MOST_TOKENS: u64 = 1 << 32;

    /// The counts, if they can be true.
    pub fn credible(input_tokens: u64, output_tokens: u64) -> Option<Self> {
        (input_tokens <= Self::MOST_TOKENS && output_tokens <= Self::MOST_TOKENS).then_some(Self {
            input_tokens,
            output_tokens,
        })
    }
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The call's key in the store: hexadecimal BLAKE3, 64 characters.
    pub call: String,
    /// The text, as it came.
    pub text: String,
    /// Why it ended.
    pub finish: FinishReason,
    /// A refusal that the provider marks as one.
    pub refusal: Option<String>,
    /// Tokens, where the provider says.
    pub usage: Option<Usage>,
}

/// A call that has no answer. Every kind is a value that a trace or judgment can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CallError {
    /// The prompt is longer than the model takes.
    #[error("the prompt is too long for {model}: {message}")]
    TooLong {
        /// The model's name in the study.
        model: String,
        /// What the endpoint said.
        message: String,
    },
    /// The endpoint's filter refused the prompt.
    #[error("the endpoint's content filter refused the prompt: {message}")]
    Filtered {
        /// What the endpoint said.
        message: String,
    },
    /// The endpoint does not take the form of answer, or tell the probabilities, that the request asks for; asked without,
    /// it may answer.
    #[error("{message}")]
    Unsupported {
        /// What it said.
        message: String,
    },
    /// Key missing or refused; nothing else will work either.
    #[error("{message}")]
    Unauthorized {
        /// What is wrong and what to do.
        message: String,
    },
    /// The call is not in the store, and offline mode asks nothing else.
    #[error("call {call} ({purpose}) is not in the call store, and --offline makes no calls")]
    Offline {
        /// The call's key.
        call: String,
        /// What it was for.
        purpose: String,
    },
    /// The endpoint failed and kept failing.
    #[error("{message}")]
    Failed {
        /// The last failure, with the number of attempts.
        message: String,
    },
    /// The call store cannot be read or written: an answer could not be kept, so going on would lose more.
    #[error("{message}")]
    Store {
        /// What is wrong with it.
        message: String,
    },
    /// The run is being stopped.
    #[error("stopped before the call was made")]
    Stopped,
}

/// Something that answers requests.
pub trait Model: Send + Sync {
    /// The model's name in the study.
    fn name(&self) -> &str;

    /// Asks once. The answer is in the call store before this returns it.
    fn ask<'a>(&'a self, request: Request) -> BoxFuture<'a, Result<Reply, CallError>>;
}
