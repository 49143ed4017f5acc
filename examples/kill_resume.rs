//! Kills a run of some 2,000 trials with SIGKILL at 20 random points, resumes it each time, and checks what is left:
//! no judgment lost or doubled, the same bytes as of a run that nobody killed, and no call made again but those that were
//! under way at a kill.
//!
//! ```console
//! cargo build --release && cargo run --release --example kill_resume -- [SEED]
//! ```

#[allow(dead_code, reason = "each program uses its part of the harness")]
mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use harness::Endpoint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SAMPLES: usize = 290;
const TRIALS: usize = 2_000;
const KILLS_AT_CALLS: usize = 16;
const KILLS_WHILE_WRITING: usize = 4;
const CONCURRENCY: usize = 16;
/// Long enough that calls are under way whenever the kill comes.
const DELAY: Duration = Duration::from_millis(10);

fn main() -> ExitCode {
    match check() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("kill_resume: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<String, String> {
    let seed = match std::env::args().nth(1) {
        Some(text) => text.parse().map_err(|_| format!("{text} is no seed"))?,
        None => 20,
    };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let tabjury = harness::tabjury()?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let endpoint = Endpoint::start(scratch.path(), DELAY).map_err(|error| error.to_string())?;
    let study = harness::write_study(&scratch.path().join("study"), &endpoint, SAMPLES, CONCURRENCY)
        .map_err(|error| error.to_string())?;
    let begin = |run: &Path| {
        Command::new(&tabjury)
            .arg("run")
            .arg(&study)
            .arg("--out")
            .arg(run)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())
    };

    // A run that nobody kills says how many calls there are and what the outputs have to be.
    let whole = scratch.path().join("whole");
    finish(begin(&whole)?)?;
    let calls = endpoint.count();
    let began = Instant::now();
    finish(begin(&whole)?)?;
    let writing = began.elapsed();
    if endpoint.count() != calls {
        return Err("a finished run asked again".to_owned());
    }
    let trials = harness::read_records(&whole.join("trials.jsonl"))?.len();
    if trials < TRIALS {
        return Err(format!("{trials} trials are fewer than {TRIALS}"));
    }
    let log = || endpoint.log().map_err(|error| error.to_string());
    if harness::counts(&log()?).len() != calls {
        return Err("the run that nobody killed made a call twice".to_owned());
    }

    // Most kills fall at random points of the calls, the last ones at random times of a run that has all its answers:
    // while it writes pages, records and report.
    let killed = scratch.path().join("killed");
    let mut points: BTreeSet<usize> = BTreeSet::new();
    while points.len() < KILLS_AT_CALLS {
        points.insert(random.random_range(1..calls));
    }
    let mut killed_at = Vec::new();
    // How long the log was after each kill.
    let mut marks = Vec::new();
    for point in points {
        let (count, distinct) = (endpoint.count(), distinct_after(&endpoint, calls)?);
        let target = count + point.saturating_sub(distinct).max(1);
        let mut child = begin(&killed)?;
        if !wait_until(&mut child, || endpoint.count() >= target)? {
            return Err(format!("the run ended before call {point} of {calls}"));
        }
        std::thread::sleep(Duration::from_micros(random.random_range(0..15_000)));
        kill(&mut child)?;
        marks.push(settled(&endpoint)?);
        killed_at.push(distinct_after(&endpoint, calls)?);
    }
    let mut child = begin(&killed)?;
    wait_until(&mut child, || {
        distinct_after(&endpoint, calls).is_ok_and(|distinct| distinct == calls)
    })?;
    kill(&mut child)?;
    marks.push(settled(&endpoint)?);
    for _ in 1..KILLS_WHILE_WRITING {
        let mut child = begin(&killed)?;
        std::thread::sleep(writing.mul_f64(random.random_range(0.0..0.9)));
        kill(&mut child)?;
        marks.push(settled(&endpoint)?);
    }
    finish(begin(&killed)?)?;
    let log = log()?;
    let again = &log[calls..];
    let after_kill = repeats(&log, calls, &marks)?;
    let repeated: usize = after_kill.iter().sum();
    let most_repeated = after_kill.iter().copied().max().unwrap_or(0);

    if harness::counts(again).len() != calls {
        return Err(format!(
            "{} different calls were made, not {calls}",
            harness::counts(again).len()
        ));
    }
    if most_repeated > CONCURRENCY {
        return Err(format!(
            "{most_repeated} calls were made again after one kill, with {CONCURRENCY} under way at most"
        ));
    }
    compare(&whole, &killed)?;
    let judgments = harness::read_records(&killed.join("judgments.jsonl"))?;
    let keys: BTreeSet<String> = judgments
        .iter()
        .map(|judgment| format!("{} {}", judgment["trial"], judgment["judge"]))
        .collect();
    if keys.len() != judgments.len() || keys.len() != trials {
        return Err(format!(
            "{} judgments on {} of {trials} trials",
            judgments.len(),
            keys.len()
        ));
    }

    Ok(format!(
        "{trials} trials, {calls} calls; kills after {killed_at:?} calls and {KILLS_WHILE_WRITING} while it wrote its outputs; {repeated} calls made again in all, at most \
         {most_repeated} after one kill (at most {CONCURRENCY} were under way); {} judgments, none lost or doubled, all bytes as \
         without kills",
        judgments.len()
    ))
}

