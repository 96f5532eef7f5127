"Columns: every storage, dtype and order against the plain loops of fsnb.naive"
import math
import numpy as np, pandas as pd, polars as pl, pytest, scipy.sparse as sp

from doors import peak_of
import fsnb.data.columns as dense_module
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.data.columns import Columns, DenseColumns, _memory_blocks
from fsnb.data.checks import SLACK
from fsnb.data.genotypes import GenotypeColumns, pack_calls
from fsnb.data.sparse import SparseColumns
from fsnb.data.twins import find_duplicates

DTYPES = (np.float16, np.float32, np.float64, np.int8, np.int64, np.uint16, bool)

def strided(X):
    "The same numbers in every third row and every second column, from right to left"
    big = np.zeros((3*X.shape[0], 2*X.shape[1]), dtype=X.dtype)
    big[::3, ::-2] = X
    return big[::3, ::-2]

DENSE = {"C": np.ascontiguousarray, "F": np.asfortranarray, "strided": strided,
         "rows of F": lambda X: np.asfortranarray(np.r_[X, X])[:len(X)], "reversed": lambda X: X[::-1].copy()[::-1]}
SPARSE = {"csc": sp.csc_matrix, "csr": sp.csr_matrix, "coo": sp.coo_matrix, "csc_array": sp.csc_array,
          "csr_array": sp.csr_array, "lil": sp.lil_matrix}
STORES = DENSE | SPARSE

def pearson(X):
    "All correlations by naive, 0 where a column is constant"
    return np.nan_to_num([[naive.pearson(a, b) for b in X.T] for a in X.T])

def exact_moments(X):
    "Mean and deviation by exact sums"
    mean = [math.fsum(map(float, x))/len(x) for x in X.T]
    return np.array(mean), np.array([math.sqrt(math.fsum((float(a)-m)**2 for a in x)/len(x)) for x, m in zip(X.T, mean)])

