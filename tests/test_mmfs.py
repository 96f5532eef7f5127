"MMFS: solvers against cvxpy, NNLS, the lasso and the plain loops; the selector as a scikit-learn user meets it"
import warnings
import cvxpy as cp
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.linear_model import Lasso
from sklearn.utils.estimator_checks import parametrize_with_checks

from fsnb import MMFS, naive
from fsnb.columns import as_columns
from fsnb.mmfs import (KERNELS, FeatureKernel, GramKernel, affiliates, duality_gap, largest_gamma,
                       rank_features, solve_box, solve_dcd, solve_mmfs, walk_gamma)
from fsnb.correlation import SymmetricalUncertainty, correlation_with

pytestmark = pytest.mark.filterwarnings("ignore:.*symmetrical uncertainty says little", "ignore:.*constant columns", "ignore:similarity=")


def unit(X):
    Z = X-X.mean(0)
    norm = np.linalg.norm(Z, axis=0)
    return Z/np.where(norm > 0, norm, 1)


def data(seed=0, n=40, p=60, groups=True):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))
    if groups: X[:, p//2:] = X[:, :p-p//2]+.4*X[:, p//2:]
    y = (X[:, 0]+X[:, 1]-X[:, 2]+.5*r.standard_normal(n) > 0).astype(int)
    return X, y


def similarity(X, kernel, width=1., sign=None):
    "Q by the definition, all of it"
    U = unit(X) if sign is None else unit(X)*sign
    q = U.T@U
    return {"poly2": q**2, "linear": q, "rbf": np.exp((q-1)/width**2), "abs": np.abs(q)}[kernel]


def clarabel(Q, r, gamma, C):
    values, V = np.linalg.eigh(Q)
    b = cp.Variable(len(r), nonneg=True)
    cost = cp.sum_squares((V*np.sqrt(np.maximum(values, 0))).T@b)/2+gamma*cp.square(cp.sum(b))/2-r@b
    return -cp.Problem(cp.Minimize(cost), [b <= C] if np.isfinite(C) else []).solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)


# ---- the kernel of features

@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("turned", [False, True])
def test_kernel_equals_the_definition(kernel, turned):
    for seed in range(6):
        X, y = data(seed, 30, 25)
        X[:, 7] = 3
        sign = np.where(np.random.default_rng(seed).random(25) < .5, -1., 1.) if turned else None
        Q = similarity(X, kernel, .7, sign)
        varies = np.arange(25) != 7
        for x in (X, sp.csc_matrix(X), np.asfortranarray(X), X.astype(np.float32)):
            K = FeatureKernel(x, kernel, .7, sign)
            rtol = 1e-5 if x.dtype == np.float32 else 1e-10
            assert np.allclose(K.table([1, 5, 20])[:, :], Q[np.ix_([1, 5, 20], [1, 5, 20])], atol=rtol)
            for step in range(4):                                  # columns are kept, dropped, asked for again
                a = np.random.default_rng(step).choice(np.flatnonzero(varies), 3+4*step, replace=False)
                w = np.random.default_rng(step+1).random(len(a))
                assert np.allclose(K.apply(a, w)[varies], (Q[:, a]@w)[varies], atol=rtol)


def test_kernel_keeps_half_of_X_at_most():
    X = np.random.default_rng(0).standard_normal((64, 300))
    K = FeatureKernel(X)
    K.apply(np.arange(100), np.ones(100))
    assert K._kept.nbytes <= X.nbytes/2
    assert np.allclose(K.apply(np.arange(50, 120), np.ones(70)), similarity(X, "poly2")[:, 50:120].sum(1))


# ---- solvers

@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [np.inf, 1., .05])
def test_objective_equals_clarabel(kernel, C):
    for seed, gamma in ((0, .01), (1, .3), (2, 5.)):
        X, y = data(seed, 25, 80)
        r, sign = correlation_with(X, y)
        sign = None if kernel == "poly2" else sign
        found = solve_mmfs(FeatureKernel(X, kernel, sign=sign), r, gamma, C, batch=5)
        want = clarabel(similarity(X, kernel, sign=sign), r, gamma, C)
        assert abs(found.objective/want-1) < 1e-6 and found.gap <= 1e-6
        assert (found.beta >= 0).all() and (found.beta <= C).all()


