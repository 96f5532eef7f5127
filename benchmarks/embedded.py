"The filters and the embedded selectors beside the packages they are compared with: the same numbers, and process time."
import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.feature_selection import RFE, f_classif
from sklearn.linear_model import ElasticNet as PeerNet
from sklearn.svm import LinearSVC

from fsnb import (
    CFS,
    L1SVM,
    MRMR,
    RCFS,
    SVMRFE,
    ElasticNet,
    FisherScore,
    GroupLasso,
    TraceRatio,
    group_columns,
)
from fsnb.filters import relieff_scores

from .common import cpu_clock, table


def dense(n, p, seed=0):
    "Twenty features carry the class"
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, p))
    X[:, :20] += np.outer(2*y-1, np.linspace(.3, .9, 20))
    return X, y


def thin(n, p, density, seed=1):
    "Counts of which most are 0; fifty features go with the class"
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = sp.random(n, p, density, format="csc", random_state=2, data_rvs=lambda k: rng.integers(1, 9, k)*1.)
    more = sp.random(n, 50, .1, format="csc", random_state=3, data_rvs=lambda k: rng.integers(1, 9, k)*1.)
    marked = sp.csc_matrix(more.multiply(y[:, None]))
    return sp.hstack([marked, X[:, 50:]], format="csc"), y


def beside(rows, what, data, ours, theirs=None, agree=None, repeat=3, note=""):
    "A row: both times, and how far the answers differ; theirs None: no package takes the data"
    with warnings.catch_warnings(action="ignore"):
        our_s, a = cpu_clock(ours, repeat)
        if theirs is None: their_s, b = np.nan, None
        else: their_s, b = cpu_clock(theirs, max(1, repeat-2))
    rows.append(dict(what=what, data=data, ours_s=our_s, theirs_s=None if b is None else their_s,
                     times_faster=None if b is None else their_s/our_s, difference=None if b is None else agree(a, b), note=note))
    print(rows[-1], flush=True)


def far(a, b):
    "The largest difference, as a share of the largest value"
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(np.abs(a-b).max()/np.abs(b).max())


def not_shared(a, b):
    "Features of one answer that the other has not"
    return len(set(np.asarray(a).tolist())-set(np.asarray(b).tolist()))


def places(a, b):
    "Places at which two orders differ"
    return int(np.sum(np.asarray(a) != np.asarray(b)))


def skfeature_trace(X, y, k):
    "The package's ratio of its set: it forms two p by p matrices"
    from skfeature.function.similarity_based import trace_ratio
    return float(trace_ratio.trace_ratio(X, y, n_selected_features=k, mode="raw")[2])


def filters(quick):
    "FisherScore, TraceRatio, MRMR, CFS and ReliefF beside skfeature-chappers, mrmr-selection, skrebate and scikit-learn"
    from mrmr import mrmr_classif
    from skfeature.function.similarity_based import fisher_score
    from skfeature.function.statistical_based import CFS as theirs_cfs
    from skrebate import ReliefF as Rebate
    rows, n, p, q = [], 200, 1000 if quick else 10000, 600 if quick else 3000
    X, y = dense(n, p)
    S, label = thin(1000, 2000 if quick else 100000, .01)
    name, mid = f"dense, n={n}, p={p}", f"dense, n={n}, p={q}"
    FisherScore(5).fit(X[:, :50], y), MRMR(5).fit(X[:, :50], y), relieff_scores(X[:, :50], y), relieff_scores(S[:, :50], label)
    beside(rows, "Fisher score, order of all, skfeature-chappers", name, lambda: FisherScore(p).fit(X, y).support_,
           lambda: fisher_score.fisher_score(X, y, mode="index"), places, note="difference: places of the order")
    beside(rows, "Fisher score, 20 best, scikit-learn's F", name, lambda: FisherScore(20).fit(X, y).support_,
           lambda: np.argsort(-f_classif(X, y)[0], kind="stable")[:20], places, note="the F test has the same order")
    beside(rows, "trace ratio of 20, skfeature-chappers", mid, lambda: TraceRatio(20).fit(X[:, :q], y).ratio_,
           lambda: skfeature_trace(X[:, :q], y, 20), lambda a, b: (a-b)/b,
           note="difference: how much larger our ratio is; theirs searches among the 20 best alone, and forms p by p matrices")
    frame, target = pd.DataFrame(X), pd.Series(y)
    beside(rows, "MRMR, first 50, mrmr-selection", name, lambda: MRMR(50).fit(X, y).support_,
           lambda: mrmr_classif(frame, target, K=50, show_progress=False, n_jobs=1), places, note="difference: places of the order")
    codes = (X[:, :100]*2).round().clip(-3, 3).astype(int)
    CFS(discretizer=None).fit(codes[:, :5], y)
    beside(rows, "CFS, skfeature-chappers", f"categories, n={n}, p=100", lambda: CFS(discretizer=None, search="forward").fit(codes, y).support_,
           lambda: theirs_cfs.cfs(codes, y, mode="index"), not_shared,
           note="difference: features of ours that it has not; a hundred columns, which take theirs seconds")
    beside(rows, "ReliefF, skrebate", name, lambda: relieff_scores(X, y, 10),
           lambda: Rebate(n_neighbors=10).fit(X.copy(), y).feature_importances_, far, repeat=2, note="difference: as a share of the largest weight")
    return rows+sparse_filters(quick, S, label, f"sparse, n={S.shape[0]}, p={S.shape[1]}")