def sample(seed, dtype=np.float64, n=None, p=None):
    "A small matrix with signs, ties, duplicates, mirror images, a constant and an empty column"
    r = np.random.default_rng(seed)
    n, p = n or int(r.integers(2, 25)), p or int(r.integers(1, 12))
    if np.dtype(dtype).kind == "f" and seed % 2: X = r.standard_normal((n, 2))@r.standard_normal((2, p))+.5*r.standard_normal((n, p))
    else: X = r.integers(0 if np.dtype(dtype).kind in "ub" else -3, 2 if dtype is bool else 4, (n, p))*(r.random((n, p)) < r.uniform(.2, 1))
    if p > 3:
        X[:, p-1], X[:, p-2], X[:, p-3] = X[:, 0], 0, 1
        if np.dtype(dtype).kind in "if": X[:, p//2-1] = -X[:, 0]
    return X.astype(dtype), r

def check(columns, X, v, j, threshold, tol=1e-9):
    "Everything that columns answer about X, against naive"
    X = np.asarray(X).astype(np.float64)
    n, p = X.shape
    R = pearson(X)
    varies = X.max(0) > X.min(0)
    assert columns.shape == (columns.n_samples, columns.n_features) == (n, p)
    np.testing.assert_allclose(columns.moments(), np.where([varies*0 == 0, varies], exact_moments(X), 0), rtol=1e-12, atol=tol)
    assert columns.constant.dtype == bool and (columns.constant == ~varies).all()
    s = columns.scores(v)
    assert s.dtype == np.float64 and s.shape == (p,) and (s[~varies] == 0).all()
    np.testing.assert_allclose(s, naive.scores(X, v), atol=tol*10)
    V = np.c_[v, v**2, np.sign(v)]
    want = np.transpose([naive.scores(X, v) for v in V.T])
    for w, z in ((V, want), (V[:, 1], want[:, 1])): np.testing.assert_allclose(columns.scores(w), z, atol=tol*10)
    np.testing.assert_allclose(columns.peaks(V), np.abs(columns.scores(V)).max(0), atol=tol)
    peaks = columns.peaks(V.astype(np.float32))
    np.testing.assert_allclose(peaks, columns.peaks(V), rtol=1e-5, atol=1e-5)
    c = columns.correlations(j)
    assert c.dtype == np.float64 and c.shape == (p,) and (np.abs(c) <= 1).all() and (c[~varies] == 0).all()
    np.testing.assert_allclose(c, R[j], atol=tol)
    np.testing.assert_allclose(columns.correlations([j, 0]), R[[j, 0]].T, atol=tol)
    asked = [*range(p), j, 0, j]
    everyone = columns.partners(asked, threshold)
    for i, (k, r) in zip([*asked, j], [*everyone, columns.partners(j, threshold)], strict=True):
        want = [q for q in range(p) if q != i and abs(R[i, q]) >= threshold-SLACK]
        assert k.tolist() == want and k.dtype == np.int64 and r.dtype == np.float64
        np.testing.assert_allclose(r, R[i, want], atol=tol)
    assert columns.partners([], threshold) == [] and columns.correlations([]).shape == (p, 0)
    w, u = np.linspace(-1, 2, p), np.abs(v)+.1
    np.testing.assert_allclose(columns.combine(w), X@w, atol=tol)
    np.testing.assert_allclose(columns.dot(v), X.T@v, atol=tol)
    centre = u@X/u.sum()
    weighted = centre, u@np.square(X-centre)
    np.testing.assert_allclose(columns.weighted_moments(u), weighted, atol=tol)
    few = [j, 0]
    taken = columns.take(few)
    np.testing.assert_array_equal(taken.toarray() if sp.issparse(taken) else taken, X[:, few])
    z = columns.standardized(few)
    assert z.dtype == np.float64 and isinstance(z, np.ndarray)
    np.testing.assert_allclose(z*columns.moments()[1][few], np.where(varies[few], X[:, few]-X[:, few].mean(0), 0), atol=tol)

# ---- dense equals sparse equals naive

@pytest.mark.parametrize("store", STORES)
def test_every_storage_and_dtype_equals_naive(store):
    "Three types a storage, in turn: every type meets several storages of either kind"
    kinds = [dtype for dtype in DTYPES if store in DENSE or dtype is not np.float16]
    at = list(STORES).index(store)
    shapes = [{}, dict(n=2, p=3), dict(n=40, p=1)]
    for seed, (shape, dtype) in enumerate(zip(shapes, 3*(kinds[at % 4:]+kinds[:at % 4]))):
        X, r = sample(seed, dtype, **shape)
        check(as_columns(STORES[store](X)), X, r.standard_normal(len(X)), int(r.integers(X.shape[1])), r.uniform(.1, 1))

@pytest.mark.parametrize("dtype, order", [(np.float64, "C"), (np.float32, "F"), (np.int32, "C")])
def test_several_blocks_equal_one(dtype, order, monkeypatch):
    "Small blocks: rows, or columns, in many slices, the last one short"
    X = np.array(np.random.default_rng(0).integers(-9, 10, (37, 13)), dtype=dtype, order=order)
    X[:, 4] = 3*X[:, 1]
    for size in (1, 50, 37*5):
        monkeypatch.setattr(dense_module, "_memory_blocks", lambda X, _, size=size: _memory_blocks(X, size))
        assert len(_memory_blocks(X, size)) > 2
        check(DenseColumns(X), X, np.random.default_rng(1).standard_normal(37), 3, .3, tol=1e-11)

# ---- sparse matters

def test_the_users_matrix_is_not_changed():
    "And what need not be copied is not"
    X, r = sample(1)
    for store in STORES:
        A = STORES[store](X)
        parts = [getattr(A, name, None) for name in ("data", "indices", "indptr")]
        if store in DENSE: parts = [A]
        parts = [part for part in parts if part is not None and part.dtype != object]
        before = [part.copy() for part in parts]
        for part in parts: part.flags.writeable = False
        c = as_columns(A)
        c.scores(r.standard_normal(len(X)))
        c.partners(list(range(X.shape[1])), .5)
        c.correlations(0)
        for own, old in zip(parts, before): np.testing.assert_array_equal(own, old)
    for D in (X, np.asfortranarray(X), X.astype(np.float32), X[:, ::2], X > .5):
        assert np.shares_memory(as_columns(D).X, D)
    S = sp.random(30, 8, .3, "csc", random_state=0)
    c = as_columns(S)
    W, held = c.whole(), c.entries
    for own in (W.data, held.data): assert np.shares_memory(own, S.data)
    for own in (W.indices, held.indices): assert np.shares_memory(own, S.indices)
    assert as_columns(c) is c

# ---- numbers that are hard to sum

@pytest.mark.parametrize("value, n", [(.1, 6000), (1e9+.1, 7), (1e-300, 6000), (-1e100, 7)])
def test_constants_are_constant_to_the_bit(value, n):
    r = np.random.default_rng(0)
    X = np.c_[np.full(n, value), r.standard_normal(n), np.full(n, value)]
    for make in (np.asarray, np.asfortranarray, sp.csc_matrix, strided):
        c = as_columns(make(X))
        assert c.constant.tolist() == [True, False, True]
        assert c.scores(r.standard_normal(n))[[0, 2]].tolist() == [0, 0]
        assert c.correlations([0, 1])[[0, 2]].tolist() == [[0, 0], [0, 0]] and not c.correlations(0).any()
        assert (c.standardized([0, 2]) == 0).all()
        assert [len(k) for k, _ in c.partners([0, 1, 2], .01)] == [0, 0, 0] and not len(c.partners(0, .01)[0])
        for same, step in ((1., 2e-16), (1e9, 2e-7), (.1, 1e-15), (0., 1e-100)):
            A = np.full((9, 2), same)                        # a column that hardly varies
            A[4, 1] += step
            assert as_columns(make(A)).constant.tolist() == [True, False]

@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, bool])
def test_dense_moments_are_the_same_bits_in_any_order(dtype):
    for shape in ((2, 1), (700, 40), (3, 5000), (40_000, 2)):
        r = np.random.default_rng(shape)
        X = (30*r.standard_normal(shape)).astype(np.int8).astype(dtype)
        if np.dtype(dtype).kind == "f": X += r.random(shape).astype(dtype)
        ways = X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], np.repeat(X, 2, axis=0)[::2]
        first, *others = (as_columns(way).moments() for way in ways)
        for other in others:
            for a, b in zip(first, other): assert a.tobytes() == b.tobytes()
        want = X.mean(0, dtype=np.float64), X.astype(np.float64).std(0)
        np.testing.assert_allclose(first, want, rtol=1e-12, atol=1e-12)