def test_stationary_and_complementary():
    for seed in range(30):
        X, y = data(seed, 20, 40)
        C = [np.inf, .1][seed % 2]
        r, _ = correlation_with(X, y)
        b, G = (found := solve_mmfs(FeatureKernel(X), r, .05, C, tol=1e-10)).beta, found.gradient
        assert np.allclose(G, similarity(X, "poly2")@b+.05*b.sum()-r, atol=1e-12)
        assert G[b == 0].min(initial=0) >= -1e-9 and G[b == C].max(initial=0) <= 1e-9
        assert np.abs(G[(b > 0) & (b < C)]).max(initial=0) < 1e-9


def test_equals_the_plain_descent():
    for seed in range(10):
        X, y = data(seed, 15, 12)
        r, _ = correlation_with(X, y)
        C = [np.inf, .2][seed % 2]
        slow, w = naive.mmfs_descent(unit(X), r, .2, C, 3000)
        fast = solve_mmfs(FeatureKernel(X, "linear"), r, .2, C, tol=1e-12)
        assert np.allclose(fast.beta, slow, atol=1e-8)
        assert fast.objective == pytest.approx(naive.mmfs_dual(fast.beta, unit(X), r, .2), rel=1e-10)
        if np.isfinite(C): assert naive.mmfs_primal(w, .2*slow.sum(), unit(X), r, .2, C) == pytest.approx(fast.objective, rel=1e-6)


@pytest.mark.parametrize("C", [np.inf, .3])
def test_gap_is_primal_minus_dual(C):
    rng = np.random.default_rng(0)
    for _ in range(50):
        U, gamma = unit(rng.standard_normal((6, 9))), rng.uniform(.05, 2)
        r, b = rng.random(9), np.minimum(rng.random(9)*(rng.random(9) < .6), C)
        G = U.T@U@b+gamma*b.sum()-r
        gap, dual = duality_gap(b, G, r, gamma, C)
        lift = 0 if np.isfinite(C) else max(-G.min(), 0)
        w, offset = U@b, gamma*b.sum()+lift
        slack = np.maximum(r-U.T@w-offset, 0)
        if not np.isfinite(C): assert slack.max() < 1e-12                # feasible
        primal = .5*w@w+offset**2/(2*gamma)+(C*slack.sum() if np.isfinite(C) else 0)
        assert dual == pytest.approx(naive.mmfs_dual(b, U, r, gamma)) and gap == pytest.approx(primal-dual)


def test_gap_without_gamma():
    rng = np.random.default_rng(1)
    for _ in range(30):
        F = np.abs(rng.standard_normal((6, 9)))
        r, b = rng.random(9), rng.random(9)
        gap, dual = duality_gap(b, F.T@F@b-r, r, 0.)
        w = F@b*(r/(F.T@F@b)).max()
        assert (F.T@w >= r-1e-12).all() and gap == pytest.approx(.5*w@w-dual)


def test_linear_is_the_positive_lasso_and_nnls():
    for seed in range(8):
        X, y = data(seed, 40, 25, groups=False)
        r, sign = correlation_with(X, y)
        U, Y = unit(X)*sign, unit(y[:, None].astype(float))[:, 0]
        m = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, .05, tol=1e-12)
        lasso = Lasso(alpha=.05*m.beta.sum()/40, positive=True, fit_intercept=False, tol=1e-15, max_iter=10**6).fit(U, Y)
        assert np.abs(m.beta-lasso.coef_).max() < 1e-8
        zero = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, 0., 1e6, tol=1e-12)
        assert np.abs(zero.beta-nnls(U, Y)[0]).max() < 1e-8


def test_degree_two_is_nnls_of_pairings():
    for seed in range(5):
        X, y = data(seed, 15, 20)
        U, Y = unit(X), unit(y[:, None].astype(float))[:, 0]
        F = np.stack([np.outer(u, u).ravel() for u in U.T], 1)
        m = solve_mmfs(FeatureKernel(X), (U.T@Y)**2, 0., 1e6, tol=1e-12)
        assert np.abs(m.beta-nnls(F, np.outer(Y, Y).ravel())[0]).max() < 1e-8


