"The door of all selectors: odd types, damaged matrices, missing values, lost digits; a fit that fails"
import copy, re, warnings
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fsnb import FCBF, FSIR2, GDM, MMFS, QPFS, FilterBruteForce
from fsnb.data.inputs import as_columns
from fsnb.filters import Discretizer
from fsnb.gdm import GDMCV, OneClassGDM

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("error::RuntimeWarning")]
RNG = np.random.default_rng(0)
X = np.round(2*RNG.standard_normal((60, 8)))
X[:, 3] = X[:, 0]+np.round(RNG.standard_normal(60)/2)
Y = (X[:, 0]+X[:, 1]+RNG.standard_normal(60) > 0)*1
NAMES = list("abcdefgh")
ALL = {"GDM": GDM(3), "cut": GDM(2, mode="cut"), "FilterBruteForce": FilterBruteForce(3), "FCBF": FCBF(), "QPFS": QPFS(3), "MMFS": MMFS(3),
       "MMFS su": MMFS(3, relevance="su"), "SU": GDM(3, correlation="su"), "FSIR2": FSIR2(3), "GDMCV": GDMCV(3, cv=2), "OneClassGDM": OneClassGDM(3)}
every = pytest.mark.parametrize("model", ALL.values(), ids=ALL.keys())
FEW = {name: ALL[name] for name in ("GDM", "FCBF", "MMFS su", "FSIR2")}
few = pytest.mark.parametrize("model", FEW.values(), ids=FEW.keys())


def fitted(model, X=X, y=Y): return copy.deepcopy(model).fit(X, y)


def foreign(X, dtype):
    "CSC whose values stand in another type than scipy makes"
    S = sp.csc_matrix(X)
    S.data = S.data.astype(dtype)
    return S


# ---- types that no kernel reads

@every
@pytest.mark.parametrize("dtype", ["f2", ">f2", ">f4", ">f8", ">i2", ">i4", ">i8", "longdouble"])
def test_foreign_types_answer_as_plain_ones(model, dtype):
    "Once: float16 and big-endian numbers reached numba"
    want = fitted(model).support_.tolist()
    locked = X.astype(dtype)
    locked.flags.writeable = False
    for given in (locked, np.asfortranarray(X).astype(dtype), foreign(X, dtype), sp.csr_matrix(X).astype(np.float32)):
        got = fitted(model, given)
        assert got.support_.tolist() == want
        if hasattr(got, "predict"): np.testing.assert_array_equal(got.predict(given), got.predict(X))
        kept = got.transform(given)
        np.testing.assert_array_equal(kept.toarray() if sp.issparse(kept) else kept, X[:, np.sort(want)])


def test_the_discretizer_reads_them_too():
    S = sp.csc_matrix(X)
    twice = sp.csc_matrix((np.repeat(S.data/2, 2), np.repeat(S.indices, 2), 2*S.indptr), S.shape)
    for method in ("mdl", "width", "frequency"):
        want = Discretizer(method).fit(X, Y)
        for given in (X.astype("f2"), X.astype(">f8")): np.testing.assert_array_equal(Discretizer(method).fit(given, Y).transform(given), want.transform(X))
        want = Discretizer(method).fit(S, Y).transform(S).toarray()
        for given in (foreign(X, ">f4"), twice): np.testing.assert_array_equal(Discretizer(method).fit(given, Y).transform(given).toarray(), want)


# ---- what is wrong is named by its column

def frame(**changes): return pd.DataFrame(X, columns=NAMES).assign(**changes)


WRONG = [
    (np.where(X == X[0, 0], np.nan, X), r"Input X contains NaN: \d+ missing values in \d columns?: [0-7]"),
    (frame(b=np.nan), "Input X contains NaN: 60 missing values in 1 column: b; impute or drop them$"),
    (frame(c=pd.array([None]+[1]*59, dtype="Int64")), "1 missing value in 1 column: c"),
    (sp.csr_matrix(np.where(np.arange(8) == 5, np.inf, X)), "contains infinity: 60 infinite values in 1 column: 5"),
    (X.astype("longdouble")*np.longdouble("1e1000"), "contains infinity"),
    (frame(d="m"), "column d holds 'm': could not convert string to float"),
    (np.where(np.arange(8) == 2, "x", X.astype(object)), "column 2 holds 'x'"),
    (frame(e=pd.Series([10**400]*60, dtype=object)), "column e holds 1000"),
    (frame(e=[{}]*60), r"column e holds \{\}"),
    (frame(f=pd.Timestamp("2020")), "column f has type datetime64"),
    (frame(f=pd.Timedelta("1D")), "column f has type timedelta64"),
    (frame(g=pd.Categorical([1, 2]*30)), "column g has type category"),
    (frame().rename(columns={"h": "a"}), "X must have columns of different names, but 2 are called 'a'"),
    (np.ma.array(X, mask=X > 3), "X must have no masked entries"),
    (X.astype("m8[s]"), "X must hold numbers, got an array of type timedelta64"),
    (X.tolist()[:-1]+[[1, 2]], "^X: "),
    (X*1j, "Complex data not supported"),
    (X[:, :, None], "X"),
]


