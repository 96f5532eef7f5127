"The filters and the embedded selectors beside the packages they are compared with: the same numbers, and process time."
import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.feature_selection import RFE, f_classif
from sklearn.linear_model import ElasticNet as PeerNet
from sklearn.svm import LinearSVC

from fsnb import CFS, L1SVM, MRMR, RCFS, SVMRFE, ElasticNet, FisherScore, GroupLasso, TraceRatio
from fsnb import group_columns
from fsnb.filters import relieff_scores

from .common import cpu, cpu_clock, quiet, table
from .paperkit import standardized

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
    our_s, a = cpu_clock(lambda: quiet(ours), repeat)
    row = dict(what=what, data=data, ours_s=our_s, theirs_s=None, times_faster=None, difference=None, note=note)
    if theirs:
        their_s, b = cpu_clock(lambda: quiet(theirs), max(1, repeat-2))
        row |= dict(theirs_s=their_s, times_faster=their_s/our_s, difference=agree(a, b))
    rows.append(row)
    print(row, flush=True)

def far(a, b):
    "The largest difference, as a share of the largest value"
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(np.abs(a-b).max()/np.abs(b).max())

def not_shared(a, b):
    "Features of one answer that the other has not"
    return len(np.setdiff1d(a, b))

def places(a, b):
    "Places at which two orders differ"
    return int(np.sum(np.asarray(a) != np.asarray(b)))

def larger(a, b): return (a-b)/b

# ---- the packages; each is imported where it is called

def fisher_order(X, y):
    from skfeature.function.similarity_based import fisher_score
    return fisher_score.fisher_score(X, y, mode="index")

def trace_ratio_of(X, y):
    "The package's ratio of its set of 20: it forms two p by p matrices"
    from skfeature.function.similarity_based import trace_ratio
    return float(trace_ratio.trace_ratio(X, y, n_selected_features=20, mode="raw")[2])

def mrmr_order(X, y, k):
    from mrmr import mrmr_classif
    return mrmr_classif(pd.DataFrame(X), pd.Series(y), K=k, show_progress=False, n_jobs=1)

def cfs_order(X, y):
    from skfeature.function.statistical_based import CFS as theirs
    return theirs.cfs(X, y, mode="index")

def rebate(X, y, **given):
    from skrebate import ReliefF
    return ReliefF(n_neighbors=10, **given).fit(X.copy(), y).feature_importances_

def f_order(X, y): return np.argsort(-np.nan_to_num(f_classif(X, y)[0]), kind="stable")[:20]

# ---- the tables

PLACES = "difference: places of the order"
SAME_ORDER = "the F test has the same order"
RATIO = "difference: how much larger our ratio is; "
WEIGHT = "difference: as a share of the largest weight"

def filters(quick):
    "FisherScore, TraceRatio, MRMR, CFS and ReliefF beside skfeature-chappers, mrmr-selection, skrebate and scikit-learn"
    rows, n, p, q = [], 200, 1000 if quick else 10000, 600 if quick else 3000
    X, y = dense(n, p)
    S, label = thin(1000, 2000 if quick else 100000, .01)
    name, some = f"dense, n={n}, p={p}", X[:, :q]
    FisherScore(5).fit(X[:, :50], y), MRMR(5).fit(X[:, :50], y), relieff_scores(X[:, :50], y), relieff_scores(S[:, :50], label)      # compile
    beside(rows, "Fisher score, order of all, skfeature-chappers", name, lambda: FisherScore(p).fit(X, y).support_,
           lambda: fisher_order(X, y), places, note=PLACES)
    beside(rows, "Fisher score, 20 best, scikit-learn's F", name, lambda: FisherScore(20).fit(X, y).support_, lambda: f_order(X, y), places, note=SAME_ORDER)
    beside(rows, "trace ratio of 20, skfeature-chappers", f"dense, n={n}, p={q}", lambda: TraceRatio(20).fit(some, y).ratio_,
           lambda: trace_ratio_of(some, y), larger, note=RATIO+"theirs searches among the 20 best alone, and forms p by p matrices")
    beside(rows, "MRMR, first 50, mrmr-selection", name, lambda: MRMR(50).fit(X, y).support_, lambda: mrmr_order(X, y, 50), places, note=PLACES)
    codes = (X[:, :100]*2).round().clip(-3, 3).astype(int)
    CFS(discretizer=None).fit(codes[:, :5], y)
    beside(rows, "CFS, skfeature-chappers", f"categories, n={n}, p=100", lambda: CFS(discretizer=None, search="forward").fit(codes, y).support_,
           lambda: cfs_order(codes, y), not_shared, note="difference: features of ours that it has not; a hundred columns, which take theirs seconds")
    beside(rows, "ReliefF, skrebate", name, lambda: relieff_scores(X, y, 10), lambda: rebate(X, y), far, repeat=2, note=WEIGHT)
    sparse_filters(rows, quick, S, label)
    return rows

