"The methods that `rivals` compares: each takes data and a list of settings, and gives one answer, a list of groups, for each setting."
import gc
import importlib.util
import io
import shutil
import subprocess
import tempfile
import time
import warnings
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from itertools import product
from pathlib import Path
import numpy as np


def grid(**axes): return [dict(zip(axes, values)) for values in product(*axes.values())]


def has(module): return importlib.util.find_spec(module) is not None


def marginal_p(X, y):
    "(p,) two-sided p-values of each column's correlation with y"
    from scipy.stats import t
    v = (y-y.mean())/np.linalg.norm(y-y.mean())
    norm = np.sqrt((X**2).sum(axis=0)-len(X)*X.mean(axis=0)**2)
    r = np.clip(np.divide(v@X, norm, out=np.zeros(X.shape[1]), where=norm > 0), -1+1e-12, 1-1e-12)
    return 2*t.sf(np.abs(r)*np.sqrt((len(y)-2)/(1-r**2)), len(y)-2)


# GDM

def fit_gdm(k, data, settings):
    from fsnb import GDM
    fit = lambda setting: GDM(k, **setting).fit(data.X, data.y).groups_.members
    return [[np.asarray(members) for members in fit(setting)] for setting in settings]


def gdm_auto(data, settings): return fit_gdm("auto", data, settings)


def gdm_told(data, settings): return fit_gdm(10, data, settings)


# PLINK 1.9

def write_bed(data, folder):
    "PLINK's binary files: two bits a genotype, columns 1,000 bases apart on one chromosome"
    n, p = data.X.shape
    codes = np.array([3, 2, 0], dtype=np.uint8)[data.X.T.astype(np.int8)]       # copies of the second allele: 3 none, 2 one, 0 two
    codes = np.pad(codes, ((0, 0), (0, -n % 4))).reshape(p, -1, 4)
    packed = codes[:, :, 0] | codes[:, :, 1] << 2 | codes[:, :, 2] << 4 | codes[:, :, 3] << 6
    Path(folder, "d.bed").write_bytes(bytes([0x6c, 0x1b, 1])+packed.astype(np.uint8).tobytes())
    Path(folder, "d.bim").write_text("".join(f"1\t{j}\t0\t{1000*(j+1)}\tA\tC\n" for j in range(p)))
    Path(folder, "d.fam").write_text("".join(f"{i} {i} 0 0 1 {c+1}\n" for i, c in enumerate(data.y, 1)))


CHILD_PEAK = [0]        # bytes, the largest resident size of a child process, read while it runs


def resident(pid, key):
    "Bytes of VmRSS or VmHWM of a process, 0 where the system does not tell"
    try: lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError: return 0
    return next((1024*int(line.split()[1]) for line in lines if line.startswith(key)), 0)


def plink(folder, *args):
    "Run PLINK in a folder, on one thread; watches its resident size"
    command = ["plink1.9", "--bfile", "d", "--allow-no-sex", "--threads", "1", "--memory", "2048", *map(str, args)]
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while child.poll() is None:
        CHILD_PEAK[0] = max(CHILD_PEAK[0], resident(child.pid, "VmHWM"))
        time.sleep(.002)
    if child.returncode: raise RuntimeError(child.stderr.read().decode()[-300:])


def read_clumps(path):
    "The index column and its clumped columns, a clump a line"
    if not path.exists(): return []
    lines = [line.split() for line in path.read_text().splitlines()[1:] if line.strip()]
    rest = lambda text: [] if text == "NONE" else [int(part.split("(")[0]) for part in text.split(",")]
    return [np.array([int(line[2]), *rest(line[11])]) for line in lines]


@contextmanager
def plink_files(data):
    with tempfile.TemporaryDirectory() as folder:
        write_bed(data, folder)
        yield folder


def plink_clump(data, settings, folder):
    "--assoc, then --clump for each setting; `expected` false index columns by chance where there is no effect"
    plink(folder, "--assoc", "--out", "a")
    answers = []
    for s in settings:
        Path(folder, "c.clumped").unlink(missing_ok=True)
        plink(folder, "--clump", "a.assoc", "--clump-kb", 250, "--clump-p1", s["expected"]/data.p, "--clump-p2", s["p2"], "--clump-r2", s["r2"], "--out", "c")
        answers.append(read_clumps(Path(folder, "c.clumped")))
    return answers


