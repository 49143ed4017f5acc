//! What a run tells whoever watches it. Nothing here prints.

use super::run::Stage;

/// Where a stage stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// Items done.
    pub done: usize,
    /// Items in all.
    pub total: usize,
    /// Items that ended without an answer or verdict.
    pub failed: usize,
    /// Calls made so far in this run.
    pub calls_made: u64,
    /// Calls answered from the store so far in this run.
    pub calls_from_store: u64,
    /// US dollars spent so far in this run on priced models.
    pub cost: f64,
    /// Whether some calls went to models without a price.
    pub cost_incomplete: bool,
}

/// Someone who watches a run.
pub trait Observer: Send + Sync {
    /// A stage begins.
    fn started(&self, stage: Stage, total: usize) {
        let _ = (stage, total);
    }

    /// An item of the stage is done.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }

    /// A stage ended.
    fn finished(&self, progress: &Progress) {
        let _ = progress;
    }

    /// Something the user should know.
    fn notice(&self, message: &str) {
        let _ = message;
    }
}

/// Watches nothing.
pub struct Silent;

impl Observer for Silent {}
