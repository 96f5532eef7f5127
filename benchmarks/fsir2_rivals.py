"""FSIR2's Tables II to V with all their columns, what is significant in them, and its Figures 1 and 2.

    python -m benchmarks fsir2_rivals                   all of it: hours
    python -m benchmarks.fsir2_rivals                   what the results file does not have yet or has otherwise, each row written at once
    python -m benchmarks.fsir2_rivals MCFS vote         of these only those of a method or a set

Every split and every run of k-means is kept, as counts of samples, so that the page can test differences.
The second way keeps a row whose selection of today has the redundancy rate, or the first three clusterings, of the stored one: `checked` says when.
"""
import datetime
import json
import sys
import time
import warnings
import numpy as np
from .common import RESULTS, origin, table, write_result
from .fsir2 import SETS, cluster, read, size_of, spec_order
from .realdata import available

# columns of the paper's Tables II (ac), III (nmi), IV (svm) and V (red); rows in the order of SETS, then CLL-SUB-111, GLI-85, SMK-CAN-187
WITHOUT_LABELS = "FSIR2", "SPEC", "LScore", "EVSC", "MCFS", "MRSF", "all"
WITH_LABELS = "FSIR2", "SPEC", "LScore", "MCFS", "MRSF", "mRMR", "QPFS", "all"
ROWS = "austra", "clean1", "heart", "vote", "warpPIE10P", "pixraw10P", "TOX_171", "CLL_SUB_111", "GLI_85", "SMK_CAN_187"
PRINTED = {
    "ac": ((.56, .60, .60, .56, .56, .56, .56), (.50, .50, .50, .50, .51, .50, .49), (.60, .60, .60, .53, .60, .60, .60),
           (.88, .82, .82, .56, .75, .75, .88), (.37, .18, .19, .24, .24, .22, .23), (.65, .59, .60, .57, .62, .65, .67),
           (.41, .37, .38, .37, .38, .38, .39), (.37, .54, .54, .55, .53, .55, .55), (.56, .53, .51, .51, .54, .49, .55),
           (.58, .52, .52, .53, .50, .55, .52)),
    "nmi": ((.01, .02, .02, .01, .01, .01, .01), (.00, .03, .03, .00, .00, .00, .00), (.02, .02, .02, .01, .02, .02, .02),
            (.49, .33, .34, .05, .29, .24, .49), (.44, .12, .12, .22, .32, .26, .26), (.86, .83, .83, .78, .85, .84, .88),
            (.10, .11, .11, .12, .10, .12, .14), (.11, .24, .23, .19, .16, .19, .19), (.08, .00, .00, .07, .04, .06, .11),
            (.02, .00, .00, .01, .00, .01, .00)),
    "svm": ((.85, .86, .86, .75, .71, .73, .85, .75), (.71, .75, .75, .75, .76, .73, .70, .81), (.81, .81, .81, .83, .81, .81, .81, .83),
            (.96, .96, .96, .95, .95, .96, .96, .96), (.98, .98, .98, .99, .99, .92, .97, .99), (.97, .96, .96, .99, .98, .94, .97, .98),
            (.84, .84, .84, .89, .83, .84, .85, .88), (.68, .63, .63, .65, .63, .64, .63, .52), (.88, .88, .88, .90, .87, .89, .88, .90),
            (.70, .70, .69, .72, .69, .67, .71, .72)),
    "red": ((.48, .71, .71, .22, .30, .23, .26), (.27, .76, .76, .19, .25, .19, .14), (.77, .82, .82, .64, .62, .66, .61),
            (.21, .37, .37, .23, .34, .30, .38), (.33, .84, .84, .54, .50, .66, .52), (.62, 1.0, 1.0, .61, .60, .78, .66),
            (.56, .97, .97, .86, .84, .86, .89), (.19, .90, .90, .59, .60, .58, .72), (.61, .24, .24, .67, .67, .71, .64),
            (.97, 1.0, 1.0, .98, .97, .99, .98))}
# the last rows of Tables II to V, and Table I: samples, features, classes
AVERAGES = {"ac": (.55, .52, .52, .49, .51, .52, .54), "nmi": (.25, .19, .20, .17, .21, .20, .21),
            "svm": (.84, .82, .82, .84, .82, .81, .83, .83), "red": (.50, .76, .76, .55, .57, .60, .58)}
TABLE_I = ((690, 14, 2), (476, 166, 2), (270, 13, 2), (435, 16, 2), (210, 2420, 10), (100, 10000, 10), (171, 5748, 4), (111, 11340, 3), (85, 22283, 2), (187, 19993, 2))
CURVES = {"vote": (2, 4, 6, 8, 10, 12, 14), "warpPIE10P": (10, 40, 121, 480)}


