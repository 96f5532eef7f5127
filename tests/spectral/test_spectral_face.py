"Storage that has nothing but the face runs the whole chapter, and answers as dense does"
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import FSIR2
from fsnb.data.inputs import as_columns
from fsnb.data.columns import Columns
from fsnb.spectral.distances import laplacian_score, neighbor_graph, spec
from fsnb.spectral.features import GraphFeatures
from spectral_data import OURS, data


class Bare(Columns):
    "Columns behind the four methods of the face; X is hidden from whoever looks for it"
    def __init__(self, X):
        self.n_samples, self.n_features = X.shape
        self.hidden = X

    def dot(self, v): return np.asarray(self.hidden.T@v, dtype=np.float64)
    def take(self, indices): return self.hidden[:, indices]

    def find_moments(self):
        X = self.hidden.toarray() if sp.issparse(self.hidden) else self.hidden
        return X.mean(0), X.std(0)

    @property
    def n_bytes(self): return self.hidden.data.nbytes if sp.issparse(self.hidden) else self.hidden.nbytes


MAKE = {"dense": lambda X: Bare(X), "csc": lambda X: Bare(sp.csc_matrix(X))}
SETTINGS = {"ours": FSIR2, "phi1": lambda k, **kw: FSIR2(k, relevance="phi1", centered=False, **kw), "paper": FSIR2.icdm2015} | {
    solver: lambda k, solver=solver, **kw: FSIR2.icdm2015(k, solver=solver, **OURS, **kw) for solver in ("lanczos", "power", "secular")}
GRAPHS = ["auto", "classes", "rbf", "neighbors", "own"]


@pytest.mark.parametrize("storage", MAKE)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", SETTINGS)
def test_every_solver_and_graph(storage, graph, name):
    X, y = data(3, 40, 25, zeros=.5)
    X[:, 7] = -2*X[:, 4]                                              # a duplicate
    if graph != "neighbors": X[:, 9] = 1e5+np.random.default_rng(1).standard_normal(40)   # far from 0: made dense
    own = np.exp(-np.abs(np.subtract.outer(np.arange(40.), np.arange(40))))
    make = lambda: SETTINGS[name](5, graph=own if graph == "own" else graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want, got = make().fit(X, y), make().fit(MAKE[storage](X), y)
    assert got.support_.tolist() == want.support_.tolist() and got.ranking_.tolist() == want.ranking_.tolist()
    assert got.objective_ == pytest.approx(want.objective_, rel=1e-9)
    assert got.lower_bound_ == pytest.approx(want.lower_bound_, rel=1e-5, abs=1e-6)
    assert [m.tolist() for m in got.groups_.members] == [m.tolist() for m in want.groups_.members]


@pytest.mark.parametrize("storage", MAKE)
def test_scores_and_graphs(storage):
    X, y = data(5, 50, 20, zeros=.6)
    bare = MAKE[storage](X)
    for kind in ("phi1", "phi2", "phi3"):
        for target in (None, y): assert np.allclose(spec(bare, target, kind=kind), spec(X, target, kind=kind), atol=1e-10)
    assert np.allclose(laplacian_score(bare), laplacian_score(X), atol=1e-10)
    assert np.abs(neighbor_graph(bare, 4).W-neighbor_graph(X, 4).W).max() < 1e-12


@pytest.mark.parametrize("storage", MAKE)
def test_many_blocks_are_one(storage, monkeypatch):
    "The sums do not depend on how the columns are cut"
    import fsnb.spectral.features as room
    X, y = data(6, 30, 23, zeros=.5)
    X[:, 3] = 1e6+X[:, 3]
    w, r = np.random.default_rng(0).standard_normal(23), np.random.default_rng(1)
    G = r.standard_normal((30, 30))
    whole = GraphFeatures(as_columns(X), np.ones(30))
    want = whole.gram(w), whole.quadratic(G+G.T)
    monkeypatch.setattr(room, "_GRAM_BLOCK", 120)
    bare = MAKE[storage](X)
    plain = type(bare).blocks
    monkeypatch.setattr(type(bare), "blocks", lambda self, size=1: plain(self, min(size, 120)))
    cut = GraphFeatures(bare, np.ones(30))
    assert np.abs(cut.gram(w)-want[0]).max() < 1e-8 and np.abs(cut.quadratic(G+G.T)-want[1]).max() < 1e-8
