"""ICML 2012, its figures: accuracy, CPU time and redundancy against the number of features, all rivals.

Figure 2: its section 4.1 (2048 x 10,000, at the small size 1024 x 4000; 200 groups of which 30 have several members), drawn anew; MethodA is told the groups
and sees one column of each. Figures 3 to 5: mnist 3 against 8 is the paper's set, of which the small size takes 1,000 rows to
fit; the others stand in for what cannot be had here (`STANDS_FOR`). Figure 6: which pixels of the digits 0 and 1 are taken. Figure 1: pixels that tell
two persons apart.

"""
import numpy as np
from sklearn.model_selection import StratifiedKFold

from fsnb import (
    FCBF,
    GDM,
    MRMR,
    RCFS,
    Discretizer,
    FilterBruteForce,
    ReliefF,
    make_groups,
)

from .common import table
from .datasets import available, extras, load
from .paperkit import (
    Eliminated,
    Method,
    Task,
    TunedL1,
    accuracy,
    fit_answer,
    judge,
    means,
    run_method,
    run_parts,
    signed,
    split_task,
)

KS = 10, 20, 50, 100, 200
TAU = .25                      # as the paper has it
STANDS_FOR = {"mnist_3v8": "mnist", "usps": "usps (the paper's is a larger file)", "farm_ads": "kdd2010",
              "ng20_bigram_dev": "webspam"}


