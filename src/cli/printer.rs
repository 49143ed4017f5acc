//! Where text leaves the program: data to stdout, everything said to the user to stderr.
//!
//! Text of tables and models reaches a terminal only through [`visible`] or [`visible_line`]: a cell could otherwise
//! move the cursor, recolour the screen or hide what stands beside it.

use std::io::{self, IsTerminal, Write};

use super::exit::{Exit, Failure};

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

/// Whether a character would act on a terminal or on the order of its text instead of being read.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{200b}')
}

fn push_visible(text: &mut String, character: char) {
    match u32::from(character) {
        code @ 0..=0x1f => text.extend(char::from_u32(0x2400 + code)),
        0x7f => text.push('\u{2421}'),
        code => text.push_str(&format!("<U+{code:04X}>")),
    }
}

/// Text of any origin with every acting character made visible, line breaks kept.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) && character != '\n' {
            push_visible(&mut shown, character);
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The same on one line: line breaks become visible too.
pub(super) fn visible_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) {
            push_visible(&mut shown, character);
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_direction_marks_become_visible() {
        assert_eq!(visible("a\u{1b}[31mred"), "a\u{241b}[31mred");
        assert_eq!(visible("x\u{9b}2J"), "x<U+009B>2J");
        assert_eq!(visible("abc\u{202e}def"), "abc<U+202E>def");
        assert_eq!(visible("two\nlines\r\n"), "two\nlines\u{240d}\n");
        assert_eq!(
            visible_line("two\nlines\tand \u{7f}"),
            "two\u{240a}lines\u{2409}and \u{2421}"
        );
        assert_eq!(visible("Kärnten 中文 é"), "Kärnten 中文 é");
    }
}
