//! Text into verdicts. The final verdict counts; what is not clearly one is a typed state, never a guess.
//!
//! The readers are general: [`read_ranking`], [`read_binary`], [`read_binary_guess`], [`read_values`] and
//! [`read_sentence`] take a text and the words to look for, and know nothing of trials. [`read`] puts them to use on a
//! model's reply to a trial. Words in prose never count: a verdict stands in a line marked as one, in a list, or in a
//! sentence that states it.

mod binary;
mod bracketed;
mod choices;
mod lead;
mod lists;
mod marked;
mod names;
mod object;
mod polarity;
mod ranking;
mod restated;
mod retract;
mod tolerant;
mod values;
mod visible;

pub use binary::{read_binary, read_binary_guess};
pub use choices::{read_best_worst, read_scores};
pub use ranking::{read_ranking, read_tied_ranking};
pub use values::{read_sentence, read_values};

use super::{NoVerdict, Outcome, Protocol, Task, Trial, Verdict};
use crate::dataset::{Answer, QuestionKind};
use crate::model::{CallError, FinishReason, Reply};

/// Why no verdict was read from a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Unread {
    /// Its kind.
    pub state: NoVerdict,
    /// In words.
    pub detail: String,
}

impl Unread {
    fn unparsed(detail: impl Into<String>) -> Self {
        Self {
            state: NoVerdict::Unparsed,
            detail: detail.into(),
        }
    }

    fn ambiguous(detail: impl Into<String>) -> Self {
        Self {
            state: NoVerdict::Ambiguous,
            detail: detail.into(),
        }
    }
}

/// How much of a text came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// All of it.
    Whole,
    /// A limit cut it: only what is marked as a verdict counts, since the rest might have gone on to differ.
    Cut,
}

/// Words for "the model's answer is right".
const RIGHT: [&str; 4] = ["correct", "right", "yes", "accurate"];
/// Words for "the model's answer is wrong".
const WRONG: [&str; 4] = ["incorrect", "wrong", "no", "inaccurate"];

/// What a reply to a trial came to.
pub fn read(trial: &Trial, reply: &Result<Reply, CallError>) -> Outcome {
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => return failed_call(error),
    };
    if let Some(refusal) = &reply.refusal {
        return none(NoVerdict::Refused, format!("the judge declined: {refusal}"));
    }
    if reply.finish == FinishReason::ContentFilter {
        return none(NoVerdict::Filtered, "the provider's filter held the answer back");
    }
    read_text(trial, &reply.text, completeness(reply.finish))
}

/// How much of an answer came, by why it ended.
pub fn completeness(finish: FinishReason) -> Completeness {
    match finish {
        FinishReason::Length => Completeness::Cut,
        FinishReason::Stop | FinishReason::ContentFilter | FinishReason::Other => Completeness::Whole,
    }
}

/// What a text, a model's or a person's, came to as an answer to a trial.
pub fn read_text(trial: &Trial, text: &str, completeness: Completeness) -> Outcome {
    let verdict = match (trial.task, trial.kind) {
        (Task::Preference, _) => preference(trial, text, completeness),
        (Task::Verification, _) => read_binary(text, &RIGHT, &WRONG, completeness).map(Verdict::Correct),
        (Task::Simulation, QuestionKind::FactVerification) => {
            read_binary_guess(text, &["true"], &["false"], completeness)
                .map(|guess| Verdict::Guess(Answer::Verdict(guess)))
        }
        (Task::Simulation, QuestionKind::ShortAnswer) => {
            read_values(text, completeness).map(|guess| Verdict::Guess(Answer::Values(guess)))
        }
        (Task::Simulation, QuestionKind::FreeForm) => {
            read_sentence(text, completeness).map(|guess| Verdict::Guess(Answer::Text(guess)))
        }
    };
    match verdict {
        Ok(verdict) => Outcome::Verdict(verdict),
        Err(unread) if unread.state == NoVerdict::Unparsed && completeness == Completeness::Cut => none(
            NoVerdict::Truncated,
            format!("the token limit cut the answer: {}", unread.detail),
        ),
        Err(unread) if unread.state == NoVerdict::Unparsed && declines(text) => {
            none(NoVerdict::Refused, format!("the judge declined: {}", first_line(text)))
        }
        Err(unread) => none(unread.state, unread.detail),
    }
}

