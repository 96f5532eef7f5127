"Similarities by definition, products by columns and by rows, relevance, and who is eligible"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.data.inputs import as_columns
from fsnb.margin.similarity import (FeatureKernel, InformationKernel, LowRankKernel, _find_eligible,
                                    _keep_digits, _KERNELS, _most_relevant_copy, _product_by_rows,
                                    _rank_features)
from margin_cases import grouped, similarity, sparse_data

pytestmark = pytest.mark.filterwarnings("ignore:.*is biased upward")

@pytest.mark.parametrize("kernel", _KERNELS)
@pytest.mark.parametrize("turned", [False, True])
def test_kernel_equals_the_definition(kernel, turned):
    for seed in range(3):
        X, y = grouped(seed, 30, 25)
        X[:, 7] = 3
        sign = np.where(np.random.default_rng(seed).random(25) < .5, -1., 1.) if turned else None
        Q, varies = similarity(X, kernel, .7, sign), np.arange(25) != 7
        for x in (X, sp.csc_matrix(X), np.asfortranarray(X), X.astype(np.float32)):
            K = FeatureKernel(x, kernel, .7, sign)
            tol = 1e-5 if x.dtype == np.float32 else 1e-10
            assert np.allclose(K.table([1, 5, 20]), Q[np.ix_([1, 5, 20], [1, 5, 20])], atol=tol)
            for step in range(4):                      # columns are kept, dropped, asked for again
                rng = np.random.default_rng(step)
                a = rng.choice(np.flatnonzero(varies), 3+4*step, replace=False)
                w = rng.random(len(a))
                assert np.allclose(K.apply(a, w)[varies], (Q[:, a]@w)[varies], atol=tol)

def test_kernel_keeps_half_of_X_at_most():
    X = np.random.default_rng(0).standard_normal((64, 300))
    K = FeatureKernel(X)
    K.apply(np.arange(100), np.ones(100))
    assert 0 < sum(column.nbytes for column in K.kept.values()) <= X.nbytes/2
    want = similarity(X, "poly2")[:, 50:120].sum(1)
    assert np.allclose(K.apply(np.arange(50, 120), np.ones(70)), want)

@pytest.mark.parametrize("kernel", ["poly2", "abs"])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_products_by_rows_are_those_of_the_table(seed, signed, kernel):
    X, _ = sparse_data(seed, dtype=np.float32 if seed % 2 else np.float64, signed=signed)
    columns, rng = as_columns(X), np.random.default_rng(seed)
    a = np.sort(rng.choice(X.shape[1], 30, replace=False))
    weights = rng.standard_normal(30)
    Q = similarity(X.toarray().astype(float), kernel)
    found = FeatureKernel(columns, kernel).apply(a, weights)
    np.testing.assert_allclose(found, Q[:, a]@weights, atol=1e-7 if seed % 2 else 1e-12)
    np.testing.assert_array_equal(found, _product_by_rows(columns, a, weights, kernel == "poly2"))

def test_far_columns_keep_the_exact_way():
    X, _ = sparse_data(0)
    far = sp.hstack([X, 1e4+np.random.default_rng(0).random((60, 1))], format="csc")
    assert _keep_digits(as_columns(X)) and not _keep_digits(as_columns(far))

def test_information_by_definition():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (300, 6)).astype(float), rng.integers(0, 3, 300)
    X[:, 3], X[:, 5] = X[:, 0], y
    def h(*cols): return naive.entropy(list(map(tuple, np.stack(cols, 1))))
    def shared(a, b): return h(a)+h(b)-h(a, b)
    want = np.array([[shared(a, b) for b in X.T] for a in X.T])
    for x in (X, sp.csc_matrix(X)):
        measure = SymmetricalUncertainty(binning="none").fit(as_columns(x))
        K = InformationKernel(measure)
        assert np.allclose(K.table(np.arange(6)), want)
        assert np.allclose(measure.information(y), [shared(a, y) for a in X.T])
        for part in (K, K.restrict(np.arange(6))):
            found = part.apply(np.array([1, 4]), np.array([.3, .7]))
            assert np.allclose(found, want[:, [1, 4]]@[.3, .7])

def test_nystrom_is_the_projection():
    X, _ = grouped(0, 40, 50)
    Q, sample = np.corrcoef(X.T)**2, np.arange(0, 50, 5)
    inner, K = Q[np.ix_(sample, sample)], LowRankKernel(FeatureKernel(X), sample)
    want = Q[:, sample]@np.linalg.pinv(inner)@Q[sample]
    assert np.allclose(K.table(np.arange(50)), want) and np.allclose(K.table(sample), inner)
    assert np.allclose(K.apply(np.array([3, 9]), np.array([1., 2.])), want[:, [3, 9]]@[1, 2])

def test_who_is_eligible():
    X, _ = grouped(1, 30, 6)
    X[:, 3], X[:, 5] = 4., -X[:, 1]
    columns = as_columns(X)
    found = _find_eligible(columns, np.array([1, 6, 3, 4, 5, 2.]))
    assert found.free.tolist() == [True, True, True, False, True, False]
    assert found.first.tolist() == [0, 1, 2, 3, 4, 1]
    assert found.relevance.tolist() == [1, 6, 3, 0, 5, 0]
    assert _find_eligible(columns, np.arange(1., 7)).first.tolist() == [0, 5, 2, 3, 4, 5]
    assert _find_eligible(columns, np.ones(6), signed=True).free.sum() == 5
    first = np.array([0, 1, 0, 1, 4, 0])
    for given, want in (([1, 1, 1, 1, 0, 1], [0, 1, 0, 1, 4, 0]),
                        ([1, 1, 3, 1+1e-13, 0, 3], [2, 1, 2, 1, 4, 2])):
        assert _most_relevant_copy(first, np.array(given)*1.).tolist() == want

def test_ranking_by_weight_then_gradient_then_index():
    beta, G = np.array([0, .5, 0, .5, 0, .7, 0]), np.array([.3, 0, .1, 0, .1, 0, -5.])
    assert _rank_features(beta, G, np.arange(7) < 6).tolist() == [5, 1, 3, 2, 4, 0, 6]
    G = np.array([2e-17, -1e-17, 0])
    assert _rank_features(np.ones(3), G, np.full(3, True), size=.8).tolist() == [0, 1, 2]
