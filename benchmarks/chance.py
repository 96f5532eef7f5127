"""What chance explains: false shares and power of "auto" on blocks, presets and few samples; news20's shape; stability over halves.

Seconds are those of the processor. Over halves, supports that correlate at .7 count as one. `GDM, hinge` is GDM(10) with the
weights of the squared hinge after separation, as it was before; `GDM, label` with those of the first round again.
"""
import math
import numpy as np, scipy.sparse as sp, fsnb.gdm.auto, fsnb.gdm.rounds
from dataclasses import replace
from scipy import stats
from sklearn.model_selection import StratifiedShuffleSplit
from fsnb import GDM, L1SVM, MRMR, as_columns, group_columns, make_groups
from fsnb.gdm.auto import _FIRST_SHARE
from fsnb.gdm.e_values import alpha_spending, max_log_e_value
from fsnb.gdm.rounds import _is_separated
from .common import average, cpu, dense, fit_l1, l1_svm, linear_svm, replaced, splits_of, standardized
from .datasets import load, present

LEVEL = .05     # the default of `chance`
NEWS20 = 10_000, 1_360_000, 265
METHODS = {"GDM": {}, "GDM, rank_by='support'": dict(rank_by="support"), "GDM, chance=None": dict(chance=None)}

def auto(X, y, **given): return GDM("auto", **given).fit(X, y)

