"L1SVM, SVMRFE, LinearOneClassSVM: scikit-learn's machines, the letter, optimality, storages."
import numpy as np, pytest, scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC, OneClassSVM
from fsnb import L1SVM, SVMRFE, ElasticNet, GFlasso, GroupLasso, LinearOneClassSVM
from fsnb.linear import svm

def made(seed=0, n=80, p=40, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.standard_normal((n, p))*(rng.random((n, p)) < .5)*rng.choice([.1, 1, 10], p)
    X[:, :3] += np.outer(y, [1, -1, 2])*X.std(0)[:3]
    return X, y

# ---- L1SVM

@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("standardize", [True, False])
def test_is_linear_svc(standardize, classes):
    settings = dict(tol=1e-7, max_iter=10**5)       # at 1e-9 LIBLINEAR goes round and round
    X, y = made(classes=classes)
    scale = X.std(0) if standardize else np.ones(X.shape[1])
    shift = X.mean(0)*(np.abs(X.mean(0)) > scale)*standardize
    for C in (.01, .3):
        peer = LinearSVC(penalty="l1", dual=False, C=C, intercept_scaling=1000, random_state=0,
                         **settings).fit((X-shift)/scale, y)
        ours = L1SVM(None, C=C, standardize=standardize, **settings).fit(X, y)
        np.testing.assert_allclose(ours.coef_, peer.coef_/scale, atol=1e-5/scale.min())
        free = peer.intercept_-peer.coef_/scale@shift
        np.testing.assert_allclose(ours.intercept_, free, atol=1e-4)
        assert set(ours.support_) == set(np.flatnonzero(peer.coef_.any(0)))

def test_as_many_as_wanted():
    X, y = made()
    for k in (1, 4, 11):
        fitted = L1SVM(k).fit(X, y)
        assert len(fitted.support_) == k <= fitted.n_nonzero_
        np.testing.assert_array_equal(L1SVM(None, C=fitted.C_).fit(X, y).coef_, fitted.coef_)

@pytest.mark.parametrize("store, classes", [(np.asarray, 2), (sp.csr_matrix, 3)])
def test_few_columns_at_a_time_are_all_columns(store, classes, monkeypatch):
    "No column outside pulls harder than 1 at the answer, and LIBLINEAR saw few of them"
    rng, y, fit, seen, C = np.random.default_rng(0), np.arange(80) % classes, LinearSVC.fit, [], .2
    X = rng.standard_normal((80, 3000))*(rng.random((80, 3000)) < .5)
    for c in range(classes): X[:, 10*c:10*c+4] += (y == c)[:, None]
    def watched(self, X, y):
        seen.append(X.shape[1])
        return fit(self, X, y)
    monkeypatch.setattr(LinearSVC, "fit", watched)
    ours = L1SVM(None, C=C, standardize=False, tol=1e-6, max_iter=10**5).fit(store(X), y)
    assert max(seen) <= 800
    for k, (w, b) in enumerate(zip(ours.coef_, ours.intercept_)):
        signs = np.where(y == (1 if classes == 2 else k), 1, -1)
        pulls = 2*C*np.abs(X.T@(signs*np.maximum(1-signs*(X@w+b), 0)))
        assert pulls.max() <= 1+1e-4 and np.abs(pulls[w != 0]-1).max(initial=0) < 1e-3

def test_fewer_have_a_weight_or_none_goes_with_y():
    X = np.c_[[0., 1]*20, np.ones(40)*2]
    with pytest.warns(UserWarning, match="only 1 feature can be of use"):
        assert L1SVM(2).fit(X, [0, 1]*20).support_.tolist() == [0]
    X = np.array([[0., 0], [0, 1], [1, 0], [1, 1]]*5)
    with pytest.raises(ValueError, match="associated with y"): L1SVM(1).fit(X, [0, 1, 1, 0]*5)

# ---- SVMRFE

def test_steps_and_constants():
    X, y = made(0, 40, 30)
    X[:, 4] = 7
    for step, fits in ((1, 24), (4, 7), (.3, 6)):
        with pytest.warns(UserWarning, match="1 constant column is never selected"):
            fitted = SVMRFE(6, step=step).fit(X, y)
        assert len(fitted.support_) == 6 == np.count_nonzero(fitted.scores_)
        assert fitted.n_iter_ == fits and sorted(fitted.ranking_) == list(range(1, 31))
        assert fitted.ranking_[fitted.support_].tolist() == list(range(1, 7))
        assert fitted.ranking_[4] == 30

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_factored_steps_and_conjugate_gradients_end_at_one_point(store, monkeypatch):
    X, y = made(1, 60, 40)
    fit = lambda: SVMRFE(5, step=.3, tol=1e-9).fit(store(X), y)
    factored = fit()
    monkeypatch.setattr(svm, "_FACTORED", 0)
    by_gradients = fit()
    np.testing.assert_allclose(by_gradients.coef_, factored.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(by_gradients.ranking_, factored.ranking_)

# ---- one class

def one_class(seed, n=60, p=12):
    rng = np.random.default_rng(seed)
    return rng.gamma(2, 1, (n, p))*rng.choice([-1, 1], p)*(rng.random((n, p)) < .7)

@pytest.mark.parametrize("nu", [.1, .5, .9])
@pytest.mark.parametrize("scale", ["one", "rms"])
@pytest.mark.parametrize("most", [0, 1 << 25])
def test_is_one_class_svm(nu, scale, most, monkeypatch):
    monkeypatch.setattr(svm, "_MOST_PRODUCTS", most)
    X = one_class(0 if most else 3)
    rms = np.sqrt((X**2).mean(0))
    by = rms if scale == "rms" else np.full(12, rms.max())
    theirs = OneClassSVM(kernel="linear", nu=nu, tol=1e-9).fit(X/by)
    w = theirs.coef_[0]/-theirs.intercept_[0]
    for store in (np.asarray, sp.csc_matrix):
        ours = LinearOneClassSVM(4, nu=nu, scale=scale, contamination="auto").fit(store(X))
        np.testing.assert_allclose(ours.scores_, np.abs(w), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(ours.score_samples(X), X/by@w, rtol=1e-4, atol=1e-6)
        assert set(ours.support_) == set(np.argsort(-np.abs(w))[:4])
        assert ours.nu_ == nu and ours.offset_ == 1

def test_nu_of_one_is_the_means_and_a_small_one_bounds_none():
    X = one_class(2)
    for nu in (1, 1-1e-7):
        w = LinearOneClassSVM(5, nu=nu).fit(X).coef_[0]
        mean = X.mean(0)/np.linalg.norm(X.mean(0))
        np.testing.assert_allclose(w/np.linalg.norm(w), mean, atol=1e-5)
    first, *others = (LinearOneClassSVM(3, nu=nu).fit(X+1).coef_ for nu in (1e-300, 1e-3, 1/60))
    for other in others: np.testing.assert_allclose(other, first, atol=1e-6)

def test_units_copies_constants_and_shares():
    X = one_class(3, 400)
    plain = LinearOneClassSVM(4).fit(X)
    for factor in (1e-6, 1e6):
        scores = LinearOneClassSVM(4).fit(X*factor).scores_
        np.testing.assert_allclose(scores, plain.scores_, rtol=1e-6)
    best = int(plain.support_[0])
    both = LinearOneClassSVM(13).fit(np.c_[X, X[:, best]])
    assert both.scores_[best] == pytest.approx(both.scores_[12], rel=1e-9)
    order = both.support_.tolist()
    assert order.index(12) == order.index(best)+1
    X[:, 4] = 7
    with pytest.warns(UserWarning, match="1 constant column is never selected: 4"):
        fitted = LinearOneClassSVM(3, contamination=.25).fit(X)
    assert fitted.coef_[0, 4] == 0 and (fitted.predict(X) == -1).sum() == pytest.approx(100, abs=1)
    with pytest.raises(ValueError, match="not be centred"): LinearOneClassSVM(3).fit(X-X.mean(0))

def test_samples_around_the_origin_are_told():
    X = np.random.default_rng(0).standard_normal((200, 3))+.4
    with pytest.warns(UserWarning, match="the samples surround the origin"):
        assert LinearOneClassSVM(2, nu=.1).fit(X).nu_ == 1

@pytest.mark.parametrize("model", [
    L1SVM(None, C=1e3, max_iter=1), SVMRFE(2, max_iter=1), LinearOneClassSVM(2, max_iter=3),
    GFlasso(None, alpha=.02, max_iter=1), ElasticNet(None, alpha=1e-6, l1_ratio=1, max_iter=5),
    GroupLasso(None, alpha=1e-6, max_iter=5)])
def test_a_solver_that_is_stopped_is_told(model):
    "A gap of a third of the objective went without a word"
    r = np.random.default_rng(0)
    X = r.normal(size=(40, 3))@r.normal(size=(3, 60))+1e-4*r.normal(size=(40, 60))
    y = (X[:, 0]+r.normal(size=40) > 0)*1
    with pytest.warns(ConvergenceWarning, match="max_iter=.*tol=|tol=.*max_iter="): model.fit(X, y)
    assert getattr(model, "gap_", 1) > model.tol
