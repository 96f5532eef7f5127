"FSIR2: products of its solvers, their objective, what a product and a fit cost, peers, and the paper's Tables II to V beside what we measure."
import sys
import time
import warnings
import numpy as np
import scipy.sparse as sp
from .common import clock, extra_memory, table
from .mmfs import text, wide
from .realdata import available, load

SETS = ("austra", "clean1", "heart", "vote", "warpPIE10P", "pixraw10P", "TOX_171")
# The paper's Tables II (ac) and III (nmi), Section IV-B.1, IV (svm) and V (red), Section IV-B.2; columns FSIR2, SPEC, LScore, MCFS, All
PRINTED = {"austra": dict(ac=(.56, .60, .60, .56, .56), nmi=(.01, .02, .02, .01, .01), svm=(.85, .86, .86, .75, .75), red=(.48, .71, .71, .22)),
           "clean1": dict(ac=(.50, .50, .50, .51, .49), nmi=(.00, .03, .03, .00, .00), svm=(.71, .75, .75, .75, .81), red=(.27, .76, .76, .19)),
           "heart": dict(ac=(.60, .60, .60, .60, .60), nmi=(.02, .02, .02, .02, .02), svm=(.81, .81, .81, .83, .83), red=(.77, .82, .82, .64)),
           "vote": dict(ac=(.88, .82, .82, .75, .88), nmi=(.49, .33, .34, .29, .49), svm=(.96, .96, .96, .95, .96), red=(.21, .37, .37, .23)),
           "warpPIE10P": dict(ac=(.37, .18, .19, .24, .23), nmi=(.44, .12, .12, .32, .26), svm=(.98, .98, .98, .99, .99), red=(.33, .84, .84, .54)),
           "pixraw10P": dict(ac=(.65, .59, .60, .62, .67), nmi=(.86, .83, .83, .85, .88), svm=(.97, .96, .96, .99, .98), red=(.62, 1.0, 1.0, .61)),
           "TOX_171": dict(ac=(.41, .37, .38, .38, .39), nmi=(.10, .11, .11, .10, .14), svm=(.84, .84, .84, .89, .88), red=(.56, .97, .97, .86))}
ROWS = {"austra": "Austra", "clean1": "Clean", "heart": "Heart", "vote": "Vote", "warpPIE10P": "PIE10P", "pixraw10P": "PIX10P", "TOX_171": "TOX-171"}  # of these tables
METHODS = {"FSIR2": 0, "SPEC": 1, "LScore": 2, "all": 4, "fsnb": None, "balanced": None}     # and where they are printed; the last two are ours


def size_of(name, p):
    "How many features: 5 % of many, as the paper; half of few, where the paper took a count from Weka that it does not print"
    return round(.05*p) if p > 1000 else round(p/2) if p < 100 else round(p/8)


def matrix(X, y=None, kind="phi2"):
    "`RelevanceRedundancy` of a data set"
    from fsnb import as_columns
    from fsnb.spectral.distances import sample_graph
    from fsnb.spectral.features import GraphFeatures
    from fsnb.spectral.features import RelevanceRedundancy
    columns = as_columns(X)
    graph = sample_graph(columns, y)
    features = GraphFeatures(columns, graph.degree, kind == "phi2")
    return RelevanceRedundancy(features, features.relevance(graph), graph.average, (features.size > 0) & ~columns.constant)


def products(tols=(1e-4, 1e-6)):
    "Products with R~ on warpPIE10P until the solvers stop"
    from fsnb.spectral.lanczos import solve_lanczos
    from fsnb.spectral.power import solve_power
    from fsnb.spectral.fsir2_bounds import largest_shift, sphere_problem
    X, y, _ = load("warpPIE10P")
    rows = []
    for graph, target in (("rbf", None), ("classes", y)):
        for kind in ("phi1", "phi2"):
            R = matrix(X, target, kind)
            d = size_of("", R.size)
            whole, projected = largest_shift(R, False), largest_shift(R)
            for tol in tols:
                row = dict(graph=graph, kind=kind, tol=tol)
                for name, solve, shift in (("power, R~", solve_power, whole), ("power, PR~P", solve_power, projected), ("Lanczos", solve_lanczos, 0)):
                    problem = sphere_problem(R, d, shift)
                    found = solve(problem, tol=tol)
                    row[name] = problem.n_products                        # all of them: gradient, climb, check
                    row[name+", f"] = problem.value(found.z)
                rows.append(row | {"ratio": row["power, R~"]/row["Lanczos"]})
    return rows


