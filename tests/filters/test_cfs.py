"CFS: the letter of both searches, storage, limits, copies."
import numpy as np
import pytest
from fsnb import naive
from fsnb.filters import CFS
from fsnb.filters.cfs import Extensions, _best_first, _forward

_SEARCHES = "best_first", "forward"


def random_problem(seed, p):
    rng = np.random.default_rng(seed)
    relevance = rng.integers(0, 8, p)/10           # ties, and features of none
    pairs = np.triu(rng.integers(0, 10, (p, p))/10, 1)
    return relevance, pairs+pairs.T+np.eye(p)


@pytest.mark.parametrize("search", _SEARCHES)
@pytest.mark.parametrize("seed", range(16))
def test_as_the_letter(seed, search):
    relevance, pairs = random_problem(seed, 2+seed%8)
    find = _best_first if search == "best_first" else _forward
    found = find(Extensions(relevance, pairs.__getitem__))
    letter, merit = naive.cfs(relevance, pairs, search)
    assert list(found.taken) == letter
    assert found.merit == pytest.approx(merit, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_merit_is_that_of_the_set(seed):
    relevance, pairs = random_problem(seed, 9)
    found = _best_first(Extensions(relevance, pairs.__getitem__), patience=200)
    assert found.merit == pytest.approx(naive.cfs_merit(relevance, pairs, found.taken))
    merits = [naive.cfs_merit(relevance, pairs, [j for j in range(9) if code >> j & 1]) for code in range(512)]
    assert found.merit == pytest.approx(max(merits))          # with patience enough, the best of all


@pytest.mark.parametrize("search", _SEARCHES)
def test_a_limit_holds(search):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 10))
    y = (X[:, :4].sum(1) > 4)*1
    free = CFS(search=search, discretizer=None).fit(X, y)
    assert len(free.support_) >= 4 and free.stop_reason_ == "converged"
    for most in (1, 2, 3):
        fitted = CFS(most, search=search, discretizer=None).fit(X, y)
        assert len(fitted.support_) == most and fitted.stop_reason_ == "n_features_to_select"
