"""GFlasso, OSCAR, ncFGS and ncTFGS beside the original C code (its numbers, from FSNB_DATA/oracles), cvxpy and sortedl1.

`alg6`: the thesis's Algorithm 6 at p = 500 and 1000, three seeds, by two graphs; hits, wrong features and processor seconds beside the
original at its default tolerance and at a tight one. `speed`: processor seconds of one fit beside those of the packages.
"""
import csv
from collections import defaultdict

import numpy as np
import scipy.sparse as sp

from fsnb import OSCAR, GFlasso, NcFGS, NcTFGS, as_columns
from fsnb.linear import correlation_graph, equal_groups
from fsnb.linear.gflasso import SortedProblem
from fsnb.linear.graph import EdgeProblem, Edges

from .common import average, cpu_clock, table
from .datasets import data_dir

KINDS = dict(gflasso="difference", goscar="max")
SIZES = 5, 5, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0


# ---- the thesis's Algorithm 6, with the draws of the oracle's files

def draw_member(rng, f):
    "A column that goes with f by .8 to .97: perturbed, turned, or scaled and shifted"
    r, kind = rng.uniform(.8, .97), rng.integers(3)
    noise = rng.standard_normal(len(f))
    if kind == 0: return f+np.sqrt(1/r**2-1)*noise
    if kind == 1: return r*f+np.sqrt(1-r*r)*noise
    size = rng.uniform(.5, 2)
    return size*f+size*np.sqrt(1/r**2-1)*noise+rng.normal()


def algorithm6(seed, p, n=2048, n_test=2048):
    "(X, y, X_test, y_test, true groups): 12 groups, 38 features, uniform weights"
    rng = np.random.default_rng(seed)
    n_supports, n_true = len(SIZES), len(SIZES)+sum(SIZES)
    place = rng.permutation(p)[:n_true]
    X, at, groups = rng.standard_normal((p, n+n_test)), n_supports, []
    for support, size in zip(place, SIZES):
        members = place[at:at+size]
        for j in members: X[j] = draw_member(rng, X[support])
        groups.append([int(support), *members.tolist()])
        at += size
    weights = np.zeros(p)
    weights[place] = rng.uniform(0, 1, n_true)
    y = np.where(weights@X >= 0, 1., -1.)
    return X[:, :n].T.copy(), y[:n], X[:, n:].T.copy(), y[n:], groups


def count_hits(found, truth):
    "(hits, wrong, exact) as the oracle's files count them"
    found, true = [set(own) for own in found], set().union(*truth)
    hits = [max((len(set(own) & other) for other in found), default=0) for own in truth]
    wrong = len(set().union(*found)-true) if found else 0
    return dict(hits=sum(hits), wrong=wrong, exact=sum(set(own) in found for own in truth))


def alg6_selector(row, edges):
    "The selector of a row of the oracle's files"
    maker = dict(gflasso=GFlasso, goscar=OSCAR, ncFGS=NcFGS, ncTFGS=NcTFGS)[row["method"]]
    return maker(None, alpha=float(row["l1"]), alpha_edges=float(row["edge"]), graph=edges, tol=1e-10)


def alg6_beside(rows, key):
    "Objective, hits, wrong and seconds of the original at both tolerances, for one setting"
    out = {}
    for tolerance in ("default", "tight"):
        for row in rows.get((tolerance, *key), []):
            for name, column in (("objective", "obj"), ("hits", "hits_magnitude"), ("wrong", "wrong_magnitude"), ("seconds", "cpu_seconds")):
                if row[column]: out[f"{name}_{tolerance}"] = float(row[column])
    return out


