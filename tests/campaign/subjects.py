"""What the campaign tries: selectors, and functions that take columns. A new method is one line in `_METHODS`.

A subject is called with X, y and changed parameters, and gives what it answers as plain lists and numbers.
"""
import inspect, re, tempfile
from functools import lru_cache
from pathlib import Path
import numpy as np
from scipy import sparse
from sklearn.base import clone
from fsnb import (FCBF, FSIR2, GDM, GDMCV, MMFS, QPFS, Discretizer, FeatureGroups, FilterBruteForce, OneClassGDM, SoftMMFS,
                  as_columns, convert, from_anndata, group_columns, group_p_values, groups_around,
                  make_groups, stable_groups)
from fsnb.correlation import (Measured, Pearson, Positional, SymmetricalUncertainty, as_correlation, poisson_binomial_p_values,
                              correlation_table, rank_p_values, survey_pairs, hypergeometric_p_values)
from fsnb.correlation.target import correlation_with
from fsnb.data import find_duplicates, pair_correlations
from fsnb.data.calls import pack_calls
from fsnb.data.genotypes import GenotypeColumns
from fsnb.data.store import is_store, open_store, read_store_labels
from fsnb.embedded import SVMRFE, ElasticNet, GroupLasso, L1SVM, LinearOneClassSVM
from fsnb.filters import (CFS, MRMR, RCFS, ConsistencyFilter, FisherScore, ReliefF, TraceRatio, fisher_scores,
                          relieff_scores)
from fsnb.fused import OSCAR, GFlasso, NcFGS, NcTFGS, correlation_graph
from fsnb.groups import feature_p_values
from fsnb.groups.metrics import _count_overlaps, _nogueira_interval, redundancy_rate, stability, strict_hits
from fsnb.show import format_groups
from fsnb.spectral import EVSC, JELSR, MCFS, MRSF, laplacian_score, spec
from inputs import Annotated

GROUPS = [[0, 1, 2], [3, 4, 5], [9]]
PLACES = np.arange(12.)


def overlap(a, b):
    "A correlation of two columns that a user wrote"
    return np.minimum(a, b).sum()/max(np.maximum(a, b).sum(), 1)


