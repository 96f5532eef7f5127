"The letters of Algorithms 3 and 4: what they skip and what they select"
import numpy as np
import pytest

from fsnb import naive
from fsnb.correlation.pearson import as_correlation
from fsnb.gdm.paper_cuts import _thesis_cut
from cut_cases import clusters, columns_with

def test_the_letter_of_algorithm_3_never_skips_a_pair_within_a_round():
    "Its bound is on a signed difference, which a descending list makes negative: as without a bound"
    for seed in range(12):
        X, r = clusters(seed, n=30, p=20)
        X = (X-X.mean(0))/X.std(0)
        y, alpha = r.choice([-1., 1.], 30), r.dirichlet(np.ones(30))
        bounded = naive.thesis_crm(X, y, 3, .3, alpha)
        SF, AF = bounded[2], {}
        s = np.abs(X.T@(alpha*y))
        for z in np.argsort(-s)[:np.flatnonzero(np.argsort(-s) == SF[-1])[0]]:
            if z in SF: continue
            before = [j for j in SF if s[j] >= s[z] and naive.pearson(X[:, z], X[:, j]) >= .7]
            AF.setdefault(before[0], set()).add(z)
        assert bounded[1] == AF

@pytest.mark.filterwarnings("ignore")
def test_the_letter_of_algorithm_4_selects_what_the_cut_selects():
    shared = 0
    for seed in range(12):
        r = np.random.default_rng(seed)
        X = r.integers(0, 3, (40, 12)).astype(float)
        for j in range(1, 12, 2): X[:, j] = np.where(r.random(40) < .05, X[:, j], 2-X[:, j-1])
        y, alpha = r.choice([-1., 1.], 40), r.dirichlet(np.ones(40))
        SF, AF, new = naive.thesis_crm_su(X, y, 4, .3, alpha)
        fast, found = _thesis_cut(as_correlation(X, "su"), X.T@(alpha*y), 4, .3)
        assert SF == new == fast
        everyone = {int(k) for f in found for k in f.indices}
        assert set().union(*AF.values(), ()) == everyone
        shared += len(everyone)
    assert shared > 5

def test_algorithm_1_of_icml_adds_one_cut_a_round():
    U, sizes = columns_with(np.eye(4)), []
    v = U@[.8, .5, .3, .1]
    def solve(cuts):
        sizes.append(len(cuts))
        return np.abs(v)/np.abs(v).sum(), 1.
    S, Q, cuts = naive.gdm_icml(U, np.sign(v), 2, .05, 3, solve)
    assert S == cuts and sizes == [1, 2, 3] and cuts[1] == cuts[2] == [0, 2, 3]
    assert {0, 2, 3} <= set().union(*Q)
