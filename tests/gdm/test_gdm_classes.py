"GDM on more than two classes: one machine for each pair, one set of groups, a vote"
import itertools
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine

from fsnb import naive
from fsnb.gdm.gdm import GDM
from fsnb.gdm.kernel_weights import solve_restricted
from test_gdm_rounds import agrees, clusters, pair_problems, plain_rounds, quiet, sharp, standardised, table  # noqa: F401

def several(seed, make=clusters, K=None, **size):
    "The data of `make` with three to five classes of at least four samples, and names for them"
    X, _, r = make(2000+seed, **size)
    K = K or int(r.integers(3, 6))
    w = r.standard_normal((X.shape[1], K))*(r.random((X.shape[1], 1)) < .6)
    y = np.argmax(standardised(X)@w+.5*r.standard_normal((len(X), K)), 1)
    for c in range(K): y[4*c:4*c+4] = c
    return X, np.array(["beech", "ash", "oak", "elm", "fir"])[y], r

@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_it_equals_the_plain_loop(store, sharp):
    rounds = 0
    for seed in range(5):
        X, y, r = several(seed)
        k = int(r.integers(1, X.shape[1]//2+1))
        args = dict(tau=float(r.choice([.2, .4, .6])), fit_on=["members", "supports"][seed//2 % 2],
                    C=float(r.choice([.1, 1.])))
        per = int(r.integers(1, k+1))
        g = quiet(GDM(k, n_per_iter=per, rank_by="support", chance=None, **args, **sharp), store(X), y)
        supports, _, _, plain, *_, thetas = plain_rounds(X, y, table(X), k, per, **args)
        assert g.support_.tolist() == supports, seed
        agrees(g.groups_, plain)
        assert g.objective_path_[-1] == pytest.approx(1/sum(1/np.array(thetas)), rel=1e-5)
        rounds += g.n_iter_
    assert rounds > 6

def test_the_vote_is_scikit_learns():
    "decision_function = votes and squeezed distances, as OneVsOneClassifier forms them from the same machines"
    X, y = load_digits(n_class=5, return_X_y=True)
    X, y = X[:300], y[:300]
    g = quiet(GDM(8, tau=.5, C=.1), X, y)
    d = X@g.coef_.T+g.intercept_
    K, votes, total = 5, np.zeros((300, 5)), np.zeros((300, 5))
    for m, (i, j) in enumerate(itertools.combinations(range(K), 2)):
        votes[np.arange(300), np.where(d[:, m] > 0, j, i)] += 1
        total[:, j] += d[:, m]; total[:, i] -= d[:, m]
    np.testing.assert_allclose(g.decision_function(X), votes+total/(3*(np.abs(total)+1)), atol=1e-9)
    assert g.decision_function(X).shape == (300, 5) and g.coef_.shape == (10, 64) and g.intercept_.shape == (10,)
    np.testing.assert_array_equal(g.pairs_, list(itertools.combinations(range(5), 2)))
    np.testing.assert_array_equal(g.predict(X), g.classes_[g.decision_function(X).argmax(1)])

def test_each_machine_is_the_best_of_its_pair():
    "At C and the groups found, the machine of a pair is the restricted problem on its samples alone"
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="by mode='cut'.*got 3 classes"): GDM(2, mode="cut").fit(X, y)
    g = quiet(GDM(5, tol=1e-7), X, y)
    members = g.groups_.all_members
    for m, (rows, t) in enumerate(pair_problems(y)):
        r = solve_restricted(standardised(X)[rows][:, members], t, [np.arange(len(members))], C=1., fit_intercept=True, tol=1e-8)
        got = X[rows]@g.coef_[m]+g.intercept_[m]
        np.testing.assert_allclose(got, standardised(X)[rows][:, members]@r.coef+r.intercept, atol=1e-3)
        assert g.alpha_[m].sum() == pytest.approx(1) and not np.delete(g.alpha_[m], rows).any()

def test_scores_are_the_root_mean_square_over_the_pairs():
    for seed in range(2):
        X, y, _ = several(seed)
        C, Z = .7, standardised(X)
        g = quiet(GDM(2, C=C), X, y)
        top = bottom = 0
        for rows, t in pair_problems(y):
            v = np.where(t > 0, .5/(t > 0).sum(), .5/(t < 0).sum())
            weight, v = C/(v@v), v*t
            top = top+(weight*Z[rows].T@v)**2
            bottom += (weight*np.linalg.norm(v))**2*len(rows)
        varies = X.max(0) > X.min(0)
        np.testing.assert_allclose(g.scores_[varies], np.sqrt(top/bottom)[varies], atol=1e-8)

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_classes_that_a_feature_speaks_for(store):
    told = alone = 0
    for X, y in (*(several(seed, n=150, p=20)[:2] for seed in range(2)), load_iris(return_X_y=True), load_wine(return_X_y=True)):
        g = quiet(GDM(4), store(X), y)
        for j, classes in zip(np.concatenate(g.groups_.members), itertools.chain(*g.groups_.classes), strict=True):
            wins = dict.fromkeys(g.classes_.tolist(), 0)
            for a, b in itertools.combinations(g.classes_.tolist(), 2):
                keep = (y == a) | (y == b)
                r = naive.pearson(X[keep, j], (y[keep] == b)*1.)
                if abs(r) >= 3/np.sqrt(keep.sum()): wins[b if r > 0 else a] += 1
            want = [c for c, w in wins.items() if w >= 2]          # of three to five classes
            assert list(classes) == want
            told += len(want)
            alone += len(wins) == 3 and 1 in wins.values()      # one pair of two is half of them, and not enough
    assert told > 2 and alone > 2

def test_sparse_in_sparse_coefficients_out():
    X, y = (part[:200] for part in load_digits(n_class=5, return_X_y=True))
    g, h = quiet(GDM(5, tau=.5), sp.csr_matrix(X), y), quiet(GDM(5, tau=.5), X, y)
    assert sp.issparse(g.coef_) and g.coef_.format == "csr" and isinstance(h.coef_, np.ndarray)
    np.testing.assert_allclose(g.coef_.toarray(), h.coef_, atol=1e-3)
    np.testing.assert_array_equal(g.predict(sp.csr_matrix(X)), g.predict(X))
    assert sp.issparse(g.alpha_) and np.allclose(g.alpha_.sum(1), 1)
