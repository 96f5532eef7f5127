"""GDM: are its groups the true ones, what do partners cost it, how fast is it, on planted groups, on text, and on real data?

groups  generated sets, each beside its baselines. `over_tau` gives every method that has a tau each of
        the same eight; `rows` has the ten-line baseline at the one that is best on the data sets it is
        judged on, which favours it, and GDM at its default.
decoys  the price of preferring features with partners.
speed   beside its baseline, L1-SVM, abess and the Gram matrix alone. `strict` asks for members in the group
        that answers for theirs; `ceiling` is what single features, one a group, could reach.
sparse  the shape of news20, generated: supports beside an L1-SVM of that size, and over its cost, since
        the one that is told the number of features is not its best; storage by features and by points.
real    do groups equal brute force, how accurate are supports and all members? The linear SVM on every
        feature stands at the cost that is best for it on the held-out samples, which favours it.
"""
import numpy as np, scipy.sparse as sp
from functools import partial
from numba import njit
from sklearn.svm import LinearSVC
from fsnb import GDM, FilterBruteForce, as_columns, make_groups
from fsnb.groups.metrics import strict_hits
from .chance import news20
from .common import average, clock, dense, fit_l1, l1_svm, splits_of
from .datasets import load, present

TAUS = .15, .2, .25, .3, .35, .4, .45, .5
BEST_TAU = dict(thesis2015=.35, icml2012=.4)          # of the ten-line baseline (over_tau in groups.json)
BASELINE = "ten-line baseline"
SETS = (("thesis2015", 12, 10, dict(preset="thesis2015")),
        ("thesis2015, signed", 12, 10, dict(preset="thesis2015", signed=True)),
        ("thesis2015, weights on (0, 1)", 12, 10, dict(preset="thesis2015", weights="uniform")),
        ("icml2012", 200, 5, dict(preset="icml2012")))

def baseline(X, y, k, tau):
    "Ten lines: rank by |corr(x, y)|, take the first, absorb |correlation| >= 1-tau, go on"
    columns = as_columns(X)
    s = np.abs(columns.scores(np.where(y > 0, 1, -1)/len(y)))
    groups = []
    while len(groups) < k and s.max() > 0:
        z = int(s.argmax())
        members = np.flatnonzero((np.abs(columns.correlations(z)) >= 1-tau) & (s > 0))
        groups.append([z]+[int(j) for j in members if j != z])
        s[groups[-1]] = 0
    return groups

def score(members, data):
    "Strict hits (%), wrong features, exact groups of several members"
    h = strict_hits(members, data.groups)
    return dict(strict=100*h.rate, wrong=h.wrong, exact_multi=h.exact_multi, members=h.hits, features=sum(map(len, members)))

def singles(model): return [[int(j)] for j in np.flatnonzero(np.ravel(model.coef_))]

def methods_of(k, models, tau, label=BASELINE):
    "What runs each of the models, and the ten lines beside them"
    def groups_by(model): return lambda X, y: model.fit(X, y).groups_.members
    return {name: groups_by(model) for name, model in models.items()} | {label: partial(baseline, k=k, tau=tau)}

