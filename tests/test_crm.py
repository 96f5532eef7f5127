"CRM: groups, greedy, partition, exact cuts and bounds against the plain loops of fsnb.naive"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.columns import SLACK, DenseColumns, as_columns
from fsnb.crm import (Found, assign_members, clique_bound, cut_value, exact_cut, find_group,
                      greedy_cut, icml_cut, thesis_cut)

STORES = {
    "dense": as_columns,
    "fortran": lambda X: as_columns(np.asfortranarray(X)),
    "one by one": lambda X: OneByOne(X),
    "csc": lambda X: as_columns(sp.csc_matrix(X)),
}


class OneByOne(DenseColumns):
    "Dense columns without a pass that serves several features"
    def __init__(self, X):
        super().__init__(X)
        self.batch = 1

    def partners(self, j, threshold):
        if np.ndim(j) == 0: return super().partners([j], threshold)[0]
        return [super(OneByOne, self).partners([int(i)], threshold)[0] for i in j]


def correlations(X):
    "All correlations, 0 for constants"
    Z = X-X.mean(0)
    norm = np.linalg.norm(Z, axis=0)
    varies = X.max(0) > X.min(0)
    Z = np.where(varies, Z/np.where(varies, norm, 1), 0)
    return Z.T@Z


def small(seed, most=25):
    "A small matrix with signs, ties, duplicates, mirror images and a constant"
    r = np.random.default_rng(seed)
    n, p = int(r.integers(4, 40)), int(r.integers(2, most))
    if seed % 3: X = r.integers(-1 if seed % 2 else 0, 3, (n, p))*(r.random((n, p)) < r.uniform(.2, 1))
    else: X = r.standard_normal((n, 3))@r.standard_normal((3, p))+.5*r.standard_normal((n, p))
    for _ in range(p//4): X[:, r.integers(p)] = r.choice([-1, 1])*X[:, r.integers(p)]
    X[:, r.integers(p)] = r.integers(2)
    return X.astype(float), r


def clusters(seed, n=60, p=300, k=8, noise=.6):
    "k crowds of features, so that a walk has to go far down the list"
    r = np.random.default_rng(seed)
    f = r.standard_normal((n, k))
    X = f[:, r.integers(k, size=p)]*r.choice([-1, 1], p)+noise*r.random(p)*r.standard_normal((n, p))
    return X, r


def agrees(found, group):
    k, r, d = zip(*group) if group else ((), (), ())
    assert found.indices.tolist() == list(k) and found.direct.tolist() == list(d)
    assert found.indices.dtype == np.int64 and found.direct.dtype == bool
    np.testing.assert_allclose(found.correlations, r, atol=1e-9)


def edges(X, tau):
    return (np.abs(correlations(X)) >= 1-tau-SLACK) & ~np.eye(X.shape[1], dtype=bool)


# ---- what a support attracts

@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("link", [False, True])
def test_groups_equal_the_plain_loops(store, link):
    linked = 0
    for seed in range(150):
        X, r = small(seed)
        R, tau = correlations(X), float(r.choice([0, .1, .3, .5, .8]))
        everyone = list(range(X.shape[1]))
        columns = STORES[store](X)
        found = find_group(columns, everyone, tau, link)
        for z in everyone: agrees(found[z], naive.find_group(R, z, tau, link))
        agrees(find_group(columns, 0, tau, link), naive.find_group(R, 0, tau, link))
        linked += sum((~f.direct).sum() for f in found)
    assert (linked > 500) == link


def test_only_the_64_strongest_partners_are_bridges():
    # 70 copies of z ever noisier; k follows the last one only
    r = np.random.default_rng(0)
    n = 4000
    z = r.standard_normal(n)
    copies = [z+(.1+.008*i)*r.standard_normal(n) for i in range(70)]
    k = copies[-1]+.5*(copies[-1]-z)+.55*r.standard_normal(n)
    X = np.c_[z, np.array(copies).T, k]
    R = correlations(X)
    for tau in np.linspace(.1, .4, 31):
        for columns in (as_columns(X), as_columns(sp.csc_matrix(X))):
            agrees(find_group(columns, 0, tau), naive.find_group(R, 0, tau))
    outcomes = {(71 in find_group(X, 0, tau).indices, np.abs(R[0, 1:71]).min() >= 1-tau) for tau in np.linspace(.1, .4, 31)}
    assert len(outcomes) > 1


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8, np.int64])
def test_any_dtype(dtype):
    X = np.random.default_rng(3).integers(0, 3, (30, 20)).astype(dtype)
    X[:, 7] = X[:, 2]
    R = correlations(X.astype(float))
    for make in (as_columns, lambda X: as_columns(sp.csc_matrix(X))):
        for z, f in enumerate(find_group(make(X), range(20), .6)): agrees(f, naive.find_group(R, z, .6))


