"""GFlasso, OSCAR, ncFGS and ncTFGS beside the original C code (its numbers, from FSNB_DATA/oracles), cvxpy and sortedl1.

`oracle`: ten problems by four price levels; how far objectives and coefficients are from the original's at tight tolerance. `concave`:
the same by two starts; where ours ends beside the original and beside the rule that gives zeros the sign of their slope.
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
from fsnb.linear.ncfgs import ConcaveProblem

from .common import cpu_clock, table
from .datasets import data_dir

KINDS = dict(gflasso="difference", goscar="max")
SIZES = 5, 5, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0


def problems():
    "The ten problems of the oracle"
    for path in sorted((data_dir()/"oracles").glob("fgsg_*.npz")):
        data = np.load(path, allow_pickle=True)
        columns = as_columns(data["X"])
        graph = sp.coo_array((data["weights"], tuple(data["edges"].T)), shape=2*(columns.n_features,))
        yield int(path.stem[-2:]), data, columns, data["y"], Edges(graph+graph.T, columns)


def oracle():
    "Convex problems beside the original's tight numbers and its defaults"
    worst = defaultdict(lambda: defaultdict(float))
    for _, data, columns, y, edges in problems():
        for name, kind in KINDS.items():
            for level, (s1, s2) in enumerate(zip(data["s1"], data["s2"])):
                problem = EdgeProblem(columns, y, edges, kind, standardize=False)
                seconds, fitted = cpu_clock(lambda: problem.solve(s1, s2), 1)
                value, own = fitted.value, worst[name]
                told = dict(objective=abs(value/data[name+"_obj"][level]-1), gap=fitted.gap/value,
                            objective_default=data[name+"_obj_default"][level]/value-1,
                            coefficients=np.abs(fitted.x-data[name+"_x"][level]).max()/np.abs(fitted.x).max(),
                            steps=fitted.n_iter, cpu_seconds=seconds)
                for key, number in told.items(): own[key] = max(own[key], number)
                own["problems"] += 1
    return table([dict(method=name, **own) for name, own in worst.items()], "the most of any problem, relative to ours")


def concave():
    "Where the concave ones end, in all 160 cases"
    rows = []
    for name in ("ncFGS", "ncTFGS"):
        for start in (0, 1):
            row = dict(method=name, start=("zero", "ridge")[start], cases=0, below_original=0, as_original=0, above_original=0,
                       below_escape=0, above_escape=0, above_both=0, cpu_seconds=0.)
            for _, data, columns, y, edges in problems():
                for level, (s1, s2) in enumerate(zip(data["s1"], data["s2"])):
                    truncation = float(data["tau"]) if name == "ncTFGS" else None
                    scale = truncation or 1
                    problem = ConcaveProblem(columns, y, edges, truncation, standardize=False)
                    seconds, found = cpu_clock(lambda: problem.solve(s1/scale, s2/scale, data["starts"][start]), 1)
                    original, escape = (data[f"{name}_obj{tail}"][level, start] for tail in ("", "_escape"))
                    row["cases"] += 1
                    row["below_original"] += found.value < original*(1-1e-6)
                    row["above_original"] += found.value > original*(1+1e-6)
                    row["below_escape"] += found.value < escape*(1-1e-6)
                    row["above_escape"] += found.value > escape*(1+1e-6)
                    row["above_both"] += found.value > max(original, escape)*(1+1e-9)
                    row["cpu_seconds"] += seconds
            row["as_original"] = row["cases"]-row["below_original"]-row["above_original"]
            rows.append({key: value if isinstance(value, str) else round(float(value), 2) for key, value in row.items()})
    return table(rows, "where the steps end")


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
    "Means over the seeds that the original finished at both tolerances, by graph, level and method"
    groups = defaultdict(list)
    for row in rows:
        if not {"hits_default", "hits_tight"} <= row.keys(): continue
        groups[(row["p"], row["threshold"], row["l1"], row["edge"], row["method"])].append(row)
    out = []
    for key, own in groups.items():
        told = dict(zip(("p", "threshold", "l1", "edge", "method"), key), seeds=len(own))
        for name in ("hits", "wrong", "exact", "seconds", "hits_default", "wrong_default", "seconds_default", "hits_tight", "wrong_tight",
                     "seconds_tight"):
            values = [row[name] for row in own if name in row]
            if values: told[name] = round(float(np.mean(values)), 3)
        for tolerance in ("default", "tight"):
            above = [row["objective_"+tolerance]/row["objective"]-1 for row in own if "objective_"+tolerance in row]
            if above: told["above_"+tolerance] = max(above)
        out.append(told)
    return out


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


def large(quick):
    "p = 1e4 dense and p = 1e5 sparse: the graph and each method"
    rows = []
    X, y = grouped(500, 1000 if quick else 10_000)
    p = 5_000 if quick else 100_000
    base = sp.random(2000, p//2, .005, format="csc", random_state=0)
    sparse = sp.hstack([base, 1.5*base]).tocsc()+sp.random(2000, p, .0002, format="csc", random_state=2)
    target = np.where(np.asarray(base[:, :5].sum(1)).ravel() > 0, 1, -1)
    for name, X, y, threshold in (("dense", X, y, .5), ("sparse", sparse, target, .6)):
        columns = as_columns(X)
        survey_seconds, graph = cpu_clock(lambda: correlation_graph(columns, threshold), 1)
        for maker in (GFlasso, OSCAR, NcFGS, NcTFGS):
            model = maker(None, alpha=.5, graph=graph)
            seconds, model = cpu_clock(lambda: model.fit(columns, y), 1)
            rows.append(dict(data=name, n=X.shape[0], p=X.shape[1], edges=graph.nnz//2, graph_seconds=survey_seconds, method=maker.__name__,
                             seconds=seconds, gap=model.gap_, nonzero=int((model.coef_ != 0).sum()), groups=len(model.groups_)))
    return table(rows, "many features")


def run(quick=False):
    result, here = {}, data_dir()
    levels = (("0.05", "0.05"), ("0.1", "0.05"))
    result["cvxpy"] = beside_cvxpy([(200, 100)] if quick else [(200, 100), (200, 400)])
    result["sortedl1"] = beside_sortedl1([(200, 100)] if quick else [(200, 100), (200, 200), (500, 2000), (500, 10_000)])
    result["large"] = large(quick)
    if here is not None and (here/"oracles").exists():
        result |= dict(oracle=oracle(), concave=concave())
        if not quick:
            rows = alg6(500, levels)+alg6(1000, levels[:1])
            result["alg6"] = table(mean_rows(rows), "Algorithm 6, means over seeds")
    return result
