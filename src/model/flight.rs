//! Calls under way: whoever asks what is being asked already waits for that answer instead of asking again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};

use super::store::lock;
use super::{CallError, Reply};

type Call = BoxFuture<'static, Result<Reply, CallError>>;

/// The calls under way, by key.
#[derive(Clone, Default)]
pub(crate) struct Flights {
    /// Weak, so that a call that all its askers gave up is given up too, and asked anew by the next one.
    by_key: Arc<Mutex<HashMap<String, WeakShared<Call>>>>,
}

impl Flights {
    /// The call under way for this key, or the one given, which is then under way.
    pub(crate) fn join(&self, key: &str, begin: impl FnOnce() -> Call) -> Shared<Call> {
        let mut flights = lock(&self.by_key);
        if let Some(flight) = flights.get(key).and_then(WeakShared::upgrade) {
            return flight;
        }
        let call = begin();
        let (by_key, own_key) = (Arc::clone(&self.by_key), key.to_owned());
        // It takes itself off the list before anyone hears of its end, so that the list never names a finished call.
        let flight = async move {
            let result = call.await;
            lock(&by_key).remove(&own_key);
            result
        }
        .boxed()
        .shared();
        if let Some(weak) = flight.downgrade() {
            flights.insert(key.to_owned(), weak);
        }
        flight
    }
}
