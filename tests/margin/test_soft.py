"The soft margin: equations (1) and (4) to (6), beside cvxpy and the transcription"
import warnings
import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from fsnb import QPFS, SoftMMFS, naive
from fsnb.correlation.target import correlation_with
from fsnb.margin.programme import solve_qpfs
from fsnb.margin.similarity import FeatureKernel
from fsnb.margin.simplex import least_over_simplex
from fsnb.margin.soft import _choose_movers, _find_plane, _share_first, _solve_soft
from margin_cases import EXACT, grouped, root_of, similarity


@parametrize_with_checks([SoftMMFS(), SoftMMFS(C=1.), SoftMMFS(kernel="linear", align=False), SoftMMFS(kernel="rbf", align=False)])
def test_sklearn(estimator, check): check(estimator)


def six(Q, r, theta, C):
    "(6) by cvxpy: weights and value"
    b, R = cp.Variable(len(r), nonneg=True), root_of(Q)
    problem = cp.Problem(cp.Minimize((1-theta)/2*cp.sum_squares(R@b)-theta*r@b), [b <= C, cp.sum(b) == 1])
    return problem.solve(**EXACT), b.value


@pytest.mark.parametrize("kernel", ["linear", "poly2", "rbf"])
@pytest.mark.parametrize("seed", range(8))
def test_value_feasibility_and_complementarity(kernel, seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 30)), int(rng.integers(3, 40))
    X, r = rng.standard_normal((n, p)), rng.random(p)
    theta, C = rng.uniform(.05, .95), max(1/p, rng.choice([1/p, 1.5/p, .2, .5, 1, 9.]))
    Q, found = similarity(X, kernel), _solve_soft(FeatureKernel(X, kernel), r, theta, C, tol=1e-9)
    value, _ = six(Q, r, theta, C)
    assert abs(found.objective-value) < 1e-7*(abs(value)+1e-2) and found.gap <= 1e-9 and found.stop_reason == "gap"
    a, G = found.beta, (1-theta)*Q@found.beta-theta*r
    assert a.min() >= 0 and a.max() <= C and abs(a.sum()-1) < 1e-12
    assert np.allclose(G, found.gradient, atol=1e-12)
    b, slack = _find_plane(found, theta, C, np.full(p, True))
    assert (a[slack > 1e-6] == C).all() and (slack[a == 0] < 1e-6).all()
    level = -b*(1-theta)
    assert (np.abs(G-level)[(a > 0) & (a < C)] < 1e-7).all() and (G[a == 0] > level-1e-7).all()
    assert (a == C).sum()*C <= 1+1e-12 and (a > 0).sum()*C >= 1-1e-12


def test_the_gap_is_that_between_the_two_problems():
    X, y = grouped(0, 30, 20)
    r, sign = correlation_with(X, y)
    U = (X-X.mean(0))/np.linalg.norm(X-X.mean(0), axis=0)*sign
    for seed in range(20):
        rng = np.random.default_rng(seed)
        theta, C = rng.uniform(.1, .9), rng.choice([.07, .2, .5, 2.])
        a = _share_first(rng.random(20), C, np.full(20, True))
        G = (1-theta)*U.T@(U@a)-theta*r
        gap = (a@G-least_over_simplex(G, 1., C))/(1-theta)
        g = G/(1-theta)
        best = min(naive.mmfs_soft_primal(U@a, -level, U, r, theta, C) for level in g)   # piecewise linear in b
        assert abs(best+naive.qpfs_objective(a, U.T@U, r, theta)/(1-theta)-gap) < 1e-9 and gap >= -1e-12


@pytest.mark.parametrize("C", [.05, .1, .3, 1.])
def test_not_above_the_transcription(C):
    X, y = grouped(1, 60, 30)
    r, Q = correlation_with(X, y)[0], similarity(X, "poly2")
    found, slow = _solve_soft(FeatureKernel(X), r, .5, C, tol=1e-9), naive.mmfs_soft(Q, r, .5, C, 500)
    fast, plain = (naive.qpfs_objective(a, Q, r, .5) for a in (found.beta, slow))
    assert plain-5e-3 < fast <= plain+1e-12 and abs(slow.sum()-1) < 1e-9 and slow.max() <= C+1e-12