def test_large_means_lose_nothing():
    r = np.random.default_rng(0)
    X = np.rint(10*clusters(0, p=60, noise=1.)[0])
    R, s = correlations(X), r.permutation(60)+1.
    for shift in (1e6, 1e7/3//1):
        columns = as_columns(X+shift+r.integers(0, 99, 60))
        for z, f in enumerate(find_group(columns, range(60), .4)):
            want = naive.find_group(R, z, .4)
            assert f.indices.tolist() == [k for k, _, _ in want]
            np.testing.assert_allclose(f.correlations, [q for _, q, _ in want], atol=1e-6)
        new, found = thesis_cut(columns, s, 8, .4)
        assert new == thesis_cut(X, s, 8, .4)[0]
        for z, f in zip(new, found): np.testing.assert_allclose(f.correlations, R[z, f.indices], atol=1e-6)


def test_a_constant_attracts_nobody_and_is_attracted_by_nobody():
    X = np.random.default_rng(0).standard_normal((20, 5))
    X[:, 2] = 3
    for columns in (as_columns(X), as_columns(sp.csc_matrix(X))):
        for tau in (0, .5, .999, 1-1e-12):
            assert not len(find_group(columns, 2, tau).indices)
            assert 2 not in find_group(columns, 0, tau).indices
    assert len(find_group(X, 0, 1-1e-12).indices) == 3


def test_the_guard_keeps_a_chain_from_percolating():
    r = np.random.default_rng(0)
    X = r.standard_normal((2000, 200))
    for j in range(1, 200): X[:, j] = .95*X[:, j-1]+np.sqrt(1-.95**2)*X[:, j]
    f = find_group(X, 100, .3)
    assert len(f.indices) < 40 and (np.abs(f.correlations) >= .49-1e-9).all()
    assert (np.abs(f.correlations[f.direct]) >= .7-1e-9).all() and (np.abs(f.correlations[~f.direct]) < .7).all()


# ---- the walk

@pytest.mark.parametrize("store", STORES)
def test_greedy_equals_the_plain_loops(store):
    for seed in range(250):
        X, r = small(seed)
        R, p = correlations(X), X.shape[1]
        s = r.integers(-4, 5, p)*R.any(0).astype(float)
        tau, link, k = float(r.choice([0, .1, .3, .5])), bool(seed % 2), int(r.integers(1, 14))
        out = r.random(p) < .2
        want, groups = naive.greedy_cut(R, s, k, tau, np.flatnonzero(out), link)
        banned = out.copy()
        supports, found = greedy_cut(STORES[store](X), s, k, tau, banned=banned, link=link)
        assert supports == want and all(type(z) is int for z in supports)
        for f, g in zip(found, groups, strict=True): agrees(f, g)
        assert set(np.flatnonzero(banned)) == {*np.flatnonzero(out), *want, *(q[0] for g in groups for q in g)}


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("tau", [0, .2, .5])
def test_looking_ahead_changes_nothing(tau, link):
    for seed in range(12):
        X, r = clusters(seed, noise=.4 if seed % 2 else 1.2)
        s = as_columns(X).scores(r.standard_normal(len(X)))
        for k in (1, 3, 30):
            a = greedy_cut(as_columns(X), s, k, tau, link=link)
            for other in (OneByOne(X), as_columns(sp.csc_matrix(X))):
                b = greedy_cut(other, s, k, tau, link=link)
                assert a[0] == b[0]
                for f, g in zip(a[1], b[1], strict=True):
                    assert f.indices.tolist() == g.indices.tolist() and f.direct.tolist() == g.direct.tolist()
                    np.testing.assert_allclose(f.correlations, g.correlations, atol=1e-9)
            assert a[0] == naive.greedy_cut(correlations(X), s, k, tau, (), link)[0]


def test_the_walk_goes_to_the_end_of_the_list():
    # one crowd of 2000, its mirror images, and two strangers at the very end
    r = np.random.default_rng(0)
    z = r.standard_normal(50)
    X = np.c_[np.outer(z, r.uniform(-2, 2, 2000)), r.standard_normal((50, 2))]
    s = np.r_[np.linspace(9, 1, 2000), .2, .1]
    for columns in (as_columns(X), OneByOne(X)):
        supports, found = greedy_cut(columns, s, 9, .3)
        assert supports == [0, 2000, 2001] and len(found[0].indices) == 1999
    assert thesis_cut(X, s, 9, .3)[0] == [0, 2000, 2001]


def test_supports_are_free_of_one_another_and_everything_better_is_attracted():
    for seed in range(60):
        X, r = small(seed)
        columns, p = as_columns(X), X.shape[1]
        s, tau, k = columns.scores(r.standard_normal(len(X))), float(r.uniform(0, .8)), int(r.integers(1, 9))
        supports, found = greedy_cut(columns, s, k, tau)
        near = edges(X, tau)
        assert not near[np.ix_(supports, supports)].any() and (np.diff(np.abs(s[supports])) <= 1e-9).all()
        last = np.abs(s[supports[-1]]) if len(supports) == k else 1e-9
        better = np.flatnonzero(np.abs(s) > last+1e-9)
        assert set(better) <= set(supports) | set(np.concatenate([f.indices for f in found]) if found else [])


def test_no_constraint_is_the_plain_top():
    X, r = small(3)
    s = as_columns(X).scores(r.standard_normal(len(X)))
    supports, found = greedy_cut(X, s, 5, None)
    assert supports == as_columns(X).top(s, 5).tolist()
    assert all(len(x) == 0 for f in found for x in f)
    assert clique_bound(X, s, 5, None) == pytest.approx(cut_value(s, supports))


def test_tolerance_zero_still_blocks_duplicates():
    X = np.random.default_rng(0).standard_normal((30, 4))
    X = np.c_[X, -2*X[:, 0]+1, X[:, 1]]
    supports, found = greedy_cut(X, [6, 5, 4, 3, 6, 5], 6, 0)
    assert supports == [0, 1, 2, 3] and [f.indices.tolist() for f in found] == [[4], [5], [], []]
    np.testing.assert_allclose(found[0].correlations, [-1])


def test_a_score_of_zero_is_never_taken():
    X = np.random.default_rng(0).standard_normal((30, 4))
    assert greedy_cut(X, [0, 2, 0, 1], 4, .3)[0] == [1, 3]
    assert greedy_cut(X, np.zeros(4), 4, .3) == ([], [])
    assert thesis_cut(X, np.zeros(4), 4, .3) == ([], []) and exact_cut(np.zeros(4), (X, .3), 2) == ([], 0, 0)
    assert clique_bound(X, np.zeros(4), 4, .3) == 0


def test_an_interrupted_call_leaves_the_mask_alone():
    class Interrupted(OneByOne):
        calls = 0
        def partners(self, j, threshold):
            self.calls += 1
            if self.calls == 3: raise KeyboardInterrupt
            return super().partners(j, threshold)
    X = np.random.default_rng(0).standard_normal((30, 400))
    banned = np.zeros(400, dtype=bool); banned[5] = True
    with pytest.raises(KeyboardInterrupt): greedy_cut(Interrupted(X), np.ones(400), 40, .3, banned=banned)
    assert banned.sum() == 1


def test_a_mask_carries_over_rounds():
    X, r = clusters(1, noise=1.)
    columns, banned, taken = as_columns(X), np.zeros(X.shape[1], dtype=bool), []
    for _ in range(6):
        supports, _ = greedy_cut(columns, columns.scores(r.standard_normal(len(X))), 3, .3, banned=banned)
        taken += supports
    assert len(set(taken)) == len(taken) and not edges(X, .3)[np.ix_(taken, taken)].any()


@pytest.mark.parametrize("store", STORES)
def test_what_is_known_is_not_looked_up_again(store):
    X, r = clusters(3, noise=1.)
    columns, known = STORES[store](X), {}
    for seed in (0, 0, 1):
        s = columns.scores(np.random.default_rng(seed).standard_normal(len(X)))
        supports, found = greedy_cut(columns, s, 12, .3, link=True, known=known)
        want, groups = greedy_cut(columns, s, 12, .3, link=True)
        assert supports == want and set(supports) <= set(known)
        for f, g in zip(found, groups, strict=True): assert f.indices.tolist() == g.indices.tolist()
    columns.partners = None
    assert greedy_cut(columns, s, 12, .3, link=True, known=known)[0] == want


def test_order_and_sign_of_the_columns_do_not_matter():
    X, r = clusters(2, noise=1.)
    columns = as_columns(X)
    v = r.standard_normal(len(X))
    supports, found = greedy_cut(columns, columns.scores(v), 6, .3, link=True)
    perm, sign = r.permutation(X.shape[1]), r.choice([-3., .2], X.shape[1])
    other = as_columns((X*sign+1)[:, perm])
    again, found2 = greedy_cut(other, other.scores(v), 6, .3, link=True)
    assert perm[again].tolist() == supports
    for f, g in zip(found, found2): assert sorted(perm[g.indices]) == f.indices.tolist()


# ---- to whom a feature belongs

def test_assignment_equals_the_plain_loops():
    for seed in range(250):
        X, r = small(seed)
        R, tau = correlations(X), float(r.choice([.1, .4, .6]))
        supports = r.permutation(X.shape[1])[:r.integers(1, 7)].tolist()
        want = naive.assign_members(supports, [naive.find_group(R, z, tau) for z in supports])
        for columns in (as_columns(X), as_columns(sp.csc_matrix(X))):
            members, corr = assign_members(supports, find_group(columns, supports, tau))
            assert [m.tolist() for m in members] == [[k for k, _ in g] for g in want]
            for q, g in zip(corr, want): np.testing.assert_allclose(q, [x for _, x in g], atol=1e-9)
            everyone = np.concatenate(members)
            assert len(set(everyone.tolist())) == len(everyone)


def test_direct_comes_before_linked_and_the_earlier_support_wins_a_tie():
    def found(*entries): return Found(*(np.array(x) for x in zip(*entries)))
    weak, strong = found((5, .9, False), (6, -.8, True)), found((5, -.7, True), (6, .8, True))
    members, corr = assign_members([1, 2], [weak, strong])
    assert [m.tolist() for m in members] == [[1, 6], [2, 5]] and [q.tolist() for q in corr] == [[1, -.8], [1, -.7]]
    alone = Found(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=bool))
    assert [m.tolist() for m in assign_members([4], [alone])[0]] == [[4]] and assign_members([], []) == ([], [])


