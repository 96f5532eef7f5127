"GDMRegressor and GDMSurvival: the contract of scikit-learn, plain references, designs, stores and bad input"
import warnings
import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import GDMRegressor, GDMSurvival


class Uncensored(GDMSurvival):
    "Survival of which every event is seen: scikit-learn's checks give one column"
    def fit(self, X, y, covariates=None, strata=None, blocks=None, sample_weight=None, checkpoint=None):
        if y is not None:
            y = np.asarray(y, dtype=float).reshape(-1)
            y = np.c_[1+np.abs(y-np.min(y)), np.ones(len(y))]
        return super().fit(X, y, covariates=covariates, strata=strata, blocks=blocks, sample_weight=sample_weight,
                           checkpoint=checkpoint)


WEIGHED = "weights count in the loss and the scores; groups and moments are those of the rows"

@parametrize_with_checks(
    [GDMRegressor(), GDMRegressor("auto", rank_target=True), Uncensored()],
    expected_failed_checks=lambda estimator: {"check_sample_weight_equivalence_on_dense_data": WEIGHED,
                                              "check_sample_weight_equivalence_on_sparse_data": WEIGHED})
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)
