"""Does "auto" keep its promise, an expected false share of .05? On designs that could break it, beside joint supports, SuSiE and Benjamini-Hochberg.

    python -m benchmarks fdr --only shared linked --seeds 5        some sections, few data sets; nothing is written

Seeds begin at 5000, since constants of the package were chosen on smaller ones. `false` is the mean share of false supports and
`power` that of true units found, with their standard errors; `holds_cause` the share of groups that contain a causal column.
"""
from functools import partial

import numpy as np
from sklearn import datasets

import fsnb
from fsnb import GDM

from . import designs
from .chance import clumped, news20, quiet, share_of
from .common import cpu_clock, table
from .realdata import available, load

FIRST_SEED, SEEDS = 5000, 20


# ---- methods: their groups, or their supports alone

def auto(X, y): return quiet(GDM("auto"), X, y).groups_


def marked(k):
    "The supports of GDM(k) that it marks as significant"
    def find(X, y):
        groups = quiet(GDM(k), X, y).groups_
        return groups.support[groups.significant]
    return find


def joint(X, y): return fsnb.joint_groups(X, y, start=auto(X, y).support)


def susie(X, y): return quiet(fsnb.SuSiE(), X, y).groups_


RIVAL = {"BH, clumps": clumped}
MARKS = {f"marks of GDM({k})": marked(k) for k in (20, 50)}
JOINT = {"joint_groups": joint} if hasattr(fsnb, "joint_groups") else {}
JOINT |= {"SuSiE": susie} if hasattr(fsnb, "SuSiE") else {}


# ---- the judge

def judge(found, design):
    "Supports, false share, power, whether anything is found; where columns are linked the share of groups with a cause"
    groups = getattr(found, "members", None)
    supports = np.asarray(found if groups is None else found.support, dtype=int)
    if design.causal is None:
        unit = supports if design.unit is None else design.unit[supports]
        false, hit = unit >= design.n_true, len(set(unit[unit < design.n_true]))
    else:
        Z, causes = designs.standardized(design.X, supports), designs.standardized(design.X, design.causal)
        near = np.abs(Z.T@causes)/len(Z) >= .5
        false, hit = ~near.any(1), int(near.any(0).sum())
    row = dict(supports=len(supports), any=len(supports) > 0, false=share_of(false), power=hit/design.n_true)
    if design.causal is None or groups is None: return row
    return row | dict(holds_cause=share_of([np.isin(own, design.causal).any() for own in groups]))


def means(rows):
    "Means over the data sets, and the standard errors of the false share and of the power"
    out = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    errors = {f"{name}_se": float(np.std([row[name] for row in rows])/len(rows)**.5) for name in ("false", "power")}
    return out | errors | dict(data_sets=len(rows))


def compare(title, cases, methods, seeds):
    "A row for each case and method: `cases` are functions of the seed, by name"
    out = []
    for name, make in cases.items():
        runs = {method: [] for method in methods}
        for seed in range(FIRST_SEED, FIRST_SEED+seeds):
            design = make(seed=seed)
            for method, find in methods.items():
                seconds, found = cpu_clock(lambda: find(design.X, design.y), 1)
                runs[method].append(judge(found, design) | dict(seconds=seconds))
        out += [dict(design=name, method=method) | means(rows) for method, rows in runs.items()]
    return shown(out, title)


def shown(rows, title):
    "Print the table, a number beside its standard error; returns the rows"
    def cell(row, name): return f"{row[name]:.3f} ± {row[name+'_se']:.3f}" if name+"_se" in row else row[name]
    table([{name: cell(row, name) for name in row if not name.endswith("_se")} for row in rows], title)
    return rows


# ---- sections

def shared(quick, seeds):
    "Nulls that share a factor with true columns, or are caused beside them: later rounds and marks may name them"
    cases = {}
    for n in (300,) if quick else (300, 800):
        cases |= {f"{kind}, n={n}": partial(designs.shared_factor, kind, n) for kind in designs.LOADINGS}
        own = designs.collider, designs.batch, designs.chain, designs.library_size
        cases |= {f"{make.__name__}, n={n}": partial(make, n) for make in own}
    return compare("shared factors, 500 columns", cases, {"auto": auto} | MARKS | RIVAL, seeds)


