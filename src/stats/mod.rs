//! Pure functions of numbers, each with its formula and source. They know nothing of judges, arms or files.

pub mod agreement;
pub mod binary;
pub mod bootstrap;
pub mod bradley_terry;
pub mod calibration;
pub mod cochran;
pub mod correlation;
pub mod discrimination;
pub mod distribution;
pub mod effect;
pub mod fleiss;
pub mod friedman;
pub mod gwet;
mod jackknife;
pub mod kendall;
pub mod krippendorff;
mod matrix;
pub mod mean;
pub mod multiple;
pub mod order;
pub mod paired;
pub mod power;
pub mod prediction_powered;
pub mod proportion;
pub mod quantile;
pub mod rank;
mod resample;
pub mod sign_flip;
pub mod signal_detection;
pub mod signed_rank;
pub mod stratified;
pub mod studentized_range;
pub mod unpaired;
pub mod within;

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

/// What a test asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// The value differs from the one under the hypothesis.
    TwoSided,
    /// It is smaller.
    Less,
    /// It is greater.
    Greater,
}

/// A test by the chi-square distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChiSquareTest {
    /// The statistic, at least 0.
    pub statistic: f64,
    /// Degrees of freedom.
    pub freedom: u64,
    /// The probability of a statistic at least as large when the hypothesis holds.
    pub p: f64,
}

impl ChiSquareTest {
    /// The test of this statistic.
    fn of(statistic: f64, freedom: usize) -> Self {
        Self {
            statistic,
            freedom: freedom as u64,
            p: distribution::chi_square_above(statistic, freedom as f64),
        }
    }
}

/// Checks that every value is a finite number.
fn checked_finite(values: &[f64]) -> Stat<()> {
    if values.iter().all(|value| value.is_finite()) {
        Ok(())
    } else {
        Err(Undefined::because("a value is not finite"))
    }
}