def test_hard_margin_is_qpfs():
    X, y = grouped(2, 50, 300)
    r = correlation_with(X, y)[0]
    for theta in (.2, .6, .9):
        want = solve_qpfs(FeatureKernel(X), r, theta, tol=1e-9)
        for C in (1., 3., np.inf):
            got = _solve_soft(FeatureKernel(X), r, theta, C, tol=1e-9)
            assert abs(got.objective-want.objective) < 1e-8 and np.allclose(got.beta, want.beta, atol=1e-3)
    soft, hard = SoftMMFS(5, C=1., relevance_weight=.6).fit(X, y), QPFS(5, relevance="correlation", relevance_weight=.6).fit(X, y)
    assert np.array_equal(soft.support_, hard.support_)


def test_many_at_the_bound_and_many_features():
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((40, 1500)), rng.integers(0, 2, 40)
    for k in (1, 50, 700):
        m = SoftMMFS(k).fit(X, y)
        assert m.gap_ <= 1e-6 and m.C_ == 1/k and abs(m.dual_coef_.sum()-1) < 1e-9
        assert (m.dual_coef_ > 0).sum() >= k >= (m.dual_coef_ == m.C_).sum() and len(m.support_) == k
        assert (m.slack_ > 1e-6).sum() <= k
    every = SoftMMFS(C=1/1500).fit(X, y)
    assert np.allclose(every.dual_coef_, 1/1500) and len(every.support_) == 1500


@pytest.mark.parametrize("kw", [dict(), dict(kernel="linear"), dict(C=.3), dict(kernel="rbf", relevance="correlation2")])
def test_any_storage_gives_the_same(kw):
    rng = np.random.default_rng(4)
    X, y = (rng.random((120, 30)) < .3)*np.round(rng.random((120, 30)), 1), rng.integers(0, 2, 120)
    X[:, :5] += .3*y[:, None]*(X[:, :5] > 0)
    want = SoftMMFS(**kw).fit(X, y)
    for x in (sp.csr_matrix(X), sp.csc_matrix(X), np.asfortranarray(X), pd.DataFrame(X)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            got = SoftMMFS(**kw).fit(x, y)
        assert np.array_equal(want.support_, got.support_) and np.array_equal(want.ranking_, got.ranking_)
        assert np.allclose(want.dual_coef_, got.dual_coef_, atol=1e-9) and np.isclose(want.offset_, got.offset_)
        assert [g.tolist() for g in want.groups_] == [g.tolist() for g in got.groups_]


def test_duplicates_constants_and_a_bound_that_cannot_be():
    X, y = grouped(1, 50, 20)
    best = SoftMMFS(3).fit(X, y).support_[0]
    wide = np.c_[X, np.full(50, 2.), 3-2*X[:, best]]
    with pytest.warns(UserWarning, match="1 constant"): m = SoftMMFS(5).fit(wide, y)
    assert np.array_equal(m.support_, SoftMMFS(5).fit(X, y).support_) and m.slack_[20] == 0
    assert m.groups_[0].tolist() == [best, 21]
    with pytest.raises(ValueError, match="C must be at least 1/20"): SoftMMFS(C=.049).fit(X, y)
    assert np.allclose(SoftMMFS(C=.05).fit(X, y).dual_coef_, .05)
    with pytest.raises(ValueError, match="relevance_weight must lie in"): SoftMMFS(relevance_weight=0).fit(X, y)


def test_what_ends_it():
    X, y = grouped(3, 40, 60)
    kernel, r = FeatureKernel(X), correlation_with(X, y)[0]
    assert _solve_soft(kernel, r, .2, .1, batch=1, max_iter=1).stop_reason == "max_iter"
    assert _solve_soft(kernel, r, .2, .1, batch=1, tol=1e-9).stop_reason == "gap"
    with pytest.warns(ConvergenceWarning, match="max_iter=1"): SoftMMFS(2, kernel="linear", max_iter=1, tol=1e-15, relevance_weight=.01).fit(X[:6], [0, 1]*3)


def test_movers_are_the_worst_and_those_between():
    a, G, every = np.array([.4, .4, .2, 0, 0]), np.array([3., -1, 0, -2, 5]), np.full(5, True)
    assert _choose_movers(a, G, .4, every, 1).tolist() == [0, 2, 3]
    assert _choose_movers(a, G, .4, np.array([1, 1, 1, 0, 1], bool), 1).tolist() == [0, 2]
    assert not len(_choose_movers(a, np.array([-3., -3, 0, 1, 2]), .4, every, 5))
