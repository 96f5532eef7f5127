"QPFS: against cvxpy and the plainest method, pivots over a sparse table, screening, proofs"
import numpy as np
import pytest
from sklearn.base import clone

from fsnb import MMFS, QPFS, naive
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin import mmfs_dual, qpfs
from fsnb.margin.mmfs_dual import solve_simplex
from fsnb.margin.qpfs import _pivot_simplex, _solve_over_all, balanced_theta, solve_qpfs
from fsnb.margin.similarity import FeatureKernel
from margin_cases import best_programme, grouped, many_columns, sparse_data

pytestmark = pytest.mark.filterwarnings("ignore:.*is biased upward", "ignore:.*constant column",
                                        "ignore:similarity=")

@pytest.mark.parametrize("theta", [0., .05, .3, .7, 1.])
def test_objective_equals_best_programme(theta):
    for seed in range(2):
        X, y = grouped(seed, 60, 80)
        r, K = correlation_with(X, y)[0]**2, FeatureKernel(X)
        found, Q = solve_qpfs(K, r, theta, batch=5), K.table(np.arange(80))
        value = naive.qpfs_objective(found.beta, Q, r, theta)
        assert found.objective == pytest.approx(value, rel=1e-9)
        assert found.beta.sum() == pytest.approx(1) and (found.beta >= 0).all()
        parts = (1-theta)/2*found.beta@Q@found.beta+theta*r@found.beta
        assert abs(found.objective-best_programme(Q, r, theta)) < 1e-6*parts
        G = (1-theta)*Q@found.beta-theta*r
        assert np.allclose(G, found.gradient, atol=1e-12) and G.min() >= found.beta@G-1e-6*parts

# ---- thousands of weights

class Table:
    "A dense table with the questions of `SparseTable`"
    def __init__(self, H): self.H = H
    def multiply(self, v): return self.H@v
    def part(self, index): return Table(self.H[np.ix_(index, index)])

def test_pivots_find_what_moves_of_pairs_find():
    given_up = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(2, 60))
        F = rng.standard_normal((int(rng.integers(1, 80)), m))
        H = F.T@F/m+10.**rng.uniform(-6, 0)*np.eye(m)
        r, total = rng.random(m), float(rng.uniform(.5, 3))
        found = _pivot_simplex(Table(H), r, np.full(m, total/m), 1e-9)
        given_up += found is None            # and moves of pairs do the work
        if found is None: continue
        a, product = found
        slow = solve_simplex(H, r, np.full(m, total/m), 1e-10)
        np.testing.assert_allclose(.5*a@H@a-r@a, .5*slow@H@slow-r@slow, atol=1e-8)
        np.testing.assert_allclose(product, H@a, atol=1e-9)
        assert (a >= 0).all() and np.isclose(a.sum(), total)
    assert given_up <= 8

def test_by_pivots_and_by_columns(monkeypatch):
    X, y = sparse_data(6, n=200, p=3000, density=.02)
    X = X[:, np.diff(X.indptr) > 0]
    monkeypatch.setattr(mmfs_dual, "_SCREEN_FROM", 100)
    by_pivots = QPFS(30, relevance_weight=.5).fit(X, y)
    monkeypatch.setattr(qpfs, "_MANY_WEIGHTS", 10**9)
    by_columns = QPFS(30, relevance_weight=.5).fit(X, y)
    assert max(by_pivots.gap_, by_columns.gap_) <= 1e-6
    np.testing.assert_allclose(by_pivots.objective_, by_columns.objective_, rtol=2e-6)

@pytest.mark.parametrize("theta", [0., .9])
def test_screened_is_whole(monkeypatch, theta):
    X, y = many_columns(4, n=150, p=4000)
    monkeypatch.setattr(mmfs_dual, "_SCREEN_FROM", 500)
    columns = as_columns(X)
    r, free = correlation_with(columns, y)[0]**2, ~columns.constant
    if theta == 0: free &= np.arange(len(free)) < 300       # weights everywhere
    screened = solve_qpfs(FeatureKernel(columns), r, theta, free=free)
    whole = _solve_over_all(FeatureKernel(columns), r, theta, free=free)
    np.testing.assert_allclose(screened.objective, whole.objective, rtol=3e-6)
    assert screened.gap <= 1e-6 and np.isclose(screened.beta.sum(), 1)
    assert not screened.beta[~free].any()

def test_selectors_answer_as_without_screening(monkeypatch):
    X, y = many_columns(3, p=6000)
    for model in (MMFS(gamma=2.), MMFS(8, kernel="rbf"), QPFS(12)):
        fits = []
        for least in (5000, 10**9):
            monkeypatch.setattr(mmfs_dual, "_SCREEN_FROM", least)
            fits.append(clone(model).fit(X, y))
        screened, whole = fits
        assert screened.support_.tolist() == whole.support_.tolist()
        assert screened.stop_reason_ == whole.stop_reason_ == "gap" and screened.gap_ <= 1e-6
        np.testing.assert_allclose(screened.dual_coef_, whole.dual_coef_, atol=2e-4)
        np.testing.assert_allclose(screened.objective_, whole.objective_, rtol=2e-6)

# ---- the selector

def test_balance_and_bins_of_its_own():
    X, y = grouped(0, 40, 50)
    r, free = correlation_with(X, y)[0], np.arange(50) != 7
    Q = (np.corrcoef(X.T)**2)[np.ix_(free, free)]
    assert balanced_theta(FeatureKernel(X), r, free) == pytest.approx(Q.mean()/(Q.mean()+r[free].mean()))
    own, measure = QPFS(3, similarity=SymmetricalUncertainty(4)), SymmetricalUncertainty(4)
    want = measure.fit(as_columns(X)).information(y)
    assert np.allclose(own.fit(X, y).relevance_, want)
    assert not np.allclose(QPFS(3, similarity="mutual_info").fit(X, y).relevance_, want)

def test_what_is_proved_is_unknown_where_not_all_were_looked_at(monkeypatch):
    X, y = grouped(0, 200, 12)
    monkeypatch.setattr(qpfs, "_MOST_LOOKED_AT", 5)
    m = QPFS(2, similarity="abs_correlation", relevance_weight=1.).fit(X, y)
    assert m.is_global_ is None and m.dual_coef_.max() == 1
    assert m.ranking_[m.dual_coef_.argmax()] == 1
