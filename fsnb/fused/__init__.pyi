from .edges import FeatureGraph as FeatureGraph, correlation_graph as correlation_graph
from .magnitudes import equal_groups as equal_groups
from .gflasso import GFlasso as GFlasso
from .oscar import OSCAR as OSCAR
from .ncfgs import NcFGS as NcFGS
from .nctfgs import NcTFGS as NcTFGS
