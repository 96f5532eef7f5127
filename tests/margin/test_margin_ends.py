"Why a solution ended, how far its settings may go, and what no solver may do: warn of NumPy's own trouble, or wrap"
import warnings
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from fsnb import MMFS, QPFS, naive
from fsnb.correlation.target import correlation_with
from fsnb.groups.selector import _STOP_REASONS
from fsnb.margin.box import _step_to_bound
from fsnb.margin.candidates import _check_stopping, _choose_standing
from fsnb.margin.descent import solve_dcd
from fsnb.margin.dual import Convergence, _margin_gap
from fsnb.margin.programme import solve_qpfs
from fsnb.margin.similarity import FeatureKernel, GramKernel
from fsnb.margin.working_set import solve_mmfs
from margin_cases import grouped, similarity, unit


@pytest.fixture
def loud():
    "NumPy's warnings are errors"
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


# ---- why it ended

def solved(solver, **kw):
    X, y = grouped(1, 30, 60)
    r, sign = correlation_with(X, y)
    if solver == "qpfs": return solve_qpfs(FeatureKernel(X), r, .3, **kw)
    solve = dict(working_set=solve_mmfs, dcd=solve_dcd)[solver]
    return solve(FeatureKernel(X, "linear", sign=sign), r, .05, **kw)


@pytest.mark.parametrize("solver", ["working_set", "dcd", "qpfs"])
def test_each_solver_says_why_it_ended(solver):
    few = dict(max_iter=2) if solver == "dcd" else dict(max_iter=2, batch=1)
    for settings, reason in (({}, "gap"), (few, "max_iter"), (dict(tol=1e-18), "precision")):
        found = solved(solver, **settings)
        assert found.stop_reason == reason in _STOP_REASONS
        assert (found.gap <= settings.get("tol", 1e-6)) == (reason == "gap")
        if reason == "max_iter": assert found.n_iter == 2
        if reason == "precision": assert found.gap < 1e-12


@pytest.mark.parametrize("make", [MMFS, QPFS])
def test_a_selector_says_why_it_ended(make):
    X, y = grouped(0, 100, 400)
    m = make(5).fit(X, y)
    assert m.stop_reason_ == "gap" and m.gap_ <= 1e-6
    with pytest.warns(ConvergenceWarning, match="rounding ended the solution after .* rounds at a relative gap of .*, above tol=1e-18"):
        m = make(5, tol=1e-18).fit(X, y)
    assert m.stop_reason_ == "precision" and m.gap_ > 1e-18


def test_mmfs_says_max_iter_and_nothing_left():
    X, y = grouped(0, 100, 400)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ended"): m = MMFS(gamma=1e-3, max_iter=1).fit(X, y)
    assert m.stop_reason_ == "max_iter" and m.n_iter_ == 1
    with pytest.warns(ConvergenceWarning, match="max_iter=3 ended"): m = MMFS.prl2017(gamma=.1, max_iter=3).fit(X, y)
    assert m.stop_reason_ == "max_iter" and m.n_iter_ == 3
    m = MMFS(60, kernel="linear").fit(X[:20], y[:20])                 # n - 1 independent features at most
    assert m.stop_reason_ == "nothing_left" and m.gap_ <= 1e-6 and (m.dual_coef_ > 0).sum() < 60 == len(m.support_)
    assert MMFS(30, gamma=10.).fit(X, y).stop_reason_ == "gap"        # one programme, and it is solved
    with pytest.warns(ConvergenceWarning, match="max_iter=2"): m = MMFS(60, kernel="linear", solver="dcd", max_iter=2).fit(X[:20], y[:20])
    assert m.stop_reason_ == "max_iter"                               # too few, and not even solved


def test_qpfs_says_max_iter():
    r = np.random.default_rng(0)
    X = r.standard_normal((30, 400))
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ended"):
        m = QPFS(5, relevance_weight=0., relevance=r.random(400), max_iter=1).fit(X)
    assert m.stop_reason_ == "max_iter" and m.n_iter_ == 1


def test_a_slow_solution_is_not_called_precise():
    "Coordinate descent on near copies gains little in a pass for thousands of passes"
    X, y = grouped(2, 30, 20)
    X = np.c_[X, X+.01*np.random.default_rng(0).standard_normal(X.shape)]
    r, sign = correlation_with(X, y)
    found = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .1, tol=1e-9, max_iter=20000)
    assert found.stop_reason == "gap" and found.n_iter > 200
    watch = Convergence(1e-6, 10**6)
    assert not any(watch.judge(it, 1-.999**it, .999**it, 1.) for it in range(5000))


