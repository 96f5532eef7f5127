"CFS and the consistency filter: the letter of CFS, limits."
import numpy as np, pytest
from fsnb import naive
from fsnb.filters import CFS, ConsistencyFilter
from fsnb.filters.cfs import Extensions, _best_first

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
