"Data that the tests of this chapter share"
import numpy as np, scipy.sparse as sp

def grouped(seed=0, n=40, p=60, groups=True):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))
    if groups: X[:, p//2:] = X[:, :p-p//2]+.4*X[:, p//2:]
    y = (X[:, 0]+X[:, 1]-X[:, 2]+.5*r.standard_normal(n) > 0).astype(int)
    return X, y

def sparse_data(seed, n=60, p=400, density=.06, dtype=np.float64, signed=False):
    "CSC with constants and copies among its columns, and two classes"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, density, "csc", random_state=rng, dtype=np.float64)
    if signed: X.data -= .5
    y = (rng.random(n) < .5).astype(int)
    X = X.tolil()
    X[:, :5] = sp.lil_matrix((y[:, None]*(rng.random((n, 5)) < .7)).astype(float))
    X[:, 7], X[:, 9] = X[:, 8], np.ones((n, 1))
    return sp.csc_matrix(X).astype(dtype), y

def many_columns(seed, n=50, p=24000):
    "Sparse columns, some dozen of which tell of the class"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, .05, "csc", random_state=rng).tolil()
    y = (rng.random(n) < .5).astype(int)
    told = rng.choice(p, 40, replace=False)
    X[:, told] = (y[:, None]*(rng.random((n, 40)) < .8)).astype(float)
    return sp.csc_matrix(X), y
