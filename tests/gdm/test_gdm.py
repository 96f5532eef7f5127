"GDM: the contract of scikit-learn, groups and rounds against plain loops, bounds against exhaustive search, bad input"
import io, itertools, pickle, re, tracemalloc, warnings
from contextlib import redirect_stderr, redirect_stdout
import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import fsnb
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.correlation.pearson import as_correlation
from fsnb.gdm import gdm as estimator, rounds as working_set
from fsnb.gdm.gdm import GDM, _MODES
from fsnb.gdm.kernel_weights import solve_restricted
from fsnb.groups.metrics import strict_hits
from fsnb.groups.synthetic import make_groups


def test_it_is_at_the_door():
    assert fsnb.GDM is GDM


# ---- the contract of scikit-learn

@parametrize_with_checks([
    GDM(),
    GDM(mode="cut"),
    GDM(mode="cut", fit_on="supports"),
    GDM(fit_on="supports"),
    GDM(rank_by="support"),
    GDM(rank_by="group", tau=.6),
    GDM(mode="thesis2015"),
    GDM.thesis2015(10, n_per_iter=1),
    GDM.icml2012(10, n_per_iter=1),
])
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


# ---- data, and the plain loops

def clusters(seed, n=None, p=None, signed=True):
    "Generic data: crowds of features with signs, duplicates, mirror images and a constant; labels from a few of them"
    r = np.random.default_rng(seed)
    n, p = n or int(r.integers(12, 45)), p or int(r.integers(4, 24))
    k = max(2, p//4)
    f = r.standard_normal((n, k))
    X = f[:, r.integers(k, size=p)]*r.choice([-1, 1] if signed else [1], p)+r.uniform(.1, 1.2, p)*r.standard_normal((n, p))
    for _ in range(p//6): X[:, r.integers(p)] = r.choice([-1, 1])*X[:, r.integers(p)]
    X[:, r.integers(p)] = r.integers(2)
    return X, labels(X, r), r


def whole(seed):
    "Integer data, many zeros: ties, duplicates, mirror images and a constant"
    r = np.random.default_rng(seed)
    n, p = int(r.integers(12, 45)), int(r.integers(4, 24))
    X = r.integers(-1 if seed % 2 else 0, 4, (n, p))*(r.random((n, p)) < r.uniform(.3, 1))
    for _ in range(p//3):
        j = r.integers(p)
        X[:, j] = r.choice([-1, 1] if seed % 2 else [1])*X[:, r.integers(p)]
        X[r.integers(n), j] += r.integers(2)
    X[:, r.integers(p)] = r.integers(2)
    return X.astype(float), labels(X, r), r


def labels(X, r):
    w = r.standard_normal(X.shape[1])*(r.random(X.shape[1]) < .5)
    z = (X-X.mean(0))@w+.3*r.standard_normal(len(X))
    return np.where(z > np.quantile(z, r.uniform(.3, .7)), 1, -1)


def table(X):
    "All of naive.pearson, 0 for constants, 1 on the diagonal"
    p = X.shape[1]
    R = np.eye(p)
    for j, k in itertools.combinations(range(p), 2): R[j, k] = R[k, j] = np.nan_to_num(naive.pearson(X[:, j], X[:, k]))
    return R


def standardised(X):
    std = X.std(0)
    return (X-X.mean(0))/np.where(std > 1e-9, std, 1)


def quiet(estimator, X, y):
    "Fit; constants and too few groups are what these data are made of"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return estimator.fit(X, y)


def agrees(groups, plain):
    assert [m.tolist() for m in groups.members] == [[k for k, _ in g] for g in plain]
    for c, g in zip(groups.correlations, plain): np.testing.assert_allclose(c, [r for _, r in g], atol=1e-9)


@pytest.fixture
def sharp(monkeypatch):
    "Rounds solved as closely as the end, so that alpha depends on the problem only"
    monkeypatch.setattr(estimator, "_ROUND_TOL", 1e-9)
    return dict(tol=1e-9)


# ---- groups

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_groups_equal_the_plain_loops(store):
    linked = large = 0
    for seed in range(100):
        X, y, r = (clusters if seed % 2 else whole)(seed)
        R, constant = table(X), np.flatnonzero(X.max(0) == X.min(0))
        mode, tau = ["global", "cut"][seed//2 % 2], float(r.choice([.1, .3, .5, .7]))
        k = int(r.integers(1, min(6, X.shape[1])+1))
        g = quiet(GDM(k, tau=tau, mode=mode, n_per_iter=int(r.integers(1, k+1)),
                      rank_by=["support", "pair", "group"][seed % 3], chance=None), store(X), y)
        supports = g.support_.tolist()
        assert 1 <= len(supports) <= k and not set(supports) & set(constant)
        found = [naive.find_group(R, z, tau, True) for z in supports]
        plain = naive.assign_members(supports, found)
        agrees(g.groups_, plain)
        assert g.groups_.n_features == X.shape[1] and len(g.groups_.rounds) == len(g.groups_.scores) == len(supports)
        assert (np.diff(g.groups_.rounds) >= 0).all() and g.groups_.rounds[0] == 0
        assert g.groups_.rounds[-1] == g.n_iter_-1 or mode != "global" and g.groups_.rounds[-1] < g.n_iter_
        assert not set(g.groups_.all_members) & set(constant)
        if mode == "global":
            near = np.abs(R[np.ix_(supports, supports)]) >= 1-tau-1e-10
            assert near.sum() == len(supports)
        linked += sum(not d for f in found for _, _, d in f)
        large += sum(len(m) > 2 for m in plain)
    assert linked > 40 and large > 40


def first_alpha(y, intercept):
    return np.where(y > 0, .5/(y > 0).sum(), .5/(y < 0).sum()) if intercept else np.full(len(y), 1/len(y))


def plain_evidence(X, v):
    "What ranks the features where chance is asked: half its square is S^2/2W and the share of the octave"
    Z, v, varies = standardised(X), v-v.mean(), X.max(0) > X.min(0)
    octave = [int(np.log2(max(1, np.count_nonzero(x)))) for x in X.T]
    out = []
    for j, z in enumerate(Z.T):
        S, V, Q = sum(z*v), sum(v**2), sum(z**2*v**2)
        peers = sum(varies[k] and octave[k] == octave[j] for k in range(len(octave)))
        out.append(np.sign(S)*np.sqrt(S**2/((Q+2*V)/3)+2*np.log(varies.sum()/peers)) if varies[j] else 0)
    return np.array(out)


def plain_found(R, P, z, tau, level):
    "What z attracts and chance does not explain, and the features near enough that it does explain"
    mine = R.copy()
    mine[z, P[z] > level] = 0
    refused = [k for k in range(len(R)) if k != z and abs(R[z, k]) >= 1-tau-1e-10 and P[z, k] > level]
    return naive.find_group(mine, z, tau, True), refused


def plain_cut(R, P, s, most, tau, banned, level):
    "The walk down the scores: what is near a support is not taken, refused or not"
    taken, found, refused, near = [], [], [], set(banned)
    for z in np.lexsort((np.arange(len(s)), -np.round(np.abs(s), 10))).tolist():
        if len(taken) == most: break
        if z in near or s[z] == 0: continue
        got, not_got = plain_found(R, P, z, tau, level)
        taken.append(z); found.append(got); refused.append(not_got)
        near |= {z, *(q for q, _, _ in got), *not_got}
    return taken, found, refused


def p_table(X, R):
    "The chance of every pair"
    related = as_correlation(as_columns(X))
    return np.array([related.p_values(z, np.arange(len(R)), R[z]) for z in range(len(R))])


def balanced(weights, y):
    "Scaled so that each class has one half"
    return np.where(y > 0, weights/weights[y > 0].sum(), weights/weights[y < 0].sum())/2


def plain_rounds(X, y, R, k, per, tau, rank_by, fit_on, C, level=None):
    "mode='global' spelled out, every candidate in the competition; with a level chance is asked, too"
    Z, alpha = standardised(X), first_alpha(y, True)
    supports, found, banned, cuts, close = [], [], set(np.flatnonzero(X.max(0) == X.min(0)).tolist()), [], []
    refused, P = [], np.zeros(R.shape) if level is None else p_table(X, R)
    while len(supports) < k:
        s, b = naive.scores(X, alpha*y), min(per, k-len(supports))
        if level is not None: s = plain_evidence(X, alpha*y)
        new, got, not_got = plain_cut(R, P, s, b if rank_by == "support" else len(s), tau, banned, level or 1)
        def worth(i):
            own = [s[q]**2 for q, _, _ in got[i] if q not in banned]
            if rank_by == "pair": own = [min(max(own), s[new[i]]**2)] if own else []
            return s[new[i]]**2+sum(own)
        best = range(len(new)) if rank_by == "support" else sorted(range(len(new)), key=lambda i: -round(worth(i), 10))[:b]
        if not len(best): break
        for i in best:
            supports.append(new[i]); found.append(got[i]); refused.append(not_got[i])
            close.append(naive.pearson(X[:, new[i]], alpha*y))
            banned |= {new[i], *(q for q, _, _ in got[i]), *not_got[i]}
        cuts.append([new[i] for i in best])
        members = [q for g in naive.assign_members(supports, found) for q, _ in g]
        now = [np.array(members)] if fit_on == "members" else [np.array(c) for c in cuts]
        solved = solve_restricted(Z, y.astype(float), now, C=C, fit_intercept=True, tol=1e-9)
        alpha, margin = solved.alpha, y*(Z@solved.coef+solved.intercept)
        if level is not None and margin.min() > 0: alpha = balanced(1/(1+np.exp(margin)), y)
    groups = naive.assign_members(supports, found)
    inside = {q for g in groups for q, _ in g}
    left_out = [len(set(own)-inside) for own in refused]
    return supports, [s for t, c in enumerate(cuts) for s in [t]*len(c)], close, groups, left_out, P


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("chance", [None, .05])
@pytest.mark.parametrize("rank_by", ["support", "pair", "group"])
def test_global_equals_the_plain_loop(rank_by, chance, sharp):
    rounds = left_out = members = 0
    for seed in range(30):
        X, y, r = clusters(1000+seed)
        if seed % 3:                                           # chains, so that what is owned stands beside what is free
            X[:, 1:] = X[:, 1:]+.8*X[:, :-1]+.1*r.standard_normal((len(X), X.shape[1]-1))
            y = labels(X, r)
        if seed % 2 and chance: X = np.where(np.abs(X) > r.uniform(0, 1.5, X.shape[1]), X, 0)      # rare columns, too
        k = int(r.integers(1, X.shape[1]//2+1))
        args = dict(tau=float(r.choice([.2, .4, .6])), rank_by=rank_by,
                    fit_on=["members", "supports"][seed//2 % 2], C=float(r.choice([.1, 1.])))
        per = int(r.integers(1, k+1))
        level = chance and chance/((k if rank_by == "support" else max(5*k, 50))*(X.max(0) > X.min(0)).sum())
        g = quiet(GDM(k, n_per_iter=per, chance=chance, **args, **sharp), X, y)
        supports, t, close, plain, refused, P = plain_rounds(X, y, table(X), k, per, level=level, **args)
        assert g.support_.tolist() == supports, seed
        assert g.groups_.rounds.tolist() == t
        np.testing.assert_allclose(g.groups_.scores, close, atol=1e-4)
        agrees(g.groups_, plain)
        rounds += g.n_iter_
        if not chance:
            assert g.groups_.refused is None and g.groups_.member_p_values is None
            continue
        assert g.groups_.refused.tolist() == refused
        for own, p in zip(g.groups_.members, g.groups_.member_p_values):
            assert np.isnan(p[0]) and (p[1:] <= level).all()
            np.testing.assert_allclose(p[1:], P[own[0], own[1:]], rtol=1e-6, atol=1e-300)
        left_out += sum(refused); members += sum(map(len, plain))-len(plain)
    assert rounds > 40 and (not chance or left_out > 40 and members > 40)


def test_the_best_pairs_of_all_candidates_are_taken():
    # a feature may stand far down, and yet make a good pair with a partner that an earlier candidate attracts as well
    far = 0
    for seed in range(150):
        r = np.random.default_rng(seed)
        f = r.standard_normal((60, 10))
        X = f[:, r.integers(10, size=40)]+r.uniform(.1, 1.2, 40)*r.standard_normal((60, 40))
        X[:, :10] += .7*f[:, r.permutation(10)]
        y, k = labels(X, r), int(r.integers(2, 5))
        g = GDM(k, n_per_iter=k, tau=.4, max_iter=1, chance=None).fit(X, y)
        s, R = naive.scores(X, first_alpha(y, True)*y), np.corrcoef(X.T)
        new, found = naive.greedy_cut(R, s, 50, .4, link=True)
        worth = [s[z]**2+min(s[z]**2, max((s[q]**2 for q, _, _ in f), default=0)) for z, f in zip(new, found)]
        best = sorted(range(len(new)), key=lambda i: -worth[i])[:k]
        assert g.support_.tolist() == [new[i] for i in best], seed
        far += max(best) >= 2*k
    assert far > 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_thesis_mode_equals_its_plain_loop(sharp):
    shared = rounds = quits = 0
    for seed in range(40):
        X, y, r = clusters(2000+seed)
        R, Z, tau, K, C = table(X), standardised(X), float(r.choice([.2, .4, .6])), int(r.integers(1, 4)), float(r.choice([.1, 1.]))
        k = int(r.integers(K, max(K, X.shape[1]//2)+1))
        g = quiet(GDM.thesis2015(k, n_per_iter=K, tau=tau, C=C, max_iter=100, **sharp), X, y)
        alpha, SF, AF, cuts = first_alpha(y, False), [], {}, []
        while len(SF) < k:
            new, AF = naive.thesis_mended(R, naive.scores(X, alpha*y), min(K, k-len(SF)), tau, SF, AF)
            if not new: break
            SF += new; cuts.append(np.array(new))
            solved = solve_restricted(Z, y.astype(float), cuts, C=C, tol=1e-9)
            alpha, old = solved.alpha, old if len(cuts) > 1 else np.inf
            if abs(old-solved.theta) <= 1e-6*solved.theta: break
            old = solved.theta
        assert g.support_.tolist() == SF and g.n_iter_ == len(cuts), seed
        quits += g.stop_reason_ == "converged"
        agrees(g.groups_, naive.assign_members(SF, [[(q, R[z][q], True) for q in sorted(AF[z])] for z in SF]))
        shared += sum(map(len, AF.values())); rounds += len(cuts)
    assert shared > 40 and rounds > 60 and quits > 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_icml_mode_equals_its_plain_loop(sharp):
    rounds = again = 0
    for seed in range(30):
        X, y, r = clusters(3000+seed)
        R, Z, tau, B = table(X), standardised(X), float(r.choice([.2, .4])), int(r.integers(1, 4))
        k, C = int(r.integers(B, X.shape[1]//2+B)), 10.
        k = min(k, X.shape[1])
        g = quiet(GDM.icml2012(k, n_per_iter=B, tau=tau, C=C, max_iter=100, **sharp), X, y)
        alpha, SF, found, cuts = first_alpha(y, False), [], [], []
        while len(SF) < k and len(cuts) < 100:
            s = naive.scores(X, alpha*y)
            new, groups = naive.icml_mended(R, s, B, tau, None)
            fresh = [z for z in new if z not in SF][:k-len(SF)]
            if not fresh and set(new) in [set(c.tolist()) for c in cuts]: break
            found += [[(q, R[z][q], True) for q in sorted(groups[new.index(z)])] for z in fresh]
            again += len(new)-len(fresh)
            cuts.append(np.array([z for z in new if z in SF or z in fresh])); SF += fresh
            alpha = solve_restricted(Z, y.astype(float), cuts, C=C/len(y), tol=1e-9).alpha
        assert g.support_.tolist() == SF and g.n_iter_ == len(cuts), seed
        agrees(g.groups_, naive.assign_members(SF, found))
        rounds += len(cuts)
    assert rounds > 40 and again > 5


def test_ties_go_to_the_column_that_comes_first():
    X, y, _ = clusters(5, n=60, p=8)
    X[:, 1] = X[:, 7] = X[:, 3]; X[:, 5] = -X[:, 3]
    y = np.where(X[:, 3] > np.median(X[:, 3]), 1, 0)
    for store in (np.asarray, np.asfortranarray, sp.csc_matrix):
        for settings in (dict(), dict(rank_by="group"), dict(mode="cut"), dict(fit_on="supports")):
            g = quiet(GDM(2, tau=.1, **settings), store(X), y)
            assert g.support_[0] == 1 and g.groups_.members[0][:4].tolist() == [1, 3, 5, 7]
            np.testing.assert_allclose(g.groups_.correlations[0][:4], [1, 1, -1, 1])


def test_ties_that_differ_by_rounding():
    # each column holds the same values within each class, shuffled: equal scores, no correlation
    r = np.random.default_rng(0)
    y = np.arange(400) % 2
    x = r.standard_normal(400)/3+y
    X = np.array([np.where(y, r.permutation(np.where(y, x, np.nan)[y == 1])[np.cumsum(y)-1],
                           r.permutation(x[y == 0])[np.cumsum(1-y)-1]) for _ in range(12)]).T
    assert np.ptp(naive.scores(X, first_alpha(2*y-1, True)*(2*y-1))) < 1e-12
    for store in (np.asarray, np.asfortranarray, sp.csc_matrix):
        for rank_by in ("support", "pair", "group"):
            g = GDM(10, n_per_iter=10, tau=.1, rank_by=rank_by).fit(store(X), y)
            assert g.support_.tolist() == list(range(10))


# ---- the same answer from whatever holds the data

FORMS = {
    "fortran": np.asfortranarray, "float32": np.float32, "int8": np.int8, "csc": sp.csc_matrix, "csr": sp.csr_matrix, "coo": sp.coo_matrix,
    "csc_array": sp.csc_array, "csr float32": lambda X: sp.csr_matrix(X.astype(np.float32)), "csc int16": lambda X: sp.csc_matrix(X.astype(np.int16)),
    "list": lambda X: X.tolist(), "pandas": pd.DataFrame, "polars": lambda X: pl.DataFrame(X, schema=[f"c{j}" for j in range(X.shape[1])]),
    "Columns": as_columns, "sparse Columns": lambda X: as_columns(sp.csc_matrix(X)), "strided": lambda X: np.repeat(X, 2, 1)[:, ::2],
}


@pytest.fixture(scope="module")
def integers():
    "A few larger integer problems"
    out = []
    for seed in range(6):
        r = np.random.default_rng(seed)
        f = r.integers(-2, 3, (80, 8))
        X = (f[:, r.integers(8, size=40)]+r.integers(-1, 2, (80, 40))*(r.random((80, 40)) < .4)).astype(float)
        X[r.random(X.shape) < .3] = 0
        out.append((X, labels(X, r)))
    return out


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_one_answer(form, integers, sharp):
    for i, (X, y) in enumerate(integers):
        settings = dict(n_per_iter=1+i % 2, C=.1, tau=.4, mode=["global", "cut"][i//2 % 2], tol=1e-8)
        if "Columns" in form and i % 3: continue
        a, b = quiet(GDM(5, **settings), X, y), quiet(GDM(5, **settings), FORMS[form](X), y)
        assert a.support_.tolist() == b.support_.tolist()
        assert [m.tolist() for m in a.groups_] == [m.tolist() for m in b.groups_]
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-4*np.abs(a.coef_).max())
        np.testing.assert_allclose(a.intercept_, b.intercept_, atol=1e-4)
        np.testing.assert_allclose(a.scores_, b.scores_, atol=1e-12)
        np.testing.assert_allclose(a.alpha_, b.alpha_, atol=1e-4)
        np.testing.assert_allclose(a.objective_path_, b.objective_path_, rtol=1e-5)


def test_order_of_samples_and_of_columns(sharp):
    for seed in range(12):
        X, y, r = clusters(seed, n=50, p=20)
        X = X+1e-3*r.standard_normal(X.shape)                  # generic: no ties
        for mode in ("global", "cut", "thesis2015", "icml2012"):
            settings = dict(n_per_iter=2, mode=mode, C=.2, tol=1e-8)
            a = quiet(GDM(6, **settings), X, y)
            q, c = r.permutation(len(X)), r.permutation(X.shape[1])
            b, d = quiet(GDM(6, **settings), X[q], y[q]), quiet(GDM(6, **settings), X[:, c], y)
            assert a.support_.tolist() == b.support_.tolist() == c[d.support_].tolist()
            assert [m.tolist() for m in a.groups_] == [m.tolist() for m in b.groups_] == [c[m].tolist() for m in d.groups_]
            np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-4)
            np.testing.assert_allclose(a.coef_[:, c], d.coef_, atol=1e-4)
            np.testing.assert_allclose(a.alpha_[q], b.alpha_, atol=1e-5)


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_threads_and_repetition_change_nothing(store):
    for seed in range(4):
        X, y, _ = clusters(seed, n=60, p=50)
        X = store(np.where(np.abs(X) > .7, X, 0))
        for mode in ("global", "cut"):
            first = pickle.dumps(state(quiet(GDM(5, mode=mode), X, y)))
            for n_jobs in (None, 1, 2, 3, -1):
                assert pickle.dumps(state(quiet(GDM(5, mode=mode, n_jobs=n_jobs), X, y))) == first


def state(g):
    "Everything that is fitted, as plain bytes"
    out = {k: np.asarray(v).tobytes() for k, v in vars(g).items() if k.endswith("_") and k not in ("groups_", "bounds_")}
    return out, None if g.bounds_ is None else g.bounds_.tobytes(), [m.tobytes() for m in g.groups_], [c.tobytes() for c in g.groups_.correlations]


def test_refitting_forgets():
    X, y, _ = clusters(3, n=50, p=20)
    fresh = quiet(GDM(4), X[:, :12], y)
    used = quiet(GDM(4, mode="cut"), pd.DataFrame(X, columns=[f"f{j}" for j in range(20)]), y).set_params(mode="global")
    assert pickle.dumps(state(quiet(used, X[:, :12], y))) == pickle.dumps(state(fresh))
    used = quiet(GDM(4), pd.DataFrame(X, columns=[f"f{j}" for j in range(20)]), y)
    quiet(used, as_columns(X[:, :12]), y)
    assert used.groups_.names is None and not hasattr(used, "feature_names_in_")


# ---- mode="cut": the bounds

def every_mask(R, B, tau, varies):
    p = len(R)
    return [np.array(m) for k in range(1, B+1) for m in itertools.combinations([j for j in range(p) if varies[j]], k)
            if all(abs(R[a][b]) < 1-tau-1e-10 for a, b in itertools.combinations(m, 2))]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_bounds_hold_the_exact_optimum():
    strict = 0
    for seed in range(30):
        X, y, r = clusters(4000+seed, p=int(np.random.default_rng(seed).integers(4, 8)))
        R, Z, B = table(X), standardised(X), int(r.integers(1, 4))
        tau, C, varies = float(r.choice([.01, .3, .6])), float(r.choice([.05, 1., 20.])), X.max(0) > X.min(0)
        k = int(r.integers(B, X.shape[1]+1))
        g = quiet(GDM(k, n_per_iter=B, tau=tau, C=C, mode="cut", tol=1e-5), X, y)
        best = solve_restricted(Z, y.astype(float), every_mask(R, B, tau, varies), C=C, fit_intercept=True, tol=1e-7)
        lower, upper = g.bounds_.T
        assert g.bounds_.shape == (g.n_iter_, 2) == (len(g.objective_path_), 2)
        assert (lower <= upper*(1+1e-9)).all()
        assert (np.diff(lower) >= 0).all() and (np.diff(upper) <= 0).all()
        assert (lower <= best.theta*(1+1e-9)).all() and (upper >= best.theta_lower*(1-1e-9)).all()
        np.testing.assert_allclose(g.gap_, 1-lower[-1]/upper[-1], rtol=1e-12)
        np.testing.assert_allclose(lower, np.maximum.accumulate(g.objective_path_))
        strict += g.gap_ < 1e-4 and abs(lower[-1]/best.theta-1) < 1e-4
    assert strict >= 8


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_correlation_the_loop_closes_the_gap():
    # no two columns are correlated: the walk and the bound are exact, and cutting planes end at theta*
    closed = 0
    for seed in range(24):
        r = np.random.default_rng(seed)
        X = r.standard_normal((40, 7))
        y, B = labels(X*[1, 1, 1, .1, .1, .1, .1], r), int(r.integers(1, 4))
        g = GDM(7, n_per_iter=B, tau=1e-6, C=.1, mode="cut", tol=1e-5).fit(X, y)
        best = solve_restricted(standardised(X), y.astype(float), every_mask(np.eye(7), B, .5, [True]*7), C=.1, fit_intercept=True, tol=1e-7)
        assert g.bounds_[-1, 0] <= best.theta*(1+1e-9) and g.bounds_[-1, 1] >= best.theta_lower*(1-1e-9)
        if len(g.support_) == 7: continue                      # the places are taken, the bounds may stay apart
        assert g.gap_ <= 1e-5, seed
        np.testing.assert_allclose(g.bounds_[-1], best.theta, rtol=2e-5)
        closed += g.n_iter_ > 2
    assert closed > 3


def test_a_loose_tol_ends_the_cuts_early():
    fewer = 0
    for seed in range(8):
        r = np.random.default_rng(seed)
        X = r.standard_normal((60, 12)); y = labels(X, r)
        loose, tight = (GDM(12, n_per_iter=2, tau=1e-6, C=.1, mode="cut", tol=tol).fit(X, y) for tol in (.3, 1e-4))
        assert loose.n_iter_ <= tight.n_iter_ and (loose.gap_ <= .3 or len(loose.support_) == 12)
        fewer += loose.n_iter_ < tight.n_iter_ and loose.gap_ <= .3
    assert fewer > 2


def test_with_one_place_for_all_it_is_the_machine_on_everything():
    X, y, _ = clusters(11, n=60, p=9)
    X = X+np.random.default_rng(0).standard_normal(X.shape)
    g = GDM(9, n_per_iter=9, tau=1e-6, mode="cut", fit_on="supports", tol=1e-6).fit(X, y)
    full = solve_restricted(standardised(X), y.astype(float), [np.arange(9)], fit_intercept=True, tol=1e-8)
    assert g.n_iter_ == 1 and sorted(g.support_) == list(range(9)) and g.gap_ <= 1e-5
    np.testing.assert_allclose(g.coef_[0]*X.std(0), full.coef, atol=1e-3)


def test_first_round_takes_the_largest_differences_of_means():
    # FGM: no tolerance, so a cut is the top of the scores, and with an intercept a score is a difference of means
    for seed in range(10):
        r = np.random.default_rng(seed)
        X = r.standard_normal((50, 30)); y = labels(X, r)
        difference = (X[y > 0].mean(0)-X[y < 0].mean(0))/X.std(0)
        score = np.array([naive.pearson(x, first_alpha(y, True)*y) for x in X.T])
        np.testing.assert_array_equal(np.argsort(-np.abs(score)), np.argsort(-np.abs(difference)))
        for settings in (dict(mode="cut"), dict(rank_by="support", chance=None), dict(chance=None), dict(rank_by="group", chance=None)):
            g = GDM(4, n_per_iter=4, tau=1e-6, **settings).fit(X, y)
            np.testing.assert_allclose(g.scores_, score, atol=1e-12)
            assert g.support_.tolist() == np.argsort(-np.abs(difference))[:4].tolist()
            np.testing.assert_allclose(g.groups_.scores, score[g.support_], atol=1e-12)
        bare = GDM(4, n_per_iter=4, tau=1e-6, mode="thesis2015", fit_on="supports").fit(X, y)
        np.testing.assert_allclose(bare.scores_, np.corrcoef(X.T, y)[-1, :-1], atol=1e-12)
        assert bare.intercept_[0] == pytest.approx(-bare.coef_[0]@X.mean(0))


# ---- what is found on data whose groups are known

@pytest.mark.parametrize("preset,k,floor", [("thesis2015", 12, .6), ("icml2012", 30, .3)])
def test_planted_groups_are_found(preset, k, floor):
    rates = []
    for seed in range(2):
        sizes = (1, 2, 3, 4, 5)*2+(0,)*20 if preset == "icml2012" else None
        d = make_groups(600, 1500, sizes, preset=preset, random_state=seed)
        own = GDM.thesis2015(k) if preset == "thesis2015" else GDM.icml2012(k, n_per_iter=6)
        full, paper = GDM(k).fit(d.X, d.y), own.fit(d.X, d.y)
        alone = [[z] for z in paper.support_]
        rates.append([strict_hits(g, d.groups).rate for g in (full.groups_, paper.groups_, alone)])
        assert full.score(d.X_test, d.y_test) > .75
    full, paper, alone = np.mean(rates, axis=0)
    assert full > floor and full > paper > alone


# ---- accuracy

@pytest.mark.parametrize("settings", [dict(), dict(fit_on="supports"), dict(mode="thesis2015"), dict(mode="icml2012", C=50.),
                                      dict(mode="thesis2015", fit_on="supports")])
def test_tol_is_reached(settings):
    for seed in range(5):
        X, y, _ = clusters(seed, n=60, p=20)
        for store in (np.asarray, sp.csc_matrix):
            g = quiet(GDM(5, tol=1e-6, n_per_iter=2, **{"C": .3, **settings}), store(X), y)
            assert 0 <= g.gap_ <= 1e-6


def test_the_classifier_is_the_machine_on_all_members():
    for seed in range(8):
        X, y, _ = clusters(seed, n=60, p=20)
        X = X*10.**np.arange(-5, 15)[:X.shape[1]].clip(-3, 3)+3
        for fit_on in ("members", "supports"):
            for mode in ("global", "cut", "thesis2015"):
                g = quiet(GDM(5, fit_on=fit_on, mode=mode, n_per_iter=5, tol=1e-7, C=.5), X, y)
                if fit_on == "supports" and g.n_iter_ > 1: continue
                used = g.groups_.all_members if fit_on == "members" else np.sort(g.support_)
                r = solve_restricted(standardised(X)[:, used], y.astype(float), [np.arange(len(used))], C=.5, fit_intercept=mode != "thesis2015", tol=1e-8)
                assert set(np.flatnonzero(g.coef_[0])) <= set(used)
                np.testing.assert_allclose(g.decision_function(X), standardised(X)[:, used]@r.coef+r.intercept, atol=2e-3)


# ---- labels and prediction

@pytest.mark.parametrize("names", [("no", "yes"), (False, True), (0, 1), (-1, 1), (3, 7), (1.0, 2.0), ("b", "a")])
def test_labels_of_any_kind(names):
    X, y, _ = clusters(8, n=60, p=15)
    g, ref = quiet(GDM(4), X, np.array(names)[(y > 0).astype(int)]), quiet(GDM(4), X, y)
    assert g.classes_.tolist() == sorted(names) and g.classes_.dtype == np.array(names).dtype
    sign = 1 if names[0] < names[1] else -1
    np.testing.assert_allclose(g.decision_function(X), sign*ref.decision_function(X), atol=5e-2)
    assert g.support_.tolist() == ref.support_.tolist()
    f, said = g.decision_function(X), g.predict(X)
    assert (said == np.where(f > 0, g.classes_[1], g.classes_[0])).all() and set(said) == set(names)
    truth = np.array(names)[(y > 0).astype(int)]
    assert g.score(X, truth) == (said == truth).mean() > .75


def test_coef_is_for_raw_features():
    X, y, r = clusters(9, n=80, p=20)
    X = X*r.uniform(.01, 100, 20)+r.uniform(-50, 50, 20)
    new = r.standard_normal((31, 20))*30
    for store in (np.asarray, sp.csc_matrix, sp.csr_matrix):
        g = quiet(GDM(5), store(X), y)
        assert g.coef_.shape == (1, 20) and g.intercept_.shape == (1,) and g.alpha_.shape == (80,) and g.scores_.shape == (20,)
        want = new@g.coef_[0]+g.intercept_[0]
        for form in (np.asarray, np.asfortranarray, sp.csc_matrix, sp.csr_matrix, sp.csr_array, sp.coo_matrix):
            got = g.decision_function(form(new))
            assert got.shape == (31,) and type(got) is np.ndarray
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9*np.abs(want).max())
            assert (g.predict(form(new)) == g.classes_[(want > 0).astype(int)]).all()
        assert g.score(store(X), y) > .75
        assert g.alpha_.min() >= 0 and g.alpha_.sum() == pytest.approx(1)


def test_transform_and_names():
    X, y, _ = clusters(3, n=50, p=20)
    names = [f"gene {j}" for j in range(20)]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        g = quiet(GDM(4), frame, y)
        assert g.groups_.names == [[names[j] for j in m] for m in g.groups_.members]
        assert g.feature_names_in_.tolist() == names
        assert g.get_feature_names_out().tolist() == [names[j] for j in sorted(g.support_)]
        assert g.get_support(indices=True).tolist() == sorted(g.support_)
        np.testing.assert_array_equal(np.asarray(g.transform(frame)), X[:, sorted(g.support_)])
        assert (g.predict(frame) == quiet(GDM(4), X, y).predict(X)).all()
        with pytest.raises(ValueError, match="feature names"): g.predict(frame[names[::-1]])
    g = quiet(GDM(4), X, y)
    assert g.groups_.names is None and g.get_feature_names_out().tolist() == [f"x{j}" for j in sorted(g.support_)]
    for form in (sp.csc_matrix, sp.csr_matrix):
        assert g.transform(form(X)).format == form(X).format
        np.testing.assert_array_equal(g.transform(form(X)).toarray(), X[:, sorted(g.support_)])
    named = quiet(GDM(4), as_columns(pd.DataFrame(X, columns=names)), y)
    assert named.groups_.names == [[names[j] for j in m] for m in named.groups_.members]


def test_the_answer_knows_its_settings():
    X, y, _ = clusters(3, n=50, p=20)
    g = quiet(GDM(4, tau=.2, C=2.), X, y)
    assert g.groups_.parameters == g.get_params() and g.groups_.parameters["tau"] == .2
    back = fsnb.FeatureGroups.from_json(g.groups_.to_json())
    assert back == g.groups_ and g.groups_.support.tolist() == g.support_.tolist()


# ---- life in scikit-learn

def test_copies(tmp_path):
    X, y, _ = clusters(3, n=50, p=20)
    g = quiet(GDM(4, mode="cut"), X, y)
    joblib.dump(g, tmp_path/"g.joblib")
    for copy in (pickle.loads(pickle.dumps(g)), joblib.load(tmp_path/"g.joblib")):
        assert pickle.dumps(state(copy)) == pickle.dumps(state(g)) and copy.groups_ == g.groups_
        np.testing.assert_array_equal(copy.predict(X), g.predict(X))
    bare = clone(g)
    assert bare.get_params() == g.get_params() and not hasattr(bare, "support_")
    with pytest.raises(NotFittedError): bare.predict(X)
    with pytest.raises(NotFittedError): bare.transform(X)


def test_pipeline_and_grid():
    X, y, _ = clusters(3, n=90, p=20)
    search = GridSearchCV(make_pipeline(MaxAbsScaler(), GDM(3)), {"gdm__tau": [.1, .3, .6]}, cv=3, error_score="raise")
    for store in (np.asarray, sp.csr_matrix):
        quiet(search, store(X), y)
        assert search.best_params_["gdm__tau"] in (.1, .3, .6) and search.best_score_ > .6
        assert (search.predict(store(X)) == y).mean() > .7
        assert search.best_estimator_[-1].tau == search.best_params_["gdm__tau"]
    front = make_pipeline(GDM(3), clone(GDM(2)))
    assert quiet(front, X, y)[-1].n_features_in_ == 3


def test_presets_are_what_the_papers_say():
    a, b = GDM.thesis2015().get_params(), GDM.icml2012().get_params()
    for p in (a, b): assert (p["fit_on"], p["rank_by"], p["chance"]) == ("supports", "support", None)
    assert (a["mode"], b["mode"]) == ("thesis2015", "icml2012")
    assert (a["n_features_to_select"], a["n_per_iter"], a["tau"], b["n_features_to_select"], b["n_per_iter"], b["tau"]) == (12, 4, .3, 200, 20, .25)
    assert GDM.thesis2015(5, n_per_iter=2, tol=1e-5).get_params() == {**a, "n_features_to_select": 5, "n_per_iter": 2, "tol": 1e-5}


# ---- what it says, and when it is stopped

@pytest.mark.parametrize("verbose", [0, 1, 2])
@pytest.mark.parametrize("mode", ["global", "cut"])
def test_it_speaks_on_stderr_only(verbose, mode):
    X, y, _ = clusters(3, n=60, p=20)
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err): g = quiet(GDM(4, verbose=verbose, mode=mode), X, y)
    assert out.getvalue() == ""
    if verbose == 0: assert err.getvalue() == ""
    if verbose == 1: assert f"{len(g.support_)}/4" in err.getvalue()
    if verbose == 2: assert sum("round " in line for line in err.getvalue().splitlines()) >= g.n_iter_


@pytest.mark.parametrize("settings", [dict(), dict(mode="cut", tau=.05), dict(fit_on="supports"), dict(mode="thesis2015"), dict(mode="icml2012", C=50.),
                                      dict(verbose=1), dict(verbose=2)])
def test_ctrl_c_leaves_the_rounds_that_were_done(settings, monkeypatch):
    r = np.random.default_rng(0)
    X = r.standard_normal((80, 20))
    y = labels(X, r)
    true, calls = working_set.WorkingSet.solve, [0]
    def stop(at):
        def solve(*args, **kwargs):
            calls[0] += 1
            if calls[0] == at: raise KeyboardInterrupt
            return true(*args, **kwargs)
        calls[0] = 0
        monkeypatch.setattr(working_set.WorkingSet, "solve", solve)
    for at in (2, 4):
        monkeypatch.setattr(working_set.WorkingSet, "solve", true)
        settings = dict(dict(tol=.03), **settings)        # where the rounds' own tolerance is that of the end
        want = quiet(GDM(6, max_iter=at-1, **settings), X, y)
        assert want.n_iter_ == at-1
        g = GDM(6, **settings)
        stop(at)
        with redirect_stderr(io.StringIO()), pytest.raises(KeyboardInterrupt): g.fit(X, y)
        assert g.n_iter_ == at-1 == len(g.objective_path_)
        assert g.support_.tolist() == want.support_.tolist() == g.groups_.support.tolist()
        assert [m.tolist() for m in g.groups_] == [m.tolist() for m in want.groups_]
        if settings.get("mode", "global") == "global":    # elsewhere the last fit, on all members, is still to come
            np.testing.assert_allclose(g.decision_function(X), want.decision_function(X), atol=.05)
        if g.bounds_ is not None: assert g.bounds_.shape == (at-1, 2)
        assert set(np.flatnonzero(g.coef_[0])) <= set(g.groups_.all_members)
        assert g.transform(X).shape == (80, len(want.support_))
    g = GDM(6, **settings)
    stop(1)
    with redirect_stderr(io.StringIO()), pytest.raises(KeyboardInterrupt): g.fit(X, y)
    assert not hasattr(g, "support_")
    for call in (g.predict, g.decision_function, g.transform):
        with pytest.raises(NotFittedError): call(X)


# ---- manners towards X

def test_x_is_left_alone():
    X, y, _ = clusters(3, n=60, p=25)
    for form in (np.asarray, np.asfortranarray, sp.csc_matrix, sp.csr_matrix):
        for mode in _MODES:
            A = form(X.copy())
            parts = [A] if isinstance(A, np.ndarray) else [A.data, A.indices, A.indptr]
            before = [a.copy() for a in parts]
            for a in parts: a.flags.writeable = False
            quiet(GDM(4, mode=mode), A, y).predict(A)
            for a, b in zip(parts, before): np.testing.assert_array_equal(a, b)


def test_sparse_is_never_made_dense(monkeypatch):
    X, y, _ = clusters(3, n=60, p=25)
    shape = X.shape
    def guard(old):
        def toarray(self, *args, **kwargs):
            if self.shape in (shape, shape[::-1]): raise AssertionError("made dense")
            return old(self, *args, **kwargs)
        return toarray
    kinds = (sp.csc_matrix, sp.csr_matrix, sp.coo_matrix, sp.csc_array, sp.csr_array)
    for kind in kinds: monkeypatch.setattr(kind, "toarray", guard(kind.toarray))
    for kind in kinds:
        with pytest.raises(AssertionError, match="made dense"): kind(X).toarray()
        with pytest.raises(AssertionError, match="made dense"): kind(X).todense()
        for mode in _MODES:
            g = quiet(GDM(4, mode=mode), kind(X), y)
            g.predict(kind(X)); g.transform(kind(X))


def peak(f):
    tracemalloc.start()
    f()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.parametrize("mode", ["global", "cut"])
def test_extra_memory(mode):
    d = make_groups(500, 4000, random_state=0, n_test=0)
    X = sp.csc_matrix(d.X); GDM(3, mode=mode).fit(X, d.y); GDM(3, mode=mode).fit(d.X, d.y)      # compile, and import
    for order in "CF":
        A = np.array(d.X, order=order)
        assert peak(lambda: GDM(12, mode=mode).fit(A, d.y)) <= A.nbytes
    d = make_groups(3000, 50000, random_state=0, n_test=0, sparse=.004)
    X = d.X
    size = X.data.nbytes+X.indices.nbytes+X.indptr.nbytes
    assert peak(lambda: GDM(12, mode=mode, chance=None).fit(X, d.y)) <= size+16*8*X.shape[1]
    assert peak(lambda: GDM(12, mode=mode).fit(X, d.y)) <= 3*size+16*8*X.shape[1]      # sizes of rows and columns, in blocks


# ---- bad input

NUMBERS = [(name, value, low_high) for name, values, low_high in (
    ("tau", (0, 1, -1, 2, np.nan, "a", True), "(0, 1)"),
    ("C", (0, -1, 1e-320, 1e50, np.inf, np.nan, "a", None), "[1e-12, 1e+12]"),
    ("tol", (0, -1, 1, np.nan, np.inf, "a", None), "(0, 1)"),
    ("n_features_to_select", (0, -1, 2.5, True, 21, None, np.nan), "[1, n_features=20]"),
    ("n_features_to_select", ("a", "all", "Auto", ""), "'auto'"),
    ("chance", (0, 1, -1, 2, np.nan, np.inf, "x", "auto", True), "None or lie in (0, 1)"),
    ("n_per_iter", (0, -1, 5, 2., True, "a"), "[1, n_features_to_select=4]"),
    ("max_iter", (0, -1, 2., None, True, "a"), "[1, inf)"),
    ("n_jobs", (0, 1.5, True, "a"), "other than 0"),
    ("mode", ("fast", None, 1), "'global', 'cut', 'thesis2015', 'icml2012'"),
    ("fit_on", ("all", None), "'members', 'supports'"),
    ("rank_by", ("size", None), "'support', 'pair', 'group'"),
    ("verbose", (-1, 1.5, None, "a"), "[0, inf)"),
    ("correlation", ("spearman", None, 3), "'pearson', 'su'")) for value in values]


@pytest.mark.parametrize("name,value,allowed", NUMBERS, ids=[f"{n}={v!r}" for n, v, _ in NUMBERS])
def test_parameters_out_of_range(name, value, allowed):
    X, y = np.random.default_rng(0).standard_normal((30, 20)), np.arange(30) % 2
    for store in (np.asarray, sp.csc_matrix):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError) as e: GDM(**{"n_features_to_select": 4, name: value}).fit(store(X), y)
        text = str(e.value)
        assert text.startswith(name+" must ") and allowed in text and text.endswith(f", got {value!r}") and "\n" not in text
        assert e.value.__context__ is None


def test_a_whole_number_is_a_whole_number():
    X, y = np.random.default_rng(0).standard_normal((30, 5)), np.arange(30) % 2
    assert len(quiet(GDM(np.int64(3), n_per_iter=np.int32(1), max_iter=np.uint8(9), tau=np.float32(.3), C=1), X, y).support_) == 3
    assert len(quiet(GDM(), X, y).support_) == 5                 # the default takes what there is
    for k in (11, 10.):
        with pytest.raises(ValueError, match=re.escape(f"n_features_to_select must be a whole number in [1, n_features=5], got {k}")):
            GDM(k).fit(X, y)


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix, sp.csr_matrix], ids=["dense", "csc", "csr"])
def test_bad_data(store):
    X, y = np.random.default_rng(0).standard_normal((30, 20)), np.arange(30) % 2
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        A = X.copy(); A[3, 4] = value
        with pytest.raises(ValueError, match=f"X contains.*{word}"): GDM().fit(store(A), y)
        g = quiet(GDM(3), store(X), y)
        with pytest.raises(ValueError, match=f"X contains.*{word}"): g.predict(store(A))
    for labels_, text in (
        (np.zeros(30, int), r"y must hold two classes or more, got one class: .*0"),
        (y[:29], r"inconsistent numbers of samples: \[30, 29\]"),
        (np.linspace(0, 1, 30), "Unknown label type: continuous"),
        (np.where(y, np.nan, 0.), "NaN"),
        (None, "requires y to be passed"),
    ):
        with pytest.raises(ValueError, match=text): GDM().fit(store(X), labels_)
    with pytest.raises(ValueError, match="1 sample.*minimum of 2"): GDM().fit(store(X[:1]), y[:1])
    with pytest.raises(ValueError, match="0 feature.*minimum of 1"): GDM().fit(store(X[:, :0]), y)
    with pytest.raises(ValueError, match="19 features, but GDM is expecting 20"): quiet(GDM(3), store(X), y).predict(store(X[:, :19]))


def test_bad_labels_for_columns():
    X, y = as_columns(np.random.default_rng(0).standard_normal((30, 20))), np.arange(30) % 2
    with pytest.raises(ValueError, match=r"y must have shape \(30,\), got \(29,\)"): GDM().fit(X, y[:29])
    with pytest.raises(ValueError, match="got one class"): GDM().fit(X, y*0)
    with pytest.raises(ValueError, match="got 3"): GDM(mode="cut").fit(X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="continuous"): GDM().fit(X, np.linspace(0, 1, 30))


def heard(estimator, X, y):
    "The texts of the warnings of a fit"
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    assert all(x.filename == __file__ for x in w), [x.filename for x in w]
    return [str(x.message) for x in w]


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_constant_columns(store):
    r = np.random.default_rng(0)
    X, y = r.standard_normal((40, 12)), np.arange(40) % 2
    for j, value in ((2, 0.), (5, .1), (9, 1e6), (10, 1/3)): X[:, j] = value
    g = GDM(8, tau=1e-3)
    assert heard(g, store(X), y)[0] == "4 constant columns are never selected: 2, 5, 9, 10"
    assert sorted(g.support_) == [j for j in range(12) if j not in (2, 5, 9, 10)]
    assert (g.scores_[[2, 5, 9, 10]] == 0).all() and (g.coef_[0, [2, 5, 9, 10]] == 0).all()
    if store is np.asarray:
        assert heard(g, pd.DataFrame(X, columns=list("abcdefghijkl")), y)[0] == "4 constant columns are never selected: c, f, j, k"
    X[:, :7] = 1
    assert heard(GDM(2), store(X), y)[0] == "9 constant columns are never selected: 0, 1, 2, 3, 4, ..."
    with pytest.raises(ValueError, match="must have a column that varies, but all 12 columns are constant"): GDM(2).fit(store(X*0+.1), y)
    for mode in _MODES: assert not set(quiet(GDM(5, mode=mode), store(X), y).groups_.all_members) & {0, 1, 2, 3, 4, 5, 6, 9, 10}


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_fewer_groups_than_asked(store):
    x = np.random.default_rng(0).standard_normal(40)
    X, y = np.outer(x, [1, 1, -2, 3, .5]), (x > 0).astype(int)
    g = GDM(3)
    assert heard(g, store(X), y) == ["only 1 group exists at tau=0.3, fewer than n_features_to_select=3"]
    assert g.support_.tolist() == [0] and g.groups_.members[0].tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(g.groups_.correlations[0], [1, 1, -1, 1, 1])
    assert heard(GDM(1), store(X), y) == []
    assert g.score(X, y) == 1
    z = np.random.default_rng(1).standard_normal(40)
    assert heard(GDM(3, n_per_iter=3), store(np.c_[X, z, z]), y)[-1:] == ["only 2 groups exist at tau=0.3, fewer than n_features_to_select=3"]


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("verbose", [0, 2])
def test_no_feature_knows_the_label(mode, verbose):
    # every score is exactly 0 in the first round
    X, y = np.array([[1., 1], [-1, 2], [1, 2], [-1, 1]]*4), np.array([0, 0, 1, 1]*4)
    with redirect_stderr(io.StringIO()), pytest.raises(ValueError, match="X") as e: GDM(1, mode=mode, verbose=verbose).fit(X, y)
    assert e.value.__context__ is None


def test_few_samples():
    X = np.array([[0., 1, 5], [1., 0, 5.5]])
    for mode in _MODES:
        g = quiet(GDM(1, mode=mode, chance=None), X, [0, 1])
        assert g.predict(X).tolist() == [0, 1] and g.support_.tolist() == [0]
        if mode in ("global", "cut"): assert g.groups_.members[0].tolist() == [0, 1, 2]
    g = quiet(GDM(1), X, [0, 1])                                # the column without a zero ties, and is alone in its octave
    assert g.predict(X).tolist() == [0, 1] and g.support_.tolist() == [2] and g.groups_.refused.tolist() == [2]


def test_max_iter_is_the_most_rounds():
    X, y, _ = clusters(3, n=60, p=25)
    for k in (1, 2, 3):
        short = GDM(6, n_per_iter=1, max_iter=k, tau=.1)
        assert f"max_iter={k} ended the run with {k} of 6 supports" in heard(short, X, y)
        assert short.n_iter_ == k
    g = quiet(GDM(6, n_per_iter=4, tau=.1), X, y)
    assert g.groups_.rounds.tolist() == [0, 0, 0, 0, 1, 1] and g.n_iter_ == 2
    assert quiet(GDM(20, tau=.01), np.random.default_rng(0).standard_normal((60, 25)), y).groups_.rounds.tolist() == np.repeat(range(10), 2).tolist()


@pytest.mark.parametrize("wrong", ["seed", -1, 1.5, [1]])
def test_a_seed_is_looked_at_even_where_nothing_is_drawn(wrong):
    X, y, _ = clusters(0)
    with pytest.raises((ValueError, TypeError), match="random_state"): GDM(3, random_state=wrong).fit(X, y)
