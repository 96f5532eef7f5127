"How large a correlation or symmetrical uncertainty independent features have"
import warnings
import numpy as np
import pytest

from fsnb import FeatureWarning
from fsnb.correlation.information import _chance_correlation, _chance_su, SymmetricalUncertainty

pytestmark = pytest.mark.filterwarnings("ignore:.*biased upward")

def test_the_level_of_chance_by_hand():
    assert _chance_correlation(4, 2) == pytest.approx(.5)              # n = 4: |rho| is uniform on [0, 1]
    assert _chance_correlation(4, 100) == pytest.approx(.99)
    assert _chance_correlation(50, 3, 3) == 0 and _chance_correlation(50, 3, 9) == 0 and _chance_correlation(50, 1) == 0
    values = [_chance_correlation(n, 1000) for n in (3, 5, 10, 100, 10_000)]
    assert (np.diff(values) < 0).all() and 0 < values[-1] < values[0] < 1

def test_few_samples_are_told_once():
    with pytest.warns(FeatureWarning, match=r"biased upward with n_samples=50: .* with 10 bins score about 0.35"):
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
