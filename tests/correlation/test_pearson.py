"Tables of correlations against fsnb.naive"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.pearson import Pearson, correlation_table
from fsnb.data.adapters import as_columns
from measures import STORES


@pytest.mark.parametrize("store", STORES)
def test_table_equals_naive(store):
    for seed in range(60):
        r = np.random.default_rng(seed)
        n, p = int(r.integers(2, 25)), int(r.integers(1, 9))
        X = (r.integers(-3, 4, (n, p))*(r.random((n, p)) < r.uniform(.2, 1))).astype(float)
        X[:, 0] = seed % 2
        c = as_columns(STORES[store](X))
        a, b = r.integers(p, size=r.integers(1, 6)), r.integers(p, size=r.integers(1, 6))
        want = [[np.nan_to_num(naive.pearson(X[:, j], X[:, k])) for k in b] for j in a]
        got = correlation_table(c, a, b)
        assert got.shape == (len(a), len(b)) and got.dtype == np.float64 and isinstance(got, np.ndarray)
        np.testing.assert_allclose(got, want, atol=1e-12)
        assert np.abs(got).max() <= 1
        np.testing.assert_array_equal(correlation_table(c, a), correlation_table(c, a, a))
        np.testing.assert_allclose(correlation_table(c, b, a), got.T, atol=1e-13)
        np.testing.assert_allclose(correlation_table(c, range(p)), c.correlations(range(p)), atol=1e-10)


@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_no_columns_give_an_empty_table(make):
    c = as_columns(make(np.eye(4)))
    assert correlation_table(c, []).shape == (0, 0) and correlation_table(c, [1, 2], []).shape == (2, 0)
    with pytest.raises(IndexError): correlation_table(c, [4])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.float32])
@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_products_of_short_numbers_do_not_overflow(make, dtype):
    X = np.random.default_rng(0).integers(0, 120, (200, 5)).astype(dtype)
    np.testing.assert_allclose(correlation_table(as_columns(make(X)), range(5)), np.corrcoef(X.T.astype(float)), atol=1e-12)


@pytest.mark.parametrize("shift", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_means_far_above_the_deviation(make, shift):
    r = np.random.default_rng(0)
    X = np.rint(8*r.standard_normal((100, 6)))/8
    X[:, 5] = -X[:, 0]
    got = correlation_table(as_columns(make(X+shift)), range(6))
    np.testing.assert_allclose(got, np.corrcoef(X.T), atol=3e-15*shift+1e-11)
