"""The front page: time against planted features found, and against accuracy on held-out samples, beside what people use; a picture of genes.

Each rival is told how many features are planted; the linear models have the cost that selects that
many, and the time of that fit alone. `GDM("auto")` is told nothing: all members of its groups count
(F1: harmonic mean of the shares of planted features found and of reported ones that are planted).
On real data every method selects K features on 70 % of the samples, and a linear SVM judges the rest.
CPU seconds of one thread. Pictures: front.png and genes.png (of leukemia_golub) in nbs/images.
"""
import numpy as np, pandas as pd, scipy.sparse as sp
from pathlib import Path
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from fsnb import GDM, make_groups
from .common import average, cpu, dense, fit_l1, l1_svm, splits_of, standardized
from .datasets import available, load

IMAGES = Path(__file__).parents[1]/"nbs/images"
SHAPES = {"dense, 2,048 x 10,000": dict(n_samples=2048, n_features=10000),
          "few samples, 200 x 20,000": dict(n_samples=200, n_features=20000),
          "sparse, 8,000 x 300,000": dict(n_samples=8000, n_features=300000, sparse=.002)}
REAL = {"text (BASEHOCK)": "BASEHOCK", "expression (leukemia)": "leukemia_golub"}
K, SPLITS = 20, 5
OURS = "fsnb"
COLOURS = {OURS: "C3", "L1-SVM": "C0", "SelectKBest": "C7", "mRMR": "C2", "RFE": "C4", "abess": "C5", "skglm": "C1"}
# genes of probes that the picture shows, after the annotation of the array (Affymetrix HuGeneFL)
GENES = pd.read_csv(Path(__file__).with_name("genes.csv"), index_col="probe").gene

def weighted(model): return np.flatnonzero(np.ravel(model.coef_))

# ---- rivals: CPU seconds, and the k features that each chooses
def by_l1(X, y, k):
    "The L1-SVM whose cost selects k"
    _, C = l1_svm(X, y, k)
    return cpu(lambda: weighted(fit_l1(X, y, C)))

def by_skglm(X, y, k):
    "The sparse logistic regression whose penalty selects k"
    from skglm import SparseLogisticRegression
    top, low, high = np.abs(X.T@(y-y.mean())).max()/len(y), .01, 1.
    SparseLogisticRegression(alpha=.9*top).fit(X, y)     # compiles
    for _ in range(12):
        alpha = top*(low*high)**.5
        seconds, chosen = cpu(lambda: weighted(SparseLogisticRegression(alpha=alpha).fit(X, y)))
        if len(chosen) == k: break
        low, high = (alpha/top, high) if len(chosen) > k else (low, alpha/top)
    return seconds, chosen

def by_abess(X, y, k):
    "Best subset selection by splicing"
    from abess import LogisticRegression
    varies = np.flatnonzero(X.std(0))     # constant columns are refused
    few, labels = X[:, varies], (y > 0).astype(int)
    return cpu(lambda: varies[weighted(LogisticRegression(support_size=k, thread=1).fit(few, labels))])

def by_mrmr(X, y, k):
    from mrmr import mrmr_classif
    frame, target = pd.DataFrame(X), pd.Series(y)
    return cpu(lambda: np.array(mrmr_classif(frame, target, K=k, show_progress=False, n_jobs=1)))

def by_sklearn(model):
    "A selector of scikit-learn's, a function of k"
    return lambda X, y, k: cpu(lambda: model(k).fit(X, y).get_support(indices=True))

RIVALS = {"L1-SVM": by_l1, "SelectKBest": by_sklearn(lambda k: SelectKBest(k=k)), "mRMR": by_mrmr,
          "RFE": by_sklearn(lambda k: RFE(LinearSVC(C=.01, random_state=0), n_features_to_select=k, step=.1)), "abess": by_abess, "skglm": by_skglm}
DENSE_ONLY = "mRMR", "abess"     # on sparse data: refused, or the time goes to copies

