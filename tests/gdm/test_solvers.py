"The pieces of the two solvers against dense algebra"
import gc, tracemalloc, weakref
import numpy as np
import pytest
from scipy import sparse

import fsnb.gdm.rows as rows_page
from fsnb.gdm.fixed import FixedMachine, _fit_fixed, _newton_step, _respond, _search_along
from fsnb.gdm.gram import Gram, add_rows, _standardise_products
from fsnb.gdm.loss import SquaredHinge
from fsnb.gdm.newton import _simplex_newton
from fsnb.gdm.proximal import _shrink
from fsnb.gdm.restricted import solve_restricted
from fsnb.gdm.rows import _STRIPE_ENTRIES, Rows, _add_up_rows, _by_rows, dot_rows, _open_problem


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "moments", "sparse moments"])
@pytest.mark.parametrize("shape", [(50, 9), (12, 30)], ids=["over columns", "over samples"])
def test_newton_algebra_equals_dense_algebra(shape, kind, center):
    g, C = np.random.default_rng(0), .7
    n, d = shape
    X, y = g.standard_normal(shape)*(g.random(shape) < .6)+.3, np.where(g.random(n) < .5, 1., -1.)
    mean, scale = (X.mean(0), X.std(0)+.1) if "moments" in kind else (None, None)
    Z = (X-mean)/scale if "moments" in kind else X
    rows, loss = Rows(sparse.csc_matrix(X) if "sparse" in kind else X, [np.arange(d)], mean, scale), SquaredHinge(y, C, center)
    gram = Gram(rows, center)
    for trial in range(6):                          # the cached block follows the active set around
        weight = g.random(d)*(g.random(d) < .8)
        a = FixedMachine(rows, loss, weight, .3*g.standard_normal(d))
        S, on = a.loss.active, weight > 0
        B = (Z[S]-Z[S].mean(0) if center else Z[S])
        M = B*weight@B.T+np.eye(S.sum())/C
        V = g.standard_normal((d, 3))
        assert np.allclose(_respond(gram, loss, a, V), B.T@np.linalg.solve(M, B@V), atol=1e-9)
        H = np.diag(1/weight[on])+C*B[:, on].T@B[:, on]
        step = _newton_step(gram, loss, a)
        gradient = a.v/np.where(on, weight, 1)-C*Z.T@a.loss.pull
        assert np.allclose(step[on], np.linalg.solve(H, -gradient[on]), atol=1e-9) and (step[~on] == 0).all()
        assert 0 < S.sum() < n or trial             # not all of them trivial


@pytest.mark.parametrize("seed", range(60))
def testshrink_solves_its_equation(seed):
    g = np.random.default_rng(seed)
    norms, t = np.abs(g.standard_normal(g.integers(1, 9)))*g.integers(0, 2, 1), 10**g.uniform(-3, 3)
    f = _shrink(norms, t)
    kept = f*norms
    level = t*kept.sum()                            # every norm is shortened by t times the sum of what stays
    assert np.allclose(kept, np.maximum(norms-level, 0), atol=1e-12) and ((0 <= f) & (f <= 1)).all()


@pytest.mark.parametrize("seed", range(60))
def testsimplex_newton_is_optimal(seed):
    g = np.random.default_rng(seed)
    T = int(g.integers(1, 9))
    B = g.standard_normal((g.integers(1, T+2), T))
    H, grad, mu = B.T@B, g.standard_normal(T), g.dirichlet(np.ones(T))
    if seed % 3 == 0 and T > 1: mu[0] = 0; mu /= mu.sum()
    x = _simplex_newton(grad, H, mu)
    r = grad+H@(x-mu)
    assert x.min() >= 0 and np.isclose(x.sum(), 1)
    assert r@x-r.min() <= 1e-7*max(np.abs(r).max(), 1)   # the Frank-Wolfe gap of the model


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


@pytest.mark.parametrize("kind", ["csc", "csr", "float32", "int64", "not in order", "twice"])
@pytest.mark.parametrize("shape", [(1, 1), (40, 7), (3, 60), (5000, 30)])
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
    assert np.array_equal(dot_rows(turned, u), plain@u)             # to the last bit, whatever the precision of what is stored
    assert np.array_equal(_add_up_rows(turned, v), plain.T@v)
    assert shape[0] < 5000 or turned.nnz > _STRIPE_ENTRIES                                          # more than one stripe