def free_certificate(model):
    "Whether the multiplier is above the ceiling of the spectrum, which costs nothing (spectral/06_fsir2_bounds)"
    return bool(model.certificate_.mu >= model.redundancy_weight_-model.relevance_weight_*model.relevance_.min())


def objectives(names):
    "Objective (6) of every way to select, and the bounds below it"
    from fsnb import FSIR2
    rows = []
    for name in names:
        X, y, _ = load(name)
        d = size_of(name, X.shape[1])
        for graph, target in (("rbf", None), ("classes", y)):
            for kind in ("phi1", "phi2"):
                def fit(**kw): return clock(lambda: FSIR2(d, relevance=kind, centered=kind == "phi2", **kw).fit(X, target), 1)
                slow, sphere = fit(solver="lanczos", rounding="top")
                greedy_time, greedy = fit(solver="greedy_swap")
                convex_time, convex = fit()
                rows.append(dict(data=name, graph=graph, kind=kind, d=d, sphere_rounded=sphere.objective_, greedy_swap=greedy.objective_, convex=convex.objective_,
                                 sphere_bound=sphere.lower_bound_, convex_bound=convex.lower_bound_, gap=convex.gap_,
                                 sphere_s=slow, greedy_s=greedy_time, convex_s=convex_time, free_certificate=free_certificate(sphere)))
    return rows


def product_cost(n, p, dtype=np.float64):
    "Seconds of a product beside a pass over F (F'v) and the flops it must do"
    from fsnb import as_columns
    from fsnb.spectral.features import GraphFeatures
    from fsnb.spectral.features import RelevanceRedundancy
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((p, n), dtype=np.float32).T.astype(dtype))
    features = GraphFeatures(as_columns(X), np.ones(n))
    R, z, v = RelevanceRedundancy(features, np.ones(p), 1.), rng.standard_normal(p), np.ones(n, dtype)
    R(z)
    seconds, _ = clock(lambda: R(z))
    one, _ = clock(lambda: X.T@v)
    flops = 2*n*n*p                                                        # two symmetric halves
    square = X[:, :4096].copy()
    rate, _ = clock(lambda: square@square.T, 5)
    return dict(n=n, p=p, dtype=np.dtype(dtype).name, product=seconds, pass_over_F=one, passes=seconds/one, reads_of_F=2, gflops=flops/seconds/1e9,
                gflops_of_FF=n*n*4096/rate/1e9, extra_memory=extra_memory(lambda: R(z))/X.nbytes)


def fits(sizes):
    "Whole fits: seconds, extra memory as a share of X, gap"
    from fsnb import FSIR2
    rows = []
    for label, X, y, ds in sizes:
        for d in ds:
            for target in (None, y):
                seconds, m = clock(lambda: FSIR2(d).fit(X, target), 1)
                size = X.nbytes if not sp.issparse(X) else X.data.nbytes+X.indices.nbytes+X.indptr.nbytes
                rows.append(dict(data=label, d=d, graph="rbf" if target is None else "classes", seconds=seconds, gap=m.gap_,
                                 extra_memory=extra_memory(lambda: FSIR2(d).fit(X, target))/size))
    return rows


