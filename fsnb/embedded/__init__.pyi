from .elastic_net import ElasticNet as ElasticNet
from .group_lasso import GroupLasso as GroupLasso
from .l1_svm import L1SVM as L1SVM
from .one_class_svm import LinearOneClassSVM as LinearOneClassSVM
from .svm_rfe import SVMRFE as SVMRFE
