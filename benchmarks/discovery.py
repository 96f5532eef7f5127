"""Thesis 2015, chapter 4: Table 4.1 (time against sizes), Figures 2.7, 4.1 (pairs), 4.5 to 4.8 (four real sets) and 4.9 (SNPs), Table 4.3, appendix i.

None of its four sets can be had here. `STANDS_FOR` says what stands in; the last two are generated, a hundredth of the shape.

"""
import functools
import itertools

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import LinearSVC

from fsnb import GDM, FilterBruteForce, make_groups
from fsnb.correlation import Positional, SymmetricalUncertainty
from fsnb.correlation.survey import survey_pairs

from .common import average, table
from .datasets import available, load
from .paperkit import (
    Eliminated,
    Method,
    TunedL1,
    cpu,
    fit_answer,
    means,
    run_method,
    run_parts,
    split_task,
)
from .rivals import label, plant

KS = 10, 20, 50, 100                               # ten rounds of 1 to 10 supports
STANDS_FOR = {"ng20_bigram_dev": "news20.binary", "farm_ads": "kdd2010", "generated text": "webspam",
              "generated genotypes": "psoriasis"}
TEXT = dict(n_samples=3500, n_features=166_000, group_sizes=(0, 1, 2, 3, 4, 5)*20, weights="normal", sparse=.002,
            label_noise=.3, n_test=0)
SNPS = dict(n=680, p=20_000)


def genotypes(seed, small=False):
    "Blocks of linkage along a line; ten causal variants of unequal blocks, and half of the label is noise"
    return plant("genotype", "unequal", 2000 if small else SNPS["p"], seed, n=SNPS["n"])


@functools.lru_cache(1)
def generated_text(seed, small):
    data = make_groups(**TEXT | (dict(n_samples=700, n_features=20_000) if small else {}), random_state=seed)
    return data.X, data.y


def stand_in(name, seed, small=False):
    "A task of one split; the shares are the thesis's (section 4.4.3): halves of the newsgroups, four fifths of the others"
    if name == "generated text": return split_task(name, *generated_text(seed, small), seed, .8)
    if name == "generated genotypes":
        drawn = genotypes(seed, small)
        return split_task(name, drawn.X.astype(np.float32), drawn.y, seed, .8)
    X, y, _ = load(name)
    if name == "ng20_bigram_dev": X = normalize(X).tocsc()              # rows of unit length, as in news20.binary
    return split_task(name, X, y, seed, .5 if name == "ng20_bigram_dev" else .8)


def at_hand(): return [name for name in STANDS_FOR if name.startswith("generated") or name in available()]


