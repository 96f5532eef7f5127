"Coordinate descent against the working set: dense and sparse, bounds, shrinking, far from zero"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin.descent import solve_dcd
from fsnb.margin.mmfs_dual import solve_mmfs
from fsnb.margin.similarity import FeatureKernel
from margin_cases import grouped

@pytest.mark.parametrize("shrink, C", [(True, np.inf), (True, .05), (False, .05)])
def test_descent_equals_working_set(shrink, C):
    for seed in range(2):
        X, y = grouped(seed, 30, 60)
        X[:, 4] = 1
        r, sign = correlation_with(X, y)
        whole = FeatureKernel(X, "linear", sign=sign)
        want = solve_mmfs(whole, r, .1, C, tol=1e-12, free=~as_columns(X).constant)
        for x in (X, np.asfortranarray(X, dtype=np.float32), sp.csc_matrix(X)):
            K = FeatureKernel(x, "linear", sign=sign)
            close = 1e-4 if x.dtype == np.float64 else 1e-3
            d = solve_dcd(K, r, .1, C, tol=1e-9, shrink=shrink)
            assert d.gap <= 1e-9 and np.abs(d.beta-want.beta).max() < close
            if x.dtype == np.float64: assert d.objective == pytest.approx(want.objective, rel=1e-8)
            warm = solve_dcd(K, r, .1, C, tol=1e-8, start=d.beta, shrink=shrink)
            assert warm.n_iter <= 2 and warm.gap <= 1e-8

def test_what_was_shrunk_comes_back():
    for seed in range(3):
        X, y = grouped(seed, 12, 300)
        r, sign = correlation_with(X, y)
        d = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .01, .02, tol=1e-8, max_iter=3000)
        assert d.gap <= 1e-8 and d.n_iter < 3000

def test_near_copies_are_slow_and_shrinking_is_given_up_before_precision_is_blamed():
    for seed in range(2):
        X, y = grouped(seed, 30, 60)
        r, sign = correlation_with(X, y)
        found = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .05, tol=1e-18, max_iter=20000)
        assert found.gap < 1e-13 and found.stop_reason in ("precision", "gap")
    X = np.c_[X[:, :20], X[:, :20]+.01*np.random.default_rng(0).standard_normal((30, 20))]
    r, sign = correlation_with(X, y)
    found = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .1, tol=1e-9, max_iter=20000)
    assert found.stop_reason == "gap" and found.n_iter > 200
