"FSIR2: what its attributes say, graphs, how it ends, size, ties"
import itertools
from functools import partial
import numpy as np, pytest, scipy.sparse as sp
from scipy.linalg import hadamard
from doors import peak_of
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import kneighbors_graph
from fsnb import FSIR2, naive
from fsnb.spectral import fsir2, fsir2_bounds, spec
from fsnb.spectral.fsir2 import _Exchange, _improve_by_swaps
from spectral_data import OURS, STORAGES, data, matrix

paper = FSIR2.icdm2015
PHI1 = dict(relevance="phi1", centered=False)
MAKERS = {"ours": FSIR2, "phi1": partial(FSIR2, **PHI1), "paper": paper}
SOLVERS = "power", "lanczos", "secular"
MAKERS |= {solver: partial(paper, solver=solver, **OURS) for solver in SOLVERS}

def test_scale_does_not_matter():
    sparse, y = sp.random(30, 12, .4, format="csr", random_state=0), np.arange(30) % 2
    want = FSIR2(4).fit(sparse, y).support_.tolist()
    for scaled in (sparse*1e153, sparse*1e-154):
        for target in (None, y):
            assert np.allclose(spec(scaled, target), spec(sparse, target), atol=1e-9)
        assert FSIR2(4).fit(scaled, y).support_.tolist() == want

@pytest.mark.parametrize("name", MAKERS)
def test_attributes_hold_together(name, k=7):
    X, y = data(10, 50, 40)
    for target in (None, y):
        m = MAKERS[name](k).fit(X, target)
        R = matrix(X, target, m.centered)
        assert m.objective_ == pytest.approx(R.objective(m.support_), rel=1e-9)
        assert m.lower_bound_ <= m.objective_ and 0 <= m.gap_ <= 1
        assert m.gap_ == pytest.approx((m.objective_-m.lower_bound_)/m.objective_)
        assert sorted(m.ranking_) == list(range(1, 41))
        assert m.ranking_[m.support_].tolist() == list(range(1, k+1))
        assert np.allclose(m.relevance_, R.cost) and m.redundancy_weight_ == pytest.approx(R.weight)
        assert (m.certificate_ is None) == (name in ("ours", "phi1"))
        assert [g[0] for g in m.groups_.members] == m.support_.tolist() and m.n_iter_ >= 1

def test_relevance_weight():
    X, y = data(11, 60, 30)
    heavy, none, even, five = (FSIR2(6, relevance_weight=weight).fit(X, y)
                               for weight in (1e6, 0, "balanced", 5))
    assert set(heavy.support_) == set(np.argsort(spec(X, y))[:6])
    assert even.relevance_weight_ == 5 and even.support_.tolist() == five.support_.tolist()
    D = matrix(X, y).dense()*(1-np.eye(30))
    assert none.objective_ == pytest.approx(D[np.ix_(none.support_, none.support_)].sum(), rel=1e-9)
    assert none.objective_ < heavy.objective_

# ---- graphs

def test_a_matrix_is_a_graph():
    X, y = data(15)
    W, want = naive.sample_similarity(X), FSIR2(4).fit(X)
    for g in (W, sp.csr_matrix(W), W.tolist(), 1e-200*W, 7*W):
        m = FSIR2(4, graph=g).fit(X, y)                         # the labels are not looked at
        assert m.support_.tolist() == want.support_.tolist()
        assert m.objective_ == pytest.approx(want.objective_)
    near = kneighbors_graph(X, 5)                               # its larger entry joins two samples
    one, other = (FSIR2(4, graph=g).fit(X) for g in (near, near.maximum(near.T).toarray()))
    assert one.support_.tolist() == other.support_.tolist()

def test_too_many_samples_for_a_table():
    X, y = sp.random(6000, 40, .01, format="csc", random_state=0), np.arange(6000) % 2
    for ask in (FSIR2(2, graph="rbf").fit, paper(2).fit, partial(spec, kind="phi3")):
        with pytest.raises(ValueError, match="needs a table"): ask(X, y)

# ---- refused

