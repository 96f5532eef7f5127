"""The front page: time against planted features found, and against accuracy on held-out samples, beside what people use; a picture of genes.

Each rival is told how many features are planted, and its own settings are the best that were found for that number: the cost of the linear models
is the one that selects that many, and the time is of that fit alone. `GDM("auto")` is told nothing and reports groups: all members count, wrong ones too
(F1: the harmonic mean of the share of planted features found and the share of reported features that are planted).
On real data every method (ours is GDM(20)) selects K = 20 features on 70 % of the samples; one linear SVM on these features judges the others, on five splits.
CPU seconds of one thread, compilation left out. Pictures: nbs/images/front.png, nbs/images/genes.png (needs leukemia_golub in FSNB_DATA).
"""
import warnings
from pathlib import Path

import numpy as np

from fsnb import GDM, make_groups

from .common import cpu_clock, l1_svm, table
from .datasets import available, load

IMAGES = Path(__file__).parents[1]/"nbs/images"
SHAPES = {"dense, 2,048 x 10,000": dict(n_samples=2048, n_features=10000),
          "few samples, 200 x 20,000": dict(n_samples=200, n_features=20000),
          "sparse, 8,000 x 300,000": dict(n_samples=8000, n_features=300000, sparse=.002)}
REAL = {"text (BASEHOCK)": "BASEHOCK", "expression (leukemia)": "leukemia_golub"}
K, SPLITS = 20, 5
OURS = "fsnb"
COLOURS = {OURS: "C3", "L1-SVM": "C0", "SelectKBest": "C7", "mRMR": "C2", "RFE": "C4", "abess": "C5", "skglm": "C1"}
# Genes of probes that the picture shows, after the annotation of the array (Affymetrix HuGeneFL)
GENES = dict(
    M11722="DNTT", M31523="TCF3", D88270="VPREB1", L33930="CD24", X59417="PSMA6", U46499="MGST1", M29474="RAG1", M31211="MYL1", M84371="CD19",
    M92287="CCND3", U94855="EIF3F", M27504="TOP2B", X51521="EZR", M19507="MPO", M27783="ELANE", M20203="ELANE", X55668="PRTN3", M83667="CEBPD",
    X62320="GRN", D88422="CSTA", U16306="VCAN", M33195="FCER1G", M27891="CST3", K01396="SERPINA1", J03801="LYZ", M22960="CTSA", L09209="APLP2",
    M15395="ITGB2", X52056="SPI1", X95735="ZYX", X61587="RHOG", L09717="LAMP2", M63959="LRPAP1", X62654="CD63", M31166="PTX3",
    U05259="CD79A", K01911="NPY", M38690="CD9", M83652="CFP", M19045="LYZ", **{"HG1612-HT1612": "MARCKSL1", "HG3494-HT3688": "CEBPB"})


def select_l1(X, y, k):
    "Features and CPU seconds of the L1-SVM whose cost selects k"
    from sklearn.svm import LinearSVC
    _, C = l1_svm(X, y, k)
    seconds, model = cpu_clock(lambda: LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(X, y), 1)
    return np.flatnonzero(model.coef_[0]), seconds


def select_skglm(X, y, k):
    "Features and CPU seconds of the sparse logistic regression whose penalty selects k"
    from skglm import SparseLogisticRegression
    top, low, high = np.abs(X.T@(y-y.mean())).max()/len(y), .01, 1.
    SparseLogisticRegression(alpha=.9*top).fit(X, y)     # compiles
    for _ in range(12):
        alpha = top*(low*high)**.5
        seconds, model = cpu_clock(lambda: SparseLogisticRegression(alpha=alpha).fit(X, y), 1)
        chosen = np.flatnonzero(model.coef_[0])
        if len(chosen) == k: break
        low, high = (alpha/top, high) if len(chosen) > k else (low, alpha/top)
    return chosen, seconds


def select_abess(X, y, k):
    "Features and CPU seconds of best subset selection by splicing"
    from abess import LogisticRegression
    varies = np.flatnonzero(X.std(0))     # constant columns are refused
    few, labels = X[:, varies], (y > 0).astype(int)
    seconds, model = cpu_clock(lambda: LogisticRegression(support_size=k, thread=1).fit(few, labels), 1)
    return varies[np.flatnonzero(np.ravel(model.coef_))], seconds


def select_mrmr(X, y, k):
    "Features and CPU seconds of mrmr-selection"
    import pandas as pd
    from mrmr import mrmr_classif
    frame, target = pd.DataFrame(X), pd.Series(y)
    seconds, chosen = cpu_clock(lambda: mrmr_classif(frame, target, K=k, show_progress=False, n_jobs=1), 1)
    return np.array(chosen), seconds


def select_best(X, y, k):
    "Features and CPU seconds of the univariate F-test"
    from sklearn.feature_selection import SelectKBest
    seconds, model = cpu_clock(lambda: SelectKBest(k=k).fit(X, y), 1)
    return model.get_support(indices=True), seconds


def select_rfe(X, y, k):
    "Features and CPU seconds of recursive elimination by a linear SVM, a tenth at a time"
    from sklearn.feature_selection import RFE
    from sklearn.svm import LinearSVC
    seconds, model = cpu_clock(lambda: RFE(LinearSVC(C=.01, random_state=0), n_features_to_select=k, step=.1).fit(X, y), 1)
    return model.get_support(indices=True), seconds


