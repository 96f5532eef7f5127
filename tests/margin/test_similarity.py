"Similarities of features: the kernels by definition, and what is kept of them"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb.margin.similarity import _KERNELS, FeatureKernel
from margin_cases import grouped, similarity


@pytest.mark.parametrize("kernel", _KERNELS)
@pytest.mark.parametrize("turned", [False, True])
def test_kernel_equals_the_definition(kernel, turned):
    for seed in range(6):
        X, y = grouped(seed, 30, 25)
        X[:, 7] = 3
        sign = np.where(np.random.default_rng(seed).random(25) < .5, -1., 1.) if turned else None
        Q = similarity(X, kernel, .7, sign)
        varies = np.arange(25) != 7
        for x in (X, sp.csc_matrix(X), np.asfortranarray(X), X.astype(np.float32)):
            K = FeatureKernel(x, kernel, .7, sign)
            rtol = 1e-5 if x.dtype == np.float32 else 1e-10
            assert np.allclose(K.table([1, 5, 20])[:, :], Q[np.ix_([1, 5, 20], [1, 5, 20])], atol=rtol)
            for step in range(4):                                  # columns are kept, dropped, asked for again
                a = np.random.default_rng(step).choice(np.flatnonzero(varies), 3+4*step, replace=False)
                w = np.random.default_rng(step+1).random(len(a))
                assert np.allclose(K.apply(a, w)[varies], (Q[:, a]@w)[varies], atol=rtol)


def test_kernel_keeps_half_of_X_at_most():
    X = np.random.default_rng(0).standard_normal((64, 300))
    K = FeatureKernel(X)
    K.apply(np.arange(100), np.ones(100))
    assert K.cache.values.nbytes <= X.nbytes/2
    assert np.allclose(K.apply(np.arange(50, 120), np.ones(70)), similarity(X, "poly2")[:, 50:120].sum(1))
