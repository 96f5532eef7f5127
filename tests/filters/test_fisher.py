"Fisher score: constants, classes that explain all. Trace ratio: sizes, units."
import numpy as np, pytest, scipy.sparse as sp
from fsnb.filters import RCFS, FisherScore, TraceRatio, fisher_scores
from fsnb.filters.fisher import _find_trace_ratio

def test_sparse_and_constant():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((50, 8))*(rng.random((50, 8)) < .3)
    X[:, 3] = 2
    y = rng.integers(0, 2, 50)
    scores = fisher_scores(X, y)
    assert scores[3] == 0
    np.testing.assert_allclose(fisher_scores(sp.csc_matrix(X), y), scores, rtol=1e-9)
    with pytest.warns(UserWarning, match="1 constant column is never selected: 3"):
        fitted = FisherScore(7).fit(X, y)
    assert 3 not in fitted.support_ and fitted.ranking_[3] == 8
    with pytest.warns(UserWarning, match="only 7 features can be of use, fewer than .*=8"):
        assert FisherScore(8).fit(X, y).stop_reason_ == "nothing_left"

def test_all_explained_is_infinite():
    y = np.array([0, 1, 2]*10)
    X = np.c_[y, np.arange(30.), y == 1]      # the last one says less
    fitted = FisherScore(2).fit(X, y)
    assert np.isinf(fitted.scores_).tolist() == [True, False, True]
    assert fitted.ranking_.tolist() == [1, 3, 2]

# ---- trace ratio

def test_sizes_do_not_decide():
    "Columns whose sizes differ by 1e275: the ratio is that of the columns, on arrays and on CSC"
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.poisson(1.6, (60, 12))+y[:, None]*(np.arange(12) % 3 == 0)
    X[:, 11] = np.tile([1, 1, 2, 2], 15)       # of the largest column the classes explain nothing
    X = X*10.**np.arange(-150, 150, 25)
    dense, sparse = (TraceRatio(3).fit(some, y) for some in (X, sp.csc_matrix(X)))
    np.testing.assert_array_equal(dense.support_, sparse.support_)
    assert np.isfinite(dense.ratio_) and dense.ratio_ == pytest.approx(sparse.ratio_, rel=1e-9)
    own, best = FisherScore(1).fit(X, y), TraceRatio(1).fit(X, y)
    assert best.support_.tolist() == own.support_.tolist()
    assert best.ratio_ == pytest.approx(own.scores_.max())

def test_a_small_cost_is_a_cost():
    "Beside one of 1, a cost of 1e-12 was taken for 0, and the ratio for infinite"
    found = _find_trace_ratio(np.array([1e-13, .05]), np.array([1e-12, 1.]), 1)
    assert found.support.tolist() == [0] and found.ratio == pytest.approx(.1)

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
@pytest.mark.parametrize("selector", [TraceRatio, RCFS])
def test_units_do_not_matter_without_classes_either(selector, store):
    "The graph of near samples was made of columns as they came"
    for seed in range(2):
        r = np.random.default_rng(seed)
        X = r.normal(size=(30, 6))*(r.random((30, 6)) < .7)
        plain, scaled = (selector(3, standardize=True).fit(store(some))
                         for some in (X/X.std(0), X*[1, 1, 1e-3, 1, 1, 100]))
        assert plain.support_.tolist() == scaled.support_.tolist()
        np.testing.assert_allclose(plain.scores_, scaled.scores_, rtol=1e-9)
