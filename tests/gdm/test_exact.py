"The best cut and its bounds against every subset tried"
import numpy as np
import pytest

from fsnb import naive
from fsnb.data.adapters import as_columns
from fsnb.gdm.cliques import clique_bound
from fsnb.gdm.exact import exact_cut
from fsnb.gdm.greedy import cut_value, greedy_cut
from cut_cases import correlations, edges, small


def fan():
    "A centre and two neighbours in one plane, 23.2 degrees to either side"
    angle = np.radians([0, 23.2, -23.2])
    Q = np.linalg.qr(np.c_[np.ones(6), np.random.default_rng(0).standard_normal((6, 2))])[0][:, 1:]
    return Q@np.array([np.cos(angle), np.sin(angle)])


def test_proposition_2_is_false():
    X = fan()
    R = correlations(X)
    assert R[0, 1] == pytest.approx(.919, abs=1e-3) and R[1, 2] == pytest.approx(.69, abs=1e-3)
    s = X.T@X[:, 0]
    assert greedy_cut(X, s, 2, .3)[0] == [0]
    supports, value, bound = exact_cut(s, (X, .3), 2)
    assert supports == [1, 2] and value == pytest.approx(1.690, abs=1e-3) == bound
    assert clique_bound(X, s, 2, .3) >= value


def test_exact_equals_every_subset_tried():
    worse = loose = 0
    for seed in range(150):
        r = np.random.default_rng(seed)
        X = small(seed, 9)[0] if seed % 3 == 0 else \
            r.standard_normal((15, 3))@r.standard_normal((3, 9))+.2*(seed % 2)*r.standard_normal((15, 9))
        columns, tau, k = as_columns(X), float(r.choice([.1, .3, .5])), int(r.integers(1, 6))
        s, near = columns.scores(r.standard_normal(len(X))), edges(X, tau)
        most = naive.exact_cut(s**2, near, k)[1]
        supports, value, bound = exact_cut(s, (columns, tau), k)
        assert value == pytest.approx(most) and bound == pytest.approx(most) and bound >= value
        assert len(supports) <= k and not near[np.ix_(supports, supports)].any()
        assert value == pytest.approx(cut_value(s, supports)) and exact_cut(s, near, k)[1] == pytest.approx(most)
        chosen = greedy_cut(columns, s, k, tau)[0]
        greedy = cut_value(s, chosen)
        free = [naive.exact_cut(np.ones(near[z].sum()), near[np.ix_(near[z], near[z])], 9)[1] for z in chosen]
        assert greedy <= most*(1+1e-9) <= max([1, *free])*greedy*(1+1e-8)
        for candidates in (None, k, 5):
            u = clique_bound(columns, s, k, tau, **({} if candidates is None else dict(candidates=candidates)))
            assert most*(1-1e-9) <= u <= clique_bound(columns, s, k, None)*(1+1e-9)
        worse += greedy < most*(1-1e-9); loose += u > most*(1+1e-9)
    assert worse > 10 and loose > 10


def test_candidates_give_the_best_among_them_and_a_bound_over_all():
    proved = 0
    for seed in range(60):
        r = np.random.default_rng(seed)
        X = r.standard_normal((15, 3))@r.standard_normal((3, 10))
        columns = as_columns(X)
        s, near, k = columns.scores(r.standard_normal(15)), edges(X, .3), int(r.integers(1, 5))
        most = naive.exact_cut(s**2, near, k)[1]
        best = columns.top(s, 5)
        among = naive.exact_cut(s[best]**2, near[np.ix_(best, best)], k)[1]
        for graph in ((columns, .3), near):
            supports, value, bound = exact_cut(s, graph, k, candidates=5)
            assert set(supports) <= set(best) and value == pytest.approx(among)
            assert value <= bound and bound >= most*(1-1e-9)
            if bound <= value*(1+1e-6): assert value == pytest.approx(most)
        proved += bound <= value*(1+1e-6)
    assert 5 < proved < 55


def test_out_of_time_there_is_still_a_cut_and_a_bound():
    r = np.random.default_rng(0)
    X = r.standard_normal((40, 4))@r.standard_normal((4, 150))+.3*r.standard_normal((40, 150))
    columns = as_columns(X)
    s = columns.scores(r.standard_normal(40))
    supports, value, bound = exact_cut(s, (columns, .3), 12, time_limit=1e-6)
    assert supports and not edges(X, .3)[np.ix_(supports, supports)].any()
    best = exact_cut(s, (columns, .3), 12, candidates=150)[1]
    assert value <= best*(1+1e-6) and bound >= best*(1-1e-6)


def test_the_clique_bound_when_all_is_one_clique():
    r = np.random.default_rng(0)
    X = r.standard_normal((60, 1))+.01*r.standard_normal((60, 700))
    columns = as_columns(X)
    s = columns.scores(r.standard_normal(60))
    assert clique_bound(columns, s, 5, .3, candidates=700) == pytest.approx((s**2).max())
    assert clique_bound(columns, s, 5, .3) == pytest.approx(np.sort(s**2)[-1]+np.sort(s**2)[-516:-512].sum())
