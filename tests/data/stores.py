"What the tests of stores share."
from pathlib import Path
import numpy as np, scipy.sparse as sp
from fsnb.data.store import write_store

def random_sparse(dtype=np.float64, n=40, p=60, density=.2, seed=0):
    "CSC with empty columns, full ones, and stored zeros"
    r = np.random.default_rng(seed)
    X = np.where(r.random((n, p)) < density, r.integers(1, 90, (n, p)), 0).astype(dtype)
    if np.dtype(dtype).kind in "if": X[r.random((n, p)) < .05] *= -1
    X[:, 3] = 0
    X[:, 4] = r.integers(1, 9, n)
    X = sp.csc_matrix(X)
    if X.nnz: X.data[::17] = 0
    return X

def groups_of_counts(n=60, p=24, rate=1.5):
    "Four alike in each group, one group of which tells of y"
    r = np.random.default_rng(7)
    base = r.poisson(rate, (n, p//4)).astype(np.float32)
    X = np.repeat(base, 4, axis=1)+r.poisson(rate/10, (n, p)).astype(np.float32)
    return X[:, r.permutation(p)], np.digitize(base[:, 0]-base[:, 1]+.3*r.standard_normal(n), [0])

def dense(X): return X.toarray() if sp.issparse(X) else np.asarray(X)

def bytes_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}

def same_bits(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()

def make(tmp_path, kind="sparse", **kwargs):
    X = random_sparse(np.float32)
    names, y = [f"x{j}" for j in range(60)], np.arange(40)
    return write_store(tmp_path/f"{kind}.fsnb", X if kind == "sparse" else X.toarray(), names, y, **kwargs)
