"The dual of MMFS: steps, the simplex, why a solver ends, screening"
import numpy as np, pytest

from fsnb import naive
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin import mmfs_dual
from fsnb.margin.mmfs_dual import (Convergence, _know_gradient, _relative_gap, _solve_over_all, _step_within_bounds, solve_mmfs, solve_simplex)
from fsnb.margin.similarity import FeatureKernel
from margin_cases import many_columns

def test_stretching_asks_that_all_are_reached():
    "A feature of no relevance on the wrong side makes a stretched point infeasible"
    Q, r, b = np.array([[1., -.5], [-.5, 1]]), np.array([1., 0]), np.array([1., 0])
    assert _relative_gap(b, Q@b-r, r, 0.)[0] == np.inf
    assert _relative_gap(b, Q@b-r, r, 0., free=np.array([True, False]))[0] == pytest.approx(0)

def test_the_gap_is_the_least_that_is_proved():
    "Of three points of the primal: inside the box, lifted, stretched"
    for seed in range(20):
        rng = np.random.default_rng(seed)
        U, r, gamma, C = rng.standard_normal((6, 9))/4, rng.random(9)+.1, .2, .3
        b = .1*C*rng.random(9)
        G = U.T@(U@b)+gamma*b.sum()-r
        dual, side, lift = naive.mmfs_dual(b, U, r, gamma), G+r, max(-G.min(), 0)
        gaps = [(b*np.maximum(G, 0)+(C-b)*np.maximum(-G, 0)).sum(), b@G+b.sum()*lift+lift*lift/(2*gamma)]
        if side.min() > 0: gaps.append(.5*(r/side).max()**2*(b@side)-dual)
        assert dual > 0
        np.testing.assert_allclose(_relative_gap(b, G, r, gamma, C), [min(gaps)/dual, dual])
        in_box = naive.mmfs_primal(U@b, gamma*b.sum(), U, r, gamma, C)-dual
        np.testing.assert_allclose(gaps[0], in_box)

def test_simplex_of_any_shape():
    "Convex or not: on the simplex, never uphill, and stationary"
    rng = np.random.default_rng(0)
    for _ in range(100):
        k = int(rng.integers(1, 10))
        A = rng.standard_normal((k, k))
        H = A@A.T if rng.random() < .5 else (A+A.T)/2
        r, a0 = rng.standard_normal(k), rng.dirichlet(np.ones(k)*.3)
        a = solve_simplex(H, r, a0, 1e-9)
        g = H@a-r
        assert a.min() >= 0 and a.sum() == pytest.approx(1)
        assert .5*a@H@a-r@a <= .5*a0@H@a0-r@a0+1e-9 and a@g-g.min() < 1e-8

# ---- why it ended

def test_a_step_ends_at_the_first_bound():
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, step, most = rng.random(5)*.98+.01, rng.standard_normal(5), rng.choice([1., np.inf])
        there, whole = _step_within_bounds(a, step, most)
        assert (there >= 0).all() and (there <= most).all()
        if whole: assert np.allclose(there, a+step)
        else: assert ((there == 0) | (there == most)).any()
        share = (there-a)/step
        assert np.allclose(share, share[0]) and share[0] <= 1+1e-12

def test_slow_is_not_precise():
    watch = Convergence(1e-6, 10**6)
    assert not any(watch.judge(it, 1-.999**it, .999**it, 1.) for it in range(5000))

# ---- screening

@pytest.mark.parametrize("kernel, C, sparse", [
    ("poly2", np.inf, True), ("poly2", np.inf, False), ("rbf", .05, True)])
def test_mmfs_screened_is_mmfs(C, kernel, sparse, monkeypatch):
    monkeypatch.setattr(mmfs_dual, "_SCREEN_FROM", 5000)
    X, y = many_columns(1, p=6000)
    columns = as_columns(X if sparse else X.toarray())
    r, sign = correlation_with(columns, y)
    asked = FeatureKernel(columns, kernel, sign=sign if kernel == "rbf" else None)
    free = ~columns.constant
    free[::7] = False
    for gamma in (5., 1.):
        screened = solve_mmfs(asked, r, gamma, C, tol=1e-9, free=free)
        whole = _solve_over_all(asked, r, gamma, C, tol=1e-9, free=free)
        np.testing.assert_allclose(screened.objective, whole.objective, rtol=1e-8)
        np.testing.assert_allclose(screened.beta, whole.beta, atol=1e-6)
        known = _know_gradient(asked, r, gamma, screened, C, free)
        gap, dual = _relative_gap(known.beta, known.gradient, r, gamma, C, free)
        assert known.gap == gap <= 1e-8 and dual > 0
        assert len(screened.known) < len(r)//2
        below = screened.gradient-known.gradient
        assert below.max() <= 1e-9 and np.abs(below[screened.known]).max() <= 1e-9

def test_a_screen_that_kept_too_few_looks_again(monkeypatch):
    "An eighth of the features is kept to begin with; here more than that have a weight"
    monkeypatch.setattr(mmfs_dual, "_SCREEN_FROM", 1000)
    rng = np.random.default_rng(0)
    kernel, r = FeatureKernel(rng.standard_normal((200, 1000))), rng.uniform(0, .2, 1000)
    r[::3] += .8
    screened, whole = (solve(kernel, r, .05, tol=1e-9) for solve in (solve_mmfs, _solve_over_all))
    assert (whole.beta > 0).sum() > 1000/8 and len(screened.known) < 1000/2
    np.testing.assert_allclose(screened.beta, whole.beta, atol=1e-9)
    assert screened.objective == pytest.approx(whole.objective, rel=1e-9)