def models(d, labelled):
    "Name: a selector, or a function of X and y to columns. `ours`, `balanced`, Fisher and what is by correlations are not in the paper"
    import fsnb
    def ranked(kind): return lambda X, y: spec_order(X, y, kind)[:d]
    out = {"FSIR2": fsnb.FSIR2.icdm2015(d, solver="lanczos"), "ours": fsnb.FSIR2(d), "balanced": fsnb.FSIR2(d, relevance_weight="balanced"),
           "SPEC": ranked("phi1"), "LScore": ranked("phi2"), "all": lambda X, y: np.arange(X.shape[1]), "MCFS": fsnb.MCFS(d), "MRSF": fsnb.MRSF(d)}
    if not labelled: return out | {"EVSC": fsnb.EVSC(d), "S-LS": fsnb.TraceRatio(d), "variance": lambda X, y: np.argsort(-X.var(0), kind="stable")[:d]}
    return out | {"mRMR": fsnb.MRMR(d, measure="mutual_info", scheme="difference"), "mRMR, correlations": fsnb.MRMR(d), "QPFS": fsnb.QPFS.jmlr2010(d),
                  "Fisher": fsnb.FisherScore(d)}


def columns_of(model, X, y):
    "What a method takes"
    if not hasattr(model, "fit"): return model(X, y)
    return model.fit(X, y).support_


def folds(A, y, n_folds=3):
    "(products of the training part, of the rest with it, both labels) of each fold, standardised by the training part"
    from sklearn.model_selection import StratifiedKFold
    for train, test in StratifiedKFold(n_folds).split(A, y): yield *products(A[train], A[test]), y[train], y[test]


def products(A, B):
    "(A A', B A') after both are scaled as A is"
    std = A.std(0)
    std[std == 0] = 1
    U, V = (A-A.mean(0))/std, (B-A.mean(0))/std
    return U@U.T, V@U.T


COSTS = .001, .01, .1, 1, 10

def count_right(A, y, B, z):
    "Samples of B that a linear SVM gets right, its cost chosen by three folds of A: as a grid search does, from products"
    from sklearn.svm import SVC
    def right(own, other, y, z, C): return int((SVC(kernel="precomputed", C=C).fit(own, y).predict(other) == z).sum())
    parts = list(folds(A, y))
    scores = [np.mean([right(K, L, u, v, C)/len(v) for K, L, u, v in parts]) for C in COSTS]
    return right(*products(A, B), y, z, COSTS[int(np.argmax(np.round(scores, 12)))])


def words(values): return " ".join(map(str, values))


def without_labels(name, method, repeats):
    "A row of Tables II and III: every run of k-means on what a method takes without labels"
    X, y = read(name)
    d = size_of(name, X.shape[1])
    start = time.process_time()
    S = columns_of(models(d, False)[method], X, None)
    seconds = time.process_time()-start
    matched, shared = cluster(X[:, S], y, repeats)
    return dict(data=name, method=method, d=d, n=len(y), repeats=repeats, ac=float(np.mean(matched)/len(y)), nmi=float(np.mean(shared)),
                seconds=seconds, matched=words(matched), shared=words(shared))


def with_labels(name, method, splits):
    "A row of Tables IV and V: every split into 60 % and the rest"
    from sklearn.model_selection import train_test_split
    from fsnb.groups.metrics import redundancy_rate
    X, y = read(name)
    d = size_of(name, X.shape[1])
    model = models(d, True)[method]
    start = time.process_time()
    S = columns_of(model, X, y)
    seconds, right = time.process_time()-start, []
    for seed in range(splits):
        train, test = train_test_split(np.arange(len(y)), train_size=.6, stratify=y, random_state=seed)
        own = columns_of(model, X[train], y[train])
        right.append(count_right(X[train][:, own], y[train], X[test][:, own], y[test]))
    red = {f"red{rest}": float(redundancy_rate(X, S, kind="cosine2"+rest)) for rest in ("", "_centered")} if len(S) > 1 else {}
    return dict(data=name, method=method, d=d, splits=splits, tested=len(test), svm=float(np.mean(right)/len(test)), seconds=seconds,
                **red, right=words(right))


