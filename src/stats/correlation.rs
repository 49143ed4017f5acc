//! Correlations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Interval, Stat};

/// A correlation with its test and interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The coefficient, in [-1, 1].
    pub r: f64,
    /// Two-sided p of r = 0, by Student's t with n - 2 degrees of freedom.
    pub p: f64,
    /// Fisher z interval, or why there is none.
    pub interval: Result<Interval, super::Undefined>,
    /// Points.
    pub n: usize,
}

/// Pearson's product-moment correlation.
pub fn pearson(x: &[f64], y: &[f64], level: f64) -> Stat<Correlation> {
    let _ = (x, y, level);
    todo!("stats room")
}
