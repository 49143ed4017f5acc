//! Tests of paired binary outcomes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Stat;

/// McNemar's test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McNemar {
    /// Pairs right in the first condition only.
    pub first_only: u64,
    /// Pairs right in the second condition only.
    pub second_only: u64,
    /// Two-sided exact binomial p; 1 when no pair is discordant.
    pub p: f64,
}

/// Exact McNemar test from the two discordant counts (McNemar 1947; exact binomial form).
pub fn mcnemar_exact(first_only: u64, second_only: u64) -> Stat<McNemar> {
    let _ = (first_only, second_only);
    todo!("stats room")
}
