"One SVM and its gap: intercept, products, Newton's method, the certificate against naive loops, cvxpy against itself"
import numpy as np
import pytest
from scipy import sparse

from fsnb import naive
from fsnb.gdm.restricted import (
    Rows, SquaredHinge, _best_intercept, _Point, _System, restricted_gap)
from machine_cases import case, spread_out

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

@pytest.mark.parametrize("kind", ["dense", "sparse", "moments", "sparse moments"])
@pytest.mark.parametrize("shape", [(50, 9), (12, 30)], ids=["over columns", "over samples"])
def test_newton_systems_equal_dense_algebra(shape, kind):
    g, C, (n, d) = np.random.default_rng(0), .7, shape
    X, y = g.standard_normal(shape)*(g.random(shape) < .6)+.3, np.where(g.random(n) < .5, 1., -1.)
    mean, scale = (X.mean(0), X.std(0)+.1) if "moments" in kind else (None, None)
    Z, rows = (X-mean)/scale if "moments" in kind else X, Rows(sparse.csc_matrix(X) if "sparse" in kind else X, mean, scale)
    for trial in range(6):                          # the products follow the active samples around
        root, center = g.random(d)*(g.random(d) < .8), trial % 2 == 0
        point = _Point(rows, SquaredHinge(y, C, center), root, g.standard_normal(d))
        S = point.pull != 0
        B = Z[S]-Z[S].mean(0) if center else Z[S]
        system, H = _System(rows, SquaredHinge(y, C, center), root, S), np.eye(d)+C*root[:, None]*(B.T@B)*root
        assert np.allclose(system.times(np.eye(d)), B.T@B, atol=1e-9)
        assert np.allclose(system.solve(np.eye(d)), np.linalg.inv(H), atol=1e-9)
        assert np.allclose(point.gradient, point.u-C*root*(Z.T@point.pull), atol=1e-9)
        assert 0 < S.sum() < n or trial             # not all of them trivial

@pytest.mark.parametrize("log_c", [0, 4, 8])
def test_systems_over_samples_keep_their_digits(log_c):
    g = np.random.default_rng(0)
    Z, b = g.standard_normal((12, 30))*np.logspace(0, 2, 30), g.standard_normal(30)
    system = _System(Rows(Z), SquaredHinge(np.ones(12), 10.**log_c), np.ones(30), np.ones(12, dtype=bool))
    _, sizes, V = np.linalg.svd(Z, full_matrices=False)
    exact = b-V.T@((1-1/(1+10.**log_c*sizes**2))*(V@b))
    assert np.allclose(system.solve(b), exact, atol=1e-9*max(1, 10.**(log_c-4)))

@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_of_full_sparse_columns_far_from_zero(n_jobs):
    "Once: they were centred by columns and added up as rows, which wrote outside of the result"
    from fsnb.data.inputs import as_columns
    from fsnb.gdm.rounds import WorkingSet
    g = np.random.default_rng(0)
    Z, v = g.standard_normal((60, 4)), g.standard_normal(60)
    known = WorkingSet(as_columns(sparse.csc_matrix(Z+1e6), n_jobs=n_jobs))
    known.add([0, 1, 3])
    assert known.rows()[0].format == "csr"
    want = ((Z-Z.mean(0))/Z.std(0))[:, [0, 1, 3]].T@v
    np.testing.assert_allclose(known.scores(v), want, rtol=1e-6)

def test_certificate_equals_the_loops():
    for seed in range(8):
        X, y, cuts, kw, Z = case(seed)
        r = np.random.default_rng(seed)
        weights = [r.standard_normal(len(c))/Z.shape[1]/max(np.abs(Z).max(), 1) for c in cuts]
        c = restricted_gap(X, y, cuts, weights, **kw)
        full, deltas = spread_out(weights, cuts, Z.shape[1])
        def primal(b): return naive.reduced_primal(full, Z, y, deltas, kw["C"], b)
        assert np.isclose(c.objective, primal(c.intercept), rtol=1e-9)
        assert np.isclose(c.theta, naive.reduced_dual(c.alpha, Z, y, deltas, kw["C"]), rtol=1e-8)
        assert c.alpha.min() >= 0 and np.isclose(c.alpha.sum(), 1)
        assert np.isclose(c.gap, 1-1/(4*c.theta*c.objective)) and c.gap >= 0
        if not kw["fit_intercept"]: continue
        assert abs(y@c.alpha) < 1e-10
        assert min(primal(c.intercept+step) for step in (-.1, -1e-3, 1e-3, .1)) >= c.objective*(1-1e-12)

def test_weights_without_any_hinge_still_get_a_certificate():
    X, y = np.array([[3.], [2.], [-4.]]), np.array([1., 1., -1.])
    c = restricted_gap(X, y, [[0]], [np.array([10.])])
    assert c.objective == 50 and np.allclose(c.alpha, [.25, .25, .5])
    assert np.isclose(c.theta, naive.reduced_dual(c.alpha, X, y, [[1.]], 1.))
    assert 0 < c.gap < 1
