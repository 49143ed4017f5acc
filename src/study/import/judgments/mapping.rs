//! What the fields of a log mean: a small TOML file beside it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::super::{ImportError, read_text};
use crate::dataset::{DatasetKind, QuestionKind};
use crate::judge::Task;
use crate::report::people::PEOPLE;

/// What a log holds and what its values mean.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mapping {
    /// Names the run.
    pub(super) name: String,
    /// For people.
    pub(super) title: Option<String>,
    /// Printed at the head of the report.
    pub(super) note: Option<String>,
    /// What the judge did.
    pub(super) task: Task,
    /// The data set that the samples are of.
    pub(super) dataset: DatasetKind,
    /// What the samples ask. Default: what the data set's samples ask.
    pub(super) kind: Option<QuestionKind>,
    /// Whether arms are compared on common samples, or each is counted on its own.
    #[serde(default)]
    pub(super) samples: SampleSets,
    /// Confidence level of all intervals.
    #[serde(default = "default_confidence")]
    pub(super) confidence: f64,
    /// The sample's id.
    pub(super) sample: TextFrom,
    /// The arm; not in preference, whose verdicts name the arms.
    pub(super) arm: Option<TextFrom>,
    /// The judge.
    pub(super) judge: TextFrom,
    /// The judge's answer.
    pub(super) verdict: VerdictFrom,
    /// The answer that was judged.
    pub(super) prediction: Option<AnswerFrom>,
    /// The right answer.
    pub(super) gold: Option<AnswerFrom>,
    /// Whether the answer is right, as the log says.
    pub(super) right: Option<AnswerFrom>,
    /// The arms in the order shown, in preference; absent where the log does not say.
    pub(super) shown_order: Option<OrderFrom>,
    /// The arms whose pages held no explanation.
    #[serde(default)]
    pub(super) control_arms: Vec<String>,
    /// The control of each arm. Default: the one of `control_arms`, where it is one.
    #[serde(default)]
    pub(super) controls: BTreeMap<String, String>,
    /// The judges who are people; the others are held beside them.
    #[serde(default)]
    pub(super) people: Vec<String>,
    /// The methods of arms, for people and for comparison with published numbers. Default: the arm's name.
    #[serde(default)]
    pub(super) methods: BTreeMap<String, String>,
}

/// What arms are counted on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SampleSets {
    /// The samples that all arms have.
    #[default]
    Common,
    /// Each arm's own; figures of different arms then cannot be compared.
    Own,
}

/// A text: of a field, or the same in every row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextFrom {
    /// The field.
    pub(super) field: Option<String>,
    /// The text, in place of a field.
    pub(super) value: Option<String>,
    /// Only what stands after the last of these.
    pub(super) after_last: Option<String>,
    /// Without this ending.
    pub(super) strip_suffix: Option<String>,
}

/// An answer: a field, with how it is spelled.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerFrom {
    /// The field.
    pub(super) field: String,
    /// Values that mean TRUE, or yes; nothing else does.
    #[serde(default)]
    pub(super) is_true: Vec<String>,
    /// Values that mean FALSE, or no.
    #[serde(default)]
    pub(super) is_false: Vec<String>,
    /// Whether text is a printed list, such as `['a', 'b']`, instead of one value.
    #[serde(default)]
    pub(super) printed_list: bool,
}

/// The judge's answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictFrom {
    /// The field.
    pub(super) field: String,
    /// Values that mean TRUE, or that the answer is right.
    #[serde(default)]
    pub(super) is_true: Vec<String>,
    /// Values that mean FALSE, or that it is wrong.
    #[serde(default)]
    pub(super) is_false: Vec<String>,
    /// Whether text is a printed list instead of one value.
    #[serde(default)]
    pub(super) printed_list: bool,
    /// How a ranking is given, in preference.
    pub(super) ranking: Option<RankingForm>,
    /// Whether the field is a list of rankings, each a judgment of its own.
    #[serde(default)]
    pub(super) each: bool,
}

/// How a ranking is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RankingForm {
    /// A list of arms, best first.
    List,
    /// An object of arms and their ranks, 1 best.
    Ranks,
    /// A text that ranks the arms by name, read as a judge's answer is.
    Text,
}

/// The arms in the order shown.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderFrom {
    /// A field with a list.
    pub(super) field: Option<String>,
    /// The same order in every row.
    pub(super) value: Option<Vec<String>>,
}

const NEXT: &str = "mend the mapping; docs/import.md lists its keys";

fn default_confidence() -> f64 {
    0.95
}

impl VerdictFrom {
    /// The same as an answer.
    pub(super) fn as_answer(&self) -> AnswerFrom {
        AnswerFrom {
            field: self.field.clone(),
            is_true: self.is_true.clone(),
            is_false: self.is_false.clone(),
            printed_list: self.printed_list,
        }
    }
}

