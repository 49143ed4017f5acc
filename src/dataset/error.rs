//! Why data did not load. Every error names the file and, where there is one, the line, and what to do.

use std::path::{Path, PathBuf};

/// Why data did not load. Nothing is half-loaded: one bad line refuses the whole source.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file could not be read.
    #[error("cannot read {}: {source}; {next_step}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// What to do.
        next_step: String,
    },
    /// A line of a file is not as its format has it.
    #[error("{}, line {line}: {problem}; {next_step}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to do.
        next_step: String,
    },
    /// A line names a table whose file cannot be read.
    #[error("{}, line {line}: names the table {}, which cannot be read: {source}; {next_step}", file.display(), table.display())]
    MissingTable {
        /// The file that names it.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The table's file.
        table: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// What to do.
        next_step: String,
    },
    /// Two samples of one source have the same id.
    #[error("{}, line {line}: the id `{id}` stands for a question before; give every question its own id", file.display())]
    DuplicateId {
        /// The file.
        file: PathBuf,
        /// The line of the second, counted from 1.
        line: usize,
        /// The id.
        id: String,
    },
    /// A split that the data set does not have.
    #[error("{}: {problem}; {next_step}", path.display())]
    Split {
        /// The source's path.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// What to do.
        next_step: String,
    },
    /// The source or what is selected from it is empty.
    #[error("{}: {problem}; {next_step}", path.display())]
    Empty {
        /// The source's path.
        path: PathBuf,
        /// What was selected from how many samples.
        problem: String,
        /// What to do.
        next_step: String,
    },
}

impl DatasetError {
    pub(super) fn malformed(
        file: &Path,
        line: usize,
        problem: impl Into<String>,
        next_step: impl Into<String>,
    ) -> Self {
        Self::Malformed {
            file: file.to_owned(),
            line,
            problem: problem.into(),
            next_step: next_step.into(),
        }
    }

    /// The same error for a reader of `file`, when it is that a table which line `line` names cannot be read.
    pub(super) fn named_by(self, file: &Path, line: usize) -> Self {
        match self {
            Self::Unreadable {
                file: table,
                source,
                next_step,
            } => Self::MissingTable {
                file: file.to_owned(),
                line,
                table,
                source,
                next_step,
            },
            other => other,
        }
    }
}
