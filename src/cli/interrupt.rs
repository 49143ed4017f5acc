//! Ctrl-C, or the signal that batch systems end a job with (SIGTERM): once makes no new calls and keeps what is under
//! way, twice ends the program at once.

use super::exit::Exit;
use super::printer::Printer;
use crate::model::Stop;

/// Watches for it in the background of the runtime that is entered.
pub(super) fn watch(stop: Stop, printer: Printer) {
    tokio::spawn(async move {
        let Ok(mut signals) = Signals::new() else {
            // Without a handler the signal ends the program as it does any other; everything stored stays.
            return;
        };
        if signals.next().await.is_err() {
            return;
        }
        stop.stop();
        printer.say("stopping: no new calls, waiting for those under way (Ctrl-C again stops at once)");
        if signals.next().await.is_ok() {
            printer.say("stopped at once; what was answered is kept, and the same command goes on");
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

/// The signals that ask a program to stop; none that comes after `new` is missed.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> std::io::Result<()> {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        Ok(())
    }
}

/// Ctrl-C, where there are no signals.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
