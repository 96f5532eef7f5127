"""Is the false share of "auto" at most .05 in the mean? On designs that could break it, beside joint supports, SuSiE and Benjamini-Hochberg.

Sections `design`: batches, covariates, text of unequal length, donors and families, with and without the arguments of `GDM.fit` ("told").

    python -m benchmarks fdr --only shared linked --seeds 5        some sections, few data sets; nothing is written

Seeds begin at 5000, since constants of the package were chosen on smaller ones. `false` is the share of supports that are false,
on null data of data sets with a support; `power` that of true units found; `holds_cause` that of groups with a causal column.
"""
import numpy as np, scipy.sparse as sp, fsnb
from functools import partial
from scipy import stats
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from fsnb import GDM, make_groups
from fsnb.data.checks import divide_or_zero
from . import designs
from .chance import LEVEL, clumped, news20, share_of
from .common import average, cpu, dense, standardized
from .datasets import load, present

FIRST_SEED, SEEDS = 5000, 20

def auto(X, y, **given): return GDM("auto").fit(X, y, **given).groups_

def marked(k, X, y, **given):
    "Supports of GDM(k) that are marked as significant"
    groups = GDM(k).fit(X, y, **given).groups_
    return groups.support[groups.significant]

MARKS = {f"marks of GDM({k})": partial(marked, k) for k in (20, 50)}
JOINT = dict(joint_groups=lambda X, y: fsnb.joint_groups(X, y, start=auto(X, y).support), SuSiE=lambda X, y: fsnb.SuSiE().fit(X, y).groups_)
METHODS = {"auto": auto} | MARKS | JOINT | {"BH, clumps": clumped}

def methods(without):
    "Those of `METHODS` that are not named, as functions of a `Design`"
    return {name: lambda design, find=find: find(design.X, design.y) for name, find in METHODS.items() if name not in without}

def judge(found, design):
    "Of one answer, groups or supports alone: number of supports, false share, power, groups with a cause"
    groups = found if hasattr(found, "members") else None
    supports = np.asarray(found if groups is None else groups.support, dtype=int)
    if design.causal is None:
        unit = supports if design.unit is None else design.unit[supports]
        false, hits = unit >= design.n_true, len(set(unit[unit < design.n_true]))
    else:
        Z, causes = (standardized(dense(design.X, columns)) for columns in (supports, design.causal))
        near = np.abs(Z.T@causes)/len(Z) >= .5
        false, hits = ~near.any(1), near.any(0).sum()
    row = dict(supports=len(supports), false=share_of(false), power=float(hits/max(design.n_true, 1)))
    if design.causal is None or groups is None: return row
    return row | dict(holds_cause=share_of([np.isin(own, design.causal).any() for own in groups.members]))

def compare(cases, methods, seeds, first=FIRST_SEED):
    "Means over the data sets, a row for each case (a function of the seed) and each method (a function of a `Design`)"
    for name, make in cases.items():
        runs = []
        for seed in range(first, first+seeds):
            design = make(seed=seed)
            for method, find in methods.items():
                seconds, found = cpu(lambda: find(design))
                if found is not None: runs.append(dict(design=name, method=method, **judge(found, design), seconds=seconds))
        def error(own): return dict(false_se=float(np.std([run["false"] for run in own])/seeds**.5))
        yield from average(runs, ("design", "method"), "data_sets", also=error)

def shared(quick, seeds):
    "Nulls that share a factor with true columns: later rounds and marks may take them for true"
    cases = {}
    for n in (300,) if quick else (300, 800):
        cases |= {f"{kind}, n={n}": partial(designs.shared_factor, kind, n) for kind in designs.FACTORS}
        cases |= {f"{make.__name__}, n={n}": partial(make, n) for make in (designs.collider, designs.library_size)}
    return compare(cases, methods(JOINT), seeds)

VARIANTS = (800, .6), (5000, .6), (800, .9), (5000, .97)
REAL = "mnist_3v8", "usps", "farm_ads", "ng20_bigram_dev"

