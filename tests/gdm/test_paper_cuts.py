"The papers' own cuts: the letter fails as the page says, the mended form equals its plain loops"
import numpy as np
import pytest

from fsnb import naive
from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.gdm.cut import greedy_cut
from fsnb.gdm.paper_cuts import _icml_cut, _thesis_cut
from cut_cases import STORES, clusters, columns_with, correlations, small

def test_icml_cut_equals_the_mended_letter_with_and_without_the_window():
    for seed in range(24):
        X, r = small(seed)
        columns, R = as_columns(X), correlations(X)
        v = r.standard_normal(len(X)); v -= v.mean()
        s, tau, k = np.round(columns.scores(v), 8), float(r.choice([0, .1, .3, .5])), int(r.integers(1, 6))
        supports, found = _icml_cut(columns, s, k, tau)
        assert supports == greedy_cut(columns, s, k, tau)[0]
        for norm in (None, np.sqrt(len(X))*np.linalg.norm(v)):
            want, groups = naive.icml_corrected(R, s, k, tau, norm)
            assert supports == want and [set(f.indices.tolist()) for f in found] == groups

@pytest.mark.parametrize("store", ["dense", "csc"])
def test_thesis_cut_equals_the_mended_letter_over_rounds(store):
    for seed in range(15):
        X, r = small(seed) if seed % 3 else clusters(seed, p=500, noise=.5)
        columns, R = STORES[store](X), correlations(X)
        SF, found, AF, tau, k = [], [], None, float(r.choice([0, .1, .3, .5])), int(r.integers(1, 6))
        for _ in range(3):
            s = np.round(columns.scores(r.standard_normal(len(X))), 8)
            want, AF = naive.thesis_corrected(R, s, k, tau, SF, AF)
            new, found = _thesis_cut(columns, s, k, tau, SF, found)
            SF = SF+new
            assert new == want and [set(f.indices.tolist()) for f in found] == [AF[j] for j in SF]
            for z, f in zip(SF, found):
                assert (np.diff(f.indices) > 0).all() and f.direct.all()
                np.testing.assert_allclose(f.correlations, R[z, f.indices], atol=1e-9)

def test_the_icml_letter_selects_one_too_many_loses_features_and_loops():
    U = columns_with(np.eye(4))
    v = U@[.8, .5, .3, .1]
    y, alpha = np.sign(v), np.abs(v)
    assert naive.icml_crm(U, y, 2, .05, alpha)[0] == [0, 2, 3]
    supports, groups, looped = naive.icml_crm(U, y, 2, .3, alpha)
    assert looped and supports == [0, 3]
    assert _icml_cut(U, U.T@v, 2, .3)[0] == [0, 1]

def test_the_thesis_letter_misses_mirror_images_and_runs_off_the_list():
    R = np.array([[1, -.9, .85, .3], [-.9, 1, -.85, -.3], [.85, -.85, 1, .5], [.3, -.3, .5, 1]])
    def letter(R, K, **old):
        X = columns_with(R)
        v = X@np.linalg.solve(R, R[0])
        return naive.thesis_crm(X, np.sign(v), K, .3, np.abs(v), **old), _thesis_cut(X, R[0], K, .3)
    (SF, AF, new), (mended, found) = letter(R, 2)
    assert SF == [0, 1] and mended == [0, 3] and found[0].indices.tolist() == [1, 2]
    (_, AF, _), (mended, found) = letter(R, 1)
    assert AF == {} and mended == [0] and not len(found[0].indices)
    with pytest.raises(IndexError): letter(np.abs(R), 3)
    assert 0 in letter(np.abs(R), 1, SF=[0])[0][1][0]

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
