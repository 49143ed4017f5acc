//! Official scoring of an answer, and whether two answers say the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::denotation::{denotation_matches, normalize};
use super::{Answer, Gold, QuestionKind, Sample};

/// How an answer fares against the gold answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Right.
    Correct,
    /// Another answer than the gold one, or an answer of the wrong kind (values where a verdict is asked).
    Incorrect,
    /// No answer; counts as wrong.
    NoAnswer,
    /// The sample has no gold answer.
    NoGold,
    /// A sentence is not right or wrong; its overlap with the gold sentence is measured elsewhere.
    FreeForm,
}

impl Score {
    /// Whether the answer counts as right; `None` when right and wrong are not defined.
    pub fn correct(self) -> Option<bool> {
        match self {
            Self::Correct => Some(true),
            Self::Incorrect | Self::NoAnswer => Some(false),
            Self::NoGold | Self::FreeForm => None,
        }
    }
}

/// Scores an answer as the data set's own evaluator does: the verdict itself, or denotation accuracy.
pub fn score(sample: &Sample, answer: Option<&Answer>) -> Score {
    let Some(gold) = &sample.gold else {
        return Score::NoGold;
    };
    if matches!(gold, Gold::Text(_)) {
        return Score::FreeForm;
    }
    let Some(answer) = answer else {
        return Score::NoAnswer;
    };
    let correct = match (gold, answer) {
        (Gold::Verdict(gold), Answer::Verdict(verdict)) => gold == verdict,
        (Gold::Values { values, canon }, Answer::Values(predicted)) => denotation_matches(values, canon, predicted),
        _ => false,
    };
    if correct { Score::Correct } else { Score::Incorrect }
}

/// Whether `guess` says the same as `prediction`: equal verdicts; values that denote those of the prediction; sentences
/// with the same normal form. Answers of another kind than the question's never agree.
pub fn answers_agree(kind: QuestionKind, prediction: &Answer, guess: &Answer) -> bool {
    match (kind, prediction, guess) {
        (QuestionKind::FactVerification, Answer::Verdict(prediction), Answer::Verdict(guess)) => prediction == guess,
        (QuestionKind::ShortAnswer, Answer::Values(prediction), Answer::Values(guess)) => {
            denotation_matches(prediction, &[], guess)
        }
        (QuestionKind::FreeForm, Answer::Text(prediction), Answer::Text(guess)) => {
            normalize(prediction) == normalize(guess)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::dataset::DatasetKind;
    use crate::table::Table;

    fn sample(kind: QuestionKind, gold: Option<Gold>) -> Sample {
        Sample {
            id: "q".to_owned(),
            dataset: DatasetKind::Custom,
            kind,
            table_id: "t".to_owned(),
            caption: None,
            table: Table::default(),
            question: "?".to_owned(),
            gold,
            groups: BTreeMap::new(),
        }
    }

    fn values(texts: &[&str]) -> Answer {
        Answer::Values(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn verdicts() {
        let sample = sample(QuestionKind::FactVerification, Some(Gold::Verdict(true)));
        assert_eq!(score(&sample, Some(&Answer::Verdict(true))), Score::Correct);
        assert_eq!(score(&sample, Some(&Answer::Verdict(false))), Score::Incorrect);
        assert_eq!(score(&sample, Some(&values(&["TRUE"]))), Score::Incorrect);
        assert_eq!(score(&sample, None).correct(), Some(false));
    }

    #[test]
    fn values_by_denotation() {
        let gold = Gold::Values {
            values: vec!["1,200".to_owned()],
            canon: vec!["1200.0".to_owned()],
        };
        let sample = sample(QuestionKind::ShortAnswer, Some(gold));
        assert_eq!(score(&sample, Some(&values(&["1200"]))), Score::Correct);
        assert_eq!(score(&sample, Some(&values(&["1200", "7"]))), Score::Incorrect);
        assert_eq!(score(&sample, Some(&values(&[]))), Score::Incorrect);
    }

    #[test]
    fn what_is_not_defined_is_not_wrong() {
        let text = Answer::Text("An oak.".to_owned());
        let free = sample(QuestionKind::FreeForm, Some(Gold::Text("An oak.".to_owned())));
        assert_eq!(score(&free, Some(&text)).correct(), None);
        assert_eq!(
            score(&sample(QuestionKind::ShortAnswer, None), Some(&values(&["1"]))),
            Score::NoGold
        );
    }

    #[test]
    fn agreement() {
        assert!(answers_agree(
            QuestionKind::ShortAnswer,
            &values(&["3", "Oak"]),
            &values(&["oak", "3.0"])
        ));
        assert!(!answers_agree(
            QuestionKind::ShortAnswer,
            &values(&["3"]),
            &values(&["3", "oak"])
        ));
        assert!(!answers_agree(
            QuestionKind::FactVerification,
            &Answer::Verdict(true),
            &values(&["TRUE"])
        ));
        let text = |text: &str| Answer::Text(text.to_owned());
        assert!(answers_agree(
            QuestionKind::FreeForm,
            &text("An oak."),
            &text("an  oak")
        ));
    }
}
