from .mmfs import MMFS as MMFS, SoftMMFS as SoftMMFS
from .qpfs import QPFS as QPFS
from .similarity import Kernel as Kernel
