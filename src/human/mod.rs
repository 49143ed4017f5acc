//! The same trials answered by people: what a participant answered is read by the reader that reads the models' answers,
//! into judgments of the same form, so that agreement of people and models is a join by trial.
//!
//! A response is one JSON object a line: `{"participant": "p1", "trial": "0123456789abcdef", "answer": "Verdict: correct"}`.
//! This room reads responses; it neither builds packets nor serves a study.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::read::{Completeness, read_text};
use crate::judge::{Judgment, Trial};

/// What a participant answered to a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// Who answered, by an id that says nothing about them.
    pub participant: String,
    /// The trial's id.
    pub trial: String,
    /// Their words, as a model's verdict line would have them.
    pub answer: String,
}

/// Responses that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResponseError {
    /// A line is no response.
    #[error("{file}:{line}: {message}; a response is an object with `participant`, `trial` and `answer`")]
    Line {
        /// The file.
        file: String,
        /// 1-based line.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A trial that the study has not.
    #[error("{file}:{line}: the study has no trial `{trial}`; look for responses of another study or another run")]
    UnknownTrial {
        /// The file.
        file: String,
        /// 1-based line.
        line: usize,
        /// The trial named.
        trial: String,
    },
    /// A participant who answered a trial twice.
    #[error("{file}:{line}: participant `{participant}` answered trial `{trial}` before; keep one of the two")]
    Twice {
        /// The file.
        file: String,
        /// 1-based line.
        line: usize,
        /// Who.
        participant: String,
        /// What.
        trial: String,
    },
}

/// Reads the responses to a study's trials. `file` is only named in errors. The judge of each judgment is the participant.
pub fn read_responses(file: &str, text: &str, trials: &[Trial]) -> Result<Vec<Judgment>, ResponseError> {
    let by_id: BTreeMap<&str, &Trial> = trials.iter().map(|trial| (trial.id.as_str(), trial)).collect();
    let mut answered = BTreeSet::new();
    let mut judgments = Vec::new();
    for (index, content) in text
        .split('\n')
        .enumerate()
        .filter(|(_, content)| !content.trim().is_empty())
    {
        let line = index + 1;
        let response: Response = serde_json::from_str(content).map_err(|error| ResponseError::Line {
            file: file.to_owned(),
            line,
            message: error.to_string(),
        })?;
        let trial = by_id
            .get(response.trial.as_str())
            .ok_or_else(|| ResponseError::UnknownTrial {
                file: file.to_owned(),
                line,
                trial: response.trial.clone(),
            })?;
        if !answered.insert((response.participant.clone(), response.trial.clone())) {
            return Err(ResponseError::Twice {
                file: file.to_owned(),
                line,
                participant: response.participant,
                trial: response.trial,
            });
        }
        judgments.push(Judgment {
            trial: response.trial,
            judge: response.participant,
            call: None,
            outcome: read_text(trial, &response.answer, Completeness::Whole),
            raw: Some(response.answer),
            asked: None,
            repair: None,
            confidence: None,
        });
    }
    Ok(judgments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Answer, QuestionKind};
    use crate::judge::{NoVerdict, Outcome, Task, Verdict};

    fn trial() -> Trial {
        Trial {
            id: String::new(),
            task: Task::Verification,
            sample: "s".to_owned(),
            kind: QuestionKind::FactVerification,
            arms: vec!["pos".to_owned()],
            labels: vec!["Explanation A".to_owned()],
            options: vec!["correct".to_owned(), "incorrect".to_owned()],
            prediction: Some(Answer::Verdict(true)),
            control_of: Vec::new(),
            recorded_right: None,
            repeat: 0,
            turn: 0,
            protocol: crate::judge::Protocol::Ranking,
            ties: false,
            descriptions: Vec::new(),
            suspects: Vec::new(),
        }
        .identified()
    }

    fn line(participant: &str, trial: &str, answer: &str) -> String {
        serde_json::json!({"participant": participant, "trial": trial, "answer": answer}).to_string()
    }

    #[test]
    fn a_response_is_read_as_a_models_answer_would_be() {
        let trial = trial();
        let text = format!(
            "{}\n{}\n",
            line("p1", &trial.id, "Verdict: incorrect"),
            line("p2", &trial.id, "no idea")
        );
        let judgments = read_responses("responses.jsonl", &text, std::slice::from_ref(&trial)).unwrap();
        assert_eq!(judgments[0].judge, "p1");
        assert_eq!(judgments[0].outcome, Outcome::Verdict(Verdict::Correct(false)));
        let Outcome::None { state, .. } = &judgments[1].outcome else {
            panic!("{judgments:?}")
        };
        assert!(matches!(state, NoVerdict::Unparsed | NoVerdict::Refused), "{state:?}");
        assert_eq!(judgments[1].raw.as_deref(), Some("no idea"));
    }

    #[test]
    fn errors_name_the_line() {
        let trial = trial();
        let good = line("p1", &trial.id, "Verdict: correct");
        for (text, expected) in [
            (format!("{good}\nnonsense"), "r.jsonl:2: expected"),
            (
                format!("{good}\n\n{}", line("p1", "ffff", "x")),
                "r.jsonl:3: the study has no trial `ffff`",
            ),
            (format!("{good}\n{good}"), "r.jsonl:2: participant `p1` answered trial"),
        ] {
            let error = read_responses("r.jsonl", &text, std::slice::from_ref(&trial))
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
