//! The `script` provider: answers written by hand, in a JSONL file, for tests, teaching and the quickstart.
//!
//! Each line says what it answers and what the answer is:
//!
//! ```json
//! {"purpose": "pos.sql", "sample": "s1", "arm": "pos", "turn": 0, "text": "SELECT 1", "finish": "stop"}
//! {"purpose": "judge.verification", "error": {"kind": "too_long", "message": "9000 tokens, 8192 allowed"}}
//! ```
//!
//! `sample`, `arm` and `turn` may be left out and then stand for any. The line that names most of them answers. Two
//! lines that could answer the same request equally well are an error when the file is read, unless a third line that
//! names more settles every such request.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::key::{Identity, Scripted};
use super::provider::{Answer, Asked, Provider};
use super::{CallError, FinishReason, ModelError, Purpose, Request, Usage};

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptLine {
    /// The purpose's name that it answers.
    pub purpose: String,
    /// Only this sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
    /// Only this arm (for a judge: the arms in shown order, joined by `+`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// Only this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The answer; exactly one of `text` and `error` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A failure to play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ScriptedError>,
    /// Why the answer ended. Default: `stop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<FinishReason>,
    /// A refusal beside the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Tokens of the prompt; given together with `output_tokens` or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// A failure to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptedError {
    /// Its kind.
    pub kind: ScriptedErrorKind,
    /// What the endpoint says.
    #[serde(default)]
    pub message: String,
}

/// The kinds of failure that a script can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedErrorKind {
    /// The prompt is longer than the model takes.
    TooLong,
    /// The endpoint's filter refuses the prompt.
    Filtered,
    /// The key is refused.
    Unauthorized,
    /// The endpoint keeps failing.
    Failed,
}

/// What a line answers: purpose, then sample, arm and turn where they are named.
type Pattern = (String, Option<String>, Option<String>, Option<u32>);

/// A script, read and checked.
#[derive(Debug)]
pub struct Script {
    name: String,
    file: PathBuf,
    lines: BTreeMap<Pattern, Entry>,
}

#[derive(Debug)]
struct Entry {
    line: usize,
    digest: String,
    result: Result<Answer, CallError>,
}

impl Script {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// The file cannot be read; or a line, named by its number, is not what a script's line is, or is tied with
    /// another one.
    pub fn load(name: &str, file: &Path) -> Result<Self, ModelError> {
        let text = std::fs::read_to_string(file).map_err(|error| ModelError::Read {
            model: name.to_owned(),
            file: file.to_owned(),
            message: error.to_string(),
        })?;
        Self::parse(name, file, &text)
    }

    /// Reads the text of a script; `file` is for messages alone.
    ///
    /// # Errors
    ///
    /// As [`Self::load`], but for reading the file.
    pub fn parse(name: &str, file: &Path, text: &str) -> Result<Self, ModelError> {
        let wrong = |line: usize, message: String| ModelError::Script {
            model: name.to_owned(),
            file: file.to_owned(),
            line,
            message,
        };
        let mut lines: BTreeMap<Pattern, Entry> = BTreeMap::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, source) in text.split('\n').enumerate() {
            let line = index + 1;
            let source = source.trim();
            if source.is_empty() {
                continue;
            }
            let parsed: ScriptLine = serde_json::from_str(source).map_err(|error| wrong(line, error.to_string()))?;
            let result = result_of(name, &parsed).map_err(|message| wrong(line, message))?;
            let answer = (
                &parsed.text,
                &parsed.error,
                parsed.finish,
                &parsed.refusal,
                parsed.input_tokens,
                parsed.output_tokens,
            );
            let answer = serde_json::to_string(&answer).map_err(|error| wrong(line, error.to_string()))?;
            let entry = Entry {
                line,
                digest: blake3::hash(answer.as_bytes()).to_hex()[..16].to_owned(),
                result,
            };
            let pattern = (parsed.purpose, parsed.sample, parsed.arm, parsed.turn);
            if let Some(earlier) = lines.get(&pattern) {
                return Err(wrong(
                    line,
                    format!(
                        "answers the same purpose, sample, arm and turn as line {}; take one out",
                        earlier.line
                    ),
                ));
            }
            lines.insert(pattern, entry);
        }
        if let Some((first, second)) = first_tie(&lines) {
            let message = format!(
                "could answer the same request as line {first}, and neither names more of sample, arm and turn; name \
                 more in one of them, or add a line that names what both do"
            );
            return Err(wrong(second, message));
        }
        Ok(Self {
            name: name.to_owned(),
            file: file.to_owned(),
            lines,
        })
    }

    /// The line that answers: the one that names most. Ties were refused when the script was read.
    fn find(&self, purpose: &Purpose) -> Option<&Entry> {
        let sample = || Some(purpose.sample.clone());
        let arm = || Some(purpose.arm.clone());
        let turn = Some(purpose.turn);
        let patterns = [
            (sample(), arm(), turn),
            (sample(), arm(), None),
            (sample(), None, turn),
            (None, arm(), turn),
            (sample(), None, None),
            (None, arm(), None),
            (None, None, turn),
            (None, None, None),
        ];
        patterns
            .into_iter()
            .find_map(|(sample, arm, turn)| self.lines.get(&(purpose.name.clone(), sample, arm, turn)))
    }

    /// What it answers for a purpose.
    fn answer(&self, purpose: &Purpose) -> Result<Answer, CallError> {
        match self.find(purpose) {
            Some(entry) => entry.result.clone(),
            None => Err(CallError::Failed {
                message: format!(
                    "{} has no line for purpose `{}`, sample `{}`, arm `{}`, turn {}; add one (sample, arm and turn may \
                     be left out to stand for any)",
                    self.file.display(),
                    purpose.name,
                    purpose.sample,
                    purpose.arm,
                    purpose.turn
                ),
            }),
        }
    }
}

