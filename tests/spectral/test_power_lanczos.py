"The exact solvers agree and are certified, for any operator"
import numpy as np, pytest, scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from fsnb.spectral.lanczos import solve_lanczos, _solve_secular
from fsnb.spectral.power import _certify_summit, SphereProblem

def random(seed, positive=True, scale=1.):
    r = np.random.default_rng(seed)
    n = int(r.integers(3, 30))
    m, M, b = int(r.integers(0, min(3, n-1))), r.standard_normal((n, n)), scale*r.standard_normal(n)
    A = M@M.T/n if positive else (M+M.T)/2
    return SphereProblem(A, b, 2., *(r.standard_normal((m, n)), .1*r.standard_normal(m))*(m > 0))

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

