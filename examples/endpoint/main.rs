//! A local OpenAI-compatible chat endpoint, for benchmarks and for trying a study without a model.
//!
//! It prints its base URL on stdout and serves until it is killed:
//!
//! ```text
//! cargo run --example endpoint -- --port 0 --latency-ms 50 --mode fixed:TRUE
//! cargo run --example endpoint -- --answers answers.jsonl --log requests.txt
//! cargo run --example endpoint -- --mode garbage --seed 7 --percent 40
//! ```
//!
//! Modes: `fixed:TEXT`, `cycle:FILE` (one answer a line), `garbage` (HTML, cut JSON, no choices, 500, 429 with
//! Retry-After, slowness, and more). `--answers FILE` takes rules, one JSON object a line:
//! `{"contains": "Rank the explanations", "text": "A, B, C"}`; the first that fits answers.

mod server;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Parser;

use server::{Endpoint, Mode, Rule, Settings};

/// A local OpenAI-compatible chat endpoint.
#[derive(Parser)]
struct Arguments {
    /// Port on 127.0.0.1; 0 for any.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Time before each answer, in milliseconds.
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// File that gets one line a request: the BLAKE3 of its body.
    #[arg(long)]
    log: Option<PathBuf>,
    /// `fixed:TEXT`, `cycle:FILE` or `garbage`.
    #[arg(long, default_value = "fixed:TRUE")]
    mode: String,
    /// Rules that choose the answer, instead of a mode.
    #[arg(long)]
    answers: Option<PathBuf>,
    /// Seed of the garbage.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Garbage out of 100 requests.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    percent: u8,
    /// The key that requests must carry.
    #[arg(long)]
    key: Option<String>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mode = match (&arguments.answers, arguments.mode.split_once(':')) {
        (Some(file), _) => Mode::Rules(read_rules(file)?),
        (None, Some(("fixed", text))) => Mode::Fixed(text.to_owned()),
        (None, Some(("cycle", file))) => Mode::Cycle(read(Path::new(file))?.lines().map(str::to_owned).collect()),
        (None, None) if arguments.mode == "garbage" => Mode::Garbage {
            seed: arguments.seed,
            percent: arguments.percent,
            text: "TRUE".to_owned(),
        },
        _ => bail!("--mode {} is none of fixed:TEXT, cycle:FILE, garbage", arguments.mode),
    };
    let settings = Settings {
        mode,
        latency: Duration::from_millis(arguments.latency_ms),
        log: arguments.log.as_deref().map(open_log).transpose()?,
        key: arguments.key,
    };
    let endpoint = Endpoint::start(arguments.port, settings).context("the endpoint cannot listen")?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "http://{}/v1", endpoint.address)?;
    stdout.flush()?;
    loop {
        std::thread::park();
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn read_rules(file: &Path) -> anyhow::Result<Vec<Rule>> {
    let text = read(file)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).with_context(|| format!("{}, line {}", file.display(), index + 1))
        })
        .collect()
}

fn open_log(file: &Path) -> anyhow::Result<File> {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    opened.with_context(|| format!("{} cannot be written", file.display()))
}
