"MMFS and SoftMMFS: the path of gamma, copies, early ends, settings of any size"
import re, warnings
from functools import partial
import numpy as np, pytest, scipy.sparse as sp
from doors import peak_of
from sklearn.exceptions import ConvergenceWarning

from fsnb import MMFS, QPFS, SoftMMFS
from fsnb.correlation.target import correlation_with
from fsnb.margin import Kernel
from fsnb.margin.mmfs import _gamma_path
from fsnb.margin.mmfs_dual import solve_mmfs
from fsnb.margin.similarity import _KERNELS, FeatureKernel
from margin_cases import grouped

pytestmark = pytest.mark.filterwarnings("ignore:.*is biased upward", "ignore:.*constant column",
                                        "ignore:similarity=")

# ---- gamma

@pytest.mark.parametrize("kernel", _KERNELS)
def test_the_path_gives_k(kernel):
    for seed in range(3):
        X, y = grouped(seed, 60, 100)
        r, sign = correlation_with(X, y)
        K = FeatureKernel(X, kernel, sign=None if kernel == "poly2" else sign)
        for k in (1, 2, 7, 15):
            g, found = _gamma_path(K, r, k)
            count = (found.beta > 0).sum()
            assert count >= k or g < 2e-6
            if kernel == "poly2": assert count == k
            assert np.allclose(solve_mmfs(K, r, g).beta, found.beta, atol=1e-7)

# ---- MMFS

@pytest.mark.parametrize("make", [MMFS, QPFS, SoftMMFS])
def test_duplicates_and_constants(make):
    X, y = grouped(1, 50, 20)
    want = make(5).fit(X, y).support_.tolist()
    wide = np.c_[X, np.full(50, 2.), 3-2*X[:, want[0]], X[:, want[0]]]
    with pytest.warns(UserWarning, match="1 constant"): m = make(5).fit(wide, y)
    assert m.support_.tolist() == want and m.groups_[0].tolist() == [want[0], 21, 22]
    assert np.allclose(m.groups_.correlations[0], [1, -1, 1])
    assert set(m.ranking_[20:]) == {21, 22, 23}
    with pytest.warns(UserWarning, match="only 20 features"): m = make(22).fit(wide, y)
    assert len(m.support_) == 20

@pytest.mark.parametrize("make", [MMFS, QPFS, SoftMMFS])
def test_early_ends_warn(make, monkeypatch):
    ended = "rounding ended the solution after .* rounds at a relative gap of .*, above tol=1e-18"
    def fit(seed, tol):
        with warnings.catch_warnings(record=True, action="always", category=ConvergenceWarning) as said:
            m = make(5, tol=tol).fit(*grouped(seed, 100, 400))
        assert m.stop_reason_ == ("gap" if m.gap_ <= tol else "precision")
        told = [w for w in said if re.search(ended, str(w.message))]
        assert len(told) == (m.gap_ > tol)
        return m
    assert fit(0, 1e-6).gap_ <= 1e-6
    for seed in range(4): fit(seed, 1e-18)          # a gap of exactly 0, or none below 1e-17: rounding decides
    solve = make._solve
    def solve_roughly(self, *args):
        found, weight = solve(self, *args)
        return found._replace(gap=1e-12, stop_reason="precision"), weight
    monkeypatch.setattr(make, "_solve", solve_roughly)
    assert fit(0, 1e-18).gap_ == 1e-12

@pytest.mark.parametrize("make, n", [(MMFS, 1), (MMFS.prl2017, 3)])
def test_steps_that_run_out_warn(make, n):
    (X, y), model = grouped(0, 30, 400), make(gamma=1e-3 if n == 1 else .1, max_iter=n)
    with pytest.warns(ConvergenceWarning, match=f"max_iter={n} ended"): model.fit(X, y)
    assert model.stop_reason_ == "max_iter" and model.n_iter_ == n

@pytest.mark.parametrize("kernel", ["poly2", "linear", "rbf", Kernel("linear", solver="dcd")])
@pytest.mark.parametrize("name", ["C", "gamma"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_settings_of_any_size_are_solved_or_say_that_they_are_not(name, kernel):
    X, y = grouped(0, 40, 60)
    other = dict(gamma=.1) if name == "C" else dict(C=1.)
    values = (1e-100, 1e100, 1.7e308, np.inf) if name == "C" else (1e-100, 1e100)
    for settings in ({name: value} | more for value in values for more in ({}, other)):
        m = MMFS(5, kernel=kernel, max_iter=200, **settings)
        with warnings.catch_warnings(record=True, action="always", category=ConvergenceWarning) as said:
            m.fit(X, y)
        assert np.isfinite([*m.dual_coef_, m.objective_]).all() and len(m.support_) == 5
        solved = m.gap_ <= m.tol
        assert solved != any(issubclass(w.category, ConvergenceWarning) for w in said)
        assert solved == (m.stop_reason_ in ("gap", "nothing_left"))
        assert solved or isinstance(kernel, Kernel)
    free, huge = (MMFS(kernel="linear", gamma=.1, C=C).fit(X, y) for C in (np.inf, 1e300))
    assert np.allclose(huge.dual_coef_, free.dual_coef_, atol=1e-9)           # a huge bound is none

def test_sparse_stays_sparse():
    X = sp.random(1000, 5000, .002, format="csc", random_state=0)
    y = np.asarray(X[:, :200].sum(1)).ravel() > .1
    model = MMFS(gamma=1., kernel="linear", tol=1e-3).fit(X, y)         # loads the kernels
    assert peak_of(lambda: model.fit(X, y))[0] < 1000*5000*8/8          # a dense X would be 40 MB

# ---- copies and ties

@pytest.mark.parametrize("make", [MMFS, partial(MMFS, gamma=.1), QPFS,
                                  partial(MMFS, kernel=Kernel("rbf", align=False))])
def test_a_copy_keeps_the_relevance_that_it_was_given(make):
    "The first of two copies had none, and took part in place of the other"
    X, _ = grouped(3, 20, 6)
    X[:, 5] = X[:, 0]
    m = make(3, relevance=np.array([0, .1, .2, .1, .1, .9])).fit(X)
    assert m.support_[0] == 5 and m.groups_[0].tolist() == [5, 0] and m.groups_.scores[0] == .9
    assert m.gap_ <= 1e-6 and m.ranking_[0] == 6
    only = make(1, relevance=np.array([0, 0, 0, 0, 0, 1.])).fit(X)
    assert only.support_.tolist() == [5] and only.gap_ <= 1e-6

# ---- the soft margin

def test_many_at_the_bound_and_many_features():
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((40, 1500)), rng.integers(0, 2, 40)
    for k in (1, 50, 700):
        m = SoftMMFS(k).fit(X, y)
        assert m.gap_ <= 1e-6 and m.C_ == 1/k and abs(m.dual_coef_.sum()-1) < 1e-9
        assert (m.dual_coef_ > 0).sum() >= k >= (m.dual_coef_ == m.C_).sum()
        assert (m.slack_ > 1e-6).sum() <= k == len(m.support_)
    every = SoftMMFS(C=1/1500).fit(X, y)
    assert np.allclose(every.dual_coef_, 1/1500) and len(every.support_) == 1500
