"The solver of the losses: any dress of the data, the bound on the way, bad input"
import warnings
import numpy as np, pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from fsnb.gdm.losses import Cox, Logistic, solve_loss, SquaredError, WeightedHinge

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

def case(seed, n=80, d=6, grid=5):
    "Z, weights some of which are 0, and each loss's y: measured, labels, tied times with events"
    r = np.random.default_rng(seed)
    Z = r.standard_normal((n, d))
    Z = (Z-Z.mean(0))/Z.std(0)
    signal = Z[:, :3].sum(1)/2
    weights = r.gamma(1, size=n)*(r.random(n) < .8)
    life, leave = r.exponential(np.exp(-signal)), r.exponential(1.5, n)
    survival = np.stack([np.ceil(grid*np.minimum(life, leave)), life <= leave], axis=1)
    labels = np.where(signal+r.logistic(size=n) > .3, 1, -1)
    return Z, weights, {SquaredError: signal+r.standard_normal(n), Logistic: labels, WeightedHinge: labels, Cox: survival}

LOSSES = [SquaredError, Logistic, WeightedHinge, Cox]

@pytest.mark.parametrize("kind", LOSSES)
def test_storage_threads_and_an_earlier_answer_change_nothing(kind):
    r = np.random.default_rng(2)
    raw = sparse.random(300, 20, .2, format="csc", random_state=2)
    y, dense = case(2, n=300)[2][kind], raw.toarray()
    mean, std, loss = dense.mean(0), dense.std(0), kind(y, r.gamma(1, size=300))
    one = solve_loss((dense-mean)/std, loss, tol=1e-12)
    few = solve_loss(raw[:, :12], loss, mean=mean[:12], scale=std[:12])
    for X in (raw, raw.tocsr(), dense):
        for settings in (dict(), dict(n_jobs=2), dict(start=few)):
            two = solve_loss(X, loss, tol=1e-12, mean=mean, scale=std, **settings)
            np.testing.assert_allclose(two.coef, one.coef, atol=1e-5)
            assert two.converged and two.kernel_weights == [1] and np.array_equal(two.coef, two.weights[0])
    np.testing.assert_allclose(abs(one.alpha).sum(), 1)
    pull = loss((dense-mean)/std@one.coef+one.intercept)[1]
    np.testing.assert_allclose(loss.signs*one.alpha*abs(pull).sum(), pull, atol=1e-6)
    assert 0 <= one.objective-1/(4*one.theta) <= 1e-11*one.objective

@pytest.mark.parametrize("kind", LOSSES)
def test_the_bound_holds_on_the_way(kind):
    Z, weights, targets = case(3)
    loss = kind(targets[kind], weights)
    best = solve_loss(Z, loss, C=5, tol=1e-13).objective
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        for steps in (1, 2, 3):
            found = solve_loss(Z, loss, C=5, tol=1e-14, max_iter=steps)
            assert 1/(4*found.theta) <= best*(1+1e-12) and best <= found.objective*(1+1e-12)
    with pytest.warns(ConvergenceWarning, match="after 1 iterations"): solve_loss(Z, loss, C=5, tol=1e-14, max_iter=1)

def test_bad_input_has_one_error_each():
    "What the page does not try: weights of 0, the shape and the numbers of Z"
    Z, _, targets = case(5)
    with pytest.raises(ValueError, match="still at risk"): Cox([[1, 1], [2, 0]], [0, 1])
    assert Cox([[2, 1], [2, 0], [1, 0]])(np.zeros(3))[1].any()                 # censored at the time of the event: at risk
    with pytest.raises(ValueError, match="constant"): SquaredError([1, 2, 2], [0, 1, 1])
    for kind in (Logistic, WeightedHinge):
        for y in ([0, 1], [1, -1, np.nan]):
            with pytest.raises(ValueError, match="two classes"): kind(y)
    with pytest.raises(ValueError, match="shape"): solve_loss(Z[:79], SquaredError(targets[SquaredError]))
    with pytest.raises(ValueError, match="finite"): solve_loss(np.where(Z > 2, np.nan, Z), SquaredError(targets[SquaredError]))
