"The conventions of scikit-learn, by its own checks: every selector of filters, linear, margin and spectral."
import pytest
from doors import unnamed
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import FCBF, FSIR2, MMFS, MRMR, OSCAR, QPFS, RCFS, Discretizer, GFlasso, GroupLasso, NcFGS, NcTFGS, ReliefF
from fsnb.filters import CFS, ConsistencyFilter
from fsnb.margin import Kernel

MODELS = [CFS(discretizer="width"), ConsistencyFilter(discretizer="width"), FCBF(), FCBF(discretizer=Discretizer(missing="category")),
          Discretizer(), Discretizer("states"), MRMR(2, scheme="difference"), MRMR(2, measure="mutual_info"),
          RCFS(2, standardize=True, per_group=2), ReliefF(2, n_neighbors=3),
          # at one price: by number they try prices until there are two groups, and with copies there are not
          GFlasso(None, alpha=.3), OSCAR(2), GroupLasso(None, alpha=.1), NcFGS(None, alpha=.3), NcTFGS(None, alpha=.3),
          MMFS(), MMFS(kernel=Kernel("rbf", align=False), C=.1), QPFS(), QPFS(similarity="mutual_info"), FSIR2(), FSIR2.icdm2015()]
MODELS += unnamed(MODELS, 2, but=("gdm",)).values()        # whose own tests have them

@parametrize_with_checks(MODELS)
@pytest.mark.filterwarnings("ignore")
def test_estimator(estimator, check): check(estimator)
