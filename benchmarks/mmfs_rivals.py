"""MMFS's Table 2 with FGM, on sets that stand in for those that cannot be had, and its Figure 2: time against features.

    python -m benchmarks mmfs_rivals          all of it
    python -m benchmarks.mmfs_rivals          the rows that the results file does not have yet, each written at once
    python -m benchmarks.mmfs_rivals --full   leave one out for the stand-ins of the microarrays too

FGM is GDM without groups: the same cuts and machines, the plain top scores. The columns of leukemia and MNIST but for FGM are in mmfs.json.
"""
import datetime
import json
import sys
import time
import warnings
import numpy as np
import scipy.sparse as sp
from .common import RESULTS, cpu_clock, table, write_result
from .mmfs import commit, leave_one_out, order_by
from .realdata import available, extras, load, signed_labels

STAND_INS = {"colon_alon": "RAOA (31 x 18432): real, 62 x 2000", "chowdary": "RAC (33 x 48701): real, 104 x 22283",
             "farm_ads": "REAL-SIM (57848 x 20958), Webspam and Kddb: real, 4143 x 54877"}
KS = {"leukemia_golub": (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100), "mnist_3v8": (5, 10, 19, 50, 77, 83, 94, 100),
      "colon_alon": (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100), "chowdary": (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100),
      "farm_ads": (5, 10, 20, 50, 100, 200)}
# Table 2 (section 4.4.1), column FGM: accuracy, and at which number of features
PRINTED = {"leukemia_golub": (87.5, 2), "mnist_3v8": (96.21, 99)}


def fgm(k):
    "The method that GDM starts from: no constraint on correlations"
    from fsnb import GDM
    return GDM.icml2012(k, n_per_iter=min(20, k), tau=None)


def models(k, sparse=False):
    "Columns of Table 2, and a ranking by correlation; on sparse data the three that the paper runs there"
    from fsnb import FCBF, GDM, MMFS, QPFS
    out = {"FGM": fgm(k), "GDM": GDM.icml2012(k, n_per_iter=min(20, k))}
    gammas = 1, .1, .01
    out |= {f"MMFS-DCD, gamma={gamma:g}": MMFS.prl2017(k, gamma=gamma, max_iter=500) for gamma in gammas}
    if not sparse: out |= {"FCBF": FCBF.icml2003(k), "QPFS": QPFS.jmlr2010(k)}
    return out | {"top correlation": None}


def splits_of(name, y, full):
    "Leave one out for the paper's microarray, ten folds for what stands in, the halves that MNIST comes with, half of the texts"
    from sklearn.model_selection import StratifiedKFold, train_test_split
    every = np.arange(len(y))
    if name == "leukemia_golub" or full and name != "mnist_3v8" and len(y) < 200:
        return [(np.flatnonzero(a), np.flatnonzero(b)) for a, b in leave_one_out(y, y)]
    if name == "mnist_3v8":
        n = int(np.ravel(extras(name)["n_train"])[0])
        return [(every[:n], every[n:])]
    if len(y) > 1000: return [train_test_split(every, train_size=.5, stratify=y, random_state=0)]
    return list(StratifiedKFold(10, shuffle=True, random_state=0).split(every, y))


def svm(A, y, B, z):
    "Accuracy of an L2-SVM at its default cost; features of deviation 1, dense ones centred"
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC
    scale = StandardScaler(with_mean=not sp.issparse(A)).fit(A)
    model = LinearSVC(dual=A.shape[0] < A.shape[1]).fit(scale.transform(A), y)
    return float((model.predict(scale.transform(B)) == z).mean())


def accuracy(name, method, full=False):
    "A row of Table 2: mean accuracy at each k, the best, and where"
    X, y, _ = load(name)
    y, ks = signed_labels(y), KS[name]
    model, right, rows = models(max(ks), sp.issparse(X))[method], [], X.tocsr() if sp.issparse(X) else X.astype(float)
    for train, test in splits_of(name, y, full):
        A, B = rows[train], rows[test]
        if sp.issparse(A): A, B = A.tocsc(), B.tocsc()
        order = order_by(model, A, y[train], max(ks))
        right.append([svm(A[:, order[:k]], y[train], B[:, order[:k]], y[test]) if k <= len(order) else np.nan for k in ks])
    percent = 100*np.mean(right, 0)
    printed = PRINTED.get(name, (None, None)) if method == "FGM" else (None, None)
    return dict(data=name, method=method, printed=printed[0], printed_k=printed[1], best=float(np.nanmax(percent)),
                best_k=ks[int(np.nanargmax(percent))], splits=len(right), ks=list(ks), accuracy=percent.round(3).tolist())


def timing(shape, method, k):
    "CPU seconds of a fit, the best of three, warm: dense of RAC's shape, or sparse"
    from .mmfs import text, wide
    X, y = wide(33, 48701) if shape == "33 x 48701" else text(5000, 200000, 2000000)
    model = models(k, sp.issparse(X))[method]
    best, _ = cpu_clock(lambda: model.fit(X, y), 1 if sp.issparse(X) else 3)
    return dict(shape=shape, method=method, k=k, cpu_s=best)


def plan(quick=False):
    "(part, set or shape, method, number of features or None) of all rows"
    if quick:
        for method in ("FGM", "MMFS-DCD, gamma=0.1"): yield "accuracy", "colon_alon", method, None
        return
    here = [name for name in KS if name in available()]
    yield from (("accuracy", name, "FGM", None) for name in ("mnist_3v8", "leukemia_golub") if name in here)
    for name in here:
        if name not in STAND_INS: continue
        for method in models(2, name == "farm_ads"): yield "accuracy", name, method, None
    for shape in ("33 x 48701", "5000 x 200000, sparse"):
        for method in ("MMFS-DCD, gamma=0.1", "FGM", "GDM", "FCBF", "QPFS"):
            if "sparse" in shape and method in ("FCBF", "QPFS"): continue
            for k in (5, 20, 100): yield "time", shape, method, k


def add(known, task, full=False):
    "The row of a task"
    part, name, method, k = task
    row = accuracy(name, method, full) if part == "accuracy" else timing(name, method, k)
    known.setdefault(part, []).append(row | dict(commit=commit(), date=datetime.date.today().isoformat()))


def run(quick=False, full=False):
    warnings.simplefilter("ignore")
    out = dict(stand_ins=STAND_INS)
    for task in plan(quick): add(out, task, full)
    for part in ("accuracy", "time"): table(out.get(part, []), part)
    return out


def is_there(known, part, name, method, k):
    "Whether an earlier run has the row"
    return any((row.get("data", row.get("shape")), row["method"], row.get("k")) == (name, method, k) for row in known.get(part, ()))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    path = RESULTS/"mmfs_rivals.json"
    known = json.loads(path.read_text()) if path.exists() and "--full" not in sys.argv else {}
    known = {part: known.get(part, []) for part in ("accuracy", "time")} | dict(stand_ins=STAND_INS)
    for task in plan():
        if is_there(known, *task): continue
        start = time.process_time()
        add(known, task, "--full" in sys.argv)
        print(*task, f"{time.process_time()-start:.1f} s", file=sys.stderr, flush=True)
        write_result("mmfs_rivals", known)
