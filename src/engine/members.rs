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

/// The groups gathered so far; a call of the function gives the position of its group.
#[derive(Clone, Default)]
pub(super) struct MemberStore(Arc<Mutex<Vec<Group>>>);

impl MemberStore {
    /// Takes a group out; empty for a number that no call gave.
    pub(super) fn take(&self, position: i64) -> Group {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        usize::try_from(position)
            .ok()
            .and_then(|position| groups.get_mut(position))
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// A copy of a group, for a group that is used more than once.
    pub(super) fn get(&self, position: i64) -> Group {
        let groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        usize::try_from(position)
            .ok()
            .and_then(|position| groups.get(position))
            .cloned()
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
        let mut groups = self.store.0.lock().unwrap_or_else(PoisonError::into_inner);
        groups.push(group.unwrap_or_default());
        i64::try_from(groups.len() - 1).map_err(|error| rusqlite::Error::UserFunctionError(error.to_string().into()))
    }
}