def test_empty_rows_and_columns_turn_too():
    for shape in ((4, 3), (3, 4)):
        assert _by_rows(sparse.csc_matrix(shape)).nnz == 0
        assert _by_rows(sparse.csc_matrix(shape)).shape == shape


@pytest.mark.parametrize("seed", range(40))
def test_rows_added_one_by_one_are_a_product(seed):
    g = np.random.default_rng(seed)
    n, d = g.integers(1, 60), g.integers(1, 20)
    X = g.integers(-3, 4, (n, d))*(g.random((n, d)) < g.random())*1.
    sign = g.integers(-1, 2, n).astype(np.int8)
    sums = np.zeros((d+1, d))
    products, totals = sums[:-1], sums[-1]
    add_rows(_by_rows(sparse.csc_matrix(X)), sign, sums)
    assert np.array_equal(products, np.tril(X.T*sign@X)) and np.array_equal(totals, sign@X)
    add_rows(_by_rows(sparse.csc_matrix(X)), -sign, sums)
    assert not sums.any()
    mean, inverse, one = g.standard_normal(d), g.uniform(.1, 2, d), np.ones(n, dtype=np.int8)
    add_rows(_by_rows(sparse.csc_matrix(X)), one, sums)
    for center, off in ((False, mean), (True, X.mean(0))):
        Z = (X-off)*inverse
        assert np.allclose(_standardise_products(products, totals, n, mean, inverse, center), Z.T@Z, atol=1e-9)


