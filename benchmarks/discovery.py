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

from .common import average, cpu, table
from .datasets import available, load
from .paperkit import Eliminated, Method, TunedL1, fit_answer, means, run_methods, split_task
from .rivals import label, plant

KS = 10, 20, 50, 100                               # ten rounds of 1 to 10 supports
STANDS_FOR = {"ng20_bigram_dev": "news20.binary", "farm_ads": "kdd2010", "generated text": "webspam",
              "generated genotypes": "psoriasis"}

def genotypes(seed, quick=False):
    "Blocks of linkage along a line; ten causal variants of unequal blocks, and half of the label is noise"
    return plant("genotype", "unequal", 2000 if quick else 20_000, seed, n=680)

@functools.lru_cache(1)
def generated_text(seed, quick):
    n, p = (700, 20_000) if quick else (3500, 166_000)
    data = make_groups(n, p, (0, 1, 2, 3, 4, 5)*20, weights="normal", sparse=.002, label_noise=.3, n_test=0, random_state=seed)
    return data.X, data.y

def stand_in(name, seed, quick=False):
    "A task of one split; the shares are the thesis's (section 4.4.3): halves of the newsgroups, four fifths of the others"
    if name == "generated text": return split_task(name, *generated_text(seed, quick), seed, .8)
    if name == "generated genotypes":
        drawn = genotypes(seed, quick)
        return split_task(name, drawn.X.astype(np.float32), drawn.y, seed, .8)
    X, y, _ = load(name)
    if name != "ng20_bigram_dev": return split_task(name, X, y, seed, .8)
    return split_task(name, normalize(X).tocsc(), y, seed, .5)           # rows of unit length, as in news20.binary

def at_hand(): return [name for name in STANDS_FOR if name.startswith("generated") or name in available()]

