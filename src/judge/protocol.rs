//! What a judge is asked for in preference: a ranking, a pair, the best and the worst, or scores.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The form of a preference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// All explanations of a sample, best first.
    #[default]
    Ranking,
    /// Every pair of them, in both orders.
    Pairwise,
    /// The best and the worst of all.
    BestWorst,
    /// Each by itself, on a scale for each criterion.
    Pointwise,
}

impl Protocol {
    /// Whether it is the default.
    pub fn is_ranking(&self) -> bool {
        *self == Self::Ranking
    }
}

/// What an explanation is scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// How easy it is to read and follow.
    Clarity,
    /// How well its parts fit together and lead from the table to the answer.
    Coherence,
    /// How well it lets a reader understand the model's reasoning.
    Helpfulness,
}

impl Criterion {
    /// All, in the order asked for.
    pub const ALL: [Self; 3] = [Self::Clarity, Self::Coherence, Self::Helpfulness];

    /// Its name in prompts and verdicts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clarity => "clarity",
            Self::Coherence => "coherence",
            Self::Helpfulness => "helpfulness",
        }
    }
}

/// The least score.
pub const LEAST_SCORE: u8 = 1;
/// The greatest score.
pub const GREATEST_SCORE: u8 = 5;

/// A score by one criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The criterion.
    pub criterion: Criterion,
    /// From 1, the worst, to 5, the best.
    pub score: u8,
}
