//! Where text leaves the program: data to stdout, everything said to the user to stderr.
//!
//! Text of tables and models reaches a terminal only through [`visible_text`](crate::explain::visible_text): a cell could
//! otherwise move the cursor, recolour the screen or hide what stands beside it.

use std::io::{self, IsTerminal, Write};

use super::exit::{Exit, Failure};
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
        }
    }

    /// Writes data to stdout. A reader that went away ends the output quietly.
    pub(super) fn data(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Failure::new(
                Exit::Other,
                anyhow::Error::new(error).context("cannot write to stdout"),
                "check where the output goes",
            )),
        }
    }

    /// Says something to the user on stderr; nothing is done about a stderr that cannot be written.
    pub(super) fn say(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(visible(text.trim_end()).as_bytes());
        let _ = stderr.write_all(b"\n");
    }
}
