//! An OpenAI-compatible chat endpoint for tests and benchmarks: one thread a connection, keep-alive, answers that
//! depend on the request alone.

// The example and the tests each use a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

/// How the endpoint behaves.
pub(crate) struct Settings {
    /// What it answers.
    pub(crate) mode: Mode,
    /// Time before each answer.
    pub(crate) latency: Duration,
    /// Gets one line a request: the BLAKE3 of its body.
    pub(crate) log: Option<File>,
    /// The key that it wants; a wrong one is refused, and repeated in the refusal.
    pub(crate) key: Option<String>,
}

/// What it answers.
pub(crate) enum Mode {
    /// One text, always.
    Fixed(String),
    /// One text after the other, and again from the start.
    Cycle(Vec<String>),
    /// The text of the first rule whose words the conversation contains.
    Rules(Vec<Rule>),
    /// Responses in this order, and the last one for ever after.
    Canned(Vec<Canned>),
    /// Junk of every kind for a share of the requests, drawn from the seed, the body and how often the body came.
    Garbage {
        /// The seed.
        seed: u64,
        /// Junk out of 100 requests.
        percent: u8,
        /// What it answers when it behaves.
        text: String,
    },
}

/// A rule of [`Mode::Rules`], one a line of a JSONL file.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Words that the conversation contains; empty for any.
    pub(crate) contains: String,
    /// The answer.
    pub(crate) text: String,
}

/// A response of [`Mode::Canned`].
#[derive(Clone, Default)]
pub(crate) struct Canned {
    /// Status code.
    pub(crate) status: u16,
    /// Header lines, each with its end.
    pub(crate) headers: String,
    /// Body.
    pub(crate) body: String,
    /// Time before it.
    pub(crate) wait: Duration,
    /// Whether the connection breaks off in the middle of the body.
    pub(crate) breaks_off: bool,
}

/// A running endpoint. Its threads end with the process.
pub(crate) struct Endpoint {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    settings: Settings,
    seen: Mutex<BTreeMap<[u8; 32], u64>>,
    served: AtomicUsize,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    last: Mutex<Vec<u8>>,
}

impl Endpoint {
    /// Starts it on a port of this machine; 0 for any.
    pub(crate) fn start(port: u16, settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            settings,
            seen: Mutex::default(),
            served: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            most_under_way: AtomicUsize::new(0),
            last: Mutex::default(),
        });
        let endpoint = Self {
            address,
            state: Arc::clone(&state),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&state);
                // A client that hangs up, or speaks something else, ends its own thread and nothing more.
                std::thread::spawn(move || state.talk(stream).ok());
            }
        });
        Ok(endpoint)
    }

    /// Requests so far.
    pub(crate) fn served(&self) -> usize {
        self.state.served.load(Ordering::SeqCst)
    }

    /// Most requests under way at once so far.
    pub(crate) fn most_under_way(&self) -> usize {
        self.state.most_under_way.load(Ordering::SeqCst)
    }

    /// The last request's body.
    pub(crate) fn last_body(&self) -> Value {
        serde_json::from_slice(&lock(&self.state.last)).unwrap_or_default()
    }
}

