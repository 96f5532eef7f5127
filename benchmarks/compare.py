"""All methods at the door on the same seven data sets, and their time and memory against the number of features.

Every method is asked for the same number of features, at its defaults otherwise, on the same splits: a part of the
samples to select and to fit, the rest to judge. Each fit runs in a process of its own, which may use a limited time
of the CPU; what needs more is told as such. Time is that of the CPU, memory what the process grows by at its peak.
"""
import os
import pickle
import resource
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import fsnb
from fsnb.groups.metrics import redundancy_rate, stability
from fsnb.groups.synthetic import make_groups

from .answers import METHODS
from .common import measured, table
from .datasets import available, load

SETS = {"vote": 5, "clean1": 20, "colon_alon": 20, "TOX_171": 20, "warpPIE10P": 20, "usps": 20, "BASEHOCK": 20}
MOST_SAMPLES = 1000
SPLITS = 2
SECONDS = 5             # of the CPU, for one fit
SIZES = 1000, 4000, 16000
TWO_CLASSES = "OSCAR", "GFlasso", "NcFGS", "NcTFGS"     # a regression for each class: with more they are left out


def make(name, k):
    "The selector, asked for k features"
    return getattr(fsnb, name)(n_features_to_select=k)


def splits(y, seed=0):
    "Random parts of 70 %, each class in its share"
    return list(StratifiedShuffleSplit(SPLITS, test_size=.3, random_state=seed).split(np.zeros(len(y)), y))


def in_child(work, seconds=SECONDS):
    "What a function returns in a process of its own; the error or the limit that ended it otherwise"
    out, into = os.pipe()
    if os.fork():
        os.close(into)
        with os.fdopen(out, "rb") as stream: told = stream.read()
        os.wait()
        return pickle.loads(told) if told else f"more than {seconds} s"
    used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_CPU, (used+seconds, used+seconds))
    try: answer = work()
    except BaseException as error: answer = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    with os.fdopen(into, "wb") as stream: pickle.dump(answer, stream)
    os._exit(0)


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
    failed = [run for run in runs if isinstance(run, str)]
    if failed: return dict(row, note=failed[0])
    features, *numbers = zip(*runs)
    seconds, peak, svm, near, red = map(np.array, numbers)
    red = red[np.isfinite(red)]
    return dict(row, features=float(np.mean(list(map(len, features)))), svm=svm.mean(), neighbors=near.mean(),
                redundancy=float(red.mean()) if len(red) else None,
                stability=stability([np.sort(f) for f in features], n_features, kind="nogueira"),
                seconds=float(np.median(seconds)), megabytes=peak.max()/1e6)


def compare_on(data):
    "Rows of the table: all methods on one data set"
    set_name, k, X, y = data
    rows = []
    for name, family in METHODS.items():
        if y.max() > 1 and name in TWO_CLASSES: runs = ["left out: more than two classes"]
        else: runs = [in_child(lambda: on_split(name, k, X, y, *part)) for part in splits(y)]
        rows.append(summarize(dict(method=name, family=family, data=set_name, k=k), runs, X.shape[1]))
    return rows


def growth_of(p):
    "Rows of all methods on generated data of p features"
    made, rows = make_groups(200, p, n_test=0, random_state=0), []
    for name in METHODS:
        run = in_child(lambda: fit(name, 20, made.X, made.y))
        rows.append(dict(method=name, p=p) | (dict(note=run) if isinstance(run, str) else dict(seconds=run[1], megabytes=run[2]/1e6)))
    return rows


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


def warm():
    "Everything is compiled and imported before the first fit that counts"
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 30)), np.arange(40) % 2
    for name in METHODS:
        for form in (X, sp.csc_matrix(np.abs(X)*(X > 0))):
            with warnings.catch_warnings(action="ignore"):
                try: make(name, 3).fit(form, y)
                except (ValueError, TypeError) as error: print(f"{name}, warming: {error}")


def run(quick=False):
    warm()
    sets = read_sets()[:2] if quick else read_sets()
    rows = [row for data in sets for row in compare_on(data)]
    growth = [row for p in (SIZES[:1] if quick else SIZES) for row in growth_of(p)]
    table(rows, "seven sets")
    table(growth, "against p")
    order = list(METHODS)
    shapes = [dict(data=name, n=X.shape[0], p=X.shape[1], classes=int(y.max()+1), k=k) for name, k, X, y in sets]
    return dict(rows=rows, growth=sorted(growth, key=lambda row: order.index(row["method"])), sets=shapes,
                settings=dict(splits=SPLITS, seconds_allowed=SECONDS, most_samples=MOST_SAMPLES))
