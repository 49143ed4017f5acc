//! The models of a study, set up once behind one call store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::model::store::CallStore;
use crate::model::{
    self, CallOutcome, Message, Model, ModelEntry, ModelError, Picture, Price, Prices, Stop, StoredModel,
};
use crate::report::{CallLookup, CallMessage, CallView};

use super::analyze::tokens;
use super::answer::Ready;
use super::ask::Settled;
use super::directory::{CALLS, RunDirectory};
use super::file::JudgeEntry;
use super::judge::ReadyJudge;
use super::load::{Answerer, Study};
use super::picture::PICTURES_DIRECTORY;
use super::run::{Options, RunError, Stage};

/// What was asked and spent in this run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spent {
    pub(super) made: u64,
    pub(super) from_store: u64,
    pub(super) cost: f64,
    pub(super) cost_incomplete: bool,
}

/// The models by their names in the study. Cheap to clone.
#[derive(Clone)]
pub(super) struct Models {
    entries: Arc<Vec<ModelEntry>>,
    by_name: Arc<BTreeMap<String, Arc<StoredModel>>>,
    store: Arc<CallStore>,
    prices: Arc<Prices>,
    concurrency: usize,
    offline: bool,
    base: Arc<PathBuf>,
}

impl Models {
    /// Sets up the models that arms and judges of a study name, over the store of its run.
    pub(super) fn open(
        study: &Study,
        directory: &RunDirectory,
        options: &Options,
        stop: &Stop,
    ) -> Result<Self, RunError> {
        let store = Arc::new(CallStore::open(&directory.path(CALLS))?);
        Self::over(study, store, options, stop)
    }

    /// Sets up the models over a given store.
    pub(super) fn over(study: &Study, store: Arc<CallStore>, options: &Options, stop: &Stop) -> Result<Self, RunError> {
        let prices = Prices::new(study.file.prices.clone());
        let model_options = model::Options {
            offline: options.offline,
            stop: stop.clone(),
            prices: prices.clone(),
            directory: study.base.clone(),
            concurrency: options.concurrency,
        };
        // A stage after judging asks nobody, and may be done where no script or key is at hand.
        let asks = options.wants(Stage::Answer)
            || options.wants(Stage::Judge)
            || (options.wants(Stage::Faithfulness) && study.file.tasks.faithfulness.ask_models);
        let mut by_name = BTreeMap::new();
        for entry in &study.file.models {
            if asks && is_used(study, entry.name()) {
                by_name.insert(entry.name().to_owned(), model::build(entry, &store, &model_options)?);
            }
        }
        Ok(Self {
            base: Arc::new(study.base.clone()),
            entries: Arc::new(study.file.models.clone()),
            by_name: Arc::new(by_name),
            store,
            prices: Arc::new(prices),
            offline: options.offline,
            concurrency: options.concurrency.unwrap_or_else(|| most_at_once(&study.file.models)),
        })
    }

    /// Most items under way at once.
    pub(super) fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// The call store.
    pub(super) fn store(&self) -> &Arc<CallStore> {
        &self.store
    }

    /// The price of a model of the study, where known; a scripted model has none.
    pub(super) fn price(&self, name: &str) -> Option<Price> {
        match self.entry(name)? {
            ModelEntry::Openai { model, .. } => self.prices.of(model),
            ModelEntry::Script { .. } => None,
        }
    }

    /// A model that may be asked and whose price is not known.
    pub(super) fn without_price(&self) -> Option<&str> {
        let unpriced = |name: &&String| !self.is_scripted(name) && self.price(name).is_none();
        self.by_name.keys().find(unpriced).map(String::as_str)
    }

    /// Whether the answers of a model of the study come from a file.
    pub(super) fn is_scripted(&self, name: &str) -> bool {
        matches!(self.entry(name), Some(ModelEntry::Script { .. }))
    }

    fn entry(&self, name: &str) -> Option<&ModelEntry> {
        self.entries.iter().find(|entry| entry.name() == name)
    }

    pub(super) fn get(&self, name: &str) -> Result<Arc<StoredModel>, ModelError> {
        self.by_name.get(name).cloned().ok_or_else(|| ModelError::Settings {
            model: name.to_owned(),
            message: "the study has no model of this name".to_owned(),
        })
    }

