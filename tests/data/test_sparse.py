"The screens of sparse columns miss no partner: against the plain loop over a thousand small matrices"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb.data import sparse
from fsnb.data.adapters import as_columns


def rare(seed):
    "A small sparse matrix: rare columns and full ones, signs, far means, copies, twins of one entry, stored zeros"
    r = np.random.default_rng(seed)
    n, p = int(r.integers(4, 40)), int(r.integers(3, 30))
    filled = r.random((n, p)) < r.choice([.03, .1, .3, .8], p)
    X = filled*r.choice([1, 1, 1, 2, 5], (n, p)).astype(float)
    if seed % 2: X *= r.choice([-1, 1], (n, p))
    if seed % 3 == 0: X *= r.uniform(.2, 2, (n, p))
    for _ in range(p//3):
        j, k = r.integers(p, size=2)
        X[:, j] = r.choice([-1, 1] if seed % 2 else [1])*X[:, k]
        X[r.integers(n), j] += r.integers(2)
    if seed % 5 == 0: X[:, r.integers(p)] += 30
    A = sp.csc_matrix(X)
    if seed % 4 == 0 and A.nnz: A.data[r.integers(A.nnz)] = 0      # a zero that is stored
    return A, float(r.choice([.05, .3, .5, .7, .9, 1.]))


def plain(A, threshold):
    "The partners of every column, from the whole table"
    X = A.toarray()
    centred = X-X.mean(0)
    length = np.linalg.norm(centred, axis=0)
    varies = X.max(0) > X.min(0)
    R = np.where(np.outer(varies, varies), centred.T@centred/np.where(np.outer(varies, varies), np.outer(length, length), 1), 0)
    np.fill_diagonal(R, 0)
    return R, [np.flatnonzero(np.abs(row) >= threshold-1e-10).tolist() for row in R]


def missed(seeds):
    "Columns whose partners differ from the plain ones, and partners in all"
    wrong, partners = 0, 0
    for seed in seeds:
        A, threshold = rare(seed)
        R, want = plain(A, threshold)
        for j, (k, r) in enumerate(as_columns(A).partners(list(range(A.shape[1])), threshold)):
            wrong += k.tolist() != want[j]
            partners += len(k)
            if k.tolist() == want[j]: np.testing.assert_allclose(r, R[j, k], atol=1e-9)
    return wrong, partners


@pytest.fixture
def counted(monkeypatch):
    "How often rows were counted, and how often a column was left out for sharing too few"
    tally, true = dict(counted=0, left_out=0), sparse.sharing_columns
    def note(columns, j, norm_of_largest, least, threshold):
        found = true(columns, j, norm_of_largest, least, threshold)
        if found is not None:
            tally["counted"] += 1
            order, first, _ = columns.by_count
            tally["left_out"] += len(order)-first[least]-len(found[0])
            if tally["counted"] % 50 == 0:
                stored = sp.csc_matrix((np.ones(len(columns.entries.data)), columns.entries.indices, columns.entries.indptr))
                assert found[1].tolist() == (stored[:, found[0]].T@stored[:, [j]]).toarray().ravel().tolist()
        return found
    monkeypatch.setattr(sparse, "sharing_columns", note)
    return tally


def test_partners_equal_the_plain_loop(counted):
    wrong, partners = missed(range(1000))
    print(partners, counted)
    assert wrong == 0 and partners > 10_000
    assert counted["counted"] > 5000 and counted["left_out"] > 20_000


def test_a_screen_that_asks_for_one_row_more_would_be_found_out(monkeypatch):
    true = sparse.least_shared
    monkeypatch.setattr(sparse, "least_shared", lambda *args: true(*args)+1)
    assert missed(range(100))[0] > 20


def test_a_screen_that_forgets_far_means_would_be_found_out(monkeypatch):
    true = sparse.least_shared
    monkeypatch.setattr(sparse, "least_shared", lambda norm, mean, std, farthest, threshold: true(norm, 0., std, 0., threshold))
    assert missed(range(400))[0] > 0


def test_the_index_by_rows_holds_every_entry():
    for seed in range(50):
        A, _ = rare(seed)
        columns = as_columns(A)
        order = columns.by_count[0]
        start, of_row = columns.row_index
        stored = columns.whole().tocoo()
        for i in range(A.shape[0]):
            own = of_row[start[i]:start[i+1]]
            assert (np.diff(own) > 0).all()                      # by count, so that the rare ones come first
            assert sorted(order[own].tolist()) == sorted(stored.col[stored.row == i].tolist())