# ---- the best cut and its bounds

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


# ---- the papers' own cuts

def test_icml_cut_equals_the_mended_letter_with_and_without_the_window():
    for seed in range(120):
        X, r = small(seed)
        columns, R = as_columns(X), correlations(X)
        v = r.standard_normal(len(X)); v -= v.mean()
        s, tau, k = np.round(columns.scores(v), 8), float(r.choice([0, .1, .3, .5])), int(r.integers(1, 6))
        supports, found = icml_cut(columns, s, k, tau)
        assert supports == greedy_cut(columns, s, k, tau)[0]
        for norm in (None, np.sqrt(len(X))*np.linalg.norm(v)):
            want, groups = naive.icml_mended(R, s, k, tau, norm)
            assert supports == want and [set(f.indices.tolist()) for f in found] == groups


@pytest.mark.parametrize("store", ["dense", "csc"])
def test_thesis_cut_equals_the_mended_letter_over_rounds(store):
    for seed in range(90):
        X, r = small(seed) if seed % 3 else clusters(seed, p=500, noise=.5)
        columns, R = STORES[store](X), correlations(X)
        SF, found, AF, tau, k = [], [], None, float(r.choice([0, .1, .3, .5])), int(r.integers(1, 6))
        for _ in range(3):
            s = np.round(columns.scores(r.standard_normal(len(X))), 8)
            want, AF = naive.thesis_mended(R, s, k, tau, SF, AF)
            new, found = thesis_cut(columns, s, k, tau, SF, found)
            SF = SF+new
            assert new == want and [set(f.indices.tolist()) for f in found] == [AF[j] for j in SF]
            for z, f in zip(SF, found):
                assert (np.diff(f.indices) > 0).all() and f.direct.all()
                np.testing.assert_allclose(f.correlations, R[z, f.indices], atol=1e-9)


