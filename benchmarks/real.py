"""Real data named by FSNB_DATA: does it finish, do groups equal brute force, how accurate are supports and all members?

The linear SVM on every feature stands at the cost that is best for it on the held-out samples, which favours it; GDM has its defaults.
"""
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from fsnb import GDM

from .common import clock, table
from .datasets import available, load

SVM = "linear SVM, every feature"
COSTS = {True: (1e-6, 1e-5, 1e-4, 1e-3, .01, .1), False: (1e-4, 1e-3, .01, .1, 1)}      # sparse or not
SETS = (("farm_ads", None, 40), ("ng20_bigram_dev", None, 40), ("bbc", (0, 4), 20), ("leukemia_golub", None, 10), ("chowdary", None, 10))


def brute_force(X, supports, tau):
    "Members of each group by plain numpy: every correlation with every support, then every bridge with every candidate"
    n, p = X.shape

    def dense(k):
        x = np.asarray(X[:, k].todense() if sp.issparse(X) else X[:, k], dtype=np.float64)
        x = x-x.mean(0)
        norm = np.sqrt((x*x).sum(0))
        return x/np.where(norm > 1e-9, norm, np.inf)

    z, blocks = dense(supports), np.array_split(np.arange(p), max(1, n*p//(1 << 24)))
    R = np.abs(np.vstack([dense(b).T@z for b in blocks]))
    offer = np.where(R >= 1-tau-1e-10, 2+R, 0)                      # direct before linked
    offer[supports] = 0
    for i, s in enumerate(supports):
        r = R[:, i].copy()
        r[s] = 0
        bridges = np.lexsort((np.arange(p), -np.round(r, 9)))[:64]
        bridges = bridges[r[bridges] >= 1-tau-1e-10]
        maybe = np.flatnonzero((r >= (1-tau)**2-1e-10) & (r < 1-tau-1e-10))
        maybe = maybe[~np.isin(maybe, supports)]
        if len(bridges) and len(maybe):
            h = dense(bridges)
            for part in np.array_split(maybe, max(1, n*len(maybe)//(1 << 24))):
                linked = part[(np.abs(dense(part).T@h) >= 1-tau-1e-10).any(1)]
                offer[linked, i] = np.maximum(offer[linked, i], r[linked])
    owner = np.where(offer.max(1) > 0, np.argmax(np.round(offer, 8), axis=1), -1)
    return [{int(s), *np.flatnonzero(owner == i).tolist()} for i, s in enumerate(supports)]


def run(quick=False):
    rows = []
    for name, classes, k in SETS:
        if name not in available():
            print(f"{name}: not in FSNB_DATA, left out")
            continue
        X, y, _ = load(name, classes=classes)
        sparse = sp.issparse(X)
        splits = StratifiedShuffleSplit(2 if quick else 5 if len(y) > 300 else 20, test_size=.3, random_state=0)
        kept = {}
        for i, (train, test) in enumerate(splits.split(np.zeros(len(y)), y)):
            A, B = (X.tocsr()[train].tocsc(), X.tocsr()[test]) if sparse else (X[train], X[test])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")                     # columns that are constant in one half
                for rank_by in ("pair", "support", "group"):
                    seconds, model = clock(lambda: GDM(k, rank_by=rank_by).fit(A, y[train]), 1)
                    same = None
                    if i == 0:                                      # brute force asks no chance
                        plain = GDM(k, rank_by=rank_by, chance=None).fit(A, y[train])
                        same = [set(m.tolist()) for m in plain.groups_.members] == brute_force(A, plain.support_, plain.tau)
                    slim = GDM(k, rank_by=rank_by, fit_on="supports").fit(A, y[train])
                    kept.setdefault(f"GDM, {rank_by}", []).append((same, model.score(B, y[test]), slim.score(B, y[test]),
                                                                  len(model.groups_.all_members), max(model.groups_.sizes), seconds))
                scale = 1/np.maximum(np.sqrt(np.asarray((A.multiply(A) if sparse else A*A).mean(0)).ravel()), 1e-12)
                scaled = (lambda M: M@sp.diags(scale)) if sparse else (lambda M: M*scale)
                for C in COSTS[sparse]:
                    seconds, full = clock(lambda: LinearSVC(C=C, max_iter=3000).fit(scaled(A), y[train]), 1)
                    kept.setdefault(f"{SVM}, C={C:g}", []).append((None, full.score(scaled(B), y[test]), np.nan, X.shape[1], np.nan, seconds))
        accuracy = {method: np.mean([r[1] for r in runs]) for method, runs in kept.items() if method.startswith(SVM)}
        best = max(accuracy, key=accuracy.get)
        for method, runs in kept.items():
            if method in accuracy and method != best: continue
            mean = np.array([r[1:] for r in runs], dtype=float).mean(0)
            rows.append(dict(data=name, method=method, supports=k if "GDM" in method else None, equals_brute_force=runs[0][0],
                             accuracy_members=mean[0], accuracy_supports=mean[1], members=mean[2], largest=mean[3], seconds=mean[4]))
        table([r for r in rows if r["data"] == name], f"{name}: {X.shape[0]} x {X.shape[1]}, means over the splits")
    return dict(rows=rows)
