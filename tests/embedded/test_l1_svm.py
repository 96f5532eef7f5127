"L1SVM: scikit-learn's LinearSVC of the same columns, a number of features by bisection, dense is sparse."
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import L1SVM
from fsnb.data.inputs import as_columns
from fsnb.embedded.l1_svm import SVMWeights, _find_cost, _round_scale, _scale_columns


def made(seed=0, n=80, p=40, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.standard_normal((n, p))*(rng.random((n, p)) < .5)*rng.choice([.1, 1, 10], p)
    X[:, :3] += np.outer(y, [1, -1, 2])*X.std(0)[:3]
    return X, y


@parametrize_with_checks([L1SVM(2)])
def test_estimator(estimator, check): check(estimator)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("C", [.01, .3])
def test_is_linear_svc(C, standardize, classes):
    X, y = made(classes=classes)
    scale = _round_scale(X.std(0)) if standardize else np.ones(X.shape[1])
    shift = X.mean(0)*(np.abs(X.mean(0)) > scale)*standardize
    peer = LinearSVC(penalty="l1", dual=False, C=C, intercept_scaling=1000, random_state=0).fit((X-shift)/scale, y)
    ours = L1SVM(None, C=C, standardize=standardize).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_/scale, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_-peer.coef_/scale@shift, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(np.sort(ours.support_), np.flatnonzero(peer.coef_.any(0)))
    np.testing.assert_allclose(ours.scores_, np.linalg.norm(peer.coef_, axis=0), rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_as_many_as_wanted(seed):
    X, y = made(seed)
    for k in (1, 4, 11):
        fitted = L1SVM(k).fit(X, y)
        assert len(fitted.support_) == k <= fitted.n_nonzero_
        again = L1SVM(None, C=fitted.C_).fit(X, y)
        np.testing.assert_array_equal(again.coef_, fitted.coef_)


def test_bisection_says_what_it_got():
    "Counts that jump over what is wanted, and that never reach it"
    seen = []
    def fit(C):
        seen.append(C)
        return SVMWeights(np.ones((1, 10))*(np.arange(10) < 5*(C > 3)), np.zeros(1), C)
    assert _find_cost(fit, .1, 3).count == 5 and _find_cost(fit, .1, 5).count == 5
    assert _find_cost(fit, .1, 7).count == 5 and len(seen) < 80


def test_fewer_have_a_weight():
    X = np.c_[[0., 1]*20, np.ones(40)*2]
    with pytest.warns(UserWarning, match="only 1 feature can be of use"): fitted = L1SVM(2).fit(X, [0, 1]*20)
    assert fitted.support_.tolist() == [0] and fitted.stop_reason_ == "nothing_left"


def test_dense_is_sparse():
    X, y = made(1)
    for k in (1, 5):
        dense, sparse = (L1SVM(k).fit(some, y) for some in (X, sp.csr_matrix(X)))
        np.testing.assert_array_equal(dense.support_, sparse.support_)
        np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-6, atol=1e-9)


def test_far_columns_lose_their_mean():
    X, y = made(2)
    far = X+1e7*(np.arange(40) == 1)*X.std(0)
    for some in (far, sp.csc_matrix(far)):
        seen = _scale_columns(as_columns(some))
        assert (seen.shift != 0).tolist() == (np.arange(40) == 1).tolist()
        centred = X-X.mean(0)*(np.arange(40) == 1)
        near, fitted = L1SVM(None, C=.1).fit(centred, y), L1SVM(None, C=.1).fit(some, y)
        np.testing.assert_allclose(fitted.coef_, near.coef_, rtol=1e-5, atol=1e-7)
        outputs = far@fitted.coef_[0]+fitted.intercept_[0]
        np.testing.assert_allclose(outputs, centred@near.coef_[0]+near.intercept_[0], atol=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_what_is_added_to_all_columns_changes_nothing(sparse):
    "The constant is as good as free: with LIBLINEAR's own penalty on it other columns came in"
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.arange(100) % 2
        X = rng.standard_normal((100, 20))
        X[:, :3] += np.outer(y, [1.5, 1.2, -.8])
        fits = [L1SVM(3, max_iter=10**5).fit(sp.csc_matrix(X+c) if sparse else X+c, y) for c in (0, .3, 3, 30, 900, 1100)]
        for fitted in fits[1:]:
            np.testing.assert_array_equal(fitted.support_, fits[0].support_)
            np.testing.assert_allclose(fitted.coef_, fits[0].coef_, rtol=.02, atol=1e-3)


def test_no_column_goes_with_y():
    X = np.array([[0., 0], [0, 1], [1, 0], [1, 1]]*5)
    with pytest.raises(ValueError, match="X must have a column that goes with y, but none does"): L1SVM(1).fit(X, [0, 1, 1, 0]*5)


def test_sparse_is_not_made_dense():
    X = sp.random(50, 3000, .01, format="csc", random_state=0)
    seen = _scale_columns(as_columns(X))
    assert sp.issparse(seen.X) and seen.X.nnz == X.nnz


@pytest.mark.parametrize("wrong, sentence", [
    (dict(C=0), "C must be None or lie in .0, inf., got 0"),
    (dict(n_features_to_select=None), "n_features_to_select must be a whole number where C is None"),
    (dict(tol=-1), "tol must lie in .0, inf., got -1"),
    (dict(max_iter=0), "max_iter must be a whole number"),
    (dict(standardize=2), "standardize must be one of True, False, got 2")])
def test_refusals(wrong, sentence):
    X, y = made()
    with pytest.raises(ValueError, match=sentence): L1SVM(**wrong).fit(X, y)


def wide(seed=0, classes=2, n=90, p=1500):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.standard_normal((n, p))*(rng.random((n, p)) < .3)
    X[:, :4] += np.outer(y, [1, -1, 2, .5])
    return X, y


@pytest.mark.parametrize("C", [.03, .3, 3.])
@pytest.mark.parametrize("classes", [2, 3])
def test_few_columns_at_a_time(classes, C):
    "The weights of LIBLINEAR on all columns, and no column without a weight pulls beyond 1"
    X, y = wide(classes=classes)
    exact = dict(tol=1e-7, max_iter=10**6)
    peer = LinearSVC(penalty="l1", dual=False, C=C, intercept_scaling=1000, random_state=0, **exact).fit(X, y)
    dense, sparse = (L1SVM(None, C=C, standardize=False, **exact).fit(some, y) for some in (X, sp.csc_matrix(X)))
    largest = np.abs(peer.coef_).max()
    np.testing.assert_allclose(dense.coef_, peer.coef_, atol=1e-3*largest)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-3*largest)
    np.testing.assert_allclose(dense.intercept_, peer.intercept_, atol=1e-3*largest)
    for k, (w, b) in enumerate(zip(dense.coef_, dense.intercept_)):
        signs = np.where(y == (1 if classes == 2 else k), 1, -1)
        pulls = 2*C*np.abs(X.T@(signs*np.maximum(1-signs*(X@w+b), 0)))
        assert pulls.max() <= 1+1e-4 and np.abs(pulls[w != 0]-1).max(initial=0) < 1e-3


def test_liblinear_sees_few_columns(monkeypatch):
    X, y = wide(1)
    fit, seen = LinearSVC.fit, []
    def watched(self, X, y):
        seen.append(X.shape[1])
        return fit(self, X, y)
    monkeypatch.setattr(LinearSVC, "fit", watched)
    L1SVM(5).fit(X, y)
    assert max(seen) <= 400 < X.shape[1]


@pytest.mark.parametrize("C", [1e-300, 1e300])
def test_costs_beyond_reason(C):
    "Where a product is no number, LIBLINEAR gets all columns"
    X, y = wide(2, n=40, p=600)
    peer = LinearSVC(penalty="l1", dual=False, C=C, intercept_scaling=1000, random_state=0).fit(X*1e10, y)
    ours = L1SVM(1, C=C, standardize=False)
    if C < 1:
        with pytest.warns(UserWarning, match="only 0 features can be of use"): ours.fit(X*1e10, y)
    else: ours.fit(X*1e10, y)
    np.testing.assert_array_equal(ours.coef_, peer.coef_)
