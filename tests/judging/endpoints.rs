//! Judges behind an endpoint: what is sent to it, in which form, and what it is not asked again.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tabjury::judge::settings::JudgeOutput;
use tabjury::judge::{Confidence, Verdict};

use crate::Line;

/// An endpoint that refuses what `refuses` names in a request, and otherwise answers with this body. It keeps the bodies
/// it was sent.
pub(crate) fn endpoint(refuses: &'static str, answer: Value) -> (String, Arc<Mutex<Vec<Value>>>) {
    let (address, bodies, _) = listening(refuses, answer);
    (address, bodies)
}

/// What an endpoint was sent, request by request.
type Sent<T> = Arc<Mutex<Vec<T>>>;

/// Its address, the bodies it was sent, and the same as they came.
pub(crate) fn listening(refuses: &'static str, answer: Value) -> (String, Sent<Value>, Sent<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let kept = bodies.clone();
    let raw = Arc::new(Mutex::new(Vec::new()));
    let kept_raw = raw.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap_or_default() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            kept_raw.lock().unwrap().push(String::from_utf8(body.clone()).unwrap());
            let body: Value = serde_json::from_slice(&body).unwrap();
            let (status, reply) = match body.get(refuses) {
                Some(_) => (
                    400,
                    json!({"error": {"message": format!("{refuses} is not supported here")}}),
                ),
                None => (200, answer.clone()),
            };
            kept.lock().unwrap().push(body);
            let reply = reply.to_string();
            let _ = write!(
                stream,
                "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{reply}",
                reply.len()
            );
        }
    });
    (address, bodies, raw)
}

/// An endpoint that answers nothing of use and keeps the bytes it was sent.
fn raw_endpoint() -> (String, Arc<Mutex<Vec<String>>>) {
    let (address, _, sent) = listening("nothing", completion("Hm.", Value::Null));
    (address, sent)
}

pub(crate) fn completion(text: &str, logprobs: Value) -> Value {
    json!({
        "choices": [{"message": {"content": text}, "finish_reason": "stop", "logprobs": logprobs}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3},
    })
}

pub(crate) fn with_endpoint(address: &str, settings: &str) -> Line {
    Line::new().add(&format!(
        "[[models]]\nname = \"e\"\nprovider = \"openai\"\nbase_url = \"{address}\"\nmodel = \"m\"\nmax_retries = \
         0\n[[judges]]\nname = \"e\"\nmodel = \"e\"\n{settings}\n[tasks.verification]\n[prices.m]\ninput_per_million = \
         0.0\noutput_per_million = 0.0"
    ))
}

#[test]
fn json_is_asked_for_with_its_schema_and_text_where_that_is_refused() {
    let answer = completion(
        "{\"analysis\": \"Verdict: incorrect?\", \"verdict\": \"correct\"}",
        Value::Null,
    );
    let (address, bodies) = endpoint("nothing", answer);
    let written = with_endpoint(&address, "output = \"json\"").run();
    assert!(
        written
            .verdicts()
            .iter()
            .all(|verdict| **verdict == Verdict::Correct(true))
    );
    let sent = bodies.lock().unwrap().clone();
    for body in &sent {
        let schema = &body["response_format"]["json_schema"]["schema"];
        let mut options = schema["properties"]["verdict"]["enum"].as_array().unwrap().clone();
        options.sort_by_key(Value::to_string);
        assert_eq!(options, [json!("correct"), json!("incorrect")]);
        let prompt = body["messages"][0]["content"].as_str().unwrap();
        assert!(
            prompt.contains("one JSON object") && !prompt.contains("`Verdict:`"),
            "{prompt}"
        );
    }

    let (address, bodies) = endpoint("response_format", completion("Verdict: correct", Value::Null));
    let line = with_endpoint(&address, "output = \"json\"");
    let written = line.run();
    assert!(
        written
            .verdicts()
            .iter()
            .all(|verdict| **verdict == Verdict::Correct(true))
    );
    let count = written.judgments.len();
    let refused = |bodies: &Mutex<Vec<Value>>| {
        let bodies = bodies.lock().unwrap();
        bodies
            .iter()
            .filter(|body| body.get("response_format").is_some())
            .count()
    };
    assert_eq!(refused(&bodies), 1, "what was refused once is not asked for again");
    assert_eq!(bodies.lock().unwrap().len(), count + 1);
    for judgment in &written.judgments {
        let asked = judgment.asked.unwrap();
        assert!(asked.refused && asked.output == JudgeOutput::Text, "{asked:?}");
    }
    let flag = written.flag("asked_as_text").unwrap();
    assert!(flag.contains(&format!("{count} of {count} trials")), "{flag}");

    // Done again on the same store, nothing is asked, and the bytes are the same.
    let before = fs::read(written.root.join("judgments.jsonl")).unwrap();
    let again = written.again();
    assert_eq!(fs::read(again.root.join("judgments.jsonl")).unwrap(), before);
    assert_eq!(bodies.lock().unwrap().len(), count + 1);
}