def linked(quick, seeds):
    "Ten causal columns among columns that correlate with them: a correlation of .5 is close enough"
    cases = {f"{p} variants, stay={stay}": partial(designs.variants, p, stay) for p, stay in VARIANTS[:1 if quick else None]}
    cases |= {name: partial(designs.real, name) for name in list(present(REAL))[:1 if quick else None]}
    return compare(cases, methods(MARKS), seeds)

SMALL = ("ind", 40), ("ind", 60), ("ind", 100), ("ind", 200), *((kind, 100) for kind in ("ind30", "block", "ar", "wide", "hub"))

def few(quick, seeds):
    "Few samples; on wide blocks most supports of Benjamini-Hochberg are false, so its power is no fair bar"
    cases = {f"{kind}, n={n}": partial(designs.few_samples, kind, n) for kind, n in SMALL}
    cases |= {f"null {name}": partial(make, null=True) for name, make in cases.items() if "30" not in name}
    if quick: cases = dict(list(cases.items())[::5])
    return compare(cases, methods([*MARKS, *JOINT]), seeds)

BUNDLED, MARKED = ("breast_cancer", "wine", "digits"), ("leukemia_golub", "colon_alon", "BASEHOCK")

def marks(quick, seeds):
    "Supports of auto's first round that GDM(k) selects too and does not mark, and supports that it marks and auto does not report"
    for name in BUNDLED+(() if quick else tuple(present(MARKED))):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True) if name in BUNDLED else load(name)[:2]
        if name == "digits": X, y = X[np.isin(y, (3, 8))], y[np.isin(y, (3, 8))]
        groups = auto(X, y)
        first = groups.support[groups.rounds == 0]
        for k in (5, 10, 50):
            asked = GDM(min(k, X.shape[1])).fit(X, y).groups_
            both = np.isin(asked.support, first)
            yield dict(data=name, k=k, first_round=len(first), in_both=int(both.sum()), marked=int(asked.significant.sum()),
                       contradictions=int((both & ~asked.significant).sum()),
                       marked_alone=int((asked.significant & ~np.isin(asked.support, groups.support)).sum()))

# ---- samples that are not exchangeable
DESIGN_SEED, K = 7000, 20

def least_squares(A, base, weights):
    "What weighted least squares on the base leaves of each column"
    root = np.sqrt(weights)[:, None]
    return A-base@np.linalg.lstsq(base*root, A*root, rcond=None)[0]

def discoveries(p_values): return np.flatnonzero(stats.false_discovery_control(np.nan_to_num(p_values, nan=1)) <= LEVEL)

def linear(design):
    "F-tests of the classes in the regression of each feature on them and the covariates"
    if "blocks" in design.given: return None
    base, ones = np.c_[np.ones(len(design.y)), design.beside], np.ones(len(design.y))
    classes = least_squares(1.*(design.y[:, None] == np.arange(1, design.y.max()+1)), base, ones)
    left = least_squares(dense(design.X), base, ones)
    within = np.square(least_squares(left, classes, ones)).sum(0)
    k, rest = classes.shape[1], len(base)-base.shape[1]-classes.shape[1]
    return discoveries(stats.f.sf(divide_or_zero((np.square(left).sum(0)-within)*rest, within*k), k, rest))

def logistic(design):
    "Score tests of each feature in the logistic regression of y on it and the covariates; of families by the variance between these"
    y, blocks = design.y, design.given.get("blocks")
    if y.max() > 1 or blocks is not None and is_constant(y, blocks): return None
    base = np.ones((len(y), 1)) if blocks is not None else np.c_[np.ones(len(y)), design.beside]
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", fit_intercept=False)
    expected = model.fit(base, y).predict_proba(base)[:, 1]
    weights, left = expected*(1-expected), y-expected
    x = least_squares(dense(design.X), base, weights)
    score, variance = left@x, weights@np.square(x)
    if blocks is not None: variance = np.square(sum_up(blocks, x*left[:, None])).sum(0)
    return discoveries(stats.chi2.sf(divide_or_zero(score**2, variance), 1))

def sum_up(blocks, x): return sp.csr_matrix((np.ones(len(blocks)), (blocks, np.arange(len(blocks)))))@x
def is_constant(y, blocks): return len(set(zip(blocks, y))) == len(set(blocks))

