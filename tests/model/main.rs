//! Asking models: scripts, the call store, and an endpoint that behaves as badly as real ones do.

#![allow(clippy::unwrap_used)]

#[path = "../../examples/endpoint/server.rs"]
mod server;

mod http;
mod store;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tabjury::model::{CallStore, Message, ModelEntry, Options, Purpose, Request, Sampling, StoredModel, build};

use server::{Endpoint, Mode, Settings};

fn request(name: &str, sample: &str, arm: &str, turn: u32) -> Request {
    Request {
        purpose: Purpose {
            name: name.to_owned(),
            sample: sample.to_owned(),
            arm: arm.to_owned(),
            turn,
        },
        messages: vec![Message::user(format!("Question about {sample}?"))],
        sampling: Sampling {
            temperature: Some(0.0),
            ..Sampling::default()
        },
        repeat: 0,
    }
}

fn script(directory: &Path, lines: &str, store: &Arc<CallStore>, options: Options) -> Arc<StoredModel> {
    std::fs::write(directory.join("answers.jsonl"), lines).unwrap();
    let entry = ModelEntry::Script {
        name: "hand".to_owned(),
        file: "answers.jsonl".into(),
    };
    let options = Options {
        directory: directory.to_owned(),
        ..options
    };
    build(&entry, store, &options).unwrap()
}

/// A running endpoint.
fn endpoint(mode: Mode, latency_milliseconds: u64) -> Endpoint {
    let settings = Settings {
        mode,
        latency: Duration::from_millis(latency_milliseconds),
        log: None,
        key: None,
    };
    Endpoint::start(0, settings).unwrap()
}

/// A model of this endpoint, with every setting at its default.
fn entry(name: &str, endpoint: &Endpoint) -> ModelEntry {
    entry_at(name, &format!("http://{}", endpoint.address))
}

fn entry_at(name: &str, base_url: &str) -> ModelEntry {
    entry_with(name, base_url, serde_json::json!({}))
}

/// A model with these settings beside the necessary ones, as a study file would give them.
fn entry_with(name: &str, base_url: &str, settings: serde_json::Value) -> ModelEntry {
    let mut entry = serde_json::json!({"provider": "openai", "name": name, "base_url": base_url, "model": "local"});
    for (field, value) in settings.as_object().unwrap() {
        entry[field] = value.clone();
    }
    serde_json::from_value(entry).unwrap()
}
