//! Watching a stage: counting its items, telling the observer, and keeping the limits on calls and cost.

use super::models::Models;
use super::observe::{Observer, Progress};
use super::run::{Options, Stage};
use super::work::Halt;

/// A model of which so many calls failed and none was answered is given up.
const CALLS_BEFORE_GIVING_UP: u64 = 10;

/// Counts the items of a stage, tells the observer, and keeps the limits.
pub(super) struct Watch<'a> {
    observer: &'a dyn Observer,
    models: Models,
    max_calls: Option<u64>,
    max_cost: Option<f64>,
    progress: Progress,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        observer: &'a dyn Observer,
        models: &Models,
        options: &Options,
        stage: Stage,
        total: usize,
    ) -> Self {
        observer.started(stage, total);
        Self {
            observer,
            models: models.clone(),
            max_calls: options.max_calls,
            max_cost: options.max_cost,
            progress: Progress {
                stage,
                done: 0,
                total,
                failed: 0,
                calls_made: 0,
                calls_from_store: 0,
                cost: 0.0,
                cost_incomplete: false,
            },
        }
    }

    /// Counts an item; `call_failure` says how its call failed, where that is why it has no answer or verdict.
    pub(super) fn done(&mut self, failed: bool, call_failure: impl FnOnce() -> Option<String>) -> Option<Halt> {
        self.progress.done += 1;
        self.progress.failed += usize::from(failed);
        self.tell();
        self.over_limit()
            .map(Halt::Limit)
            .or_else(|| self.dead(call_failure()?))
    }

    /// Whether a model answers nothing at all, so that asking it a thousand times more is no use.
    fn dead(&self, call_failure: String) -> Option<Halt> {
        let model = self.models.without_any_answer(CALLS_BEFORE_GIVING_UP)?;
        Some(Halt::Provider(format!(
            "model `{model}`: its first calls all failed ({CALLS_BEFORE_GIVING_UP} or more, each with its retries); the last one: {call_failure}"
        )))
    }

    pub(super) fn all_done(&mut self) {
        self.progress.done = self.progress.total;
        self.tell();
    }

    fn tell(&mut self) {
        let spent = self.models.spent();
        self.progress.calls_made = spent.made;
        self.progress.calls_from_store = spent.from_store;
        self.progress.cost = spent.cost;
        self.progress.cost_incomplete = spent.cost_incomplete;
        self.observer.progress(&self.progress);
    }

    fn over_limit(&self) -> Option<String> {
        let made = self.progress.calls_made;
        if let Some(limit) = self.max_calls.filter(|limit| made >= *limit && *limit > 0) {
            return Some(format!("{made} calls were made, and --max-calls is {limit}"));
        }
        if self.max_cost.is_some() && self.progress.cost_incomplete {
            return Some(
                "a provider does not say how many tokens its calls took, so --max-cost cannot hold".to_owned(),
            );
        }
        let limit = self.max_cost.filter(|limit| self.progress.cost >= *limit)?;
        Some(format!(
            "{:.4} US dollars were spent, and --max-cost is {limit}",
            self.progress.cost
        ))
    }

    pub(super) fn finish(&self) {
        self.observer.finished(&self.progress);
    }
}
