"Folds that vote: the plain loop, stability, what cannot be right"
import numpy as np, pytest

from fsnb import naive
from fsnb.gdm.gdm_cv import _UNIFORM, GDMCV, _NEAR_BEST
from fsnb.gdm.gdm import GDM
from fsnb.gdm.kernel_weights import solve_restricted
from fsnb.groups.metrics import stability
from fsnb.groups.synthetic import make_groups
from test_gdm_rounds import clusters, quiet, sharp, standardised, table  # noqa: F401

def plain_folds(X, y, R, folds, k, per, tau, consensus, C):
    "GDMCV spelled out for two classes"
    Z, p = standardised(X), X.shape[1]
    first = np.where(y > 0, .5/(y > 0).sum(), .5/(y < 0).sum())
    alpha, past, supports, found, chosen = first, [], [], [], [set() for _ in folds]
    banned = set(np.flatnonzero(X.max(0) == X.min(0)).tolist())
    while len(supports) < k:
        past.append(alpha)
        damped = _UNIFORM*first+(1-_UNIFORM)*np.mean(past, 0)
        votes, absolute = np.zeros(p), []
        for fold in folds:
            v = np.where(fold, damped*y, 0)
            v = v/np.abs(v).sum()
            s = np.abs(naive.scores(X, v))/(np.sqrt(len(y))*np.linalg.norm(v-v.mean()))
            absolute.append(s)
            new, got = naive.greedy_cut(R, s, min(per, k-len(supports)), tau, banned, True)
            for j in {*new, *(q for g in got for q, _, _ in g)}: votes[j] += 1
            chosen[len(absolute)-1] |= set(new)
        mean = np.mean(absolute, 0)
        rank = mean if consensus == "scores" else np.where(mean > 0, votes+mean/(2*mean.max()), 0)
        size = len(supports)
        while len(supports) < min(k, size+per):
            best, of = naive.greedy_cut(R, rank, 1, tau, banned, True)
            if not best: break
            z = min([best[0]]+[q for q, _, direct in of[0] if direct and q not in banned and mean[q] >= _NEAR_BEST*mean[best[0]]])
            got = naive.find_group(R, z, tau, True)
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
    for seed in range(8):
        X, y, r = clusters(3000+seed, n=int(np.random.default_rng(seed).integers(20, 60)))
        k, V = int(r.integers(1, X.shape[1]//2+1)), int(r.integers(2, 6))
        if min((y > 0).sum(), (y < 0).sum()) < V: continue
        args = dict(tau=float(r.choice([.2, .4, .6])), C=float(r.choice([.1, 1.])), consensus=consensus)
        per = int(r.integers(1, k+1))
        g = quiet(GDMCV(k, cv=V, random_state=seed, n_per_iter=per, chance=None, **args, **sharp), X, y)
        folds = [np.isin(np.arange(len(y)), kept) for kept, _ in StratifiedKFold(V, shuffle=True, random_state=seed).split(X, y > 0)]
        supports, chosen, votes = plain_folds(X, y, table(X), folds, k, per, **args)
        assert g.support_.tolist() == supports, seed
        assert g.votes_.tolist() == votes and g.n_folds_ == V and len(g.fold_supports_) == V
        assert [set(own.tolist()) for own in g.fold_supports_] == chosen
        moved += g.support_.tolist() != quiet(GDM(k, n_per_iter=per, rank_by="support", chance=None, tau=args["tau"], C=args["C"]), X, y).support_.tolist()
    assert moved > 8/6

def test_stability_is_that_of_the_folds():
    d = make_groups(80, 300, group_sizes=[2, 1, 0], random_state=0)
    g = quiet(GDMCV(5, cv=4), d.X, d.y)
    home = {j: m[0] for m in g.groups_.members for j in m}
    by_group = [sorted({int(home.get(j, j)) for j in own}) for own in g.fold_supports_]
    assert by_group != [own.tolist() for own in g.fold_supports_]
    for kind in ("nogueira", "jaccard"): assert g.stability_[kind] == pytest.approx(stability(by_group, 300, kind=kind))
    assert (g.votes_ <= 4).all() and g.votes_.max() == 4 and len(g.votes_) == len(g.support_)

def test_loss_and_class_weight():
    "Probabilities with the logistic loss; balanced classes are their weights, and the rare one is predicted more often"
    r = np.random.default_rng(0)
    X = r.standard_normal((200, 60))
    y = (X[:, 3]+X[:, 7]+.8*r.standard_normal(200) > 1).astype(int)
    plain, balanced = GDMCV(3).fit(X, y), GDMCV(3, class_weight="balanced").fit(X, y)
    weighted = GDMCV(3).fit(X, y, sample_weight=np.where(y, 200/2/y.sum(), 200/2/(200-y.sum())))
    np.testing.assert_allclose(balanced.coef_, weighted.coef_)
    assert balanced.predict(X).mean() > plain.predict(X).mean()
    model = GDMCV(3, loss="logistic").fit(X, y)
    found = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(found, 1/(1+np.exp(-model.decision_function(X))))
    assert {3, 7} <= set(model.support_) and abs(found.mean()-y.mean()) < .02
    assert not hasattr(plain, "predict_proba")
