"The Group Discovery Machine, from its bound to the selectors."
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .gdm import GDM as GDM
    from .gdm_cv import GDMCV as GDMCV
    from .one_class import OneClassGDM as OneClassGDM
    from .filter import FilterBruteForce as FilterBruteForce
else:
    from .._door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__, {
        "gdm": "GDM",
        "gdm_cv": "GDMCV",
        "one_class": "OneClassGDM",
        "filter": "FilterBruteForce",
    })
