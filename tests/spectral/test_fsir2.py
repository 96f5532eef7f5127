"FSIR2: against the literal paper and all subsets; what it proves, what it refuses"
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import fsnb.spectral.convex
import fsnb.spectral.exchange
import fsnb.spectral.fsir2
import fsnb.spectral.relaxation
from fsnb import FSIR2, naive
from fsnb.groups.selector import _STOP_REASONS
from fsnb.spectral.scores import laplacian_score, spec
from spectral_data import PAPER, STORAGES, data, exhaustive, matrix, plain


def test_sphere_is_the_papers():
    for seed in range(5):
        X, y = data(seed)
        for target in (None, y):
            R, z = naive.fsir2(X, target, 4, 40000)
            for solver in ("power", "lanczos", "secular"):
                m = FSIR2.icdm2015(4, solver=solver, tol=1e-9).fit(X, target)
                assert np.abs(m.z_-z).max() < 1e-4
                assert set(m.support_) == set(np.argsort(-z)[:4]) and m.certificate_.is_global
                assert m.objective_ == pytest.approx(R[np.ix_(m.support_, m.support_)].sum(), rel=1e-9)
                assert m.z_.sum() == pytest.approx(2*4-12, abs=1e-8) and m.z_@m.z_ == pytest.approx(12)
            projected = FSIR2(4, relevance="phi1", centered=False, solver="power", rounding="top", tol=1e-9).fit(X, target)
            assert np.abs(projected.z_-z).max() < 1e-4 and projected.n_iter_ < FSIR2.icdm2015(4, tol=1e-9).fit(X, target).n_iter_


@parametrize_with_checks([FSIR2(), FSIR2(solver="greedy_swap"), FSIR2.icdm2015(), FSIR2(solver="lanczos", relevance="phi1", centered=False),
                          FSIR2(graph="neighbors", n_neighbors=1), FSIR2(solver="secular", rounding="top")])
def test_sklearn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("kw", [{}, dict(solver="greedy_swap"), PAPER | dict(solver="lanczos"), dict(relevance="phi1"), dict(centered=False), dict(graph="neighbors")])
def test_any_storage_and_threads_give_the_same(kw):
    for seed in range(3):
        X, y = data(seed, 50, 30, zeros=.6)
        for target in (None, y):
            if target is not None and "graph" in kw: continue
            first = FSIR2(6, **kw).fit(X, target)
            for name, make in STORAGES.items():
                for jobs in (1, 2) if name in ("C", "csc") else (1,):       # the others become one of these
                    m = FSIR2(6, n_jobs=jobs, **kw).fit(make(X), target)
                    assert m.support_.tolist() == first.support_.tolist() and m.ranking_.tolist() == first.ranking_.tolist(), name
                    assert m.objective_ == pytest.approx(first.objective_, rel=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8, bool])
def test_any_number(dtype):
    X = np.random.default_rng(0).integers(0, 2 if dtype is bool else 5, (40, 15))
    want = FSIR2(5).fit(X.astype(float))
    for make in (np.asarray, sp.csc_matrix):
        m = FSIR2(5).fit(make(X.astype(dtype)))
        assert m.support_.tolist() == want.support_.tolist() and m.objective_ == pytest.approx(want.objective_, rel=1e-6)


def test_scale_and_place_do_not_matter():
    X, y = data(9, 40, 20)
    want = FSIR2(5).fit(X)
    for Z in (X*1e-8, X*1e8, X*1e150, X+1e5): assert set(FSIR2(5).fit(Z).support_) == set(want.support_)


