"SVM-RFE: scikit-learn's RFE, the kernel's machine, brute force, chunks."
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import SVMRFE, naive
from fsnb.embedded.svm_rfe import Eliminator, _count_dropped, _eliminate, _fit_kernel_svm

EXACT = dict(dual=False, intercept_scaling=1e4, tol=1e-14, max_iter=10**6)     # its constant is as good as free


def made(seed, n=40, p=15, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    return rng.standard_normal((n, p))+np.outer(y, rng.standard_normal(p)*(rng.random(p) < .4)), y


@parametrize_with_checks([SVMRFE(2)])
def test_estimator(estimator, check): check(estimator)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("C", [.01, 1., 100.])
def test_kernel_machine_is_linear_svc(seed, C):
    X, y = made(seed, 20+seed, 60)
    signs = 2.*y-1
    beta, constant = _fit_kernel_svm(X@X.T, signs, C, np.zeros(len(y)))
    outputs = X@X.T@beta+constant
    slack = np.maximum(1-signs*outputs, 0)
    np.testing.assert_allclose(beta, 2*C*signs*slack, atol=1e-7*max(1, abs(beta).max()))  # stationarity
    assert (signs*beta >= -1e-9).all() and abs(beta.sum()) < 1e-9*abs(beta).max()     # the constant is free


@pytest.mark.parametrize("n, p, classes", [(30, 40, 2), (30, 40, 3), (60, 12, 2), (60, 12, 3)])
def test_is_rfe(n, p, classes):
    "The whole ranking of scikit-learn's, one feature a step, whichever machine is used"
    for seed in range(2):
        X, y = made(seed, n, p, classes)
        theirs = RFE(LinearSVC(**EXACT), n_features_to_select=3, step=1).fit(X, y)
        ours = SVMRFE(3, step=1, standardize=False, tol=1e-10, max_iter=10**6).fit(X, y)
        np.testing.assert_array_equal(np.sort(ours.support_), np.flatnonzero(theirs.support_))
        np.testing.assert_array_equal(np.argsort(ours.ranking_)[3:], np.argsort(theirs.ranking_, kind="stable")[3:])
        np.testing.assert_allclose(ours.coef_[:, np.sort(ours.support_)], theirs.estimator_.coef_, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n, p, k", [(40, 60, 10), (80, 30, 10), (300, 10, 5)])
@pytest.mark.parametrize("settings", [{}, dict(standardize=False)], ids=["standardised", "as they are"])
def test_a_constant_added_to_columns_changes_nothing(n, p, k, settings):
    "Once: the constant was penalised, and all 25 sets of 40 by 60 changed, 20 of 80 by 30"
    for seed in range(6):
        X, y = made(seed, n, p)
        added = np.random.default_rng(seed).standard_normal(p)
        plain, moved = (SVMRFE(k, **settings).fit(Z, y) for Z in (X, X+added))
        np.testing.assert_array_equal(plain.support_, moved.support_)
        np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=.02, atol=.02*abs(plain.coef_).max())
        sparse = SVMRFE(k, **settings).fit(sp.csr_matrix(X+added), y)
        np.testing.assert_array_equal(plain.support_, sparse.support_)


def test_is_the_letter():
    X, y = made(3, 50, 9)
    weigh = lambda Z, y: LinearSVC(**EXACT).fit(Z, y).coef_[0]
    order = _eliminate(Eliminator(X, y, tol=1e-10, max_iter=10**6), 1, 1)[0]
    assert order.tolist() == naive.svm_rfe(X, y, weigh)


@pytest.mark.parametrize("sparse", [False, True])
def test_kernel_is_corrected(sparse):
    "After any drops the kernel is that of the columns left"
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 200))*(rng.random((20, 200)) < .3)
    machine = Eliminator(sp.csc_matrix(X) if sparse else X, np.arange(20) % 2)
    left = np.arange(200)
    while len(left) > 25:
        machine.fit()
        kept = np.ones(len(left), dtype=bool)
        kept[rng.choice(len(left), int(rng.integers(1, len(left)//3)), replace=False)] = False
        left = left[kept]
        machine.keep(kept)
        if machine.kernel is not None: np.testing.assert_allclose(machine.kernel, X[:, left]@X[:, left].T, atol=1e-10)


def test_dense_is_sparse():
    X, y = made(1, 40, 100)
    X *= np.random.default_rng(0).random(X.shape) < .3
    for step in (1, .2, 7):
        dense, sparse = (SVMRFE(5, step=step).fit(some, y) for some in (X, sp.csr_matrix(X)))
        np.testing.assert_array_equal(dense.ranking_, sparse.ranking_)


def test_steps():
    assert [_count_dropped(100, 10, s) for s in (.1, .5, .99, 3, 1000)] == [10, 50, 90, 3, 90]
    X, y = made(0, 40, 30)
    for step in (1, 4, .3):
        fitted = SVMRFE(6, step=step).fit(X, y)
        assert len(fitted.support_) == 6 and sorted(fitted.ranking_) == list(range(1, 31))
        assert fitted.ranking_[fitted.support_].tolist() == list(range(1, 7))
        assert np.count_nonzero(fitted.scores_) == 6


def test_constants_come_last():
    X, y = made(0)
    X[:, 4] = 7
    with pytest.warns(UserWarning, match="1 constant column is never selected"): fitted = SVMRFE(3).fit(X, y)
    assert fitted.ranking_[4] == 15 and fitted.scores_[4] == 0


@pytest.mark.parametrize("wrong, sentence", [
    (dict(step=0.), "step must lie in .0, 1., got 0.0"), (dict(step=0), "step must be a whole number"),
    (dict(C=-1), "C must lie in .1e-50, 1e50., got -1"), (dict(standardize="no"), "standardize must be one of")])
def test_refusals(wrong, sentence):
    X, y = made(0)
    with pytest.raises(ValueError, match=sentence): SVMRFE(3, **wrong).fit(X, y)


@pytest.mark.parametrize("storage", [np.asarray, sp.csc_matrix])
def test_equal_weights_go_from_the_end(storage):
    "Columns of one entry each are alike: rounding said which went"
    X, y = np.eye(60)[:, :12], np.arange(60) > 29
    fitted = SVMRFE(3, step=.3).fit(storage(X), y)
    assert fitted.support_.tolist() == [0, 1, 2] and fitted.ranking_.tolist() == list(range(1, 13))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, bool, np.float32])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_whole_numbers_are_added_up_as_numbers(dtype, store):
    "Once: products of the samples were made in the type of X, and a sum did not fit into it"
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2 if dtype is bool else 99, (40, 100)), rng.integers(0, 2, 40)
    for settings in (dict(standardize=False), {}):
        whole, plain = (SVMRFE(5, **settings).fit(store(X.astype(kind)), y).support_ for kind in (dtype, float))
        np.testing.assert_array_equal(whole, plain)


@pytest.mark.parametrize("seed", range(4))
def test_dense_and_sparse_take_the_same_way(seed):
    "Once: few stored entries sent sparse columns to LIBLINEAR and the same array to the kernel"
    rng = np.random.default_rng(seed)
    X = ((rng.random((150, 250)) < .15)*rng.integers(1, 9, (150, 250))).astype(float)
    y = rng.integers(0, 3, 150)
    for c in range(3):
        X[:, c*10] = (y == c)*3*(rng.random(150) < .85)
        for j in range(1, 4): X[:, c*10+j] = X[:, c*10]*(rng.random(150) < .93)
    dense, sparse = (SVMRFE(5, max_iter=100_000).fit(A, y).support_ for A in (X, sp.csr_matrix(X)))
    np.testing.assert_array_equal(dense, sparse)
