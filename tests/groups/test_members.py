"Who belongs to whom: `assign_members` against the transcription, ties, and the groups of what is selected anyhow"
import numpy as np
import pytest

from fsnb import naive
from fsnb.data.adapters import as_columns
from fsnb.groups.members import Found, affiliates, assign_members


def random_found(seed):
    "(supports, a `Found` for each): features that several supports want, with ties of |correlation|"
    rng = np.random.default_rng(seed)
    p, k = int(rng.integers(3, 30)), int(rng.integers(0, 6))
    supports, found = rng.choice(p, min(k, p), replace=False), []
    for z in supports:
        want = np.setdiff1d(np.flatnonzero(rng.random(p) < rng.random()), [z])
        corr = rng.choice([.9, -.9, .9+1e-10, .8, -.7, rng.uniform(-1, 1)], len(want))
        found.append(Found(want, corr, np.abs(corr) >= .75))
    return supports.tolist(), found


@pytest.mark.parametrize("seed", range(60))
def test_assign_members_equals_naive(seed):
    supports, found = random_found(seed)
    members, correlations = assign_members(supports, found)
    plain = naive.assign_members(supports, [list(zip(*(part.tolist() for part in f))) for f in found])
    assert [list(zip(m.tolist(), c.tolist())) for m, c in zip(members, correlations)] == plain
    assert all(m.dtype == np.int64 and c.dtype == np.float64 for m, c in zip(members, correlations))
    everyone = [j for m in members for j in m.tolist()]
    assert len(everyone) == len(set(everyone))
    assert set(everyone) == set(supports).union(*(f.indices.tolist() for f in found))


def test_nobody_to_assign():
    alone = Found(np.empty(0, np.int64), np.empty(0), np.empty(0, bool))
    assert [m.tolist() for m in assign_members([4], [alone])[0]] == [[4]] and assign_members([], []) == ([], [])


def test_direct_goes_before_strong_and_the_earlier_wins_a_tie():
    weak, strong = Found([5], [.6], [True]), Found([5], [-.9], [False])
    assert [m.tolist() for m in assign_members([1, 2], [weak, strong])[0]] == [[1, 5], [2]]
    tied = Found([5], [-.6-1e-10], [True])
    assert [m.tolist() for m in assign_members([1, 2], [weak, tied])[0]] == [[1, 5], [2]]
    stronger = Found([5], [.61], [True])
    assert [m.tolist() for m in assign_members([1, 2], [weak, stronger])[0]] == [[1], [2, 5]]


def test_assign_members_refuses():
    nobody = Found(np.empty(0, np.int64), np.empty(0), np.empty(0, bool))
    with pytest.raises(ValueError, match="supports must be distinct"): assign_members([1, 1], [nobody]*2)
    with pytest.raises(ValueError, match="found must have one entry for each of the 2 supports, got 1"): assign_members([1, 2], [nobody])


def test_affiliates_are_duplicates_or_what_is_near():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((200, 3))
    X = np.c_[base, base[:, 0], -base[:, 0], base[:, 1]+.3*rng.standard_normal(200), base[:, 2]*2]
    first = np.array([0, 1, 2, 0, 0, 5, 2])
    members, correlations = affiliates(as_columns(X), np.array([1, 0]), first)
    assert [m.tolist() for m in members] == [[1], [0, 3, 4]] and np.allclose(correlations[1], [1, 1, -1])
    members, correlations = affiliates(as_columns(X), np.array([1, 0]), first, .2)
    assert [m.tolist() for m in members] == [[1, 5], [0, 3, 4]]
    assert correlations[0][1] == pytest.approx(np.corrcoef(X[:, 1], X[:, 5])[0, 1])
    members, _ = affiliates(as_columns(X), np.array([3, 2]), first)           # a later duplicate leads nobody
    assert [m.tolist() for m in members] == [[3], [2, 6]]
