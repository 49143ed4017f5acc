//! How long calls take from request to stored answer: the model room alone, against a local endpoint.
//!
//! ```text
//! cargo run --release --example bench_calls
//! cargo run --release --example bench_calls -- --calls 20000 --concurrency 64 --prompt-bytes 27000
//! ```
//!
//! The first line is for calls that are made, the second for the same calls answered from the store by a new run.

#[path = "endpoint/server.rs"]
mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Parser;
use futures::StreamExt;
use tabjury::model::{CallStore, Message, Model, ModelEntry, Options, Purpose, Request, Sampling, build};

use server::{Endpoint, Mode, Settings};

/// Measures calls from request to stored answer.
#[derive(Parser)]
struct Arguments {
    /// Calls to make.
    #[arg(long, default_value_t = 500)]
    calls: u32,
    /// Most calls under way at once.
    #[arg(long, default_value_t = 64)]
    concurrency: usize,
    /// Time that the endpoint takes for each, in milliseconds.
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// Length of each prompt.
    #[arg(long, default_value_t = 2_000)]
    prompt_bytes: usize,
    /// Base URL of an endpoint in another process, instead of one in this process.
    #[arg(long)]
    base_url: Option<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let directory = std::env::temp_dir().join(format!("tabjury-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let file = directory.join("calls.sqlite");
    let base_url = match &arguments.base_url {
        Some(base_url) => base_url.clone(),
        None => {
            let settings = Settings {
                mode: Mode::Fixed("The answer is TRUE.".to_owned()),
                latency: Duration::from_millis(arguments.latency_ms),
                log: None,
                key: None,
            };
            format!("http://{}", Endpoint::start(0, settings)?.address)
        }
    };
    let entry = serde_json::json!({"provider": "openai", "name": "bench", "base_url": base_url, "model": "local"});
    let entry: ModelEntry = serde_json::from_value(entry)?;
    let options = Options {
        concurrency: Some(arguments.concurrency),
        ..Options::default()
    };
    for _ in 0..2 {
        let began = Instant::now();
        let store = Arc::new(CallStore::open(&file)?);
        let model = build(&entry, &store, &options)?;
        let replies = futures::stream::iter(0..arguments.calls)
            .map(|number| {
                let model = Arc::clone(&model);
                let request = request(number, arguments.prompt_bytes);
                tokio::spawn(async move { model.ask(request).await })
            })
            .buffer_unordered(arguments.concurrency);
        let failed = replies
            .filter(|reply| std::future::ready(!matches!(reply, Ok(Ok(_)))))
            .count()
            .await;
        let reading = model.meter().read();
        drop(model);
        drop(store);
        let elapsed = began.elapsed();
        println!(
            "{} made, {} from the store, {failed} failed: {:.3} s, {:.0} a second",
            reading.made,
            reading.from_store,
            elapsed.as_secs_f64(),
            f64::from(arguments.calls) / elapsed.as_secs_f64()
        );
        ensure!(failed == 0, "{failed} calls failed");
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

fn request(number: u32, prompt_bytes: usize) -> Request {
    Request {
        purpose: Purpose {
            name: "judge.verification".to_owned(),
            sample: format!("sample-{number}"),
            arm: "pos".to_owned(),
            turn: 0,
        },
        messages: vec![Message::user(format!("{number}: {}", "word ".repeat(prompt_bytes / 5)))],
        sampling: Sampling::default(),
        repeat: 0,
    }
}
