"Columns, stores and checks that the tests of cuts share"
import numpy as np, scipy.sparse as sp

from doors import correlations
from fsnb.data.inputs import as_columns
from fsnb.data.columns import DenseColumns
from fsnb.data.checks import SLACK

STORES = {
    "dense": as_columns,
    "fortran": lambda X: as_columns(np.asfortranarray(X)),
    "one by one": lambda X: OneByOne(X),
    "csc": lambda X: as_columns(sp.csc_matrix(X)),
}

class OneByOne(DenseColumns):
    "Dense columns without a pass that serves several features"
    def __init__(self, X):
        super().__init__(X)
        self.batch = 1

    def partners(self, j, threshold):
        if np.ndim(j) == 0: return super().partners([j], threshold)[0]
        return [super(OneByOne, self).partners([int(i)], threshold)[0] for i in j]

def small(seed, most=25):
    "A small matrix with signs, ties, duplicates, mirror images and a constant"
    r = np.random.default_rng(seed)
    n, p = int(r.integers(4, 40)), int(r.integers(2, most))
    if seed % 3: X = r.integers(-1 if seed % 2 else 0, 3, (n, p))*(r.random((n, p)) < r.uniform(.2, 1))
    else: X = r.standard_normal((n, 3))@r.standard_normal((3, p))+.5*r.standard_normal((n, p))
    for _ in range(p//4): X[:, r.integers(p)] = r.choice([-1, 1])*X[:, r.integers(p)]
    X[:, r.integers(p)] = r.integers(2)
    return X.astype(float), r

def clusters(seed, n=60, p=300, k=8, noise=.6):
    "k crowds of features, so that a walk has to go far down the list"
    r = np.random.default_rng(seed)
    f = r.standard_normal((n, k))
    X = f[:, r.integers(k, size=p)]*r.choice([-1, 1], p)+noise*r.random(p)*r.standard_normal((n, p))
    return X, r

def agrees(found, group):
    k, r, d = zip(*group) if group else ((), (), ())
    assert found.indices.tolist() == list(k) and found.direct.tolist() == list(d)
    assert found.indices.dtype == np.int64 and found.direct.dtype == bool
    np.testing.assert_allclose(found.correlations, r, atol=1e-9)

def edges(X, tau):
    return (np.abs(correlations(X)) >= 1-tau-SLACK) & ~np.eye(X.shape[1], dtype=bool)
