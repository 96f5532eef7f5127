"""Selectors and made sets whose answers are frozen in answers.json.

`python tests/golden/golden_cases.py --write [_NAME...]` fits all cases, or those whose names begin
so, and writes the answers that differ from the frozen ones; without --write it only prints them.
A deliberate change is one line, with its reason, on top of test_golden.py.

Sets are continuous and have clear margins: no answer depends on the processor. Some selectors have
a `tol` below their default, so that their numbers do not depend on where a solver stops.
"""
import json, sys, warnings
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
import numpy as np
from scipy.sparse import csc_array
from sklearn.base import clone
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from doors import unnamed
from fsnb import (CFS, EVSC, FCBF, FSIR2, GDM, GDMCV, JELSR, L1SVM, MCFS, MMFS, MRMR, MRSF, OSCAR,
                  QPFS, RCFS, SVMRFE, ConsistencyFilter, Discretizer, ElasticNet, FilterBruteForce,
                  FisherScore, GFlasso, GroupLasso, LinearOneClassSVM, NcFGS, NcTFGS, OneClassGDM,
                  ReliefF, SoftMMFS, TraceRatio, groups_around)
from fsnb.margin import Kernel

ANSWERS = Path(__file__).parent/"answers.json"
EXACT = ("support", "members", "categories")    # in this order; all else are numbers
CLOSE = 1e-6    # how far numbers may differ, as a share of the largest
LOOSE = {"JELSR": 1e-4}    # it stops by the fall of its objective; tol/100 changes 7.7e-5
SHAPES = {"wide": (50, 150), "odd": (70, 40)}

# ---- sets: a kind, a shape and a number of classes, as in "sparse wide 2"; 0 is no y

@lru_cache(None)
def make_set(name):
    "X and y: four groups of four correlated columns, whose first columns decide y"
    *kinds, classes = name.split()
    rng = np.random.default_rng(list(name.encode()))
    n, p = SHAPES.get(kinds[-1], (60, 40))
    X = rng.standard_normal((n, p))
    groups = rng.permutation(p)[:16].reshape(4, 4)
    for group in groups:
        loads = rng.uniform(.6, .98, 3)
        X[:, group[1:]] = loads*X[:, group[:1]]+np.sqrt(1-loads**2)*X[:, group[1:]]
    if "sparse" in kinds:
        X = np.maximum(X-.7, 0)
    else:
        X[:, groups[:, 1]] *= -1
    signal = X[:, groups[:, 0]]*[1., .8, .6, .4]
    total = signal.sum(1)+.2*rng.standard_normal(n)
    if "odd" in kinds:      # units that differ, constants, and classes of different size
        X *= 10.**rng.integers(-2, 3, p)
        X[:, [3, 17]] = 0
        if "sparse" not in kinds:
            X += 5.
    labels = {"0": None, "y": total}
    labels["2"] = (total > np.quantile(total, .3 if "odd" in kinds else .5)).astype(int)
    labels["3"] = np.array(["a", "b", "c"])[signal[:, :3].argmax(1)]
    labels["4"] = np.array(["a", "b", "c", "d"])[signal.argmax(1)]
    return (csc_array(X) if "sparse" in kinds else X), labels[classes]

TWO = ["dense 2", "wide 2", "odd 2", "sparse 2", "sparse wide 2", "sparse odd 2"]
MANY = ["dense 3", "dense 4", "sparse 3"]
NONE = ["dense 0", "sparse odd 0"]
ALL = TWO+MANY
FEW = ["dense 2", "sparse wide 2", "dense 3"]
PAIR = ["dense 2", "sparse 2"]
FREE = ["dense 0", "wide 2", "sparse odd 0", "sparse wide 2"]       # no y is read
NUMBERS = ["dense y"]

# ---- selectors: name, how it is made, its sets

