"""Thesis 2015, Table 4.2 and Figure 4.4: 12 groups of 38 features among 10,000 (its Algorithm 6, drawn anew).

Part (a), methods that group: hits, that is true members in the found group that answers for theirs, and wrong features
beside them. The fused methods have two prices and a graph: every setting of `GRID` is tried, and two are reported, the one with
the most hits less wrong, chosen on the very truth (which favours them), and the one whose members are the most accurate
on held-out samples. Part (b), methods that select twelve: right supports, right affiliates, wrong.

Three settings that the thesis does not print are varied: K_b, the supports of a round, from 1 to 12 (the rest takes `PER_ROUND`), the correlation
of the affiliated features with their support, and how mRMR's mutual information cuts the columns. Algorithm 6 draws the weights from U(0, 1), `make_groups` by default from U(.25, 1): both stand side by side.

"""
import itertools

import numpy as np

from fsnb import (
    FCBF,
    GDM,
    MRMR,
    OSCAR,
    RCFS,
    Discretizer,
    FilterBruteForce,
    GFlasso,
    NcFGS,
    NcTFGS,
    make_groups,
)
from fsnb.groups.metrics import strict_hits
from fsnb.linear import correlation_graph

from .common import average, table
from .paperkit import (
    Eliminated,
    Task,
    TunedL1,
    accuracy,
    cpu,
    fit_answer,
    run_parts,
    signed,
)

ALPHAS, EDGES, THRESHOLDS = (.1, .12, .15, .2), (.01, .05, .2), (.3, .1)        # the small size takes the second edge and .3
PER_ROUND = 6                                                       # K_b, where it is not what is varied
WEIGHTS = {"U(.25, 1)": "informative", "U(0, 1)": "uniform"}        # ours, and as Algorithm 6 prints them
COPIES = (.8, .97), (.75, .85), (.72, .9), (.7, .8)                 # correlations of affiliated features with their support; ours first
FUSED = {"GFlasso": GFlasso, "ncFGS": NcFGS, "ncTFGS": NcTFGS, "OSCAR": OSCAR}


def drawn(seed, n, p, weights="U(.25, 1)", rho=COPIES[0]):
    data = make_groups(n, p, preset="thesis2015", rho=rho, weights=WEIGHTS[weights], random_state=seed)
    return Task("thesis2015", data.X, signed(data.y), data.X_test, signed(data.y_test), [m.tolist() for m in data.groups.members])


# ---- part (a) ------------------------------------------------------------------------------------

def grouped(task, members):
    "What is counted of an answer's groups"
    found = strict_hits(members, task.truth)
    every = np.array(sorted(set().union(*map(set, members)))) if len(members) else np.arange(1)
    return dict(hits=found.hits, wrong=found.wrong, exact=found.exact_groups, groups=len(members), accuracy=accuracy(task, every))


def graphs_of(task, full):
    "(name, pairs, seconds of the survey): the graphs of the grid, all from one survey"
    thresholds = THRESHOLDS if full else THRESHOLDS[:1]
    seconds, graph = cpu(lambda: correlation_graph(task.A, min(thresholds)))
    for threshold in thresholds:
        yield f"edges above {threshold}", graph*(abs(graph) >= threshold), seconds


def fused(task, full):
    "The rows of the four methods, two settings each"
    grid = list(itertools.product(ALPHAS, EDGES if full else EDGES[1:2]))
    graphs = list(graphs_of(task, full))
    for name, make in FUSED.items():
        found = []
        for graph_name, pairs, graph_seconds in graphs+([("all pairs", None, 0.)] if name == "OSCAR" else []):
            for alpha, edge in grid:
                seconds, model = cpu(lambda: make(None, alpha=alpha, alpha_edges=edge, graph=pairs).fit(task.A, task.a))
                setting = f"{graph_name}, alpha={alpha}, alpha_edges={edge}"
                found.append(dict(method=name, setting=setting, graph=graph_name, seconds=seconds+graph_seconds,
                                  **grouped(task, model.groups_.members), members=[list(map(int, m)) for m in model.groups_.members]))
        for chosen, value in (("by the truth", lambda row: row["hits"]-row["wrong"]), ("by accuracy", lambda row: row["accuracy"])):
            yield dict(max(found, key=value), chosen=chosen)
            if name == "OSCAR":
                own = [row for row in found if row["graph"] == "all pairs"]
                yield dict(max(own, key=value), method="OSCAR, all pairs", chosen=chosen)