def test_shrinking_is_given_up_before_precision_is_blamed():
    "What is active sat still up to rounding while features that were left out would have moved"
    for seed in range(10):
        X, y = grouped(seed, 30, 60)
        r, sign = correlation_with(X, y)
        found = solve_dcd(FeatureKernel(X, "linear", sign=sign), r, .05, tol=1e-18, max_iter=20000)
        assert found.gap < 1e-13 and found.stop_reason in ("precision", "gap")


# ---- three certificates

def test_every_certificate_bounds_what_is_missing():
    rng = np.random.default_rng(3)
    for _ in range(60):
        X, gamma, C = rng.standard_normal((7, 10)), 10**rng.uniform(-8, 1), rng.choice([np.inf, 1e50, 1., .1])
        kernel, r = rng.choice(["poly2", "linear"]), rng.random(10)
        Q = similarity(X, kernel)
        best = solve_mmfs(FeatureKernel(X, kernel), r, gamma, C, tol=1e-10).objective
        b = np.minimum(rng.random(10)*(rng.random(10) < .5), C)
        gap, dual = _margin_gap(b, Q@b+gamma*b.sum()-r, r, gamma, C)
        assert best-dual <= gap*(1+1e-7)+1e-12*abs(best)


def test_stretching_asks_that_all_are_reached():
    "A feature of no relevance on the wrong side makes a stretched point infeasible"
    Q, r, b = np.array([[1., -.5], [-.5, 1]]), np.array([1., 0]), np.array([1., 0])
    assert _margin_gap(b, Q@b-r, r, 0.)[0] == np.inf
    assert _margin_gap(b, Q@b-r, r, 0., free=np.array([True, False]))[0] == pytest.approx(0)


# ---- a bound on the weights

def test_no_weight_exceeds_relevance_where_similarities_are_positive():
    "beta_j <= r_j/(1+gamma), and a bound from there on changes nothing"
    rng = np.random.default_rng(0)
    for seed in range(30):
        X, gamma, r = rng.standard_normal((12, 25)), 10**rng.uniform(-3, 1), 5*rng.random(25)
        for kernel in ("poly2", "rbf"):
            free = solve_mmfs(FeatureKernel(X, kernel), r, gamma, tol=1e-12).beta
            assert (free <= r/(1+gamma)+1e-9).all()
            boxed = solve_mmfs(FeatureKernel(X, kernel), r, gamma, r.max()/(1+gamma), tol=1e-12).beta
            assert np.allclose(boxed, free, atol=1e-9)
    assert solve_mmfs(GramKernel(np.ones((1, 1))), np.array([3.]), .5).beta[0] == pytest.approx(3/1.5)


def test_no_sum_of_weights_exceeds_relevance_over_gamma():
    for seed in range(20):
        X, y = grouped(seed, 10, 40)
        r, _ = correlation_with(X, y)
        for gamma in (.01, .3, 2.):
            assert solve_mmfs(FeatureKernel(X, "linear"), r, gamma).beta.sum() <= r.max()/gamma*(1+1e-9)
    both = solve_mmfs(FeatureKernel(np.c_[X[:, 0], -X[:, 0]], "linear"), np.array([.8, .8]), .25).beta
    assert both.sum() == pytest.approx(.8/.25)


def test_a_bound_of_one_acts_on_noise_with_the_papers_settings():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 300)), np.arange(40) % 2
    for gamma, acts in ((1., False), (.1, False), (.01, True)):
        free, boxed = (MMFS.prl2017(gamma=gamma, C=C, max_iter=20000).fit(X, y) for C in (np.inf, 1.))
        assert free.gap_ <= 1e-6 and boxed.gap_ <= 1e-6
        assert (free.dual_coef_.max() > 1.01) == acts == ((boxed.dual_coef_ >= 1).sum() > 0)
        assert (set(free.support_) == set(boxed.support_)) != acts


def test_a_bound_of_one_acts_on_degree_two_where_relevance_exceeds_it():
    X, _ = grouped(0, 30, 12)
    r = np.r_[3., np.full(11, .2)]
    free, boxed = (MMFS(gamma=.1, C=C, relevance=r).fit(X) for C in (np.inf, 1.))
    assert free.dual_coef_.max() == pytest.approx(3/1.1, rel=.2) and boxed.dual_coef_.max() == 1


# ---- how far settings may go

HUGE = [1e-100, 1e-60, 1e-20, 1e20, 1e50, 1e100]

