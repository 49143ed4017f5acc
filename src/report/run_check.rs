//! What `tabjury check` found in a run: leaks of its pages, and the perturbation proof of every step's lineage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::{Leak, words};
use crate::trace::proof::{Completeness, ProofSummary, Replay, Soundness, StepProof};

/// Version of the shape of [`RunCheck`]; grows when a field changes its meaning or goes.
pub const CHECK_SCHEMA_VERSION: u32 = 2;

/// Everything that a check of a run found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunCheck {
    /// Version of this shape.
    pub schema_version: u32,
    /// BLAKE3 of the traces that were checked: a check of others says nothing about a run.
    pub traces_digest: String,
    /// BLAKE3 of the records of the pages that were checked.
    pub pages_digest: String,
    /// What every random choice of the proofs follows from.
    pub seed: u64,
    /// Most runs of one step's statement.
    pub runs_per_step: usize,
    /// The pages.
    pub pages: PageCheck,
    /// Traces whose first table is not their sample's.
    #[serde(default)]
    pub changed_tables: Vec<ChangedTable>,
    /// One entry an arm, in the order of the study.
    pub arms: Vec<ArmProof>,
    /// One entry a sample and answerer that has steps to prove.
    pub proofs: Vec<TraceProof>,
}

/// What a report says of a check: all but the proofs themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckAnalysis {
    /// As [`RunCheck::seed`].
    pub seed: u64,
    /// As [`RunCheck::runs_per_step`].
    pub runs_per_step: usize,
    /// The pages.
    pub pages: PageCheck,
    /// One entry an arm, in the order of the study.
    pub arms: Vec<ArmProof>,
    /// What is wrong, one sentence each; pages first.
    pub findings: Vec<String>,
    /// What is open, one sentence each: undecided, or marks of which nothing was found that makes them matter.
    pub cautions: Vec<String>,
    /// Steps of all traces that were proven or tried.
    pub steps: usize,
    /// How many of them something is open of.
    pub unproven: usize,
}

/// What was found in the pages of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageCheck {
    /// Pages looked at; each is rendered again from its trace.
    pub checked: usize,
    /// Pages that tell what they must not.
    pub leaks: Vec<PageLeak>,
    /// Files that are not what their trace gives.
    pub changed: Vec<String>,
    /// Files among the pages that no record names.
    pub unknown: Vec<String>,
}

/// A page that tells what it must not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageLeak {
    /// The page's Markdown file, inside the run directory.
    pub page: String,
    /// Its arm.
    pub arm: String,
    /// Its sample.
    pub sample: String,
    /// What it tells, and where.
    pub leak: Leak,
}

/// A trace whose first table is not the one that the run read of its sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedTable {
    /// The sample.
    pub sample: String,
    /// The answerer.
    pub answerer: String,
    /// Where the two differ first, in words.
    pub what: String,
}

/// The proofs of an arm, counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmProof {
    /// The arm.
    pub arm: String,
    /// Whose traces it shows; arms of one answerer have the same counts.
    pub answerer: String,
    /// Whether its explanations were imported: then there is nothing to prove.
    #[serde(default)]
    pub imported: bool,
    /// Steps in all, those without a statement or a result too.
    pub steps: usize,
    /// How its proofs came out.
    pub summary: ProofSummary,
}

impl ArmProof {
    /// What is said of an imported arm in the place of its counts.
    pub const NOTHING_TO_PROVE: &'static str = "imported: nothing to prove";

    /// What a reader is shown of it.
    pub fn counts(&self) -> [Count; 13] {
        let proofs = &self.summary;
        let count = |name, count, weight| Count { name, count, weight };
        [
            count("steps", self.steps, Weight::Fact),
            count("tried", proofs.steps - proofs.not_reproduced, Weight::Fact),
            count("sound", proofs.sound, Weight::Fact),
            count("sampled", proofs.sound_sampled, Weight::Fact),
            count("nothing outside", proofs.sound_vacuous, Weight::Fact),
            count("unsound", proofs.unsound, Weight::Finding),
            count("sound undecided", proofs.soundness_undecided, Weight::Caution),
            count("complete", proofs.complete, Weight::Fact),
            count("explained", proofs.explained, Weight::Fact),
            count("by tracing", proofs.explained_by_tracing, Weight::Fact),
            count("incomplete", proofs.incomplete, Weight::Caution),
            count("not claimed", proofs.not_claimed, Weight::Fact),
            count("complete undecided", proofs.completeness_undecided, Weight::Caution),
        ]
    }
}

/// A count as a reader is shown it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Its name.
    pub name: &'static str,
    /// How many.
    pub count: usize,
    /// What a count above zero is.
    pub weight: Weight,
}

/// What a count above zero says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Nothing to look at.
    Fact,
    /// Something is open.
    Caution,
    /// Something is wrong.
    Finding,
}

