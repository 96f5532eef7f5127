"FSIR2: against the literal paper and all subsets; what it proves, and what it refuses"
import tracemalloc
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import kneighbors_graph
from fsnb import FSIR2, naive
from fsnb.groups.selector import _STOP_REASONS
from fsnb.spectral import fsir2, fsir2_bounds, laplacian_score, spec
from fsnb.spectral.fsir2 import _improve_by_swaps, _select_by_search
from spectral_data import OURS, STORAGES, data, exhaustive, matrix

paper = FSIR2.icdm2015
MAKERS = {"ours": FSIR2, "phi1": lambda k, **kw: FSIR2(k, relevance="phi1", centered=False, **kw), "paper": paper} | {
    solver: lambda k, solver=solver, **kw: paper(k, solver=solver, **(OURS | kw)) for solver in ("power", "lanczos", "secular")}

def test_the_trust_region_is_the_papers():
    X, y = data()
    for target in (None, y):
        R, z = naive.fsir2(X, target, 4, 40000)
        for solver in ("power", "lanczos", "secular"):
            m = paper(4, solver=solver, tol=1e-9).fit(X, target)
            assert np.abs(m.z_-z).max() < 1e-4
            assert set(m.support_) == set(np.argsort(-z)[:4]) and m.certificate_.is_global
            assert m.objective_ == pytest.approx(R[np.ix_(m.support_, m.support_)].sum(), rel=1e-9)
            assert m.z_.sum() == pytest.approx(2*4-12, abs=1e-8) and m.z_@m.z_ == pytest.approx(12)

def test_scale_does_not_matter():
    sparse = sp.random(30, 12, .4, format="csr", random_state=0)
    y = np.random.default_rng(0).integers(0, 2, 30)
    for scale in (1e153, 1e-154):
        for target in (None, y): assert np.allclose(spec(sparse*scale, target), spec(sparse, target), atol=1e-9)
        assert FSIR2(4).fit(sparse*scale, y).support_.tolist() == FSIR2(4).fit(sparse, y).support_.tolist()

@pytest.mark.parametrize("name", MAKERS)
def test_attributes_hold_together(name, k=7):
    X, y = data(10, 50, 40)
    for target in (None, y):
        m = MAKERS[name](k).fit(X, target)
        R = matrix(X, target, m.centered)
        assert m.objective_ == pytest.approx(R.objective(m.support_), rel=1e-9)
        assert m.lower_bound_ <= m.objective_ and m.gap_ == pytest.approx((m.objective_-m.lower_bound_)/m.objective_) and 0 <= m.gap_ <= 1
        assert sorted(m.ranking_) == list(range(1, 41)) and m.ranking_[m.support_].tolist() == list(range(1, k+1))
        assert np.allclose(m.relevance_, R.cost) and m.redundancy_weight_ == pytest.approx(R.weight)
        assert (m.certificate_ is None) == (k == 40 or name in ("ours", "phi1"))
        assert [g[0] for g in m.groups_.members] == m.support_.tolist() and m.n_iter_ >= 1 and m.transform(X).shape == (50, k)

def test_the_default_is_the_best_of_all_on_small_data():
    for seed in range(20):
        X, y = data(seed, 20, 11)
        kind = dict(relevance="phi1", centered=False) if seed % 2 else {}
        m, R = FSIR2(5, **kind).fit(X, y if seed % 3 else None), matrix(X, y if seed % 3 else None, not kind)
        assert R.objective(m.support_) == pytest.approx(m.objective_, rel=1e-12)
        assert m.objective_ == pytest.approx(exhaustive(R.dense(), 5), rel=1e-9)

def test_a_gap_of_nothing_is_a_proof():
    reasons = {}
    for seed in range(25):
        X, y = data(seed, 30, 10, shift=10)
        m = FSIR2(6, relevance="phi1", centered=False).fit(X, y)
        assert (m.stop_reason_ == "gap") == (m.gap_ <= m.tol)
        reasons[m.stop_reason_] = reasons.get(m.stop_reason_, 0)+1
        if m.stop_reason_ == "gap": assert m.objective_ == pytest.approx(exhaustive(matrix(X, y, False).dense(), 6), rel=1e-5)
    assert reasons["gap"] >= 2 and reasons["converged"] >= 2 and set(reasons) <= set(_STOP_REASONS)

