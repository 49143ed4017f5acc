//! The tracer's aggregate function: it gathers its arguments of every row of a group, and leaves them where the tracer
//! finds them. A statement of a model cannot call it.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::Value as SqlValue;

/// What the names of the tracer's functions and kept tables begin with.
pub(super) const OWN_PREFIX: &str = "tabjury_";

/// The function's name.
pub(super) const MEMBERS: &str = "tabjury_members";

/// One group: for each of its rows the arguments given.
pub(super) type Group = Vec<Vec<SqlValue>>;

/// Arguments that the groups of one statement may hold together: enough for a million rows with a few conditions, and
/// no more than a few hundred megabytes.
const MOST_ARGUMENTS: usize = 8_000_000;

/// What SQLite says when they hold more.
pub(super) const TOO_MANY: &str = "too many rows to remember";

/// The groups gathered so far; a call of the function gives the position of its group.
#[derive(Clone, Default)]
pub(super) struct MemberStore(Arc<Mutex<Gathered>>);

#[derive(Default)]
struct Gathered {
    groups: Vec<Group>,
    arguments: usize,
}

impl MemberStore {
    /// Takes a group out; empty for a number that no call gave.
    pub(super) fn take(&self, position: i64) -> Group {
        let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        usize::try_from(position)
            .ok()
            .and_then(|position| gathered.groups.get_mut(position))
            .map(std::mem::take)
            .unwrap_or_default()
    }
}

/// Registers the function.
pub(super) fn register(connection: &Connection, store: &MemberStore) -> rusqlite::Result<()> {
    connection.create_aggregate_function(
        MEMBERS,
        -1,
        FunctionFlags::SQLITE_UTF8,
        Members { store: store.clone() },
    )
}

struct Members {
    store: MemberStore,
}

impl Aggregate<Group, i64> for Members {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Group> {
        Ok(Vec::new())
    }

    fn step(&self, context: &mut Context<'_>, group: &mut Group) -> rusqlite::Result<()> {
        {
            let mut gathered = self.store.0.lock().unwrap_or_else(PoisonError::into_inner);
            gathered.arguments += context.len();
            if gathered.arguments > MOST_ARGUMENTS {
                return Err(rusqlite::Error::UserFunctionError(TOO_MANY.into()));
            }
        }
        let mut arguments = Vec::with_capacity(context.len());
        for index in 0..context.len() {
            arguments.push(
                SqlValue::try_from(context.get_raw(index))
                    .map_err(|error| rusqlite::Error::UserFunctionError(error.to_string().into()))?,
            );
        }
        group.push(arguments);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, group: Option<Group>) -> rusqlite::Result<i64> {
        let mut gathered = self.store.0.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.groups.push(group.unwrap_or_default());
        i64::try_from(gathered.groups.len() - 1)
            .map_err(|error| rusqlite::Error::UserFunctionError(error.to_string().into()))
    }
}