# ---- a new method is one line here
METHODS = {
    "GDM": GDM(3),
    "GDM auto": GDM("auto", chance=.5),
    "GDM cut": GDM(3, mode="cut"),
    "GDM supports": GDM(3, rank_by="support", fit_on="supports"),
    "GDM paper": GDM.thesis2015(3, n_per_iter=2),
    "GDM without groups": GDM(3, tau=None),
    "GDM su": GDM(3, correlation="su", tau=.6),
    "GDM function": GDM(3, correlation=overlap, tau=.5, chance=None),
    "GDM positions": GDM(3, correlation=Positional(PLACES, window=4.)),
    "GDMCV": GDMCV(3, cv=3),
    "GDMCV votes": GDMCV(3, cv=3, consensus="votes"),
    "OneClassGDM": OneClassGDM(3),
    "FilterBruteForce": FilterBruteForce(3),
    "FilterBruteForce su": FilterBruteForce(3, correlation="su", tau=.6),
    "MMFS": MMFS(3),
    "MMFS gamma": MMFS(gamma=.1),
    "MMFS linear": MMFS(3, kernel="linear"),
    "MMFS rbf": MMFS(3, kernel="rbf", width=.8),
    "MMFS dcd": MMFS(3, kernel="linear", solver="dcd", gamma=.5, C=1.),
    "MMFS su": MMFS(3, relevance="su"),
    "MMFS mutual_info": MMFS(3, relevance="mutual_info"),
    "SoftMMFS": SoftMMFS(3),
    "SoftMMFS linear": SoftMMFS(kernel="linear", C=.5),
    "QPFS": QPFS(3, random_state=0),
    "QPFS mutual_info": QPFS(3, similarity="mutual_info", random_state=0),
    "QPFS Nystrom": QPFS(3, nystrom=.5, random_state=0),
    "FCBF": FCBF(min_su=0.),
    "FCBF width": FCBF(discretization="width", min_su=0.),
    "FCBF frequency": FCBF(discretization="frequency", min_su=0.),
    "FCBF categories": FCBF(discretization=None, min_su=0.),
    "FCBF missing": FCBF(missing="category", min_su=0.),
    "CFS": CFS(),
    "CFS forward": CFS(3, search="forward", discretization="width"),
    "ConsistencyFilter": ConsistencyFilter(),
    "FisherScore": FisherScore(3),
    "MRMR": MRMR(3),
    "MRMR difference": MRMR(3, scheme="difference", relevance="correlation"),
    "TraceRatio": TraceRatio(3),
    "GFlasso": GFlasso(threshold=.3),
    "OSCAR": OSCAR(),
    "OSCAR graph": OSCAR(threshold=.3),
    "NcFGS": NcFGS(threshold=.3),
    "NcTFGS": NcTFGS(threshold=.3),
    "MCFS": MCFS(3),
    "MRSF": MRSF(3),
    "EVSC": EVSC(3),
    "JELSR": JELSR(3),
    "RCFS": RCFS(3),
    "RCFS groups": RCFS(3, groups=GROUPS, per_group=2, standardize=True),
    "ReliefF": ReliefF(3, n_neighbors=4, random_state=0),
    "ReliefF categories": ReliefF(3, n_neighbors=4, categorical=[0, 2]),
    "ReliefF some": ReliefF(3, n_neighbors=2, n_targets=5, prior="equal", random_state=0),
    "L1SVM": L1SVM(3),
    "L1SVM cost": L1SVM(None, C=.1, tol=1e-6),
    "SVMRFE": SVMRFE(3, step=.3),
    "LinearOneClassSVM": LinearOneClassSVM(3),
    "ElasticNet": ElasticNet(3),
    "ElasticNet lasso": ElasticNet(None, alpha=.05, l1_ratio=1.),
    "GroupLasso": GroupLasso(3),
    "GroupLasso groups": GroupLasso(2, groups=GROUPS),
    "FSIR2": FSIR2(3),
    "FSIR2 rbf": FSIR2(3, graph="rbf"),
    "FSIR2 neighbors": FSIR2(3, graph="neighbors", solver="lanczos"),
    "FSIR2 greedy": FSIR2(3, solver="greedy_swap"),
    "FSIR2 convex": FSIR2(3, solver="convex"),
    "FSIR2 power": FSIR2(3, solver="power"),
    "FSIR2 secular": FSIR2(3, solver="secular"),
    "Discretizer": Discretizer(),
    "Discretizer width": Discretizer("width", n_bins=4),
    "Discretizer frequency": Discretizer("frequency", n_bins=4),
    "Discretizer missing": Discretizer("width", n_bins=4, missing="category"),
}
NO_LABELS = {"OneClassGDM", "LinearOneClassSVM", "EVSC", "FSIR2 rbf", "FSIR2 neighbors", "Discretizer width", "Discretizer frequency", "Discretizer missing",
             "spec neighbors"}     # y is not read
# ---- a new function is one line here: with the arguments that it needs beside X and y
FUNCTIONS = {
    "as_columns": (as_columns, {}),
    "group_columns": (group_columns, {}),
    "group_p_values": (group_p_values, dict(groups=GROUPS, n_permutations=39, random_state=0)),
    "group_p_values max": (group_p_values, dict(groups=GROUPS, n_permutations=39, random_state=0, method="single-step")),
    "feature_p_values": (feature_p_values, dict(n_permutations=39, random_state=0)),
    "groups_around": (groups_around, dict(support=[0, 5])),
    "stable_groups": (stable_groups, dict(groups=GROUPS, n_pairs=6, random_state=0, q=2)),
    "correlation_table": (correlation_table, dict(a=[0, 3, 9])),
    "correlation_with": (correlation_with, {}),
    "pair_correlations": (pair_correlations, dict(a=[0, 1, 2], b=[1, 5, 9])),
    "find_duplicates": (find_duplicates, {}),
    "redundancy_rate": (redundancy_rate, dict(indices=[0, 1, 2, 9], kind="pearson")),
    "survey_pairs": (survey_pairs, dict(above=.5)),
    "correlation_graph": (correlation_graph, dict(threshold=.5)),
    "fisher_scores": (fisher_scores, {}),
    "relieff_scores": (relieff_scores, dict(n_neighbors=4, random_state=0)),
    "spec": (spec, {}),
    "spec neighbors": (spec, dict(graph="neighbors")),
    "laplacian_score": (laplacian_score, {}),
}
MEASURES = {"Pearson": Pearson(), "SymmetricalUncertainty": SymmetricalUncertainty(4),
            "SymmetricalUncertainty frequency": SymmetricalUncertainty(4, "frequency"),
            "Positional": Positional(PLACES, window=5.), "Measured": Measured(overlap)}
