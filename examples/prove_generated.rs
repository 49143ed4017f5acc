//! Proves the lineage of generated statements: `cargo run --release --example prove_generated [COUNT] [SEED]`.
//!
//! Prints how many of each kind came out sound, complete, explained, conservative or undecided, and everything that was
//! found wrong. Fails unless all are sound, and 99 of 100 complete or explained.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, unreachable_pub)]

#[path = "../tests/proof/generator.rs"]
mod generator;
#[path = "../tests/proof/tally.rs"]
mod tally;

use std::time::Instant;

use tabjury::engine::proof::ProofSettings;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>().expect("a number"));
    let count = arguments.next().unwrap_or(5000);
    let seed = arguments.next().unwrap_or(1);
    let begun = Instant::now();
    let tally = tally::Tally::of(
        seed,
        usize::try_from(count).expect("a count"),
        &ProofSettings::default(),
    );
    for finding in &tally.findings {
        println!("{finding}\n");
    }
    println!("{}{:.1} s", tally.table(), begun.elapsed().as_secs_f64());
    tally.assert_proven(1.0, 0.99);
}