@few
@pytest.mark.parametrize("given, told", WRONG, ids=[told for _, told in WRONG])
def test_what_is_wrong_is_named(model, given, told):
    model = fitted(model)
    before = dict(vars(model))
    with pytest.raises((TypeError, ValueError), match=told): copy.deepcopy(model).fit(given, Y)
    for ask in [model.transform]+([model.predict] if hasattr(model, "predict") else []):
        with pytest.raises((TypeError, ValueError), match=told): ask(given)
    assert vars(model).keys() == before.keys()


def test_polars():
    pl = pytest.importorskip("polars")
    good = pl.DataFrame(X, schema=NAMES)
    assert fitted(GDM(3), good).support_.tolist() == fitted(GDM(3)).support_.tolist()
    lazy = good.lazy().with_columns(pl.col("b")*2)
    model = fitted(GDM(3), lazy)
    assert model.support_.tolist() == fitted(GDM(3)).support_.tolist() and list(model.feature_names_in_) == NAMES
    assert model.score(lazy, pl.Series(Y)) == model.score(lazy.collect(), Y)
    assert np.array_equal(model.transform(lazy), model.transform(lazy.collect()))
    for given, told in ((good.lazy().with_columns(c=pl.lit(None)), "60 missing values in 1 column: c"), (good.with_columns(b=pl.lit("m")), "column b holds 'm'"),
                        (good.with_columns(b=pl.date(2020, 1, 1)), "column b has type Date"), (good.with_columns(c=pl.lit(None)), "60 missing values in 1 column: c"),
                        (good.with_columns(b=pl.Series(["u", "v"]*30, dtype=pl.Categorical)), "column b has type Categorical")):
        with pytest.raises(ValueError, match=told): fitted(GDM(3), given)


def test_arrow():
    pa = pytest.importorskip("pyarrow")
    good = pa.Table.from_arrays([pa.array(x) for x in X.T], NAMES)
    labels = np.where(Y == Y[0], "u", "v")
    for y in (pa.array(labels.tolist()), pa.chunked_array([labels[:7].tolist(), labels[7:].tolist()]), pa.array(labels.tolist()).dictionary_encode()):
        model = GDM(3).fit(good, y)
        assert model.support_.tolist() == GDM(3).fit(X, labels).support_.tolist()
        assert model.groups_.names == [[NAMES[j] for j in m] for m in model.groups_]
        assert model.score(good, y) == GDM(3).fit(X, labels).score(X, labels)
        assert np.array_equal(model.transform(good), X[:, sorted(model.support_)])
    for given, told in ((good.set_column(1, "b", pa.array(["m"]*60)), "column b holds 'm'"), (good.set_column(2, "c", pa.nulls(60, "f8")), "60 missing values in 1 column: c"),
                        (good.set_column(1, "b", pa.array([0]*60, pa.date32())), "column b has type date32"),
                        (good.set_column(1, "b", pa.array(["u", "v"]*30).dictionary_encode()), "column b has type dictionary"),
                        (good.rename_columns(["h", *NAMES[1:]]), "X must have columns of different names, but 2 are called 'h'")):
        with pytest.raises(ValueError, match=told): fitted(GDM(3), given)


def test_names_that_are_no_text():
    years = pd.DataFrame(X, columns=range(1990, 1998))
    assert fitted(GDM(3), years).groups_.names[0][0] in map(str, years.columns)
    two = pd.DataFrame(X, columns=pd.MultiIndex.from_product([["u", "v"], [1, 2, 3, 4]]))
    assert fitted(GDM(3), two).groups_.names[0][0].startswith("('")
    assert fitted(GDM(3), pd.DataFrame(X)).groups_.names is None
    with pytest.warns(UserWarning, match="constant column is never selected: 1993"): fitted(GDM(3), years.assign(**{"x": 1}).set_axis([*range(1990, 1998), 1993.5], axis=1))


# ---- damaged matrices

DAMAGE = {
    "index too large": lambda S: S.indices.__setitem__(3, 1000), "index far too large": lambda S: S.indices.__setitem__(3, 2**31-1),
    "index negative": lambda S: S.indices.__setitem__(3, -1), "begins late": lambda S: S.indptr.__setitem__(0, 2),
    "falls": lambda S: S.indptr.__setitem__(2, 10**6), "ends late": lambda S: S.indptr.__setitem__(-1, 10**6),
    "negative": lambda S: S.indptr.__setitem__(1, -5), "too few values": lambda S: setattr(S, "data", S.data[:-4]),
    "too few indices": lambda S: setattr(S, "indices", S.indices[:-4]), "too few beginnings": lambda S: setattr(S, "indptr", S.indptr[:-1])}


