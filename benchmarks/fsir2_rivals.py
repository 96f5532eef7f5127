"""FSIR2's Tables II to V with all their columns, what is significant in them, and its Figures 1 and 2.

    python -m benchmarks fsir2_rivals                   all of it
    python -m benchmarks.fsir2_rivals                   the rows that the results file does not have yet, each written at once
    python -m benchmarks.fsir2_rivals MCFS vote         of these only those of a method or a set
    python -m benchmarks.fsir2_rivals --full            100 splits for all, every point of the curves

Every split and every run of k-means is kept, as counts of samples, so that the page can test differences.
"""
import datetime
import json
import sys
import time
import warnings
import numpy as np
from .common import RESULTS, table, write_result
from .fsir2 import SETS, size_of
from .mmfs import commit
from .realdata import available, load

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
STAND_INS = {"chowdary": "GLI_85 and SMK_CAN_187: real, 104 x 22283, the same probes",
             "made_cll": "CLL_SUB_111: made, 111 x 11340, three classes"}
CURVES = {"vote": (1, 2, 3, 4, 6, 8, 10, 12, 14, 16), "warpPIE10P": (5, 10, 20, 40, 80, 121, 240, 480)}


def made_cll(seed=20150001):
    "111 samples of 11340 features in three classes: fifty shared factors, four of which move with the class, and noise"
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), 37)
    factors = rng.standard_normal((111, 50))
    factors[:, :4] += 1.2*rng.standard_normal((3, 4))[y]
    X = factors@rng.standard_normal((50, 11340))/7+rng.standard_normal((111, 11340))
    return 8+X, y


def read(name):
    "X and numbers of the classes"
    if name == "made_cll": return made_cll()
    X, y, _ = load(name)
    return X, np.unique(y, return_inverse=True)[1]


def models(d, classes, labelled):
    "Name: (what the paper calls it or None, a selector, or a function of X and y to columns)"
    import fsnb
    from fsnb.filters import MRMR, FisherScore, TraceRatio
    from fsnb.spectral import spec
    def ranked(kind): return lambda X, y: np.argsort(spec(X, y, kind=kind), kind="stable")[:d]
    def has(name): return getattr(fsnb, name, None)
    out = {"FSIR2": fsnb.FSIR2.icdm2015(d, solver="lanczos"), "SPEC": ranked("phi1"), "LScore": ranked("phi2"),
           "all": lambda X, y: np.arange(X.shape[1])}
    if labelled:
        out |= {"mRMR": MRMR(d), "mRMR, difference": MRMR(d, scheme="difference", relevance="correlation"),
                "QPFS": fsnb.QPFS.jmlr2010(d), "ours: QPFS": fsnb.QPFS(d), "Fisher": FisherScore(d), "S-FS": TraceRatio(d)}
        if has("ReliefF"): out["ReliefF"] = fsnb.ReliefF(d)
    else:
        out |= {"variance": lambda X, y: np.argsort(-X.var(0), kind="stable")[:d], "S-LS": TraceRatio(d)}
        if has("EVSC"): out["EVSC"] = fsnb.EVSC(d)
        if has("JELSR"): out["JELSR"] = fsnb.JELSR(d)
    for name in ("MCFS", "MRSF"):
        if has(name): out[name] = has(name)(d)
    return out


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


def cluster(X, y, repeats):
    "(matched samples, mutual information) of each run of k-means"
    from scipy.optimize import linear_sum_assignment
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score
    k, matched, shared = int(y.max())+1, [], []
    for seed in range(repeats):
        found = KMeans(k, n_init=1, random_state=seed).fit_predict(X)
        counts = np.zeros((k, k))
        np.add.at(counts, (found, y), 1)
        matched.append(int(counts[linear_sum_assignment(-counts)].sum()))
        shared.append(round(float(normalized_mutual_info_score(y, found)), 4))
    return matched, shared


def made_by():
    "The commit and the day"
    return dict(commit=commit(), date=datetime.date.today().isoformat())