# functions that take no columns: their parameters are tried, not their inputs
TABLE = Annotated(np.arange(15.).reshape(5, 3), names=["a", "b", "c"], layers={"scaled": np.eye(5)[:, :3]})
TRUTH = FeatureGroups([[0, 1, 2], [5, 4]], n_features=12)
WITHOUT_COLUMNS = {
    "make_groups": (make_groups, dict(n_samples=30, n_features=20, group_sizes=[3, 2], random_state=0)),
    "make_groups sparse": (make_groups, dict(n_samples=60, n_features=40, group_sizes=[3, 2], random_state=0, sparse=.1)),
    "FeatureGroups": (FeatureGroups, dict(members=[[0, 1], [4]], n_features=6)),
    "strict_hits": (strict_hits, dict(found=TRUTH, truth=TRUTH)),
    "count_overlaps": (_count_overlaps, dict(found=TRUTH, truth=TRUTH)),
    "stability": (stability, dict(selections=[[0, 1], [1, 2]], n_features=6, kind="jaccard")),
    "nogueira_interval": (_nogueira_interval, dict(selections=[[0, 1], [1, 2]], n_features=6)),
    "hypergeometric_p_values": (hypergeometric_p_values, dict(shared=[1, 2], support_count=3, counts=[2, 4], n_samples=9)),
    "format_groups": (format_groups, dict(groups=TRUTH)),
    "GenotypeColumns": (GenotypeColumns, dict(packed=pack_calls(np.arange(20).reshape(5, 4) % 3), n_samples=5)),
    "as_correlation": (as_correlation, dict(columns=np.eye(5)[:, :3])),
    "from_anndata": (from_anndata, dict(adata=TABLE)),
}


# ---- what a subject answers, in plain values

def plain(value):
    "Lists, numbers and words, whatever came"
    if isinstance(value, FeatureGroups):
        return {"members": [sorted(int(j) for j in m) for m in value.members], "support": plain(value.support),
                "correlations": None if value.correlations is None else
                [sorted(np.abs(c).tolist()) for c in value.correlations]}
    if sparse.issparse(value): return plain(value.toarray())
    if hasattr(value, "moments"): return plain(value.whole())
    if hasattr(value, "_asdict"): return plain(value._asdict())
    if hasattr(value, "to_numpy"): return plain(value.to_numpy())
    if isinstance(value, dict): return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (np.ndarray, np.generic)): return plain(value.tolist())
    if isinstance(value, (list, tuple)): return [plain(v) for v in value]
    if hasattr(value, "__dict__"): return {k: plain(v) for k, v in vars(value).items() if not k.startswith("_") and k != "names"}
    return value


def same(a, b, close=1e-6):
    "Whether two plain answers are the same: words and whole numbers exactly, fractions closely"
    if isinstance(a, dict): return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k], close) for k in a)
    if isinstance(a, list): return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b, [close]*len(a)))
    if isinstance(a, float) or isinstance(b, float):
        if not isinstance(a, (int, float)) or not isinstance(b, (int, float)): return False
        return a == b or a != a and b != b or abs(a-b) <= close*max(abs(a), abs(b), 1e-3)
    return type(a) is type(b) and a == b


def not_finite(a, path=""):
    "Where a plain answer holds NaN; '' for nowhere"
    pairs = a.items() if isinstance(a, dict) else enumerate(a) if isinstance(a, list) else ()
    for key, value in pairs:
        found = not_finite(value, f"{path}.{key}")
        if found: return found
    return path or "answer" if isinstance(a, float) and a != a else ""


FITTED = ("support_", "groups_", "ranking_", "stop_reason_", "classes_")

def numbered_as_they_come(rows):
    "Categories of each column under other numbers: of sparse X, the one that holds 0 is called 0"
    out = []
    for column in zip(*rows):
        number = {value: i for i, value in enumerate(dict.fromkeys(column))}
        out.append([number[value] for value in column])
    return out


def answer_of(model, X, y):
    "Fit, transform and, where there is one, predict"
    model.fit(X, y)
    told = {name: plain(getattr(model, name)) for name in FITTED if hasattr(model, name)}
    if hasattr(model, "gap_"): told["gap is a number"] = bool(np.isfinite(model.gap_))
    if "correlations" in told.get("groups_", {}): told["groups_"].pop("support")
    moved = model.transform(X)
    told["transformed"] = [list(moved.shape)]
    if hasattr(model, "cuts_"): told |= {"cuts": plain(model.cuts_), "parts": numbered_as_they_come(plain(moved))}
    if hasattr(model, "predict"): told["predicted"] = plain(model.predict(X))
    return told


