//! The evaluator as a whole: a file of predictions against a file of gold values.

use std::collections::BTreeMap;
use std::path::Path;

use crate::dataset::DatasetError;
use crate::dataset::text_file::{lines, read_text};
use crate::dataset::wikitq::read_tagged;

use super::{DenotationValue, distinct_values, values_match};

/// Why nothing could be evaluated.
#[derive(Debug, thiserror::Error)]
#[error("evaluating predictions: {0}")]
pub struct EvaluationError(#[from] DatasetError);

/// How one line of predictions fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineResult {
    /// Its 1-based line in the file of predictions.
    pub line: usize,
    /// The question's id.
    pub id: String,
    /// Whether the values denote the gold values.
    pub correct: bool,
}

/// How a file of predictions fared.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// One entry a line whose id is known, in file order; a repeated line counts again, a question without a line does
    /// not count.
    pub lines: Vec<LineResult>,
    /// Ids without a question, in file order, with their 1-based lines.
    pub unknown: Vec<(usize, String)>,
}

impl Evaluation {
    /// Lines that are right.
    pub fn correct(&self) -> usize {
        self.lines.iter().filter(|line| line.correct).count()
    }

    /// The share of right lines as the evaluator has it: 1 for a file without any.
    pub fn accuracy(&self) -> f64 {
        (self.correct() as f64 + 1e-9) / (self.lines.len() as f64 + 1e-9)
    }
}

/// Evaluates predictions, a line each: the question's id and the predicted values, parted by tabs and not escaped.
///
/// Differs from the official program in two ways, both by the rules of the data: gold values are unescaped in one pass,
/// and lines end at a line feed only.
pub fn evaluate_predictions(tagged: &Path, predictions: &Path) -> Result<Evaluation, EvaluationError> {
    let gold: BTreeMap<String, Vec<DenotationValue>> = read_tagged(tagged)?
        .into_iter()
        .map(|question| (question.id, distinct_values(&question.values, &question.canon)))
        .collect();
    let mut evaluation = Evaluation {
        lines: Vec::new(),
        unknown: Vec::new(),
    };
    for (number, line) in lines(&read_text(predictions)?) {
        let mut fields = line.split('\t').map(str::to_owned);
        let id = fields.next().unwrap_or_default();
        let Some(gold) = gold.get(&id) else {
            evaluation.unknown.push((number, id));
            continue;
        };
        let predicted = distinct_values(&fields.collect::<Vec<_>>(), &[]);
        evaluation.lines.push(LineResult {
            line: number,
            id,
            correct: values_match(gold, &predicted),
        });
    }
    Ok(evaluation)
}