# ---- partners

def ties():
    "Columns of -1 and +1 whose correlations with the first are exactly 0, 1/4, 1/2, 3/4, 1 and their negatives"
    import scipy.linalg
    H = scipy.linalg.hadamard(16)[:, 1:].astype(float)
    out = [H[:, 0]]
    for r in (0, .25, .5, .75, 1):
        q = H[:, 0].copy()
        for sign in (1, -1): q[np.flatnonzero(H[:, 0] == sign)[:round(4*(1-r))]] *= -1
        out += [q, -q]
    return np.array(out).T

@pytest.mark.parametrize("dtype", [np.float64, np.int8])
@pytest.mark.parametrize("store", ["C", "csc"])
def test_a_correlation_at_the_threshold_counts(store, dtype):
    X = ties()
    want = np.r_[1, np.repeat([0, .25, .5, .75, 1], 2)]
    np.testing.assert_allclose(np.abs(np.corrcoef(X.T)[0]), want, atol=1e-15)
    for offset, factor in ((0, 1), (3, 1), (-1, 7)):
        c = as_columns(STORES[store]((factor*X+offset).astype(dtype)))
        for t in (.25, .5, .75, 1):
            for threshold, least in ((t, t), (t+.5*SLACK, t), (t+3*SLACK, t+.1), (t-3*SLACK, t)):
                exact = [k for k in range(1, 11) if want[k] >= least]
                for k, r in (c.partners(0, threshold), c.partners([0], threshold)[0], *c.partners([0]*9, threshold)):
                    assert k.tolist() == exact
                    np.testing.assert_allclose(np.abs(r), want[exact], atol=1e-12)

@pytest.mark.parametrize("dtype, order, shift", [
    (np.float32, "C", 60), (np.float32, "F", 0), (np.uint8, "C", 0), (np.uint8, "F", 60)])
def test_single_precision_finds_what_float64_finds(dtype, order, shift, monkeypatch):
    r = np.random.default_rng(shift)
    f = r.standard_normal((160, 8))
    X = f[:, r.integers(8, size=150)]*r.choice([-1, 1], 150)+r.uniform(0, 1.5, 150)*r.standard_normal((160, 150))
    if np.dtype(dtype).kind in "iu": X = np.clip(np.rint(4*X), -50, 50)+50
    X = np.asarray(X+shift, dtype=dtype, order=order)
    c = DenseColumns(X)
    used, close = [], dense_module._find_close
    monkeypatch.setattr(dense_module, "_find_close", lambda *a: used.append(1) or close(*a))
    R = np.corrcoef(X.T.astype(np.float64))
    for threshold in (.02, .3, .7, .9, 1, *np.abs(R[3, 5:15])):
        everyone = c.partners(range(150), threshold)
        exact = Columns.partners(c, range(150), threshold)
        assert len(everyone) == 150
        for (a, ra), (b, rb), q in zip(everyone, exact, R):
            assert a.tolist() == b.tolist()
            np.testing.assert_allclose(ra, rb, atol=1e-12)
            np.testing.assert_allclose(ra, q[a], atol=1e-10)
    assert used

# ---- memory

