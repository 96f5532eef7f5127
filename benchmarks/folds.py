"Stability of small-sample selections over 20 resamples: GDMCV beside GDM, its own parts, and two simple baselines. Real data named by FSNB_DATA."
import warnings

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from fsnb import GDM, GDMCV, FilterBruteForce, as_columns
from fsnb.correlation.target import correlation_with
from fsnb.gdm import gdm_cv as folds
from fsnb.groups.metrics import stability

from .common import clock, table
from .datasets import available, load

SETS = "colon_alon", "leukemia_golub", "colon_disc", "chowdary"        # the first two were used to choose the settings


class Top:
    "The k highest |correlations| with the label, no groups"
    def __init__(self, k): self.k = k
    def fit(self, X, y):
        c = as_columns(X)
        self.support_ = c.top(correlation_with(c, y)[0], self.k)
        return self


def with_settings(calm, near, **kwargs):
    "A GDMCV with other constants while it fits, for the ablation"
    def make(k):
        class Other(GDMCV):
            def fit(self, X, y):
                keep = folds._CALM, folds._NEAR_BEST
                folds._CALM, folds._NEAR_BEST = calm, near
                try: return super().fit(X, y)
                finally: folds._CALM, folds._NEAR_BEST = keep
        Other.__init__ = GDMCV.__init__
        return Other(k, **kwargs)
    return make


METHODS = {
    "top scores, no groups": Top,
    "GDM": GDM,
    "GDM, C=.01": lambda k: GDM(k, C=.01),
    "GDMCV": GDMCV,
    "GDMCV, consensus='votes'": lambda k: GDMCV(k, consensus="votes"),
    "GDMCV.thesis2015, parts vote": GDMCV.thesis2015,
    "GDMCV without the canonical support": with_settings(.5, 1.),
    "GDMCV without uniform weights in the mix": with_settings(0., .85),
    "folds alone, without both": with_settings(0., 1.),
    "filter brute force": lambda k: FilterBruteForce(k),
}


def run(quick=False):
    rows = []
    for name in SETS[:1] if quick else SETS:
        if name not in available():
            print(f"{name}: not in FSNB_DATA, left out")
            continue
        X, y, _ = load(name)
        splits = list(StratifiedShuffleSplit(4 if quick else 20, test_size=.2, random_state=0).split(X, y))
        for k in (10, 20):
            base = None
            for method, make in METHODS.items():
                selected, own, svm, times, members = [], [], [], [], []
                for train, test in splits:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        seconds, g = clock(lambda: make(k).fit(X[train], y[train]), 1)
                    selected.append(g.support_)
                    times.append(seconds)
                    members.append(len(g.groups_.all_members) if hasattr(g, "groups_") else k)
                    own.append(g.score(X[test], y[test]) if hasattr(g, "score") else np.nan)
                    pipe = make_pipeline(StandardScaler(), LinearSVC(C=.01, random_state=0)).fit(X[train][:, g.support_], y[train])
                    svm.append(pipe.score(X[test][:, g.support_], y[test]))
                row = dict(data=name, k=k, method=method, stability=stability(selected, X.shape[1], kind="nogueira"), own=float(np.mean(own)),
                           svm=float(np.mean(svm)), members=float(np.mean(members)), seconds=float(np.median(times)))
                if method == "GDM": base = row
                if base: row.update(gain=row["stability"]-base["stability"], times_gdm=row["seconds"]/base["seconds"])
                rows.append(row)
    return dict(rows=table(rows, "stability: Nogueira over the supports of 20 splits; own, svm: accuracy on the held-out fifth"))
