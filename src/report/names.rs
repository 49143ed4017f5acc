//! What verdicts, readings and answers are called in tables and pages.

use crate::judge::{NoVerdict, Verdict};
use crate::trace::AnswerSource;

use super::index::Scored;

/// A verdict in one line.
pub fn verdict_text(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Ranking(arms) => arms.join(" > "),
        Verdict::TiedRanking(places) => {
            let places: Vec<String> = places.iter().map(|place| place.join(" = ")).collect();
            places.join(" > ")
        }
        Verdict::BestWorst { best, worst } => format!("best {best}, worst {worst}"),
        Verdict::Scores(scores) => {
            let scores: Vec<String> = scores
                .iter()
                .map(|score| format!("{} {}", score.criterion.name(), score.score))
                .collect();
            scores.join(", ")
        }
        Verdict::Guess(answer) => answer.display(),
        Verdict::Correct(true) => "correct".to_owned(),
        Verdict::Correct(false) => "incorrect".to_owned(),
    }
}

/// What became of a trial: `readable`, `not_asked`, or why there is no verdict.
pub fn reading_name(scored: &Scored) -> &'static str {
    match scored.reading {
        None => "not_asked",
        Some(Ok(_)) => "readable",
        Some(Err(state)) => state_name(state),
    }
}

/// The name of a reason for having no verdict.
pub fn state_name(state: NoVerdict) -> &'static str {
    match state {
        NoVerdict::Unparsed => "unparsed",
        NoVerdict::Ambiguous => "ambiguous",
        NoVerdict::Refused => "refused",
        NoVerdict::Truncated => "truncated",
        NoVerdict::TooLong => "too_long",
        NoVerdict::Filtered => "filtered",
        NoVerdict::Error => "error",
        NoVerdict::NoQuorum => "no_quorum",
    }
}

/// The name of where an answer came from.
pub fn source_name(source: AnswerSource) -> &'static str {
    match source {
        AnswerSource::Program => "program",
        AnswerSource::Model => "model",
        AnswerSource::Fallback => "fallback",
        AnswerSource::Imported => "imported",
    }
}
