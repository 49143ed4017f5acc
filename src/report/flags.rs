//! What a reader must not overlook. Every flag is a rule on figures that stand in the analysis too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::AnswerVisibility;
use crate::judge::{CONTROL_ARM, Task};

use super::analysis::Analysis;
use super::index::{Index, is_control};
use super::preference::PreferenceAnalysis;
use super::quantities::{Proportion, Readings};
use super::records::{JudgeFacts, StudyFacts};
use super::verification::OptionOrderEffect;

/// Coverage below this is flagged.
const LOW_COVERAGE: f64 = 0.9;
/// A share this far from what balance asks for is flagged.
const IMBALANCE: f64 = 0.1;

/// How much a flag changes what the figures mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The figure does not say what it seems to say.
    Severe,
    /// To be kept in mind.
    Caution,
}

/// What a flag is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlagKind {
    /// A judge verifies no better than one that always says "correct": severe when worse, a caution when equal.
    BelowBaseRate,
    /// A judge simulates no better than one that always guesses the more frequent answer.
    BelowMajority,
    /// With the explanation the judge does no better than without it.
    NoLift,
    /// There is no control to compare with.
    NoControl,
    /// The place where an explanation is shown moves its rank.
    PositionBias,
    /// Rankings repeat the shown order.
    FollowsShownOrder,
    /// Arms were not shown equally often in every place.
    UnbalancedPlaces,
    /// The option shown first is chosen more, or less, than half of the time.
    OptionBias,
    /// The options were not shown equally often in both orders.
    UnbalancedOptions,
    /// A withheld answer can be read on the page all the same.
    WithheldAnswerVisible,
    /// Steps do not end in the answer that is shown.
    AnswerNotFromSteps,
    /// Steps on which nothing is marked.
    UnmarkedSteps,
    /// Many judgments could not be read.
    LowCoverage,
    /// Few samples have a verdict for every arm.
    FewCommonSamples,
    /// A judge judges what its own model answered.
    SelfJudging,
    /// Answers are missing; they count as wrong.
    MissingAnswers,
    /// An arm has no trial in a task.
    ArmWithoutTrials,
    /// Trials were planned but not judged.
    NotJudged,
    /// Samples were not answered.
    NotAnswered,
    /// The same sample counts several times.
    RepeatedDraws,
    /// Judgments of unknown trials or judges were left out.
    StrayJudgments,
}

/// One thing not to be overlooked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// How much it changes.
    pub severity: Severity,
    /// What it is about.
    pub kind: FlagKind,
    /// The task it concerns, if one.
    pub task: Option<Task>,
    /// The judge it concerns, if one.
    pub judge: Option<String>,
    /// The arm or answerer it concerns, if one.
    pub arm: Option<String>,
    /// In words, with the figures.
    pub message: String,
}

/// All flags of an analysis, the severe ones first.
pub fn raise(analysis: &Analysis, index: &Index) -> Vec<Flag> {
    let mut flags = Flags::default();
    flags.self_judging(&analysis.study);
    flags.answers(analysis);
    flags.pages(analysis);
    for judge in &analysis.preference {
        flags.preference(judge);
    }
    flags.simulation(analysis);
    flags.verification(analysis);
    flags.trials(&analysis.study, index);
    let mut flags = flags.raised;
    flags.sort();
    flags
}

#[derive(Default)]
struct Flags {
    raised: Vec<Flag>,
}

impl Flags {
    fn add(
        &mut self,
        severity: Severity,
        kind: FlagKind,
        about: (Option<Task>, Option<&str>, Option<&str>),
        message: String,
    ) {
        self.raised.push(Flag {
            severity,
            kind,
            task: about.0,
            judge: about.1.map(str::to_owned),
            arm: about.2.map(str::to_owned),
            message,
        });
    }

    fn self_judging(&mut self, study: &StudyFacts) {
        for judge in &study.judges {
            let own: Vec<&str> = study
                .arms
                .iter()
                .filter(|arm| same_model(study, judge, &arm.model))
                .map(|arm| arm.name.as_str())
                .collect();
            if !own.is_empty() {
                self.add(
                    Severity::Caution,
                    FlagKind::SelfJudging,
                    (None, Some(&judge.name), None),
                    format!(
                        "Judge {} runs on the model that also answered in {}. A model may favour its own words, and it \
                         simulates itself more easily than another.",
                        judge.name,
                        own.join(", ")
                    ),
                );
            }
        }
    }

