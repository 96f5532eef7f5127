"""The restricted problem: our solver against LinearSVC (one cut) and cvxpy (several).

Every row: who, seconds (best of a few), and the relative duality gap of what came out, measured by
`restricted_gap` for everybody. LinearSVC has no gap to aim at: its tolerance is lowered by factors of ten until its
objective is within the target of the optimum, and the first run that gets there is timed.
"""
import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC
from fsnb import naive
from fsnb.gdm.kernel_weights import solve_restricted
from fsnb.gdm.restricted import restricted_gap, solve_cvxpy
from .common import clock

C, TARGETS = 1.0, (1e-4, 1e-6)

def grouped(n, d, size=10, corr=.8, flip=.05, seed=0):
    "Standardised columns in groups that correlate, labels from a quarter of the columns, some of them flipped"
    rng = np.random.default_rng(seed)
    shared = np.repeat(rng.standard_normal((n, -(-d//size))), size, axis=1)[:, :d]
    X = corr**.5*shared+(1-corr)**.5*rng.standard_normal((n, d))
    signal = X[:, ::4]@rng.uniform(-1, 1, len(range(0, d, 4)))
    y = np.where(signal > 0, 1., -1.)*np.where(rng.random(n) < flip, -1., 1.)
    return (X-X.mean(0))/X.std(0), y

def ours(X, y, cuts, tol, repeat, **kw):
    seconds, r = clock(lambda: solve_restricted(X, y, cuts, C=C, tol=tol, **kw), repeat)
    return dict(who=f"ours, tol {tol:.0e}", seconds=seconds, gap=r.gap)

def linear_svc(X, y, target, best, repeat):
    "One row for LinearSVC at the first tolerance that brings its objective within target of the best"
    every = [np.arange(X.shape[1])]
    for tol in 10.**-np.arange(1, 13):
        model = LinearSVC(C=C/2, fit_intercept=False, dual=False, tol=tol, max_iter=100_000)
        seconds, fitted = clock(lambda: model.fit(X, y), 1)
        c = restricted_gap(X, y, every, [fitted.coef_[0]], C=C)
        if c.objective <= best*(1+target): break
    seconds = clock(lambda: model.fit(X, y), repeat)[0]
    return dict(who=f"LinearSVC, error {target:.0e}", seconds=seconds, gap=c.gap)

def one_cut(X, y, repeat, moments=None):
    every = [np.arange(X.shape[1])]
    best = solve_restricted(X, y, every, C=C, tol=1e-10).objective
    rows = [ours(X, y, every, t, repeat) for t in TARGETS]
    if moments: rows += [dict(ours(X, y, every, t, repeat, **moments), who=f"ours, centred, tol {t:.0e}") for t in TARGETS]
    return rows+[linear_svc(X, y, t, best, repeat) for t in TARGETS]

def naive_ratio(n):
    "The transcribed loops over one certificate: objective and dual value at the same weights"
    X, y = grouped(n, 20)
    cuts = [np.arange(t, t+10) for t in (0, 10)]
    deltas = [np.isin(np.arange(20), c).astype(float) for c in cuts]
    r = solve_restricted(X, y, cuts, C=C)
    full = [np.bincount(c, w, 20) for c, w in zip(cuts, r.weights)]
    def loops(): return naive.reduced_primal(full, X, y, deltas, C), naive.reduced_dual(r.alpha, X, y, deltas, C)
    slow, (objective, theta) = clock(loops, 1)
    fast, c = clock(lambda: restricted_gap(X, y, cuts, r.weights, C=C), 5)
    assert np.isclose(objective, c.objective) and np.isclose(theta, c.theta)
    return slow/fast

def several(X, y, repeat, turns):
    """Cuts of ten columns: rows, and how many times as long cvxpy takes, by its fastest route and as the referee runs it

    Clarabel, SCS at the loosest tolerance whose weights have a gap of 1e-6, and the referee's own sequence.
    """
    cuts, A = np.arange(X.shape[1]).reshape(-1, 10), y[:, None]*X
    def row(who, **given):
        try: seconds, r = clock(lambda: solve_cvxpy(A, cuts, C, **given), 1)
        except RuntimeError: return dict(who=f"{who}: failed", seconds=None, gap=None)
        return dict(who=who, seconds=seconds, gap=restricted_gap(X, y, cuts, r.weights, C=C).gap)
    rows, clarabel = [ours(X, y, cuts, t, repeat) for t in TARGETS], row("cvxpy, Clarabel", routes=[dict(solver="CLARABEL")])
    for eps in 10.**-np.arange(3, 11):
        route = [dict(solver="SCS", eps_abs=eps, eps_rel=eps, max_iters=50_000)]
        if row("", routes=route)["gap"] <= 1e-6: break
    scs, referee, own = row(f"cvxpy, SCS, eps {eps:.0e}", routes=route), row("cvxpy, as the referee runs"), rows[-1]
    for _ in range(turns):       # the two that the ratio is about take turns, so that a busy moment hits both
        scs["seconds"] = min(scs["seconds"], clock(lambda: solve_cvxpy(A, cuts, C, routes=route), 1)[0])
        own["seconds"] = min(own["seconds"], ours(X, y, cuts, TARGETS[-1], repeat)["seconds"])
    theirs = [clarabel, scs, referee]
    fastest = min(row["seconds"] for row in theirs if row["gap"] is not None and row["gap"] <= 1e-6)
    return rows+theirs, fastest/own["seconds"], referee["seconds"]/own["seconds"]

def run(quick=False):
    n, d, repeat = (400, 60, 2) if quick else (2048, 200, 7)
    m, p = (1000, 60) if quick else (10_000, 300)
    X, y = grouped(n, d)
    rows, ratio, referee = several(X, y, repeat, 2 if quick else 8)
    S = sparse.random(m, p, .05, format="csc", random_state=0)
    signal = S@np.random.default_rng(0).standard_normal(p)
    labels = np.where(signal > np.median(signal), 1., -1.)*np.where(np.random.default_rng(1).random(m) < .05, -1., 1.)
    mean, square = (np.asarray(A.mean(0)).ravel() for A in (S, S.multiply(S)))
    scale = np.sqrt(square-mean**2)
    S, moments = sparse.csc_matrix(S@sparse.diags(1/scale)), dict(mean=mean/scale, scale=np.ones(p))
    starts = {"cold": None, "warm": solve_restricted(X[:, :-10], y, [np.arange(d-10)], C=C)}              # the last ten columns join
    grown = [dict(ours(X, y, [np.arange(d)], 1e-4, repeat, start=start), who=f"ten more columns, {how}") for how, start in starts.items()]
    cases = {f"{n} x {d}, {d//10} cuts of 10": rows, f"{n} x {d}, one cut": one_cut(X, y, repeat), f"{n} x {d}, one cut that grew": grown,
             f"{n} x {d//5}, one cut": one_cut(X[:, :d//5], y, repeat), f"{m} x {p} sparse (5 %), one cut": one_cut(S, labels, repeat, moments)}
    scaling = []
    for k in (10, 20, 40) if quick else (10, 20, 50, 100, 200, 400, 800):
        Z, z = grouped(n, k, seed=1)
        best = solve_restricted(Z, z, [np.arange(k)], C=C, tol=1e-9).objective
        scaling.append(dict(d=k, ours=ours(Z, z, [np.arange(k)], 1e-6, 3)["seconds"], LinearSVC=linear_svc(Z, z, 1e-6, best, 2)["seconds"]))
    return dict(cases=cases, ratio_cvxpy=ratio, ratio_referee=referee, ratio_naive=naive_ratio(100 if quick else 400), scaling=scaling, scaling_n=n)
