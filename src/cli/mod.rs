//! The commands: the only place that prints and knows exit codes.
//!
//! One file a subcommand. [`arguments`] says what the command line looks like, [`exit`] how a command can end,
//! [`printer`] where text leaves the program.

mod arguments;
mod ask;
mod chain;
mod changes;
mod check;
mod compare;
mod completions;
mod doctor;
mod execute;
mod exit;
mod files;
mod import;
mod interrupt;
mod man;
mod methods;
mod printer;
mod progress;
mod report;
mod run;
mod schema;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use exit::{Exit, Failure};
use printer::Printer;

/// The next step where nothing a user does can help.
const REPORT_DEFECT: &str = "this is a defect of tabjury: please report it with the command line and what stands above";

/// Runs the command line given (the program's name first).
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come as "errors" that go to stdout; a closed stdout is nothing to complain about.
            let _ = error.print();
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Success };
            return ExitCode::from(exit.code());
        }
    };
    let printer = Printer::from_environment();
    say_faults_safely(printer);
    let exit = match std::panic::catch_unwind(AssertUnwindSafe(|| dispatch(&arguments, &printer))) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            printer.say(&failure.display());
            failure.exit
        }
        Err(_) => {
            printer.say(&format!("next: {REPORT_DEFECT}"));
            Exit::Other
        }
    };
    ExitCode::from(exit.code())
}

/// A fault's message can hold text of a table or a model, which must not reach the terminal as it is.
fn say_faults_safely(printer: Printer) {
    std::panic::set_hook(Box::new(move |fault| {
        let place = fault.location().map(ToString::to_string).unwrap_or_default();
        let message = fault.payload_as_str().unwrap_or("no message");
        printer.say(&format!("error: internal fault at {place}: {message}"));
    }));
}

fn dispatch(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Methods(arguments) => methods::run(arguments, printer),
        Command::Schema(arguments) => schema::run(arguments, printer),
        Command::Completions(arguments) => completions::run(arguments, printer),
        Command::Man => man::run(printer),
        Command::Run(arguments) => run::run(arguments, printer),
        Command::Ask(arguments) => ask::run(arguments, printer),
        Command::Check(arguments) => check::run(arguments, printer),
        Command::Execute(arguments) => execute::run(arguments, printer),
        Command::Import(arguments) => import::run(arguments, printer),
        Command::Compare(arguments) => compare::run(arguments, printer),
        Command::Report(arguments) => report::run(arguments, printer),
        Command::Doctor(arguments) => doctor::run(arguments, printer),
    }
}
