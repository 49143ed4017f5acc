//! What a perturbation proof of a step's lineage found, as records.
//!
//! A proof runs the step's statement again and again on its table with cells and rows changed (how, is the work of
//! [`crate::engine::proof`]; what it claims, and what not, is in `docs/lineage.md`). This file says what came out:
//!
//! - **soundness**: nothing outside the marks matters;
//! - **completeness**: every marked condition cell and witness cell does matter.
//!
//! Rows and columns are 0-based positions in the step's input table, or in its result where it says so. Values are
//! written as SQL writes them (`NULL`, `5`, `5.0`, `'text'`), so that a number and its text are told apart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lineage::CellPosition;

/// The proof of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepProof {
    /// 0-based position among the trace's steps.
    pub step: usize,
    /// Whether running the step again gave what is recorded.
    pub replay: Replay,
    /// Whether anything outside the marks matters.
    pub soundness: Soundness,
    /// Whether every marked condition cell and witness cell matters.
    pub completeness: Completeness,
    /// How often the statement was run.
    pub runs: usize,
}

/// What running a step again on its recorded table gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Replay {
    /// The recorded table and lineage.
    Same,
    /// Something else: the step is not reproduced, and nothing is proven of it.
    Different {
        /// What differs, in words.
        what: String,
    },
}

/// Whether anything outside the marks matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Soundness {
    /// No change outside the marks altered the result.
    Sound {
        /// Changes tried.
        runs: usize,
        /// Nothing lies outside the marks: every row is marked and every column is examined.
        vacuous: bool,
        /// Whether every single cell and row outside was tried by itself; otherwise a seeded choice of them, after the
        /// changes of whole columns and of all rows.
        exhaustive: bool,
    },
    /// Some change outside the marks altered the result.
    Unsound {
        /// Such changes, the first few found, each made small.
        counter_examples: Vec<CounterExample>,
    },
    /// The proof ended before it could tell.
    Undecided {
        /// Why.
        reason: Undecided,
    },
}

/// Whether every marked condition cell and witness cell matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Completeness {
    /// For every marked cell a change of it alone that takes away what its mark claims alters the result.
    Complete {
        /// How many marks that are (a cell that is condition and witness has two); none, where the statement has neither
        /// condition nor MIN nor MAX.
        cells: usize,
    },
    /// So it is, or there is a reason why it takes more than that cell.
    Explained {
        /// How many marks matter alone.
        alone: usize,
        /// How many do not, by themselves.
        explained: usize,
        /// How many of these only lose their mark when the step is traced again with another value, which is weaker than
        /// a change of the result.
        by_tracing: usize,
        /// The first few of the latter, with what shows that each matters all the same.
        cells: Vec<ExplainedCell>,
    },
    /// Some marks claim nothing that holds (no condition is true there, no MIN or MAX gives it), or nothing was found that
    /// makes them matter.
    Incomplete {
        /// How many there are.
        count: usize,
        /// The first few.
        cells: Vec<CellPosition>,
    },
    /// The lineage says of itself that it marks at least what matters.
    NotClaimed,
    /// The proof ended before it could tell.
    Undecided {
        /// Why.
        reason: Undecided,
        /// Marked cells of which nothing is known yet.
        open: usize,
    },
}

/// Why a proof could not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Undecided {
    /// The bound on runs was met.
    Runs,
    /// The bound on SQLite's instructions and on changed cells was met.
    Work,
    /// The clock ran out, behind the other two.
    Time,
    /// The step was not reproduced, so there is nothing to prove.
    NotReproduced,
    /// The statement or its table cannot be changed under it.
    NotPossible {
        /// Why not.
        message: String,
    },
}

impl Undecided {
    /// What ended the proof, in a few words.
    pub fn words(&self) -> &str {
        match self {
            Self::Runs => "the bound on runs was met",
            Self::Work => "the bound on work was met",
            Self::Time => "the limit on time was met",
            Self::NotReproduced => "the step is not reproduced",
            Self::NotPossible { message } => message,
        }
    }
}

/// A change outside the marks that altered the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterExample {
    /// What was changed.
    pub perturbation: Perturbation,
    /// What became of the result.
    pub difference: Difference,
}

/// A change of a step's input table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Perturbation {
    /// Cells given another value; at most the first 50.
    pub changed: Vec<CellChange>,
    /// Rows taken out, the numbers of the others staying as they are; at most the first 50.
    pub deleted_rows: Vec<usize>,
    /// Cells and rows changed beyond those listed.
    pub left_out: usize,
}

/// One cell given another value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellChange {
    /// 0-based row.
    pub row: usize,
    /// 0-based column.
    pub column: usize,
    /// Its value before.
    pub from: String,
    /// Its value after.
    pub to: String,
}

/// Where a result differs first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Difference {
    /// Another value in a cell of the result.
    Cell {
        /// 0-based row of the result.
        row: usize,
        /// 0-based column of the result.
        column: usize,
        /// The value before.
        before: String,
        /// The value after.
        after: String,
    },
    /// Another number of rows.
    Rows {
        /// Rows before.
        before: usize,
        /// Rows after.
        after: usize,
    },
    /// The statement fails.
    Error {
        /// SQLite's words.
        message: String,
    },
}