RIVALS = {"L1-SVM": select_l1, "SelectKBest": select_best, "mRMR": select_mrmr, "RFE": select_rfe, "abess": select_abess, "skglm": select_skglm}
DENSE_ONLY = "mRMR", "abess"     # on sparse data: refused, or the time goes to copies


def planted(rows, name, given, seeds=range(3)):
    "All methods on made data sets, one a seed: means"
    from scipy.sparse import issparse
    runs = {}
    for seed in seeds:
        data = make_groups(**given, n_test=0, random_state=seed)
        X, y, truth = data.X, np.sign(data.y), data.groups.all_members
        Z = X if issparse(X) else (X-X.mean(0))/X.std(0)
        GDM(2).fit(X[:100], y[:100])     # compiles
        seconds, model = cpu_clock(lambda: GDM("auto").fit(X, y), 2)
        chosen = {OURS: (model.groups_.all_members, seconds)}
        for method, select in RIVALS.items():
            if issparse(X) and method in DENSE_ONLY: continue
            chosen[method] = select(Z, y, len(truth))
        for method, (features, seconds) in chosen.items():
            runs.setdefault(method, []).append((np.isin(features, truth).sum(), seconds, len(features), len(truth)))
    for method, values in runs.items():
        true, seconds, features, of = np.mean(values, axis=0)
        rows.append(dict(data=name, method=method, seconds=seconds, true=true, wrong=features-true, of=of, f1=2*true/(features+of)))


def held_out(rows, name, key):
    "All methods on one real data set: accuracy of a linear SVM on K features"
    from scipy.sparse import issparse
    from sklearn.model_selection import StratifiedShuffleSplit
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC
    X, y, _ = load(key)
    given = X.tocsr() if issparse(X) else np.log2(np.maximum(X, 20))
    dense, y, runs = X.toarray() if issparse(X) else given, np.where(y == y.max(), 1, -1), {}
    for train, test in StratifiedShuffleSplit(SPLITS, test_size=.3, random_state=0).split(dense, y):
        scale = StandardScaler().fit(dense[train])
        here, there = scale.transform(dense[train]), scale.transform(dense[test])
        seconds, model = cpu_clock(lambda: GDM(K).fit(given[train], y[train]), 1)
        chosen = {OURS: (model.support_, seconds)}
        for method, select in RIVALS.items(): chosen[method] = select(here, y[train], K)
        for method, (features, seconds) in chosen.items():
            judge = LinearSVC(C=.01, dual="auto", random_state=0).fit(here[:, features], y[train])
            runs.setdefault(method, []).append((judge.score(there[:, features], y[test]), seconds, len(features)))
    for method, values in runs.items():
        accuracy, seconds, features = np.mean(values, axis=0)
        rows.append(dict(data=name, method=method, seconds=seconds, accuracy=accuracy, features=features))


def draw_chart(made, real):
    "nbs/images/front.png"
    import matplotlib.pyplot as plt
    panels = [(name, made, "f1") for name in dict.fromkeys(row["data"] for row in made)]
    panels += [(name, real, "accuracy") for name in dict.fromkeys(row["data"] for row in real)]
    figure, axes = plt.subplots(2, 3, figsize=(8, 4.6), layout="constrained")
    for ax, (name, rows, value) in zip(axes.flat, panels):
        own = [row for row in rows if row["data"] == name]
        for row in own:
            ours = row["method"] == OURS
            ax.plot(row["seconds"], row[value], "o", ms=11 if ours else 7, c=COLOURS[row["method"]], label=row["method"])
        ax.set_xscale("log")
        ax.set_xlim((.03, 300) if value == "f1" else (.003, 60))
        ax.set_title(name, fontsize=9)
        ax.set_xlabel("CPU seconds", fontsize=8)
        ax.set_ylabel("planted features: F1 score" if value == "f1" else "accuracy on new samples", fontsize=8)
        ax.set_ylim((0, 1.08) if value == "f1" else (.8, 1))
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    axes.flat[-1].axis("off")
    axes.flat[-1].legend(*axes.flat[0].get_legend_handles_labels(), loc="center", frameon=False, fontsize=9)
    figure.savefig(IMAGES/"front.png", dpi=150)


def draw_genes():
    "nbs/images/genes.png"
    from fsnb.show import plot_groups
    X, y, names = load("leukemia_golub")
    genes = [GENES.get(name.split("_")[0], name.removesuffix("_at")) for name in names]
    model = GDM("auto").fit(np.log2(np.maximum(X, 20)), np.array(["ALL", "AML"])[y])
    ax = plot_groups(model.groups_.with_names(genes), most=7)
    ax.set_title("Genes that separate two leukemias, ALL and AML,\nand the genes that are expressed with each of them", fontsize=11)
    ax.figure.savefig(IMAGES/"genes.png", dpi=150, bbox_inches="tight")


def run(quick=False):
    warnings.simplefilter("ignore")
    made, real = [], []
    for name, given in SHAPES.items(): planted(made, name, dict(given, n_features=1000) if quick else given)
    table(made, "planted features found")
    for name, key in REAL.items():
        if key in available(): held_out(real, name, key)
    table(real, f"accuracy on held-out samples, {K} features")
    if not quick and real: draw_chart(made, real), draw_genes()
    return dict(planted=made, held_out=real)
