"CFS and the consistency filter: the letter, brute force, limits."
import numpy as np
import pytest
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.filters import CFS, ConsistencyFilter
from fsnb.filters.cfs import Extensions, _best_first
from fsnb.filters.consistency import _keep_consistent, _least_clashes
from fsnb.filters.discretizer import code_features

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
    patience = 5 if search == "best_first" else 1
    found = _best_first(Extensions(relevance, pairs.__getitem__), patience=patience)
    letter, merit = naive.cfs(relevance, pairs, search)
    assert list(found.taken) == letter
    assert found.merit == pytest.approx(merit, abs=1e-9)

@pytest.mark.parametrize("seed", range(6))
def test_merit_is_that_of_the_set(seed):
    relevance, pairs = random_problem(seed, 9)
    found = _best_first(Extensions(relevance, pairs.__getitem__), patience=200)
    assert found.merit == pytest.approx(naive.cfs_merit(relevance, pairs, found.taken))
    sets = [[j for j in range(9) if code >> j & 1] for code in range(512)]
    best = max(naive.cfs_merit(relevance, pairs, some) for some in sets)
    assert found.merit == pytest.approx(best)          # with patience enough, the best of all

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

# ---- consistency

def random_codes(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 50)), int(rng.integers(1, 8))
    X = rng.integers(0, rng.integers(2, 4), (n, p))
    y = np.r_[0, 1, rng.integers(0, 3, n-2)]
    return X, np.unique(y, return_inverse=True)[1]

@pytest.mark.parametrize("seed", range(16))
def test_consistency_is_the_letter(seed):
    X, y = random_codes(seed)
    codes = code_features(as_columns(X), y, None).codes
    taken, clashes = _keep_consistent(codes, y, _least_clashes(codes, y))
    assert taken == naive.consistency(X, y)
    assert _least_clashes(codes, y) == naive.count_clashes(X, y, range(X.shape[1]))
    assert clashes == [naive.count_clashes(X, y, taken[:k+1]) for k in range(len(taken))]

def test_ends():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 6))
    y = X[:, 2] ^ X[:, 4]
    free = ConsistencyFilter(discretizer=None).fit(X, y)
    assert {2, 4} <= set(free.support_) and free.clashes_[-1] == 0
    assert free.stop_reason_ == "converged"
    one = ConsistencyFilter(1, discretizer=None).fit(X, y)
    assert one.stop_reason_ == "n_features_to_select" and len(one.support_) == 1
    with pytest.warns(UserWarning, match="no feature can be of use"):
        none = ConsistencyFilter().fit(rng.standard_normal((30, 3)), [0, 1]*15)
    assert none.stop_reason_ == "nothing_left" and len(none.clashes_) == 0