impl Provider for Script {
    fn identity(&self, request: &Request) -> Identity {
        Identity {
            provider: "script",
            base_url: None,
            model: self.name.clone(),
            scripted: Some(Scripted {
                purpose: request.purpose.clone(),
                answer: self
                    .find(&request.purpose)
                    .map(|entry| entry.digest.clone())
                    .unwrap_or_default(),
            }),
        }
    }

    fn ask<'a>(&'a self, request: &'a Request, _key: &'a str) -> BoxFuture<'a, Asked> {
        let result = self.answer(&request.purpose);
        let raw = result.as_ref().map(|answer| answer.text.clone()).unwrap_or_default();
        let asked = Asked {
            result,
            raw,
            attempts: 1,
            elapsed: Duration::ZERO,
        };
        std::future::ready(asked).boxed()
    }
}

/// The answer or failure that a line holds, or what is wrong with it.
fn result_of(name: &str, line: &ScriptLine) -> Result<Result<Answer, CallError>, String> {
    let usage = match (line.input_tokens, line.output_tokens) {
        (Some(input_tokens), Some(output_tokens)) => Usage::credible(input_tokens, output_tokens),
        (None, None) => None,
        _ => return Err("`input_tokens` and `output_tokens` are given together or not at all".to_owned()),
    };
    match (&line.text, &line.error) {
        (Some(text), None) => Ok(Ok(Answer {
            text: text.clone(),
            finish: line.finish.unwrap_or(FinishReason::Stop),
            refusal: line.refusal.clone(),
            usage,
        })),
        (None, Some(error)) => {
            if line.finish.is_some() || line.refusal.is_some() || usage.is_some() {
                return Err("an `error` has no `finish`, `refusal` or tokens".to_owned());
            }
            let message = error.message.clone();
            Ok(Err(match error.kind {
                ScriptedErrorKind::TooLong => CallError::TooLong {
                    model: name.to_owned(),
                    message,
                },
                ScriptedErrorKind::Filtered => CallError::Filtered { message },
                ScriptedErrorKind::Unauthorized => CallError::Unauthorized { message },
                ScriptedErrorKind::Failed => CallError::Failed { message },
            }))
        }
        (None, None) => Err("neither `text` nor `error` is given; one of them must be".to_owned()),
        (Some(_), Some(_)) => Err("both `text` and `error` are given; one of them must go".to_owned()),
    }
}

