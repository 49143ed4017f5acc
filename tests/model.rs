//! Asking models: scripts, the call store, and an endpoint that behaves as badly as real ones do.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use pretty_assertions::assert_eq;
use tabjury::model::{
    CallError, CallStore, Message, Model, ModelEntry, Options, Purpose, Request, Sampling, StoreError, StoredModel,
    build,
};

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

#[tokio::test]
async fn script_answers_are_stored_and_answer_offline() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.sqlite");
    let lines = concat!(
        "{\"purpose\": \"pos.plan\", \"text\": \"1. Count.\", \"input_tokens\": 10, \"output_tokens\": 4}\n",
        "{\"purpose\": \"pos.sql\", \"error\": {\"kind\": \"too_long\", \"message\": \"9000 of 8192\"}}\n",
        "{\"purpose\": \"pos.fallback\", \"error\": {\"kind\": \"failed\", \"message\": \"status 500\"}}\n",
    );
    let asks = ["pos.plan", "pos.sql", "pos.fallback"];
    let mut first = Vec::new();
    {
        let store = Arc::new(CallStore::open(&file).unwrap());
        let model = script(directory.path(), lines, &store, Options::default());
        for name in asks {
            first.push(model.ask(request(name, "s1", "pos", 0)).await);
        }
        let reading = model.meter().read();
        assert_eq!((reading.made, reading.from_store, reading.failed), (2, 0, 1));
        assert_eq!(
            (reading.input_tokens, reading.output_tokens, reading.cost),
            (10, 4, None)
        );
        assert_eq!(store.count(), Ok(2));
    }
    let reply = first[0].clone().unwrap();
    assert_eq!(reply.text, "1. Count.");
    assert!(matches!(&first[1], Err(CallError::TooLong { message, .. }) if message == "9000 of 8192"));

    let store = Arc::new(CallStore::open(&file).unwrap());
    let options = Options {
        offline: true,
        ..Options::default()
    };
    let model = script(directory.path(), lines, &store, options);
    assert_eq!(model.ask(request(asks[0], "s1", "pos", 0)).await, first[0]);
    assert_eq!(model.ask(request(asks[1], "s1", "pos", 0)).await, first[1]);
    // A failure that may pass is not kept, so offline mode has nothing to say.
    let error = model.ask(request(asks[2], "s1", "pos", 0)).await.unwrap_err();
    assert!(matches!(error, CallError::Offline { .. }), "{error}");
    let reading = model.meter().read();
    assert_eq!((reading.made, reading.from_store, reading.failed), (0, 2, 1));

    let record = store.record(&reply.call).unwrap().unwrap();
    assert_eq!(record.messages, request("pos.plan", "s1", "pos", 0).messages);
    assert_eq!(record.purpose, request("pos.plan", "s1", "pos", 0).purpose);
    assert_eq!((record.provider.as_str(), record.name.as_str()), ("script", "hand"));
    assert_eq!(record.sampling.temperature, Some(0.0));
}

#[tokio::test]
async fn stopped_run_makes_no_new_calls_but_still_reads() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(CallStore::in_memory());
    let options = Options::default();
    let model = script(
        directory.path(),
        "{\"purpose\": \"p\", \"text\": \"x\"}\n",
        &store,
        options.clone(),
    );
    let kept = model.ask(request("p", "s1", "a", 0)).await.unwrap();
    options.stop.stop();
    assert_eq!(model.ask(request("p", "s2", "a", 0)).await, Err(CallError::Stopped));
    assert_eq!(model.ask(request("p", "s1", "a", 0)).await, Ok(kept));
}

#[test]
fn second_run_on_a_store_is_refused_and_readers_are_not() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.sqlite");
    let store = CallStore::open(&file).unwrap();
    let refused = CallStore::open(&file).map(|_| ()).unwrap_err();
    assert_eq!(
        refused,
        StoreError::InUse {
            file: file.clone(),
            process: Some(std::process::id().to_string()),
        }
    );
    assert_eq!(CallStore::open_read_only(&file).unwrap().count(), Ok(0));
    drop(store);
    assert!(CallStore::open(&file).is_ok());
}

#[test]
fn files_that_are_no_sound_store_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let refuse = |file: &Path, word: &str| {
        let error = CallStore::open(file).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };

    std::fs::write(path("text"), "a diary, and no database at all\n".repeat(100)).unwrap();
    refuse(&path("text"), "is not a call store");

    let other = rusqlite::Connection::open(path("other")).unwrap();
    other.execute_batch("CREATE TABLE diary (day TEXT);").unwrap();
    drop(other);
    refuse(&path("other"), "something else");

    drop(CallStore::open(&path("newer")).unwrap());
    let newer = rusqlite::Connection::open(path("newer")).unwrap();
    newer.execute_batch("PRAGMA user_version = 99;").unwrap();
    drop(newer);
    refuse(&path("newer"), "version 99");

    refuse(&path("nowhere").join("calls.sqlite"), "cannot be opened");
    assert!(CallStore::open_read_only(&path("absent")).is_err());
    assert!(!path("absent").exists());

    // A file that a killed process had only just made is a new store.
    std::fs::write(path("empty"), "").unwrap();
    assert_eq!(CallStore::open(&path("empty")).unwrap().count(), Ok(0));
}

#[tokio::test]
async fn damaged_store_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.sqlite");
    let store = Arc::new(CallStore::open(&file).unwrap());
    let line = format!(
        "{{\"purpose\": \"p\", \"text\": \"{}\"}}\n",
        "The answer is long. ".repeat(500)
    );
    let model = script(directory.path(), &line, &store, Options::default());
    for sample in 0..10 {
        model.ask(request("p", &sample.to_string(), "a", 0)).await.unwrap();
    }
    drop(model);
    drop(store);
    assert!(
        !directory.path().join("calls.sqlite-wal").exists(),
        "a closed store is one file"
    );
    let whole = std::fs::read(&file).unwrap();

    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let error = CallStore::open(&file).map(|_| ()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");

    let mut overwritten = whole.clone();
    overwritten[4096..8192].fill(0xA5);
    std::fs::write(&file, overwritten).unwrap();
    let error = CallStore::open(&file).map(|_| ()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");

    std::fs::write(&file, whole).unwrap();
    assert_eq!(CallStore::open(&file).unwrap().count(), Ok(10));
}
