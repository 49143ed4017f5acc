//! What a reader must not overlook. Every flag is a rule on figures that stand in the analysis too.

mod checked;
mod imported;
mod judging;
mod preference;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::AnswerVisibility;
use crate::judge::{CONTROL_ARM, Task};

use super::analysis::Analysis;
use super::conclusions::p_words;
use super::control::IS_THE_CONTROL;
pub use super::flag_kinds::{FlagKind, Severity};
use super::index::{Index, is_control};
use super::quantities::{Proportion, Readings};
use super::records::{JudgeFacts, StudyFacts};
use super::rounding::percent;
use super::verification::{OptionOrderEffect, VerificationArm};

/// Coverage below this is flagged.
const LOW_COVERAGE: f64 = 0.9;
/// A share this far from what balance asks for is flagged.
const IMBALANCE: f64 = 0.1;

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
    flags.judging(&analysis.study, index);
    flags.suspects(analysis);
    flags.answers(analysis);
    flags.imported(analysis);
    flags.imported_judgments(&analysis.study);
    flags.pages(analysis);
    flags.check(analysis);
    for judge in &analysis.preference {
        flags.preference(judge, analysis.study.confidence);
    }
    flags.simulation(analysis);
    flags.verification(analysis);
    flags.trials(&analysis.study, index);
    let mut flags = flags.raised;
    flags.sort();
    flags
}

/// The task, the judge and the arm that a flag concerns.
type About<'a> = (Option<Task>, Option<&'a str>, Option<&'a str>);

#[derive(Default)]
struct Flags {
    raised: Vec<Flag>,
}

