"The problem of several cuts: its two solvers, LinearSVC and cvxpy; every dress of the data; what is refused"
import gc, tracemalloc, warnings, weakref
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import fsnb.gdm.restricted as restricted
from fsnb import naive
from fsnb.gdm.kernel_weights import _gradient_share, _newton, _proximal_gradient, _shrink, _simplex_newton, solve_restricted
from fsnb.gdm.restricted import Restricted, _by_rows, _certify, _open_problem, restricted_gap, solve_cvxpy
from machine_cases import case, medium, spread_out
from test_restricted import many_samples


def by_one(solver, X, y, cuts, tol, max_iter=20_000, C=1., fit_intercept=False, mean=None, scale=None):
    "(weights of each cut, their certificate, iterations) by one of the two solvers alone"
    rows, loss, own = _open_problem(X, y, cuts, C, fit_intercept, mean, scale)
    w, proof, k = solver(rows, loss, own, np.zeros(own.sizes.sum()), tol, max_iter)
    return own.split(w), proof, k


SOLVERS = {"auto": None, "proximal": _proximal_gradient, "newton": _newton}


def solve(solver, X, y, cuts, tol, **kw):
    "(weights, certificate) by both solvers together or by one alone"
    if solver != "auto": return by_one(SOLVERS[solver], X, y, cuts, tol, **kw)[:2]
    r = solve_restricted(X, y, cuts, tol=tol, max_iter=20_000, **kw)
    return r.weights, r


@pytest.mark.parametrize("seed", range(60))
def test_shrink_solves_its_equation(seed):
    g = np.random.default_rng(seed)
    norms, t = np.abs(g.standard_normal(g.integers(1, 9)))*g.integers(0, 2, 1), 10**g.uniform(-3, 3)
    f = _shrink(norms, t)
    kept = f*norms
    level = t*kept.sum()                            # every norm is shortened by t times the sum of what stays
    assert np.allclose(kept, np.maximum(norms-level, 0), atol=1e-12) and ((0 <= f) & (f <= 1)).all()


@pytest.mark.parametrize("seed", range(60))
def test_simplex_newton_is_optimal(seed):
    g = np.random.default_rng(seed)
    T = int(g.integers(1, 9))
    B = g.standard_normal((g.integers(1, T+2), T))
    H, grad, mu = B.T@B, g.standard_normal(T), g.dirichlet(np.ones(T))
    if seed % 3 == 0 and T > 1: mu[0] = 0; mu /= mu.sum()
    x = _simplex_newton(grad, H, mu)
    r = grad+H@(x-mu)
    assert x.min() >= 0 and np.isclose(x.sum(), 1)
    assert r@x-r.min() <= 1e-7*max(np.abs(r).max(), 1)   # the Frank-Wolfe gap of the model


@pytest.mark.parametrize("block", range(6))
def test_random_problems_reach_the_gap(block):
    for seed in range(block*40, block*40+40):
        X, y, cuts, kw, Z = case(1000+seed, spread=100, log_c=4)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
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


@pytest.mark.parametrize("seed", range(30))
def test_both_solvers_agree_on_tame_problems(seed):
    X, y, cuts, kw, Z = case(seed, spread=2, log_c=1)
    (_, a, _), (_, b, _) = (by_one(solver, X, y, cuts, 1e-7, **kw) for solver in (_proximal_gradient, _newton))
    assert abs(a.objective/b.objective-1) <= 1e-6+a.gap and a.gap < 1e-3
    if a.gap <= 1e-7: assert np.abs(a.alpha-b.alpha).max() < 2e-3*max(b.alpha.max(), 1e-3)+1e-5


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_optimality_conditions(solver, fit_intercept):
    Z, y = medium()
    cuts, C = [np.arange(0, 10), np.arange(8, 18), np.arange(18, 24)], .3
    weights, r = solve(solver, Z, y, cuts, 1e-9, C=C, fit_intercept=fit_intercept)
    A, norms = y[:, None]*Z, np.array([np.linalg.norm(w) for w in weights])
    m, lam, omega = A@sum(spread_out(weights, cuts, 24)[0])+y*r.intercept, r.alpha/(2*r.theta), norms.sum()
    heights = np.array([np.linalg.norm(A[:, c].T@lam) for c in cuts])
    assert np.allclose(lam, C*np.maximum(1-m, 0), atol=1e-4*lam.max())
    assert (r.alpha[m > 1+1e-5] == 0).all()
    assert heights.max() <= omega*(1+1e-4)
    assert np.allclose(heights[norms > 1e-6*omega], omega, rtol=1e-4)
    for c, w, mu in zip(cuts, weights, norms/omega): assert np.allclose(w, mu*A[:, c].T@lam, atol=1e-4*omega)
    assert np.isclose(C*np.maximum(1-m, 0).sum(), 2*r.objective, rtol=1e-4)
    if fit_intercept: assert abs(y@r.alpha) < 1e-12
    else: assert r.intercept == 0


