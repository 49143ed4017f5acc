//! Pure functions of numbers, each with its formula and source. They know nothing of judges, arms or files.

pub mod agreement;
pub mod binary;
pub mod correlation;
mod distribution;
pub mod mean;
pub mod paired;
pub mod proportion;
pub mod rank;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a statistic has no value. Never NaN in an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("undefined: {reason}")]
#[serde(deny_unknown_fields)]
pub struct Undefined {
    /// In words, such as `no variation in x` or `n = 2 is too small for an interval`.
    pub reason: String,
}

impl Undefined {
    /// With this reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// A value or the reason why there is none.
pub type Stat<T> = Result<T, Undefined>;

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence level, such as 0.95.
    pub level: f64,
}
