"""All methods at the door on the same seven data sets, and their time and memory against the number of features.

    python -m benchmarks compare                             all methods
    FSNB_COMPARE=JELSR,GFlasso python -m benchmarks compare  these anew; what was measured of the others stands

Every method is asked for the same number of features, at its defaults otherwise, on the same splits: a part of the
samples to select and to fit, the rest to judge. Each fit runs in a process of its own, which may use a limited time
of the CPU; what needs more is told as such. Time is that of the CPU, memory what the process grows by at its peak.
"""
import json
import os
import pickle
import resource
import select
import time
import warnings

import numpy as np

from .answers import METHODS
from .common import RESULTS, measured, table, write_result
from .datasets import available, load

SETS = {"vote": 5, "clean1": 20, "colon_alon": 20, "TOX_171": 20, "warpPIE10P": 20, "usps": 20, "BASEHOCK": 20}
MOST_SAMPLES = 1000
SPLITS = 2
SECONDS = 5             # of the CPU, for one fit
WORKERS = int(os.environ.get("FSNB_WORKERS", 1))     # fits at a time
SIZES = 1000, 4000, 16000
TWO_CLASSES = "OSCAR", "GFlasso", "NcFGS", "NcTFGS"     # a regression for each class: with more they are left out


def make(name, k):
    "The selector, asked for k features"
    import fsnb
    return getattr(fsnb, name)(n_features_to_select=k)


def splits(y, seed=0):
    "Random parts of 70 %, each class in its share"
    from sklearn.model_selection import StratifiedShuffleSplit
    return list(StratifiedShuffleSplit(SPLITS, test_size=.3, random_state=seed).split(np.zeros(len(y)), y))


def start(work, seconds):
    "A process of its own that answers through a pipe: (its number, the end to read from)"
    out, into = os.pipe()
    child = os.fork()
    if child: return os.close(into) or (child, out)
    os.close(out)
    used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_CPU, (used+seconds, used+seconds))
    try:
        answer = work()
    except BaseException as error:
        answer = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    with os.fdopen(into, "wb") as stream: pickle.dump(answer, stream)
    os._exit(0)


def in_children(works, seconds=SECONDS):
    "What each function returns in a process of its own; the word of what ended it otherwise"
    answers, told, running = [f"more than {seconds} s"]*len(works), {}, {}
    waiting = list(enumerate(works))[::-1]
    while waiting or running:
        while waiting and len(running) < WORKERS:
            i, work = waiting.pop()
            child, out = start(work, seconds)
            running[out], told[out] = (i, child), b""
        for out in select.select(list(running), [], [])[0]:
            piece = os.read(out, 1 << 16)
            told[out] += piece
            if piece: continue
            i, child = running.pop(out)
            os.close(out)
            os.waitpid(child, 0)
            if told[out]: answers[i] = pickle.loads(told[out])
    return answers


def fit(name, k, X, y):
    "(features, CPU seconds, bytes at the peak beyond what was there)"
    warnings.simplefilter("ignore")
    def timed():
        start = time.process_time()
        model = make(name, k).fit(X, y)
        return np.asarray(model.support_)[:k], time.process_time()-start
    (features, seconds), _, peak = measured(timed)
    return features, seconds, peak


def judge(X, y, features, train, test):
    "Accuracy of a linear SVM and of five nearest neighbours on the features, and how they correlate"
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    from fsnb.groups.metrics import redundancy_rate
    A = X[:, np.sort(features)]
    A = A.toarray() if hasattr(A, "toarray") else A
    scale = StandardScaler().fit(A[train])
    here, there = scale.transform(A[train]), scale.transform(A[test])
    svm = LinearSVC(dual="auto", random_state=0).fit(here, y[train]).score(there, y[test])
    near = KNeighborsClassifier(5).fit(here, y[train]).score(there, y[test])
    red = redundancy_rate(A[train], kind="pearson") if A.shape[1] > 1 else np.nan
    return svm, near, red


def on_split(name, k, X, y, train, test):
    "One fit, judged"
    features, seconds, peak = fit(name, k, X[train], y[train])
    return (features, seconds, peak, *judge(X, y, features, train, test))


