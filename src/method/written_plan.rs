//! Plans that people write: the steps of a chain as a JSON document, read, and written from a trace to be edited.
//!
//! A plan is not a model's text: nothing in it is searched for or repaired. `read_plan` reads what models write.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AnswerColumns;
use crate::dataset::{Gold, QuestionKind, Sample};
use crate::trace::{Step, Trace};

/// A plan file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WrittenPlan {
    /// What the table is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The question that the last table answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The statement that the last table verifies; in place of `question`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The right answer, where it is known; what the steps give is held against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<RightAnswer>,
    /// Which columns of the last table hold the values of an answer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub answer_columns: AnswerColumns,
    /// The steps, in order; each runs on the table that the one before left.
    pub steps: Vec<WrittenStep>,
}

/// One step of a plan file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WrittenStep {
    /// The step in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nl: Option<String>,
    /// One SELECT or WITH statement; the current table is `table_sql`.
    pub sql: String,
}

/// The right answer as a plan file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an answer is true, false, a text, or a list of texts")]
pub enum RightAnswer {
    /// Of a statement.
    Verdict(bool),
    /// One value of a question.
    Value(String),
    /// Several values of a question.
    Values(Vec<String>),
}

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {}{message}", .step.map(|step| format!("step {step}: ")).unwrap_or_default())]
pub struct WrittenPlanError {
    /// 1-based line of the document.
    pub line: usize,
    /// 1-based column.
    pub column: usize,
    /// The step it is about, counted from 1.
    pub step: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl WrittenPlan {
    /// Reads a plan file's text. Unknown keys, unknown forms of a step and a plan without steps are refused.
    pub fn read(text: &str) -> Result<Self, WrittenPlanError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let found = match text.trim_start().chars().next() {
            None => Some("an empty file"),
            Some('[') => Some("the list by itself"),
            Some('"') => Some("a text"),
            Some('n' | 't' | 'f' | '-' | '0'..='9') => Some("a value by itself"),
            Some(_) => None,
        };
        if let Some(found) = found {
            return Err(WrittenPlanError {
                line: 1,
                column: 1,
                step: None,
                message: format!("a plan is an object with the list `steps`, not {found}"),
            });
        }
        let mut document = serde_json::Deserializer::from_str(text);
        let plan: Self = serde_path_to_error::deserialize(&mut document).map_err(|error| {
            let step = step_of(error.path());
            refusal(&error.into_inner(), step)
        })?;
        document.end().map_err(|error| refusal(&error, None))?;
        let wrong = |message: &str| WrittenPlanError {
            line: 1,
            column: 1,
            step: None,
            message: message.to_owned(),
        };
        if plan.steps.is_empty() {
            return Err(wrong("`steps` is empty: a plan has at least one step"));
        }
        if plan.question.is_some() && plan.statement.is_some() {
            return Err(wrong("a plan has a `question` or a `statement`, not both"));
        }
        let is_blank = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
        if is_blank(&plan.question) || is_blank(&plan.statement) {
            return Err(wrong("what is asked is an empty text: write it, or take the key out"));
        }
        Ok(plan)
    }

    /// The plan that a trace of this sample followed, to be edited. A step that failed is there with its last try.
    pub fn of_trace(sample: &Sample, trace: &Trace) -> Self {
        let is_statement = sample.kind == QuestionKind::FactVerification;
        let asked = Some(sample.question.clone());
        let (question, statement) = if is_statement { (None, asked) } else { (asked, None) };
        Self {
            caption: sample.caption.clone(),
            question,
            statement,
            answer: None,
            answer_columns: AnswerColumns::of(trace),
            steps: trace.steps.iter().map(written_step).collect(),
        }
    }
}

impl RightAnswer {
    /// The same as a sample's gold answer.
    pub fn gold(&self) -> Gold {
        let values = match self {
            Self::Verdict(verdict) => return Gold::Verdict(*verdict),
            Self::Value(value) => vec![value.clone()],
            Self::Values(values) => values.clone(),
        };
        Gold::Values {
            values,
            canon: Vec::new(),
        }
    }
}