def skfeature():
    "The peer's functions, or None where it is not installed"
    try:
        from skfeature.function.similarity_based import SPEC, lap_score
        from skfeature.function.sparse_learning_based import MCFS
        from skfeature.utility import construct_W
    except ImportError: return None
    def weights(X): return construct_W.construct_W(X, metric="euclidean", neighbor_mode="knn", weight_mode="heat_kernel", k=5, t=float(2*X.var(0).sum()))
    def mcfs(X, d, classes): return MCFS.mcfs(X, n_selected_features=d, W=weights(X), n_clusters=classes, mode="raw")
    return dict(weights=weights, mcfs=mcfs, lap=lambda X, W: lap_score.lap_score(X, W=W, mode="raw"),
                spec=lambda X, W: SPEC.spec(X, W=W, style=0, mode="raw"))


def peers(names):
    "Seconds of scikit-feature and of ours for the same scores, and the largest difference between them"
    from fsnb import FSIR2
    from fsnb.spectral import spec
    peer, rows = skfeature(), []
    if peer is None:
        print("scikit-feature is not installed: no peers")
        return rows
    def on(name):
        X, y, _ = load(name)
        return X, len(np.unique(y))
    cases = [(name, *on(name)) for name in names]+[("1e5 x 200", np.ascontiguousarray(wide(200, 100000)[0]), 5)]
    for name, X, classes in cases:
        d, W = size_of(name, X.shape[1]), peer["weights"](X)
        theirs, a = clock(lambda: peer["spec"](X, W), 1)
        lap, _ = clock(lambda: peer["lap"](X, W), 1)
        spec(X[:, :50], graph=W)
        ours, c = clock(lambda: spec(X, graph=W))
        row = dict(data=name, spec_theirs=theirs, laplacian_theirs=lap, ours=ours, ratio_spec=theirs/ours, ratio_laplacian=lap/ours,
                   difference=float(np.abs(a-c)[np.isfinite(c)].max()))
        k = min(d, 100)
        row |= dict(d=k, mcfs=clock(lambda: peer["mcfs"](X, k, classes), 1)[0], fsir2=clock(lambda: FSIR2(k).fit(X), 1)[0])
        rows.append(row)
    return rows


def clustering(X, y, repeats):
    "Mean accuracy (clusters matched to classes) and mutual information of k-means"
    from scipy.optimize import linear_sum_assignment
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score
    codes, out = np.unique(y, return_inverse=True)[1], []
    k = codes.max()+1
    for seed in range(repeats):
        found = KMeans(k, n_init=1, random_state=seed).fit_predict(X)
        counts = np.zeros((k, k))
        np.add.at(counts, (found, codes), 1)
        out.append((counts[linear_sum_assignment(-counts)].sum()/len(y), normalized_mutual_info_score(codes, found)))
    return np.mean(out, 0)


def accuracy(X, y, train, test):
    "Accuracy of a linear SVM whose C is chosen on the training part"
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    model = GridSearchCV(make_pipeline(StandardScaler(), SVC(kernel="linear")), {"svc__C": [.001, .01, .1, 1, 10]}, cv=3)
    return model.fit(X[train], y[train]).score(X[test], y[test])


def select(method, X, y, d):
    "The columns that a method takes"
    from fsnb import FSIR2
    from fsnb.spectral import spec
    if method == "all": return np.arange(X.shape[1])
    if method == "FSIR2": return FSIR2.icdm2015(d, solver="lanczos").fit(X, y).support_
    if METHODS[method] is None: return FSIR2(d, relevance_weight="balanced" if method == "balanced" else 1.).fit(X, y).support_
    return np.argsort(spec(X, y, kind="phi1" if method == "SPEC" else "phi2"), kind="stable")[:d]