impl Flags {
    fn add(&mut self, severity: Severity, kind: FlagKind, about: About, message: String) {
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
        // The judges of a panel stand for themselves.
        for judge in study.judges.iter().filter(|judge| judge.panel.is_empty()) {
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
                        "{} gave no answer to {missing} of {} ({}). They count as wrong and are not put before \
                         judges.",
                        answerer.answerer,
                        counted(answerer.effort.questions, "sample"),
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
                        "{} has not been run on {} of {}.",
                        answerer.answerer,
                        answerer.not_run,
                        counted(analysis.samples.total, "sample")
                    ),
                );
            }
        }
    }

    fn pages(&mut self, analysis: &Analysis) {
        for pages in &analysis.pages {
            let about = (None, None, Some(pages.arm.as_str()));
            let leaking = &pages.leaking;
            if leaking.successes > 0 {
                let hides = match pages.answer {
                    AnswerVisibility::Withheld => "its withheld answer, or what made it",
                    AnswerVisibility::Shown => "what made it",
                };
                self.add(
                    Severity::Severe,
                    FlagKind::PageLeak,
                    about,
                    format!(
                        "{} of {} of {} tell a judge {hides}: what was judged of them may be no more than reading.",
                        leaking.successes,
                        counted(leaking.n, "page"),
                        pages.arm
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
                        "On {} of {} of {} the steps do not yield the answer shown: a fallback gave it. Such a \
                         page explains something else.",
                        detached.successes,
                        counted(detached.n, "page"),
                        pages.arm
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
                        "{unmarked} of {} of {} have nothing marked.",
                        counted(pages.steps_marked.n, "step"),
                        pages.arm
                    ),
                );
            }
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
            if !analysis.study.own_samples() {
                self.common(judge.common_samples, judge.samples, about);
            }
            for arm in &judge.arms {
                let about = (about.0, about.1, Some(arm.arm.as_str()));
                self.readings(&arm.readings, about);
                // By kind of question: in a mixed study no one answer can be given always, but within a kind it can.
                for kind in &arm.kinds {
                    let Ok(base) = &kind.base_rate else {
                        continue;
                    };
                    let (right, always) = (kind.accuracy.successes, base.proportion.successes);
                    if kind.accuracy.n == 0 || right > always {
                        continue;
                    }
                    let (severity, verdict) = no_better(right, always);
                    self.add(
                        severity,
                        FlagKind::BelowMajority,
                        about,
                        format!(
                            "{} simulates {} right on {right} of {} of {}. Always guessing {} would be right on \
                             {always}: {verdict}.",
                            judge.judge,
                            arm.arm,
                            counted(kind.accuracy.n, "trial"),
                            kind.kind.replace('_', " "),
                            base.class,
                        ),
                    );
                }
                self.lift(&arm.control, arm.accuracy.n, about);
            }
            self.control(&judge.control, about);
            self.unscored(
                judge.unscored,
                "have a free-form answer: two sentences hardly ever agree to the letter, so no guess of them is scored",
                about,
            );
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
            if !analysis.study.own_samples() {
                self.common(judge.common_samples, judge.samples, about);
            }
            self.options(&judge.options, analysis.study.confidence, about);
            for arm in &judge.arms {
                let about = (about.0, about.1, Some(arm.arm.as_str()));
                self.readings(&arm.readings, about);
                let (right, always) = (arm.accuracy.successes, arm.constant.proportion.successes);
                if arm.accuracy.n > 0 && right <= always {
                    let (severity, verdict) = no_better(right, always);
                    self.add(
                        severity,
                        FlagKind::BelowBaseRate,
                        about,
                        format!(
                            "{} verifies {} right on {right} of {}. Always saying \"{}\" would be right on \
                             {always}: {verdict}{}.",
                            judge.judge,
                            arm.arm,
                            counted(arm.accuracy.n, "trial"),
                            arm.constant.verdict,
                            balanced(arm)
                        ),
                    );
                }
                self.lift(&arm.control, arm.accuracy.n, about);
            }
            self.control(&judge.control, about);
            self.unscored(
                judge.without_truth,
                "are about an answer that is not known to be right or wrong",
                about,
            );
        }
    }

    fn options(&mut self, options: &OptionOrderEffect, level: f64, about: About) {
        let judge = about.1.unwrap_or_default();
        let shown = &options.correct_first;
        let off = (2.0 * shown.successes as f64 - shown.n as f64).abs();
        if shown.n > 0 && off > 1.0 && off > 2.0 * IMBALANCE * shown.n as f64 {
            self.add(
                Severity::Severe,
                FlagKind::UnbalancedOptions,
                about,
                format!(
                    "{judge} saw \"correct\" as the first option in {} of {}, so that a leaning to the first \
                     option looks like a judgement.",
                    shown.successes,
                    counted(shown.n, "trial")
                ),
            );
        } else if let Ok(test) = &options.test
            && test.p_corrected < 1.0 - level
        {
            self.add(
                Severity::Severe,
                FlagKind::OptionBias,
                about,
                format!(
                    "{judge} chose the option shown first in {} of {} verdicts; half would be even (sign-flip test over {}, \
                     {}).",
                    options.first_shown_chosen.successes,
                    options.first_shown_chosen.n,
                    counted(test.samples, "sample"),
                    p_words(test.p_corrected),
                ),
            );
        }
    }

    fn lift(&mut self, control: &crate::stats::Stat<super::control::ControlComparison>, scored: u64, about: About) {
        let (judge, arm) = (about.1.unwrap_or_default(), about.2.unwrap_or_default());
        let task = about.0.map(task_name).unwrap_or_default();
        if let Ok(comparison) = control
            && comparison.right_answers.is_none()
            && (comparison.lift.first.n as f64) < LOW_COVERAGE * scored as f64
        {
            self.add(
                Severity::Caution,
                FlagKind::FewPairs,
                about,
                format!(
                    "The lift of {arm} before {judge} in {task} is over {} of the {scored} trials that its accuracy is over: the \
                     others have no usable verdict on the control.",
                    comparison.lift.first.n
                ),
            );
        }
        match control {
            Ok(comparison) if comparison.lift.difference <= 0.0 => self.add(
                Severity::Caution,
                FlagKind::NoLift,
                about,
                format!(
                    "{judge} does no better in {task} with the explanation of {arm} than without any: {} of {} against {} of \
                     {} on {} {}.",
                    comparison.lift.first.successes,
                    comparison.lift.first.n,
                    comparison.lift.second.successes,
                    comparison.lift.second.n,
                    if comparison.right_answers.is_some() { "other" } else { "the same" },
                    if comparison.right_answers.is_some() { "samples" } else { "trials" },
                ),
            ),
            Ok(_) => {}
            Err(undefined) if undefined.reason == IS_THE_CONTROL => {}
            Err(undefined) => self.add(
                Severity::Caution,
                FlagKind::NoControl,
                about,
                format!(
                    "{arm} before {judge} in {task} has nothing to compare with: {}.",
                    undefined.reason
                ),
            ),
        }
    }

    fn control(&mut self, control: &Readings, about: About) {
        self.readings(control, (about.0, about.1, Some(CONTROL_ARM)));
    }

    fn unscored(&mut self, trials: u64, why: &str, about: About) {
        if trials > 0 {
            self.add(
                Severity::Caution,
                FlagKind::Unscored,
                about,
                format!(
                    "{} before {} in {} {why}.",
                    counted(trials, "trial"),
                    about.1.unwrap_or_default(),
                    about.0.map(task_name).unwrap_or_default()
                ),
            );
        }
    }

    /// Whether the judge was not asked at all in a task; then that is all there is to say.
    fn not_asked<'a>(&mut self, readings: impl IntoIterator<Item = &'a Readings>, about: About) -> bool {
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

    fn readings(&mut self, readings: &Readings, about: About) {
        let (judge, task) = (about.1.unwrap_or_default(), about.0.map(task_name).unwrap_or_default());
        let whose = match about.2 {
            Some(CONTROL_ARM) => format!("{judge} on the control in {task}"),
            Some(arm) => format!("{judge} on {arm} in {task}"),
            None => format!("{judge} in {task}"),
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
                    "Only {} of {} of {whose} could be read; what the others would have said is not known.",
                    readings.readable,
                    counted(readings.asked, "judgment")
                ),
            );
        }
        if readings.not_asked() > 0 {
            self.add(
                Severity::Caution,
                FlagKind::NotJudged,
                about,
                format!(
                    "{} of {} were not put before {whose}.",
                    readings.not_asked(),
                    counted(readings.trials, "trial")
                ),
            );
        }
    }

    fn common(&mut self, common: usize, samples: usize, about: About) {
        if (common as f64) < LOW_COVERAGE * samples as f64 {
            self.add(
                if common == 0 {
                    Severity::Severe
                } else {
                    Severity::Caution
                },
                FlagKind::FewCommonSamples,
                about,
                format!(
                    "Only {common} of {} have a usable verdict of {} for every arm in {}; the figures are over these alone.",
                    counted(samples, "sample"),
                    about.1.unwrap_or_default(),
                    about.0.map(task_name).unwrap_or_default()
                ),
            );
        }
    }

    fn trials(&mut self, study: &StudyFacts, index: &Index) {
        for task in index.tasks() {
            let trials: Vec<_> = index
                .trials()
                .iter()
                .filter(|trial| trial.task == task && !is_control(trial))
                .collect();
            if trials.is_empty() {
                self.add(
                    Severity::Severe,
                    FlagKind::TaskWithoutTrials,
                    (Some(task), None, None),
                    format!(
                        "The study asks for {}, but no explanation came to a trial: {}. There are no figures of it.",
                        task_name(task),
                        no_trials_because(task, study, index)
                    ),
                );
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
            // In preference the turns are its orders, which are averaged within a sample.
            if task != Task::Preference && trials.iter().any(|trial| trial.repeat > 0 || trial.turn > 0) {
                self.add(
                    Severity::Caution,
                    FlagKind::RepeatedDraws,
                    (Some(task), None, None),
                    format!(
                        "In {} a sample is judged several times and counts as often. Intervals are drawn over samples, and \
                         tests are sign-flip tests over samples.",
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
                format!("Judgments that belong to no trial or judge of this study and were left out: {stray}."),
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
    if judge.model.is_empty() || answering.is_empty() {
        return false;
    }
    judge.model == answering
        // An imported arm names the identifier itself.
        || identifier(&judge.model).is_some_and(|own| Some(own) == identifier(answering) || own == answering)
}

/// Why a task has no trial, from what the arms answered.
fn no_trials_because(task: Task, study: &StudyFacts, index: &Index) -> String {
    let samples = index.sample_ids();
    if samples.is_empty() {
        return "it has no samples".to_owned();
    }
    let lacking: Vec<String> = study
        .arms
        .iter()
        .filter_map(|arm| {
            let unanswered = samples
                .iter()
                .filter(|sample| {
                    let trace = index.trace(sample, &arm.answerer);
                    trace.is_none_or(|trace| trace.answer.is_none())
                })
                .count();
            (unanswered > 0).then(|| format!("{} lacks an answer to {unanswered}", arm.name))
        })
        .collect();
    if !lacking.is_empty() {
        return format!("of {} {}", counted(samples.len() as u64, "sample"), lacking.join(", "));
    }
    if task == Task::Preference && study.arms.len() < 2 {
        return "a ranking needs two arms".to_owned();
    }
    "none was planned".to_owned()
}

/// How bad it is to be no more often right than one that always says the same.
fn no_better(right: u64, always: u64) -> (Severity, &'static str) {
    if right < always {
        (
            Severity::Severe,
            "the judge is less often right than one that does not look",
        )
    } else {
        (
            Severity::Caution,
            "the judge is no more often right than one that does not look",
        )
    }
}

fn excludes(proportion: &Proportion, value: f64) -> bool {
    proportion
        .interval
        .as_ref()
        .is_ok_and(|interval| value < interval.low || value > interval.high)
}

/// `1 judge`, `2 judges`.
pub fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    crate::explain::words::count(count, noun)
}

/// Tells a judge that never finds a fault from one that does, at the same accuracy.
fn balanced(arm: &VerificationArm) -> String {
    match &arm.discernment.balanced_accuracy.value {
        Ok(share) => format!(
            " (balanced accuracy {}; saying always the same has 50%)",
            percent(*share)
        ),
        Err(_) => String::new(),
    }
}
