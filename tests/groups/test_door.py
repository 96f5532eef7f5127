"The door of all selectors: odd types, damaged matrices, missing values, lost digits; a fit that fails"
import copy
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fsnb import FCBF, FSIR2, GDM, MMFS, QPFS, FilterBruteForce
from fsnb.data.inputs import as_columns
from fsnb.gdm import GDMCV, OneClassGDM

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("error::RuntimeWarning")]
RNG = np.random.default_rng(0)
X = np.round(2*RNG.standard_normal((60, 8)))
X[:, 3] = X[:, 0]+np.round(RNG.standard_normal(60)/2)
Y = (X[:, 0]+X[:, 1]+RNG.standard_normal(60) > 0)*1
NAMES = list("abcdefgh")
ALL = {"GDM": GDM(3), "cut": GDM(2, mode="cut"), "FilterBruteForce": FilterBruteForce(3), "FCBF": FCBF(), "QPFS": QPFS(3), "MMFS": MMFS(3),
       "MMFS su": MMFS(3, relevance="su"), "SU": GDM(3, correlation="su"), "FSIR2": FSIR2(3), "GDMCV": GDMCV(3, cv=2), "OneClassGDM": OneClassGDM(3)}
FEW = {name: ALL[name] for name in ("GDM", "FCBF", "MMFS su", "FSIR2")}
few = pytest.mark.parametrize("model", FEW.values(), ids=FEW.keys())


def fitted(model, X=X, y=Y): return copy.deepcopy(model).fit(X, y)


def foreign(X, dtype):
    "CSC whose values stand in another type than scipy makes"
    S = sp.csc_matrix(X)
    S.data = S.data.astype(dtype)
    return S


# ---- types that no kernel reads

@few
@pytest.mark.parametrize("dtype", ["f2", ">f8", ">i4", "longdouble"])
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


# ---- what is wrong is named by its column

def frame(**changes): return pd.DataFrame(X, columns=NAMES).assign(**changes)


WRONG = [
    (np.where(X == X[0, 0], np.nan, X), r"Input X contains NaN: \d+ missing values in \d columns?: [0-7]"),
    (frame(b=np.nan), "Input X contains NaN: 60 missing values in 1 column: b; impute or drop them$"),
    (frame(c=pd.array([None]+[1]*59, dtype="Int64")), "1 missing value in 1 column: c"),
    (sp.csr_matrix(np.where(np.arange(8) == 5, np.inf, X)), "contains infinity: 60 infinite values in 1 column: 5"),
    (X.astype("longdouble")*np.longdouble("1e1000"), "contains infinity"),
    (frame(d="m"), "X, column d: could not convert string to float: 'm'"),
    (frame(e=pd.Series([10**400]*60, dtype=object)), "X, column e: int too large"),
    (frame(e=[{}]*60), "X, column e: float"),
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


@pytest.mark.parametrize("model", [GDM(3), FCBF()], ids=["GDM", "FCBF"])
@pytest.mark.parametrize("given, told", WRONG, ids=[told for _, told in WRONG])
def test_what_is_wrong_is_named(model, given, told):
    model = fitted(model)
    before = dict(vars(model))
    with pytest.raises((TypeError, ValueError), match=told): copy.deepcopy(model).fit(given, Y)
    for ask in [model.transform]+([model.predict] if hasattr(model, "predict") else []):
        with pytest.raises((TypeError, ValueError), match=told): ask(given)
    assert vars(model).keys() == before.keys()



@pytest.mark.parametrize("kind", [np.array, sp.csc_matrix])
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