#[test]
fn the_reasoning_comes_before_the_verdict_on_the_wire() {
    let forms = [
        ("ranking", "[tasks.preference]", &["ranking"][..]),
        ("ties", "[tasks.preference]\nties = true", &["ranking"]),
        ("pairwise", "[tasks.preference]\nprotocol = \"pairwise\"", &["ranking"]),
        (
            "best_worst",
            "[tasks.preference]\nprotocol = \"best_worst\"",
            &["best", "worst"],
        ),
        (
            "pointwise",
            "[tasks.preference]\nprotocol = \"pointwise\"",
            &["clarity", "coherence", "helpfulness"],
        ),
        ("verification", "[tasks.verification]", &["verdict"]),
        ("simulation", "[tasks.simulation]", &["answer"]),
    ];
    for (name, tasks, decides) in forms {
        let (address, sent) = raw_endpoint();
        let line = with_endpoint(&address, "output = \"json\"");
        let line = Line {
            text: line.text.replace("[tasks.verification]", tasks),
            ..line
        };
        line.run();
        let sent = sent.lock().unwrap();
        // An answer that says nothing is asked for again, in text.
        let asked: Vec<&String> = sent.iter().filter(|body| body.contains("response_format")).collect();
        assert!(!asked.is_empty(), "{name}");
        for body in asked {
            for part in ["\"properties\":{", "\"required\":["] {
                let begin = body.find(part).unwrap();
                let text = &body[begin..];
                let at = |field: &str| text.find(&format!("\"{field}\"")).unwrap();
                assert!(decides.iter().all(|field| at("analysis") < at(field)), "{name}: {text}");
            }
        }
    }
}

#[test]
fn probabilities_of_tokens_are_kept_with_the_judgment_or_said_to_be_absent() {
    let top = |pairs: &[(&str, f64)]| -> Value {
        pairs
            .iter()
            .map(|(token, p)| json!({"token": token, "logprob": p.ln()}))
            .collect()
    };
    let content = json!([
        {"token": "Verdict:", "logprob": 0.0, "top_logprobs": []},
        {"token": " correct", "logprob": f64::ln(0.6), "top_logprobs": top(&[(" correct", 0.6), (" incorrect", 0.2)])},
    ]);
    let (address, bodies) = endpoint("nothing", completion("Verdict: correct", json!({"content": content})));
    let settings = "confidence = \"token_probabilities\"";
    let written = with_endpoint(&address, settings).run();
    written.verdicts();
    for judgment in &written.judgments {
        let Some(Confidence::TokenProbabilities { positive, told }) = judgment.confidence else {
            panic!("{judgment:?}");
        };
        assert!(
            (positive - 0.75).abs() < 1e-9 && (told - 0.8).abs() < 1e-9,
            "{positive} {told}"
        );
    }
    assert!(
        bodies
            .lock()
            .unwrap()
            .iter()
            .all(|body| body["logprobs"] == true && body["top_logprobs"] == 20)
    );

    for (refuses, answer) in [("nothing", Value::Null), ("logprobs", Value::Null)] {
        let (address, _) = endpoint(refuses, completion("Verdict: correct", answer));
        let written = with_endpoint(&address, settings).run();
        written.verdicts();
        for judgment in &written.judgments {
            let absent =
                matches!(&judgment.confidence, Some(Confidence::Absent { reason }) if reason.contains("no prob"));
            assert!(absent, "{refuses}: {judgment:?}");
        }
    }
}