/// The proofs of one trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceProof {
    /// The sample.
    pub sample: String,
    /// The answerer.
    pub answerer: String,
    /// One entry a step that has a statement and a result.
    pub steps: Vec<StepProof>,
}

impl RunCheck {
    /// Whether something is wrong: a leak, a changed or unknown page, a trace of another table than its sample's, or a
    /// lineage that a proof refutes.
    pub fn has_findings(&self) -> bool {
        !self.changed_tables.is_empty()
            || !self.pages.leaks.is_empty()
            || !self.pages.changed.is_empty()
            || !self.pages.unknown.is_empty()
            || self.arms.iter().any(|arm| arm.summary.has_findings())
    }

    /// What a report says of it.
    pub fn analysis(&self) -> CheckAnalysis {
        CheckAnalysis {
            seed: self.seed,
            runs_per_step: self.runs_per_step,
            pages: self.pages.clone(),
            arms: self.arms.clone(),
            findings: self.findings(),
            cautions: self.cautions(),
            steps: self.steps().count(),
            unproven: self.unproven(),
        }
    }

    fn steps(&self) -> impl Iterator<Item = &StepProof> {
        self.proofs.iter().flat_map(|trace| &trace.steps)
    }

    /// Steps of which something is open.
    pub fn unproven(&self) -> usize {
        self.steps().filter(|proof| proof.is_unproven()).count()
    }

    /// The same as a share of all steps that were tried; 0 where there are none.
    pub fn unproven_share(&self) -> f64 {
        let number = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
        number(self.unproven()) / number(self.steps().count().max(1))
    }

    /// What is wrong, one sentence each: leaks, changed pages and tables, and lineages that a proof refutes.
    pub fn findings(&self) -> Vec<String> {
        let leaks = self.pages.leaks.iter().map(|found| {
            format!(
                "{} (arm {}, sample {}) tells {} ({})",
                found.page,
                found.arm,
                found.sample,
                found.leak.what.words(),
                found.leak.place
            )
        });
        let changed = self
            .pages
            .changed
            .iter()
            .map(|page| format!("{page} is not what its trace gives"));
        let unknown = self
            .pages
            .unknown
            .iter()
            .map(|page| format!("{page} stands among the pages, and no record names it"));
        let tables = self.changed_tables.iter().map(|found| {
            format!(
                "{}, sample {}: its first table is not the sample's: {}",
                found.answerer, found.sample, found.what
            )
        });
        leaks
            .chain(changed)
            .chain(unknown)
            .chain(tables)
            .chain(self.of_steps(finding))
            .collect()
    }

    /// What is open of steps, one sentence each.
    pub fn cautions(&self) -> Vec<String> {
        self.of_steps(caution).collect()
    }

    /// What is to be said of steps, one sentence each: answerer, sample, step and what.
    fn of_steps(&self, what: fn(&StepProof) -> Option<String>) -> impl Iterator<Item = String> {
        self.proofs.iter().flat_map(move |trace| {
            trace.steps.iter().filter_map(move |proof| {
                what(proof).map(|what| {
                    format!(
                        "{}, sample {}, step {}: {what}",
                        trace.answerer,
                        trace.sample,
                        proof.step + 1
                    )
                })
            })
        })
    }
}

/// What a proof refutes, in words.
fn finding(proof: &StepProof) -> Option<String> {
    if let Replay::Different { what } = &proof.replay {
        return Some(format!("not reproduced: {what}"));
    }
    let Soundness::Unsound { counter_examples } = &proof.soundness else {
        return None;
    };
    let first = counter_examples.first().map_or_else(String::new, |example| {
        let changed = example.perturbation.changed.first().map(|cell| {
            format!(
                ", such as row {}, column {} from {} to {}",
                cell.row + 1,
                cell.column + 1,
                cell.from,
                cell.to
            )
        });
        let deleted = example.perturbation.deleted_rows.first();
        changed
            .or_else(|| deleted.map(|row| format!(", such as row {} taken out", row + 1)))
            .unwrap_or_default()
    });
    Some(format!("a change outside the marks alters the result{first}"))
}

/// What a proof leaves open, in words.
fn caution(proof: &StepProof) -> Option<String> {
    if !proof.is_unproven() {
        return None;
    }
    let mut open = Vec::new();
    if let Soundness::Undecided { reason } = &proof.soundness {
        open.push(format!(
            "whether anything outside the marks matters is undecided ({})",
            reason.words()
        ));
    }
    match &proof.completeness {
        Completeness::Incomplete { count, cells } => {
            let first = cells.first().map_or_else(String::new, |cell| {
                format!(", such as row {}, column {}", cell.row + 1, cell.column + 1)
            });
            open.push(format!(
                "nothing was found that makes {} matter{first}",
                words::count(count, "mark")
            ));
        }
        Completeness::Undecided { reason, open: marks } => {
            open.push(format!(
                "whether {} matter is undecided ({})",
                words::count(marks, "mark"),
                reason.words()
            ));
        }
        _ => {}
    }
    Some(open.join("; "))
}
