from .gdm import GDM as GDM
from .gdm_cv import GDMCV as GDMCV
from .one_class import OneClassGDM as OneClassGDM
from .filter import FilterBruteForce as FilterBruteForce
