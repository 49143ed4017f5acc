//! What a model has been asked so far, for progress while a run is under way.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Price, Usage, price};

/// Counters of one model of a study. Cheap to read at any time.
#[derive(Debug)]
pub struct Meter {
    name: String,
    price: Option<Price>,
    made: AtomicU64,
    from_store: AtomicU64,
    failed: AtomicU64,
    retries: AtomicU64,
    input_tokens: AtomicU64,
    output_tokens: AtomicU64,
    without_usage: AtomicU64,
}

/// What a meter showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Calls that were put to the provider and answered (with a lasting failure, too), by this process.
    pub made: u64,
    /// Requests answered from the store, or by another request's call under way.
    pub from_store: u64,
    /// Requests without an answer.
    pub failed: u64,
    /// Attempts beyond the first of each call.
    pub retries: u64,
    /// Tokens of the prompts of calls made.
    pub input_tokens: u64,
    /// Tokens of the answers of calls made.
    pub output_tokens: u64,
    /// Calls made whose tokens the provider did not say.
    pub without_usage: u64,
    /// What the tokens counted here cost, in US dollars; `None` when the model has no known price. At least that much,
    /// where `without_usage` is not 0.
    pub cost: Option<f64>,
}

impl Meter {
    pub(crate) fn new(name: &str, price: Option<Price>) -> Self {
        Self {
            name: name.to_owned(),
            price,
            made: AtomicU64::new(0),
            from_store: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            input_tokens: AtomicU64::new(0),
            output_tokens: AtomicU64::new(0),
            without_usage: AtomicU64::new(0),
        }
    }

    /// The model's name in the study.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it shows now. The counters are read one by one, so a call that ends meanwhile may show in some alone.
    pub fn read(&self) -> Reading {
        let usage = Usage {
            input_tokens: self.input_tokens.load(Relaxed),
            output_tokens: self.output_tokens.load(Relaxed),
        };
        Reading {
            made: self.made.load(Relaxed),
            from_store: self.from_store.load(Relaxed),
            failed: self.failed.load(Relaxed),
            retries: self.retries.load(Relaxed),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            without_usage: self.without_usage.load(Relaxed),
            cost: self.price.map(|price| price::cost(price, usage)),
        }
    }

    pub(crate) fn count_stored(&self) {
        self.from_store.fetch_add(1, Relaxed);
    }

    pub(crate) fn count_failure(&self) {
        self.failed.fetch_add(1, Relaxed);
    }

    pub(crate) fn count_attempts(&self, attempts: u32) {
        self.retries.fetch_add(u64::from(attempts.saturating_sub(1)), Relaxed);
    }

    pub(crate) fn count_made(&self, usage: Option<Usage>) {
        self.made.fetch_add(1, Relaxed);
        match usage {
            Some(usage) => {
                self.input_tokens.fetch_add(usage.input_tokens, Relaxed);
                self.output_tokens.fetch_add(usage.output_tokens, Relaxed);
            }
            None => {
                self.without_usage.fetch_add(1, Relaxed);
            }
        }
    }
}