/// Two lines (by number, ascending) that name equally many things, could meet in one request, and are not settled by a
/// line that names more.
fn first_tie(lines: &BTreeMap<Pattern, Entry>) -> Option<(usize, usize)> {
    let named = |pattern: &Pattern| {
        usize::from(pattern.1.is_some()) + usize::from(pattern.2.is_some()) + usize::from(pattern.3.is_some())
    };
    let shape = |pattern: &Pattern| (pattern.1.is_some(), pattern.2.is_some(), pattern.3.is_some());
    let mut by_purpose: BTreeMap<&str, Vec<(&Pattern, usize)>> = BTreeMap::new();
    for (pattern, entry) in lines {
        // A line that names all three, or none, can only tie with its own copy, and that was refused already.
        if matches!(named(pattern), 1 | 2) {
            by_purpose.entry(&pattern.0).or_default().push((pattern, entry.line));
        }
    }
    let mut first: Option<(usize, usize)> = None;
    for patterns in by_purpose.values() {
        for (index, (one, one_line)) in patterns.iter().enumerate() {
            for (other, other_line) in &patterns[index + 1..] {
                // Two lines that name the same things either are copies or never meet.
                if named(one) != named(other) || shape(one) == shape(other) {
                    continue;
                }
                let Some(meeting) = meet(one, other) else { continue };
                if settled(lines, &meeting, named(one)) {
                    continue;
                }
                let tie = (*one_line.min(other_line), *one_line.max(other_line));
                if first.is_none_or(|first| (tie.1, tie.0) < (first.1, first.0)) {
                    first = Some(tie);
                }
            }
        }
    }
    first
}

/// The pattern of the requests that both answer, if there are any.
fn meet(one: &Pattern, other: &Pattern) -> Option<Pattern> {
    fn both<T: Clone + PartialEq>(one: &Option<T>, other: &Option<T>) -> Option<Option<T>> {
        match (one, other) {
            (Some(one), Some(other)) => (one == other).then(|| Some(one.clone())),
            (named, None) | (None, named) => Some(named.clone()),
        }
    }
    Some((
        one.0.clone(),
        both(&one.1, &other.1)?,
        both(&one.2, &other.2)?,
        both(&one.3, &other.3)?,
    ))
}

