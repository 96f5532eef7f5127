"The extended power method and the exact solvers: against all angles, proofs, and each other"
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from fsnb.spectral.lanczos import solve_lanczos, _solve_secular
from fsnb.spectral.power import _certify_summit, solve_power, SphereProblem

def random(seed, positive=True, scale=1.):
    r = np.random.default_rng(seed)
    n = int(r.integers(3, 30))
    m, M, b = int(r.integers(0, min(3, n-1))), r.standard_normal((n, n)), scale*r.standard_normal(n)
    A = M@M.T/n if positive else (M+M.T)/2
    return SphereProblem(A, b, 2., *(r.standard_normal((m, n)), .1*r.standard_normal(m))*(m > 0))

def again(q, **more):
    "The same problem, with a shift or a ceiling"
    return SphereProblem(q.A, q.b, q.r, *(q.B, q.c)*(len(q.c) > 0), **more)

def feasible(q, z):
    return abs(np.linalg.norm(z)-q.r) < 1e-9*q.r and np.allclose(q.B@z, q.c, atol=1e-9)

@pytest.mark.parametrize("positive", [True, False])
def test_exact_solvers_agree_and_are_certified(positive):
    for seed in range(24):
        q = random(seed, positive, scale=10.**(seed % 4-2))
        a, b = _solve_secular(q), solve_lanczos(q)
        u = a.z-q.center                              # the reduction keeps the objective
        reduced = q.value(q.center)+.5*u@q.hessian(u)+q.gradient@u
        assert q.value(a.z) == pytest.approx(reduced)
        assert q.value(b.z) == pytest.approx(q.value(a.z), rel=1e-8, abs=1e-10)
        for found in (a, b): assert feasible(q, found.z) and _certify_summit(q, found.z).is_global

def test_global_in_two_dimensions_by_all_angles():
    t = np.linspace(0, 2*np.pi, 20001)
    Z = np.c_[np.cos(t), np.sin(t)]
    for seed in range(20):
        r = np.random.default_rng(seed)
        M, b = r.standard_normal((2, 2)), r.standard_normal(2)*(seed % 3)
        best = ((Z@M*Z).sum(1)+Z@b).max()
        q = SphereProblem(M+M.T, b)
        for solve in (_solve_secular, solve_lanczos):
            assert q.value(solve(q).z) == pytest.approx(best, abs=1e-6)

def hard_problems():
    yield SphereProblem(np.diag([3., 1., .5]), [0, .1, .1])
    yield SphereProblem(np.diag([3., 3., 1., .5]), [0, 0, .1, .1])
    yield SphereProblem(np.diag([2., 1.]), [0., 0.])
    R = np.array([[.2, .9, .1, .1], [.9, .2, .1, .1], [.1, .1, .25, .8], [.1, .1, .8, .25]])
    for tilt in ([0, 0, 0, 0], [.1, .1, 0, 0]):
        yield SphereProblem(2*np.eye(4)-R, tilt-R@np.ones(4), r=2., B=np.ones(4), c=[0.])
    for n in (20, 120):                                # duplicates among many
        F = np.random.default_rng(n).standard_normal((40, n))
        F[:, 1] = F[:, 0]
        F /= np.linalg.norm(F, axis=0)
        R = (F.T@F)**2
        yield SphereProblem(-R, -R@np.ones(n), np.sqrt(n), np.ones(n), [10-n])

def test_hard_case():
    certified = 0
    for q in hard_problems():
        a, b = _solve_secular(q), solve_lanczos(q)
        assert q.value(a.z) == pytest.approx(q.value(b.z), rel=1e-8)
        for found in (a, b): assert feasible(q, found.z) and _certify_summit(q, found.z).is_global
        assert b.stop_reason == "converged"
        try: certified += _certify_summit(q, solve_power(q, max_iter=2000).z).is_global
        except ValueError as e: assert "stationary" in str(e)
    assert _solve_secular(next(hard_problems())).hard and certified <= 2

def test_the_certificate_says_no_and_bounds_what_is_missing():
    q = SphereProblem(np.diag([3., 1.]), [.1, .1])
    low = _certify_summit(q, solve_power(q, start=(-1., 0.)).z)
    assert not low.is_global and low.mu < low.largest_eigenvalue
    with pytest.raises(ValueError, match="feasible"): _certify_summit(q, _solve_secular(q).z*1.001)
    for seed in range(30):
        q = random(seed, False)
        v = q.project(np.random.default_rng(seed).standard_normal(q.size))
        z = q.center+v*q.radius/np.linalg.norm(v)
        lost = q.value(_solve_secular(q).z)-q.value(z)
        assert lost <= _certify_summit(q, z).missing*(1+1e-9)

def test_any_operator():
    r = np.random.default_rng(2)
    M, b = r.standard_normal((90, 90)), r.standard_normal(90)
    A = (M+M.T)/2
    want = _solve_secular(SphereProblem(A, b, 3.)).z
    for op in (sp.csr_matrix(A), aslinearoperator(A), lambda v: A@v):
        s = solve_lanczos(SphereProblem(op, b, 3.))
        assert np.allclose(s.z, want, atol=1e-6) and s.n_products < 400
    small = solve_lanczos(SphereProblem(A, b, 3.), max_iter=12, restarts=200)
    assert np.allclose(small.z, want, atol=1e-4)

def test_a_ceiling_is_proof_enough():
    for seed in range(20):
        q = random(seed, False)
        top = np.linalg.eigvalsh(q.A)[-1]
        free = again(q, shift=3., ceiling=top)
        assert free.ceiling == pytest.approx(top+3)
        s = solve_lanczos(free, tol=1e-10)
        c = _certify_summit(free, s.z)
        assert c.is_global and _certify_summit(q, s.z).is_global
        if s.mu >= free.ceiling:                       # no eigenvalue was asked for
            assert c.largest_eigenvalue == free.ceiling and s.n_products < q.size+3
            assert solve_lanczos(again(q), tol=1e-10).n_products > s.n_products

