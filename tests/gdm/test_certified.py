"mode='cut' closes its gap or says why not; why each run ended"
import itertools
import warnings
from collections import Counter
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import GDM, naive
from fsnb.gdm import cutting_plane
from fsnb.gdm.kernel_weights import solve_restricted
from fsnb.gdm.restricted import solve_cvxpy
from fsnb.groups.selector import _STOP_REASONS
from test_gdm import quiet

def instance(seed, n=30, p=7):
    "A few noisy mixtures of three signals, a label from all of them"
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, 3))@r.standard_normal((3, p))+r.choice([.2, .5, 1.])*r.standard_normal((n, p))
    y = np.where(X@r.standard_normal(p)+X.std()*r.standard_normal(n) > 0, 1, -1)
    return X, y, dict(tau=[.3, .5][seed % 2], C=[.01, .1, 1., 10.][seed//2 % 4])

def optimum(X, y, B, tau, C):
    "theta* over every maximal cut"
    R, Z, p = np.abs(np.corrcoef(X.T)), (X-X.mean(0))/X.std(0), X.shape[1]
    cuts = [m for k in range(1, B+1) for m in itertools.combinations(range(p), k)
            if all(R[a, b] < 1-tau-1e-10 for a, b in itertools.combinations(m, 2))]
    cuts = [np.array(c) for c in cuts if not any(set(c) < set(d) for d in cuts)]
    best = solve_restricted(Z, y.astype(float), cuts, C=C, fit_intercept=True, tol=1e-10)
    return best.theta_lower, best.theta

@pytest.mark.parametrize("B", [2, 3])
def test_small_instances_close_at_the_optimum(B):
    ends, searched = Counter(), 0
    for seed in range(12):
        X, y, settings = instance(seed)
        store = [np.asarray, sp.csc_matrix][seed % 3 == 0]
        g = quiet(GDM(7, n_per_iter=B, mode="cut", fit_on="supports", tol=1e-6, **settings), store(X), y)
        low, high = optimum(X, y, B, **settings)
        ends[g.stop_reason_] += 1
        assert g.bounds_[-1, 0] <= high*(1+1e-9) and g.bounds_[-1, 1] >= low*(1-1e-9), seed
        assert (g.gap_ <= 1e-6) == (g.stop_reason_ == "gap"), seed
        if g.gap_ <= 1e-6: assert g.bounds_[-1, 0] == pytest.approx(low, rel=1e-6), seed
        searched += len(g.support_) > B
    assert set(ends) <= {"gap", "open"} and ends["open"] <= 2 and searched > 6     # more than half

def test_greedy_alone_would_stop_early(monkeypatch):
    "Without the exact search the same instances stay open"
    search, still = cutting_plane.better_cut, 0
    def blind(*args): return search(*args)._replace(supports=[], value=0., bound=np.inf, complete=False)
    for seed in (17, 21, 28, 31):                              # four of the eight among the first forty
        X, y, settings = instance(seed)
        model = GDM(7, n_per_iter=3, mode="cut", fit_on="supports", tol=1e-2, **settings)
        monkeypatch.setattr(cutting_plane, "better_cut", blind)
        g = quiet(model, X, y)
        still += g.stop_reason_ == "open" and g.gap_ > 1e-2
        monkeypatch.setattr(cutting_plane, "better_cut", search)
        assert quiet(model, X, y).gap_ <= 1e-2
    assert still == 4

# ---- why a run ended

def made(seed=0, n=100, p=60):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))
    return X, np.where(X[:, 0] > 0, 1., -1.)

def ended(model, X, y):
    "The reason, and what was said"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert model.stop_reason_ in _STOP_REASONS
    return model.stop_reason_, [str(w.message) for w in told]

def test_the_thesis_quits_where_its_letter_does():
    "One feature is the signal and C is small: nothing but the first cut matters"
    X, y = made()
    Z = (X-X.mean(0))/X.std(0)
    def solve(cuts):
        best = solve_cvxpy(y[:, None]*Z, [np.array(c) for c in cuts], .001, form="dual")
        return best.alpha, best.value
    letter, _, cuts = naive.gdm(Z, y, 4, .3, 10, solve)
    g = GDM.thesis2015(40, n_per_iter=4, C=.001)
    reason, told = ended(g, X, y)
    assert reason == "converged" and g.n_iter_ == len(cuts) == 2
    assert g.support_.tolist() == letter and len(letter) == 8
    assert told == ["the run converged after 2 rounds with 8 of 40 supports: another cut does not improve the objective"]

@pytest.mark.parametrize("mode", ["global", "cut", "thesis2015", "icml2012"])
def test_places_and_rounds(mode):
    X, y = made()
    loose = dict(mode=mode, C=100., tau=.1, chance=None, fit_on="supports")
    assert ended(GDM(3, n_per_iter=1, **loose), X, y) == ("n_features_to_select", [])
    reason, told = ended(GDM(30, n_per_iter=1, max_iter=2, **loose), X, y)
    assert reason == "max_iter" and "max_iter=2 ended the run with 2 of 30" in told[0]

def test_nothing_left_and_chance():
    X, y = made(p=5)
    copies = np.c_[X[:, 0], X[:, 0], X[:, 1]]
    reason, told = ended(GDM(3, chance=None), copies, y)
    assert reason == "nothing_left" and "only 2 groups exist" in told[0]
    X, y = made()
    reason, told = ended(GDM("auto"), X, y)
    assert reason in ("chance", "separated") and told == []
    noise = np.random.default_rng(1).permutation(y)
    reason, told = ended(GDM("auto"), X[:, 1:], noise)
    assert reason == "chance" and "nothing was selected" in told[0]
