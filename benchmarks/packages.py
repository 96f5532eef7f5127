"""The filters, embedded and fused selectors and spectral scores beside the packages they are compared with: the same numbers, and CPU time.

A package is imported where it is called. `fused` has the numbers of the original C code too, from
FSNB_DATA/oracles: at its default tolerance and at a tight one.
"""
import numpy as np, pandas as pd, scipy.sparse as sp
from itertools import product
from sklearn.feature_selection import RFE, f_classif
from sklearn.linear_model import ElasticNet as PeerNet
from sklearn.svm import LinearSVC
from fsnb import CFS, L1SVM, MCFS, MRMR, OSCAR, RCFS, SVMRFE, ElasticNet, FisherScore, GFlasso, GroupLasso
from fsnb import NcFGS, NcTFGS, TraceRatio, as_columns, group_columns
from fsnb.filters import relieff_scores
from fsnb.groups.synthetic import _KINDS, _make_affiliate
from fsnb.linear import correlation_graph, equal_groups
from fsnb.linear.gflasso import SortedProblem
from fsnb.linear.graph import EdgeProblem, Edges
from fsnb.spectral import spec
from fsnb.spectral.distances import rbf_graph
from .common import average, cpu, standardized
from .datasets import data_dir
from .records import origin

def far(a, b):
    "The largest difference, as a share of the largest value"
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(np.abs(a-b).max()/np.abs(b).max())

# ---- filters and embedded
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

def beside(what, data, ours, theirs=None, agree=None, repeat=3, note=""):
    "A row: both times, and how far the answers differ; theirs None: no package takes the data"
    our_s, a = cpu(ours, repeat)
    row = dict(what=what, data=data, ours_s=our_s, theirs_s=None, times_faster=None, difference=None, note=note)
    if theirs is None: return row
    their_s, b = cpu(theirs, max(1, repeat-2))
    return row | dict(theirs_s=their_s, times_faster=their_s/our_s, difference=agree(a, b))

def not_shared(a, b): return len(np.setdiff1d(a, b))                     # features of one answer that the other has not
def places(a, b): return int(np.sum(np.asarray(a) != np.asarray(b)))      # at which two orders differ
def larger(a, b): return (a-b)/b

FISHER, SAME_ORDER = "Fisher score, 20 best, scikit-learn's F", "the F test has the same order"
PLACES, RATIO = "difference: places of the order", "difference: how much larger our ratio is; "
WEIGHT = "difference: as a share of the largest weight"
ALONE = "ours alone: an array of it has 0.8 GB"

