"The best cut and its bounds against every subset tried"
import numpy as np, pytest

from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.gdm.exact_cut import better_cut
from fsnb.gdm.cut import _cut_value
from cut_cases import edges

def crowded(seed, p=12):
    "Scores, a graph full of conflicts, places"
    r = np.random.default_rng(seed)
    X = r.standard_normal((15, 3))@r.standard_normal((3, p))+.2*(seed % 2)*r.standard_normal((15, p))
    return as_columns(X).scores(r.standard_normal(15)), edges(X, .3), int(r.integers(1, 6)), X

@pytest.mark.parametrize("first", [2, 64])
def test_a_better_cut_or_a_proof_that_there_is_none(first):
    found_some = none = grew = 0
    for seed in range(10):
        s, near, k, X = crowded(seed)
        most = naive.exact_cut(s**2, near, k)[1]
        for share in (0, .7, .999, 1.001, 1.2):
            for graph in (near, (X, .3)):
                found = better_cut(s, graph, k, share*most, first=first)
                assert found.complete and found.bound >= most*(1-1e-9)
                assert not near[np.ix_(found.supports, found.supports)].any() and len(found.supports) <= k
                assert found.value == pytest.approx(_cut_value(s, found.supports)) and found.value <= most*(1+1e-9)
                if share < 1: assert found.value == pytest.approx(most) and found.bound == pytest.approx(most)
                else: assert found.bound <= share*most*(1+1e-8)
            found_some += share < 1; none += share > 1; grew += found.n_looked > first
    assert found_some and none and (grew > 3 or first == 64)

def test_limits_leave_a_bound_that_holds():
    r = np.random.default_rng(0)
    X = r.standard_normal((40, 4))@r.standard_normal((4, 100))+.3*r.standard_normal((40, 100))
    s = as_columns(X).scores(r.standard_normal(40))
    best = better_cut(s, (X, .3), 7)
    assert best.complete
    for limits in (dict(candidates=8), dict(nodes=1), dict(time_limit=1e-6), dict(first=16, candidates=32)):
        one, two = better_cut(s, (X, .3), 7, **limits), better_cut(s, (X, .3), 7, **limits)
        assert one == two and one.bound >= best.value*(1-1e-9) and one.value <= best.value*(1+1e-9)
        assert one.complete == (one.bound <= one.value*(1+1e-8))
    assert not better_cut(s, (X, .3), 7, candidates=8).complete
