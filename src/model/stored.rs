//! A model behind the call store: looks there first, asks its provider otherwise, and stores before it answers.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::key::CallKey;
use super::meter::Meter;
use super::provider::Provider;
use super::stop::Stop;
use super::store::{CallStore, StoreError};
use super::writer::Draft;
use super::{CallError, Model, Reply, Request, Sampling, Usage};

/// A model of a study.
#[derive(Clone)]
pub struct StoredModel {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) name: String,
    pub(crate) provider: Box<dyn Provider>,
    /// Put over the sampling of every request.
    pub(crate) sampling: Sampling,
    pub(crate) store: Arc<CallStore>,
    /// Bounds the calls that were sent and whose answers are not stored yet: what a kill can cost. `None` where calls
    /// cost nothing.
    pub(crate) limit: Option<Semaphore>,
    pub(crate) offline: bool,
    pub(crate) stop: Stop,
    pub(crate) meter: Arc<Meter>,
}

impl StoredModel {
    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// What it has been asked so far.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.inner.meter
    }

    /// The key that this request has in the store.
    pub fn key(&self, request: &Request) -> String {
        self.inner.effective(request.clone()).1.key
    }
}

impl Model for StoredModel {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn ask<'a>(&'a self, request: Request) -> BoxFuture<'a, Result<Reply, CallError>> {
        Arc::clone(&self.inner).ask(request).boxed()
    }
}

impl Inner {
    /// The request with the sampling that will be asked for, and its key.
    fn effective(&self, mut request: Request) -> (Request, CallKey) {
        request.sampling = self.sampling.over(&request.sampling);
        let key = CallKey::new(&self.provider.identity(&request), &request);
        (request, key)
    }

    async fn ask(self: Arc<Self>, request: Request) -> Result<Reply, CallError> {
        let (request, key) = self.effective(request);
        if let Some(answered) = self.look_up(&key.key) {
            return answered;
        }
        let mut own = false;
        let id = key.key.clone();
        let flight = self.store.flights.join(&id, || {
            own = true;
            Arc::clone(&self).make(request, key).boxed()
        });
        let result = flight.await;
        if !own {
            match &result {
                Ok(_) => self.meter.count_stored(),
                Err(_) => self.meter.count_failure(),
            }
        }
        result
    }

    /// The stored answer, if there is one.
    fn look_up(&self, key: &str) -> Option<Result<Reply, CallError>> {
        match self.store.outcome(key) {
            Ok(outcome) => {
                let outcome = outcome?;
                self.meter.count_stored();
                Some(outcome.into_reply(key))
            }
            Err(error) => {
                self.meter.count_failure();
                Some(Err(store_failed(&error)))
            }
        }
    }

    /// Waits for a place among the calls under way. It is to be kept until the answer is stored.
    async fn admit(&self) -> Result<Option<SemaphorePermit<'_>>, CallError> {
        if self.stop.is_stopped() {
            return Err(CallError::Stopped);
        }
        let Some(limit) = &self.limit else {
            return Ok(None);
        };
        tokio::select! {
            biased;
            () = self.stop.stopped() => Err(CallError::Stopped),
            place = limit.acquire() => place.map(Some).map_err(|_| CallError::Stopped),
        }
    }

    /// Makes the call, stores what is worth keeping, and only then returns it.
    async fn make(self: Arc<Self>, request: Request, key: CallKey) -> Result<Reply, CallError> {
        // It may have been stored between the look into the store and the start of this call.
        if let Some(answered) = self.look_up(&key.key) {
            return answered;
        }
        let admitted = if self.offline {
            Err(CallError::Offline {
                call: key.key.clone(),
                purpose: request.purpose.to_string(),
            })
        } else {
            self.admit().await
        };
        let _place = match admitted {
            Ok(place) => place,
            Err(refused) => {
                self.meter.count_failure();
                return Err(refused);
            }
        };
        let asked = self.provider.ask(&request, &key.key).await;
        self.meter.count_attempts(asked.attempts);
        let usage = match &asked.result {
            Ok(answer) => answer.usage,
            // Nothing was read and nothing written.
            Err(CallError::Unsupported { .. }) => Some(Usage::default()),
            Err(_) => None,
        };
        let result = asked.result.clone().map(|answer| Reply {
            call: key.key.clone(),
            text: answer.text,
            finish: answer.finish,
            refusal: answer.refusal,
            usage: answer.usage,
        });
        let draft = Draft {
            key,
            name: self.name.clone(),
            purpose: request.purpose,
            asked,
        };
        if !draft.is_kept() {
            self.meter.count_failure();
            return result;
        }
        // It was asked and is paid for, whether or not it can be kept.
        self.meter.count_made(usage);
        match self.store.put(draft).await {
            Ok(()) => result,
            Err(error) => Err(store_failed(&error)),
        }
    }
}

fn store_failed(error: &StoreError) -> CallError {
    CallError::Store {
        message: error.to_string(),
    }
}
