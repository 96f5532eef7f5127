"""MMFS: time of its solvers beside Clarabel and liblinear, its scale, and its accuracy beside the paper's Table 2 and other methods.

    python -m benchmarks mmfs        all of it
    python -m benchmarks.mmfs        the accuracies alone, into the results file that is there, with the commit that made them
"""
import functools
import json
import os
import subprocess
import time
import warnings
import numpy as np
import scipy.sparse as sp
from .common import RESULTS, clock, extra_memory, l1_svm, machine, table, write_result
from .realdata import available, extras, load, signed_labels

K_TABLE = (2, 5, 6, 10, 20, 50, 83, 100)
# Table 2 of the paper (section 4.4.1), rows Leukemia and MNIST: accuracy, and at which number of features
PRINTED = {"leukemia_golub": {"FCBF": (90.28, 37), "QPFS": (87.50, 45), "GDM": (84.72, 2), "MMFS-DCD": (91.67, 6)},
           "mnist_3v8": {"FCBF": (91.07, 19), "QPFS": (96.06, 94), "GDM": (96.67, 77), "MMFS-DCD": (96.06, 83)}}
GAMMAS = (10, 1, .3, .1, .03, .01, .003, .001)       # the paper tuned its own for each microarray data set


def wide(n, p, seed=0):
    "Features that share twenty factors, a label that hangs on ten of them; columns lie one after the other"
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, 20))@rng.standard_normal((20, p))/20**.5+rng.standard_normal((n, p)))
    return X, np.sign(X[:, :10].sum(1)+rng.standard_normal(n))


