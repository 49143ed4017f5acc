//! How long 500 trials take against a local endpoint that answers at once, at 64 calls under way: the wall time of the
//! binary, from its start to its end, beside a bare client that sends the same number of requests.
//!
//! ```console
//! cargo build --release && cargo run --release --example bench_trials
//! ```

#[allow(dead_code, reason = "each program uses its part of the harness")]
mod harness;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use harness::Endpoint;

/// Seven trials a sample at most, so that there are 500 of them at least.
const SAMPLES: usize = 75;
const TRIALS: usize = 500;
const CONCURRENCY: usize = 64;
const ROUNDS: usize = 3;
/// About the size of a judge's prompt.
const BODY_BYTES: usize = 2_000;

fn main() -> ExitCode {
    match measure() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("bench_trials: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<String, String> {
    let tabjury = harness::tabjury()?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let endpoint = Endpoint::start(scratch.path(), Duration::ZERO).map_err(|error| error.to_string())?;
    let study = harness::write_study(&scratch.path().join("study"), &endpoint, SAMPLES, CONCURRENCY)
        .map_err(|error| error.to_string())?;
    let mut best = Duration::MAX;
    let mut report = String::new();
    let mut calls = 0;
    for round in 0..ROUNDS {
        let run = scratch.path().join(format!("run-{round}"));
        let stage = |stages: &[&str]| time_stages(&tabjury, &study, &run, stages);
        stage(&["answer", "explain"])?;
        let before = endpoint.count();
        let wall = stage(&["judge"])?;
        calls = endpoint.count() - before;
        let trials = harness::read_records(&run.join("trials.jsonl"))?.len();
        if trials < TRIALS {
            return Err(format!("{trials} trials are fewer than {TRIALS}"));
        }
        let whole = stage(&[])?;
        best = best.min(wall);
        report.push_str(&format!(
            "round {}: {trials} trials ({calls} calls) judged in {:.3} s; all stages again, from the store: {:.3} s\n",
            round + 1,
            wall.as_secs_f64(),
            whole.as_secs_f64()
        ));
    }
    let floor = bare_client(&endpoint, calls)?;
    report.push_str(&format!(
        "best: {:.3} s, {:.3} ms a call; a bare client sends {calls} requests in {:.3} s: ratio {:.1}",
        best.as_secs_f64(),
        1_000.0 * best.as_secs_f64() / calls as f64,
        floor.as_secs_f64(),
        best.as_secs_f64() / floor.as_secs_f64()
    ));
    Ok(report)
}

fn time_stages(tabjury: &Path, study: &Path, run: &Path, stages: &[&str]) -> Result<Duration, String> {
    let mut command = Command::new(tabjury);
    command.arg("run").arg(study).arg("--out").arg(run);
    for stage in stages {
        command.args(["--stage", stage]);
    }
    let began = Instant::now();
    let output = command
        .stdout(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let wall = began.elapsed();
    if output.status.success() {
        Ok(wall)
    } else {
        Err(format!(
            "{stages:?}: {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

/// Sends the requests over as many connections as there may be calls under way, and reads the answers without a look.
fn bare_client(endpoint: &Endpoint, calls: usize) -> Result<Duration, String> {
    let address = endpoint.address();
    let began = Instant::now();
    let workers: Vec<_> = (0..CONCURRENCY)
        .map(|worker| {
            let share = calls / CONCURRENCY + usize::from(worker < calls % CONCURRENCY);
            std::thread::spawn(move || -> std::io::Result<()> {
                let stream = TcpStream::connect(address)?;
                stream.set_nodelay(true)?;
                let mut reader = BufReader::new(&stream);
                for call in 0..share {
                    let body = format!("{worker} {call} {}", "x".repeat(BODY_BYTES));
                    let head = format!(
                        "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n",
                        body.len()
                    );
                    (&stream).write_all(format!("{head}{body}").as_bytes())?;
                    read_reply(&mut reader)?;
                }
                Ok(())
            })
        })
        .collect();
    for worker in workers {
        worker
            .join()
            .map_err(|_| "a worker of the bare client broke".to_owned())?
            .map_err(|error| error.to_string())?;
    }
    Ok(began.elapsed())
}

fn read_reply(reader: &mut impl BufRead) -> std::io::Result<()> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let field = line.trim_end();
        if field.is_empty() {
            break;
        }
        if let Some(value) = field.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)
}