@pytest.mark.parametrize("shrink", [True, False])
@pytest.mark.parametrize("C", [np.inf, .05])
def test_descent_equals_working_set(shrink, C):
    for seed in range(5):
        X, y = data(seed, 30, 60)
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
    X, y = data(3, 30, 20)
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
        a = solve_box(F.T@F, r, gamma, C, np.zeros(k), 1e-9)
        g = F.T@F@a+gamma*a.sum()-r
        assert (a >= 0).all() and (a <= C).all()
        assert g[a < C].min(initial=0) >= -1e-8 and g[a > 0].max(initial=0) <= 1e-8


# ---- from gamma to k

def test_largest_gamma_is_where_the_first_is_alone():
    for seed in range(20):
        X, y = data(seed)
        r, _ = correlation_with(X, y)
        K = FeatureKernel(X)
        g = largest_gamma(K, r)
        assert (solve_mmfs(K, r, g*1.001).beta > 0).sum() == 1
        if g > 0: assert (solve_mmfs(K, r, g*.99).beta > 0).sum() > 1


@pytest.mark.parametrize("kernel", KERNELS)
def test_walk_gives_k(kernel):
    for seed in range(4):
        X, y = data(seed, 60, 100)
        r, sign = correlation_with(X, y)
        for k in (1, 2, 7, 15):
            g, found = walk_gamma(FeatureKernel(X, kernel, sign=None if kernel == "poly2" else sign), r, k)
            count = (found.beta > 0).sum()
            assert count >= k or g < 2e-6
            if kernel == "poly2": assert count == k
            again = solve_mmfs(FeatureKernel(X, kernel, sign=None if kernel == "poly2" else sign), r, g)
            assert np.allclose(again.beta, found.beta, atol=1e-7)


def test_ranking_by_weight_then_gradient_then_index():
    beta = np.array([0, .5, 0, .5, 0, .7, 0])
    G = np.array([.3, 0, .1, 0, .1, 0, -5.])
    free = np.array([1, 1, 1, 1, 1, 1, 0], bool)
    assert rank_features(beta, G, free).tolist() == [5, 1, 3, 2, 4, 0, 6]


# ---- relevance

def test_relevance_by_definition():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((90, 12))
    y = rng.integers(0, 4, 90)
    X[:, :3] += y[:, None]
    r, sign = correlation_with(X, y)
    Z = np.eye(4)[y]
    fit = Z@np.linalg.lstsq(Z, X-X.mean(0), rcond=None)[0]
    assert sign is None and np.allclose(r**2, (fit**2).sum(0)/((X-X.mean(0))**2).sum(0))
    for target in (y > 1, rng.standard_normal(90)):
        r, sign = correlation_with(sp.csc_matrix(X), target)
        want = [np.corrcoef(x, target)[0, 1] for x in X.T]
        assert np.allclose(r*sign, want)


def test_mutual_information_by_definition():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (500, 5)).astype(float), rng.integers(0, 3, 500)
    X[:, 0] = y
    info = SymmetricalUncertainty(X, binning="none")
    def bits(a): return naive.entropy(list(a))
    want = [bits(x)+bits(y)-bits(x*10+y) for x in X.T]
    assert np.allclose(info.information(y), want)
    assert info.information(rng.standard_normal(500)).max() < .2


# ---- the selector

@parametrize_with_checks([MMFS(), MMFS(gamma=.1), MMFS(kernel="linear", align=False), MMFS(kernel="rbf", align=False, C=.1), MMFS(tau=.3)])
def test_sklearn(estimator, check): check(estimator)


def fitted(m): return m.support_, m.ranking_, m.dual_coef_, m.relevance_


@pytest.mark.parametrize("kw", [dict(), dict(kernel="linear"), dict(kernel="rbf"), dict(gamma=.1), dict(relevance="correlation2", tau=.5),
                                dict(relevance="mutual_info"), dict(kernel="linear", gamma=.1, solver="dcd")])
