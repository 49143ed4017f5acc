//! What a run came to, in counts.

use std::path::PathBuf;

/// Items of a stage, and those without an answer or verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Items.
    pub total: usize,
    /// Items without an answer or verdict.
    pub failed: usize,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The run directory.
    pub directory: PathBuf,
    /// Traces.
    pub answers: Tally,
    /// Judgments.
    pub judgments: Tally,
    /// Calls made now.
    pub calls_made: u64,
    /// Calls answered from the store.
    pub calls_from_store: u64,
    /// US dollars spent now, on priced models.
    pub cost: f64,
    /// Whether some calls went to models without a price.
    pub cost_incomplete: bool,
    /// The share of failed items that the study allows.
    pub max_failure_share: f64,
    /// The report, when it was written.
    pub report: Option<PathBuf>,
}

impl Summary {
    /// Share of answers and judgments that failed, in [0, 1]; 0 when there were none.
    pub fn failure_share(&self) -> f64 {
        let total = self.answers.total + self.judgments.total;
        if total == 0 {
            return 0.0;
        }
        (self.answers.failed + self.judgments.failed) as f64 / total as f64
    }

    /// Whether more failed than the study allows.
    pub fn too_many_failures(&self) -> bool {
        self.failure_share() > self.max_failure_share
    }
}