    fn answers(&mut self, analysis: &Analysis) {
        for answerer in &analysis.answerers {
            let missing = answerer.failed_samples.len();
            if missing > 0 {
                let kinds: Vec<String> = answerer
                    .failures
                    .iter()
                    .map(|(kind, count)| format!("{count} {}", kind.replace('_', " ")))
                    .collect();
                self.add(
                    Severity::Caution,
                    FlagKind::MissingAnswers,
                    (None, None, Some(&answerer.answerer)),
                    format!(
                        "{} gave no answer to {missing} of {} samples ({}). They count as wrong and are not put before \
                         judges.",
                        answerer.answerer,
                        answerer.effort.questions,
                        kinds.join(", ")
                    ),
                );
            }
            if answerer.not_run > 0 {
                self.add(
                    Severity::Caution,
                    FlagKind::NotAnswered,
                    (None, None, Some(&answerer.answerer)),
                    format!(
                        "{} has not been run on {} of {} samples.",
                        answerer.answerer, answerer.not_run, analysis.samples.total
                    ),
                );
            }
        }
    }

    fn pages(&mut self, analysis: &Analysis) {
        for pages in &analysis.pages {
            let about = (None, None, Some(pages.arm.as_str()));
            let visible = &pages.withheld_answer_visible;
            if pages.answer == AnswerVisibility::Withheld && visible.successes > 0 && pages.arm != CONTROL_ARM {
                self.add(
                    Severity::Severe,
                    FlagKind::WithheldAnswerVisible,
                    (Some(Task::Simulation), None, Some(&pages.arm)),
                    format!(
                        "On {} of {} pages of {} the text of the withheld answer still stands somewhere, so that \
                         a simulation of them may be no more than reading.",
                        visible.successes, visible.n, pages.arm
                    ),
                );
            }
            if pages.answer == AnswerVisibility::Withheld {
                continue;
            }
            let detached = &pages.answer_not_from_steps;
            if detached.successes > 0 {
                self.add(
                    Severity::Severe,
                    FlagKind::AnswerNotFromSteps,
                    about,
                    format!(
                        "On {} of {} pages of {} the steps do not yield the answer shown: a fallback gave it. Such a \
                         page explains something else.",
                        detached.successes, detached.n, pages.arm
                    ),
                );
            }
            let unmarked = pages.steps_marked.n - pages.steps_marked.successes;
            if unmarked > 0 && pages.steps_marked.successes > 0 {
                self.add(
                    Severity::Caution,
                    FlagKind::UnmarkedSteps,
                    about,
                    format!(
                        "{unmarked} of {} steps of {} have nothing marked.",
                        pages.steps_marked.n, pages.arm
                    ),
                );
            }
        }
    }

    fn preference(&mut self, judge: &PreferenceAnalysis) {
        let about = (Some(Task::Preference), Some(judge.judge.as_str()), None);
        if self.not_asked([&judge.readings], about) {
            return;
        }
        self.readings(&judge.readings, about);
        self.common(judge.common_samples, judge.samples, about);
        let unbalanced: Vec<&str> = judge
            .arms
            .iter()
            .filter(|arm| {
                let fair = judge.rankings as f64 / judge.arms.len() as f64;
                arm.by_place.iter().any(|place| {
                    let off = (place.first.n as f64 - fair).abs();
                    off >= 1.0 && off > IMBALANCE * judge.rankings as f64
                })
            })
            .map(|arm| arm.arm.as_str())
            .collect();
        if !unbalanced.is_empty() {
            self.add(
                Severity::Severe,
                FlagKind::UnbalancedPlaces,
                about,
                format!(
                    "In the readable rankings of {}, {} did not stand equally often in every place, so that mean ranks \
                     mix explanation and place.",
                    judge.judge,
                    unbalanced.join(", ")
                ),
            );
        }
        let chance = 1.0 / judge.arms.len().max(1) as f64;
        let uneven: Vec<String> = judge
            .places
            .iter()
            .filter(|place| excludes(&place.first, chance))
            .map(|place| {
                format!(
                    "{} of {} times in place {}",
                    place.first.successes, place.first.n, place.place
                )
            })
            .collect();
        if !uneven.is_empty() {
            self.add(
                Severity::Severe,
                FlagKind::PositionBias,
                about,
                format!(
                    "What {} ranks first was shown {}. If places did nothing, each would have {}.",
                    judge.judge,
                    uneven.join(", "),
                    percent(chance)
                ),
            );
        }
        let follows = &judge.follows_shown_order;
        if judge.arms.len() > 1 && above(follows, judge.follows_shown_order_by_chance) {
            self.add(
                Severity::Severe,
                FlagKind::FollowsShownOrder,
                about,
                format!(
                    "{} repeats the shown order exactly in {} of {} rankings; chance gives {}.",
                    judge.judge,
                    follows.successes,
                    follows.n,
                    percent(judge.follows_shown_order_by_chance)
                ),
            );
        }
    }