OURS = dict(relevance="phi2", centered=True, rounding="swap")    # FSIR2's own
BUT = "SuSiE", "GDMRegressor", "GDMSurvival"        # whose answers are not frozen
CASES = {
    "GDM": (GDM(4), ALL),
    "GDM auto": (GDM("auto", chance=.5), ALL),
    "GDM cut": (GDM(4, mode="cut"), TWO),
    "GDM mode thesis2015": (GDM(4, mode="thesis2015"), FEW),
    "GDM mode icml2012": (GDM(4, mode="icml2012"), FEW),
    "GDM.thesis2015": (GDM.thesis2015(4, n_per_iter=2), ALL),
    "GDM.icml2012": (GDM.icml2012(4, n_per_iter=2), ALL),
    "GDM rank_by support": (GDM(4, rank_by="support"), FEW),
    "GDM rank_by group": (GDM(4, rank_by="group"), FEW),
    "GDM fit_on supports": (GDM(4, fit_on="supports"), FEW),
    "GDM tau": (GDM(4, tau=.15), PAIR),
    "GDM chance": (GDM(4, chance=None), PAIR),
    "GDM su": (GDM(3, correlation="su", tau=.6), PAIR),
    "GDM without groups": (GDM(4, tau=None), PAIR),
    "GDM n_per_iter": (GDM(4, n_per_iter=4), PAIR),
    "GDM C": (GDM(4, C=.1), PAIR),
    "GDMCV": (GDMCV(4, cv=3), ALL),
    "GDMCV votes": (GDMCV(4, cv=3, consensus="votes"), FEW),
    "GDMCV.thesis2015": (GDMCV.thesis2015(4, cv=3), FEW),
    "OneClassGDM": (OneClassGDM(4), FREE),
    "OneClassGDM cut": (OneClassGDM(4, mode="cut"), FREE),
    "OneClassGDM supports": (OneClassGDM(4, fit_on="supports", scale="rms"), FREE),
    "FilterBruteForce": (FilterBruteForce(4), ALL),
    "FilterBruteForce su": (FilterBruteForce(3, correlation="su", tau=.6), PAIR),
    "MMFS": (MMFS(4), ALL),
    "MMFS gamma": (MMFS(gamma=.1), FEW),
    "MMFS linear": (MMFS(4, kernel="linear"), PAIR),
    "MMFS rbf": (MMFS(4, kernel=Kernel("rbf", width=.8)), PAIR),
    "MMFS dcd": (MMFS(4, kernel=Kernel("linear", solver="dcd"), gamma=.5, C=1., tol=1e-12,
                      max_iter=10**4), PAIR),
    "MMFS su": (MMFS(4, relevance="su"), PAIR),
    "MMFS mutual_info": (MMFS(4, relevance="mutual_info"), PAIR),
    "MMFS.prl2017": (MMFS.prl2017(4, gamma=.5, tol=1e-12, max_iter=10**4), FEW),
    "SoftMMFS": (SoftMMFS(4), ALL),
    "SoftMMFS linear": (SoftMMFS(kernel="linear", C=.3), PAIR),
    "SoftMMFS rbf": (SoftMMFS(kernel="rbf", C=.3), PAIR),
    "SoftMMFS.prl2017": (SoftMMFS.prl2017(4), FEW),
    "QPFS": (QPFS(4), ALL),
    "QPFS mutual_info": (QPFS(4, similarity="mutual_info"), PAIR),
    "QPFS abs_correlation": (QPFS(4, similarity="abs_correlation"), PAIR),
    "QPFS nystrom": (QPFS(4, nystrom=.5, random_state=0), FEW),
    "QPFS.jmlr2010": (QPFS.jmlr2010(4), FEW),
    "FSIR2": (FSIR2(4), [*ALL, *NONE]),
    "FSIR2 neighbors": (FSIR2.icdm2015(4, graph="neighbors", solver="lanczos", **OURS), NONE),
    "FSIR2 power": (FSIR2.icdm2015(4, **OURS), PAIR),
    "FSIR2 secular": (FSIR2.icdm2015(4, solver="secular", **OURS), PAIR),
    "FSIR2 balanced": (FSIR2(4, relevance_weight="balanced"), PAIR),
    "FSIR2.icdm2015": (FSIR2.icdm2015(4, tol=1e-12, max_iter=10**6), [*FEW, *NONE]),
    "MCFS": (MCFS(4), [*FEW, *NONE]),
    "MCFS lasso": (MCFS(4, path="lasso"), PAIR),
    "MCFS.kdd2010": (MCFS.kdd2010(4), [*FEW, *NONE]),
    "MRSF": (MRSF(4), [*FEW, *NONE]),
    "EVSC": (EVSC(4), FREE),
    "JELSR": (JELSR(4, tol=1e-12, max_iter=10**4), ["dense 2", "dense 3", *NONE]),
    "FCBF": (FCBF(), ALL),
    "FCBF width": (FCBF(4, discretizer="width", min_su=0.), FEW),
    "FCBF frequency": (FCBF(4, discretizer="frequency", min_su=0.), FEW),
    "FCBF.icml2003": (FCBF.icml2003(), ALL),
    "CFS": (CFS(), ALL),
    "CFS forward": (CFS(4, search="forward", discretizer="width"), FEW),
    "ConsistencyFilter": (ConsistencyFilter(), FEW),
    "FisherScore": (FisherScore(4), ALL),
    "MRMR": (MRMR(4), ALL),
    "MRMR difference": (MRMR(4, scheme="difference", relevance="correlation"), FEW),
    "MRMR mutual_info": (MRMR(3, measure="mutual_info"), PAIR),
    "TraceRatio": (TraceRatio(4), [*ALL, *NONE]),
    "TraceRatio standardize": (TraceRatio(4, standardize=True), PAIR),
    "RCFS": (RCFS(4), [*ALL, *NONE]),
    "RCFS per_group": (RCFS(4, per_group=2, standardize=True), PAIR),
    "ReliefF": (ReliefF(4), ALL),
    "ReliefF some": (ReliefF(4, n_neighbors=3, n_targets=20, prior="equal", random_state=0), FEW),
    "L1SVM": (L1SVM(4, tol=1e-8, max_iter=10**5), FEW),
    "L1SVM cost": (L1SVM(None, C=.1, tol=1e-8, max_iter=10**5), PAIR),
    "SVMRFE": (SVMRFE(4, step=.3, tol=1e-8, max_iter=10**5), ALL),
    "ElasticNet": (ElasticNet(4, tol=1e-12, max_iter=1000), [*ALL, *NUMBERS]),
    "ElasticNet lasso": (ElasticNet(None, alpha=.05, l1_ratio=1., tol=1e-12, max_iter=1000),
                         [*FEW, *NUMBERS]),
    "GroupLasso": (GroupLasso(4, tol=1e-12, max_iter=1000), [*ALL, *NUMBERS]),
    "GroupLasso groups": (GroupLasso(2, groups=[[0, 1, 2], [3, 4, 5], [9]], tol=1e-12), PAIR),
    "LinearOneClassSVM": (LinearOneClassSVM(4), FREE),
    "LinearOneClassSVM rms": (LinearOneClassSVM(4, scale="rms", nu=.2), FREE),
    "GFlasso": (GFlasso(None, alpha=.1, graph=.6, tol=1e-10), [*ALL, *NUMBERS]),
    "OSCAR": (OSCAR(None, alpha=.1, tol=1e-10), [*FEW, *NUMBERS]),
    "OSCAR graph": (OSCAR(None, alpha=.1, graph=.6, tol=1e-10), [*FEW, *NUMBERS]),
    "NcFGS": (NcFGS(None, alpha=.1, graph=.6, tol=1e-10), [*FEW, *NUMBERS]),
    "NcTFGS": (NcTFGS(None, alpha=.1, graph=.6, tol=1e-10), [*FEW, *NUMBERS]),
    "Discretizer": (Discretizer(), FEW),
    "Discretizer width": (Discretizer("width", n_bins=4), PAIR),
    "Discretizer frequency": (Discretizer("frequency", n_bins=4), PAIR),
}
AROUND = "MMFS", "SoftMMFS", "QPFS", "FSIR2"     # their members are those of groups_around
CASES |= {name: (model, FEW) for name, model in unnamed((model for model, _ in CASES.values()), 4, BUT).items()}
NAMES = [f"{name} | {data}" for name, (_, sets) in CASES.items() for data in sets]