def filters(quick):
    """FisherScore, TraceRatio, MRMR, CFS and ReliefF beside skfeature-chappers, mrmr-selection, skrebate and scikit-learn

    The same on sparse columns: the F test takes them all; the others take an array, and get the first columns.
    """
    from mrmr import mrmr_classif
    from skfeature.function.similarity_based import fisher_score, trace_ratio
    from skfeature.function.statistical_based import CFS as PeerCFS
    from skrebate import ReliefF
    def ratio_of(X, y): return float(trace_ratio.trace_ratio(X, y, n_selected_features=20, mode="raw")[2])      # it forms two p by p matrices
    def mrmr_order(X, y, k): return mrmr_classif(pd.DataFrame(X), pd.Series(y), K=k, show_progress=False, n_jobs=1)
    def rebate(X, y, **given): return ReliefF(n_neighbors=10, **given).fit(X.copy(), y).feature_importances_
    def f_order(X, y): return np.argsort(-np.nan_to_num(f_classif(X, y)[0]), kind="stable")[:20]
    n, p, q, r = (200, 1000, 600, 200) if quick else (200, 10000, 3000, 1000)
    X, y = dense(n, p)
    S, label = thin(1000, 2000 if quick else 100000, .01)
    codes = (X[:, :100]*2).round().clip(-3, 3).astype(int)
    name, some = f"dense, n={n}, p={p}", X[:, :q]
    yield beside("Fisher score, order of all, skfeature-chappers", name, lambda: FisherScore(p).fit(X, y).support_,
                 lambda: fisher_score.fisher_score(X, y, mode="index"), places, note=PLACES)
    yield beside(FISHER, name, lambda: FisherScore(20).fit(X, y).support_, lambda: f_order(X, y), places, note=SAME_ORDER)
    yield beside("trace ratio of 20, skfeature-chappers", f"dense, n={n}, p={q}", lambda: TraceRatio(20).fit(some, y).ratio_,
                 lambda: ratio_of(some, y), larger, note=RATIO+"theirs searches among the 20 best alone, and forms p by p matrices")
    yield beside("MRMR, first 50, mrmr-selection", name, lambda: MRMR(50).fit(X, y).support_, lambda: mrmr_order(X, y, 50), places, note=PLACES)
    yield beside("CFS, skfeature-chappers", f"categories, n={n}, p=100", lambda: CFS(discretizer=None, search="forward").fit(codes, y).support_,
                 lambda: PeerCFS.cfs(codes, y, mode="index"), not_shared,
                 note="difference: features of ours that it has not; a hundred columns, which take theirs seconds")
    yield beside("ReliefF, skrebate", name, lambda: relieff_scores(X, y, 10), lambda: rebate(X, y), far, repeat=2, note=WEIGHT)
    wide, part = (f"sparse, n={S.shape[0]}, p={columns}" for columns in (S.shape[1], r))
    few, why = S[:, :r], f"the first {r} columns, as an array for theirs: it takes no sparse columns"
    apart = few.copy()
    apart.data *= 1+1e-3*np.random.default_rng(4).random(few.nnz)
    array, loose = few.toarray(), apart.toarray()
    yield beside(FISHER, wide, lambda: FisherScore(20).fit(S, label).support_, lambda: f_order(S, label), places, note=SAME_ORDER)
    yield beside("trace ratio of 20, skfeature-chappers", part, lambda: TraceRatio(20).fit(few, label).ratio_, lambda: ratio_of(array, label),
                 larger, note=RATIO+why)
    yield beside("MRMR, first 20, mrmr-selection", part, lambda: MRMR(20).fit(few, label).support_, lambda: mrmr_order(array, label, 20), places,
                 note=f"{PLACES}; {why}")
    yield beside("ReliefF, skrebate", part, lambda: relieff_scores(apart, label, 10), lambda: rebate(loose, label, categorical_threshold=1), far,
                 repeat=2, note=f"{WEIGHT}; {why}; counts are made unequal, for each breaks ties of distances in its own way")
    yield beside("trace ratio of 20", wide, lambda: TraceRatio(20).fit(S, label), repeat=1, note=ALONE)
    yield beside("MRMR, first 50", wide, lambda: MRMR(50).fit(S, label), repeat=1, note=ALONE)
    yield beside("ReliefF", wide, lambda: relieff_scores(S, label, 10), repeat=1, note=ALONE)

def linear(quick):
    "L1SVM, SVMRFE and ElasticNet beside scikit-learn"
    X, y = dense(200, 1000 if quick else 10000)
    S, label = thin(1000, 2000 if quick else 100000, .01)
    S = S[:, np.flatnonzero(S.sum(0))]
    SVMRFE(5).fit(X[:, :50], y), ElasticNet(5).fit(X[:, :50], y), ElasticNet(5).fit(S[:, :50], label)                      # compile
    spread = np.sqrt(np.asarray(S.multiply(S).mean(0)).ravel()-np.square(np.asarray(S.mean(0)).ravel()))
    scaled = X/X.std(0), (S@sp.diags_array(1/spread)).tocsc()
    for name, Z, t, C, W in ((f"dense, n=200, p={X.shape[1]}", X, y, .02, scaled[0]), (f"sparse, n=1000, p={S.shape[1]}", S, label, .005, scaled[1])):
        peer = LinearSVC(penalty="l1", dual=False, intercept_scaling=1000, random_state=0, C=C)
        chunk = Z.shape[1]//40
        eliminate = RFE(LinearSVC(random_state=0), n_features_to_select=20, step=chunk)
        net = PeerNet(alpha=.15, tol=1e-8, max_iter=10**5)
        yield beside("L1 SVM at one C, LinearSVC", name, lambda: L1SVM(None, standardize=False, C=C).fit(Z, t).coef_,
                     lambda: peer.fit(Z, t).coef_, far)
        yield beside("SVM-RFE, 40 steps, RFE of LinearSVC", name, lambda: SVMRFE(20, step=chunk, standardize=False).fit(Z, t).support_,
                     lambda: eliminate.fit(Z, t).support_.nonzero()[0], not_shared, repeat=1,
                     note="features of ours that RFE has not: LinearSVC penalises the constant")
        yield beside("elastic net at one strength, scikit-learn", name, lambda: ElasticNet(None, alpha=.15, tol=1e-8).fit(Z, t).scores_,
                     lambda: np.abs(net.fit(W, 2.*t-1).coef_), far)

