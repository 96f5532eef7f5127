"""What chance explains: false shares and power of "auto" on blocks, presets and few samples; news20's shape; stability over halves.

Seconds are those of the processor. Over halves, supports that correlate at .7 count as one. `GDM, hinge` is GDM(10) with the
weights of the squared hinge after separation, as it was before; `GDM, label` with those of the first round again.
"""
import contextlib
import math
import warnings
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy import stats
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import fsnb.gdm.auto
import fsnb.gdm.rounds
from fsnb import GDM, L1SVM, MRMR, as_columns, make_groups
from fsnb.gdm.auto import _FIRST_SHARE
from fsnb.gdm.e_values import alpha_spending, max_log_e_value
from fsnb.gdm.rounds import _is_separated

from .common import cpu_clock, l1_svm, table
from .datasets import load, present

LEVEL = .05     # the default of `chance`
TEXT = (("farm_ads", None), ("ng20_bigram_dev", None), ("bbc", (0, 4)), ("bbc", (1, 3)), ("bbc", (2, 4)), ("BASEHOCK", None))
METHODS = {"GDM": {}, "GDM, rank_by='support'": dict(rank_by="support"), "GDM, chance=None": dict(chance=None)}


def news20(seed, n=10_000, p=1_360_000, k=265):
    "The shape of news20: a third of the groups have two to six members, the label is noisy"
    sizes = ((1, 2, 3, 4, 5)*k)[:k//3]+(0,)*(k-k//3)
    return make_groups(n, p, sizes, weights="normal", sparse=4.4/13_600, label_noise=.2, random_state=seed, n_test=n//4)


def judge(chosen, data, accuracy, seconds):
    "True and wrong features, held-out accuracy"
    truth = data.groups.all_members
    true = int(np.isin(chosen, truth).sum())
    return dict(true=true, wrong=len(chosen)-true, accuracy=accuracy, seconds=seconds)


def planted(quick):
    "Five seeds of news20's shape"
    size, k = ((2000, 50_000, 40), 40) if quick else ((10_000, 1_360_000, 265), 265)
    methods = {name: dict(n_features_to_select=k, **own) for name, own in METHODS.items()} | {"GDM('auto')": dict(n_features_to_select="auto")}
    rows, C = {}, None
    GDM(3).fit(news20(99, 500, 2000, 10).X, news20(99, 500, 2000, 10).y)
    for seed in range(1 if quick else 5):
        data = news20(seed, *size)
        for name, own in methods.items():
            seconds, model = cpu_clock(lambda: quiet(GDM(**own), data.X, data.y), 1)
            found = judge(model.groups_.all_members, data, model.score(data.X_test, data.y_test), seconds)
            right = np.isin(model.support_, data.groups.all_members)
            rows.setdefault(name, []).append(dict(supports=len(right), supports_true=int(right.sum()), **found))
        if C is None: _, C = l1_svm(data.X, data.y, k, slack=k//20, low=1e-3, high=10, steps=8)
        seconds, model = cpu_clock(lambda: LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(data.X, data.y), 1)
        chosen = np.flatnonzero(model.coef_[0])
        found = judge(chosen, data, model.score(data.X_test, data.y_test), seconds)
        rows.setdefault("L1-SVM, one fit", []).append(dict(supports=len(chosen), supports_true=found["true"], **found))
    means = [dict(method=name, **{key: float(np.mean([r[key] for r in own])) for key in own[0]}) for name, own in rows.items()]
    table(means, f"{size[0]} x {size[1]}, means over {len(rows['GDM'])} seeds")
    return dict(means=means, runs=rows)


def fixed_agreement(quick):
    "'auto' on news20's shape where later rounds ask for a fixed share of the first round's score, not for the least that keeps nulls out"
    rows, adaptive = [], fsnb.gdm.auto._find_agreement
    for seed in range(1 if quick else 5):
        data = news20(seed, *((2000, 50_000, 40) if quick else ()))
        for share in "adaptive", .6:
            if share != "adaptive": fsnb.gdm.auto._find_agreement = lambda *_: share
            try: model = quiet(GDM("auto"), data.X, data.y)
            finally: fsnb.gdm.auto._find_agreement = adaptive
            found = judge(model.groups_.all_members, data, None, None)
            rows.append(dict(seed=seed, share=share, supports=len(model.support_), later=int((model.groups_.rounds > 0).sum()),
                             true=found["true"], wrong=found["wrong"]))
    return table(rows, "the share of its later score that a feature must have had at first")


def real_text(quick):
    "Accuracy and members at 40 and 150 supports, three splits each"
    rows = []
    for name, classes in present(TEXT):
        X, y, _ = load(name, classes=classes)
        X = sp.csr_matrix(X)
        splits = list(StratifiedShuffleSplit(1 if quick else 3, test_size=.3, random_state=0).split(X, y))
        for k in (40,) if quick else (40, 150):
            row = dict(data=f"{name} {classes or ''}".strip(), supports=k)
            for method, own in METHODS.items():
                runs = []
                for train, test in splits:
                    seconds, model = cpu_clock(lambda: quiet(GDM(k, **own), X[train].tocsc(), y[train]), 1)
                    runs.append((model.score(X[test], y[test]), len(model.groups_.all_members), seconds))
                accuracy, members, seconds = np.mean(runs, axis=0)
                short = method.replace("GDM, ", "")
                row |= {f"{short}: accuracy": accuracy, f"{short}: members": members, f"{short}: seconds": seconds}
            rows.append(row)
    return table(rows, "real text")


def nothing(quick):
    "Null data: in how many of the data sets does 'auto' select anything?"
    rows, times = [], 40 if quick else 400
    for kind in ("dense", "rare", "long texts in one class"):
        found, features = 0, 0
        for seed in range(times):
            rng = np.random.default_rng(seed)
            y = rng.permutation(np.arange(100) % 2)
            X = rng.standard_normal((100, 300))
            if kind != "dense":
                length = rng.lognormal(0, .5, 100)*(1+(y if kind != "rare" else 0))
                X = sp.csc_matrix(rng.random((100, 300)) < rng.uniform(.01, .3, 300)*length[:, None]/length.mean(), dtype=float)
            selected = len(quiet(GDM("auto"), X, y).support_)
            found += selected > 0
            features += selected
        rows.append(dict(data=kind, data_sets=times, with_a_support=found/times, supports=features/times))
    return table(rows, "null data, chance=.05: share of the data sets in which 'auto' selects anything")



def quiet(model, X, y, **given):
    "Fitted without warnings: constant columns, and groups that are too few, are expected here"
    with warnings.catch_warnings(action="ignore"):
        return model.fit(X, y, **given)


def share_of(wrong):
    "Share of the supports that are wrong; 0 where there is none"
    return float(np.mean(wrong)) if len(wrong) else 0.


def mean_and_error(rows, names):
    "Mean of each number over the data sets, and the standard error of the false share"
    out = {name: float(np.mean([row[name] for row in rows])) for name in names}
    return out | dict(se=float(np.std([row["false"] for row in rows])/len(rows)**.5))


def false_by_round(model, wrong):
    "False share in all, in the first round, in later ones, and how many there are"
    first = model.groups_.rounds == 0
    return dict(supports=len(wrong), false=share_of(wrong), false_first=share_of(wrong[first]), later=int((~first).sum()),
                false_later=int(wrong[~first].sum()), rounds=model.n_iter_, separated=model.stop_reason_ == "separated")


MEASURED = "supports", "false", "false_first", "later", "false_later", "rounds", "separated"
BLOCKS = (400, 1, 500, 500, 40), (300, 1, 200, 2000, 40), (300, 3, 300, 1000, 40), (400, 1, 1500, 1500, 20)


def block_data(n, blocks, size, nulls, seed):
    "Blocks of features that share a factor, which differs between the classes by one deviation; then features of noise"
    rng, y = np.random.default_rng(seed), np.arange(n) >= n//2
    X = rng.standard_normal((n, blocks*size+nulls))
    for block in range(blocks):
        factor = rng.standard_normal(n)+y
        X[:, block*size:(block+1)*size] = .95*factor[:, None]+.3*rng.standard_normal((n, size))
    return X, y.astype(int)


def wide_blocks(quick):
    "True features that are many and alike, beside nulls: false share and power of 'auto'"
    out = []
    for n, blocks, size, nulls, times in BLOCKS[:1] if quick else BLOCKS:
        rows = []
        for seed in range(2 if quick else times):
            model = quiet(GDM("auto"), *block_data(n, blocks, size, nulls, seed))
            wrong, found = model.support_ >= blocks*size, model.support_//size
            rows.append(false_by_round(model, wrong) | dict(power=len(set(found[~wrong]))/blocks))
        design = dict(n=n, blocks=blocks, size=size, nulls=nulls, data_sets=len(rows))
        out.append(design | mean_and_error(rows, (*MEASURED, "power")))
    return table(out, "wide blocks")


PRESETS = ("thesis2015", 10, dict(preset="thesis2015")), ("icml2012", 3, dict(preset="icml2012"))


def presets(quick):
    "The generators of the thesis and of the ICML paper: false share of 'auto', true groups and members found"
    out = []
    for name, times, own in PRESETS[:1] if quick else PRESETS:
        rows = []
        for seed in range(1 if quick else times):
            data = make_groups(**own, random_state=seed)
            model = quiet(GDM("auto"), data.X, data.y)
            truth = data.groups.all_members
            home = np.full(data.X.shape[1], -1)
            for number, group in enumerate(data.groups.members): home[group] = number
            hits = int(np.isin(model.groups_.all_members, truth).sum())
            rows.append(false_by_round(model, home[model.support_] < 0) | dict(
                groups_found=len(set(home[model.support_])-{-1}), true_groups=len(data.groups.members), members_found=hits,
                true_members=len(truth), wrong_members=len(model.groups_.all_members)-hits))
        names = *MEASURED, "groups_found", "true_groups", "members_found", "true_members", "wrong_members"
        out.append(dict(preset=name, data_sets=len(rows)) | mean_and_error(rows, names))
    return table(out, "small groups")


def clumped(X, y, together=.7):
    "Benjamini-Hochberg on p-values of t-tests, then clumps: the best is kept, and those that correlate with it leave"
    columns, n = as_columns(X), len(y)
    v = (y-y.mean())/y.std()
    r = np.minimum(np.abs(columns.scores(v/n)), 1-1e-12)
    p = 2*stats.t.sf(r*np.sqrt((n-2)/(1-r*r)), n-2)
    passed = np.flatnonzero(stats.false_discovery_control(p) <= LEVEL)
    left, kept = passed[np.argsort(p[passed], kind="stable")], []
    while len(left):
        kept.append(left[0])
        left = left[1:][np.abs(columns.correlations(left[0])[left[1:]]) < together]
    return np.array(kept, dtype=int)


SAMPLES = 14, 24, 100, 200, 1000


def small_samples(quick):
    "Null data of few samples and a thousand independent features: in how many does 'auto' select anything, and Benjamini-Hochberg?"
    rows = []
    methods = {"GDM('auto')": lambda X, y: quiet(GDM("auto"), X, y).support_, "BH and clumps": clumped}
    for n in SAMPLES[:2] if quick else SAMPLES:
        for name, select in methods.items():
            selected, times = 0, 3 if quick else 200 if n < 1000 else 100
            for seed in range(times):
                rng = np.random.default_rng(seed)
                y = rng.permutation(np.arange(n) % 2)
                selected += len(select(rng.standard_normal((n, 1000)), y)) > 0
            rows.append(dict(n=n, method=name, data_sets=times, with_a_support=selected/times))
    return table(rows, "few samples, 1,000 features, null data: share of the data sets in which anything is selected")


def least_samples(quick):
    "The least number of samples, two classes of equal size or nearly, at which some feature can pass in the first round"
    rows = []
    for p in (100, 1000, 10_000, 1_000_000):
        shares = LEVEL, LEVEL*alpha_spending(1)
        alone, first = (next(n for n in range(4, 1000) if max_log_e_value(n) >= np.log(p/share)) for share in shares)
        rows.append(dict(features=p, e_values=alone, e_values_first_round=first, permutations=least_for_permutations()))
    return table(rows, "the least number of samples")


def least_for_permutations():
    "Samples from which few enough orders of the labels are as good as the order itself: it alone, or with classes of equal size its mirror image too"
    as_good = lambda n: (2-n % 2)/math.comb(n, n//2)
    return next(n for n in range(4, 1000) if as_good(n) <= LEVEL*_FIRST_SHARE)


PACES = 5, 10, 20, 40
PACED = "colon_alon", "leukemia_golub", "lung_small", "chowdary", "BASEHOCK", "usps"


def paces(quick):
    "Numbers of groups of 'auto' in each round, at four values of n_per_iter"
    rows = []
    for name in list(present(PACED))[:1 if quick else None]:
        X, y, _ = load(name, classes=(0, 1) if name == "usps" and quick else None)
        for pace in PACES[:2] if quick else PACES:
            model = quiet(GDM("auto", n_per_iter=pace), X, y)
            by_round = np.bincount(model.groups_.rounds).tolist()
            rows.append(dict(data=name, n_per_iter=pace, groups=len(model.support_), by_round=by_round, stop=model.stop_reason_))
    return table(rows, "groups of 'auto' in each round")


REPLICATED = "BASEHOCK", "farm_ads", "ng20_bigram_dev"


def replicated(quick):
    "What 'auto' reports and what it drops on a random half: the same sign in the other half, and a one-sided t-test at .05 there?"
    rows = []
    for name in list(present(REPLICATED))[:1 if quick else None]:
        X, y, _ = load(name)
        a, b = next(StratifiedShuffleSplit(1, train_size=.5, test_size=.5, random_state=7).split(X, y))
        model = quiet(GDM("auto"), X[a], y[a])
        def score(half, chosen):
            v = (y[half] == y.max())-np.mean(y[half] == y.max())
            return as_columns(X[half]).scores(v/v.std())[chosen]/len(half)
        for part, chosen in dict(reported=model.support_, dropped=model.dropped_[:, 0]).items():
            r = np.sign(score(a, chosen))*score(b, chosen)
            p = stats.t.sf(r*np.sqrt((len(b)-2)/(1-r*r)), len(b)-2)
            rows.append(dict(data=name, part=part, features=len(chosen), same_sign=float(np.mean(r > 0)), significant=float(np.mean(p <= LEVEL))))
    return table(rows, "supports of one half in the other half")


def label_weights(problem, machine):
    "The machine; where it separates its samples, with the weights of the first round"
    if not _is_separated(machine, problem.settings.C): return machine
    up = machine.y > 0
    return replace(machine, alpha=.5/np.where(up, up.sum(), (~up).sum()))


AFTER = {"GDM, hinge": lambda problem, machine: machine, "GDM, label": label_weights}    # instead of the logistic loss


@contextlib.contextmanager
def weights_after_separation(method):
    "The weights of other rules after separation; GDM's own for any other method"
    own = fsnb.gdm.rounds._with_logistic_weights
    fsnb.gdm.rounds._with_logistic_weights = AFTER.get(method, own)
    try: yield
    finally: fsnb.gdm.rounds._with_logistic_weights = own


def supports_of(method, X, y, k):
    "k features of a method"
    with weights_after_separation(method):
        made = GDM(k, tau=TAUS.get(method, .3)) if method.startswith("GDM") else dict(L1SVM=L1SVM, MRMR=MRMR)[method](k)
        return quiet(made, X, y).support_


def found_again(first, second, X, together=.7):
    "Share of the clusters of either half that correlate with one of the other half, and their mean number: supports of one half that correlate count once"
    cols = X[:, np.r_[first, second]]
    Z = cols.toarray() if sp.issparse(cols) else cols
    Z = (Z-Z.mean(0))/np.where(Z.std(0) > 0, Z.std(0), 1)
    r = np.abs(Z.T@Z)/len(Z) >= together
    def clusters(left):
        out = []
        while left:
            head, *others = left
            out.append([head]+[j for j in others if r[head, j]])
            left = [j for j in others if not r[head, j]]
        return out
    one, two = clusters(range(len(first))), clusters(range(len(first), len(r)))
    between = np.array([[r[np.ix_(a, b)].any() for b in two] for a in one])
    return .5*(between.any(1).mean()+between.any(0).mean()), .5*(len(one)+len(two))


def shown(rows, title):
    "Print the means; returns the rows"
    table([{name: value for name, value in row.items() if name != "runs"} for row in rows], title)
    return rows


def halves_row(**runs):
    "Means over the splits, and each of them, so that methods can be compared split by split"
    return {name: float(np.mean(own)) for name, own in runs.items()} | dict(runs={name: list(map(float, own)) for name, own in runs.items()})


def accuracy_of(chosen, X, y, X_test, y_test):
    "Of the same linear classifier on the features of any method"
    few = lambda A: A[:, chosen].toarray() if sp.issparse(A) else A[:, chosen]
    model = make_pipeline(StandardScaler(), LinearSVC(random_state=0, max_iter=5000))
    return quiet(model, few(X), y).score(few(X_test), y_test)


HALVED = "colon_alon", "leukemia_golub", "chowdary", "lymphoma", "lung_small", "TOX_171", "warpPIE10P", "BASEHOCK"
TAUS = {"GDM, tau=.1": .1}
WAYS = "GDM", *AFTER, *TAUS, "L1SVM", "MRMR"


def halves(quick):
    "Ten supports from each half of the samples: how many are found again, and the accuracy on the other half"
    rows = []
    for name in list(present(HALVED))[:1 if quick else None]:
        X, y, _ = load(name)
        common = np.flatnonzero(np.isin(y, [c for c in np.unique(y) if (y == c).sum() >= 4]))
        X, y = X[common], y[common]
        splits = list(StratifiedShuffleSplit(1 if quick else 6, train_size=.5, test_size=.5, random_state=7).split(X, y))
        for method in WAYS:
            again, clusters, accuracy = [], [], []
            for a, b in splits:
                one, two = (supports_of(method, X[half], y[half], 10) for half in (a, b))
                for own, value in zip((again, clusters), found_again(one, two, X)): own.append(value)
                accuracy.append(.5*(accuracy_of(one, X[a], y[a], X[b], y[b])+accuracy_of(two, X[b], y[b], X[a], y[a])))
            rows.append(dict(data=name, method=method) | halves_row(found_again=again, clusters=clusters, accuracy=accuracy))
    return shown(rows, "ten supports over halves of the samples")


GENERATED = (60, (3,)*10), (100, (5,)*10)


def generated_halves(quick):
    "The same on the generator, whose truth is known: other seeds than those that anything was chosen on"
    rows = []
    for n, sizes in GENERATED[:1] if quick else GENERATED:
        for method in WAYS:
            again, clusters, accuracy, true = [], [], [], []
            for seed in range(100, 101 if quick else 120):
                data = make_groups(2*n, 2000, sizes, random_state=seed, label_noise=.1, n_test=1000)
                X, y = data.X, data.y
                chosen = [supports_of(method, X[half], y[half], 10) for half in (slice(0, n), slice(n, None))]
                for own, value in zip((again, clusters), found_again(*chosen, X)): own.append(value)
                tests = [accuracy_of(own, X[half], y[half], data.X_test, data.y_test)
                         for own, half in zip(chosen, (slice(0, n), slice(n, None)))]
                accuracy.append(np.mean(tests))
                true.append(np.mean([np.isin(own, data.groups.all_members).mean() for own in chosen]))
            rows.append(dict(n=n, size=sizes[0]+1, method=method) | halves_row(found_again=again, clusters=clusters, accuracy=accuracy, true=true))
    return shown(rows, "generated data: ten supports over halves of the samples")


PARTS = dict(null=nothing, planted=planted, agreement=fixed_agreement, text=real_text, blocks=wide_blocks, presets=presets, samples=small_samples,
             least=least_samples, paces=paces, replicated=replicated, halves=halves, generated=generated_halves)


def run(quick=False, only=None):
    return {name: PARTS[name](quick) for name in only or PARTS}
