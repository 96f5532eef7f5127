"""Features that cannot have a weight are ruled out by relevance alone; no answer changes, and the gap is that over all."""
import numpy as np
import pytest
import scipy.sparse as sp
from fsnb import MMFS, QPFS
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin import programme, working_set
from fsnb.margin.dual import _margin_gap
from fsnb.margin.programme import _share_looking_at_all, solve_qpfs, _sparse_table
from fsnb.margin.similarity import FeatureKernel, _keep_digits, _product_by_rows
from fsnb.margin.simplex import DenseTable, _pivot_simplex, solve_simplex
from fsnb.margin.working_set import _know_gradient, _solve_looking_at_all, solve_mmfs


def sparse_data(seed, n=60, p=400, density=.06, dtype=np.float64, signed=False):
    "CSC with constants and copies among its columns, and two classes"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, density, "csc", random_state=rng, dtype=np.float64)
    if signed: X.data -= .5
    y = (rng.random(n) < .5).astype(int)
    X = X.tolil()
    X[:, :5] = sp.lil_matrix((y[:, None]*(rng.random((n, 5)) < .7)).astype(float))
    X[:, 7] = X[:, 8]
    X[:, 9] = np.ones((n, 1))
    return sp.csc_matrix(X).astype(dtype), y


@pytest.mark.parametrize("kernel", ["poly2", "abs"])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_products_by_rows_are_those_of_the_table(seed, signed, kernel):
    X, _ = sparse_data(seed, dtype=np.float32 if seed % 2 else np.float64, signed=signed)
    columns, rng = as_columns(X), np.random.default_rng(seed)
    a = np.sort(rng.choice(X.shape[1], 30, replace=False))
    weights = rng.standard_normal(30)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.nan_to_num(np.corrcoef(X.toarray().astype(np.float64).T))
    wanted = (r**2 if kernel == "poly2" else np.abs(r))[:, a]@weights
    found = FeatureKernel(columns, kernel).apply(a, weights)
    np.testing.assert_allclose(found, wanted, atol=1e-7 if seed % 2 else 1e-12)
    np.testing.assert_array_equal(found, _product_by_rows(columns, a, weights, kernel == "poly2"))


def test_far_columns_keep_the_exact_way():
    X, _ = sparse_data(0)
    far = X.copy()
    far.data += 1e4
    dense_one = sp.csc_matrix(np.full((60, 1), 1e4)+np.random.default_rng(0).random((60, 1)))
    assert _keep_digits(as_columns(X)) and not _keep_digits(as_columns(sp.hstack([far, dense_one], format="csc")))


def many_columns(seed, n=50, p=24000):
    "Sparse columns, some dozen of which tell of the class"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, .05, "csc", random_state=rng).tolil()
    y = (rng.random(n) < .5).astype(int)
    told = rng.choice(p, 40, replace=False)
    X[:, told] = (y[:, None]*(rng.random((n, 40)) < .8)).astype(float)
    return sp.csc_matrix(X), y


@pytest.mark.parametrize("stored", ["sparse", "dense"])
@pytest.mark.parametrize("kernel", ["poly2", "rbf"])
@pytest.mark.parametrize("C", [np.inf, .05])
def test_mmfs_watched_is_mmfs(C, kernel, stored):
    X, y = many_columns(1)
    X = X if stored == "sparse" else X.toarray()
    columns = as_columns(X)
    r, sign = correlation_with(columns, y)
    asked = FeatureKernel(columns, kernel, sign=sign if kernel == "rbf" else None)
    free = ~columns.constant
    free[::7] = False
    for gamma in (5., .5):
        watched = solve_mmfs(asked, r, gamma, C, tol=1e-9, free=free)
        whole = _solve_looking_at_all(asked, r, gamma, C, tol=1e-9, free=free)
        np.testing.assert_allclose(watched.objective, whole.objective, rtol=1e-8)
        np.testing.assert_allclose(watched.beta, whole.beta, atol=1e-6)
        known = _know_gradient(asked, r, gamma, watched, C, free)
        gap, dual = _margin_gap(known.beta, known.gradient, r, gamma, C, free)
        assert known.gap == gap/dual <= 1e-8
        if watched.known is None: continue
        assert len(watched.known) < len(r)//2
        below = watched.gradient-known.gradient
        assert below.max() <= 1e-9 and np.abs(below[watched.known]).max() <= 1e-9