    fn simulation(&mut self, analysis: &Analysis) {
        for judge in &analysis.simulation {
            let about = (Some(Task::Simulation), Some(judge.judge.as_str()), None);
            if self.not_asked(
                judge.arms.iter().map(|arm| &arm.readings).chain([&judge.control]),
                about,
            ) {
                continue;
            }
            self.common(judge.common_samples, judge.samples, about);
            for arm in &judge.arms {
                let about = (about.0, about.1, Some(arm.arm.as_str()));
                self.readings(&arm.readings, about);
                if let (Ok(accuracy), Ok(base)) = (&arm.accuracy.share, &arm.base_rate)
                    && base.proportion.share.as_ref().is_ok_and(|base| accuracy < base)
                {
                    self.add(
                        Severity::Severe,
                        FlagKind::BelowMajority,
                        about,
                        format!(
                            "{} simulates {} right on {} of {} trials; always guessing {} would reach {}.",
                            judge.judge,
                            arm.arm,
                            arm.accuracy.successes,
                            arm.accuracy.n,
                            base.class,
                            base.proportion.successes
                        ),
                    );
                }
                self.lift(&arm.control, about);
            }
        }
    }

    fn verification(&mut self, analysis: &Analysis) {
        for judge in &analysis.verification {
            let about = (Some(Task::Verification), Some(judge.judge.as_str()), None);
            if self.not_asked(
                judge.arms.iter().map(|arm| &arm.readings).chain([&judge.control]),
                about,
            ) {
                continue;
            }
            self.common(judge.common_samples, judge.samples, about);
            self.options(&judge.options, about);
            for arm in &judge.arms {
                let about = (about.0, about.1, Some(arm.arm.as_str()));
                self.readings(&arm.readings, about);
                let (right, always) = (arm.accuracy.successes, arm.base_rate.successes);
                if arm.accuracy.n > 0 && right <= always {
                    let (severity, verdict) = if right < always {
                        (Severity::Severe, "the judge is worse than one that does not look")
                    } else {
                        (Severity::Caution, "the judge is no better than one that does not look")
                    };
                    self.add(
                        severity,
                        FlagKind::BelowBaseRate,
                        about,
                        format!(
                            "{} verifies {} right on {right} of {} trials. Always saying \"correct\" would be right on \
                             {always}: {verdict}.",
                            judge.judge, arm.arm, arm.accuracy.n
                        ),
                    );
                }
                self.lift(&arm.control, about);
            }
        }
    }

    fn options(&mut self, options: &OptionOrderEffect, about: (Option<Task>, Option<&str>, Option<&str>)) {
        let judge = about.1.unwrap_or_default();
        let shown = &options.correct_first;
        let off = (2.0 * shown.successes as f64 - shown.n as f64).abs();
        if shown.n > 0 && off > 1.0 && off > 2.0 * IMBALANCE * shown.n as f64 {
            self.add(
                Severity::Severe,
                FlagKind::UnbalancedOptions,
                about,
                format!(
                    "{judge} saw \"correct\" as the first option in {} of {} trials, so that a leaning to the first \
                     option looks like a judgement.",
                    shown.successes, shown.n
                ),
            );
        } else if excludes(&options.first_shown_chosen, 0.5) {
            self.add(
                Severity::Severe,
                FlagKind::OptionBias,
                about,
                format!(
                    "{judge} chose the option shown first in {} of {} verdicts; half would be even.",
                    options.first_shown_chosen.successes, options.first_shown_chosen.n
                ),
            );
        }
    }

    fn lift(
        &mut self,
        control: &crate::stats::Stat<super::control::ControlComparison>,
        about: (Option<Task>, Option<&str>, Option<&str>),
    ) {
        let (judge, arm) = (about.1.unwrap_or_default(), about.2.unwrap_or_default());
        match control {
            Ok(comparison) if comparison.lift.as_ref().is_ok_and(|lift| *lift <= 0.0) => self.add(
                Severity::Caution,
                FlagKind::NoLift,
                about,
                format!(
                    "{judge} does no better with the explanation of {arm} than without any: {} against {} of {} on the \
                     same trials.",
                    comparison.with_explanation.successes, comparison.without_explanation.successes, comparison.n
                ),
            ),
            Ok(_) => {}
            Err(undefined) => self.add(
                Severity::Caution,
                FlagKind::NoControl,
                about,
                format!(
                    "{arm} before {judge} has nothing to compare with: {}.",
                    undefined.reason
                ),
            ),
        }
    }