impl State {
    fn talk(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::with_capacity(64 << 10, stream);
        while let Some(request) = read_request(&mut reader)? {
            let under_way = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_under_way.fetch_max(under_way, Ordering::SeqCst);
            let answered = self.answer(&request, &mut writer);
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            if !answered? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Answers; `false` when the connection is to end.
    fn answer(&self, request: &HttpRequest, writer: &mut TcpStream) -> io::Result<bool> {
        if let Some(key) = &self.settings.key
            && request.authorization != format!("Bearer {key}")
        {
            let message = format!("the key is wrong: {}", request.authorization);
            let body = json!({"error": {"message": message, "code": "invalid_api_key"}});
            return send(writer, 401, "", &body.to_string());
        }
        if request.path.ends_with("/models") {
            let body = json!({"object": "list", "data": [{"id": "local", "object": "model"}]});
            return send(writer, 200, "", &body.to_string());
        }
        if !request.path.ends_with("/v1/chat/completions") {
            let body = json!({"error": {"message": format!("no such path: {}", request.path), "code": "not_found"}});
            return send(writer, 404, "", &body.to_string());
        }
        let number = self.served.fetch_add(1, Ordering::SeqCst);
        let digest = blake3::hash(&request.body);
        if let Some(log) = &self.settings.log {
            let mut log: &File = log;
            // One write, so that lines of several threads do not mix.
            log.write_all(format!("{}\n", digest.to_hex()).as_bytes())?;
        }
        lock(&self.last).clone_from(&request.body);
        if !self.settings.latency.is_zero() {
            std::thread::sleep(self.settings.latency);
        }
        match &self.settings.mode {
            Mode::Fixed(text) => send(writer, 200, "", &completion(&request.body, text, "stop")),
            Mode::Cycle(texts) => {
                let text = texts.get(number % texts.len().max(1)).map_or("", String::as_str);
                send(writer, 200, "", &completion(&request.body, text, "stop"))
            }
            Mode::Rules(rules) => {
                let conversation = conversation(&request.body);
                let rule = rules.iter().find(|rule| conversation.contains(&rule.contains));
                let text = rule.map_or("", |rule| rule.text.as_str());
                send(writer, 200, "", &completion(&request.body, text, "stop"))
            }
            Mode::Canned(responses) => match responses.get(number.min(responses.len().saturating_sub(1))) {
                Some(response) => play(writer, response),
                None => Ok(false),
            },
            Mode::Garbage { seed, percent, text } => {
                let mut seen = lock(&self.seen);
                let times = seen.entry(*digest.as_bytes()).or_default();
                *times += 1;
                let draw = format!("{seed} {times} {}", digest.to_hex());
                drop(seen);
                let draw = blake3::hash(draw.as_bytes());
                let [share, kind, ..] = *draw.as_bytes();
                if u32::from(share) * 100 / 256 < u32::from(*percent) {
                    play(writer, &junk(kind, &request.body))
                } else {
                    send(writer, 200, "", &completion(&request.body, text, "stop"))
                }
            }
        }
    }
}

/// One kind of junk.
fn junk(kind: u8, request: &[u8]) -> Canned {
    let whole = completion(request, "The answer is TRUE.", "stop");
    let ok = |body: &str| Canned {
        status: 200,
        body: body.to_owned(),
        ..Canned::default()
    };
    let failed = |status: u16, headers: &str, body: &str| Canned {
        status,
        headers: headers.to_owned(),
        body: body.to_owned(),
        ..Canned::default()
    };
    match kind % 14 {
        0 => ok("<!doctype html><title>502</title><h1>Bad gateway</h1>"),
        1 => ok(whole.get(..whole.len() / 2).unwrap_or_default()),
        2 => ok(r#"{"choices": []}"#),
        3 => failed(500, "", r#"{"error": {"message": "out of luck", "code": 500}}"#),
        4 => failed(429, "Retry-After: 0\r\n", r#"{"error": {"message": "slow down"}}"#),
        5 => failed(503, "Retry-After: 1\r\n", "busy"),
        6 => Canned {
            wait: Duration::from_millis(200),
            ..ok(&whole)
        },
        7 => Canned {
            breaks_off: true,
            ..ok(&whole)
        },
        8 => ok(r#"{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}"#),
        9 => ok(&completion(request, "TRUE and then FALSE and then", "length")),
        10 => ok(r#"{"choices": [{"message": {"content": null, "refusal": "No."}, "finish_reason": "stop"}]}"#),
        11 => ok(r#"{"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}"#),
        12 => failed(
            400,
            "",
            r#"{"error": {"message": "9000 of 8192", "code": "context_length_exceeded"}}"#,
        ),
        _ => ok(&completion(
            request,
            "\u{202e}<script>alert(1)</script> 1. Explanation Q 2. {{ 7 * 7 }}\u{0}",
            "stop",
        )),
    }
}

fn play(writer: &mut TcpStream, response: &Canned) -> io::Result<bool> {
    std::thread::sleep(response.wait);
    if response.breaks_off {
        let whole = frame(response.status, &response.headers, &response.body);
        writer.write_all(
            whole
                .as_bytes()
                .get(..whole.len() - response.body.len() / 2)
                .unwrap_or_default(),
        )?;
        return Ok(false);
    }
    send(writer, response.status, &response.headers, &response.body)
}

fn send(writer: &mut TcpStream, status: u16, headers: &str, body: &str) -> io::Result<bool> {
    writer.write_all(frame(status, headers, body).as_bytes())?;
    Ok(true)
}

fn frame(status: u16, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// A reply with this text, its tokens guessed from its length.
pub(crate) fn completion(request: &[u8], text: &str, finish: &str) -> String {
    json!({
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 0,
        "model": "local",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": finish,
        }],
        "usage": {
            "prompt_tokens": request.len() / 4,
            "completion_tokens": text.len() / 4,
            "total_tokens": request.len() / 4 + text.len() / 4,
        },
    })
    .to_string()
}

/// All messages of a request, one after the other.
fn conversation(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let contents = messages.iter().filter_map(|message| message["content"].as_str());
    contents.collect::<Vec<_>>().join("\n")
}

struct HttpRequest {
    path: String,
    authorization: String,
    body: Vec<u8>,
}

/// The next request of a connection; `None` when it has ended.
fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<HttpRequest>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    let mut authorization = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        } else if name.eq_ignore_ascii_case("authorization") {
            value.trim().clone_into(&mut authorization);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(HttpRequest {
        path,
        authorization,
        body,
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
