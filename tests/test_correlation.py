"Tables of correlations against fsnb.naive, and the level that chance reaches"
import functools, itertools, tracemalloc, warnings
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from fsnb import naive
from fsnb.columns import as_columns
from fsnb.correlation import (Correlation, Measured, Pearson, Positional, SymmetricalUncertainty, as_correlation,
                              chance_correlation, chance_su, correlation_table)
from fsnb.crm import find_group, greedy_cut

pytestmark = pytest.mark.filterwarnings("ignore:with n_samples")

STORES = {"C": np.asarray, "F": np.asfortranarray, "csc": sp.csc_matrix, "csr": sp.csr_matrix,
          "float32": lambda X: X.astype(np.float32), "sparse int8": lambda X: sp.csc_matrix(X.astype(np.int8))}


@pytest.mark.parametrize("store", STORES)
def test_table_equals_naive(store):
    for seed in range(60):
        r = np.random.default_rng(seed)
        n, p = int(r.integers(2, 25)), int(r.integers(1, 9))
        X = (r.integers(-3, 4, (n, p))*(r.random((n, p)) < r.uniform(.2, 1))).astype(float)
        X[:, 0] = seed % 2
        c = as_columns(STORES[store](X))
        a, b = r.integers(p, size=r.integers(1, 6)), r.integers(p, size=r.integers(1, 6))
        want = [[np.nan_to_num(naive.pearson(X[:, j], X[:, k])) for k in b] for j in a]
        got = correlation_table(c, a, b)
        assert got.shape == (len(a), len(b)) and got.dtype == np.float64 and isinstance(got, np.ndarray)
        np.testing.assert_allclose(got, want, atol=1e-12)
        assert np.abs(got).max() <= 1
        np.testing.assert_array_equal(correlation_table(c, a), correlation_table(c, a, a))
        np.testing.assert_allclose(correlation_table(c, b, a), got.T, atol=1e-13)
        np.testing.assert_allclose(correlation_table(c, range(p)), c.correlations(range(p)), atol=1e-10)


@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_no_columns_give_an_empty_table(make):
    c = as_columns(make(np.eye(4)))
    assert correlation_table(c, []).shape == (0, 0) and correlation_table(c, [1, 2], []).shape == (2, 0)
    with pytest.raises(IndexError): correlation_table(c, [4])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.float32])
@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_products_of_short_numbers_do_not_overflow(make, dtype):
    X = np.random.default_rng(0).integers(0, 120, (200, 5)).astype(dtype)
    np.testing.assert_allclose(correlation_table(as_columns(make(X)), range(5)), np.corrcoef(X.T.astype(float)), atol=1e-12)


