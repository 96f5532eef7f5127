"The conventions of scikit-learn, by its own checks: every selector."
import numpy as np, pytest
from doors import unnamed
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import (FCBF, FSIR2, GDM, MMFS, MRMR, OSCAR, QPFS, RCFS, Discretizer, GDMRegressor, GDMSurvival, GFlasso, GroupLasso, NcFGS,
                  NcTFGS, ReliefF)
from fsnb.filters import CFS, ConsistencyFilter
from fsnb.margin import Kernel

class Uncensored(GDMSurvival):
    "Survival of which every event is seen: the checks give one column"
    def fit(self, X, y, sample_weight=None): return super().fit(X, self._events(y), sample_weight=sample_weight)

    def score(self, X, y): return super().score(X, self._events(y))

    def _events(self, y):
        if y is None: return None
        y = np.asarray(y, dtype=float).reshape(-1)
        return np.c_[1+y-y.min(), np.ones(len(y))]

MODELS = [CFS(discretizer="width"), ConsistencyFilter(discretizer="width"), FCBF(), FCBF(discretizer=Discretizer(missing="category")),
          Discretizer(), Discretizer("states"), MRMR(2, scheme="difference"), MRMR(2, measure="mutual_info"),
          RCFS(2, standardize=True, per_group=2), ReliefF(2, n_neighbors=3),
          # at one price: by number they try prices until there are two groups, and with copies there are not
          GFlasso(None, alpha=.3), OSCAR(2), GroupLasso(None, alpha=.1), NcFGS(None, alpha=.3), NcTFGS(None, alpha=.3),
          MMFS(), MMFS(kernel=Kernel("rbf", align=False), C=.1), QPFS(), QPFS(similarity="mutual_info"), FSIR2(), FSIR2.icdm2015(),
          GDM(), GDM(mode="cut", fit_on="supports"), GDMRegressor(), GDMRegressor("auto", rank_target=True), Uncensored()]
MODELS += unnamed(MODELS, 2, but=("GDMSurvival",)).values()
WEIGHED = "weights count in the loss and in the scores: moments, groups and evidence are those of the rows"
NO_WEIGHTS = [f"check_sample_weights_{what}" for what in ("pandas_series", "not_an_array", "list", "shape", "not_overwritten")]
NO_WEIGHTS += ["check_all_zero_sample_weights_error", "check_classifiers_one_label_sample_weights", "check_class_weight_classifiers"]

def expected_failures(model):
    "Weights are no repeated rows, and mode='cut' has none at all"
    expected = {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHED for kind in ("dense", "sparse")}
    if getattr(model, "mode", "") == "cut": expected |= dict.fromkeys(NO_WEIGHTS, "mode='cut' refuses sample_weight and class_weight")
    return expected

@parametrize_with_checks(MODELS, expected_failed_checks=expected_failures)
@pytest.mark.filterwarnings("ignore")
def test_estimator(estimator, check): check(estimator)
