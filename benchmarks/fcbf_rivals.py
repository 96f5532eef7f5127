"""FCBF's Tables 2 to 4 on the six of its ten sets that are at hand: four selectors, two classifiers. Time, features kept, accuracy.

    python -m benchmarks fcbf_rivals             all of it
    python -m benchmarks.fcbf_rivals isolet      these sets alone, into the results file that is there
    python -m benchmarks.fcbf_rivals deltas      what FCBF keeps over its threshold alone, into the results file that is there

C4.5 is not at hand: a decision tree of scikit-learn's (CART) stands beside naive Bayes.
"""
import json
import sys
import time
import warnings
import numpy as np
from .common import RESULTS, table, write_part, write_result
from .fcbf import read
from .realdata import available

REAL = ("lung_cancer", "promoters", "splice", "coil2000", "arrhythmia", "isolet")
DELTAS = 0., .01, .03, .05, .08, .1, .15, .2          # thresholds of SU with the class; the paper prints none
SLOW = 4000            # samples times features, in thousands, from which the consistency search is left out of the folds


def selectors(k, nominal, n=30):
    "Column of the tables: a selector; ReliefF does not say how many, and is asked for as many as FCBF keeps"
    from fsnb import FCBF, CFS, ConsistencyFilter, ReliefF
    cut = None if nominal else "mdl"
    out = {"FCBF": FCBF.icml2003(discretizer=cut), "CorrSF": CFS(search="forward", discretizer=cut),
           "ConsSF": ConsistencyFilter(discretizer=cut)}
    out["ReliefF"] = ReliefF(k, n_neighbors=5, n_targets=min(30, n), random_state=0)
    return out | {"ours: FCBF": FCBF(discretizer=cut), "ours: CFS, best first": CFS(discretizer=cut)}


def kept(model, X, y):
    "The features that a selector keeps; the first, where it keeps none"
    support = np.asarray(model.fit(X, y).support_)
    return support if len(support) else np.array([0])


def accuracies(A, y, B, z, nominal, most):
    "Samples that naive Bayes and a tree get right"
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.tree import DecisionTreeClassifier
    bayes = CategoricalNB(min_categories=most+1) if nominal else GaussianNB()
    tree = DecisionTreeClassifier(random_state=0)
    return [int((model.fit(A, y).predict(B) == z).sum()) for model in (bayes, tree)]


def by_strength(X, y, nominal):
    "All features, the largest SU with the class first"
    from fsnb import FCBF
    return np.argsort(-FCBF(discretizer=None if nominal else "mdl").fit(X, y).su_, kind="stable")


def search(X, y, nominal):
    "FCBF's cuts and its search, without the tests of significance of its groups, which the paper does not have"
    from fsnb import as_columns
    from fsnb.filters.fcbf import code_features, predominant
    tables = code_features(as_columns(X), y, None if nominal else "mdl")
    return predominant(tables, tables.against(y)[0]).supports


def over_deltas(name):
    "How many features FCBF's search keeps at each threshold"
    from fsnb import as_columns
    from fsnb.filters.fcbf import code_features, predominant
    X, y, nominal = read(name)
    tables = code_features(as_columns(X), y, None if nominal else "mdl")
    relevance = tables.against(y)[0]
    for delta in DELTAS: yield dict(data=name, delta=delta, kept=len(predominant(tables, relevance, delta).supports))


def whole(name, repeat=5):
    "Table 2: features kept of all samples, and the best CPU time of a few; FCBF's without the tests of its groups"
    X, y, nominal = read(name)
    k, chosen, rows = None, {}, []
    k = len(kept(selectors(1, nominal)["FCBF"], X, y))
    for method, model in selectors(k, nominal, len(y)).items():
        best = np.inf
        for _ in range(repeat):
            start = time.process_time()
            chosen[method] = search(X, y, nominal) if method == "FCBF" else kept(model, X, y)
            best = min(best, time.process_time()-start)
            if best > 2: break
        rows.append(dict(data=name, method=method, n=len(y), p=X.shape[1], classes=int(y.max())+1, kept=len(chosen[method]), cpu_ms=1e3*best))
    return rows, chosen


def folds(name, chosen, n_splits=10):
    "Tables 3 and 4: right answers of ten folds, features chosen of all samples, as the paper, and of the training folds alone"
    from sklearn.model_selection import StratifiedKFold
    X, y, nominal = read(name)
    most, rows = X.max(0) if nominal else None, {}
    chosen = {"all": np.arange(X.shape[1])} | chosen
    for train, test in StratifiedKFold(n_splits, shuffle=True, random_state=0).split(X, y):
        def judge(method, where, f):
            right = accuracies(X[train][:, f], y[train], X[test][:, f], y[test], nominal, most[f] if nominal else None)
            rows.setdefault((method, where), []).append((len(f), *right))
        for method, f in chosen.items(): judge(method, "all samples", f)
        own = kept(selectors(1, nominal)["FCBF"], X[train], y[train])
        judge("FCBF", "training folds", own)
        judge("top SU, as many as FCBF", "training folds", by_strength(X[train], y[train], nominal)[:len(own)])
        for method, model in selectors(len(own), nominal, len(train)).items():
            if method == "FCBF" or method == "ConsSF" and X.size > 1000*SLOW: continue
            judge(method, "training folds", kept(model, X[train], y[train]))
    return [dict(data=name, method=method, chosen_on=where, features=float(np.mean([k for k, _, _ in parts])),
                 naive_bayes=100*sum(b for _, b, _ in parts)/len(y), tree=100*sum(t for _, _, t in parts)/len(y),
                 **{f"{kind}_folds": " ".join(str(part[i]) for part in parts) for i, kind in ((1, "naive_bayes"), (2, "tree"))})
            for (method, where), parts in rows.items()]


def measure(names, quick=False):
    out = dict(selection=[], accuracy=[], deltas=[])
    for name in names:
        start = time.process_time()
        rows, chosen = whole(name, 1 if quick else 5)
        out["selection"] += rows
        out["accuracy"] += folds(name, chosen, 3 if quick else 10)
        out["deltas"] += over_deltas(name)
        print(name, f"{time.process_time()-start:.0f} s", file=sys.stderr, flush=True)
    return out


def names(quick=False):
    here = [name for name in REAL if name in available()]
    return here[:2] if quick else here


def show(out):
    table(out["selection"], "features kept, and CPU milliseconds")
    table(out["deltas"], "features that FCBF keeps")
    table([{k: v for k, v in row.items() if not k.endswith("_folds")} for row in out["accuracy"]], "ten folds")
    return out


def run(quick=False):
    warnings.simplefilter("ignore")
    return show(measure(names(quick), quick))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["deltas"]:
        write_part("fcbf_rivals", "FCBF over its threshold", deltas=table([row for name in names() for row in over_deltas(name)]))
        sys.exit()
    path, only = RESULTS/"fcbf_rivals.json", sys.argv[1:] or names()
    known = json.loads(path.read_text())
    for name in only:                    # written after each set, so that a run that is ended loses one
        for part, rows in measure([name]).items(): known[part] = [row for row in known[part] if row["data"] != name]+rows
        write_result("fcbf_rivals", {part: known[part] for part in ("selection", "accuracy", "deltas")})
    show(known)
