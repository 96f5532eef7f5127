"Permuted labels: they stay in their strata, every way is as likely, and a few numbers draw the same again"
import numpy as np
import pytest

from fsnb.groups import permuted
from fsnb.groups.max_t import _cut_draws, _draw_stripes, open_target, permute_target


def test_permutations_stay_in_their_strata():
    r = np.random.default_rng(0)
    y, strata = r.integers(0, 3, 50), r.integers(0, 4, 50)
    task = open_target(y, strata, 50)
    ways = permute_target(task, 300, np.random.RandomState(0))
    assert (ways.sum(1) == 1).all()                              # the classes of a sample move together
    for s in range(4):
        own = ways[strata == s].sum(0)
        assert (own == own[:, :1]).all()
    assert len(np.unique(ways.reshape(150, -1), axis=1).T) == 300
    assert np.array_equal(ways[:, :, :9], permute_target(task, 9, np.random.RandomState(0)))


@pytest.mark.parametrize("kind", ["two classes", "four classes", "numbers"])
def test_portions_are_the_same_permutations(monkeypatch, kind):
    "However many vectors are kept at once, and however wide the stripes, the thousandth permutation is the same"
    r = np.random.default_rng(1)
    y = {"two classes": r.integers(0, 2, 30), "four classes": r.integers(0, 4, 30), "numbers": r.random(30)}[kind]
    task = open_target(y, r.integers(0, 3, 30), 30)
    whole = permute_target(task, 70, np.random.RandomState(4))
    monkeypatch.setattr(permuted, "_PANEL", 17*task.vectors.nbytes)
    for stripe_bytes in (0, 1 << 22):
        monkeypatch.setattr(permuted, "_STRIPE_BYTES", stripe_bytes)
        assert [draws.count for draws in _cut_draws(task, 70, np.random.RandomState(4))] == [17, 17, 17, 17, 2]
        stripes = [one for some in _draw_stripes(task, 70, np.random.RandomState(4)) for one in some]
        assert np.array_equal(np.concatenate(stripes, axis=2), whole)


def test_every_way_is_as_likely():
    "Three in each of two strata, one of them a one: nine ways, and a chi-squared of eight degrees"
    task = open_target([1, 0, 0, 0, 1, 0], [0, 0, 0, 1, 1, 1], 6)
    drawn = permute_target(task, 9000, np.random.RandomState(0))[:, 0]
    ways, counts = np.unique(drawn, axis=1, return_counts=True)
    assert len(counts) == 9
    assert ((counts-1000)**2/1000).sum() < 26.1                      # .999 of the distribution