@pytest.mark.parametrize("kernel, solver", [("poly2", "working_set"), ("linear", "working_set"), ("rbf", "working_set"), ("linear", "dcd")])
@pytest.mark.parametrize("name", ["C", "gamma"])
def test_settings_of_any_size_are_solved_or_say_that_they_are_not(name, kernel, solver, loud):
    X, y = grouped(0, 40, 60)
    values = HUGE+[1e300, 1.7e308, np.inf] if name == "C" else HUGE
    for value in values:
        for other in ({}, dict(gamma=.1) if name == "C" else dict(C=1.)):
            m = MMFS(5, kernel=kernel, solver=solver, max_iter=500, **{name: value}, **other)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", ConvergenceWarning)
                m.fit(X, y)
            assert np.isfinite(m.dual_coef_).all() and np.isfinite(m.objective_) and len(m.support_) == 5
            solved = m.gap_ <= m.tol
            assert solved != any(issubclass(w.category, ConvergenceWarning) for w in said)
            assert solved == (m.stop_reason_ in ("gap", "nothing_left"))
            if solver == "working_set": assert solved


def test_a_huge_bound_is_none():
    X, y = grouped(0, 40, 60)
    for kernel in ("poly2", "linear"):
        want = MMFS(kernel=kernel, gamma=.1).fit(X, y)
        for C in (1e10, 1e50, 1e300, 1.7e308):
            got = MMFS(kernel=kernel, gamma=.1, C=C).fit(X, y)
            assert got.gap_ <= 1e-6 and np.allclose(got.dual_coef_, want.dual_coef_, atol=1e-9)


@pytest.mark.parametrize("name, bad, part", [
    ("C", [0, -1, 1e-320, 5e-324, np.nan, -np.inf, "1", None, True], r"C must lie in \[1e-100, inf\], got "),
    ("gamma", [0, -1, 1e-320, 1e308, np.inf, np.nan, "1", True], r"gamma must be None or lie in \[1e-100, 1e\+100\], got "),
    ("width", [0, 1e-320, 1e-4, 1e4, 1e200, np.inf, np.nan, None], r"width must lie in \[1e-3, 1e\+3\], got ")])
def test_what_is_out_of_bounds_is_named(name, bad, part):
    X, y = grouped(0, 20, 6)
    for value in bad:
        with pytest.raises(ValueError, match=part): MMFS(2, kernel="rbf", align=False, **{name: value}).fit(X, y)


@pytest.mark.parametrize("make", [MMFS, QPFS])
def test_relevance_of_any_size(make, loud):
    X, _ = grouped(0, 30, 20)
    r = np.random.default_rng(0).random(20)
    want = make(4, relevance=r, **(dict(relevance_weight=.5) if make is QPFS else {})).fit(X)
    if make is MMFS:
        for scale in (1e-9, 1e50, 1e100):
            assert make(4, relevance=scale*r).fit(X).support_.tolist() == want.support_.tolist()
    else: assert make(4, relevance=1e100*r).fit(X).gap_ <= 1e-6
    with pytest.raises(ValueError, match=r"relevance must lie in \[0, 1e\+100\], got 1e\+300 for column 0"): make(4, relevance=np.r_[1e300, r[1:]]).fit(X)


def test_a_step_of_any_size_warns_of_nothing(loud):
    for step in (1e-310, -1e-310, 5e-324, 1e300):
        for most in (1., 1e308, np.inf):
            there, whole = _step_to_bound(np.array([.5, 0.]), np.array([step, 0.]), most)
            assert 0 <= there[0] <= most and there[1] == 0


@pytest.mark.parametrize("make", [MMFS, QPFS])
def test_counts_and_numbers_of_numpy_do_not_wrap(make):
    X, y = grouped(0, 40, 60)
    m = make(np.int8(5), tol=np.float32(1e-4), max_iter=np.int8(127))
    assert make(5, tol=1e-4).fit(X, y).support_.tolist() == m.fit(X, y).support_.tolist()
    tol, most = _check_stopping(m)
    assert type(most) is int and most+1 == 128 and type(tol) is float
    if make is MMFS:
        with pytest.warns(ConvergenceWarning, match="max_iter=127 ended"): m = MMFS.prl2017(gamma=.001, max_iter=np.int8(127)).fit(X, y)
        assert m.stop_reason_ == "max_iter" and m.n_iter_ == 127


# ---- copies and ties

@pytest.mark.parametrize("make", [MMFS, lambda *a, **kw: MMFS(*a, gamma=.1, **kw), QPFS, lambda *a, **kw: MMFS(*a, kernel="rbf", align=False, **kw)])
def test_a_copy_keeps_the_relevance_that_it_was_given(make, loud):
    "The first of two copies had none, and took part in place of the other"
    X, _ = grouped(3, 20, 6)
    X[:, 5] = X[:, 0]
    r = np.array([0, .1, .2, .1, .1, .9])
    m = make(3, relevance=r).fit(X)
    assert m.support_[0] == 5 and m.groups_[0].tolist() == [5, 0] and m.groups_.scores[0] == .9
    assert m.gap_ <= 1e-6 and m.ranking_[0] == 6
    only = make(1, relevance=np.array([0, 0, 0, 0, 0, 1.])).fit(X)
    assert only.support_.tolist() == [5] and only.gap_ <= 1e-6


