//! What a question offers to choose from: a last step that names the answer and none of the others has made the choice.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cells;
use crate::dataset::Sample;
use crate::explain::answer_forms::AnswerForms;
use crate::explain::text_words::{contains, is_small_number, runs, sentences, tokens, words as words_of};

/// What a question offers to choose from, of which the answer is one.
pub(in crate::explain) struct Choice {
    answer: Vec<String>,
    others: Vec<Vec<String>>,
}

impl Choice {
    /// `None` where the question does not name the answer beside another cell of the same column.
    pub(in crate::explain) fn of(forms: &AnswerForms, sample: &Sample) -> Option<Self> {
        let answer = forms.only_value()?;
        let asked = words_of(&sample.question);
        if is_small_number(answer) || !contains(&asked, answer) {
            return None;
        }
        let mut others: BTreeSet<Vec<String>> = BTreeSet::new();
        for column in 0..sample.table.columns.len() {
            let values: BTreeSet<Vec<String>> = cells(&sample.table, column).flatten().map(words_of).collect();
            if values.contains(answer) {
                others.extend(
                    values
                        .into_iter()
                        .filter(|value| value != answer && contains(&asked, value)),
                );
            }
        }
        (!others.is_empty()).then(|| Self {
            answer: answer.to_vec(),
            others: others.into_iter().collect(),
        })
    }

    /// Whether the texts name the answer and none of the others.
    pub(in crate::explain) fn is_made_by<'a>(&self, texts: impl Iterator<Item = &'a str>) -> bool {
        let texts: Vec<Vec<String>> = texts.map(words_of).collect();
        let names = |value: &Vec<String>| texts.iter().any(|text| contains(text, value));
        names(&self.answer) && !self.others.iter().any(names)
    }

    /// Where a text names the answer.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        runs(&tokens(text), &self.answer)
    }

    /// The sentences of a text that name it.
    pub(super) fn sentences(&self, text: &str) -> Vec<Range<usize>> {
        sentences(text)
            .into_iter()
            .filter(|sentence| !self.places(text.get(sentence.clone()).unwrap_or_default()).is_empty())
            .collect()
    }
}