def grouping(task, full):
    "Part (a) for one seed"
    made = {"GDM, as in the thesis": GDM.thesis2015(12, n_per_iter=PER_ROUND), "GDM": GDM(12), "ten-line filter": FilterBruteForce(12, tau=.35)}
    for name, model in made.items():
        seconds, model = cpu(lambda: model.fit(task.A, task.a))
        yield dict(method=name, chosen="its default", setting="", seconds=seconds, **grouped(task, model.groups_.members),
                   members=[list(map(int, m)) for m in model.groups_.members])
    yield from fused(task, full)


# ---- part (b) ------------------------------------------------------------------------------------

def selectors():
    "name -> models of twelve features; where there are several, the one with the most right is kept"
    made = {"GDM tau=0": [GDM.thesis2015(12, tau=None, n_per_iter=PER_ROUND)],
            "mRMR, correlations": [MRMR(12, scheme=scheme) for scheme in ("quotient", "difference")],
            "FCBF": [FCBF(12), FCBF.icml2003(12)], "RCFS": [RCFS(12, tau=tau, standardize=True) for tau in (.1, .3, .5)], "SVM-RFE": [Eliminated(12)]}
    return made | {"L1-SVM": [TunedL1(12)], "GDM, supports": [GDM.thesis2015(12, n_per_iter=PER_ROUND)], "GDM, package defaults, supports": [GDM(12)],
                   "ten-line filter, supports": [FilterBruteForce(12)]}


def counted(task, support):
    "Right supports, right affiliates, wrong: the form of Table 4.2 (b)"
    supports, every = {m[0] for m in task.truth}, set().union(*map(set, task.truth))
    own = set(np.asarray(support).tolist())
    return dict(supports=len(own & supports), affiliates=len(own & (every-supports)), wrong=len(own-every),
                groups=sum(bool(own & set(m)) for m in task.truth), accuracy=accuracy(task, np.array(sorted(own))))


def selection(task):
    "Part (b) for one seed"
    for name, models in selectors().items():
        found = []
        for model in models:
            seconds, answer = fit_answer(model, task)
            found.append(dict(method=name, seconds=seconds, **counted(task, answer.support[:12])))
        yield min(found, key=lambda row: row["wrong"])
        print(name, flush=True)


# ---- what the thesis leaves open ------------------------------------------------------------------

def over_rounds(task, weights):
    "The printed algorithm at each K_b, and the package's default"
    made = {size: GDM.thesis2015(12, n_per_iter=size) for size in range(1, 13)} | {"package": GDM(12)}
    for size, model in made.items():
        seconds, model = cpu(lambda: model.fit(task.A, task.a))
        yield dict(weights=weights, per_round=str(size), seconds=seconds, **grouped(task, model.groups_.members))


def over_discretisations(task, weights):
    "mRMR by correlations, and by mutual information of three states and of ten bins of equal width; FCBF beside it"
    made = dict(measure="correlation"), dict(measure="mutual_info", discretizer="states"), dict(measure="mutual_info", discretizer=Discretizer("width"))
    models = [(name, scheme, MRMR(12, scheme=scheme, **given)) for name, given in zip(("correlations", "three states", "ten bins"), made)
              for scheme in ("quotient", "difference")]
    for name, scheme, model in models+[("FCBF", "", FCBF(12)), ("FCBF of its paper", "", FCBF.icml2003(12))]:
        seconds, answer = fit_answer(model, task)
        yield dict(weights=weights, measure=name, scheme=scheme, seconds=seconds, **counted(task, answer.support[:12]))


