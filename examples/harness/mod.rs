//! What the programs that measure tabjury share: a local endpoint with the OpenAI chat interface that logs every request,
//! and a study of a given size against it.
//!
//! The endpoint answers the same request with the same text, chosen by a hash of the body from answers that methods and
//! judges can read and some that they cannot.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Texts that the endpoint answers with.
const ANSWERS: &[&str] = &[
    "Answer: TRUE",
    "Answer: FALSE",
    "Verdict: correct",
    "Verdict: incorrect",
    "The rows show it.\nAnswer: TRUE",
    "I would rather talk about the weather.",
];

/// One request as the endpoint saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// BLAKE3 of the body, in hexadecimal.
    pub(crate) body: String,
    /// When it had arrived whole.
    pub(crate) arrived: Instant,
    /// When its answer had been handed to the network; `None` while it is under way or when the asker was gone.
    pub(crate) answered: Option<Instant>,
}

/// A local endpoint. It lives until the process ends.
pub(crate) struct Endpoint {
    address: std::net::SocketAddr,
    log: Arc<Mutex<Vec<Seen>>>,
}

impl Endpoint {
    /// Starts it on a free port; every answer takes `delay`.
    pub(crate) fn start(delay: Duration) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&shared);
                // An asker that is killed breaks its connection; that is what this endpoint is for.
                std::thread::spawn(move || serve(&stream, delay, &log));
            }
        });
        Ok(Self { address, log })
    }

    /// What a study calls `base_url`.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> std::net::SocketAddr {
        self.address
    }

    /// Every request so far, in the order of arrival.
    pub(crate) fn log(&self) -> Vec<Seen> {
        lock(&self.log).clone()
    }

    /// Number of requests so far.
    pub(crate) fn count(&self) -> usize {
        lock(&self.log).len()
    }
}

fn lock(log: &Mutex<Vec<Seen>>) -> MutexGuard<'_, Vec<Seen>> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: &TcpStream, delay: Duration, log: &Mutex<Vec<Seen>>) {
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(body) = read_request(&mut reader) {
        let hash = blake3::hash(&body);
        let index = {
            let mut log = lock(log);
            log.push(Seen {
                body: hash.to_hex().to_string(),
                arrived: Instant::now(),
                answered: None,
            });
            log.len() - 1
        };
        std::thread::sleep(delay);
        let answer = ANSWERS[usize::from(hash.as_bytes()[0]) % ANSWERS.len()];
        if writer.write_all(&reply(answer, body.len())).is_err() {
            return;
        }
        lock(log)[index].answered = Some(Instant::now());
    }
}

/// The body of the next request, or `None` when the asker has gone or does not speak HTTP.
fn read_request(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let field = line.trim_end();
        if field.is_empty() {
            break;
        }
        if let Some((name, value)) = field.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

fn reply(answer: &str, prompt_bytes: usize) -> Vec<u8> {
    let body = serde_json::json!({
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "model": "local",
        "choices": [{
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": answer},
        }],
        "usage": {"prompt_tokens": prompt_bytes / 4, "completion_tokens": answer.len() / 4 + 1},
    })
    .to_string();
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}

/// Writes a study with `samples` statements into a directory and gives its path. Every sample has two arms and the control,
/// and one judge who simulates and verifies.
pub(crate) fn write_study(
    directory: &Path,
    endpoint: &Endpoint,
    samples: usize,
    concurrency: usize,
) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(directory)?;
    let mut questions = String::new();
    for sample in 0..samples {
        // A table of its own for every sample, so that no two calls are the same.
        let table = format!(
            "Harbour,Berths,Opened\nNorth {sample},{},1{:03}\nSouth {sample},{},1{:03}\n",
            sample % 17 + 2,
            sample % 900,
            sample % 11 + 3,
            (sample * 7) % 900
        );
        std::fs::write(directory.join(format!("table-{sample}.csv")), table)?;
        let question = serde_json::json!({
            "id": format!("harbour-{sample}"),
            "table": format!("table-{sample}.csv"),
            "statement": format!("North {sample} has more berths than South {sample}."),
            "answer": if sample % 17 + 2 > sample % 11 + 3 { "TRUE" } else { "FALSE" },
        });
        questions.push_str(&format!("{question}\n"));
    }
    std::fs::write(directory.join("questions.jsonl"), questions)?;
    let study = directory.join("study.toml");
    let text = format!(
        r#"[study]
name = "harness"

[[samples]]
dataset = "custom"
questions = "questions.jsonl"

[[models]]
name = "local"
provider = "openai"
base_url = "{}"
model = "local"
concurrency = {concurrency}

[[arms]]
name = "reasoning"
method = "chain_of_thought"
model = "local"

[[arms]]
name = "explaining"
method = "self_explanation"
model = "local"

[[judges]]
name = "judge"
model = "local"

[tasks.simulation]
[tasks.verification]

[report]
max_failure_share = 1.0
"#,
        endpoint.base_url()
    );
    std::fs::write(&study, text)?;
    Ok(study)
}

/// The tabjury binary that was built beside this program.
pub(crate) fn tabjury() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let profile = own
        .parent()
        .and_then(Path::parent)
        .ok_or("this program lies in no target directory")?;
    let binary = profile.join(format!("tabjury{}", std::env::consts::EXE_SUFFIX));
    if binary.is_file() {
        Ok(binary)
    } else {
        Err(format!(
            "{} is not built; run `cargo build` in the same profile first",
            binary.display()
        ))
    }
}

/// One JSON value a line.
pub(crate) fn read_records(path: &Path) -> Result<Vec<serde_json::Value>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display())))
        .collect()
}

/// How often each body was asked for.
pub(crate) fn counts(log: &[Seen]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for seen in log {
        *counts.entry(seen.body.as_str()).or_insert(0) += 1;
    }
    counts
}
