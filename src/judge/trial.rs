//! What the tasks make trials from, and how a trial gets its id.

use serde_json::Value;

use super::{Protocol, Task, Trial};
use crate::dataset::{Answer, QuestionKind};

/// What the arms answered to one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleAnswers {
    /// The sample's id.
    pub sample: String,
    /// What the sample asks.
    pub kind: QuestionKind,
    /// Arms in the study's order, the control apart; `None` when the arm has no answer.
    pub arms: Vec<(String, Option<Answer>)>,
}

impl SampleAnswers {
    /// Whether every arm has an answer.
    pub fn is_common(&self) -> bool {
        self.arms.iter().all(|(_, answer)| answer.is_some())
    }

    /// The arms that have an answer, with it.
    pub fn answered(&self) -> impl Iterator<Item = (&str, &Answer)> {
        self.arms
            .iter()
            .filter_map(|(arm, answer)| answer.as_ref().map(|answer| (arm.as_str(), answer)))
    }
}

impl Trial {
    /// A trial of a sample on these arms, called by place; everything else is as in the first of several.
    pub fn new(task: Task, sample: &SampleAnswers, arms: Vec<String>) -> Self {
        Self {
            id: String::new(),
            task,
            sample: sample.sample.clone(),
            kind: sample.kind,
            labels: (0..arms.len()).map(blind_label).collect(),
            arms,
            options: Vec::new(),
            prediction: None,
            control_of: Vec::new(),
            recorded_right: None,
            repeat: 0,
            turn: 0,
            protocol: Protocol::Ranking,
            ties: false,
            descriptions: Vec::new(),
            suspects: Vec::new(),
        }
    }

    /// Puts in the id that follows from all other fields.
    pub fn identified(mut self) -> Self {
        self.id = self.identity();
        self
    }

    /// 16 hexadecimal characters of the BLAKE3 of the canonical JSON (keys sorted, no blanks) of all fields but `id` and
    /// `suspects`, which follow from what is shown.
    pub fn identity(&self) -> String {
        let mut fields = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(fields) = &mut fields {
            fields.remove("id");
            fields.remove("suspects");
        }
        let mut text = String::new();
        write_canonical(&fields, &mut text);
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }
}

/// Each trial as often as asked for, one draw after another, with their ids.
pub(super) fn repeated(trials: Vec<Trial>, repeats: u32) -> Vec<Trial> {
    (0..repeats)
        .flat_map(|repeat| {
            trials.iter().map(move |trial| {
                Trial {
                    repeat,
                    ..trial.clone()
                }
                .identified()
            })
        })
        .collect()
}

/// Sorts keys here, not by the map's type: whether that keeps the order of insertion is a feature any crate can turn on.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort();
            text.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write_canonical(&fields[key], text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_canonical(item, text);
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// `Explanation A`, `Explanation B`, ...; after `Z` comes `AA`.
pub fn blind_label(place: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = place;
    loop {
        letters.push(char::from(b'A' + (rest % 26) as u8));
        if rest < 26 {
            break;
        }
        rest = rest / 26 - 1;
    }
    format!("Explanation {}", letters.iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial() -> Trial {
        Trial {
            id: String::new(),
            task: Task::Verification,
            sample: "s1".to_owned(),
            kind: QuestionKind::ShortAnswer,
            arms: vec!["pos".to_owned()],
            labels: vec!["Explanation A".to_owned()],
            options: vec!["correct".to_owned(), "incorrect".to_owned()],
            prediction: Some(Answer::Values(vec!["4 \"a\"".to_owned()])),
            control_of: Vec::new(),
            recorded_right: None,
            repeat: 0,
            turn: 0,
            protocol: Protocol::Ranking,
            ties: false,
            descriptions: Vec::new(),
            suspects: Vec::new(),
        }
        .identified()
    }

    #[test]
    fn fields_that_say_nothing_leave_ids_as_they_were() {
        let text = serde_json::to_string(&trial()).unwrap();
        assert!(
            !["protocol", "ties", "descriptions"]
                .iter()
                .any(|field| text.contains(field)),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Trial>(&text).unwrap(), trial());
        let mut tied = trial();
        tied.ties = true;
        assert_ne!(tied.identity(), trial().id);
    }

    #[test]
    fn the_id_follows_from_the_other_fields() {
        let first = trial();
        assert_eq!(first.id.len(), 16);
        assert_eq!(first.id, first.identity());
        let mut other = trial();
        other.turn = 1;
        assert_ne!(first.id, other.identity());
        let mut renamed = trial();
        renamed.id = "x".to_owned();
        assert_eq!(first.id, renamed.identity());
    }

    #[test]
    fn canonical_json_sorts_keys() {
        let value = serde_json::json!({"b": [1, null, {"z": "q\"", "a": true}], "a": 1.5});
        let mut text = String::new();
        write_canonical(&value, &mut text);
        assert_eq!(text, r#"{"a":1.5,"b":[1,null,{"a":true,"z":"q\""}]}"#);
    }

    #[test]
    fn labels_go_on_after_z() {
        let labels: Vec<String> = [0, 1, 25, 26, 27, 52].into_iter().map(blind_label).collect();
        assert_eq!(
            labels,
            ["A", "B", "Z", "AA", "AB", "BA"].map(|letters| format!("Explanation {letters}"))
        );
    }
}
