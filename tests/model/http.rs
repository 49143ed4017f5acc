//! What an endpoint can do to a call: refuse, fail, stall, break off and talk nonsense.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tabjury::model::{
    CallError, CallStore, FinishReason, Model, Options, Price, Prices, StoredModel, Usage, build, probe,
};

use super::server::{Canned, Endpoint, Mode, Rule, Settings, completion};
use super::{endpoint, entry, entry_at, entry_with, request};

const SECRET: &str = "sk-tests-0123456789";

fn canned(status: u16, headers: &str, body: &str) -> Canned {
    Canned {
        status,
        headers: headers.to_owned(),
        body: body.to_owned(),
        ..Canned::default()
    }
}

fn answer() -> Canned {
    canned(200, "", &completion(b"", "TRUE", "stop"))
}

/// A model of the endpoint with a store of its own.
fn model(server: &Endpoint, settings: Value) -> (Arc<StoredModel>, Arc<CallStore>) {
    let store = Arc::new(CallStore::in_memory());
    let entry = entry_with("m", &format!("http://{}/v1/", server.address), settings);
    (build(&entry, &store, &Options::default()).unwrap(), store)
}

#[tokio::test]
async fn request_and_reply_go_over_the_wire() {
    let server = endpoint(
        Mode::Canned(vec![canned(200, "", &completion(&[0; 40], "TRUE, mostly", "length"))]),
        0,
    );
    let store = Arc::new(CallStore::in_memory());
    let settings = json!({
        "max_tokens_field": "max_completion_tokens",
        "sampling": {"max_tokens": 9, "temperature": 0.5, "extra": {"top_k": 1}},
    });
    let options = Options {
        prices: Prices::new(
            [(
                "local".to_owned(),
                Price {
                    input_per_million: 1e6,
                    output_per_million: 2e6,
                },
            )]
            .into(),
        ),
        ..Options::default()
    };
    let entry = entry_with("m", &format!("http://{}", server.address), settings);
    let model = build(&entry, &store, &options).unwrap();
    let reply = model.ask(request("p", "s1", "a", 0)).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.finish),
        ("TRUE, mostly", FinishReason::Length)
    );
    let usage = Usage {
        input_tokens: 10,
        output_tokens: 3,
    };
    assert_eq!(reply.usage, Some(usage));
    assert_eq!(model.meter().read().cost, Some(16.0));
    assert_eq!(
        server.last_body(),
        json!({
            "model": "local", "temperature": 0.5, "max_completion_tokens": 9, "top_k": 1,
            "messages": [{"role": "user", "content": "Question about s1?"}],
        })
    );
    let record = store.record(&reply.call).unwrap().unwrap();
    assert_eq!(record.sampling.max_tokens, Some(9));
    assert_eq!((record.attempts, record.usage()), (1, Some(usage)));
}

#[tokio::test]
async fn passing_faults_are_asked_again_until_they_pass() {
    let broken = Canned {
        breaks_off: true,
        ..answer()
    };
    let faults = vec![canned(500, "", "oops"), canned(200, "", "<html>"), broken, answer()];
    let server = endpoint(Mode::Canned(faults), 0);
    let (model, store) = model(&server, json!({}));
    let reply = model.ask(request("p", "s1", "a", 0)).await.unwrap();
    assert_eq!(reply.text, "TRUE");
    assert_eq!(store.record(&reply.call).unwrap().unwrap().attempts, 4);
    let reading = model.meter().read();
    assert_eq!((reading.made, reading.retries, reading.failed), (1, 3, 0));
}

