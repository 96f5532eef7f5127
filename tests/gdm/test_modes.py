"Modes of GDM against plain loops: whole groups that compete, the two papers' cuts, ties"
import numpy as np, pytest, scipy.sparse as sp
from test_gdm_rounds import agrees, clusters, first_alpha, labels, plain_rounds, quiet, sharp, standardised, table  # noqa: F401

from fsnb import naive
from fsnb.gdm.gdm import GDM
from fsnb.gdm.kernel_weights import solve_restricted

@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("chance", [None, .05])
@pytest.mark.parametrize("rank_by", ["support", "pair", "group"])
def test_global_equals_the_plain_loop(rank_by, chance, sharp):
    rounds = left_out = members = 0
    for seed in (0, 6, 14, 17, 20, 23, 25, 29):               # where members and refused ones are many
        X, y, r = clusters(1000+seed)
        if seed % 3:                                           # chains, so that what is owned stands beside what is free
            X[:, 1:] = X[:, 1:]+.8*X[:, :-1]+.1*r.standard_normal((len(X), X.shape[1]-1))
            y = labels(X, r)
        if seed % 2 and chance: X = np.where(np.abs(X) > r.uniform(0, 1.5, X.shape[1]), X, 0)      # rare columns, too
        k = int(r.integers(1, X.shape[1]//2+1))
        args = dict(tau=float(r.choice([.2, .4, .6])), rank_by=rank_by,
                    fit_on=["members", "supports"][seed//2 % 2], C=float(r.choice([.1, 1.])))
        per = int(r.integers(1, k+1))
        level = chance and chance/((k if rank_by == "support" else max(5*k, 50))*(X.max(0) > X.min(0)).sum())
        g = quiet(GDM(k, n_per_iter=per, chance=chance, **args, **sharp), X, y)
        supports, t, close, plain, refused, P, _ = plain_rounds(X, y, table(X), k, per, level=level, **args)
        assert g.support_.tolist() == supports, seed
        assert g.groups_.rounds.tolist() == t
        np.testing.assert_allclose(g.groups_.scores, close, atol=1e-4)
        agrees(g.groups_, plain)
        rounds += g.n_iter_
        if not chance:
            assert g.groups_.refused is None and g.groups_.member_p_values is None
            continue
        assert g.groups_.refused.tolist() == refused
        for own, p in zip(g.groups_.members, g.groups_.member_p_values):
            assert np.isnan(p[0]) and (p[1:] <= level).all()
            np.testing.assert_allclose(p[1:], P[own[0], own[1:]], rtol=1e-6, atol=1e-300)
        left_out += sum(refused); members += sum(map(len, plain))-len(plain)
    assert rounds > 10 and (not chance or min(left_out, members) > 25), (rounds, left_out, members)

@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_thesis_mode_equals_its_plain_loop(sharp):
    shared = rounds = quits = 0
    for seed in range(12):
        X, y, r = clusters(2000+seed)
        R, Z, tau, K, C = table(X), standardised(X), float(r.choice([.2, .4, .6])), int(r.integers(1, 4)), float(r.choice([.1, 1.]))
        k = int(r.integers(K, max(K, X.shape[1]//2)+1))
        g = quiet(GDM.thesis2015(k, n_per_iter=K, tau=tau, C=C, max_iter=100, **sharp), X, y)
        alpha, SF, AF, cuts = first_alpha(y, False), [], {}, []
        while len(SF) < k:
            new, AF = naive.thesis_corrected(R, naive.scores(X, alpha*y), min(K, k-len(SF)), tau, SF, AF)
            if not new: break
            SF += new; cuts.append(np.array(new))
            solved = solve_restricted(Z, y.astype(float), cuts, C=C, tol=1e-9)
            alpha, old = solved.alpha, old if len(cuts) > 1 else np.inf      # noqa: F821, deleted below
            if abs(old-solved.theta) <= 1e-6*solved.theta: break
            old = solved.theta
        assert g.support_.tolist() == SF and g.n_iter_ == len(cuts), seed
        quits += g.stop_reason_ == "converged"
        agrees(g.groups_, naive.assign_members(SF, [[(q, R[z][q], True) for q in sorted(AF[z])] for z in SF]))
        shared += sum(map(len, AF.values())); rounds += len(cuts)
    assert shared > 12 and rounds > 18 and quits > 0, (shared, rounds)

@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_icml_mode_equals_its_plain_loop(sharp):
    rounds = again = 0
    for seed in range(9):
        X, y, r = clusters(3000+seed)
        R, Z, tau, B = table(X), standardised(X), float(r.choice([.2, .4])), int(r.integers(1, 4))
        k, C = int(r.integers(B, X.shape[1]//2+B)), 10.
        k = min(k, X.shape[1])
        g = quiet(GDM.icml2012(k, n_per_iter=B, tau=tau, C=C, max_iter=100, **sharp), X, y)
        alpha, SF, found, cuts = first_alpha(y, False), [], [], []
        while len(SF) < k and len(cuts) < 100:
            s = naive.scores(X, alpha*y)
            new, groups = naive.icml_corrected(R, s, B, tau, None)
            fresh = [z for z in new if z not in SF][:k-len(SF)]
            if not fresh and set(new) in [set(c.tolist()) for c in cuts]: break
            found += [[(q, R[z][q], True) for q in sorted(groups[new.index(z)])] for z in fresh]
            again += len(new)-len(fresh)
            cuts.append(np.array([z for z in new if z in SF or z in fresh])); SF += fresh
            alpha = solve_restricted(Z, y.astype(float), cuts, C=C/len(y), tol=1e-9).alpha
        assert g.support_.tolist() == SF and g.n_iter_ == len(cuts), seed
        agrees(g.groups_, naive.assign_members(SF, found))
        rounds += len(cuts)
    assert rounds > 12 and again > 1.5, (rounds, again)

def test_ties_that_differ_by_rounding():
    # each column holds the same values within each class, shuffled: equal scores, no correlation
    r = np.random.default_rng(0)
    y = np.arange(400) % 2
    x = r.standard_normal(400)/3+y
    X = np.array([np.where(y, r.permutation(np.where(y, x, np.nan)[y == 1])[np.cumsum(y)-1],
                           r.permutation(x[y == 0])[np.cumsum(1-y)-1]) for _ in range(12)]).T
    assert np.ptp(naive.scores(X, first_alpha(2*y-1, True)*(2*y-1))) < 1e-12
    for store in (np.asarray, np.asfortranarray, sp.csc_matrix):
        for rank_by in ("support", "pair", "group"):
            g = GDM(10, n_per_iter=10, tau=.1, rank_by=rank_by).fit(store(X), y)
            assert g.support_.tolist() == list(range(10))
