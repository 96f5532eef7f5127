"Symmetrical uncertainty: time a pair beside scikit-learn, what the prefilter saves, and position windows on genotypes."
import warnings
from itertools import product

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from fsnb import as_columns
from fsnb.correlation import Pearson, Positional, SymmetricalUncertainty

from .common import clock, extra_memory, table
from .datasets import load, present

SETS = "bbc", "BASEHOCK", "farm_ads", "leukemia_golub", "usps"

def fitted(X, **settings):
    "Symmetrical uncertainty on the columns of X"
    return SymmetricalUncertainty(**settings).fit(as_columns(X))

def times(n, p):
    "Microseconds of a pair, or of a feature"
    r, everyone = np.random.default_rng(0), np.arange(p)
    codes, X = r.integers(0, 10, (n, p)).astype(np.uint8), r.standard_normal((n, p))
    S, columns = sp.random(n, p, .01, random_state=0, format="csc"), as_columns(X)
    dense, sparse = fitted(codes, binning="none"), fitted(S)
    columns.moments()
    for su in (dense, sparse): su.tables.row(0, everyone)
    def theirs(): return [normalized_mutual_info_score(codes[:, 0], codes[:, k]) for k in range(20)]
    rows = {"SU dense, 10 bins": (lambda: dense.tables.row(0, everyone), 3, p),
            "scikit-learn, normalised mutual information (the same number)": (theirs, 1, 20),
            "binning, equal width, a feature": (lambda: fitted(X), 1, p),
            "binning, equal frequency, a feature": (lambda: fitted(X, binning="frequency"), 1, p),
            "Pearson dense float64": (lambda: columns.partners(0, .7), 3, p),
            "SU sparse, 1 % filled": (lambda: sparse.tables.row(0, everyone), 3, p)}
    return [dict(what=what, us_a_pair=1e6*clock(f, repeat)[0]/count) for what, (f, repeat, count) in rows.items()]+[
        dict(what="extra memory over X (dense float64), share", us_a_pair=extra_memory(lambda: fitted(X))/X.nbytes)]

def prefilter(names):
    "Share of pairs that the window of entropies excludes; its seconds for 40 supports, whose partners are those of all pairs"
    rows = []
    for name, binning in product(names, ("width", "frequency")):
        X, y, _ = load(name)
        su, p = fitted(X, binning=binning), X.shape[1]
        asked = np.argsort(-su.relevance(y), kind="stable")[:40]
        all_pairs = [su.tables.row(j, np.arange(p)) for j in asked]
        for t in (.5, .6, .7):
            entropy = 1-np.mean([len(su.candidates(j, t)) for j in asked])/p
            window, found = clock(lambda: su.partners(asked, t), 1)
            for j, row, (k, _) in zip(asked, all_pairs, found):
                assert np.array_equal(k, np.setdiff1d(np.flatnonzero(row >= t-1e-10), [j]))
            rows.append(dict(data=name, binning=binning, threshold=t, pruned_by_entropy=entropy, entropy_only=window))
    return rows

def positions(n, p):
    "Partners of fifty variants of a genome, among all and within a window"
    r = np.random.default_rng(0)
    strand = np.empty((2, n, p), dtype=np.int8)
    strand[..., 0] = r.random((2, n)) < .4
    for j in range(1, p): strand[..., j] = np.where(r.random((2, n)) < .93, strand[..., j-1], r.random((2, n)) < .4)
    place, asked = np.cumsum(r.integers(1, 2000, p)), r.choice(p, 50, replace=False)
    columns = as_columns(np.asfortranarray(strand.sum(0, dtype=np.int8)))
    columns.moments()
    base, near = Pearson().fit(columns), Positional(place, window=200_000.).fit(columns)
    near.partners(asked[:1], .6)
    plain, _ = clock(lambda: base.partners(asked, .6), 1)
    windowed, _ = clock(lambda: near.partners(asked, .6), 3)
    return [dict(what=f"{p} SNPs x {n}, partners of 50, all pairs", seconds=plain), dict(what="within a window of 200 kb", seconds=windowed)]

def run(quick=False):
    warnings.simplefilter("ignore")
    return dict(pairs=table(times(*(500, 1000) if quick else (2000, 10_000)), "microseconds"),
                pruned=table(prefilter(list(present(SETS[1:2] if quick else SETS))), "share of pairs pruned; seconds for 40 supports"),
                position=table(positions(*(200, 5000) if quick else (1000, 100_000))))
