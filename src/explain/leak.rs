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
//! - **Secret** (every page of an explanation made elsewhere): words that tell the right answer or whether the answer is
//!   right, such as `ground truth` or `false positive`, where the sample itself does not have them.
//!
//! That the bytes of a page do not depend on the gold answer, on whether the answer is right, on a name, or - where it is
//! withheld - on the answer itself beyond the steps that led to it, needs no look at the page: whoever writes it is
//! not told ([`super::material`]).

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
    let mut leaks = in_parts(&rules, "Markdown", markdown_parts::parts(&page.markdown));
    leaks.extend(in_parts(&rules, "HTML", html_parts::parts(&page.html)));
    leaks
}

/// What the parts of a page tell, each place once.
fn in_parts(rules: &Rules<'_, '_>, medium: &str, mut parts: Vec<Placed>) -> Vec<Leak> {
    parts.iter_mut().for_each(|placed| placed.part.remove_folds());
    let place = |line: usize| format!("{medium} line {line}");
    let mut leaks: Vec<Leak> = Vec::new();
    for placed in &parts {
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
