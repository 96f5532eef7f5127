"""Thesis 2015, chapter 5: tau and the bins (Figures 5.1, 5.2), folds inside (5.4), one class (Table 5.1), digits are ICML's
Figure 6, faces (Table 5.2, Figure 5.6), topics of the BBC news (Figures 5.7, 5.8). Stand-ins as in `discovery`.

"""
import itertools
import warnings

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_sample_image
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from sklearn.svm import LinearSVC, OneClassSVM

from fsnb import GDM, GDMCV, FilterBruteForce, OneClassGDM
from fsnb.correlation import SymmetricalUncertainty
from fsnb.groups.metrics import stability
from fsnb.spectral.jelsr import spectral_embedded_clustering

from .common import average, table
from .datasets import available, extras, load
from .discovery import STANDS_FOR, at_hand, genotypes, stand_in
from .paperkit import Task, accuracy, cpu, fit_answer, run_parts, signed
from .variants import Cosine

KS = 10, 30, 50, 70, 90
TAUS = 0, .1, .2, .3, .4, .5
BINS = 2, 5, 10, 20, 100                       # 50, 20, 10, 5 and 1 % of the range


# ---- Figures 5.1 and 5.2 -------------------------------------------------------------------------

def sweep(task, varies, values, settings, ks):
    "Accuracy of an SVM on the supports for each value and k"
    for value, k in itertools.product(values, ks):
        seconds, answer = fit_answer(GDM.thesis2015(k, n_per_iter=k//10, **settings(value)), task)
        yield dict(data=task.name, varies=varies, value=value, k=k, accuracy=accuracy(task, answer.support[:k]),
                   members=len(answer.members), seconds=seconds)


def with_tau(**given): return lambda tau: dict(given, tau=tau or None)


def with_bins(bins): return dict(tau=.4, correlation=SymmetricalUncertainty(bins, "width"))


def sensitivity(name, seed, quick):
    "All values of tau and of the bins on one split of a set"
    task, ks = stand_in(name, seed, quick), KS[:1] if quick else KS
    su = SymmetricalUncertainty(10, "width")
    return [dict(row, seed=seed) for varies, values, settings in (("tau, PCC", TAUS, with_tau()), ("tau, SU", TAUS, with_tau(correlation=su)),
                                                                  ("bins", BINS, with_bins))
            for row in sweep(task, varies, values, settings, ks)]


# ---- Figure 5.4 ----------------------------------------------------------------------------------

FOLDS = {"GDM": lambda k: GDM.thesis2015(k, n_per_iter=max(1, k//10)),
         "ECV (Algorithm 5)": lambda k: GDMCV.thesis2015(k, n_per_iter=max(1, k//10), cv=5),
         "GDM, package defaults": GDM, "GDMCV, package defaults": GDMCV, "ten-line filter": FilterBruteForce}


def folds(split, quick):
    "One split of a genotype study: accuracy, time, and which supports"
    drawn = genotypes(0, quick)
    X, y = drawn.X.astype(np.float32), signed(drawn.y)
    train, test = list(StratifiedShuffleSplit(split+1, test_size=.2, random_state=0).split(X, y))[split]
    task, rows = Task("generated genotypes", X[train], y[train], X[test], y[test]), []
    for (name, make), k in itertools.product(FOLDS.items(), (10, 50) if quick else (10, 20, 50, 100)):
        seconds, answer = fit_answer(make(k), task)
        rows.append(dict(method=name, k=k, p=task.p, accuracy=accuracy(task, answer.support), seconds=seconds, support=answer.support.tolist()))
    return rows


def over_splits(rows):
    "Means, how stable the supports are, time in fits of GDM"
    out = average([{key: value for key, value in row.items() if key not in ("support", "p")} for row in rows], ("method", "k"), spread=("accuracy",))
    base = {row["k"]: row["seconds"] for row in out if row["method"] == "GDM"}
    for row in out:
        chosen = [one["support"] for one in rows if (one["method"], one["k"]) == (row["method"], row["k"])]
        row.update(stability=stability(chosen, rows[0]["p"], kind="nogueira") if len(chosen) > 1 else None,
                   times_gdm=row["seconds"]/base[row["k"]])
    return table(out, "thesis, Figure 5.4")


# ---- Table 5.1 -----------------------------------------------------------------------------------

def one_class(quick, full):
    "Fit on the positive samples of the training set, judged on the test set of both classes; the best setting there, as printed"
    rows = []
    for name in at_hand():
        task = stand_in(name, 0, quick)
        normal = np.flatnonzero(task.a > 0)
        A = task.A.tocsr()[normal] if sp.issparse(task.A) else task.A[normal]
        def judged(model): return float(np.mean(model.predict(task.B) == task.b))
        base = dict(data=name, stands_for=STANDS_FOR[name], all_positive=float(np.mean(task.b > 0)))
        for method, models in one_class_models(quick).items():
            found = []
            cpu(lambda: models[0][1].fit(A[:100]))           # compiles, and is not counted
            for setting, model in models:
                seconds, fitted = cpu(lambda: model.fit(A))
                found.append(dict(base, method=method, setting=setting, accuracy=judged(fitted), seconds=seconds))
            rows.append(max(found, key=lambda row: row["accuracy"]))
    return table(rows, "thesis, Table 5.1")


def one_class_models(quick):
    nus = (.2, .8) if quick else (.2, .4, .6, .8)
    sizes = (20,) if quick else (20, 60, 100)
    def gdm(k, size): return OneClassGDM(k, n_per_iter=size, contamination="auto", C=1, fit_on="supports", chance=None, tol=1e-4)
    return {"OCSVM": [(f"nu={nu}", OneClassSVM(kernel="linear", nu=nu)) for nu in nus],
            "GDM-OC": [(f"{k} features, {size} a round", gdm(k, size)) for k in sizes for size in (2, 5, 10)],
            "OneClassGDM, package defaults": [("100 supports", OneClassGDM(100))],
            "class mean, a tenth left out": [("", ClassMean())]}


class ClassMean(Cosine):
    "Below the lowest tenth of the training samples is strange"
    def fit(self, X):
        self.least = np.percentile(super().fit(X).score_samples(X), 10)
        return self

    def predict(self, X): return np.where(self.score_samples(X) < self.least, -1, 1)


# ---- Table 5.2 and Figure 5.6 --------------------------------------------------------------------

def patches(n, side=32):
    "Grey patches of the two photographs that scikit-learn ships: what is no face"
    rng = np.random.default_rng(0)
    pictures = [load_sample_image(name).mean(2) for name in ("flower.jpg", "china.jpg")]
    out = []
    for i in range(n):
        picture = pictures[i % 2]
        a, b = (rng.integers(0, size-2*side) for size in picture.shape)
        out.append(picture[a:a+2*side:2, b:b+2*side:2].ravel())
    return np.array(out)


def embedded(X, k, seed):
    "Spectral embedded clustering (SEC), which the thesis takes"
    return spectral_embedded_clustering(X, k, random_state=seed)


CLUSTERINGS = {"SEC": embedded, "k-means": lambda X, k, seed: KMeans(k, n_init=10, random_state=seed).fit(X).labels_}


def clustering(X, y, seed, method):
    "Accuracy with the clusters matched to the persons, mutual information, CPU time"
    persons, codes = np.unique(y, return_inverse=True)
    seconds, labels = cpu(lambda: CLUSTERINGS[method](X, len(persons), seed))
    counts = np.zeros((len(persons),)*2)
    np.add.at(counts, (codes, labels), 1)
    rows, columns = linear_sum_assignment(-counts)
    return dict(method=method, accuracy=float(counts[rows, columns].sum()/len(y)), mutual=float(normalized_mutual_info_score(y, labels)), seconds=seconds)


def face_groups(X, quick):
    "Pixels of faces against patches, at several sizes and tolerances: (setting, model)"
    both, label = np.vstack([X, patches(len(X))]), np.r_[np.ones(len(X)), -np.ones(len(X))]
    for k, tau in itertools.product((20,) if quick else (5, 10, 20), (.1,) if quick else (.05, .1, .2)):
        with warnings.catch_warnings(action="ignore"):
            yield f"{k} supports, tau={tau:g}", GDM(k, tau=tau).fit(both, label)


def faces(quick, full):
    """Pixels that tell faces from patches; then the persons are clustered on them

    The thesis says no setting, but that the time falls to .27: of those with at most a third of the pixels in groups, the best
    is kept, by the accuracy of SEC's clusters.
    """
    if "ORL" not in available(): return {}
    X, y, _ = load("ORL")
    seeds = range(2 if quick else 5)
    X = X.astype(float)
    every, rng, rows = np.arange(X.shape[1]), np.random.default_rng(0), []
    def judge(name, pixels, method, seed):
        return dict(features=name, pixels=len(pixels), **clustering(X[:, pixels], y, seed, method))
    def runs(name, pixels, method="SEC"): return [judge(name, pixels, method, seed) for seed in seeds]
    def by_chance(size, method="SEC"):
        return [judge("as many pixels by chance", rng.permutation(every)[:size], method, seed) for seed in seeds]
    def mean_accuracy(own): return float(np.mean([row["accuracy"] for row in own]))
    found = []
    for setting, model in face_groups(X, quick):
        pixels = model.groups_.all_members
        found.append((dict(setting=setting, pixels=len(pixels), groups=mean_accuracy(runs("", pixels)),
                           chance=mean_accuracy(by_chance(len(pixels)))), model))
    best, model = max((one for one in found if one[0]["pixels"] <= len(every)/3), key=lambda one: one[0]["groups"])
    pixels = model.groups_.all_members
    for method in CLUSTERINGS:
        rows += runs("all pixels", every, method)+runs("support-affiliated groups", pixels, method)+by_chance(len(pixels), method)
    return dict(rows=table(average(rows, ("method", "features"), spread=("accuracy", "mutual")), "thesis, Table 5.2"), setting=best["setting"],
                supports=model.support_.tolist(), members=pixels.tolist(), mean_face=X.mean(0).round(1).tolist(),
                every_setting=[row for row, _ in found])


# ---- Figures 5.7 and 5.8 -------------------------------------------------------------------------

def topics(quick, full, k=20):
    "One machine a pair of topics, its groups of several words, and the topic that each speaks for"
    if "bbc" not in available(): return {}
    X, y, names = load("bbc")
    titles, rows = np.asarray(extras("bbc")["class_names"]).astype(str), X.tocsr()
    groups = []
    for a, b in list(itertools.combinations(range(len(titles)), 2))[:2 if quick else None]:
        own = np.isin(y, (a, b))
        with warnings.catch_warnings(action="ignore"):
            model = GDM(k, tau=.5, C=1e-3).fit(rows[own].tocsc(), np.where(y[own] == b, 1, -1))
        for members in model.groups_.members:
            topic = titles[b] if model.scores_[members[0]] > 0 else titles[a]
            groups.append(dict(pair=f"{titles[a]} vs. {titles[b]}", topic=str(topic), words=[str(names[j]) for j in members]))
    alone = {str(title): float(np.mean(cross_val_score(LinearSVC(C=.01, random_state=0), rows, y == label, cv=3, scoring="balanced_accuracy")))
             for label, title in enumerate(titles)}
    return dict(groups=groups, one_against_rest=alone, documents=int(len(y)), words=int(X.shape[1]),
                sizes={str(title): int((y == label).sum()) for label, title in enumerate(titles)})


ALONE = dict(one_class=one_class, faces=faces, topics=topics)        # parts that are the same at both sizes

def plan(quick, full):
    "(part, seed or split) of all parts"
    yield from ((name, 0) for name in ALONE)
    yield from (("folds", split) for split in range(2 if quick else 20 if full else 8))
    for seed in range(1 if quick else 5 if full else 2):
        yield from ((f"sensitivity {name}", seed) for name in ("generated text", "ng20_bigram_dev") if name in at_hand())


def measured(part, seed, quick, full):
    "What one part of the plan says"
    if part in ALONE: return dict(found=ALONE[part](quick, full))
    return dict(rows=folds(seed, quick) if part == "folds" else sensitivity(part.removeprefix("sensitivity "), seed, quick))


def summary(parts, size):
    "Means over the seeds and splits that are there"
    rows = [row for name in ("generated text", "ng20_bigram_dev") for row in parts.rows(f"sensitivity {name}")]
    return dict(size=size, sensitivity=table(average(rows, ("data", "varies", "value", "k")), "thesis, Figures 5.1 and 5.2"),
                folds=over_splits(parts.rows("folds")), **{name: parts.of(name)[0]["found"] for name in ALONE}, cpu_minutes=parts.minutes())


def run(quick=False, full=False): return run_parts("learning", plan, measured, summary, quick, full)
