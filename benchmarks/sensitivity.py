"How much do tau and the bins matter (thesis, section 5.1)? Accuracy of an SVM on the supports, and members, on real data named by FSNB_DATA."
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from fsnb import GDM
from fsnb.correlation import SymmetricalUncertainty

from .common import clock, table
from .datasets import available, load

SETS = (("BASEHOCK", None), ("usps", (0, 1)), ("chowdary", None))
TAUS = 0, .1, .2, .3, .4, .5, .6, .7
BINS = 2, 5, 10, 20, 100


def variants():
    "(what varies, its value, the measure, settings)"
    for tau in TAUS:
        for measure, binning in (("pearson", "width"), ("su", "width"), ("su", "frequency")):
            label = measure if measure == "pearson" else f"su, equal {binning}"
            yield "tau", tau, label, dict(correlation=measure if measure == "pearson" else SymmetricalUncertainty(binning=binning), tau=tau or None)
    for bins in BINS:
        for binning in ("width", "frequency"):
            yield "bins", bins, f"su, equal {binning}", dict(correlation=SymmetricalUncertainty(bins, binning), tau=.5)


def run(quick=False, k=30):
    rows = []
    for name, classes in SETS:
        if name not in available():
            print(f"{name}: not in FSNB_DATA, left out")
            continue
        X, y, _ = load(name, classes=classes)
        if sp.issparse(X): X = X.tocsr()
        splits = list(StratifiedShuffleSplit(1 if quick else 5, test_size=.3, random_state=0).split(np.zeros(len(y)), y))
        for what, value, measure, settings in variants():
            if name == "chowdary" and measure != "pearson": continue     # a minute and more a fit: SU ties thousands of genes, and each is tested
            got = []
            for train, test in splits:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")                 # constants in a half, few samples for su
                    seconds, g = clock(lambda: GDM(k, **settings).fit(X[train], y[train]), 1)
                    svm = make_pipeline(StandardScaler(with_mean=not sp.issparse(X)), LinearSVC(C=.01, random_state=0, max_iter=3000))
                    got.append((svm.fit(X[train][:, g.support_], y[train]).score(X[test][:, g.support_], y[test]), g.score(X[test], y[test]),
                                len(g.groups_.all_members), len(g.support_), seconds))
            rows.append(dict(data=name, varies=what, value=value, measure=measure,
                             **dict(zip(("supports_svm", "own", "members", "supports", "seconds"), np.mean(got, 0).tolist()))))
    return dict(rows=table(rows, f"{k} supports, mean of {len(splits) if rows else 0} splits"))
