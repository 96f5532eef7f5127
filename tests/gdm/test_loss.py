"The loss and its face: intercept, pull, and a second loss that needs nothing else"
import numpy as np
import pytest

from fsnb.gdm.certificate import restricted_gap
from fsnb.gdm.loss import SquaredHinge, _best_intercept
from fsnb.gdm.restricted import solve_restricted
from machine_cases import medium


def naive_intercept(r, y):
    "Minimiser of sum (y (r - b))_+^2 by trying every piece between sorted breakpoints"
    candidates = list(r)
    ends = np.concatenate([[-np.inf], np.sort(r), [np.inf]])
    for lo, hi in zip(ends, ends[1:]):
        middle = np.clip((lo+hi)/2 if np.isfinite(hi-lo) else (lo+1 if np.isfinite(lo) else hi-1), -1e9, 1e9)
        active = y*(r-middle) > 0
        if active.any(): candidates.append(r[active].mean())
    return min((np.maximum(y*(r-b), 0)**2).sum() for b in candidates)


@pytest.mark.parametrize("kind", ["normal", "ties", "heavy tails"])
def test_best_intercept_is_exact(kind):
    for seed in [*range(300), 425, 920, 2037, 2407, 2711]:       # 74 and the last five: halving once met an old set again
        g = np.random.default_rng(seed)
        n = int(g.integers(2, 40))
        r = g.integers(-3, 4, n).astype(float) if kind == "ties" else g.standard_normal(n)
        if kind == "heavy tails": r = r*10**g.uniform(-4, 4, n)
        y = np.where(g.random(n) < g.uniform(.05, .95), 1., -1.)
        y[0], y[1] = 1, -1
        b = _best_intercept(r, y, g.standard_normal()*10**g.uniform(-2, 3))
        h, unit = np.maximum(y*(r-b), 0), max(np.abs(r).max(), 1)
        assert (h**2).sum() <= naive_intercept(r, y)*(1+1e-10)+1e-25*unit**2, seed
        assert abs(y@h) <= 1e-13*unit*n, seed


class SquaredError(SquaredHinge):
    "C/2 times the sum of (y - output)^2, for any numbers y: nobody is ever content"
    check_target = staticmethod(lambda y, fit_intercept: None)
    forgives = False

    def spare_pull(self): return self.y-self.y.mean()


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("solver", ["auto", "apg", "newton"])
@pytest.mark.parametrize("shape", [(60, 9), (15, 40)], ids=["tall", "wide"])
def test_another_loss_needs_no_other_solver(shape, solver, fit_intercept):
    "Squared error, one cut: ridge regression in closed form"
    g, C = np.random.default_rng(0), .3
    Z = g.standard_normal(shape)
    y = Z[:, 0]*2+g.standard_normal(shape[0])+1
    r = solve_restricted(Z, y, [np.arange(shape[1])], C=C, fit_intercept=fit_intercept, tol=1e-10, solver=solver, loss=SquaredError, max_iter=20_000)
    M, t = (Z-Z.mean(0), y-y.mean()) if fit_intercept else (Z, y)
    w = np.linalg.solve(np.eye(shape[1])+C*M.T@M, C*M.T@t)
    assert np.allclose(r.coef, w, atol=1e-4) and r.converged
    if fit_intercept: assert np.isclose(r.intercept, (y-Z@w).mean(), atol=1e-4)
    residual = t-M@w
    assert np.isclose(r.objective, w@w/2+C/2*residual@residual, rtol=1e-8)


def test_another_loss_with_several_cuts_keeps_its_promise():
    "Any weights lie above the certified dual value, and the solvers meet"
    Z, _ = medium(20, n=80, d=12)
    y = Z[:, :3]@[1., -2, .5]+np.random.default_rng(1).standard_normal(80)
    cuts = [np.arange(0, 6), np.arange(4, 9), np.arange(9, 12)]
    a, b = (solve_restricted(Z, y, cuts, C=.05, tol=1e-9, solver=s, loss=SquaredError, max_iter=5000) for s in ("apg", "newton"))
    assert np.isclose(a.objective, b.objective, rtol=1e-7) and np.allclose(a.kernel_weights, b.kernel_weights, atol=1e-3)
    worse = restricted_gap(Z, y, cuts, [1.1*w for w in b.weights], C=.05, loss=SquaredError)
    assert worse.objective > b.objective >= 1/(4*worse.theta) and worse.theta >= b.theta_lower


@pytest.mark.parametrize("seed", range(20))
def test_pull_is_minus_the_gradient(seed):
    g = np.random.default_rng(seed)
    y = np.where(g.random(12) < .5, 1., -1.)
    y[:2] = 1, -1
    outputs, C = 2*g.standard_normal(12), float(g.uniform(.1, 3))
    for loss in (SquaredHinge(y, C), SquaredHinge(y, C, True), SquaredError(y, C, True)):
        at = loss(outputs)
        e = 1e-6*np.eye(12)
        numeric = [(loss(outputs+d).value-loss(outputs-d).value)/2e-6 for d in e]
        assert np.allclose(numeric, -C*at.pull, atol=1e-6)
        assert (at.pull[~at.active] == 0).all()
        if loss.fit_intercept: assert abs(at.pull.sum()) < 1e-12