def test_relevance_weight():
    X, y = data(11, 60, 30)
    heavy, none = FSIR2(5, relevance_weight=1e6).fit(X, y), FSIR2(5, relevance_weight=0).fit(X, y)
    assert set(heavy.support_) == set(np.argsort(spec(X, y))[:5])
    even = FSIR2(6, relevance_weight="balanced").fit(X, y)
    assert even.relevance_weight_ == 5 and even.support_.tolist() == FSIR2(6, relevance_weight=5).fit(X, y).support_.tolist()
    D = matrix(X, y).dense()
    D[np.diag_indices(30)] = 0
    assert none.objective_ == pytest.approx(D[np.ix_(none.support_, none.support_)].sum(), rel=1e-9) and none.objective_ < heavy.objective_

def test_duplicates_and_constants():
    X, y = data(12, 40, 8)
    both = np.c_[X, -2*X[:, [1, 3]]+5, np.ones(40), 3*X[:, 1]]
    with pytest.warns(UserWarning, match="1 constant column is never selected: 10"): m = FSIR2(4).fit(both, y)
    want = FSIR2(4).fit(X, y)
    assert m.support_.tolist() == want.support_.tolist() and m.objective_ == pytest.approx(want.objective_)
    assert m.ranking_[10] > 8 and m.relevance_[10] == np.inf and np.isfinite(np.delete(m.relevance_, 10)).all()
    for s, members in zip(m.support_, m.groups_.members):
        assert set(members.tolist()) == {1: {1, 8, 11}, 3: {3, 9}}.get(s, {s})
    assert m.z_[[8, 9, 10, 11]].tolist() == [-1]*4 and m.groups_.member_p_values is None
    with pytest.warns(UserWarning, match="only 8 features are neither constant nor a duplicate"): assert len(FSIR2(10).fit(both, y).support_) == 8
    raw = FSIR2(9, centered=False, relevance="phi1").fit(np.c_[X, 2*X[:, 1]+50, -3*X[:, 1]], y)
    assert sorted(raw.support_) == list(range(9)) and raw.ranking_[9] == 10                      # a multiple is a duplicate, a shift is not
    assert [g.tolist() for g in raw.groups_.members if 1 in g] == [[1, 9]]

# ---- graphs

def test_a_matrix_is_a_graph():
    X, y = data(15)
    W = naive.sample_similarity(X)
    want = FSIR2(4).fit(X)
    for g in (W, sp.csr_matrix(W), W.tolist(), 1e-200*W, 7*W):
        m = FSIR2(4, graph=g).fit(X, y)                                          # the labels are then not looked at
        assert m.support_.tolist() == want.support_.tolist() and m.objective_ == pytest.approx(want.objective_)
    near = kneighbors_graph(X, 5)                                                # its larger entry joins two samples
    assert FSIR2(4, graph=near).fit(X).support_.tolist() == FSIR2(4, graph=near.maximum(near.T).toarray()).fit(X).support_.tolist()

def test_too_many_samples_for_a_table():
    X, y = sp.random(6000, 40, .01, format="csc", random_state=0), np.arange(6000) % 2
    for ask in (FSIR2(2, graph="rbf").fit, paper(2, solver="lanczos").fit, lambda X, y: spec(X, y, kind="phi3")):
        with pytest.raises(ValueError, match="needs a table"): ask(X, y)

# ---- refused

@pytest.mark.parametrize("kw, part", [
    (dict(graph=-np.ones((40, 40))), "W must hold finite numbers >= 0"),
    (dict(graph=np.triu(np.ones((40, 40)))), "W must be symmetric"),
    (dict(graph=np.diag(np.r_[0, np.ones(39)])), "row 0 is all 0"),
    (dict(graph="classes"), "graph='classes' requires y")])
def test_graphs_that_would_give_another_answer_are_refused(kw, part):
    m = FSIR2(**kw)
    with pytest.raises(ValueError) as e: m.fit(data()[0])
    assert part in str(e.value) and not hasattr(m, "support_") and not hasattr(m, "objective_")

@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("score", [spec, laplacian_score])
def test_squares_that_do_not_fit_are_refused_by_name(score):
    X, y = np.random.default_rng(4).standard_normal((30, 4)), np.arange(30) % 2
    X[:, 2] *= 1e300
    for store in (np.asarray, sp.csc_matrix):
        with pytest.raises(ValueError, match="column"): score(store(X), y)

# ---- how it ends

