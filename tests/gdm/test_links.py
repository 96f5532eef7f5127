"What a support attracts: against the plain loops, whatever the store, the dtype and the means"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.gdm.cut import find_group
from fsnb.gdm.paper_cuts import _thesis_cut
from cut_cases import STORES, agrees, clusters, correlations, small

@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("link", [False, True])
def test_groups_equal_the_plain_loops(store, link):
    linked = 0
    for seed in range(20):
        X, r = small(seed)
        R, tau = correlations(X), float(r.choice([0, .1, .3, .5, .8]))
        everyone = list(range(X.shape[1]))
        columns = STORES[store](X)
        found = find_group(columns, everyone, tau, link)
        for z in everyone: agrees(found[z], naive.find_group(R, z, tau, link))
        agrees(find_group(columns, 0, tau, link), naive.find_group(R, 0, tau, link))
        linked += sum((~f.direct).sum() for f in found)
    assert (linked > 66) == link

def test_only_the_64_strongest_partners_are_bridges():
    # 70 copies of z ever noisier; k follows the last one only
    r = np.random.default_rng(0)
    n = 4000
    z = r.standard_normal(n)
    copies = [z+(.1+.008*i)*r.standard_normal(n) for i in range(70)]
    k = copies[-1]+.5*(copies[-1]-z)+.55*r.standard_normal(n)
    X = np.c_[z, np.array(copies).T, k]
    R, outcomes = correlations(X), set()
    for tau in np.linspace(.1, .4, 11):
        for columns in (as_columns(X), as_columns(sp.csc_matrix(X))):
            agrees(find_group(columns, 0, tau), naive.find_group(R, 0, tau))
        outcomes.add((71 in find_group(X, 0, tau).indices, np.abs(R[0, 1:71]).min() >= 1-tau))
    assert len(outcomes) > 1

def test_large_means_lose_nothing():
    r = np.random.default_rng(0)
    X = np.rint(10*clusters(0, p=60, noise=1.)[0])
    R, s = correlations(X), r.permutation(60)+1.
    for shift in (1e6, 1e7/3//1):
        columns = as_columns(X+shift+r.integers(0, 99, 60))
        for z, f in enumerate(find_group(columns, range(60), .4)):
            want = naive.find_group(R, z, .4)
            assert f.indices.tolist() == [k for k, _, _ in want]
            np.testing.assert_allclose(f.correlations, [q for _, q, _ in want], atol=1e-6)
        new, found = _thesis_cut(columns, s, 8, .4)
        assert new == _thesis_cut(X, s, 8, .4)[0]
        for z, f in zip(new, found): np.testing.assert_allclose(f.correlations, R[z, f.indices], atol=1e-6)

def test_a_constant_attracts_nobody_and_is_attracted_by_nobody():
    X = np.random.default_rng(0).standard_normal((20, 5))
    X[:, 2] = 3
    for columns in (as_columns(X), as_columns(sp.csc_matrix(X))):
        for tau in (0, .5, .999, 1-1e-12):
            assert not len(find_group(columns, 2, tau).indices)
            assert 2 not in find_group(columns, 0, tau).indices
    assert len(find_group(X, 0, 1-1e-12).indices) == 3
