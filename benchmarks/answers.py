"""Which answers of the package each file of results rests on.

`USES` lists, for each benchmark whose results are answers (accuracies, supports, members), the estimators and functions with the settings that matter.
`find_keys(name)` gives their answers on two small sets, a dense and a sparse one: a checksum of supports and members, and the rounded sum of scores and
correlations. `write_result` stores them with the results. Where today's keys differ, the figures are those of another method: run the benchmark again
(`python -m benchmarks NAME`) and correct its pages. A benchmark in `TIMED` measures seconds and bytes: its file has a commit and a date, and no keys.
A file with one table of answers among its times has keys.

`python -m benchmarks NAME --keys` gives a file the keys of today's code without a run: only where the code of the commit that made it gives the same.
"""
import warnings, zlib
import numpy as np, fsnb
from functools import lru_cache
from scipy.sparse import csc_array
from fsnb.correlation.survey import survey_pairs
from fsnb.gdm.bound import pruned_share

# all methods of the table of `compare`
FAMILIES = {
    "groups": ("GDM", "GDMCV", "FilterBruteForce"), "margin": ("MMFS", "SoftMMFS", "QPFS"),
    "graph of samples": ("FSIR2", "MCFS", "MRSF", "EVSC", "JELSR", "ReliefF"),
    "filters": ("TraceRatio", "RCFS", "FisherScore", "MRMR", "FCBF", "CFS", "ConsistencyFilter"),
    "embedded": ("L1SVM", "SVMRFE", "ElasticNet", "GroupLasso"), "fused": ("OSCAR", "GFlasso", "NcFGS", "NcTFGS")}
METHODS = {name: family for family, names in FAMILIES.items() for name in names}

GDMS = "GDM(6)", "GDM(6, rank_by='support')", "GDM(6, rank_by='group')"
THESIS = "GDM.thesis2015(6, n_per_iter=1)", "GDM.thesis2015(6, n_per_iter=2, tau=.5)"
ICML = "GDM.icml2012(6, n_per_iter=2)", "GDM.icml2012(6, n_per_iter=2, tau=None)"
MADE = "make_groups(60, 40, [3]*4, random_state=0)",
FORCE = "FilterBruteForce(6)", "FilterBruteForce(6, tau=.35)"
AUTO = "GDM('auto')", "GDM('auto', chance=.5)"
DESIGN = tuple(f"GDM('auto', chance=.4).fit(X, y, {given}).groups_" for given in (
    "covariates=[[i % 2, i] for i in range(80)]", "strata=[i % 2 for i in range(80)]", "blocks=[i // 4 * 2 + c for i, c in enumerate(y)]"))
MID = "MRMR(6, measure='mutual_info', scheme='difference')"
CHOSEN = "[[0, 1, 2], [12, 13], [5]]"
CUT = "GDM(6, mode='cut', fit_on='supports', chance=None)", "GDM(60, mode='cut', fit_on='supports', chance=None, tau=.45, n_per_iter=10)"     # with links
FILTERS = "FCBF()", "FCBF.icml2003()", "CFS(search='forward')", "ConsistencyFilter()", "ReliefF(6, n_neighbors=5)"

def supports(*models):
    "Expressions for a benchmark that reads nothing but supports"
    return tuple(f"{model}.fit(X, y).support_" for model in models)

