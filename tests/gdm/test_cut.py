"Cuts where the page's cases do not go: many partners, constants, zeros, looking ahead, what is known"
import numpy as np, pytest, scipy.sparse as sp

from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.gdm.cut import find_group, greedy_cut
from fsnb.gdm.exact_cut import exact_cut, _clique_bound
from fsnb.gdm.paper_cuts import _thesis_cut
from cut_cases import STORES, OneByOne, agrees, clusters, correlations

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

def test_a_constant_attracts_nobody_and_is_attracted_by_nobody():
    X = np.random.default_rng(0).standard_normal((20, 5))
    X[:, 2] = 3
    for columns in (as_columns(X), as_columns(sp.csc_matrix(X))):
        for tau in (0, .5, .999, 1-1e-12):
            assert not len(find_group(columns, 2, tau).indices)
            assert 2 not in find_group(columns, 0, tau).indices
    assert len(find_group(X, 0, 1-1e-12).indices) == 3

@pytest.mark.parametrize("link", [False, True])
def test_looking_ahead_changes_nothing(link):
    for seed, tau in ((0, 0), (1, .2), (0, .5), (1, .5)):
        X, r = clusters(seed, noise=.4 if seed % 2 else 1.2)
        s = as_columns(X).scores(r.standard_normal(len(X)))
        for k in (1, 3, 30):
            want, groups = naive.greedy_cut(correlations(X), s, k, tau, (), link)
            for columns in (as_columns(X), OneByOne(X), as_columns(sp.csc_matrix(X))):
                supports, found = greedy_cut(columns, s, k, tau, link=link)
                assert supports == want
                for f, g in zip(found, groups, strict=True): agrees(f, g)

def test_the_walk_goes_to_the_end_of_the_list():
    # one crowd of 2000, its mirror images, and two strangers at the very end
    r = np.random.default_rng(0)
    z = r.standard_normal(50)
    X = np.c_[np.outer(z, r.uniform(-2, 2, 2000)), r.standard_normal((50, 2))]
    s = np.r_[np.linspace(9, 1, 2000), .2, .1]
    for columns in (as_columns(X), OneByOne(X)):
        supports, found = greedy_cut(columns, s, 9, .3)
        assert supports == [0, 2000, 2001] and len(found[0].indices) == 1999
    assert _thesis_cut(X, s, 9, .3)[0] == [0, 2000, 2001]

def test_a_score_of_zero_is_never_taken():
    X = np.random.default_rng(0).standard_normal((30, 4))
    assert greedy_cut(X, [0, 2, 0, 1], 4, .3)[0] == [1, 3]
    assert greedy_cut(X, np.zeros(4), 4, .3) == ([], [])
    assert _thesis_cut(X, np.zeros(4), 4, .3) == ([], []) and exact_cut(np.zeros(4), (X, .3), 2) == ([], 0, 0)
    assert _clique_bound(X, np.zeros(4), 4, .3) == 0

@pytest.mark.parametrize("store", STORES)
def test_what_is_known_is_not_looked_up_again(store):
    X, r = clusters(3, noise=1.)
    columns, known = STORES[store](X), {}
    for seed in (0, 0, 1):
        s = columns.scores(np.random.default_rng(seed).standard_normal(len(X)))
        supports, found = greedy_cut(columns, s, 12, .3, link=True, known=known)
        want, groups = greedy_cut(columns, s, 12, .3, link=True)
        assert supports == want and set(supports) <= set(known)
        for f, g in zip(found, groups, strict=True): assert f.indices.tolist() == g.indices.tolist()
    columns.partners = None
    assert greedy_cut(columns, s, 12, .3, link=True, known=known)[0] == want
