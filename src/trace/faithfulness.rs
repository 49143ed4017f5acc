//! Records of the faithfulness task: does an answer follow from what its explanation marks, and from nothing else?
//!
//! What is measured, and what it does not mean, stands in docs/faithfulness.md. Measuring is the work of
//! [`crate::method::faithfulness`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CallMark;
use crate::dataset::Answer;

/// One trace in the faithfulness task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaithfulnessRecord {
    /// The sample's id.
    pub sample: String,
    /// The answerer whose trace it is.
    pub answerer: String,
    /// The trace's answer.
    pub answer: Option<Answer>,
    /// What came of it.
    pub outcome: FaithfulnessOutcome,
    /// Calls made to measure it; none where programs made the answer.
    pub calls: Vec<CallMark>,
}

/// What came of one trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum FaithfulnessOutcome {
    /// Both were measured.
    Measured {
        /// How.
        by: Rerun,
        /// How much of the table is marked.
        marks: MarkCounts,
        /// The answer from the marked cells alone; the marks are sufficient when it stays.
        sufficiency: AnswerNow,
        /// The answer without the marked cells; the marks are necessary when it does not stay.
        necessity: AnswerNow,
    },
    /// There is nothing to measure.
    NotApplicable {
        /// Why.
        reason: NotApplicable,
    },
}

/// How the answer was made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rerun {
    /// The trace's own programs ran again.
    Programs,
    /// The method was asked again, with its model.
    Model,
}

/// How much of the first table the steps mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkCounts {
    /// Marked rows.
    pub rows: usize,
    /// Rows of the table.
    pub of_rows: usize,
    /// Marked cells.
    pub cells: usize,
    /// Cells of the table.
    pub of_cells: usize,
    /// Whether the marks of some step are "at least these".
    pub at_least: bool,
}

impl MarkCounts {
    /// Whether nothing is left unmarked, so that there is nothing to take away when sufficiency is measured.
    pub fn everything(&self) -> bool {
        self.cells == self.of_cells
    }
}

/// The answer on a changed table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AnswerNow {
    /// The same as before.
    Same,
    /// Another one.
    Changed {
        /// Which.
        answer: Answer,
    },
    /// None any more.
    Vanished {
        /// Why.
        reason: String,
    },
    /// A limit or a failed call ended the attempt.
    Undecided {
        /// Which.
        reason: String,
    },
}

impl AnswerNow {
    /// Whether the answer stayed; `None` when that is not known.
    pub fn stays(&self) -> Option<bool> {
        match self {
            Self::Same => Some(true),
            Self::Changed { .. } | Self::Vanished { .. } => Some(false),
            Self::Undecided { .. } => None,
        }
    }
}

/// Why a trace has no faithfulness to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotApplicable {
    /// There is no answer.
    NoAnswer,
    /// A fallback answered: the answer has nothing to do with the steps.
    Fallback,
    /// The model wrote the answer, and the study does not have models asked again.
    ModelAnswer,
    /// Nothing of the table is marked: there are no steps with results.
    NoMarks,
    /// The programs, run again on the very same table, do not give the answer that is shown.
    NotReproduced,
    /// The explanation was made elsewhere: what it rests on is not known.
    Imported,
}

impl NotApplicable {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoAnswer => "there is no answer",
            Self::Fallback => "a fallback answered, not the steps",
            Self::ModelAnswer => "the model wrote the answer",
            Self::NoMarks => "no step marks anything",
            Self::NotReproduced => "the programs run again give another answer",
            Self::Imported => "the explanation was imported",
        }
    }
}
