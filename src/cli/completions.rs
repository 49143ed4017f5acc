//! `tabjury completions`: a completion script for a shell.

use clap::CommandFactory;

use super::arguments::{Arguments, CompletionsArguments};
use super::exit::{Exit, Failure};
use super::printer::Printer;

/// Runs the command.
pub(super) fn run(arguments: &CompletionsArguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "tabjury", &mut script);
    printer.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
