"QPFS: against cvxpy and the plainest method, its similarities by definition, what it says when nothing is proved"
import warnings
import cvxpy as cp
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

from fsnb import QPFS, naive
from fsnb.columns import as_columns
from fsnb.correlation import SymmetricalUncertainty, correlation_with
from fsnb.mmfs import FeatureKernel, GramKernel, solve_mmfs
from fsnb.qpfs import InformationKernel, LowRankKernel, _least, balance, solve_qpfs, solve_simplex

pytestmark = pytest.mark.filterwarnings("ignore:.*symmetrical uncertainty says little", "ignore:.*constant columns", "ignore:similarity=")


def data(seed=0, n=60, p=80):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))
    X[:, p//2:] = X[:, :p-p//2]+.5*X[:, p//2:]
    return X, (X[:, 0]+X[:, 1]+.5*r.standard_normal(n) > 0).astype(int)


def clarabel(Q, r, theta):
    values, V = np.linalg.eigh(Q)
    b = cp.Variable(len(r), nonneg=True)
    cost = (1-theta)/2*cp.sum_squares((V*np.sqrt(np.maximum(values, 0))).T@b)-theta*r@b
    return cp.Problem(cp.Minimize(cost), [cp.sum(b) == 1]).solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)


@pytest.mark.parametrize("theta", [0., .05, .3, .7, 1.])
def test_objective_equals_clarabel(theta):
    for seed in range(4):
        X, y = data(seed)
        r = correlation_with(X, y)[0]**2
        K = FeatureKernel(X)
        found = solve_qpfs(K, r, theta, batch=5)
        Q = K.table(np.arange(80))
        assert found.objective == pytest.approx(naive.qpfs_objective(found.beta, Q, r, theta), rel=1e-9)
        assert found.beta.sum() == pytest.approx(1) and (found.beta >= 0).all()
        parts = (1-theta)/2*found.beta@Q@found.beta+theta*r@found.beta
        assert abs(found.objective-clarabel(Q, r, theta)) < 1e-6*parts
        G = (1-theta)*Q@found.beta-theta*r
        assert np.allclose(G, found.gradient, atol=1e-12)
        assert G.min() >= found.beta@G-1e-6*parts


def test_equals_the_plainest_method():
    X, y = data(1, 40, 12)
    r, Q = correlation_with(X, y)[0], np.corrcoef(X.T)**2
    slow = naive.qpfs_frank_wolfe(Q, r, .3, 50000)
    assert np.abs(solve_qpfs(GramKernel(Q), r, .3).beta-slow).max() < 2e-3


def test_is_mmfs_at_another_weight():
    for seed in range(5):
        X, y = data(seed)
        r = correlation_with(X, y)[0]
        b = solve_mmfs(FeatureKernel(X), r, .3, tol=1e-12).beta
        theta = 1/(1+b.sum())
        assert np.abs(b/b.sum()-solve_qpfs(FeatureKernel(X), r, theta, tol=1e-12).beta).max() < 1e-9


def test_small_problem_of_any_shape():
    "Convex or not: on the simplex, never uphill, and stationary"
    rng = np.random.default_rng(0)
    for _ in range(300):
        k = int(rng.integers(1, 10))
        A = rng.standard_normal((k, k)); H = A@A.T if rng.random() < .5 else (A+A.T)/2
        r, a0 = rng.standard_normal(k), rng.dirichlet(np.ones(k)*.3)
        a = solve_simplex(H, r, a0, 1e-9)
        g = H@a-r
        assert a.min() >= 0 and a.sum() == pytest.approx(1)
        assert .5*a@H@a-r@a <= .5*a0@H@a0-r@a0+1e-9
        assert a@g-g.min() < 1e-8


def test_information_by_definition():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (300, 6)).astype(float); X[:, 3] = X[:, 0]
    def h(*cols): return naive.entropy(list(map(tuple, np.stack(cols, 1))))
    want = np.array([[h(a)+h(b)-h(a, b) for b in X.T] for a in X.T])
    for x in (X, sp.csc_matrix(X)):
        K = InformationKernel(SymmetricalUncertainty(x, binning="none"))
        assert np.allclose(K.table(np.arange(6)), want)
        assert np.allclose(K.apply(np.array([1, 4]), np.array([.3, .7])), want[:, [1, 4]]@[.3, .7])


def test_nystrom_is_the_projection():
    X, _ = data(0, 40, 50)
    Q, sample = np.corrcoef(X.T)**2, np.arange(0, 50, 5)
    want = Q[:, sample]@np.linalg.pinv(Q[np.ix_(sample, sample)])@Q[sample]
    K = LowRankKernel(FeatureKernel(X), sample)
    assert np.allclose(K.table(np.arange(50)), want) and np.allclose(K.table(sample), Q[np.ix_(sample, sample)])
    assert np.allclose(K.apply(np.array([3, 9]), np.array([1., 2.])), want[:, [3, 9]]@[1, 2])


