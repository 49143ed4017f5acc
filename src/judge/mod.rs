//! Judging: trials, the prompts put before judges, and the verdicts read from what they answer.
//!
//! One file a task; [`settings`] holds what a study chooses, [`protocol`] what is asked for in preference, [`orders`]
//! makes the designs, [`trial`] names a trial, [`read`] turns text into verdicts, [`repair`] asks once more for one,
//! [`response`] asks for it as JSON, [`confidence`] takes its probability from tokens, [`panel`] puts several judges
//! together, and [`suspect`] finds texts that speak to a judge.

pub mod confidence;
pub mod family;
pub mod orders;
pub mod panel;
pub mod preference;
pub mod prompt;
pub mod protocol;
pub mod read;
pub mod repair;
pub mod response;
pub mod settings;
pub mod simulation;
pub mod suspect;
pub mod trial;
pub mod verification;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::{Answer, QuestionKind};
use crate::explain::AnswerVisibility;
pub use confidence::Confidence;
pub use protocol::{Criterion, Protocol, Score};
pub use repair::Repair;
use settings::JudgeOutput;
pub use suspect::Suspect;

/// What a judge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Rank the explanations of one sample.
    Preference,
    /// Say what the model answered, from the explanation with the answer withheld.
    Simulation,
    /// Say whether the model's answer is right, from the explanation with the answer shown.
    Verification,
}

impl Task {
    /// Whether the page of an arm shows the answer in a trial of this task. A ranked control has none of its own to show.
    pub fn answer_on_page_of(self, arm: &str) -> AnswerVisibility {
        match self {
            Self::Simulation => AnswerVisibility::Withheld,
            Self::Preference if arm == CONTROL_ARM => AnswerVisibility::Withheld,
            Self::Preference | Self::Verification => AnswerVisibility::Shown,
        }
    }
}

/// The reserved name of the control arm: the page without an explanation.
pub const CONTROL_ARM: &str = "none";

/// One thing put before a judge or a person; the same for all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// 16 hexadecimal characters of the BLAKE3 of all other fields but `suspects`.
    pub id: String,
    /// What is to be done.
    pub task: Task,
    /// The sample's id.
    pub sample: String,
    /// What the sample asks.
    pub kind: QuestionKind,
    /// The arms in the order shown; one for simulation and verification.
    pub arms: Vec<String>,
    /// What each is called in the prompt, aligned with `arms`.
    pub labels: Vec<String>,
    /// Options in the order shown, for verification (`correct`, `incorrect`); else empty.
    pub options: Vec<String>,
    /// The answer the page is about (shown in verification, withheld in simulation); `None` in preference and in the
    /// control of simulation, whose page holds no arm's answer.
    pub prediction: Option<Answer>,
    /// In the control: the arms whose pages this one is the control of. Else empty.
    pub control_of: Vec<String>,
    /// Whether the prediction is right as a log says whose judgments were imported; a study's own trials leave it out, and
    /// their predictions are scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_right: Option<bool>,
    /// Which of several draws of the same trial this is, from 0.
    pub repeat: u32,
    /// Number of this trial among those of its task, sample and set of arms, from 0.
    pub turn: u32,
    /// What is asked for in preference; `ranking` in the other tasks, where it means nothing.
    #[serde(default, skip_serializing_if = "Protocol::is_ranking")]
    pub protocol: Protocol,
    /// Whether explanations may share a place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ties: bool,
    /// What the judge is told of each explanation's method, aligned with `arms`; empty when it is told nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub descriptions: Vec<String>,
    /// Texts among what is shown that speak to the judge. They follow from the pages and are no part of the trial's id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
}

/// What a judge said, read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Arms, best first.
    Ranking(Vec<String>),
    /// Arms place by place, best first, where places may be shared.
    TiedRanking(Vec<Vec<String>>),
    /// The best and the worst of the arms shown.
    BestWorst {
        /// The arm held for the best.
        best: String,
        /// The arm held for the worst.
        worst: String,
    },
    /// Scores of the one arm shown, by criterion.
    Scores(Vec<Score>),
    /// The answer the judge thinks the model gave.
    Guess(Answer),
    /// Whether the judge holds the model's answer for right.
    Correct(bool),
}

/// Why there is no verdict. Never "wrong", never dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoVerdict {
    /// No verdict in the text.
    Unparsed,
    /// Verdicts that contradict each other, and no final one.
    Ambiguous,
    /// The judge declined.
    Refused,
    /// The token limit cut the text before the verdict.
    Truncated,
    /// The prompt was longer than the judge takes.
    TooLong,
    /// A provider's filter held prompt or answer back.
    Filtered,
    /// The call failed.
    Error,
    /// Too few judges of a panel gave a verdict.
    NoQuorum,
}

/// What a judgment came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Read.
    Verdict(Verdict),
    /// Not read, with the reason.
    None {
        /// Its kind.
        state: NoVerdict,
        /// In words.
        detail: String,
    },
}

/// In which form a verdict was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedForm {
    /// Text or JSON.
    pub output: JudgeOutput,
    /// Whether the study asks for JSON and the endpoint refused it.
    pub refused: bool,
}

/// What a judge answered to a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgment {
    /// The trial's id.
    pub trial: String,
    /// The judge's name in the study.
    pub judge: String,
    /// Key of the call, when it was made.
    pub call: Option<String>,
    /// The text as it came, when there is one.
    pub raw: Option<String>,
    /// In which form the verdict was asked for; `None` for people, panels, and what was recorded elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedForm>,
    /// What it came to.
    pub outcome: Outcome,
    /// The one request to repair a verdict that could not be read, if it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// How sure the judge was by the probabilities of its tokens, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
}

impl Judgment {
    /// Whether the verdict was read from the answer to a request for repair.
    pub fn is_repaired(&self) -> bool {
        self.repair.is_some() && matches!(self.outcome, Outcome::Verdict(_))
    }
}

impl Verdict {
    /// The mid-rank of every arm of a ranking, 1 for the best: arms that share places share the mean of their ranks.
    /// `None` for verdicts that rank nothing.
    pub fn mid_ranks(&self) -> Option<Vec<(&str, f64)>> {
        let places: Vec<Vec<&str>> = match self {
            Self::Ranking(arms) => arms.iter().map(|arm| vec![arm.as_str()]).collect(),
            Self::TiedRanking(places) => places
                .iter()
                .map(|place| place.iter().map(String::as_str).collect())
                .collect(),
            _ => return None,
        };
        let mut before = 0;
        let mut ranks = Vec::new();
        for place in places {
            let rank = before as f64 + (place.len() as f64 + 1.0) / 2.0;
            before += place.len();
            ranks.extend(place.into_iter().map(|arm| (arm, rank)));
        }
        Some(ranks)
    }
}
