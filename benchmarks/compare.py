"""All methods at the door on the same seven data sets, and their time and memory against the number of features.

Every method is asked for the same number of features, at its defaults otherwise, on the same splits: a part of the
samples to select and to fit, the rest to judge. Each fit runs in a process of its own, which may use a limited time
of the CPU; what needs more is told as such. Time is that of the CPU, memory what the process grows by at its peak.
"""
import os, pickle, resource
import numpy as np, pandas as pd, scipy.sparse as sp, fsnb
from itertools import product
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from fsnb.groups.metrics import redundancy_rate, stability
from fsnb.groups.synthetic import make_groups
from .answers import METHODS
from .common import dense, spend
from .datasets import load, present

SETS = {"vote": 5, "clean1": 20, "colon_alon": 20, "TOX_171": 20, "warpPIE10P": 20, "usps": 20, "BASEHOCK": 20}
MOST_SAMPLES, SPLITS, SIZES = 1000, 2, (1000, 4000, 16000)
SECONDS = 5             # of the CPU, for one fit
TWO_CLASSES = "OSCAR", "GFlasso", "NcFGS", "NcTFGS"     # a regression for each class: with more they are left out

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
    "(features, CPU seconds and megabytes at the peak beyond what was there)"
    spent, model = spend(lambda: getattr(fsnb, name)(n_features_to_select=k).fit(X, y))
    return np.asarray(model.support_)[:k], dict(seconds=spent["cpu"], megabytes=spent["extra_memory"]/1e6)

def on_split(name, k, X, y, train, test):
    "One fit, and accuracy of a linear SVM and of five nearest neighbours on its features, and how they correlate"
    features, spent = fit(name, k, X[train], y[train])
    A = dense(X, np.sort(features))
    scale = StandardScaler().fit(A[train])
    here, there = scale.transform(A[train]), scale.transform(A[test])
    svm, near = (model.fit(here, y[train]).score(there, y[test]) for model in (LinearSVC(dual="auto", random_state=0), KNeighborsClassifier(5)))
    red = redundancy_rate(A[train], kind="pearson") if A.shape[1] > 1 else np.nan
    return features, dict(spent, features=len(features), svm=svm, neighbors=near, redundancy=red)

def compare_on(data):
    "Rows of the table: all methods on one data set, means over random parts of 70 %, each class in its share"
    set_name, k, X, y = data
    splits = list(StratifiedShuffleSplit(SPLITS, test_size=.3, random_state=0).split(np.zeros(len(y)), y))
    for name, family in METHODS.items():
        row = dict(method=name, family=family, data=set_name, k=k)
        if y.max() > 1 and name in TWO_CLASSES: runs = ["left out: more than two classes"]
        else: runs = [in_child(lambda: on_split(name, k, X, y, *part)) for part in splits]
        failed = [run for run in runs if isinstance(run, str)]
        if failed:
            yield row | dict(note=failed[0])
            continue
        features, numbers = zip(*runs)
        means = pd.DataFrame(numbers).agg(dict(features="mean", svm="mean", neighbors="mean", redundancy="mean", seconds="median", megabytes="max"))
        row |= {name: None if np.isnan(value) else value for name, value in means.items()}
        yield row | dict(stability=stability([np.sort(own) for own in features], X.shape[1], kind="nogueira"))

def read_sets():
    "(name, k, X, y) of the sets that are there, of at most a thousand samples"
    for name in present(SETS):
        X, y, _ = load(name)
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_SAMPLES])
        X = X[rows]
        varies = np.flatnonzero(np.asarray(abs(X).sum(axis=0)).ravel() > 0)     # words of the texts that are left out
        yield name, SETS[name], X[:, varies].tocsc() if sp.issparse(X) else X[:, varies], np.unique(y[rows], return_inverse=True)[1]

def run(quick=False):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 30)), np.arange(40) % 2
    for name, form in product(METHODS, (X, sp.csc_matrix(np.abs(X)*(X > 0)))):       # compiled and imported before the first fit that counts
        try: fit(name, 3, form, y)
        except (ValueError, TypeError) as error: print(f"{name}, warming: {error}")
    sets, growth = list(read_sets())[:2 if quick else None], []
    rows = [row for data in sets for row in compare_on(data)]
    made = {p: make_groups(200, p, n_test=0, random_state=0) for p in (SIZES[:1] if quick else SIZES)}
    for name, (p, data) in product(METHODS, made.items()):
        found = in_child(lambda: fit(name, 20, data.X, data.y))
        growth.append(dict(method=name, p=p) | (dict(note=found) if isinstance(found, str) else found[1]))
    shapes = [dict(data=name, n=X.shape[0], p=X.shape[1], classes=int(y.max()+1), k=k) for name, k, X, y in sets]
    return dict(rows=rows, growth=growth, sets=shapes, settings=dict(splits=SPLITS, seconds_allowed=SECONDS))
