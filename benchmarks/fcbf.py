"""FCBF: a whole run beside one matrix product of the same data, SU beside plain Python, and the paper's Tables 2 to 4 on six of its ten sets.

    python -m benchmarks fcbf              times, and the searches alone
    python -m benchmarks fcbf_rivals       time, features kept and accuracy of four selectors, with two classifiers

C4.5 is not at hand: a decision tree of scikit-learn's (CART) stands beside naive Bayes.
"""
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier

from fsnb import CFS, FCBF, ConsistencyFilter, ReliefF, as_columns, naive
from fsnb.correlation import SymmetricalUncertainty
from fsnb.filters.cfs import Extensions, _best_first
from fsnb.filters.fcbf import code_features, least_su, predominant

from .common import clock, table
from .datasets import available, load

NOMINAL = "lung_cancer", "promoters", "splice", "coil2000"          # values are categories
NUMERIC = "arrhythmia", "isolet"
DELTAS = 0., .01, .03, .05, .08, .1, .15, .2          # thresholds of SU with the class; the paper prints none
SLOW = 4000            # samples times features, in thousands, from which the consistency search is left out of the folds


def discrete(n, p, seed=0):
    "Eight values a feature; fifty features carry the class, with twenty copies each"
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 8, (n, p), dtype=np.uint8), rng.integers(0, 2, n)
    for j in range(50):
        X[:, j] = np.where(rng.random(n) < .3+.01*j, y*4+X[:, j]//2, X[:, j])
        for q in range(50+20*j, 70+20*j): X[:, q] = np.where(rng.random(n) < .7, X[:, j], X[:, q])
    return X, y


def thin(n, p, density, seed=1):
    "Sparse columns of 1, 2, 3, and a class that hangs on the first fifty"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, density, format="csc", random_state=2, data_rvs=lambda k: rng.integers(1, 4, k))
    total = np.asarray(X[:, :50].sum(1)).ravel()
    return X, (total > np.median(total)).astype(int)