@pytest.mark.parametrize("C", [1e-3, .1, 1., 50.])
@pytest.mark.parametrize("solver", SOLVERS)
def test_one_cut_is_linear_svc(C, solver):
    Z, y = medium(1)
    w = LinearSVC(C=C/2, fit_intercept=False, dual=False, tol=1e-12, max_iter=100_000).fit(Z, y).coef_[0]
    (ours,), r = solve(solver, Z, y, [np.arange(24)], 1e-9, C=C)
    theirs = restricted_gap(Z, y, [np.arange(24)], [w], C=C)
    assert abs(r.objective/theirs.objective-1) < 1e-6
    assert np.allclose(ours, w, atol=1e-3*np.abs(w).max())


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("C", [.02, 1., 30.])
@pytest.mark.parametrize("cuts", [[range(12)], [range(0, 6), range(6, 12)], [range(0, 7), range(4, 10), range(9, 12), [2, 11]]],
                         ids=["one", "apart", "overlap"])
def test_cvxpy_agrees(cuts, C, fit_intercept):
    Z, y = medium(2, n=60, d=12)
    y[:10] = 1                                     # unbalanced, so that the intercept matters
    cuts = [np.array(c) for c in cuts]
    ref = solve_cvxpy(y[:, None]*Z, cuts, C, fit_intercept=fit_intercept, y=y)
    for solver in SOLVERS:
        r = solve(solver, Z, y, cuts, 1e-8, C=C, fit_intercept=fit_intercept)[1]
        assert abs(r.objective/ref.value-1) < 1e-6
        assert np.abs(r.alpha-ref.alpha).max() < 1e-4
        if fit_intercept: assert abs(r.intercept-ref.intercept) < 1e-3
    if fit_intercept: assert abs(r.intercept) > 1e-3


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("shape", [(300, 20), (25, 60)], ids=["tall", "wide"])
def test_sparse_implicit_moments_equal_dense(shape, fit_intercept):
    n, d = shape
    S = sparse.random(n, d, .3, format="csc", random_state=0)
    D = S.toarray()
    y = np.where(D@np.linspace(-1, 1, d)+.01*np.random.default_rng(0).standard_normal(n) > 0, 1., -1.)
    mean, scale = D.mean(0), D.std(0)+1e-3
    cuts = [np.arange(0, 2*d//3), np.arange(d//3, d)]
    kw = dict(C=.2, fit_intercept=fit_intercept, tol=1e-10)
    eager = solve_restricted((D-mean)/scale, y, cuts, **kw)
    for X in (S, sparse.csr_matrix(S), sparse.csc_array(S), D, np.asfortranarray(D)):
        lazy = solve_restricted(X, y, cuts, mean=mean, scale=scale, **kw)
        assert abs(lazy.objective/eager.objective-1) < 1e-10
        assert np.abs(lazy.alpha-eager.alpha).max() < 1e-7
        assert np.allclose(lazy.coef, eager.coef, atol=1e-7)


def test_only_mean_or_only_scale():
    Z, y = medium(5)
    X = Z*3+2
    ref = solve_restricted(Z*3, y, [np.arange(24)], tol=1e-9)
    assert np.isclose(solve_restricted(X, y, [np.arange(24)], mean=np.full(24, 2.), tol=1e-9).objective, ref.objective)
    ref = solve_restricted(X/3, y, [np.arange(24)], tol=1e-9)
    assert np.isclose(solve_restricted(X, y, [np.arange(24)], scale=np.full(24, 3.), tol=1e-9).objective, ref.objective)


def test_input_is_left_alone_and_dtypes_are_free():
    Z, y = medium(6)
    Z32 = Z.astype(np.float32)
    S32 = sparse.csc_matrix(Z32)
    copies = Z.copy(), Z32.copy(), S32.copy(), y.copy()
    cuts = [list(range(10)), np.arange(5, 24, dtype=np.int32)]
    start = solve_restricted(Z, y, cuts, tol=1e-2)
    before = [w.copy() for w in start.weights]
    ref = solve_restricted(Z32.astype(float), y, cuts, tol=1e-9)
    for X in (Z32, S32):
        r = solve_restricted(X, y.astype(int), cuts, tol=1e-9)
        assert np.isclose(r.objective, ref.objective, rtol=1e-9) and r.coef.dtype == np.float64
    solve_restricted(Z, y, cuts, start=start, tol=1e-9, mean=np.zeros(24), scale=np.ones(24))
    assert (Z == copies[0]).all() and (Z32 == copies[1]).all() and (S32 != copies[2]).nnz == 0 and (y == copies[3]).all()
    assert all((a == b).all() for a, b in zip(before, start.weights))


def test_unused_columns_and_order_within_a_cut_do_not_matter():
    Z, y = medium(7)
    a = solve_restricted(Z[:, :8], y, [np.arange(0, 5), np.arange(3, 8)], tol=1e-10)
    b = solve_restricted(Z, y, [np.array([4, 2, 0, 1, 3]), np.arange(3, 8)[::-1]], tol=1e-10)
    assert abs(a.objective/b.objective-1) < 1e-9 and np.allclose(a.coef, b.coef[:8], atol=1e-6) and (b.coef[8:] == 0).all()


def test_the_same_cut_twice_changes_nothing():
    Z, y = medium(8)
    cut = np.arange(10)
    a, b = (solve_restricted(Z, y, cuts, tol=1e-8) for cuts in ([cut], [cut, cut]))
    assert abs(a.objective/b.objective-1) < 1e-7 and np.allclose(a.coef, b.coef, atol=1e-3)


def test_another_cut_can_only_help_the_primal():
    Z, y = medium(9)
    cuts = [np.arange(t, t+6) for t in range(0, 24, 6)]
    Q = [solve_restricted(Z, y, cuts[:t], tol=1e-9).objective for t in range(1, 5)]
    assert all(b <= a*(1+1e-8) for a, b in zip(Q, Q[1:]))


def test_one_sample_one_column_by_hand():
    for C in (1e-4, 1., 1e4):                      # min w^2/2 + C/2 (1 - 2w)^2 has w = 2C/(1 + 4C)
        for solver in SOLVERS:
            (w,), r = solve(solver, [[2.]], [1.], [[0]], 1e-9, C=C)
            assert np.isclose(w[0], 2*C/(1+4*C)) and np.isclose(r.objective, C/2/(1+4*C)) and r.alpha[0] == 1


def test_two_samples_with_intercept_by_hand():
    r = solve_restricted([[1.], [3.]], [-1., 1.], [[0]], C=1., fit_intercept=True, tol=1e-10)
    assert np.isclose(r.coef[0], 2/3) and np.isclose(r.intercept, -4/3)      # half the span is 1: Q = w^2/2 + (1-w)^2
    assert np.isclose(r.objective, 1/3) and np.allclose(r.alpha, .5)


def test_columns_without_signal_leave_uniform_weights():
    y = np.array([1., -1., 1., -1.])
    r = solve_restricted(np.zeros((4, 3)), y, [[0, 1], [2]], C=2.)
    assert (r.coef == 0).all() and np.allclose(r.alpha, .25) and np.allclose(r.kernel_weights, .5)
    assert np.isclose(r.objective, 4.) and r.gap < 1e-12 and r.converged


def test_one_class_without_intercept():
    X = np.abs(np.random.default_rng(0).standard_normal((20, 3)))
    r = solve_restricted(X, np.ones(20), [[0, 1], [1, 2]], tol=1e-8)
    assert r.converged and r.coef.min() >= 0


@pytest.mark.parametrize("C", [1e-4, 1., 1e4])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_separable_data_at_wide_scales(C, fit_intercept):
    r = np.random.default_rng(0)
    X = r.standard_normal((60, 10))*np.logspace(0, 2, 10)
    y = np.where(X[:, 0]+.3 > 0, 1., -1.)
    s = solve_restricted(X, y, [np.arange(0, 6), np.arange(4, 10)], C=C, fit_intercept=fit_intercept, tol=1e-6)
    assert s.converged and s.alpha.max() > 0 and np.isfinite(s.coef).all()


def test_every_sample_violates_at_small_cost():
    Z, y = medium(10)
    r = solve_restricted(Z, y, [np.arange(24)], C=1e-5, tol=1e-10)
    assert (r.alpha > 0).all()                      # then the machine is a ridge regression on the labels
    A = y[:, None]*Z
    assert np.allclose(r.coef, np.linalg.solve(np.eye(24)+1e-5*A.T@A, 1e-5*A.T@np.ones(200)), rtol=1e-6)


def test_warm_start_needs_fewer_steps_and_finds_the_same():
    Z, y = medium(11, n=500)
    for grow in (lambda k: [np.arange(4*k)], lambda k: [np.arange(4*t, 4*t+4) for t in range(k)]):
        cold = warm = 0
        last = None
        for k in range(1, 7):
            fresh = solve_restricted(Z, y, grow(k), tol=1e-7)
            last = solve_restricted(Z, y, grow(k), tol=1e-7, start=last)
            assert abs(last.objective/fresh.objective-1) < 2e-7
            cold, warm = cold+fresh.n_iter, warm+last.n_iter
        assert warm < cold
    assert solve_restricted(Z, y, grow(6), tol=1e-6, start=last).n_iter == 0


def test_start_survives_another_cost():
    Z, y = medium(12)
    start = solve_restricted(Z, y, [np.arange(24)], C=1.)
    a, b = (solve_restricted(Z, y, [np.arange(24)], C=100., tol=1e-8, start=s) for s in (start, None))
    assert np.isclose(a.objective, b.objective, rtol=1e-7)


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


@pytest.mark.parametrize("shape, n_cuts, warm, share", [
    ((500, 50), 1, False, 0), ((500, 200), 3, False, 30), ((500, 200), 3, True, 0), ((500, 400), 1, True, 400), ((9000, 4000), 1, True, 2000)])
def test_how_many_proximal_steps_come_first(shape, n_cuts, warm, share):
    assert _gradient_share(shape, n_cuts, warm, 2000) == share


@pytest.mark.parametrize("shape", [(400, 350), (350, 900)])
def test_a_large_side_begins_with_proximal_steps(shape):
    g = np.random.default_rng(0)
    Z = g.standard_normal(shape)
    y = np.where(Z[:, :5].sum(1)+2*g.standard_normal(shape[0]) > 0, 1., -1.)
    a = solve_restricted(Z, y, [np.arange(shape[1])], C=.01, fit_intercept=True, tol=1e-9)
    b = by_one(_newton, Z, y, [np.arange(shape[1])], 1e-9, C=.01, fit_intercept=True)[1]
    assert a.converged and abs(a.objective/b.objective-1) < 2e-9


def test_runs_are_identical():
    Z, y = medium(14)
    a, b = (solve_restricted(Z, y, [np.arange(12), np.arange(8, 24)]) for _ in range(2))
    assert a.objective == b.objective and (a.alpha == b.alpha).all() and isinstance(a, Restricted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bits_do_not_depend_on_threads(dtype):
    g = np.random.default_rng(3)
    X = sparse.random(30_000, 30, .5, format="csc", random_state=3, dtype=dtype)
    y = np.where(X[:, :2].sum(1).A1+g.standard_normal(30_000) > .5, 1., -1.)
    mean, scale = np.asarray(X.mean(0)).ravel(), np.full(30, .3)
    cuts = [np.arange(0, 20), np.arange(15, 30)]
    found = [solve_restricted(X, y, cuts, fit_intercept=True, mean=mean, scale=scale, tol=1e-6, n_jobs=n_jobs)
             for n_jobs in (1, 2, 3)]
    assert len({(r.coef.tobytes(), r.alpha.tobytes(), r.gap, r.n_iter) for r in found}) == 1
    eager = solve_restricted((X.toarray()-mean)/scale, y, cuts, fit_intercept=True, tol=1e-6)
    np.testing.assert_allclose(found[0].objective, eager.objective, rtol=1e-5)


def test_a_solver_leaves_nothing_behind():
    "Rows that refer to themselves would stay until the collector looks: a copy of the members a round"
    kept = []
    class Noted(restricted.Rows):
        def __init__(self, *args):
            super().__init__(*args)
            kept.append(weakref.ref(self))
    X = sparse.random(300, 12, .3, "csc", random_state=0)
    y = np.where(np.arange(300) % 3, 1., -1.)
    whole, restricted.Rows = restricted.Rows, Noted
    gc.collect()
    gc.disable()
    try: solve_restricted(X, y, [np.arange(6), np.arange(6, 12)])
    finally:
        gc.enable()
        restricted.Rows = whole
    assert len(kept) == 1 and kept[0]() is None


@pytest.mark.parametrize("cuts, most", [(1, 7), (4, 8.5)])
def test_a_restricted_problem_holds_few_numbers_a_sample(cuts, most):
    n, d = 200_000, 12
    X, y, moments = many_samples(n, d, np.float32)
    X = _by_rows(X)                                  # as a working set has them
    parts = np.array_split(np.arange(d), cuts)
    settings = dict(C=1., fit_intercept=True, tol=1e-8, **moments)
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
    settings = dict(fit_intercept=center, tol=1e-7, **moments)
    a, b = (solve_restricted(X, signs, parts, **settings) for signs in (y, y.astype(float)))
    assert np.array_equal(a.coef, b.coef) and np.array_equal(a.alpha, b.alpha) and a.gap == b.gap


@pytest.mark.parametrize("seed", range(20))
def test_values_of_32_bits_give_the_bits_of_64(seed):
    X, y, moments = many_samples(2000, 7, np.float32, seed)
    parts = [np.arange(4), np.arange(2, 7)] if seed % 2 else [np.arange(7)]
    a, b = (solve_restricted(x, y, parts, fit_intercept=True, tol=1e-6, **moments) for x in (X, X.astype(np.float64)))
    assert np.array_equal(a.coef, b.coef) and np.array_equal(a.alpha, b.alpha)


@pytest.mark.parametrize("change, message", [
    (dict(C=0), "C must lie in \\(0, inf\\)"), (dict(C=np.inf), "C must lie in \\(0, inf\\)"), (dict(C=np.nan), "C must lie in \\(0, inf\\)"),
    (dict(tol=0), "tol must lie in \\(0, inf\\)"), (dict(tol=np.nan), "tol must lie in \\(0, inf\\)"), (dict(max_iter=0), "max_iter must be a whole number in \\[1, inf\\)"),
    (dict(y=np.zeros(30)), "y must hold -1 and \\+1"), (dict(y=np.full(30, np.nan)), "y must hold"),
    (dict(y=np.ones(29)), "y must have shape \\(30,\\)"), (dict(y=np.ones((30, 1))), "y must have shape"),
    (dict(y=-np.ones(30), fit_intercept=True), "needs both classes in y, got only -1"),
    (dict(X=np.ones(30)), "X must be a non-empty matrix"), (dict(X=np.ones((0, 4)), y=np.ones(0)), "X must be a non-empty matrix"),
    (dict(cuts=[]), "at least one cut"), (dict(cuts=[[0], []]), "cuts\\[1\\] must be a non-empty"),
    (dict(cuts=[[0., 1.]]), "integer array"), (dict(cuts=[[True, False, True, True]]), "integer array"), (dict(cuts=[[[0, 1]]]), "1-d"),
    (dict(cuts=[[0, 4]]), "\\[0, 4\\), got 0..4"), (dict(cuts=[[-1]]), "\\[0, 4\\)"), (dict(cuts=[[1, 1]]), "names a column twice"),
    (dict(mean=np.zeros(3)), "mean must have shape \\(4,\\)"), (dict(scale=np.ones((4, 1))), "scale must have shape"),
    (dict(scale=np.array([1, 0, 1, 1.])), "scale must be positive, got 0 at column 1"), (dict(mean=np.full(4, np.inf)), "X, mean and scale must be finite"),
    (dict(X=np.full((30, 4), np.nan)), "X, mean and scale must be finite"), (dict(X=np.full((30, 4), 1e150)), "X is too large to be squared"), (dict(X=np.where(np.eye(30, 4) > 0, np.inf, 0)), "X, mean and scale must be finite"),
])
def test_bad_input_is_one_clear_error(change, message):
    X = np.random.default_rng(0).standard_normal((30, 4))
    good = dict(X=X, y=np.where(X[:, 0] > 0, 1., -1.), cuts=[[0, 1], [2, 3]])
    solve_restricted(**good)
    with pytest.raises(ValueError, match=message): solve_restricted(**{**good, **change})


def test_start_that_does_not_fit():
    Z, y = medium(15)
    start = solve_restricted(Z, y, [np.arange(5), np.arange(5, 9)])
    with pytest.raises(ValueError, match="start has 2 cuts where cuts has 1"): solve_restricted(Z, y, [np.arange(5)], start=start)
    with pytest.raises(ValueError, match="start has 5 columns in cut 0 where cuts\\[0\\] has 3"):
        solve_restricted(Z, y, [np.arange(3), np.arange(5, 9)], start=start)
    with pytest.raises(ValueError, match="weights must hold 2 vectors, got 1"): restricted_gap(Z, y, [[0], [1]], [np.ones(1)])
