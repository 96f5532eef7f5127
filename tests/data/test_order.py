"Order and levels: against a full sort, and independent of rounding"
import tracemalloc
import numpy as np
import pytest

from fsnb.data.checks import _at_least_kth, first_least, levels, _likely_top, TIE, top


def test_levels_are_dense_ranks_of_exact_values():
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = rng.integers(-5, 6, rng.integers(1, 40)).astype(float)
        want = np.unique(values, return_inverse=True)[1]
        assert np.array_equal(levels(values), want)
        assert np.array_equal(levels(values*(1+1e-15*rng.standard_normal(len(values)))), want)


@pytest.mark.parametrize("tie", [TIE, 1e-9, 1e-3])
def test_levels_part_what_is_farther_apart_than_the_tie(tie):
    assert levels([1, 1-.5*tie], tie).tolist() == [0, 0]
    assert levels([1, 1-2*tie], tie).tolist() == [1, 0]
    assert levels([-1, 0, .5*tie, 2*tie], tie).tolist() == [0, 1, 1, 2]


def test_levels_of_nothing_of_zeros_and_of_infinities():
    assert levels([]).tolist() == []
    assert levels([0, 0]).tolist() == [0, 0]
    assert levels([np.inf, 0, -np.inf, np.inf]).tolist() == [2, 1, 0, 2]


def test_first_least():
    assert first_least(np.array([3, 1, 1]), 0) == 1
    assert first_least(np.array([1+1e-13, 1]), 1e-12) == 0
    assert first_least(np.array([np.inf, np.inf]), 0) == 0


def test_candidates_hold_the_top_even_where_the_sample_misleads():
    rng = np.random.default_rng(0)
    size = np.zeros(400_000)
    size[1::6] = 1+rng.random(len(size[1::6]))            # every sixth, which a strided sample meets or misses
    for shift in range(3):
        moved = np.roll(size, shift)
        kept = _likely_top(moved, 500, np.empty(0, dtype=bool))
        assert set(np.argsort(-moved, kind="stable")[:500]) <= set(kept)
        assert np.array_equal(top(moved, 500), np.argsort(-moved, kind="stable")[:500])


def test_at_least_kth_keeps_all_that_tie_with_the_last():
    size = np.array([3., 2, 2, 1, 2])
    assert _at_least_kth(size, np.arange(5), 2, 0).tolist() == [0, 1, 2, 4]
    assert _at_least_kth(size, np.array([0, 3, 4]), 2, 0).tolist() == [0, 4]
    assert _at_least_kth(size, np.arange(5), 9, 0).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("scale", [1, 1e-200, 1e200])
@pytest.mark.parametrize("kind", ["plain", "ties", "one far", "few", "zeros"])
def test_the_top_of_many_equals_a_sort_and_copies_no_vector(kind, scale):
    rng = np.random.default_rng(0)
    scores = rng.standard_normal(300_000)
    if kind == "ties": scores = np.round(scores, 1)
    if kind == "one far": scores[7] = 1e6                      # the others agree to 1e-5 of theirs more often
    if kind == "few": scores[rng.random(len(scores)) < .9999] = 0
    if kind == "zeros": scores[:] = 0
    banned = rng.random(len(scores)) < .3
    scores *= scale
    for mask in (None, banned):
        allowed = np.arange(len(scores)) if mask is None else np.flatnonzero(~mask)
        size = np.abs(scores[allowed])
        want = allowed[np.lexsort((allowed, -levels(size)))]
        want = want[scores[want] != 0][:200]
        assert top(scores, 200, mask).tolist() == want.tolist()
    if kind == "plain":
        tracemalloc.start()
        top(scores, 200, banned)
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert held < len(scores)*8*.8          # the sample and its sort


@pytest.mark.parametrize("k", [1, 10, 40])
def test_a_sample_spares_the_rest_at_any_size(k):
    "Six million scores: few are kept for a small k too, where one in ninety is looked at"
    scores = np.random.default_rng(k).standard_normal(6_000_000)
    kept = _likely_top(scores, k, np.empty(0, dtype=bool))
    assert len(kept) < 10_000
    assert set(np.argpartition(-np.abs(scores), k)[:k]) <= set(kept.tolist())
