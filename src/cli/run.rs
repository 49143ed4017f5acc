//! `tabjury run`: a study from its file to its report.

use std::fmt::Write as _;

use tokio::runtime::Runtime;

use super::arguments::RunArguments;
use super::exit::{Exit, Failure};
use super::interrupt;
use super::printer::Printer;
use super::progress::{ProgressDisplay, Standing};
use crate::explain::visible_text::visible_line;
use crate::explain::words;
use crate::model::Stop;
use crate::study::estimate::{Bounds, Estimate, ModelEstimate, estimate};
use crate::study::{self, Observer, Options, Progress, RunError, Stage, Study, StudyError, Summary};

/// Runs the command.
pub(super) fn run(arguments: &RunArguments, printer: &Printer) -> Result<Exit, Failure> {
    let study = Study::load(&arguments.study).map_err(bad_study)?;
    let options = Options {
        stages: arguments.stages.iter().copied().collect(),
        limit: arguments.limit,
        offline: arguments.offline,
        concurrency: arguments.concurrency.map(usize::from),
        out: arguments.out.clone(),
        max_calls: arguments.max_calls,
        max_cost: arguments.max_cost,
    };
    let runtime = runtime()?;
    if arguments.dry_run {
        let estimate = runtime.block_on(estimate(&study, &options)).map_err(failed)?;
        printer.data(&ahead(&estimate))?;
        return Ok(Exit::Success);
    }
    let display = ProgressDisplay::new(*printer);
    let stop = Stop::new();
    let outcome = runtime.block_on(async {
        interrupt::watch(stop.clone(), *printer);
        study::run(&study, &options, &display, &stop).await
    });
    display.clear();
    let summary = outcome.map_err(failed)?;
    finish(&summary, printer)
}

/// Says what came of a run, and prints where it lies.
pub(super) fn finish(summary: &Summary, printer: &Printer) -> Result<Exit, Failure> {
    let (answers, judgments) = (summary.answers, summary.judgments);
    printer.say(&format!(
        "{} ({} failed), {} ({} without a verdict)",
        words::count(answers.total, "answer"),
        answers.failed,
        words::count(judgments.total, "judgment"),
        judgments.failed
    ));
    if let Some(report) = &summary.report {
        printer.say(&format!("report: {}", report.display()));
    }
    printer.data(&format!("{}\n", summary.directory.display()))?;
    if summary.too_many_failures() {
        return Err(Failure::message(
            Exit::TooManyFailures,
            format!(
                "{:.1} % of answers and judgments are missing (no answer, or no verdict), and the study allows {:.1} % \
                 (report.max_failure_share){}",
                100.0 * summary.failure_share(),
                100.0 * summary.max_failure_share,
                match &summary.call_failure {
                    Some(failure) => format!("; the first call that failed: {}", visible_line(failure)),
                    None => String::new(),
                }
            ),
            match summary.call_failure {
                Some(_) => "`tabjury doctor STUDY.toml` tries every model; run again to ask for what is missing",
                None => "read the failures in the report; everything that was answered is kept",
            },
        ));
    }
    if let Some((judge, share)) = summary.too_many_unread() {
        return Err(Failure::message(
            Exit::TooManyUnread,
            format!(
                "{:.1} % of the judgments of {judge} have no verdict, and the study allows {:.1} % (report.max_unparsed_share)",
                100.0 * share,
                100.0 * summary.max_unparsed_share
            ),
            "read in the report, under Sensitivity, what the unread ones could change",
        ));
    }
    Ok(Exit::Success)
}

/// The runtime that asks models.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|error| {
        Failure::new(
            Exit::Other,
            anyhow::Error::new(error).context("cannot start the threads that ask models"),
            "look for a limit on threads or memory",
        )
    })
}

/// A study file that cannot be used.
pub(super) fn bad_study(error: StudyError) -> Failure {
    let next = match &error {
        StudyError::Read { .. } => "check the path; `tabjury run --help` shows how a study is named",
        _ => "mend the study file; docs/study-reference.md explains every key",
    };
    Failure::new(Exit::BadInput, error, next)
}

