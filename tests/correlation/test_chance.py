"The level that chance reaches"
import warnings
import numpy as np
import pytest

from fsnb.correlation.information import _chance_correlation, _chance_su, SymmetricalUncertainty

pytestmark = pytest.mark.filterwarnings("ignore:with n_samples")


def test_the_level_of_chance():
    r = np.random.default_rng(0)
    for n, p in ((5, 50), (30, 200), (200, 1000)):
        x, X = r.standard_normal((300, n)), r.standard_normal((n, p))
        X = (X-X.mean(0))/X.std(0)
        x = (x-x.mean(1, keepdims=True))/x.std(1, keepdims=True)
        reached = np.abs(x@X/n)
        for level in (1., 10.):
            mean = (reached >= _chance_correlation(n, p, level)).sum(1).mean()
            assert mean == pytest.approx(level, rel=.25)


def test_the_level_of_chance_by_hand():
    assert _chance_correlation(4, 2) == pytest.approx(.5)              # n = 4: |rho| is uniform on [0, 1]
    assert _chance_correlation(4, 100) == pytest.approx(.99)
    assert _chance_correlation(50, 3, 3) == 0 and _chance_correlation(50, 3, 9) == 0 and _chance_correlation(50, 1) == 0
    values = [_chance_correlation(n, 1000) for n in (3, 5, 10, 100, 10_000)]
    assert (np.diff(values) < 0).all() and 0 < values[-1] < values[0] < 1
    assert (np.diff([_chance_correlation(50, p) for p in (2, 10, 10**4, 10**8)]) > 0).all()
    assert type(_chance_correlation(10, 10)) is float
    for bad, message in (((2, 5), "n_samples must be at least 3, got 2"), ((5, 0), "n_features must be at least 1, got 0")):
        with pytest.raises(ValueError, match=message): _chance_correlation(*bad)


def test_few_samples_are_told_once():
    with pytest.warns(UserWarning, match=r"with n_samples=50 .* independent features of 10 bins read about 0.35"):
        SymmetricalUncertainty().fit(np.random.default_rng(0).random((50, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SymmetricalUncertainty().fit(np.random.default_rng(0).random((200, 3)))


def test_chance_su_is_the_mean_of_independent_features():
    for n, K in ((500, 4), (2000, 10)):
        X = np.random.default_rng(0).random((n, 60))
        U = SymmetricalUncertainty(K, "frequency").fit(X).table(range(60))
        assert U[np.triu_indices(60, 1)].mean() == pytest.approx(_chance_su(n, K), rel=.05)
    assert _chance_su(3, 100) == 1
