"What can be given as a correlation"
import warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.base import clone

from fsnb.correlation.pearson import as_correlation, FunctionCorrelation, Pearson, PositivePearson, Spearman
from fsnb.correlation.ranks import Correlation
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.positional import Positional

pytestmark = pytest.mark.filterwarnings("ignore:.*biased upward")

def test_a_function_is_called_in_order_and_once_a_pair():
    X = np.random.default_rng(0).random((20, 5)); X[:, 2] = 1
    calls = []
    def first_higher(a, b):
        calls.append((a.tolist(), b.tolist()))
        return float(a[0] > b[0])
    m = FunctionCorrelation(first_higher).fit(X)
    got = m.table([4, 0], [0, 4, 2])
    assert all((a, b) in [(X[:, j].tolist(), X[:, k].tolist()) for j in range(5) for k in range(j, 5)] for a, b in calls) and len(calls) == 4
    assert got[0, 0] == got[1, 1] == float(X[0, 0] > X[0, 4]) and (got[:, 2] == 0).all()
    def rho(a, b): return abs(np.corrcoef(a, b)[0, 1])
    for store in (np.asarray, sp.csc_matrix):
        k, v = FunctionCorrelation(rho).fit(store(X)).partners(0, .1)
        want = Pearson().fit(X).partners(0, .1)
        assert k.tolist() == want[0].tolist() and np.allclose(v, np.abs(want[1]))

def test_a_function_that_leaves_the_range():
    X = np.random.default_rng(0).random((9, 4))
    for value in (1.5, -1.2, np.nan, None, "a", np.inf):
        def odd(a, b): return value
        with pytest.raises(ValueError, match=r"correlation must return values in \[0, 1\] or \[-1, 1\], but odd of columns 1 and 3 is"):
            FunctionCorrelation(odd).fit(X).table([3], [1])

def test_what_binds():
    X = np.random.default_rng(0).random((30, 4))
    bound, mine = SymmetricalUncertainty().fit(X), SymmetricalUncertainty(3)
    assert as_correlation(bound) is bound and type(as_correlation(X)) is Pearson
    assert as_correlation(X, mine).n_bins == 3 and as_correlation(X, mine) is not mine and mine.columns is None
    assert type(as_correlation(X, "su")) is SymmetricalUncertainty and type(as_correlation(X, "positive")) is PositivePearson
    class Half(Correlation):
        def table(self, a, b=None): return np.full((len(a), len(a if b is None else b)), .5)
    half = as_correlation(X, Half())
    assert half.partners(1, .5)[0].tolist() == [0, 2, 3] and half.partners([1, 2], .6)[0][0].tolist() == []
    nested = Positional("index", window=2, correlation=SymmetricalUncertainty(5, "frequency"))
    copy = clone(nested.fit(X))
    assert copy.columns is None and copy.get_params()["correlation__n_bins"] == 5
    assert np.array_equal(copy.fit(X).table(range(4)), nested.table(range(4)))

def test_what_is_refused():
    for bad, text in ((SymmetricalUncertainty(n_bins=257), "n_bins must be a whole number in"), (SymmetricalUncertainty(binning="mdl"), "binning must be one of"),
                      (None, "correlation must be"), (Pearson, r"a Correlation object, got <class .*Pearson'>: write Pearson\(\)")):
        with pytest.raises(ValueError, match=text): as_correlation(np.eye(4), bad)
    with pytest.raises(ValueError, match=r"Pearson\(\) must be fitted"): as_correlation(Pearson())

def test_a_signed_correlation_loses_its_sign_with_one_warning():
    X = np.random.default_rng(0).normal(size=(50, 6))
    signed, bare = FunctionCorrelation(lambda a, b: np.corrcoef(a, b)[0, 1]), FunctionCorrelation(lambda a, b: abs(np.corrcoef(a, b)[0, 1]))
    with warnings.catch_warnings(record=True, action="always") as heard:
        table = signed.fit(X).table(range(6))
    assert len(heard) == 1 and "their absolute value is taken" in str(heard[0].message)
    assert (table == bare.fit(X).table(range(6))).all()

def test_spearman_is_that_of_scipy_dense_and_sparse():
    rng = np.random.default_rng(1)
    for trial in range(20):
        X = rng.integers(-3, 5, (rng.integers(5, 60), 7))*(rng.random(7) < .8)*1.
        X[:, 0] = rng.normal(size=len(X))
        stored = sp.csc_matrix(X)
        if stored.nnz: stored.data[stored.data == stored.data.max()] = 0     # zeros that are stored
        X = stored.toarray()
        want = pd.DataFrame(X).corr("spearman").fillna(0).to_numpy(copy=True)
        varies = np.ptp(X, axis=0) > 0
        want[~varies] = want[:, ~varies] = 0
        tables = [Spearman().fit(form(X)).table(range(7)) for form in (np.asarray, np.float32, sp.csr_matrix, lambda _: stored)]
        for table in tables: np.testing.assert_allclose(table, want, atol=2e-6)
        close = Spearman().fit(X).partners(0, .3)[0]
        assert close.tolist() == [j for j in range(1, 7) if abs(tables[0][0, j]) >= .3]
    with pytest.raises(ValueError, match=r"X.whole\(\)"): Spearman().fit(X.astype(np.int8))
