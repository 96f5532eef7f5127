"The dual of MMFS: its gap by definition, its solvers against cvxpy, NNLS, the lasso and the plain loops"
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.linear_model import Lasso

from fsnb import MMFS, naive
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin.box import _solve_box
from fsnb.margin.descent import solve_dcd
from fsnb.margin.dual import _margin_gap
from fsnb.margin.similarity import _KERNELS, FeatureKernel
from fsnb.margin.working_set import solve_mmfs
from margin_cases import best_margin, grouped, similarity, unit


@pytest.mark.parametrize("kernel", _KERNELS)
@pytest.mark.parametrize("C", [np.inf, 1., .05])
def test_objective_equals_best_margin(kernel, C):
    for seed, gamma in ((0, .01), (1, .3), (2, 5.)):
        X, y = grouped(seed, 25, 80)
        r, sign = correlation_with(X, y)
        sign = None if kernel == "poly2" else sign
        found = solve_mmfs(FeatureKernel(X, kernel, sign=sign), r, gamma, C, batch=5)
        want = best_margin(similarity(X, kernel, sign=sign), r, gamma, C)
        assert abs(found.objective/want-1) < 1e-6 and found.gap <= 1e-6
        assert (found.beta >= 0).all() and (found.beta <= C).all()


def test_stationary_and_complementary():
    for seed in range(30):
        X, y = grouped(seed, 20, 40)
        C = [np.inf, .1][seed % 2]
        r, _ = correlation_with(X, y)
        b, G = (found := solve_mmfs(FeatureKernel(X), r, .05, C, tol=1e-10)).beta, found.gradient
        assert np.allclose(G, similarity(X, "poly2")@b+.05*b.sum()-r, atol=1e-12)
        assert G[b == 0].min(initial=0) >= -1e-9 and G[b == C].max(initial=0) <= 1e-9
        assert np.abs(G[(b > 0) & (b < C)]).max(initial=0) < 1e-9


def test_equals_the_plain_descent():
    for seed in range(10):
        X, y = grouped(seed, 15, 12)
        r, _ = correlation_with(X, y)
        C = [np.inf, .2][seed % 2]
        slow, w = naive.mmfs_descent(unit(X), r, .2, C, 3000)
        fast = solve_mmfs(FeatureKernel(X, "linear"), r, .2, C, tol=1e-12)
        assert np.allclose(fast.beta, slow, atol=1e-8)
        assert fast.objective == pytest.approx(naive.mmfs_dual(fast.beta, unit(X), r, .2), rel=1e-10)
        if np.isfinite(C): assert naive.mmfs_primal(w, .2*slow.sum(), unit(X), r, .2, C) == pytest.approx(fast.objective, rel=1e-6)


@pytest.mark.parametrize("C", [np.inf, .3])
def test_gap_is_primal_minus_dual(C):
    "The least of three primal points: offset lifted, all stretched, and with a box the slack paid"
    rng = np.random.default_rng(0)
    for _ in range(50):
        U, gamma = unit(rng.standard_normal((6, 9))), rng.uniform(.05, 2)
        r, b = rng.random(9), np.minimum(rng.random(9)*(rng.random(9) < .6), C)
        G = U.T@U@b+gamma*b.sum()-r
        gap, dual = _margin_gap(b, G, r, gamma, C)
        def primal(w, offset, C):
            slack = np.maximum(r-U.T@w-offset, 0)
            if not np.isfinite(C): assert slack.max() < 1e-12                # feasible
            return .5*w@w+offset**2/(2*gamma)+(C*slack.sum() if np.isfinite(C) else 0)
        w, offset, reached = U@b, gamma*b.sum(), G+r
        values = [primal(w, offset+max(-G.min(), 0), np.inf)]
        if reached.min() > 0: values.append(primal(w*(c := (r/reached).max()), offset*c, np.inf))
        if np.isfinite(C): values.append(primal(w, offset, C))
        assert dual == pytest.approx(naive.mmfs_dual(b, U, r, gamma)) and gap == pytest.approx(min(values)-dual)


def test_gap_without_gamma():
    rng = np.random.default_rng(1)
    for _ in range(30):
        F = np.abs(rng.standard_normal((6, 9)))
        r, b = rng.random(9), rng.random(9)
        gap, dual = _margin_gap(b, F.T@F@b-r, r, 0.)
        w = F@b*(r/(F.T@F@b)).max()
        assert (F.T@w >= r-1e-12).all() and gap == pytest.approx(.5*w@w-dual)


