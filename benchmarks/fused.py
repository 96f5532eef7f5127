"""GFlasso, OSCAR, ncFGS and ncTFGS beside the original C code (its numbers, from FSNB_DATA/oracles), cvxpy and sortedl1.

`alg6`: the thesis's Algorithm 6 at p = 500 and 1000, three seeds, by two graphs; hits, wrong features and processor seconds beside the
original at its default tolerance and at a tight one. `speed`: processor seconds of one fit beside those of the packages.
"""
import csv
from collections import defaultdict
from itertools import product

import numpy as np
import scipy.sparse as sp

from fsnb import OSCAR, GFlasso, NcFGS, NcTFGS, as_columns
from fsnb.linear import correlation_graph, equal_groups
from fsnb.linear.gflasso import SortedProblem
from fsnb.linear.graph import EdgeProblem, Edges

from .common import average, cpu, cpu_clock, table
from .datasets import data_dir
from .paperkit import standardized
from .records import origin

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

def algorithm6(seed, p, n=2048):
    "(X, y, true groups): 12 groups, 38 features, uniform weights; as many samples again are drawn for a test"
    rng = np.random.default_rng(seed)
    n_supports, n_true = len(SIZES), len(SIZES)+sum(SIZES)
    place = rng.permutation(p)[:n_true]
    X, at, groups = rng.standard_normal((p, 2*n)), n_supports, []
    for support, size in zip(place, SIZES):
        members = place[at:at+size]
        for j in members: X[j] = draw_member(rng, X[support])
        groups.append([int(support), *members.tolist()])
        at += size
    weights = np.zeros(p)
    weights[place] = rng.uniform(0, 1, n_true)
    return X[:, :n].T.copy(), np.where((weights@X)[:n] >= 0, 1., -1.), groups

def count_hits(found, truth):
    "Hits and wrong features as the oracle's files count them"
    found, true = [set(own) for own in found], set().union(*truth)
    hits = [max((len(set(own) & other) for other in found), default=0) for own in truth]
    wrong = len(set().union(*found)-true) if found else 0
    return dict(hits=sum(hits), wrong=wrong)

def read_oracle(p):
    "What the original C code found, by (seed, graph, method, prices) and tolerance"
    found = defaultdict(dict)
    with open(data_dir()/"oracles"/f"alg6_{p}.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            numbers = dict(hits="hits_magnitude", wrong="wrong_magnitude")
            own = {name: float(row[column]) for name, column in numbers.items() if row[column]}
            found[row["seed"], row["threshold"], row["method"], row["l1"], row["edge"]] |= {f"{name}_{row['tolerance']}": v for name, v in own.items()}
    return found

METHODS = dict(gflasso=GFlasso, goscar=OSCAR, ncFGS=NcFGS, ncTFGS=NcTFGS)

def alg6(p, levels):
    "Ours beside the original's rows, by seed, graph, level and method"
    oracle, rows = read_oracle(p), []
    for seed in (100, 101, 102):
        X, y, truth = algorithm6(seed, p)
        columns = as_columns(X)
        for threshold in ("0.3", "0.06"):
            graph = correlation_graph(columns, float(threshold))
            for (l1, edge), (method, make) in product(levels, METHODS.items()):
                model = make(None, alpha=float(l1), alpha_edges=float(edge), graph=graph, tol=1e-10)
                seconds, model = cpu(lambda: model.fit(columns, y))
                groups = equal_groups(np.where(model.scores_ > 1e-3*model.scores_.max(), model.coef_, 0))
                rows.append(dict(p=p, threshold=float(threshold), l1=float(l1), edge=float(edge), method=method, seconds=seconds,
                                 **count_hits(groups, truth), **oracle[str(seed), threshold, method, l1, edge]))
    return rows

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
        Z, y, columns = standardized(X), y-y.mean(), as_columns(X)
        graph = correlation_graph(columns, .5)
        s = np.abs(Z.T@y).max()
        for name, kind in KINDS.items():
            seconds, found = cpu_clock(lambda: EdgeProblem(columns, y, Edges(graph, columns), kind).solve(.1*s, .05*s))
            cvxpy_seconds, best = cpu(lambda: by_cvxpy(Z, y, sp.triu(graph), .1*s, .05*s, kind))
            rows.append(dict(n=n, p=p, edges=graph.nnz//2, method=name, seconds=seconds, cvxpy_seconds=cvxpy_seconds,
                             ratio=cvxpy_seconds/seconds, difference=found.value/best-1))
    return table(rows, "beside cvxpy with Clarabel")

def beside_sortedl1(sizes):
    from sortedl1 import Slope
    rows, made = [], origin()
    for n, p in sizes:
        X, y = grouped(n, p)
        Z, y = standardized(X), y-y.mean()
        s = np.abs(Z.T@y).max()
        prices = .1*s+.1*s/(p-1)*np.arange(p-1, -1, -1.)
        def package(Z):
            model = Slope(lam=prices, alpha=1/n, fit_intercept=False, tol=1e-10, centering="none", scaling="none")
            return np.ravel(model.fit(Z, y).coef_)
        seconds, found = cpu_clock(lambda: SortedProblem(as_columns(X), y).solve(.1*s, .1*s), 5)
        package_seconds, other = cpu_clock(lambda: package(Z), 5)
        whole_seconds, _ = cpu_clock(lambda: package((X-X.mean(0))/X.std(0)), 5)
        rows.append(dict(n=n, p=p, adapter_seconds=seconds, package_seconds=package_seconds, scaled_and_package_seconds=whole_seconds,
                         difference=np.abs(found.x-other).max(), **made))
    return table(rows, "OSCAR on all pairs beside sortedl1")

def run(quick=False):
    result, here = {}, data_dir()
    result["cvxpy"] = beside_cvxpy([(200, 100)] if quick else [(200, 100), (200, 400)])
    result["sortedl1"] = beside_sortedl1([(200, 100)] if quick else [(200, 100), (200, 200), (500, 2000), (500, 10_000)])
    if quick or here is None or not (here/"oracles").exists(): return result
    rows = alg6(500, (("0.05", "0.05"), ("0.1", "0.05")))+alg6(1000, (("0.05", "0.05"),))
    finished = [row for row in rows if {"hits_default", "hits_tight"} <= row.keys()]        # where the original ends at both tolerances
    return result | dict(alg6=table(average(finished, ("p", "threshold", "l1", "edge", "method"), "seeds"), "Algorithm 6, means over seeds"))
