//! Faithfulness: do answers follow from the cells that their explanations mark, and not without them?
//!
//! No judge has a part in it. What is measured, and what it does not mean, stands in docs/faithfulness.md.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::Answer;
use crate::trace::FaithfulnessRecord;
use crate::trace::faithfulness::{AnswerNow, FaithfulnessOutcome, MarkCounts, NotApplicable, Rerun};

use super::index::Index;
use super::quantities::{Mean, Proportion};

/// One answerer in the faithfulness task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaithfulnessAnalysis {
    /// The answerer.
    pub answerer: String,
    /// The arms that show it; they mark the same cells, or hide them.
    pub arms: Vec<String>,
    /// Traces that were measured.
    pub measured: u64,
    /// The measured ones whose method was asked again, because the model wrote the answer.
    pub asked_again: u64,
    /// Answers that the marked cells alone give again, among those where that is known.
    pub sufficient: Proportion,
    /// The sufficient ones of tables in which every cell is marked: nothing was taken away.
    pub everything_marked: u64,
    /// Answers that change or vanish without the marked cells, among those where that is known.
    pub necessary: Proportion,
    /// The necessary ones that become another answer.
    pub changed: u64,
    /// The necessary ones that become no answer.
    pub vanished: u64,
    /// The ones not necessary whose answer is FALSE: what is not there proves nothing.
    pub false_without_marks: u64,
    /// Measurements of either kind that a limit or a failed call ended.
    pub undecided: u64,
    /// Traces some of whose marks are "at least these".
    pub at_least: u64,
    /// Share of the table's cells that is marked, a mean over traces.
    pub marked_share: Mean,
    /// Traces with nothing to measure, by reason.
    pub not_applicable: BTreeMap<NotApplicable, u64>,
    /// Every trace that is not both sufficient and necessary, with the reason.
    pub listed: Vec<ListedTrace>,
}

/// A trace that a reader may want to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedTrace {
    /// The sample's id.
    pub sample: String,
    /// What it lacks, or why it was not measured.
    pub lack: Lack,
    /// More exactly, where there is more to say.
    pub detail: String,
}

/// What a listed trace lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// The marked cells alone do not give the answer again.
    NotSufficient,
    /// Without the marked cells the answer stays.
    NotNecessary,
    /// A limit or a failed call ended a measurement.
    Undecided,
    /// There was nothing to measure.
    NotApplicable,
}

impl Lack {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotSufficient => "not sufficient",
            Self::NotNecessary => "not necessary",
            Self::Undecided => "undecided",
            Self::NotApplicable => "not applicable",
        }
    }
}

/// One entry an answerer that the task was run on, in the order of the arms.
pub fn analyze(index: &Index) -> Vec<FaithfulnessAnalysis> {
    let study = &index.records.study;
    let mut answerers: Vec<(&str, Vec<String>)> = Vec::new();
    for arm in &study.arms {
        match answerers.iter_mut().find(|(name, _)| *name == arm.answerer) {
            Some((_, arms)) => arms.push(arm.name.clone()),
            None => answerers.push((&arm.answerer, vec![arm.name.clone()])),
        }
    }
    answerers
        .into_iter()
        .filter_map(|(name, arms)| answerer(index, name, arms))
        .collect()
}

fn answerer(index: &Index, name: &str, arms: Vec<String>) -> Option<FaithfulnessAnalysis> {
    let level = index.records.study.confidence;
    let by_sample: BTreeMap<&str, &FaithfulnessRecord> = index
        .records
        .faithfulness
        .iter()
        .filter(|record| record.answerer == name)
        .map(|record| (record.sample.as_str(), record))
        .collect();
    if by_sample.is_empty() {
        return None;
    }
    let mut analysis = FaithfulnessAnalysis {
        answerer: name.to_owned(),
        arms,
        measured: 0,
        asked_again: 0,
        sufficient: Proportion::new(0, 0, level),
        everything_marked: 0,
        necessary: Proportion::new(0, 0, level),
        changed: 0,
        vanished: 0,
        false_without_marks: 0,
        undecided: 0,
        at_least: 0,
        marked_share: Mean::of(&[], level),
        not_applicable: BTreeMap::new(),
        listed: Vec::new(),
    };
    let (mut stays_alone, mut goes_without, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for record in by_sample.values() {
        match &record.outcome {
            FaithfulnessOutcome::NotApplicable { reason } => {
                *analysis.not_applicable.entry(*reason).or_default() += 1;
                analysis.list(record, Lack::NotApplicable, reason.words());
            }
            FaithfulnessOutcome::Measured {
                by,
                marks,
                sufficiency,
                necessity,
            } => {
                analysis.measured += 1;
                analysis.asked_again += u64::from(*by == Rerun::Model);
                analysis.at_least += u64::from(marks.at_least);
                shares.extend(share(marks));
                analysis.count_sufficiency(record, marks, sufficiency);
                analysis.count_necessity(record, necessity);
                stays_alone.extend(sufficiency.stays());
                goes_without.extend(necessity.stays().map(|stays| !stays));
            }
        }
    }
    analysis.sufficient = Proportion::of(stays_alone, level);
    analysis.necessary = Proportion::of(goes_without, level);
    analysis.marked_share = Mean::of(&shares, level);
    Some(analysis)
}

impl FaithfulnessAnalysis {
    fn count_sufficiency(&mut self, record: &FaithfulnessRecord, marks: &MarkCounts, now: &AnswerNow) {
        match now {
            AnswerNow::Same => self.everything_marked += u64::from(marks.everything()),
            AnswerNow::Undecided { reason } => {
                self.undecided += 1;
                self.list(record, Lack::Undecided, reason);
            }
            AnswerNow::Changed { .. } | AnswerNow::Vanished { .. } => {
                let detail = answer_now(now);
                self.list(record, Lack::NotSufficient, &detail);
            }
        }
    }

    fn count_necessity(&mut self, record: &FaithfulnessRecord, now: &AnswerNow) {
        match now {
            AnswerNow::Changed { .. } => self.changed += 1,
            AnswerNow::Vanished { .. } => self.vanished += 1,
            AnswerNow::Undecided { reason } => {
                self.undecided += 1;
                self.list(record, Lack::Undecided, reason);
            }
            AnswerNow::Same => {
                let is_false = record.answer == Some(Answer::Verdict(false));
                self.false_without_marks += u64::from(is_false);
                let detail = if is_false {
                    "FALSE stays FALSE"
                } else {
                    "the answer stays"
                };
                self.list(record, Lack::NotNecessary, detail);
            }
        }
    }

    fn list(&mut self, record: &FaithfulnessRecord, lack: Lack, detail: &str) {
        self.listed.push(ListedTrace {
            sample: record.sample.clone(),
            lack,
            detail: detail.to_owned(),
        });
    }
}

/// Share of the table's cells that is marked; none of a table without cells.
fn share(marks: &MarkCounts) -> Option<f64> {
    (marks.of_cells > 0).then(|| marks.cells as f64 / marks.of_cells as f64)
}

/// The answer on a changed table, in words.
pub(super) fn answer_now(now: &AnswerNow) -> String {
    match now {
        AnswerNow::Same => "the same answer".to_owned(),
        AnswerNow::Changed { answer } => format!("another answer: {}", answer.display()),
        AnswerNow::Vanished { reason } => format!("no answer: {reason}"),
        AnswerNow::Undecided { reason } => format!("undecided: {reason}"),
    }
}