#[tokio::test]
async fn attempts_are_bounded_and_the_failure_is_not_kept() {
    let server = endpoint(Mode::Canned(vec![canned(503, "", "busy")]), 0);
    let (model, store) = model(&server, json!({"max_retries": 1}));
    let error = model.ask(request("p", "s1", "a", 0)).await.unwrap_err();
    let CallError::Failed { message } = &error else {
        panic!("{error:?}")
    };
    for part in ["`m`", "2 times", "status 503", "busy"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!((server.served(), store.count()), (2, Ok(0)));
    assert_eq!(model.meter().read().failed, 1);
}

#[tokio::test]
async fn endpoint_says_when_to_come_back() {
    let faults = vec![canned(429, "Retry-After: 2\r\n", "{}"), answer()];
    let server = endpoint(Mode::Canned(faults), 0);
    let (model, _) = model(&server, json!({}));
    let began = Instant::now();
    assert!(model.ask(request("p", "s1", "a", 0)).await.is_ok());
    let waited = began.elapsed();
    assert!(
        waited >= Duration::from_secs(2) && waited < Duration::from_secs(10),
        "{waited:?}"
    );
}

#[tokio::test]
async fn lasting_faults_are_asked_once_and_the_kept_ones_never_again() {
    let too_long = json!({"error": {"message": "9000 of 8192", "code": "context_length_exceeded"}}).to_string();
    let filtered = json!({"error": {"message": "no", "code": "content_filter"}}).to_string();
    for (status, body, kept) in [(400, too_long, 1), (400, filtered, 1), (404, "{}".to_owned(), 0)] {
        let server = endpoint(Mode::Canned(vec![canned(status, "", &body), answer()]), 0);
        let (model, store) = model(&server, json!({}));
        let first = model.ask(request("p", "s1", "a", 0)).await.unwrap_err();
        assert_eq!((server.served(), store.count()), (1, Ok(kept)), "{first}");
        let second = model.ask(request("p", "s1", "a", 0)).await;
        if kept == 1 {
            assert_eq!((second, server.served()), (Err(first), 1));
        } else {
            assert!(second.is_ok());
        }
    }
}

#[tokio::test]
async fn slow_endpoint_runs_into_the_timeout() {
    let slow = Canned {
        wait: Duration::from_secs(20),
        ..answer()
    };
    let server = endpoint(Mode::Canned(vec![slow, answer()]), 0);
    let (model, _) = model(&server, json!({"timeout_seconds": 1}));
    let began = Instant::now();
    assert!(model.ask(request("p", "s1", "a", 0)).await.is_ok());
    let waited = began.elapsed();
    assert!(
        waited >= Duration::from_secs(1) && waited < Duration::from_secs(10),
        "{waited:?}"
    );
}

#[tokio::test]
async fn nobody_listening_is_a_failure_that_names_the_place() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let entry = entry_with("m", &format!("http://127.0.0.1:{port}"), json!({"max_retries": 0}));
    let model = build(&entry, &Arc::new(CallStore::in_memory()), &Options::default()).unwrap();
    let error = model.ask(request("p", "s1", "a", 0)).await.unwrap_err().to_string();
    assert!(
        error.contains(&format!("127.0.0.1:{port}/v1")) && error.contains("refused"),
        "{error}"
    );
}