def test_attributes_hold_together():
    X, y = data(10, 50, 40)
    for kw in (dict(), dict(solver="greedy_swap"), dict(solver="lanczos"), dict(solver="secular", rounding="top"), PAPER, dict(solver="power")):
        for k in (1, 7, 39, 40):
            for target in (None, y):
                m = FSIR2(k, **kw).fit(X, target)
                R = matrix(X, target, kw.get("centered", True))
                assert m.objective_ == pytest.approx(R.objective(m.support_), rel=1e-9)
                assert m.lower_bound_ <= m.objective_ and m.gap_ == pytest.approx((m.objective_-m.lower_bound_)/m.objective_) and 0 <= m.gap_ <= 1
                assert len(m.support_) == k and sorted(m.ranking_) == list(range(1, 41)) and m.ranking_[m.support_].tolist() == list(range(1, k+1))
                assert np.allclose(m.relevance_, R.cost) and m.redundancy_weight_ == pytest.approx(R.weight)
                assert (m.certificate_ is None) == (k == 40 or kw.get("solver") in (None, "greedy_swap"))
                assert [g[0] for g in m.groups_.members] == m.support_.tolist() and m.n_iter_ >= 1
                assert m.transform(X).shape == (50, k)
    assert FSIR2(40, rounding="top").fit(X).support_.tolist() == FSIR2(40).fit(X).support_.tolist()


def test_a_corner_is_a_proof():
    "Where the convex relaxation ends in a corner, the selection is the best of all"
    proved = 0
    for seed in range(40):
        X, y = data(seed, 30, 10, shift=10)
        m = FSIR2(6, relevance="phi1", centered=False).fit(X, y)
        if m.gap_ < 1e-7:
            proved += 1
            assert m.objective_ == pytest.approx(exhaustive(matrix(X, y, False).dense(), 6), rel=1e-7)
    assert proved >= 2


def test_relevance_weight():
    X, y = data(11, 60, 30)
    heavy, none = FSIR2(5, relevance_weight=1e6).fit(X, y), FSIR2(5, relevance_weight=0).fit(X, y)
    assert set(heavy.support_) == set(np.argsort(spec(X, y))[:5])
    even = FSIR2(6, relevance_weight="balanced").fit(X, y)
    assert even.relevance_weight_ == 5 and even.support_.tolist() == FSIR2(6, relevance_weight=5).fit(X, y).support_.tolist()
    with pytest.raises(ValueError, match="relevance_weight must be 'balanced' or lie in"): FSIR2(6, relevance_weight="mean").fit(X, y)
    D = matrix(X, y).dense()
    D[np.diag_indices(30)] = 0
    assert none.objective_ == pytest.approx(D[np.ix_(none.support_, none.support_)].sum(), rel=1e-9) and none.objective_ < heavy.objective_
    free = FSIR2(2, relevance_weight=0).fit(np.linalg.qr(np.c_[np.ones(9), np.random.default_rng(0).standard_normal((9, 4))])[0][:, 1:], np.arange(9) % 3)
    assert free.gap_ == 0 and free.objective_ < 1e-12


def test_duplicates_and_constants():
    X, y = data(12, 40, 8)
    both = np.c_[X, -2*X[:, [1, 3]]+5, np.ones(40), 3*X[:, 1]]
    with pytest.warns(UserWarning, match="1 constant column is never selected: 10"): m = FSIR2(4).fit(both, y)
    want = FSIR2(4).fit(X, y)
    assert m.support_.tolist() == want.support_.tolist() and m.objective_ == pytest.approx(want.objective_)
    assert m.ranking_[10] > 8 and m.relevance_[10] == np.inf and np.isfinite(np.delete(m.relevance_, 10)).all()
    for s, members in zip(m.support_, m.groups_.members):
        if s in (1, 3): assert {8 if s == 1 else 9} <= set(members.tolist()) and (s == 3 or 11 in members)
    assert m.z_[[8, 9, 10, 11]].tolist() == [-1]*4
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        all_of_them = FSIR2(10).fit(both, y)
    assert len(all_of_them.support_) == 8 and any("only 8 features are neither constant nor a duplicate" in str(w.message) for w in told)
    with pytest.warns(UserWarning, match="only 1 feature is neither constant nor a duplicate of another"): FSIR2(2).fit(X[:, [1, 1]], y)
    raw = FSIR2(9, centered=False, relevance="phi1").fit(np.c_[X, 2*X[:, 1]+50, -3*X[:, 1]], y)
    assert sorted(raw.support_) == list(range(9)) and raw.ranking_[9] == 10                      # a multiple is a duplicate, a shift is not
    assert [g.tolist() for g in raw.groups_.members if 1 in g] == [[1, 9]]


