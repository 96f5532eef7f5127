"QPFS as a scikit-learn user meets it, and what it says when nothing is proved"
import warnings
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

from fsnb import QPFS
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin.qpfs import balance
from fsnb.margin.similarity import FeatureKernel
from margin_cases import paired

pytestmark = pytest.mark.filterwarnings("ignore:.*says little", "ignore:.*constant column", "ignore:similarity=")


def test_balance_is_the_mean_of_all_pairs():
    X, y = paired(0, 40, 50)
    r, free = correlation_with(X, y)[0], np.arange(50) != 7
    Q = (np.corrcoef(X.T)**2)[np.ix_(free, free)]
    assert balance(FeatureKernel(X), r, free) == pytest.approx(Q.mean()/(Q.mean()+r[free].mean()))


@parametrize_with_checks([QPFS(), QPFS(similarity="abs_correlation"), QPFS(similarity="mutual_info"), QPFS(nystrom=.5, random_state=0)])
def test_sklearn(estimator, check): check(estimator)


@pytest.mark.parametrize("kw", [dict(), dict(similarity="abs_correlation"), dict(similarity="mutual_info"), dict(relevance_weight=.2),
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
    X, y = paired(0, 20, 60)
    m = QPFS().fit(X, y)
    assert m.is_global_ is True and m.gap_ <= 1e-6 and m.least_eigenvalue_ > -1e-12
    with pytest.warns(UserWarning, match="not positive semidefinite"): m = QPFS(similarity="abs_correlation").fit(X, y)
    assert m.is_global_ is False and m.least_eigenvalue_ == pytest.approx(np.linalg.eigvalsh(np.abs(np.corrcoef(X.T)))[0])
    two = QPFS(2, similarity="abs_correlation").fit(X[:, :2], y)
    assert two.is_global_ is True


def test_unknown_where_not_all_were_looked_at(monkeypatch):
    import fsnb.margin.qpfs as module
    X, y = paired(0, 200, 12)
    monkeypatch.setattr(module, "_MOST_LOOKED_AT", 5)
    m = QPFS(2, similarity="abs_correlation", relevance_weight=1.).fit(X, y)
    assert m.is_global_ is None and m.dual_coef_.max() == 1 and m.ranking_[m.dual_coef_.argmax()] == 1


def test_k_and_duplicates():
    X, y = paired(2)
    m = QPFS(30).fit(X, y)
    assert len(m.support_) == 30 and np.array_equal(np.argsort(m.ranking_)[:30], m.support_)
    count = (m.dual_coef_ > 0).sum()
    assert (m.dual_coef_[m.support_[:count]] > 0).all()
    twin = QPFS(5).fit(np.c_[X, -X[:, m.support_[0]]], y)
    assert twin.groups_[0].tolist()[-1] == 80 and twin.ranking_[80] == 81


@pytest.mark.parametrize("kw, part", [
    (dict(similarity="cosine"), "similarity must be one of"), (dict(relevance_weight=-.1), "[0, 1], got -0.1"), (dict(relevance_weight="half"), "'half'"),
    (dict(relevance_weight=True), "relevance_weight"), (dict(relevance_weight=np.nan), "relevance_weight"), (dict(nystrom=0), "nystrom must be None or lie in (0, 1)"),
    (dict(nystrom=1.), "nystrom"), (dict(relevance=np.zeros(20)), "above 0"), (dict(relevance=np.ones(4)), "(20,)"), (dict(relevance="chi2"), "relevance"),
    (dict(n_features_to_select=21), "n_features=20"), (dict(tol=0), "tol"), (dict(max_iter=0), "max_iter"), (dict(similarity="mutual_info", n_bins=1), "n_bins"),
    (dict(similarity="mutual_info", binning="x"), "binning")])
def test_bad_input_is_one_error(kw, part):
    X, y = paired(0, 40, 20)
    m = QPFS(**kw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError) as e: m.fit(X, y)
    assert part in str(e.value) and not hasattr(m, "support_")


def test_progress_goes_to_stderr(capsys):
    X, y = paired(0)
    QPFS(5, verbose=1).fit(X, y)
    out = capsys.readouterr()
    assert out.out == "" and "round" in out.err


def test_few_samples_are_told_of_the_measure_that_is_used():
    "Of symmetrical uncertainty, where mutual information was asked for"
    r = np.random.default_rng(0)
    X, y = r.normal(size=(30, 6)), np.arange(30) % 2
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        QPFS(2, similarity="mutual_info", n_bins=4).fit(X, y)
    words = [str(one.message) for one in told]
    assert any("mutual information says little: independent features of 4 bins share about" in one for one in words)
    assert not any("symmetrical" in one for one in words)