@pytest.mark.parametrize("dtype, order", [(np.float64, "C"), (np.int16, "F"), (np.float32, None)])
def test_passes_hold_far_less_than_the_matrix(dtype, order):
    "Of sparse columns a few vectors, far below even one byte a cell; of dense ones a block more"
    r, (n, p) = np.random.default_rng(0), (600, 20_000) if order else (300, 30_000)
    X = np.asarray(100*r.random((n, p)), dtype, order) if order else sp.random(
        n, p, .05, "csc", dtype, 0, lambda size: r.integers(1, 99, size))
    kind, vector, block = (DenseColumns if order else SparseColumns), 8*p, 8*(1 << 19)*bool(order)
    c, v = kind(X), r.standard_normal(n)
    c.moments(), c.partners(0, .5)
    near, X_in_bytes = 2*block+(40 if order else 12)*vector, X.nbytes if order else n*p
    for ask, most in ((lambda: kind(X).moments(), block+(8 if order else 9)*vector),
                      (lambda: c.scores(v), min(2*block+6*vector, X_in_bytes/2)),
                      (lambda: c.partners(0, .5), near),
                      (lambda: c.partners(range(c.batch), .5), near),
                      (lambda: as_columns(X, checked=True), 3*vector)):
        assert peak_of(ask, warm=True)[0] < most

# ---- what comes in

def test_frames_bring_names():
    X, own, given = np.random.default_rng(0).random((20, 3)), ["a", "b c", "ü"], ["p", "q", "r"]
    for source, names in ((pd.DataFrame(X, columns=own), own), (pl.DataFrame(X, schema=own), own),
                          (pd.DataFrame(X), None), (X, None), (sp.csc_matrix(X), None)):
        found = as_columns(source).names
        assert (found if found is None else list(found)) == names
        assert list(as_columns(source, names=given).names) == given
        with pytest.raises(ValueError, match="features, got 2"): as_columns(source, names=given[:2])

def gappy(X):
    "Genotypes with missing calls"
    return GenotypeColumns(pack_calls(np.where(np.arange(X.size).reshape(X.shape) % 4, X, np.nan)), len(X))

@pytest.mark.parametrize("store", [np.asarray, lambda X: X.astype(np.int8), sp.csc_matrix, gappy])
@pytest.mark.parametrize("n", [401, 5])
def test_vectors_of_another_length_and_columns_that_are_none_are_refused(store, n):
    "Once: kernels read and wrote what lay behind in memory"
    columns = as_columns(store(np.random.default_rng(0).integers(0, 3, (n, 7))))
    for wrong in (n-1, n+1, 0):
        for verb in (columns.dot, columns.scores, columns.weighted_moments):
            with pytest.raises(ValueError, match=rf"must have shape \({n},.*\({wrong},\)"): verb(np.ones(wrong))
    for wrong in (np.ones((1, n)), np.ones((n, 1, 1)), 1.):
        with pytest.raises(ValueError, match="v must have shape"): columns.scores(wrong)
    with pytest.raises(ValueError, match="v must have shape"): columns.peaks(np.ones((n-1, 2)))
    for wrong in (6, 8):
        with pytest.raises(ValueError, match=r"w must have shape"): columns.combine(np.ones(wrong))
    for j in (7, [0, 7]):
        for verb in (columns.correlations, lambda j: columns.partners(j, .5),
                     lambda j: columns.take(np.atleast_1d(j))):
            with pytest.raises(IndexError): verb(j)
    if hasattr(columns, "take_filled"):
        with pytest.raises(ValueError, match=r"fill must have shape \(7,\), got \(1,\)"): columns.take_filled([2], [1.])

# ---- duplicates

def brute_twins(X, signed):
    "The first column of |correlation| 1 with each, by all pairs"
    R = pearson(X) if signed else np.abs(pearson(X))
    return [next((i for i in range(j) if R[i, j] >= 1-1e-9), j) for j in range(X.shape[1])]

@pytest.mark.parametrize("signed", [False, True])
def test_duplicates_equal_all_pairs(signed):
    r = np.random.default_rng(3)
    for trial in range(12):
        n, p = int(r.integers(3, 30)), int(r.integers(2, 40))
        X = r.standard_normal((n, p)) if trial % 3 else r.integers(0, 3, (n, p)).astype(float)
        for _ in range(p//2):
            a, b = r.integers(p, size=2)
            X[:, b] = r.choice([1, -1, 2., -.5])*X[:, a]+r.choice([0, 0, 3.])
        X[:, r.integers(p)] = 4
        want = brute_twins(X, signed)
        for store in (np.asarray, sp.csc_matrix, np.float32):
            assert find_duplicates(store(X), signed).tolist() == want

def test_duplicates_among_chance_neighbours():
    "Among so many columns, some agree in one of the two random numbers by chance"
    X = np.random.default_rng(5).standard_normal((12, 120000)).astype(np.float32)
    X[:, 60000:] = -2*X[:, :60000]
    assert np.array_equal(find_duplicates(X), np.tile(np.arange(60000), 2))