def planted(name, given, seeds=range(3)):
    "All methods on made data sets, one a seed: means"
    rows = []
    for seed in seeds:
        data = make_groups(**given, n_test=0, random_state=seed)
        X, y, truth = data.X, np.sign(data.y), data.groups.all_members
        Z = X if sp.issparse(X) else standardized(X)
        chosen = {OURS: cpu(lambda: GDM("auto").fit(X, y).groups_.all_members, 2)}
        chosen |= {method: select(Z, y, len(truth)) for method, select in RIVALS.items() if not (sp.issparse(X) and method in DENSE_ONLY)}
        for method, (seconds, features) in chosen.items():
            true = int(np.isin(features, truth).sum())
            rows.append(dict(data=name, method=method, seconds=seconds, true=true, wrong=len(features)-true, of=len(truth)))
    means = average(rows, ("data", "method"), "seeds")
    return [row | dict(f1=2*row["true"]/(row["true"]+row["wrong"]+row["of"])) for row in means]

def held_out(name, key):
    "All methods on one real data set: accuracy of a linear SVM on K features"
    X, y, _ = load(key)
    given, rows = X if sp.issparse(X) else np.log2(np.maximum(X, 20)), []
    for A, a, B, b in splits_of(given, np.where(y == y.max(), 1, -1), SPLITS):
        scale = StandardScaler().fit(dense(A))
        here, there = (scale.transform(dense(part)) for part in (A, B))
        chosen = {OURS: cpu(lambda: GDM(K).fit(A, a).support_)}
        chosen |= {method: select(here, a, K) for method, select in RIVALS.items()}
        for method, (seconds, features) in chosen.items():
            judge = LinearSVC(C=.01, dual="auto", random_state=0).fit(here[:, features], a)
            accuracy = judge.score(there[:, features], b)
            rows.append(dict(data=name, method=method, seconds=seconds, accuracy=accuracy, features=len(features)))
    return average(rows, ("data", "method"), "splits")

def draw_chart(made, real):
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(2, 3, figsize=(8, 4.6), layout="constrained")
    for ax, (name, own) in zip(axes.flat, pd.DataFrame([*made, *real]).groupby("data", sort=False)):
        value = "accuracy" if own.f1.isna().all() else "f1"
        for row in own.to_dict("records"):
            ours = row["method"] == OURS
            ax.plot(row["seconds"], row[value], "o", ms=11 if ours else 7, c=COLOURS[row["method"]], label=row["method"])
        if value == "f1": ax.set(xscale="log", xlim=(.03, 300), ylim=(0, 1.08), ylabel="planted features: F1 score")
        else: ax.set(xscale="log", xlim=(.003, 60), ylim=(.8, 1), ylabel="accuracy on new samples")
        ax.set_title(name, fontsize=9)
        ax.set_xlabel("CPU seconds", fontsize=8)
        ax.yaxis.label.set_size(8)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    axes.flat[-1].axis("off")
    axes.flat[-1].legend(*axes.flat[0].get_legend_handles_labels(), loc="center", frameon=False, fontsize=9)
    figure.savefig(IMAGES/"front.png", dpi=150)

def draw_genes():
    from fsnb.show import plot_groups
    X, y, names = load("leukemia_golub")
    genes = [GENES.get(name.split("_")[0], name.removesuffix("_at")) for name in names]
    model = GDM("auto").fit(np.log2(np.maximum(X, 20)), np.array(["ALL", "AML"])[y])
    ax = plot_groups(model.groups_.with_names(genes), most=7)
    ax.set_title("Genes that separate two leukemias, ALL and AML,\nand the genes that are expressed with each of them", fontsize=11)
    ax.figure.savefig(IMAGES/"genes.png", dpi=150, bbox_inches="tight")

def run(quick=False):
    shapes = {name: dict(given, n_features=1000) if quick else given for name, given in SHAPES.items()}
    made = [row for name, given in shapes.items() for row in planted(name, given)]
    real = [row for name, key in REAL.items() if key in available() for row in held_out(name, key)]
    if not quick and real: draw_chart(made, real), draw_genes()
    return dict(planted=made, held_out=real)