# ---- answers

def fit_case(name, form=lambda X: X):
    "The fitted model of a case, of X in some form"
    model, data = name.split(" | ")
    X, y = make_set(data)
    X = form(X)
    with warnings.catch_warnings(action="ignore"):
        fitted = clone(CASES[model][0]).fit(X, y)
    if model in AROUND:
        scores = fitted.groups_.scores
        fitted.groups_ = replace(groups_around(X, fitted.support_), scores=scores)
    return fitted

def read_answer(model):
    "What is frozen of a fitted model"
    if hasattr(model, "cuts_"):
        cuts = np.concatenate(model.cuts_)
        return {"categories": model.n_categories_.tolist(), "scores": _round(cuts)}
    groups = model.groups_
    answer = {"support": model.support_.tolist(), "scores": _round(groups.scores)}
    answer["members"] = [group.tolist() for group in groups.members]
    scores = _first(model, "scores_", "dual_coef_", "su_", "relevance_")
    if scores is not None:
        answer["scores_sum"] = _round(_checksum(scores))
    objective = _first(model, "objective_path_", "objective_", "merit_", "ratio_")
    if objective is not None and np.size(objective):
        answer["objective"] = _round(np.ravel(objective)[-1])
    if hasattr(model, "gap_"):
        answer["gap"] = "within tol" if model.gap_ <= _gap_limit(model) else _round(model.gap_)
    return answer