def test_any_storage_gives_the_same(kw):
    rng = np.random.default_rng(4)
    X, y = (rng.random((220, 50)) < .3)*np.round(rng.random((220, 50)), 1), rng.integers(0, 2, 220)
    X[:, :5] += .3*y[:, None]*(X[:, :5] > 0)
    want = MMFS(**kw).fit(X, y)
    names = [f"f{j}" for j in range(50)]
    for x in (sp.csr_matrix(X), sp.csc_matrix(X), np.asfortranarray(X), pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names), as_columns(X)):
        got = MMFS(**kw).fit(x, y)
        for a, b in zip(fitted(want)[:2], fitted(got)[:2]): assert np.array_equal(a, b)
        assert np.allclose(want.dual_coef_, got.dual_coef_, atol=1e-6 if "solver" in kw else 1e-10)
        assert [g.tolist() for g in want.groups_] == [g.tolist() for g in got.groups_]
    named = MMFS(**kw).fit(pd.DataFrame(X, columns=names), y)
    assert named.groups_.names[0][0] == names[named.support_[0]]
    assert list(named.get_feature_names_out()) == [names[j] for j in sorted(named.support_)]
    two = MMFS(**kw, n_jobs=2).fit(sp.csc_matrix(X), y)
    assert all(np.array_equal(a, b) for a, b in zip(fitted(two), fitted(MMFS(**kw).fit(sp.csc_matrix(X), y))))


def test_k_or_gamma():
    X, y = data(0, 80, 120)
    assert len(MMFS().fit(X, y).support_) == 10
    assert len(MMFS(17).fit(X, y).support_) == 17
    m = MMFS(gamma=.1).fit(X, y)
    assert len(m.support_) == (m.dual_coef_ > 0).sum() and m.gamma_ == .1
    best = MMFS(4, gamma=.1).fit(X, y)
    assert np.array_equal(best.support_, m.support_[:4])
    assert np.array_equal(np.argsort(m.ranking_)[:len(m.support_)], m.support_) and sorted(m.ranking_) == list(range(1, 121))
    assert (np.diff(m.dual_coef_[m.support_]) <= 1e-9).all() and m.gap_ <= 1e-6
    assert len(MMFS().fit(X[:, :4], y).support_) == 4
    assert MMFS(60, kernel="linear").fit(X[:20], y[:20]).support_.size == 60       # more than any gamma gives


def test_duplicates_and_constants():
    X, y = data(1, 50, 20)
    best = MMFS(3).fit(X, y).support_[0]
    wide = np.c_[X, np.full(50, 2.), 3-2*X[:, best], X[:, best]]
    with pytest.warns(UserWarning, match="1 constant"): m = MMFS(5).fit(wide, y)
    assert np.array_equal(m.support_, MMFS(5).fit(X, y).support_)
    assert m.groups_[0].tolist() == [best, 21, 22] and np.allclose(m.groups_.correlations[0], [1, -1, 1])
    assert set(m.ranking_[20:]) == {21, 22, 23}
    with pytest.warns(UserWarning, match="only 20 features"): assert len(MMFS(22).fit(wide, y).support_) == 20
    near = MMFS(5, tau=.3).fit(X, y)
    C = np.abs(np.corrcoef(X.T))
    for g in near.groups_:
        assert (C[g[0], g] >= .7-1e-9).all()
    inside = set(near.groups_.all_members)
    assert inside == {j for j in range(20) if (C[near.support_, j] >= .7-1e-9).any()}


def test_scale_of_relevance_and_of_features_changes_nothing():
    X, y = data(2, 60, 40)
    r, _ = correlation_with(X, y)
    a, b = MMFS(8, relevance=r).fit(X), MMFS(8, relevance=7*r).fit(X*np.geomspace(1e-3, 1e3, 40)+5)
    assert np.array_equal(a.support_, b.support_)


def test_permuted_columns_and_rows():
    rng = np.random.default_rng(6)
    X, y = data(4, 60, 50)
    m = MMFS(12).fit(X, y)
    q, rows = rng.permutation(50), rng.permutation(60)
    assert np.array_equal(q[MMFS(12).fit(X[:, q], y).support_], m.support_)
    assert np.array_equal(MMFS(12).fit(X[rows], y[rows]).support_, m.support_)


