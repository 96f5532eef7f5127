"""A storage class that fills in the four methods of `Columns`, and has nothing else, runs every selector.

Each answers as it does on an array: the frozen answers of tests/golden, and what is not frozen beside a fit of the array.
"""
from functools import partial
import numpy as np, pytest, scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from fsnb import EVSC, FCBF, FSIR2, GDM, GDMCV, GDMRegressor, GDMSurvival, MMFS, Discretizer, OneClassGDM, SuSiE
from fsnb.correlation import Positional
from doors import OnlyTheFace
from fsnb.margin import Kernel
from fsnb.spectral import laplacian_score, spec
from fsnb.spectral.distances import neighbor_graph
from golden_cases import BUT, NAMES, find_differences, fit_case, make_set, read_answer, read_frozen

pytestmark = [pytest.mark.filterwarnings("ignore:.*is biased upward"),
              pytest.mark.filterwarnings("ignore:with n_samples"),
              pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)]

FROZEN = read_frozen()

@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_the_frozen_one(name):
    assert find_differences(name, read_answer(fit_case(name, OnlyTheFace)), FROZEN[name]) == []

# ---- what is not frozen: rounded columns, so that there are ties and categories

def overlap(a, b):
    "A correlation of two columns that a user wrote"
    return np.minimum(a, b).sum()/max(np.maximum(a, b).sum(), 1)

PLACES = np.arange(40.)
REST = {
    "positive": GDM(5, correlation="positive"), "function": GDM(2, correlation=overlap, tau=.5, chance=None),
    "positions": GDM(5, correlation=Positional(PLACES, window=8.)), "positions and su": GDM(4, correlation=Positional(PLACES, beta=50., correlation="su"), tau=.6),
    "group, supports": GDM(5, rank_by="group", fit_on="supports"),
    "cut, supports": GDM(4, mode="cut", fit_on="supports"), "folds, su": GDMCV(4, cv=3, correlation="su", tau=.6),
    "one class": OneClassGDM(5, scale="rms", contamination="auto"), "MMFS without signs": MMFS(5, kernel=Kernel("linear", align=False)),
    "categories": FCBF(discretizer=None, min_su=0.), "missing": FCBF(discretizer=Discretizer("width", n_bins=4, missing="category"), min_su=0.),
    "EVSC": EVSC(4, graph="neighbors"), "phi1": FSIR2(5, relevance="phi1", centered=False),
    "numbers": GDMRegressor(5), "ranks": GDMRegressor(4, rank_target=True), "survival": GDMSurvival(4), "single effects": SuSiE(4)}
GRAPHS = {"lanczos": "classes", "power": "rbf", "secular": "neighbors"}
REST |= {graph: FSIR2(5, graph=graph) for graph in GRAPHS.values()}
REST |= {f"{solver}, {graph}": FSIR2.icdm2015(5, solver=solver, graph=graph, max_iter=300, relevance="phi2", centered=True, rounding="swap")
         for solver, graph in GRAPHS.items()}
MEASURED = {"numbers", "ranks", "single effects"}       # y is no class
STORES = {"dense": OnlyTheFace, "sparse": lambda X: OnlyTheFace(sp.csc_matrix(X))}

def same(face, dense):
    "The same answer of two fitted selectors"
    assert face.support_.tolist() == dense.support_.tolist() and len(face.support_)
    assert [list(m) for m in face.groups_.members] == [list(m) for m in dense.groups_.members]
    for a, b in zip(face.groups_.correlations, dense.groups_.correlations): np.testing.assert_allclose(a, b, atol=1e-9)

@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", REST)
def test_the_answer_is_that_of_the_array(name, store):
    X, y = make_set(f"{store} {'y' if name in MEASURED else '2'}")
    X = np.round(2*(X.toarray() if sp.issparse(X) else X))
    X -= X.min(0)
    y = {"one class": None, "survival": np.c_[1+y+np.arange(len(y))/99, np.arange(len(y)) % 3 > 0]}.get(name, y)
    same(*(clone(REST[name]).fit(form(X), y) for form in (STORES[store], np.asarray)))

def test_no_selector_is_left_out():
    assert set(BUT) <= {type(model).__name__ for model in REST.values()}

@pytest.mark.parametrize("store", STORES)
def test_spectral_scores(store):
    X, codes = make_set("dense 3")
    y = np.unique(codes, return_inverse=True)[1]
    face = STORES[store](X)
    for target in (None, y):
        for ask in (*(partial(spec, kind=kind) for kind in ("phi1", "phi2", "phi3")), laplacian_score):
            np.testing.assert_allclose(ask(face, target), ask(X, target), rtol=1e-8, atol=1e-10)
    apart = np.abs(neighbor_graph(face, 4).W-neighbor_graph(X, 4).W)
    assert apart.max() < 1e-12
