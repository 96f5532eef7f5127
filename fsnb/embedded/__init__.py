"Selection inside a model: penalties that make weights zero, and the smallest weights removed."
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .elastic_net import ElasticNet as ElasticNet
    from .group_lasso import GroupLasso as GroupLasso
    from .l1_svm import L1SVM as L1SVM
    from .one_class_svm import LinearOneClassSVM as LinearOneClassSVM
    from .svm_rfe import SVMRFE as SVMRFE
else:
    from .._door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__, {
        "elastic_net": "ElasticNet",
        "group_lasso": "GroupLasso",
        "l1_svm": "L1SVM",
        "one_class_svm": "LinearOneClassSVM",
        "svm_rfe": "SVMRFE",
    })
