//! The verdict as JSON: the schema that is sent with a request where an endpoint can hold its model to one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::prompt::short_names;
use super::protocol::{Criterion, GREATEST_SCORE, LEAST_SCORE};
use super::{Protocol, Task, Trial};
use crate::dataset::QuestionKind;

/// The field of a request that names the form of the answer, as OpenAI-compatible endpoints take it.
pub const RESPONSE_FORMAT: &str = "response_format";

/// The field of the reasoning. Endpoints that hold their model to a schema write its fields in the schema's order, and a
/// JSON object on its way there may have its fields sorted by name: this name comes before those of all verdicts, so that
/// a judge reasons first either way.
pub const REASONING: &str = "analysis";

/// The schema of the verdict on a trial: reasoning first, then the fields that decide.
pub fn schema(trial: &Trial) -> Value {
    let text = || json!({"type": "string"});
    let among = |words: &[String]| json!({"type": "string", "enum": words});
    let list = |items: Value| json!({"type": "array", "items": items});
    let names = short_names(&trial.labels);
    let decides: Vec<(&str, Value)> = match (trial.task, trial.protocol) {
        (Task::Preference, Protocol::BestWorst) => vec![("best", among(&names)), ("worst", among(&names))],
        (Task::Preference, Protocol::Pointwise) => {
            let scores: Vec<u8> = (LEAST_SCORE..=GREATEST_SCORE).collect();
            let score = |criterion: Criterion| (criterion.name(), json!({"type": "integer", "enum": scores}));
            Criterion::ALL.map(score).to_vec()
        }
        (Task::Preference, _) if trial.ties => vec![("ranking", list(list(among(&names))))],
        (Task::Preference, _) => vec![("ranking", list(among(&names)))],
        (Task::Verification, _) => vec![("verdict", among(&trial.options))],
        (Task::Simulation, _) => vec![(
            "answer",
            match trial.kind {
                QuestionKind::FactVerification => among(&["TRUE".to_owned(), "FALSE".to_owned()]),
                QuestionKind::ShortAnswer => list(text()),
                QuestionKind::FreeForm => text(),
            },
        )],
    };
    let mut properties = serde_json::Map::new();
    properties.insert(REASONING.to_owned(), text());
    properties.extend(decides.into_iter().map(|(name, value)| (name.to_owned(), value)));
    let required: Vec<String> = properties.keys().cloned().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The request's fields that ask for the schema.
pub fn parameters(trial: &Trial) -> BTreeMap<String, Value> {
    let format = json!({
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": true, "schema": schema(trial)},
    });
    BTreeMap::from([(RESPONSE_FORMAT.to_owned(), format)])
}

/// Whether a failed call says that the endpoint does not take a schema, so that asking for text may work.
pub fn is_refused(message: &str) -> bool {
    let lower = message.to_lowercase();
    let names_it = [
        "response_format",
        "response format",
        "json_schema",
        "json schema",
        "structured output",
        "guided",
    ];
    names_it.iter().any(|words| lower.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::trial::SampleAnswers;

    /// Where a field stands in the text of an object.
    fn place(text: &str, field: &str) -> Option<usize> {
        text.find(&format!("\"{field}\""))
    }

    #[test]
    fn the_reasoning_is_written_before_every_field_that_decides() {
        let trial = |task, kind, protocol, ties| {
            let sample = SampleAnswers {
                sample: "s".to_owned(),
                kind,
                arms: Vec::new(),
            };
            Trial {
                protocol,
                ties,
                options: vec!["incorrect".to_owned(), "correct".to_owned()],
                ..Trial::new(task, &sample, vec!["x".to_owned(), "y".to_owned()])
            }
        };
        let kind = QuestionKind::ShortAnswer;
        for (trial, decides) in [
            (
                trial(Task::Preference, kind, Protocol::Ranking, false),
                &["ranking"][..],
            ),
            (trial(Task::Preference, kind, Protocol::Ranking, true), &["ranking"]),
            (trial(Task::Preference, kind, Protocol::Pairwise, false), &["ranking"]),
            (
                trial(Task::Preference, kind, Protocol::BestWorst, false),
                &["best", "worst"],
            ),
            (
                trial(Task::Preference, kind, Protocol::Pointwise, false),
                &["clarity", "coherence", "helpfulness"],
            ),
            (trial(Task::Verification, kind, Protocol::Ranking, false), &["verdict"]),
            (trial(Task::Simulation, kind, Protocol::Ranking, false), &["answer"]),
            (
                trial(
                    Task::Simulation,
                    QuestionKind::FactVerification,
                    Protocol::Ranking,
                    false,
                ),
                &["answer"],
            ),
            (
                trial(Task::Simulation, QuestionKind::FreeForm, Protocol::Ranking, false),
                &["answer"],
            ),
        ] {
            let schema = schema(&trial);
            for part in ["properties", "required"] {
                let text = schema[part].to_string();
                let first = place(&text, REASONING).expect(part);
                for field in decides {
                    assert!(first < place(&text, field).expect(field), "{text}");
                }
            }
        }
    }
}
