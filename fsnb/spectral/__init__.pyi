from .distances import spec as spec, laplacian_score as laplacian_score
from .fsir2 import FSIR2 as FSIR2
from .mcfs import MCFS as MCFS
from .mrsf import MRSF as MRSF
from .evsc import EVSC as EVSC
from .jelsr import JELSR as JELSR