# SuSiE

def susie(data, settings):
    "Credible sets at .95 of at most 20 effects, on the labels as numbers"
    from pysusie import susie as fit, susie_get_cs
    fits, answers = {}, []
    for s in settings:
        how = s["estimate_prior_method"]
        if how not in fits: fits[how] = fit(data.X, data.y, L=20, coverage=.95, estimate_prior_method=how)
        sets = susie_get_cs(fits[how], X=data.X, coverage=.95, min_abs_corr=s["min_abs_corr"])["cs"] or []
        answers.append([np.asarray(own) for own in sets])
    return answers


# CluDL

def cludl(data, settings):
    "Ward's clusters of the columns, a chain of neighbours for genotypes; the desparsified lasso on their means; the clusters that it calls"
    from hidimstat import CluDL, DesparsifiedLasso
    from sklearn.cluster import FeatureAgglomeration
    from sklearn.feature_extraction.image import grid_to_graph
    graph = grid_to_graph(n_x=data.p, n_y=1, n_z=1) if data.kind == "genotype" else None
    X = (data.X-data.X.mean(axis=0))/np.maximum(data.X.std(axis=0), 1e-12)
    answers, fits = [], {}
    with tempfile.TemporaryDirectory() as memory:           # the tree of Ward is made once for all settings
        for s in settings:
            k = s["n_clusters"]
            if k not in fits:
                cache = memory if len(settings) > 1 else None
                tree = FeatureAgglomeration(n_clusters=k, connectivity=graph, memory=cache, compute_full_tree=True)
                fits[k] = CluDL(tree, DesparsifiedLasso(), random_state=0).fit(X, data.y.astype(float))
                fits[k].importance()
            answers.append(called_clusters(fits[k], s["rule"]))
    return answers


def called_clusters(model, rule):
    with redirect_stdout(io.StringIO()):
        called = model.fwer_selection(.05, two_tailed_test=True) if rule == "fwer .05" else model.fdr_selection(.1)
    labels = model.clustering_.labels_
    return [np.flatnonzero(labels == c) for c in np.unique(labels[np.asarray(called) != 0])]


# feature-engine

def smart(data, settings):
    "SmartCorrelatedSelection as it comes: it sees y only to order the features, so every correlated set is reported"
    return [smart_groups(data, np.arange(data.p), s["threshold"]) for s in settings]


def smart_groups(data, columns, threshold):
    "Correlated sets among some columns, best correlated with y first"
    import pandas as pd
    from feature_engine.selection import SmartCorrelatedSelection
    frame = pd.DataFrame(data.X[:, columns], columns=[str(j) for j in columns])
    model = SmartCorrelatedSelection(threshold=threshold, selection_method="corr_with_target").fit(frame, pd.Series(data.y))
    return [np.array([int(first), *sorted(map(int, rest))]) for first, rest in model.correlated_feature_dict_.items()]


def smart_screened(data, settings):
    "With what it lacks: a screen of the columns before, and after it only sets, and single columns, whose best column passes"
    p_values, answers, made = marginal_p(data.X, data.y), [], {}
    for s in settings:
        key = s["screened"], s["threshold"]
        columns = np.flatnonzero(p_values <= s["screened"]/data.p)
        if key not in made: made[key] = smart_groups(data, columns, s["threshold"]) if len(columns) > 1 else []
        alone = np.setdiff1d(columns, np.concatenate([*made[key], np.empty(0, int)]))
        level = s["expected"]/data.p
        answers.append([g for g in [*made[key], *alone[:, None]] if p_values[g].min() <= level])
    return answers


# L1-SVM

