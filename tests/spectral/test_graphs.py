"Graphs of neighbours: products of sparse rows, columns far from zero, constants"
import numpy as np
import pytest
import scipy.sparse as sp
from fsnb.spectral.distances import RowProducts, neighbor_graph, rbf_graph


@pytest.mark.parametrize("density", [.02, .3, 1.])
def test_products_of_rows(density):
    x = sp.random(40, 70, density, "csc", random_state=np.random.default_rng(1))
    products = RowProducts(x)
    np.testing.assert_allclose(products.between(7, 30), (x@x.T).toarray()[7:30], atol=1e-12)
    assert products.full.size <= x.nnz


def test_far_columns_and_constants_change_no_distance():
    X = np.random.default_rng(3).integers(0, 40, (60, 8)).astype(float)
    near = neighbor_graph(X).W.toarray()
    np.testing.assert_allclose(neighbor_graph(sp.csc_matrix(X+1e8)).W.toarray(), near, atol=1e-6)
    far = sp.csc_matrix(np.c_[X, np.full(60, 1e17)])
    np.testing.assert_allclose(neighbor_graph(far).W.toarray(), near, atol=1e-12)
    np.testing.assert_allclose(rbf_graph(far).W, rbf_graph(X).W, rtol=1e-9)
