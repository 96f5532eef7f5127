"""A storage class that fills in the four methods of `Columns`, and has nothing else, runs every selector.

Each answers as it does on a dense array: the same supports, the same groups.
"""
from functools import partial
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from doors import unnamed
from fsnb import FCBF, FSIR2, GDM, GDMCV, MMFS, QPFS, FilterBruteForce, GDMRegressor, OneClassGDM, SoftMMFS
from fsnb.correlation import Positional
from fsnb.data.columns import Columns
from fsnb.filters import CFS, MRMR, ConsistencyFilter, Discretizer
from fsnb.linear import OSCAR, GFlasso, LinearOneClassSVM, NcFGS, NcTFGS
from fsnb.margin import Kernel
from fsnb.spectral import EVSC, laplacian_score, spec
from fsnb.spectral.distances import neighbor_graph

pytestmark = [pytest.mark.filterwarnings("ignore:.*is biased upward"),
              pytest.mark.filterwarnings("ignore:with n_samples"),
              pytest.mark.filterwarnings("ignore:similarity="),
              pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)]

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

def counts(n_classes=2, n=80, p=24):
    "Counts, most of them 0, in groups of four; one feature of each of three groups tells of the class"
    r = np.random.default_rng(n_classes)
    base = r.poisson(1.5, (n, p//4)).astype(float)
    X = np.repeat(base, 4, axis=1)+r.poisson(.15, (n, p))
    y = np.digitize(base[:, 0]-base[:, 1]+.5*base[:, 2]+.3*r.standard_normal(n),
                    np.linspace(-1, 1, n_classes+1)[1:-1])
    return X[:, r.permutation(p)], y

DATA = {k: counts(k) for k in (2, 3)}
STORES = {"dense": OnlyTheFace, "sparse": lambda X: OnlyTheFace(sp.csc_matrix(X))}

def overlap(a, b):
    "A correlation of two columns that a user wrote"
    return np.minimum(a, b).sum()/max(np.maximum(a, b).sum(), 1)

DCD, POSITIONS = Kernel("linear", solver="dcd"), np.arange(24.)
SELECTORS = {
    "GDM": GDM(5), "GDM by support": GDM(5, rank_by="support"), "GDM auto": GDM("auto", chance=.5),
    "GDM papers": GDM(5, chance=None), "GDM by group": GDM(5, rank_by="group", fit_on="supports"),
    "GDM cut": GDM(4, mode="cut"), "GDM cut, supports": GDM(4, mode="cut", fit_on="supports"),
    "GDM thesis": GDM.thesis2015(5, n_per_iter=2), "GDM icml": GDM.icml2012(5, n_per_iter=2),
    "GDM without groups": GDM(5, tau=None), "GDM su": GDM(5, correlation="su", tau=.6),
    "GDM positive": GDM(5, correlation="positive"),
    "GDM function": GDM(2, correlation=overlap, tau=.5, chance=None),
    "GDM positions": GDM(5, correlation=Positional(POSITIONS, window=8.)),
    "GDM positions and su": GDM(4, correlation=Positional(POSITIONS, beta=50., correlation="su"), tau=.6),
    "GDMCV": GDMCV(5, cv=3), "GDMCV votes": GDMCV(5, cv=3, consensus="votes"),
    "GDMCV su": GDMCV(4, cv=3, correlation="su", tau=.6),
    "OneClassGDM": OneClassGDM(5), "OneClassSVM linear": LinearOneClassSVM(4),
    "OneClassGDM rms": OneClassGDM(5, scale="rms", contamination="auto"),
    "OneClassGDM cut": OneClassGDM(4, mode="cut", fit_on="supports"),
    "filter": FilterBruteForce(5), "filter su": FilterBruteForce(5, correlation="su", tau=.6),
    "MMFS": MMFS(5), "MMFS gamma": MMFS(gamma=.1), "MMFS rbf": MMFS(5, kernel=Kernel("rbf", width=.8)),
    "MMFS linear": MMFS(5, kernel=Kernel("linear", align=False)),
    "MMFS dcd": MMFS(5, kernel=DCD, gamma=.5, C=1., max_iter=50),
    "MMFS paper": MMFS.prl2017(5, gamma=.5, max_iter=50),
    "MMFS mutual_info": MMFS(5, relevance="mutual_info"), "SoftMMFS": SoftMMFS(5),
    "QPFS": QPFS(5), "QPFS mutual_info": QPFS(5, similarity="mutual_info"), "QPFS paper": QPFS.jmlr2010(5),
    "QPFS Nystrom": QPFS(5, nystrom=.5, random_state=0),
    "FCBF": FCBF(), "FCBF width": FCBF(discretizer="width", min_su=0.),
    "FCBF categories": FCBF(discretizer=None, min_su=0.),
    "FCBF missing": FCBF(discretizer=Discretizer(missing="category")),
    "CFS": CFS(discretizer="width"),
    "consistency": ConsistencyFilter(discretizer="width"),
    "mRMR": MRMR(4), "mRMR mutual_info": MRMR(4, measure="mutual_info"),
    "mRMR difference": MRMR(4, scheme="difference", relevance="correlation"),
    "GFlasso": GFlasso(None, alpha=.1, graph=.3), "OSCAR": OSCAR(None, alpha=.1),
    "OSCAR, graph": OSCAR(None, alpha=.1, graph=.3), "ncFGS": NcFGS(None, alpha=.3, graph=.5),
    "ncTFGS": NcTFGS(None, alpha=.3, graph=.5), "EVSC": EVSC(4),
    "EVSC neighbors": EVSC(4, graph="neighbors"), "FSIR2": FSIR2(5), "FSIR2 paper": FSIR2.icdm2015(5, max_iter=300),
    "FSIR2 phi1": FSIR2(5, relevance="phi1", centered=False),
    "GDMRegressor": GDMRegressor(5), "GDMRegressor ranks": GDMRegressor("auto", chance=.5, rank_target=True),
}
GRAPHS = {"lanczos": "classes", "power": "rbf", "secular": "neighbors"}
SELECTORS |= {f"FSIR2 {graph}": FSIR2(5, graph=graph) for graph in GRAPHS.values()}
SELECTORS |= {f"FSIR2 {solver}, {graph}": FSIR2.icdm2015(
                  5, solver=solver, graph=graph, max_iter=300, relevance="phi2", centered=True, rounding="swap")
              for solver, graph in GRAPHS.items()}
SELECTORS |= unnamed(SELECTORS.values(), 4, but=("Discretizer",))        # selects no columns
WITHOUT_Y = [name for name in SELECTORS if name.startswith("OneClass")
             or name.startswith(("FSIR2", "MCFS", "MRSF", "EVSC", "JELSR")) and not name.endswith("classes")]
TWO_CLASSES = {"GDM function", "GDM cut", "GDM cut, supports", "MMFS linear", "MMFS rbf", "MMFS dcd", "SuSiE"}
MORE_CLASSES = [name for name in SELECTORS if not name.startswith("OneClass") and name not in TWO_CLASSES]

def same(face, dense):
    "The same answer of two fitted selectors"
    assert face.support_.tolist() == dense.support_.tolist() and len(face.support_)
    if not hasattr(dense, "groups_"): return
    assert [list(m) for m in face.groups_.members] == [list(m) for m in dense.groups_.members]
    if dense.groups_.correlations is None: return
    for a, b in zip(face.groups_.correlations, dense.groups_.correlations): np.testing.assert_allclose(a, b, atol=1e-9)

def check(name, store, X, y=None):
    "One selector on the face and on the array"
    target = () if y is None else (y,)
    if name == "GDMSurvival": target = (np.c_[1+y+np.arange(len(y))/99, np.arange(len(y)) % 3 > 0],)
    same(*(clone(SELECTORS[name]).fit(form(X), *target) for form in (STORES[store], np.asarray)))

# Two classes alternate between dense and sparse from selector to selector, three classes the other way: each meets both
STORE = {name: list(STORES)[i % 2] for i, name in enumerate(SELECTORS)}
OTHER = {name: list(STORES)[1-i % 2] for i, name in enumerate(SELECTORS)}

@pytest.mark.parametrize("name", SELECTORS)
def test_two_classes(name):
    X, y = DATA[2]
    for store in [STORE[name]] if name in MORE_CLASSES else STORES: check(name, store, X, None if name.startswith("OneClass") else y)

@pytest.mark.parametrize("name", MORE_CLASSES)
def test_three_classes(name): check(name, OTHER[name], *DATA[3])

@pytest.mark.parametrize("name", WITHOUT_Y)
def test_no_classes(name): check(name, STORE[name], DATA[3][0])

FAR = 1e5+np.random.default_rng(1).standard_normal(80)
NEAR = np.exp(-np.abs(np.subtract.outer(np.arange(80.), np.arange(80.))))
SOLVERS = {"ours": FSIR2(5), "neighbors": FSIR2(5, graph="neighbors"),
           "paper": FSIR2.icdm2015(5, graph=NEAR, max_iter=300)}

@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", SOLVERS)
def test_copies_and_columns_far_from_zero_in_one_spectral_matrix(name, store):
    X, y = DATA[3]
    X = np.c_[X, -2*X[:, 4]]
    if name != "neighbors": X = np.c_[X, FAR]
    want, got = (clone(SOLVERS[name]).fit(some, y) for some in (X, STORES[store](X)))
    same(got, want)
    assert got.ranking_.tolist() == want.ranking_.tolist()
    assert got.objective_ == pytest.approx(want.objective_, rel=1e-9)
    assert got.lower_bound_ == pytest.approx(want.lower_bound_, rel=1e-5, abs=1e-6)

@pytest.mark.parametrize("store", STORES)
def test_spectral_scores(store):
    X, y = DATA[3]
    face = STORES[store](X)
    for target in (None, y):
        for ask in (*(partial(spec, kind=kind) for kind in ("phi1", "phi2", "phi3")), laplacian_score):
            np.testing.assert_allclose(ask(face, target), ask(X, target), rtol=1e-8, atol=1e-10)
    apart = np.abs(neighbor_graph(face, 4).W-neighbor_graph(X, 4).W)
    assert apart.max() < 1e-12

def test_the_face_has_nothing_but_four():
    own = {name for name in vars(OnlyTheFace) if not name.startswith("__")}
    assert own == {"dot", "take", "find_moments", "n_bytes"}
