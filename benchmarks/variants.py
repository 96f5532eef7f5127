"""Variants of GDM on real data named by FSNB_DATA: several classes, few samples, one class, and how much tau and the bins matter.

classes      accuracy at 1 to 5 % of the features beside a linear SVM on all of them, its C by three folds; the groups of five topics of news.
folds        stability over 20 resamples: GDMCV beside GDM, its own parts, and two simple baselines. `own`, `svm`: accuracy on the held-out fifth.
oneclass     OneClassGDM beside scikit-learn's OneClassSVM, SGDOneClassSVM and the cosine to the class mean; `accuracy` where a tenth of the
             training class is left out; time on 10,000 x 100,000 text.
sensitivity  thesis, section 5.1: accuracy of an SVM on the supports, and members, over tau and over the bins.
"""
import json
import numpy as np, scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import SGDOneClassSVM
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import normalize
from sklearn.svm import OneClassSVM
from fsnb import GDM, GDMCV, FilterBruteForce, OneClassGDM
from fsnb.correlation import SymmetricalUncertainty
from fsnb.correlation.target import correlation_with
from fsnb.data.checks import top
from fsnb.gdm import gdm_cv
from fsnb.groups.metrics import stability
from .common import average, clock, linear_svm, replaced, splits_of
from .datasets import available, extras, load, present


def svm_accuracy(A, a, B, b, columns, C=.01):
    "Of a linear SVM on some columns"
    return linear_svm(A, C=C, max_iter=3000).fit(A[:, columns], a).score(B[:, columns], b)

# ---- classes

CLASSES = ("bbc", dict(C=1e-3)), ("pixraw10P", dict(C=1e-2, tau=.1)), ("ORL", dict(tau=.1))

def tuned_accuracy(A, a, B, b, columns=slice(None)):
    search = GridSearchCV(linear_svm(A, max_iter=3000), {"linearsvc__C": [1e-4, 1e-3, 1e-2, .1, 1]}, cv=3)
    return search.fit(A[:, columns], a).score(B[:, columns], b)

def run_classes(quick=False):
    rows = []
    for name, settings in present(CLASSES):
        X, y, _ = load(name)
        for A, a, B, b in splits_of(X, y, 1 if quick else 5):
            whole = tuned_accuracy(A, a, B, b)
            for share in (.05,) if quick else (.01, .025, .05):
                k = int(share*X.shape[1])
                seconds, g = clock(lambda: GDM(k, **settings).fit(A, a), 1)
                best = SelectKBest(f_classif, k=k).fit(A, a).get_support(indices=True)
                rows.append(dict(data=name, settings=str(settings), n=len(a), p=X.shape[1], classes=len(g.classes_), k=k, share=share,
                                 all_features=whole, supports=tuned_accuracy(A, a, B, b, g.support_), f_test=tuned_accuracy(A, a, B, b, best),
                                 own=g.score(B, b), members=len(g.groups_.all_members), seconds=seconds))
    means = average(rows, ("data", "settings", "n", "p", "classes", "k", "share"))
    if quick or "bbc" not in available(): return dict(rows=means, topics=None)
    X, y, names = load("bbc")              # groups of words of five topics of news, as `FeatureGroups` writes them
    titles = np.asarray(extras("bbc")["class_names"]).astype(str)
    groups = GDM(60, C=1e-3, tau=.5).fit(X, titles[y.astype(int)]).groups_
    groups.names = [[str(names[j]) for j in members] for members in groups.members]
    return dict(rows=means, topics=json.loads(groups.to_json()))

# ---- folds

GENES = "colon_alon", "leukemia_golub", "colon_disc", "chowdary"        # the first two were used to choose the settings

class Top:
    "The k highest |correlations| with the label, no groups"
    def __init__(self, k): self.k = k
    def fit(self, X, y):
        self.support_ = top(correlation_with(X, y)[0], self.k)
        return self

USUAL = dict(_UNIFORM=gdm_cv._UNIFORM, _NEAR_BEST=gdm_cv._NEAR_BEST)
FOLDS = {              # a function of k, and other constants while it fits, for the ablation
    "top scores, no groups": (Top, {}), "GDM": (GDM, {}), "GDM, C=.01": (lambda k: GDM(k, C=.01), {}), "GDMCV": (GDMCV, {}),
    "GDMCV, consensus='votes'": (lambda k: GDMCV(k, consensus="votes"), {}), "GDMCV.thesis2015, parts vote": (GDMCV.thesis2015, {}),
    "GDMCV without the canonical support": (GDMCV, dict(_UNIFORM=.5, _NEAR_BEST=1.)),
    "GDMCV without uniform weights in the mix": (GDMCV, dict(_UNIFORM=0., _NEAR_BEST=.85)),
    "folds alone, without both": (GDMCV, dict(_UNIFORM=0., _NEAR_BEST=1.)), "filter brute force": (FilterBruteForce, {})}

def run_folds(quick=False):
    rows = []
    for name in list(present(GENES))[:1 if quick else None]:
        X, y, _ = load(name)
        for k in (10, 20):
            base = None
            for method, (make, constants) in FOLDS.items():
                runs, selected = [], []
                for A, a, B, b in splits_of(X, y, 4 if quick else 20, .2):
                    with replaced(gdm_cv, **USUAL | constants): seconds, g = clock(lambda: make(k).fit(A, a), 1)
                    selected.append(g.support_)
                    runs.append((svm_accuracy(A, a, B, b, g.support_), seconds))
                accuracy, seconds = np.array(runs).T
                row = dict(data=name, k=k, method=method, stability=stability(selected, X.shape[1], kind="nogueira"), svm=float(accuracy.mean()),
                           seconds=float(np.median(seconds)))
                if method == "GDM": base = row
                if base: row |= dict(gain=row["stability"]-base["stability"], times_gdm=row["seconds"]/base["seconds"])
                rows.append(row)
    return dict(rows=rows)

