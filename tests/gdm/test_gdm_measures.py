"GDM near a place and without a measure; memory"
import itertools
import numpy as np, scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.positional import Positional
from fsnb.gdm.gdm import GDM
from test_gdm_rounds import clusters, quiet, table

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