@pytest.mark.parametrize("graph, part", [
    (-np.ones((40, 40)), "Negative values in data passed to W"),
    (np.triu(np.ones((40, 40))), "W must be symmetric"),
    (np.diag(np.r_[0, np.ones(39)]), "row 0 is all 0"), ("classes", "graph='classes' requires y")])
def test_graphs_that_would_give_another_answer_are_refused(graph, part):
    with pytest.raises(ValueError, match=part): FSIR2(graph=graph).fit(data()[0])

# ---- how it ends

def test_each_reason_that_can_occur(monkeypatch):
    X, y = data(20, 30, 60)
    whole = FSIR2(60).fit(X)
    assert whole.stop_reason_ == "gap" and whole.gap_ == 0            # nothing to choose: proved
    for name in ("ours", "lanczos", "secular"):
        m = MAKERS[name](10).fit(X)
        assert m.stop_reason_ == "converged" and m.gap_ > m.tol
    wide, _ = data(16, 60, 1000)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ended the relaxation at a relative gap"):
        early = FSIR2(150, max_iter=1).fit(wide)
    with pytest.warns(ConvergenceWarning, match="solver='power' stopped after 3 steps"):
        climbed = paper(150, max_iter=3, **OURS).fit(wide)
    full = FSIR2(150).fit(wide)
    assert early.stop_reason_ == climbed.stop_reason_ == "max_iter"
    assert early.lower_bound_ <= full.lower_bound_+1e-9 <= full.objective_+1e-8
    with monkeypatch.context() as still:
        still.setattr(fsir2_bounds, "solve_simplex", lambda H, r, a, tol, most: a)
        with pytest.warns(ConvergenceWarning, match="rounding ended the relaxation at a relative gap of"):
            assert FSIR2(10).fit(X).stop_reason_ == "precision"
    for name in ("power", "lanczos"):
        m = MAKERS[name](30, tol=1e-300, max_iter=100000).fit(X)
        assert m.stop_reason_ == "precision"

# ---- size

def test_nothing_of_size_p_by_p_or_dense():
    X, labels = sp.random(200, 1000, .02, format="csc", random_state=1), np.arange(200) % 2
    for y in (labels, None):
        used, _ = peak_of(lambda: FSIR2(5).fit(X, y), warm=True)
        assert used < .8*200*1000*8, used       # less than X dense, though vectors count

@pytest.mark.parametrize("centered, few", [(False, 8), (True, 1)])
def test_swaps_among_few_are_those_of_all(monkeypatch, centered, few):
    rng = np.random.default_rng(0)
    X, y = sp.random(120, 3000, .05, "csc", random_state=rng).tolil(), (rng.random(120) < .5)*1
    X[:, :20] = y[:, None]*1.*(rng.random((120, 20)) < .6)
    R, S = matrix(sp.csc_matrix(X), y, centered), rng.choice(2900, 15, replace=False)
    kept = _improve_by_swaps(R, S)
    assert kept.n_swaps == _improve_by_swaps(R, S, table=R.table(np.arange(R.size))).n_swaps
    monkeypatch.setattr(R.features, "n_bytes", 0)
    monkeypatch.setattr(fsir2, "_FEW_LEFT", few)
    gathered = _improve_by_swaps(R, S)
    monkeypatch.setattr(_Exchange, "find_near", lambda self: None)
    by_columns = _improve_by_swaps(R, S)
    for other in (kept, gathered):
        assert other.n_swaps == by_columns.n_swaps > 0 and other.S.tolist() == by_columns.S.tolist()
    np.testing.assert_allclose(gathered.total, by_columns.total, atol=1e-12)

# ---- ties

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(8))
def test_exact_ties_do_not_depend_on_storage(seed):
    r = np.random.default_rng(seed)
    X = (r.random(r.integers(4, 9, 2)) < .5)*1.
    first, *others = (FSIR2(3).fit(make(X)).support_.tolist() for make in STORAGES.values())
    assert all(other == first for other in others)

def test_exchanges_that_change_nothing_bring_the_lowest_columns():
    "Orthogonal columns of one relevance: any three are as good, and from any three the first three are found"
    R = matrix(hadamard(8)[:, 1:].astype(float), None)
    for S in itertools.combinations(range(7), 3):
        assert sorted(_improve_by_swaps(R, S[::-1]).S) == [0, 1, 2], S