def _gap_limit(model):
    "Largest gap that `tol` allows; of fused selectors it is a share of an objective below 100"
    return getattr(model, "tol", 1e-6)*(100 if hasattr(model, "graph_") else 1)

def _first(model, *names):
    "The first of these attributes that a model has, or None"
    return next((getattr(model, name) for name in names if hasattr(model, name)), None)

def _checksum(values):
    "Sum of finite sizes, each weighted by its place"
    places = np.arange(1, len(values)+1)
    return np.sum(places*np.abs(values), where=np.isfinite(values))

def _round(values):
    "Floats of eight significant digits"
    if np.ndim(values):
        return [_round(value) for value in values]
    return float(f"{values:.8g}")

def find_differences(name, found, frozen):
    "One line for each part of an answer that is not the frozen one"
    close = LOOSE.get(name.split(" | ")[0], CLOSE)
    told = [(part, frozen.get(part), found.get(part)) for part in {**frozen, **found}]
    return [f"{part}: {old} -> {new}" for part, old, new in told
            if not _same(part, old, new, close)]

def _same(part, old, new, close):
    "Whether numbers agree to a share of the largest, and all else exactly"
    if type(old) is not type(new) or part in EXACT or isinstance(old, str):
        return old == new
    if np.shape(old) != np.shape(new):
        return False
    return np.allclose(new, old, rtol=0, atol=close*np.max(np.abs(old), initial=0.))

# ---- the command

def main(words):
    "Prints the answers that are not the frozen ones, and freezes them where --write is among the words"
    frozen, changed = read_frozen(), {}
    begin = tuple(word for word in words if word != "--write") or ""
    for name in NAMES:
        if not name.startswith(begin): continue
        found = read_answer(fit_case(name))
        lines = find_differences(name, found, frozen.get(name, {}))
        if not lines: continue
        print(name, *lines, sep="\n    ")
        changed[name] = found
    print(f"{len(changed)} answers differ")
    if "--write" in words:
        frozen |= changed
        kept = [f"{json.dumps(name)}: {json.dumps(frozen[name])}" for name in NAMES if name in frozen]
        ANSWERS.write_text("{\n"+",\n".join(kept)+"\n}\n", encoding="utf-8")

def read_frozen():
    "The frozen answers, by name"
    return json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}

if __name__ == "__main__": main(sys.argv[1:])
