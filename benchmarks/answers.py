"""Which answers of the package each file of results rests on.

`USES` lists, for each benchmark whose results are answers (accuracies, supports, members), the estimators and functions with the settings that matter.
`find_keys(name)` gives their answers on two small sets, a dense and a sparse one: a checksum of supports and members, and the sum of their numbers.
The keys are stored with the results. Where today's keys differ, the figures are those of another method: run the benchmark again and correct the page
(`python -m benchmarks NAME`). A benchmark in `TIMED` measures seconds and bytes; its file has a commit and a date, and no keys.
"""
import warnings
import zlib
from functools import lru_cache

import numpy as np
from scipy.sparse import csc_array

import fsnb

PACKAGE_GDM = "GDM(4)", "GDM(4, rank_by='support')", "GDM(4, rank_by='group')"
THESIS = "GDM.thesis2015(4, n_per_iter=1)", "GDM.thesis2015(4, n_per_iter=2, tau=.5)"
ICML = "GDM.icml2012(4, n_per_iter=2)", "GDM.icml2012(4, n_per_iter=2, tau=None)"
MADE = "make_groups(60, 40, [3]*4, random_state=0)",
FORCE = "FilterBruteForce(4)", "FilterBruteForce(4, tau=.35)"
SU = "GDM(4, correlation='su', tau=.5)",
FCBFS = "FCBF()", "FCBF.icml2003()"
QPFSS = "QPFS(4)", "QPFS.jmlr2010(4)"
STABLE = "stable_groups(X, y, [[0, 1, 2], [3, 4, 5], [9]], n_pairs=5, random_state=0)",

USES = {
    "groups": PACKAGE_GDM+THESIS+ICML+FORCE+MADE,
    "decoys": PACKAGE_GDM+MADE,
    "membership": PACKAGE_GDM+SU+MADE,
    "real": PACKAGE_GDM+("GDM(4, chance=None)", "GDM(4, fit_on='supports')"),
    "classes": PACKAGE_GDM+("GDM(4, C=1e-3, tau=.5)",),
    "folds": PACKAGE_GDM+FORCE[:1]+("GDM(4, C=.01)", "GDMCV(4)", "GDMCV(4, consensus='votes')", "GDMCV.thesis2015(4)"),
    "oneclass": ("OneClassGDM(4)", "OneClassGDM(4, scale='rms')", "LinearOneClassSVM(4)"),
    "sensitivity": PACKAGE_GDM[:1]+SU+("GDM(4, tau=None)",),
    "mmfs": ("MMFS(4)", "MMFS(4, gamma=.1)", "MMFS.prl2017(4)", "GDM(4)", *ICML[:1], *QPFSS, *FCBFS),
    "mmfs_rivals": ("MMFS.prl2017(4)", *ICML[:1], *QPFSS[1:], *FCBFS[1:]),
    "fcbf": FCBFS+("ReliefF(4, n_neighbors=5)", "CFS()", "CFS(search='forward')", "ConsistencyFilter()"),
    "fcbf_rivals": FCBFS+("ReliefF(4, n_neighbors=5)", "CFS()", "CFS(search='forward')", "ConsistencyFilter()"),
    "fsir2": ("FSIR2(4)", "FSIR2(4, relevance_weight='balanced')", "FSIR2.icdm2015(4)"),
    "fsir2_rivals": ("FSIR2.icdm2015(4)", "EVSC(4)", "FisherScore(4)", "JELSR(4)", "MCFS(4)", "MRSF(4)", "MRMR(4)", *QPFSS, "ReliefF(4)", "TraceRatio(4)"),
    "rivals": PACKAGE_GDM+("GDM('auto', chance=.5)",),
    "compare": PACKAGE_GDM+("GDM('auto', chance=.5)", "GDM.thesis2015(4, n_per_iter=2)", "MMFS(4)", "QPFS(4)", "FCBF(4)", "MRMR(4)", "L1SVM(4)", "FSIR2(4)"),
    "table42": PACKAGE_GDM[:1]+THESIS+FORCE+FCBFS+("MRMR(4)", "MRMR(4, scheme='difference')", *MADE),
    "discovery": PACKAGE_GDM[:1]+THESIS+FORCE[:1]+("GDM(4, correlation='su', tau=.5)", *MADE),
    "learning": THESIS+("GDM(4, tau=.5, C=1e-3)", "GDMCV.thesis2015(4, n_per_iter=2)", "OneClassGDM(4, fit_on='supports', chance=None)"),
    "icml2012": PACKAGE_GDM[:1]+ICML+FORCE[:1]+FCBFS+("MRMR(4)", "MRMR(4, scheme='difference')", "SVMRFE(4, step=.25)", "RCFS(4)", *MADE),
    "significance": PACKAGE_GDM+MADE,
    "stability": PACKAGE_GDM[:1]+STABLE+MADE,
    "chance": PACKAGE_GDM+("GDM('auto', chance=.5)", *THESIS[:1], *ICML[:1], *MADE),
    "embedded": ("CFS()", "ElasticNet(4)", "FisherScore(4)", "GroupLasso(4)", "L1SVM(4)", "MRMR(4)", "RCFS(4)", "SVMRFE(4)", "TraceRatio(4)"),
}
TIMED = ("bound", "correlation", "exact", "fused", "genotypes", "mkl", "qpfs", "scale", "sparse", "spectral", "speed", "startup", "survey")


@lru_cache
def probes():
    "Two sets of 60 samples and 40 columns, four groups of three: dense, and sparse with counts"
    r = np.random.default_rng(0)
    X = r.standard_normal((60, 40))
    for j in range(0, 12, 3): X[:, j+1:j+3] = .9*X[:, [j]]+.44*X[:, j+1:j+3]
    y = (X[:, [0, 3, 6, 9]]@[1., .8, .6, .4]+.2*r.standard_normal(60) > 0).astype(int)
    return (X, y), (csc_array(np.maximum(np.ceil(3*(X-.5)), 0)), y)


def numbers(answer):
    "(whole numbers, floats) of a fitted model, of groups, of stable groups, or of made data"
    if hasattr(answer, "groups_"): answer = answer.groups_
    if hasattr(answer, "members"): parts = [*answer.members, answer.scores]
    elif hasattr(answer, "frequencies"): parts = [answer.stable, answer.frequencies]
    else: parts = [answer.X, answer.y]
    parts = [np.ravel(part) for part in parts]
    whole = [p.astype(int).tolist() for p in parts if p.dtype.kind in "iub"]
    floats = [p[np.isfinite(p)] for p in parts if p.dtype.kind == "f"]
    return whole, np.abs(np.concatenate([np.empty(0), *floats])).sum()


@lru_cache(None)
def find_key(expression):
    "[checksum of supports and members, sum of numbers] on both sets"
    key, names = [], {name: getattr(fsnb, name) for name in dir(fsnb) if name in expression}
    for X, y in probes():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = eval(expression, {"X": X, "y": y, **names})
            if hasattr(found, "fit"): found = found.fit(X, y)
        whole, total = numbers(found)
        key += [zlib.crc32(repr(whole).encode()), float(f"{total:.6g}")]
    return key


def find_keys(name):
    "The keys of a benchmark, by expression"
    return {expression: find_key(expression) for expression in USES[name]}


def find_stale(name, stored):
    "The expressions whose answers are not those that are stored, or that are not stored"
    now = find_keys(name)
    return [e for e in now if e not in stored or stored[e][::2] != now[e][::2] or not np.allclose(stored[e][1::2], now[e][1::2], rtol=1e-3)]
