"The screens of sparse columns miss no partner: against the plain loop over small matrices"
from functools import lru_cache
import numpy as np, pytest, scipy.sparse as sp

from doors import correlations
from fsnb.data import checks, sparse
from fsnb.data.inputs import as_columns

@pytest.fixture(autouse=True)
def screened(monkeypatch): monkeypatch.setattr(sparse, "_SCREENED", 0)      # at first, however small

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
    "Correlations, and the partners of every column, by the whole table"
    R = correlations(A.toarray())
    np.fill_diagonal(R, 0)
    return R, [np.flatnonzero(np.abs(row) >= threshold-1e-10).tolist() for row in R]

@lru_cache(None)
def case(seed): return *rare(seed), *plain(*rare(seed))

def missed(A, threshold, R, want, **settings):
    "Columns whose partners differ from the plain ones, and partners in all"
    found = as_columns(A, **settings).partners(list(range(A.shape[1])), threshold)
    right = [k.tolist() == want[j] for j, (k, _) in enumerate(found)]
    for j, (k, r) in enumerate(found):
        if right[j]: np.testing.assert_allclose(r, R[j, k], atol=1e-9)
    return right.count(False), sum(len(k) for k, _ in found)

def test_partners_equal_the_plain_loop():
    wrong, partners = np.sum([missed(*case(seed)) for seed in range(300)], axis=0)
    assert wrong == 0 and partners > 3000

def test_the_screen_leaves_few_and_all_partners():
    left, pairs = 0, 0
    for seed in range(100):
        A, threshold, _, partners = case(seed)
        columns = as_columns(A)
        for j, want in enumerate(partners):
            passed = columns.screen(j, threshold)
            assert set(want) <= set(passed.tolist()) and (np.diff(passed) > 0).all()
            left, pairs = left+len(passed), pairs+A.shape[1]
    assert left < .5*pairs

@pytest.mark.parametrize("signed", [False, True])
def test_long_columns(signed):
    r = np.random.default_rng(3+signed)
    base = (r.random((3000, 40)) < r.uniform(.05, .5, 40))*(r.poisson(1, (3000, 40))+1.)
    if signed: base *= r.choice([-1, 1], base.shape)
    near = base*(r.random(base.shape) < .85)
    A = sp.csc_matrix(np.hstack([base, near, base[:, :5]+base[:, 5:10]]))
    assert (np.diff(A.indptr) > 256).sum() > 40
    found = [missed(A, t, *plain(A, t), n_jobs=2) for t in (.1, .5, .8)]
    assert [wrong for wrong, _ in found] == [0, 0, 0] and found[-1][1] >= 50

# ---- an index of rows

def index_of(columns): return sparse._index_rows(*columns.entries.arrays[1:], columns.n_samples)

def with_special_columns(seed):
    "A small matrix of this file, with columns of one entry, full ones, a constant, duplicate rows and stored zeros; some in int8"
    A, threshold = rare(seed)
    n, r = A.shape[0], np.random.default_rng(seed)
    one = np.zeros((n, 2))
    one[r.integers(n), 0], one[r.integers(n), 1] = 1, 3
    full = np.column_stack([np.ones(n), 5+r.integers(1, 4, n), np.arange(n) % 2+1])
    X = np.vstack([np.hstack([A.toarray(), one, full])]*(1+seed % 3))
    kind = (np.float64, np.float32, np.int8)[seed % 3]
    B = sp.csc_matrix(np.clip(np.round(4*X) if kind is np.int8 else X, -100, 100).astype(kind))
    B.data[r.integers(B.nnz, size=2)] = 0
    return B, threshold

def test_an_index_of_rows_finds_the_partners_of_the_screen_to_the_last_bit(monkeypatch):
    found = 0
    for seed in range(200):
        A, threshold = with_special_columns(seed)
        columns, asked = as_columns(A), list(range(A.shape[1]))
        for t in (threshold, 1e-10, 0.):
            monkeypatch.setattr(sparse, "_find_index", lambda *_: None)
            screened = columns.partners(asked, t)
            monkeypatch.setattr(sparse, "_find_index", lambda columns, _: index_of(columns))
            for (k, r), (k_index, r_index) in zip(screened, columns.partners(asked, t), strict=True):
                assert np.array_equal(k, k_index) and np.array_equal(r, r_index)
                found += len(k)
        assert missed(A.astype(float), threshold, *plain(A.astype(float), threshold))[0] == 0
    assert found > 50_000