def groups(quick):
    "GroupLasso beside skglm, whose compilation is told apart; RCFS with clusters of all beside those asked for"
    from skglm import GroupLasso as PeerGroups
    X, y = dense(200, 1000 if quick else 10000)
    Z, blocks = np.asfortranarray(standardized(X)), np.arange(X.shape[1]).reshape(-1, 4).tolist()
    GroupLasso(2).fit(X[:, :50], y)                                                                                        # compiles
    def peer(): return np.abs(PeerGroups(groups=4, alpha=.25, weights=np.full(len(blocks), 2.), tol=1e-8).fit(Z, 2.*y-1).coef_)
    first, _ = cpu(peer)
    some = X[:, :500 if quick else 3000]
    ours = GroupLasso(None, groups=blocks, alpha=.25, tol=1e-10)
    yield beside("group lasso, skglm", f"dense, n=200, p={X.shape[1]}", lambda: ours.fit(X, y).scores_, peer, far, note=f"its first fit in a process, with compilation, took {first:.1f} s")
    yield beside("RCFS, all clusters made first", f"dense, n=200, p={some.shape[1]}", lambda: RCFS(10).fit(some, y).support_,
                 lambda: RCFS(10, groups=group_columns(some, .3)).fit(some, y).support_, not_shared)

def run_embedded(quick=False): return dict(filters=filters(quick), embedded=linear(quick), groups=groups(quick))

def scores(n, p, d=50, repeat=2):
    "Each method that skfeature-chappers has: processor seconds of both on the same graph, and how far the answers differ"
    from skfeature.function.similarity_based import SPEC, lap_score
    from skfeature.function.sparse_learning_based import MCFS as OTHER
    rng = np.random.default_rng(0)
    z, X = rng.integers(0, 5, n), rng.standard_normal((n, p))
    X[:, :20] += 3*rng.standard_normal((5, 20))[z]          # five clusters of samples, which twenty features tell apart
    X = standardized(X)
    W = rbf_graph(X).W
    def theirs(style): return SPEC.spec(X, None, mode="raw", style=style, W=sp.csr_matrix(W))
    pairs = {
        "SPEC phi1": (lambda: spec(X, graph=W, kind="phi1"), lambda: theirs(-1)),
        "SPEC phi2": (lambda: spec(X, graph=W), lambda: theirs(0)),
        "SPEC phi3": (lambda: spec(X, graph=W, kind="phi3", n_eigenvectors=5), lambda: theirs(5)),
        "Laplacian score": (lambda: np.argsort(spec(X, graph=W)), lambda: lap_score.lap_score(X, None, mode="index", W=sp.csr_matrix(W))),
        "MCFS": (lambda: MCFS(d, n_clusters=5, standardize=False, graph=W).fit(X).scores_,
                 lambda: np.abs(OTHER.mcfs(X, None, d, mode="raw", n_clusters=5, W=sp.csr_matrix(W))).max(1))}
    for name, (ours, theirs_of) in pairs.items():
        own, found = cpu(ours, repeat)
        other, expected = cpu(theirs_of, repeat)
        yield dict(method=name, n=n, p=p, ours=own, skfeature=other, ratio=other/own, difference=far(found, expected))

def refusal(X):
    "What skfeature-chappers says to sparse columns"
    from skfeature.function.sparse_learning_based import MCFS as OTHER
    try: OTHER.mcfs(X.tocsr(), None, 50, n_clusters=5, W=sp.identity(X.shape[0], format="csr"))
    except Exception as error: return f"{type(error).__name__}: {error}"[:200]
    return "none"

def run_spectral(quick=False):
    n, p = (100, 1000) if quick else (200, 10_000)
    return dict(beside=scores(n, p), skfeature_on_sparse=refusal(thin(n, p, .01)[0]))

METHODS = dict(gflasso=GFlasso, goscar=OSCAR, ncFGS=NcFGS, ncTFGS=NcTFGS)
SIZES = 5, 5, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0

def algorithm6(seed, p, n=2048):
    "(X, y, true groups) of the thesis's Algorithm 6, with the draws of the oracle's files; as many samples again are drawn for a test"
    rng = np.random.default_rng(seed)
    n_supports, n_true = len(SIZES), len(SIZES)+sum(SIZES)
    place = rng.permutation(p)[:n_true]
    X, at, groups = rng.standard_normal((p, 2*n)), n_supports, []
    for support, size in zip(place, SIZES):
        members = place[at:at+size]
        for j in members: X[j] = _make_affiliate(X[support], rng.uniform(.8, .97), _KINDS[rng.integers(3)], rng)
        groups.append([int(support), *members.tolist()])
        at += size
    weights = np.zeros(p)
    weights[place] = rng.uniform(0, 1, n_true)
    return X[:, :n].T.copy(), np.where((weights@X)[:n] >= 0, 1., -1.), groups

