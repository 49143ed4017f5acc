//! The methods: one file each, from a sample to a trace; this file is the registry.

use futures::future::BoxFuture;
use serde_json::Value;

use crate::dataset::{QuestionKind, Sample};
use crate::engine::Engine;
use crate::model::Model;
use crate::trace::Trace;

/// What a method is given. It sees no store, no HTTP, no files and no schedule.
pub struct Question<'a> {
    /// The sample.
    pub sample: &'a Sample,
    /// Who answers; stands in every call's purpose as its arm.
    pub answerer: &'a str,
    /// The model.
    pub model: &'a dyn Model,
    /// The engine.
    pub engine: &'a Engine,
}

/// A method with its settings.
pub trait Method: Send + Sync {
    /// Every setting, defaults filled in; goes into every trace.
    fn settings(&self) -> Value;

    /// Answers one sample. Failures are values of the trace.
    fn answer<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Trace>;
}

/// A method as the registry knows it.
pub struct Descriptor {
    /// Its name in a study file, such as `pos`.
    pub name: &'static str,
    /// Its name for people, such as `Plan-of-SQLs`.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Paper and section.
    pub source: &'static str,
    /// What it is defined for.
    pub kinds: &'static [QuestionKind],
    /// Model calls per question, in words, such as `1 + steps (+1 per repair) (+1 fallback)`.
    pub calls: &'static str,
    /// The same as numbers for a dry run: the fewest and the most calls of one question.
    pub call_bounds: fn(&dyn Method) -> (u64, u64),
    /// Purposes of its calls, such as `pos.plan`.
    pub purposes: &'static [&'static str],
    /// Name, default and meaning of each setting.
    pub settings: &'static [Setting],
    /// Builds it, refusing unknown settings and wrong values.
    pub build: fn(&Value) -> Result<Box<dyn Method>, SettingsError>,
}

/// One setting of a method, for `tabjury methods` and the docs.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its default, as TOML.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// Settings that a method does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("settings of method `{method}`: {message}")]
pub struct SettingsError {
    /// The method.
    pub method: &'static str,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// All methods, in the order they are listed.
pub fn registry() -> &'static [Descriptor] {
    &[]
}

/// The method of this name.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    registry().iter().find(|descriptor| descriptor.name == name)
}