def test_balance_is_the_mean_of_all_pairs():
    X, y = data(0, 40, 50)
    r, free = correlation_with(X, y)[0], np.arange(50) != 7
    Q = (np.corrcoef(X.T)**2)[np.ix_(free, free)]
    assert balance(FeatureKernel(X), r, free) == pytest.approx(Q.mean()/(Q.mean()+r[free].mean()))


@parametrize_with_checks([QPFS(), QPFS(similarity="abs_correlation"), QPFS(similarity="mutual_info"), QPFS(nystrom=.5, random_state=0)])
def test_sklearn(estimator, check): check(estimator)


@pytest.mark.parametrize("kw", [dict(), dict(similarity="abs_correlation"), dict(similarity="mutual_info"), dict(relevance_weight=.2, tau=.4),
                                dict(nystrom=.4, random_state=3)])
@pytest.mark.filterwarnings("ignore")
def test_any_storage_gives_the_same(kw):
    rng = np.random.default_rng(4)
    X, y = (rng.random((220, 40)) < .3)*np.round(rng.random((220, 40)), 1), rng.integers(0, 3, 220)
    X[:, :5] += .3*y[:, None]*(X[:, :5] > 0)
    want = QPFS(**kw).fit(X, y)
    for x in (sp.csr_matrix(X), sp.csc_matrix(X), np.asfortranarray(X), pd.DataFrame(X), pl.DataFrame(X), as_columns(X)):
        got = QPFS(**kw).fit(x, y)
        assert np.array_equal(want.support_, got.support_) and np.allclose(want.dual_coef_, got.dual_coef_, atol=1e-8)


def test_what_is_proved_is_said():
    X, y = data(0, 20, 60)
    m = QPFS().fit(X, y)
    assert m.is_global_ is True and m.gap_ <= 1e-6 and m.least_eigenvalue_ > -1e-12
    with pytest.warns(UserWarning, match="not positive semidefinite"): m = QPFS(similarity="abs_correlation").fit(X, y)
    assert m.is_global_ is False and m.least_eigenvalue_ == pytest.approx(np.linalg.eigvalsh(np.abs(np.corrcoef(X.T)))[0])
    two = QPFS(2, similarity="abs_correlation").fit(X[:, :2], y)
    assert two.is_global_ is True


def test_unknown_where_not_all_were_looked_at(monkeypatch):
    import fsnb.qpfs as module
    X, y = data(0, 200, 12)
    monkeypatch.setattr(module, "LOOK", 5)
    m = QPFS(2, similarity="abs_correlation", relevance_weight=1.).fit(X, y)
    assert m.is_global_ is None and m.dual_coef_.max() == 1 and m.ranking_[m.dual_coef_.argmax()] == 1


def test_k_and_duplicates():
    X, y = data(2)
    m = QPFS(30).fit(X, y)
    assert len(m.support_) == 30 and np.array_equal(np.argsort(m.ranking_)[:30], m.support_)
    count = (m.dual_coef_ > 0).sum()
    assert (m.dual_coef_[m.support_[:count]] > 0).all()
    twin = QPFS(5).fit(np.c_[X, -X[:, m.support_[0]]], y)
    assert twin.groups_[0].tolist()[-1] == 80 and twin.ranking_[80] == 81


@pytest.mark.parametrize("kw, part", [
    (dict(similarity="cosine"), "similarity must be one of"), (dict(relevance_weight=-.1), "[0, 1], got -0.1"), (dict(relevance_weight="half"), "'half'"),
    (dict(relevance_weight=True), "relevance_weight"), (dict(relevance_weight=np.nan), "relevance_weight"), (dict(nystrom=0), "nystrom must lie in (0, 1)"),
    (dict(nystrom=1.), "nystrom"), (dict(relevance=np.zeros(20)), "above 0"), (dict(relevance=np.ones(4)), "(20,)"), (dict(relevance="chi2"), "relevance"),
    (dict(n_features_to_select=21), "n_features=20"), (dict(tol=0), "tol"), (dict(max_iter=0), "max_iter"), (dict(tau=2), "tau"), (dict(similarity="mutual_info", n_bins=1), "n_bins"),
    (dict(similarity="mutual_info", binning="x"), "binning")])
def test_bad_input_is_one_error(kw, part):
    X, y = data(0, 40, 20)
    m = QPFS(**kw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError) as e: m.fit(X, y)
    assert part in str(e.value) and not hasattr(m, "support_")


def test_progress_goes_to_stderr(capsys):
    X, y = data(0)
    QPFS(5, verbose=1).fit(X, y)
    out = capsys.readouterr()
    assert out.out == "" and "round" in out.err


def test_least_value_over_weights_with_a_bound():
    from scipy.optimize import linprog
    for seed in range(30):
        r = np.random.default_rng(seed)
        k, g = int(r.integers(2, 9)), r.standard_normal(9)
        total = r.uniform(.1, k)
        most = max(total/k*1.01, r.uniform(.1, 2))
        want = linprog(g[:k], A_eq=np.ones((1, k)), b_eq=[total], bounds=(0, most)).fun
        assert _least(g[:k], total, most) == pytest.approx(want, abs=1e-9)
