"mRMR: the greedy scheme of the letter, the well-known package, storage, copies."
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.filters import MRMR
from fsnb.filters.mrmr import _FLOOR, _SCHEMES, _greedy_mrmr
from fsnb.groups.synthetic import make_groups


def table_of(X): return np.maximum(np.abs(np.nan_to_num(np.corrcoef(X.T))), _FLOOR)


@parametrize_with_checks([MRMR(2), MRMR(2, scheme="difference", relevance="correlation")])
def test_estimator(estimator, check): check(estimator)


@pytest.mark.parametrize("scheme", _SCHEMES)
@pytest.mark.parametrize("seed", range(40))
def test_as_the_letter(scheme, seed):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(5, 40), rng.integers(1, 12)
    X, relevance = rng.standard_normal((n, p)).round(2), rng.random(p)
    taken, _ = _greedy_mrmr(as_columns(X), relevance, p, scheme)
    assert taken == naive.mrmr(relevance, table_of(X), p, scheme)


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_dense_is_sparse(scheme):
    data = make_groups(80, 300, sparse=.1, random_state=2)
    fits = [MRMR(30, scheme=scheme).fit(X, data.y)
            for X in (data.X, sp.csr_matrix(data.X), data.X.toarray())]
    for other in fits[1:]: np.testing.assert_array_equal(fits[0].support_, other.support_)


def test_as_the_package():
    "FCQ of mrmr-selection, the first fifty"
    package, pandas = pytest.importorskip("mrmr"), pytest.importorskip("pandas")
    data = make_groups(100, 400, random_state=0)
    frame, y = pandas.DataFrame(data.X), pandas.Series(data.y)
    theirs = package.mrmr_classif(frame, y, K=50, n_jobs=1, show_progress=False)
    np.testing.assert_array_equal(MRMR(50).fit(data.X, data.y).support_, theirs)


def test_numbers_as_target():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 20))
    assert MRMR(2).fit(X, X[:, 7]+.1*X[:, 3]).support_[0] == 7


def test_copies_come_never_second():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50)
    x = y+.1*rng.standard_normal(50)
    X = np.c_[x, x, -2*x, 5+x, rng.standard_normal(50)]
    for scheme in _SCHEMES: assert MRMR(2, scheme=scheme).fit(X, y).support_.tolist() == [0, 4]


def test_too_few_are_told():
    y = np.array([0, 1]*20)
    with pytest.warns(UserWarning, match="only 1 feature can be of use, fewer than n_features_to_select=2"):
        fitted = MRMR(2).fit(np.c_[y, y, 1-y]+0., y)
    assert fitted.stop_reason_ == "nothing_left" and fitted.support_.tolist() == [0]


def test_one_that_settles_y_comes_first():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 40)
    X = np.c_[rng.standard_normal((40, 5)), y]
    fitted = MRMR(2).fit(X, y)
    assert np.isinf(fitted.scores_).tolist() == [False]*5+[True]
    assert fitted.support_[0] == 5 and np.isfinite(fitted.scores_[fitted.support_[1]])



@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_sample_a_class():
    X = np.random.default_rng(0).standard_normal((3, 5))
    assert MRMR(2).fit(X, [0, 1, 2]).support_[0] == 0
