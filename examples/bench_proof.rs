//! How long the proof of one step takes for a given number of runs, as its table grows; with a column of one value and one
//! that is all blank, which have no other value to offer.
//!
//! ```text
//! cargo run --release --example bench_proof
//! cargo run --release --example bench_proof -- --rows 100000 --runs 40
//! ```
//!
//! For the same runs the time must grow as the rows do.

use std::time::Instant;

use anyhow::ensure;
use clap::Parser;
use tabjury::engine::Engine;
use tabjury::engine::proof::{ProofSettings, ProvenStep, prove_step};
use tabjury::table::Table;
use tabjury::trace::RowSources;
use tabjury::trace::proof::Soundness;

/// Measures proofs.
#[derive(Parser)]
struct Arguments {
    /// Rows of the table; may be given several times.
    #[arg(long, default_values_t = [2_000, 8_000, 100_000])]
    rows: Vec<usize>,
    /// Most runs of the statement.
    #[arg(long, default_value_t = 40)]
    runs: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    println!("{:>9} {:>7} {:>9} {:>14}", "rows", "runs", "seconds", "microseconds");
    println!("{:>9} {:>7} {:>9} {:>14}", "", "", "", "a run and row");
    for &rows in &arguments.rows {
        let table = Table::from_text(
            ["Year", "Rep", "Units", "Note"],
            (0..rows).map(|row| {
                vec![
                    "2020".to_owned(),
                    format!("r{}", row % 7),
                    (row % 100).to_string(),
                    String::new(),
                ]
            }),
        )?;
        let statement = "SELECT rep FROM table_sql WHERE units = 5";
        let engine = Engine::default();
        let execution = engine.run(&table, &RowSources::each_from_itself(rows), statement)?;
        let step = ProvenStep {
            id: "bench",
            step: 0,
            input: &table,
            statement,
            table: &execution.table,
            lineage: &execution.lineage,
        };
        let settings = ProofSettings {
            runs: arguments.runs,
            work: u64::MAX / 4,
            ..ProofSettings::default()
        };
        let begun = Instant::now();
        let proof = prove_step(&engine, &step, &settings);
        let seconds = begun.elapsed().as_secs_f64();
        ensure!(
            !matches!(proof.soundness, Soundness::Unsound { .. }),
            "{:?}",
            proof.soundness
        );
        #[allow(clippy::cast_precision_loss)]
        let each = seconds * 1e6 / (proof.runs * rows) as f64;
        println!("{rows:>9} {:>7} {seconds:>9.2} {each:>14.3}", proof.runs);
    }
    Ok(())
}
