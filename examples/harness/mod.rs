//! What the programs that measure tabjury share: the local endpoint with a log of what it was asked, and a study of a
//! given size against it.

#[path = "../endpoint/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use server::{Mode, Rule, Settings};

/// What the endpoint answers: one text for every kind of prompt, and now and then something that nobody can read.
const RULES: &[(&str, &str)] = &[
    ("North 13 ", "I would rather talk about the weather."),
    (
        "You have two tasks",
        "Answer: TRUE\nExplanation: North has the larger number under Berths.",
    ),
    ("Think first, then answer", "I compare the two rows.\nAnswer: FALSE"),
    ("Say what the MODEL answered", "Answer: TRUE"),
    ("Say whether the model's answer", "Verdict: correct"),
];

/// A local endpoint that logs every request. It lives until the process ends.
pub(crate) struct Endpoint {
    endpoint: server::Endpoint,
    log: PathBuf,
}

impl Endpoint {
    /// Starts it on a free port; every answer takes `delay`. The log lies in `directory`.
    pub(crate) fn start(directory: &Path, delay: Duration) -> std::io::Result<Self> {
        let log = directory.join("requests.txt");
        let rule = |(contains, text): &(&str, &str)| Rule {
            contains: (*contains).to_owned(),
            text: (*text).to_owned(),
        };
        let settings = Settings {
            mode: Mode::Rules(RULES.iter().map(rule).collect()),
            latency: delay,
            log: Some(OpenOptions::new().create(true).append(true).open(&log)?),
            key: None,
        };
        let endpoint = server::Endpoint::start(0, settings)?;
        Ok(Self { endpoint, log })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.endpoint.address
    }

    /// The BLAKE3 of the body of every request so far, in the order of arrival.
    pub(crate) fn log(&self) -> std::io::Result<Vec<String>> {
        let text = std::fs::read_to_string(&self.log)?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Number of requests so far.
    pub(crate) fn count(&self) -> usize {
        self.endpoint.served()
    }
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
            "label": sample % 17 + 2 > sample % 11 + 3,
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
base_url = "http://{}/v1"
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
        endpoint.address()
    );
    std::fs::write(&study, text)?;
    Ok(study)
}

/// The tabjury binary: the one that `TABJURY_BINARY` names, else the one that was built beside this program.
pub(crate) fn tabjury() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("TABJURY_BINARY") {
        return std::path::absolute(named).map_err(|error| error.to_string());
    }
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
pub(crate) fn counts(log: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for body in log {
        *counts.entry(body.as_str()).or_insert(0) += 1;
    }
    counts
}