#[tokio::test]
async fn endless_reply_is_cut() {
    let server = endpoint(Mode::Canned(vec![canned(200, "", &"x".repeat(17 << 20))]), 0);
    let (model, _) = model(&server, json!({"max_retries": 0}));
    let error = model.ask(request("p", "s1", "a", 0)).await.unwrap_err().to_string();
    assert!(error.contains("longer than 16 MB"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_at_once_are_limited() {
    let server = endpoint(Mode::Fixed("TRUE".to_owned()), 20);
    let (model, _) = model(&server, json!({"concurrency": 3}));
    let replies = join_all((0..30).map(|number| model.ask(request("p", &format!("s{number}"), "a", 0)))).await;
    assert!(replies.iter().all(Result::is_ok));
    assert_eq!(server.most_under_way(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_lets_calls_under_way_finish_and_begins_no_others() {
    let server = endpoint(Mode::Fixed("TRUE".to_owned()), 300);
    let options = Options {
        concurrency: Some(2),
        ..Options::default()
    };
    let store = Arc::new(CallStore::in_memory());
    let model = build(&entry("m", &server), &store, &options).unwrap();
    let stop = options.stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.stop();
    });
    let replies = join_all((0..6).map(|number| model.ask(request("p", &format!("s{number}"), "a", 0)))).await;
    assert_eq!(replies.iter().filter(|reply| reply.is_ok()).count(), 2);
    assert_eq!(
        replies
            .iter()
            .filter(|reply| **reply == Err(CallError::Stopped))
            .count(),
        4
    );
    assert_eq!((server.served(), store.count()), (2, Ok(2)));
}

#[tokio::test]
async fn stopping_ends_a_wait_between_attempts() {
    let server = endpoint(Mode::Canned(vec![canned(429, "Retry-After: 60\r\n", "{}")]), 0);
    let options = Options::default();
    let model = build(&entry("m", &server), &Arc::new(CallStore::in_memory()), &options).unwrap();
    let stop = options.stop.clone();
    let ask = model.ask(request("p", "s1", "a", 0));
    let (reply, ()) = tokio::join!(ask, async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        stop.stop();
    });
    assert_eq!(reply, Err(CallError::Stopped));
}

#[tokio::test]
async fn key_is_sent_and_kept_out_of_everything_else() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("key"), format!("{SECRET}\n")).unwrap();
    let options = Options {
        directory: directory.path().to_owned(),
        ..Options::default()
    };
    let server = |key: &str, text: &str| {
        let settings = Settings {
            mode: Mode::Fixed(text.to_owned()),
            latency: Duration::ZERO,
            log: None,
            key: Some(key.to_owned()),
        };
        Endpoint::start(0, settings).unwrap()
    };
    let settings = json!({"api_key_file": "key"});
    let file = directory.path().join("calls.sqlite");
    let store = Arc::new(CallStore::open(&file).unwrap());

    // An endpoint that repeats the key in its answer.
    let open = server(SECRET, &format!("Your key is {SECRET}."));
    let entry = entry_with("m", &format!("http://{}", open.address), settings.clone());
    let model = build(&entry, &store, &options).unwrap();
    let reply = model.ask(request("p", "s1", "a", 0)).await.unwrap();
    assert_eq!(reply.text, "Your key is [key].");

    // One that repeats it in its refusal.
    let closed = server("another key", "TRUE");
    let entry = entry_with("m", &format!("http://{}", closed.address), settings);
    let model = build(&entry, &store, &options).unwrap();
    let error = model.ask(request("p", "s1", "a", 0)).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Unauthorized { message } if message.contains("[key]")),
        "{error}"
    );
    assert!(!error.to_string().contains(SECRET), "{error}");
    let error = probe(&entry, &options).await.unwrap_err().to_string();
    assert!(!error.contains(SECRET), "{error}");

    drop(model);
    drop(store);
    std::fs::remove_file(directory.path().join("key")).unwrap();
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "the key is in {}", path.display());
    }
}

#[tokio::test]
async fn missing_key_fails_the_call_and_not_what_is_stored() {
    let server = endpoint(Mode::Fixed("TRUE".to_owned()), 0);
    let store = Arc::new(CallStore::in_memory());
    let with_key = entry_at("m", &format!("http://{}", server.address));
    let kept = build(&with_key, &store, &Options::default())
        .unwrap()
        .ask(request("p", "s1", "a", 0))
        .await;
    assert!(kept.is_ok());

    let settings = json!({"api_key_env": "TABJURY_TEST_KEY_THAT_IS_NOT_SET"});
    let entry = entry_with("m", &format!("http://{}", server.address), settings);
    let model = build(&entry, &store, &Options::default()).unwrap();
    assert_eq!(model.ask(request("p", "s1", "a", 0)).await, kept);
    let error = model.ask(request("p", "s2", "a", 0)).await.unwrap_err();
    assert!(matches!(error, CallError::Unauthorized { .. }), "{error:?}");
    assert!(
        error.to_string().contains("TABJURY_TEST_KEY_THAT_IS_NOT_SET"),
        "{error}"
    );
    assert_eq!(server.served(), 1);
}

