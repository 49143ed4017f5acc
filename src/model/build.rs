//! From a model of the study file to something that answers.

use std::path::PathBuf;
use std::sync::Arc;

use super::Sampling;
use super::meter::Meter;
use super::price::Prices;
use super::provider::Provider;
use super::script::Script;
use super::settings::ModelEntry;
use super::stop::Stop;
use super::store::CallStore;
use super::stored::{Inner, StoredModel};

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
    let (provider, sampling, model): (Box<dyn Provider>, Sampling, &str) = match entry {
        ModelEntry::Script { name, file } => {
            let script = Script::load(name, &options.directory.join(file))?;
            (Box::new(script), Sampling::default(), name)
        }
        ModelEntry::Openai { name, .. } => {
            return Err(ModelError::Settings {
                model: name.clone(),
                message: "the provider `openai` is not built yet".to_owned(),
            });
        }
    };
    Ok(Arc::new(StoredModel::new(Inner {
        name: entry.name().to_owned(),
        provider,
        sampling,
        store: Arc::clone(store),
        offline: options.offline,
        stop: options.stop.clone(),
        meter: Arc::new(Meter::new(entry.name(), options.prices.of(model))),
    })))
}