@pytest.mark.parametrize("solver", ["apg", "newton"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bits_do_not_depend_on_threads(solver, dtype):
    g = np.random.default_rng(3)
    X = sparse.random(30_000, 30, .5, format="csc", random_state=3, dtype=dtype)
    y = np.where(X[:, :2].sum(1).A1+g.standard_normal(30_000) > .5, 1., -1.)
    mean, scale = np.asarray(X.mean(0)).ravel(), np.full(30, .3)
    cuts = [np.arange(0, 20), np.arange(15, 30)]
    found = [solve_restricted(X, y, cuts, fit_intercept=True, mean=mean, scale=scale, solver=solver, tol=1e-6, n_jobs=n_jobs)
             for n_jobs in (1, 2, 3)]
    assert len({(r.coef.tobytes(), r.alpha.tobytes(), r.gap, r.n_iter) for r in found}) == 1
    eager = solve_restricted((X.toarray()-mean)/scale, y, cuts, fit_intercept=True, solver=solver, tol=1e-6)
    np.testing.assert_allclose(found[0].objective, eager.objective, rtol=1e-5)


@pytest.mark.parametrize("solver", ["apg", "newton"])
def test_a_solver_leaves_nothing_behind(solver):
    "Rows that refer to themselves would stay until the collector looks: a copy of the members a round"
    kept = []
    class Noted(rows_page.Rows):
        def __init__(self, *args):
            super().__init__(*args)
            kept.append(weakref.ref(self))
    X = sparse.random(300, 12, .3, "csc", random_state=0)
    y = np.where(np.arange(300) % 3, 1., -1.)
    whole, rows_page.Rows = rows_page.Rows, Noted
    gc.collect()
    gc.disable()
    try: solve_restricted(X, y, [np.arange(6), np.arange(6, 12)], solver=solver)
    finally:
        gc.enable()
        rows_page.Rows = whole
    assert len(kept) == 1 and kept[0]() is None


def many_samples(n, d, dtype, seed=0):
    "Sparse columns of n/100 entries, labels that go with the first of them, and moments"
    g = np.random.default_rng(seed)
    X = sparse.random(n, d, .01, format="csc", dtype=dtype, random_state=g)
    y = np.where(X[:, [0]].toarray()[:, 0]+.3*g.standard_normal(n) > 0, 1, -1).astype(np.int8)
    mean = np.asarray(X.mean(0)).ravel()
    return X, y, dict(mean=mean, scale=np.sqrt(np.asarray(X.multiply(X).mean(0)).ravel()-mean**2))


@pytest.mark.parametrize("cuts, most", [(1, 4.5), (4, 8.5)])     # they were 8.5 and 19.1
def test_a_restricted_problem_holds_few_numbers_a_sample(cuts, most):
    n, d = 200_000, 12
    X, y, moments = many_samples(n, d, np.float32)
    X = _by_rows(X)                                  # as a working set has them
    parts = np.array_split(np.arange(d), cuts)
    settings = dict(C=1., fit_intercept=True, solver="newton", tol=1e-8, **moments)
    solve_restricted(X[:1000], y[:1000], parts, **settings)                     # compiled
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    solved = solve_restricted(X, y, parts, **settings)
    peak = tracemalloc.get_traced_memory()[1]-before
    tracemalloc.stop()
    assert solved.converged and solved.n_iter > 2
    assert peak/(8*n) < most


@pytest.mark.parametrize("n_cuts", [1, 3])
@pytest.mark.parametrize("center", [False, True])
def test_a_byte_or_eight_for_a_sign_give_the_same_bits(n_cuts, center):
    X, y, moments = many_samples(3000, 9, np.float64)
    parts = np.array_split(np.arange(9), n_cuts)
    for solver in ("apg", "newton", "auto"):
        settings = dict(fit_intercept=center, solver=solver, tol=1e-7, **moments)
        a, b = (solve_restricted(X, signs, parts, **settings) for signs in (y, y.astype(float)))
        assert np.array_equal(a.coef, b.coef) and np.array_equal(a.alpha, b.alpha) and a.gap == b.gap


@pytest.mark.parametrize("seed", range(20))
def test_values_of_32_bits_give_the_bits_of_64(seed):
    X, y, moments = many_samples(2000, 7, np.float32, seed)
    parts = [np.arange(4), np.arange(2, 7)] if seed % 2 else [np.arange(7)]
    a, b = (solve_restricted(x, y, parts, fit_intercept=True, tol=1e-6, **moments) for x in (X, X.astype(np.float64)))
    assert np.array_equal(a.coef, b.coef) and np.array_equal(a.alpha, b.alpha)


def test_outputs_that_are_carried_along_are_those_of_the_weights():
    X, y, moments = many_samples(4000, 10, np.float64)
    rows, loss, _ = _open_problem(X, y, [np.arange(10)], 50., True, moments["mean"], moments["scale"])
    for start in (0, 1e3, 1e6):                     # however far away it began
        machine, k, _ = _fit_fixed(Gram(rows, True), loss, np.ones(10), np.full(10, float(start)), 1e-13, 100)
        fresh = FixedMachine(rows, loss, np.ones(10), machine.v)
        assert k > 1 and np.allclose(machine.outputs, fresh.outputs, rtol=0, atol=1e-15*max(start, 1)*1e3)
        assert abs(machine.objective/fresh.objective-1) < 1e-9
    best = solve_restricted(X, y, [np.arange(10)], C=50., fit_intercept=True, solver="newton", tol=1e-12, **moments)
    assert best.gap <= 1e-12                        # of the weights themselves: the certificate looks at the data anew


def test_a_search_that_finds_nothing_better_leaves_the_machine_as_it_was():
    X, y, moments = many_samples(2000, 6, np.float64)
    rows, loss, _ = _open_problem(X, y, [np.arange(6)], 1., True, moments["mean"], moments["scale"])
    machine, _, _ = _fit_fixed(Gram(rows, True), loss, np.ones(6), np.zeros(6), -np.inf, 50)
    pull, outputs, step = machine.loss.pull.copy(), machine.outputs.copy(), np.ones(6)
    machine.objective *= .9                                       # lower than any step can go
    t, new = _search_along(rows, loss, machine, step, -1e-9)
    assert new is None and np.array_equal(machine.outputs, outputs)
    assert np.allclose(machine.loss.pull, pull, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_of_full_sparse_columns_far_from_zero(n_jobs):
    "Once: they were centred by columns and added up as rows, which wrote outside of the result"
    from fsnb.data.adapters import as_columns
    from fsnb.gdm.rounds import WorkingSet
    g = np.random.default_rng(0)
    Z, v = g.standard_normal((60, 4)), g.standard_normal(60)
    known = WorkingSet(as_columns(sparse.csc_matrix(Z+1e6), n_jobs=n_jobs))
    known.add([0, 1, 3])
    assert known.sparse_rows()[0].format == "csr"
    want = ((Z-Z.mean(0))/Z.std(0))[:, [0, 1, 3]].T@v
    np.testing.assert_allclose(known.scores(v), want, rtol=1e-6)