def test_the_paper_to_the_letter_keeps_constants_and_duplicates():
    X, y = data(13, 30, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = FSIR2.icdm2015(2, solver="lanczos").fit(np.c_[X, np.ones((30, 2))], y)
    R, z = naive.fsir2(np.c_[X, np.ones((30, 2))], y, 2, 10)
    assert m.objective_ == pytest.approx(R[np.ix_(m.support_, m.support_)].sum()) and m.relevance_[6] < 1e-12
    with pytest.raises(ValueError, match="solver='power' cannot begin.*solver='lanczos'"): FSIR2.icdm2015(1).fit(np.c_[X[:, 0], X[:, 0]])


def test_one_sample_classes_are_said():
    X, y = data(14)
    y[7] = 9
    with pytest.warns(UserWarning, match="1 class holds one sample, which tells nothing of relevance: 9"): m = FSIR2(3).fit(X, y)
    assert np.allclose(m.relevance_, spec(X, graph=naive.sample_similarity(X, y)))
    assert FSIR2(3).fit(X, np.where(y > 0, "a", "b")).support_.tolist() == FSIR2(3).fit(X, y > 0).support_.tolist()


def test_a_graph_of_ones_own():
    X, y = data(15)
    W = naive.sample_similarity(X)
    want = FSIR2(4).fit(X)
    for g in (W, sp.csr_matrix(W), W.tolist(), 1e-200*W, 7*W):
        m = FSIR2(4, graph=g).fit(X, y)                                          # the labels are then not looked at
        assert m.support_.tolist() == want.support_.tolist() and m.objective_ == pytest.approx(want.objective_)
    r = np.random.default_rng(0)
    steep = np.ones((6, 6)); steep[0] *= 1e-14; steep[:, 0] *= 1e-14
    assert FSIR2(2, graph=steep).fit(np.c_[np.eye(6)[:, 0], r.standard_normal((6, 4))]).objective_ >= 2-1e-6


BAD = [(dict(n_features_to_select=0), "n_features_to_select must be a whole number in [1, n_features=12], got 0"), (dict(n_features_to_select=13), "n_features_to_select"),
       (dict(n_features_to_select=2.5), "got 2.5"), (dict(relevance="phi3"), "relevance must be one of 'phi1', 'phi2', got 'phi3'"), (dict(centered="yes"), "centered must be one of"),
       (dict(relevance_weight=-1), "relevance_weight must be 'balanced' or lie in [0, 1e100], got -1"), (dict(relevance_weight=np.nan), "relevance_weight"), (dict(solver="x"), "solver must be one of"),
       (dict(rounding="x"), "rounding must be one of"), (dict(solver="greedy_swap", rounding="top"), "rounding='top' needs a relaxation"),
       (dict(graph="x"), "graph must be one of"), (dict(graph=np.eye(3)), "or have shape (40, 40), got shape (3, 3)"), (dict(graph=-np.ones((40, 40))), "W must hold finite numbers >= 0"),
       (dict(graph=np.triu(np.ones((40, 40)))), "W must be symmetric"), (dict(graph=np.diag(np.r_[0, np.ones(39)])), "row 0 is all 0"), (dict(graph=np.ones((40, 40), complex)), "real numbers"),
       (dict(graph="classes"), "graph='classes' requires y"), (dict(sigma=0), "sigma must be None or lie in (0, inf), got 0"), (dict(sigma=1e-300), "sigma must be of the order"), (dict(sigma=1e200), "sigma must be of the order"),
       (dict(sigma=1e-320), "sigma must be of the order"), (dict(sigma=np.zeros(3)), "sigma must be None or lie in (0, inf), got array"), (dict(n_neighbors=False), "n_neighbors must be"),
       (dict(n_neighbors=np.nan), "n_neighbors must be a whole number"), (dict(relevance_weight=1e200), "relevance_weight must be 'balanced' or lie in [0, 1e100]"),
       (dict(graph=7), "or have shape (40, 40), got 7"), (dict(graph=pd.Series(np.ones(40))), "got shape (40,)"), (dict(graph=[[1], [2, 3]]), "or have shape (40, 40)"),
       (dict(sigma=1e-4), "no sample is like another"), (dict(graph="neighbors", n_neighbors=40), "n_neighbors must be a whole number in [1, n_samples-1=39], got 40"),
       (dict(merge_duplicates="no"), "merge_duplicates must be one of True, False, got 'no'"), (dict(merge_duplicates=1), "merge_duplicates must be one of"),
       (dict(PAPER, solver="greedy_swap"), "rounding='top' needs a relaxation"),
       (dict(tol=0), "tol"), (dict(max_iter=0), "max_iter"), (dict(verbose=-1), "verbose"), (dict(n_jobs=0), "n_jobs")]

@pytest.mark.parametrize("kw, part", BAD, ids=lambda v: "")
def test_bad_parameters_are_one_error(kw, part):
    X, _ = data()
    m = FSIR2(**kw)
    with pytest.raises(ValueError) as e: m.fit(X)
    assert part in str(e.value)
    assert not hasattr(m, "support_") and not hasattr(m, "objective_")


@pytest.mark.parametrize("X, y, part", [
    (np.ones((5, 3)), None, "all 3 columns are constant"), (np.where(np.eye(5, 3) > 0, np.nan, 1.), None, "NaN"), (np.where(np.eye(5, 3) > 0, np.inf, 1.), None, "infinity"),
    (np.eye(5), np.zeros(5), "two classes or more"), (np.eye(5), np.arange(5), "a class of two samples or more, but all 5 samples differ"), (np.eye(5), [0, 1, 0], "inconsistent"),
    (np.eye(5), [0, 1, np.nan, 0, 1], "NaN"), (np.eye(1), None, "minimum of 2"), (np.empty((5, 0)), None, "0 feature"), (np.eye(5)*1e160, None, "squares fit"),
    (np.eye(9)*1.2e154, None, "squares fit")])
def test_bad_data_is_one_error(X, y, part):
    with pytest.raises(ValueError) as e: FSIR2(2).fit(X, y)
    assert part in str(e.value)


def test_too_many_samples_for_a_table():
    X = sp.random(6000, 40, .01, format="csc", random_state=0)
    with pytest.raises(ValueError, match="graph of all pairs needs a table of 6000 x 6000, larger than X: take graph='neighbors', or pass y"): FSIR2(2, graph="rbf").fit(X)
    with pytest.warns(UserWarning, match="table of 6000 x 6000, larger than X: graph='neighbors' is taken"): assert len(FSIR2(2).fit(X).support_) == 2
    y = np.arange(6000) % 2
    with pytest.raises(ValueError, match="solver='lanczos' needs a table.*take solver='greedy_swap'"): FSIR2(2, solver="lanczos").fit(X, y)
    for m in (FSIR2(2).fit(X, y), FSIR2(2, graph="neighbors").fit(X)): assert len(m.support_) == 2
    with pytest.raises(ValueError, match="kind='phi3' needs a table"): spec(X, y, kind="phi3")
    with pytest.raises(ValueError, match="n_eigenvectors must be a whole number in \\[2, n_samples=6000\\], got 1"): spec(X, y, n_eigenvectors=1)
    with pytest.raises(ValueError, match="y must have shape"): spec(X, 3, graph="classes")


def test_too_many_features_for_a_matrix(monkeypatch):
    monkeypatch.setattr(fsnb.spectral.relaxation, "_MOST_SECULAR", 10)
    with pytest.raises(ValueError, match="at most 10 features, got 12: take solver='lanczos'"): FSIR2(2, solver="secular").fit(data()[0])


def test_nothing_of_size_p_by_p_or_dense():
    import tracemalloc
    X = sp.random(100, 20000, .01, format="csc", random_state=1)
    FSIR2(5).fit(X[:, :500])
    FSIR2(5).fit(X[:, :500], np.arange(100) % 2)
    for y in (None, np.arange(100) % 2):
        tracemalloc.start()
        FSIR2(5).fit(X, y)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert used < .8*100*20000*8, used                                       # two entries a column: vectors of length p count; X dense would be 16 MB
    D = np.random.default_rng(0).standard_normal((200, 20000))
    tracemalloc.start()
    FSIR2(10).fit(D)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < D.nbytes, used


def test_stops_early_are_said():
    X, y = data(16, 60, 1000)
    with pytest.warns(ConvergenceWarning, match="solver='power' stopped after 3 steps"): FSIR2(20, solver="power", max_iter=3).fit(X)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ended the relaxation with a gap"): m = FSIR2(150, max_iter=1).fit(X)
    full = FSIR2(150).fit(X)
    assert m.n_iter_ == 1 and m.lower_bound_ <= full.lower_bound_+1e-9 <= full.objective_+1e-8


def test_progress_and_interruption(capsys, monkeypatch):
    X, y = data(17, 40, 30)
    FSIR2(3, verbose=2).fit(X)
    err = capsys.readouterr().err
    assert "feature 1: " in err and "sweep 1: " in err and "round 0: " in err
    FSIR2(3, verbose=1).fit(X)
    assert "FSIR2" in capsys.readouterr().err
    FSIR2(3, verbose=2, solver="lanczos").fit(X)
    assert "products, residual" in capsys.readouterr().err
    def stop(*args, **kw): raise KeyboardInterrupt
    monkeypatch.setattr(fsnb.spectral.fsir2, "list_duplicates", stop)
    m = FSIR2(3)
    with pytest.raises(KeyboardInterrupt): m.fit(X)
    assert not [a for a in vars(m) if a.endswith("_") and a != "n_features_in_"]


def test_names_pickle_clone():
    X, y = data(18)
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(12)])
    m = FSIR2(3).fit(frame, y)
    assert m.get_feature_names_out().tolist() == [f"gene{j}" for j in sorted(m.support_)] and m.groups_.names is not None
    again = pickle.loads(pickle.dumps(m))
    assert again.support_.tolist() == m.support_.tolist() == clone(m).fit(frame, y).support_.tolist()
    assert FSIR2(12).fit(frame).support_.shape == FSIR2().fit(frame.iloc[:, :4]).support_.shape[:0]+(12,)


