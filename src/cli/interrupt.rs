//! Ctrl-C: once makes no new calls and keeps what is under way, twice ends the program at once.

use super::exit::Exit;
use super::printer::Printer;
use crate::model::Stop;

/// Watches for it in the background of the runtime that is entered.
pub(super) fn watch(stop: Stop, printer: Printer) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without a handler Ctrl-C ends the program as it does any other; everything stored stays.
            return;
        }
        stop.stop();
        printer.say("stopping: no new calls, waiting for those under way (Ctrl-C again stops at once)");
        if tokio::signal::ctrl_c().await.is_ok() {
            printer.say("stopped at once; what was answered is kept, and the same command goes on");
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}