/// Whether a line that names more than `named` things answers every request of the pattern.
fn settled(lines: &BTreeMap<Pattern, Entry>, meeting: &Pattern, named: usize) -> bool {
    let (purpose, sample, arm, turn) = meeting;
    (0..8_u8).filter(|mask| mask.count_ones() as usize > named).any(|mask| {
        let keep = |bit: u8| mask & bit != 0;
        // A bit for something that the meeting leaves open would name less than it claims.
        if (keep(1) && sample.is_none()) || (keep(2) && arm.is_none()) || (keep(4) && turn.is_none()) {
            return false;
        }
        lines.contains_key(&(
            purpose.clone(),
            sample.clone().filter(|_| keep(1)),
            arm.clone().filter(|_| keep(2)),
            turn.filter(|_| keep(4)),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Result<Script, ModelError> {
        Script::parse("hand", Path::new("answers.jsonl"), text)
    }

    fn purpose(sample: &str, arm: &str, turn: u32) -> Purpose {
        Purpose {
            name: "pos.sql".to_owned(),
            sample: sample.to_owned(),
            arm: arm.to_owned(),
            turn,
        }
    }

    #[test]
    fn line_that_names_most_answers() {
        let script = script(concat!(
            "{\"purpose\": \"pos.sql\", \"text\": \"any\"}\n\r\n",
            "{\"purpose\": \"pos.sql\", \"sample\": \"a\", \"text\": \"sample\"}\r\n",
            "{\"purpose\": \"pos.sql\", \"sample\": \"a\", \"turn\": 1, \"text\": \"sample and turn\", \"finish\": \"length\"}\n",
            "{\"purpose\": \"pos.sql\", \"sample\": \"a\", \"arm\": \"x\", \"turn\": 1, \"text\": \"all\", \"input_tokens\": 3, \"output_tokens\": 1}\n",
        ))
        .unwrap();
        let text = |sample, arm, turn| script.answer(&purpose(sample, arm, turn)).unwrap().text;
        assert_eq!(text("b", "x", 0), "any");
        assert_eq!(text("a", "x", 0), "sample");
        assert_eq!(text("a", "y", 1), "sample and turn");
        assert_eq!(text("a", "x", 1), "all");
        assert_eq!(
            script.answer(&purpose("a", "y", 1)).unwrap().finish,
            FinishReason::Length
        );
        assert_eq!(script.answer(&purpose("a", "y", 1)).unwrap().usage, None);
        assert_eq!(
            script.answer(&purpose("a", "x", 1)).unwrap().usage,
            Some(Usage {
                input_tokens: 3,
                output_tokens: 1
            })
        );
    }

    #[test]
    fn missing_line_is_a_failure_that_says_what_to_add() {
        let script = script("{\"purpose\": \"pos.plan\", \"text\": \"x\"}").unwrap();
        let error = script.answer(&purpose("s9", "arm9", 4)).unwrap_err().to_string();
        for part in ["answers.jsonl", "`pos.sql`", "`s9`", "`arm9`", "turn 4"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn errors_play() {
        let script =
            script("{\"purpose\": \"pos.sql\", \"error\": {\"kind\": \"too_long\", \"message\": \"9 > 8\"}}").unwrap();
        assert_eq!(
            script.answer(&purpose("a", "b", 0)),
            Err(CallError::TooLong {
                model: "hand".to_owned(),
                message: "9 > 8".to_owned()
            })
        );
    }

    #[test]
    fn wrong_lines_are_named() {
        let cases = [
            (
                "{\"purpose\": \"p\", \"text\": \"x\"}\n{\"purpose\": \"p\"}",
                "line 2",
                "neither",
            ),
            (
                "\n{\"purpose\": \"p\", \"text\": \"x\", \"error\": {\"kind\": \"failed\"}}",
                "line 2",
                "both",
            ),
            ("{\"purpose\": \"p\", \"text\": \"x\", \"txet\": 1}", "line 1", "txet"),
            (
                "{\"purpose\": \"p\", \"text\": \"x\", \"input_tokens\": 1}",
                "line 1",
                "together",
            ),
            ("{\"purpose\": \"p\", \"text\": \"x\"}\nnot json", "line 2", "expected"),
            (
                "{\"purpose\": \"p\", \"text\": \"x\"}\n{\"purpose\": \"p\", \"text\": \"y\"}",
                "line 2",
                "line 1",
            ),
            (
                "{\"purpose\": \"p\", \"sample\": \"a\", \"text\": \"x\"}\n{\"purpose\": \"p\", \"arm\": \"b\", \"text\": \"y\"}",
                "line 2",
                "line 1",
            ),
            (
                "{\"purpose\": \"p\", \"sample\": \"a\", \"arm\": \"b\", \"text\": \"x\"}\n\n{\"purpose\": \"p\", \"arm\": \"b\", \"turn\": 0, \"text\": \"y\"}",
                "line 3",
                "line 1",
            ),
        ];
        for (text, place, word) in cases {
            let error = script(text).unwrap_err().to_string();
            assert!(
                error.contains("answers.jsonl") && error.contains(place) && error.contains(word),
                "{error}"
            );
        }
    }

    #[test]
    fn line_that_names_more_settles_a_tie() {
        let both = "{\"purpose\": \"p\", \"sample\": \"a\", \"text\": \"x\"}\n{\"purpose\": \"p\", \"arm\": \"b\", \"text\": \"y\"}\n";
        assert!(
            script(&format!(
                "{both}{}",
                "{\"purpose\": \"p\", \"sample\": \"a\", \"arm\": \"b\", \"text\": \"z\"}"
            ))
            .is_ok()
        );
        // Settles turn 0 alone.
        assert!(
            script(&format!(
                "{both}{}",
                "{\"purpose\": \"p\", \"sample\": \"a\", \"arm\": \"b\", \"turn\": 0, \"text\": \"z\"}"
            ))
            .is_err()
        );
        // Lines that can never meet are no tie.
        assert!(script("{\"purpose\": \"p\", \"sample\": \"a\", \"arm\": \"b\", \"text\": \"x\"}\n{\"purpose\": \"p\", \"arm\": \"c\", \"turn\": 0, \"text\": \"y\"}").is_ok());
    }

    #[test]
    fn edited_answer_is_another_call() {
        let request = Request {
            purpose: purpose("a", "b", 0),
            messages: Vec::new(),
            sampling: super::super::Sampling::default(),
            repeat: 0,
        };
        let one = script("{\"purpose\": \"pos.sql\", \"text\": \"x\"}")
            .unwrap()
            .identity(&request);
        let same = script("\n{\"purpose\": \"pos.sql\", \"sample\": \"a\", \"text\": \"x\"}")
            .unwrap()
            .identity(&request);
        let edited = script("{\"purpose\": \"pos.sql\", \"text\": \"y\"}")
            .unwrap()
            .identity(&request);
        assert_eq!(one, same);
        assert_ne!(one, edited);
    }
}
