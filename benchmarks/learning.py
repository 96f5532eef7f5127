"""Thesis 2015, chapter 5: tau and the bins (Figures 5.1, 5.2), folds inside (5.4), one class (Table 5.1), digits are ICML's
Figure 6, faces (Table 5.2, Figure 5.6), topics of the BBC news (Figures 5.7, 5.8). Stand-ins as in `discovery`.
"""
import itertools

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_sample_image
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from sklearn.svm import LinearSVC, OneClassSVM

from fsnb import GDM, GDMCV, FilterBruteForce, OneClassGDM
from fsnb.correlation import SymmetricalUncertainty
from fsnb.groups.metrics import stability
from fsnb.spectral.jelsr import spectral_embedded_clustering

from .common import average, cpu, quiet, table
from .datasets import available, extras, load, signed
from .discovery import STANDS_FOR, at_hand, genotypes, stand_in, thesis
from .paperkit import Task, accuracy, count_matched, fit_answer
from .variants import Cosine

# ---- Figures 5.1 and 5.2

KS, TAUS = (10, 30, 50, 70, 90), (0, .1, .2, .3, .4, .5)
BINS = 2, 5, 10, 20, 100                       # 50, 20, 10, 5 and 1 % of the range
BY_WIDTH = SymmetricalUncertainty(10, "width")
SWEEPS = {"tau, PCC": {tau: dict(tau=tau or None) for tau in TAUS},
          "tau, SU": {tau: dict(tau=tau or None, correlation=BY_WIDTH) for tau in TAUS},
          "bins": {bins: dict(tau=.4, correlation=SymmetricalUncertainty(bins, "width")) for bins in BINS}}

def sensitivity(quick):
    "Accuracy of an SVM on the supports for each tau and number of bins, means over the splits"
    rows = []
    for name in [name for name in ("generated text", "ng20_bigram_dev") if name in at_hand()]:
        for seed in range(1 if quick else 5):
            task = stand_in(name, seed, quick)
            for (varies, settings), k in itertools.product(SWEEPS.items(), KS[:1] if quick else KS):
                for value, given in settings.items():
                    answer = fit_answer(thesis(k, **given), task)[1]
                    rows.append(dict(data=name, varies=varies, value=value, k=k, accuracy=accuracy(task, answer.support[:k])))
    return table(average(rows, ("data", "varies", "value", "k")), "thesis, Figures 5.1 and 5.2")

# ---- Figure 5.4

