"What the tests of this chapter share: data, and the matrix of a data set"

import numpy as np, scipy.sparse as sp

from fsnb.data.inputs import as_columns
from fsnb.spectral.distances import sample_graph
from fsnb.spectral.features import GraphFeatures, RelevanceRedundancy

STORAGES = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sp.csr_matrix,
            "csc": sp.csc_matrix}
OURS = dict(relevance="phi2", centered=True, rounding="swap")     # FSIR2's own

def data(seed=0, n=40, p=12, shift=1., zeros=0.):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))+r.standard_normal((n, 1))*2*r.random(p)+shift*r.standard_normal(p)
    if zeros: X[r.random((n, p)) < zeros] = 0
    y = r.integers(0, 3, n)
    y[:6] = [0, 0, 1, 1, 2, 2]
    return X, y

def matrix(X, y=None, centered=True):
    c = as_columns(X)
    g = sample_graph(c, y)
    F = GraphFeatures(c, g.degree, centered)
    return RelevanceRedundancy(F, F.relevance(g), g.average)
