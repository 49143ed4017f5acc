//! What the pages of an arm are like.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::AnswerVisibility;
use crate::judge::CONTROL_ARM;
use crate::stats::Stat;

use super::inference::Inference;
use super::quantities::{Proportion, share};
use super::records::{PageRecord, RunRecords};

/// The pages of one arm with the answer shown, or withheld.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageAnalysis {
    /// The arm, or the control.
    pub arm: String,
    /// Whether the answer is shown.
    pub answer: AnswerVisibility,
    /// Pages.
    pub pages: u64,
    /// Steps a page.
    pub steps_per_page: Stat<f64>,
    /// Steps with any mark, of all steps.
    pub steps_marked: Proportion,
    /// Steps whose marks are only known to be enough, of all steps.
    pub steps_inexact: Proportion,
    /// Pages whose steps do not end in the answer (a fallback gave it).
    pub answer_not_from_steps: Proportion,
    /// Places a page leaves out so that it tells neither its answer nor what made it.
    pub places_withheld_per_page: Stat<f64>,
    /// Pages that tell one of these all the same.
    pub leaking: Proportion,
    /// Bytes of HTML a page.
    pub html_bytes_per_page: Stat<f64>,
    /// Bytes of Markdown a page.
    pub markdown_bytes_per_page: Stat<f64>,
    /// Tokens of HTML a page, guessed by the word rule.
    pub html_tokens_per_page: Stat<f64>,
    /// Tokens of Markdown a page, guessed by the same rule.
    pub markdown_tokens_per_page: Stat<f64>,
    /// Bytes of the longest Markdown.
    pub markdown_bytes_most: u64,
}

/// One entry an arm and visibility that has pages, in the order of the study, the control last.
pub fn analyze(records: &RunRecords) -> Vec<PageAnalysis> {
    let arms = records
        .study
        .arms
        .iter()
        .map(|arm| arm.name.as_str())
        .chain([CONTROL_ARM]);
    arms.flat_map(|arm| [AnswerVisibility::Shown, AnswerVisibility::Withheld].map(|answer| (arm, answer)))
        .filter_map(|(arm, answer)| {
            let pages: Vec<&PageRecord> = records
                .pages
                .iter()
                .filter(|page| page.arm == arm && page.answer == answer)
                .collect();
            (!pages.is_empty()).then(|| {
                of_arm(
                    arm,
                    answer,
                    &pages,
                    Inference::of(&records.study, &["pages", arm, answer.name()]),
                )
            })
        })
        .collect()
}

fn of_arm(arm: &str, answer: AnswerVisibility, pages: &[&PageRecord], inference: Inference) -> PageAnalysis {
    let count = pages.len() as u64;
    let sum = |of: fn(&PageRecord) -> usize| pages.iter().map(|page| of(page) as u64).sum::<u64>();
    let steps = sum(|page| page.facts.steps);
    // The pages of a control and the steps of a page share their sample.
    let of_steps = |of: fn(&PageRecord) -> usize| {
        let counts = pages
            .iter()
            .map(|page| (page.sample.as_str(), of(page) as u64, page.facts.steps as u64));
        Proportion::of_counts(counts, inference)
    };
    let of_pages = |of: fn(&PageRecord) -> bool| {
        Proportion::of_samples(pages.iter().map(|page| (page.sample.as_str(), of(page))), inference)
    };
    PageAnalysis {
        arm: arm.to_owned(),
        answer,
        pages: count,
        steps_per_page: share(steps, count),
        steps_marked: of_steps(|page| page.facts.steps_marked),
        steps_inexact: of_steps(|page| page.facts.steps_inexact),
        answer_not_from_steps: of_pages(|page| page.facts.answer_not_from_steps),
        places_withheld_per_page: share(sum(|page| page.facts.places_withheld), count),
        leaking: of_pages(|page| !page.facts.leaks.is_empty()),
        html_bytes_per_page: share(sum(|page| page.facts.html_bytes), count),
        markdown_bytes_per_page: share(sum(|page| page.facts.markdown_bytes), count),
        html_tokens_per_page: share(sum(|page| page.facts.html_tokens), count),
        markdown_tokens_per_page: share(sum(|page| page.facts.markdown_tokens), count),
        markdown_bytes_most: pages
            .iter()
            .map(|page| page.facts.markdown_bytes as u64)
            .max()
            .unwrap_or(0),
    }
}
