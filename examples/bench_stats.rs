//! How long the bootstrap takes, on data that `scripts/bench_stats.py` makes and gives to scipy and choix as well:
//!
//! ```console
//! pip install numpy scipy choix
//! cargo build --profile dist --example bench_stats
//! python scripts/bench_stats.py
//! ```
//!
//! It reads one JSON file and prints one line of JSON a task: name, seconds, and the ends of the interval found.

use std::process::ExitCode;
use std::time::Instant;

use serde::Deserialize;
use serde_json::json;
use tabjury::stats::Interval;
use tabjury::stats::bootstrap::{Bootstrap, Resampling, bootstrap, bootstrap_mean, bootstrap_several};
use tabjury::stats::bradley_terry::davidson_from;

#[derive(Deserialize)]
struct Data {
    /// Right or wrong, as 1 and 0.
    binary: Vec<f64>,
    /// All different.
    real: Vec<f64>,
    /// Sum and count of every sample's judgments.
    samples: Vec<Vec<f64>>,
    /// Wins of every sample, row by row of a square matrix.
    comparisons: Vec<Vec<f64>>,
    items: usize,
    resamples: usize,
    resamples_of_strengths: usize,
}

fn main() -> ExitCode {
    match measure() {
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("bench_stats: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<Vec<serde_json::Value>, String> {
    let path = std::env::args_os().nth(1).ok_or("give the file of data")?;
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let data: Data = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let resampling = Resampling {
        resamples: data.resamples,
        seed: 1,
        level: 0.95,
    };
    let singles = |values: &[f64]| -> Vec<Vec<f64>> { values.iter().map(|value| vec![*value]).collect() };
    let (binary, real) = (singles(&data.binary), singles(&data.real));
    let mut lines = Vec::new();
    let mut record = |name: &str, begin: Instant, found: &Bootstrap| -> Result<(), String> {
        let seconds = begin.elapsed().as_secs_f64();
        let ends = |interval: &Result<Interval, _>| interval.as_ref().map(|i| [i.low, i.high]).ok();
        lines.push(
            json!({"name": name, "seconds": seconds, "percentile": ends(&found.percentile), "bca": ends(&found.bca)}),
        );
        Ok(())
    };
    let say = |undefined: tabjury::stats::Undefined| undefined.to_string();
    let begin = Instant::now();
    record("binary mean", begin, &bootstrap_mean(&binary, resampling).map_err(say)?)?;
    let begin = Instant::now();
    record("real mean", begin, &bootstrap_mean(&real, resampling).map_err(say)?)?;
    let begin = Instant::now();
    let clustered = bootstrap(&data.samples, resampling, |totals| {
        (totals[1] > 0.0).then(|| totals[0] / totals[1])
    });
    record("mean over samples", begin, &clustered.map_err(say)?)?;
    let begin = Instant::now();
    let of_strengths = Resampling {
        resamples: data.resamples_of_strengths,
        ..resampling
    };
    let none = vec![vec![0.0; data.items]; data.items];
    let mut start = None;
    let strengths = bootstrap_several(&data.comparisons, data.items, of_strengths, |totals, values| {
        let wins: Vec<Vec<f64>> = totals.chunks_exact(data.items).map(<[f64]>::to_vec).collect();
        let Ok(strengths) = davidson_from(&wins, &none, 0.0, start.as_ref()) else {
            return false;
        };
        values.copy_from_slice(&strengths.log_strengths);
        start.get_or_insert(strengths);
        true
    });
    record("strengths", begin, &strengths.map_err(say)?[0])?;
    Ok(lines)
}