@functools.lru_cache(1)
def text(n, p, nonzeros, seed=1):
    "Sparse columns of few entries, and a label that hangs on the first fifty; kept, for it takes minutes to draw"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, nonzeros/(n*p), format="csc", random_state=2, data_rvs=lambda k: rng.random(k)+.5)
    total = np.asarray(X[:, :50*p//100000].sum(1)).ravel()
    return X, np.sign(total-np.median(total)+1e-3*rng.standard_normal(n))


def _problem(X, y, kernel):
    from fsnb import as_columns
    from fsnb.correlation.target import correlation_with
    from fsnb.margin.similarity import FeatureKernel
    c = as_columns(X)
    r, sign = correlation_with(c, y)
    r[c.constant] = 0
    return lambda: FeatureKernel(c, kernel, sign=None if kernel == "poly2" else sign), r, ~c.constant


def solvers(X, y, settings, repeat=3):
    "Seconds, products and gap of each solver; (kernel, solver, gamma, tol) in settings"
    from fsnb.margin.descent import solve_dcd
    from fsnb.margin.mmfs_dual import solve_mmfs
    rows = []
    for kernel, solver, gamma, tol in settings:
        new, r, free = _problem(X, y, kernel)
        def run():
            K = new()
            if solver == "working set": found = solve_mmfs(K, r, gamma, tol=tol, free=free)
            else: found = solve_dcd(K, r, gamma, tol=tol, free=free, shrink=solver == "descent, shrinking")
            return K, found
        seconds, (K, found) = clock(run, repeat)
        rows.append(dict(kernel=kernel, solver=solver, gamma=gamma, seconds=seconds, products=K.n_products, rounds=found.n_iter, gap=found.gap,
                         features=int((found.beta > 0).sum()), objective=found.objective))
    return rows


def against_clarabel(n, p, gamma):
    "The same dual through cvxpy, which gets the features themselves (n rows), not Q"
    import cvxpy as cp
    from fsnb.margin.mmfs_dual import solve_mmfs
    X, y = wide(n, p)
    new, r, _ = _problem(X, y, "linear")
    seconds, found = clock(lambda: solve_mmfs(new(), r, gamma))
    U = X-X.mean(0)
    U *= new().sign/np.linalg.norm(U, axis=0)
    b = cp.Variable(p, nonneg=True)
    problem = cp.Problem(cp.Maximize(r@b-cp.sum_squares(U@b)/2-gamma*cp.square(cp.sum(b))/2))
    problem.solve(solver="CLARABEL")
    theirs = problem.solver_stats.solve_time                       # without cvxpy's own time
    return [dict(n=n, p=p, gamma=gamma, working_set=seconds, clarabel=theirs, ratio=theirs/seconds, difference=found.objective/problem.value-1)]


def epochs(n, p):
    "Seconds of one pass of coordinate descent: ours over features, liblinear's hinge over as many samples of as many columns"
    from sklearn.svm import LinearSVC
    from fsnb.margin.descent import solve_dcd
    X, y = wide(n, p)
    new, r, free = _problem(X, y, "linear")
    ours = clock(lambda: solve_dcd(new(), r, .1, tol=1e-14, shrink=False, max_iter=11))[0]-clock(lambda: solve_dcd(new(), r, .1, tol=1e-14, shrink=False, max_iter=1))[0]
    F, label = np.ascontiguousarray(X.T), np.where(np.random.default_rng(0).random(p) < .5, -1, 1)
    def theirs(k):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return clock(lambda: LinearSVC(loss="hinge", C=1e-3, tol=1e-14, max_iter=k, random_state=0, fit_intercept=False).fit(F, label))[0]
    lib = (theirs(6)-theirs(1))/5
    return [dict(n=n, p=p, ours=(ours)/10, liblinear=lib, ratio=ours/10/lib)]


def scale(p, nonzeros):
    "A whole fit on p sparse columns"
    from fsnb import MMFS
    X, y = text(2000, p, nonzeros)
    size = X.data.nbytes+X.indices.nbytes+X.indptr.nbytes
    rows = []
    for kw in (dict(kernel="linear", gamma=.1), dict(gamma=1.), dict(n_features_to_select=10)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            m = MMFS(tol=1e-3, **kw).fit(X, y)
            seconds = time.perf_counter()-start
            extra = extra_memory(lambda: MMFS(tol=1e-3, **kw).fit(X, y))
        rows.append(dict(columns=p, nonzeros=X.nnz, fit=", ".join(f"{k}={v}" for k, v in kw.items()), seconds=seconds, gap=m.gap_,
                         features=int((m.dual_coef_ > 0).sum()), extra_over_X=extra/size))
    return rows


def methods(k):
    "Name: (column of Table 2 or None, selector): what the paper's experiments ran, but for MMFS-DCD, whose gamma is tuned; then ours"
    from fsnb import FCBF, GDM, MMFS, QPFS
    return {"QPFS.jmlr2010": ("QPFS", QPFS.jmlr2010(k)), "GDM.icml2012": ("GDM", GDM.icml2012(max(k, 20))), "FCBF.icml2003": ("FCBF", FCBF.icml2003(k)),
            "ours: MMFS, degree 2, gamma=.1": (None, MMFS(k, gamma=.1)), "ours: QPFS, squared correlation": (None, QPFS(k)),
            "ours: GDM": (None, GDM(k)), "ours: FCBF": (None, FCBF(n_features_to_select=k)), "top correlation": (None, None)}


def order_by(model, X, y, k):
    "The features that a selector takes, best first; without a selector the k most correlated"
    from fsnb.correlation.target import correlation_with
    if model is not None: return model.fit(X, y).support_
    return np.argsort(-correlation_with(X, y)[0], kind="stable")[:k]


def _svm(A, y, B, z):
    "Accuracy on B of an L2-SVM at its default cost, trained on A; both scaled as A is"
    from sklearn.svm import LinearSVC
    mean, std = A.mean(0), A.std(0)
    std[std == 0] = 1
    return float((LinearSVC(dual=len(A) < A.shape[1]).fit((A-mean)/std, y).predict((B-mean)/std) == z).mean())


def _line(name, method, column, ks, right, **more):
    "A row of the table from what was right, (splits, ks)"
    percent = 100*np.mean(right, 0)
    printed = PRINTED[name].get(column, (None, None))
    return dict(data=name, method=method, printed=printed[0], printed_k=printed[1], best=float(np.nanmax(percent)), best_k=ks[int(np.nanargmax(percent))],
                **{f"k={k}": float(percent[ks.index(k)]) for k in K_TABLE if k in ks}, **more)


def accuracy(name, splits, ks, method):
    "Mean accuracy of a method at each k; the best, and where"
    X, y, _ = load(name)
    X, y, right = X.astype(np.float64), signed_labels(y), []
    column, model = methods(max(ks))[method]
    for train, test in splits(X, y):
        A, B = X[train], X[test]
        order = order_by(model, A, y[train], max(ks))
        right.append([_svm(A[:, order[:k]], y[train], B[:, order[:k]], y[test]) if k <= len(order) else np.nan for k in ks])
    return _line(name, method, column, ks, right)


def l1_accuracy(name, splits, ks):
    "The same of an L1-SVM, whose cost is tuned for each k: none of this package's code has a part in it"
    X, y, _ = load(name)
    X, y, right = X.astype(np.float64), signed_labels(y), []
    for train, test in splits(X, y):
        A, B = X[train], X[test]
        std = A.std(0)
        Z = (A-A.mean(0))/np.where(std > 0, std, 1)
        def chosen(k): return np.argsort(-np.abs(l1_svm(Z, y[train], k, slack=max(1, k//20))[0].coef_[0]), kind="stable")[:k]
        right.append([_svm(A[:, f], y[train], B[:, f], y[test]) for f in map(chosen, ks)])
    return [_line(name, "L1-SVM", None, ks, right)]


def paper_accuracy(name, splits, ks, gammas=GAMMAS):
    "MMFS as the paper ran it, linear, not turned, C = 1, by coordinate descent, for each gamma: a row each, and accuracies (gammas, ks)"
    from fsnb import MMFS
    X, y, _ = load(name)
    X, y = X.astype(np.float64), signed_labels(y)
    splits, rows, grid = list(splits(X, y)), [], []
    for gamma in gammas:
        right, at_C, gap = [], [], []
        for train, test in splits:
            A, B = X[train], X[test]
            m = MMFS.prl2017(max(ks), gamma=gamma, max_iter=20000).fit(A, y[train])
            at_C.append(int((m.dual_coef_ >= m.C).sum()))
            gap.append(m.gap_)
            right.append([_svm(A[:, m.support_[:k]], y[train], B[:, m.support_[:k]], y[test]) for k in ks])
        rows.append(_line(name, "MMFS.prl2017", "MMFS-DCD", ks, right, gamma=gamma, weights_at_C=float(np.mean(at_C)), largest_gap=float(max(gap))))
        grid.append((100*np.mean(right, 0)).tolist())
    return rows, dict(gamma=list(gammas), k=list(ks), accuracy=grid)


def leave_one_out(X, y):
    for i in range(len(y)): yield np.arange(len(y)) != i, np.arange(len(y)) == i


def sensitivity(gammas, ks, samples=None):
    "Leave-one-out accuracy of degree 2 on leukemia for a grid of gamma and k"
    from fsnb import MMFS
    X, y, _ = load("leukemia_golub")
    X, y = X.astype(np.float64), signed_labels(y)
    grid = np.zeros((len(gammas), len(ks)))
    splits = list(leave_one_out(X, y))[:samples]
    for train, test in splits:
        for i, g in enumerate(gammas):
            order = MMFS(max(ks), gamma=g).fit(X[train], y[train]).support_
            grid[i] += [_svm(X[train][:, order[:k]], y[train], X[test][:, order[:k]], y[test]) for k in ks]
    return dict(gamma=list(gammas), k=list(ks), accuracy=(100*grid/len(splits)).tolist())


def run(quick=False):
    "Everything; sizes of a laptop when quick"
    warnings.simplefilter("ignore", UserWarning)
    X, y = wide(200, 5000 if quick else 100000)
    small = X[:, :500], y
    every = [("linear", "working set", .1, 1e-6), ("linear", "descent, shrinking", .1, 1e-6), ("linear", "descent", .1, 1e-6),
             ("poly2", "working set", 1., 1e-6), ("poly2", "working set", .1, 1e-6), ("rbf", "working set", .1, 1e-6)]
    solvers(*small, every, 1)                                        # compile
    out = dict(dense=table(solvers(X, y, every), f"{X.shape[0]} x {X.shape[1]}, dense"))
    out["clarabel"] = table(against_clarabel(100, 2000 if quick else 10000, .1), "linear kernel, the same dual by Clarabel")
    out["epoch"] = table(epochs(200, 5000 if quick else 100000), "seconds of an epoch")
    S, z = text(2000, 10000 if quick else 100000, 100000 if quick else 1000000)
    settings = [("linear", "working set", .1, 1e-6), ("linear", "descent, shrinking", .1, 1e-6), ("poly2", "working set", 1., 1e-6)]
    solvers(S[:, :500], z, settings, 1)
    out["sparse"] = table([dict(nonzeros=S.nnz, **row) for row in solvers(S, z, settings)], f"{S.shape[0]} x {S.shape[1]}, sparse")
    out["scale"] = table(scale(20000 if quick else 1000000, 400000 if quick else 20000000), "whole fits to a gap of 1e-3")
    if "leukemia_golub" in available(): out |= measure_accuracy(quick) | dict(sensitivity=run_sensitivity(quick))
    return out


def commit():
    "The commit that is measured, with a plus where the package was changed since"
    def git(*args): return subprocess.run(("git", "-C", str(RESULTS), *args), capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short", "HEAD")+"+"*bool(git("status", "--porcelain", "--", "../../fsnb", ".."))


def designs(quick=False):
    "Splits and numbers of features of each data set: leave one out, and the halves that it comes with"
    def few(X, y): return list(leave_one_out(X, y))[:2 if quick else None]
    if quick: return {"leukemia_golub": (few, (2, 5, 10))}
    n = int(np.ravel(extras("mnist_3v8")["n_train"])[0])
    def halves(X, y): return [(np.arange(len(y)) < n, np.arange(len(y)) >= n)]
    return {"leukemia_golub": (few, (*range(2, 31), *range(35, 101, 5))), "mnist_3v8": (halves, (5, 10, 19, 50, 77, 83, 94, 100))}


def part(name, method, quick=False):
    "One method on one data set; None: the paper's MMFS for each gamma"
    warnings.simplefilter("ignore")
    splits, ks = designs(quick)[name]
    gammas = GAMMAS if name == "leukemia_golub" else (1, .1, .01)       # the paper tuned it on its microarrays only
    return paper_accuracy(name, splits, ks, gammas) if method is None else accuracy(name, splits, ks, method)


def measure_accuracy(quick=False, known_l1=()):
    "The paper's Table 2 and its Figure 3: the accuracies, and the commit that made them. Rows of the L1-SVM that are known stay"
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    names, made_by = list(designs(quick)), dict(commit=commit(), machine=machine())
    with ProcessPoolExecutor(min(6, os.cpu_count()), get_context("spawn")) as pool:
        asked = {(name, method): pool.submit(part, name, method, quick) for name in names for method in (None, *methods(100))}
        found = {key: result.result() for key, result in asked.items()}
    out = dict(accuracy=[], by_gamma=[], paper_sensitivity={}, accuracy_made_by=made_by)
    for name in names:
        tried, out["paper_sensitivity"][name] = found[name, None]
        out["by_gamma"] += tried
        out["accuracy"].append(max(tried, key=lambda row: row["best"]) | dict(method="MMFS.prl2017, best gamma"))
        out["accuracy"] += [found[name, method] for method in methods(100)]
        out["accuracy"] += [row for row in known_l1 if row["data"] == name] or l1_accuracy(name, designs(quick)[name][0], (2, 5, 10) if quick else K_TABLE)
    table(out["accuracy"], "accuracy of an L2-SVM on the k best, %")
    table(out["by_gamma"], "the paper's MMFS, by gamma")
    return out


def run_sensitivity(quick=False):
    "Degree 2 on leukemia for a grid of gamma and k"
    warnings.simplefilter("ignore")
    small = (2, 10) if quick else (2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100)
    return sensitivity((10, 1, .1, .01) if quick else (10, 3, 1, .3, .1, .03, .01, .003), small, 2 if quick else None)


if __name__ == "__main__":
    known = json.loads((RESULTS/"mmfs.json").read_text())
    known.pop("machine")
    l1 = [row for row in known["accuracy"] if row["method"] == "L1-SVM"]
    write_result("mmfs", known | measure_accuracy(known_l1=l1))
