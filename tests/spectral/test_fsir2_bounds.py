"The two relaxations against cvxpy and each other"
import cvxpy as cp, numpy as np, pytest
from sklearn.exceptions import ConvergenceWarning

from fsnb.margin.mmfs_dual import solve_simplex
from fsnb.spectral.fsir2_bounds import _relax_to_sphere, _solve_convex, largest_shift, sphere_problem
from fsnb.spectral.fsir2 import _search_subset
from fsnb.spectral.lanczos import solve_lanczos, _solve_secular
from fsnb.spectral.power import solve_power
from spectral_data import data, matrix

def test_solvers_agree_to_1e_8():
    for seed in range(4):
        X, y = data(seed, 60, 30)
        R = matrix(X, y if seed % 2 else None, seed < 3)
        q = sphere_problem(R, 5)
        z = _solve_secular(q).z
        best = q.value(z)
        with pytest.warns(ConvergenceWarning, match="stopped after 1 steps"): early = _relax_to_sphere(R, 5, "power", max_iter=1)
        assert early.certificate.missing > 1
        for relaxed in (_relax_to_sphere(R, 5, "secular"), early):
            own = (relaxed.z+1)/2
            bound = own@R.dense()@own-relaxed.certificate.missing/2
            assert relaxed.bound == pytest.approx(bound, rel=1e-10)
        assert abs(q.value(solve_lanczos(q).z)-best) < 1e-8*abs(best)
        D, P = R.dense(), np.eye(30)-1/30
        for shift, table in ((largest_shift(R, False), D), (largest_shift(R), P@D@P)):
            assert 1 <= shift/np.linalg.eigvalsh(table)[-1] < 1.01
        p = sphere_problem(R, 5, largest_shift(R))
        assert abs(q.value(solve_power(p, tol=1e-12).z)-best) < 1e-8*abs(best)

def test_convex_is_clarabels():
    for seed in range(3):
        X, y = data(seed, 25, 60)
        R = matrix(X, y if seed % 2 else None, seed < 2)
        for d in (3, 12, 40):
            found = _solve_convex(R, d, _search_subset(R, d, 0).S, tol=1e-9)
            table, price, w = R.table(np.arange(60)), R.cost-R.weight, cp.Variable(60)
            values, V = np.linalg.eigh(table)
            root = (V*np.sqrt(np.maximum(values, 0))).T
            problem = cp.Problem(cp.Minimize(cp.sum_squares(root@w)+price@w),
                                 [w >= 0, w <= 1, cp.sum(w) == d])
            want, own = problem.solve(solver="CLARABEL"), found.w
            assert found.bound == pytest.approx(want, rel=1e-6, abs=1e-6)
            assert found.bound <= want+1e-6*abs(want)
            assert own.sum() == pytest.approx(d) and own.min() >= 0 and own.max() <= 1
            assert own@table@own+price@own == pytest.approx(found.bound, rel=1e-7, abs=1e-7)

def test_simplex_with_a_bound_on_each_weight():
    for seed in range(12):
        r = np.random.default_rng(seed)
        k = int(r.integers(2, 20))
        M, c, d = r.standard_normal((k, 3)), r.standard_normal(k), r.uniform(.2, k-.1)
        most = d/k*r.uniform(1.05, 4)
        a = solve_simplex(M@M.T, c, np.full(k, d/k), 1e-10, most)
        w = cp.Variable(k)
        want = cp.Problem(cp.Minimize(.5*cp.sum_squares(M.T@w)-c@w),
                          [w >= 0, w <= most, cp.sum(w) == d]).solve(solver="CLARABEL")
        assert a.min() >= 0 and a.max() <= most*(1+1e-12) and a.sum() == pytest.approx(d)
        assert .5*a@M@M.T@a-c@a == pytest.approx(want, rel=1e-6, abs=1e-6)
