"""Of very many features few can come in an exchange; of very many samples neighbours answer. No answer changes."""
import warnings
import numpy as np
import pytest
import scipy.sparse as sp
from fsnb import FSIR2
from fsnb.data.inputs import as_columns
from fsnb.spectral import exchange, laplacian_score, spec
from fsnb.spectral.distances import RowProducts, _choose_graph, neighbor_graph, rbf_graph, sample_graph
from fsnb.spectral.exchange import _improve_by_swaps
from fsnb.spectral.features import GraphFeatures
from fsnb.spectral.redundancy import RelevanceRedundancy


def sparse_data(seed, n=120, p=3000):
    "CSC of which a few columns tell of the class"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, .05, "csc", random_state=rng).tolil()
    y = (rng.random(n) < .5).astype(int)
    X[:, :20] = (y[:, None]*(rng.random((n, 20)) < .6)).astype(float)
    X[:, 30] = 0
    return sp.csc_matrix(X), y


def matrix(X, y, centered=True):
    graph = sample_graph(X, y)
    features = GraphFeatures(as_columns(X), graph.degree, centered)
    return RelevanceRedundancy(features, features.relevance(graph), graph.average)


@pytest.mark.parametrize("few", [1, 8])
@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_exchanges_are_those_of_all(monkeypatch, seed, centered, few):
    X, y = sparse_data(seed)
    R, S = matrix(X, y, centered), np.random.default_rng(seed).choice(2900, 15, replace=False)
    kept = _improve_by_swaps(R, S)
    monkeypatch.setattr(exchange, "_keep_redundancy", lambda R, S: None)
    monkeypatch.setattr(exchange, "_FEW_LEFT", few)
    gathered = _improve_by_swaps(R, S)
    monkeypatch.setattr(exchange, "_who_can_come", lambda *args: None)
    by_columns = _improve_by_swaps(R, S)
    assert kept.n_swaps == gathered.n_swaps == by_columns.n_swaps > 0
    assert kept.S.tolist() == gathered.S.tolist() == by_columns.S.tolist()
    np.testing.assert_allclose(gathered.total, by_columns.total, atol=1e-12)


@pytest.mark.parametrize("density", [.02, .3, 1.])
def test_products_of_rows(density):
    x = sp.random(40, 70, density, "csc", random_state=np.random.default_rng(1))
    products = RowProducts(x)
    np.testing.assert_allclose(products.between(7, 30), (x@x.T).toarray()[7:30], atol=1e-12)
    assert products.full.size <= x.nnz


def test_default_without_labels_takes_neighbors_where_pairs_do_not_fit():
    X = sp.random(4200, 60, .02, "csc", random_state=np.random.default_rng(2))
    with pytest.warns(UserWarning, match="table of 4200 x 4200, larger than X: graph='neighbors' is taken"):
        found = FSIR2(3).fit(X)
    named = FSIR2(3, graph="neighbors").fit(X)
    assert found.support_.tolist() == named.support_.tolist() and len(found.support_) == 3
    assert _choose_graph(as_columns(X[:4000])) == "rbf"


def test_far_columns_keep_their_neighbors():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 40, (60, 8)).astype(float)
    near = neighbor_graph(X).W.toarray()
    np.testing.assert_allclose(neighbor_graph(sp.csc_matrix(X+1e8)).W.toarray(), near, atol=1e-6)
    constant = np.c_[X, np.full(60, 1e17)]
    np.testing.assert_allclose(neighbor_graph(sp.csc_matrix(constant)).W.toarray(), near, atol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("score", [spec, laplacian_score])
def test_squares_that_do_not_fit_are_refused_by_name(score):
    X, y = np.random.default_rng(4).standard_normal((30, 4)), np.arange(30) % 2
    X[:, 2] *= 1e300
    for store in (np.asarray, sp.csc_matrix):
        with pytest.raises(ValueError, match="column"): score(store(X), y)


def test_a_far_constant_column_leaves_no_rounding():
    "A constant of 1e17 on CSC adds nothing to distances"
    X = np.random.default_rng(0).standard_normal((40, 6))
    far = sp.csc_matrix(np.c_[X, np.full(40, 1e17)])
    np.testing.assert_allclose(rbf_graph(far).W, rbf_graph(X).W, rtol=1e-9)


def test_the_power_method_writes_few_features_out(monkeypatch):
    "Thousands of steps on four features multiply a table of 4 x 4, not one of samples by samples"
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1001, 4))
    X[500, :3] += 20
    y = (np.arange(1001) == 500).astype(int)
    calls = []
    whole = RelevanceRedundancy.__call__
    monkeypatch.setattr(RelevanceRedundancy, "__call__", lambda R, z: calls.append(1) or whole(R, z))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = FSIR2(3, solver="power").fit(X, y)
        assert len(calls) < 20 < few.n_iter_
        assert few.support_.tolist() == FSIR2(3, solver="secular").fit(X, y).support_.tolist()