def alg6(p, levels):
    "Ours beside the original's rows, by seed and graph"
    named, rows = defaultdict(list), []
    with open(data_dir()/"oracles"/f"alg6_{p}.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            named[(row["tolerance"], row["seed"], row["threshold"], row["method"], row["l1"], row["edge"])].append(row)
    for seed in (100, 101, 102):
        X, y, X_test, y_test, truth = algorithm6(seed, p)
        columns = as_columns(X)
        for threshold in ("0.3", "0.06"):
            graph = correlation_graph(columns, float(threshold))
            for l1, edge in levels:
                for method in ("gflasso", "goscar", "ncFGS", "ncTFGS"):
                    row = dict(method=method, l1=l1, edge=edge)
                    seconds, model = cpu_clock(lambda row=row: alg6_selector(row, graph).fit(columns, y), 1)
                    told = dict(p=p, threshold=float(threshold), edges=graph.nnz//2, seed=seed, method=method, l1=float(l1), edge=float(edge),
                                seconds=seconds, objective=model.objective_, gap=model.gap_, nonzero=int((model.coef_ != 0).sum()))
                    told |= count_hits(equal_groups(np.where(model.scores_ > 1e-3*model.scores_.max(), model.coef_, 0)), truth)
                    score = (X_test-X.mean(0))/X.std(0)@model.coef_
                    told["accuracy"] = float(np.mean(np.sign(score) == y_test))
                    told |= alg6_beside(named, (str(seed), threshold, method, l1, edge))
                    rows.append(told)
    return rows


def mean_rows(rows):
    "Means over the seeds that the original finished at both tolerances, by graph, level and method, and how far it ends above ours"
    finished = [row for row in rows if {"hits_default", "hits_tight"} <= row.keys()]
    def above(own): return {f"above_{tol}": max(row[f"objective_{tol}"]/row["objective"]-1 for row in own) for tol in ("default", "tight")}
    return average(finished, ("p", "threshold", "l1", "edge", "method"), "seeds", also=above)


# ---- speed

def grouped(n, p, seed=0):
    "Columns in tens that go together, and a target of four tens"
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((n, p//10))
    X = np.repeat(base, 10, axis=1)+.5*rng.standard_normal((n, p))
    return X, np.sign(base[:, :4].sum(1)+.5*rng.standard_normal(n))


def by_cvxpy(X, y, graph, s1, s2, kind):
    import cvxpy as cp
    x, graph = cp.Variable(X.shape[1]), graph.tocoo()
    a, b = x[graph.row], x[graph.col]
    tie = cp.abs(a-cp.multiply(np.sign(graph.data), b)) if kind == "difference" else cp.maximum(cp.abs(a), cp.abs(b))
    problem = cp.Problem(cp.Minimize(.5*cp.sum_squares(y-X@x)+s1*cp.norm1(x)+s2*(np.abs(graph.data)@tie)))
    return problem.solve(solver="CLARABEL")


def beside_cvxpy(sizes):
    rows = []
    for n, p in sizes:
        X, y = grouped(n, p)
        Z, y = (X-X.mean(0))/X.std(0), y-y.mean()
        columns = as_columns(X)
        graph = correlation_graph(columns, .5)
        s = np.abs(Z.T@y).max()
        for name, kind in KINDS.items():
            def ours(kind=kind):
                return EdgeProblem(columns, y, Edges(graph, columns), kind).solve(.1*s, .05*s).value
            seconds, value = cpu_clock(ours, 3)
            cvxpy_seconds, best = cpu_clock(lambda kind=kind: by_cvxpy(Z, y, sp.triu(graph), .1*s, .05*s, kind), 1)
            rows.append(dict(n=n, p=p, edges=graph.nnz//2, method=name, seconds=seconds, cvxpy_seconds=cvxpy_seconds,
                             ratio=cvxpy_seconds/seconds, difference=value/best-1))
    return table(rows, "beside cvxpy with Clarabel")


def beside_sortedl1(sizes):
    rows = []
    for n, p in sizes:
        X, y = grouped(n, p)
        Z, y = (X-X.mean(0))/X.std(0), y-y.mean()
        s, columns = np.abs(Z.T@y).max(), as_columns(X)
        prices = .1*s+.1*s/(p-1)*np.arange(p-1, -1, -1.)
        seconds, x = cpu_clock(lambda: SortedProblem(as_columns(X), y).solve(.1*s, .1*s).x, 5)
        from sortedl1 import Slope
        def package(Z=Z):
            model = Slope(lam=prices, alpha=1/n, fit_intercept=False, tol=1e-10, centering="none", scaling="none")
            return np.ravel(model.fit(Z, y).coef_)
        package_seconds, other = cpu_clock(package, 5)
        whole_seconds, _ = cpu_clock(lambda: package((X-X.mean(0))/X.std(0)), 5)
        row = dict(n=n, p=p, adapter_seconds=seconds, package_seconds=package_seconds, scaled_and_package_seconds=whole_seconds,
                   difference=np.abs(x-other).max())
        if p <= 200:
            edges = Edges(1-np.eye(p), columns)
            row["own_seconds"], fitted = cpu_clock(lambda: EdgeProblem(columns, y, edges, "max").solve(.1*s, .1*s/(p-1)), 3)
            row["own_difference"] = np.abs(fitted.x-other).max()
        rows.append(row)
    return table(rows, "OSCAR on all pairs beside sortedl1")


def run(quick=False):
    result, here = {}, data_dir()
    result["cvxpy"] = beside_cvxpy([(200, 100)] if quick else [(200, 100), (200, 400)])
    result["sortedl1"] = beside_sortedl1([(200, 100)] if quick else [(200, 100), (200, 200), (500, 2000), (500, 10_000)])
    if not quick and here is not None and (here/"oracles").exists():
        rows = alg6(500, (("0.05", "0.05"), ("0.1", "0.05")))+alg6(1000, (("0.05", "0.05"),))
        result["alg6"] = table(mean_rows(rows), "Algorithm 6, means over seeds")
    return result