def test_printed_redundancy_on_real_data(real_data):
    "Table V: RED .33 on PIE10P and .56 on TOX-171, by the paper's method (FSNB_DATA)"
    from fsnb.groups.metrics import redundancy_rate
    for name, printed in (("warpPIE10P", .33), ("TOX_171", .56)):
        X, y, _ = real_data(name)
        d = round(.05*X.shape[1])
        m = FSIR2.icdm2015(d, solver="lanczos").fit(X, y)
        assert abs(redundancy_rate(X, m.support_, kind="cosine2")-printed) < .02
        ours = FSIR2(d, relevance="phi1", centered=False).fit(X, y)
        assert ours.objective_ < m.objective_ and ours.gap_ < 1e-3 and ours.lower_bound_ > m.lower_bound_


def test_the_default_is_the_best_of_all_on_small_data():
    "The rounding of the relaxation is taken only where it is cheaper than what the search found, and the other way round"
    for seed in range(60):
        X, y = data(seed, 20, 11)
        kind = dict(relevance="phi1", centered=False) if seed % 2 else {}
        m, R = FSIR2(5, **kind).fit(X, y if seed % 3 else None), matrix(X, y if seed % 3 else None, not kind)
        assert R.objective(m.support_) == pytest.approx(m.objective_, rel=1e-12)
        assert m.objective_ == pytest.approx(exhaustive(R.dense(), 5), rel=1e-9)


