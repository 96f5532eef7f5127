"The losses and their solver: scikit-learn, scikit-survival's coefficients, loops, repeated rows, any dress of the data"
import warnings
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from fsnb import naive
from fsnb.gdm.losses import check_weights, Cox, Logistic, read_survival, solve_loss, SquaredError, WeightedHinge
from fsnb.gdm.restricted import solve_svm

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
@pytest.mark.parametrize("seed", range(6))
def test_derivatives_are_those_of_the_value(kind, seed):
    _, weights, targets = case(seed, grid=[1, 3, 1e6][seed % 3])
    r, y = np.random.default_rng(seed), targets[kind]
    for w in (None, weights, np.floor(2*weights)):
        loss, outputs, way = kind(y, w), r.standard_normal(80), r.standard_normal(80)
        step = 1e-5*way
        (high, up), (low, down) = loss(outputs+step), loss(outputs-step)
        pull, bend = loss(outputs)[1], loss.bend(outputs, way)
        np.testing.assert_allclose(-pull@way*2e-5, high-low, atol=1e-8)
        np.testing.assert_allclose(bend*2e-5, down-up, atol=1e-9)
        assert way@bend >= -1e-12
        if w is not None: assert not pull[w == 0].any()

@pytest.mark.parametrize("seed", range(20))
def test_cox_is_one_event_after_the_other(seed):
    _, weights, targets = case(seed, n=30, grid=[1, 4, 1e6][seed % 3])
    y, outputs = targets[Cox], np.random.default_rng(seed).standard_normal(30)
    for w in (np.ones(30), weights):
        np.testing.assert_allclose(Cox(y, w)(outputs)[0], naive.efron_loss(outputs, *y.T, w), rtol=1e-12)
        kept = w > 0
        np.testing.assert_allclose(Cox(y, w)(outputs)[1][kept], Cox(y[kept], w[kept])(outputs[kept])[1], atol=1e-12)
    assert abs(Cox(y, weights)(outputs)[1].sum()) < 1e-9

def test_outputs_in_the_thousands_overflow_nothing():
    times = np.arange(1., 301)
    Z = ((times.mean()-times)/times.std())[:, None]
    for C in (1, 1e5): assert solve_loss(Z, Cox(np.c_[times, np.ones(300)]), C=C).converged
    loss = Cox(np.c_[times, np.ones(300)])
    assert all(np.isfinite(part).all() for part in (*loss(3000*Z[:, 0]), loss.bend(-3000*Z[:, 0], Z[:, 0])))

@pytest.mark.parametrize("C", [.01, 1, 100])
def test_scikit_learn_agrees(C):
    Z, weights, targets = case(0)
    ridge = Ridge(alpha=1/C).fit(Z, targets[SquaredError], weights)
    own = solve_loss(Z, SquaredError(targets[SquaredError], weights), C=C, tol=1e-13)
    np.testing.assert_allclose([*own.coef, own.intercept], [*ridge.coef_, ridge.intercept_], atol=1e-6)
    y = targets[Logistic]
    logistic = LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(Z, y, weights)
    own = solve_loss(Z, Logistic(y, weights), C=C, tol=1e-13)
    np.testing.assert_allclose([*own.coef, own.intercept], [*logistic.coef_[0], *logistic.intercept_], atol=1e-5)
    svm = solve_svm(Z, y, np.arange(6), C=C, fit_intercept=True, tol=1e-12)
    own = solve_loss(Z, WeightedHinge(y), C=C, tol=1e-13)
    for name in ("coef", "intercept", "alpha", "theta", "objective"):
        np.testing.assert_allclose(getattr(own, name), getattr(svm, name), rtol=1e-4, atol=1e-5)

@pytest.mark.parametrize("kind", [SquaredError, Logistic, WeightedHinge])
def test_whole_number_weights_are_repeated_rows(kind):
    Z, _, targets = case(1)
    counts, y = np.random.default_rng(1).integers(0, 4, 80), targets[kind]
    rows = np.repeat(np.arange(80), counts)
    own, theirs = solve_loss(Z, kind(y, counts), tol=1e-13), solve_loss(Z[rows], kind(y[rows]), tol=1e-13)
    np.testing.assert_allclose(own.coef, theirs.coef, atol=1e-7)
    np.testing.assert_allclose(np.bincount(rows, theirs.alpha, 80), own.alpha, atol=1e-7)

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

@pytest.mark.parametrize("kind", LOSSES)
def test_columns_of_deviation_1000_are_free(kind):
    Z, _, targets = case(4)
    extra = np.random.default_rng(4).standard_normal((80, 5))
    extra[:, 1] += 3*extra[:, 0]
    extra = (extra-extra.mean(0))/extra.std(0)
    loss = kind(targets[kind])
    found = solve_loss(np.c_[1000*extra, Z], loss, tol=1e-12)
    assert found.converged and found.n_iter < 15
    pull = loss(np.c_[1000*extra, Z]@found.coef+found.intercept)[1]
    assert abs(extra.T@pull).max() < 1e-4 and np.allclose(Z.T@pull, found.coef[5:], atol=1e-4)

def test_bad_input_has_one_error_each():
    Z, _, targets = case(5)
    for bad in (np.full(80, -1.), np.zeros(80), np.full(80, np.nan), np.full(80, np.inf), np.ones(79), np.ones((80, 1))):
        with pytest.raises(ValueError, match="sample_weight must hold 80"): check_weights(bad, 80)
    for y, match in (([1, 0], "two columns"), ([[1, 1, 0]], "two columns"), ([[0, 1], [1, 0]], "times"), ([[-1, 1], [1, 0]], "times"),
                     ([[np.nan, 1], [1, 0]], "times"), ([[np.inf, 1], [1, 0]], "times"), ([[1, 2], [2, 1]], "events"), ([[1, np.nan], [2, 1]], "events"),
                     ([[1, 0], [2, 0]], "still at risk"), ([[1, 0], [2, 1]], "still at risk"), ([[2, 1], [2, 1]], "still at risk")):
        with pytest.raises(ValueError, match=match): read_survival(np.array(y, dtype=float))
    with pytest.raises(ValueError, match="still at risk"): Cox([[1, 1], [2, 0]], [0, 1])
    assert Cox([[2, 1], [2, 0], [1, 0]])(np.zeros(3))[1].any()                 # censored at the time of the event: at risk
    with pytest.raises(ValueError, match="constant"): SquaredError(np.ones(80))
    with pytest.raises(ValueError, match="constant"): SquaredError([1, 2, 2], [0, 1, 1])
    with pytest.raises(ValueError, match="finite"): SquaredError([1, np.nan])
    for y in ([1, 1], [0, 1], [1, -1, np.nan]):
        for kind in (Logistic, WeightedHinge):
            with pytest.raises(ValueError, match="two classes"): kind(y)
    with pytest.raises(ValueError, match="shape"): solve_loss(Z[:79], SquaredError(targets[SquaredError]))
    with pytest.raises(ValueError, match="finite"): solve_loss(np.where(Z > 2, np.nan, Z), SquaredError(targets[SquaredError]))

def test_structured_arrays_in_any_order_of_fields():
    y = case(6)[2][Cox]
    for names in ("ft", "tf"):
        record = np.zeros(80, dtype=[(name, "?" if name == "f" else "f8") for name in names])
        record["t"], record["f"] = y.T
        assert np.array_equal(read_survival(record), y)
