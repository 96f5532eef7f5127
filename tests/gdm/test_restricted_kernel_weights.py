"The restricted problem: one SVM and its gap, several cuts and their two solvers, against loops, cvxpy and every dress of the data"
import warnings
import numpy as np, pytest
from scipy import sparse
from doors import backwards, peak_of, twice
from sklearn.exceptions import ConvergenceWarning

from fsnb import naive
from fsnb.gdm.kernel_weights import _newton, _proximal_gradient, solve_restricted
from fsnb.gdm.restricted import (_best_intercept, _by_rows, _open_problem, _System, Rows, solve_cvxpy, SquaredHinge)

def case(seed, spread=10., log_c=2.):
    "A random problem: overlapping cuts, odd scales, copies, constants, sparse or dense, with or without moments"
    r = np.random.default_rng(seed)
    n, d = int(r.integers(2, 70)), int(r.integers(1, 50))
    X = r.standard_normal((n, d))
    if r.random() < .5: X *= np.exp(r.uniform(0, np.log(spread), d))
    if r.random() < .2: X += r.standard_normal(d)*3
    if r.random() < .2: X[:, r.integers(d)] = 0
    if r.random() < .2: X[:, 0] = X[:, -1]
    y = np.where(r.random(n) < .5, 1., -1.) if r.random() < .5 else np.where(X[:, 0]+.1*r.standard_normal(n) > 0, 1., -1.)
    y[0], y[1] = 1, -1
    cuts = [r.permutation(d)[:r.integers(1, d+1)] for _ in range(r.integers(1, 7))]
    if r.random() < .1: cuts.append(cuts[0].copy())
    moments = {}
    if r.random() < .5: moments = dict(mean=X.mean(0), scale=np.where(X.std(0) > 0, X.std(0), 1))
    Z = (X-moments["mean"])/moments["scale"] if moments else X
    if r.random() < .4: X = sparse.csc_matrix(X)
    kw = dict(C=10**r.uniform(-log_c, log_c), fit_intercept=bool(r.random() < .5), **moments)
    return X, y, cuts, kw, Z

def spread_out(weights, cuts, d):
    "Full-length weight vectors and masks, as the loops of naive want them"
    return ([np.bincount(c, w, d) for c, w in zip(cuts, weights)],
            [np.isin(np.arange(d), c).astype(float) for c in cuts])

def medium(seed=0, n=200, d=24, noise=.5):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, d))+.7*r.standard_normal((n, 1))
    y = np.where(X[:, :6]@r.uniform(-1, 1, min(d, 6))+noise*r.standard_normal(n) > 0, 1., -1.)
    return (X-X.mean(0))/X.std(0), y

def naive_intercept(r, y):
    "Minimiser of sum (y (r - b))_+^2 by trying every piece between sorted breakpoints"
    candidates = list(r)
    ends = np.concatenate([[-np.inf], np.sort(r), [np.inf]])
    for lo, hi in zip(ends, ends[1:]):
        middle = np.clip((lo+hi)/2 if np.isfinite(hi-lo) else (lo+1 if np.isfinite(lo) else hi-1), -1e9, 1e9)
        active = y*(r-middle) > 0
        if active.any(): candidates.append(r[active].mean())
    return min((np.maximum(y*(r-b), 0)**2).sum() for b in candidates)

@pytest.mark.parametrize("kind", ["normal", "ties", "heavy tails"])
def test_best_intercept_is_exact(kind):
    for seed in [*range(30), 74, 425, 920, 2037, 2407, 2711]:       # 74 and the last five: halving once met an old set again
        g = np.random.default_rng(seed)
        n = int(g.integers(2, 40))
        r = g.integers(-3, 4, n).astype(float) if kind == "ties" else g.standard_normal(n)
        if kind == "heavy tails": r = r*10**g.uniform(-4, 4, n)
        y = np.where(g.random(n) < g.uniform(.05, .95), 1., -1.)
        y[0], y[1] = 1, -1
        b = _best_intercept(r, y, g.standard_normal()*10**g.uniform(-2, 3))
        h, unit = np.maximum(y*(r-b), 0), max(np.abs(r).max(), 1)
        assert (h**2).sum() <= naive_intercept(r, y)*(1+1e-10)+1e-25*unit**2, seed
        assert abs(y@h) <= 1e-13*unit*n, seed

@pytest.mark.parametrize("log_c", [0, 4, 8])
def test_systems_over_samples_keep_their_digits(log_c):
    g = np.random.default_rng(0)
    Z, b = g.standard_normal((12, 30))*np.logspace(0, 2, 30), g.standard_normal(30)
    system = _System(Rows(Z), SquaredHinge(np.ones(12), 10.**log_c), np.ones(30), np.ones(12, dtype=bool))
    _, sizes, V = np.linalg.svd(Z, full_matrices=False)
    exact = b-V.T@((1-1/(1+10.**log_c*sizes**2))*(V@b))
    assert np.allclose(system.solve(b), exact, atol=1e-9*max(1, 10.**(log_c-4)))

