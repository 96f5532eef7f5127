"The door of all selectors: lost digits, and constants of any size"
import copy
import numpy as np
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
ALL = {"GDM": GDM(3), "cut": GDM(2, mode="cut"), "FilterBruteForce": FilterBruteForce(3), "FCBF": FCBF(), "QPFS": QPFS(3), "MMFS": MMFS(3),
       "MMFS su": MMFS(3, relevance="su"), "SU": GDM(3, correlation="su"), "FSIR2": FSIR2(3), "GDMCV": GDMCV(3, cv=2), "OneClassGDM": OneClassGDM(3)}

def fitted(model, X=X, y=Y): return copy.deepcopy(model).fit(X, y)

@pytest.mark.parametrize("dtype", ["f2", ">f8", ">i4", "longdouble"])
def test_sparse_values_of_foreign_types_are_those_of_plain_ones(dtype):
    "Once: float16 and big-endian numbers reached numba; dense ones are in tests/test_inputs.py"
    given = sp.csc_matrix(X)
    given.data = given.data.astype(dtype)
    np.testing.assert_array_equal(as_columns(given).scores(Y-.5), as_columns(sp.csc_matrix(X)).scores(Y-.5))
    assert fitted(GDM(3), given).support_.tolist() == fitted(GDM(3)).support_.tolist()

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
