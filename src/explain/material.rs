//! What a page may be made of. The writers of pages are handed this and nothing else, so that no byte of a page can depend on
//! the gold answer, on whether the answer is right, on the name of a sample, file, method or model, or - where it is
//! withheld - on the answer itself beyond the steps that led to it.

use super::{AnswerVisibility, Format};
use crate::dataset::{Answer, QuestionKind, Sample};
use crate::table::Table;
use crate::trace::imported::ImportedPage;
use crate::trace::{AnswerFailure, AnswerSource, Step, Trace};

/// The parts of a sample and its trace that its pages show.
#[derive(Clone, Copy)]
pub(super) struct Material<'a> {
    /// What is asked for.
    pub(super) kind: QuestionKind,
    /// The question or statement.
    pub(super) question: &'a str,
    /// The table's caption.
    pub(super) caption: Option<&'a str>,
    /// The sample's own table.
    pub(super) table: &'a Table,
    /// Every table of the trace.
    pub(super) tables: &'a [Table],
    /// The steps.
    pub(super) steps: &'a [Step],
    /// The model's own words.
    pub(super) rationale: Option<&'a str>,
    /// Whether the explanation was made elsewhere.
    pub(super) is_imported: bool,
    /// The page of that.
    pub(super) imported_page: Option<&'a ImportedPage>,
    /// The answer.
    pub(super) answer: GivenAnswer<'a>,
    /// Where it came from.
    pub(super) answer_source: Option<AnswerSource>,
    /// Why there is none.
    pub(super) failure: Option<&'a AnswerFailure>,
    /// Why a fallback gave it.
    pub(super) fallback_reason: Option<&'a AnswerFailure>,
}

/// The answer as a page may have it.
#[derive(Clone, Copy)]
pub(super) enum GivenAnswer<'a> {
    /// It is shown.
    Shown(&'a Answer),
    /// There is one, and it is not.
    Withheld,
    /// There is none.
    Missing,
}

impl<'a> Material<'a> {
    /// Of a sample and its trace.
    pub(super) fn new(sample: &'a Sample, trace: &'a Trace, format: Format, visibility: AnswerVisibility) -> Self {
        Self {
            kind: sample.kind,
            question: &sample.question,
            caption: sample.caption.as_deref(),
            table: &sample.table,
            tables: &trace.tables,
            steps: &trace.steps,
            rationale: trace.rationale.as_deref(),
            is_imported: trace.imported.is_some(),
            imported_page: trace.imported.as_ref().and_then(|imported| imported.page.as_ref()),
            answer: match (&trace.answer, visibility) {
                // The control without its answer is the same page whoever answered, and whether anyone did.
                (_, AnswerVisibility::Withheld) if format == Format::None => GivenAnswer::Withheld,
                (None, _) => GivenAnswer::Missing,
                (Some(_), AnswerVisibility::Withheld) => GivenAnswer::Withheld,
                (Some(answer), AnswerVisibility::Shown) => GivenAnswer::Shown(answer),
            },
            answer_source: trace.answer_source,
            failure: trace.failure.as_ref(),
            fallback_reason: trace.fallback_reason.as_ref(),
        }
    }

    /// The table at this place in the trace; the first is the sample's own, whatever the trace holds.
    pub(super) fn table_at(&self, index: usize) -> Option<&'a Table> {
        if index == 0 {
            Some(self.table)
        } else {
            self.tables.get(index)
        }
    }
}
