"""Thirty million columns: every shape of the scale benchmark, each in a process of its own, figures beside a pass over memory.

    python -m benchmarks scale              the full shapes: 13 GB of memory, 20 GB of disk, an hour
    python -m benchmarks scale --quick      the same parts, small, nothing written
    python -m benchmarks.scale webspam store    these parts again, each written at once; the others stay as they were

The data are made (scaledata.py): Zipf counts, groups of five columns, values where the shape has them. CPU times are of one process,
all its threads together; `read` is one pass over the values and rows with one thread, the best of five.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .common import RESULTS, origin, write_result

WEBSPAM = dict(n=350_000, p=16_600_000, nnz=1_040_000_000)
KDD2010 = dict(n=19_300_000, p=29_900_000, nnz=570_000_000)
MILLIONS = dict(n=280_000, p=6_000_000, nnz=360_000_000)
SLOPE = 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000

PARTS = {
    "webspam_20th": ("whole", dict(WEBSPAM, share=.05, k=100, threads=(1, 2))),
    "six_million": ("whole", dict(MILLIONS, k=50, threads=(1, 2), turns=5)),
    "webspam": ("whole", dict(WEBSPAM, k=100, threads=(1, 2), turns=2)),
    "kdd2010_tenth": ("whole", {**{name: size//10 for name, size in KDD2010.items()}, "k": 50, "check": 10}),
    "kdd2010": ("whole", dict(KDD2010, k=50, threads=(1,))),
    "row_blocks": ("row_blocks", dict(KDD2010, share=.2)),
    "store": ("store", dict(WEBSPAM, share=.25, k=20, limit=1200 << 20, threads=(1,))),
    "score_pass": ("score_pass", dict(WEBSPAM, share=.1)),
    "permutations": ("permutations", dict(WEBSPAM, share=.1, few=(191, 511))),
    "rivals": ("rivals", dict(WEBSPAM, share=.05)),
    "cluster": ("cluster", dict(WEBSPAM, share=.05)),
    "text": ("text", {}),
    **{f"slope_{p}": ("whole", dict(n=280_000, p=p, nnz=60*p, ones=True, k=50, check=5)) for p in SLOPE}}

SMALL = dict(n=4000, p=20_000, nnz=400_000)
QUICK = {
    "webspam": ("whole", dict(SMALL, k=20, threads=(1, 2))),
    "ones": ("whole", dict(SMALL, ones=True, k=20)),
    "store": ("store", dict(SMALL, k=10, limit=1 << 30)),
    "row_blocks": ("row_blocks", dict(SMALL, share=1)),
    "score_pass": ("score_pass", SMALL),
    "permutations": ("permutations", dict(SMALL, few=(7, 19))),
    "rivals": ("rivals", dict(SMALL, k=10)),
    "cluster": ("cluster", dict(SMALL, k=5, n_blocks=4)),
    "text": ("text", dict(n=500, p=5000, entries=20_000))}


def run_part(part, settings):
    "What one part has measured, in a process of its own, and when; what it says of an error, where it fails"
    stamp = dict(origin(), load=os.getloadavg()[0])
    with tempfile.TemporaryDirectory() as home:
        path = Path(home)/"result.json"
        command = [sys.executable, "-m", "benchmarks.scaleparts", part, json.dumps(settings), str(path)]
        done = subprocess.run(command, env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
        if done.returncode: return dict(failed=done.returncode)
        return dict(json.loads(path.read_text()), made=stamp)


def measure_selectors():
    "Every selector at a million sparse columns"
    from .million import million
    return dict(rows=million())


def run_again(names):
    "The parts of these names; the results of the others are kept"
    unknown = sorted(set(names)-set(PARTS)-{"selectors"})
    if unknown: raise SystemExit(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}, selectors")
    for name in names:
        print(f"-- {name}", flush=True)
        result = measure_selectors() if name == "selectors" else run_part(*PARTS[name])
        if "failed" in result: raise SystemExit(f"{name} failed")
        kept = json.loads((RESULTS/"scale.json").read_text())
        write_result("scale", {**kept, name: result})


def run(quick=False):
    parts, results = (QUICK if quick else PARTS), {}
    for name, (part, settings) in parts.items():
        print(f"-- {name}: {settings}", flush=True)
        results[name] = run_part(part, settings)
    if not quick:
        results["selectors"] = measure_selectors()
    failed = [name for name, result in results.items() if "failed" in result]
    if quick and failed: raise RuntimeError(f"parts of the scale benchmark failed: {failed}")
    kept = RESULTS/"scale.json"                      # what was measured before anything was done for scale, once
    if kept.exists(): results["before"] = json.loads(kept.read_text()).get("before")
    return results


if __name__ == "__main__": run_again(sys.argv[1:])