def by_one(solver, X, y, cuts, tol, max_iter=20_000, C=1., fit_intercept=False, mean=None, scale=None):
    "(weights of each cut, their certificate, iterations) by one of the two solvers alone"
    rows, loss, own = _open_problem(X, y, cuts, C, fit_intercept, mean, scale)
    w, proof, k = solver(rows, loss, own, np.zeros(own.sizes.sum()), tol, max_iter)
    return own.split(w), proof, k

SOLVERS = {"auto": None, "proximal": _proximal_gradient, "newton": _newton}

def solve(name, X, y, cuts, tol, **kw):
    "(weights, certificate) by both solvers together or by one alone"
    if name != "auto": return by_one(SOLVERS[name], X, y, cuts, tol, **kw)[:2]
    r = solve_restricted(X, y, cuts, tol=tol, max_iter=20_000, **kw)
    return r.weights, r

def test_random_problems_reach_the_gap():
    for seed in range(25):
        X, y, cuts, kw, Z = case(1000+seed, spread=100, log_c=4)
        with warnings.catch_warnings(action="error"):
            r = solve_restricted(X, y, cuts, tol=1e-6, **kw)
        s = by_one(_newton, X, y, cuts, 1e-6, **kw)[1]
        full, deltas = spread_out(r.weights, cuts, Z.shape[1])
        objective = naive.reduced_primal(full, Z, y, deltas, kw["C"], r.intercept) if seed % 8 == 0 else r.objective
        theta = naive.reduced_dual(r.alpha, Z, y, deltas, kw["C"]) if seed % 8 == 0 else r.theta
        assert np.isclose(objective, r.objective, rtol=1e-6), seed
        assert 1-1/(4*theta*objective) <= 2e-6, seed
        assert r.converged and s.gap <= 1e-6 and abs(s.objective/r.objective-1) < 2e-6, seed
        assert np.allclose(r.coef, sum(full)), seed
        assert r.alpha.min() >= 0 and np.isclose(r.alpha.sum(), 1), seed
        assert r.kernel_weights.min() >= 0 and np.isclose(r.kernel_weights.sum(), 1), seed
        assert r.theta_lower <= r.theta*(1+1e-11), seed      # rounding: 2e-12 on a processor without FMA

@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("cuts", [[range(12)], [range(0, 6), range(6, 12)], [range(0, 7), range(4, 10), range(9, 12), [2, 11]]],
                         ids=["one", "apart", "overlap"])
def test_cvxpy_agrees_in_both_its_forms(cuts, fit_intercept):
    Z, y = medium(2, n=60, d=12)
    y[:10] = 1                                     # unbalanced, so that the intercept matters
    cuts, C = [np.array(c) for c in cuts], .3
    primal, dual = (solve_cvxpy(y[:, None]*Z, cuts, C, fit_intercept=fit_intercept, form=form, y=y) for form in ("primal", "dual"))
    assert np.isclose(primal.theta, dual.value, rtol=1e-6)
    norms = np.array([np.linalg.norm(w) for w in primal.weights])
    assert np.allclose(norms/norms.sum(), dual.kernel_weights, atol=1e-3)
    for name in SOLVERS:
        weights, r = solve(name, Z, y, cuts, 1e-8, C=C, fit_intercept=fit_intercept)
        assert abs(r.objective/primal.value-1) < 1e-6
        assert np.abs(r.alpha-primal.alpha).max() < 1e-4
        own = np.array([np.linalg.norm(w) for w in weights])
        assert np.allclose(own/own.sum(), dual.kernel_weights, atol=1e-3)
        assert abs(r.intercept-primal.intercept) < 1e-3 if fit_intercept else r.intercept == 0
    assert abs(r.intercept) > 1e-3 or not fit_intercept

