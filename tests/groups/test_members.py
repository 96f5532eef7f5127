"Who belongs to whom: `assign_members` against the transcription, ties, and the groups of what is selected anyhow"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.data.adapters import as_columns
from fsnb.data.twins import find_duplicates
from fsnb.groups.groups import (affiliates, assign_members, Neighbours, select_neighbours,
                                share_chance, keep_significant)


def random_found(seed):
    "(supports, a `Found` for each): features that several supports want, with ties of |correlation|"
    rng = np.random.default_rng(seed)
    p, k = int(rng.integers(3, 30)), int(rng.integers(0, 6))
    supports, found = rng.choice(p, min(k, p), replace=False), []
    for z in supports:
        want = np.setdiff1d(np.flatnonzero(rng.random(p) < rng.random()), [z])
        corr = rng.choice([.9, -.9, .9+1e-10, .8, -.7, rng.uniform(-1, 1)], len(want))
        found.append(Neighbours(want, corr, np.abs(corr) >= .75))
    return supports.tolist(), found


@pytest.mark.parametrize("seed", range(60))
def test_assign_members_equals_naive(seed):
    supports, found = random_found(seed)
    members, correlations, p_values, refused = assign_members(supports, found)
    assert p_values is None and refused is None
    plain = naive.assign_members(supports, [list(zip(*(part.tolist() for part in f[:3]))) for f in found])
    assert [list(zip(m.tolist(), c.tolist())) for m, c in zip(members, correlations)] == plain
    assert all(m.dtype == np.int64 and c.dtype == np.float64 for m, c in zip(members, correlations))
    everyone = [j for m in members for j in m.tolist()]
    assert len(everyone) == len(set(everyone))
    assert set(everyone) == set(supports).union(*(f.indices.tolist() for f in found))


def test_nobody_to_assign():
    alone = Neighbours(np.empty(0, np.int64), np.empty(0), np.empty(0, bool))
    assert [m.tolist() for m in assign_members([4], [alone])[0]] == [[4]] and assign_members([], []) == ([], [], None, None)


def test_direct_goes_before_strong_and_the_earlier_wins_a_tie():
    weak, strong = Neighbours([5], [.6], [True]), Neighbours([5], [-.9], [False])
    assert [m.tolist() for m in assign_members([1, 2], [weak, strong])[0]] == [[1, 5], [2]]
    tied = Neighbours([5], [-.6-1e-10], [True])
    assert [m.tolist() for m in assign_members([1, 2], [weak, tied])[0]] == [[1, 5], [2]]
    stronger = Neighbours([5], [.61], [True])
    assert [m.tolist() for m in assign_members([1, 2], [weak, stronger])[0]] == [[1], [2, 5]]


def test_assign_members_refuses():
    nobody = Neighbours(np.empty(0, np.int64), np.empty(0), np.empty(0, bool))
    with pytest.raises(ValueError, match="supports must be distinct"): assign_members([1, 1], [nobody]*2)
    with pytest.raises(ValueError, match="found must have one entry for each of the 2 supports, got 1"): assign_members([1, 2], [nobody])


def test_affiliates_are_duplicates_or_what_is_near():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((200, 3))
    X = np.c_[base, base[:, 0], -base[:, 0], base[:, 1]+.3*rng.standard_normal(200), base[:, 2]*2]
    first = np.array([0, 1, 2, 0, 0, 5, 2])
    members, correlations, *_ = affiliates(as_columns(X), np.array([1, 0]), first)
    assert [m.tolist() for m in members] == [[1], [0, 3, 4]] and np.allclose(correlations[1], [1, 1, -1])
    members, correlations, *_ = affiliates(as_columns(X), np.array([1, 0]), first, .2)
    assert [m.tolist() for m in members] == [[1, 5], [0, 3, 4]]
    assert correlations[0][1] == pytest.approx(np.corrcoef(X[:, 1], X[:, 5])[0, 1])
    members = affiliates(as_columns(X), np.array([3, 2]), first)[0]           # a later duplicate leads nobody
    assert [m.tolist() for m in members] == [[3], [2, 6]]


# ---- what chance explains

def sifted(indices, correlations, p_values, refused=()):
    return Neighbours(np.array(indices, np.int64), np.array(correlations, float),
                      np.ones(len(indices), bool), np.array(p_values, float),
                 np.array(refused, np.int64))


class Told:
    "A measure that says p-values it was given, by pair, and counts how often it was asked"
    def __init__(self, p_values): self.told, self.asked = p_values, 0

    def p_values(self, z, indices, correlations):
        self.asked += 1
        assert indices.dtype == np.int64 and len(correlations) == len(indices)
        return np.array([self.told[z, j] for j in indices.tolist()])


def test_sift_found_keeps_what_is_rarer_than_the_level():
    found = Neighbours(np.array([2, 5, 7, 9]), np.array([.9, -.95, .8, 1.]),
                       np.array([True, True, False, True]))
    told = Told({(0, 2): .01, (0, 5): 1e-9, (0, 7): .001, (0, 9): .0011})
    got = keep_significant(told, 0, found, .001)
    assert got.indices.tolist() == [5, 7] and got.correlations.tolist() == [-.95, .8] and got.direct.tolist() == [True, False]
    assert got.p_values.tolist() == [1e-9, .001] and got.refused.tolist() == [2, 9] and got.refused.dtype == np.int64
    assert keep_significant(told, 0, found, None) is found and told.asked == 1
    again = keep_significant(told, 0, got,
                             1e-6)                             # who was refused stays refused
    assert again.indices.tolist() == [5] and again.refused.tolist() == [2, 7, 9]
    nobody = keep_significant(told, 0, select_neighbours(found, np.zeros(4, bool)), .5)
    assert told.asked == 2 and len(nobody.p_values) == len(nobody.refused) == 0 and nobody.p_values.dtype == float


