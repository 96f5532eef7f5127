"mode='cut' closes its gap or says why not; why each run ended"
import itertools
from collections import Counter
import numpy as np, pytest, scipy.sparse as sp

from fsnb import GDM, naive
from fsnb.gdm.kernel_weights import solve_restricted
from fsnb.gdm.restricted import solve_cvxpy
from test_gdm_rounds import clusters, heard, quiet, standardised, table

def instance(seed, n=30, p=7):
    "A few noisy mixtures of three signals, a label from all of them"
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, 3))@r.standard_normal((3, p))+r.choice([.2, .5, 1.])*r.standard_normal((n, p))
    y = np.where(X@r.standard_normal(p)+X.std()*r.standard_normal(n) > 0, 1, -1)
    return X, y, dict(tau=[.3, .5][seed % 2], C=[.01, .1, 1., 10.][seed//2 % 4])

def bounded(g, X, y, B, tau, C):
    "theta* over every maximal cut; the bounds of all rounds hold it"
    R, p = np.abs(table(X)), X.shape[1]
    cuts = [m for k in range(1, B+1) for m in itertools.combinations(np.flatnonzero(np.ptp(X, 0)), k)
            if all(R[a, b] < 1-tau-1e-10 for a, b in itertools.combinations(m, 2))]
    cuts = [np.array(c) for c in cuts if not any(set(c) < set(d) for d in cuts)]
    best = solve_restricted(standardised(X), y.astype(float), cuts, C=C, fit_intercept=True, tol=1e-9)
    lower, upper = g.bounds_.T
    assert g.bounds_.shape == (g.n_iter_, 2) == (len(g.objective_path_), 2)
    assert (lower <= upper*(1+1e-9)).all() and (np.diff(lower) >= 0).all() and (np.diff(upper) <= 0).all()
    assert (lower <= best.theta*(1+1e-9)).all() and (upper >= best.theta_lower*(1-1e-9)).all()
    np.testing.assert_allclose(g.gap_, 1-lower[-1]/upper[-1], rtol=1e-12)
    np.testing.assert_allclose(lower, np.maximum.accumulate(g.objective_path_))
    return best.theta

@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_bounds_hold_the_optimum_of_copies_and_constants():
    strict = 0
    for seed in range(10):
        X, y, r = clusters(4000+seed, p=int(np.random.default_rng(seed).integers(4, 8)))
        B, settings = int(r.integers(1, 4)), dict(tau=float(r.choice([.01, .3, .6])), C=float(r.choice([.05, 1., 20.])))
        g = quiet(GDM(int(r.integers(B, X.shape[1]+1)), n_per_iter=B, mode="cut", tol=1e-5, **settings), X, y)
        best = bounded(g, X, y, B, **settings)
        strict += g.gap_ < 1e-4 and abs(g.bounds_[-1, 0]/best-1) < 1e-4
    assert strict > 2.6, strict

def test_a_linked_feature_remains_a_candidate_and_a_member():
    "Correlated .85 and .92 over a bridge, .6 directly: both ends fit into one cut, and a group of one has the other"
    R = np.array([[1, .85, .6, 0], [.85, 1, .92, 0], [.6, .92, 1, 0], [0, 0, 0, 1]])
    Q = np.linalg.qr(np.c_[np.ones(40), np.random.default_rng(0).standard_normal((40, 4))])[0][:, 1:]
    X = Q@np.linalg.cholesky(R).T
    y = np.where(X@np.linalg.solve(R, [1, .3, .9, .05]) > 0, 1, -1)
    both = quiet(GDM(2, n_per_iter=2, mode="cut", chance=None), X, y)
    assert set(both.support_) == {0, 2} and both.n_iter_ == 1
    assert len(np.concatenate(both.groups_.members)) == 3
    one = quiet(GDM(1, mode="cut", chance=None), X, y)
    assert set(one.support_) < {0, 2} and set(one.groups_.members[0]) == {0, 1, 2}

@pytest.mark.parametrize("B", [2, 3])
def test_small_instances_close_at_the_optimum(B):
    ends, searched = Counter(), 0
    for seed in range(12):
        X, y, settings = instance(seed)
        store = [np.asarray, sp.csc_matrix][seed % 3 == 0]
        g = quiet(GDM(7, n_per_iter=B, mode="cut", fit_on="supports", tol=1e-6, **settings), store(X), y)
        best = bounded(g, X, y, B, **settings)
        ends[g.stop_reason_] += 1
        assert (g.gap_ <= 1e-6) == (g.stop_reason_ == "gap"), seed
        if g.gap_ <= 1e-6: assert g.bounds_[-1, 0] == pytest.approx(best, rel=1e-6), seed
        searched += len(g.support_) > B
    assert set(ends) <= {"gap", "open"} and ends["open"] <= 2 and searched > 6     # more than half

def test_instances_that_greedy_alone_leaves_open_are_closed():
    for seed in (17, 21, 28, 31):                              # four of the eight among the first forty
        X, y, settings = instance(seed)
        assert quiet(GDM(7, n_per_iter=3, mode="cut", fit_on="supports", tol=1e-2, **settings), X, y).gap_ <= 1e-2

def made(seed=0, n=100, p=60):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))
    return X, np.where(X[:, 0] > 0, 1., -1.)

def test_the_thesis_quits_where_its_letter_does():
    "One feature is the signal and C is small: nothing but the first cut matters"
    X, y = made()
    Z = (X-X.mean(0))/X.std(0)
    def solve(cuts):
        best = solve_cvxpy(y[:, None]*Z, [np.array(c) for c in cuts], .001, form="dual")
        return best.alpha, best.value
    letter, _, cuts = naive.gdm(Z, y, 4, .3, 10, solve)
    g = GDM.thesis2015(40, n_per_iter=4, C=.001)
    assert heard(g, X, y) == ["the run converged after 2 rounds with 8 of 40 supports: another cut does not improve the objective"]
    assert g.stop_reason_ == "converged" and g.n_iter_ == len(cuts) == 2
    assert g.support_.tolist() == letter and len(letter) == 8

@pytest.mark.parametrize("mode", ["global", "cut", "thesis2015", "icml2012"])
def test_places_and_rounds(mode):
    X, y = made()
    loose = dict(n_per_iter=1, mode=mode, C=100., tau=.1, chance=None, fit_on="supports")
    for g, reason, told in ((GDM(3, **loose), "n_features_to_select", ""), (GDM(30, max_iter=2, **loose), "max_iter", "max_iter=2 ended the run with 2 of 30")):
        assert "".join(heard(g, X, y)).startswith(told) and g.stop_reason_ == reason

def test_what_ends_a_run_that_asks_for_chance():
    X, y = made()
    g, nothing = GDM("auto"), GDM("auto")
    assert heard(g, X, y) == [] and g.stop_reason_ in ("chance", "separated") and len(g.support_)
    assert "nothing was selected" in heard(nothing, X[:, 1:], np.random.default_rng(1).permutation(y))[0]
    assert nothing.stop_reason_ == "chance"