def test_relevance_and_redundancy_are_centred_apart():
    X, y = data(19, 40, 10, shift=3)
    flat = np.c_[X, np.ones(40)]
    for kind, centered in (("phi1", True), ("phi2", False)):
        with pytest.warns(UserWarning, match="1 constant column is never selected: 10"): m = FSIR2(4, relevance=kind, centered=centered).fit(flat, y)
        rel, f = spec(X, y, kind=kind), plain(X, naive.sample_similarity(X, y), centered)[0]
        R = (1-3/40)*(f.T@f)**2
        R[np.diag_indices(10)] = rel
        assert np.allclose(m.relevance_[:10], rel) and 10 not in m.support_ and m.ranking_[10] == 11
        assert m.objective_ == pytest.approx(exhaustive(R, 4), rel=1e-9)


def test_rounding_cannot_keep_it_going():
    X, _ = data(20, 30, 60)
    m = FSIR2(30, tol=1e-300).fit(X)
    assert m.n_iter_ < 50 and m.objective_ == pytest.approx(FSIR2(30).fit(X).objective_)


def test_sparse_at_the_ends_of_float64():
    X = sp.random(30, 12, .4, format="csr", random_state=0)
    y = np.random.default_rng(0).integers(0, 2, 30)
    for scale in (1e153, 1e-154):
        assert np.allclose(spec(X*scale, y), spec(X, y), atol=1e-9) and np.allclose(spec(X*scale), spec(X), atol=1e-9)
        assert FSIR2(4).fit(X*scale, y).support_.tolist() == FSIR2(4).fit(X, y).support_.tolist()
    with pytest.raises(ValueError, match="squares fit"): spec(X*1e155, y)


