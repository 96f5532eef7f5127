"""Which answers of the package each file of results rests on, by the table answers.toml.

`find_keys(name)` gives them on two small sets, a dense and a sparse one: a checksum of supports and
members, and the rounded sum of scores and correlations. `write_result` stores them with the results.
Where today's keys differ, the figures are those of another method: run the benchmark again
(`python -m benchmarks NAME`) and correct its pages.
"""
import tomllib, warnings, zlib
import numpy as np, fsnb
from functools import lru_cache
from pathlib import Path
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

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TABLE["compare"] = dict(supports=[f"{name}(n_features_to_select=6)" for name in METHODS])
TIMED = TABLE.pop("timed")
USES = {name: [*own.get("answers", []), *(f"{model}.fit(X, y).support_" for model in own.get("supports", []))]
        for name, own in TABLE.items()}

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
    return {expression: find_key(expression) for expression in USES[name]}

def find_stale(name, stored):
    "The expressions whose answers are not those that are stored, or that are not stored"
    def is_same(a, b): return a[::2] == b[::2] and np.allclose(a[1::2], b[1::2], rtol=1e-3)
    return [e for e, key in find_keys(name).items() if e not in stored or not is_same(stored[e], key)]