def test_each_reason_that_can_occur(monkeypatch):
    X, y = data(20, 30, 60)
    assert FSIR2(60).fit(X).stop_reason_ == "gap" and FSIR2(60).fit(X).gap_ == 0                # nothing to choose: proved
    for name in ("ours", "lanczos", "secular"):
        m = MAKERS[name](10).fit(X)
        assert m.stop_reason_ == "converged" and m.gap_ > m.tol
    wide, _ = data(16, 60, 1000)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ended the relaxation with a gap"): early = FSIR2(150, max_iter=1).fit(wide)
    with pytest.warns(ConvergenceWarning, match="solver='power' stopped after 3 steps"): climbed = paper(150, max_iter=3, **OURS).fit(wide)
    full = FSIR2(150).fit(wide)
    assert early.stop_reason_ == climbed.stop_reason_ == "max_iter" and early.lower_bound_ <= full.lower_bound_+1e-9 <= full.objective_+1e-8
    with monkeypatch.context() as still:
        still.setattr(fsir2_bounds, "_solve_restricted_convex", lambda R, w, some, tol: w)
        with pytest.warns(ConvergenceWarning, match="rounding ended the relaxation with a gap of"): assert FSIR2(10).fit(X).stop_reason_ == "precision"
    for name in ("power", "lanczos"): assert MAKERS[name](30, tol=1e-300, max_iter=100000).fit(X).stop_reason_ == "precision"
    monkeypatch.setattr(fsir2_bounds, "_LARGE_SUPPORT", 0)
    assert FSIR2(150).fit(wide).stop_reason_ == "open"
    monkeypatch.undo()
    real = _improve_by_swaps
    monkeypatch.setattr(fsir2, "_improve_by_swaps", lambda R, S, total, note: real(R, S, total, 0, note))      # sweeps run out
    assert _select_by_search(matrix(X, None), 10, lambda *a: None).stop_reason == "max_iter"

# ---- size

def test_nothing_of_size_p_by_p_or_dense():
    X, labels = sp.random(100, 2000, .02, format="csc", random_state=1), np.arange(100) % 2
    FSIR2(5).fit(X, labels)         # loads the kernels
    for y in (labels, None):
        tracemalloc.start()
        FSIR2(5).fit(X, y)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert used < .8*100*2000*8, used       # less than X dense, though vectors of length p count

@pytest.mark.parametrize("centered, few", [(False, 8), (True, 1)])
def test_swaps_among_few_are_those_of_all(monkeypatch, centered, few):
    rng = np.random.default_rng(0)
    X, y = sp.random(120, 3000, .05, "csc", random_state=rng).tolil(), (rng.random(120) < .5).astype(int)
    X[:, :20] = (y[:, None]*(rng.random((120, 20)) < .6)).astype(float)
    R, S = matrix(sp.csc_matrix(X), y, centered), rng.choice(2900, 15, replace=False)
    kept = _improve_by_swaps(R, S)
    monkeypatch.setattr(fsir2, "_keep_redundancy", lambda R, S: None)
    monkeypatch.setattr(fsir2, "_FEW_LEFT", few)
    gathered = _improve_by_swaps(R, S)
    monkeypatch.setattr(fsir2, "_who_can_come", lambda *args: None)
    by_columns = _improve_by_swaps(R, S)
    assert kept.n_swaps == gathered.n_swaps == by_columns.n_swaps > 0
    assert kept.S.tolist() == gathered.S.tolist() == by_columns.S.tolist()
    np.testing.assert_allclose(gathered.total, by_columns.total, atol=1e-12)

# ---- ties

@pytest.mark.filterwarnings("ignore")
def test_exact_ties_do_not_depend_on_storage():
    for seed in range(8):
        r = np.random.default_rng(seed)
        X = (r.random((int(r.integers(4, 9)), int(r.integers(4, 8)))) < .5).astype(float)
        if X.std(0).max() == 0: continue
        found = [FSIR2(3).fit(make(X)).support_.tolist() for make in STORAGES.values()]
        assert all(f == found[0] for f in found)

def test_printed_redundancy_on_real_data(real_data):
    "Table V: RED .33 on PIE10P and .56 on TOX-171, by the paper's method (FSNB_DATA)"
    from fsnb.groups.metrics import redundancy_rate
    for name, printed in (("warpPIE10P", .33), ("TOX_171", .56)):
        X, y, _ = real_data(name)
        d = round(.05*X.shape[1])
        m, ours = paper(d, solver="lanczos").fit(X, y), MAKERS["phi1"](d).fit(X, y)
        assert abs(redundancy_rate(X, m.support_, kind="cosine2")-printed) < .02
        assert ours.objective_ < m.objective_ and ours.gap_ < 1e-3 and ours.lower_bound_ > m.lower_bound_
