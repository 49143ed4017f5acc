#!/usr/bin/env bash
# The slow checks beside .ci/run: a run killed at 20 random points, benchmarks (they print figures and judge none) of 500
# trials against a local endpoint, of pages and of steps with lineage, the proof of 5,000 generated statements, and a study
# against a real OpenAI-compatible server process; and the Parquet files, whose crate the other tests go without.
#
# usage: scripts/slow_checks.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo build --release
cargo run --release --example kill_resume
cargo run --release --example bench_trials
cargo run --release --example bench_pages
cargo run --profile dist --example bench_lineage
cargo run --release --example prove_generated
cargo test --test report -- --ignored --nocapture many_studies
cargo test --features parquet --test report parquet
scripts/real_server.sh target/release/tabjury
