"Hits against `fsnb.naive` on random cases, hand values, and contracts"
from types import SimpleNamespace
import numpy as np
import pytest
from fsnb import naive
from fsnb.groups.metrics import _nogueira_interval, redundancy_rate, stability, strict_hits


def random_groups(rng, n_groups, p):
    return [rng.choice(p, rng.integers(1, 6), replace=False) for _ in range(n_groups)]


@pytest.mark.parametrize("seed", range(100))
def test_hits_equal_naive(seed):
    rng = np.random.default_rng(seed)
    found, truth = random_groups(rng, rng.integers(0, 9), 25), random_groups(rng, rng.integers(1, 7), 25)
    h = strict_hits(found, truth)
    sets = [set(g.tolist()) for g in found], [set(g.tolist()) for g in truth]
    assert (h.hits, h.wrong, h.exact_groups) == naive.hits_by_pairs(*sets)
    assert h.total == sum(map(len, sets[1])) and h.rate == h.hits / h.total
    assert h.n_groups == len(truth) and h.n_multi == sum(len(t) > 1 for t in truth)
    assert h.exact_multi <= min(h.exact_groups, h.n_multi)


def test_truth_against_itself_is_perfect():
    truth = [[0, 4, 2], [9], [7, 5]]
    assert strict_hits(truth, truth) == (6, 6, 1.0, 0, 3, 3, 2, 2)
    assert strict_hits(truth[::-1], truth) == strict_hits(truth, truth)
    assert strict_hits([[2, 0, 4], [9], [5, 7]], truth).exact_groups == 3


def test_hand_value_and_tie_goes_to_the_earlier():
    assert strict_hits([[0, 1], [2, 5], [9]], [[0, 1, 2], [5, 6]])[:4] == (3, 5, .6, 1)
    # both found groups overlap the true one in one feature: the earlier one decides exactness
    assert strict_hits([[0, 8], [0]], [[0]]).exact_groups == 0
    assert strict_hits([[0], [0, 8]], [[0]]).exact_groups == 1


def test_strict_means_in_the_matched_group():
    assert strict_hits([[0, 1, 2], [3]], [[0, 1, 2, 3]]).hits == 3


def test_nothing_found():
    assert strict_hits([], [[1, 2]])[:5] == (0, 2, 0.0, 0, 0)
    assert strict_hits([[5]], [[1, 2]])[:5] == (0, 2, 0.0, 1, 0)
    assert strict_hits([[]], [[1, 2]])[:5] == (0, 2, 0.0, 0, 0)


def test_members_attribute():
    found = SimpleNamespace(members=[np.array([3, 1]), np.array([2])])
    assert strict_hits(found, [[1, 3], [2]]).exact_groups == 2


def test_a_true_member_of_two_groups_counts_twice():
    assert strict_hits([[0, 1, 2]], [[0, 1], [1, 2]])[:2] == (4, 4)


@pytest.mark.parametrize("found, truth", [([1, 2], [[1]]), ([[1.5]], [[1]]), ([[True, False]], [[1]]), ([["a"]], [[1]]),
                                          ([[1]], []), ([[1]], [[1], []]), ([[[1, 2]]], [[1]])])
def test_hits_refuse(found, truth):
    with pytest.raises(ValueError, match="found must be|truth must"): strict_hits(found, truth)


def test_all_metrics_are_in_one_place():
    from fsnb.groups import redundancy, stability_index
    assert redundancy_rate is redundancy.redundancy_rate
    assert stability is stability_index.stability and _nogueira_interval is stability_index._nogueira_interval
