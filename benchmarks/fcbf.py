"FCBF: a whole run beside one matrix product of the same data, SU beside plain Python, and the paper's data sets beside simpler and slower filters."
import time
import warnings
import numpy as np
import scipy.sparse as sp
from .common import clock, extra_memory, table
from .realdata import available, load

NOMINAL = "lung_cancer", "promoters", "splice", "coil2000"          # values are categories
NUMERIC = "arrhythmia", "isolet"


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
    from fsnb import FCBF
    n, p = 2000, 5000 if quick else 100000
    X, y = discrete(n, p)
    FCBF(discretizer=None).fit(X[:, :100], y)
    F = X.astype(np.float32)
    product = clock(lambda: F.T@F[:, :100])[0]
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
    from fsnb import naive
    from fsnb import as_columns
    from fsnb.correlation import SymmetricalUncertainty
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (2000, 2000)).astype(np.uint8)
    s = SymmetricalUncertainty(binning="none").fit(as_columns(X))
    ours = clock(lambda: s.tables.row(0, np.arange(2000)))[0]/2000
    a, b = X[:, 0].tolist(), X[:, 1].tolist()
    plain = clock(lambda: naive.symmetrical_uncertainty(a, b))[0]
    rows = [dict(who="kernel", us=ours*1e6, ratio=1.), dict(who="plain Python, as in scikit-feature", us=plain*1e6, ratio=plain/ours)]
    try: from fimdlp.mdlp import FImdlp
    except ImportError: return rows
    from fsnb.filters.fcbf import code_features
    C, y = rng.standard_normal((2000, 200)), rng.integers(0, 2, 2000)
    y = ((C[:, 0] > 0)*1 + y) // 2
    mine, theirs = clock(lambda: code_features(as_columns(C), y, "mdl"))[0]/200, clock(lambda: FImdlp().fit(C.astype(np.float32), y))[0]/200
    return rows+[dict(who="MDL cuts, a feature", us=mine*1e6, ratio=1.), dict(who="fimdlp, a feature", us=theirs*1e6, ratio=theirs/mine)]


def cfs(tables, relevance, most=50):
    "Forward search by Hall's merit, k r_cf / sqrt(k + k(k-1) r_ff), until it falls"
    chosen, rcf, rff, best = [], 0., 0., 0.
    with_chosen = np.zeros(len(relevance))
    while len(chosen) < most:
        k = len(chosen)+1
        merit = (rcf+relevance)/np.sqrt(k+2*(rff+with_chosen))
        merit[chosen] = -1
        j = int(merit.argmax())
        if merit[j] <= best+1e-12: break
        best = merit[j]
        chosen.append(j)
        rcf, rff = rcf+relevance[j], rff+with_chosen[j]
        with_chosen = with_chosen+tables.row(j, np.arange(len(relevance)))
    return np.array(chosen, dtype=np.int64)


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


def searches(names, repeat=20):
    "All samples of a set: features kept, pairs of features asked for, and CPU milliseconds of each search; all begin with the same tables"
    from fsnb import as_columns
    from fsnb.filters.fcbf import code_features, least_su, predominant
    rows = []
    for name in names:
        X, y, nominal = read(name)
        tables = code_features(as_columns(X), y, None if nominal else "mdl")
        relevance = tables.against(y)[0]
        own = {"FCBF": lambda t: predominant(t, relevance, least_su(tables, y)).supports,
               "FCBF.icml2003": lambda t: predominant(t, relevance).supports, "cfs": lambda t: cfs(t, relevance)}
        best = dict.fromkeys(own, np.inf)
        for _ in range(repeat):                             # one after the other, so that a busy moment meets all
            for method, search in own.items():
                start = time.process_time()
                search(tables)
                best[method] = min(best[method], time.process_time()-start)
        for method, search in own.items():
            counted = Counted(tables)
            kept = len(search(counted))
            rows.append(dict(data=name, p=X.shape[1], method=method, kept=kept, pairs=counted.pairs, cpu_ms=1e3*best[method]))
    return rows


def run(quick=False):
    warnings.simplefilter("ignore", UserWarning)
    out = dict(speed=table(speed(quick), "seconds, one thread"), pair=table(pair(), "microseconds"))
    names = [name for name in NOMINAL+NUMERIC if name in available()]
    names = names[:2] if quick else names
    if names: out |= dict(searches=table(searches(names), "the searches alone, on all samples"))
    return out