def columns_with(R, n=12, seed=0):
    Q = np.linalg.qr(np.c_[np.ones(n), np.random.default_rng(seed).standard_normal((n, len(R)))])[0][:, 1:]
    e, V = np.linalg.eigh(R)
    return Q@(V*np.sqrt(e.clip(0)))@V.T


def test_the_icml_letter_selects_one_too_many_loses_features_and_loops():
    U = columns_with(np.eye(4))
    v = U@[.8, .5, .3, .1]
    y, alpha = np.sign(v), np.abs(v)
    assert naive.icml_crm(U, y, 2, .05, alpha)[0] == [0, 2, 3]
    supports, groups, looped = naive.icml_crm(U, y, 2, .3, alpha)
    assert looped and supports == [0, 3]
    assert icml_cut(U, U.T@v, 2, .3)[0] == [0, 1]


def test_the_thesis_letter_misses_mirror_images_and_runs_off_the_list():
    R = np.array([[1, -.9, .85, .3], [-.9, 1, -.85, -.3], [.85, -.85, 1, .5], [.3, -.3, .5, 1]])
    def letter(R, K, **old):
        X = columns_with(R)
        v = X@np.linalg.solve(R, R[0])
        return naive.thesis_crm(X, np.sign(v), K, .3, np.abs(v), **old), thesis_cut(X, R[0], K, .3)
    (SF, AF, new), (mended, found) = letter(R, 2)
    assert SF == [0, 1] and mended == [0, 3] and found[0].indices.tolist() == [1, 2]
    (_, AF, _), (mended, found) = letter(R, 1)
    assert AF == {} and mended == [0] and not len(found[0].indices)
    with pytest.raises(IndexError): letter(np.abs(R), 3)
    assert 0 in letter(np.abs(R), 1, SF=[0])[0][1][0]