def words(values): return " ".join(map(str, values))


def without_labels(name, method, repeats):
    "A row of Tables II and III: every run of k-means on what a method takes without labels"
    X, y = read(name)
    d = size_of(name, X.shape[1])
    start = time.process_time()
    S = columns_of(models(d, int(y.max())+1, False)[method], X, None)
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
    model = models(d, int(y.max())+1, True)[method]
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
    row, k = dict(data=name, method=method, d=d), int(y.max())+1
    blind, seeing = models(d, k, False), models(d, k, True)
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


LARGE = "warpPIE10P", "pixraw10P", "TOX_171", "chowdary", "made_cll"
FEW = {"MRSF": 5, "MCFS": 10, "ReliefF": 10}     # splits of the slower methods on the large sets


def draws(name, method, full):
    "How many splits of a set: 100 as the paper, fewer for what takes a second and more"
    if full: return 100
    if name in STAND_INS: return 5
    if name in LARGE: return FEW.get(method, 100)
    return {"MRSF": 30, "MCFS": 30}.get(method, 100)


def plan(quick=False, full=False):
    "(part, set, method, and how often) of all rows, the cheap ones first"
    names = [name for name in SETS if name in available()]+["chowdary"]*("chowdary" in available())+["made_cll"]
    if quick: names = ["heart", "vote"]
    blind, seeing = (list(models(2, 2, labelled)) for labelled in (False, True))
    for name in sorted(names, key=lambda name: name in STAND_INS):
        for method in blind: yield "unsupervised", name, method, 3 if quick else 100
        for method in seeing: yield "supervised", name, method, 2 if quick else draws(name, method, full)
    for name, ds in CURVES.items():
        if name not in names: continue
        for method in dict.fromkeys(blind+seeing):
            if method in ("all", "ours: QPFS", "mRMR, difference", "JELSR", "MRSF"): continue
            for d in ds if full else ds[1::2]: yield "curves", name, method, d


def measure(part, name, method, number, quick=False, full=False):
    "One row"
    if part == "curves": return curve(name, method, number, *((2, 2) if quick else (20, 10) if full else (10, 5)))
    return (without_labels if part == "unsupervised" else with_labels)(name, method, number)


def is_there(known, part, name, method, number):
    "Whether a row of earlier runs is the one that is planned"
    count = dict(unsupervised="repeats", supervised="splits", curves="d")[part]
    return any((row["data"], row["method"], row[count]) == (name, method, number) for row in known.get(part, ()))


def add(known, part, row):
    "The row in its place: those of the same set, method and size go"
    keys = ("data", "method", "d") if part == "curves" else ("data", "method")
    rest = [other for other in known.get(part, ()) if any(other[key] != row[key] for key in keys)]
    known[part] = rest+[row | made_by()]


def show(out):
    for part in ("unsupervised", "supervised"):
        table([{k: v for k, v in row.items() if k not in ("matched", "shared", "right")} for row in out[part]], part)
    return out


def run(quick=False, full=False):
    warnings.simplefilter("ignore")
    out = dict(stand_ins=STAND_INS)
    for task in plan(quick, full): add(out, task[0], measure(*task, quick, full))
    return show(out)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    path, full = RESULTS/"fsir2_rivals.json", "--full" in sys.argv
    known = json.loads(path.read_text()) if path.exists() else {}
    known = {part: known.get(part, []) for part in ("unsupervised", "supervised", "curves")} | dict(stand_ins=STAND_INS)
    only = [word for word in sys.argv[1:] if not word.startswith("--")]
    for task in plan(full=full):           # written after each row, so that a run that is ended loses one
        if only and not set(only) & set(task[:3]) or is_there(known, *task): continue
        start = time.process_time()
        add(known, task[0], measure(*task, full=full))
        print(*task, f"{time.process_time()-start:.1f} s", file=sys.stderr, flush=True)
        write_result("fsir2_rivals", known)
    show(known)
