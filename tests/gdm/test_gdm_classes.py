"GDM on more than two classes: one machine for each pair, one set of groups, a vote"
import itertools
import numpy as np, pytest, scipy.sparse as sp
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
