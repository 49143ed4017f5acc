//! What a statement may touch, and for how long: the authorizer's and the progress handler's side of the guard.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::TABLE_NAME;
use super::members::OWN_PREFIX;

/// On whose behalf a statement runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Mode {
    /// A model's: the table and harmless functions only.
    Untrusted = 0,
    /// The tracer's: its own functions and kept tables too.
    Tracing = 1,
    /// The tracer's, keeping an intermediate result as a table.
    Keeping = 2,
}

/// Functions that give another value each time, tell of the engine instead of the table, or reach outside.
const DENIED_FUNCTIONS: [&str; 13] = [
    "random",
    "randomblob",
    "zeroblob",
    "load_extension",
    "readfile",
    "writefile",
    "edit",
    "fts3_tokenizer",
    "changes",
    "total_changes",
    "last_insert_rowid",
    "offset",
    "subtype",
];

/// Names that read the clock.
const CLOCK_FUNCTIONS: [&str; 3] = ["current_date", "current_time", "current_timestamp"];

/// Shared by the connection's hooks and the database that started the statement.
pub(super) struct Guard {
    pub(super) mode: AtomicU8,
    state: Mutex<State>,
    steps_left: AtomicU64,
}

struct State {
    deadline: Instant,
    stopped: Option<&'static str>,
    denied: Option<String>,
    reads: BTreeSet<String>,
}

impl Guard {
    pub(super) fn new() -> Self {
        Self {
            mode: AtomicU8::new(Mode::Keeping as u8),
            state: Mutex::new(State {
                deadline: Instant::now(),
                stopped: None,
                denied: None,
                reads: BTreeSet::new(),
            }),
            steps_left: AtomicU64::new(u64::MAX),
        }
    }

    /// Begins a statement: its budget is fresh and nothing is remembered of the one before.
    pub(super) fn start(&self, mode: Mode, time: Duration, steps: u64) {
        self.mode.store(mode as u8, Ordering::SeqCst);
        self.steps_left.store(steps, Ordering::SeqCst);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        *state = State {
            deadline: now.checked_add(time).unwrap_or(now),
            stopped: None,
            denied: None,
            reads: BTreeSet::new(),
        };
    }

    /// Instructions the statement has left.
    pub(super) fn steps_left(&self) -> u64 {
        self.steps_left.load(Ordering::SeqCst)
    }

    /// The limit that stopped the statement.
    pub(super) fn stopped(&self) -> Option<&'static str> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stopped
    }

    /// What was denied, in words.
    pub(super) fn denied(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).denied.clone()
    }

    /// The columns of the table that the statement reads, as SQLite names them.
    pub(super) fn reads(&self) -> BTreeSet<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).reads.clone()
    }

    /// The progress handler: whether to interrupt after this many more instructions.
    pub(super) fn must_stop(&self, steps: i32) -> bool {
        let steps = u64::try_from(steps).unwrap_or(0);
        let left = self.steps_left.load(Ordering::SeqCst);
        self.steps_left.store(left.saturating_sub(steps), Ordering::SeqCst);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if left < steps {
            state.stopped = Some("steps");
        } else if Instant::now() >= state.deadline {
            state.stopped = Some("time");
        }
        state.stopped.is_some()
    }

    /// The authorizer.
    pub(super) fn authorize(&self, context: &AuthContext<'_>) -> Authorization {
        let mode = self.mode.load(Ordering::SeqCst);
        if mode == Mode::Keeping as u8 {
            return Authorization::Allow;
        }
        let tracing = mode == Mode::Tracing as u8;
        let denied = match context.action {
            AuthAction::Select | AuthAction::Recursive => None,
            AuthAction::Read {
                table_name,
                column_name,
            } => {
                if table_name.eq_ignore_ascii_case(TABLE_NAME) {
                    let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                    state.reads.insert(column_name.to_owned());
                }
                (!may_read(table_name, column_name, tracing)).then(|| format!("reading {table_name} is denied"))
            }
            AuthAction::Function { function_name } => function_denial(function_name, tracing),
            action => Some(format!("{} is denied", action_words(&action))),
        };
        let Some(message) = denied else {
            return Authorization::Allow;
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.denied.get_or_insert(message);
        Authorization::Deny
    }
}

fn may_read(table: &str, column: &str, tracing: bool) -> bool {
    let table = table.to_ascii_lowercase();
    if table.starts_with(OWN_PREFIX) {
        return tracing;
    }
    let of_the_engine = table.starts_with("sqlite_") || table.starts_with("pragma_") || table == "dbstat";
    // Without a column name it is a COUNT(*) or the like, of a common table expression or subquery under its own name.
    table == TABLE_NAME || matches!(table.as_str(), "json_each" | "json_tree") || (column.is_empty() && !of_the_engine)
}

fn function_denial(function: &str, tracing: bool) -> Option<String> {
    let name = function.to_ascii_lowercase();
    if name.starts_with(OWN_PREFIX) {
        return (!tracing).then(|| format!("no such function: {function}"));
    }
    if CLOCK_FUNCTIONS.contains(&name.as_str()) {
        return Some(format!(
            "{name} reads the clock, and a statement must give the same result each time"
        ));
    }
    if name == "random" || name == "randomblob" {
        return Some(format!(
            "{name}() is random, and a statement must give the same result each time"
        ));
    }
    (DENIED_FUNCTIONS.contains(&name.as_str()) || name.starts_with("sqlite_"))
        .then(|| format!("the function {name}() is denied"))
}

fn action_words(action: &AuthAction<'_>) -> String {
    let text = format!("{action:?}");
    let name = text.split([' ', '{', '(']).next().unwrap_or_default();
    let mut words = String::new();
    for (index, character) in name.char_indices() {
        if character.is_uppercase() && index > 0 {
            words.push(' ');
        }
        words.extend(character.to_uppercase());
    }
    words
}
