//! What a run hands to the analysis: plain values, in any order. The analysis sorts them itself, so that the order in
//! which a run finished its work never shows.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run_check::RunCheck;
use crate::dataset::{Answer, Sample};
use crate::explain::{AnswerVisibility, Format, PageFacts};
use crate::judge::{Judgment, Task, Trial};
use crate::trace::{FaithfulnessRecord, Trace};

/// Everything that a run stored.
#[derive(Clone, Debug)]
pub struct RunRecords {
    /// What the study says of itself.
    pub study: StudyFacts,
    /// The samples.
    pub samples: Vec<Sample>,
    /// One a sample and answerer, failed ones too.
    pub traces: Vec<Trace>,
    /// Every page that was rendered.
    pub pages: Vec<PageRecord>,
    /// Every trial that was planned.
    pub trials: Vec<Trial>,
    /// At most one a trial and judge.
    pub judgments: Vec<Judgment>,
    /// What a check of the run found, if it was checked.
    pub check: Option<RunCheck>,
    /// At most one a trace; none where the task is switched off.
    pub faithfulness: Vec<FaithfulnessRecord>,
    /// Calls summed by model and purpose; [`CallUsage::tally`] makes them.
    pub calls: Vec<CallUsage>,
}

/// What the study says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyFacts {
    /// Its name.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// Printed at the head of the report.
    pub note: Option<String>,
    /// The one seed.
    pub seed: u64,
    /// Confidence level of all intervals, in (0, 1).
    pub confidence: f64,
    /// What is compared, in the order of the study file; the control is not among them.
    pub arms: Vec<ArmFacts>,
    /// Who judges, in the order of the study file.
    pub judges: Vec<JudgeFacts>,
    /// The models that answer and judge.
    pub models: Vec<ModelFacts>,
    /// The tasks of the study.
    pub tasks: Vec<Task>,
    /// Whether the no-explanation control is part of the study.
    pub control: bool,
    /// What of the protocol of judging differs from the default one, a sentence each.
    #[serde(default)]
    pub protocol: Vec<String>,
    /// What is said of judgments that were recorded elsewhere; `None` in a study's own run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_judgments: Option<ImportedJudgments>,
}

/// What is said of judgments that were recorded elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportedJudgments {
    /// The log's file name.
    pub source: String,
    /// Its rows.
    pub rows: u64,
    /// Whether each arm is counted on its own samples, since they were judged on different ones.
    pub own_samples: bool,
    /// Whether the order in which explanations were shown is known.
    pub shown_order_known: bool,
    /// The arms whose pages held no explanation.
    pub control_arms: Vec<String>,
    /// Which of them is the control of each other arm; an arm that is not named has none.
    #[serde(default)]
    pub controls: BTreeMap<String, String>,
    /// What the log does not have, in words.
    pub absent: Vec<String>,
    /// Judged answers that are spelled as the mapping does not say.
    pub unread_predictions: u64,
    /// Right answers that are spelled so.
    #[serde(default)]
    pub unread_gold: u64,
    /// Words on whether an answer is right that are spelled so.
    #[serde(default)]
    pub unread_labels: u64,
    /// Rankings that could not be read and of which it is not known what they ranked, so that they stand under no arm.
    #[serde(default)]
    pub rankings_without_arms: u64,
    /// Samples whose right answer differs between rows, and is left out.
    pub conflicting_gold: u64,
    /// Rows whose word on whether an answer is right is not that of the data set's own scoring.
    pub labels_against_scoring: u64,
}

impl StudyFacts {
    /// Whether arms are counted on samples of their own instead of common ones.
    pub fn own_samples(&self) -> bool {
        self.imported_judgments
            .as_ref()
            .is_some_and(|imported| imported.own_samples)
    }

    /// Whether it is known in which order explanations were shown.
    pub fn shown_order_known(&self) -> bool {
        self.imported_judgments
            .as_ref()
            .is_none_or(|imported| imported.shown_order_known)
    }

    /// Whether an arm is one that a log has as a control.
    pub fn is_recorded_control(&self, arm: &str) -> bool {
        self.imported_judgments
            .as_ref()
            .is_some_and(|imported| imported.control_arms.iter().any(|control| control == arm))
    }

    /// The arm that a log has as the control of this one.
    pub fn recorded_control_of(&self, arm: &str) -> Option<&str> {
        let imported = self.imported_judgments.as_ref()?;
        imported.controls.get(arm).map(String::as_str)
    }

    /// The judges who are people.
    pub fn people(&self) -> impl Iterator<Item = &str> {
        self.judges
            .iter()
            .filter(|judge| judge.person)
            .map(|judge| judge.name.as_str())
    }

    /// Whether this judge is a panel, made of other judges' verdicts.
    pub fn is_panel(&self, judge: &str) -> bool {
        self.judges
            .iter()
            .any(|known| known.name == judge && !known.panel.is_empty())
    }

    /// Whether any model's answers come from a file written for the purpose, so that they say nothing about a model.
    pub fn scripted(&self) -> bool {
        self.models.iter().any(|model| model.scripted)
    }

    /// The arm of this name.
    pub fn arm(&self, name: &str) -> Option<&ArmFacts> {
        self.arms.iter().find(|arm| arm.name == name)
    }