def speed(quick):
    n, p = 2000, 5000 if quick else 100000
    X, y = discrete(n, p)
    FCBF(discretizer=None).fit(X[:, :100], y)
    F = X.astype(np.float32)
    product = clock(lambda: F.T@F[:, :100])[0]      # noqa: F821, deleted below
    del F
    rows = []
    def add(what, Z, y, **kw):
        seconds, m = clock(lambda: FCBF(**kw).fit(Z, y), 1 if Z.shape[1] > 200000 else 3)
        rows.append(dict(what=what, n=Z.shape[0], p=Z.shape[1], seconds=seconds, over_product=seconds/product if Z.shape[1] == p else np.nan, selected=len(m.support_),
                         relevant=int((m.su_ >= np.maximum(m.min_su_, 1e-12)).sum())))
    add("discrete, min_su=0", X, y, discretizer=None, min_su=0.)
    add('discrete, min_su="noise"', X, y, discretizer=None)
    rows.append(dict(what="float32 product X.T @ X[:, :100]", n=n, p=p, seconds=product, over_product=1.))
    S, z = thin(n, p, .01)
    FCBF(discretizer=None).fit(S[:, :100], z)
    add("1 % filled, sparse", S, z, discretizer=None)
    add("the same, dense", S.toarray().astype(np.uint8), z, discretizer=None)
    L, z = thin(20000, p//10, .01)
    add("1 % filled, sparse, ten times the samples", L, z, discretizer=None)
    add("the same, dense, ten times the samples", L.toarray().astype(np.uint8), z, discretizer=None)
    if not quick: add("a million columns, .5 % filled", *thin(n, 1000000, .005), discretizer=None)
    C, z = np.random.default_rng(0).standard_normal((n, p//10)), y
    FCBF().fit(C[:, :10], z)
    add("continuous, cut by MDL", C, z)
    return rows


def pair():
    "Microseconds a pair, at n = 2000 and ten categories"
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (2000, 2000)).astype(np.uint8)
    s = SymmetricalUncertainty(binning="none").fit(as_columns(X))
    ours = clock(lambda: s.tables.row(0, np.arange(2000)))[0]/2000
    a, b = X[:, 0].tolist(), X[:, 1].tolist()
    plain = clock(lambda: naive.symmetrical_uncertainty(a, b))[0]
    rows = [dict(who="kernel", us=ours*1e6, ratio=1.), dict(who="plain Python, as in scikit-feature", us=plain*1e6, ratio=plain/ours)]
    try:
        from fimdlp.mdlp import FImdlp
    except ImportError: return rows
    C, y = rng.standard_normal((2000, 200)), rng.integers(0, 2, 2000)
    y = ((C[:, 0] > 0)*1 + y) // 2
    mine, theirs = clock(lambda: code_features(as_columns(C), y, "mdl"))[0]/200, clock(lambda: FImdlp().fit(C.astype(np.float32), y))[0]/200
    return rows+[dict(who="MDL cuts, a feature", us=mine*1e6, ratio=1.), dict(who="fimdlp, a feature", us=theirs*1e6, ratio=theirs/mine)]


class Counted:
    "Tables that count the pairs of features they are asked for"
    def __init__(self, tables): self.tables, self.bits, self.pairs = tables, tables.bits, 0
    def row(self, j, listed):
        self.pairs += len(listed)
        return self.tables.row(j, listed)


def read(name):
    "X without holes, y as numbers, and whether values are categories"
    X, y, _ = load(name)
    y = np.unique(y, return_inverse=True)[1]
    nominal = name in NOMINAL
    if nominal: X = X.astype(np.int64)-X.astype(np.int64).min(0)
    else: X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X).astype(np.float64)
    return X, y, nominal


def tables_of(name):
    "The columns of a set as codes, cut by MDL where they are numbers, their SU with y, and y"
    X, y, nominal = read(name)
    tables = code_features(as_columns(X), y, None if nominal else "mdl")
    return tables, tables.against(y)[0], y


def searches(names, repeat=20):
    "All samples of a set: features kept, pairs of features asked for, and CPU milliseconds of each search; all begin with the same tables"
    rows = []
    for name in names:
        tables, relevance, y = tables_of(name)
        own = {"FCBF": lambda t: predominant(t, relevance, least_su(tables, y)).supports,
               "FCBF.icml2003": lambda t: predominant(t, relevance).supports, "cfs": lambda t: _best_first(Extensions(relevance, lambda j: t.row(j, np.arange(len(relevance)))), patience=1).taken}
        best = dict.fromkeys(own, np.inf)
        for _ in range(repeat):                             # one after the other, so that a busy moment meets all
            for method, search in own.items():
                start = time.process_time()
                search(tables)
                best[method] = min(best[method], time.process_time()-start)
        for method, search in own.items():
            counted = Counted(tables)
            kept = len(search(counted))
            rows.append(dict(data=name, p=len(relevance), method=method, kept=kept, pairs=counted.pairs, cpu_ms=1e3*best[method]))
    return rows


def selectors(k, nominal, n=30):
    "Column of the tables: a selector; ReliefF does not say how many, and is asked for as many as FCBF keeps"
    cut = None if nominal else "mdl"
    out = {"FCBF": FCBF.icml2003(discretizer=cut), "CorrSF": CFS(search="forward", discretizer=cut),
           "ConsSF": ConsistencyFilter(discretizer=cut)}
    out["ReliefF"] = ReliefF(k, n_neighbors=5, n_targets=min(30, n), random_state=0)
    return out | {"ours: FCBF": FCBF(discretizer=cut), "ours: CFS, best first": CFS(discretizer=cut)}


def kept(model, X, y):
    "The features that a selector keeps; the first, where it keeps none"
    support = np.asarray(model.fit(X, y).support_)
    return support if len(support) else np.array([0])


def accuracies(A, y, B, z, nominal, most):
    "Samples that naive Bayes and a tree get right"
    bayes = CategoricalNB(min_categories=most+1) if nominal else GaussianNB()
    tree = DecisionTreeClassifier(random_state=0)
    return [int((model.fit(A, y).predict(B) == z).sum()) for model in (bayes, tree)]


def by_strength(X, y, nominal):
    "All features, the largest SU with the class first"
    return np.argsort(-FCBF(discretizer=None if nominal else "mdl").fit(X, y).su_, kind="stable")


def search(X, y, nominal):
    "FCBF's cuts and its search, without the tests of significance of its groups, which the paper does not have"
    tables = code_features(as_columns(X), y, None if nominal else "mdl")
    return predominant(tables, tables.against(y)[0]).supports


def over_deltas(name):
    "How many features FCBF's search keeps at each threshold"
    tables, relevance, _ = tables_of(name)
    return [dict(data=name, delta=delta, kept=len(predominant(tables, relevance, delta).supports)) for delta in DELTAS]


def whole(name, repeat=5):
    "Table 2: features kept of all samples, and the best CPU time of a few; FCBF's without the tests of its groups"
    X, y, nominal = read(name)
    chosen, rows = {}, []
    k = len(kept(selectors(1, nominal)["FCBF"], X, y))
    for method, model in selectors(k, nominal, len(y)).items():
        best = np.inf
        for _ in range(repeat):
            start = time.process_time()
            chosen[method] = search(X, y, nominal) if method == "FCBF" else kept(model, X, y)
            best = min(best, time.process_time()-start)
            if best > 2: break
        rows.append(dict(data=name, method=method, n=len(y), p=X.shape[1], classes=int(y.max())+1, kept=len(chosen[method]), cpu_ms=1e3*best))
    return rows, chosen


def folds(name, chosen, n_splits=10):
    "Tables 3 and 4: right answers of ten folds, features chosen of all samples, as the paper, and of the training folds alone"
    X, y, nominal = read(name)
    most, rows = X.max(0) if nominal else None, {}
    chosen = {"all": np.arange(X.shape[1])} | chosen
    for train, test in StratifiedKFold(n_splits, shuffle=True, random_state=0).split(X, y):
        def judge(method, where, f):
            right = accuracies(X[train][:, f], y[train], X[test][:, f], y[test], nominal, most[f] if nominal else None)
            rows.setdefault((method, where), []).append((len(f), *right))
        for method, f in chosen.items(): judge(method, "all samples", f)
        own = kept(selectors(1, nominal)["FCBF"], X[train], y[train])
        judge("FCBF", "training folds", own)
        judge("top SU, as many as FCBF", "training folds", by_strength(X[train], y[train], nominal)[:len(own)])
        for method, model in selectors(len(own), nominal, len(train)).items():
            if method == "FCBF" or method == "ConsSF" and X.size > 1000*SLOW: continue
            judge(method, "training folds", kept(model, X[train], y[train]))
    return [dict(data=name, method=method, chosen_on=where, features=float(np.mean([k for k, _, _ in parts])),
                 naive_bayes=100*sum(b for _, b, _ in parts)/len(y), tree=100*sum(t for _, _, t in parts)/len(y),
                 **{f"{kind}_folds": " ".join(str(part[i]) for part in parts) for i, kind in ((1, "naive_bayes"), (2, "tree"))})
            for (method, where), parts in rows.items()]


def names_of(quick):
    here = [name for name in NOMINAL+NUMERIC if name in available()]
    return here[:2] if quick else here


def run_fcbf(quick=False):
    warnings.simplefilter("ignore", UserWarning)
    out = dict(speed=table(speed(quick), "seconds, one thread"), pair=table(pair(), "microseconds"))
    if names_of(quick): out["searches"] = table(searches(names_of(quick)), "the searches alone, on all samples")
    return out


def run_fcbf_rivals(quick=False):
    warnings.simplefilter("ignore")
    out = dict(selection=[], accuracy=[], deltas=[])
    for name in names_of(quick):
        rows, chosen = whole(name, 1 if quick else 5)
        out["selection"] += rows
        out["accuracy"] += folds(name, chosen, 3 if quick else 10)
        out["deltas"] += over_deltas(name)
    table(out["selection"], "features kept, and CPU milliseconds")
    table(out["deltas"], "features that FCBF keeps")
    table([{k: v for k, v in row.items() if not k.endswith("_folds")} for row in out["accuracy"]], "ten folds")
    return out
