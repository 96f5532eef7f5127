from .cfs import CFS as CFS
from .consistency import ConsistencyFilter as ConsistencyFilter
from .discretizer import Discretizer as Discretizer
from .fcbf import FCBF as FCBF
from .fisher import FisherScore as FisherScore, TraceRatio as TraceRatio, fisher_scores as fisher_scores
from .mrmr import MRMR as MRMR
from .rcfs import RCFS as RCFS
from .relieff import ReliefF as ReliefF, relieff_scores as relieff_scores
