"""Feature selection and feature grouping in very high dimensions, derived and proved in notebooks.

Data
    as_columns          anything that holds samples in rows, as columns of one form
    from_anndata        a matrix of an AnnData, or one of its layers, with names and labels
    read_data           a file, read into columns, labels and names
    convert             any data, made a folder of plain arrays that selectors read from the disk
    make_groups         data whose groups are known
    FeatureGroups       what an answer is: supports, each with its affiliated features
    group_columns       groups made from X alone
    groups_around       groups of given features: what is correlated with each, and significant
    stable_groups       groups that a joint model chooses in most halves of the samples
    group_p_values      which groups go with y, by permutations; no false one, but for alpha

Selectors: `fit(X, y)`, then `support_`, and `groups_` where they group
    GDM                 the Group Discovery Machine
    GDMCV               the same with cross-validation inside
    OneClassGDM         the same without labels
    FilterBruteForce    the best feature, its group, the next best
    MMFS                max-margin feature selection
    QPFS                relevance against redundancy as a quadratic programme
    SoftMMFS            max-margin feature selection with a bound on each weight
    FSIR2               relevance against redundancy by the extended power method
    MCFS                features of sparse regressions on the clusters, one by one
    MRSF                features that rebuild all clusters together, and no redundant ones
    EVSC                features that move the eigenvalues of the graph of samples
    JELSR               features and an embedding that fit each other
    FCBF                the fast correlation-based filter
    FisherScore         what the classes explain of a feature over what they leave
    MRMR                relevance for what is repeated, one feature after another
    TraceRatio          the best set by the sum of gains over the sum of costs
    CFS                 features that go with the class and not with one another
    ConsistencyFilter   features that tell the classes apart as well as all do
    RCFS                the best trace ratio with at most one feature of a cluster
    ReliefF             features that differ between near samples of different classes
    L1SVM               a linear SVM whose L1 penalty leaves few weights
    SVMRFE              the smallest weights of a linear SVM removed, step by step
    ElasticNet          least squares with an L1 and an L2 penalty
    GroupLasso          least squares with whole groups in or out
    LinearOneClassSVM   a half-space around samples of one class; its largest weights
    Discretizer         numbers into the few values that tell the classes apart
    GFlasso             the lasso, coefficients of correlated features drawn together
    OSCAR               a price on the larger coefficient of each pair, or of correlated ones
    NcFGS               sizes of correlated features drawn together, whatever the signs
    NcTFGS              the same with prices that cease to grow

Chapters: fsnb.data, fsnb.correlation, fsnb.groups, fsnb.gdm, fsnb.margin, fsnb.spectral,
fsnb.filters, fsnb.embedded, fsnb.fused, fsnb.show; and fsnb.naive, the papers to the letter.
"""
__version__ = "0.1.0"

# Written by hand. Editors and type checkers read the first branch, Python runs the second:
# a name is imported when it is first asked for, so `import fsnb` costs nothing.
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .data.adapters import as_columns as as_columns
    from .data.annotated import from_anndata as from_anndata
    from .data.files import read_data as read_data
    from .data.convert import convert as convert
    from .groups.synthetic import make_groups as make_groups
    from .groups.groups import FeatureGroups as FeatureGroups
    from .groups.clusters import group_columns as group_columns, groups_around as groups_around
    from .groups.stability import stable_groups as stable_groups
    from .groups.max_t import group_p_values as group_p_values
    from .gdm.gdm import GDM as GDM
    from .gdm.gdm_cv import GDMCV as GDMCV
    from .gdm.one_class import OneClassGDM as OneClassGDM
    from .gdm.filter import FilterBruteForce as FilterBruteForce
    from .margin.mmfs import MMFS as MMFS
    from .margin.qpfs import QPFS as QPFS
    from .margin.soft import SoftMMFS as SoftMMFS
    from .spectral.fsir2 import FSIR2 as FSIR2
    from .spectral.mcfs import MCFS as MCFS
    from .spectral.mrsf import MRSF as MRSF
    from .spectral.evsc import EVSC as EVSC
    from .spectral.jelsr import JELSR as JELSR
    from .filters.fcbf import FCBF as FCBF
    from .filters.fisher import FisherScore as FisherScore
    from .filters.mrmr import MRMR as MRMR
    from .filters.trace_ratio import TraceRatio as TraceRatio
    from .filters.cfs import CFS as CFS
    from .filters.consistency import ConsistencyFilter as ConsistencyFilter
    from .filters.redundancy_constrained import RCFS as RCFS
    from .filters.relieff import ReliefF as ReliefF
    from .filters.discretizer import Discretizer as Discretizer
    from .embedded.l1_svm import L1SVM as L1SVM
    from .embedded.svm_rfe import SVMRFE as SVMRFE
    from .embedded.elastic_net import ElasticNet as ElasticNet
    from .embedded.group_lasso import GroupLasso as GroupLasso
    from .embedded.one_class_svm import LinearOneClassSVM as LinearOneClassSVM
    from .fused.gflasso import GFlasso as GFlasso
    from .fused.oscar import OSCAR as OSCAR
    from .fused.ncfgs import NcFGS as NcFGS
    from .fused.nctfgs import NcTFGS as NcTFGS
    from . import data, correlation, groups, gdm, margin, spectral, filters, embedded, fused
    from . import show, naive
else:
    from ._door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__, {
        "data.adapters": "as_columns",
        "data.annotated": "from_anndata",
        "data.files": "read_data",
        "data.convert": "convert",
        "groups.synthetic": "make_groups",
        "groups.groups": "FeatureGroups",
        "groups.clusters": "group_columns groups_around",
        "groups.stability": "stable_groups",
        "groups.max_t": "group_p_values",
        "gdm.gdm": "GDM",
        "gdm.gdm_cv": "GDMCV",
        "gdm.one_class": "OneClassGDM",
        "gdm.filter": "FilterBruteForce",
        "margin.mmfs": "MMFS",
        "margin.qpfs": "QPFS",
        "margin.soft": "SoftMMFS",
        "spectral.fsir2": "FSIR2",
        "spectral.mcfs": "MCFS",
        "spectral.mrsf": "MRSF",
        "spectral.evsc": "EVSC",
        "spectral.jelsr": "JELSR",
        "filters.fcbf": "FCBF",
        "filters.fisher": "FisherScore",
        "filters.mrmr": "MRMR",
        "filters.trace_ratio": "TraceRatio",
        "filters.cfs": "CFS",
        "filters.consistency": "ConsistencyFilter",
        "filters.redundancy_constrained": "RCFS",
        "filters.relieff": "ReliefF",
        "filters.discretizer": "Discretizer",
        "embedded.l1_svm": "L1SVM",
        "embedded.svm_rfe": "SVMRFE",
        "embedded.elastic_net": "ElasticNet",
        "embedded.group_lasso": "GroupLasso",
        "embedded.one_class_svm": "LinearOneClassSVM",
        "fused.gflasso": "GFlasso",
        "fused.oscar": "OSCAR",
        "fused.ncfgs": "NcFGS",
        "fused.nctfgs": "NcTFGS",
    })
    __all__ += ["__version__"]
