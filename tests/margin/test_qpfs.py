"QPFS: pivots over a sparse table, screening, bins, proofs"
import numpy as np, pytest
from sklearn.base import clone

from fsnb import MMFS, QPFS
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin import mmfs_dual, qpfs
from fsnb.margin.qpfs import balanced_theta
from fsnb.margin.similarity import FeatureKernel
from margin_cases import grouped, many_columns, sparse_data

pytestmark = pytest.mark.filterwarnings("ignore:.*is biased upward", "ignore:.*constant column",
                                        "ignore:similarity=")

# ---- thousands of weights

def test_by_pivots_and_by_columns(monkeypatch):
    X, y = sparse_data(6, n=200, p=3000, density=.02)
    X = X[:, np.diff(X.indptr) > 0]
    monkeypatch.setattr(mmfs_dual, "_SCREEN_FROM", 100)
    by_pivots = QPFS(30, relevance_weight=.5).fit(X, y)
    monkeypatch.setattr(qpfs, "_MANY_WEIGHTS", 10**9)
    by_columns = QPFS(30, relevance_weight=.5).fit(X, y)
    assert max(by_pivots.gap_, by_columns.gap_) <= 1e-6
    np.testing.assert_allclose(by_pivots.objective_, by_columns.objective_, rtol=2e-6)

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
