"""How fast, and with how much memory, on 2048 x 10000 (thesis2015): GDM beside its baseline, L1-SVM, abess and the Gram matrix alone.

`strict` asks for members in the group that answers for their true group. A method that gives single features can answer with
one member a group: `ceiling` is what it could reach. `true` counts its true features whatever the groups. The baseline
stands at the tau that `groups` has found to be its best.
"""
import numpy as np

from fsnb import GDM, as_columns, make_groups
from fsnb.groups.metrics import strict_hits

from .common import clock, extra_memory, l1_svm, table
from .groups import BASELINE, baseline

TAU = .35           # of the ten-line baseline, its best (over_tau in groups.json)


def run(quick=False):
    n, p, repeat = (500, 2000, 1) if quick else (2048, 10000, 3)
    data = make_groups(n, p, preset="thesis2015", random_state=0, n_test=0)
    X, y = data.X, data.y
    Z = as_columns(X).standardized(np.arange(p))
    single = X.astype(np.float32)
    rows = []

    def add(what, seconds, members=None):
        row = dict(what=what, seconds=seconds)
        if members is not None:
            hits, features, truth = strict_hits(members, data.groups), sum(map(len, members)), data.groups
            single = max(map(len, members)) == 1
            row.update(features=features, true=features-hits.wrong, wrong=hits.wrong, strict=100*hits.rate,
                       ceiling=100*len(truth)/len(truth.all_members) if single else 100.)
        rows.append(row)

    seconds, model = clock(lambda: GDM(12).fit(X, y), repeat)
    add("GDM, 12 supports and their groups", seconds, model.groups_.members)
    seconds, model = clock(lambda: GDM(12, rank_by="support", n_per_iter=4).fit(X, y), repeat)
    add("GDM, rank_by='support', 4 a round", seconds, model.groups_.members)
    seconds, members = clock(lambda: baseline(X, y, 12, TAU), repeat)
    add(f"{BASELINE}, tau={TAU:g}", seconds, members)
    from sklearn.svm import LinearSVC
    for k, name in ((12, "L1-SVM at its tuned C"), (38, "L1-SVM, 38 features")):
        tuning, (_, C) = clock(lambda: l1_svm(Z, y, k), 1)
        seconds, model = clock(lambda: LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(Z, y), repeat)
        add(name, seconds, [[int(j)] for j in np.flatnonzero(model.coef_[0])])
        if k == 12: add("L1-SVM, tuning included", tuning)
    try:
        import abess
    except ImportError: print("abess is not installed: left out")
    else:
        for name, make, labels in (("abess, logistic", abess.LogisticRegression, (y > 0).astype(int)), ("abess, linear", abess.LinearRegression, y)):
            for k in (12, 38):
                seconds, model = clock(lambda: make(support_size=k, thread=1).fit(Z, labels), 1 if quick else 2)
                add(f"{name}, k={k}", seconds, [[int(j)] for j in np.flatnonzero(np.ravel(model.coef_))])
    seconds, _ = clock(lambda: single.T@single, 1)
    add("the float32 Gram matrix alone", seconds)
    seconds, _ = clock(lambda: as_columns(X, checked=True).scores(y/len(y)), repeat)
    add("moments and one score pass", seconds)
    gdm = rows[0]["seconds"]
    for row in rows: row["times GDM"] = row["seconds"]/gdm
    table(rows, f"{n} x {p} float64, one thread, best of {repeat}")
    memory = extra_memory(lambda: GDM(12).fit(X, y))
    print(f"extra memory of GDM {memory/2**20:.0f} MB, {memory/X.nbytes:.2f} of X ({X.nbytes/2**20:.0f} MB)\n")
    return dict(rows=rows, extra_memory=memory, bytes_of_X=X.nbytes)