def sparse_filters(rows, quick, S, label):
    "The same on sparse columns: the F test takes them all; the others take an array, and get the first thousand columns"
    q = 200 if quick else 1000
    wide, part = (f"sparse, n={S.shape[0]}, p={columns}" for columns in (S.shape[1], q))
    beside(rows, "Fisher score, 20 best, scikit-learn's F", wide, lambda: FisherScore(20).fit(S, label).support_, lambda: f_order(S, label), places, note=SAME_ORDER)
    few = S[:, :q]
    array, why = few.toarray(), f"the first {q} columns, as an array for theirs: it takes no sparse columns"
    beside(rows, "trace ratio of 20, skfeature-chappers", part, lambda: TraceRatio(20).fit(few, label).ratio_,
           lambda: trace_ratio_of(array, label), larger, note=RATIO+why)
    beside(rows, "MRMR, first 20, mrmr-selection", part, lambda: MRMR(20).fit(few, label).support_,
           lambda: mrmr_order(array, label, 20), places, note=f"{PLACES}; {why}")
    apart = few.copy()
    apart.data *= 1+1e-3*np.random.default_rng(4).random(few.nnz)
    loose = apart.toarray()
    beside(rows, "ReliefF, skrebate", part, lambda: relieff_scores(apart, label, 10), lambda: rebate(loose, label, categorical_threshold=1), far, repeat=2,
           note=f"{WEIGHT}; {why}; counts are made unequal, for each breaks ties of distances in its own way")
    for what, ours in (("trace ratio of 20", lambda: TraceRatio(20).fit(S, label)), ("MRMR, first 50", lambda: MRMR(50).fit(S, label)),
                       ("ReliefF", lambda: relieff_scores(S, label, 10))):
        beside(rows, what, wide, ours, repeat=1, note="ours alone: an array of it has 0.8 GB")

def embedded(quick):
    "L1SVM, SVMRFE and ElasticNet beside scikit-learn"
    rows = []
    X, y = dense(200, 1000 if quick else 10000)
    S, label = thin(1000, 2000 if quick else 100000, .01)
    S = S[:, np.flatnonzero(S.sum(0))]
    SVMRFE(5).fit(X[:, :50], y), ElasticNet(5).fit(X[:, :50], y), ElasticNet(5).fit(S[:, :50], label)                      # compile
    spread = np.sqrt(np.asarray(S.multiply(S).mean(0)).ravel()-np.square(np.asarray(S.mean(0)).ravel()))
    scaled = X/X.std(0), (S@sp.diags_array(1/spread)).tocsc()
    for name, Z, t, C, W in ((f"dense, n=200, p={X.shape[1]}", X, y, .02, scaled[0]), (f"sparse, n=1000, p={S.shape[1]}", S, label, .005, scaled[1])):
        peer = LinearSVC(penalty="l1", dual=False, intercept_scaling=1000, random_state=0, C=C)
        beside(rows, "L1 SVM at one C, LinearSVC", name, lambda: L1SVM(None, standardize=False, C=C).fit(Z, t).coef_, lambda: peer.fit(Z, t).coef_, far)
        chunk = Z.shape[1]//40
        eliminate = RFE(LinearSVC(random_state=0), n_features_to_select=20, step=chunk)
        beside(rows, "SVM-RFE, 40 steps, RFE of LinearSVC", name, lambda: SVMRFE(20, step=chunk, standardize=False).fit(Z, t).support_,
               lambda: eliminate.fit(Z, t).support_.nonzero()[0], not_shared, repeat=1, note="features of ours that RFE has not: LinearSVC penalises the constant")
        net = PeerNet(alpha=.15, tol=1e-8, max_iter=10**5)
        beside(rows, "elastic net at one strength, scikit-learn", name, lambda: ElasticNet(None, alpha=.15, tol=1e-8).fit(Z, t).scores_,
               lambda: np.abs(net.fit(W, 2.*t-1).coef_), far)
    return rows

def groups(quick):
    "GroupLasso beside skglm, whose compilation is told apart; RCFS with clusters of all beside those asked for"
    from skglm import GroupLasso as PeerGroups
    rows = []
    X, y = dense(200, 1000 if quick else 10000)
    Z, blocks = np.asfortranarray(standardized(X)), np.arange(X.shape[1]).reshape(-1, 4).tolist()
    GroupLasso(2).fit(X[:, :50], y)                                                                                        # compiles
    def peer(): return np.abs(PeerGroups(groups=4, alpha=.25, weights=np.full(len(blocks), 2.), tol=1e-8).fit(Z, 2.*y-1).coef_)
    first, _ = cpu(peer)
    beside(rows, "group lasso, skglm", f"dense, n=200, p={X.shape[1]}", lambda: GroupLasso(None, groups=blocks, alpha=.25, tol=1e-10).fit(X, y).scores_,
           peer, far, note=f"its first fit in a process, with compilation, took {first:.1f} s")
    some = X[:, :500 if quick else 3000]
    beside(rows, "RCFS, all clusters made first", f"dense, n=200, p={some.shape[1]}", lambda: RCFS(10).fit(some, y).support_,
           lambda: RCFS(10, groups=group_columns(some, .3)).fit(some, y).support_, not_shared)
    return rows

def run(quick=False):
    "Process times on one core, ratios, and how far the answers differ"
    return dict(filters=table(filters(quick), "filters"), embedded=table(embedded(quick), "embedded"), groups=table(groups(quick), "groups"))