# ---- one class

ONE_CLASS = (("farm_ads", 1), ("BASEHOCK", 1), ("BASEHOCK", 2), ("bbc", 0), ("bbc", 3), ("ng20_bigram_dev", 1), ("usps", 0), ("usps", 3), ("mnist_3v8", 8))

class Cosine:
    "The inner product with the mean of the class; below the lowest tenth of the training samples is strange"
    def fit(self, X):
        self.mean = np.asarray(X.mean(0)).ravel()
        self.least = np.percentile(self.score_samples(X), 10)
        return self
    def predict(self, X): return np.where(self.score_samples(X) < self.least, -1, 1)
    def score_samples(self, X): return np.asarray(X@self.mean).ravel()

def run_oneclass(quick=False):
    "Of several models of one name the one that does best on the test set stands in the table, as the thesis has it"
    nus, more = ((.2, .8), (.2, .8)) if quick else ((.2, .4, .6, .8), (.1, .2, .4, .5, .6, .8))
    few, many, svm = OneClassGDM(10), OneClassGDM(100), OneClassSVM(kernel="linear", nu=.5)
    detectors = {"OneClassGDM, 10 supports": [few], "OneClassGDM, 100 supports": [many],
                 "OneClassGDM, 100, scale='rms'": [OneClassGDM(100, scale="rms")],
                 "OneClassSVM, linear (best nu)": [OneClassSVM(kernel="linear", nu=nu) for nu in nus],
                 "SGDOneClassSVM (best nu)": [SGDOneClassSVM(nu=nu, random_state=0) for nu in more], "cosine to the class mean": [Cosine()]}
    rows = []
    for name, label in present(ONE_CLASS[1:2] if quick else ONE_CLASS):
        X, y, _ = load(name)
        X, r = sp.csr_matrix(X), np.random.default_rng(0)
        ours, others = (r.permutation(np.flatnonzero(q)) for q in (y == label, y != label))
        train, test = ours[:min(len(ours)//2, 1500)], ours[len(ours)//2:][:1500]
        others = others[:len(test)]
        if name in ("usps", "mnist_3v8"): scale = normalize
        else: scale = TfidfTransformer().fit(X[train]).transform
        A, B = scale(X[train]), scale(X[np.r_[test, others]])
        truth = np.r_[np.ones(len(test)), -np.ones(len(others))]
        for method, models in detectors.items():
            found = []
            for model in models:
                model.fit(A)
                s, cut = model.score_samples(B), np.percentile(model.score_samples(A), 10)
                found.append(dict(data=name, label=label, n=len(train), method=method, auc=roc_auc_score(truth, s),
                                  accuracy=float(np.mean(np.where(s < cut, -1, 1) == truth))))
            rows.append(max(found, key=lambda row: row["auc"]))
    n, p = (1000, 20_000) if quick else (10_000, 100_000)
    r, rate, speed = np.random.default_rng(0), 1/np.arange(10, p+10), []       # words with Zipf frequencies, a hundred a row of length 1
    words = r.choice(p, size=(n, 100), p=rate/rate.sum())
    X = normalize(sp.csr_matrix((np.ones(words.size), (np.repeat(np.arange(n), 100), words.ravel())), (n, p)))
    OneClassGDM(3).fit(X[:50])                                             # compile
    sgd = SGDOneClassSVM(nu=.5, random_state=0)
    models = {"OneClassGDM, 10 supports": few, "OneClassGDM, 100 supports": many, "SGDOneClassSVM": sgd, "OneClassSVM, linear, nu=.5": svm}
    for method, model in models.items():
        speed.append(dict(method=method, n=n, p=p, seconds=clock(lambda: model.fit(X), 1 if model is svm else 3)[0]))
    for row in speed: row["svm_takes"] = speed[-1]["seconds"]/row["seconds"]
    return dict(rows=rows, speed=speed)

# ---- sensitivity

SENSITIVE = ("BASEHOCK", None), ("usps", (0, 1)), ("chowdary", None)
TAUS = 0, .1, .2, .3, .4, .5, .6, .7
BINS = 2, 5, 10, 20, 100

def variants():
    "(what varies, its value, the measure, settings)"
    for tau in TAUS: yield "tau", tau, "pearson", dict(correlation="pearson", tau=tau or None)
    for binning in ("width", "frequency"):
        measure = f"su, equal {binning}"
        for tau in TAUS: yield "tau", tau, measure, dict(correlation=SymmetricalUncertainty(binning=binning), tau=tau or None)
        for bins in BINS: yield "bins", bins, measure, dict(correlation=SymmetricalUncertainty(bins, binning), tau=.5)

def run_sensitivity(quick=False, k=30):
    rows = []
    for name, classes in present(SENSITIVE):
        X, y, _ = load(name, classes=classes)
        for what, value, measure, settings in variants():
            if name == "chowdary" and measure != "pearson": continue     # a minute and more a fit: SU ties thousands of genes, and each is tested
            for A, a, B, b in splits_of(X, y, 1 if quick else 5):
                g = GDM(k, **settings).fit(A, a)
                rows.append(dict(data=name, varies=what, value=value, measure=measure, supports_svm=svm_accuracy(A, a, B, b, g.support_),
                                 own=g.score(B, b), members=len(g.groups_.all_members)))
    return dict(rows=average(rows, ("data", "varies", "value", "measure")))