def sparse_filters(quick, S, label, wide):
    "The same on sparse columns: the F test takes them all; the others take an array, and get the first thousand columns"
    from mrmr import mrmr_classif
    from skrebate import ReliefF as Rebate
    rows, q = [], 200 if quick else 1000
    beside(rows, "Fisher score, 20 best, scikit-learn's F", wide, lambda: FisherScore(20).fit(S, label).support_,
           lambda: np.argsort(-np.nan_to_num(f_classif(S, label)[0]), kind="stable")[:20], places, note="the F test has the same order")
    few, part = S[:, :q], f"sparse, n={S.shape[0]}, p={q}"
    array, target = few.toarray(), pd.Series(label)
    frame = pd.DataFrame(array)
    why = f"the first {q} columns, as an array for theirs: it takes no sparse columns"
    beside(rows, "trace ratio of 20, skfeature-chappers", part, lambda: TraceRatio(20).fit(few, label).ratio_,
           lambda: skfeature_trace(array, label, 20), lambda a, b: (a-b)/b, note=f"difference: how much larger our ratio is; {why}")
    beside(rows, "MRMR, first 20, mrmr-selection", part, lambda: MRMR(20).fit(few, label).support_,
           lambda: mrmr_classif(frame, target, K=20, show_progress=False, n_jobs=1), places, note=f"difference: places of the order; {why}")
    apart = few.copy()
    apart.data *= 1+1e-3*np.random.default_rng(4).random(few.nnz)
    loose = apart.toarray()
    beside(rows, "ReliefF, skrebate", part, lambda: relieff_scores(apart, label, 10),
           lambda: Rebate(n_neighbors=10, categorical_threshold=1).fit(loose.copy(), label).feature_importances_, far, repeat=2,
           note=f"difference: as a share of the largest weight; {why}; counts are made unequal, for each breaks ties of distances in its own way")
    for what, ours in (("trace ratio of 20", lambda: TraceRatio(20).fit(S, label)), ("MRMR, first 50", lambda: MRMR(50).fit(S, label)),
                       ("ReliefF", lambda: relieff_scores(S, label, 10))):
        beside(rows, what, wide, ours, repeat=1, note="ours alone: an array of it has 0.8 GB" if not quick else "ours alone")
    return rows


def embedded(quick):
    "L1SVM, SVMRFE, ElasticNet and GroupLasso beside scikit-learn and skglm"
    rows = []
    X, y = dense(200, 1000 if quick else 10000)
    S, label = thin(1000, 2000 if quick else 100000, .01)
    varies = np.asarray(S.multiply(S).sum(0)).ravel() > 0
    S = S[:, np.flatnonzero(varies)]
    SVMRFE(5).fit(X[:, :50], y), ElasticNet(5).fit(X[:, :50], y), ElasticNet(5).fit(S[:, :50], label), GroupLasso(2).fit(X[:, :50], y)
    for name, Z, t in ((f"dense, n=200, p={X.shape[1]}", X, y), (f"sparse, n=1000, p={S.shape[1]}", S, label)):
        where = dict(C=.02 if Z is X else .005)
        def peer():
            return LinearSVC(penalty="l1", dual=False, intercept_scaling=1000, random_state=0, **where).fit(Z, t).coef_
        beside(rows, "L1 SVM at one C, LinearSVC", name, lambda: L1SVM(None, standardize=False, **where).fit(Z, t).coef_, peer, far)
        chunk = Z.shape[1]//40
        def eliminated():
            return RFE(LinearSVC(random_state=0), n_features_to_select=20, step=chunk).fit(Z, t).support_.nonzero()[0]
        beside(rows, "SVM-RFE, 40 steps, RFE of LinearSVC", name, lambda: SVMRFE(20, step=chunk, standardize=False).fit(Z, t).support_,
               eliminated, not_shared, repeat=1, note="features of ours that RFE has not: LinearSVC penalises the constant")
        alpha = .15
        spread = Z.std(0) if Z is X else np.sqrt(np.asarray(Z.multiply(Z).mean(0)).ravel()-np.square(np.asarray(Z.mean(0)).ravel()))
        scaled = (Z/spread) if Z is X else (Z@sp.diags_array(1/spread)).tocsc()
        beside(rows, "elastic net at one strength, scikit-learn", name, lambda: ElasticNet(None, alpha=alpha, tol=1e-8).fit(Z, t).scores_,
               lambda: np.abs(PeerNet(alpha=alpha, tol=1e-8, max_iter=10**5).fit(scaled, 2.*t-1).coef_), far)
    return rows


def groups(quick):
    "GroupLasso beside skglm, whose compilation is told apart; RCFS with clusters of all beside those asked for"
    from skglm import GroupLasso as PeerGroups
    rows = []
    X, y = dense(200, 1000 if quick else 10000)
    Z, blocks = (X-X.mean(0))/X.std(0), [[4*i+j for j in range(4)] for i in range(X.shape[1]//4)]
    model = lambda: PeerGroups(groups=4, alpha=.25, weights=np.full(len(blocks), 2.), tol=1e-8).fit(np.asfortranarray(Z), 2.*y-1).coef_
    first = cpu_clock(model, 1)[0]
    beside(rows, "group lasso, skglm", f"dense, n=200, p={X.shape[1]}", lambda: GroupLasso(None, groups=blocks, alpha=.25, tol=1e-10).fit(X, y).scores_,
           lambda: np.abs(model()), far, note=f"its first fit in a process, with compilation, took {first:.1f} s")
    p = 500 if quick else 3000
    whole = lambda: RCFS(10, groups=group_columns(X[:, :p], .3)).fit(X[:, :p], y).support_
    beside(rows, "RCFS, all clusters made first", f"dense, n=200, p={p}", lambda: RCFS(10).fit(X[:, :p], y).support_, whole, not_shared)
    return rows


def run(quick=False):
    "Process times on one core, ratios, and how far the answers differ"
    return dict(filters=table(filters(quick), "filters"), embedded=table(embedded(quick), "embedded"), groups=table(groups(quick), "groups"))
