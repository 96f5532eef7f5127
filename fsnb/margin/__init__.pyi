from .mmfs import MMFS as MMFS
from .qpfs import QPFS as QPFS
from .soft import SoftMMFS as SoftMMFS