def test_an_index_leaves_few(monkeypatch):
    left, pairs = 0, 0
    for seed in range(100):
        A, threshold = rare(seed)
        columns = as_columns(A)
        supports = sparse._read_supports(columns, range(A.shape[1]))[:64]
        which = sparse._screened_pairs(columns, supports, threshold, index_of(columns))(0, A.shape[1])
        left, pairs = left+sum(len(k) for _, k in which), pairs+len(supports)*A.shape[1]
    assert left < .5*pairs

def test_rows_are_indexed_where_it_pays_and_memory_allows(monkeypatch):
    A = sp.random(50, 400, .1, "csc", random_state=0)
    used = []
    search = sparse._search_index
    monkeypatch.setattr(sparse, "_search_index", lambda *args: used.append(1) or search(*args))
    def passes_with_index(X, asked, times=12):
        columns = as_columns(X)
        used.clear()
        for _ in range(times): columns.partners(asked, .5)
        return len(used), columns._rows is not None
    assert passes_with_index(A, [1, 2]) == (12-sparse._SCREENED_FIRST, True)
    assert passes_with_index(A, [1, 2], sparse._SCREENED_FIRST) == (0, False)
    monkeypatch.setattr(sparse, "_SCREENED", 1 << 20)
    assert passes_with_index(A, [1, 2], 1) == (1, True)                         # small: at once
    monkeypatch.setattr(sparse, "_SCREENED", 0)
    assert passes_with_index(A, list(range(64))) == (0, False)                  # together they are too full
    assert passes_with_index(A[:, :5], [1, 2]) == (0, False)                    # an index would be larger than X
    monkeypatch.setattr(sparse, "_MOST_INDEXED", 1000)
    assert passes_with_index(A, [1, 2]) == (0, False)
    index = index_of(as_columns(A))
    assert sum(x.nbytes for x in index) == 4*A.nnz+4*400+16*50+24

# ---- many vectors

@pytest.mark.parametrize("dtype", [np.float64, np.int8])
def test_ranges_of_a_pass_cover_all_and_threads_and_other_vectors_change_no_bit(monkeypatch, dtype):
    monkeypatch.setattr(checks, "_WORTH_A_THREAD", 1)
    A = sp.hstack([sp.random(60, 300, .2, "csc", random_state=0), sp.csc_matrix((60, 50))], format="csc")
    A.data = (100*A.data-50).astype(dtype)
    one, many = as_columns(A), as_columns(A, n_jobs=3)
    seen = []
    many.run(lambda lo, hi: seen.append((lo, hi)))
    seen.sort()
    assert len(seen) == 12 and seen[0][0] == 0 and seen[-1][1] == 350
    assert all(a[1] == b[0] for a, b in zip(seen, seen[1:]))
    V = np.random.default_rng(0).standard_normal((60, 33))
    for ask in (lambda c: c.moments(), lambda c: c.scores(V), lambda c: c.scores(V[:, 0]), lambda c: c.peaks(V),
                lambda c: c.weighted_moments(V[:, 0]**2+1), lambda c: c.combine(np.arange(350.)),
                lambda c: c.correlations([3, 5, 340]), lambda c: c.dot(V),
                lambda c: [*map(np.concatenate, zip(*c.partners(range(350), .2)))]):
        np.testing.assert_array_equal(ask(one), ask(many))
    for columns in (one, many):
        alone = np.column_stack([columns.dot(v) for v in V.T])
        for m, order in ((0, "C"), (1, "F"), (33, "C"), (33, "F")):
            assert np.array_equal(columns.dot(np.asarray(V[:, :m], order=order)), alone[:, :m])

# ---- the arrays

def test_more_entries_than_int32_can_count(tmp_path):
    nnz, n = 2**31+6, 2**20                          # a file with holes: no disk is used
    indices = np.memmap(tmp_path/"indices", np.int32, "w+", shape=(nnz,))
    indices[-4:] = [1, 5, 2, n-1]
    indptr = np.r_[0, nnz-4, nnz-2, nnz]
    columns = sparse.SparseColumns(sparse.StoredEntries(np.broadcast_to(np.int8(2), nnz), indices, indptr, (n, 3)))
    taken = columns.take([2, 1])
    assert taken.nnz == 4 and taken.indices.tolist() == [2, n-1, 1, 5] and taken.data.tolist() == [2]*4
    assert columns.n_bytes == indices.nbytes+8*4+1

def test_arrays_that_do_not_belong_together_are_refused():
    A = sp.random(9, 5, .5, "csc", random_state=0)
    wrong = (A.data[1:], A.indptr, 9), (A.data, A.indptr[1:], 9), (A.data, A.indptr, 2**31)
    for data, indptr, n in wrong:
        with pytest.raises(ValueError, match="6 pointers|fewer than 2"):
            sparse.StoredEntries(data, A.indices, indptr, (n, 5))
