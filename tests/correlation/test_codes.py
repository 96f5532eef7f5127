"Codes: NaN is one of its own"
import numpy as np, pytest, scipy.sparse as sp

from fsnb.correlation.codes import code_columns
from fsnb.data.inputs import as_columns

@pytest.mark.parametrize("how", ["mdl", "width", "frequency", "none"])
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_nan_is_a_code_of_its_own(store, how):
    "The others are coded as they are without it"
    for seed in range(6):
        r = np.random.default_rng(seed)
        X = np.round(r.standard_normal((60, 8)), 1)*(r.random((60, 8)) < .5)
        y = r.integers(0, 3, 60)
        X[r.random(X.shape) < .2] = np.nan
        codes = code_columns(as_columns(store(X), checked=True), how, 7, y, missing=True)
        for j in range(8):
            known = ~np.isnan(X[:, j])
            want = code_columns(X[known][:, [j]], how, 7, y[known]).column(0)
            got, most = codes.column(j), codes.levels[j]-1
            assert np.array_equal(got[known], want) and (got[~known] == most).all()
            assert most == want.max()+1
