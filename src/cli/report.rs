//! `tabjury report`: analysis and report of a run anew, from what it stored.

use super::arguments::ReportArguments;
use super::exit::{Exit, Failure};
use super::printer::Printer;
use super::progress::ProgressDisplay;
use super::run::{failed_on_run, finish, runtime};
use crate::study;

/// Runs the command.
pub(super) fn run(arguments: &ReportArguments, printer: &Printer) -> Result<Exit, Failure> {
    let display = ProgressDisplay::new(*printer);
    let outcome = runtime()?.block_on(study::run::report(&arguments.run, &display));
    display.clear();
    finish(&outcome.map_err(failed_on_run)?, printer)
}
