"The conventions of scikit-learn, by its own checks: every selector of filters, linear, margin and spectral."
import pytest
from doors import unnamed
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import FCBF, FSIR2, L1SVM, MMFS, QPFS, SVMRFE, Discretizer, LinearOneClassSVM, SoftMMFS
from fsnb.filters import CFS, MRMR, RCFS, ConsistencyFilter, FisherScore, ReliefF, TraceRatio
from fsnb.linear import OSCAR, ElasticNet, GFlasso, GroupLasso, NcFGS, NcTFGS
from fsnb.groups import SuSiE
from fsnb.margin import Kernel
from fsnb.spectral import EVSC, JELSR, MCFS, MRSF

FILTERS = [CFS(discretizer="width"), ConsistencyFilter(discretizer="width"), FisherScore(2),
           FCBF(), FCBF(discretizer=Discretizer(missing="category")), Discretizer(),
           Discretizer("states"), MRMR(2, scheme="difference"), MRMR(2, measure="mutual_info"),
           RCFS(2, standardize=True, per_group=2), ReliefF(2, n_neighbors=3), TraceRatio(2)]
# at one price: by number they try prices until there are two groups, and with copies there are not
LINEAR = [ElasticNet(2), L1SVM(2), SVMRFE(2), LinearOneClassSVM(2), GFlasso(None, alpha=.3), OSCAR(2),
          GroupLasso(None, alpha=.1), NcFGS(None, alpha=.3), NcTFGS(None, alpha=.3)]
MARGIN = [MMFS(), MMFS(kernel=Kernel("rbf", align=False), C=.1), SoftMMFS(), QPFS(),
          QPFS(similarity="mutual_info")]
SPECTRAL = [FSIR2(), FSIR2.icdm2015(), MCFS(2), MRSF(2), EVSC(2), JELSR(2)]


MODELS = [*FILTERS, *LINEAR, *MARGIN, *SPECTRAL, SuSiE()]
MODELS += unnamed(MODELS, 2, but=("gdm",)).values()        # whose own tests have them


@parametrize_with_checks(MODELS)
@pytest.mark.filterwarnings("ignore")
def test_estimator(estimator, check): check(estimator)
