#!/usr/bin/env python3
"""Times tabjury's bootstrap beside scipy's, and its strengths beside choix's, on the same data in one run.

    pip install numpy scipy choix
    cargo build --profile dist --example bench_stats
    python scripts/bench_stats.py [path to bench_stats]

8,000 judgments: as independent ones (right or wrong, and real numbers that all differ), and as 2,000 samples of four
judgments each that are drawn together. Strengths of six arms from 2,000 samples that compare all pairs. The intervals of
both sides are printed and must agree; only the computation is timed, not the start of either program.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import choix
import numpy as np
from scipy import stats

RESAMPLES = 10_000
RESAMPLES_OF_STRENGTHS = 1_000
ITEMS = 6


def make(rng):
    samples = rng.binomial(4, rng.beta(4, 1.2, size=2_000))
    theta = np.linspace(-0.8, 0.8, ITEMS)
    comparisons = np.zeros((2_000, ITEMS, ITEMS))
    for i in range(ITEMS):
        for j in range(i):
            won = rng.random(2_000) < 1 / (1 + np.exp(theta[j] - theta[i]))
            comparisons[won, i, j] = 1
            comparisons[~won, j, i] = 1
    return {
        "binary": (rng.random(8_000) < 0.79).astype(float),
        "real": rng.normal(size=8_000),
        "samples": np.stack([samples, np.full(2_000, 4)], axis=1).astype(float),
        "comparisons": comparisons,
    }


def timed(function):
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def interval(result):
    return [float(result.confidence_interval.low), float(result.confidence_interval.high)]


def scipy_mean(values, method):
    return timed(
        lambda: interval(
            stats.bootstrap(
                (values,), np.mean, n_resamples=RESAMPLES, batch=250, vectorized=True, method=method, rng=np.random.default_rng(1)
            )
        )
    )


def scipy_samples(samples, method):
    def ratio(sums, counts, axis):
        return sums.sum(axis=axis) / counts.sum(axis=axis)

    return timed(
        lambda: interval(
            stats.bootstrap(
                (samples[:, 0], samples[:, 1]), ratio, paired=True, n_resamples=RESAMPLES, batch=250, vectorized=True,
                method=method, rng=np.random.default_rng(1),
            )
        )
    )


def choix_strengths(comparisons):
    rng = np.random.default_rng(1)
    n = len(comparisons)

    def run():
        first = []
        flat = comparisons.reshape(n, -1)
        for _ in range(RESAMPLES_OF_STRENGTHS):
            counts = np.bincount(rng.integers(0, n, n), minlength=n)
            wins = (counts @ flat).reshape(ITEMS, ITEMS)
            first.append(choix.ilsr_pairwise_dense(wins)[0])
        return [float(end) for end in np.percentile(first, [2.5, 97.5])]

    return timed(run)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    binary = sys.argv[1] if len(sys.argv) > 1 else here / "target/dist/examples/bench_stats"
    data = make(np.random.default_rng(7))
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "data.json"
        whole = {name: values.reshape(len(values), -1).tolist() if values.ndim > 1 else values.tolist() for name, values in data.items()}
        whole |= {"items": ITEMS, "resamples": RESAMPLES, "resamples_of_strengths": RESAMPLES_OF_STRENGTHS}
        path.write_text(json.dumps(whole))
        lines = subprocess.run([binary, path], check=True, capture_output=True, text=True).stdout.splitlines()
    ours = {line["name"]: line for line in map(json.loads, lines)}
    theirs = {
        "binary mean": ("scipy, percentile", "percentile", scipy_mean(data["binary"], "percentile")),
        "real mean": ("scipy, percentile", "percentile", scipy_mean(data["real"], "percentile")),
        "mean over samples": ("scipy, percentile", "percentile", scipy_samples(data["samples"], "percentile")),
        "strengths": ("choix ILSR, percentile", "percentile", choix_strengths(data["comparisons"])),
    }
    bca = {
        "binary mean": scipy_mean(data["binary"], "BCa"),
        "real mean": scipy_mean(data["real"], "BCa"),
        "mean over samples": scipy_samples(data["samples"], "BCa"),
    }
    failed = False
    print(f"{'task':<20} {'tabjury s':>10} {'other s':>9} {'times':>8}  other")
    for name, (other, kind, (seconds, ends)) in theirs.items():
        mine = ours[name]
        print(f"{name:<20} {mine['seconds']:>10.4f} {seconds:>9.3f} {seconds / mine['seconds']:>8.0f}  {other}")
        width = ends[1] - ends[0]
        if max(abs(a - b) for a, b in zip(mine[kind], ends)) > 0.1 * width:
            failed = True
            print(f"  intervals differ: {mine[kind]} and {ends}")
    for name, (seconds, ends) in bca.items():
        mine = ours[name]
        print(f"{name:<20} {mine['seconds']:>10.4f} {seconds:>9.3f} {seconds / mine['seconds']:>8.0f}  scipy, BCa (tabjury's time is for both)")
        if max(abs(a - b) for a, b in zip(mine["bca"], ends)) > 0.1 * (ends[1] - ends[0]):
            failed = True
            print(f"  intervals differ: {mine['bca']} and {ends}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