def test_linear_is_the_positive_lasso_and_nnls():
    for seed in range(8):
        X, y = grouped(seed, 40, 25, groups=False)
        r, sign = correlation_with(X, y)
        U, Y = unit(X)*sign, unit(y[:, None].astype(float))[:, 0]
        m = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, .05, tol=1e-12)
        lasso = Lasso(alpha=.05*m.beta.sum()/40, positive=True, fit_intercept=False, tol=1e-15, max_iter=10**6).fit(U, Y)
        assert np.abs(m.beta-lasso.coef_).max() < 1e-8
        zero = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, 0., 1e6, tol=1e-12)
        assert np.abs(zero.beta-nnls(U, Y)[0]).max() < 1e-8


def test_degree_two_is_nnls_of_pairings():
    for seed in range(5):
        X, y = grouped(seed, 15, 20)
        U, Y = unit(X), unit(y[:, None].astype(float))[:, 0]
        F = np.stack([np.outer(u, u).ravel() for u in U.T], 1)
        m = solve_mmfs(FeatureKernel(X), (U.T@Y)**2, 0., 1e6, tol=1e-12)
        assert np.abs(m.beta-nnls(F, np.outer(Y, Y).ravel())[0]).max() < 1e-8


@pytest.mark.parametrize("shrink", [True, False])
@pytest.mark.parametrize("C", [np.inf, .05])
def test_descent_equals_working_set(shrink, C):
    for seed in range(5):
        X, y = grouped(seed, 30, 60)
        X[:, 4] = 1
        r, sign = correlation_with(X, y)
        want = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, .1, C, tol=1e-12, free=~as_columns(X).constant)
        for x in (X, np.asfortranarray(X), sp.csc_matrix(X)):
            K = FeatureKernel(x, "linear", sign=sign)
            d = solve_dcd(K, r, .1, C, tol=1e-9, shrink=shrink)
            assert d.gap <= 1e-9 and np.abs(d.beta-want.beta).max() < 1e-4
            assert d.objective == pytest.approx(want.objective, rel=1e-8)
            warm = solve_dcd(K, r, .1, C, tol=1e-8, start=d.beta, shrink=shrink)
            assert warm.n_iter <= 2 and warm.gap <= 1e-8


def test_descent_far_from_zero():
    "Columns whose mean is a million deviations"
    X, y = grouped(3, 30, 20)
    r, sign = correlation_with(X, y)
    want = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .1, tol=1e-10)
    got = solve_dcd(FeatureKernel(X+1e6, "linear", sign=sign), r, .1, tol=1e-8)
    assert np.abs(got.beta-want.beta).max() < 1e-3


def test_small_problems_with_flat_faces():
    rng = np.random.default_rng(5)
    for _ in range(200):
        k = int(rng.integers(1, 12))
        F = rng.standard_normal((int(rng.integers(1, 6)), k))
        F /= np.linalg.norm(F, axis=0)
        r, C, gamma = rng.random(k), float(rng.choice([.1, 1., 1e3])), float(rng.choice([1e-3, 1.]))
        a = _solve_box(F.T@F, r, gamma, C, np.zeros(k), 1e-9)
        g = F.T@F@a+gamma*a.sum()-r
        assert (a >= 0).all() and (a <= C).all()
        assert g[a < C].min(initial=0) >= -1e-8 and g[a > 0].max(initial=0) <= 1e-8


def test_what_was_shrunk_comes_back():
    for seed in range(30):
        X, y = grouped(seed, 12, 300)
        r, sign = correlation_with(X, y)
        d = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .01, .02, tol=1e-8, max_iter=3000)
        assert d.gap <= 1e-8 and d.n_iter < 3000


@pytest.mark.parametrize("far", [1e8, -3e6])
def test_descent_over_sparse_columns_far_from_zero(far):
    "Products of columns as they are stored had no digit left: it ended for precision, with all weights at C"
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((60, 12)), 2)
    y = (X[:, 0]+X[:, 1]+rng.standard_normal(60) > 0)*1
    X[:, 3] = X[:, 3]*(X[:, 3] > 0)                     # with zeros: it cannot be far
    moved = X+far*(np.arange(12) != 3)
    settings = dict(kernel="linear", solver="dcd", gamma=.5, C=1., max_iter=2000)
    near, gone = MMFS(3, **settings).fit(X, y), MMFS(3, **settings).fit(sp.csc_matrix(moved), y)
    assert gone.stop_reason_ == "gap" and np.array_equal(near.support_, gone.support_)
    assert np.allclose(near.dual_coef_, gone.dual_coef_, atol=1e-5)
    whole = sp.csc_matrix(moved.astype(np.int64))        # whole numbers, too, and X itself is not touched
    kept = whole.data.copy()
    assert MMFS(3, **settings).fit(whole, y).stop_reason_ == "gap" and np.array_equal(whole.data, kept)
