//! Sentences on what is held against something else: verdicts against a judge that does not look, and against the same
//! judge without an explanation.

use std::collections::BTreeSet;

use crate::judge::Task;
use crate::judge::verification::CORRECT;
use crate::report::control::{ControlComparison, IS_THE_CONTROL, NO_CONTROL};
use crate::report::difference::{Difference, DifferenceTest};
use crate::report::flags::{counted, task_name};
use crate::report::records::StudyFacts;
use crate::report::rounding::{percent, signed_points};
use crate::report::simulation::{SimulationAnalysis, SimulationArm};
use crate::report::verification::VerificationAnalysis;
use crate::stats::Stat;

use super::{interval_in_points, p_words};

/// Pairs of arm and judge that a sentence names.
const NAMED: usize = 3;

/// An arm before a judge, held against something.
struct Held<'a> {
    arm: &'a str,
    judge: &'a str,
    test: &'a Difference,
    /// What else has to be known of it.
    note: String,
}

/// On simulation.
pub(super) fn simulation<'a>(
    study: &StudyFacts,
    judges: impl Iterator<Item = &'a SimulationAnalysis>,
    panels: bool,
) -> Vec<String> {
    let (mut control, mut wrong, mut base_rate) = (Vec::new(), Vec::new(), Base::default());
    for judge in judges {
        for arm in judge.arms.iter().filter(|arm| arm.readings.asked > 0) {
            control.push((judge.judge.as_str(), arm.arm.as_str(), &arm.control));
            wrong.push((judge.judge.as_str(), arm.arm.as_str(), &arm.lift_where_wrong));
            if !study.is_recorded_control(&arm.arm) {
                base_rate.add(&judge.judge, arm);
            }
        }
    }
    if control.is_empty() {
        return Vec::new();
    }
    let mut said = Vec::new();
    if !base_rate.held.is_empty() {
        let what = format!(
            "{}imulation beats always guessing the model's more frequent answer",
            of_panels(panels, "S", "s")
        );
        let sentence = compared(study, &what, &base_rate.held, panels);
        said.push(sentence + &not_tested(base_rate.untested, &base_rate.reasons));
    }
    let mut sentence = against_control(study, Task::Simulation, "", &control, panels);
    if wrong.iter().any(|(_, _, wrong)| wrong.is_ok()) {
        sentence.push(' ');
        sentence.push_str(&against_control(study, Task::Simulation, WHERE_WRONG, &wrong, panels));
    } else if control.iter().any(|(_, _, control)| control.is_ok()) {
        sentence.push_str(&format!(
            " What an explanation adds {WHERE_WRONG} is not known: {}.",
            joined(&reasons(&wrong))
        ));
    }
    said.push(sentence);
    said
}

/// Where the lift in simulation says most.
const WHERE_WRONG: &str =
    "where the model is wrong (only there does foreseeing its answer differ from finding the right one)";

/// Guesses against always guessing the more frequent answer: of all trials, or where kinds of questions are mixed of the
/// kinds that have one.
#[derive(Default)]
struct Base<'a> {
    held: Vec<Held<'a>>,
    untested: usize,
    reasons: BTreeSet<&'a str>,
}

impl<'a> Base<'a> {
    fn add(&mut self, judge: &'a str, arm: &'a SimulationArm) {
        let before = self.held.len();
        if let (Ok(test), Ok(base)) = (&arm.against_base_rate, &arm.base_rate) {
            self.push(judge, arm, test, format!(" by \"{}\"", base.class));
        } else {
            for kind in &arm.kinds {
                if let (Ok(test), Ok(base)) = (&kind.against_base_rate, &kind.base_rate) {
                    let note = format!(" by \"{}\", on {}", base.class, kind.kind.replace('_', " "));
                    self.push(judge, arm, test, note);
                }
            }
        }
        if self.held.len() == before {
            self.untested += 1;
            let undefined = arm.against_base_rate.as_ref().err();
            self.reasons
                .extend(undefined.map(|undefined| undefined.reason.as_str()));
        }
    }

    fn push(&mut self, judge: &'a str, arm: &'a SimulationArm, test: &'a Difference, note: String) {
        self.held.push(Held {
            arm: &arm.arm,
            judge,
            test,
            note,
        });
    }
}