@pytest.mark.parametrize("start", [False, True])
def test_mmfs_watches_more_where_the_height_was_too_high(monkeypatch, start):
    X, y = many_columns(2)
    columns = as_columns(X)
    r, asked = correlation_with(columns, y)[0], FeatureKernel(columns)
    monkeypatch.setattr(working_set, "_height_to_watch", lambda r, *args: .9*r.max())
    beta = _solve_looking_at_all(asked, r, 9.).beta if start else None
    whole = _solve_looking_at_all(asked, r, 1., tol=1e-9)
    watched = _know_gradient(asked, r, 1., solve_mmfs(asked, r, 1., tol=1e-9, start=beta))
    np.testing.assert_allclose(watched.objective, whole.objective, rtol=1e-8)
    np.testing.assert_allclose(watched.gradient, whole.gradient, atol=1e-7)   # copies may share weights otherwise
    assert watched.gap <= 1e-9


def test_selectors_answer_as_without_watching(monkeypatch):
    X, y = many_columns(3)
    for make in (lambda: MMFS(12), lambda: MMFS(gamma=2.), lambda: MMFS(8, kernel="rbf"),
                 lambda: QPFS(12), lambda: QPFS(9, relevance_weight=.9)):
        with monkeypatch.context() as patch:
            watched = make().fit(X, y)
            patch.setattr(working_set, "_WATCH_FROM", 10**9)
            whole = make().fit(X, y)
        assert watched.support_.tolist() == whole.support_.tolist()
        assert watched.stop_reason_ == whole.stop_reason_ == "gap" and watched.gap_ <= 1e-6
        np.testing.assert_allclose(watched.dual_coef_, whole.dual_coef_, atol=2e-4)
        np.testing.assert_allclose(watched.objective_, whole.objective_, rtol=2e-6)


@pytest.mark.parametrize("theta", [0., .4, .9, 1.])
def test_qpfs_watched_is_qpfs(monkeypatch, theta):
    X, y = many_columns(4, n=150, p=4000)
    monkeypatch.setattr(working_set, "_WATCH_FROM", 500)
    columns = as_columns(X)
    r, free = correlation_with(columns, y)[0]**2, ~columns.constant
    if theta == 0: free &= np.arange(len(free)) < 300       # weights everywhere
    watched = solve_qpfs(FeatureKernel(columns), r, theta, free=free)
    whole = _share_looking_at_all(FeatureKernel(columns), r, theta, free=free)
    np.testing.assert_allclose(watched.objective, whole.objective, rtol=3e-6)
    assert watched.gap <= 1e-6 and np.isclose(watched.beta.sum(), 1) and not watched.beta[~free].any()


@pytest.mark.parametrize("seed", range(20))
def test_pivots_find_what_moves_of_pairs_find(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 60))
    F = rng.standard_normal((int(rng.integers(1, 80)), m))
    H = F.T@F/m+10.**rng.uniform(-6, 0)*np.eye(m)
    r, total = rng.random(m), float(rng.uniform(.5, 3))
    found = _pivot_simplex(DenseTable(H), r, np.full(m, total/m), 1e-9)
    if found is None: return             # it says so, and pairs do the work
    a, product = found
    slow = solve_simplex(H, r, np.full(m, total/m), 1e-10)
    np.testing.assert_allclose(.5*a@H@a-r@a, .5*slow@H@slow-r@slow, atol=1e-8)
    np.testing.assert_allclose(product, H@a, atol=1e-9)
    assert (a >= 0).all() and np.isclose(a.sum(), total)


def test_pivots_seldom_give_up():
    given_up = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        F = rng.standard_normal((60, 40))
        given_up += _pivot_simplex(DenseTable(F.T@F/40), rng.random(40), np.full(40, 1/40), 1e-9) is None
    assert given_up <= 2


def test_pivots_give_up_where_it_bends_down():
    H = np.array([[1., 2.], [2., 1.]])
    assert _pivot_simplex(DenseTable(H), np.array([1., .2]), np.array([.4, .6]), 1e-9) is None


def test_a_sparse_table_is_the_table():
    X, _ = sparse_data(5)
    X = X[:, np.diff(X.indptr) > 0]
    columns, kept = as_columns(X), X.copy()
    table, v = _sparse_table(columns, .3), np.random.default_rng(0).standard_normal(X.shape[1])
    Q = FeatureKernel(columns).table(np.arange(X.shape[1]))
    np.testing.assert_allclose(table.multiply(v), .3*Q@v, atol=1e-12)
    assert (X != kept).nnz == 0            # the data are as they were


def test_qpfs_by_pivots_and_by_columns(monkeypatch):
    X, y = sparse_data(6, n=200, p=3000, density=.02)
    X = X[:, np.diff(X.indptr) > 0]
    monkeypatch.setattr(working_set, "_WATCH_FROM", 100)
    by_pivots = QPFS(30, relevance_weight=.5).fit(X, y)
    monkeypatch.setattr(programme, "_MANY_WEIGHTS", 10**9)
    by_columns = QPFS(30, relevance_weight=.5).fit(X, y)
    assert max(by_pivots.gap_, by_columns.gap_) <= 1e-6
    np.testing.assert_allclose(by_pivots.objective_, by_columns.objective_, rtol=2e-6)
