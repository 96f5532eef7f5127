"The programme of QPFS: against cvxpy and the plainest method; its similarities by definition"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.target import correlation_with
from fsnb.data.inputs import as_columns
from fsnb.margin.information import InformationKernel, LowRankKernel
from fsnb.margin.programme import solve_qpfs
from fsnb.margin.similarity import FeatureKernel, GramKernel
from fsnb.margin.simplex import least_over_simplex, solve_simplex
from fsnb.margin.working_set import solve_mmfs
from margin_cases import best_programme, paired

pytestmark = pytest.mark.filterwarnings("ignore:.*says little", "ignore:.*constant column", "ignore:similarity=")


@pytest.mark.parametrize("theta", [0., .05, .3, .7, 1.])
def test_objective_equals_best_programme(theta):
    for seed in range(4):
        X, y = paired(seed)
        r = correlation_with(X, y)[0]**2
        K = FeatureKernel(X)
        found = solve_qpfs(K, r, theta, batch=5)
        Q = K.table(np.arange(80))
        assert found.objective == pytest.approx(naive.qpfs_objective(found.beta, Q, r, theta), rel=1e-9)
        assert found.beta.sum() == pytest.approx(1) and (found.beta >= 0).all()
        parts = (1-theta)/2*found.beta@Q@found.beta+theta*r@found.beta
        assert abs(found.objective-best_programme(Q, r, theta)) < 1e-6*parts
        G = (1-theta)*Q@found.beta-theta*r
        assert np.allclose(G, found.gradient, atol=1e-12)
        assert G.min() >= found.beta@G-1e-6*parts


def test_equals_the_plainest_method():
    X, y = paired(1, 40, 12)
    r, Q = correlation_with(X, y)[0], np.corrcoef(X.T)**2
    slow = naive.qpfs_frank_wolfe(Q, r, .3, 50000)
    assert np.abs(solve_qpfs(GramKernel(Q), r, .3).beta-slow).max() < 2e-3


def test_is_mmfs_at_another_weight():
    for seed in range(5):
        X, y = paired(seed)
        r = correlation_with(X, y)[0]
        b = solve_mmfs(FeatureKernel(X), r, .3, tol=1e-12).beta
        theta = 1/(1+b.sum())
        assert np.abs(b/b.sum()-solve_qpfs(FeatureKernel(X), r, theta, tol=1e-12).beta).max() < 1e-9


def test_small_problem_of_any_shape():
    "Convex or not: on the simplex, never uphill, and stationary"
    rng = np.random.default_rng(0)
    for _ in range(300):
        k = int(rng.integers(1, 10))
        A = rng.standard_normal((k, k)); H = A@A.T if rng.random() < .5 else (A+A.T)/2
        r, a0 = rng.standard_normal(k), rng.dirichlet(np.ones(k)*.3)
        a = solve_simplex(H, r, a0, 1e-9)
        g = H@a-r
        assert a.min() >= 0 and a.sum() == pytest.approx(1)
        assert .5*a@H@a-r@a <= .5*a0@H@a0-r@a0+1e-9
        assert a@g-g.min() < 1e-8


def test_information_by_definition():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (300, 6)).astype(float); X[:, 3] = X[:, 0]
    def h(*cols): return naive.entropy(list(map(tuple, np.stack(cols, 1))))
    want = np.array([[h(a)+h(b)-h(a, b) for b in X.T] for a in X.T])
    for x in (X, sp.csc_matrix(X)):
        K = InformationKernel(SymmetricalUncertainty(binning="none").fit(as_columns(x)))
        assert np.allclose(K.table(np.arange(6)), want)
        assert np.allclose(K.apply(np.array([1, 4]), np.array([.3, .7])), want[:, [1, 4]]@[.3, .7])


def test_nystrom_is_the_projection():
    X, _ = paired(0, 40, 50)
    Q, sample = np.corrcoef(X.T)**2, np.arange(0, 50, 5)
    want = Q[:, sample]@np.linalg.pinv(Q[np.ix_(sample, sample)])@Q[sample]
    K = LowRankKernel(FeatureKernel(X), sample)
    assert np.allclose(K.table(np.arange(50)), want) and np.allclose(K.table(sample), Q[np.ix_(sample, sample)])
    assert np.allclose(K.apply(np.array([3, 9]), np.array([1., 2.])), want[:, [3, 9]]@[1, 2])


def test_least_value_over_weights_with_a_bound():
    from scipy.optimize import linprog
    for seed in range(30):
        r = np.random.default_rng(seed)
        k, g = int(r.integers(2, 9)), r.standard_normal(9)
        total = r.uniform(.1, k)
        most = max(total/k*1.01, r.uniform(.1, 2))
        want = linprog(g[:k], A_eq=np.ones((1, k)), b_eq=[total], bounds=(0, most)).fun
        assert least_over_simplex(g[:k], total, most) == pytest.approx(want, abs=1e-9)
