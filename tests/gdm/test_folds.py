"Folds that vote: the plain loop, stability, what cannot be right"
import numpy as np
import pytest

from fsnb import naive
from fsnb.gdm import folds
from fsnb.gdm.folds import CALM, GDMCV, NEAR_BEST
from fsnb.gdm.gdm import GDM
from fsnb.gdm.restricted import solve_restricted
from fsnb.groups.metrics import stability
from fsnb.groups.synthetic import make_groups
from test_gdm import clusters, quiet, sharp, standardised, table  # noqa: F401


def plain_folds(X, y, R, folds, k, per, tau, link, consensus, C):
    "GDMCV spelled out for two classes"
    Z, p = standardised(X), X.shape[1]
    first = np.where(y > 0, .5/(y > 0).sum(), .5/(y < 0).sum())
    alpha, past, supports, found, chosen = first, [], [], [], [set() for _ in folds]
    banned = set(np.flatnonzero(X.max(0) == X.min(0)).tolist())
    while len(supports) < k:
        past.append(alpha)
        calm = CALM*first+(1-CALM)*np.mean(past, 0)
        votes, absolute = np.zeros(p), []
        for fold in folds:
            v = np.where(fold, calm*y, 0)
            v = v/np.abs(v).sum()
            s = np.abs(naive.scores(X, v))/(np.sqrt(len(y))*np.linalg.norm(v-v.mean()))
            absolute.append(s)
            new, got = naive.greedy_cut(R, s, min(per, k-len(supports)), tau, banned, link)
            for j in {*new, *(q for g in got for q, _, _ in g)}: votes[j] += 1
            chosen[len(absolute)-1] |= set(new)
        mean = np.mean(absolute, 0)
        rank = mean if consensus == "scores" else np.where(mean > 0, votes+mean/(2*mean.max()), 0)
        size = len(supports)
        while len(supports) < min(k, size+per):
            best, of = naive.greedy_cut(R, rank, 1, tau, banned, link)
            if not best: break
            z = min([best[0]]+[q for q, _, direct in of[0] if direct and q not in banned and mean[q] >= NEAR_BEST*mean[best[0]]])
            got = naive.find_group(R, z, tau, link)
            supports.append(z); found.append(got)
            banned |= {z} | {q for q, _, _ in got}
        if len(supports) == size: break
        members = [q for g in naive.assign_members(supports, found) for q, _ in g]
        alpha = solve_restricted(Z, y.astype(float), [np.array(members)], C=C, fit_intercept=True, tol=1e-9).alpha
    groups = [[q for q, _ in g] for g in naive.assign_members(supports, found)]
    return supports, chosen, [sum(bool(own & set(g)) for own in chosen) for g in groups]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("consensus", ["scores", "votes"])