# ---- planted data
def news20(seed, n=NEWS20[0], p=NEWS20[1], k=NEWS20[2]):
    "The shape of news20: a third of the groups have two to six members, the label is noisy"
    sizes = ((1, 2, 3, 4, 5)*k)[:k//3]+(0,)*(k-k//3)
    return make_groups(n, p, sizes, weights="normal", sparse=4.4/13_600, label_noise=.2, random_state=seed, n_test=n//4)

def planted(quick):
    "Five seeds of news20's shape: true and wrong features, held-out accuracy"
    size = (2000, 50_000, 40) if quick else NEWS20
    methods = {name: GDM(size[2], **own) for name, own in METHODS.items()} | {"GDM('auto')": GDM("auto")}
    rows, C = [], None
    small = news20(99, 500, 2000, 10)
    GDM(3).fit(small.X, small.y)                                           # compiles
    for seed in range(1 if quick else 5):
        data = news20(seed, *size)
        if C is None: _, C = l1_svm(data.X, data.y, size[2], slack=size[2]//20, low=1e-3, high=10, steps=8)
        fits = {name: lambda model=model: model.fit(data.X, data.y) for name, model in methods.items()}
        for name, fit in (fits | {"L1-SVM, one fit": lambda: fit_l1(data.X, data.y, C)}).items():
            seconds, model = cpu(fit)
            groups = getattr(model, "groups_", None)
            chosen = np.flatnonzero(model.coef_[0]) if groups is None else groups.all_members
            supports = chosen if groups is None else model.support_
            right, true = (np.isin(some, data.groups.all_members).sum() for some in (supports, chosen))
            rows.append(dict(method=name, supports=len(supports), supports_true=int(right), true=int(true), wrong=len(chosen)-int(true),
                             accuracy=model.score(data.X_test, data.y_test), seconds=seconds))
    return dict(means=average(rows, ("method",), "seeds"))

def agreement(quick):
    "'auto' on news20's shape where a feature must have had a fixed share of its later score at first, not the least that keeps nulls out"
    rules = {"adaptive": fsnb.gdm.auto._find_agreement, .6: lambda *_: .6}
    for seed in range(1 if quick else 5):
        data = news20(seed, *((2000, 50_000, 40) if quick else ()))
        for share, rule in rules.items():
            with replaced(fsnb.gdm.auto, _find_agreement=rule): model = auto(data.X, data.y)
            chosen = model.groups_.all_members
            true = int(np.isin(chosen, data.groups.all_members).sum())
            yield dict(seed=seed, share=share, later=int((model.groups_.rounds > 0).sum()), true=true, wrong=len(chosen)-true)

def share_of(wrong):
    "Share of the supports that are wrong; 0 where there is none"
    return float(np.mean(wrong)) if len(wrong) else 0.

def judge(model, wrong):
    "What is counted of the supports of 'auto'"
    return dict(supports=len(wrong), false=share_of(wrong), later=int((model.groups_.rounds > 0).sum()), rounds=model.n_iter_,
                separated=float(model.stop_reason_ == "separated"))

def with_error(rows, by):
    "Means over the data sets, and the standard error of the false share"
    return average(rows, by, "data_sets", also=lambda own: dict(se=float(np.std([row["false"] for row in own])/len(own)**.5)))

BLOCKS = (400, 1, 500, 500, 40), (300, 1, 200, 2000, 40), (300, 3, 300, 1000, 40), (400, 1, 1500, 1500, 20)

def blocks(quick):
    "Blocks of features that share a factor, which differs between the classes by one deviation; then nulls: false share and power of 'auto'"
    rows = []
    for n, count, size, nulls, times in BLOCKS[:1] if quick else BLOCKS:
        for seed in range(2 if quick else times):
            rng, y = np.random.default_rng(seed), (np.arange(n) >= n//2).astype(int)
            X = rng.standard_normal((n, count*size+nulls))
            for block in range(count):
                factor = rng.standard_normal(n)+y
                X[:, block*size:(block+1)*size] = .95*factor[:, None]+.3*rng.standard_normal((n, size))
            model = auto(X, y)
            wrong, found = model.support_ >= count*size, model.support_//size
            rows.append(dict(n=n, blocks=count, size=size, nulls=nulls, **judge(model, wrong), power=len(set(found[~wrong]))/count))
    return with_error(rows, ("n", "blocks", "size", "nulls"))

def presets(quick):
    "The generators of the thesis and of the ICML paper: false share of 'auto', true groups and members found"
    rows = []
    for name, times in (("thesis2015", 1),) if quick else (("thesis2015", 10), ("icml2012", 3)):
        for seed in range(times):
            data = make_groups(preset=name, random_state=seed)
            model = auto(data.X, data.y)
            truth, members = data.groups.all_members, model.groups_.all_members
            home = np.full(data.X.shape[1], -1)
            for number, group in enumerate(data.groups.members): home[group] = number
            hits = int(np.isin(members, truth).sum())
            rows.append(dict(preset=name, **judge(model, home[model.support_] < 0), groups_found=len(set(home[model.support_])-{-1}),
                             true_groups=len(data.groups.members), members_found=hits, true_members=len(truth), wrong_members=len(members)-hits))
    return with_error(rows, ("preset",))

# ---- real data
TEXT = ("farm_ads", None), ("ng20_bigram_dev", None), ("bbc", (0, 4)), ("bbc", (1, 3)), ("bbc", (2, 4)), ("BASEHOCK", None)

def text(quick):
    "Accuracy and members at 40 and 150 supports, three splits each"
    for name, classes in present(TEXT):
        X, y, _ = load(name, classes=classes)
        for k in (40,) if quick else (40, 150):
            row = dict(data=f"{name} {classes or ''}".strip(), supports=k)
            for method, own in METHODS.items():
                runs = []
                for A, a, B, b in splits_of(X, y, 1 if quick else 3):
                    seconds, model = cpu(lambda: GDM(k, **own).fit(A.tocsc(), a))
                    runs.append((model.score(B, b), len(model.groups_.all_members), seconds))
                short = method.replace("GDM, ", "")
                row |= dict(zip((f"{short}: accuracy", f"{short}: members", f"{short}: seconds"), np.mean(runs, axis=0)))
            yield row

def paces(quick):
    "Numbers of groups of 'auto' in each round, at four values of n_per_iter"
    for name in list(present(("colon_alon", "leukemia_golub", "lung_small", "chowdary", "BASEHOCK", "usps")))[:1 if quick else None]:
        X, y, _ = load(name)
        for pace in (5, 10) if quick else (5, 10, 20, 40):
            model = auto(X, y, n_per_iter=pace)
            by_round = np.bincount(model.groups_.rounds).tolist()
            yield dict(data=name, n_per_iter=pace, groups=len(model.support_), by_round=by_round, stop=model.stop_reason_)

def replicated(quick):
    "What 'auto' reports and what it drops on a random half: the same sign in the other half, and a one-sided t-test at .05 there?"
    for name in list(present(("BASEHOCK", "farm_ads", "ng20_bigram_dev")))[:1 if quick else None]:
        X, y, _ = load(name)
        a, b = next(StratifiedShuffleSplit(1, train_size=.5, test_size=.5, random_state=7).split(X, y))
        model = auto(X[a], y[a])
        def correlations(half):
            v = (y[half] == y.max())-np.mean(y[half] == y.max())
            return as_columns(X[half]).scores(v/v.std())/len(half)
        here, there = correlations(a), correlations(b)
        for part, chosen in dict(reported=model.support_, dropped=model.dropped_[:, 0]).items():
            r = np.sign(here[chosen])*there[chosen]
            p = stats.t.sf(r*np.sqrt((len(b)-2)/(1-r*r)), len(b)-2)
            yield dict(data=name, part=part, features=len(chosen), same_sign=float(np.mean(r > 0)), significant=float(np.mean(p <= LEVEL)))

# ---- null data
def null(quick):
    "A hundred samples without association: in how many of the data sets does 'auto' select anything?"
    times = 40 if quick else 400
    for kind in ("dense", "rare", "long texts in one class"):
        counts = []
        for seed in range(times):
            rng = np.random.default_rng(seed)
            y = rng.permutation(np.arange(100) % 2)
            X = rng.standard_normal((100, 300))
            if kind != "dense":
                length = rng.lognormal(0, .5, 100)*(1+(y if kind != "rare" else 0))
                X = sp.csc_matrix(rng.random((100, 300)) < rng.uniform(.01, .3, 300)*length[:, None]/length.mean(), dtype=float)
            counts.append(len(auto(X, y).support_))
        yield dict(data=kind, data_sets=times, with_a_support=float(np.mean(np.array(counts) > 0)), supports=float(np.mean(counts)))

def clumped(X, y, together=.7):
    "Benjamini-Hochberg on p-values of t-tests, then clumps: the best is kept, and those that correlate with it leave"
    columns, n = as_columns(X), len(y)
    v = (y-y.mean())/y.std()
    r = np.minimum(np.abs(columns.scores(v/n)), 1-1e-12)
    p = 2*stats.t.sf(r*np.sqrt((n-2)/(1-r*r)), n-2)
    passed = np.flatnonzero(stats.false_discovery_control(p) <= LEVEL)
    best = passed[np.argsort(p[passed], kind="stable")]
    return best[group_columns(columns.take(best), 1-together).support] if len(best) else best

def samples(quick):
    "Few samples and a thousand independent features: in how many data sets does 'auto' select anything, and Benjamini-Hochberg?"
    for n in (14, 24) if quick else (14, 24, 100, 200, 1000):
        for name, select in {"GDM('auto')": lambda X, y: auto(X, y).support_, "BH and clumps": clumped}.items():
            selected, times = 0, 3 if quick else 200 if n < 1000 else 100
            for seed in range(times):
                rng = np.random.default_rng(seed)
                y = rng.permutation(np.arange(n) % 2)
                selected += len(select(rng.standard_normal((n, 1000)), y)) > 0
            yield dict(n=n, method=name, data_sets=times, with_a_support=selected/times)

def least(quick):
    """The least number of samples, two classes of equal size or nearly, at which some feature can pass in the first round

    By permutations few enough orders of the labels must be as good as the order itself: it alone, or with classes of equal size its mirror image too.
    """
    as_good = lambda n: (2-n % 2)/math.comb(n, n//2)
    by_orders = next(n for n in range(4, 1000) if as_good(n) <= LEVEL*_FIRST_SHARE)
    for p in (100, 1000, 10_000, 1_000_000):
        alone, first = (next(n for n in range(4, 1000) if max_log_e_value(n) >= np.log(p/share)) for share in (LEVEL, LEVEL*alpha_spending(1)))
        yield dict(features=p, e_values=alone, e_values_first_round=first, permutations=by_orders)

# ---- halves of the samples
def label_weights(problem, machine):
    "The machine; where it separates its samples, with the weights of the first round"
    if not _is_separated(machine, problem.settings.C): return machine
    up = machine.y > 0
    return replace(machine, alpha=.5/np.where(up, up.sum(), (~up).sum()))

AFTER = {"GDM, hinge": lambda problem, machine: machine, "GDM, label": label_weights}    # instead of the logistic loss
WAYS = {"GDM": GDM(10)} | {name: GDM(10) for name in AFTER} | {"GDM, tau=.1": GDM(10, tau=.1), "L1SVM": L1SVM(10), "MRMR": MRMR(10)}

def found_again(first, second, X, together=.7):
    "Share of the clusters of either half that correlate with one of the other half, and their mean number: supports of one half that correlate count once"
    A, B = (standardized(dense(X, own)) for own in (first, second))
    r = np.abs(A.T@B)/len(A) >= together
    one, two = (group_columns(half, 1-together).members for half in (A, B))
    between = np.array([[r[np.ix_(a, b)].any() for b in two] for a in one])
    return .5*(between.any(1).mean()+between.any(0).mean()), .5*(len(one)+len(two))

def over_halves(named, parts):
    "A row for each way to select ten features: means over the parts, and each of them; a part is X, y, both halves, what each is tested on, true features or None"
    for method, model in WAYS.items():
        runs = dict(found_again=[], clusters=[], accuracy=[], true=[])
        for X, y, halves, tests, truth in parts:
            rule = AFTER.get(method, fsnb.gdm.rounds._with_logistic_weights)
            with replaced(fsnb.gdm.rounds, _with_logistic_weights=rule): chosen = [model.fit(X[half], y[half]).support_ for half in halves]
            again, clusters = found_again(*chosen, X)
            svm = linear_svm(None, max_iter=5000)         # the same classifier on the features of any method
            right = [svm.fit(dense(X[half], own), y[half]).score(dense(Z, own), z) for own, half, (Z, z) in zip(chosen, halves, tests)]
            for own, value in zip(runs.values(), (again, clusters, np.mean(right))): own.append(float(value))
            if truth is not None: runs["true"].append(float(np.mean([np.isin(own, truth).mean() for own in chosen])))
        runs = {name: own for name, own in runs.items() if own}
        yield named | dict(method=method) | {name: float(np.mean(own)) for name, own in runs.items()} | dict(runs=runs)

def halves(quick):
    "Ten supports from each half of the samples: how many are found again, and the accuracy on the other half"
    names = ("colon_alon", "leukemia_golub", "chowdary", "lymphoma", "lung_small", "TOX_171", "warpPIE10P", "BASEHOCK")
    for name in list(present(names))[:1 if quick else None]:
        X, y, _ = load(name)
        common = np.flatnonzero(np.isin(y, [c for c in np.unique(y) if (y == c).sum() >= 4]))
        X, y = X[common], y[common]
        splits = StratifiedShuffleSplit(1 if quick else 6, train_size=.5, test_size=.5, random_state=7).split(X, y)
        yield from over_halves(dict(data=name), [(X, y, (a, b), ((X[b], y[b]), (X[a], y[a])), None) for a, b in splits])

def generated(quick):
    "The same on the generator, whose truth is known: other seeds than those that anything was chosen on"
    for n, size in ((60, 3),) if quick else ((60, 3), (100, 5)):
        made = [make_groups(2*n, 2000, (size,)*10, random_state=seed, label_noise=.1, n_test=1000) for seed in range(100, 101 if quick else 120)]
        parts = [(data.X, data.y, (slice(0, n), slice(n, None)), ((data.X_test, data.y_test),)*2, data.groups.all_members) for data in made]
        yield from over_halves(dict(n=n, size=size+1), parts)

PARTS = {part.__name__: part for part in (null, planted, agreement, text, blocks, presets, samples, least, paces, replicated, halves, generated)}

def run(quick=False, only=None):
    return {name: PARTS[name](quick) for name in only or PARTS}
