"One class: the plain loop, what theory says, bad input"
import warnings
import numpy as np, pytest, scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.gdm.one_class import OneClassGDM
from fsnb.gdm.kernel_weights import solve_restricted
from test_gdm_rounds import quiet, sharp, table  # noqa: F401

def positive(seed):
    "Counts with crowds, for one class"
    r = np.random.default_rng(seed)
    n, p = int(r.integers(15, 60)), int(r.integers(4, 20))
    rate = r.gamma(1, 1, (n, 3))@r.gamma(.5, 1, (3, p))
    X = r.poisson(rate).astype(float)
    X[:, r.integers(p)] = 2
    return X*(r.choice([-1, 1], p) if seed % 2 else 1), r

@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", ["one", "rms"])
def test_one_class_equals_the_plain_loop(store, scale, sharp):
    rounds = 0
    for seed in range(5):
        X, r = positive(seed)
        n, p = X.shape
        varies = X.max(0) > X.min(0)
        rms = np.where(varies, np.sqrt((X**2).mean(0)), 0)
        by = np.where(varies, rms.max() if scale == "one" else rms, 0)
        U = np.where(by > 0, X/np.where(by > 0, by, 1), 0)
        k, tau, C = int(r.integers(1, p//2+1)), float(r.choice([.2, .4])), float(r.choice([.01, 1.]))
        g = OneClassGDM(k, tau=tau, C=C, scale=scale, n_per_iter=1, chance=None, **sharp)
        g.rank_by = "support"                                        # the plain walk
        quiet(g, store(X), None)
        alpha, supports, found, banned, R = np.full(n, 1/n), [], [], set(np.flatnonzero(~varies).tolist()), table(X)
        while len(supports) < k:
            new, got = naive.greedy_cut(R, np.round(U.T@alpha, 11), 1, tau, banned, True)
            if not new: break
            supports += new; found += got
            banned |= set(new) | {q for q, _, _ in got[0]}
            members = [q for h in naive.assign_members(supports, found) for q, _ in h]
            solved = solve_restricted(U, np.ones(n), [np.array(members)], C=C, fit_intercept=False, tol=1e-9)
            alpha = solved.alpha
        assert g.support_.tolist() == supports, seed
        np.testing.assert_allclose(g.alpha_, alpha, atol=1e-3)
        np.testing.assert_allclose(g.score_samples(X), U@solved.coef, atol=1e-3*max(1, np.abs(U@solved.coef).max()))
        rounds += g.n_iter_
    assert rounds > 8

def test_centred_data_are_refused():
    for dtype in (np.float64, np.float32):
        X = np.random.default_rng(0).gamma(2, 1, (100, 20)).astype(dtype)
        A = StandardScaler().fit_transform(X)
        for centred in (A, X-X.mean(0), as_columns(A)):
            with pytest.raises(ValueError, match="X must not be centred for one class: no column has a mean beyond 1e-06"):
                OneClassGDM(3).fit(centred)
        quiet(OneClassGDM(3), A+.9*(np.arange(20) == 3), None)
    with pytest.warns(UserWarning, match="no column has a significant mean"):
        OneClassGDM(3).fit(np.random.default_rng(0).standard_normal((200, 50)))

def test_no_prediction_is_decided_by_how_the_columns_are_stored():
    "1001 samples, the tenth of which lies on the margin: the machine is solved to the last digits in either storage"
    X = np.random.default_rng(0).standard_normal((1001, 12))+2
    X[500, :3] += 20
    one, two = (OneClassGDM(3).fit(store(X)) for store in (np.asarray, sp.csc_matrix))
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=0, atol=1e-12)
    assert (one.predict(X) == two.predict(sp.csc_matrix(X))).all()

def test_ties_at_the_threshold_are_told():
    "Once: nothing at all was rejected where a tenth was asked for, without a word"
    rng = np.random.default_rng(0)
    X = (rng.random((200, 30)) < .3)*1.
    X[:30] = 0
    with pytest.warns(UserWarning, match=r"0\.0% of the samples lie below offset_, where contamination=0\.1 asks for 10\.0%: .* have the same score there"):
        model = OneClassGDM(3).fit(X)
    assert (model.predict(X) == 1).all()
    with warnings.catch_warnings(action="error"):
        OneClassGDM(3).fit(rng.random((200, 30)))
        OneClassGDM(3, contamination="auto").fit(X)
