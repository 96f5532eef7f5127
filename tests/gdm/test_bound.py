"No correct form of the bound prunes a partner, nor one at the edge of the slack"
import numpy as np
import pytest
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.gdm.bound import (
    _angles, _angular_window, _pivot_cosines, _pivot_window,
    _prune_by_scores)

TAUS = 0, 1e-9, .01, .05, .1, .3, .6, .99

def features(seed, n=12, p=25):
    "Low-rank features of both signs with means and scales, a copy, a mirrored copy, a near copy and a constant."
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, p)) + rng.uniform(.05, 1) * rng.standard_normal((n, p))
    X = X * np.exp(rng.standard_normal(p)) + 10**rng.uniform(-2, 2) * rng.standard_normal(p)
    X[:, 1], X[:, 2], X[:, 3], X[:, 4] = X[:, 0], 7 - 2 * X[:, 0], X[:, 0] + 1e-3 * rng.standard_normal(n), 3.3
    v = rng.standard_normal(n) + rng.integers(0, 2) * 5
    return X, v + rng.integers(0, 3) * (X[:, 5] - X[:, 5].mean()) / X[:, 5].std()

def partners(X, j, tau):
    "Brute force with the transcription of Pearson; constants correlate with nothing."
    rho = np.nan_to_num([naive.pearson(X[:, j], x) for x in X.T])
    return set(np.flatnonzero(np.abs(rho) >= 1 - tau)) - {j}

def test_no_partner_is_pruned():
    for seed in range(5):
        X, v = features(seed)
        scores, mean, std = X.T @ v, X.mean(axis=0), X.std(axis=0)
        std[4] = 0
        theta, pivots = _angles(X, v), [_pivot_cosines(X, V) for V in (v, np.c_[v, np.random.default_rng(seed).standard_normal((12, 2))])]
        for tau in TAUS:
            for j in (0, 2, 3, 5, 9):
                near = partners(X, j, tau - 1e-11) if tau else {0: {1, 2}, 2: {0, 1}}.get(j, set())
                assert near <= set(_angular_window(theta, j, tau))
                for some in pivots: assert near <= set(_pivot_window(*some, j, tau))
                assert not near & set(np.flatnonzero(_prune_by_scores(j, scores, mean, std, v, tau)))
            assert {1, 2} <= set(_angular_window(theta, 0, tau))

@pytest.mark.parametrize("tau", [5e-6, 1e-4, 1e-3, .1])
def test_what_partners_accepts_with_slack_is_not_pruned(tau):
    "A correlation half a slack below 1 - tau, with v where each form is tightest."
    E = np.linalg.qr(np.c_[np.ones(9), np.random.default_rng(0).standard_normal((9, 2))])[0][:, 1:]
    a = np.arccos(1 - tau - 5e-11)
    X = 3 * E @ np.array([[1, np.cos(a)], [0, np.sin(a)]])
    assert as_columns(X).partners(0, 1 - tau)[0].tolist() == [1]
    d, m = X[:, 0] - X[:, 1], X[:, 0] + X[:, 1]
    v = d / np.linalg.norm(d) + np.sqrt(tau) * m / np.linalg.norm(m)      # neither sign is excluded by accident
    assert not _prune_by_scores(0, X.T @ v, X.mean(axis=0), X.std(axis=0), v, tau)[1]
    for v in (X[:, 0], X[:, 1]):
        assert _angular_window(_angles(X, v), 0, tau).tolist() == [1]
        assert _pivot_window(*_pivot_cosines(X, v), 0, tau).tolist() == [1]