@pytest.mark.parametrize("shift", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_means_far_above_the_deviation(make, shift):
    r = np.random.default_rng(0)
    X = np.rint(8*r.standard_normal((100, 6)))/8
    X[:, 5] = -X[:, 0]
    got = correlation_table(as_columns(make(X+shift)), range(6))
    np.testing.assert_allclose(got, np.corrcoef(X.T), atol=3e-15*shift+1e-11)


def test_the_level_of_chance():
    r = np.random.default_rng(0)
    for n, p in ((5, 50), (30, 200), (200, 1000)):
        x, X = r.standard_normal((300, n)), r.standard_normal((n, p))
        X = (X-X.mean(0))/X.std(0)
        x = (x-x.mean(1, keepdims=True))/x.std(1, keepdims=True)
        reached = np.abs(x@X/n)
        for level in (1., 10.):
            mean = (reached >= chance_correlation(n, p, level)).sum(1).mean()
            assert mean == pytest.approx(level, rel=.25)


def test_the_level_of_chance_by_hand():
    assert chance_correlation(4, 2) == pytest.approx(.5)              # n = 4: |rho| is uniform on [0, 1]
    assert chance_correlation(4, 100) == pytest.approx(.99)
    assert chance_correlation(50, 3, 3) == 0 and chance_correlation(50, 3, 9) == 0 and chance_correlation(50, 1) == 0
    values = [chance_correlation(n, 1000) for n in (3, 5, 10, 100, 10_000)]
    assert (np.diff(values) < 0).all() and 0 < values[-1] < values[0] < 1
    assert (np.diff([chance_correlation(50, p) for p in (2, 10, 10**4, 10**8)]) > 0).all()
    assert type(chance_correlation(10, 10)) is float
    for bad, message in (((2, 5), "n_samples must be at least 3, got 2"), ((5, 0), "n_features must be at least 1, got 0")):
        with pytest.raises(ValueError, match=message): chance_correlation(*bad)


# ---- symmetrical uncertainty

def mixed(seed):
    "Whole or continuous numbers, ties, zeros, signs, a constant, a copy with other names, a mirror image"
    r = np.random.default_rng(seed)
    n, p = int(r.integers(2, 50)), int(r.integers(4, 9))
    X = r.integers(-3 if seed % 2 else 0, 4, (n, p)).astype(float) if seed % 3 else r.standard_normal((n, p))
    X *= r.random((n, p)) < r.uniform(.1, 1)
    X[:, 0] = seed % 2
    X[:, 1], X[:, 2] = -X[:, 3], X[:, 3]*X[:, 3]
    return X, r


def su_matrix(X, n_bins, how):
    codes = [naive.bins(x, n_bins, how) for x in X.T]
    return np.array([[naive.symmetrical_uncertainty(a, b) for b in codes] for a in codes])


@pytest.mark.parametrize("how", ["width", "frequency", "none"])
def test_su_equals_naive_in_every_store(how):
    for seed in range(90):
        X, r = mixed(seed)
        K = int(r.integers(2, 7))
        want = su_matrix(X, K, how)
        first = None
        for name, store in STORES.items():
            if name == "sparse int8" and seed % 3 == 0: continue
            A = store(X)
            if name == "float32" and seed % 3 == 0: A, want_here = A, su_matrix(np.asarray(A, dtype=float), K, how)
            else: want_here = want
            su = SymmetricalUncertainty(as_columns(A), K, how)
            got = su.table(range(X.shape[1]))
            np.testing.assert_allclose(got, want_here, atol=1e-12)
            np.testing.assert_array_equal(got, got.T)
            if name != "float32":
                first = got if first is None else first
                np.testing.assert_array_equal(got, first)
            np.testing.assert_allclose(su.entropies, [naive.entropy(naive.bins(x, K, how)) for x in np.asarray(A.todense() if sp.issparse(A) else A, dtype=float).T], atol=1e-12)


def test_stored_zeros_are_zeros():
    X, _ = mixed(5)
    S = sp.csc_matrix(X)
    S.data[::3] = 0
    for how in ("width", "frequency", "none"):
        np.testing.assert_array_equal(SymmetricalUncertainty(S, 4, how).table(range(X.shape[1])), SymmetricalUncertainty(S.toarray(), 4, how).table(range(X.shape[1])))


def test_su_is_the_normalised_mutual_information_of_the_codes():
    for seed in range(40):
        r = np.random.default_rng(seed)
        a, b = r.integers(0, int(r.integers(2, 20)), (2, 80))
        b[:40] = a[:40] % 3
        got = SymmetricalUncertainty(np.c_[a, b], binning="none").table([0], [1])[0, 0]
        assert got == pytest.approx(normalized_mutual_info_score(a, b), abs=1e-12)


def test_names_of_codes_mean_nothing():
    r = np.random.default_rng(0)
    X = r.integers(0, 7, (300, 5))
    Y = np.stack([r.permutation(50)[x] for x in X.T], 1)
    one, other = (SymmetricalUncertainty(A, binning="none").table(range(5)) for A in (X, Y))
    np.testing.assert_array_equal(one, other)
    both = SymmetricalUncertainty(np.hstack([X, Y]), binning="none").table(range(10))
    np.testing.assert_array_equal(np.diag(both[:5, 5:]), 1)
    np.testing.assert_array_equal(both[:5], both[5:])


def test_equal_frequency_knows_ranks_only():
    r = np.random.default_rng(0)
    x = r.standard_normal((500, 4)); x[:, 3] = x[:, 0]+.3*x[:, 3]
    one, other = (SymmetricalUncertainty(A, binning="frequency").table(range(4)) for A in (x, np.exp(3*x)))
    np.testing.assert_array_equal(one, other)
    for heavy in (np.r_[np.zeros(499), 1.], np.r_[np.ones(499), 0.], np.r_[np.zeros(300), np.ones(200)]):
        assert (SymmetricalUncertainty(np.c_[heavy, x[:, 0]], binning="frequency").entropies > 0).all()


@pytest.mark.parametrize("scale", [2.**-1000, 2.**1000, 2.**1019])
def test_width_of_any_size(scale):
    X, _ = mixed(1)
    np.testing.assert_array_equal(SymmetricalUncertainty(X*scale, 5).table(range(X.shape[1])), SymmetricalUncertainty(X, 5).table(range(X.shape[1])))
    wide = np.array([[-1.7e308, 0], [1.7e308, 1], [0, 0], [1e307, 1]])
    assert np.isfinite(SymmetricalUncertainty(wide, 4).table([0, 1])).all()


def test_variation_of_information_is_a_metric():
    for seed in range(20):
        r = np.random.default_rng(seed)
        X = r.integers(0, 4, (60, 7)); X[:, 6] = X[:, 0]//2
        su = SymmetricalUncertainty(X, binning="none")
        H, U = su.entropies, su.table(range(7))
        D = (H[:, None]+H)*(1-U)
        assert all(D[i, k] <= D[i, j]+D[j, k]+1e-9 for i, j, k in itertools.product(range(7), repeat=3))
        np.testing.assert_allclose(np.diag(D), 0, atol=1e-12)


@pytest.mark.parametrize("n_pivots", [0, 1, 5])
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_the_prefilter_loses_no_partner(store, n_pivots):
    true = looked = pairs = 0
    for seed in range(12):
        r = np.random.default_rng(seed)
        X = np.repeat(r.random((120, 10)) < r.uniform(.05, .6, 10), 12, axis=1) & (r.random((120, 120)) < r.uniform(.85, 1, 120))
        X = X*r.integers(1, 5, (120, 120))
        su = SymmetricalUncertainty(store(X), 8, n_pivots=n_pivots)
        U = su.table(range(120))
        for t in (.3, .5, .7, float(U[0, 1])):
            for j in range(120):
                k, v = su.partners(j, t)
                want = [q for q in np.flatnonzero(U[j] >= t-1e-10) if q != j]
                assert k.tolist() == want and v.tolist() == U[j, want].tolist()
                true += len(want); looked += len(su.candidates(j, t)); pairs += 120
    assert true > 1000 and looked < .9*pairs


def test_threads_change_nothing():
    r = np.random.default_rng(0)
    X = r.integers(0, 5, (100, 301))*(r.random((100, 301)) < .4)
    for store in (np.asarray, sp.csc_matrix):
        one, four = (SymmetricalUncertainty(as_columns(store(X), n_jobs=q)) for q in (1, 4))
        np.testing.assert_array_equal(one.table(range(301)), four.table(range(301)))
        np.testing.assert_array_equal(one._codes, four._codes)


def test_memory_of_the_codes():
    X = np.random.default_rng(0).standard_normal((1000, 4000)).astype(np.float32)
    for how in ("width", "frequency"):
        SymmetricalUncertainty(X[:, :50], binning=how)
        tracemalloc.start()
        su = SymmetricalUncertainty(X, binning=how)
        su.partners([0, 1], .5)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < X.nbytes+40_000_000*("frequency" == how)


def test_relevance_of_labels():
    X, r = mixed(4)
    y = r.choice(["a", "b", "c"], len(X))
    for store in (np.asarray, sp.csc_matrix):
        want = [naive.symmetrical_uncertainty(naive.bins(x, 4, "width"), y.tolist()) for x in X.T]
        np.testing.assert_allclose(SymmetricalUncertainty(store(X), 4).relevance(y), want, atol=1e-12)
    with pytest.raises(ValueError, match="y must have shape"): SymmetricalUncertainty(X, 4).relevance(y[:-1])


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_groups_by_su_equal_brute_force(store):
    for seed in range(40):
        X, r = mixed(seed)
        how, tau, link = ["width", "frequency", "none"][seed % 3], float(r.choice([.3, .5, .7])), bool(seed % 2)
        R, su = su_matrix(X, 5, how), SymmetricalUncertainty(store(X), 5, how)
        for z in range(X.shape[1]):
            f = find_group(su, z, tau, link)
            assert [(int(k), bool(d)) for k, d in zip(f.indices, f.direct)] == [(k, d) for k, _, d in naive.find_group(R, z, tau, link)]
        s = r.standard_normal(X.shape[1])
        assert greedy_cut(su, s, 3, tau, link=link)[0] == naive.greedy_cut(R, s, 3, tau, link=link)[0]


def test_few_samples_are_told_once():
    with pytest.warns(UserWarning, match=r"with n_samples=50 .* independent features of 10 bins read about 0.35"):
        SymmetricalUncertainty(np.random.default_rng(0).random((50, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SymmetricalUncertainty(np.random.default_rng(0).random((200, 3)))


def test_chance_su_is_the_mean_of_independent_features():
    for n, K in ((500, 4), (2000, 10)):
        X = np.random.default_rng(0).random((n, 60))
        U = SymmetricalUncertainty(X, K, "frequency").table(range(60))
        assert U[np.triu_indices(60, 1)].mean() == pytest.approx(chance_su(n, K), rel=.05)
    assert chance_su(3, 100) == 1


# ---- position

def test_position_equals_naive():
    kept = cut = 0
    for seed in range(80):
        r = np.random.default_rng(seed)
        p = int(r.integers(3, 30))
        X = np.repeat(r.standard_normal((30, 3)), 10, axis=1)[:, :p]+.4*r.standard_normal((30, p))
        chromosomes = r.choice(["1", "2", "X"], p) if seed % 2 else None
        place = np.cumsum(r.integers(0, 4, p)).astype(float)
        beta, window = (float(r.choice([3, 20.])) if seed % 3 else None), (float(r.choice([2, 9.])) if seed % 5 or chromosomes is None and not seed % 3 else None)
        base = [Pearson, SymmetricalUncertainty][seed % 2](X if seed % 4 else sp.csc_matrix(X))
        c, R, t = Positional(base, place, chromosomes, beta, window), base.table(range(p)), float(r.choice([.2, .5]))
        want = np.array([[naive.positional(R[j, k], place[j], place[k], chromosomes is None or chromosomes[j] == chromosomes[k], beta, window)
                          for k in range(p)] for j in range(p)])
        np.testing.assert_allclose(c.table(range(p)), want, atol=1e-12)
        for j in range(p):
            k, v = c.partners(j, t)
            here = [q for q in np.flatnonzero(np.abs(want[j]) >= t-1e-10) if q != j]
            assert k.tolist() == here
            np.testing.assert_allclose(v, want[j, here], atol=1e-9)
            kept += len(here); cut += (np.abs(R[j]) >= t).sum()-1-len(here)
    assert kept > 300 and cut > 300


def test_the_window_that_beta_implies_is_tight():
    "A copy is a partner up to beta ln(1/t), and no further"
    x = np.random.default_rng(0).standard_normal(50)
    for beta, t in ((10., .6), (3., .9)):
        reach = beta*np.log(1/t)
        c = Positional(np.c_[x, x, x], [0, reach*(1-1e-9), reach*(1+1e-6)], beta=beta)
        assert c.partners(0, t)[0].tolist() == [1] and c.within(0, t).tolist() == [0, 1]


def test_index_positions_and_far_fewer_questions():
    X = np.random.default_rng(0).standard_normal((40, 500))
    c = Positional(X, "index", window=3)
    assert c.within(100, .5).tolist() == list(range(97, 104))
    asked = []
    class Spy(Pearson):
        def table(self, a, b=None): asked.append(len(b)); return super().table(a, b)
        def partners(self, j, threshold): raise AssertionError("all columns")
    Positional(Spy(X), "index", window=3).partners([0, 250], .5)
    assert asked == [4, 7]


P = dict(positions=[1, 2, 3, 4])
@pytest.mark.parametrize("bad,text", [
    (dict(beta=1.), "positions must be given with chromosomes, beta or window"), (dict(window=1.), "positions must be given"),
    (dict(chromosomes=list("abab")), "positions must be given"), (dict(positions=[1, 2, 3], beta=1.), r"positions must have one entry for each of the 4 features, got shape \(3,\)"),
    (dict(positions=[1, 2, np.nan, 4], beta=1.), "positions must be finite, got nan at column 2"), (dict(positions=[1, 3, 2, 4], beta=1.), "positions must not decrease .* got 2 at column 2 after 3 at column 1"),
    (dict(positions=[5, 1, 4, 2], chromosomes=list("abab")), "positions must not decrease .* got 4 at column 2 after 5 at column 0"),
    (dict(positions="bp", beta=1.), "positions must be .*'index', got 'bp'"), (dict(positions=list("abcd"), beta=1.), "positions must be"),
    (dict(**P, chromosomes=list("abc")), r"chromosomes must have one entry for each of the 4 features, got shape \(3,\)"),
    (dict(**P, beta=0), r"beta must lie in \(0, inf\), got 0"), (dict(**P, beta="a"), "beta must lie"), (dict(**P, window=-1.), r"window must lie in \(0, inf\), got -1"),
    (dict(**P, window=np.nan), "window must lie"), (P, "positions change nothing without beta, window or chromosomes"),
    (dict(correlation="su", n_bins=1), r"n_bins must be a whole number in \[2, 256\], got 1"), (dict(correlation="su", n_bins=257), "n_bins must be"),
    (dict(correlation="su", n_bins=2.5), "n_bins must be"), (dict(correlation="su", n_bins=True), "n_bins must be"), (dict(correlation="su", binning="equal"), "binning must be one of 'width', 'frequency', 'none', got 'equal'"),
    (dict(correlation="kendall"), "correlation must be 'pearson', 'su', a function of two columns or a Correlation class, got 'kendall'"), (dict(correlation=None), "correlation must be"), (dict(correlation=3), "correlation must be")])
def test_what_is_refused(bad, text):
    with pytest.raises(ValueError, match=text): as_correlation(np.random.default_rng(0).random((30, 4)), **bad)


def test_too_many_values_for_codes():
    X = np.c_[np.arange(300) % 256, np.arange(300)].astype(float)
    assert SymmetricalUncertainty(X[:, :1], binning="none").entropies[0] > 7.9
    for A in (X, sp.csc_matrix(X)):
        with pytest.raises(ValueError, match="binning='none' takes columns of at most 256 distinct values, got 300 in column 1"): SymmetricalUncertainty(A, binning="none")


def test_positions_may_fall_between_chromosomes():
    X = np.random.default_rng(0).random((30, 4))
    assert Positional(X, [5, 6, 1, 2], list("aabb")).within(0, .5).tolist() == [0, 1]
    assert Positional(X, [5, 1, 6, 2], list("abab")).within(1, .5).tolist() == [1, 3]


# ---- functions and classes

def test_a_function_is_called_in_order_and_once_a_pair():
    X = np.random.default_rng(0).random((20, 5)); X[:, 2] = 1
    calls = []
    def first_higher(a, b):
        calls.append((a.tolist(), b.tolist()))
        return float(a[0] > b[0])
    m = Measured(X, first_higher)
    got = m.table([4, 0], [0, 4, 2])
    assert all((a, b) in [(X[:, j].tolist(), X[:, k].tolist()) for j in range(5) for k in range(j, 5)] for a, b in calls) and len(calls) == 4
    assert got[0, 0] == got[1, 1] == float(X[0, 0] > X[0, 4]) and (got[:, 2] == 0).all()
    def rho(a, b): return abs(np.corrcoef(a, b)[0, 1])
    for store in (np.asarray, sp.csc_matrix):
        k, v = Measured(store(X), rho).partners(0, .1)
        want = Pearson(X).partners(0, .1)
        assert k.tolist() == want[0].tolist() and np.allclose(v, np.abs(want[1]))


@pytest.mark.parametrize("value", [1.5, -.2, np.nan, None, "a", np.inf])
def test_a_function_that_leaves_the_range(value):
    def odd(a, b): return value
    with pytest.raises(ValueError, match=r"correlation must return values in \[0, 1\], but odd of columns 1 and 3 is"): Measured(np.random.default_rng(0).random((9, 4)), odd).table([3], [1])


def test_rounding_beyond_the_range_is_cut_off():
    assert Measured(np.random.default_rng(0).random((9, 2)), lambda a, b: 1+1e-12).table([0], [1])[0, 0] == 1


def test_what_binds():
    X = np.random.default_rng(0).random((30, 4))
    bound = SymmetricalUncertainty(X)
    assert as_correlation(bound) is bound and type(as_correlation(X)) is Pearson and type(as_correlation(X, "su", n_bins=3).table([0])) is np.ndarray
    assert as_correlation(X, functools.partial(SymmetricalUncertainty, n_bins=3)).n_bins == 3 and type(as_correlation(X, Pearson)) is Pearson
    class Half(Correlation):
        def table(self, a, b=None): return np.full((len(a), len(a if b is None else b)), .5)
    half = as_correlation(X, Half)
    assert half.partners(1, .5)[0].tolist() == [0, 2, 3] and half.partners([1, 2], .6)[0][0].tolist() == []
    assert isinstance(as_correlation(X, Half, positions="index", window=1), Positional)
    with pytest.raises(NotImplementedError, match="Correlation must have a method table"): Correlation(X).table([0])


def test_whole_numbers_are_coded_without_a_sort():
    "Codes of small whole numbers, of any dtype, equal those that the sort gives"
    r = np.random.default_rng(9)
    for trial in range(40):
        values = np.sort(r.choice(np.arange(-100, 150), int(r.integers(1, 9)), replace=False))
        X = r.choice(values, (30, 4))
        if trial % 2: X[r.random((30, 4)) < .6] = 0
        want = SymmetricalUncertainty(X+.25*(X != 0), binning="none")                  # a fraction: the sort
        small = [X.astype(np.uint8)] if X.min() >= 0 else []
        for x in (X, X.astype(np.int16), X.astype(np.float32), np.asfortranarray(X), sp.csc_matrix(X), *small):
            got = SymmetricalUncertainty(x, binning="none")
            assert np.array_equal(got._levels, want._levels) and np.array_equal(got._bits, want._bits)
            for j in range(4): assert np.array_equal(got._codes_of(j), want._codes_of(j))


def test_from_codes_is_the_same():
    r = np.random.default_rng(10)
    X = r.integers(0, 4, (50, 6))*(r.random((50, 6)) < .5)
    for x in (X.astype(float), sp.csc_matrix(X.astype(float))):
        a = SymmetricalUncertainty(x, binning="none")
        b = SymmetricalUncertainty.from_codes(a.columns, a._codes, a._zero, a._levels)
        assert np.array_equal(a.table(range(6)), b.table(range(6))) and np.array_equal(a.relevance(X[:, 0]), b.relevance(X[:, 0]))
