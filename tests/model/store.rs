//! Scripts and the call store: what is kept, what is refused, and what is left after a kill.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use pretty_assertions::assert_eq;
use tabjury::model::{CallError, CallOutcome, CallStore, Model, Options, StoreError, build};

use super::server::Mode;
use super::{endpoint, entry, request, script};

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

#[tokio::test(flavor = "multi_thread")]
async fn same_call_under_way_is_made_once() {
    let store = Arc::new(CallStore::in_memory());
    let server = endpoint(Mode::Fixed("TRUE".to_owned()), 100);
    let options = Options::default();
    let one = build(&entry("one", &server), &store, &options).unwrap();
    // Another name of the same model: what counts is who is asked what.
    let other = build(&entry("other", &server), &store, &options).unwrap();
    let asks = (0..20).map(|number| {
        let model = if number % 2 == 0 { &one } else { &other };
        model.ask(request("p", "s1", &format!("arm {number}"), number))
    });
    let replies = join_all(asks).await;
    assert!(
        replies.iter().all(|reply| reply == &replies[0] && reply.is_ok()),
        "{replies:?}"
    );
    assert_eq!(server.served(), 1);
    let readings = [one.meter().read(), other.meter().read()];
    assert_eq!(readings.iter().map(|reading| reading.made).sum::<u64>(), 1);
    assert_eq!(readings.iter().map(|reading| reading.from_store).sum::<u64>(), 19);

    // Another draw is another call.
    let mut again = request("p", "s1", "a", 0);
    again.repeat = 1;
    one.ask(again).await.unwrap();
    assert_eq!(server.served(), 2);
}

#[tokio::test]
async fn call_that_its_asker_gave_up_can_be_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.sqlite");
    let store = Arc::new(CallStore::open(&file).unwrap());
    let server = endpoint(Mode::Fixed("TRUE".to_owned()), 300);
    let model = build(&entry("m", &server), &store, &Options::default()).unwrap();
    let given_up = tokio::time::timeout(Duration::from_millis(50), model.ask(request("p", "s1", "a", 0))).await;
    assert!(given_up.is_err());
    assert!(model.ask(request("p", "s1", "a", 0)).await.is_ok());
    drop(model);
    drop(store);
    assert!(CallStore::open(&file).is_ok(), "nothing holds the store any more");
}

#[tokio::test]
async fn records_come_back_whole_and_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.sqlite");
    let store = Arc::new(CallStore::open(&file).unwrap());
    let server = endpoint(Mode::Fixed("TRUE \u{1F3C6}".to_owned()), 0);
    let model = build(&entry("m", &server), &store, &Options::default()).unwrap();
    let mut keys = Vec::new();
    for sample in ["s1", "s2", "s3", "s4"] {
        keys.push(model.ask(request("p", sample, "a", 0)).await.unwrap().call);
    }
    assert_eq!(keys[0], model.key(&request("another purpose", "s1", "b", 9)));
    let wanted = [keys[2].as_str(), "absent", keys[0].as_str()];
    let records = store.records(wanted).unwrap();
    assert_eq!(
        records.iter().map(|record| record.key.as_str()).collect::<Vec<_>>(),
        [keys[2].as_str(), keys[0].as_str()]
    );
    assert_eq!(
        records[1].base_url.as_deref(),
        Some(format!("http://{}/v1", server.address).as_str())
    );
    assert!(records[1].raw.contains("chatcmpl-local"));
    assert!(records[1].stored_at > 1_600_000_000_000);
    let CallOutcome::Answer { text, .. } = &records[1].outcome else {
        panic!("{:?}", records[1])
    };
    assert_eq!(text, "TRUE \u{1F3C6}");

    let mut visited = Vec::new();
    store.for_each(|record| visited.push(record.key)).unwrap();
    keys.sort();
    assert_eq!(visited, keys);
    // A record says the same to a reader beside the run.
    assert_eq!(
        CallStore::open_read_only(&file)
            .unwrap()
            .records([records[0].key.as_str()])
            .unwrap()[0],
        records[0]
    );
}

const CALLS: usize = 600;
const AT_ONCE: usize = 16;

/// Makes all calls and prints the key of each once it has its answer.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the process that `killed_run_loses_no_answer` kills"]
async fn child_that_is_killed() {
    let (Ok(file), Ok(base_url)) = (std::env::var("TABJURY_TEST_STORE"), std::env::var("TABJURY_TEST_URL")) else {
        return;
    };
    let store = Arc::new(CallStore::open(Path::new(&file)).unwrap());
    let options = Options {
        concurrency: Some(AT_ONCE),
        ..Options::default()
    };
    let model = build(&super::entry_at("m", &base_url), &store, &options).unwrap();
    futures::stream::iter(0..CALLS)
        .map(|number| model.ask(request("p", &format!("s{number}"), "a", 0)))
        .buffer_unordered(AT_ONCE)
        .for_each(async |reply| println!("key {}", reply.unwrap().call))
        .await;
}

#[test]
fn killed_run_loses_no_answer() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("calls.sqlite");
    let server = endpoint(Mode::Fixed("TRUE".to_owned()), 1);
    let mut answered = BTreeSet::new();
    let mut kills = 0;
    // Killed after so many answers of its own, the last one not at all.
    for limit in [1, 40, 7, 160, 90, usize::MAX] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::child_that_is_killed", "--ignored", "--nocapture"])
            .env("TABJURY_TEST_STORE", &file)
            .env("TABJURY_TEST_URL", format!("http://{}", server.address))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let before = answered.len();
        for line in lines {
            let line = line.unwrap();
            // The test harness may have put its own words before the first key.
            if let Some((_, key)) = line.split_once("key ") {
                answered.insert(key.to_owned());
            }
            if answered.len() - before >= limit {
                child.kill().unwrap();
                kills += 1;
                break;
            }
        }
        let status = child.wait().unwrap();
        assert!(limit != usize::MAX || status.success(), "{status}");
        let store = CallStore::open(&file).unwrap();
        for key in &answered {
            assert!(store.record(key).unwrap().is_some(), "{key} was answered and is lost");
        }
    }
    assert_eq!(kills, 5);
    let store = CallStore::open(&file).unwrap();
    assert_eq!(store.count(), Ok(CALLS as u64));
    assert!(
        server.served() <= CALLS + kills * AT_ONCE,
        "{} requests for {CALLS} calls and {kills} kills",
        server.served()
    );
}