def test_keep_found_takes_a_mask_or_places():
    found = sifted([2, 5, 7], [.9, -.95, .8], [.1, .2, .3], [11])
    for keep in (np.array([True, False, True]), np.array([0, 2])):
        got = select_neighbours(found, keep)
        assert got.indices.tolist() == [2, 7] and got.p_values.tolist() == [.1, .3] and got.refused.tolist() == [11]
    assert select_neighbours(Neighbours(*found[:3]), np.array([1])).p_values is None


def test_a_member_has_the_p_value_of_its_own_support():
    found = [sifted([4, 5, 6], [.8, .95, .7], [1e-4, 1e-5, 1e-6]), sifted([4, 5], [.9, .9], [1e-7, 1e-8])]
    groups = assign_members([1, 2], found)
    assert [m.tolist() for m in groups.members] == [[1, 5, 6], [2, 4]]
    np.testing.assert_array_equal(np.concatenate(groups.p_values), [np.nan, 1e-5, 1e-6, np.nan, 1e-7])
    assert all(p.dtype == np.float64 for p in groups.p_values)
    mixed = assign_members([1, 2],
                           [found[0], Neighbours(*found[1][:3])])      # NaN where nobody asked
    np.testing.assert_array_equal(np.concatenate(mixed.p_values), [np.nan, 1e-5, 1e-6, np.nan, np.nan])
    assert mixed.refused.tolist() == [0, 0]


def test_refused_are_those_that_end_in_no_group():
    found = [sifted([4], [.8], [1e-4], [2, 5, 6, 7]), sifted([5], [.9], [1e-7], [4, 6]),
             Neighbours(*sifted([], [], [])[:3])]
    groups = assign_members([1, 2, 3], found)
    assert groups.refused.tolist() == [2, 1, 0] and groups.refused.dtype == np.int64      # 2 is a support, 5 and 4 are members; 6 counts for both
    assert assign_members([1], [Neighbours(*found[0][:3])]).refused is None


@pytest.mark.parametrize("seed", range(40))
def test_p_values_follow_members_and_change_no_group(seed):
    supports, found = random_found(seed)
    rng = np.random.default_rng(seed)
    known = {(z, j): rng.random() for z, f in zip(supports, found) for j in f.indices.tolist()}
    told = [f._replace(p_values=np.array([known[z, j] for j in f.indices.tolist()])) for z, f in zip(supports, found)]
    plain, groups = assign_members(supports, found), assign_members(supports, told)
    for a, b in zip([*plain.members, *plain.correlations], [*groups.members, *groups.correlations]): np.testing.assert_array_equal(a, b)
    for own, p_values in zip(groups.members, groups.p_values or []):
        assert np.isnan(p_values[0]) and p_values[1:].tolist() == [known[int(own[0]), j] for j in own[1:].tolist()]


def rare_columns(seed=0, n=400, p=1500):
    "One entry a column; the last six are copies of a column of fifteen entries"
    rng = np.random.default_rng(seed)
    X = np.zeros((n, p+6))
    X[rng.integers(0, n, p), np.arange(p)] = 1
    X[:15, p:] = 1
    return X


@pytest.mark.parametrize("storage", [np.asarray, sp.csc_matrix])
@pytest.mark.parametrize("tau", [None, .1])
def test_affiliates_leave_out_what_chance_explains(storage, tau):
    X = rare_columns()
    columns = as_columns(storage(X))
    first = find_duplicates(columns)
    support = np.array([0, 1500])
    untested = affiliates(columns, support, first, tau)
    assert untested.p_values is None and untested.refused is None and len(untested.members[0]) > 2 and len(untested.members[1]) == 6
    groups = affiliates(columns, support, first, tau, .05/(2*1506))
    assert [m.tolist() for m in groups.members] == [[0], list(range(1500, 1506))]
    assert groups.refused.tolist() == [len(untested.members[0])-1, 0] and max(groups.p_values[1][1:]) < .05/(2*1506)
    loose = affiliates(columns, support, first, tau, 1.)                    # a level of 1 tests, and refuses nobody
    assert [m.tolist() for m in loose.members] == [m.tolist() for m in untested.members] and loose.refused.tolist() == [0, 0]


def false_members(level_of, chance, repeats=150, n=40, p=120, k=4):
    "Members by chance in an answer, on average over independent columns, and the error of that"
    rng, counts = np.random.default_rng(7), []
    for _ in range(repeats):
        columns = as_columns(rng.standard_normal((n, p)))
        groups = affiliates(columns, np.arange(k), np.arange(p), .999, level_of(chance, k, columns))
        counts.append(sum(map(len, groups.members))-k)
    return np.mean(counts), np.std(counts)/repeats**.5


def test_an_answer_holds_as_many_members_by_chance_as_was_asked_for():
    mean, error = false_members(lambda chance, k, columns: share_chance(chance, k*columns.n_features), 2.)
    assert mean <= 2+3*error and mean > 1                                  # not above, and not far below: columns here are normal
    mean, error = false_members(lambda chance, k, columns: share_chance(chance, columns.n_features), 2.)
    assert mean > 2+3*error                                                # a mutant that forgets to count the supports
