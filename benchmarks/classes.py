"More than two classes on real data named by FSNB_DATA: accuracy at 1 to 5 % of the features beside a linear SVM on all of them."
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from fsnb import GDM

from .common import clock, table
from .datasets import available, extras, load

SETS = (("bbc", dict(C=1e-3)), ("pixraw10P", dict(C=1e-2, tau=.1)), ("ORL", dict(tau=.1)))


def svm_accuracy(A, a, B, b, columns=slice(None)):
    "Of a linear SVM on standardised columns, its C by three folds of the training samples"
    pipe = make_pipeline(StandardScaler(with_mean=not sp.issparse(A)), LinearSVC(random_state=0, max_iter=3000))
    search = GridSearchCV(pipe, {"linearsvc__C": [1e-4, 1e-3, 1e-2, .1, 1]}, cv=3)
    return search.fit(A[:, columns], a).score(B[:, columns], b)


def run(quick=False):
    rows, words = [], None
    for name, settings in SETS:
        if name not in available():
            print(f"{name}: not in FSNB_DATA, left out")
            continue
        X, y, _ = load(name)
        if sp.issparse(X): X = X.tocsr()
        p, splits = X.shape[1], StratifiedShuffleSplit(1 if quick else 5, test_size=.3, random_state=0)
        for i, (train, test) in enumerate(splits.split(np.zeros(len(y)), y)):
            A, a, B, b = X[train], y[train], X[test], y[test]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")                     # constants in a half; liblinear's iterations
                whole = svm_accuracy(A, a, B, b)
                for share in (.05,) if quick else (.01, .025, .05):
                    k = int(share*p)
                    seconds, g = clock(lambda: GDM(k, **settings).fit(A, a), 1)
                    best = SelectKBest(f_classif, k=k).fit(A, a).get_support(indices=True)
                    rows.append(dict(data=name, settings=str(settings), split=i, n=len(train), p=p, classes=len(g.classes_), k=k, share=share,
                                     all_features=whole, supports=svm_accuracy(A, a, B, b, g.support_), f_test=svm_accuracy(A, a, B, b, best),
                                     own=g.score(B, b), members=len(g.groups_.all_members), seconds=seconds))
    keys = ("data", "settings", "n", "p", "classes", "k", "share")
    mean = {}
    for r in rows: mean.setdefault(tuple(r[q] for q in keys), []).append(r)
    means = [dict(zip(keys, q), **{c: float(np.mean([r[c] for r in v])) for c in ("all_features", "supports", "f_test", "own", "members", "seconds")})
             for q, v in mean.items()]
    if "bbc" in available() and not quick: words = topics()
    return dict(rows=table(means, "accuracy, mean over splits; `supports`: an SVM on the k supports; `own`: GDM itself, which uses all members"), topics=words)


def topics(k=60):
    "The groups of five topics of news, with words and the topics that they speak for, as `FeatureGroups` writes them"
    import json
    X, y, names = load("bbc")
    titles = np.asarray(extras("bbc")["class_names"]).astype(str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        g = GDM(k, C=1e-3, tau=.5).fit(X, titles[y.astype(int)])
    g.groups_.names = [[str(names[j]) for j in m] for m in g.groups_.members]
    print(g.groups_.summary().to_string())
    return json.loads(g.groups_.to_json())