def pseudobulk(design):
    "t-tests of the means of donors"
    y, blocks = design.y, design.given.get("blocks")
    if blocks is None or not is_constant(y, blocks): return None
    means = sum_up(blocks, design.X)/np.bincount(blocks)[:, None]
    y = y[np.unique(blocks, return_index=True)[1]]
    return discoveries(stats.ttest_ind(means[y == 1], means[y == 0]).pvalue)

TOLD = {"auto, told": lambda design: auto(design.X, design.y, **design.given),
        f"marks of GDM({K}), told": lambda design: marked(K, design.X, design.y, **design.given),
        "BH, linear": linear, "BH, logistic": logistic, "BH, pseudobulk": pseudobulk}
def design_cases():
    "Name: function of the seed, and of whether y depends on no column"
    cases = {f"batch, n={n}": partial(designs.batch, n) for n in designs.SHIFT}
    cases |= {"batch, 3 classes, n=300": partial(designs.batch, 300, n_classes=3), "batch, rare sparse columns, n=1000": partial(designs.rare_columns, 1000)}
    cases |= {f"5 covariates, n={n}": partial(designs.confounded, n, 5) for n in (300, 1000)}
    cases |= {"square of 1, n=300": partial(designs.confounded, 300, 1, squared=True),
              "squares of 3, n=600": partial(designs.confounded, 600, 3, squared=True),
              "5 covariates, classes 90/10, n=500": partial(designs.confounded, 500, 5, share=.1),
              "5 covariates, 4 strata, n=400": partial(designs.confounded, 400, 5, sites=4),
              "text, row sums, n=800": partial(designs.text, 800), "admixed, n=600": partial(designs.admixed, 600)}
    cases |= {f"donors, {sizes}, {r}": partial(designs.donors, sizes, r) for sizes in designs.SIZES for r in (.1, .3, .5)}
    return cases | {f"100 families, {common}": partial(designs.families, 100, common=common) for common in (.5, 2)}

def design(quick, seeds):
    "Plain 'auto', 'auto' and marks that are told covariates, strata or blocks, and Benjamini-Hochberg at .05, counted by features"
    cases = design_cases()
    if quick: cases = dict(list(cases.items())[::6])
    return compare(cases, {"auto": lambda design: auto(design.X, design.y)} | TOLD, seeds, DESIGN_SEED)

NULLS = "batch, n=100", "5 covariates, n=1000", "squares of 3, n=600", "text, row sums, n=800", "donors, 40 of 10, 0.5", "donors, 40 of 5 to 100, 0.5", "100 families, 2"

def design_null(quick, seeds):
    "No column has an effect: `false` is the share of the data sets in which anything is selected"
    cases = {name: partial(design_cases()[name], null=True) for name in NULLS}
    cases |= {"covariate decides y but for noise, n=300": partial(designs.confounded, 300, 1, odds=10, null=True)}
    if quick: cases = dict(list(cases.items())[::4])
    return compare(cases, TOLD, 2*seeds, 2*DESIGN_SEED)

def design_cost(quick, seeds):
    "Seconds of the processor with ten covariates and without: the shape of news20, and Algorithm 6's; the covariates do not act"
    sparse = news20(seeds, *((1000, 20_000, 20) if quick else ()))
    made = make_groups(300, 500) if quick else make_groups(preset="thesis2015", random_state=seeds)
    for name, data in dict(sparse=sparse, dense=made).items():
        Z = np.random.default_rng(DESIGN_SEED).standard_normal((len(data.y), 10))
        told = [{}, dict(covariates=Z)]
        for k in 10, "auto":
            turns = [[cpu(lambda: GDM(k).fit(data.X, data.y, **given))[0] for given in told] for _ in range(1 if quick else 5)]
            plain, with_covariates = np.min(turns, axis=0)
            yield dict(data=name, samples=len(data.y), columns=data.X.shape[1], K=k, seconds=plain, ratio=with_covariates/plain)

SECTIONS = dict(shared=shared, linked=linked, few=few, marks=marks, design=design, design_null=design_null, design_cost=design_cost)

def run(quick=False, only=None, seeds=None):
    seeds = seeds or (2 if quick else SEEDS)
    return {name: SECTIONS[name](quick, seeds) for name in only or SECTIONS}