def l1_svm_cv(data, settings):
    "Every column with a weight is a group of one; C by five folds: the best, or the least within a standard error of it"
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import LinearSVC
    X = (data.X-data.X.mean(axis=0))/np.maximum(data.X.std(axis=0), 1e-12)
    Cs = np.geomspace(.002, .2, 7)
    model = lambda C: LinearSVC(penalty="l1", dual=False, C=C, random_state=0, max_iter=300)
    folds = np.array([cross_val_score(model(C), X, data.y, cv=5) for C in Cs])
    mean, error = folds.mean(axis=1), folds.std(axis=1, ddof=1)/np.sqrt(5)
    best = int(mean.argmax())
    least = int(np.flatnonzero(mean >= mean[best]-error[best])[0])
    return [[np.array([j]) for j in np.flatnonzero(model(Cs[best if s["rule"] == "best" else least]).fit(X, data.y).coef_[0])] for s in settings]


@dataclass
class Method:
    "A row of the table: how to run it, what to try, where it can run and why not elsewhere"
    name: str
    run: object
    grid: list
    needs: object = lambda: True                    # is it installed?
    kinds: tuple = ("normal", "genotype")
    cannot: dict = None                             # {(kind, p): reason}
    prepare: object = None                          # a context whose cost is not counted
    slow: bool = False                              # tuned on fewer data sets
    stands: bool = False                            # costly: what was measured stands until it is named
    only: tuple = None                              # settings it is run on
    note: object = lambda: ""                       # what a reader of the row must know


TAUS = (.1, .3, .5, .65, .75)
WARD = "does not fit: Ward's tree without neighbours needs all p(p-1)/2 distances, 40 GB"
METHODS = {m.name: m for m in (
    Method('GDM("auto")', gdm_auto, [{}]),
    Method('GDM("auto"), tuned', gdm_auto, grid(tau=TAUS[1:], chance=(.05, .2, .5))),
    Method("GDM(k), told k", gdm_told, grid(tau=TAUS), note=lambda: "told k = 10"),
    Method("PLINK clump", plink_clump, grid(expected=(.05, 1, 10), r2=(.05, .1, .2, .5), p2=(1, .05, .01)), lambda: shutil.which("plink1.9"), kinds=("genotype",), prepare=plink_files),
    Method("SmartCorrelated, screened", smart_screened, grid(screened=(100, 500), threshold=(.3, .5, .7, .9), expected=(.05, 1)), lambda: has("feature_engine")),
    Method("SuSiE", susie, grid(estimate_prior_method=("optim", "EM"), min_abs_corr=(.1, .3, .5)), lambda: has("pysusie"), stands=True),
    Method("L1-SVM, C by folds", l1_svm_cv, grid(rule=("best", "one error")), slow=True, stands=True),
    Method("CluDL", cludl, grid(n_clusters=(250, 500, 1000), rule=("fwer .05", "fdr .1")), lambda: has("hidimstat"), cannot={("normal", 100000): WARD}, slow=True, stands=True),
    Method("SmartCorrelated, as it comes", smart, grid(threshold=(.7,)), lambda: has("feature_engine"), only=("r=.8",), slow=True, stands=True,
           cannot={(kind, 100000): "does not fit: p x p correlations, 80 GB" for kind in ("normal", "genotype")}),
)}


def answers_of(method, data, settings):
    "(answers, seconds, bytes at the peak beyond what was there before)"
    context = method.prepare(data) if method.prepare else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if context is None: return measured(lambda: method.run(data, settings))
        with context as folder: return measured(lambda: method.run(data, settings, folder))


def give_back():
    "Return free memory to the system, so that an answer cannot live on what the data left behind"
    import ctypes
    try: ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError): pass


def measured(f):
    "f's answer, its wall time, and the growth of the resident size of this process and its children; NaN where the system does not tell"
    CHILD_PEAK[0] = 0
    gc.collect()
    give_back()
    try: Path("/proc/self/clear_refs").write_text("5")
    except OSError: pass
    before, start = resident("self", "VmRSS"), time.perf_counter()
    answers = f()
    seconds = time.perf_counter()-start
    peak = resident("self", "VmHWM")-before
    return answers, seconds, max(peak, CHILD_PEAK[0]) if before else float("nan")