@few
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("kind", [sp.csc_matrix, sp.csr_matrix, sp.csc_array])
def test_damaged_matrices_are_refused(model, damage, kind):
    "Once: the process ended"
    model, S = fitted(model), kind(X)
    damage(S)
    for ask in (lambda S: copy.deepcopy(model).fit(S, Y), model.transform, as_columns):
        with pytest.raises(ValueError, match=f"X is a damaged {S.format.upper()} matrix: its ind"): ask(S)


def test_other_damage():
    S = sp.coo_matrix(X)
    S.coords[0][0] = 1000
    with pytest.raises(ValueError, match=r"damaged COO matrix: its coords\[0\] must lie in \[0, 60\), got 1000"): as_columns(S)
    B = sp.bsr_matrix(X, blocksize=(2, 2))
    np.testing.assert_array_equal(as_columns(B).whole().toarray(), X)
    B.indices[0] = 99
    with pytest.raises(ValueError, match=r"damaged BSR matrix: its indices must lie in \[0, 4\), got 99"): as_columns(B)
    roomy = sp.csc_matrix(X)
    roomy.data, roomy.indices = np.r_[roomy.data, 9, 9], np.r_[roomy.indices, 3, 3]
    columns = as_columns(roomy)
    np.testing.assert_allclose(columns.moments()[1], X.std(0)); assert len(columns.whole().data) == roomy.indptr[-1]


def test_flags_that_lie_are_not_believed():
    S = sp.csc_matrix(X)
    twice = sp.csc_matrix((np.repeat(S.data/2, 2), np.repeat(S.indices, 2), 2*S.indptr), S.shape)
    twice.has_canonical_format = True
    np.testing.assert_allclose(as_columns(twice).moments()[1], X.std(0))


# ---- digits that are lost

@pytest.mark.parametrize("kind", [np.array, sp.csc_matrix, sp.csr_matrix])
def test_lost_digits_are_refused_by_column(kind):
    "Once: a gap that is not finite, and correlations of .92 for .97"
    Z = RNG.standard_normal((60, 4))
    y = (Z[:, 0] > 0)*1
    for name, model in ALL.items():
        if name == "FCBF": continue                       # it cuts columns, and subtracts nothing
        for shift, told in ((1e14, "column 2 lies too far from zero: subtract its mean first"), (3e16, "column 2")):
            with pytest.raises(ValueError, match=told): copy.deepcopy(model).set_params(n_features_to_select=1).fit(kind(Z+[0, 0, shift, 0]), y)
        assert np.isfinite(getattr(copy.deepcopy(model).set_params(n_features_to_select=1).fit(kind(Z+1e6), y), "gap_", 0))
    hidden = np.c_[np.full((60, 6), 7.), Z]                   # more constants before it than a sentence names
    hidden[:, 5] = Z[:, 0]*1e-200
    with pytest.raises(ValueError, match="vary by more than float64 can square, but column 5"): GDM(1).fit(kind(hidden), y)



def test_a_large_constant_is_a_constant_in_both_storages():
    "Once: refused when dense, taken when sparse"
    Z = np.c_[X, np.full(60, 1e155)]
    for given in (Z, sp.csc_matrix(Z)):
        with pytest.warns(UserWarning, match="1 constant column is"): assert fitted(GDM(3), given).support_.tolist() == fitted(GDM(3)).support_.tolist()


# ---- a fit that ends early

SHORT = X[:, :6]


@every
def test_a_fit_that_fails_leaves_no_old_selection_beside_new_data(model):
    "Once: an old selection stood beside a new n_features_in_"
    model = fitted(model)
    for wrong in (SHORT*np.nan, SHORT*0, SHORT[:1]):
        with pytest.raises(ValueError): model.fit(wrong, Y[:len(wrong)])
        assert not hasattr(model, "support_")
    assert model.fit(SHORT, Y).n_features_in_ == 6 and model.transform(SHORT).shape[1] == len(model.support_)


def test_stale_attributes_go():
    model = fitted(GDM(2), frame())
    model.fit(X[:, :5], Y)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 5


# ---- y

@pytest.mark.parametrize("y, told", [
    (np.where(Y == 1, "a", Y.astype(object)), "y must hold labels of one kind, got int and str"), (np.where(Y == 1, None, "a"), "Input y contains NaN"),
    (np.where(Y == 1, pd.NA, "a"), "Input y contains NaN"), (Y*1j, "y must be real: Complex data not supported"), (Y[:-1], "inconsistent numbers of samples|y must"),
    (np.where(Y == 1, np.nan, 1.), "y contains NaN"), ([[1]]*59+[[1, 2]], "^y: ")])
def test_targets_that_are_refused(y, told):
    for model in (GDM(2), FilterBruteForce(2), FCBF()):
        for given in (X, sp.csc_matrix(X)):
            with pytest.raises(ValueError, match=told): fitted(model, given, y)


def test_targets_of_odd_types():
    for dtype in (">i4", "f2", "longdouble", ">f8", "u1", bool):
        for model in (GDM(2), FilterBruteForce(2), FCBF(), MMFS(2)): assert fitted(model, X, Y.astype(dtype)).support_.tolist() == fitted(model).support_.tolist()
