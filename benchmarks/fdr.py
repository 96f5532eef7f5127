"""Is the false share of "auto" at most .05 in the mean? On designs that could break it, beside joint supports, SuSiE and Benjamini-Hochberg.

    python -m benchmarks fdr --only shared linked --seeds 5        some sections, few data sets; nothing is written

Seeds begin at 5000, since constants of the package were chosen on smaller ones. `false` is the share of supports that are false,
on null data of data sets with a support; `power` that of true units found; `holds_cause` that of groups with a causal column.
"""
import warnings
from functools import partial

import numpy as np
from sklearn import datasets

import fsnb
from fsnb import GDM

from . import designs
from .chance import clumped, quiet, share_of
from .common import cpu_clock, table
from .realdata import available, load

FIRST_SEED, SEEDS = 5000, 20


def groups_of(model, X, y): return quiet(model, X, y).groups_


def auto(X, y): return groups_of(GDM("auto"), X, y)


def marked(k, X, y):
    "Supports of GDM(k) that are marked as significant"
    groups = groups_of(GDM(k), X, y)
    return groups.support[groups.significant]


def joint(X, y):
    start = auto(X, y).support
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fsnb.joint_groups(X, y, start=start)


def susie(X, y): return groups_of(fsnb.SuSiE(), X, y)


MARKS = {f"marks of GDM({k})": partial(marked, k) for k in (20, 50)}
JOINT = dict(joint_groups=joint, SuSiE=susie)
METHODS = {"auto": auto} | MARKS | {name: find for name, find in JOINT.items() if hasattr(fsnb, name)} | {"BH, clumps": clumped}


def judge(found, design):
    "Of one answer, groups or supports alone: number of supports, false share, power, groups with a cause"
    groups = found if hasattr(found, "members") else None
    supports = np.asarray(found if groups is None else groups.support, dtype=int)
    if design.causal is None:
        unit = supports if design.unit is None else design.unit[supports]
        false, hits = unit >= design.n_true, len(set(unit[unit < design.n_true]))
    else:
        Z, causes = designs.standardized(design.X, supports), designs.standardized(design.X, design.causal)
        near = np.abs(Z.T@causes)/len(Z) >= .5
        false, hits = ~near.any(1), near.any(0).sum()
    row = dict(supports=len(supports), false=share_of(false), power=float(hits/max(design.n_true, 1)))
    if design.causal is None or groups is None: return row
    return row | dict(holds_cause=share_of([np.isin(own, design.causal).any() for own in groups.members]))


def compare(title, cases, without, seeds):
    "Means over the data sets, a row for each case (a function of the seed) and each method but those `without`"
    rows = []
    for name, make in cases.items():
        runs = {method: [] for method in METHODS if method not in without}
        for seed in range(FIRST_SEED, FIRST_SEED+seeds):
            design = make(seed=seed)
            for method in runs:
                seconds, found = cpu_clock(lambda: METHODS[method](design.X, design.y), 1)
                runs[method].append(judge(found, design) | dict(seconds=seconds))
        for method, own in runs.items():
            mean = {key: float(np.mean([run[key] for run in own])) for key in own[0]}
            errors = {f"{key}_se": float(np.std([run[key] for run in own])/seeds**.5) for key in ("false", "power")}
            rows.append(dict(design=name, method=method) | mean | errors | dict(data_sets=seeds))
    def cell(row, key): return f"{row[key]:.3f} ± {row[key+'_se']:.3f}" if key+"_se" in row else row[key]
    table([{key: cell(row, key) for key in row if not key.endswith("_se")} for row in rows], title)
    return rows


def shared(quick, seeds):
    "Nulls that share a factor with true columns: later rounds and marks may take them for true"
    cases = {}
    for n in (300,) if quick else (300, 800):
        cases |= {f"{kind}, n={n}": partial(designs.shared_factor, kind, n) for kind in designs.FACTORS}
        cases |= {f"{make.__name__}, n={n}": partial(make, n) for make in (designs.collider, designs.library_size)}
    return compare("shared factors, 500 columns", cases, JOINT, seeds)


VARIANTS = (800, .6), (5000, .6), (800, .9), (5000, .97)
REAL = "mnist_3v8", "usps", "farm_ads", "ng20_bigram_dev"


def linked(quick, seeds):
    "Ten causal columns among columns that correlate with them: a correlation of .5 is close enough"
    cases = {f"{p} variants, stay={stay}": partial(designs.variants, p, stay) for p, stay in VARIANTS[:1 if quick else None]}
    cases |= {name: partial(designs.real, name) for name in present(REAL)[:1 if quick else None]}
    return compare("linked columns, 1,000 samples", cases, MARKS, seeds)


def present(names):
    "Those that are in FSNB_DATA; says which are not"
    missing = [name for name in names if name not in available()]
    if missing: print("not in FSNB_DATA, left out:", *missing)
    return [name for name in names if name not in missing]


SMALL = ("ind", 40), ("ind", 60), ("ind", 100), ("ind", 200), *((kind, 100) for kind in ("ind30", "block", "ar", "wide", "hub"))


def few(quick, seeds):
    "Few samples; on wide blocks most supports of Benjamini-Hochberg are false, so its power is no fair bar"
    cases = {f"{kind}, n={n}": partial(designs.few_samples, kind, n) for kind, n in SMALL}
    cases |= {f"null {name}": partial(make, null=True) for name, make in cases.items() if "30" not in name}
    if quick: cases = dict(list(cases.items())[::5])
    return compare("few samples", cases, [*MARKS, *JOINT], seeds)


BUNDLED, MARKED = ("breast_cancer", "wine", "digits"), ("leukemia_golub", "colon_alon", "BASEHOCK")


def marks(quick, seeds):
    "Supports of auto's first round that GDM(k) selects too and does not mark, and supports that it marks and auto does not report"
    rows = []
    for name in BUNDLED+(() if quick else tuple(present(MARKED))):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True) if name in BUNDLED else load(name)[:2]
        if name == "digits": X, y = X[np.isin(y, (3, 8))], y[np.isin(y, (3, 8))]
        groups = auto(X, y)
        first = groups.support[groups.rounds == 0]
        for k in (5, 10, 50):
            asked = groups_of(GDM(min(k, X.shape[1])), X, y)
            both = np.isin(asked.support, first)
            rows.append(dict(data=name, k=k, first_round=len(first), in_both=int(both.sum()), marked=int(asked.significant.sum()),
                             contradictions=int((both & ~asked.significant).sum()),
                             marked_alone=int((asked.significant & ~np.isin(asked.support, groups.support)).sum())))
    return table(rows, "auto's first round and the marks of GDM(k)")


SECTIONS = dict(shared=shared, linked=linked, few=few, marks=marks)


def run(quick=False, only=None, seeds=None):
    seeds = seeds or (2 if quick else SEEDS)
    return {name: SECTIONS[name](quick, seeds) for name in only or SECTIONS}
