"""Every selector but GDM at a million sparse columns: CPU seconds, and memory beside X in vectors of p.

`million()` generates 10,000 samples of 1,000,000 columns with counts that fall as Zipf's law, 4.8M entries, and runs each
selector in a process of its own, its kernels compiled on small data before. `python -m benchmarks.million [_NAME ...]` prints.
"""
import os
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"): os.environ.setdefault(name, "1")

import json, subprocess, sys, tempfile, threading, time, warnings
from pathlib import Path
import numpy as np
import scipy.sparse as sp

N_SAMPLES, N_FEATURES, N_ENTRIES = 10_000, 1_000_000, 5_000_000
GROUP, SHARE, EFFECT = 5, .05, .35     # informative groups: members, share of the columns, and how far from even they split


def zipf_counts(p, n, entries):
    "Entries of each column: about one over its rank, from 1 to half of n, shuffled"
    rank, low, high = np.arange(1., p+1), 0., 10.*entries
    for _ in range(60):
        middle = (low+high)/2
        low, high = (middle, high) if np.clip(middle/rank, 1, n/2).sum() < entries else (low, middle)
    return np.random.default_rng(0).permutation(np.clip(low/rank, 1, n//2).astype(np.int64))


def rows_of(rng, count, share, n):
    "Distinct rows of a column, that share of them among the first half"
    first = min(max(int(round(count*share+np.sqrt(count*share*(1-share))*rng.standard_normal())), 0), count, n//2)
    first = max(first, count-n//2)
    parts = [begin+rng.choice(n//2, size, replace=False) for begin, size in ((0, first), (n//2, count-first)) if size]
    return np.sort(np.concatenate(parts))


def make_data(n=N_SAMPLES, p=N_FEATURES, entries=N_ENTRIES, seed=1):
    "(CSC, y): counts of Zipf's law; a twentieth of the columns in groups of five that share rows and tell of the class"
    rng, count = np.random.default_rng(seed), zipf_counts(p, n, entries)
    leaders = rng.choice(p//GROUP, int(SHARE*p/GROUP), replace=False)*GROUP
    effect = np.full(p, .5)
    own = np.arange(p)
    for k in range(GROUP):
        own[leaders+k] = leaders
        effect[leaders+k] = .5+EFFECT*np.random.default_rng(2).uniform(-1, 1, len(leaders))
        if k: count[leaders+k] = np.maximum(1, (count[leaders]*rng.uniform(.7, 1, len(leaders))).astype(np.int64))
    indptr = np.r_[0, np.cumsum(count)]
    indices = np.empty(indptr[-1], dtype=np.int32)
    ones = count == 1
    indices[indptr[:-1][ones]] = rng.integers(0, n, ones.sum())
    for j in np.flatnonzero(~ones):
        if own[j] == j or count[own[j]] == 1: indices[indptr[j]:indptr[j+1]] = rows_of(rng, count[j], effect[j], n)
        else:
            rows = indices[indptr[own[j]]:indptr[own[j]+1]]
            indices[indptr[j]:indptr[j+1]] = np.sort(rng.choice(rows, min(count[j], len(rows)), replace=False))
    values = (rng.integers(1, 5, len(indices))/10).astype(np.float32)
    y = (np.arange(n) < n//2).astype(int)
    return sp.csc_matrix((values, indices, indptr), (n, p)), y


def runs():
    "What is run, by name, on X and y"
    from fsnb import FCBF, FSIR2, MMFS, QPFS
    from fsnb.spectral import laplacian_score, spec
    return {
        "MMFS": lambda X, y: MMFS(50).fit(X, y),
        "MMFS rbf": lambda X, y: MMFS(50, kernel="rbf").fit(X, y),
        "MMFS linear": lambda X, y: MMFS(50, kernel="linear").fit(X, y),
        "QPFS": lambda X, y: QPFS(50).fit(X, y),
        "FSIR2": lambda X, y: FSIR2(50).fit(X, y),
        "FSIR2 without labels": lambda X, y: FSIR2(10).fit(X),
        "FCBF": lambda X, y: FCBF().fit(X, y),
        "spec": lambda X, y: spec(X, y),
        "laplacian_score": lambda X, y: laplacian_score(X, y),
        "laplacian_score without labels": lambda X, y: laplacian_score(X),
    }


QUICK = "MMFS", "QPFS", "FSIR2", "FCBF", "spec"


def resident():
    "Bytes of this process in memory"
    with open("/proc/self/statm") as numbers: return int(numbers.read().split()[1])*4096


def measure(run, X, y):
    "CPU seconds, memory beside what was there in vectors of p, gap and stop reason of one run"
    before, peak, over = resident(), [0], threading.Event()
    def watch():
        while not over.wait(.005): peak[0] = max(peak[0], resident())
    watcher = threading.Thread(target=watch)
    watcher.start()
    begun = time.process_time()
    try: found = run(X, y)
    finally:
        seconds = time.process_time()-begun
        over.set()
        watcher.join()
    gap = getattr(found, "gap_", None)
    support = getattr(found, "support_", None)
    return dict(cpu_seconds=round(seconds, 2), vectors_of_p=round(max(peak[0]-before, 0)/(8*X.shape[1]), 1),
                gap=None if gap is None else float(gap), stop_reason=getattr(found, "stop_reason_", None),
                n_selected=None if support is None else len(support))


def run_here(name, path):
    "The figures of one selector, in this process, as JSON"
    arrays = {part: np.load(Path(path)/f"{part}.npy") for part in ("data", "indices", "indptr", "y")}
    y = arrays.pop("y")
    X = sp.csc_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), (len(y), len(arrays["indptr"])-1))
    run = runs()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        small = sp.random(300, 25_000, .02, "csc", dtype=np.float32, random_state=rng)
        run(small, (rng.random(300) < .5).astype(int))
        print(json.dumps(measure(run, X, y)))


def million(quick=False, names=None):
    "A row for each selector: name, cpu_seconds, vectors_of_p, gap, stop_reason, n_selected; or its error"
    X, y = make_data()
    rows = []
    with tempfile.TemporaryDirectory() as path:
        for part, array in dict(data=X.data, indices=X.indices, indptr=X.indptr, y=y).items():
            np.save(Path(path)/f"{part}.npy", array)
        for name in names or (QUICK if quick else runs()):
            command = [sys.executable, "-m", "benchmarks.million", "--here", name, path]
            done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).resolve().parent.parent)
            lines = done.stdout.splitlines()
            found = json.loads(lines[-1]) if done.returncode == 0 and lines else dict(error=done.stderr[-300:])
            rows.append(dict(selector=name, entries=int(X.nnz)) | found)
    return rows


if __name__ == "__main__":
    if "--here" in sys.argv: run_here(*sys.argv[2:4])
    else:
        for row in million(names=sys.argv[1:] or None): print(json.dumps(row), flush=True)