@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("n, d", [(300, 20), (25, 60)], ids=["tall", "wide"])
def test_sparse_implicit_moments_equal_dense(n, d, fit_intercept):
    S = sparse.random(n, d, .3, format="csc", dtype=np.float32, random_state=0)
    D = S.toarray().astype(float)
    y = np.where(D@np.linspace(-1, 1, d)+.01*np.random.default_rng(0).standard_normal(n) > 0, 1., -1.)
    moments = dict(mean=D.mean(0), scale=D.std(0)+1e-3)
    cuts, kw = [np.arange(0, 2*d//3), np.arange(d//3, d)], dict(C=.2, fit_intercept=fit_intercept, tol=1e-10)
    eager = solve_restricted((D-moments["mean"])/moments["scale"], y, cuts, **kw)
    long = backwards(S)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for X in (S, S.astype(float), S.astype(float).tocsr(), sparse.csc_array(S), long, twice(S), D, np.asfortranarray(D)):
        before = X.copy()
        lazy = solve_restricted(X, y, cuts, **moments, **kw)
        assert abs(lazy.objective/eager.objective-1) < 1e-10
        assert np.abs(lazy.alpha-eager.alpha).max() < 1e-7
        assert np.allclose(lazy.coef, eager.coef, atol=1e-7)
        if sparse.issparse(X):
            assert np.array_equal(X.indices, before.indices) and np.array_equal(X.data, before.data)

def test_iteration_cap_warns_and_still_certifies():
    Z, y = medium(13, noise=.01)
    cuts = [np.arange(12), np.arange(12, 24)]
    exact = solve_restricted(Z, y, cuts, C=100, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        r = solve_restricted(Z, y, cuts, C=100, tol=1e-9, max_iter=2)
    assert not r.converged
    for proof, k in ((r, r.n_iter), by_one(_newton, Z, y, cuts, 1e-9, 2, C=100)[1:]):
        assert proof.gap > 1e-9 and k <= 2+1
        assert 1/(4*proof.objective) <= exact.theta*(1+1e-9) and exact.theta_lower <= proof.theta*(1+1e-9)

@pytest.mark.parametrize("shape", [(350, 900)])
def test_a_large_side_begins_with_proximal_steps(shape):
    g = np.random.default_rng(0)
    Z = g.standard_normal(shape)
    y = np.where(Z[:, :5].sum(1)+2*g.standard_normal(shape[0]) > 0, 1., -1.)
    a = solve_restricted(Z, y, [np.arange(shape[1])], C=.01, fit_intercept=True, tol=1e-9)
    b = by_one(_newton, Z, y, [np.arange(shape[1])], 1e-9, C=.01, fit_intercept=True)[1]
    assert a.converged and abs(a.objective/b.objective-1) < 2e-9

@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bits_do_not_depend_on_threads(dtype):
    g = np.random.default_rng(3)
    X = sparse.random(15_000, 30, .5, format="csc", random_state=3, dtype=dtype)
    y = np.where(X[:, :2].sum(1).A1+g.standard_normal(15_000) > .5, 1., -1.)
    mean, scale = np.asarray(X.mean(0)).ravel(), np.full(30, .3)
    cuts = [np.arange(0, 20), np.arange(15, 30)]
    found = [solve_restricted(X, y, cuts, fit_intercept=True, mean=mean, scale=scale, tol=1e-6, n_jobs=n_jobs)
             for n_jobs in (1, 2, 3)]
    assert len({(r.coef.tobytes(), r.alpha.tobytes(), r.gap, r.n_iter) for r in found}) == 1
    eager = solve_restricted((X.toarray()-mean)/scale, y, cuts, fit_intercept=True, tol=1e-6)
    np.testing.assert_allclose(found[0].objective, eager.objective, rtol=1e-5)

def test_a_restricted_problem_holds_few_numbers_a_sample():
    n, d, g = 50_000, 12, np.random.default_rng(0)
    X = sparse.random(n, d, .01, format="csc", dtype=np.float32, random_state=g)
    y = np.where(X[:, [0]].toarray()[:, 0]+.3*g.standard_normal(n) > 0, 1, -1).astype(np.int8)
    mean = np.asarray(X.mean(0)).ravel()
    scale = np.sqrt(np.asarray(X.multiply(X).mean(0)).ravel()-mean**2)
    X, parts = _by_rows(X), np.array_split(np.arange(d), 4)  # by rows, as a working set has them
    settings = dict(C=1., fit_intercept=True, tol=1e-8, mean=mean, scale=scale)
    solve_restricted(X[:1000], y[:1000], parts, **settings)                     # compiled
    peak, solved = peak_of(lambda: solve_restricted(X, y, parts, **settings))
    assert solved.converged and solved.n_iter > 2
    assert peak/(8*n) < 8.5

@pytest.mark.parametrize("change, message", [
    (dict(C=0), "C must"), (dict(y=np.zeros(30)), "y must"), (dict(y=-np.ones(30), fit_intercept=True), "both classes"), (dict(cuts=[[-1]]), "got -1..-1"),
    (dict(cuts=[[1, 1]]), "twice"), (dict(cuts=[[True, False, True, True]]), "integer array"), (dict(X=np.full((30, 4), np.nan)), "must be finite"),
    (dict(X=np.full((30, 4), 1e150)), "too large")])
def test_what_would_be_wrong_without_a_word_is_refused(change, message):
    X = np.random.default_rng(0).standard_normal((30, 4))
    good = dict(X=X, y=np.where(X[:, 0] > 0, 1., -1.), cuts=[[0, 1], [2, 3]])
    solve_restricted(**good)
    with pytest.raises(ValueError, match=message): solve_restricted(**{**good, **change})
