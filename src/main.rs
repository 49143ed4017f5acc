//! The binary: arguments to the library, and its outcome to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    tabjury::cli::run(std::env::args_os())
}
