//! What a run came to, in counts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::judge::{Judgment, Outcome};

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
    /// The judge with the largest share of judgments without a verdict, and that share; `None` without judgments.
    pub most_unread: Option<(String, f64)>,
    /// The share of one judge's judgments that may have none.
    pub max_unparsed_share: f64,
    /// How a call failed that left an answer or a judgment out, if one did.
    pub call_failure: Option<String>,
    /// The report, when it was written.
    pub report: Option<PathBuf>,
}

/// The judge with the largest share of judgments without a verdict; of equals the first by name.
pub(super) fn most_unread(judgments: &[Judgment]) -> Option<(String, f64)> {
    let mut judges: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for judgment in judgments {
        let (unread, all) = judges.entry(&judgment.judge).or_default();
        *unread += usize::from(matches!(judgment.outcome, Outcome::None { .. }));
        *all += 1;
    }
    let shares = judges
        .into_iter()
        .map(|(judge, (unread, all))| (judge, unread as f64 / all as f64));
    let most = shares.reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.map(|(judge, share)| (judge.to_owned(), share))
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

    /// The judge of whose judgments more have no verdict than the study allows, and the share.
    pub fn too_many_unread(&self) -> Option<(&str, f64)> {
        let (judge, share) = self.most_unread.as_ref()?;
        (*share > self.max_unparsed_share).then_some((judge, *share))
    }

    /// Whether more failed than the study allows.
    pub fn too_many_failures(&self) -> bool {
        self.failure_share() > self.max_failure_share
    }
}
