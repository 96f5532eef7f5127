"MCFS, MRSF, JELSR: as many as are wanted, shortcuts, copies, refusals"
import numpy as np, pytest, scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from fsnb.data.inputs import as_columns
from fsnb.spectral import JELSR, MCFS, MRSF, jelsr, mrsf
from fsnb.spectral.distances import rbf_graph
from fsnb.spectral.features import GraphFeatures
from fsnb.spectral.jelsr import spectral_embedded_clustering
from fsnb.spectral.mcfs import embed_graph
from fsnb.spectral.mrsf import _dual_gap, _solve_rows

pytestmark = [pytest.mark.filterwarnings("ignore:only"),
              pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)]

def clustered(seed=0, n=70, p=25):
    "Samples in three clusters that four features tell apart"
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 3, n)
    X = rng.standard_normal((n, p))*rng.uniform(.5, 2, p)+rng.uniform(-3, 3, p)
    X[:, :4] += 3*np.eye(3)[z]@rng.standard_normal((3, 4))
    return X, z

def problem_of(X, m):
    "Features and targets of MRSF"
    graph = rbf_graph(X)
    values, vectors = embed_graph(graph, m)
    return GraphFeatures(as_columns(X), graph.degree), vectors*np.sqrt(2-values), graph

# ---- MRSF

def test_the_gap_is_a_bound():
    "Of a wrong solution it is at least what is really lost"
    features, Y, _ = problem_of(clustered(n=40, p=15)[0], 3)
    F, whole = features.take(np.arange(15)), float((Y**2).sum())/2
    value = lambda W: ((Y-F@W)**2).sum()/2+.2*np.linalg.norm(W, axis=1).sum()
    best = value(_solve_rows(F, Y, .2))
    for seed in range(20):
        W = _solve_rows(F, Y, .2)+.1*np.random.default_rng(seed).standard_normal((15, 3))
        R = Y-F@W
        gap = _dual_gap(Y, R, np.linalg.norm(W, axis=1), np.linalg.norm(F.T@R, axis=1).max(), .2)
        assert gap >= (value(W)-best)/whole-1e-9

@pytest.mark.parametrize("k", [1, 10])
def test_mrsf_has_as_many_as_are_wanted_of_many(k):
    rng = np.random.default_rng(k)
    X = rng.standard_normal((60, 800))
    X[:, :10] += 3*np.repeat([0, 1, 2], 20)[:, None]*rng.standard_normal(10)
    fitted = MRSF(k).fit(X)
    assert np.count_nonzero(fitted.scores_) >= k == len(fitted.support_) and fitted.gap_ < 1e-6
    features, Y, _ = problem_of(X, 5)
    price = fitted.alpha_*np.linalg.norm(features.dot(Y), axis=1).max()
    whole = np.linalg.norm(_solve_rows(features.take(np.arange(800)), Y, price), axis=1)
    np.testing.assert_allclose(fitted.scores_, whole, atol=1e-4*whole.max())

@pytest.mark.filterwarnings("ignore")
def test_mrsf_ends_where_more_are_wanted_than_the_samples_can_hold():
    "Near copies outside pull as hard as those inside: the price must fall all the same"
    X, y = np.random.default_rng(0).standard_normal((12, 200)), np.arange(12) % 4
    X[:, :50] = X[:, :5].repeat(10, 1)+1e-4*np.random.default_rng(1).standard_normal((12, 50))
    fitted = MRSF(100).fit(X, y)
    assert 12 <= len(fitted.support_) < 100 and fitted.gap_ < 1e-6
    assert fitted.stop_reason_ == "nothing_left"

# ---- JELSR

@pytest.mark.parametrize("labels", [False, True])
def test_short_rows_and_few_eigenvectors_change_no_answer(labels, monkeypatch):
    "What a thousand samples and more are solved by, on few of them"
    X, y = clustered(n=150, p=60)
    y = y if labels else None
    plain = JELSR(4, tol=1e-9).fit(X, y)
    monkeypatch.setattr(jelsr, "_WHOLE_GRAPH", 50)
    fast = JELSR(4, tol=1e-9).fit(X, y)
    assert fast.objective_path_[-1] == pytest.approx(plain.objective_path_[-1], rel=1e-4)
    assert set(fast.support_) == set(plain.support_)

# ---- spectral embedded clustering

def test_sec_finds_clusters_and_units_do_not_matter(monkeypatch):
    z = np.repeat([0, 1, 2], 30)
    X = np.random.default_rng(0).standard_normal((90, 30))
    X[:, [7, 19]] += 8*np.array([[0, 0], [1, 0], [0, 1]])[z]
    for few, data in ((False, X), (False, 1e6*X), (False, sp.csr_matrix(X)), (True, X[:, [7, 19]])):
        if few: monkeypatch.setattr(jelsr, "_WHOLE_GRAPH", 50)      # by products
        labels = spectral_embedded_clustering(data, 3)
        assert ((labels[:, None] == labels) == (z[:, None] == z)).all()

# ---- all four

@pytest.mark.parametrize("selector", [MCFS, MRSF, JELSR])
def test_copies_go_to_the_group_of_the_first(selector):
    X, y = clustered()
    X = np.c_[X, -2*X[:, 0]+1, np.ones(70)]
    with pytest.warns(UserWarning, match="constant"): fitted = selector(3).fit(X, y)
    assert 25 not in fitted.support_ and fitted.scores_[25] == fitted.scores_[26] == 0
    for members in fitted.groups_.members: assert (0 in members) == (25 in members)

@pytest.mark.parametrize("selector", [MCFS, MRSF, JELSR])
def test_what_is_only_rounding_is_no_answer(selector):
    "No feature alone goes with an exclusive or: JELSR ranked scores of 1e-21"
    X = np.tile([[0., 0], [0, 1], [1, 0], [1, 1]], (10, 1))
    with pytest.raises(ValueError, match="must have a feature correlated with the graph"):
        selector(1).fit(X, X[:, 0] != X[:, 1])

def test_a_regression_that_ended_first_says_so(monkeypatch):
    monkeypatch.setattr(mrsf, "_ENOUGH", 1e-30)
    X = np.random.default_rng(0).normal(size=(30, 8))
    with pytest.warns(ConvergenceWarning, match="ended at a relative gap of"): MRSF(3).fit(X)
