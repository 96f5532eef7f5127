"""FCBF: a whole run beside one matrix product of the same data, SU beside plain Python, and the paper's Tables 2 to 4 on six of its ten sets.

C4.5 is not at hand: a decision tree of scikit-learn's (CART) stands beside naive Bayes.
"""
import numpy as np, scipy.sparse as sp
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier
from fsnb import CFS, FCBF, ConsistencyFilter, ReliefF, as_columns, naive
from fsnb.correlation import SymmetricalUncertainty
from fsnb.filters.cfs import Extensions, _best_first
from fsnb.correlation.information import chance_threshold
from fsnb.filters.fcbf import code_features, predominant
from .common import average, clock, cpu
from .datasets import load, present

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
    "Seconds of whole runs, beside one product of the dense data with a hundred of its columns"
    n, p = 2000, 5000 if quick else 100000
    X, y = discrete(n, p)
    S, z = thin(n, p, .01)
    F = X.astype(np.float32)
    product = clock(lambda: F.T@F[:, :100])[0]
    def row(what, Z, y, **given):
        seconds, m = clock(lambda: FCBF(**given).fit(Z, y), 1 if Z.shape[1] > 200000 else 3)
        return dict(what=what, n=Z.shape[0], p=Z.shape[1], seconds=seconds, over_product=seconds/product if Z.shape[1] == p else np.nan,
                    selected=len(m.support_), relevant=int((m.su_ >= np.maximum(m.min_su_, 1e-12)).sum()))
    yield row("discrete, min_su=0", X, y, discretizer=None, min_su=0.)
    yield row('discrete, min_su="noise"', X, y, discretizer=None)
    yield dict(what="float32 product X.T @ X[:, :100]", n=n, p=p, seconds=product, over_product=1.)
    for more, (S, z) in (("", (S, z)), (", ten times the samples", thin(20000, p//10, .01))):
        yield row("1 % filled, sparse"+more, S, z, discretizer=None)
        yield row("the same, dense"+more, S.toarray().astype(np.uint8), z, discretizer=None)
    if not quick: yield row("a million columns, .5 % filled", *thin(n, 1000000, .005), discretizer=None)
    C = np.random.default_rng(0).standard_normal((n, p//10))
    yield row("continuous, cut by MDL", C, y)

def pair():
    "Microseconds a pair, at n = 2000 and ten categories, and of the cuts of a feature"
    from fimdlp.mdlp import FImdlp
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (2000, 2000)).astype(np.uint8)
    s = SymmetricalUncertainty(binning="none").fit(as_columns(X))
    ours = clock(lambda: s.tables.row(0, np.arange(2000)))[0]/2000
    a, b = X[:, 0].tolist(), X[:, 1].tolist()
    plain = clock(lambda: naive.symmetrical_uncertainty(a, b))[0]
    rows = [dict(who="kernel", us=ours*1e6, ratio=1.), dict(who="plain Python, as in scikit-feature", us=plain*1e6, ratio=plain/ours)]
    C, y = rng.standard_normal((2000, 200)), rng.integers(0, 2, 2000)
    y = ((C[:, 0] > 0)*1+y)//2
    mine, theirs = clock(lambda: code_features(as_columns(C), y, "mdl"))[0]/200, clock(lambda: FImdlp().fit(C.astype(np.float32), y))[0]/200
    return rows+[dict(who="MDL cuts, a feature", us=mine*1e6, ratio=1.), dict(who="fimdlp, a feature", us=theirs*1e6, ratio=theirs/mine)]

# ---- the paper's sets
class Counted:
    "Tables that count the pairs of features they are asked for"
    def __init__(self, tables): self.tables, self.bits, self.pairs = tables, tables.bits, 0
    def row(self, j, listed):
        self.pairs += len(listed)
        return self.tables.row(j, listed)

def read(name):
    "X without holes, y as numbers, and the discretizer: None where values are categories"
    X, y, _ = load(name)
    y = np.unique(y, return_inverse=True)[1]
    if name in NOMINAL: return X.astype(np.int64)-X.astype(np.int64).min(0), y, None
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X).astype(np.float64), y, "mdl"

def tables_of(X, y, cut):
    "The columns as codes, and their SU with y"
    tables = code_features(as_columns(X), y, cut)
    return tables, tables.against(y)[0]

def searches(names):
    "All samples of a set: features kept, pairs of features asked for, and CPU milliseconds of each search; all begin with the same tables"
    for name in names:
        X, y, cut = read(name)
        tables, relevance = tables_of(X, y, cut)
        everyone = np.arange(len(relevance))
        own = {"FCBF": lambda t: predominant(t, relevance, chance_threshold(tables, y)).supports,
               "FCBF.icml2003": lambda t: predominant(t, relevance).supports,
               "cfs": lambda t: _best_first(Extensions(relevance, lambda j: t.row(j, everyone)), patience=1).taken}
        best = dict.fromkeys(own, np.inf)
        for _ in range(20):                                 # one after the other, so that a busy moment meets all
            for method, search in own.items(): best[method] = min(best[method], cpu(lambda: search(tables))[0])
        for method, search in own.items():
            counted = Counted(tables)
            search(counted)
            yield dict(data=name, method=method, pairs=counted.pairs, cpu_ms=1e3*best[method])

def selectors(k, cut, n=30):
    "Column of the tables: a selector; ReliefF does not say how many, and is asked for as many as FCBF keeps"
    return {"FCBF": FCBF.icml2003(discretizer=cut), "CorrSF": CFS(search="forward", discretizer=cut), "ConsSF": ConsistencyFilter(discretizer=cut),
            "ReliefF": ReliefF(k, n_neighbors=5, n_targets=min(30, n), random_state=0),
            "ours: FCBF": FCBF(discretizer=cut), "ours: CFS, best first": CFS(discretizer=cut)}

def kept(model, X, y):
    "The features that a selector keeps; the first, where it keeps none"
    support = np.asarray(model.fit(X, y).support_)
    return support if len(support) else np.array([0])

def over_all(name, repeat):
    "Table 2: features kept of all samples, and the best CPU time of a few; FCBF's without the tests of its groups, which the paper lacks"
    X, y, cut = read(name)
    chosen, rows = {}, []
    k = len(kept(selectors(1, cut)["FCBF"], X, y))
    for method, model in selectors(k, cut, len(y)).items():
        def select(): return predominant(*tables_of(X, y, cut)).supports if method == "FCBF" else kept(model, X, y)
        seconds, chosen[method] = cpu(select)
        if seconds < 2: seconds = min(seconds, cpu(select, repeat-1)[0])
        rows.append(dict(data=name, method=method, n=len(y), p=X.shape[1], classes=int(y.max())+1, kept=len(chosen[method]), cpu_ms=1e3*seconds))
    return rows, chosen

def over_folds(name, chosen, n_splits):
    "Tables 3 and 4: accuracy over folds, features chosen of all samples, as the paper, and of the training folds alone"
    X, y, cut = read(name)
    rows = []
    for train, test in StratifiedKFold(n_splits, shuffle=True, random_state=0).split(X, y):
        A, B, a, b = X[train], X[test], y[train], y[test]
        own = {"FCBF": kept(selectors(1, cut)["FCBF"], A, a)}
        strength = FCBF(discretizer=cut).fit(A, a).su_
        own["top SU, as many as FCBF"] = np.argsort(-strength, kind="stable")[:len(own["FCBF"])]
        for method, model in selectors(len(own["FCBF"]), cut, len(train)).items():
            if method in own or method == "ConsSF" and X.size > 1000*SLOW: continue
            own[method] = kept(model, A, a)
        for where, methods in {"all samples": {"all": np.arange(X.shape[1])} | chosen, "training folds": own}.items():
            for method, f in methods.items():
                classifiers = GaussianNB() if cut else CategoricalNB(min_categories=X[:, f].max(0)+1), DecisionTreeClassifier(random_state=0)
                right = [int((model.fit(A[:, f], a).predict(B[:, f]) == b).sum()) for model in classifiers]
                bayes, tree = (count*100*n_splits/len(y) for count in right)
                rows.append(dict(data=name, method=method, chosen_on=where, features=float(len(f)), naive_bayes=bayes, tree=tree))
    return average(rows, ("data", "method", "chosen_on"), "folds")

def names_of(quick): return list(present(NOMINAL+NUMERIC))[:2 if quick else None]

def run_fcbf(quick=False):
    return dict(speed=speed(quick), pair=pair(), searches=searches(names_of(quick)))

def run_fcbf_rivals(quick=False):
    "Tables 2 to 4, and how many features FCBF's search keeps at each threshold"
    out = dict(selection=[], accuracy=[], deltas=[])
    for name in names_of(quick):
        rows, chosen = over_all(name, 2 if quick else 5)
        out["selection"] += rows
        out["accuracy"] += over_folds(name, chosen, 3 if quick else 10)
        tables, relevance = tables_of(*read(name))
        out["deltas"] += [dict(data=name, delta=delta, kept=len(predominant(tables, relevance, delta).supports)) for delta in DELTAS]
    return out
