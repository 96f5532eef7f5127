"The certificate against the loops of fsnb.naive"
import numpy as np
import pytest

from fsnb import naive
from fsnb.gdm.certificate import restricted_gap
from machine_cases import case, spread_out


@pytest.mark.parametrize("seed", range(40))
def test_certificate_equals_the_loops(seed):
    X, y, cuts, kw, Z = case(seed)
    r = np.random.default_rng(seed)
    weights = [r.standard_normal(len(c))/Z.shape[1]/max(np.abs(Z).max(), 1) for c in cuts]
    c = restricted_gap(X, y, cuts, weights, **kw)
    full, deltas = spread_out(weights, cuts, Z.shape[1])
    assert np.isclose(c.objective, naive.reduced_primal(full, Z, y, deltas, kw["C"], c.intercept), rtol=1e-9)
    assert np.isclose(c.theta, naive.reduced_dual(c.alpha, Z, y, deltas, kw["C"]), rtol=1e-8)
    assert c.alpha.min() >= 0 and np.isclose(c.alpha.sum(), 1)
    assert np.isclose(c.gap, 1-1/(4*c.theta*c.objective)) and c.gap >= 0
    if kw["fit_intercept"]:
        assert abs(y@c.alpha) < 1e-10
        for step in (-.1, -1e-3, 1e-3, .1):
            assert naive.reduced_primal(full, Z, y, deltas, kw["C"], c.intercept+step) >= c.objective*(1-1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_any_weights_lie_above_any_alpha(seed):
    X, y, cuts, kw, Z = case(seed)
    kw["fit_intercept"] = False
    r, deltas = np.random.default_rng(seed), spread_out([np.ones(len(c)) for c in cuts], cuts, Z.shape[1])[1]
    objectives = [restricted_gap(X, y, cuts, [s*r.standard_normal(len(c)) for c in cuts], **kw).objective for s in (1e-3, .1)]
    thetas = [naive.reduced_dual(r.dirichlet(np.ones(len(y))), Z, y, deltas, kw["C"]) for _ in range(3)]
    assert min(objectives) >= 1/(4*min(thetas))


def test_weights_without_any_hinge_still_get_a_certificate():
    X, y = np.array([[3.], [2.], [-4.]]), np.array([1., 1., -1.])
    c = restricted_gap(X, y, [[0]], [np.array([10.])])
    assert c.objective == 50 and np.allclose(c.alpha, [.25, .25, .5])
    assert np.isclose(c.theta, naive.reduced_dual(c.alpha, X, y, [[1.]], 1.))
    assert 0 < c.gap < 1
