"""The selectors at the package's door: a table of tests that does not name one of them tries it as it comes.

So a new selector is in the tables of test_estimators, test_inputs, test_face and of the golden cases as soon as it is at the door.
Further what several files of tests need: memory, processes, data, and forms in which data come.
"""
import inspect, os, tracemalloc

import numpy as np, scipy.sparse as sp, fsnb
from fsnb.data.columns import Columns

def selectors():
    "{name: class} of every class at the door that has a `fit`"
    found = {name: getattr(fsnb, name) for name in fsnb.__all__ if name[0].isupper()}
    return {name: own for name, own in found.items() if isinstance(own, type) and hasattr(own, "fit")}

def unnamed(models, k, but=()):
    "{name: model} of the selectors of which no model is an instance, asked for k features; `but` are chapters or names that stand elsewhere"
    named = {type(model).__name__ for model in models}
    found = {name: own for name, own in selectors().items() if name not in named}
    found = {name: own for name, own in found.items() if name not in but and own.__module__.split(".")[1] not in but}
    return {name: own(k) if "n_features_to_select" in inspect.signature(own).parameters else own() for name, own in found.items()}

def peak_of(call, warm=False):
    "(bytes at the peak beyond what was there, what it returned); `warm`: of a second call, for the first one compiles and imports"
    if warm: call()
    tracemalloc.start()
    try:
        found = call()
        return tracemalloc.get_traced_memory()[1], found
    finally: tracemalloc.stop()

def exit_of_fork(call):
    "The exit code of a forked process that only calls this: -9 where it was killed"
    child = os.fork()
    if not child:
        try: call()
        except KeyboardInterrupt: os._exit(130)
        finally: os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def correlations(X):
    "All correlations, 0 for constants"
    Z = X-X.mean(0)
    varies, norm = X.max(0) > X.min(0), np.linalg.norm(Z, axis=0)
    Z = np.where(varies, Z/np.where(varies, norm, 1), 0)
    return Z.T@Z

def counts_in_groups(seed=0, n=60, p=20, rate=1.5):
    "Counts in groups of four alike, the first two of which tell of two classes"
    r = np.random.default_rng(seed)
    base = r.poisson(rate, (n, p//4)).astype(float)
    y = (base[:, 0]-base[:, 1]+.4*r.standard_normal(n) > 0).astype(int)
    return np.repeat(base, 4, axis=1)+r.poisson(rate/8, (n, p)), y

# ---- forms of CSC

def twice(A):
    "Every entry stored twice, at half its size"
    A = sp.csc_matrix(A)
    return sp.csc_matrix((np.repeat(A.data/2, 2), np.repeat(A.indices, 2), 2*A.indptr), A.shape)

def backwards(A):
    "Row numbers that fall within each column"
    A = sp.csc_matrix(A, copy=True)
    for a, b in zip(A.indptr, A.indptr[1:]): A.indices[a:b], A.data[a:b] = A.indices[a:b][::-1].copy(), A.data[a:b][::-1].copy()
    A.has_sorted_indices = False
    return A

def with_zeros(X):
    "Every third of the zeros is stored, too"
    A = sp.csc_matrix(np.where((X == 0) & (np.arange(X.size).reshape(X.shape) % 3 == 0), 1e9, X))
    A.data[A.data == 1e9] = 0
    return A

class OnlyTheFace(Columns):
    "What is stored is an array, or CSC where X is sparse; nobody but this class knows where"
    def __init__(self, X):
        self._hidden = X
        self.n_samples, self.n_features = X.shape

    def dot(self, v): return np.asarray(self._hidden.T@v)

    def take(self, indices): return self._hidden[:, indices]

    def find_moments(self):
        X = self._hidden.toarray() if sp.issparse(self._hidden) else self._hidden
        return X.mean(0), X.std(0)

    @property
    def n_bytes(self):
        X = self._hidden
        return X.data.nbytes+X.indices.nbytes if sp.issparse(X) else X.nbytes
