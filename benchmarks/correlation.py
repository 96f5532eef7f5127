"Symmetrical uncertainty: time a pair beside scikit-learn, what the prefilter saves, and position windows on genotypes."
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from fsnb import as_columns
from fsnb.correlation import Pearson, Positional, SymmetricalUncertainty
from fsnb.correlation.information import CountTables

from .common import clock, extra_memory, table
from .datasets import load, present

SETS = "bbc", "BASEHOCK", "farm_ads", "leukemia_golub", "usps"


def measured(X, **settings):
    "Symmetrical uncertainty on the columns of X"
    return SymmetricalUncertainty(**settings).fit(as_columns(X))


def run(quick=False):
    warnings.simplefilter("ignore")
    r, (n, p) = np.random.default_rng(0), (500, 1000) if quick else (2000, 10_000)
    pairs = []
    codes = r.integers(0, 10, (n, p)).astype(np.uint8)
    everyone = np.arange(p)
    su = measured(codes, binning="none")
    su.tables.row(0, everyone)
    pairs.append(dict(what="SU dense, 10 bins", us_a_pair=1e6*clock(lambda: su.tables.row(0, everyone))[0]/p))
    pairs.append(dict(what="scikit-learn, normalised mutual information (the same number)",
                      us_a_pair=1e6*clock(lambda: [normalized_mutual_info_score(codes[:, 0], codes[:, k]) for k in range(20)], 1)[0]/20))
    X = r.standard_normal((n, p))
    seconds, su = clock(lambda: measured(X), 1)
    pairs.append(dict(what="binning, equal width, a feature", us_a_pair=1e6*seconds/p))
    seconds, _ = clock(lambda: measured(X, binning="frequency"), 1)
    pairs.append(dict(what="binning, equal frequency, a feature", us_a_pair=1e6*seconds/p))
    columns = as_columns(X)
    columns.moments()
    pairs.append(dict(what="Pearson dense float64", us_a_pair=1e6*clock(lambda: columns.partners(0, .7))[0]/p))
    S = sp.random(n, p, .01, random_state=0, format="csc")
    su = measured(S)
    su.tables.row(0, everyone)
    pairs.append(dict(what="SU sparse, 1 % filled", us_a_pair=1e6*clock(lambda: su.tables.row(0, everyone))[0]/p))
    pairs.append(dict(what="extra memory over X (dense float64), share", us_a_pair=extra_memory(lambda: measured(X))/X.nbytes))
    table(pairs, "microseconds")
    pruned = []
    for name in present(SETS[1:2] if quick else SETS):
        X, y, _ = load(name)
        for binning in ("width", "frequency"):
            su = measured(X, binning=binning)
            asked = np.argsort(-su.relevance(y), kind="stable")[:40]
            for t in (.5, .6, .7):
                entropy = np.mean([len(su.candidates(j, t)) for j in asked])/X.shape[1]
                plain, first = clock(lambda: [su.tables.row(j, np.arange(X.shape[1])) for j in asked], 1)
                window, second = clock(lambda: su.partners(asked, t), 1)
                for j, row, (k, _) in zip(asked, first, second):
                    assert np.array_equal(k, np.setdiff1d(np.flatnonzero(row >= t-1e-10), [j]))
                pruned.append(dict(data=name, binning=binning, threshold=t, pruned_by_entropy=1-entropy,
                                   all_pairs=plain, entropy_only=window))
    table(pruned, "share of pairs pruned; seconds for 40 supports against all")
    n, p = (200, 5000) if quick else (1000, 100_000)
    strand = np.empty((2, n, p), dtype=np.int8)
    strand[..., 0] = r.random((2, n)) < .4
    for j in range(1, p): strand[..., j] = np.where(r.random((2, n)) < .93, strand[..., j-1], r.random((2, n)) < .4)
    G, place, asked = strand.sum(0, dtype=np.int8), np.cumsum(r.integers(1, 2000, p)), r.choice(p, 50, replace=False)
    columns = as_columns(np.asfortranarray(G))
    columns.moments()
    base = Pearson().fit(columns)
    near = Positional(place, window=200_000.).fit(columns)
    near.partners(asked[:1], .6)
    plain, _ = clock(lambda: base.partners(asked, .6), 1)
    windowed, _ = clock(lambda: near.partners(asked, .6), 3)
    position = [dict(what=f"{p} SNPs x {n}, partners of 50, all pairs", seconds=plain), dict(what="within a window of 200 kb", seconds=windowed)]
    table(position)
    return dict(pairs=pairs, pruned=pruned, position=position)
