//! The leak check: whether a finished page tells its judge what it must not. It reads the page's own text, Markdown and
//! HTML, and not the view that the page was made from, so that a fault in making pages is found here. With the part that
//! conceals ([`super::withhold`]) it shares what a value, a statement and a name look like, not where to look: every
//! text of a page is read that is not the sample's own. The rule, also in docs/formats.md:
//!
//! - **Answer** (pages that withhold it): in the model's words every value; in a step, an error, a note, a fact, a caption or
//!   an attribute what names or states it ([`super::answer_forms`], [`super::stated`]); in a program also what it gives
//!   out and what a comment says; a table other than the first with a column that holds the answer and nothing else, with
//!   a computed column named by it or cells that put it in words, or with one row and a verdict in any form; a count that
//!   is the answer; a last step that picks out the answer of what the question offers. What the question, the caption
//!   and the first table have is on every page of the sample alike, and no leak.
//! - **Name** (every page): a name of [`super::telling_names`] in any text, where the sample itself does not have it.
//! - **Imported** (every page of an explanation made elsewhere): words that tell the right answer or whether the answer is
//!   right, such as `ground truth` or `false positive`, where the sample itself does not have them.
//! - **Secret** (every page): the bytes of the page depend on the gold answer, on whether the answer is right, on a
//!   name (of the sample, its table file, the method, the model, the answerer), or, where it is withheld, on the answer itself
//!   beyond the steps that led to it.

mod html_parts;
mod imported_rules;
mod markdown_parts;
mod parts;
mod rules;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what a test builds has to be there")]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use parts::{Part, Placed};
use rules::Rules;

use super::withhold::Blind;
use super::{AnswerVisibility, Format, Written};
use crate::dataset::{Answer, Gold};

/// Something that a page tells and must not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leak {
    /// What it tells.
    pub what: LeakKind,
    /// Where, such as `Markdown line 14`.
    pub place: String,
}

/// What a page tells and must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeakKind {
    /// The answer, on a page that withholds it.
    Answer,
    /// A name of a method, model, arm, sample or file.
    Name,
    /// Something that no page may depend on: gold answer, correctness, names of samples and files.
    Secret,
}

impl LeakKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Answer => "the withheld answer",
            Self::Name => "a name that tells what made it",
            Self::Secret => "the gold answer or a name",
        }
    }
}

/// Every leak of a finished page.
pub(super) fn of_page(page: &Written, format: Format, visibility: AnswerVisibility, blind: &Blind<'_>) -> Vec<Leak> {
    let rules = Rules::new(blind, format, visibility);
    let mut leaks = in_parts(&rules, "Markdown", &markdown_parts::parts(&page.markdown));
    leaks.extend(in_parts(&rules, "HTML", &html_parts::parts(&page.html)));
    leaks.extend(of_secrets(page, format, visibility, blind));
    leaks
}

/// What the parts of a page tell, each place once.
fn in_parts(rules: &Rules<'_>, medium: &str, parts: &[Placed]) -> Vec<Leak> {
    let place = |line: usize| format!("{medium} line {line}");
    let mut leaks: Vec<Leak> = Vec::new();
    for placed in parts {
        for what in rules.of(&placed.part) {
            let leak = Leak {
                what,
                place: place(placed.line),
            };
            if leaks.last() != Some(&leak) {
                leaks.push(leak);
            }
        }
    }
    let all: Vec<&Part> = parts.iter().map(|placed| &placed.part).collect();
    if let Some(chosen) = rules.chosen(&all).and_then(|index| parts.get(index)) {
        leaks.push(Leak {
            what: LeakKind::Answer,
            place: place(chosen.line),
        });
    }
    leaks
}

/// Whether the page is another one when nothing but its secrets is: of the same steps, concealed alike.
fn of_secrets(page: &Written, format: Format, visibility: AnswerVisibility, blind: &Blind<'_>) -> Option<Leak> {
    let (sample, trace) = (blind.sample, blind.trace);
    let mut other_sample = sample.clone();
    other_sample.id = "another-sample".to_owned();
    other_sample.table_id = "another/table.csv".to_owned();
    other_sample.groups.clear();
    other_sample.gold = Some(match &sample.gold {
        Some(Gold::Verdict(verdict)) => Gold::Verdict(!verdict),
        _ => Gold::Text("another answer".to_owned()),
    });
    let mut other_trace = trace.clone();
    other_trace.sample.clone_from(&other_sample.id);
    for name in [
        &mut other_trace.answerer,
        &mut other_trace.method,
        &mut other_trace.model,
    ] {
        *name = "another-name".to_owned();
    }
    if visibility == AnswerVisibility::Withheld {
        other_trace.answer = other_trace.answer.as_ref().map(another);
    }
    if let Some(imported) = &mut other_trace.imported {
        "another-name".clone_into(&mut imported.name);
        "another-file".clone_into(&mut imported.file);
        imported.method = None;
        imported.model = None;
    }
    // What the model's own text tells is concealed, or the parts' to say, by the true names and answer in both.
    let other = Written::new(&other_sample, &other_trace, format, visibility, Some(blind));
    differing_line(&page.markdown, &other.markdown)
        .map(|line| format!("Markdown line {line}"))
        .or_else(|| differing_line(&page.html, &other.html).map(|line| format!("HTML line {line}")))
        .map(|place| Leak {
            what: LeakKind::Secret,
            place,
        })
}

/// Another answer of the same kind.
fn another(answer: &Answer) -> Answer {
    match answer {
        Answer::Verdict(verdict) => Answer::Verdict(!verdict),
        Answer::Values(values) => Answer::Values(vec!["another value".to_owned(); values.len() + 1]),
        Answer::Text(_) => Answer::Text("Another sentence.".to_owned()),
    }
}

/// The first line, counted from one, in which two texts differ.
fn differing_line(ours: &str, theirs: &str) -> Option<usize> {
    let same = ours
        .lines()
        .zip(theirs.lines())
        .take_while(|(ours, theirs)| ours == theirs)
        .count();
    (ours != theirs).then_some(same + 1)
}