/// The length of the log once the endpoint has read what a killed run had sent.
fn settled(endpoint: &Endpoint) -> Result<usize, String> {
    let mut length = 0;
    loop {
        std::thread::sleep(10 * DELAY);
        let now = endpoint.log().map_err(|error| error.to_string())?.len();
        if now == length {
            return Ok(now);
        }
        length = now;
    }
}

/// For each kill, how many of the calls that the run before it had sent were made again. `marks` holds the length of the
/// log after each kill; the first `skipped` entries belong to the run that nobody killed.
fn repeats(log: &[String], skipped: usize, marks: &[usize]) -> Result<Vec<usize>, String> {
    let mut after_kill = vec![0; marks.len()];
    let mut last = BTreeMap::new();
    for (place, call) in log.iter().enumerate().skip(skipped) {
        let Some(before) = last.insert(call, place) else {
            continue;
        };
        match marks.iter().position(|mark| (before + 1..=place).contains(mark)) {
            Some(kill) => after_kill[kill] += 1,
            None => return Err(format!("call {call} was made twice with no kill between")),
        }
    }
    Ok(after_kill)
}

/// Different calls among all but the first `skipped`.
fn distinct_after(endpoint: &Endpoint, skipped: usize) -> Result<usize, String> {
    let log = endpoint.log().map_err(|error| error.to_string())?;
    Ok(harness::counts(&log[skipped..]).len())
}

fn kill(child: &mut Child) -> Result<(), String> {
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map(drop).map_err(|error| error.to_string())
}

/// Waits for a condition; `false` when the program ended first.
fn wait_until(child: &mut Child, condition: impl Fn() -> bool) -> Result<bool, String> {
    let began = Instant::now();
    while !condition() {
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(condition());
        }
        if began.elapsed() > Duration::from_secs(120) {
            return Err("the run does not get on".to_owned());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(true)
}

fn finish(child: Child) -> Result<(), String> {
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!(
            "{}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

/// All files that two runs wrote, the call store apart.
fn compare(one: &Path, other: &Path) -> Result<(), String> {
    let (first, second) = (files(one)?, files(other)?);
    if first != second {
        let odd: Vec<_> = first.symmetric_difference(&second).take(5).collect();
        return Err(format!("files of one run only: {odd:?}"));
    }
    for file in first {
        let read = |run: &Path| std::fs::read(run.join(&file)).map_err(|error| format!("{file}: {error}"));
        if read(one)? != read(other)? {
            return Err(format!("{file} differs from that of the run that nobody killed"));
        }
    }
    Ok(())
}

fn files(run: &Path) -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    let mut directories = vec![run.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).map_err(|error| error.to_string())? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let relative = path.strip_prefix(run).map_err(|error| error.to_string())?;
            let name = relative.to_string_lossy().into_owned();
            if !name.starts_with("calls.sqlite") {
                found.insert(name);
            }
        }
    }
    Ok(found)
}
