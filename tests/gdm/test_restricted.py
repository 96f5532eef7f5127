"One SVM and its gap: intercept, products, Newton's method, the certificate against naive loops, cvxpy against itself"
import numpy as np
import pytest
from scipy import sparse

from fsnb import naive
from fsnb.gdm.kernel_weights import solve_restricted
from fsnb.gdm.restricted import (
    Rows, SquaredHinge, _add_up_rows, _best_intercept, _by_rows, _Point, _System, restricted_gap,
    solve_cvxpy)
from machine_cases import case, medium, spread_out

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

def given(kind, X):
    "A sparse matrix in one of the forms that a user may bring"
    if kind == "csr": return sparse.csr_matrix(X)
    X = sparse.csc_matrix(X)
    if kind == "float32": return X.astype(np.float32)
    if kind == "int64": X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    if kind == "not in order":
        for j in range(X.shape[1]):
            own = slice(X.indptr[j], X.indptr[j+1])
            X.indices[own], X.data[own] = X.indices[own][::-1].copy(), X.data[own][::-1].copy()
        X.has_sorted_indices = False
    if kind == "twice":
        X = sparse.csc_matrix((np.repeat(X.data/2, 2), np.repeat(X.indices, 2), 2*X.indptr), X.shape)
    return X

@pytest.mark.parametrize("kind", ["csr", "float32", "int64", "not in order", "twice"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 60), (500, 30)])
def test_columns_turned_into_rows_are_the_same_matrix(shape, kind):
    g = np.random.default_rng(0)
    dense = np.float32(g.standard_normal(shape)*(g.random(shape) < .6)).astype(float)
    X = given(kind, dense)
    kept = X.copy()
    turned = _by_rows(X)
    assert turned.format == "csr" and turned.dtype == (np.float32 if kind == "float32" else np.float64)
    assert turned.has_sorted_indices
    assert np.array_equal(turned.toarray(), dense) and turned.nnz == np.count_nonzero(dense)
    assert np.array_equal(X.data, kept.data) and np.array_equal(X.indices, kept.indices)   # what came in is left as it was
    plain = sparse.csc_matrix(dense)
    u, v = g.standard_normal(shape[1]), g.standard_normal(shape[0])
    assert np.array_equal(Rows(X).forward(u), plain@u)             # to the last bit, whatever the precision of what is stored
    assert np.array_equal(_add_up_rows(turned, v), plain.T@v)

@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "moments", "sparse moments"])
@pytest.mark.parametrize("shape", [(50, 9), (12, 30)], ids=["over columns", "over samples"])
def test_newton_systems_equal_dense_algebra(shape, kind, center):
    g, C = np.random.default_rng(0), .7
    n, d = shape
    X, y = g.standard_normal(shape)*(g.random(shape) < .6)+.3, np.where(g.random(n) < .5, 1., -1.)
    mean, scale = (X.mean(0), X.std(0)+.1) if "moments" in kind else (None, None)
    Z = (X-mean)/scale if "moments" in kind else X
    rows, loss = Rows(sparse.csc_matrix(X) if "sparse" in kind else X, mean, scale), SquaredHinge(y, C, center)
    for trial in range(3):                          # the products follow the active samples around
        root = g.random(d)*(g.random(d) < .8)
        point = _Point(rows, loss, root, g.standard_normal(d))
        S = point.pull != 0
        B = Z[S]-Z[S].mean(0) if center else Z[S]
        system, H = _System(rows, loss, root, S), np.eye(d)+C*root[:, None]*(B.T@B)*root
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

def many_samples(n, d, dtype, seed=0):
    "Sparse columns of n/100 entries, labels that go with the first of them, and moments"
    g = np.random.default_rng(seed)
    X = sparse.random(n, d, .01, format="csc", dtype=dtype, random_state=g)
    y = np.where(X[:, [0]].toarray()[:, 0]+.3*g.standard_normal(n) > 0, 1, -1).astype(np.int8)
    mean = np.asarray(X.mean(0)).ravel()
    return X, y, dict(mean=mean, scale=np.sqrt(np.asarray(X.multiply(X).mean(0)).ravel()-mean**2))

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

@pytest.mark.parametrize("seed", range(8))
def test_certificate_equals_the_loops(seed):
    X, y, cuts, kw, Z = case(seed)
    r = np.random.default_rng(seed)
    weights = [r.standard_normal(len(c))/Z.shape[1]/max(np.abs(Z).max(), 1) for c in cuts]
    c = restricted_gap(X, y, cuts, weights, **kw)
    full, deltas = spread_out(weights, cuts, Z.shape[1])
    assert np.isclose(c.objective, naive.reduced_primal(full, Z, y, deltas, kw["C"], c.intercept), rtol=1e-9)
    assert np.isclose(c.theta, naive.reduced_dual(c.alpha, Z, y, deltas, kw["C"]), rtol=1e-8)
    assert c.alpha.min() >= 0 and np.isclose(c.alpha.sum(), 1)
    assert np.isclose(c.gap, 1-1/(4*c.theta*c.objective)) and c.gap >= 0
    if kw["fit_intercept"]:
        assert abs(y@c.alpha) < 1e-10
        for step in (-.1, -1e-3, 1e-3, .1):
            assert naive.reduced_primal(full, Z, y, deltas, kw["C"], c.intercept+step) >= c.objective*(1-1e-12)

def test_weights_without_any_hinge_still_get_a_certificate():
    X, y = np.array([[3.], [2.], [-4.]]), np.array([1., 1., -1.])
    c = restricted_gap(X, y, [[0]], [np.array([10.])])
    assert c.objective == 50 and np.allclose(c.alpha, [.25, .25, .5])
    assert np.isclose(c.theta, naive.reduced_dual(c.alpha, X, y, [[1.]], 1.))
    assert 0 < c.gap < 1

@pytest.mark.parametrize("fit_intercept", [False, True])
def test_both_forms_of_the_referee(fit_intercept):
    Z, y = medium(3, n=40, d=8)
    cuts, A = [np.arange(0, 5), np.arange(3, 8)], y[:, None]*Z
    p, d = (solve_cvxpy(A, cuts, .5, fit_intercept, form, y=y) for form in ("primal", "dual"))
    assert np.isclose(p.theta, d.value, rtol=1e-6)
    norms = np.array([np.linalg.norm(w) for w in p.weights])
    assert np.allclose(norms/norms.sum(), d.kernel_weights, atol=1e-4)
    r = solve_restricted(Z, y, cuts, C=.5, fit_intercept=fit_intercept, tol=1e-9)
    assert np.isclose(r.theta, d.value, rtol=1e-6) and np.allclose(r.kernel_weights, d.kernel_weights, atol=1e-4)
