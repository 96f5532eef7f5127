"What the benchmarks share: clocks, a meter of memory, means over runs, linear SVMs."
import ctypes, gc, time, tracemalloc
import numpy as np, scipy.sparse as sp
from pathlib import Path
from unittest.mock import patch
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

replaced = patch.multiple         # a module with other values of some of its names

def clock(f, repeat=3, now=time.perf_counter):
    "Best wall time of a few runs in seconds, and what the last run returned"
    best = float("inf")
    for _ in range(repeat):
        start = now()
        out = f()
        best = min(best, now()-start)
    return best, out

def cpu(f, repeat=1):
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

def spend(f):
    """What f takes, dict(cpu, wall, extra_memory), and what it returned

    Memory is the growth of the resident size of this process, or the size of a child; NaN where the system does not tell.
    """
    CHILD_PEAK[0] = 0
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)          # so that an answer cannot live on what the data left behind
        Path("/proc/self/clear_refs").write_text("5")
    except (OSError, AttributeError): pass
    before = resident("self", "VmRSS")
    start, began = time.process_time(), time.perf_counter()
    out = f()
    spent = dict(cpu=time.process_time()-start, wall=time.perf_counter()-began)
    grown = max(resident("self", "VmHWM")-before, CHILD_PEAK[0], 0)
    return spent | dict(extra_memory=grown if before else float("nan")), out

def average(rows, by, count="runs", spread=(), also=lambda own: {}):
    "Rows that agree in `by` as one: how many, the mean of each number, the deviation of those in `spread`, and what `also` says of them"
    groups, out = {}, []
    for row in rows: groups.setdefault(tuple(row[key] for key in by), []).append(row)
    for key, own in groups.items():
        numbers = [name for name, value in own[0].items() if isinstance(value, (int, float)) and name not in (*by, "seed")]
        mean = {name: float(np.mean([row[name] for row in own if name in row])) for name in numbers}
        deviation = {f"{name}_sd": float(np.std([row[name] for row in own])) for name in spread}
        out.append(dict(zip(by, key)) | {count: len(own)} | mean | deviation | also(own))
    return out

def dense(X, columns=slice(None)):
    "Some columns as an array"
    return X[:, columns].toarray() if sp.issparse(X) else X[:, columns]

def splits_of(X, y, n_splits, test_size=.3):
    "(X, y of the training part, X, y of the rest) of each split"
    X = X.tocsr() if sp.issparse(X) else X
    for train, test in StratifiedShuffleSplit(n_splits, test_size=test_size, random_state=0).split(np.zeros(len(y)), y):
        yield X[train], y[train], X[test], y[test]

def standardized(X, by=None):
    "Columns less their mean, over their deviation if it is not 0; by those of other rows where these are given"
    by = X if by is None else by
    deviation = by.std(0)
    return (X-by.mean(0))/np.where(deviation > 0, deviation, 1)

def linear_svm(X, **settings):
    "A linear SVM on columns of deviation 1, dense ones of mean 0"
    return make_pipeline(StandardScaler(with_mean=not sp.issparse(X)), LinearSVC(random_state=0, **settings))

def l1_svm(X, y, n_features, *, low=1e-6, high=1e2, steps=30, slack=0):
    "LinearSVC(penalty='l1') tuned by bisection on C until it selects n_features (within slack); the model and its C"
    best, gap = None, float("inf")
    for _ in range(steps):
        C = (low*high)**.5
        model = fit_l1(X, y, C)
        k = int((model.coef_ != 0).sum())
        if abs(k-n_features) < gap: best, gap = (model, C), abs(k-n_features)
        if gap <= slack: break
        low, high = (low, C) if k > n_features else (C, high)
    return best

def fit_l1(X, y, C):
    return LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(X, y)