def run_groups(quick=False):
    "`over_tau`: every method that has a tau, no clock; `rows`: beside the ten lines at the tau that is best for them, and L1-SVMs"
    out, grid = [], []
    for name, k, seeds, kwargs in SETS:
        tried, rows = [], []
        def drawn(): return (make_groups(random_state=seed, n_test=0, **kwargs) for seed in range(1 if quick else seeds))
        for data in drawn():
            for tau in TAUS:
                methods = methods_of(k, {"GDM": GDM(k, tau=tau), "FilterBruteForce": FilterBruteForce(k, tau=tau)}, tau)
                tried += [dict(data=name, method=method, tau=tau, **score(run(data.X, data.y), data)) for method, run in methods.items()]
        tried = average(tried, ("data", "method", "tau"))
        best = max((row for row in tried if row["method"] == BASELINE), key=lambda row: (row["strict"], -row["tau"]))     # the smaller where two are equal
        models = {"GDM": GDM(k), "GDM, rank_by='support'": GDM(k, rank_by="support")}
        if k == 12: models["GDM, literal thesis"] = GDM.thesis2015(12)
        else: models |= {"GDM, rank_by='group'": GDM(k, rank_by="group"), "GDM, literal ICML": GDM.icml2012(k)}
        methods = methods_of(k, models, best["tau"], f"{BASELINE}, tau={best['tau']:g}")
        for data in drawn():
            found = {method: clock(lambda: run(data.X, data.y), 1) for method, run in methods.items()}
            if name == "icml2012":
                Z = as_columns(data.X).standardized(np.arange(data.X.shape[1]))
                for method, count in {"L1-SVM, as many features as GDM": sum(map(len, found["GDM"][1])), "L1-SVM, 200 features": 200}.items():
                    seconds, (model, _) = clock(lambda: l1_svm(Z, data.y, count, slack=max(1, count//100)), 1)
                    found[method] = seconds, singles(model)
            rows += [dict(data=name, method=method, **score(members, data), seconds=seconds) for method, (seconds, members) in found.items()]
        out += average(rows, ("data", "method"), also=lambda own: dict(most_wrong=max(row["wrong"] for row in own)))
        grid += tried
    return dict(rows=out, over_tau=grid)

def run_decoys(quick=False):
    "Sixty sets of 2 to 6 noise columns are correlated at .8 to .97"
    tau, rows = BEST_TAU["icml2012"], []
    models = {rule: GDM(200, rank_by=rule) for rule in ("support", "pair", "group")}
    for rank_by, run in methods_of(200, models, tau, f"{BASELINE}, tau={tau:g}").items():
        for seed in range(1 if quick else 3):
            data, rng = make_groups(preset="icml2012", random_state=seed, n_test=0), np.random.default_rng(100+seed)
            noise = np.setdiff1d(np.arange(data.X.shape[1]), data.groups.all_members)
            decoys = np.split(noise, np.cumsum(rng.integers(2, 7, 60)))[:60]
            for first, *others in decoys:
                for j in others:
                    rho = rng.uniform(.8, .97)
                    data.X[:, j] = rho*data.X[:, first]+np.sqrt(1-rho**2)*data.X[:, j]
            groups = run(data.X, data.y)
            hits, supports = strict_hits(groups, data.groups), [members[0] for members in groups]
            rows.append(dict(rank_by=rank_by, exact_multi=hits.exact_multi, members=hits.hits, wrong=hits.wrong,
                             decoys_of_60=int(np.isin(supports, np.concatenate(decoys)).sum())))
    return dict(rows=average(rows, ("rank_by",)))

def run_speed(quick=False):
    import abess
    n, p, repeat = (500, 2000, 1) if quick else (2048, 10000, 3)
    data = make_groups(n, p, preset="thesis2015", random_state=0, n_test=0)
    X, y, truth = data.X, data.y, data.groups
    Z = as_columns(X).standardized(np.arange(p))
    rows, tau = [], BEST_TAU["thesis2015"]

    def add(what, f, repeat=repeat, members=None):
        "A row: the time of f, and what is true of the members that its answer holds"
        seconds, answer = clock(f, repeat)
        row = dict(what=what, seconds=seconds)
        if members:
            groups = members(answer)
            hits, features = strict_hits(groups, truth), sum(map(len, groups))
            ceiling = 100*len(truth)/len(truth.all_members) if max(map(len, groups)) == 1 else 100.
            row |= dict(features=features, true=features-hits.wrong, wrong=hits.wrong, strict=100*hits.rate, ceiling=ceiling)
        rows.append(row)
        return answer

    def own(model): return model.groups_.members
    add("GDM, 12 supports and their groups", lambda: GDM(12).fit(X, y), members=own)
    add("GDM, rank_by='support', 4 a round", lambda: GDM(12, rank_by="support", n_per_iter=4).fit(X, y), members=own)
    add(f"{BASELINE}, tau={tau:g}", lambda: baseline(X, y, 12, tau), members=lambda groups: groups)
    _, C = add("L1-SVM, tuning included", lambda: l1_svm(Z, y, 12), 1)
    add("L1-SVM at its tuned C", lambda: fit_l1(Z, y, C), members=singles)
    _, C = l1_svm(Z, y, 38)
    add("L1-SVM, 38 features", lambda: fit_l1(Z, y, C), members=singles)
    for name, make, labels in (("abess, logistic", abess.LogisticRegression, (y > 0).astype(int)), ("abess, linear", abess.LinearRegression, y)):
        for k in (12, 38): add(f"{name}, k={k}", lambda: make(support_size=k, thread=1).fit(Z, labels), 1 if quick else 2, singles)
    single = X.astype(np.float32)
    add("the float32 Gram matrix alone", lambda: single.T@single, 1)
    add("moments and one score pass", lambda: as_columns(X, checked=True).scores(y/len(y)))
    for row in rows: row["times GDM"] = row["seconds"]/rows[0]["seconds"]
    return dict(rows=rows)

COSTS = .01, .02, .05, .1, .2, .5, 1, 3

@njit
def _by_points(data, indices, indptr, v, some, out):
    "Products of some features with v where each point has a list of its features: the feature is looked up in every list"
    for k, j in enumerate(some):
        total = 0.
        for i in range(len(v)):
            at, end = indptr[i], indptr[i+1]
            while at < end:
                middle = (at+end)//2
                if indices[middle] < j: at = middle+1
                else: end = middle
            if at < indptr[i+1] and indices[at] == j: total += v[i]*data[at]
        out[k] = total

@njit
def _by_features(data, indices, indptr, v, some, out):
    "The same where each feature has a list of its points"
    for k, j in enumerate(some):
        total = 0.
        for at in range(indptr[j], indptr[j+1]): total += data[at]*v[indices[at]]
        out[k] = total

def storage(n=10_000, p=200_000, nonzeros=4_000_000, asked=200):
    "Feature-wise against point-wise storage (thesis, Appendix i): products of given features with y, and with all features at once"
    X = sp.random_array((n, p), density=nonzeros/(n*p), format="csc", rng=np.random.default_rng(0))
    v, some = np.random.default_rng(1).standard_normal(n), np.random.default_rng(2).choice(p, asked, replace=False)
    out, found = dict(n=n, p=p, nonzeros=int(X.nnz), asked=asked), {}
    for name, product, M in (("point_wise", _by_points, X.tocsr()), ("feature_wise", _by_features, X)):
        found[name] = np.empty(asked)
        out[name], _ = clock(lambda: product(M.data, M.indices, M.indptr, v, some, found[name]), 5)
        out[f"all_{name}"], _ = clock(lambda: M.T@v, 5)
    assert np.allclose(found["point_wise"], found["feature_wise"])
    return out

def run_sparse(quick=False):
    n, p, k = (2000, 50_000, 40) if quick else (10_000, 1_360_000, 265)
    data = news20(0, n, p, k)
    X, y = data.X, data.y
    _, C = l1_svm(X, y, k, slack=k//20, low=1e-3, high=10, steps=8)
    settings = dict(), dict(rank_by="support"), dict(rank_by="support", fit_on="supports")
    fits = {", ".join(["GDM", *(f"{key}={value!r}" for key, value in given.items())]): lambda given=given: GDM(k, **given).fit(X, y) for given in settings}
    rows, costs = [], []
    for method, fit in (fits | {"L1-SVM, one fit": lambda: fit_l1(X, y, C)}).items():
        seconds, model = clock(fit, 1 if quick else 2)
        groups = model.groups_.members if hasattr(model, "groups_") else singles(model)
        hits, features = strict_hits(groups, data.groups), sum(map(len, groups))
        rows.append(dict(method=method, seconds=seconds, features=features, strict=hits.hits, true=features-hits.wrong, wrong=hits.wrong,
                         exact_multi=hits.exact_multi, accuracy=model.score(data.X_test, data.y_test)))
    for C in COSTS:
        model = fit_l1(X, y, C)
        chosen = np.flatnonzero(model.coef_[0])
        true = int(np.isin(chosen, data.groups.all_members).sum())
        costs.append(dict(C=C, features=len(chosen), true=true, wrong=len(chosen)-true, accuracy=model.score(data.X_test, data.y_test)))
    stored = storage(2000, 20_000, 100_000) if quick else storage()
    return dict(storage=stored, rows=rows, l1_svm=costs, n_samples=n, n_features=p, nonzeros=int(X.nnz))

SVM = "linear SVM, every feature"
SVM_COSTS = {True: (1e-6, 1e-5, 1e-4, 1e-3, .01, .1), False: (1e-4, 1e-3, .01, .1, 1)}      # sparse or not
REAL = (("farm_ads", None, 40), ("ng20_bigram_dev", None, 40), ("bbc", (0, 4), 20), ("leukemia_golub", None, 10), ("chowdary", None, 10))

def brute_force(X, supports, tau):
    "Members of each group by plain numpy: every correlation with every support, then every bridge with every candidate"
    n, p = X.shape
    def scaled(columns):
        x = dense(X, columns).astype(np.float64)
        x = x-x.mean(0)
        norm = np.sqrt((x*x).sum(0))
        return x/np.where(norm > 1e-9, norm, np.inf)
    z, blocks = scaled(supports), np.array_split(np.arange(p), max(1, n*p//(1 << 24)))
    R = np.abs(np.vstack([scaled(b).T@z for b in blocks]))
    offer = np.where(R >= 1-tau-1e-10, 2+R, 0)                      # direct before linked
    offer[supports] = 0
    for i, s in enumerate(supports):
        r = R[:, i].copy()
        r[s] = 0
        bridges = np.lexsort((np.arange(p), -np.round(r, 9)))[:64]
        bridges = bridges[r[bridges] >= 1-tau-1e-10]
        maybe = np.flatnonzero((r >= (1-tau)**2-1e-10) & (r < 1-tau-1e-10))
        maybe = maybe[~np.isin(maybe, supports)]
        if len(bridges) and len(maybe):
            h = scaled(bridges)
            for part in np.array_split(maybe, max(1, n*len(maybe)//(1 << 24))):
                linked = part[(np.abs(scaled(part).T@h) >= 1-tau-1e-10).any(1)]
                offer[linked, i] = np.maximum(offer[linked, i], r[linked])
    owner = np.where(offer.max(1) > 0, np.argmax(np.round(offer, 8), axis=1), -1)
    return [{int(s), *np.flatnonzero(owner == i).tolist()} for i, s in enumerate(supports)]

def run_real(quick=False):
    rows = []
    for name, classes, k in present(REAL):
        X, y, _ = load(name, classes=classes)
        sparse, kept = sp.issparse(X), {}
        for i, (A, a, B, b) in enumerate(splits_of(X, y, 2 if quick else 5 if len(y) > 300 else 20)):
            A = A.tocsc() if sparse else A
            square = A.multiply(A) if sparse else A*A
            scale = sp.diags(1/np.maximum(np.sqrt(np.asarray(square.mean(0)).ravel()), 1e-12))
            for rank_by in ("pair", "support", "group"):
                seconds, model = clock(lambda: GDM(k, rank_by=rank_by).fit(A, a), 1)
                slim = GDM(k, rank_by=rank_by, fit_on="supports").fit(A, a)
                same = None
                if i == 0:                                      # brute force asks no chance
                    plain = GDM(k, rank_by=rank_by, chance=None).fit(A, a)
                    same = [set(m.tolist()) for m in plain.groups_.members] == brute_force(A, plain.support_, plain.tau)
                kept.setdefault(f"GDM, {rank_by}", []).append((same, model.score(B, b), slim.score(B, b), len(model.groups_.all_members),
                                                              max(model.groups_.sizes), seconds))
            for C in SVM_COSTS[sparse]:
                seconds, full = clock(lambda: LinearSVC(C=C, max_iter=3000).fit(A@scale, a), 1)
                kept.setdefault(f"{SVM}, C={C:g}", []).append((None, full.score(B@scale, b), np.nan, X.shape[1], np.nan, seconds))
        accuracy = {method: np.mean([run[1] for run in runs]) for method, runs in kept.items() if method.startswith(SVM)}
        best = max(accuracy, key=accuracy.get)
        for method, runs in kept.items():
            if method in accuracy and method != best: continue
            mean = np.array([run[1:] for run in runs], dtype=float).mean(0)
            rows.append(dict(data=name, method=method, supports=k if "GDM" in method else None, equals_brute_force=runs[0][0],
                             **dict(zip(("accuracy_members", "accuracy_supports", "members", "largest", "seconds"), mean))))
    return dict(rows=rows)