/// A marked cell that no change of it alone makes matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainedCell {
    /// The cell.
    pub cell: CellPosition,
    /// Why it takes more.
    pub reason: Explanation,
    /// What has to be changed first; nothing, for the last two reasons.
    pub contingency: Perturbation,
    /// The cell's change, which takes away what its mark claims and then alters the result.
    pub change: CellChange,
}

/// Why a change of a marked cell alone leaves the result as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// Another condition holds for the same row, as in an OR; without it this one matters. No condition of the row was
    /// made true for that.
    AnotherConditionHolds,
    /// Other rows give the same: duplicates made one, several witnesses, a count beyond its bound. Of a MIN or MAX no row
    /// of its result that is further from the middle was taken out.
    AnotherRowGivesIt,
    /// Both: with other cells of its row and other rows changed, which alters nothing, it matters.
    SeveralTogether,
    /// Whether the condition holds makes no difference with these values, as in a sum of zeros; with others, which turn no
    /// condition of the row, it matters.
    SameEitherWay,
    /// With another value its row is no longer used, or it is no longer what the MIN or MAX gives; the result is the same
    /// either way, whatever was tried (`LIMIT 0`, a comparison that is always false).
    ResultIsIndifferent,
    /// With another value its condition fails, but others hold for its row whatever was tried (`x > 1 OR x = x`).
    ConditionIsImplied,
}

impl Explanation {
    /// Whether it rests on tracing the step again and not on a change of the result.
    pub fn is_by_tracing(self) -> bool {
        matches!(self, Self::ResultIsIndifferent | Self::ConditionIsImplied)
    }
}

/// How many steps came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofSummary {
    /// Steps with a proof.
    pub steps: usize,
    /// Steps that gave something else than recorded.
    pub not_reproduced: usize,
    /// Sound, something lies outside the marks, and each cell and row of it was tried by itself.
    pub sound: usize,
    /// Sound, something lies outside the marks, and a seeded choice of it was tried by itself.
    pub sound_sampled: usize,
    /// Sound because nothing lies outside the marks.
    pub sound_vacuous: usize,
    /// Unsound.
    pub unsound: usize,
    /// Soundness undecided (steps not reproduced apart).
    pub soundness_undecided: usize,
    /// Complete.
    pub complete: usize,
    /// Complete, some cells with a reason.
    pub explained: usize,
    /// Complete, some cells with no better reason than that tracing the step again with another value takes their mark.
    pub explained_by_tracing: usize,
    /// Incomplete.
    pub incomplete: usize,
    /// Marked as at least what matters.
    pub not_claimed: usize,
    /// Completeness undecided (steps not reproduced apart).
    pub completeness_undecided: usize,
    /// Runs of all.
    pub runs: usize,
}

impl StepProof {
    /// Whether it leaves something open: undecided, or marks of which nothing was found that makes them matter. What was
    /// refuted or not reproduced is not open.
    pub fn is_unproven(&self) -> bool {
        self.replay == Replay::Same
            && (matches!(self.soundness, Soundness::Undecided { .. })
                || matches!(
                    self.completeness,
                    Completeness::Undecided { .. } | Completeness::Incomplete { .. }
                ))
    }
}

impl ProofSummary {
    /// Counts proofs.
    pub fn of<'proof>(proofs: impl IntoIterator<Item = &'proof StepProof>) -> Self {
        let mut summary = Self::default();
        for proof in proofs {
            summary.add(proof);
        }
        summary
    }

    /// Counts one more.
    pub fn add(&mut self, proof: &StepProof) {
        self.steps += 1;
        self.runs += proof.runs;
        if proof.replay != Replay::Same {
            self.not_reproduced += 1;
            return;
        }
        match proof.soundness {
            Soundness::Sound { vacuous: true, .. } => self.sound_vacuous += 1,
            Soundness::Sound { exhaustive: true, .. } => self.sound += 1,
            Soundness::Sound { exhaustive: false, .. } => self.sound_sampled += 1,
            Soundness::Unsound { .. } => self.unsound += 1,
            Soundness::Undecided { .. } => self.soundness_undecided += 1,
        }
        match proof.completeness {
            Completeness::Complete { .. } => self.complete += 1,
            Completeness::Explained { by_tracing: 0, .. } => self.explained += 1,
            Completeness::Explained { .. } => self.explained_by_tracing += 1,
            Completeness::Incomplete { .. } => self.incomplete += 1,
            Completeness::NotClaimed => self.not_claimed += 1,
            Completeness::Undecided { .. } => self.completeness_undecided += 1,
        }
    }

    /// Whether some step was found wrong: not reproduced, or refuted by a counter-example.
    pub fn has_findings(&self) -> bool {
        self.not_reproduced + self.unsound > 0
    }

    /// Steps that are sound, however it was found out.
    pub fn sound_in_all(&self) -> usize {
        self.sound + self.sound_sampled + self.sound_vacuous
    }
}
