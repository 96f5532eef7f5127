"""The selectors at the package's door: a table of tests that does not name one of them tries it as it comes.

So a new selector is in the tables of test_estimators, test_inputs, test_face and of the golden cases as soon as it is at the door.
"""
import inspect, tracemalloc

import numpy as np
import scipy.sparse as sp
import fsnb
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