    /// Whether the judge was not asked at all in a task; then that is all there is to say.
    fn not_asked<'a>(
        &mut self,
        readings: impl IntoIterator<Item = &'a Readings>,
        about: (Option<Task>, Option<&str>, Option<&str>),
    ) -> bool {
        let (trials, asked) = readings.into_iter().fold((0, 0), |(trials, asked), readings| {
            (trials + readings.trials, asked + readings.asked)
        });
        if asked > 0 {
            return false;
        }
        self.add(
            Severity::Caution,
            FlagKind::NotJudged,
            about,
            format!(
                "None of {} in {} was put before {}.",
                counted(trials, "trial"),
                about.0.map(task_name).unwrap_or_default(),
                about.1.unwrap_or_default()
            ),
        );
        true
    }

    fn readings(&mut self, readings: &Readings, about: (Option<Task>, Option<&str>, Option<&str>)) {
        let whose = match about.2 {
            Some(arm) => format!("{} on {arm}", about.1.unwrap_or_default()),
            None => about.1.unwrap_or_default().to_owned(),
        };
        if readings
            .coverage
            .as_ref()
            .is_ok_and(|coverage| *coverage < LOW_COVERAGE)
        {
            self.add(
                Severity::Severe,
                FlagKind::LowCoverage,
                about,
                format!(
                    "Only {} of {} judgments of {whose} could be read; what the others would have said is not known.",
                    readings.readable, readings.asked
                ),
            );
        }
        if readings.not_asked() > 0 {
            self.add(
                Severity::Caution,
                FlagKind::NotJudged,
                about,
                format!(
                    "{} of {} trials were not put before {whose}.",
                    readings.not_asked(),
                    readings.trials
                ),
            );
        }
    }

    fn common(&mut self, common: usize, samples: usize, about: (Option<Task>, Option<&str>, Option<&str>)) {
        if (common as f64) < LOW_COVERAGE * samples as f64 {
            self.add(
                if common == 0 { Severity::Severe } else { Severity::Caution },
                FlagKind::FewCommonSamples,
                about,
                format!(
                    "{} of {samples} samples have a usable verdict of {} for every arm; the figures are over these alone.",
                    common,
                    about.1.unwrap_or_default()
                ),
            );
        }
    }

    fn trials(&mut self, study: &StudyFacts, index: &Index) {
        for task in [Task::Simulation, Task::Verification] {
            let trials: Vec<_> = index
                .trials()
                .iter()
                .filter(|trial| trial.task == task && !is_control(trial))
                .collect();
            if trials.is_empty() {
                continue;
            }
            for arm in &study.arms {
                if !trials.iter().any(|trial| trial.arms.contains(&arm.name)) {
                    self.add(
                        Severity::Severe,
                        FlagKind::ArmWithoutTrials,
                        (Some(task), None, Some(&arm.name)),
                        format!(
                            "{} has no trial in {} and is in none of its figures.",
                            arm.name,
                            task_name(task)
                        ),
                    );
                }
            }
            if trials.iter().any(|trial| trial.repeat > 0 || trial.turn > 0) {
                self.add(
                    Severity::Caution,
                    FlagKind::RepeatedDraws,
                    (Some(task), None, None),
                    format!(
                        "In {} a sample is judged several times and counts as often; intervals and tests take these \
                         trials for independent and claim too much.",
                        task_name(task)
                    ),
                );
            }
        }
        let stray = index.stray_judgments();
        if stray > 0 {
            self.add(
                Severity::Caution,
                FlagKind::StrayJudgments,
                (None, None, None),
                format!("{stray} judgments belong to no trial or judge of this study and were left out."),
            );
        }
    }
}

/// A task's name in tables.
pub fn task_name(task: Task) -> &'static str {
    match task {
        Task::Preference => "preference",
        Task::Simulation => "simulation",
        Task::Verification => "verification",
    }
}

/// Two names of one model are the same when their identifiers are; scripted ones only by name.
fn same_model(study: &StudyFacts, judge: &JudgeFacts, answering: &str) -> bool {
    let identifier = |name: &str| {
        study
            .model(name)
            .filter(|model| !model.scripted)
            .and_then(|model| model.identifier.as_deref())
    };
    judge.model == answering || identifier(&judge.model).is_some_and(|own| Some(own) == identifier(answering))
}

fn excludes(proportion: &Proportion, value: f64) -> bool {
    proportion
        .interval
        .as_ref()
        .is_ok_and(|interval| value < interval.low || value > interval.high)
}

fn above(proportion: &Proportion, value: f64) -> bool {
    proportion.interval.as_ref().is_ok_and(|interval| value < interval.low)
}

/// `1 judge`, `2 judges`.
pub fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count: u64 = count.into();
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}