class Subject:
    "Something that answers for X and y"
    wants_y = True
    def __init__(self, name): self.name = name
    def __repr__(self): return self.name


class Method(Subject):
    "A selector or transformer"
    def __init__(self, name, model):
        super().__init__(name)
        self.model, self.wants_y = model, name not in NO_LABELS
        self.source = type(model)
        self.defaults = model.get_params(deep=False)

    def __call__(self, X, y, **changes):
        return answer_of(clone(self.model).set_params(**changes), X, y if self.wants_y else None)


class Measure(Subject):
    "A correlation, fitted"
    wants_y = False
    def __init__(self, name, model):
        super().__init__(name)
        self.model, self.source, self.defaults = model, type(model), model.get_params(deep=False)

    def __call__(self, X, y, **changes):
        model = clone(self.model).set_params(**changes).fit(as_columns(X))
        k = min(3, model_columns(X))
        found, r = model.partners(0, .5)
        order = np.argsort(found, kind="stable")
        p = model.p_values(0, np.arange(k), np.ones(k))
        return plain([model.table(np.arange(k)), found[order], np.abs(r[order]), p])


def model_columns(X): return as_columns(X).n_features


class Function(Subject):
    "A function, with the arguments that it needs"
    def __init__(self, name, function, given):
        super().__init__(name)
        self.function, self.source, self.given = function, function, given
        signature = inspect.signature(function).parameters
        self.takes_X = [n for n in signature if n in ("X", "columns") and n not in given]
        self.wants_y = "y" in signature and "y" not in given and name not in NO_LABELS
        self.defaults = {n: given.get(n, p.default) for n, p in signature.items()
                         if n not in self.takes_X and n not in ("y", "checked")}

    def __call__(self, X, y, **changes):
        given = dict(self.given)
        if self.takes_X: given[self.takes_X[0]] = X
        if self.takes_X == ["columns"] and self.function is not correlation_with: given["columns"] = as_columns(X)
        if self.wants_y: given["y"] = y
        return plain(self.function(**(given | changes)))


class Conversion(Subject):
    "`convert`: what the store holds that it makes of X and y"
    source, defaults = staticmethod(convert), {n: p.default for n, p in inspect.signature(convert).parameters.items() if n not in ("source", "target")}

    def __call__(self, X, y, **changes):
        "Labels as whole numbers: a store keeps what they are called"
        if isinstance(X, (str, Path)) and is_store(X): X = as_columns(X)      # which is refused as a source: nothing is to be done
        with tempfile.TemporaryDirectory() as folder:
            path = convert(X, f"{folder}/x.fsnb", **{"labels": y, "verbose": False} | changes)
            return {"stored": plain(open_store(path, check=True)), "labels": plain(np.unique(read_store_labels(path), return_inverse=True)[1])}


def list_subjects():
    "All, by name"
    found = [Method(name, model) for name, model in METHODS.items()]
    found += [Conversion("convert")]
    found += [Function(name, *told) for name, told in FUNCTIONS.items()]
    found += [Measure(name, model) for name, model in MEASURES.items()]
    return {s.name: s for s in found}


SUBJECTS = list_subjects()
MORE = {name: Function(name, *told) for name, told in WITHOUT_COLUMNS.items()}


@lru_cache(None)
def told_of(source):
    "Text of a class or function, whose signature has a comment beside each parameter"
    classes = [c for c in getattr(source, "__mro__", [source]) if c.__module__.startswith("fsnb")]
    return "\n".join(inspect.getsource(c) for c in classes)


@lru_cache(None)
def comment_of(source, name):
    "The annotation and the comment beside a parameter"
    found = re.search(rf"^[ \t(]*{name}[ \t]*(:[^#=\n]*)?(=[^#\n]*)?,?[ \t]*#(.*)$", told_of(source), re.M)
    return f"{found[1]} {found[3]}" if found else ""


@lru_cache(None)
def default_of(source, name):
    "The default in the signature, or `...` where there is none"
    default = inspect.signature(source).parameters[name].default
    return ... if default is inspect.Parameter.empty else default
