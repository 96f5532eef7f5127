"GDM: groups and rounds against plain loops, bounds against exhaustive search, bad input"
import io, itertools, warnings
from contextlib import redirect_stderr
import numpy as np, pytest, scipy.sparse as sp
from doors import correlations, peak_of
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFECV

from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.correlation.pearson import as_correlation
from fsnb.gdm import gdm as estimator, working_set
from fsnb.gdm.gdm import GDM, _MODES
from fsnb.gdm.kernel_weights import solve_restricted
from fsnb.groups.synthetic import make_groups

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

def whole(seed, n=None, p=None):
    "Integer data, many zeros: ties, duplicates, mirror images and a constant"
    r = np.random.default_rng(seed)
    n, p = n or int(r.integers(12, 45)), p or int(r.integers(4, 24))
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
    "All correlations, 0 for constants, 1 on the diagonal"
    R = correlations(X)
    np.fill_diagonal(R, 1)
    return R

def standardised(X):
    std = X.std(0)
    return (X-X.mean(0))/np.where(std > 1e-9, std, 1)

def quiet(estimator, X, y):
    "Fit; constants and too few groups are what these data are made of"
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return estimator.fit(X, y)

def agrees(groups, plain):
    assert [m.tolist() for m in groups.members] == [[k for k, _ in g] for g in plain]
    for c, g in zip(groups.correlations, plain): np.testing.assert_allclose(c, [r for _, r in g], atol=1e-9)

