"""Bound, window and pruned shares: no correct form ever prunes a partner, the window is tight, the printed form is false."""
import numpy as np
import pytest
import scipy.sparse as sp
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.gdm.bound import (
    pruned_share, _angles, _angular_window, _pivot_cosines, _pivot_window,
    _prune_by_scores, _score_gap_bound)

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

def random_pairs(m, n, seed):
    rng = np.random.default_rng(seed)
    u = rng.standard_normal((2, m, n))
    u -= u.mean(axis=2, keepdims=True)
    u[0] /= np.linalg.norm(u[0], axis=1, keepdims=True)
    u[1] -= (u[0] * u[1]).sum(axis=1, keepdims=True) * u[0]
    u[1] /= np.linalg.norm(u[1], axis=1, keepdims=True)
    rho = rng.uniform(-1, 1, m)
    u[1] = rho[:, None] * u[0] + np.sqrt(1 - rho**2)[:, None] * u[1]
    mean = rng.standard_normal((2, m)) * 10**rng.uniform(-2, 2, (2, m))
    mean[1] = np.where(rng.random(m) < .5, mean[1], mean[0] * rng.uniform(.8, 1.2, m))
    std = np.exp(rng.standard_normal((2, m)))
    v = rng.standard_normal((m, n)) + 3 * rng.integers(0, 2, (m, 1))
    return u, rho, mean, std, mean[..., None] + std[..., None] * np.sqrt(n) * u, v

def test_ten_thousand_pairs():
    n, m = 4, 10_000
    u, rho, mean, std, f, v = random_pairs(m, n, n)
    tau, norm_v, s, c = 1 - np.abs(rho), np.linalg.norm(v, axis=1), (f * v).sum(axis=2), (u * v).sum(axis=2)
    B = np.array([_score_gap_bound(tau[i], norm_v[i], n, std[0, i], std[1, i], np.array([abs(mean[0, i]) + abs(mean[1, i]),
                  mean[0, i] - mean[1, i], mean[0, i] + mean[1, i]])) for i in range(m)])
    gap = np.abs(np.abs(s[0]) - np.abs(s[1]))
    slack = 1 + 1e-9
    assert (np.abs(np.abs(c[0]) - np.abs(c[1])) <= np.sqrt(2 * tau) * norm_v * slack).all()
    assert (gap <= B[:, 0] * slack).all()
    assert (np.where(rho > 0, np.abs(s[0] - s[1]) <= B[:, 1] * slack, np.abs(s[0] + s[1]) <= B[:, 2] * slack)).all()
    wrong = gap > B[:, 1] * slack                                        # the printed form
    assert wrong.sum() > 10, wrong.sum()
    assert (rho[wrong] < 0).all() and (mean[0] * mean[1])[wrong].min() > 0
    for i in np.flatnonzero(wrong)[:20]:
        left, bound = naive.proposition_1_thesis(f[0, i], f[1, i], v[i], tau[i])
        assert left > bound and np.isclose(bound, B[i, 1]) and np.isclose(left, gap[i])

def test_counterexample_of_the_thesis():
    f1, f2, v = np.array([2., 0]), np.array([0., 2]), np.array([1., 0])
    left, bound = naive.proposition_1_thesis(f1, f2, v, .3)
    assert left == 2 and bound == pytest.approx(1.0954, abs=1e-4) and naive.pearson(f1, f2) == pytest.approx(-1)
    assert _score_gap_bound(.3, 1, 2, mean_gap=2) == pytest.approx(np.sqrt(9.2)) and np.sqrt(9.2) > left
    assert not _prune_by_scores(0, np.array([2., 0]), np.ones(2), np.ones(2), v, .3).any()

def test_pruned_share():
    rng = np.random.default_rng(0)
    X = rng.poisson(.3, (60, 80)) * rng.integers(1, 4, 80)
    X[:, 1], X[:, 2] = X[:, 0] + (rng.random(60) < .05), 3
    v = X[:, 0] - X[:, 5] + rng.standard_normal(60)
    pivots = rng.standard_normal((60, 4))
    for tau in (.05, .3):
        row = pruned_share(X, v, tau, n_supports=10, pivots=pivots)
        varies = np.flatnonzero(X.std(axis=0) > 0)
        top = as_columns(X).top(as_columns(X).scores(v), 10)
        near = sum(len(partners(X, j, tau)) for j in top)
        assert row["pairs"] == 10 * (len(varies) - 1) and row["partners"] == pytest.approx(near / row["pairs"])
        assert row["max_p"] == pytest.approx(max(abs(naive.pearson(X[:, k], v)) for k in varies))
        assert set(row["pruned"]) == set(row["wrong"]) == {"icml", "printed", "corrected", "signed", "angles", "pivots"}
        assert not any(k for form, k in row["wrong"].items() if form != "printed")
        assert 1 - row["partners"] >= row["pruned"]["pivots"] >= row["pruned"]["angles"] >= row["pruned"]["icml"]
        assert row["pruned"]["angles"] >= row["pruned"]["signed"] >= row["pruned"]["corrected"]
        sparse = pruned_share(sp.csr_matrix(X), 5 * v, tau, n_supports=10, pivots=pivots)
        assert sparse["pruned"].pop("counts") > 0 and sparse["wrong"].pop("counts") == 0
        for key in ("pruned", "wrong"): assert sparse[key] == pytest.approx(row[key])