    /// Gives every answerer its model.
    pub(super) fn answerers(&self, answerers: Vec<Answerer>) -> Result<Vec<Ready>, ModelError> {
        answerers
            .into_iter()
            .map(|answerer| {
                let model: Arc<dyn Model> = self.get(&answerer.model)?;
                Ok(Ready { answerer, model })
            })
            .collect()
    }

    /// Gives every judge its model.
    pub(super) fn judges(&self, judges: &[JudgeEntry]) -> Result<Vec<ReadyJudge>, ModelError> {
        judges
            .iter()
            .map(|entry| {
                let model: Arc<dyn Model> = self.get(&entry.model)?;
                Ok(ReadyJudge {
                    entry: entry.clone(),
                    model,
                    settled: Settled::default(),
                })
            })
            .collect()
    }

    /// What of a model's entry its answers depend on.
    pub(super) fn identity(&self, name: &str) -> Value {
        match self.entry(name) {
            Some(ModelEntry::Openai {
                base_url,
                model,
                sampling,
                ..
            }) => json!([base_url, model, sampling]),
            Some(ModelEntry::Script { file, .. }) => json!([content_digest(&self.base.join(file))]),
            None => Value::Null,
        }
    }

    /// A model of which at least `failures` calls failed in this run and none was answered; never one that is asked
    /// offline.
    pub(super) fn without_any_answer(&self, failures: u64) -> Option<&str> {
        let silent = |(_, model): &(&String, &Arc<StoredModel>)| {
            let reading = model.meter().read();
            // A script that answered from the store is only short of lines.
            let is_short = self.is_scripted(model.meter().name()) && reading.from_store > 0;
            reading.made == 0 && reading.failed >= failures && !is_short
        };
        let found = self.by_name.iter().filter(|_| !self.offline).find(silent);
        found.map(|(name, _)| name.as_str())
    }

    /// What was asked and spent so far.
    pub(super) fn spent(&self) -> Spent {
        let mut spent = Spent::default();
        for (name, model) in self.by_name.iter() {
            let reading = model.meter().read();
            spent.made += reading.made;
            spent.from_store += reading.from_store;
            spent.cost += reading.cost.unwrap_or(0.0);
            let unknown = reading.cost.is_none() || reading.without_usage > 0;
            spent.cost_incomplete |= unknown && reading.made > 0 && !self.is_scripted(name);
        }
        spent
    }
}

/// The file of the run that holds a picture.
fn picture_file(picture: &Picture) -> String {
    format!("{PICTURES_DIRECTORY}/{}.png", picture.digest)
}

/// The call store as the report looks calls up in it.
pub(super) struct StoredCalls<'a>(pub(super) &'a CallStore);

impl CallLookup for StoredCalls<'_> {
    fn call(&self, key: &str) -> Option<CallView> {
        // A call that cannot be read is shown as one that is not kept; the judgment itself holds the raw answer.
        let record = self.0.record(key).ok()??;
        let usage = record.usage().map(tokens);
        let CallOutcome::Answer { text, finish, .. } = record.outcome else {
            return None;
        };
        let message = |message: Message| CallMessage {
            role: word(&message.role),
            content: message.content,
            pictures: message.pictures.iter().map(picture_file).collect(),
        };
        Some(CallView {
            key: record.key,
            purpose: record.purpose.name,
            model: record.name,
            messages: record.messages.into_iter().map(message).collect(),
            text,
            finish: word(&finish),
            usage,
        })
    }
}

/// BLAKE3 of a file, or why it cannot be read.
pub(super) fn content_digest(path: &Path) -> String {
    match std::fs::read(path) {
        Ok(bytes) => blake3::hash(&bytes).to_hex().to_string(),
        Err(error) => error.to_string(),
    }
}

/// The word that a plain enum is written as.
pub(super) fn word<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn is_used(study: &Study, name: &str) -> bool {
    let arms = study.file.arms.iter().filter_map(|arm| arm.model.as_ref());
    let judges = study.file.judges.iter().map(|judge| &judge.model);
    arms.chain(judges).any(|model| model == name)
}

/// The largest bound of any endpoint: a smaller one holds its own calls back itself.
fn most_at_once(entries: &[ModelEntry]) -> usize {
    let bounds = entries.iter().filter_map(|entry| match entry {
        ModelEntry::Openai { concurrency, .. } => Some(*concurrency),
        ModelEntry::Script { .. } => None,
    });
    bounds.max().unwrap_or(8)
}