def thesis(k, **given):
    "Algorithm 3 or 4 of the thesis, ten rounds"
    return GDM.thesis2015(k, n_per_iter=max(1, k//10), **given)

METHODS = (
    Method("SVM-RFE", lambda k: {"a quarter a step": Eliminated(k)}, nested=True),
    Method("L1-SVM", lambda k: {"C tuned to k": TunedL1(k)}),
    Method("GDM tau=0", lambda k: {"": thesis(k, tau=None)}),
    Method("GDM-PCC", lambda k: {"": thesis(k, tau=.3)}, grouped=True),
    Method("GDM-SU", lambda k: {"": thesis(k, tau=.4, correlation=SymmetricalUncertainty(10, "width"))}, grouped=True),
    Method("GDM, package defaults", lambda k: {"": GDM(k)}, grouped=True),
    Method("ten-line filter", lambda k: {"": FilterBruteForce(k, tau=.3)}, grouped=True))

def shape_of(task):
    "A row of Table 4.3"
    stored = task.A.nnz if hasattr(task.A, "nnz") else int(np.count_nonzero(task.A))
    return dict(data=task.name, stands_for=STANDS_FOR[task.name], features=task.p, training=len(task.a), testing=len(task.b),
                positive=int((task.a > 0).sum()), negative=int((task.a < 0).sum()), nonzeros=int(stored), density=stored/task.A.shape[0]/task.p)

def real(quick):
    "Rows of all methods, means over five splits (Figures 4.5 to 4.8 and i.1, i.2), and the shapes of the sets (Table 4.3)"
    rows, shapes = [], []
    for name in at_hand():
        for seed in range(1 if quick else 5):
            task = stand_in(name, seed, quick)
            rows += run_methods(METHODS, task, KS[:2] if quick else KS)
            if seed == 0: shapes.append(shape_of(task))
    return dict(real=table(means(rows), "thesis, Figures 4.5 to 4.8", ("every",)), shapes=shapes)

# ---- Figure 4.9

def area(task, support):
    "Under the ROC curve of a linear SVM on the supports, C = 1"
    scale = StandardScaler().fit(task.A[:, support])
    model = LinearSVC(C=1, random_state=0).fit(scale.transform(task.A[:, support]), task.a)
    return float(roc_auc_score(task.b, model.decision_function(scale.transform(task.B[:, support]))))

FAR = .75                  # correlation of a causal variant with its distant copy: above 1-tau = .6, and below it times exp(-1/4)

def with_distant_copies(seed, quick, own_effect):
    "Half a genome away from each causal variant stands a copy of it, of correlation `FAR`; has it an effect of its own on the label?"
    drawn, rng = genotypes(seed, quick), np.random.default_rng(seed)
    X, causal = drawn.X.astype(np.float32), np.array([group[0] for group in drawn.truth])
    far = (causal+X.shape[1]//2) % X.shape[1]
    copied = rng.random((len(X), len(causal))) < FAR
    X[:, far] = np.where(copied, X[:, causal], rng.permutation(X)[:, causal])
    y = label("unequal", X[:, np.r_[causal, far]], rng) if own_effect else drawn.y
    return split_task("generated genotypes", X, y, seed, .8)

def snps(quick):
    "GDM with tau=0, with .4, and with the distance of its section 4.3.8, beta = 2p; `lead`: area less that of GDM on the same data"
    rows = []
    for seed, own_effect, k in itertools.product(range(2 if quick else 3), (False, True), (10, 50, 100)):
        task = with_distant_copies(seed, quick, own_effect)
        made = {"GDM tau=0": dict(tau=None), "GDM": dict(tau=.4),
                "GDM-CMD": dict(tau=.4, correlation=Positional(positions="index", beta=2*task.p))}
        fits = {name: fit_answer(thesis(k, **given), task) for name, given in made.items()}
        areas = {name: area(task, answer.support) for name, (_, answer) in fits.items()}
        rows += [dict(copies="with an effect" if own_effect else "without an effect", method=name, k=k, seed=seed, auc=areas[name],
                      lead=areas[name]-areas["GDM"], members=len(answer.members), seconds=seconds) for name, (seconds, answer) in fits.items()]
    def error(own): return dict(lead_error=float(np.std([row["lead"] for row in own])/max(1, len(own)-1)**.5))
    return table(average(rows, ("copies", "method", "k"), "seeds", ("auc",), error), "thesis, Figure 4.9")

# ---- Table 4.1

SIZES = {"features": (2500, 5000, 10_000, 20_000), "samples": (500, 1000, 2000, 4000), "supports a round": (4, 8, 16, 32)}
USUAL = {"samples": 1000, "features": 10_000, "supports a round": 12}

def complexity(quick):
    "CPU seconds of a fit of one round as one size grows and the others stay, on drawn sets of the thesis's Algorithm 6"
    rows = []
    for varies, values in SIZES.items():
        for value in values[:2] if quick else values:
            n, p, k = (USUAL | {varies: value}).values()
            data = make_groups(n, p, preset="thesis2015", n_test=0, random_state=0)
            model = GDM.thesis2015(k, n_per_iter=k, max_iter=1)
            seconds = min(cpu(lambda: model.fit(data.X, data.y))[0] for _ in range(3))
            rows.append(dict(varies=varies, value=value, samples=n, features=p, per_round=k, seconds=seconds))
    return table(rows, "thesis, Table 4.1")

# ---- Figures 2.7 and 4.1

def survey(name, X, note):
    "The share of pairs at every edge"
    seconds, found = cpu(lambda: survey_pairs(X))
    return dict(data=name, note=note, features=X.shape[1], samples=X.shape[0], pairs=int(found.n_pairs-found.n_constant), seconds=seconds,
                edges=found.edges.round(2).tolist(), share=found.share_above().tolist())

def pairs(quick):
    "All pairs of each set at hand; of the texts also those of the columns of so many entries and more"
    rows = []
    for name in ("bbc", "farm_ads", "ng20_bigram_dev"):
        if name not in available() or quick and name != "bbc": continue
        X, _, _ = load(name)
        entries = np.diff(X.indptr)
        for least in (2, 5, 20, 100): rows.append(survey(name, X[:, entries >= least], f"columns of {least} entries or more"))
    rows.append(survey("generated genotypes", genotypes(0, quick).X, "side by side"))
    return table(rows, "thesis, Figures 2.7 and 4.1", ("edges", "share"))

def run(quick=False):
    return dict(pairs=pairs(quick), complexity=complexity(quick), snps=snps(quick)) | real(quick)
