from .svm import L1SVM as L1SVM, LinearOneClassSVM as LinearOneClassSVM, SVMRFE as SVMRFE
from .least_squares import ElasticNet as ElasticNet, GroupLasso as GroupLasso
from .graph import correlation_graph as correlation_graph
from .gflasso import GFlasso as GFlasso, OSCAR as OSCAR, equal_groups as equal_groups
from .ncfgs import NcFGS as NcFGS, NcTFGS as NcTFGS
