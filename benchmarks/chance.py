"What chance explains: news20's shape with GDM told the number of supports, by itself and without chance, beside an L1-SVM; real text; null data."
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from fsnb import GDM, make_groups

from .common import clock, l1_svm, table
from .realdata import available, load

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
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")                     # many columns have no entry
                seconds, model = clock(lambda: GDM(**own).fit(data.X, data.y), 1)
            found = judge(model.groups_.all_members, data, model.score(data.X_test, data.y_test), seconds)
            right = np.isin(model.support_, data.groups.all_members)
            rows.setdefault(name, []).append(dict(supports=len(right), supports_true=int(right.sum()), **found))
        if C is None: _, C = l1_svm(data.X, data.y, k, slack=k//20, low=1e-3, high=10, steps=8)
        seconds, model = clock(lambda: LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(data.X, data.y), 1)
        chosen = np.flatnonzero(model.coef_[0])
        found = judge(chosen, data, model.score(data.X_test, data.y_test), seconds)
        rows.setdefault("L1-SVM, one fit", []).append(dict(supports=len(chosen), supports_true=found["true"], **found))
    means = [dict(method=name, **{key: float(np.mean([r[key] for r in own])) for key in own[0]}) for name, own in rows.items()]
    table(means, f"{size[0]} x {size[1]}, means over {len(rows['GDM'])} seeds")
    return dict(means=means, runs=rows)


def real_text(quick):
    "Accuracy and members at 40 and 150 supports, three splits each"
    rows = []
    for name, classes in TEXT:
        if name not in available():
            print(f"{name}: not in FSNB_DATA, left out")
            continue
        X, y, _ = load(name, classes=classes)
        X = sp.csr_matrix(X)
        splits = list(StratifiedShuffleSplit(1 if quick else 3, test_size=.3, random_state=0).split(X, y))
        for k in (40,) if quick else (40, 150):
            row = dict(data=f"{name} {classes or ''}".strip(), supports=k)
            for method, own in METHODS.items():
                runs = []
                for train, test in splits:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")             # columns that are constant in one half
                        seconds, model = clock(lambda: GDM(k, **own).fit(X[train].tocsc(), y[train]), 1)
                    runs.append((model.score(X[test], y[test]), len(model.groups_.all_members), seconds))
                accuracy, members, seconds = np.mean(runs, axis=0)
                short = method.replace("GDM, ", "")
                row |= {f"{short}: accuracy": accuracy, f"{short}: members": members, f"{short}: seconds": seconds}
            rows.append(row)
    return table(rows, "real text") if rows else []


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
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                selected = len(GDM("auto").fit(X, y).support_)
            found += selected > 0
            features += selected
        rows.append(dict(data=kind, data_sets=times, with_a_support=found/times, supports=features/times))
    return table(rows, "null data, chance=.05: share of the data sets in which 'auto' selects anything")


def run(quick=False):
    return dict(null=nothing(quick), planted=planted(quick), text=real_text(quick))
