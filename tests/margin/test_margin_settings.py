"Paper settings, what a bound of 1 does, who takes part, and storage that has nothing but the face"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import MMFS, QPFS, naive
from fsnb.correlation.target import correlation_with
from fsnb.data.columns import Columns
from fsnb.margin.box import _step_to_bound
from fsnb.margin.candidates import _count_to_select, _find_candidates, limit_to_free
from fsnb.margin.descent import solve_dcd
from fsnb.margin.similarity import ColumnCache, FeatureKernel
from fsnb.margin.working_set import _join_worst, solve_mmfs
from margin_cases import grouped, similarity, unit


class OnlyTheFace(Columns):
    "Columns that fill in the four methods and have nothing else"
    def __init__(self, X):
        self._hidden = X
        self.n_samples, self.n_features = X.shape

    def dot(self, v): return np.asarray(self._hidden.T@v)
    def take(self, indices): return self._hidden[:, indices]

    def find_moments(self):
        X = self._hidden.toarray() if sp.issparse(self._hidden) else self._hidden
        return X.mean(0), X.std(0)

    @property
    def n_bytes(self): return getattr(self._hidden, "data", self._hidden).nbytes


def test_paper_settings():
    m = MMFS.prl2017(7, gamma=.2)
    assert (m.n_features_to_select, m.kernel, m.solver, m.C, m.align, m.relevance, m.gamma) == \
        (7, "linear", "dcd", 1., False, "correlation", .2)
    assert MMFS.prl2017(C=.5).C == .5
    q = QPFS.jmlr2010(7, tol=1e-3)
    assert (q.n_features_to_select, q.similarity, q.relevance, q.relevance_weight, q.tol) == \
        (7, "mutual_info", "auto", "auto", 1e-3)
    X, y = grouped(0, 60, 12)
    assert len(MMFS.prl2017(3).fit(X, y).support_) == len(QPFS.jmlr2010(3).fit(np.tile(X, (4, 1)), np.tile(y, 4)).support_) == 3
    with pytest.raises(TypeError): MMFS.prl2017(solvers="dcd")


def test_a_bound_of_one_never_acts_where_similarities_are_positive():
    for seed in range(10):
        X, y = grouped(seed, 30, 40)
        r, _ = correlation_with(X, y)
        for kernel in ("poly2", "rbf"):
            K = FeatureKernel(X, kernel)
            assert np.array_equal(solve_mmfs(K, r, .01).beta, solve_mmfs(K, r, .01, 1.).beta)


def test_a_bound_of_one_can_act_on_the_linear_kernel():
    s, z = np.array([1, 1, -1, -1.]), np.array([1, -1, 1, -1.])
    X = np.c_[.3*s+z, .3*s-z]
    r, sign = correlation_with(X, s)
    free = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, .01, tol=1e-12).beta
    assert free == pytest.approx(r[0]/(1-.91/1.09+.02)) and (free > 1.5).all()
    boxed = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, .01, 1., tol=1e-12).beta
    assert boxed.tolist() == [1, 1]
    assert naive.mmfs_descent(unit(X), r, .01, 1., 500)[0] == pytest.approx([1, 1])


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
@pytest.mark.parametrize("turned", [True, False])
def test_solvers_on_the_face_alone(store, turned):
    X, y = grouped(3, 30, 40)
    r, sign = correlation_with(X, y)
    sign = sign if turned else None
    want = solve_mmfs(FeatureKernel(X, "linear", sign=sign), r, .1, tol=1e-10)
    K = FeatureKernel(OnlyTheFace(store(X)), "linear", sign=sign)
    assert np.allclose(solve_mmfs(K, r, .1, tol=1e-10).beta, want.beta, atol=1e-7)
    found = solve_dcd(K, r, .1, tol=1e-10)
    assert np.allclose(found.beta, want.beta, atol=1e-4)
    assert solve_dcd(K, r, .1, tol=1e-8, start=found.beta).n_iter <= 2
    some, w = np.array([3, 30, 7]), np.array([.2, .5, .1])
    for kernel in ("poly2", "rbf", "abs"):
        product = FeatureKernel(OnlyTheFace(store(X)), kernel).apply(some, w)
        assert np.allclose(product, similarity(X, kernel)[:, some]@w)


def test_who_takes_part():
    X, _ = grouped(1, 30, 6)
    X[:, 3], X[:, 5] = 4., -X[:, 1]
    found = _find_candidates(FeatureKernel(X).columns, np.array([1, 6, 3, 4, 5, 2.]))
    assert found.free.tolist() == [True, True, True, False, True, False]
    assert found.first.tolist() == [0, 1, 2, 3, 4, 1] and found.relevance.tolist() == [1, 6, 3, 0, 5, 0]
    found = _find_candidates(FeatureKernel(X).columns, np.arange(1., 7))
    assert found.free.tolist() == [True, False, True, False, True, True]
    assert found.first.tolist() == [0, 5, 2, 3, 4, 5] and found.relevance.tolist() == [1, 0, 3, 0, 5, 6]
    assert _find_candidates(FeatureKernel(X).columns, np.ones(6), signed=True).free.sum() == 5
    assert limit_to_free(4, found.free) == 4
    with pytest.warns(UserWarning, match="only 4 features .* fewer than n_features_to_select=5") as said:
        assert limit_to_free(5, found.free) == 4
    assert said[0].filename == __file__
    assert _count_to_select(None, found, True) is None and _count_to_select(None, found, False) == 4


def test_a_step_ends_at_the_first_bound():
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, step, most = rng.random(5)*.98+.01, rng.standard_normal(5), float(rng.choice([1., np.inf]))
        there, whole = _step_to_bound(a, step, most)
        assert (there >= 0).all() and (there <= most).all()
        if whole: assert np.allclose(there, a+step)
        else: assert ((there == 0) | (there == most)).any()
        share = (there-a)/step
        assert np.allclose(share, share[0]) and share[0] <= 1+1e-12


def test_the_cache_forgets_what_has_no_weight():
    cache = ColumnCache(3, 2)
    assert cache.find_new({0: 1., 1: 1.}) == [0, 1] and cache.values.shape == (3, 2)
    assert cache.keep(0, np.ones(3)) and cache.keep(1, np.arange(3.)) and not cache.keep(2, np.zeros(3))
    assert cache.combine({0: 2., 1: 1.}).tolist() == [2, 3, 4]
    assert cache.find_new({1: 1., 2: 1.}) == [2] and cache.keep(2, np.full(3, 5.))
    assert cache.combine({1: 1., 2: 1.}).tolist() == [5, 6, 7]
    assert ColumnCache(3, 0).combine({}).tolist() == [0, 0, 0]


def test_the_worst_join():
    S = _join_worst(np.array([2]), np.array([.3, -1, 5, .3, .2]), np.array([True, True, True, False, True]), 2)
    assert S.tolist() == [0, 2, 4]


# ---- groups

@pytest.mark.parametrize("make", [MMFS, lambda *a, **kw: QPFS(*a, relevance="correlation", relevance_weight=.95, **kw)])
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_groups_are_exact_duplicates(make, store):
    "Also among noise of twenty samples, where a correlation of .7 is nothing rare"
    r = np.random.default_rng(3)
    X, y = r.standard_normal((20, 1200)), np.arange(20) % 2
    best = np.abs(correlation_with(X, y)[0]).argmax()
    X[:, 1199] = -2*X[:, best]
    m = make(4).fit(store(X), y)
    assert {best, 1199} <= set(m.groups_.all_members) and len(m.groups_.all_members) == 5
    assert m.groups_.member_p_values is None and m.groups_.refused is None

