//! A run's figures beside the published ones: what can be compared, and of what cannot, why not.
//!
//! A figure is set beside every published number of the same method, data set and measure, whatever the model, so that a
//! reader sees what there is; only where nothing speaks against it is the pair called comparable. No test is made of a
//! difference: the samples of the other side are not known. [`figures`] takes the figures out of an analysis, [`names`]
//! knows what papers call things, [`text`] writes it for people.

mod figures;
mod names;
pub mod text;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Analysis;
use super::published::PublishedNumber;
use crate::judge::Task;
use crate::stats::{Interval, Stat};
use figures::Figure;

/// An interval wider than this share of the scale is too wide to set beside a number.
const WIDEST: f64 = 0.1;

/// What the analysis does not hold of how a run was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProtocol {
    /// Where its samples come from.
    pub splits: Vec<Split>,
    /// What is set of an answerer, in the words of the published numbers.
    pub settings: BTreeMap<String, String>,
    /// How a task is put before judges otherwise than as published, in words.
    pub differences: BTreeMap<Task, Vec<String>>,
}

/// One source of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The name that published numbers have for it, where they do.
    pub name: Option<String>,
    /// Whether only some of its samples are asked for.
    pub selected: bool,
}

/// A run beside the published numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunComparison {
    /// The study's name.
    pub study: String,
    /// One entry a figure of the run and published number of the same method, data set and measure; those that can be
    /// compared first.
    pub pairs: Vec<ComparedPair>,
    /// Figures of the run for which nothing is published, in words.
    pub unmatched: Vec<String>,
}

/// One figure beside one published number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparedPair {
    /// What was measured, as in the published numbers.
    pub measure: String,
    /// The arm or answerer of the run.
    pub arm: String,
    /// The judge of the run, for judged figures.
    pub judge: Option<String>,
    /// The run's figure, in the unit of the measure.
    pub value: f64,
    /// Its interval, or why there is none.
    pub interval: Stat<Interval>,
    /// Samples or trials it is over.
    pub n: u64,
    /// The published number.
    pub published: PublishedNumber,
    /// Samples that one is over, where it is known.
    pub published_n: Option<u64>,
    /// The run's figure minus the published number.
    pub difference: f64,
    /// The interval of the run's figure minus the published number. It knows nothing of chance on the other side.
    pub difference_interval: Stat<Interval>,
    /// Whether nothing speaks against setting the two beside each other.
    pub comparable: bool,
    /// What speaks against it.
    pub obstacles: Vec<Obstacle>,
}

/// What speaks against a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Its kind.
    pub kind: ObstacleKind,
    /// In words.
    pub detail: String,
}

/// Kinds of obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleKind {
    /// Answers come from a file and say nothing of any model.
    ScriptedAnswers,
    /// Another model answered or judged, or it is not known which.
    OtherModel,
    /// The samples are others, or some of them, or it is not known which.
    OtherSamples,
    /// The method was run otherwise.
    OtherSetting,
    /// The explanations ranked beside it are others.
    OtherArms,
    /// The task was put before judges otherwise.
    OtherProtocol,
    /// The judge saw something else.
    OtherView,
    /// The interval is too wide, or there is none.
    TooFewSamples,
    /// The published number cannot come from the samples it is said to be over.
    DoubtfulNumber,
}

impl ObstacleKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ScriptedAnswers => "scripted answers",
            Self::OtherModel => "other model",
            Self::OtherSamples => "other samples",
            Self::OtherSetting => "other setting",
            Self::OtherArms => "other explanations beside it",
            Self::OtherProtocol => "other protocol",
            Self::OtherView => "other pages",
            Self::TooFewSamples => "n too small",
            Self::DoubtfulNumber => "doubtful number",
        }
    }
}

/// Sets a run beside the published numbers.
pub fn compare(analysis: &Analysis, protocol: &RunProtocol, numbers: &[PublishedNumber]) -> RunComparison {
    let mut pairs = Vec::new();
    let mut unmatched = Vec::new();
    for figure in figures::of_run(analysis) {
        let matching: Vec<&PublishedNumber> = numbers
            .iter()
            .filter(|number| !number.is_released() && matches(&figure, protocol, number))
            .collect();
        if matching.is_empty() {
            unmatched.push(figure.words());
        }
        pairs.extend(
            matching
                .into_iter()
                .map(|number| pair(&figure, analysis, protocol, number, numbers)),
        );
    }
    pairs.sort_by_key(|pair| (pair.obstacles.len(), pair.obstacles.first().map(|first| first.kind)));
    RunComparison {
        study: analysis.study.name.clone(),
        pairs,
        unmatched,
    }
}

/// Whether a number is of the same measure, method and data set. Ablations count only for a run that makes the same change.
fn matches(figure: &Figure, protocol: &RunProtocol, number: &PublishedNumber) -> bool {
    let ablation = number.setting.starts_with("with");
    let same_setting = protocol.settings.get(&figure.answerer) == Some(&number.setting);
    number.measure == figure.measure
        && names::is_dataset(&number.dataset, figure.dataset)
        && names::method(&figure.method).is_some_and(|method| method == number.method)
        && (!ablation || same_setting)
}

