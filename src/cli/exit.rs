//! Exit codes, and failures on their way to one.

use std::fmt::Write as _;

/// How a command ended. The numbers are part of the interface: `docs/exit-codes.md` and `--help` list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Everything asked for was done.
    Success,
    /// A defect of tabjury, or something of the machine that has no code of its own.
    Other,
    /// The command line is wrong.
    Usage,
    /// A study or data file is wrong, missing or cannot be written.
    BadInput,
    /// A provider refused, a key is missing, or an endpoint cannot be reached.
    Provider,
    /// The limit given on the command line stopped the run before its end.
    LimitReached,
    /// The run finished, and more of it failed than the study allows.
    TooManyFailures,
    /// The run finished, and more judgments of some judge have no verdict than the study allows.
    TooManyUnread,
    /// A check found something wrong.
    Findings,
    /// A check refuted nothing, and left too much open.
    Unproven,
    /// Interrupted by the user.
    Interrupted,
}

/// Every outcome, in the order of its code.
pub(super) const ALL: &[Exit] = &[
    Exit::Success,
    Exit::Other,
    Exit::Usage,
    Exit::BadInput,
    Exit::Provider,
    Exit::LimitReached,
    Exit::TooManyFailures,
    Exit::Findings,
    Exit::Unproven,
    Exit::TooManyUnread,
    Exit::Interrupted,
];

impl Exit {
    /// The process's exit code.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Other => 1,
            Self::Usage => 2,
            Self::BadInput => 3,
            Self::Provider => 4,
            Self::LimitReached => 5,
            Self::TooManyFailures => 6,
            Self::Findings => 7,
            Self::Unproven => 8,
            Self::TooManyUnread => 9,
            Self::Interrupted => 130,
        }
    }

    /// One line for people.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Success => "done",
            Self::Other => "anything else, such as a defect of tabjury",
            Self::Usage => "wrong command line",
            Self::BadInput => "a study or data file is wrong, missing or cannot be written",
            Self::Provider => "a provider or key: missing, refused or out of reach",
            Self::LimitReached => "stopped by --max-calls or --max-cost; run again to go on",
            Self::TooManyFailures => "finished, but more failed than the study's max_failure_share",
            Self::Findings => "a check found a leak, a changed page or a wrong lineage",
            Self::Unproven => "a check found nothing wrong, but more steps are unproven than --max-unproven",
            Self::TooManyUnread => {
                "finished, but more of a judge's judgments are unread than the study's max_unparsed_share"
            }
            Self::Interrupted => "interrupted; run again to go on",
        }
    }
}

/// The list of exit codes that ends `tabjury --help`.
pub(super) fn help() -> String {
    let mut text = "Exit codes:\n".to_owned();
    for exit in ALL {
        let _ = writeln!(text, "  {:>3}  {}", exit.code(), exit.meaning());
    }
    text.truncate(text.trim_end().len());
    text
}

/// Why a command did not do what was asked, in the form the binary prints it.
#[derive(Debug)]
pub(super) struct Failure {
    /// The exit code.
    pub(super) exit: Exit,
    /// What went wrong, with its causes.
    pub(super) error: anyhow::Error,
    /// What to do about it.
    pub(super) next: String,
}

impl Failure {
    /// From an error of the library or the system.
    pub(super) fn new(exit: Exit, error: impl Into<anyhow::Error>, next: impl Into<String>) -> Self {
        Self {
            exit,
            error: error.into(),
            next: next.into(),
        }
    }

    /// From words.
    pub(super) fn message(exit: Exit, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(exit, anyhow::Error::msg(message.into()), next)
    }

    /// `error: ...`, one indented line a cause, and `next: ...`. Causes that repeat what stands above are left out.
    pub(super) fn display(&self) -> String {
        let mut text = format!("error: {}\n", self.error);
        let mut above = self.error.to_string();
        for cause in self.error.chain().skip(1) {
            let cause = cause.to_string();
            if !above.contains(&cause) {
                let _ = writeln!(text, "  because: {cause}");
            }
            above = cause;
        }
        let _ = writeln!(text, "next: {}", self.next);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_ascending() {
        let codes: Vec<u8> = ALL.iter().map(|exit| exit.code()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130]);
    }

    #[test]
    fn a_failure_prints_its_chain_once_and_a_next_step() {
        let inner = std::io::Error::other("disk full");
        let error = anyhow::Error::new(inner).context("cannot write page.html");
        let failure = Failure::new(Exit::BadInput, error, "free some space");
        assert_eq!(
            failure.display(),
            "error: cannot write page.html\n  because: disk full\nnext: free some space\n"
        );
        let repeated = anyhow::Error::new(std::io::Error::other("disk full")).context("cannot write: disk full");
        assert_eq!(
            Failure::new(Exit::BadInput, repeated, "x").display(),
            "error: cannot write: disk full\nnext: x\n"
        );
    }
}
