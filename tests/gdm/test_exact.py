"The best cut and its bounds against every subset tried"
import numpy as np
import pytest

from fsnb import naive
from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.gdm.exact_cut import (
    better_cut, clique_heads, exact_cut, reach, _clique_bound, _grow_cliques)
from fsnb.gdm.cut import _cut_value, greedy_cut
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
    assert _clique_bound(X, s, 2, .3) >= value


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
        assert value == pytest.approx(_cut_value(s, supports)) and exact_cut(s, near, k)[1] == pytest.approx(most)
        chosen = greedy_cut(columns, s, k, tau)[0]
        greedy = _cut_value(s, chosen)
        free = [naive.exact_cut(np.ones(near[z].sum()), near[np.ix_(near[z], near[z])], 9)[1] for z in chosen]
        assert greedy <= most*(1+1e-9) <= max([1, *free])*greedy*(1+1e-8)
        for candidates in (None, k, 5):
            u = _clique_bound(columns, s, k, tau, **({} if candidates is None else dict(candidates=candidates)))
            assert most*(1-1e-9) <= u <= _clique_bound(columns, s, k, None)*(1+1e-9)
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
    assert _clique_bound(columns, s, 5, .3, candidates=700) == pytest.approx((s**2).max())
    assert _clique_bound(columns, s, 5, .3) == pytest.approx(np.sort(s**2)[-1]+np.sort(s**2)[-516:-512].sum())


def crowded(seed, p=12):
    "Scores, a graph full of conflicts, places"
    r = np.random.default_rng(seed)
    X = r.standard_normal((15, 3))@r.standard_normal((3, p))+.2*(seed % 2)*r.standard_normal((15, p))
    return as_columns(X).scores(r.standard_normal(15)), edges(X, .3), int(r.integers(1, 6)), X


def test_no_cut_with_a_feature_exceeds_its_reach():
    dropped = 0
    for seed in range(80):
        s, near, k, _ = crowded(seed, 10)
        order = np.argsort(-s**2)
        w, near, m = s[order]**2, near[np.ix_(order, order)], int(np.random.default_rng(seed).integers(3, 11))
        outside = w[m] if m < 10 else 0.
        reaches, beyond, cover = reach(w[:m], near[:m, :m], k, outside)
        for j in range(10):
            rest = np.flatnonzero(~near[j] & (np.arange(10) != j))
            most = w[j]+(naive.exact_cut(w[rest], near[np.ix_(rest, rest)], k-1)[1] if k > 1 else 0)
            assert most <= (reaches[j] if j < m else beyond)*(1+1e-9)
        best = naive.exact_cut(w, near, k)[1]
        assert best <= cover*(1+1e-9) and (reaches <= cover*(1+1e-9)).all()
        dropped += (reaches < best*(1-1e-9)).sum()
    assert dropped > 100


def test_cliques_grow_as_they_should():
    for seed in range(60):
        _, near, _, _ = crowded(seed)
        most = int(np.random.default_rng(seed).integers(1, 13))
        heads, joins, seen = _grow_cliques(near, most)
        assert len(heads) <= most and (seen == 12 or len(heads) == most) and heads.tolist() == clique_heads(near, most).tolist()
        homes = np.full(12, -1)
        for i in range(seen):                                  # by hand: the first clique that it fits
            fits = [q for q in range(len(heads)) if (homes[:i] == q).any() and near[i][np.flatnonzero(homes[:i] == q)].all()]
            homes[i] = fits[0] if fits else homes[:i].max(initial=-1)+1
        for q in range(len(heads)):
            inside = np.flatnonzero(homes == q)
            want = (homes == q) | (near[inside].all(0))
            assert inside[0] == heads[q] and (joins[q] == want).all()


@pytest.mark.parametrize("first", [2, 4, 64])
def test_a_better_cut_or_a_proof_that_there_is_none(first):
    found_some = none = grew = 0
    for seed in range(60):
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
    assert found_some and none and (grew > 20 or first == 64)


def test_no_tolerance_no_scores_one_pool():
    s, near, k, X = crowded(3)
    assert sorted(better_cut(s, (X, None), 4).supports) == sorted(np.argsort(-s**2)[:4].tolist())
    assert better_cut(np.zeros(12), near, 3) == ([], 0., 0., True, 0, 0, 0)
    small = better_cut(s, near, 5, first=2, candidates=3)
    assert small.n_looked <= 3 and small.bound >= naive.exact_cut(s**2, near, 5)[1]*(1-1e-9)
    with pytest.raises(ValueError, match="candidates must be"): better_cut(s, near, 2, candidates=0)
    with pytest.raises(ValueError, match=r"graph must have shape \(12, 12\)"): better_cut(s, near[:, :5], 2)


def test_limits_leave_a_bound_that_holds():
    r = np.random.default_rng(0)
    X = r.standard_normal((40, 4))@r.standard_normal((4, 300))+.3*r.standard_normal((40, 300))
    s = as_columns(X).scores(r.standard_normal(40))
    best = better_cut(s, (X, .3), 12)
    assert best.complete
    for limits in (dict(candidates=20), dict(nodes=1), dict(time_limit=1e-6), dict(first=16, candidates=32)):
        one, two = better_cut(s, (X, .3), 12, **limits), better_cut(s, (X, .3), 12, **limits)
        assert one == two and one.bound >= best.value*(1-1e-9) and one.value <= best.value*(1+1e-9)
        assert one.complete == (one.bound <= one.value*(1+1e-8))
    assert not better_cut(s, (X, .3), 12, candidates=20).complete


def test_many_features_need_few_candidates():
    r = np.random.default_rng(0)
    X = r.standard_normal((50, 20_000))
    y = np.where(X[:, :5].sum(1) > 0, 1., -1.)
    s = as_columns(X).scores(y)
    found = better_cut(s, (X, .3), 5)
    assert found.complete and found.n_looked <= 256
    assert found.value >= _cut_value(s, greedy_cut(X, s, 5, .3)[0])*(1-1e-12)


def test_the_best_cut_where_only_positive_values_count():
    "Mirror images may stand in one cut; every subset is tried"
    more = 0
    for seed in range(60):
        r = np.random.default_rng(seed)
        X = r.standard_normal((15, 3))@r.standard_normal((3, 9))+.2*(seed % 2)*r.standard_normal((15, 9))
        tau, k = float(r.choice([.1, .3, .5])), int(r.integers(1, 6))
        columns, s = as_correlation(X, "positive"), as_columns(X).scores(r.standard_normal(len(X)))
        near = (np.corrcoef(X.T) >= 1-tau-1e-10) & ~np.eye(9, dtype=bool)
        most = naive.exact_cut(s**2, near, k)[1]
        supports, value, bound = exact_cut(s, (columns, tau), k)
        assert value == pytest.approx(most) and bound == pytest.approx(most)
        assert len(supports) <= k and not near[np.ix_(supports, supports)].any()
        assert most*(1-1e-9) <= _clique_bound(columns, s, k, tau) <= _cut_value(s, columns.top(s, k))*(1+1e-9)
        more += most > naive.exact_cut(s**2, edges(X, tau), k)[1]*(1+1e-9)
    assert more > 10