def curve(name, method, d, repeats, splits):
    "A point of Figures 1 and 2"
    from sklearn.model_selection import train_test_split
    from fsnb.groups.metrics import redundancy_rate
    X, y = read(name)
    row = dict(data=name, method=method, d=d)
    blind, seeing = models(d, False), models(d, True)
    if method in blind:
        matched, shared = cluster(X[:, columns_of(blind[method], X, None)], y, repeats)
        row |= dict(ac=float(np.mean(matched)/len(y)), nmi=float(np.mean(shared)))
    if method in seeing:
        S, right = columns_of(seeing[method], X, y), []
        if len(S) > 1: row["red"] = float(redundancy_rate(X, S, kind="cosine2"))
        for seed in range(splits):
            train, test = train_test_split(np.arange(len(y)), train_size=.6, stratify=y, random_state=seed)
            own = columns_of(seeing[method], X[train], y[train])
            right.append(count_right(X[train][:, own], y[train], X[test][:, own], y[test]))
        row["svm"] = float(np.mean(right)/len(test))
    return row


LARGE = "warpPIE10P", "pixraw10P", "TOX_171"
SLOW = "MRSF", "MCFS"


def draws(name, method):
    "How many splits of a set: the paper has 100"
    return (5 if method in SLOW else 10) if name in LARGE else 40


def plan(quick=False):
    "(part, set, method, and how often) of all rows"
    names = ["heart", "vote"] if quick else [name for name in SETS if name in available()]
    blind, seeing = (list(models(2, labelled)) for labelled in (False, True))
    for name in sorted(names, key=lambda name: name in LARGE):
        for method in blind: yield "unsupervised", name, method, 3 if quick else 100
        for method in seeing: yield "supervised", name, method, 2 if quick else draws(name, method)
    for name in [name for name in CURVES if name in names]:
        for method in dict.fromkeys(blind+seeing):
            if method not in {*WITHOUT_LABELS, *WITH_LABELS} or method == "all" or name in LARGE and method in ("MRSF", "mRMR"): continue
            for d in CURVES[name]: yield "curves", name, method, d


def measure(part, name, method, number, quick=False):
    "One row"
    if part == "curves": return curve(name, method, number, *((2, 2) if quick else (10, 5)))
    return (without_labels if part == "unsupervised" else with_labels)(name, method, number)


def stands(row, part):
    "Whether today's selection is the one that the row was measured with"
    from fsnb.groups.metrics import redundancy_rate
    X, y = read(row["data"])
    if row["d"] != size_of(row["data"], X.shape[1]) or part == "curves": return False
    S = columns_of(models(row["d"], part == "supervised")[row["method"]], X, y if part == "supervised" else None)
    if part == "supervised": return bool(np.isclose(redundancy_rate(X, S, kind="cosine2"), row["red"], rtol=1e-9, atol=0))
    return words(cluster(X[:, S], y, 3)[0]).split() == row["matched"].split()[:3]


def find_row(known, part, name, method, number):
    "The stored row of what is planned, or None"
    return next((row for row in known[part] if (row["data"], row["method"]) == (name, method) and (part != "curves" or row["d"] == number)), None)


def add(known, part, row):
    "The row in the place of the one of the same set, method and, for curves, size"
    old = find_row(known, part, row["data"], row["method"], row["d"])
    known[part] = [other for other in known[part] if other is not old]+[row | origin()]


def show(out):
    for part in ("unsupervised", "supervised"):
        table([{k: v for k, v in row.items() if k not in ("matched", "shared", "right")} for row in out[part]], part)
    return out


def run(quick=False):
    warnings.simplefilter("ignore")
    out = dict(unsupervised=[], supervised=[], curves=[])
    for task in plan(quick): add(out, task[0], measure(*task, quick))
    return show(out)


def update(only, today):
    "Rows that are missing or were measured with another selection, each written at once"
    known = json.loads((RESULTS/"fsir2_rivals.json").read_text())
    tasks = list(plan())
    known = {part: [row for task in tasks if task[0] == part for row in [find_row(known, *task)] if row] for part in ("unsupervised", "supervised", "curves")}
    for task in tasks:
        row = find_row(known, *task)
        if only and not set(only) & set(task[:3]) or row and today in (row["date"], row.get("checked")): continue
        if row and task[1] in LARGE and (task[2] in SLOW or task[0] == "curves"): continue       # minutes each: these rows keep their day
        start = time.process_time()
        if row and stands(row, task[0]): row["checked"] = today
        else: add(known, task[0], measure(*task))
        print(*task, f"{time.process_time()-start:.1f} s", "kept" if row and "checked" in row else "", file=sys.stderr, flush=True)
        write_result("fsir2_rivals", known)
    show(known)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    update([word for word in sys.argv[1:] if not word.startswith("--")], datetime.date.today().isoformat())
