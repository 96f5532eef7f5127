"What float64 cannot compute with is refused by name, through every function that correlates."
import numpy as np, pytest, scipy.sparse as sp
from fsnb import GDM, group_columns
from fsnb.correlation import Pearson, Positional, as_correlation, correlation_table
from fsnb.correlation.target import correlation_with
from fsnb.data import inputs
from fsnb.data.inputs import as_columns, open_columns

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, (40, 6)).astype(float)
Y = np.arange(40) % 2
FAR, LARGE, SMALL = "column {} lies too far from zero", "but those of column {} do not: scale it", "but column {} does not: scale it"
SPOILT = {"far": (X+1e15, FAR.format(0)), "one far": (X+np.eye(6)[3]*1e15, FAR.format(3)), "large": (X*1e300, LARGE.format(0)),
          "one large": (X*np.where(np.arange(6) == 4, 1e300, 1), LARGE.format(4)), "small": (X*1e-300, SMALL.format(0))}
READERS = {"open_columns": open_columns, "Pearson": lambda X: Pearson().fit(X), "as_correlation": as_correlation,
           "Positional": lambda X: Positional(np.arange(6.), window=2.).fit(X), "correlation_table": lambda X: correlation_table(X, [0, 1]),
           "correlation_table of columns": lambda X: correlation_table(as_columns(X), [0, 1]), "correlation_with": lambda X: correlation_with(X, Y),
           "group_columns": group_columns}

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.filterwarnings("error")
def test_every_function_that_correlates_refuses(reader, spoilt, store):
    given, sentence = SPOILT[spoilt]
    with pytest.raises(ValueError, match=sentence): READERS[reader](store(given))

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
def test_what_is_no_number_is_counted_and_named(store):
    for value, told in ((np.nan, "NaN: 2 missing values in 1 column: 3"), (-np.inf, "2 infinite")):
        spoilt = X.copy()
        spoilt[[5, 30], 3] = value
        with pytest.raises(ValueError, match=told): as_columns(store(spoilt))

@pytest.mark.parametrize("store", [np.array, np.asfortranarray, sp.csc_matrix])
def test_what_can_be_computed_is_taken(store):
    "Whatever the unit of a feature is"
    plain, v = as_columns(X), RNG.standard_normal(40)
    for factor, shift in ((1, 0), (1, 1e8), (1e150, 0), (1e-150, 0), (1e14, 1e15),
                          (np.r_[1, 1e140, 1, 1e-140, 1, 1], 0)):
        columns, atol = as_columns(store(X*factor+shift)), 1e-9 if np.all(shift == 0) else 1e-6
        table = correlation_table(columns, np.arange(6))
        np.testing.assert_allclose(table, np.corrcoef(X.T), atol=atol)
        np.testing.assert_allclose(columns.scores(v), plain.scores(v), atol=atol)
        for own, want in zip(*(c.partners(range(6), .1) for c in (columns, plain)), strict=True):
            assert own[0].tolist() == want[0].tolist()
            np.testing.assert_allclose(own[1], want[1], atol=atol)

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
def test_large_constants_are_constants_and_hide_no_column_behind_them(store):
    "Once: 1e155 was refused when dense, taken when sparse; a small column behind more constants than a sentence names was not told"
    assert open_columns(store(np.c_[X, np.full(40, 1e155)])).constant.tolist() == [False]*6+[True]
    with pytest.raises(ValueError, match=SMALL.format(5)): open_columns(store(np.c_[np.full((40, 5), 7.), X*1e-200]))

def test_columns_are_looked_at_once(monkeypatch):
    columns, looks = as_columns(np.c_[X, np.ones(40)]), []
    monkeypatch.setattr("fsnb.data.inputs._find_underflow", lambda *given: looks.append(1) or np.zeros(0, int))
    for _ in range(3): open_columns(columns)
    as_correlation(columns).table([0, 1])
    GDM(1).fit(columns, Y)
    assert looks == [1]

def test_a_correlation_of_0_has_the_same_sign_everywhere():
    "Once: the sign of 1e-17, which differs between storages"
    A = np.c_[np.tile([1., 1, 2, 2], 10), X[:, 0]]*1e150
    signs = [correlation_with(store(A), Y)[1].tolist() for store in (np.array, sp.csc_matrix)]
    assert signs[0] == signs[1] and signs[0][0] == 1.

@pytest.mark.parametrize("form", [np.asarray, sp.csc_matrix])
def test_merged_whole_numbers_are_found_in_any_block(monkeypatch, form):
    "Blocks of two columns; the first of those that float64 merges, among others as large that it does not"
    monkeypatch.setattr(inputs, "SMALL_BLOCK", 120)
    for seed in range(40):
        r = np.random.default_rng(seed)
        X = r.integers(-3, 4, (60, 11))*(r.random(11) < .7)
        X[:, r.integers(11)] = 2**60                                     # one value: nothing is merged
        wrong = np.flatnonzero(r.random(11) < .2)
        X[:, wrong] = (-1)**seed*(2**53+np.arange(60) % 2)[:, None]
        found = inputs._find_merged(as_columns(form(X)), np.arange(11))
        assert found.tolist() == wrong[:1].tolist()