@pytest.mark.parametrize("kw, part", [
    (dict(gamma=0), "gamma must lie in (0, inf), got 0"), (dict(gamma=np.nan), "gamma"), (dict(C=0), "C must lie in (0, inf), got 0"),
    (dict(kernel="cubic"), "kernel must be one of"), (dict(solver="smo"), "solver must be one of"), (dict(relevance="chi2"), "relevance must be one of"),
    (dict(relevance=np.ones(3)), "shape (20,)"), (dict(relevance=np.r_[np.nan, np.ones(19)]), "nan for column 0"),
    (dict(relevance=-np.ones(20)), "[0, inf)"), (dict(relevance=np.zeros(20)), "above 0"), (dict(n_features_to_select=21), "[1, n_features=20]"),
    (dict(n_features_to_select=0), "n_features_to_select"), (dict(width=0), "width"), (dict(tol=0), "tol"), (dict(tau=1), "tau"), (dict(max_iter=0), "max_iter"),
    (dict(verbose=-1), "verbose"), (dict(solver="dcd"), "kernel='linear'"), (dict(align="yes"), "align"), (dict(relevance="mutual_info", n_bins=1), "n_bins"),
    (dict(relevance=["a"]*20), "relevance")])
def test_bad_input_is_one_error(kw, part):
    X, y = data(0, 40, 20)
    m = MMFS(**kw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError) as e: m.fit(X, y)
    assert part in str(e.value) and not hasattr(m, "support_")


def test_bad_targets():
    X, y = data(0, 40, 20)
    with pytest.raises(ValueError, match="one class"): MMFS().fit(X, np.ones(40))
    with pytest.raises(ValueError, match="y"): MMFS().fit(X)
    with pytest.raises(ValueError, match="two classes"): MMFS(kernel="linear").fit(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="0 for all"): MMFS().fit(np.c_[[1., -1, 1, -1]], [0, 0, 1, 1])
    assert len(MMFS(3, relevance=np.arange(20.)).fit(X).support_) == 3


def test_early_end_warns():
    from sklearn.exceptions import ConvergenceWarning
    X, y = data(0, 100, 400)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"): m = MMFS(gamma=1e-3, max_iter=1).fit(X, y)
    assert m.gap_ > 1e-6


def test_interrupt_leaves_nothing_half_written(monkeypatch):
    import fsnb.mmfs as module
    X, y = data(0)
    m = MMFS(5).fit(X, y)
    old = m.support_.copy()
    def stop(*a, **k): raise KeyboardInterrupt
    monkeypatch.setattr(module, "walk_gamma", stop)
    with pytest.raises(KeyboardInterrupt): m.set_params(n_features_to_select=9).fit(X, y)
    assert np.array_equal(m.support_, old) and m.gap_ <= 1e-6


def test_progress_goes_to_stderr(capsys):
    X, y = data(0)
    MMFS(5, verbose=2).fit(X, y)
    out = capsys.readouterr()
    assert out.out == "" and "features" in out.err
    MMFS(5, verbose=1).fit(X, y)
    assert "MMFS" in capsys.readouterr().err


def test_clone_and_grid():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC
    X, y = data(0, 80, 40)
    g = GridSearchCV(make_pipeline(MMFS(), LinearSVC()), {"mmfs__n_features_to_select": [2, 5], "mmfs__kernel": ["poly2", "linear"]}, cv=3).fit(X, y)
    assert g.best_score_ > .6 and clone(g.best_estimator_[0]).get_params() == g.best_estimator_[0].get_params()


def test_sparse_stays_sparse():
    import tracemalloc
    X = sp.random(1000, 50000, .002, format="csc", random_state=0)
    y = np.asarray(X[:, :200].sum(1)).ravel() > .1
    size = X.data.nbytes+X.indices.nbytes+X.indptr.nbytes
    MMFS(5).fit(X[:, :100], y)
    tracemalloc.start()
    m = MMFS(10, kernel="linear", tol=1e-3).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(m.support_) == 10 and peak < 1000*50000*8/20          # a dense X would be 400 MB


def test_named_relevances():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 12)), rng.integers(0, 2, 300)
    X[:, 3] += y
    r, _ = correlation_with(X, y)
    s = SymmetricalUncertainty(X, 7)
    for name, want in (("correlation", r), ("correlation2", r**2), ("su", s.relevance(y)), ("mutual_info", s.information(y))):
        assert np.allclose(MMFS(2, relevance=name, n_bins=7).fit(X, y).relevance_, want), name


def test_what_was_shrunk_comes_back():
    for seed in range(30):
        X, y = data(seed, 12, 300)
        r, sign = correlation_with(X, y)
        d = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .01, .02, tol=1e-8, max_iter=3000)
        assert d.gap <= 1e-8 and d.n_iter < 3000
