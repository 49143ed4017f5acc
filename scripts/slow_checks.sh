#!/usr/bin/env bash
# The slow checks beside .ci/run: a run killed at 20 random points, 500 trials against a local endpoint (a benchmark: it
# prints figures and judges none), and a study against a real OpenAI-compatible server process.
#
# usage: scripts/slow_checks.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo build --release
cargo run --release --example kill_resume
cargo run --release --example bench_trials
scripts/real_server.sh target/release/tabjury