impl Mapping {
    /// Reads and checks a mapping; its digest is of the very text that was read.
    pub(super) fn read(path: &Path) -> Result<(Self, String), ImportError> {
        let text = read_text(path)?;
        let mapping: Self = toml::from_str(&text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text.get(..offset).unwrap_or_default().matches('\n').count() + 1;
            ImportError::line(path, line, error.message().trim().to_owned(), NEXT)
        })?;
        match mapping.problem() {
            Some(problem) => Err(ImportError::file(path, problem, NEXT)),
            None => Ok((mapping, blake3::hash(text.as_bytes()).to_hex().to_string())),
        }
    }

    /// All arms whose pages held no explanation.
    pub(super) fn all_controls(&self) -> Vec<String> {
        let mut controls = self.control_arms.clone();
        for control in self.controls.values() {
            if !controls.contains(control) {
                controls.push(control.clone());
            }
        }
        controls
    }

    /// The control of each of these arms that has one.
    pub(super) fn controls_of(&self, arms: &[String]) -> BTreeMap<String, String> {
        match (self.controls.is_empty(), self.control_arms.as_slice()) {
            (true, [control]) => arms
                .iter()
                .filter(|arm| *arm != control)
                .map(|arm| (arm.clone(), control.clone()))
                .collect(),
            _ => self.controls.clone(),
        }
    }

    /// Refuses names that no row of the log has: a slip of the pen there would make another analysis without a word.
    pub(super) fn check_names(&self, path: &Path, arms: &[String]) -> Result<(), ImportError> {
        let names = [
            ("control_arms", self.control_arms.iter().collect::<Vec<_>>()),
            (
                "controls",
                self.controls.iter().flat_map(|(arm, control)| [arm, control]).collect(),
            ),
            ("methods", self.methods.keys().collect()),
        ];
        for (key, names) in names {
            if let Some(unknown) = names.into_iter().find(|name| !arms.contains(name)) {
                return Err(ImportError::file(
                    path,
                    format!("`{key}` names the arm {unknown:?}, which no row of the log has"),
                    format!("name one of: {}", arms.join(", ")),
                ));
            }
        }
        Ok(())
    }

    /// Refuses a person that no row of the log has, and a judge that is called what people are called together.
    pub(super) fn check_people(&self, path: &Path, judges: &[String]) -> Result<(), ImportError> {
        if let Some(unknown) = self.people.iter().find(|name| !judges.contains(name)) {
            return Err(ImportError::file(
                path,
                format!("`people` names the judge {unknown:?}, which no row of the log has"),
                format!("name one of: {}", judges.join(", ")),
            ));
        }
        if !self.people.is_empty() && judges.iter().any(|judge| judge == PEOPLE) {
            return Err(ImportError::file(
                path,
                format!("a judge of the log is called {PEOPLE:?}, as the report calls all people together"),
                "call that judge otherwise in the log, or leave `people` out",
            ));
        }
        Ok(())
    }

    /// What the samples ask.
    pub(super) fn question(&self) -> QuestionKind {
        self.kind.unwrap_or(match self.dataset {
            DatasetKind::Tabfact => QuestionKind::FactVerification,
            DatasetKind::Fetaqa => QuestionKind::FreeForm,
            DatasetKind::Wikitq | DatasetKind::Custom => QuestionKind::ShortAnswer,
        })
    }

    fn problem(&self) -> Option<String> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(plain) {
            return Some(format!(
                "name is {:?}; use 1 to 64 letters, digits, `-`, `_` and `.`",
                self.name
            ));
        }
        if !(self.confidence > 0.5 && self.confidence < 1.0) {
            return Some("confidence has to lie between 0.5 and 1".to_owned());
        }
        let texts = [
            ("sample", Some(&self.sample)),
            ("judge", Some(&self.judge)),
            ("arm", self.arm.as_ref()),
        ];
        for (key, text) in texts {
            if text.is_some_and(|text| text.field.is_some() == text.value.is_some()) {
                return Some(format!("`{key}` has to name either a `field` or a `value`"));
            }
        }
        let both = |answer: &AnswerFrom| !(answer.is_true.is_empty() || answer.is_false.is_empty());
        let truths = self.question() == QuestionKind::FactVerification && self.task != Task::Preference;
        for (key, answer, needed) in [
            ("right", &self.right, true),
            ("gold", &self.gold, truths),
            ("prediction", &self.prediction, truths),
        ] {
            if needed && answer.as_ref().is_some_and(|answer| !both(answer)) {
                return Some(format!(
                    "`{key}.is_true` and `{key}.is_false` have to list the values that mean it"
                ));
            }
        }
        if self.control_arms.len() > 1 && self.controls.is_empty() {
            return Some(
                "`control_arms` names several arms: say under `[controls]` which of them is the control of each arm"
                    .to_owned(),
            );
        }
        let controls = self.all_controls();
        if let Some(arm) = self.controls.keys().find(|arm| controls.contains(arm)) {
            return Some(format!("`controls` names a control of {arm:?}, which is one itself"));
        }
        let values = !(self.verdict.is_true.is_empty() || self.verdict.is_false.is_empty());
        match self.task {
            Task::Preference => {
                if self.verdict.ranking.is_none() {
                    return Some("`verdict.ranking` has to say how a ranking is given: list, ranks or text".to_owned());
                }
                if self.arm.is_some() {
                    return Some("a ranking names its arms itself; leave `arm` out".to_owned());
                }
                let order = self.shown_order.as_ref();
                if order.is_some_and(|order| order.field.is_some() == order.value.is_some()) {
                    return Some("`shown_order` has to name either a `field` or a `value`".to_owned());
                }
                if self.verdict.ranking == Some(RankingForm::Text) && order.is_none() && self.methods.is_empty() {
                    return Some(
                        "a ranking in words can only be read when the arms are known: give `shown_order`, or `methods` \
                         with an entry an arm"
                            .to_owned(),
                    );
                }
                None
            }
            _ if self.arm.is_none() => Some("`arm` is missing".to_owned()),
            _ if self.verdict.ranking.is_some() || self.verdict.each || self.shown_order.is_some() => {
                Some("`ranking`, `each` and `shown_order` are for preference".to_owned())
            }
            Task::Verification if !values => {
                Some("`verdict.is_true` and `verdict.is_false` have to list the values of a verdict".to_owned())
            }
            Task::Simulation if !values && self.question() == QuestionKind::FactVerification => {
                Some("`verdict.is_true` and `verdict.is_false` have to list the values of a guess".to_owned())
            }
            _ => None,
        }
    }
}
