//! Denotation accuracy of WikiTableQuestions: does a list of predicted values denote the gold values?
//!
//! This is the matcher of the official `evaluator.py` 1.0.2 (Pasupat and Liang 2015), with the reading of numbers and
//! the character tables it has under Python 2.7:
//!
//! - a value is a number, a date or a string ([`DenotationValue::parse`]); gold values are read from their canonical
//!   form where there is one, and keep the normal form of the text they are written as ([`normalize`]);
//! - both sides are sets: equal values count once, and the first keeps its text. Numbers are equal by amount, dates by
//!   year, month and day, strings by normal form; values of different types never are;
//! - the prediction is right if both sets have the same size and every gold value matches some predicted one: equal
//!   normal forms, numbers closer than 1e-6, or equal dates. One predicted value may match several gold values.

mod evaluate;
mod normalize;
mod value;

use std::collections::HashSet;

pub use evaluate::{Evaluation, EvaluationError, LineResult, evaluate_predictions};
pub use normalize::normalize;
pub use value::{Amount, DenotationValue, Kind};

/// Whether the predicted values denote the gold values. `canon` holds the canonical form of every gold value, or is
/// empty where the data set has none; a value without one is read from its own text.
pub fn denotation_matches(gold: &[String], canon: &[String], predicted: &[String]) -> bool {
    let gold = distinct_values(gold, canon);
    let predicted = distinct_values(predicted, &[]);
    values_match(&gold, &predicted)
}

/// Reads a list of values and keeps the first of equal ones.
pub fn distinct_values(texts: &[String], canon: &[String]) -> Vec<DenotationValue> {
    let mut distinct: Vec<DenotationValue> = Vec::with_capacity(texts.len());
    let mut seen = HashSet::new();
    for (index, text) in texts.iter().enumerate() {
        let value = DenotationValue::parse(text, canon.get(index).map(String::as_str));
        if seen.insert(value.identity()) {
            distinct.push(value);
        }
    }
    distinct
}

/// Whether two lists of distinct values match.
pub fn values_match(gold: &[DenotationValue], predicted: &[DenotationValue]) -> bool {
    if gold.len() != predicted.len() {
        return false;
    }
    // An answer may have as many values as a table has rows: most of them are found by their text at once.
    let texts: HashSet<&str> = predicted.iter().map(|value| value.normalized.as_str()).collect();
    gold.iter()
        .all(|gold| texts.contains(gold.normalized.as_str()) || predicted.iter().any(|value| gold.matches(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(gold: &[&str], canon: &[&str], predicted: &[&str]) -> bool {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        denotation_matches(&owned(gold), &owned(canon), &owned(predicted))
    }

    #[test]
    fn canonical_values_loosen_the_gold_only() {
        assert!(matches(&["1,234"], &["1234.0"], &["1234"]));
        assert!(matches(&["1,234"], &["1234.0"], &["1,234"]));
        assert!(!matches(&["1234"], &["1234.0"], &["1,234"]));
        assert!(!matches(&["1,234"], &[], &["1234"]));
    }

    #[test]
    fn equal_values_count_once() {
        assert!(matches(&["3", "3.0"], &[], &["3"]));
        assert!(matches(&["oak", "Oak."], &[], &["oak"]));
        assert!(!matches(&["oak", "elm"], &[], &["oak", "oak"]));
    }

    #[test]
    fn an_empty_prediction_is_wrong() {
        assert!(!matches(&["oak"], &[], &[]));
        assert!(!matches(&[""], &[], &[]));
    }

    #[test]
    fn one_predicted_value_may_match_several() {
        // Both gold values lie within 1e-6 of the first prediction.
        assert!(matches(&["0.3000000", "0.3000005"], &[], &["0.3000001", "8"]));
    }
}