@pytest.fixture
def sharp(monkeypatch):
    "Rounds solved as closely as the end, so that alpha depends on the problem only"
    monkeypatch.setattr(estimator, "_ROUND_TOL", 1e-9)
    return dict(tol=1e-9)

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_groups_equal_the_plain_loops(store):
    linked = large = 0
    for seed in range(24):
        X, y, r = (clusters if seed % 2 else whole)(seed)
        R, constant = table(X), np.flatnonzero(X.max(0) == X.min(0))
        mode, tau = ["global", "cut"][seed//2 % 2], float(r.choice([.1, .3, .5, .7]))
        k = int(r.integers(1, min(6, X.shape[1])+1))
        g = quiet(GDM(k, tau=tau, mode=mode, n_per_iter=int(r.integers(1, k+1)),
                      rank_by=["support", "pair", "group"][seed % 3], chance=None), store(X), y)
        supports, rounds = g.support_.tolist(), g.groups_.rounds
        assert 1 <= len(supports) <= k and not set(g.groups_.all_members) & set(constant)
        found = [naive.find_group(R, z, tau, True) for z in supports]
        plain = naive.assign_members(supports, found)
        agrees(g.groups_, plain)
        assert g.groups_.n_features == X.shape[1] and len(rounds) == len(g.groups_.scores) == len(supports)
        assert (np.diff(rounds) >= 0).all() and rounds[0] == 0
        assert rounds[-1] == g.n_iter_-1 or mode != "global" and rounds[-1] < g.n_iter_
        if mode == "global":
            assert (np.abs(R[np.ix_(supports, supports)]) >= 1-tau-1e-10).sum() == len(supports)
        linked += sum(not d for f in found for _, _, d in f)
        large += sum(len(m) > 2 for m in plain)
    assert min(linked, large) > .4*24, (linked, large)

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

def pair_problems(y):
    "(rows, signs) of each pair of classes, +1 for the one that sorts later"
    for a, b in itertools.combinations(sorted(set(y.tolist())), 2):
        rows = np.flatnonzero((y == a) | (y == b))
        yield rows, np.where(y[rows] == b, 1., -1.)

def plain_rounds(X, y, R, k, per, tau, fit_on, C, rank_by="support", level=None):
    """mode='global' spelled out, every candidate in the competition; pairs of classes add the squares of alpha/(2 theta)
    scores; with a level chance is asked, too: (supports, rounds, correlations, groups, left out, p-values, thetas)"""
    Z, problems = standardised(X), list(pair_problems(y))
    alphas = [first_alpha(t, True) for _, t in problems]
    thetas = [a@a/(2*C) for a in alphas]
    supports, found, banned, cuts, close = [], [], set(np.flatnonzero(X.max(0) == X.min(0)).tolist()), [], []
    refused, P = [], np.zeros(R.shape) if level is None else p_table(X, R)
    while len(supports) < k:
        V = np.zeros((len(problems), len(X)))
        for v, (rows, t), a, theta in zip(V, problems, alphas, thetas): v[rows] = a*t/(2*theta)
        s = np.sqrt(sum(naive.scores(X, v)**2 for v in V)) if level is None else plain_evidence(X, V[0])
        b = min(per, k-len(supports))
        new, got, not_got = plain_cut(R, P, s, b if rank_by == "support" else len(s), tau, banned, level or 1)
        def worth(i):
            own = [s[q]**2 for q, _, _ in got[i] if q not in banned]
            if rank_by == "pair": own = [min(max(own), s[new[i]]**2)] if own else []
            return s[new[i]]**2+sum(own)
        best = range(len(new)) if rank_by == "support" else sorted(range(len(new)), key=lambda i: -round(worth(i), 10))[:b]
        if not len(best): break
        for i in best:
            supports.append(new[i]); found.append(got[i]); refused.append(not_got[i])
            close.append(naive.pearson(X[:, new[i]], V[0]))
            banned |= {new[i], *(q for q, _, _ in got[i]), *not_got[i]}
        cuts.append([new[i] for i in best])
        groups = naive.assign_members(supports, found)
        now = [np.array([q for g in groups for q, _ in g])] if fit_on == "members" else [np.array(c) for c in cuts]
        solved = [solve_restricted(Z[rows], t, now, C=C, fit_intercept=True, tol=1e-9) for rows, t in problems]
        alphas, thetas = [one.alpha for one in solved], [one.theta for one in solved]
        margin = y*(Z@solved[0].coef+solved[0].intercept) if level is not None else np.zeros(1)
        if margin.min() > 0: alphas = [balanced(1/(1+np.exp(margin)), y)]
    inside = {q for g in groups for q, _ in g}
    left_out = [len(set(own)-inside) for own in refused]
    return supports, [i for i, c in enumerate(cuts) for _ in c], close, groups, left_out, P, thetas

def test_the_classifier_is_the_machine_on_all_members():
    for seed in range(2):
        X, y, _ = clusters(seed, n=60, p=20)
        X = X*10.**np.arange(-5, 15)[:X.shape[1]].clip(-3, 3)+3
        for fit_on in ("members", "supports"):
            for mode in ("global", "cut", "thesis2015"):
                g = quiet(GDM(5, fit_on=fit_on, mode=mode, n_per_iter=5, tol=1e-7, C=.5), X, y)
                if fit_on == "supports" and g.n_iter_ > 1: continue
                used = g.groups_.all_members if fit_on == "members" else np.sort(g.support_)
                r = solve_restricted(standardised(X)[:, used], y.astype(float), [np.arange(len(used))], C=.5, fit_intercept=mode != "thesis2015", tol=1e-8)
                assert set(np.flatnonzero(g.coef_[0])) <= set(used) and 0 <= g.gap_ <= 1e-7 or mode == "cut"
                np.testing.assert_allclose(g.decision_function(sp.csr_matrix(X)), X@g.coef_[0]+g.intercept_[0], rtol=1e-9, atol=1e-9)
                np.testing.assert_allclose(g.decision_function(X), standardised(X)[:, used]@r.coef+r.intercept, atol=2e-3)

@pytest.mark.parametrize("settings", [dict(verbose=1), dict(mode="cut", tau=.05)])
def test_ctrl_c_leaves_the_rounds_that_were_done(settings, monkeypatch):
    r = np.random.default_rng(0)
    X, settings = r.standard_normal((80, 20)), dict(tol=.03) | settings  # where the rounds' own tolerance is that of the end
    y, solve = labels(X, r), working_set.WorkingSet.solve
    want = quiet(GDM(6, max_iter=2, **settings), X, y)
    def stopped(at):
        "A fit that is interrupted when its machine is solved for this time"
        calls, g = [], GDM(6, **settings)
        def interrupted(*args, **kwargs):
            calls.append(1)
            if len(calls) == at: raise KeyboardInterrupt
            return solve(*args, **kwargs)
        monkeypatch.setattr(working_set.WorkingSet, "solve", interrupted)
        with redirect_stderr(io.StringIO()), pytest.raises(KeyboardInterrupt): g.fit(X, y)
        return g
    g = stopped(3)
    assert g.n_iter_ == want.n_iter_ == 2 == len(g.objective_path_) and g.stop_reason_ == "interrupted"
    assert g.support_.tolist() == want.support_.tolist() == g.groups_.support.tolist()
    assert [m.tolist() for m in g.groups_] == [m.tolist() for m in want.groups_]
    if g.mode == "global":  # elsewhere the last fit, on all members, is still to come
        np.testing.assert_allclose(g.decision_function(X), want.decision_function(X), atol=.05)
    else: assert g.bounds_.shape == (2, 2)
    assert set(np.flatnonzero(g.coef_[0])) <= set(g.groups_.all_members)
    g = stopped(1)
    for call in (g.predict, g.decision_function, g.transform):
        with pytest.raises(NotFittedError): call(X)

def test_x_is_left_alone_and_sparse_is_never_made_dense(monkeypatch):
    X, y, _ = clusters(3, n=40, p=15)
    shape = X.shape
    def guard(old):
        def toarray(self, *args, **kwargs):
            if self.shape in (shape, shape[::-1]): raise AssertionError("made dense")
            return old(self, *args, **kwargs)
        return toarray
    kinds = (sp.csc_matrix, sp.csr_matrix, sp.coo_matrix, sp.csc_array, sp.csr_array)
    for kind in kinds: monkeypatch.setattr(kind, "toarray", guard(kind.toarray))
    for form in (np.array, lambda X: np.array(X, order="F"), *kinds):
        if form in kinds:
            with pytest.raises(AssertionError, match="made dense"): form(X).todense()
        for mode in _MODES:
            A = form(X)
            parts = [A] if isinstance(A, np.ndarray) else [a for a in vars(A).values() if isinstance(a, np.ndarray)]
            before = [a.copy() for a in parts]
            for a in parts: a.flags.writeable = False
            g = quiet(GDM(4, mode=mode), A, y)
            g.predict(A); g.transform(A)
            for a, b in zip(parts, before, strict=True): np.testing.assert_array_equal(a, b)

def test_extra_memory():
    dense, d = make_groups(500, 2000, random_state=0, n_test=0), make_groups(2000, 20_000, random_state=0, n_test=0, sparse=.004)
    size = d.X.data.nbytes+d.X.indices.nbytes+d.X.indptr.nbytes
    for mode, k in (("global", 12), ("cut", 5)):
        for order in "CF" if mode == "global" else "C":
            A = np.array(dense.X, order=order)
            assert peak_of(lambda: quiet(GDM(k, mode=mode), A, dense.y), warm=True)[0] <= A.nbytes
        for chance, times in ((None, 1), (.05, 3)):  # sizes of rows and columns, in blocks
            assert peak_of(lambda: quiet(GDM(k, mode=mode, chance=chance), d.X, d.y), warm=True)[0] <= times*size+16*8*d.X.shape[1]

def heard(estimator, X, y):
    "The texts of the warnings of a fit"
    with warnings.catch_warnings(record=True, action="always") as w:
        estimator.fit(X, y)
    assert all(x.filename == __file__ for x in w), [x.filename for x in w]
    assert estimator.stop_reason_ in {"gap", "n_features_to_select", "max_iter", "nothing_left", "chance", "separated", "converged", "open", "precision"}
    return [str(x.message) for x in w]

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_fewer_groups_than_asked(store):
    x, z = (np.random.default_rng(seed).standard_normal(40) for seed in (0, 1))
    X, y, g = np.outer(x, [1, 1, -2, 3, .5]), (x > 0).astype(int), GDM(3)
    assert heard(g, store(X), y) == ["only 1 group exists at tau=0.3, fewer than n_features_to_select=3"]
    assert g.support_.tolist() == [0] and g.groups_.members[0].tolist() == [0, 1, 2, 3, 4] and g.stop_reason_ == "nothing_left"
    np.testing.assert_allclose(g.groups_.correlations[0], [1, 1, -1, 1, 1])
    assert heard(GDM(1), store(X), y) == [] and g.score(X, y) == 1
    assert heard(GDM(3, n_per_iter=3), store(np.c_[X, z, z]), y)[-1:] == ["only 2 groups exist at tau=0.3, fewer than n_features_to_select=3"]

@pytest.mark.parametrize("mode", _MODES)
def test_no_feature_knows_the_label(mode):
    # every score is exactly 0 in the first round
    X, y = np.array([[1., 1], [-1, 2], [1, 2], [-1, 1]]*4), np.array([0, 0, 1, 1]*4)
    with pytest.raises(ValueError, match="X must have a column"): GDM(1, mode=mode).fit(X, y)

def test_more_supports_than_features_are_all_of_them():
    "as the default is cut, so that recursive elimination may reach fewer features than supports"
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="n_features_to_select=9 is more than the 4 features"): model = GDM(9).fit(X, y)
    assert model.support_.tolist() == GDM(4).fit(X, y).support_.tolist()
    with warnings.catch_warnings(action="ignore"):
        assert 1 <= RFECV(GDM(3), cv=3).fit(X, y).n_features_ <= 4