#[test]
fn wrong_settings_are_refused_before_anything_is_asked() {
    let cases = [
        ("ftp://host", json!({}), "base_url"),
        ("http://user:password1@host", json!({}), "api_key_env"),
        ("http://host", json!({"timeout_seconds": 0}), "timeout_seconds"),
        ("http://host", json!({"concurrency": 0}), "concurrency"),
        ("http://host", json!({"model": " "}), "model"),
        (
            "http://host",
            json!({"api_key_env": "A", "api_key_file": "b"}),
            "one of them must go",
        ),
        ("http://host", json!({"sampling": {"temperature": -1.0}}), "temperature"),
        ("http://host", json!({"sampling": {"top_p": 1.5}}), "top_p"),
        ("http://host", json!({"sampling": {"max_tokens": 0}}), "max_tokens"),
        (
            "http://host",
            json!({"sampling": {"extra": {"stream": true}}}),
            "extra.stream",
        ),
        (
            "http://host",
            json!({"sampling": {"extra": {"temperature": 1}}}),
            "setting of its own",
        ),
    ];
    for (base_url, settings, word) in cases {
        let entry = entry_with("judge", base_url, settings);
        let error = build(&entry, &Arc::new(CallStore::in_memory()), &Options::default())
            .map(|_| ())
            .unwrap_err();
        let error = error.to_string();
        assert!(error.contains("`judge`") && error.contains(word), "{error}");
        assert!(!error.contains("password1"), "{error}");
    }
}

#[tokio::test]
async fn rules_choose_answers_and_the_probe_lists_models() {
    let rule = |contains: &str, text: &str| Rule {
        contains: contains.to_owned(),
        text: text.to_owned(),
    };
    let server = endpoint(Mode::Rules(vec![rule("about s2", "B, A"), rule("", "A, B")]), 0);
    let (model, _) = model(&server, json!({}));
    assert_eq!(model.ask(request("p", "s1", "a", 0)).await.unwrap().text, "A, B");
    assert_eq!(model.ask(request("p", "s2", "a", 0)).await.unwrap().text, "B, A");
    assert_eq!(
        probe(&entry("m", &server), &Options::default()).await,
        Ok(vec!["local".to_owned()])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_garbage_is_lost_or_taken_for_an_answer() {
    let mode = Mode::Garbage {
        seed: 11,
        percent: 60,
        text: "TRUE".to_owned(),
    };
    let server = endpoint(mode, 0);
    let (model, store) = model(
        &server,
        json!({"concurrency": 64, "max_retries": 2, "timeout_seconds": 10}),
    );
    let replies = join_all((0..200).map(|number| model.ask(request("p", &format!("s{number}"), "a", 0)))).await;
    let mut kinds = std::collections::BTreeMap::new();
    for reply in &replies {
        let kind = match reply {
            Ok(reply) if reply.refusal.is_some() => "refused",
            Ok(reply) if reply.finish == FinishReason::Length => "truncated",
            Ok(reply) if reply.finish == FinishReason::ContentFilter => "filtered",
            Ok(_) => "answered",
            Err(CallError::TooLong { .. }) => "too long",
            Err(CallError::Failed { .. }) => "failed",
            Err(error) => panic!("{error}"),
        };
        *kinds.entry(kind).or_insert(0_u64) += 1;
    }
    for kind in ["answered", "truncated", "refused", "filtered", "too long", "failed"] {
        assert!(kinds.contains_key(kind), "{kinds:?}");
    }
    let reading = model.meter().read();
    assert_eq!(reading.failed, kinds["failed"]);
    assert_eq!(reading.made, 200 - kinds["failed"]);
    assert_eq!(store.count(), Ok(reading.made));
    assert!(reading.retries > 0);
}
