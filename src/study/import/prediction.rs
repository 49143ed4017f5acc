//! Answers as a table of predictions writes them: the forms of the custom data set's `answer` and `label`.

use crate::dataset::score::{Score, answers_agree, score};
use crate::dataset::{Answer, Gold, QuestionKind, Sample};

/// Reads a prediction of a sample. An error says what is wrong and what to write.
pub(super) fn read(kind: QuestionKind, field: &str) -> Result<Answer, (String, &'static str)> {
    match kind {
        QuestionKind::FactVerification => match field.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "entailed" => Ok(Answer::Verdict(true)),
            "false" | "0" | "refuted" => Ok(Answer::Verdict(false)),
            _ => Err((format!("{field:?} is no verdict on a statement"), "write TRUE or FALSE")),
        },
        QuestionKind::ShortAnswer => values(field).map(Answer::Values),
        QuestionKind::FreeForm => Ok(Answer::Text(field.trim().to_owned())),
    }
}

/// One value, or a JSON list of values. Never split at commas.
fn values(field: &str) -> Result<Vec<String>, (String, &'static str)> {
    let field = field.trim();
    let list = field
        .starts_with('[')
        .then(|| serde_json::from_str::<Vec<serde_json::Value>>(field).ok())
        .flatten();
    let Some(list) = list else {
        return Ok(vec![field.to_owned()]);
    };
    if list.is_empty() {
        return Err((
            "the list of values is empty".to_owned(),
            "leave the field empty where there is no prediction",
        ));
    }
    list.into_iter()
        .map(|value| match value {
            serde_json::Value::String(text) => Ok(text),
            serde_json::Value::Number(number) => Ok(number.to_string()),
            _ => Err((
                format!("{field:?} is no list of texts and numbers"),
                "write a value, or a JSON list of values such as [\"oak\", \"elm\"]",
            )),
        })
        .collect()
}

/// Whether this is the sample's own right answer, as the file says; `None` when the sample has none.
pub(super) fn is_gold(sample: &Sample, given: &Answer) -> Option<bool> {
    match (&sample.gold, given) {
        (None, _) => None,
        (Some(Gold::Text(gold)), given) => Some(answers_agree(
            QuestionKind::FreeForm,
            &Answer::Text(gold.clone()),
            given,
        )),
        _ => Some(score(sample, Some(given)) == Score::Correct),
    }
}

/// Whether an answer is one to a question of this kind.
pub(super) fn fits(kind: QuestionKind, answer: &Answer) -> bool {
    matches!(
        (kind, answer),
        (QuestionKind::FactVerification, Answer::Verdict(_))
            | (QuestionKind::ShortAnswer, Answer::Values(_))
            | (QuestionKind::FreeForm, Answer::Text(_))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_of_the_kind_that_is_asked() {
        let verdict = |field| read(QuestionKind::FactVerification, field);
        assert_eq!(verdict(" True"), Ok(Answer::Verdict(true)));
        assert_eq!(verdict("refuted"), Ok(Answer::Verdict(false)));
        assert!(verdict("oak").is_err());
        let values = |field| read(QuestionKind::ShortAnswer, field);
        let list = |texts: &[&str]| Ok(Answer::Values(texts.iter().map(|&text| text.to_owned()).collect()));
        assert_eq!(values("oak, elm"), list(&["oak, elm"]));
        assert_eq!(values("[\"oak\", 3]"), list(&["oak", "3"]));
        assert_eq!(values("[sic] oak"), list(&["[sic] oak"]));
        assert!(values("[]").is_err());
        assert!(values("[[1]]").is_err());
    }
}