def over_copies(seed, n, p):
    "The printed algorithm's hits, and the right supports of GDM without its constraint and of the L1-SVM, at each correlation of the copies"
    for rho, weights in itertools.product(COPIES, WEIGHTS):
        task, named = drawn(seed, n, p, weights, rho), dict(weights=weights, rho=f"{rho[0]:g} to {rho[1]:g}")
        model = GDM.thesis2015(12, n_per_iter=PER_ROUND).fit(task.A, task.a)
        yield dict(named, method="GDM, as in the thesis", **grouped(task, model.groups_.members))
        for name, model in (("GDM tau=0", GDM.thesis2015(12, tau=None, n_per_iter=PER_ROUND)), ("L1-SVM", TunedL1(12))):
            yield dict(named, method=name, **counted(task, fit_answer(model, task)[1].support[:12]))


# ---- both ----------------------------------------------------------------------------------------

def averaged(rows, keys):
    "Means over the seeds, the most wrong features of one, and the settings"
    return average(rows, keys, "seeds", also=lambda own: dict(
        wrong_most=float(max(row["wrong"] for row in own)), setting=" | ".join(sorted({row.get("setting", "") for row in own}))))


OPEN = {"rounds": over_rounds, "mrmr": over_discretisations}

def plan(quick, full):
    "(part, seed) of all parts"
    yield from itertools.product((*OPEN, "copies", "b", "a"), range(1 if quick else 10 if full else 2))


def measured(part, seed, quick, full):
    "The rows of a part for one seed, and the truth"
    warm()
    n, p = (500, 1000) if quick else (2048, 10_000)
    task = drawn(seed, n, p)
    if part == "copies": rows = list(over_copies(seed, n, p))
    elif part in OPEN: rows = [row for weights in WEIGHTS for row in OPEN[part](drawn(seed, n, p, weights), weights)]
    else: rows = list(grouping(task, full) if part == "a" else selection(task))
    return dict(rows=[dict(row, seed=seed) for row in rows], truth=task.truth, n=n, p=p, full=full)


def warm():
    "Compiles, so that no seed pays for it"
    data = make_groups(100, 60, (2, 1), random_state=0)
    GDM(2).fit(data.X, data.y)


def summary(parts, size):
    "Means over the seeds that are there"
    a, b, first = parts.rows("a"), parts.rows("b"), parts.of("a")[0]
    figure44 = dict(truth=first["truth"], found={row["method"]: row["members"] for row in first["rows"] if row["chosen"] != "by accuracy"})
    every = [{key: value for key, value in row.items() if key != "members"} for row in a]
    part_a, part_b = averaged(every, ("method", "chosen")), averaged(b, ("method",))
    rounds, mrmr = averaged(parts.rows("rounds"), ("weights", "per_round")), averaged(parts.rows("mrmr"), ("weights", "measure", "scheme"))
    copies = table(averaged(parts.rows("copies"), ("weights", "rho", "method")), "correlation of the copies")
    table(rounds, "K_b, supports a round"), table(mrmr, "mRMR")
    table([{k: v for k, v in row.items() if k != "setting"} for row in part_a], f"Table 4.2 (a), {len(parts.of('a'))} seeds; hits of 38")
    table(part_b, f"Table 4.2 (b), {len(parts.of('b'))} seeds")
    return dict(size=size, n=first["n"], p=first["p"], seeds=len(parts.of("a")), seeds_b=len(parts.of("b")),
                full_a=first["full"], full_b=parts.of("b")[0]["full"], a=part_a, b=part_b, rounds=rounds, mrmr=mrmr, copies=copies,
                every_rounds=parts.rows("rounds"), figure44=figure44, cpu_minutes=parts.minutes())


def run(quick=False, full=False): return run_parts("table42", plan, measured, summary, quick, full)