/// On verification.
pub(super) fn verification<'a>(
    study: &StudyFacts,
    judges: impl Iterator<Item = &'a VerificationAnalysis>,
    panels: bool,
) -> Vec<String> {
    let (mut constant, mut base_rate, mut control) = (Vec::new(), Vec::new(), Vec::new());
    let mut incorrect_is_better = false;
    for judge in judges {
        let arms = judge.arms.iter().filter(|arm| arm.readings.asked > 0);
        for arm in arms.filter(|arm| !study.is_recorded_control(&arm.arm)) {
            control.push((judge.judge.as_str(), arm.arm.as_str(), &arm.control));
            let held = |test: &'a Stat<Difference>, note: String| {
                test.as_ref().ok().map(|test| Held {
                    arm: &arm.arm,
                    judge: &judge.judge,
                    test,
                    note,
                })
            };
            let incorrect = arm.constant.verdict != CORRECT;
            incorrect_is_better |= incorrect;
            constant.extend(held(&arm.against_constant, format!(" by \"{}\"", arm.constant.verdict)));
            let note = if incorrect {
                format!(
                    "; always saying \"incorrect\" would reach {} of {}",
                    arm.constant.proportion.successes, arm.constant.proportion.n
                )
            } else {
                String::new()
            };
            base_rate.extend(held(&arm.against_base_rate, note));
        }
    }
    if control.is_empty() {
        return Vec::new();
    }
    let mut said = Vec::new();
    if !constant.is_empty() {
        said.push(if incorrect_is_better {
            format!(
                "{} {}",
                compared(
                    study,
                    &format!(
                        "{}erification beats the better of always saying \"correct\" and always saying \"incorrect\"",
                        of_panels(panels, "V", "v")
                    ),
                    &constant,
                    panels
                ),
                aside(study, &base_rate, panels)
            )
        } else {
            let what = format!(
                "{}erification beats its base rate (always saying \"correct\")",
                of_panels(panels, "V", "v")
            );
            compared(study, &what, &base_rate, panels)
        });
    }
    said.push(against_control(study, Task::Verification, "", &control, panels));
    said
}

/// Always saying "correct", where it is not the better constant.
fn aside(study: &StudyFacts, held: &[Held], panels: bool) -> String {
    let better = held.iter().filter(|held| held.test.is_better(study.confidence)).count();
    format!(
        "It beats its base rate (always saying \"correct\") by more than chance in {}{}.",
        some_of(better, held.len(), panels),
        ahead(held, study, "")
    )
}

/// `: POS before teal: ...`, those that are ahead by more than chance; nothing where none is.
fn ahead(held: &[Held], study: &StudyFacts, none: &str) -> String {
    let better: Vec<&Held> = held
        .iter()
        .filter(|held| held.test.is_better(study.confidence))
        .collect();
    if better.is_empty() {
        none.to_owned()
    } else {
        format!(": {}", named(better))
    }
}

fn of_panels(panels: bool, judges: &str, by_panels: &str) -> String {
    if panels {
        format!("By panels, {by_panels}")
    } else {
        judges.to_owned()
    }
}

/// `place` says of which trials, and begins the sentence; nothing for all.
fn against_control(
    study: &StudyFacts,
    task: Task,
    place: &str,
    held: &[(&str, &str, &Stat<ControlComparison>)],
    panels: bool,
) -> String {
    let name = task_name(task);
    let tested: Vec<Held> = held
        .iter()
        .filter_map(|(judge, arm, control)| {
            let control = control.as_ref().ok()?;
            let note = control.right_answers.as_ref().map_or(String::new(), |right| {
                let share = |share: &Stat<f64>| share.as_ref().map_or("none known".to_owned(), |share| percent(*share));
                format!(
                    ", on other samples, with {} right answers against {}",
                    share(&right.with_explanation.share),
                    share(&right.without_explanation.share)
                )
            });
            Some(Held {
                arm,
                judge,
                test: &control.lift,
                note,
            })
        })
        .collect();
    let reasons = reasons(held);
    if tested.is_empty() {
        return if reasons.iter().all(|reason| *reason == NO_CONTROL) {
            format!("There is no control: what an explanation adds in {name} is not known.")
        } else {
            format!(
                "What an explanation adds in {name} is not known, although there is a control: {}.",
                joined(&reasons)
            )
        };
    }
    let by_panels = if panels { "by panels, " } else { "" };
    let between = if place.is_empty() { "" } else { ", " };
    let what = format!("{place}{between}{by_panels}{name} with an explanation beats the one without");
    let mut letters = what.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase()).into_iter();
    let what: String = first.chain(letters).collect();
    let untested = held.iter().filter(|(_, _, control)| match control {
        Ok(_) => false,
        Err(undefined) => undefined.reason != IS_THE_CONTROL,
    });
    compared(study, &what, &tested, panels) + &not_tested(untested.count(), &reasons)
}

