"Cuts and codes: against the literal paper, and NaN as a code of its own"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.codes import code_columns, find_cuts
from fsnb.data.inputs import as_columns

def test_cuts_equal_loops():
    found = 0
    for seed in range(50):
        r = np.random.default_rng(seed)
        n, K = int(r.integers(3, 80)), int(r.integers(2, 5))
        x = np.round(r.standard_normal(n), int(r.integers(0, 3)))*(r.random(n) < r.choice([.3, 1.]))
        y = np.clip((np.abs(x)*2+r.random(n)).astype(int), 0, K-1)
        y = np.unique(y, return_inverse=True)[1]
        want = naive.mdl_cuts(x, y)
        for X in (x[:, None], sp.csc_matrix(x[:, None])):
            assert np.allclose(find_cuts(X, "mdl", labels=y)[0], want), seed
            codes = code_columns(X, "mdl", labels=y).column(0)
            assert np.array_equal(codes, np.searchsorted(want, x-1e-9))
        found += len(want)
    assert found > 25

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
