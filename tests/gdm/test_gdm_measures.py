"GDM with other measures and with none, and what was found in review"
import itertools
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.positional import Positional
from fsnb.gdm.gdm_cv import GDMCV
from fsnb.gdm.gdm import GDM
from fsnb.gdm.one_class import OneClassGDM
from test_gdm_rounds import clusters, quiet, table, whole

def test_without_the_constraint_the_top_scores_are_taken():
    for seed in range(4):
        X, y, r = clusters(seed)
        k = int(r.integers(1, min(6, X.shape[1])+1))
        g = quiet(GDM(k, tau=None, n_per_iter=k, rank_by=["support", "pair", "group"][seed % 3]), X, y)
        s = np.abs(naive.scores(X, np.where(y > 0, .5/(y > 0).sum(), -.5/(y < 0).sum())))
        top = [j for j in np.lexsort((np.arange(len(s)), -np.round(s, 10)))[:k] if s[j] > 0]
        assert g.support_.tolist() == top and (g.groups_.sizes == 1).all()
    for mode in ("cut", "icml2012", "thesis2015"): assert (quiet(GDM(3, mode=mode, tau=None), X, y).groups_.sizes == 1).all()

def test_groups_never_cross_a_chromosome_or_the_window():
    crossed = 0
    for seed in range(2):
        r = np.random.default_rng(seed)
        X = np.repeat(r.standard_normal((60, 8)), 5, axis=1)+.3*r.standard_normal((60, 40))
        y = np.where(X@r.standard_normal(40) > 0, 1, -1)
        chromosomes, place = r.permutation(np.repeat(["1", "X"], 20)), np.cumsum(r.integers(1, 50, 40))
        beta = 500. if seed % 2 else None
        at_home = Positional(place, chromosomes, window=120., beta=beta)
        g = quiet(GDM(5, tau=.4, correlation=at_home), X, y)
        R = table(X)
        for j, k in itertools.product(range(40), repeat=2):
            R[j, k] = naive.positional(R[j, k], place[j], place[k], chromosomes[j] == chromosomes[k], beta, 120.)
        plain = naive.assign_members(g.support_.tolist(), [naive.find_group(R, z, .4, True) for z in g.support_.tolist()])
        assert [m.tolist() for m in g.groups_] == [[j for j, _ in q] for q in plain]
        for m in g.groups_:
            assert len(set(chromosomes[m])) == 1 and np.abs(place[m]-place[m[0]]).max() <= 120
        crossed += any(len(set(chromosomes[m])) > 1 for m in quiet(GDM(5, tau=.4), X, y).groups_)
    assert crossed == 2

def test_28_machines_do_not_outgrow_x():
    U = np.random.default_rng(0).integers(0, 3, (120, 800)).astype(np.uint8)
    m = quiet(GDM(3), U, np.arange(120) % 8)
    assert sp.issparse(m.coef_) and m.coef_.data.nbytes < U.nbytes and m.predict(U).shape == (120,)

FOUND_BY_SUPPORT = {     # each member is what the support attracts
    "global": lambda k, **own: GDM(k, **own), "cut": lambda k, **own: GDM(k, mode="cut", max_iter=10, **own),
    "folds": lambda k, **own: GDMCV(k, cv=3, **own), "one class": lambda k, **own: OneClassGDM(k, n_per_iter=k, scale="rms", **own)}

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FOUND_BY_SUPPORT)
def test_positive_groups_equal_brute_force(name):
    mirrored = members = 0
    for seed in range(6):
        X, y = (whole if seed % 2 else clusters)(seed, n=60, p=30)[:2]
        tau, R = [.3, .5, .6][seed//2], np.corrcoef(X.T)
        one, two = (quiet(FOUND_BY_SUPPORT[name](6, tau=tau, chance=None, correlation="positive"), store(X), y)
                    for store in (np.asarray, sp.csc_matrix))
        for g in (one, two):
            supports = g.support_.tolist()
            plain = naive.assign_members(supports, [naive.find_group(np.maximum(R, 0), z, tau, True) for z in supports])
            assert [m.tolist() for m in g.groups_] == [[j for j, _ in q] for q in plain]
            for z, own, r in zip(supports, g.groups_.members, g.groups_.correlations):
                assert (r > 0).all()
                np.testing.assert_allclose(r, R[z, own], atol=1e-9)
        assert one.support_.tolist() == two.support_.tolist()
        np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)
        near = R[np.ix_(one.support_, one.support_)]
        if "cut" not in name: assert not (near[np.triu_indices(len(near), 1)] >= 1-tau-1e-10).any()
        mirrored += (near <= -1+tau).any(); members += len(one.groups_.all_members)-len(supports)
    assert members >= 10 and mirrored > 1
