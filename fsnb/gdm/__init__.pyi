from .gdm import GDM as GDM
from .gdm_cv import GDMCV as GDMCV
from .measured import GDMRegressor as GDMRegressor, GDMSurvival as GDMSurvival
from .one_class import OneClassGDM as OneClassGDM
from .filter import FilterBruteForce as FilterBruteForce
