"Graphs and features by definition; ties, blocks and columns far from zero"
import numpy as np, pytest, scipy.sparse as sp

from fsnb.data.inputs import as_columns
from fsnb.spectral import features
from fsnb.spectral.distances import laplacian_score, neighbor_graph, rbf_graph
from fsnb.spectral.features import GraphFeatures
from spectral_data import STORAGES, data

def test_neighbor_graph_by_definition_ties_included():
    X = np.random.default_rng(0).integers(0, 3, (50, 4)).astype(float)
    square = ((X[:, None]-X)**2).sum(2)
    np.fill_diagonal(square, np.inf)
    near = square <= np.sort(square, 1)[:, [4]]
    want = np.where(near | near.T, np.exp(-square/(4*X.var(0).sum())), 0)+np.eye(50)
    order = np.random.default_rng(1).permutation(50)
    for s in ("C", "F", "csr"):
        g = neighbor_graph(STORAGES[s](X), 5)
        assert np.abs(g.W.toarray()-want).max() < 1e-12
        assert np.allclose(laplacian_score(STORAGES[s](X)), laplacian_score(X[order]), atol=1e-12)

@pytest.mark.parametrize("storage", ["C", "csc"])
def test_many_blocks_are_one(storage, monkeypatch):
    "The sums do not depend on how the columns are cut"
    X, y = data(6, 30, 23, zeros=.5)
    X[:, 3] = 1e6+X[:, 3]
    w, r = np.random.default_rng(0).standard_normal(23), np.random.default_rng(1)
    G = r.standard_normal((30, 30))
    whole = GraphFeatures(as_columns(X), np.ones(30))
    want = whole.gram(w), whole.quadratic(G+G.T)
    monkeypatch.setattr(features, "_GRAM_BLOCK", 120)
    columns = as_columns(STORAGES[storage](X))
    plain = type(columns).blocks
    monkeypatch.setattr(type(columns), "blocks", lambda own, size=1: plain(own, min(size, 120)))
    cut = GraphFeatures(columns, np.ones(30))
    assert np.abs(cut.gram(w)-want[0]).max() < 1e-8
    assert np.abs(cut.quadratic(G+G.T)-want[1]).max() < 1e-8

def test_far_columns_and_constants_change_no_distance():
    X = np.random.default_rng(3).integers(0, 40, (60, 8)).astype(float)
    near = neighbor_graph(X).W.toarray()
    np.testing.assert_allclose(neighbor_graph(sp.csc_matrix(X+1e8)).W.toarray(), near, atol=1e-6)
    far = sp.csc_matrix(np.c_[X, np.full(60, 1e17)])
    np.testing.assert_allclose(neighbor_graph(far).W.toarray(), near, atol=1e-12)
    np.testing.assert_allclose(rbf_graph(far).W, rbf_graph(X).W, rtol=1e-9)