# ---- what is refused

@pytest.mark.parametrize("call", [greedy_cut, icml_cut, thesis_cut, clique_bound,
                                  lambda X, s, k, tau: exact_cut(s, (X, tau), k)])
def test_bad_arguments_are_refused_by_name(call):
    X = np.random.default_rng(0).standard_normal((10, 4))
    for tau in (-.1, 1, 2, np.nan):
        with pytest.raises(ValueError, match=r"tau must lie in \[0, 1\), got"): call(X, np.ones(4), 2, tau)
    with pytest.raises(ValueError, match=r"scores must have shape \(4,\), got \(3,\)"): call(X, np.ones(3), 2, .3)
    with pytest.raises(ValueError, match="scores must be finite"): call(X, [1, np.nan, 1, 1], 2, .3)
    with pytest.raises(ValueError, match="n_select must be at least 1, got 0"): call(X, np.ones(4), 0, .3)


def test_more_is_refused():
    X = np.random.default_rng(0).standard_normal((10, 4))
    s = np.ones(4)
    for bad in (np.zeros(3, dtype=bool), np.zeros(4), [True]*4):
        with pytest.raises(ValueError, match="banned must be a bool mask"): greedy_cut(X, s, 2, .3, banned=bad)
    for z in (4, -1, [0, 9]):
        with pytest.raises(ValueError, match=r"z must lie in \[0, 4\)"): find_group(X, z, .3)
    with pytest.raises(ValueError, match="tau"): find_group(X, 0, 1)
    with pytest.raises(ValueError, match="supports must be distinct"): assign_members([1, 1], find_group(X, [1, 1], .3))
    with pytest.raises(ValueError, match="found must have one entry"): assign_members([1, 2], find_group(X, [1], .3))
    with pytest.raises(ValueError, match="groups must have one entry"): thesis_cut(X, s, 1, .3, [0], [])
    with pytest.raises(ValueError, match=r"graph must have shape"): exact_cut(s, np.ones((4, 3)), 2)


def test_import_is_light():
    import subprocess, sys
    code = "import sys, fsnb.crm; print([m for m in ('scipy.optimize', 'sklearn', 'matplotlib', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
