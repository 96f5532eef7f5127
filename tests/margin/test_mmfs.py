"MMFS as a scikit-learn user meets it"
import warnings
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from fsnb import MMFS
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from margin_cases import grouped

pytestmark = pytest.mark.filterwarnings("ignore:.*says little", "ignore:.*constant column", "ignore:similarity=")


@parametrize_with_checks([MMFS(), MMFS(gamma=.1), MMFS(kernel="linear", align=False), MMFS(kernel="rbf", align=False, C=.1)])
def test_sklearn(estimator, check): check(estimator)


def fitted(m): return m.support_, m.ranking_, m.dual_coef_, m.relevance_


@pytest.mark.parametrize("kw", [dict(), dict(kernel="linear"), dict(kernel="rbf"), dict(gamma=.1), dict(relevance="correlation2"),
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
    X, y = grouped(0, 80, 120)
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
    X, y = grouped(1, 50, 20)
    best = MMFS(3).fit(X, y).support_[0]
    wide = np.c_[X, np.full(50, 2.), 3-2*X[:, best], X[:, best]]
    with pytest.warns(UserWarning, match="1 constant"): m = MMFS(5).fit(wide, y)
    assert np.array_equal(m.support_, MMFS(5).fit(X, y).support_)
    assert m.groups_[0].tolist() == [best, 21, 22] and np.allclose(m.groups_.correlations[0], [1, -1, 1])
    assert set(m.ranking_[20:]) == {21, 22, 23}
    with pytest.warns(UserWarning, match="only 20 features"): assert len(MMFS(22).fit(wide, y).support_) == 20


def test_scale_of_relevance_and_of_features_changes_nothing():
    X, y = grouped(2, 60, 40)
    r, _ = correlation_with(X, y)
    a, b = MMFS(8, relevance=r).fit(X), MMFS(8, relevance=7*r).fit(X*np.geomspace(1e-3, 1e3, 40)+5)
    assert np.array_equal(a.support_, b.support_)


def test_permuted_columns_and_rows():
    rng = np.random.default_rng(6)
    X, y = grouped(4, 60, 50)
    m = MMFS(12).fit(X, y)
    q, rows = rng.permutation(50), rng.permutation(60)
    assert np.array_equal(q[MMFS(12).fit(X[:, q], y).support_], m.support_)
    assert np.array_equal(MMFS(12).fit(X[rows], y[rows]).support_, m.support_)


@pytest.mark.parametrize("kw, part", [
    (dict(gamma=0), "gamma must be None or lie in [1e-100, 1e+100], got 0"), (dict(gamma=np.nan), "gamma"), (dict(C=0), "C must lie in [1e-100, inf], got 0"),
    (dict(kernel="cubic"), "kernel must be one of"), (dict(solver="smo"), "solver must be one of"), (dict(relevance="chi2"), "relevance must be one of"),
    (dict(relevance=np.ones(3)), "shape (20,)"), (dict(relevance=np.r_[np.nan, np.ones(19)]), "nan for column 0"),
    (dict(relevance=-np.ones(20)), "[0, 1e+100]"), (dict(relevance=np.zeros(20)), "above 0"), (dict(n_features_to_select=21), "[1, n_features=20]"),
    (dict(n_features_to_select=0), "n_features_to_select"), (dict(width=0), "width"), (dict(tol=0), "tol"), (dict(max_iter=0), "max_iter"),
    (dict(verbose=-1), "verbose"), (dict(solver="dcd"), "kernel='linear'"), (dict(align="yes"), "align"), (dict(relevance="mutual_info", n_bins=1), "n_bins"),
    (dict(relevance=["a"]*20), "relevance")])
def test_bad_input_is_one_error(kw, part):
    X, y = grouped(0, 40, 20)
    m = MMFS(**kw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError) as e: m.fit(X, y)
    assert part in str(e.value) and not hasattr(m, "support_")


def test_bad_targets():
    X, y = grouped(0, 40, 20)
    with pytest.raises(ValueError, match="one class"): MMFS().fit(X, np.ones(40))
    with pytest.raises(ValueError, match="y"): MMFS().fit(X)
    with pytest.raises(ValueError, match="two classes"): MMFS(kernel="linear").fit(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="0 for all"): MMFS().fit(np.c_[[1., -1, 1, -1]], [0, 0, 1, 1])
    assert len(MMFS(3, relevance=np.arange(20.)).fit(X).support_) == 3


def test_early_end_warns():
    from sklearn.exceptions import ConvergenceWarning
    X, y = grouped(0, 100, 400)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"): m = MMFS(gamma=1e-3, max_iter=1).fit(X, y)
    assert m.gap_ > 1e-6


def test_interrupt_leaves_nothing_half_written(monkeypatch):
    import fsnb.margin.mmfs as module
    X, y = grouped(0)
    m = MMFS(5).fit(X, y)
    def stop(*a, **k): raise KeyboardInterrupt
    monkeypatch.setattr(module, "_walk_gamma", stop)
    with pytest.raises(KeyboardInterrupt): m.set_params(n_features_to_select=9).fit(X, y)
    assert not hasattr(m, "support_") and not hasattr(m, "gap_")


def test_progress_goes_to_stderr(capsys):
    X, y = grouped(0)
    MMFS(5, verbose=2).fit(X, y)
    out = capsys.readouterr()
    assert out.out == "" and "features" in out.err
    MMFS(5, verbose=1).fit(X, y)
    assert "MMFS" in capsys.readouterr().err


def test_clone_and_grid():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC
    X, y = grouped(0, 80, 40)
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
    s = SymmetricalUncertainty(7).fit(as_columns(X))
    for name, want in (("correlation", r), ("correlation2", r**2), ("su", s.relevance(y)), ("mutual_info", s.information(y))):
        assert np.allclose(MMFS(2, relevance=name, n_bins=7).fit(X, y).relevance_, want), name
