"p-values of members: at most nominal on independent columns; the same for dense and CSC"
import math
import numpy as np, pytest, scipy.sparse as sp
from scipy.stats import binom

from doors import peak_of
from fsnb.correlation import Correlation, FunctionCorrelation, Pearson, Positional, SymmetricalUncertainty
from fsnb.correlation.cooccurrence import (_find_far, _find_rate, _LEAST, _poisson_binomial, hypergeometric_p_values)
from fsnb.correlation.ranks import Evidence, _least_share, _normal_scores, rank_p_values, _rank_tail, _t_tail
from fsnb.data.inputs import as_columns

pytestmark = pytest.mark.filterwarnings("ignore:.*biased upward")
LEVELS = (.05, .01, .001)

def too_often(p, level):
    "Whether more p-values than binomial noise allows are at or below a level"
    return np.mean(p <= level) > level+4*np.sqrt(level*(1-level)/len(p))

def test_a_million_rows_of_one_weight_are_binomial():
    levels, n = (np.array([1., 3.]), np.array([3*10**6, 10**6])), 4*10**6
    for count, shared in ((400, 90), (400, 160), (40_000, 8000)):
        heads = -np.expm1(-_find_rate(count, *levels))
        lower = _find_far(shared, 10**6*heads)[1]
        want = max(binom.sf(shared-1, 10**6, heads)+binom.cdf(lower, 10**6, heads), hypergeometric_p_values([shared], 10**6, [count], n)[0])
        found = _poisson_binomial(np.array([shared]), np.array([count]), (np.array([1.]), np.array([10**6])), levels, n)
        assert found[0] == pytest.approx(want, rel=1e-9)

def test_what_a_sparse_support_asks_costs_no_vector_of_all_rows():
    "A flag a row at most: values and weights of all rows are for ranks"
    n, r = 1_000_000, np.random.default_rng(0)
    rows = [np.unique(np.r_[:300, r.integers(0, n, 500)]) for _ in range(40)]
    evidence = Evidence(as_columns(sp.csc_matrix((np.ones(sum(map(len, rows))), np.concatenate(rows), np.r_[0, np.cumsum([*map(len, rows)])]), (n, 40))))
    assert evidence.sizes.differ
    evidence.p_values(0, np.arange(1, 20))
    assert peak_of(lambda: evidence.p_values(1, np.arange(2, 40)))[0] < 2*n

def test_the_t_law_is_careful_with_nine_samples_and_the_plain_one_is_not():
    r = np.random.default_rng(0)
    b = _normal_scores(9)[2::2]/np.linalg.norm(_normal_scores(9)[2::2])
    correlations = b[np.argsort(r.random((150_000, 9)), axis=1)]@b
    careful, plain = _rank_tail(correlations, 9), _t_tail(correlations, 7)
    assert not any(too_often(careful, level) for level in LEVELS)
    assert too_often(plain, .001)                              # the mutant

