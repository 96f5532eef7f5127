"""Thesis 2015, Table 4.2 and Figure 4.4: 12 groups of 38 features among 10,000 (its Algorithm 6, drawn anew).

Part (a), methods that group: hits, that is true members in the found group that answers for theirs, and wrong features
beside them. The fused methods have two prices and a graph: every setting of a grid is tried, and two are reported, the one with
the most hits less wrong, chosen on the very truth (which favours them), and the one whose members are the most accurate
on held-out samples. Part (b), methods that select twelve: right supports, right affiliates, wrong.

Three settings that the thesis does not print are varied: K_b, the supports of a round, from 1 to 12 (the rest takes `PER_ROUND`), the correlation
of the affiliated features with their support, and how mRMR's mutual information cuts the columns. Algorithm 6 draws the weights from U(0, 1),
`make_groups` by default from U(.25, 1): both stand side by side.
"""
import itertools

import numpy as np

import fsnb
from fsnb import FCBF, GDM, MRMR, RCFS, Discretizer, FilterBruteForce, make_groups
from fsnb.groups.metrics import strict_hits
from fsnb.linear import correlation_graph

from .common import average, cpu, table
from .paperkit import Eliminated, TunedL1, accuracy, drawn_task, fit_answer

GRID = tuple(itertools.product((.1, .12, .15, .2), (.01, .05, .2)))          # alpha, alpha_edges
THRESHOLDS = .3, .1                                                 # of the graphs
PER_ROUND = 6                                                       # K_b, where it is not what is varied
WEIGHTS = {"U(.25, 1)": "informative", "U(0, 1)": "uniform"}        # ours, and as Algorithm 6 prints them
COPIES = (.8, .97), (.75, .85), (.72, .9), (.7, .8)                 # correlations of affiliated features with their support; ours first
SCHEMES = "quotient", "difference"

def thesis(per_round=PER_ROUND, **given): return GDM.thesis2015(12, n_per_iter=per_round, **given)

# ---- part (a)

def grouped(task, members):
    "What is counted of an answer's groups"
    found = strict_hits(members, task.truth)
    every = np.unique(np.concatenate(members)) if len(members) else np.arange(1)
    return dict(hits=found.hits, wrong=found.wrong, exact=found.exact_groups, groups=len(members), accuracy=accuracy(task, every))

def fit_groups(task, model):
    "Seconds, what is counted, and the groups"
    seconds, model = cpu(lambda: model.fit(task.A, task.a))
    members = [list(map(int, own)) for own in model.groups_.members]
    return dict(seconds=seconds, **grouped(task, members), members=members)

def fused(task, quick):
    "The rows of the four fused methods, two settings each; all graphs come from one survey"
    survey, graph = cpu(lambda: correlation_graph(task.A, min(THRESHOLDS)))
    graphs = [graph*(abs(graph) >= threshold) for threshold in THRESHOLDS[:1 if quick else None]]
    grid = GRID[1::3] if quick else GRID
    def over(name, pairs):
        return [fit_groups(task, getattr(fsnb, name)(None, alpha=alpha, alpha_edges=edge, graph=pairs)) for alpha, edge in grid]
    for name in ("GFlasso", "NcFGS", "NcTFGS", "OSCAR"):
        over_graphs = [dict(row, seconds=row["seconds"]+survey) for pairs in graphs for row in over(name, pairs)]
        all_pairs = over(name, None) if name == "OSCAR" else []
        rules = {"by the truth": lambda row: row["hits"]-row["wrong"], "by accuracy": lambda row: row["accuracy"]}
        for chosen, value in rules.items():
            yield dict(max(over_graphs+all_pairs, key=value), method=name.replace("N", "n"), chosen=chosen)
            if all_pairs: yield dict(max(all_pairs, key=value), method="OSCAR, all pairs", chosen=chosen)

def grouping(task, quick):
    "Part (a) for one seed"
    made = {"GDM, as in the thesis": thesis(), "GDM": GDM(12), "ten-line filter": FilterBruteForce(12, tau=.35)}
    for name, model in made.items(): yield dict(fit_groups(task, model), method=name, chosen="its default")
    yield from fused(task, quick)

# ---- part (b)

def selectors():
    "name -> models of twelve features; where there are several, the one with the fewest wrong is kept"
    return {"GDM tau=0": [thesis(tau=None)], "mRMR, correlations": [MRMR(12, scheme=scheme) for scheme in SCHEMES],
            "FCBF": [FCBF(12), FCBF.icml2003(12)], "RCFS": [RCFS(12, tau=tau, standardize=True) for tau in (.1, .3, .5)],
            "SVM-RFE": [Eliminated(12)], "L1-SVM": [TunedL1(12)], "GDM, supports": [thesis()], "GDM, package defaults, supports": [GDM(12)],
            "ten-line filter, supports": [FilterBruteForce(12)]}

