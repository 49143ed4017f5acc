//! What `tabjury check` found in a run: leaks of its pages, and the perturbation proof of every step's lineage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::Leak;
use crate::trace::proof::{Completeness, ProofSummary, Replay, Soundness, StepProof};

/// Version of the shape of [`RunCheck`]; grows when a field changes its meaning or goes.
pub const CHECK_SCHEMA_VERSION: u32 = 1;

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

    /// What a reader is shown of it, each count with its name and whether a count above zero is a finding.
    pub fn counts(&self) -> [(&'static str, usize, bool); 11] {
        let proofs = &self.summary;
        [
            ("steps", self.steps, false),
            ("proven", proofs.steps - proofs.not_reproduced, false),
            ("sound", proofs.sound + proofs.sound_vacuous, false),
            ("unsound", proofs.unsound, true),
            ("undecided", proofs.soundness_undecided, false),
            ("complete", proofs.complete, false),
            ("explained", proofs.explained, false),
            ("by tracing", proofs.explained_by_tracing, false),
            ("incomplete", proofs.incomplete, true),
            ("not claimed", proofs.not_claimed, false),
            ("undecided", proofs.completeness_undecided, false),
        ]
    }
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
    /// Whether something is wrong: a leak, a changed page, or a lineage that a proof refutes.
    pub fn has_findings(&self) -> bool {
        !self.pages.leaks.is_empty()
            || !self.pages.changed.is_empty()
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
        }
    }

    /// What is wrong, one sentence each: leaks, changed pages, and lineages that a proof refutes.
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
        leaks.chain(changed).chain(self.step_findings()).collect()
    }

    /// What is wrong with steps, one sentence each: answerer, sample, step and the first counter-example.
    fn step_findings(&self) -> impl Iterator<Item = String> {
        self.proofs.iter().flat_map(|trace| {
            trace.steps.iter().filter_map(|proof| {
                finding(proof).map(|what| {
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
    let mut found = Vec::new();
    if let Soundness::Unsound { counter_examples } = &proof.soundness {
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
        found.push(format!("a change outside the marks alters the result{first}"));
    }
    if let Completeness::Incomplete { count, cells } = &proof.completeness {
        let first = cells.first().map_or_else(String::new, |cell| {
            format!(", such as row {}, column {}", cell.row + 1, cell.column + 1)
        });
        found.push(format!("no change of {count} marked cells alters the result{first}"));
    }
    (!found.is_empty()).then(|| found.join("; "))
}