/// A run that ended early, with its exit code and next step.
pub(super) fn failed(error: RunError) -> Failure {
    let (exit, next) = match &error {
        RunError::Study(_) | RunError::Stage(_) => {
            (Exit::BadInput, "mend the study file or the options, then run again")
        }
        RunError::Leak(_) => (
            Exit::BadInput,
            "look at the page; `on_leak = \"flag\"` under [pages] in the study file goes on all the same, with a severe flag in the report",
        ),
        RunError::Changed(_) => (
            Exit::BadInput,
            "put the file back, or run the study again, which writes it anew (answers already given are not asked again)",
        ),
        RunError::Dataset(_) => (
            Exit::BadInput,
            "name the data file as it is, mend it, or leave the sample out with `select`",
        ),
        RunError::Import(_) => (
            Exit::BadInput,
            "mend what is imported and run `tabjury import` again; docs/import.md explains it",
        ),
        RunError::Directory(_) => (
            Exit::BadInput,
            "check the run directory, or name another one with --out",
        ),
        RunError::Store(_) | RunError::Kept(_) => (
            Exit::BadInput,
            "check the run directory, or name another one with --out",
        ),
        RunError::Model(_) => (Exit::BadInput, "mend the entry under [[models]]"),
        RunError::Provider(_) => (
            Exit::Provider,
            "`tabjury doctor STUDY` says what is wrong with a key or an endpoint; mend it and run the same command again: it goes on",
        ),
        RunError::Limit(_) => (
            Exit::LimitReached,
            "run again with a higher limit, or without one: it goes on",
        ),
        RunError::Interrupted => (
            Exit::Interrupted,
            "run the same command again: it goes on where it stopped",
        ),
        RunError::Report(_) | RunError::Internal(_) => (Exit::Other, super::REPORT_DEFECT),
    };
    let next = if matches!(exit, Exit::Interrupted | Exit::LimitReached) {
        format!("{next}\n  {}", same_command())
    } else {
        next.to_owned()
    };
    Failure::new(exit, error, next)
}

/// The same for a command that looks into a run that is done: it names the run itself, has no --out and runs no study.
pub(super) fn failed_on_run(error: RunError) -> Failure {
    let next = match &error {
        RunError::Directory(_) | RunError::Store(_) | RunError::Kept(_) => {
            "name the directory of a run: what `--out` was when it ran, or `results/` and the study's name"
        }
        RunError::Stage(_) => "run its study to the end with `tabjury run`, or name a run that has it",
        _ => return failed(error),
    };
    Failure::new(Exit::BadInput, error, next)
}

/// The command line as it was given, quoted for a shell.
fn same_command() -> String {
    let quoted = std::env::args_os().map(|argument| {
        let argument = argument.to_string_lossy().into_owned();
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// What lies ahead, a few lines a model.
fn ahead(estimate: &Estimate) -> String {
    let mut text = format!(
        "{}; {} in the store already; no call was made\n",
        words::count(estimate.samples, "sample"),
        words::count(estimate.stored_calls, "call")
    );
    for model in &estimate.models {
        write_model(&mut text, model);
    }
    text
}

fn write_model(text: &mut String, model: &ModelEstimate) {
    let cost = match model.cost {
        _ if model.scripted => "none, answers come from a file".to_owned(),
        Some((low, high)) => format!("${low:.4} to ${high:.4}"),
        None => "unknown (no price; add one under [prices])".to_owned(),
    };
    let (answers, judgments) = (between(model.answer_calls), between(model.judge_calls));
    let (prompts, replies) = (between(model.input_tokens), between(model.output_tokens));
    let _ = writeln!(text, "{}", visible_line(&model.model));
    let measured = match model.faithfulness_calls {
        Bounds { high: 0, .. } => String::new(),
        calls => format!(", {} to measure faithfulness", between(calls)),
    };
    let _ = writeln!(
        text,
        "  calls:  {answers} for answers, {judgments} for judgments{measured}"
    );
    let _ = writeln!(text, "  tokens: {prompts} of prompts, {replies} of answers");
    let _ = writeln!(text, "  cost:   {cost}");
}

fn between(bounds: Bounds) -> String {
    if bounds.low == bounds.high {
        bounds.low.to_string()
    } else {
        format!("{} to {}", bounds.low, bounds.high)
    }
}

impl Observer for ProgressDisplay {
    fn started(&self, stage: Stage, total: usize) {
        self.begin(stage.name(), total as u64);
    }

    fn progress(&self, progress: &Progress) {
        self.update(progress.stage.name(), &standing(progress));
    }

    fn finished(&self, progress: &Progress) {
        self.end(progress.stage.name(), &standing(progress));
    }

    fn notice(&self, message: &str) {
        self.say(message);
    }
}

fn standing(progress: &Progress) -> Standing {
    Standing {
        done: progress.done as u64,
        total: progress.total as u64,
        failed: progress.failed as u64,
        asks: matches!(progress.stage, Stage::Answer | Stage::Judge),
        calls_made: progress.calls_made,
        calls_from_store: progress.calls_from_store,
        cost: progress.cost,
        cost_incomplete: progress.cost_incomplete,
    }
}
