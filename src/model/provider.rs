//! What stands behind the call store: something that answers a request, well or badly.

use std::time::Duration;

use futures::future::BoxFuture;

use super::key::Identity;
use super::{CallError, FinishReason, Request, Usage};

/// An answer before it has a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The text, as it came.
    pub(crate) text: String,
    /// Why it ended.
    pub(crate) finish: FinishReason,
    /// A refusal that the provider marks as one.
    pub(crate) refusal: Option<String>,
    /// Tokens, where the provider says.
    pub(crate) usage: Option<Usage>,
}

/// What came of asking, with all that the call store keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The answer, or why there is none.
    pub(crate) result: Result<Answer, CallError>,
    /// The last response body, keys taken out; empty when there was none.
    pub(crate) raw: String,
    /// How often the endpoint was asked; 0 when it was not.
    pub(crate) attempts: u32,
    /// From the first attempt to the answer, waiting between attempts included.
    pub(crate) elapsed: Duration,
}

impl Asked {
    /// A failure before anything was asked.
    pub(crate) fn refused(error: CallError) -> Self {
        Self {
            result: Err(error),
            raw: String::new(),
            attempts: 0,
            elapsed: Duration::ZERO,
        }
    }
}

/// A provider with its settings. It knows neither the store nor who asks.
pub(crate) trait Provider: Send + Sync {
    /// What the key of this request has beside the request itself.
    fn identity(&self, request: &Request) -> Identity;

    /// Asks, with retries where that makes sense. `key` is only for what must be the same on every machine, such as
    /// the jitter of a wait.
    fn ask<'a>(&'a self, request: &'a Request, key: &'a str) -> BoxFuture<'a, Asked>;
}
