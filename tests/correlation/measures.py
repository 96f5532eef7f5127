"Stores, columns and tables that the tests of correlation share"
import numpy as np, scipy.sparse as sp


STORES = {"C": np.asarray, "F": np.asfortranarray, "csc": sp.csc_matrix, "csr": sp.csr_matrix,
          "float32": lambda X: X.astype(np.float32), "sparse int8": lambda X: sp.csc_matrix(X.astype(np.int8))}

def mixed(seed):
    "Whole or continuous numbers, ties, zeros, signs, a constant, a copy with other names, a mirror image"
    r = np.random.default_rng(seed)
    n, p = int(r.integers(2, 50)), int(r.integers(4, 9))
    X = r.integers(-3 if seed % 2 else 0, 4, (n, p)).astype(float) if seed % 3 else r.standard_normal((n, p))
    X *= r.random((n, p)) < r.uniform(.1, 1)
    X[:, 0] = seed % 2
    X[:, 1], X[:, 2] = -X[:, 3], X[:, 3]*X[:, 3]
    return X, r
