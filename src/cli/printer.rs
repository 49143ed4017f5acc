//! Where text leaves the program: data to stdout, everything said to the user to stderr.
//!
//! Text of tables and models reaches a terminal only through [`visible_text`](crate::explain::visible_text): a cell could
//! otherwise move the cursor, recolour the screen or hide what stands beside it.

use std::io::{self, IsTerminal, Write};

use super::exit::{Exit, Failure};
use super::files::{self, Named};
use crate::explain::visible_text::visible;

/// The two streams of a command and what they can show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printer {
    /// Whether stdout takes colour.
    pub(super) colour: bool,
    /// Whether stderr can redraw a progress bar.
    pub(super) bar: bool,
    /// Columns of stdout when it is a terminal.
    pub(super) width: Option<usize>,
    /// Whether a file that the user asked for goes to stdout, so that nothing else may.
    stdout_is_taken: bool,
}

impl Printer {
    /// What the environment allows: no colour off a terminal, with `NO_COLOR` set or `TERM=dumb`.
    pub(super) fn from_environment() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let terminal = io::stdout().is_terminal();
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Self {
            colour: terminal && !dumb && !no_colour,
            bar: io::stderr().is_terminal() && !dumb,
            width: if terminal { columns.or(Some(100)) } else { None },
            stdout_is_taken: false,
        }
    }

    /// For a command that writes these files: where one of them is stdout, data goes to stderr, without colour.
    pub(super) fn beside(self, outputs: &[Named<'_>]) -> Self {
        if outputs.iter().any(|(_, path)| files::is_stdout(path)) {
            Self {
                colour: false,
                stdout_is_taken: true,
                ..self
            }
        } else {
            self
        }
    }

    /// Writes data to stdout. A reader that went away ends the output quietly.
    pub(super) fn data(&self, text: &str) -> Result<(), Failure> {
        if self.stdout_is_taken {
            self.say(text);
            return Ok(());
        }
        to_stdout(text.as_bytes())
    }

    /// Says something to the user on stderr; nothing is done about a stderr that cannot be written.
    pub(super) fn say(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(visible(text.trim_end()).as_bytes());
        let _ = stderr.write_all(b"\n");
    }
}

/// Writes to stdout. A reader that went away ends the output quietly.
pub(super) fn to_stdout(content: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(content).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(
            Exit::Other,
            anyhow::Error::new(error).context("cannot write to stdout"),
            "check where the output goes",
        )),
    }
}