@pytest.mark.parametrize("uneven", [False, True])
def test_a_copy_has_no_p_value_below_that_of_two_orders(uneven):
    "Once: 2e-142 for a copy of 21 rows, of which there are 5e19 orders"
    for n in (9, 20, 21, 25, 40, 90):
        z, weights, n_strata = np.random.default_rng(n).standard_normal(n), 1.+uneven*np.arange(n), max(1, n//10) if uneven else 1
        rows = np.diff(np.arange(n_strata+1)*n//n_strata).tolist()
        p = rank_p_values(np.stack([z, -3*z, z+1e-6*np.roll(z, 1), np.roll(z, 1)]), z, weights)
        assert (p[:3] >= 2/math.prod(math.factorial(m) for m in rows)*(1-1e-9)).all() and (p[:3] <= 1e-4).all()
        assert p[3] > .001                                    # an ordinary case stays as it was

def test_shuffles_have_no_p_value_below_that_of_the_orders_that_change_nothing():
    x = np.random.default_rng(0).standard_normal(21)
    X = np.c_[x, x]
    su = SymmetricalUncertainty(binning="frequency", n_bins=10).fit(X)
    assert su.p_values(0, np.array([1]), None)[0] == pytest.approx(_least_share(su.tables.codes.column(0)))
    assert _least_share(x) == pytest.approx(1/math.factorial(21)) and _least_share(np.ones(5)) == pytest.approx(1)
    squared = FunctionCorrelation(lambda a, b: np.corrcoef(a, b)[0, 1]**40).fit(X)             # after shuffles nearly 0: a tail of nothing
    assert squared.p_values(0, np.array([1]), np.ones(1))[0] >= _least_share(x)*(1-1e-9)

@pytest.mark.parametrize("seed", range(3))
def test_dense_equals_csc_and_does_not_know_the_company(seed):
    r = np.random.default_rng(seed)
    n, p = int(r.integers(3, 80)), 25
    X = (r.random((n, p)) < r.random(p))*r.integers(-2, 4, (n, p))
    X[:, 3], X[:, 4] = 2, r.standard_normal(n)
    X[:, 5] = np.where(r.random(n) < .7, 3, r.integers(0, 3, n))
    stored = sp.csc_matrix(X)
    for measure in (Pearson(), SymmetricalUncertainty(4), Positional("index", window=3.)):
        dense, sparse = (type(measure)(**measure.get_params()).fit(x) for x in (X, stored))
        for z in (0, 3, 4, 5, 9):
            k = np.setdiff1d(np.arange(p), z)
            found = dense.p_values(z, k, np.full(p-1, .5))
            np.testing.assert_array_equal(found, sparse.p_values(z, k, np.full(p-1, .5)))
            np.testing.assert_array_equal(found[4:6], dense.p_values(z, k[4:6], np.full(2, .5)))
            assert found.dtype == np.float64 and (found >= _LEAST).all() and (found <= 1).all()
        assert dense.p_values(0, np.empty(0, dtype=np.int64), np.empty(0)).shape == (0,)

def test_what_never_varies_proves_nothing():
    X = np.c_[np.zeros(30), np.full(30, 2.), np.arange(30.), np.r_[1, np.zeros(29)]]
    for measure in (Pearson().fit(X), Pearson().fit(sp.csc_matrix(X))):
        for z in range(2): assert (measure.p_values(z, np.setdiff1d(np.arange(4), z), None) > .9).all()
        for z in (2, 3): assert (measure.p_values(z, np.arange(2), None) > .9).all()

def test_a_group_of_copies_makes_nothing_else_significant():
    "Weights that a large group distorts must not turn chance into evidence"
    found = []
    for seed in range(15):
        r = np.random.default_rng(seed)
        X = (r.random((300, 120)) < .05)*1.
        X[:, :60] = X[:, :1]
        measure = Pearson().fit(X)
        found += [measure.p_values(z, np.arange(z+1, 120), None) for z in range(60, 70)]
        assert measure.p_values(0, np.arange(1, 60), None).max() < 1e-3
    p = np.concatenate(found)
    assert not any(too_often(p, level) for level in LEVELS)

def rows_of_weight(r, n, p, counts, sigma):
    weight, X = r.lognormal(0, sigma, n), np.zeros((n, p))
    for j in range(p): X[r.choice(n, counts[j % len(counts)], replace=False, p=weight/weight.sum()), j] = 1
    return X

KINDS = {
    "normal 12": lambda r: r.standard_normal((12, 120)),
    "t2": lambda r: r.standard_t(2, (60, 120)),
    "cauchy": lambda r: r.standard_cauchy((60, 120)),
    "poisson": lambda r: r.poisson(1.5, (60, 120)),
    "one odd value": lambda r: 1+(r.random((60, 120)) < .03),
    "genotypes": lambda r: 1+r.binomial(2, r.uniform(.05, .95, 120), (40, 120)),
    "1 to 30 entries": lambda r: rows_of_weight(r, 200, 120, np.arange(1, 31), 0),
    "weighted rows": lambda r: rows_of_weight(r, 300, 120, np.arange(1, 81), .5),
    "very weighted rows": lambda r: rows_of_weight(r, 300, 120, np.arange(1, 81), 1.2),
    "half full, weighted": lambda r: rows_of_weight(r, 300, 120, np.arange(80, 280), 1.2),
}

def judge(make, tables=4, measure=Pearson(), supports=30):
    "p-values of the columns after each support"
    found = []
    for seed in range(tables):
        measure.fit(np.asarray(make(np.random.default_rng(seed)), dtype=float))
        for z in range(supports): found.append(measure.p_values(z, np.arange(z+1, measure.n_features), None))
    return np.concatenate(found)

@pytest.mark.parametrize("kind", KINDS)
def test_independent_columns_are_seldom_called_related(kind):
    p = judge(KINDS[kind])
    assert len(p) == 4*sum(range(90, 120))          # 12,540 of them: level and 4 standard errors
    assert not [level for level in LEVELS if too_often(p, level)]

@pytest.mark.parametrize("n, bins", [(50, 10), (200, 5)])
def test_symmetrical_uncertainty_of_independent_columns(n, bins):
    for draw in ("standard_normal", "standard_cauchy"):
        p = judge(lambda r: getattr(r, draw)((n, 200)), 3, SymmetricalUncertainty(bins), 6)
        assert not [level for level in LEVELS if too_often(p, level)]

def test_a_signed_measure_of_yours_is_judged_by_its_squares():
    class Cosine(Correlation):
        def table(self, a, b=None):
            z = self.columns.standardized(np.arange(self.n_features))/np.sqrt(self.n_samples)
            return z[:, a].T@z[:, a if b is None else b]
    found = []
    for seed in range(8):
        X = np.random.default_rng(seed).standard_normal((40, 60))
        X[:, 1] += 2*X[:, 0]
        measure = Cosine().fit(X)
        p = measure.p_values(0, np.arange(1, 60), measure.table([0], np.arange(1, 60))[0])
        assert p[0] < 1e-4
        found.append(p[1:])
    assert not [level for level in LEVELS if too_often(np.concatenate(found), level)]

def test_any_function_is_asked_two_hundred_times():
    X, calls = np.random.default_rng(0).standard_normal((40, 5)), []
    X[:, 1] += 2*X[:, 0]
    measure = FunctionCorrelation(lambda x, z: calls.append(1) or abs(np.corrcoef(x, z)[0, 1])).fit(X)
    r = measure.table([0], np.arange(1, 5))[0]
    calls.clear()
    p = measure.p_values(0, np.arange(1, 5), r)
    assert len(calls) == 200*4 and p[0] < 2e-3 and p[1:].min() > .005
    np.testing.assert_array_equal(p, measure.p_values(0, np.arange(1, 5), r))
