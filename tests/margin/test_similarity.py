"Columns that a similarity keeps, and those that are far from zero"
import numpy as np, scipy.sparse as sp

from fsnb.margin.similarity import FeatureKernel
from margin_cases import sparse_data

def test_kernel_keeps_half_of_X_at_most():
    X = np.random.default_rng(0).standard_normal((64, 300))
    K = FeatureKernel(X)
    K.apply(np.arange(100), np.ones(100))
    assert 0 < sum(column.nbytes for column in K.kept.values()) <= X.nbytes/2
    want = (np.corrcoef(X.T)**2)[:, 50:120].sum(1)
    assert np.allclose(K.apply(np.arange(50, 120), np.ones(70)), want)

def test_far_columns_keep_the_exact_way():
    X, _ = sparse_data(0)
    far = sp.hstack([X, 1e4+np.random.default_rng(0).random((60, 1))], format="csc")
    assert FeatureKernel(X).goes_by_rows and not FeatureKernel(far).goes_by_rows