def test_who_stands_for_copies():
    first = np.array([0, 1, 0, 1, 4, 0])
    assert _choose_standing(first, np.array([1, 1, 1, 1, 0, 1.])).tolist() == [0, 1, 0, 1, 4, 0]
    assert _choose_standing(first, np.array([1, 1, 3, 1+1e-13, 0, 3])).tolist() == [2, 1, 2, 1, 4, 2]
    assert _choose_standing(first, np.zeros(6)).tolist() == first.tolist()


MAKES = [lambda k, **kw: MMFS(k, **kw), lambda k, **kw: MMFS(gamma=.01, **kw), lambda k, **kw: MMFS(k, kernel="linear", align=False, **kw),
         lambda k, **kw: MMFS(k, kernel="rbf", align=False, **kw), lambda k, **kw: MMFS.prl2017(k, **kw), lambda k, **kw: QPFS(k, **kw),
         lambda k, **kw: QPFS(k, similarity="abs_correlation", **kw), lambda k, **kw: QPFS(k, nystrom=.5, random_state=0, **kw), lambda k, **kw: QPFS.jmlr2010(k, **kw)]

@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_equal_columns_and_ties_warn_of_nothing(make, store, loud):
    rng, y = np.random.default_rng(0), np.arange(24) % 2
    x = rng.standard_normal(24)
    designs = dict(
        equal=np.repeat(x[:, None], 6, 1), nearly=np.repeat(x[:, None], 6, 1)+1e-13*rng.standard_normal((24, 6)), opposed=np.c_[x, -x, 2*x, -3*x],
        labels=np.repeat(1.*y[:, None], 5, 1), rows=np.eye(24), coins=1.*rng.integers(0, 2, (24, 12)), one=x[:, None], two=np.eye(24)[:, [0, 0, 5, 5]])
    for name, X in designs.items():
        for relevance in ({}, dict(relevance=np.ones(X.shape[1])), dict(relevance=1.*(np.arange(X.shape[1]) == X.shape[1]-1))):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                m = make(1, **relevance).fit(store(X), y)
            assert np.isfinite(m.dual_coef_).all() and np.isfinite(m.gap_), name


def test_loops_agree_on_copies_with_their_own_relevance():
    X, _ = grouped(3, 20, 6)
    X[:, 5] = X[:, 0]
    r = np.array([0, .1, .2, .1, .1, .9])
    m = MMFS(gamma=.1, kernel="linear", align=False, relevance=r, tol=1e-10).fit(X)
    slow, _ = naive.mmfs_descent(unit(X), r, .1, np.inf, 4000)
    assert m.objective_ == pytest.approx(naive.mmfs_dual(slow, unit(X), r, .1), rel=1e-6)


def test_equal_features_are_ranked_by_index_in_any_storage():
    "Relevances and gradients that differ by rounding alone decided, and storage decides rounding"
    X, y = np.eye(24)[:, :12], np.arange(24) % 2
    for make in (lambda: MMFS(3, kernel="linear"), lambda: MMFS(3), lambda: MMFS(3, kernel="rbf"), lambda: QPFS(3)):
        for store in (np.asarray, np.asfortranarray, sp.csc_matrix, sp.csr_matrix):
            m = make().fit(store(X), y)
            assert m.support_.tolist() == [0, 1, 2] and m.ranking_.tolist() == list(range(1, 13))
            assert np.allclose(m.dual_coef_, m.dual_coef_[0])


@pytest.mark.parametrize("make", [MMFS, QPFS])
@pytest.mark.parametrize("wrong, part", [
    (dict(n_bins="x"), "n_bins"), (dict(n_bins=1), "n_bins"), (dict(binning=np.nan), "binning"), (dict(binning="3"), "binning"), (dict(relevance=10**400), "relevance")])
def test_what_is_not_used_is_checked_too(make, wrong, part):
    X, y = grouped(0, 20, 6)
    with pytest.raises(ValueError, match=f"{part} must"): make(2, **wrong).fit(X, y)


@pytest.mark.parametrize("make", [MMFS, QPFS])
def test_digits_that_are_lost_are_an_error(make):
    X, y = grouped(0, 40, 8)
    for far in (1e15, 1e17):
        with pytest.raises(ValueError, match="column|constant"): make(2).fit(X+far, y)


@pytest.mark.parametrize("make", [lambda: MMFS(3, relevance="su"), lambda: MMFS(3), QPFS.jmlr2010, lambda: QPFS(3)])
def test_any_float_is_read(make):
    X, y = grouped(0, 60, 12)
    X = X.astype(np.float16)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        want = make().fit(X.astype(np.float64), y)
        for odd in (X, X.astype(">f8"), X.astype(">f4"), X.astype(">f2")):
            assert make().fit(odd, y).support_.tolist() == want.support_.tolist()