def test_exact_ties_do_not_depend_on_storage():
    for seed in range(80):
        r = np.random.default_rng(seed)
        X = (r.random((int(r.integers(4, 9)), int(r.integers(4, 8)))) < .5).astype(float)
        if X.std(0).max() == 0: continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [FSIR2(3).fit(make(X)).support_.tolist() for make in STORAGES.values()]
        assert all(f == found[0] for f in found)


def test_short_of_the_summit_is_said():
    X, y = data(24, 20, 8)      # the summit tells the copies apart: of twelve draws in two
    X[:, 1] = X[:, 0]
    with pytest.warns(ConvergenceWarning, match="solver='power' stopped after .* short of the summit"): m = FSIR2.icdm2015(3).fit(X, y)
    assert not m.certificate_.is_global and FSIR2.icdm2015(3, solver="lanczos").fit(X, y).certificate_.is_global


# ---- groups

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_groups_are_exact_duplicates(store):
    r = np.random.default_rng(3)
    X, y = r.standard_normal((20, 500)), np.arange(20) % 2
    X[:, 7] = y+.1*r.standard_normal(20)
    X[:, 499] = -3*X[:, 7]
    m = FSIR2(4, relevance_weight="balanced").fit(store(X), y)
    assert {7, 499} <= set(m.groups_.all_members) and len(m.groups_.all_members) == 5 and m.groups_.member_p_values is None


# ---- why it ended

def test_each_reason_that_can_occur(monkeypatch):
    X, y = data(20, 30, 60)
    assert FSIR2(60).fit(X).stop_reason_ == "gap" and FSIR2(60).fit(X).gap_ == 0                # nothing to choose: proved
    for kw in (dict(), dict(solver="greedy_swap"), dict(solver="lanczos"), dict(solver="secular"), dict(rounding="top")):
        m = FSIR2(10, **kw).fit(X)
        assert m.stop_reason_ == "converged" and m.gap_ > m.tol, kw
    wide, _ = data(16, 60, 1000)
    for kw in (dict(max_iter=1), dict(solver="power", max_iter=3)):
        with pytest.warns(ConvergenceWarning): assert FSIR2(150, **kw).fit(wide).stop_reason_ == "max_iter"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert FSIR2(40, tol=1e-300).fit(data(4, 20, 60)[0]).stop_reason_ in ("gap", "converged", "precision")     # which, is rounding's
    with monkeypatch.context() as still:
        still.setattr(fsnb.spectral.convex, "_solve_restricted_convex", lambda R, w, some, tol: w)
        with pytest.warns(ConvergenceWarning, match="rounding ended the relaxation with a gap of"):
            assert FSIR2(10).fit(X).stop_reason_ == "precision"
    for solver in ("power", "lanczos"): assert FSIR2(30, solver=solver, tol=1e-300, max_iter=100000).fit(X).stop_reason_ == "precision"
    monkeypatch.setattr(fsnb.spectral.convex, "_LARGE_SUPPORT", 0)
    short = FSIR2(150).fit(wide)
    assert short.stop_reason_ == "open" and short.gap_ > short.tol
    monkeypatch.undo()
    real = fsnb.spectral.exchange._improve_by_swaps
    monkeypatch.setattr(fsnb.spectral.exchange, "_improve_by_swaps", lambda R, S, total, note: real(R, S, total, 0, note))      # sweeps run out
    assert FSIR2(10, solver="greedy_swap").fit(X).stop_reason_ == "max_iter"


