"""Feature selection and feature grouping in very high dimensions, derived and proved in notebooks.

Data
    as_columns          anything that holds samples in rows, as columns of one form
    from_anndata        a matrix of an AnnData, or one of its layers, with names and labels
    read_data           a file, read into columns, labels and names
    convert             any data, made a folder of plain arrays that selectors read from the disk
    FeatureWarning      the class of what is warned about in X, in y or in an answer
    make_groups         data whose groups are known
    make_cells          cells of four types, whose programmes of genes are known
    make_genotypes      calls in linkage disequilibrium, two of them causal
    FeatureGroups       what an answer is: supports, each with its affiliated features
    group_columns       groups made from X alone
    groups_around       groups of given features: what is correlated with each, and significant
    stable_groups       groups that a joint model chooses in most halves of the samples
    feature_p_values    which features are associated with y, by permutations; family-wise
    group_p_values      which groups are associated with y, by permutations; family-wise
    joint_groups        which features are needed beside the others, each with its group
    replicate           groups of one study tested in another: p-values, directions, members kept

Selectors: `fit(X, y)`, then `support_`, and `groups_` where they group
    GDM                 the Group Discovery Machine
    GDMCV               the same with cross-validation inside
    GDMRegressor        the same for a measured y, by least squares
    GDMSurvival         the same for times and events, by Cox's proportional hazards
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
    CFS                 features correlated with the class and not with one another
    ConsistencyFilter   features that tell the classes apart as well as all do
    RCFS                the best trace ratio with at most one feature of a cluster
    ReliefF             features that differ between near samples of different classes
    L1SVM               a linear SVM whose L1 penalty leaves few weights
    SVMRFE              the smallest weights of a linear SVM removed, step by step
    ElasticNet          least squares with an L1 and an L2 penalty
    GroupLasso          least squares with whole groups in or out
    LinearOneClassSVM   a half-space around samples of one class; its largest weights
    SuSiE               credible sets of linked features, by a sum of single effects
    Discretizer         numbers into the few values that tell the classes apart
    GFlasso             the lasso, with coefficients of correlated features drawn together
    OSCAR               a penalty on the larger coefficient of each pair, or of correlated ones
    NcFGS               sizes of correlated features drawn together, whatever the signs
    NcTFGS              the same with penalties that cease to grow

Chapters: fsnb.data, fsnb.correlation, fsnb.groups, fsnb.gdm, fsnb.margin, fsnb.spectral,
fsnb.filters, fsnb.linear, fsnb.show; and fsnb.naive, the papers to the letter.
"""
__version__ = "0.1.0"

# Written by hand. `__init__.pyi` says which module holds each name, to editors and to Python: a name
# is imported when it is first asked for.
import lazy_loader
from . import _cache      # before any module imports numba

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