def counted(task, support):
    "Right supports, right affiliates, wrong: the form of Table 4.2 (b)"
    supports, every = {m[0] for m in task.truth}, set().union(*map(set, task.truth))
    own = set(np.asarray(support).tolist())
    return dict(supports=len(own & supports), affiliates=len(own & (every-supports)), wrong=len(own-every),
                groups=sum(bool(own & set(m)) for m in task.truth), accuracy=accuracy(task, np.array(sorted(own))))

def fit_counted(task, model):
    "Seconds, and what is counted of twelve features"
    seconds, answer = fit_answer(model, task)
    return dict(seconds=seconds, **counted(task, answer.support[:12]))

def selection(task):
    "Part (b) for one seed"
    for name, models in selectors().items():
        yield dict(min((fit_counted(task, model) for model in models), key=lambda row: row["wrong"]), method=name)

# ---- what the thesis leaves open

def over_rounds(task):
    "The printed algorithm at each K_b, and the package's default"
    for size, model in ({size: thesis(size) for size in range(1, 13)} | {"package": GDM(12)}).items():
        row = fit_groups(task, model)
        del row["members"]
        yield dict(row, per_round=str(size))

def over_discretisations(task):
    "mRMR by correlations, and by mutual information of three states and of ten bins of equal width; FCBF beside it"
    made = {"correlations": {}, "three states": dict(measure="mutual_info", discretizer="states"),
            "ten bins": dict(measure="mutual_info", discretizer=Discretizer("width"))}
    models = {(name, scheme): MRMR(12, scheme=scheme, **given) for name, given in made.items() for scheme in SCHEMES}
    models |= {("FCBF", ""): FCBF(12), ("FCBF of its paper", ""): FCBF.icml2003(12)}
    for (name, scheme), model in models.items(): yield dict(fit_counted(task, model), measure=name, scheme=scheme)

def over_copies(seed, n, p):
    "The printed algorithm's hits, and the right supports of GDM without its constraint and of the L1-SVM, at each correlation of the copies"
    for rho, (weights, law) in itertools.product(COPIES, WEIGHTS.items()):
        task, named = drawn_task("thesis2015", seed, n, p, weights=law, rho=rho), dict(weights=weights, rho=f"{rho[0]:g} to {rho[1]:g}")
        answer = thesis().fit(task.A, task.a)
        yield dict(named, method="GDM, as in the thesis", **grouped(task, answer.groups_.members))
        for name, model in (("GDM tau=0", thesis(tau=None)), ("L1-SVM", TunedL1(12))):
            yield dict(named, method=name, **counted(task, fit_answer(model, task)[1].support[:12]))

# ---- all of it

def averaged(rows, *keys):
    "Means over the seeds, and the most wrong features of one"
    return table(average(rows, keys, "seeds", also=lambda own: dict(wrong_most=float(max(row["wrong"] for row in own)))), " ".join(keys))

def run(quick=False):
    n, p, seeds = (500, 1000, 1) if quick else (2048, 10_000, 10)
    made = make_groups(100, 60, (2, 1), random_state=0)
    GDM(2).fit(made.X, made.y)                                      # compiles
    a, b, rounds, mrmr, copies = [], [], [], [], []
    for seed in range(seeds):
        for weights, law in WEIGHTS.items():
            task = drawn_task("thesis2015", seed, n, p, weights=law)
            rounds += [dict(row, weights=weights, seed=seed) for row in over_rounds(task)]
            mrmr += [dict(row, weights=weights) for row in over_discretisations(task)]
        task = drawn_task("thesis2015", seed, n, p)
        a += grouping(task, quick)
        b += selection(task)
        copies += over_copies(seed, n, p)
        if seed == 0: figure44 = dict(truth=task.truth, found={row["method"]: row["members"] for row in a if row["chosen"] != "by accuracy"})
    return dict(n=n, p=p, seeds=seeds, a=averaged(a, "method", "chosen"), b=averaged(b, "method"), rounds=averaged(rounds, "weights", "per_round"),
                mrmr=averaged(mrmr, "weights", "measure", "scheme"), copies=averaged(copies, "weights", "rho", "method"),
                every_rounds=rounds, figure44=figure44)
