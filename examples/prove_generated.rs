//! Proves the lineage of generated statements: `cargo run --release --example prove_generated [COUNT] [SEED] [rows]`.
//! With `rows`, only rows are deleted, which is fast: to look for what the proof should be tried on. With numbers in its
//! place, as `129,267`, those statements alone are proven.
//!
//! Prints how many of each kind came out sound, complete, explained, conservative or undecided, and everything that was
//! found wrong. Fails unless all are sound, and 99 of 100 complete or explained.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, unreachable_pub)]

#[path = "../tests/proof/deletions.rs"]
mod deletions;
#[path = "../tests/proof/generator.rs"]
mod generator;
#[path = "../tests/proof/tally.rs"]
mod tally;

use std::time::Instant;

use tabjury::engine::proof::ProofSettings;

fn main() {
    let are_rows_only = std::env::args().nth(3).is_some_and(|argument| argument == "rows");
    let mut arguments = std::env::args()
        .skip(1)
        .take(2)
        .map(|argument| argument.parse::<u64>().expect("a number"));
    let count = arguments.next().unwrap_or(5000);
    let seed = arguments.next().unwrap_or(1);
    let begun = Instant::now();
    if are_rows_only {
        let mut wrong = 0;
        for first in (0..count).step_by(100) {
            let tally = tally::Tally::of_rows(seed, first..count.min(first + 100));
            wrong += tally.findings.len();
            for finding in &tally.findings {
                println!("{finding}\n");
            }
            println!("{first}: conservative {:?}", tally.reasons);
        }
        assert!(wrong == 0, "{wrong} of {count} statements");
        return;
    }
    let settings = ProofSettings::default();
    let tally = match std::env::args().nth(3) {
        Some(numbers) => {
            let numbers: Vec<u64> = numbers
                .split(',')
                .map(|number| number.parse().expect("a number"))
                .collect();
            tally::Tally::of_numbers(seed, &numbers, &settings)
        }
        None => tally::Tally::of(seed, usize::try_from(count).expect("a count"), &settings),
    };
    for finding in &tally.findings {
        println!("{finding}\n");
    }
    println!("{}{:.1} s", tally.table(), begun.elapsed().as_secs_f64());
    tally.assert_proven(1.0, 0.3, 0.99);
}
