//! `tabjury check`: leaks of a run's pages, and the proof of its lineage.

use std::fmt::Write as _;
use std::time::Duration;

use super::arguments::CheckArguments;
use super::exit::{Exit, Failure};
use super::printer::Printer;
use super::progress::{ProgressDisplay, Standing};
use super::run::failed_on_run;
use crate::explain::words;
use crate::report::run_check::{ArmProof, RunCheck};
use crate::study::{CheckOptions, check_run};

/// What is shown while it works.
const PROOF: &str = "proof";

/// Findings named on the terminal; all of them are in `check.json`.
const NAMED: usize = 10;

/// Runs the command.
pub(super) fn run(arguments: &CheckArguments, printer: &Printer) -> Result<Exit, Failure> {
    let options = CheckOptions {
        seed: arguments.seed,
        runs_per_step: arguments.runs,
        time_per_step: arguments.seconds.map(Duration::from_secs),
    };
    let display = ProgressDisplay::new(*printer);
    let outcome = check_run(&arguments.run, &options, &|done, total| {
        let standing = Standing {
            done: done as u64,
            total: total as u64,
            ..Standing::default()
        };
        if done == 0 {
            display.begin(PROOF, standing.total);
        } else {
            display.update(PROOF, &standing);
        }
    });
    display.clear();
    let check = outcome.map_err(failed_on_run)?;
    printer.data(&summary(&check))?;
    printer.say(&format!(
        "{} has every proof",
        arguments.run.join("check.json").display()
    ));
    if !check.has_findings() {
        if check.unproven_share() <= arguments.max_unproven {
            return Ok(Exit::Success);
        }
        return Err(Failure::message(
            Exit::Unproven,
            listed(
                &format!(
                    "something is open of {}, more than the share of {} that --max-unproven allows:",
                    words::count(check.unproven(), "step"),
                    arguments.max_unproven
                ),
                &check.cautions(),
            ),
            "give it more --runs; marks that stay incomplete may be wrong: please report them",
        ));
    }
    let found = check.findings();
    Err(Failure::message(
        Exit::Findings,
        listed(
            &format!("the check found {}:", words::count(found.len(), "thing")),
            &found,
        ),
        "do not use numbers of these pages before it is mended; a lineage that a proof refutes is a defect of tabjury: please report it",
    ))
}

fn summary(check: &RunCheck) -> String {
    let mut text = format!(
        "pages: {} checked, {}, {} changed since, {} of no page\n\nlineage, by at most {} of each step (seed {}):\n",
        check.pages.checked,
        words::count(check.pages.leaks.len(), "leak"),
        check.pages.changed.len(),
        check.pages.unknown.len(),
        words::count(check.runs_per_step, "run"),
        check.seed
    );
    let mut rows: Vec<Vec<String>> = Vec::new();
    for arm in &check.arms {
        let counts = arm.counts();
        if rows.is_empty() {
            let names = counts.iter().map(|count| count.name.to_owned());
            rows.push(std::iter::once("arm".to_owned()).chain(names).collect());
        }
        let counts = counts.iter().map(|count| count.count.to_string());
        let mut row: Vec<String> = std::iter::once(arm.arm.clone()).chain(counts).collect();
        if arm.imported {
            row.iter_mut().skip(2).for_each(|cell| "-".clone_into(cell));
        }
        rows.push(row);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    if !rows.is_empty() {
        text.push_str(
            "  sound: nothing outside the marks changes the result; complete: every mark of a condition or witness matters; \
             docs/lineage.md explains every column\n",
        );
    }
    for arm in check.arms.iter().filter(|arm| arm.imported) {
        let _ = writeln!(text, "  {}: {}", arm.arm, ArmProof::NOTHING_TO_PROVE);
    }
    text
}

fn listed(begin: &str, all: &[String]) -> String {
    let mut text = begin.to_owned();
    for found in all.iter().take(NAMED) {
        let _ = write!(text, "\n  {found}");
    }
    if all.len() > NAMED {
        let _ = write!(text, "\n  and {} more in check.json", all.len() - NAMED);
    }
    text
}
