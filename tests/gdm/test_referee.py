"cvxpy says the same three ways, and refuses what it must"
import numpy as np
import pytest

from fsnb import naive
from fsnb.gdm.referee import solve_cvxpy
from fsnb.gdm.restricted import solve_restricted
from machine_cases import medium


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_three_forms_of_the_referee(fit_intercept):
    Z, y = medium(3, n=40, d=8)
    cuts, A = [np.arange(0, 5), np.arange(3, 8)], y[:, None]*Z
    p, g, d = (solve_cvxpy(A, cuts, .5, fit_intercept, form, y=y) for form in ("primal", "gamma", "dual"))
    assert np.isclose(p.theta, d.value, rtol=1e-6) and np.isclose(g.value, -d.value, rtol=1e-6)
    assert np.isclose(g.margin, 2*d.value, rtol=1e-5)
    norms = np.array([np.linalg.norm(w) for w in p.weights])
    assert np.allclose(norms/norms.sum(), d.kernel_weights, atol=1e-4)
    r = solve_restricted(Z, y, cuts, C=.5, fit_intercept=fit_intercept, tol=1e-9)
    assert np.isclose(r.theta, d.value, rtol=1e-6)
    assert np.allclose(r.kernel_weights, d.kernel_weights, atol=1e-4)


def test_machine_primal_is_minus_the_dual_of_one_mask():
    Z, y = medium(4, n=30, d=5)
    g = solve_cvxpy(y[:, None]*Z, [np.arange(5)], .5, form="gamma")
    assert np.isclose(naive.machine_primal(g.weights[0], g.margin, Z, y, np.ones(5), .5), g.value, rtol=1e-6)
    assert np.isclose(-naive.g_delta(g.alpha, Z, y, np.ones(5), .5), g.value, rtol=2e-4)      # prices of cvxpy 1.5 are good to 8e-5


def test_referee_refuses():
    with pytest.raises(ValueError, match="form must be"): solve_cvxpy(np.ones((2, 1)), [[0]], 1., form="both")
    with pytest.raises(ValueError, match="fit_intercept needs y"): solve_cvxpy(np.ones((2, 1)), [[0]], 1., fit_intercept=True)
    with pytest.raises(RuntimeError, match="no solver of cvxpy"):
        solve_cvxpy(np.ones((2, 1)), [[0]], 1., routes=[dict(solver="SCS", max_iters=1, eps_abs=1e-12, eps_rel=1e-12)])


def test_machines_by_hand():
    X, y = np.array([[1., 0], [0, 2]]), np.array([1., -1])
    assert naive.g_delta([.5, .5], X, y, [1, 1], 2.) == pytest.approx((.25+1)/2+.5/4)
    assert naive.reduced_dual([.5, .5], X, y, [[1, 0], [0, 1]], 2.) == pytest.approx(.5+.125)
    assert naive.machine_primal([1., 0], .5, X, y, [1, 1], 2.) == pytest.approx(-.5+.5+.25)
    assert naive.reduced_primal([[1., 0], [0, -1.]], X, y, [[1, 0], [0, 1]], 2.) == pytest.approx(2.)
