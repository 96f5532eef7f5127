"The walk down the scores against the plain loops; what a cut is given and what it refuses"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.data.checks import SLACK
from fsnb.gdm.exact_cut import exact_cut, _clique_bound
from fsnb.gdm.cut import greedy_cut
from fsnb.gdm.paper_cuts import _thesis_cut
from cut_cases import STORES, OneByOne, agrees, clusters, correlations, small


@pytest.mark.parametrize("store", STORES)
def test_greedy_equals_the_plain_loops(store):
    for seed in range(80):
        X, r = small(seed)
        R, p = correlations(X), X.shape[1]
        s = r.integers(-4, 5, p)*R.any(0).astype(float)
        tau, link, k = float(r.choice([0, .1, .3, .5])), bool(seed % 2), int(r.integers(1, 14))
        out = r.random(p) < .2
        want, groups = naive.greedy_cut(R, s, k, tau, np.flatnonzero(out), link)
        banned = out.copy()
        supports, found = greedy_cut(STORES[store](X), s, k, tau, banned=banned, link=link)
        assert supports == want and all(type(z) is int for z in supports)
        for f, g in zip(found, groups, strict=True): agrees(f, g)
        assert set(np.flatnonzero(banned)) == {*np.flatnonzero(out), *want, *(q[0] for g in groups for q in g)}


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("tau", [0, .2, .5])
def test_looking_ahead_changes_nothing(tau, link):
    for seed in range(2):
        X, r = clusters(seed, noise=.4 if seed % 2 else 1.2)
        s = as_columns(X).scores(r.standard_normal(len(X)))
        for k in (1, 3, 30):
            a = greedy_cut(as_columns(X), s, k, tau, link=link)
            for other in (OneByOne(X), as_columns(sp.csc_matrix(X))):
                b = greedy_cut(other, s, k, tau, link=link)
                assert a[0] == b[0]
                for f, g in zip(a[1], b[1], strict=True):
                    assert f.indices.tolist() == g.indices.tolist() and f.direct.tolist() == g.direct.tolist()
                    np.testing.assert_allclose(f.correlations, g.correlations, atol=1e-9)
            assert a[0] == naive.greedy_cut(correlations(X), s, k, tau, (), link)[0]


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


def test_an_interrupted_call_leaves_the_mask_alone():
    class Interrupted(OneByOne):
        calls = 0
        def partners(self, j, threshold):
            self.calls += 1
            if self.calls == 3: raise KeyboardInterrupt
            return super().partners(j, threshold)
    X = np.random.default_rng(0).standard_normal((30, 400))
    banned = np.zeros(400, dtype=bool); banned[5] = True
    with pytest.raises(KeyboardInterrupt): greedy_cut(Interrupted(X), np.ones(400), 40, .3, banned=banned)
    assert banned.sum() == 1


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


def test_cut_by_hand():
    # 0-1 and 1-2 are near, 0-2 only through 1
    R = np.array([[1, .9, .7], [.9, 1, .9], [.7, .9, 1]])
    assert naive.find_group(R, 0, .2, link=False) == [(1, .9, True)]
    assert naive.find_group(R, 0, .2) == [(1, .9, True), (2, .7, False)]
    assert naive.greedy_cut(R, [1, 3, 2], 3, .2)[0] == [1] and naive.greedy_cut(R, [3, 2, 1], 3, .2)[0] == [0, 2]
    assert naive.exact_cut([2, 3, 2], np.abs(R) >= .8, 2) == ([0, 2], 4.)
    assert naive.exact_cut([2, 5, 2], np.abs(R) >= .8, 2) == ([1], 5.)
    found = [[(1, .9, True)], [(1, -.95, True)]]
    assert naive.assign_members([0, 2], found) == [[(0, 1.)], [(2, 1.), (1, -.95)]]


def test_what_later_calls_will_want_is_asked_with_the_rest_and_changes_nothing(monkeypatch):
    from fsnb.data.sparse import SparseColumns
    X, r = clusters(3, noise=.4)
    A = sp.csc_matrix(np.where(np.abs(X) > 1, X, 0))
    asked, true = [], SparseColumns.partners
    def partners(self, j, threshold):
        asked.append(np.atleast_1d(j).tolist())
        return true(self, j, threshold)
    monkeypatch.setattr(SparseColumns, "partners", partners)
    answers, calls = [], []
    for later in (0, 8):
        banned, known, found = np.zeros(A.shape[1], bool), {}, []
        s = as_columns(A).scores(np.random.default_rng(0).standard_normal(len(X)))
        asked.clear()
        for left in (8, 6, 4, 2, 0):
            supports, groups = greedy_cut(A, s, 2, .3, banned=banned, known=known, later=min(left, later))
            found.append((supports, [f.indices.tolist() for f in groups], [f.correlations.tolist() for f in groups]))
        answers.append(found)
        calls.append(len(asked))
    assert answers[0] == answers[1] and sum(len(s) for s, _, _ in found) == 10
    assert calls[1] < calls[0] and len({z for j in asked for z in j}) == sum(map(len, asked))


def test_a_glance_at_first_rows_tells_copies_from_strangers():
    from fsnb.gdm.cut import _FIRST_ROWS, _alike_pairs
    r = np.random.default_rng(0)
    one, two = (np.sort(r.choice(10_000, 900, replace=False)) for _ in range(2))
    rows = [one[:_FIRST_ROWS], one[r.random(900) < .9][:_FIRST_ROWS], two[:_FIRST_ROWS], two[:3], np.empty(0, dtype=np.int64)]
    want = np.zeros((5, 5), bool)
    want[0, 1] = want[1, 0] = True
    assert np.array_equal(_alike_pairs(rows, .3), want)


@pytest.mark.parametrize("store", STORES)
def test_mirror_images_are_neither_members_nor_banned_where_only_positive_values_count(store):
    mirrored = linked = 0
    for seed in range(24):
        X, r = small(seed) if seed % 2 else clusters(seed, n=40, p=40)
        R, s = correlations(X), r.standard_normal(X.shape[1])
        k, tau, link = int(r.integers(1, 9)), float(r.choice([.1, .3, .5, .7])), bool(seed//2 % 2)
        want, groups = naive.greedy_cut(np.maximum(R, 0), s, k, tau, (), link)
        supports, found = greedy_cut(as_correlation(STORES[store](X), "positive"), s, k, tau, link=link)
        assert supports == want
        for one, group in zip(found, groups): agrees(one, group)
        assert all((one.correlations > 0).all() for one in found)
        near = R[np.ix_(supports, supports)]
        assert not (near[np.triu_indices(len(near), 1)] >= 1-tau-SLACK).any()
        mirrored += (near <= -1+tau).any(); linked += any(not one.direct.all() for one in found)
    assert mirrored > 5 and linked > 0
