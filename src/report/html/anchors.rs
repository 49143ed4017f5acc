//! Names of anchors and words that several sections share.

use crate::explain::Format;
use crate::judge::Task;
use crate::report::flags::task_name;

/// The anchor of the trials of a task, judge and (but for preference) arm; the control comes after the arms.
pub(super) fn trials(task: Task, judge: usize, arm: Option<usize>) -> String {
    match arm {
        Some(arm) => format!("{}-{}-{}", task_name(task), judge + 1, arm + 1),
        None => format!("{}-{}", task_name(task), judge + 1),
    }
}

/// A link to it.
pub(super) fn to_trials(task: Task, judge: usize, arm: Option<usize>) -> String {
    format!("#{}", trials(task, judge, arm))
}

/// The anchor of the answers of an answerer.
pub(super) fn answers(answerer: usize) -> String {
    format!("answers-{}", answerer + 1)
}

/// The anchor of the answerer's traces in the faithfulness task.
pub(super) fn faithfulness(answerer: usize) -> String {
    format!("faithfulness-{}", answerer + 1)
}

/// A format in words.
pub(super) fn format_name(format: Format) -> &'static str {
    match format {
        Format::AttributionChain => "chain of attribution maps",
        Format::StepThrough => "chain of attribution maps, step by step",
        Format::ProgramListing => "program listing",
        Format::FunctionChain => "chain of operations",
        Format::Facts => "facts and the part of the table that matters",
        Format::FreeText => "free text",
        Format::Imported => "a page made elsewhere",
        Format::None => "no explanation",
    }
}
