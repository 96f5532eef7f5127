"LinearOneClassSVM: scikit-learn's machine, the optimum's conditions, storages, copies, bad input"
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import LinearOneClassSVM
from fsnb.embedded.one_class_svm import _fit_one_class


def made(seed, n=60, p=12):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2, 1, (n, p))*rng.choice([-1, 1], p)*(rng.random((n, p)) < .7)
    return X, rng


@parametrize_with_checks([LinearOneClassSVM(2)])
@pytest.mark.filterwarnings("ignore:no column has a mean", "ignore:the samples surround", "ignore:.*constant column",
                            "ignore:only .* can be of use")
def test_estimator(estimator, check): check(estimator)


@pytest.mark.parametrize("nu", [.1, .5, .9])
@pytest.mark.parametrize("scale", ["one", "rms"])
def test_is_scikit_learn_s(nu, scale):
    for seed in range(5):
        X, _ = made(seed)
        rms = np.sqrt((X**2).mean(0))
        by = rms if scale == "rms" else np.full(12, rms.max())
        theirs = OneClassSVM(kernel="linear", nu=nu, tol=1e-9).fit(X/by)
        w = theirs.coef_[0]/-theirs.intercept_[0]
        ours = LinearOneClassSVM(4, nu=nu, scale=scale, contamination="auto").fit(X)
        np.testing.assert_allclose(ours.scores_, np.abs(w), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(ours.score_samples(X), X/by@w, rtol=1e-4, atol=1e-6)
        assert set(ours.support_) == set(np.argsort(-np.abs(w))[:4]) and ours.nu_ == nu and ours.offset_ == 1


@pytest.mark.parametrize("nu", [.05, .3, .8])
def test_no_other_half_space_is_better(nu):
    "The problem's own value, at the answer and at points nearby; at most nu of the samples outside"
    for seed in range(5):
        X, rng = made(seed)
        w = _fit_one_class(X, nu).weights[0]
        def value(v, margin): return v@v/2-margin+np.maximum(margin-X@v, 0).mean()/nu
        # the answer has its margin at 1; the optimum is the multiple of it whose length is right: value = -|w|^2/2
        size = (1-np.maximum(1-X@w, 0).mean()/nu)/(w@w)
        best = value(size*w, size)
        assert best < 0 and (X@w < 1-1e-6).mean() <= nu+1e-9
        for _ in range(100):
            assert value(size*w+.01*size*rng.standard_normal(12), size*(1+.01*rng.standard_normal())) >= best-1e-9*abs(best)


def test_nu_of_one_is_the_means():
    for seed in range(5):
        X, _ = made(seed)
        mean = X.mean(0)
        ours = LinearOneClassSVM(5, nu=1).fit(X)
        np.testing.assert_allclose(ours.coef_[0]/np.linalg.norm(ours.coef_), mean/np.linalg.norm(mean))
        near = LinearOneClassSVM(5, nu=1-1e-7).fit(X)
        np.testing.assert_allclose(np.abs(near.coef_[0])/np.linalg.norm(near.coef_), np.abs(mean)/np.linalg.norm(mean), atol=1e-5)


def test_dense_is_sparse_is_again():
    for seed in range(5):
        X, _ = made(seed, 80, 200)
        first, *others = (LinearOneClassSVM(8).fit(store(X)) for store in (np.asarray, np.asfortranarray, sp.csc_matrix, sp.csr_array))
        for other in others:
            assert other.support_.tolist() == first.support_.tolist()
            np.testing.assert_allclose(other.coef_, first.coef_, rtol=0, atol=1e-11)
            assert (other.predict(X) == first.predict(sp.csr_matrix(X))).all()
        assert (LinearOneClassSVM(8).fit(X).coef_ == first.coef_).all()


def test_a_share_below_one_sample_bounds_none():
    X, _ = made(2)
    answers = [LinearOneClassSVM(3, nu=nu).fit(X+1).coef_ for nu in (1e-300, 1e-3, 1/60)]
    for other in answers[1:]: np.testing.assert_allclose(other, answers[0], atol=1e-6)


def test_far_from_zero_sparse():
    "scikit-learn's variance of such a sparse matrix is negative, which libsvm refused as gamma"
    X, _ = made(2)
    answers = [LinearOneClassSVM(3).fit(store(X+1e8)) for store in (np.asarray, sp.csc_matrix)]
    assert answers[0].support_.tolist() == answers[1].support_.tolist()


def test_units_and_signs():
    X, rng = made(3)
    plain = LinearOneClassSVM(4).fit(X)
    for factor in (1e-6, 1e6, rng.choice([-1, 1], 12)):
        other = LinearOneClassSVM(4).fit(X*factor)
        assert other.support_.tolist() == plain.support_.tolist()
        np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-6)
    mixed = X*10.**rng.integers(-3, 3, 12)
    assert LinearOneClassSVM(4, scale="rms").fit(mixed).support_.tolist() == LinearOneClassSVM(4, scale="rms").fit(X).support_.tolist()


def test_copies_share_and_stand_by_index():
    X, _ = made(1)
    best = int(LinearOneClassSVM(1).fit(X).support_[0])
    both = LinearOneClassSVM(13).fit(np.c_[X, X[:, best]])
    assert both.scores_[best] == pytest.approx(both.scores_[12], rel=1e-12)
    order = both.support_.tolist()
    assert order.index(12) == order.index(best)+1 and all(len(members) == 1 for members in both.groups_.members)


def test_constants_and_shares():
    X, _ = made(0, 400)
    X[:, 4] = 7
    for share in (.05, .25):
        with pytest.warns(UserWarning, match="1 constant column is never selected: 4"):
            fitted = LinearOneClassSVM(3, contamination=share).fit(X)
        assert fitted.coef_[0, 4] == 0 and (fitted.predict(X) == -1).sum() == pytest.approx(400*share, abs=1)


def test_samples_around_the_origin_are_told():
    X = np.random.default_rng(0).standard_normal((200, 3))+.4
    with pytest.warns(UserWarning, match="the samples surround the origin: no half-space leaves it outside at nu=0.1") as told:
        fitted = LinearOneClassSVM(2, nu=.1).fit(X)
    assert fitted.nu_ == 1 and told[0].filename == __file__
    np.testing.assert_allclose(fitted.coef_[0]/np.linalg.norm(fitted.coef_), X.mean(0)/np.linalg.norm(X.mean(0)))


def test_a_stop_is_told():
    from sklearn.exceptions import ConvergenceWarning
    X, _ = made(0)
    with pytest.warns(ConvergenceWarning, match="libsvm did not reach tol=1e-08 in max_iter=3 steps"): LinearOneClassSVM(2, max_iter=3).fit(X)


@pytest.mark.parametrize("wrong, sentence", [
    (dict(nu=0), r"nu must lie in \(0, 1\], got 0"), (dict(nu=1.5), r"nu must lie in \(0, 1\], got 1.5"),
    (dict(contamination=.7), "contamination must be 'auto' or lie in"), (dict(scale="std"), "scale must be one of 'one', 'rms', got 'std'"),
    (dict(tol=0), r"tol must lie in \(0, 1\), got 0"), (dict(max_iter=0), "max_iter must")])
def test_refusals(wrong, sentence):
    with pytest.raises(ValueError, match=sentence): LinearOneClassSVM(3, **wrong).fit(made(0)[0])


def test_centred_data_are_refused():
    X, _ = made(0)
    with pytest.raises(ValueError, match="X must not be centred for one class"): LinearOneClassSVM(3).fit(X-X.mean(0))