REAL = "mnist_3v8", "usps", "farm_ads", "ng20_bigram_dev"


def linked(quick, seeds):
    "Causal columns among columns that are linked: a support is false where it correlates at less than .5 with every one of them"
    cases = {f"variants, p={p}": partial(designs.variants, p) for p in ((800,) if quick else (800, 5000))}
    missing = [name for name in REAL if name not in available()]
    if missing: print("not in FSNB_DATA, left out:", *missing)
    cases |= {name: partial(designs.real_columns, name) for name in REAL[:1 if quick else None] if name not in missing}
    return compare("linked columns, 1,000 samples, ten causal ones", cases, {"auto": auto} | JOINT | RIVAL, seeds)


SMALL = [(kind, 100) for kind in ("ind", "ind30", "block", "ar", "wide", "hub", "null ind", "null block", "null ar", "null hub")]
SMALL += [(kind, n) for n in (40, 60, 200) for kind in ("ind", "null ind")]


def few(quick, seeds):
    "Few samples; the false share of Benjamini-Hochberg on wide blocks shows that its power is no fair bar"
    cases = {f"{kind}, n={n}": partial(designs.few_samples, kind, n) for kind, n in (SMALL[:2] if quick else SMALL)}
    return compare("few samples, 1,000 to 2,500 columns", cases, {"auto": auto} | RIVAL, seeds)


def scikit_learn_set(name):
    "X, y of breast cancer, of wine, of the digits 3 and 8"
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    rows = np.isin(y, (3, 8)) if name == "digits" else np.ones(len(y), bool)
    return X[rows], y[rows]


MARKED = "breast_cancer", "wine", "digits", "leukemia_golub", "colon_alon", "BASEHOCK"


def marks(quick, seeds):
    "Supports of auto's first round that GDM(k) selects too and does not mark: two answers to one question"
    rows = []
    for name in MARKED[:2] if quick else MARKED:
        own = name in MARKED[:3]
        if not own and name not in available():
            print(f"{name}: not in FSNB_DATA, left out")
            continue
        X, y = scikit_learn_set(name) if own else load(name)[:2]
        groups = auto(X, y)
        first = groups.support[groups.rounds == 0]
        for k in (5, 10, 50):
            asked = quiet(GDM(min(k, X.shape[1])), X, y).groups_
            both = np.isin(asked.support, first)
            rows.append(dict(data=name, k=k, first_round=len(first), in_both=int(both.sum()), marked=int(asked.significant.sum()),
                             contradictions=int((both & ~asked.significant).sum())))
    return table(rows, "supports of auto's first round that GDM(k) does not mark")


def text(quick, seeds):
    "news20's shape on the seeds of `chance`: true and wrong features of auto"
    size, rows = (2000, 50_000, 40) if quick else (10_000, 1_360_000, 265), []
    for seed in range(min(seeds, 5)):
        data = news20(seed, *size)
        seconds, groups = cpu_clock(lambda: auto(data.X, data.y), 1)
        true = np.isin(groups.all_members, data.groups.all_members)
        wrong = ~np.isin(groups.support, data.groups.all_members)
        rows.append(dict(seed=seed, supports=len(wrong), false=share_of(wrong), true_features=int(true.sum()), wrong_features=int((~true).sum()),
                         seconds=seconds))
    rows.append(dict(seed="mean") | {name: float(np.mean([row[name] for row in rows])) for name in rows[0] if name != "seed"})
    return table(rows, f"{size[0]} x {size[1]}, news20's shape")


SECTIONS = dict(shared=shared, linked=linked, few=few, marks=marks, text=text)


def run(quick=False, only=None, seeds=None):
    seeds = seeds or (2 if quick else SEEDS)
    return {name: SECTIONS[name](quick, seeds) for name in only or SECTIONS}