USES = {
    "groups": GDMS+THESIS[:1]+ICML[:1]+FORCE+MADE,
    "decoys": GDMS+MADE,
    "membership": ("groups_around(X, [0, 12], tau=.6)", "groups_around(X, [0, 12], tau=.8, correlation='su')"),
    "real": GDMS+("GDM(6, chance=None)", "GDM(6, fit_on='supports')"),
    "classes": ("GDM(6)", "GDM(6, C=1e-3, tau=.5)"),
    "folds": ("GDM(6)", "FilterBruteForce(6)", "GDM(6, C=.01)", "GDMCV(6)", "GDMCV(6, consensus='votes')", "GDMCV.thesis2015(6)"),
    "oneclass": ("OneClassGDM(6)", "OneClassGDM(6, scale='rms')"),
    "sensitivity": ("GDM(6)", "GDM(6, C=.1)", "GDM(6, correlation='su', tau=.5)"),
    "mmfs": supports("MMFS(6, gamma=.1)", "MMFS.prl2017(6)", "GDM(6)", "GDM.icml2012(20)", "QPFS(6)", "QPFS.jmlr2010(6)", *FILTERS[:2]),
    "mmfs_rivals": supports("MMFS.prl2017(6)", *ICML, "QPFS.jmlr2010(6)", "FCBF.icml2003()"),
    "fcbf_rivals": FILTERS,
    "fcbf": supports(*FILTERS[:2]),
    "qpfs": ("QPFS(6)", "QPFS(6, similarity='abs_correlation')", "QPFS(6, similarity='mutual_info')"),
    "exact": CUT,
    "bound": ("pruned_share(as_columns(X), y-y.mean(), .3, 9)", "pruned_share(as_columns(X), y-y.mean(), .05, 9)"),
    "survey": ("survey_pairs(X, above=.7)",),
    "fsir2": ("FSIR2(6)", "FSIR2(6, relevance='phi1', centered=False)", "FSIR2.icdm2015(6)", "FSIR2.icdm2015(6, solver='lanczos', centered=True)"),
    "fsir2_rivals": ("FSIR2(6)", "FSIR2(6, relevance_weight='balanced')", "FSIR2.icdm2015(6)", "EVSC(6)", "FisherScore(6)", "MCFS(6)", "MRSF(6)", "MRMR(6)", MID,
                     "QPFS.jmlr2010(6)", "TraceRatio(6)"),
    "rivals": ("GDM(6)", *AUTO),
    "compare": supports(*(f"{name}(n_features_to_select=6)" for name in METHODS)),
    "table42": ("GDM(6)", *THESIS, *FORCE, *supports("FCBF.icml2003()"), "MRMR(6)", MID, *MADE),
    "discovery": ("GDM(6)", *THESIS, *FORCE, "GDM(6, correlation='su', tau=.5)", *MADE),
    "learning": (*THESIS, "GDM(6, C=1e-3, tau=.5)", "GDMCV.thesis2015(6)", "OneClassGDM(6)"),
    "icml2012": ("GDM(6)", *ICML, *FORCE, *supports("FCBF.icml2003()"), "MRMR(6)", MID, "SVMRFE(6, step=.25)", "RCFS(6)", *MADE),
    "significance": (f"group_p_values(X, y, {CHOSEN}, 99, random_state=0)", f"group_p_values(X, y, {CHOSEN}, 99, random_state=0, method='single-step')"),
    "stability": (f"stable_groups(X, y, {CHOSEN}, n_pairs=5, random_state=0)", f"group_p_values(X, y, {CHOSEN}, 99, random_state=0)"),
    "chance": GDMS+("GDM(6, chance=None)", "GDM(6, tau=.1)", *AUTO, "L1SVM(6)", "MRMR(6)", *MADE),
    "fdr": (*AUTO, "GDM(6).fit(X, y).groups_.significant", "joint_groups(X, y)", "SuSiE()", *DESIGN),
    "embedded": ("CFS()", "ElasticNet(6)", "FisherScore(6)", "GroupLasso(6)", "L1SVM(6)", "MRMR(6)", "RCFS(6)", "SVMRFE(6)", "TraceRatio(6)"),
}
TIMED = ("correlation", "front", "fused", "genotypes", "mkl", "scale", "sparse", "spectral", "speed")

@lru_cache
def probes():
    "Two sets of 80 samples and 120 columns, thirty groups of four: dense, and sparse with counts. Small, and wide enough that settings give other answers"
    r = np.random.default_rng(0)
    shared = np.repeat(r.standard_normal((80, 30)), 4, axis=1)
    X = shared*np.tile([1, .95, .85, .6], 30)+np.tile([0, .3, .5, .8], 30)*r.standard_normal((80, 120))
    y = (X[:, ::12]@np.linspace(1, .3, 10)+r.standard_normal(80) > 0).astype(int)
    return (X, y), (csc_array(np.maximum(np.ceil(3*(X-.5)), 0)), y)

def numbers(answer):
    "Whole numbers (members, refused) and floats (scores, correlations) of a fitted model, of groups, of stable groups, of a survey, of made data, or of p-values"
    answer = getattr(answer, "groups_", answer)
    if isinstance(answer, dict): answer = [part for value in answer.values() for part in (value.values() if isinstance(value, dict) else [value])]
    for names in (("members", "correlations", "scores", "refused"), ("stable", "frequencies"), ("counts", "pairs"), ("X", "y")):
        if hasattr(answer, names[0]): answer = [part for name in names for part in _listed(getattr(answer, name))]
    parts = [np.ravel(part) for part in _listed(answer)]
    whole = [p.astype(int).tolist() for p in parts if p.dtype.kind in "iub"]
    return whole, float(sum(np.abs(p[np.isfinite(p)]).sum() for p in parts if p.dtype.kind == "f"))

def _listed(part): return [] if part is None else list(part) if isinstance(part, (list, tuple)) else [part]

@lru_cache(None)
def find_key(expression):
    "[checksum of whole numbers, sum of floats] on both sets"
    key, names = [], dict(survey_pairs=survey_pairs, pruned_share=pruned_share)
    names |= {name: getattr(fsnb, name) for name in dir(fsnb) if name in expression}
    for X, y in probes():
        with warnings.catch_warnings(action="ignore"):
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
    def is_same(a, b): return a[::2] == b[::2] and np.allclose(a[1::2], b[1::2], rtol=1e-3)
    return [e for e, key in find_keys(name).items() if e not in stored or not is_same(stored[e], key)]