fn pair(
    figure: &Figure,
    analysis: &Analysis,
    protocol: &RunProtocol,
    number: &PublishedNumber,
    numbers: &[PublishedNumber],
) -> ComparedPair {
    let published_n = super::published::counts::samples_of(numbers, number).map(|(n, _)| n);
    let obstacles = obstacles(figure, analysis, protocol, number, published_n, numbers);
    let shifted = figure.interval.clone().map(|interval| Interval {
        low: interval.low - number.value(),
        high: interval.high - number.value(),
        level: interval.level,
    });
    ComparedPair {
        measure: figure.measure.clone(),
        arm: figure.arm.clone(),
        judge: figure.judge.as_ref().map(|judge| judge.name.clone()),
        value: figure.value,
        interval: figure.interval.clone(),
        n: figure.n,
        published: number.clone(),
        published_n,
        difference: figure.value - number.value(),
        difference_interval: shifted,
        comparable: obstacles.is_empty(),
        obstacles,
    }
}

fn obstacles(
    figure: &Figure,
    analysis: &Analysis,
    protocol: &RunProtocol,
    number: &PublishedNumber,
    published_n: Option<u64>,
    numbers: &[PublishedNumber],
) -> Vec<Obstacle> {
    let mut found = Vec::new();
    let mut add = |kind, detail: String| found.push(Obstacle { kind, detail });
    if analysis.scripted {
        add(
            ObstacleKind::ScriptedAnswers,
            "answers of this run were written into a file".to_owned(),
        );
    }
    model(figure, analysis, number, &mut add);
    samples(figure, protocol, number, published_n, &mut add);
    let setting = protocol.settings.get(&figure.answerer).map_or("", String::as_str);
    if figure.judge.is_none() && number.setting != setting {
        let said = |setting: &str| {
            if setting.is_empty() {
                "not said".to_owned()
            } else {
                setting.to_owned()
            }
        };
        add(
            ObstacleKind::OtherSetting,
            format!("{}; published: {}", said(setting), said(&number.setting)),
        );
    }
    if let Some(ranked) = &figure.ranked {
        let there = numbers.iter().filter(|other| {
            (&other.measure, &other.source, &other.table, &other.model)
                == (&number.measure, &number.source, &number.table, &number.model)
        });
        let there: BTreeSet<&str> = there.map(|other| other.method.as_str()).collect();
        let here: Vec<Option<&str>> = ranked.iter().map(|method| names::method(method)).collect();
        let same = here
            .iter()
            .all(|method| method.is_some_and(|method| there.contains(method)));
        if !same || here.len() != there.len() {
            let there: Vec<&str> = there.into_iter().collect();
            add(
                ObstacleKind::OtherArms,
                format!(
                    "ranked among {}; published: among {}",
                    ranked.join(", "),
                    there.join(", ")
                ),
            );
        }
    }
    if let Some(judge) = &figure.judge {
        for difference in protocol.differences.get(&judge.task).into_iter().flatten() {
            add(ObstacleKind::OtherProtocol, difference.clone());
        }
        add(
            ObstacleKind::OtherView,
            match judge.view.as_str() {
                "" => "it is not known what the judge saw".to_owned(),
                view => format!("the judge saw pages of this tool as {view}; published: pages of that paper"),
            },
        );
    }
    let scale = figure.scale;
    match &figure.interval {
        Ok(interval) if interval.high - interval.low <= WIDEST * scale => {}
        Ok(interval) => add(
            ObstacleKind::TooFewSamples,
            format!(
                "with n = {} the interval is {:.1} wide",
                figure.n,
                interval.high - interval.low
            ),
        ),
        Err(undefined) => add(ObstacleKind::TooFewSamples, undefined.reason.clone()),
    }
    if let Some(n) = number.n
        && number.is_percentage()
        && super::published::counts::counts_giving(number, n).is_empty()
    {
        add(
            ObstacleKind::DoubtfulNumber,
            format!("no count of its {n} samples gives {}", number.printed),
        );
    }
    found
}

fn model(figure: &Figure, analysis: &Analysis, number: &PublishedNumber, add: &mut impl FnMut(ObstacleKind, String)) {
    let name = figure
        .judge
        .as_ref()
        .map_or(figure.model.as_str(), |judge| judge.model.as_str());
    let known = analysis.study.model(name);
    let identifier = known.and_then(|model| model.identifier.as_deref()).unwrap_or(name);
    if number.model.is_empty() || names::same_model(identifier, &number.model) {
        return;
    }
    let who = if figure.judge.is_some() { "judge" } else { "model" };
    let run = if identifier.is_empty() { "not known" } else { identifier };
    add(
        ObstacleKind::OtherModel,
        format!("{who} {run}; published: {}", number.model),
    );
}

fn samples(
    figure: &Figure,
    protocol: &RunProtocol,
    number: &PublishedNumber,
    published_n: Option<u64>,
    add: &mut impl FnMut(ObstacleKind, String),
) {
    let of = |n: Option<u64>| n.map_or("a number not printed".to_owned(), |n| n.to_string());
    let (whole, split) = match protocol.splits.as_slice() {
        [split] => (!split.selected, split.name.clone()),
        _ => (false, None),
    };
    // Judged figures name the data set alone.
    let same_split = split.as_ref().is_some_and(|split| {
        *split == number.dataset || (figure.judge.is_some() && split.starts_with(number.dataset.as_str()))
    });
    // As many samples of a selection need not be the same ones.
    if same_split && whole && published_n == Some(figure.n) {
        return;
    }
    let run = match split {
        Some(split) => format!("{} of {split}", figure.n),
        None => format!("{} of samples that no paper names", figure.n),
    };
    add(
        ObstacleKind::OtherSamples,
        format!("{run}; published: {} of {}", of(published_n), number.dataset),
    );
}
