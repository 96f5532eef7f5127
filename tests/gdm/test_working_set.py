"The working set: columns in order of arrival, dense and sparse, with covariates and with scales"
import numpy as np, pytest
from scipy import sparse

from fsnb.data.inputs import as_columns
from fsnb.gdm.working_set import WorkingSet

@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_of_full_sparse_columns_far_from_zero(n_jobs):
    "Once: they were centred by columns and added up as rows, which wrote outside of the result"
    g = np.random.default_rng(0)
    Z, v = g.standard_normal((60, 4)), g.standard_normal(60)
    known = WorkingSet(as_columns(sparse.csc_matrix(Z+1e6), n_jobs=n_jobs))
    known.add([0, 1, 3])
    assert known.rows()[0].format == "csr"
    want = ((Z-Z.mean(0))/Z.std(0))[:, [0, 1, 3]].T@v
    np.testing.assert_allclose(known.scores(v), want, rtol=1e-6)

@pytest.mark.parametrize("q", [0, 2])
@pytest.mark.parametrize("scaled", [False, True])
def test_dense_and_sparse_hold_the_same_columns_in_order_of_arrival(scaled, q):
    for seed in range(10):
        r = np.random.default_rng(seed)
        X = np.where(r.random((40, 60)) < .4, r.standard_normal((40, 60))+2, 0)
        scale = r.uniform(.5, 2, 60) if scaled else None
        Z = X/scale if scaled else (X-X.mean(0))/X.std(0)
        covariates, v, arrived = r.standard_normal((40, q)), r.standard_normal(40), []
        for store in (np.asarray, sparse.csc_matrix):
            known = WorkingSet(as_columns(store(X)), scale, None if q == 0 else covariates)
            arrived, turns = [], np.random.default_rng(seed)
            for _ in range(5):
                wanted = turns.integers(0, 60, turns.integers(0, 30)).tolist()       # some of them twice
                known.add(wanted)
                arrived += [j for j in dict.fromkeys(wanted) if j not in arrived]
                known.drop_rows()
                assert known.index[q:].tolist() == arrived
                assert all(known.index[place] == j for j, place in known.place.items())
                if arrived: np.testing.assert_allclose(known.scores(v)[q:], v@Z[:, arrived], rtol=1e-9, atol=1e-9)
