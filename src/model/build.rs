//! From a model of the study file to something that answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::client::{Endpoint, EndpointSettings};
use super::meter::Meter;
use super::openai::{self, Address};
use super::price::Prices;
use super::provider::Provider;
use super::script::Script;
use super::secret::Key;
use super::settings::{ModelEntry, Price};
use super::stop::Stop;
use super::store::CallStore;
use super::stored::{Inner, StoredModel};
use super::{CallError, Sampling};

/// The variable that keys customarily lie in.
const CUSTOMARY_KEY: &str = "OPENAI_API_KEY";

/// A day.
const LONGEST_TIMEOUT_SECONDS: u64 = 86_400;

/// What all models of a run share, beside the call store.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Answer from the store alone.
    pub offline: bool,
    /// The flag that stops the run.
    pub stop: Stop,
    /// Prices, for the meters.
    pub prices: Prices,
    /// What relative paths of the study file are relative to: its directory.
    pub directory: PathBuf,
    /// Most calls under way at once for each model, instead of what its entry says.
    pub concurrency: Option<usize>,
}

/// A model that cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A setting of the study file.
    #[error("model `{model}`: {message}")]
    Settings {
        /// The model's name in the study.
        model: String,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A file that cannot be read.
    #[error("model `{model}`: {} cannot be read: {message}", .file.display())]
    Read {
        /// The model's name in the study.
        model: String,
        /// The file.
        file: PathBuf,
        /// Why.
        message: String,
    },
    /// A line of a script.
    #[error("model `{model}`: {}, line {line}: {message}", .file.display())]
    Script {
        /// The model's name in the study.
        model: String,
        /// The script.
        file: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        message: String,
    },
}

/// Sets up a model behind the call store. Nothing is asked yet, and no key is needed before the first call is.
///
/// # Errors
///
/// A setting is out of its range, or a script cannot be read.
pub fn build(entry: &ModelEntry, store: &Arc<CallStore>, options: &Options) -> Result<Arc<StoredModel>, ModelError> {
    let (provider, sampling, price, limit): (Box<dyn Provider>, Sampling, Option<Price>, _) = match entry {
        ModelEntry::Script { name, file } => {
            let script = Script::load(name, &options.directory.join(file))?;
            (Box::new(script), Sampling::default(), None, None)
        }
        ModelEntry::Openai { model, sampling, .. } => {
            let endpoint = endpoint(entry, options).map_err(|message| ModelError::Settings {
                model: entry.name().to_owned(),
                message,
            })?;
            let limit = Semaphore::new(endpoint.concurrency().min(Semaphore::MAX_PERMITS));
            (
                Box::new(endpoint),
                sampling.clone(),
                options.prices.of(model),
                Some(limit),
            )
        }
    };
    Ok(Arc::new(StoredModel::new(Inner {
        name: entry.name().to_owned(),
        provider,
        sampling,
        store: Arc::clone(store),
        limit,
        offline: options.offline,
        stop: options.stop.clone(),
        meter: Arc::new(Meter::new(entry.name(), price)),
    })))
}

/// Asks an endpoint which models it has, once; for a script, reads it. For a check before a run.
///
/// # Errors
///
/// As [`build`], and when the endpoint does not answer or refuses the key.
pub async fn probe(entry: &ModelEntry, options: &Options) -> Result<Vec<String>, ProbeError> {
    match entry {
        ModelEntry::Script { name, file } => {
            Script::load(name, &options.directory.join(file))?;
            Ok(vec![name.clone()])
        }
        ModelEntry::Openai { name, .. } => {
            let endpoint = endpoint(entry, options).map_err(|message| ModelError::Settings {
                model: name.clone(),
                message,
            })?;
            Ok(endpoint.models().await?)
        }
    }
}

/// A probe that came back without a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// It cannot be set up.
    #[error(transparent)]
    Settings(#[from] ModelError),
    /// It does not answer as it should.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// The endpoint of an entry, or what is wrong with its settings. An entry of another provider has none.
fn endpoint(entry: &ModelEntry, options: &Options) -> Result<Endpoint, String> {
    let ModelEntry::Openai {
        name,
        base_url,
        model,
        api_key_env,
        api_key_file,
        timeout_seconds,
        max_retries,
        concurrency,
        sampling,
        max_tokens_field,
    } = entry
    else {
        return Err("it has no endpoint".to_owned());
    };
    let address = Address::parse(base_url)?;
    check_sampling(sampling)?;
    if model.trim().is_empty() {
        return Err("`model` is empty; give the identifier that the endpoint knows it by".to_owned());
    }
    if api_key_env.is_some() && api_key_file.is_some() {
        return Err("both `api_key_env` and `api_key_file` are given; one of them must go".to_owned());
    }
    if !(1..=LONGEST_TIMEOUT_SECONDS).contains(timeout_seconds) {
        return Err(format!(
            "`timeout_seconds` is {timeout_seconds}; it goes from 1 to {LONGEST_TIMEOUT_SECONDS}"
        ));
    }
    let concurrency = options.concurrency.unwrap_or(*concurrency);
    if concurrency == 0 {
        return Err("`concurrency` is 0; at least one call at once is needed".to_owned());
    }
    let file = api_key_file.as_ref().map(|file| options.directory.join(file));
    let fallback = address.takes_customary_key.then_some(CUSTOMARY_KEY);
    let key = Key::load(api_key_env.as_deref(), file.as_deref(), fallback, |variable| {
        std::env::var(variable).ok()
    });
    Ok(Endpoint::new(EndpointSettings {
        name: name.clone(),
        address,
        model: model.clone(),
        max_tokens_field: *max_tokens_field,
        key,
        timeout: Duration::from_secs(*timeout_seconds),
        max_retries: *max_retries,
        concurrency,
        stop: options.stop.clone(),
    }))
}

fn check_sampling(sampling: &Sampling) -> Result<(), String> {
    if let Some(temperature) = sampling.temperature.filter(|value| !(0.0..=100.0).contains(value)) {
        return Err(format!("`sampling.temperature` is {temperature}; it is 0 or more"));
    }
    if let Some(top_p) = sampling.top_p.filter(|value| !(*value > 0.0 && *value <= 1.0)) {
        return Err(format!("`sampling.top_p` is {top_p}; it lies above 0 and up to 1"));
    }
    if sampling.max_tokens == Some(0) {
        return Err("`sampling.max_tokens` is 0; an answer needs at least one token".to_owned());
    }
    let named = [
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "seed",
    ];
    for name in sampling.extra.keys() {
        if openai::RESERVED_FIELDS.contains(&name.as_str()) {
            return Err(format!(
                "`sampling.extra.{name}` cannot be set: it would change what a call is"
            ));
        }
        if named.contains(&name.as_str()) {
            return Err(format!(
                "`sampling.extra.{name}` has a setting of its own; set it there"
            ));
        }
    }
    Ok(())
}