def test_folds_equal_the_plain_loop(consensus, sharp):
    from sklearn.model_selection import StratifiedKFold
    moved = 0
    for seed in range(30):
        X, y, r = clusters(3000+seed, n=int(np.random.default_rng(seed).integers(20, 60)))
        k, V = int(r.integers(1, X.shape[1]//2+1)), int(r.integers(2, 6))
        if min((y > 0).sum(), (y < 0).sum()) < V: continue
        args = dict(tau=float(r.choice([.2, .4, .6])), link=bool(seed % 2), C=float(r.choice([.1, 1.])), consensus=consensus)
        per = int(r.integers(1, k+1))
        g = quiet(GDMCV(k, cv=V, random_state=seed, n_per_iter=per, chance=None, **args, **sharp), X, y)
        folds = [np.isin(np.arange(len(y)), kept) for kept, _ in StratifiedKFold(V, shuffle=True, random_state=seed).split(X, y > 0)]
        supports, chosen, votes = plain_folds(X, y, table(X), folds, k, per, **args)
        assert g.support_.tolist() == supports, seed
        assert g.votes_.tolist() == votes and g.n_folds_ == V and len(g.fold_supports_) == V
        assert [set(own.tolist()) for own in g.fold_supports_] == chosen
        moved += g.support_.tolist() != quiet(GDM(k, n_per_iter=per, rank_by="support", chance=None, tau=args["tau"], link=args["link"], C=args["C"]), X, y).support_.tolist()
    assert moved > 5


def test_stability_is_that_of_the_folds():
    d = make_groups(80, 300, group_sizes=[2, 1, 0], random_state=0)
    g = quiet(GDMCV(5, cv=4), d.X, d.y)
    home = {j: m[0] for m in g.groups_.members for j in m}
    by_group = [sorted({int(home.get(j, j)) for j in own}) for own in g.fold_supports_]
    assert by_group != [own.tolist() for own in g.fold_supports_]
    for kind in ("nogueira", "jaccard"): assert g.stability_[kind] == pytest.approx(stability(by_group, 300, kind=kind))
    assert (g.votes_ <= 4).all() and g.votes_.max() == 4 and len(g.votes_) == len(g.support_)


def test_many_classes_and_folds():
    r = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 30)
    X = r.standard_normal((90, 200))
    for i, c in enumerate("abc"): X[y == c, i] += 3
    g = quiet(GDMCV(3), X, y)
    assert sorted(g.support_) == [0, 1, 2] and g.score(X, y) > .9 and [q[0] for q in g.groups_.classes] == [tuple("abc"[z]) for z in g.support_]


def test_another_seed_is_another_split_and_the_same_seed_is_not():
    X, y, _ = clusters(5, n=60, p=40)
    fit = lambda seed: quiet(GDMCV(8, random_state=seed), X, y)
    assert fit(0).groups_ == fit(0).groups_
    assert any(not np.array_equal(a, b) for s in range(1, 4) for a, b in zip(fit(0).fold_supports_, fit(s).fold_supports_))


def test_a_class_of_one_has_no_folds():
    X, y, _ = clusters(5, n=30, p=20)
    y[:] = 1; y[0] = -1
    with pytest.warns(UserWarning, match="a class has one sample: no folds"): g = GDMCV(2).fit(X, y)
    assert g.n_folds_ == 1 and np.isnan(g.stability_["nogueira"])


@pytest.mark.parametrize("cv", [1, 0, -2, 6, 2.5, True, "a"])
def test_folds_out_of_range(cv):
    X, y = np.random.default_rng(0).standard_normal((20, 5)), np.r_[np.zeros(15), np.ones(5)]
    with pytest.raises(ValueError, match=r"cv must be a whole number in \[2, smallest class=5\], got"): GDMCV(2, cv=cv).fit(X, y)


def test_consensus_out_of_range():
    X, y, _ = clusters(5)
    with pytest.raises(ValueError, match="consensus must be one of 'scores', 'votes', got 'mean'"): GDMCV(2, consensus="mean").fit(X, y)


def test_ctrl_c_between_folds_leaves_the_rounds_that_were_done(monkeypatch):
    X, y, _ = clusters(5, n=60, p=40)
    done = quiet(GDMCV(4, n_per_iter=1, cv=3), X, y)
    calls, true = [0], folds.joint_scores
    def scores(*args):
        calls[0] += 1
        if calls[0] == 8: raise KeyboardInterrupt
        return true(*args)
    monkeypatch.setattr(folds, "joint_scores", scores)
    g = GDMCV(4, n_per_iter=1, cv=3)
    with pytest.raises(KeyboardInterrupt): quiet(g, X, y)
    assert g.support_.tolist() == done.support_.tolist()[:2] and len(g.votes_) == 2 and sum(map(len, g.fold_supports_)) <= 6
    np.testing.assert_allclose(g.alpha_.sum(), 1)


def test_the_papers_settings_are_not_its_own():
    assert not hasattr(GDMCV, "thesis2015") and not hasattr(GDMCV, "icml2012")
    assert not isinstance(GDMCV(), GDM)
