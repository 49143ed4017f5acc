//! The commands: the only place that prints and knows exit codes.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command line given (the program's name first).
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let _ = arguments.into_iter().count();
    ExitCode::SUCCESS
}
