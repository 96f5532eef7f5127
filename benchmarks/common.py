"What the benchmarks share: a clock, a meter of memory, a table, a file of results."
import ctypes
import datetime
import gc
import json
import os
import platform
import subprocess
import time
import tracemalloc
from pathlib import Path

from .answers import USES, find_keys

RESULTS = Path(__file__).parent/"results"


def clock(f, repeat=3, now=time.perf_counter):
    "Best wall time of a few runs in seconds, and what the last run returned"
    best = float("inf")
    for _ in range(repeat):
        start = now()
        out = f()
        best = min(best, now()-start)
    return best, out


def cpu_clock(f, repeat=3):
    "The same in seconds of the processors, all threads together"
    return clock(f, repeat, time.process_time)


def extra_memory(f):
    "Bytes that f allocates at its peak beyond what was there before"
    tracemalloc.start()
    try:
        f()
        return tracemalloc.get_traced_memory()[1]
    finally: tracemalloc.stop()


CHILD_PEAK = [0]        # bytes, the largest resident size of a child process, read while it runs


def resident(pid, key):
    "Bytes of VmRSS or VmHWM of a process, 0 where the system does not tell"
    try: lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError: return 0
    return next((1024*int(line.split()[1]) for line in lines if line.startswith(key)), 0)


def measured(f):
    "f's answer, its wall time, and the growth of the resident size of this process and its children; NaN where the system does not tell"
    CHILD_PEAK[0] = 0
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)          # so that an answer cannot live on what the data left behind
        Path("/proc/self/clear_refs").write_text("5")
    except (OSError, AttributeError): pass
    before, start = resident("self", "VmRSS"), time.perf_counter()
    answers = f()
    seconds = time.perf_counter()-start
    peak = resident("self", "VmHWM")-before
    return answers, seconds, max(peak, CHILD_PEAK[0]) if before else float("nan")


def table(rows, title=""):
    "Print a list of dicts as a table; returns the rows"
    import pandas as pd
    if title: print(title)
    print(pd.DataFrame(rows).to_string(index=False, float_format=lambda x: f"{x:.4g}"), "\n", flush=True)
    return rows


def machine():
    "What the figures were measured on"
    import importlib.metadata as md
    versions = {p: md.version(p) for p in ("numpy", "scipy", "numba", "scikit-learn")}
    return dict(python=platform.python_version(), threads=int(os.environ.get("OMP_NUM_THREADS", 0)), **versions)


def origin():
    "Of which commit the code was, and on which day it ran; no commit outside a repository"
    root = Path(__file__).parent
    asked = subprocess.run(["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return dict(commit=asked.stdout.strip() or None, date=datetime.date.today().isoformat())


def write_json(path, values):
    "All or nothing"
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    half.write_text(json.dumps(values, indent=1, default=float)+"\n")
    half.replace(path)


def find_larger(result, stored):
    "In what the stored result is larger than this one: its size, or a table that has more rows; '' if in nothing"
    if stored.get("size") == "full" != result.get("size"): return "its size is full"
    counts = {key: (len(rows), len(result.get(key, ()))) for key, rows in stored.items() if isinstance(rows, list)}
    return ", ".join(f"{key} has {old} rows, not {new}" for key, (old, new) in counts.items() if old > new)


def write_result(name, result, whole=True, minutes=None, over=True):
    """benchmarks/results/<name>.json, with what made it and the keys of its answers

    The parts of a long run go when the whole of it is written. `minutes`: of the processor; `over=False` keeps a file that holds more.
    """
    path = RESULTS/f"{name}.json"
    larger = "" if over or not path.exists() else find_larger(result, json.loads(path.read_text()))
    if larger:
        print(f"kept {path.name}, which holds more ({larger}): delete it to write this run in its place")
        return
    keys = dict(answers=find_keys(name)) if name in USES else {}
    made = origin() if minutes is None else dict(origin(), cpu_minutes=round(minutes, 1))
    write_json(path, dict(result, machine=machine(), made=made, **keys))
    if whole: (RESULTS/"parts"/f"{name}.json").unlink(missing_ok=True)
    print("wrote", path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def write_part(name, title, **found):
    "Puts a part into the results file that is there, with the commit and the day of this part"
    path = RESULTS/f"{name}.json"
    known = json.loads(path.read_text())
    made = known.get("made_parts", {}) | {title: origin()}
    write_json(path, known | found | dict(made_parts=made))


def l1_svm(X, y, n_features, *, low=1e-6, high=1e2, steps=30, slack=0, C=None):
    "LinearSVC(penalty='l1') tuned by bisection on C until it selects n_features (within slack); the model and its C"
    import warnings

    from sklearn.svm import LinearSVC
    def fit(C):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(X, y)
    best, gap = None, float("inf")
    C = C or (low*high)**.5
    for _ in range(steps):
        model = fit(C)
        k = int((model.coef_ != 0).sum())
        if abs(k-n_features) < gap: best, gap = (model, C), abs(k-n_features)
        if gap <= slack: break
        low, high = (low, C) if k > n_features else (C, high)
        C = (low*high)**.5
    return best