def rounds(k):
    "How many features a round may bring: the paper runs ten rounds and does not say how they come to k"
    return {f"{size} a round": size for size in sorted({max(1, k//10), max(1, k//3), k})}


def gdm_loop(constrained):
    return lambda k: {name: GDM.icml2012(k, n_per_iter=size, tau=TAU if constrained else None)
                      for name, size in rounds(k).items()}


SCHEMES = "quotient", "difference"
CUTS = {"three states": "states", "ten bins": Discretizer("width")}       # the papers do not say how columns are cut for mutual information

def by_information(k):
    "mRMR of mutual information, with each of `CUTS`"
    return {f"{name}, {scheme}": MRMR(k, scheme=scheme, measure="mutual_info", discretizer=cut) for name, cut in CUTS.items() for scheme in SCHEMES}


def methods(full):
    "The paper's eight, the package's defaults, and the simple baseline"
    made = [Method("mRMR", by_information, nested=True),
            Method("mRMR, correlations", lambda k: {scheme: MRMR(k, scheme=scheme) for scheme in SCHEMES}, nested=True),
            Method("FCBF", lambda k: {"its defaults": FCBF(), "as in its paper": FCBF.icml2003()}, nested=True)]
    some = {} if full else dict(n_targets=200)
    near = (1, 10, 100) if full else (10, 100)
    made += [Method("ReliefF", lambda k: {f"{count} neighbours": ReliefF(k, n_neighbors=count, random_state=0, **some) for count in near}, nested=True, most=10_000),
             Method("RCFS", lambda k: {f"tau={tau}": RCFS(k, tau=tau, standardize=True) for tau in (TAU, .5)}, most=10_000),
             Method("SVM-RFE", lambda k: {"a quarter a step": Eliminated(k)}, nested=True, most=10**9 if full else 20_000)]
    return made+[Method("L1-SVM", lambda k: {"C tuned to k": TunedL1(k)}),
                 Method("FGM", gdm_loop(False)),
                 Method("GDM", gdm_loop(True), grouped=True),
                 Method("GDM, package defaults", lambda k: {"": GDM(k)}, grouped=True),
                 Method("ten-line filter", lambda k: {f"tau={tau}": FilterBruteForce(k, tau=tau) for tau in (TAU, .5)}, grouped=True)]


# ---- Figure 2 ------------------------------------------------------------------------------------

def drawn(seed, n, p):
    "The set of section 4.1 as a task"
    data = make_groups(n, p, preset="icml2012", random_state=seed)
    return Task("icml2012", data.X, signed(data.y), data.X_test, signed(data.y_test), [m.tolist() for m in data.groups.members])


def told_groups(task, ks):
    "MethodA: the affiliated columns are taken out by the truth, and the plain loop runs on the rest"
    out = np.concatenate([members[1:] for members in task.truth]).astype(int)
    left = np.setdiff1d(np.arange(task.p), out)
    small = Task(task.name, task.A[:, left], task.a, task.B[:, left], task.b,
                 [[int(np.searchsorted(left, members[0]))] for members in task.truth])
    return [dict(row, method="MethodA (told the groups)") for row in run_method(Method("", gdm_loop(False)), small, ks)]


def ceiling(task):
    "Accuracy of the same judge on the true features, all and one a group: what no selection can be expected to pass"
    every = np.concatenate([np.asarray(members) for members in task.truth])
    firsts = np.array([members[0] for members in task.truth])
    return dict(all_true=accuracy(task, every), one_a_group=accuracy(task, firsts), all_features=accuracy(task, np.arange(task.p)))


def one_seed(seed, quick, full):
    "Rows of all methods on the set of one seed"
    n, p, ks = (300, 1000, KS[:3]) if quick else (2048, 10_000, KS) if full else (1024, 4000, KS)
    task = drawn(seed, n, p)
    rows = [row for method in methods(full) for row in run_method(method, task, ks)]
    return dict(rows=rows+told_groups(task, ks), ceiling=dict(ceiling(task), n=n, p=p))


# ---- Figures 3 to 5 ------------------------------------------------------------------------------

def splits_of(name, full):
    "mnist comes with its own split; the others are halved"
    return 5 if full and name != "mnist_3v8" else 1


def real_task(name, seed, quick, full):
    "One split of a set"
    X, y, _ = load(name, classes=(0, 1)) if name == "usps" else load(name)
    if name != "mnist_3v8": return split_task(name, X, y, seed)
    first = int(extras(name)["n_train"])
    rows = np.arange(first) if full else np.random.default_rng(0).permutation(first)[:300 if quick else 1000]
    return Task(name, X[rows], signed(y[rows]), X[first:], signed(y[first:]))


def one_split(name, seed, quick, full):
    "Rows of all methods on one split of a set, and its shape"
    task = real_task(name, seed, quick, full)
    rows = [row for method in methods(full) for row in run_method(method, task, KS[:2] if quick else KS)]
    return dict(rows=rows, shape=dict(data=name, stands_for=STANDS_FOR[name], n_train=len(task.a), n_test=len(task.b), p=task.p,
                                      largest_class=float(max(np.mean(task.b > 0), np.mean(task.b < 0)))))


# ---- Figure 6 ------------------------------------------------------------------------------------

def digits(quick, k=26):
    "Which of the 256 pixels each method takes; the paper's 70 are of 676, the same share here is 26"
    if "usps" not in available(): return {}
    X, y, _ = load("usps", classes=(0, 1))
    task = split_task("usps", X, y, 0)
    taken = {}
    for method in methods(False):
        if method.most < task.p: continue
        name, make = max(method.settings(k).items(), key=lambda item: judge(task, fit_answer(item[1], task)[1], k)["accuracy"])
        answer = fit_answer(make, task)[1]
        taken[method.name] = answer.support[:k].tolist()
        if method.grouped: taken[f"{method.name}, all members"] = answer.members.tolist()
    pictures = {str(label): X[y == sign].mean(0).round(2).tolist() for label, sign in ((0, -1), (1, 1))}
    return dict(taken=taken, means=pictures, k=k)


# ---- Figure 1 ------------------------------------------------------------------------------------

def together(pixels, side=32):
    "Share of the pixels that have another one of them above, below or beside"
    taken = np.zeros((side+2, side+2), dtype=bool)
    rows, columns = np.divmod(np.asarray(pixels), side)
    taken[rows+1, columns+1] = True
    beside = taken[:-2, 1:-1] | taken[2:, 1:-1] | taken[1:-1, :-2] | taken[1:-1, 2:]
    return float(beside[rows, columns].mean())


def two_faces(X, y, a, b, rng, k=10):
    "Pixels that tell person a from person b, how well on pictures held out, and whether they lie together"
    own = np.flatnonzero((y == a) | (y == b))
    X, y = X[own].astype(float), np.where(y[own] == a, -1., 1.)
    def fitted(rows): return fit_answer(GDM.icml2012(k, n_per_iter=k//2, tau=TAU), Task("ORL", X[rows], y[rows], X, y))[1]
    right = []
    for train, test in StratifiedKFold(5).split(X, y):
        right.append(accuracy(Task("ORL", X[train], y[train], X[test], y[test]), fitted(train).support))
    answer = fitted(np.arange(len(y)))
    affiliated = np.setdiff1d(answer.members, answer.support)
    by_chance = [together(rng.permutation(X.shape[1])[:len(affiliated)]) for _ in range(20)] if len(affiliated) else [0.]
    return dict(a=int(a), b=int(b), accuracy=float(np.mean(right)), supports=answer.support.tolist(), affiliated=affiliated.tolist(),
                supports_together=together(answer.support), affiliated_together=together(affiliated) if len(affiliated) else 0.,
                chance_together=float(np.mean(by_chance)), faces=[X[y == sign].mean(0).round().astype(int).tolist() for sign in (-1, 1)])


def figure1(quick):
    "The file of faces has no labels but the persons: each is told from the next one"
    if "ORL" not in available(): return []
    X, y, _ = load("ORL")
    persons, rng = np.unique(y), np.random.default_rng(0)
    rows = [two_faces(X, y, a, b, rng) for a, b in zip(persons, np.roll(persons, -1))][:2 if quick else None]
    for row in rows[3:]: del row["faces"]
    return rows


# ---- all of it -----------------------------------------------------------------------------------

ALONE = dict(figure1=figure1, figure6=digits)        # parts that are the same at both sizes

def plan(quick, full):
    "(part, seed or split) of all parts"
    yield from ((name, 0) for name in ALONE)
    yield from (("figure2", seed) for seed in range(10 if full else 1))
    yield from ((name, seed) for name in STANDS_FOR if name in available() for seed in range(splits_of(name, full)))


def measured(part, seed, quick, full):
    "What one part of the plan says"
    if part in ALONE: return dict(found=ALONE[part](quick))
    return (one_seed(seed, quick, full) if part == "figure2" else one_split(part, seed, quick, full)) | dict(full=full)


def leads(seeds, base="GDM"):
    "Accuracy of each method less GDM's on the same drawn set, in points: mean over the seeds, and its standard error"
    found = {}
    for part in seeds:
        own = {(row["method"], row["k"]): row["accuracy"] for row in part["rows"]}
        for (method, k), value in own.items():
            if method != base: found.setdefault((method, k), []).append(100*(value-own[base, k]))
    return [dict(method=method, k=k, seeds=len(values), lead=float(np.mean(values)),
                 error=float(np.std(values, ddof=1)/len(values)**.5) if len(values) > 1 else None) for (method, k), values in found.items()]


def summary(parts, size):
    "Means over the seeds and splits that are there"
    sets = [name for name in STANDS_FOR if parts.of(name)]
    best = [part["ceiling"] for part in parts.of("figure2")]
    whole = {key: float(np.mean([row[key] for row in best])) for key in best[0]}
    whole |= dict(n=best[0]["n"], p=best[0]["p"], seeds=len(best))
    shapes = [dict(parts.of(name)[0]["shape"], splits=len(parts.of(name)), full=parts.of(name)[0]["full"]) for name in sets]
    return dict(size=size, sizes={name: dict(full=parts.of(name)[0]["full"], runs=len(parts.of(name))) for name in ["figure2", *sets]},
                figure2=table(means(parts.rows("figure2")), f"ICML Figure 2, {len(best)} seeds"), ceiling=whole,
                leads=leads(parts.of("figure2")),
                figures3to5=table(means([row for name in sets for row in parts.rows(name)]), "ICML Figures 3 to 5") if sets else [],
                shapes=shapes, cpu_minutes=parts.minutes(), **{name: parts.of(name)[0]["found"] for name in ALONE})


def run(quick=False, full=False): return run_parts("icml2012", plan, measured, summary, quick, full)