def gdm(**given):
    "Algorithm 3 or 4 of the thesis, ten rounds"
    return lambda k: {"": GDM.thesis2015(k, n_per_iter=max(1, k//10), **given)}


def methods(full):
    su = SymmetricalUncertainty(10, "width")
    return [Method("SVM-RFE", lambda k: {"a quarter a step": Eliminated(k)}, nested=True, most=10**9 if full else 20_000),
            Method("L1-SVM", lambda k: {"C tuned to k": TunedL1(k)}),
            Method("GDM tau=0", gdm(tau=None)),
            Method("GDM-PCC", gdm(tau=.3), grouped=True),
            Method("GDM-SU", gdm(tau=.4, correlation=su), grouped=True),
            Method("GDM, package defaults", lambda k: {"": GDM(k)}, grouped=True),
            Method("ten-line filter", lambda k: {"": FilterBruteForce(k, tau=.3)}, grouped=True)]


def one_split(name, seed, quick, full):
    "Rows of all methods on one split of a set (Figures 4.5 to 4.8 and i.1, i.2), and its shape (Table 4.3)"
    task = stand_in(name, seed, quick)
    return dict(rows=[row for method in methods(full) for row in run_method(method, task, KS[:2] if quick else KS)], shape=shape_of(task))


def shape_of(task):
    "A row of Table 4.3"
    stored = task.A.nnz if hasattr(task.A, "nnz") else int(np.count_nonzero(task.A))
    return dict(data=task.name, stands_for=STANDS_FOR[task.name], features=task.p, training=len(task.a), testing=len(task.b),
                positive=int((task.a > 0).sum()), negative=int((task.a < 0).sum()), nonzeros=int(stored), density=stored/task.A.shape[0]/task.p)


# ---- Figure 4.9 ----------------------------------------------------------------------------------

def area(task, support):
    "Under the ROC curve of a linear SVM on the supports, C = 1"
    scale = StandardScaler().fit(task.A[:, support])
    model = LinearSVC(C=1, random_state=0).fit(scale.transform(task.A[:, support]), task.a)
    return float(roc_auc_score(task.b, model.decision_function(scale.transform(task.B[:, support]))))


FAR = .75                  # correlation of a causal variant with its distant copy: above 1-tau = .6, and below it times exp(-1/4)

def with_distant_copies(seed, small, own_effect):
    "Half a genome away from each causal variant stands a copy of it, of correlation `FAR`; has it an effect of its own on the label?"
    drawn, rng = genotypes(seed, small), np.random.default_rng(seed)
    X, causal = drawn.X.astype(np.float32), np.array([group[0] for group in drawn.truth])
    far = (causal+X.shape[1]//2) % X.shape[1]
    copied = rng.random((len(X), len(causal))) < FAR
    X[:, far] = np.where(copied, X[:, causal], rng.permutation(X)[:, causal])
    y = label("unequal", X[:, np.r_[causal, far]], rng) if own_effect else drawn.y
    return split_task("generated genotypes", X, y, seed, .8)


def snps(seed, quick):
    "GDM with tau=0, with .4, and with the distance of its section 4.3.8, beta = 2p; one seed"
    made, rows = {"GDM tau=0": dict(tau=None), "GDM": dict(tau=.4)}, []
    for own_effect in (False, True):
        task = with_distant_copies(seed, quick, own_effect)
        made["GDM-CMD"] = dict(tau=.4, correlation=Positional(positions="index", beta=2*task.p))
        for (name, given), k in itertools.product(made.items(), (10, 50, 100)):
            seconds, answer = fit_answer(GDM.thesis2015(k, n_per_iter=max(1, k//10), **given), task)
            rows.append(dict(copies="with an effect" if own_effect else "without an effect", method=name, k=k, seed=seed,
                             auc=area(task, answer.support), members=len(answer.members), seconds=seconds))
    return dict(rows=rows)


def over_seeds(rows, keys=("copies", "method", "k")):
    "Means and the deviation of the area; `lead`: area less that of GDM on the same data, and its standard error"
    plain = {(row["copies"], row["k"], row["seed"]): row["auc"] for row in rows if row["method"] == "GDM"}
    for row in rows: row["lead"] = row["auc"]-plain[row["copies"], row["k"], row["seed"]]
    def error(own): return dict(lead_error=float(np.std([row["lead"] for row in own])/max(1, len(own)-1)**.5))
    return average(rows, keys, "seeds", ("auc",), error)


# ---- Table 4.1 -----------------------------------------------------------------------------------

SIZES = {"features": (2500, 5000, 10_000, 20_000), "samples": (500, 1000, 2000, 4000), "supports a round": (4, 8, 16, 32)}

def complexity(quick, full):
    "CPU seconds of a fit of one round as one size grows and the others stay, on drawn sets of the thesis's Algorithm 6"
    rows = []
    for varies, values in SIZES.items():
        for value in values[:2] if quick else values:
            n, p, k = (value if varies == name else usual for name, usual in zip(("samples", "features", "supports a round"), (1000, 10_000, 12)))
            data = make_groups(n, p, preset="thesis2015", n_test=0, random_state=0)
            model = GDM.thesis2015(k, n_per_iter=k, max_iter=1)
            seconds = min(cpu(lambda: model.fit(data.X, data.y))[0] for _ in range(3))
            rows.append(dict(varies=varies, value=value, samples=n, features=p, per_round=k, seconds=seconds))
    return table(rows, "thesis, Table 4.1")


# ---- Figures 2.7 and 4.1 -------------------------------------------------------------------------

def survey(name, X, note=""):
    "The share of pairs at every edge"
    seconds, found = cpu(lambda: survey_pairs(X))
    return dict(data=name, note=note, features=X.shape[1], samples=X.shape[0], pairs=int(found.n_pairs-found.n_constant), seconds=seconds,
                edges=found.edges.round(2).tolist(), share=found.share_above().tolist())


def pairs(quick, full):
    "All pairs of each set at hand; of the newsgroups also the columns of 5 and of 20 entries and more"
    rows = []
    for name in ("bbc", "farm_ads", "ng20_bigram_dev"):
        if name not in available() or quick and name != "bbc": continue
        X, _, _ = load(name)
        entries = np.diff(X.indptr)
        for least in (2, 5, 20, 100): rows.append(survey(name, X[:, entries >= least], f"columns of {least} entries or more"))
    drawn = genotypes(0, quick).X
    rows.append(survey("generated genotypes", drawn if full or quick else drawn[:, :5_000], "side by side"))
    table([{key: value for key, value in row.items() if key not in ("edges", "share")} | {"above .1": row["share"][2]} for row in rows])
    return rows


def plan(quick, full):
    "(part, seed or split) of all parts"
    yield from (("pairs", 0), ("complexity", 0))
    yield from ((name, seed) for name in at_hand() for seed in range(5 if full and not quick else 1))
    yield from (("snps", seed) for seed in range(2 if quick else 20 if full else 3))


def measured(part, seed, quick, full):
    "What one part of the plan says"
    if part in ("pairs", "complexity"): return dict(rows=dict(pairs=pairs, complexity=complexity)[part](quick, full), full=full)
    return (snps(seed, quick) if part == "snps" else one_split(part, seed, quick, full)) | dict(full=full)


def summary(parts, size):
    "Means over the splits and seeds that are there"
    sets = [name for name in STANDS_FOR if parts.of(name)]
    sizes = {name: dict(full=parts.of(name)[0]["full"], runs=len(parts.of(name))) for name in ("pairs", "complexity", *sets, "snps")}
    return dict(size=size, sizes=sizes, pairs=parts.rows("pairs"), complexity=parts.rows("complexity"), snps=table(over_seeds(parts.rows("snps")), "thesis, Figure 4.9"),
                real=table(means([row for name in sets for row in parts.rows(name)]), "thesis, Figures 4.5 to 4.8"),
                shapes=[parts.of(name)[0]["shape"] for name in sets], cpu_minutes=parts.minutes())


def run(quick=False, full=False): return run_parts("discovery", plan, measured, summary, quick, full)