def tables(names, repeats, splits):
    "Tables II to V: printed beside measured"
    from sklearn.model_selection import train_test_split
    from fsnb.groups.metrics import redundancy_rate
    rows = []
    for name in names:
        X, y, _ = load(name)
        y, p = np.unique(y, return_inverse=True)[1], X.shape[1]
        d = size_of(name, p)
        for method in METHODS:
            start = time.perf_counter()
            ac, nmi = clustering(X[:, select(method, X, None, d)], y, repeats)
            S = select(method, X, y, d)
            row = dict(data=name, paper_row=ROWS[name], d=d, method=method, ac=ac, nmi=nmi, red=redundancy_rate(X, S, kind="cosine2"), red_centered=redundancy_rate(X, S, kind="cosine2_centered"))
            scores = []
            for seed in range(splits):
                train, test = train_test_split(np.arange(len(y)), train_size=.6, stratify=y, random_state=seed)
                scores.append(accuracy(X[:, select(method, X[train], y[train], d)], y, train, test))
            row |= dict(repeats=repeats, splits=splits, svm=np.mean(scores), svm_error=np.std(scores, ddof=1)/splits**.5 if splits > 1 else 0.)
            at = METHODS[method]
            if at is not None: row |= {f"printed_{k}": v[at] for k, v in PRINTED[name].items() if at < len(v)}
            rows.append(row | dict(seconds=time.perf_counter()-start))
            print(f"{name} {method}: {rows[-1]}", file=sys.stderr, flush=True)
    return rows


def letter(names):
    "The paper's solver, the power method, beside Lanczos, which stands for it in the tables: how many of d features they share"
    from fsnb import FSIR2
    rows = []
    for name in names:
        X, y, _ = load(name)
        d = size_of(name, X.shape[1])
        for graph, target in (("rbf", None), ("classes", y)):
            power, lanczos = (FSIR2.icdm2015(d, solver=solver).fit(X, target) for solver in ("power", "lanczos"))
            rows.append(dict(data=name, graph=graph, d=d, shared=len(np.intersect1d(power.support_, lanczos.support_)),
                             z_difference=np.abs(power.z_-lanczos.z_).max(), power_steps=power.n_iter_, lanczos_steps=lanczos.n_iter_))
    return rows


def every_size(name, repeats=20):
    "The paper's method at every d, where its d is not printed: clustering and RED nearest to print"
    from fsnb import FSIR2
    from fsnb.groups.metrics import redundancy_rate
    X, y, _ = load(name)
    rows = []
    for d in range(2, X.shape[1]):
        S, T = (FSIR2.icdm2015(d, solver="lanczos").fit(X, target).support_ for target in (None, y))
        ac, nmi = clustering(X[:, S], y, repeats)
        rows.append(dict(data=name, d=d, repeats=repeats, ac=ac, nmi=nmi, red=redundancy_rate(X, T, kind="cosine2")))
    return rows


def run(quick=False):
    warnings.simplefilter("ignore")
    from fsnb import FSIR2
    FSIR2(2).fit(wide(30, 50)[0])                                          # compile
    FSIR2(2).fit(sp.csc_matrix(np.round(wide(30, 50)[0])))
    out = dict(product=table([product_cost(100, 20000 if quick else 1000000, t) for t in ((np.float64,) if quick else (np.float64, np.float32))], "a product, one thread"))
    if quick: sizes = [("100 x 2000", *wide(100, 2000), (10,))]
    else: sizes = [("200 x 1e5", *wide(200, 100000), (10, 100)), ("2000 x 1e5 sparse, 1e6 entries", *text(2000, 100000, 1000000), (10, 100))]
    out["fits"] = table(fits(sizes), "whole fits, one thread")
    names = [name for name in SETS if name in available()]
    for name in sorted(set(SETS)-set(names)): print(f"{name}: not in FSNB_DATA, left out")
    if quick: names = [name for name in names if name in ("heart", "vote")]
    if "warpPIE10P" in names: out["products"] = table(products(), "products with R~, warpPIE10P")
    out["objectives"] = table(objectives(names), "objective (6), one thread") if names else []
    out["peers"] = table(peers([n for n in names if n in ("warpPIE10P", "TOX_171", "pixraw10P")]), "scikit-feature, one thread")
    out["tables"] = table(tables(names, 5 if quick else 100, 2 if quick else 100), "Tables II to V: printed beside measured") if names else []
    out["letter"] = table(letter(names), "the power method beside Lanczos") if names else []
    out["every_size"] = table([row for name in names if name in ("vote", "heart", "austra") for row in every_size(name, 2 if quick else 20)], "every d") if names else []
    return out