def summarize(row, runs, n_features):
    "A row of the table from the runs of all splits"
    from fsnb.groups.metrics import stability
    failed = [run for run in runs if isinstance(run, str)]
    if failed: return dict(row, note=failed[0])
    features, *numbers = zip(*runs)
    seconds, peak, svm, near, red = map(np.array, numbers)
    red = red[np.isfinite(red)]
    return dict(row, features=float(np.mean(list(map(len, features)))), svm=svm.mean(), neighbors=near.mean(),
                redundancy=float(red.mean()) if len(red) else None,
                stability=stability([np.sort(f) for f in features], n_features, kind="nogueira"),
                seconds=float(np.median(seconds)), megabytes=peak.max()/1e6)


def compare_on(names, data):
    "Rows of the table: all methods on one data set"
    set_name, k, X, y = data
    rows = [dict(method=name, family=METHODS[name], data=set_name, k=k) for name in names]
    can = [name for name in names if y.max() == 1 or name not in TWO_CLASSES]
    parts = splits(y)
    works = [lambda name=name, part=part: on_split(name, k, X, y, *part) for name in can for part in parts]
    answers = in_children(works)
    runs = {name: answers[i*len(parts):(i+1)*len(parts)] for i, name in enumerate(can)}
    return [summarize(row, runs.get(row["method"], ["left out: more than two classes"]), X.shape[1]) for row in rows]


def growth_of(names, p):
    "Rows of all methods on generated data of p features"
    from fsnb.groups.synthetic import make_groups
    made = make_groups(200, p, n_test=0, random_state=0)
    answers = in_children([lambda name=name: fit(name, 20, made.X, made.y) for name in names])
    return [dict(method=name, p=p, note=run) if isinstance(run, str) else
            dict(method=name, p=p, seconds=run[1], megabytes=run[2]/1e6) for name, run in zip(names, answers)]


def read_sets():
    "(name, k, X, y) of the sets that are there, of at most a thousand samples"
    out = []
    for name, k in SETS.items():
        if name not in available(): continue
        X, y, _ = load(name)
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_SAMPLES])
        X = X[rows]
        varies = np.flatnonzero(np.asarray(abs(X).sum(axis=0)).ravel() > 0)     # words of the texts that are left out
        out.append((name, k, X[:, varies].tocsc() if hasattr(X, "tocsc") else X[:, varies], np.unique(y[rows], return_inverse=True)[1]))
    return out


def warm(names):
    "Everything is compiled and imported before the first fit that counts"
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 30)), np.arange(40) % 2
    import scipy.sparse as sp
    for name in names:
        for form in (X, sp.csc_matrix(np.abs(X)*(X > 0))):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try: make(name, 3).fit(form, y)
                except (ValueError, TypeError) as error: print(f"{name}, warming: {error}")


def stored():
    "What stands from an earlier run"
    file = RESULTS/"compare.json"
    return json.loads(file.read_text()) if file.exists() else dict(rows=[], growth=[])


def run(quick=False):
    asked = os.environ.get("FSNB_COMPARE", "")
    names = asked.split(",") if asked else list(METHODS)
    unknown = sorted(set(names)-set(METHODS))
    if unknown: raise SystemExit(f"unknown method {unknown[0]!r}")
    old = stored() if asked else dict(rows=[], growth=[])
    warm(names)
    sets = read_sets()[:2] if quick else read_sets()
    kept = [[row for row in old[part] if row["method"] not in names] for part in ("rows", "growth")]
    rows, growth = kept
    for data in sets:
        rows = rows+compare_on(names, data)
        if not quick: write_result("compare", note(rows, growth, sets))
    for p in SIZES[:1] if quick else SIZES: growth = growth+growth_of(names, p)
    table(rows, "seven sets")
    table(growth, "against p")
    return note(rows, growth, sets)


def note(rows, growth, sets):
    "What is written: rows in the order of sets and methods"
    order, names = list(METHODS), list(SETS)
    shapes = [dict(data=name, n=X.shape[0], p=X.shape[1], classes=int(y.max()+1), k=k) for name, k, X, y in sets]
    return dict(rows=sorted(rows, key=lambda row: (names.index(row["data"]), order.index(row["method"]))),
                growth=sorted(growth, key=lambda row: (order.index(row["method"]), row["p"])), sets=shapes,
                settings=dict(splits=SPLITS, seconds_allowed=SECONDS, most_samples=MOST_SAMPLES))
