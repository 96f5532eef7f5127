"Tables of correlations against fsnb.naive"
import numpy as np, pytest, scipy.sparse as sp

from fsnb.correlation.pearson import Pearson, PositivePearson, correlation_table
from fsnb.data.inputs import as_columns
from measures import STORES, mixed

@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_short_numbers_do_not_overflow_and_no_columns_give_an_empty_table(make):
    X = np.random.default_rng(0).integers(0, 120, (200, 5))
    for dtype in (np.uint8, np.int8, np.float32):
        np.testing.assert_allclose(correlation_table(as_columns(make(X.astype(dtype))), range(5)), np.corrcoef(X.T), atol=1e-12)
    c = as_columns(make(X))
    assert correlation_table(c, []).shape == (0, 0) and correlation_table(c, [1, 2], []).shape == (2, 0)
    with pytest.raises(IndexError): correlation_table(c, [5])

@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("store", ["C", "F", "csc"])
def test_positive_equals_corrcoef_without_its_negative_values(store):
    mirrors = members = 0
    for seed in range(20):
        X, r = mixed(seed)
        p = X.shape[1]
        R = np.nan_to_num(np.corrcoef(X.T))
        R[X.max(0) == X.min(0)] = 0
        R[:, X.max(0) == X.min(0)] = 0
        m, both_signs = PositivePearson().fit(STORES[store](X)), Pearson().fit(STORES[store](X))
        np.testing.assert_allclose(m.table(range(p)), np.maximum(R, 0), atol=1e-9)
        assert (m.table(range(p)) >= 0).all() and m.table([1], []).shape == (1, 0)
        for j, threshold in enumerate(r.choice([.01, .3, .7, 1.], p)):
            k, values = m.partners(j, threshold)
            assert k.tolist() == [i for i in range(p) if i != j and R[j, i] >= threshold-1e-10]
            np.testing.assert_allclose(values, R[j, k], atol=1e-9)
            assert np.array_equal(m.p_values(j, k, values), both_signs.p_values(j, k, values))
            mirrors += (R[j] <= -threshold+1e-10).sum(); members += len(k)
        for (k, values), j in zip(m.partners(np.arange(p), .3), range(p)):
            assert k.tolist() == m.partners(j, .3)[0].tolist() and (values > 0).all()
    assert min(mirrors, members) > 60, (mirrors, members)
