"GDMRegressor and GDMSurvival: the contract of scikit-learn, plain references, designs, stores and bad input"
import warnings
import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import GDMRegressor, GDMSurvival


class Uncensored(GDMSurvival):
    "Survival of which every event is seen: scikit-learn's checks give one column"
    def fit(self, X, y, sample_weight=None): return super().fit(X, self._events(y), sample_weight=sample_weight)

    def score(self, X, y): return super().score(X, self._events(y))

    def _events(self, y):
        if y is None: return None
        y = np.asarray(y, dtype=float).reshape(-1)
        return np.c_[1+y-y.min(), np.ones(len(y))]


WEIGHED = "weights count in the loss and the scores; groups and moments are those of the rows"

@parametrize_with_checks(
    [GDMRegressor(), GDMRegressor("auto", rank_target=True), Uncensored()],
    expected_failed_checks=lambda estimator: {"check_sample_weight_equivalence_on_dense_data": WEIGHED,
                                              "check_sample_weight_equivalence_on_sparse_data": WEIGHED})
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)
