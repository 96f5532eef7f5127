"Fisher score: the letter, the F statistic, the two packages, storage."
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import f_classif
from fsnb import naive
from fsnb.filters import FisherScore, fisher_scores


@pytest.mark.parametrize("seed", range(15))
def test_as_the_letter(seed):
    rng = np.random.default_rng(seed)
    n, n_classes = rng.integers(6, 60), rng.integers(2, 5)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n-n_classes)]
    X = rng.standard_normal((n, 6))*10.**rng.integers(-6, 6, 6)
    scores = fisher_scores(X, y)
    np.testing.assert_allclose(scores, [naive.fisher_score(x, y) for x in X.T], rtol=1e-8)
    np.testing.assert_allclose(scores*(n-n_classes)/(n_classes-1), f_classif(X, y)[0], rtol=1e-6)


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
    X = np.c_[y, np.arange(30.), y == 1]      # the last one says less, and is as constant in each class
    fitted = FisherScore(2).fit(X, y)
    assert np.isinf(fitted.scores_).tolist() == [True, False, True]
    assert fitted.ranking_.tolist() == [1, 3, 2]
