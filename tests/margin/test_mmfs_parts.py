"The parts of MMFS: from gamma to k, relevance by definition, who is ranked first"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin.candidates import _rank_features
from fsnb.margin.gamma import _largest_gamma, _walk_gamma
from fsnb.margin.similarity import _KERNELS, FeatureKernel
from fsnb.margin.working_set import solve_mmfs
from margin_cases import grouped

pytestmark = pytest.mark.filterwarnings("ignore:.*says little", "ignore:.*constant column", "ignore:similarity=")


def test_largest_gamma_is_where_the_first_is_alone():
    for seed in range(20):
        X, y = grouped(seed)
        r, _ = correlation_with(X, y)
        K = FeatureKernel(X)
        g = _largest_gamma(K, r)
        assert (solve_mmfs(K, r, g*1.001).beta > 0).sum() == 1
        if g > 0: assert (solve_mmfs(K, r, g*.99).beta > 0).sum() > 1


@pytest.mark.parametrize("kernel", _KERNELS)
def test_walk_gives_k(kernel):
    for seed in range(4):
        X, y = grouped(seed, 60, 100)
        r, sign = correlation_with(X, y)
        for k in (1, 2, 7, 15):
            g, found = _walk_gamma(FeatureKernel(X, kernel, sign=None if kernel == "poly2" else sign), r, k)
            count = (found.beta > 0).sum()
            assert count >= k or g < 2e-6
            if kernel == "poly2": assert count == k
            again = solve_mmfs(FeatureKernel(X, kernel, sign=None if kernel == "poly2" else sign), r, g)
            assert np.allclose(again.beta, found.beta, atol=1e-7)


def test_ranking_by_weight_then_gradient_then_index():
    beta = np.array([0, .5, 0, .5, 0, .7, 0])
    G = np.array([.3, 0, .1, 0, .1, 0, -5.])
    free = np.array([1, 1, 1, 1, 1, 1, 0], bool)
    assert _rank_features(beta, G, free).tolist() == [5, 1, 3, 2, 4, 0, 6]


def test_relevance_by_definition():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((90, 12))
    y = rng.integers(0, 4, 90)
    X[:, :3] += y[:, None]
    r, sign = correlation_with(X, y)
    Z = np.eye(4)[y]
    fit = Z@np.linalg.lstsq(Z, X-X.mean(0), rcond=None)[0]
    assert sign is None and np.allclose(r**2, (fit**2).sum(0)/((X-X.mean(0))**2).sum(0))
    for target in (y > 1, rng.standard_normal(90)):
        r, sign = correlation_with(sp.csc_matrix(X), target)
        want = [np.corrcoef(x, target)[0, 1] for x in X.T]
        assert np.allclose(r*sign, want)


def test_mutual_information_by_definition():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (500, 5)).astype(float), rng.integers(0, 3, 500)
    X[:, 0] = y
    info = SymmetricalUncertainty(binning="none").fit(as_columns(X))
    def bits(a): return naive.entropy(list(a))
    want = [bits(x)+bits(y)-bits(x*10+y) for x in X.T]
    assert np.allclose(info.information(y), want)
    assert info.information(rng.standard_normal(500)).max() < .2