FOLDS = {"GDM": thesis, "ECV (Algorithm 5)": lambda k: GDMCV.thesis2015(k, n_per_iter=max(1, k//10), cv=5),
         "GDM, package defaults": GDM, "GDMCV, package defaults": GDMCV, "ten-line filter": FilterBruteForce}

def folds(quick):
    "Accuracy, how stable the supports are, and time in fits of GDM, over splits of a genotype study"
    drawn = genotypes(0, quick)
    X, y, rows = drawn.X.astype(np.float32), signed(drawn.y), []
    splits = StratifiedShuffleSplit(2 if quick else 20, test_size=.2, random_state=0)
    for train, test in splits.split(X, y):
        task = Task("generated genotypes", X[train], y[train], X[test], y[test])
        for (name, make), k in itertools.product(FOLDS.items(), (10, 50) if quick else (10, 20, 50, 100)):
            seconds, answer = fit_answer(make(k), task)
            rows.append(dict(method=name, k=k, accuracy=accuracy(task, answer.support), seconds=seconds, support=answer.support.tolist()))
    def steady(own): return dict(stability=stability([row["support"] for row in own], X.shape[1], kind="nogueira"))
    out = average(rows, ("method", "k"), spread=("accuracy",), also=steady)
    base = {row["k"]: row["seconds"] for row in out if row["method"] == "GDM"}
    return table([row | dict(times_gdm=row["seconds"]/base[row["k"]]) for row in out], "thesis, Figure 5.4")

# ---- Table 5.1

class ClassMean(Cosine):
    "Below the lowest tenth of the training samples is strange"
    def fit(self, X):
        self.least = np.percentile(super().fit(X).score_samples(X), 10)
        return self

    def predict(self, X): return np.where(self.score_samples(X) < self.least, -1, 1)

def one_class_models(quick):
    "Method: (setting, model)"
    def gdm(k, size): return OneClassGDM(k, n_per_iter=size, contamination="auto", C=1, fit_on="supports", chance=None, tol=1e-4)
    nus, sizes = ((.2, .8), (20,)) if quick else ((.2, .4, .6, .8), (20, 60, 100))
    return {"OCSVM": [(f"nu={nu}", OneClassSVM(kernel="linear", nu=nu)) for nu in nus],
            "GDM-OC": [(f"{k} features, {size} a round", gdm(k, size)) for k in sizes for size in (2, 5, 10)],
            "OneClassGDM, package defaults": [("100 supports", OneClassGDM(100))],
            "class mean, a tenth left out": [("", ClassMean())]}

def one_class(quick):
    "Fit on the positive samples of the training set, judged on the test set of both classes; the best setting there, as printed"
    rows = []
    for name in at_hand():
        task = stand_in(name, 0, quick)
        normal = np.flatnonzero(task.a > 0)
        A = task.A.tocsr()[normal] if sp.issparse(task.A) else task.A[normal]
        for method, models in one_class_models(quick).items():
            found = []
            quiet(lambda: models[0][1].fit(A[:100]))         # compiles, and is not counted
            for setting, model in models:
                seconds, fitted = cpu(lambda: model.fit(A))
                found.append(dict(data=name, stands_for=STANDS_FOR[name], all_positive=float(np.mean(task.b > 0)), method=method, setting=setting,
                                  accuracy=float(np.mean(fitted.predict(task.B) == task.b)), seconds=seconds))
            rows.append(max(found, key=lambda row: row["accuracy"]))
    return table(rows, "thesis, Table 5.1")

# ---- Table 5.2 and Figure 5.6

def patches(n, side=32):
    "Grey patches of the two photographs that scikit-learn ships: what is no face"
    rng, out = np.random.default_rng(0), []
    pictures = [load_sample_image(name).mean(2) for name in ("flower.jpg", "china.jpg")]
    for i in range(n):
        picture = pictures[i % 2]
        a, b = (rng.integers(0, size-2*side) for size in picture.shape)
        out.append(picture[a:a+2*side:2, b:b+2*side:2].ravel())
    return np.array(out)

# spectral embedded clustering (SEC), which the thesis takes
CLUSTERINGS = {"SEC": lambda X, k, seed: spectral_embedded_clustering(X, k, random_state=seed),
               "k-means": lambda X, k, seed: KMeans(k, n_init=10, random_state=seed).fit(X).labels_}

def faces(quick):
    """Pixels that tell faces from patches; then the persons are clustered on them

    The thesis says no setting, but that the time falls to .27: of those with at most a third of the pixels in groups, the best
    is kept, by the accuracy of SEC's clusters.
    """
    if "ORL" not in available(): return {}
    X, y, _ = load("ORL")
    X, persons = X.astype(float), np.unique(y, return_inverse=True)[1]
    every, rng, seeds = np.arange(X.shape[1]), np.random.default_rng(0), range(2 if quick else 5)
    def cluster(name, pixels, method, seed):
        seconds, labels = cpu(lambda: CLUSTERINGS[method](X[:, pixels], persons.max()+1, seed))
        return dict(method=method, features=name, pixels=len(pixels), accuracy=count_matched(labels, persons)/len(y),
                    mutual=float(normalized_mutual_info_score(y, labels)), seconds=seconds)
    def runs(name, pixels, method): return [cluster(name, pixels, method, seed) for seed in seeds]
    def by_chance(size, method): return [cluster("as many pixels by chance", rng.permutation(every)[:size], method, seed) for seed in seeds]
    def mean_accuracy(own): return float(np.mean([row["accuracy"] for row in own]))
    both, label, settings, models = np.vstack([X, patches(len(X))]), np.r_[np.ones(len(X)), -np.ones(len(X))], [], {}
    for k, tau in itertools.product((5,) if quick else (5, 10, 20), (.05,) if quick else (.05, .1, .2)):
        model = quiet(lambda: GDM(k, tau=tau).fit(both, label))
        pixels, name = model.groups_.all_members, f"{k} supports, tau={tau:g}"
        models[name] = model
        settings.append(dict(setting=name, pixels=len(pixels), groups=mean_accuracy(runs("", pixels, "SEC")),
                             chance=mean_accuracy(by_chance(len(pixels), "SEC"))))
    best = max((one for one in settings if one["pixels"] <= len(every)/3), key=lambda one: one["groups"])["setting"]
    pixels, rows = models[best].groups_.all_members, []
    for method in CLUSTERINGS:
        rows += runs("all pixels", every, method)+runs("support-affiliated groups", pixels, method)+by_chance(len(pixels), method)
    return dict(rows=table(average(rows, ("method", "features"), spread=("accuracy", "mutual")), "thesis, Table 5.2"), setting=best,
                supports=models[best].support_.tolist(), members=pixels.tolist(), mean_face=X.mean(0).round(1).tolist(), every_setting=settings)

# ---- Figures 5.7 and 5.8

def topics(quick, k=20):
    "One machine a pair of topics, its groups of several words, and the topic that each speaks for"
    if "bbc" not in available(): return {}
    X, y, names = load("bbc")
    titles, rows, groups = np.asarray(extras("bbc")["class_names"]).astype(str), X.tocsr(), []
    for a, b in list(itertools.combinations(range(len(titles)), 2))[:2 if quick else None]:
        own = np.isin(y, (a, b))
        model = quiet(lambda: GDM(k, tau=.5, C=1e-3).fit(rows[own].tocsc(), np.where(y[own] == b, 1, -1)))
        for members in model.groups_.members:
            topic = titles[b] if model.scores_[members[0]] > 0 else titles[a]
            groups.append(dict(pair=f"{titles[a]} vs. {titles[b]}", topic=str(topic), words=[str(names[j]) for j in members]))
    def balanced(label): return float(np.mean(cross_val_score(LinearSVC(C=.01, random_state=0), rows, y == label, cv=3, scoring="balanced_accuracy")))
    return dict(groups=groups, one_against_rest={str(title): balanced(label) for label, title in enumerate(titles)}, documents=len(y),
                words=X.shape[1], sizes={str(title): int((y == label).sum()) for label, title in enumerate(titles)})

def run(quick=False):
    return dict(sensitivity=sensitivity(quick), folds=folds(quick), one_class=one_class(quick), faces=faces(quick), topics=topics(quick))
