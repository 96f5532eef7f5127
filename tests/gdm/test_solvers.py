"The pieces of the two solvers against dense algebra"
import numpy as np
import pytest
from scipy import sparse

from fsnb.gdm.fixed import FixedMachine, newton_step, respond
from fsnb.gdm.gram import Gram
from fsnb.gdm.loss import SquaredHinge
from fsnb.gdm.newton import simplex_newton
from fsnb.gdm.proximal import shrink
from fsnb.gdm.rows import Rows


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "moments", "sparse moments"])
@pytest.mark.parametrize("shape", [(50, 9), (12, 30)], ids=["over columns", "over samples"])
def test_newton_algebra_equals_dense_algebra(shape, kind, center):
    g, C = np.random.default_rng(0), .7
    n, d = shape
    X, y = g.standard_normal(shape)*(g.random(shape) < .6)+.3, np.where(g.random(n) < .5, 1., -1.)
    mean, scale = (X.mean(0), X.std(0)+.1) if "moments" in kind else (None, None)
    Z = (X-mean)/scale if "moments" in kind else X
    rows, loss = Rows(sparse.csc_matrix(X) if "sparse" in kind else X, [np.arange(d)], mean, scale), SquaredHinge(y, C, center)
    gram = Gram(rows, center)
    for trial in range(6):                          # the cached block follows the active set around
        weight = g.random(d)*(g.random(d) < .8)
        a = FixedMachine(rows, loss, weight, .3*g.standard_normal(d))
        S, on = a.loss.active, weight > 0
        B = (Z[S]-Z[S].mean(0) if center else Z[S])
        M = B*weight@B.T+np.eye(S.sum())/C
        V = g.standard_normal((d, 3))
        assert np.allclose(respond(gram, loss, a, V), B.T@np.linalg.solve(M, B@V), atol=1e-9)
        H = np.diag(1/weight[on])+C*B[:, on].T@B[:, on]
        step = newton_step(gram, loss, a)
        gradient = a.v/np.where(on, weight, 1)-C*Z.T@a.loss.pull
        assert np.allclose(step[on], np.linalg.solve(H, -gradient[on]), atol=1e-9) and (step[~on] == 0).all()
        assert 0 < S.sum() < n or trial             # not all of them trivial


@pytest.mark.parametrize("seed", range(60))
def testshrink_solves_its_equation(seed):
    g = np.random.default_rng(seed)
    norms, t = np.abs(g.standard_normal(g.integers(1, 9)))*g.integers(0, 2, 1), 10**g.uniform(-3, 3)
    f = shrink(norms, t)
    kept = f*norms
    level = t*kept.sum()                            # every norm is shortened by t times the sum of what stays
    assert np.allclose(kept, np.maximum(norms-level, 0), atol=1e-12) and ((0 <= f) & (f <= 1)).all()


@pytest.mark.parametrize("seed", range(60))
def testsimplex_newton_is_optimal(seed):
    g = np.random.default_rng(seed)
    T = int(g.integers(1, 9))
    B = g.standard_normal((g.integers(1, T+2), T))
    H, grad, mu = B.T@B, g.standard_normal(T), g.dirichlet(np.ones(T))
    if seed % 3 == 0 and T > 1: mu[0] = 0; mu /= mu.sum()
    x = simplex_newton(grad, H, mu)
    r = grad+H@(x-mu)
    assert x.min() >= 0 and np.isclose(x.sum(), 1)
    assert r@x-r.min() <= 1e-7*max(np.abs(r).max(), 1)   # the Frank-Wolfe gap of the model