def alg6(p, levels):
    "Ours beside what the original C code found, where it ends at both tolerances; hits and wrong features are counted as in its files"
    theirs = pd.read_csv(data_dir()/"oracles"/f"alg6_{p}.csv").set_index(["seed", "threshold", "l1", "edge", "method", "tolerance"])
    theirs = theirs[["hits_magnitude", "wrong_magnitude"]].unstack().dropna()
    theirs.columns = [f"{what.partition('_')[0]}_{tolerance}" for what, tolerance in theirs.columns]
    for seed in (100, 101, 102):
        X, y, truth = algorithm6(seed, p)
        columns = as_columns(X)
        graphs = {threshold: correlation_graph(columns, threshold) for threshold in (.3, .06)}
        for (threshold, graph), (l1, edge), (method, make) in product(graphs.items(), levels, METHODS.items()):
            if (seed, threshold, l1, edge, method) not in theirs.index: continue
            model = make(None, alpha=l1, alpha_edges=edge, graph=graph, tol=1e-10)
            seconds, model = cpu(lambda: model.fit(columns, y))
            groups = [set(own) for own in equal_groups(np.where(model.scores_ > 1e-3*model.scores_.max(), model.coef_, 0))]
            hits = sum(max((len(set(own) & other) for other in groups), default=0) for own in truth)
            wrong = len(set().union(*groups)-set().union(*truth))
            yield dict(p=p, threshold=threshold, l1=l1, edge=edge, method=method, seconds=seconds, hits=hits, wrong=wrong,
                       **theirs.loc[(seed, threshold, l1, edge, method)])

def grouped(n, p, seed=0):
    "Columns in tens that go together, and a target of four tens"
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((n, p//10))
    X = np.repeat(base, 10, axis=1)+.5*rng.standard_normal((n, p))
    return X, np.sign(base[:, :4].sum(1)+.5*rng.standard_normal(n))

def by_cvxpy(X, y, graph, s1, s2, kind):
    import cvxpy as cp
    x, graph = cp.Variable(X.shape[1]), graph.tocoo()
    a, b = x[graph.row], x[graph.col]
    tie = cp.abs(a-cp.multiply(np.sign(graph.data), b)) if kind == "difference" else cp.maximum(cp.abs(a), cp.abs(b))
    problem = cp.Problem(cp.Minimize(.5*cp.sum_squares(y-X@x)+s1*cp.norm1(x)+s2*(np.abs(graph.data)@tie)))
    return problem.solve(solver="CLARABEL")

def beside_cvxpy(sizes):
    for n, p in sizes:
        X, y = grouped(n, p)
        Z, y, columns = standardized(X), y-y.mean(), as_columns(X)
        graph = correlation_graph(columns, .5)
        s = np.abs(Z.T@y).max()
        for name, kind in dict(gflasso="difference", goscar="max").items():
            seconds, found = cpu(lambda: EdgeProblem(columns, y, Edges(graph, columns), kind).solve(.1*s, .05*s), 3)
            cvxpy_seconds, best = cpu(lambda: by_cvxpy(Z, y, sp.triu(graph), .1*s, .05*s, kind))
            yield dict(n=n, p=p, edges=graph.nnz//2, method=name, seconds=seconds, cvxpy_seconds=cvxpy_seconds,
                       ratio=cvxpy_seconds/seconds, difference=found.value/best-1)

def beside_sortedl1(sizes):
    from sortedl1 import Slope
    for n, p in sizes:
        X, y = grouped(n, p)
        Z, y = standardized(X), y-y.mean()
        s = np.abs(Z.T@y).max()
        prices = .1*s+.1*s/(p-1)*np.arange(p-1, -1, -1.)
        def package(Z):
            model = Slope(lam=prices, alpha=1/n, fit_intercept=False, tol=1e-10, centering="none", scaling="none")
            return np.ravel(model.fit(Z, y).coef_)
        seconds, found = cpu(lambda: SortedProblem(as_columns(X), y).solve(.1*s, .1*s), 5)
        package_seconds, other = cpu(lambda: package(Z), 5)
        whole_seconds, _ = cpu(lambda: package((X-X.mean(0))/X.std(0)), 5)
        yield dict(n=n, p=p, adapter_seconds=seconds, package_seconds=package_seconds, scaled_and_package_seconds=whole_seconds,
                   difference=np.abs(found.x-other).max(), **origin())

def run_fused(quick=False):
    result = dict(cvxpy=beside_cvxpy([(200, 100)] if quick else [(200, 100), (200, 400)]),
                  sortedl1=beside_sortedl1([(200, 100)] if quick else [(200, 100), (200, 200), (500, 2000), (500, 10_000)]))
    here = data_dir()
    if quick or here is None or not (here/"oracles").exists(): return result
    rows = [*alg6(500, ((.05, .05), (.1, .05))), *alg6(1000, ((.05, .05),))]
    return result | dict(alg6=average(rows, ("p", "threshold", "l1", "edge", "method"), "seeds"))
