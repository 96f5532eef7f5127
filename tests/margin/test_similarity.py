"Similarities by definition; products by columns and by rows"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb.data.inputs import as_columns
from fsnb.margin.similarity import (FeatureKernel, _keep_digits, _KERNELS, _product_by_rows)
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
