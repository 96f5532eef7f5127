"Coordinate descent: near copies, precision"
import numpy as np

from fsnb.correlation.target import correlation_with
from fsnb.margin.descent import solve_dcd
from fsnb.margin.similarity import FeatureKernel
from margin_cases import grouped

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