fn written_step(step: &Step) -> WrittenStep {
    let ran = step.program.as_ref().map(|program| program.text.clone());
    let tried = || step.failed_attempts.last().map(|attempt| attempt.program.clone());
    WrittenStep {
        nl: step.description.clone(),
        sql: ran.or_else(tried).unwrap_or_default(),
    }
}

fn is_default(columns: &AnswerColumns) -> bool {
    *columns == AnswerColumns::default()
}

/// The step that a path such as `steps[1].sql` leads into, counted from 1.
fn step_of(path: &serde_path_to_error::Path) -> Option<usize> {
    let mut segments = path.iter();
    match (segments.next(), segments.next()) {
        (Some(serde_path_to_error::Segment::Map { key }), Some(serde_path_to_error::Segment::Seq { index }))
            if key == "steps" =>
        {
            Some(index + 1)
        }
        _ => None,
    }
}

fn refusal(error: &serde_json::Error, step: Option<usize>) -> WrittenPlanError {
    let said = error.to_string();
    // serde_json puts the place at the end of its words; it stands in front of them here.
    let place = format!(" at line {} column {}", error.line(), error.column());
    let words = said.strip_suffix(&place).unwrap_or(&said);
    let form = match step {
        Some(_) if words.starts_with("unknown field") || words.starts_with("missing field") => {
            "; a step has its statement in `sql` and may have its words in `nl`"
        }
        _ => "",
    };
    WrittenPlanError {
        line: error.line(),
        column: error.column(),
        step,
        message: format!("{words}{form}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_plan_is_its_steps_and_what_may_stand_beside_them() {
        let plan = WrittenPlan::read(r#"{"steps": [{"nl": "Keep all.", "sql": "SELECT * FROM table_sql"}]}"#).unwrap();
        assert_eq!(plan.steps[0].nl.as_deref(), Some("Keep all."));
        assert_eq!(plan.answer_columns, AnswerColumns::First);
        let full = WrittenPlan::read(
            r#"{"caption": "Boats", "statement": "All float.", "answer": true, "answer_columns": "all",
                "steps": [{"sql": "SELECT 1"}]}"#,
        )
        .unwrap();
        assert_eq!(full.answer.map(|answer| answer.gold()), Some(Gold::Verdict(true)));
        assert_eq!(full.answer_columns, AnswerColumns::All);
    }

    #[test]
    fn what_is_no_plan_is_refused_with_its_step() {
        let refused = |text: &str| WrittenPlan::read(text).unwrap_err();
        let of_step = refused("{\"steps\": [\n{\"sql\": \"SELECT 1\"},\n{\"operation\": \"sort_by\"}]}");
        assert_eq!((of_step.line, of_step.step), (3, Some(2)));
        assert!(
            of_step.to_string().contains("step 2: unknown field `operation`"),
            "{of_step}"
        );
        assert!(of_step.to_string().contains("`sql`"), "{of_step}");
        assert_eq!(refused(r#"{"steps": [{"nl": "Keep all."}]}"#).step, Some(1));
        assert_eq!(refused(r#"{"steps": [{"sql": 7}]}"#).step, Some(1));
        assert_eq!(refused(r#"{"steps": ["SELECT 1"]}"#).step, Some(1));
        for text in ["null", "7", "true"] {
            assert!(refused(text).message.ends_with("not a value by itself"), "{text}");
        }
        for text in [
            "",
            "[]",
            "{}",
            r#"{"steps": []}"#,
            r#"{"steps": [{"sql": "SELECT 1"}], "stepz": 1}"#,
            r#"{"steps": [{"sql": "SELECT 1"}]} x"#,
            r#"{"steps": [{"sql": "SELECT 1"}], "answer": 7}"#,
            r#"{"steps": [{"sql": "SELECT 1"}], "question": "a", "statement": "b"}"#,
        ] {
            assert!(WrittenPlan::read(text).is_err(), "{text}");
        }
    }
}