    /// The model of this name.
    pub fn model(&self, name: &str) -> Option<&ModelFacts> {
        self.models.iter().find(|model| model.name == name)
    }
}

/// One arm: method, model and format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmFacts {
    /// Its name in the study.
    pub name: String,
    /// The answerer whose traces it shows, as in [`Trace::answerer`]; several arms may show one.
    pub answerer: String,
    /// The method's name in the registry, or `imported`.
    pub method: String,
    /// The method's name for people.
    pub method_title: String,
    /// The answering model's name in the study; of an imported arm, what whoever imported it says, or empty.
    pub model: String,
    /// Whether its explanations were made elsewhere: no lineage, no calls, no cost is known of them.
    pub imported: bool,
    /// How its traces are shown.
    pub format: Format,
}

/// One judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeFacts {
    /// Its name in the study.
    pub name: String,
    /// Its model's name in the study.
    pub model: String,
    /// What it sees of a page, such as `markdown` or `html`.
    pub view: String,
    /// The judges that it is made of, when it is a panel; it then has no model and sees nothing itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<String>,
    /// Whether it is a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person: bool,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelFacts {
    /// Its name in the study.
    pub name: String,
    /// The identifier sent to the endpoint, where there is one; two names with one identifier are one model.
    pub identifier: Option<String>,
    /// Whether its answers come from a file (the `script` provider).
    pub scripted: bool,
    /// What it costs; `None` is unknown, not free.
    pub price: Option<ModelPrice>,
}

/// What a model costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// US dollars per million tokens of prompts.
    pub input_per_million: f64,
    /// US dollars per million tokens of answers.
    pub output_per_million: f64,
}

/// One page as it lies in the run directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageRecord {
    /// The sample's id.
    pub sample: String,
    /// The arm, or [`crate::judge::CONTROL_ARM`].
    pub arm: String,
    /// Whether the answer is shown.
    pub answer: AnswerVisibility,
    /// The answer the page is about, shown or withheld; tells apart the controls of one sample. `None` in a control
    /// that withholds it, and where the method gave none.
    pub prediction: Option<Answer>,
    /// What it is like.
    pub facts: PageFacts,
    /// Path of the HTML, relative to the directory of the report, with `/` between segments.
    pub html: String,
    /// Path of the Markdown, likewise.
    pub markdown: String,
}

/// Calls of one model for one purpose, summed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallUsage {
    /// The model's name in the study.
    pub model: String,
    /// The purpose's name, such as `pos.sql` or `judge.simulation`.
    pub purpose: String,
    /// Calls, the failed ones among them.
    pub calls: u64,
    /// Calls without an answer.
    pub failed: u64,
    /// Answered calls whose tokens were not said.
    pub without_usage: u64,
    /// Tokens of prompts, where said.
    pub input_tokens: u64,
    /// Tokens of answers, where said.
    pub output_tokens: u64,
}

impl CallUsage {
    /// Sums calls given as (model, purpose, tokens where said, whether it failed), sorted by model and purpose.
    pub fn tally<'a>(calls: impl IntoIterator<Item = (&'a str, &'a str, Option<CallTokens>, bool)>) -> Vec<Self> {
        let mut sums: BTreeMap<(&str, &str), Self> = BTreeMap::new();
        for (model, purpose, usage, failed) in calls {
            let sum = sums.entry((model, purpose)).or_insert_with(|| Self {
                model: model.to_owned(),
                purpose: purpose.to_owned(),
                calls: 0,
                failed: 0,
                without_usage: 0,
                input_tokens: 0,
                output_tokens: 0,
            });
            sum.calls += 1;
            sum.failed += u64::from(failed);
            match usage {
                Some(usage) => {
                    sum.input_tokens += usage.input_tokens;
                    sum.output_tokens += usage.output_tokens;
                }
                None => sum.without_usage += u64::from(!failed),
            }
        }
        sums.into_values().collect()
    }
}

/// Tokens of one call as the provider counted them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTokens {
    /// Of the prompt.
    pub input_tokens: u64,
    /// Of the answer.
    pub output_tokens: u64,
}

/// One message of a call's prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallMessage {
    /// Who speaks, such as `system` or `user`.
    pub role: String,
    /// The text, fully rendered.
    pub content: String,
    /// The pictures that went with it, in their order: paths inside the run directory.
    pub pictures: Vec<String>,
}

/// One call, for the page of its trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallView {
    /// Its key in the store.
    pub key: String,
    /// The purpose's name.
    pub purpose: String,
    /// The model's name in the study.
    pub model: String,
    /// The rendered conversation.
    pub messages: Vec<CallMessage>,
    /// The text as it came.
    pub text: String,
    /// Why it ended, such as `stop` or `length`.
    pub finish: String,
    /// Tokens, where said.
    pub usage: Option<CallTokens>,
}

/// Finds a call by its key. The call store is one; a map is another. It is asked once a trial page, so that a report
/// never holds all prompts at once.
pub trait CallLookup {
    /// The call of this key, if it is kept.
    fn call(&self, key: &str) -> Option<CallView>;
}

impl CallLookup for BTreeMap<String, CallView> {
    fn call(&self, key: &str) -> Option<CallView> {
        self.get(key).cloned()
    }
}