fn preference(trial: &Trial, text: &str, completeness: Completeness) -> Result<Verdict, Unread> {
    let arms = |places: Vec<usize>| {
        places
            .into_iter()
            .filter_map(|place| trial.arms.get(place).cloned())
            .collect()
    };
    let arm = |place: usize| trial.arms.get(place).cloned().unwrap_or_default();
    match trial.protocol {
        Protocol::Ranking | Protocol::Pairwise if trial.ties => read_tied_ranking(text, &trial.labels, completeness)
            .map(|places| Verdict::TiedRanking(places.into_iter().map(arms).collect())),
        Protocol::Ranking | Protocol::Pairwise => {
            read_ranking(text, &trial.labels, completeness).map(|places| Verdict::Ranking(arms(places)))
        }
        Protocol::BestWorst => {
            read_best_worst(text, &trial.labels, completeness).map(|(best, worst)| Verdict::BestWorst {
                best: arm(best),
                worst: arm(worst),
            })
        }
        Protocol::Pointwise => read_scores(text, completeness).map(Verdict::Scores),
    }
}

fn failed_call(error: &CallError) -> Outcome {
    let state = match error {
        CallError::TooLong { .. } => NoVerdict::TooLong,
        CallError::Filtered { .. } => NoVerdict::Filtered,
        CallError::Unauthorized { .. }
        | CallError::Offline { .. }
        | CallError::Failed { .. }
        | CallError::Unsupported { .. }
        | CallError::Store { .. }
        | CallError::Stopped => NoVerdict::Error,
    };
    none(state, error.to_string())
}

/// Reads a text twice where a block of code closes it: without the block, and with it. Where both say something they must
/// say the same, since the block may be the judge's answer or what it quotes.
fn read_views<T: PartialEq>(
    text: &str,
    fields: &object::Fields,
    read: impl Fn(&[String]) -> Result<T, Unread>,
) -> Result<T, Unread> {
    let views = visible::views(text);
    let outside = read(&object::flattened(&views.outside, fields));
    let Some(lines) = views.with_closing else {
        return outside;
    };
    let with_closing = read(&object::flattened(&lines, fields));
    match (outside, with_closing) {
        (Err(outside), with_closing) if outside.state == NoVerdict::Unparsed => with_closing,
        (Ok(outside), Ok(with_closing)) if outside != with_closing => Err(Unread::ambiguous(
            "the block of code at the end says something else than the text before it",
        )),
        (Ok(_), Err(unread)) if unread.state == NoVerdict::Ambiguous => Err(unread),
        (outside, _) => outside,
    }
}

fn none(state: NoVerdict, detail: impl Into<String>) -> Outcome {
    Outcome::None {
        state,
        detail: detail.into(),
    }
}

/// Whether a text without a verdict begins by declining to give one.
fn declines(text: &str) -> bool {
    let start: String = visible::plain(&visible::views(text).outside.join("\n"))
        .trim_start()
        .chars()
        .take(200)
        .collect::<String>()
        .to_lowercase();
    let apologizes = ["i'm sorry", "i am sorry", "sorry", "i apologi", "as an ai"]
        .iter()
        .any(|words| start.starts_with(words));
    let declining = [
        "cannot",
        "can't",
        "unable to",
        "not able to",
        "won't",
        "will not",
        "decline",
    ];
    let begins_declining = [
        "i cannot",
        "i can't",
        "i am unable",
        "i'm unable",
        "i am not able",
        "i'm not able",
        "i won't",
        "i will not",
        "i must decline",
        "i decline",
    ]
    .iter()
    .any(|words| start.starts_with(words));
    begins_declining || (apologizes && declining.iter().any(|words| start.contains(words)))
}

fn first_line(text: &str) -> String {
    text.trim()
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(200)
        .collect()
}