/// Why some are held against no control, but for the control itself.
fn reasons<'a>(held: &[(&str, &str, &'a Stat<ControlComparison>)]) -> BTreeSet<&'a str> {
    held.iter()
        .filter_map(|(_, _, control)| control.as_ref().err())
        .map(|undefined| undefined.reason.as_str())
        .filter(|reason| *reason != IS_THE_CONTROL)
        .collect()
}

fn joined(reasons: &BTreeSet<&str>) -> String {
    let reasons: Vec<&str> = reasons.iter().copied().collect();
    reasons.join("; ")
}

/// ` Not tested: 2 (...).`, or nothing.
fn not_tested(untested: usize, reasons: &BTreeSet<&str>) -> String {
    if untested == 0 {
        String::new()
    } else {
        format!(" Not tested: {untested} ({}).", joined(reasons))
    }
}

/// `... by more than chance in 1 of 4 pairs of arm and judge, and falls behind in 1 (...). Better: ... Behind: ...`
fn compared(study: &StudyFacts, what: &str, held: &[Held], panels: bool) -> String {
    let better: Vec<&Held> = held
        .iter()
        .filter(|held| held.test.is_better(study.confidence))
        .collect();
    let worse: Vec<&Held> = held
        .iter()
        .filter(|held| held.test.is_worse(study.confidence))
        .collect();
    let mut sentence = format!(
        "{what} by more than chance in {}{} ({}, Holm-corrected).",
        some_of(better.len(), held.len(), panels),
        if worse.is_empty() {
            String::new()
        } else {
            format!(", and falls behind by more than chance in {}", worse.len())
        },
        tests(held)
    );
    if better.is_empty() {
        let best = held
            .iter()
            .max_by(|one, other| one.test.difference.total_cmp(&other.test.difference));
        if let Some(best) = best.filter(|best| !best.test.is_worse(study.confidence)) {
            let how = if best.test.difference > 0.0 {
                "Furthest ahead"
            } else {
                "Closest"
            };
            sentence.push_str(&format!(" {how}: {}.", words(best)));
        }
    } else {
        sentence.push_str(&format!(" Better: {}.", named(better)));
    }
    if !worse.is_empty() {
        sentence.push_str(&format!(" Behind: {}.", named(worse)));
    }
    sentence
}

fn tests(held: &[Held]) -> String {
    let used: BTreeSet<&str> = held.iter().map(|held| held.test.test.words()).collect();
    let used: Vec<&str> = used.into_iter().collect();
    let different = held
        .iter()
        .filter(|held| held.test.test == DifferenceTest::Fisher)
        .count();
    let why = match different {
        0 => "",
        all if all == held.len() => ", since the control was judged on other samples",
        _ => ", the latter where the control was judged on other samples",
    };
    format!("{}{why}", used.join(" and "))
}

fn named(mut held: Vec<&Held>) -> String {
    held.sort_by(|one, other| other.test.difference.abs().total_cmp(&one.test.difference.abs()));
    let more = held.len().saturating_sub(NAMED);
    let mut words: Vec<String> = held.into_iter().take(NAMED).map(words).collect();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words.join("; ")
}

/// `POS before teal: 49 of 63 (77.8%) against 48 of 63 (76.2%), +1.6 points (95% interval −8.4 to +11.5), corrected p = 1.000`.
fn words(held: &Held) -> String {
    let test = held.test;
    let side = |side: &crate::report::quantities::Proportion| {
        let share = side
            .share
            .as_ref()
            .map_or(String::new(), |share| format!(" ({})", percent(*share)));
        let samples = side.samples.map_or(String::new(), |samples| {
            format!(" trials of {}", counted(samples, "sample"))
        });
        format!("{} of {}{samples}{share}", side.successes, side.n)
    };
    format!(
        "{} before {}: {} against {}{}, {} points{}, {}",
        held.arm,
        held.judge,
        side(&test.first),
        side(&test.second),
        held.note,
        signed_points(test.difference),
        interval_in_points(&test.interval),
        match &test.p_corrected {
            Ok(p) => p_words(*p),
            Err(undefined) => format!("p not corrected ({})", undefined.reason),
        }
    )
}

fn some_of(some: usize, all: usize, panels: bool) -> String {
    format!(
        "{some} of {all} {} of arm and {}",
        if all == 1 { "pair" } else { "pairs" },
        if panels { "panel" } else { "judge" }
    )
}