def test_a_proved_selection_says_gap():
    reasons = {}
    for seed in range(40):
        X, y = data(seed, 30, 10, shift=10)
        m = FSIR2(6, relevance="phi1", centered=False).fit(X, y)
        assert (m.stop_reason_ == "gap") == (m.gap_ <= m.tol)
        reasons[m.stop_reason_] = reasons.get(m.stop_reason_, 0)+1
        if m.stop_reason_ == "gap": assert m.objective_ == pytest.approx(exhaustive(matrix(X, y, False).dense(), 6), rel=1e-5)
    assert reasons["gap"] >= 2 and reasons["converged"] >= 2 and set(reasons) <= set(_STOP_REASONS)


# ---- nothing silently wrong

@pytest.mark.parametrize("kw", [dict(sigma=-1), dict(sigma=np.array([1.])), dict(sigma="wide"), dict(n_neighbors=0), dict(n_neighbors=""), dict(n_neighbors=pd.NaT)])
def test_a_parameter_that_is_not_used_is_checked_too(kw):
    X, y = data()
    name = next(iter(kw))
    for call in (lambda: FSIR2(3, **kw).fit(X, y), lambda: spec(X, y, **kw), lambda: laplacian_score(X, y, **kw), lambda: FSIR2(3, graph="rbf", **kw).fit(X)):
        with pytest.raises(ValueError, match=f"^{name} must be"): call()


def test_labels_that_come_fit_though_they_are_not_looked_at():
    X, y = data()
    for graph in ("rbf", "neighbors", naive.sample_similarity(X)):
        for wrong in (1, y[1:], np.c_[y, y]):
            with pytest.raises(ValueError, match=r"y must have shape \(40,\), got"): FSIR2(3, graph=graph).fit(X, wrong)
            with pytest.raises(ValueError, match=r"y must have shape \(40,\), got"): spec(X, wrong, graph=graph)


def test_numbers_of_numpy_do_not_wrap():
    X, y = data(0, 60, 30)
    want = FSIR2(5).fit(X, y)
    m = FSIR2(np.int8(5), max_iter=np.int8(127), relevance_weight=np.float32(1), tol=np.float64(1e-6)).fit(X, y)
    assert m.support_.tolist() == want.support_.tolist() and m.objective_ == want.objective_


@pytest.mark.parametrize("shift", [1e15, 1e17, 1e200])
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_far_from_zero_is_right_or_refused(shift, store):
    "No warning of numpy and no number that is not finite: an error that names the column, or the answer of what float64 holds"
    X, y = data(3, 40, 12)
    Z = np.round(8*X)+shift
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for kw in (dict(), dict(solver="lanczos"), dict(solver="greedy_swap")):
            for target in (None, y):
                try: m = FSIR2(3, **kw).fit(store(Z), target)
                except ValueError as e: assert "column" in str(e) and "X must" in str(e)
                else: assert np.isfinite([m.objective_, m.lower_bound_, m.gap_]).all()


def test_a_refit_that_is_interrupted_leaves_no_old_selection(monkeypatch):
    X, y = data(17, 40, 30)
    for place in ("list_duplicates", "_select_features", "_show_solution", "set_result"):
        m = FSIR2(3).fit(X, y)
        def stop(*args, **kw): raise KeyboardInterrupt
        with monkeypatch.context() as patch:
            patch.setattr(fsnb.spectral.fsir2, place, stop)
            with pytest.raises(KeyboardInterrupt): m.fit(X[:, :20], y)
        assert not hasattr(m, "support_") and not hasattr(m, "groups_")
        assert m.fit(X[:, :20], y).n_features_in_ == 20


@pytest.mark.parametrize("storage", [np.asarray, sp.csc_matrix])
@pytest.mark.parametrize("solver", ["lanczos", "secular", "convex", "greedy_swap"])
def test_equal_selections_become_one(storage, solver):
    "Columns of one entry each are alike: any three are as good, and where the relaxation came out said which"
    m = FSIR2(3, graph="neighbors", solver=solver).fit(storage(np.eye(60)[:, :12]))
    assert m.support_.tolist() == [0, 1, 2]
