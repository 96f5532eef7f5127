"""Groups found: GDM beside PLINK's clumps, SuSiE, CluDL, SmartCorrelatedSelection and an L1-SVM, the number of groups unknown to all.

    python -m benchmarks rivals                                   about 6 minutes
    python -m benchmarks rivals --only GDM --seeds 50 --write     methods whose names contain GDM, more seeds
    python -m benchmarks rivals --full                            everything, ten times the time a method: hours

SuSiE, CluDL, the L1-SVM and SmartCorrelatedSelection as it comes are slow, and none of our code changes them: what was measured of them
stands until --only names them, or --full is given. The settings that an earlier run chose are used again.
Every method has one setting for each kind of data, the best of its grid over all settings with an effect, on seeds of 1000 and more,
which it is not judged by; GDM("auto") runs as it comes. Data with planted groups, a causal feature in each: dense normal columns, and
genotypes in blocks of linkage. A method takes data and a list of settings, and gives one answer, a list of groups, for each setting.
"""
import importlib.metadata
import importlib.util
import io
import resource
import shutil
import subprocess
import tempfile
import time
import warnings
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t
from sklearn.cluster import FeatureAgglomeration
from sklearn.feature_extraction.image import grid_to_graph
from sklearn.model_selection import cross_val_score
from sklearn.svm import LinearSVC

from fsnb import GDM

from .common import CHILD_PEAK, measured, resident, table
from .records import read_result

N_SAMPLES, N_GROUPS, PARTNERS, NOISE = 500, 10, 4, .5
UNEQUAL = (1, 1, 2, 2, 3, 4, 5, 7, 10, 14)                 # partners of the ten causal features
SETTINGS = ("r=.4", "r=.6", "r=.8", "r=.95", "unequal", "chains", "masked", "null")
KINDS = ("normal", "genotype")
WIDE = ("r=.8", "null")                         # settings at p = 1e5
WIDTHS = 10000, 100000
FIRST_TUNING_SEED = 1000
PACKAGES = "pysusie", "hidimstat", "feature-engine"
# ---- data -------------------------------------------------------------------------------------------

@dataclass
class Planted:
    "X, labels 0/1, the true groups with the causal feature first, and the groups whose causal feature is masked"
    kind: str
    setting: str
    seed: int
    X: np.ndarray
    y: np.ndarray
    truth: list
    masked: list = field(default_factory=list)

    def __post_init__(self): self.n, self.p = self.X.shape


class Normal:
    "Columns of n normal values"
    def __init__(self, n, rng): self.n, self.rng = n, rng
    def fresh(self, count=1, f=None): return self.rng.standard_normal((self.n, count))
    def frequency(self): return None
    def values(self, base): return base

    def partners(self, base, r, f=None):
        "One column for each correlation in r, each correlated so with `base` (n, 1)"
        return r*base+np.sqrt(1-r**2)*self.fresh(len(r))

    def between(self, a, c, f=None):
        "b with corr(a, b) = corr(b, c) = .75 where corr(a, c) = .2"
        return .625*(a+c)+.25*self.fresh()

    def mixed(self, sources, f=None):
        "A column correlated at .3 with each of four independent ones"
        return .3*sources.sum(axis=1, keepdims=True)+.8*self.fresh()


class Genotypes:
    "2n alleles 0/1 a column; a partner copies each allele with probability r, else draws it anew: their correlation is r, of alleles and of dosages"
    def __init__(self, n, rng): self.n, self.rng = n, rng
    def fresh(self, count=1, f=.3): return (self.rng.random((2*self.n, count), dtype=np.float32) < f).astype(np.int8)
    def frequency(self): return self.rng.uniform(.2, .5)
    def values(self, base): return base[:self.n]+base[self.n:]

    def partners(self, base, r, f):
        copied = self.rng.random((2*self.n, len(r)), dtype=np.float32) < r
        return np.where(copied, base, self.fresh(len(r), f)).astype(np.int8)

    def choose(self, columns):
        "Each allele from one of the columns, by chance"
        rows = np.arange(2*self.n)
        return columns[rows, self.rng.integers(0, columns.shape[1], 2*self.n)][:, None]

    def between(self, a, c, f): return self.choose(np.hstack([a, c]))
    def mixed(self, sources, f): return self.choose(sources)


def correlations_of(setting, rng):
    "For each true group the correlations of its partners with the causal feature"
    if setting == "unequal": return [rng.uniform(.6, .95, m) for m in UNEQUAL]
    r = float(setting[2:]) if setting.startswith("r=") else .8
    return [np.full(PARTNERS, r)]*N_GROUPS


def chain(draw, f, middle):
    "(columns, causal first; how many of them belong to the causal feature): a~b~c, where c hardly goes with a"
    a = draw.fresh(f=f)
    c = draw.partners(a, np.array([.2]), f)
    b = draw.between(a, c, f)
    return (np.hstack([b, a, c]), 3) if middle else (np.hstack([a, b, c]), 2)


def causal_blocks(draw, setting, rng):
    "[(columns with the causal one first, true members)], one a causal feature; the last two of `masked` are mixtures of four others each"
    blocks, firsts = [], []
    for i, r in enumerate(correlations_of(setting, rng)):
        f = draw.frequency()
        if setting == "chains":
            blocks.append(chain(draw, f, i % 2))
            continue
        is_masked = setting == "masked" and i >= N_GROUPS-2
        sources = np.hstack(firsts[4*(i-8):4*(i-8)+4]) if is_masked else None
        base = draw.mixed(sources, f) if is_masked else draw.fresh(f=f)
        firsts.append(base)
        blocks.append((np.hstack([base, draw.partners(base, r, base.mean() if f else None)]), len(r)+1))
    return blocks


def idle_blocks(draw, kind, setting, room, rng):
    "Columns that have nothing to do with y: 40 groups like the true ones and single columns, or a genome of blocks of 2 to 20"
    made = 0
    while made < room:
        is_block = kind == "genotype" or made < 40*(PARTNERS+1)
        size = min(room-made, int(rng.integers(2, 21)) if kind == "genotype" else PARTNERS+1 if is_block else room-made)
        f = draw.frequency()
        base = draw.fresh(f=f) if is_block else draw.fresh(size)
        r = float(setting[2:]) if setting.startswith("r=") and kind == "normal" else .8
        rho = rng.uniform(.4, .95, size-1) if kind == "genotype" else np.full(size-1, r)
        yield np.hstack([base, draw.partners(base, rho, f)]) if is_block and size > 1 else base
        made += size


def weights_of(setting, Z, rng):
    "(k,) weights of the standardised causal columns Z; a masked one gets the weight that leaves it no covariance with the sum"
    size = rng.uniform(.6, 1.4, Z.shape[1])
    if setting != "masked": return size*rng.choice([-1, 1], Z.shape[1])
    for m in (8, 9):
        own = slice(4*(m-8), 4*(m-8)+4)
        size[m] = -Z[:, m]@(Z[:, own]@size[own])/(Z[:, m]@Z[:, m])
    return size


def label(setting, causal, rng):
    "0/1: a threshold on the weighted sum of the causal columns and noise; of nothing but noise for `null`"
    Z = (causal-causal.mean(axis=0))/causal.std(axis=0)
    latent = Z@weights_of(setting, Z, rng)
    latent = rng.standard_normal(len(Z)) if setting == "null" else latent/latent.std()+NOISE*rng.standard_normal(len(Z))
    return (latent > np.median(latent)).astype(np.int64)


def place(kind, blocks, truths, p, rng):
    "X and the true groups: for genotypes the blocks stand side by side in an order drawn by chance, normal columns are mixed"
    n = blocks[0].shape[0]
    X = np.empty((n, p))
    column = rng.permutation(p) if kind == "normal" else np.arange(p)
    order = rng.permutation(len(blocks)) if kind == "genotype" else range(len(blocks))
    groups, start = [None]*len(truths), 0
    for b in order:
        width = blocks[b].shape[1]
        own = column[start:start+width]
        inner = own if kind == "normal" else rng.permutation(own)
        X[:, inner] = blocks[b]
        if b < len(truths): groups[b] = inner[:truths[b]]
        start += width
    return X, groups


def plant(kind, setting, p, seed, n=N_SAMPLES):
    "The data set of one kind, setting, width and seed"
    rng = np.random.default_rng([seed, p, KINDS.index(kind), SETTINGS.index(setting)])
    draw = (Normal if kind == "normal" else Genotypes)(n, rng)
    own = causal_blocks(draw, setting, rng)
    blocks, truths = [draw.values(columns) for columns, _ in own], [count for _, count in own]
    y = label(setting, np.hstack([block[:, :1] for block in blocks]).astype(np.float64), rng)
    room = p-sum(block.shape[1] for block in blocks)
    blocks += [draw.values(columns) for columns in idle_blocks(draw, kind, setting, room, rng)]
    X, groups = place(kind, blocks, truths, p, rng)
    return Planted(kind, setting, seed, X, y, [] if setting == "null" else groups, [8, 9] if setting == "masked" else [])


# ---- methods ----------------------------------------------------------------------------------------

def grid(**axes): return [dict(zip(axes, values)) for values in product(*axes.values())]


def has(module): return importlib.util.find_spec(module) is not None


def marginal_p(X, y):
    "(p,) two-sided p-values of each column's correlation with y"
    v = (y-y.mean())/np.linalg.norm(y-y.mean())
    norm = np.sqrt((X**2).sum(axis=0)-len(X)*X.mean(axis=0)**2)
    r = np.clip(np.divide(v@X, norm, out=np.zeros(X.shape[1]), where=norm > 0), -1+1e-12, 1-1e-12)
    return 2*t.sf(np.abs(r)*np.sqrt((len(y)-2)/(1-r**2)), len(y)-2)


def fit_gdm(k, data, settings):
    fit = lambda setting: GDM(k, **setting).fit(data.X, data.y).groups_.members
    return [[np.asarray(members) for members in fit(setting)] for setting in settings]


def gdm_auto(data, settings): return fit_gdm("auto", data, settings)


def gdm_told(data, settings): return fit_gdm(10, data, settings)


def write_bed(data, folder):
    "PLINK's binary files: two bits a genotype, columns 1,000 bases apart on one chromosome"
    n, p = data.X.shape
    codes = np.array([3, 2, 0], dtype=np.uint8)[data.X.T.astype(np.int8)]       # copies of the second allele: 3 none, 2 one, 0 two
    codes = np.pad(codes, ((0, 0), (0, -n % 4))).reshape(p, -1, 4)
    packed = codes[:, :, 0] | codes[:, :, 1] << 2 | codes[:, :, 2] << 4 | codes[:, :, 3] << 6
    Path(folder, "d.bed").write_bytes(bytes([0x6c, 0x1b, 1])+packed.astype(np.uint8).tobytes())
    Path(folder, "d.bim").write_text("".join(f"1\t{j}\t0\t{1000*(j+1)}\tA\tC\n" for j in range(p)))
    Path(folder, "d.fam").write_text("".join(f"{i} {i} 0 0 1 {c+1}\n" for i, c in enumerate(data.y, 1)))


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


def susie(data, settings):
    "Credible sets at .95 of at most 20 effects, on the labels as numbers"
    from pysusie import susie as fit
    from pysusie import susie_get_cs
    fits, answers = {}, []
    for s in settings:
        how = s["estimate_prior_method"]
        if how not in fits: fits[how] = fit(data.X, data.y, L=20, coverage=.95, estimate_prior_method=how)
        sets = susie_get_cs(fits[how], X=data.X, coverage=.95, min_abs_corr=s["min_abs_corr"])["cs"] or []
        answers.append([np.asarray(own) for own in sets])
    return answers


def cludl(data, settings):
    "Ward's clusters of the columns, a chain of neighbours for genotypes; the desparsified lasso on their means; the clusters that it calls"
    from hidimstat import CluDL, DesparsifiedLasso
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


def smart(data, settings):
    "SmartCorrelatedSelection as it comes: it sees y only to order the features, so every correlated set is reported"
    return [smart_groups(data, np.arange(data.p), s["threshold"]) for s in settings]


def smart_groups(data, columns, threshold):
    "Correlated sets among some columns, best correlated with y first"
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


def l1_svm_cv(data, settings):
    "Every column with a weight is a group of one; C by five folds: the best, or the least within a standard error of it"
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


def answers_of(method, data, settings):
    "(answers, seconds, bytes at the peak beyond what was there before)"
    context = method.prepare(data) if method.prepare else None
    with warnings.catch_warnings(action="ignore"):
        if context is None: return measured(lambda: method.run(data, settings))
        with context as folder: return measured(lambda: method.run(data, settings, folder))


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
# ---- scores and rows --------------------------------------------------------------------------------

def cpu():
    "CPU seconds of this process and of its children that have ended"
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time()+children.ru_utime+children.ru_stime


def best_overlap(group, reported):
    "The reported group that shares most members with a true one, the smaller of two that share as many; None where none does"
    shared = [(len(np.intersect1d(group, other)), -len(other), -i) for i, other in enumerate(reported)]
    most = max(shared, default=(0,))
    return reported[-most[2]] if most[0] else None


def score(reported, data):
    "What one answer found of the truth; sums over the true groups that it found"
    truth = data.truth
    answering = [best_overlap(group, reported) for group in truth]
    found = [(group, own) for group, own in zip(truth, answering) if own is not None]
    shared = [len(np.intersect1d(group, own)) for group, own in found]
    planted, held = np.concatenate([*truth, np.empty(0, int)]), np.concatenate([*reported, np.empty(0, int)])
    return dict(found=len(found), reported=len(reported), false=sum(not np.isin(own, planted).any() for own in reported),
                precision=sum(s/len(own) for s, (_, own) in zip(shared, found)), recall=sum(s/len(group) for s, (group, _) in zip(shared, found)),
                f1=sum(2*s/(len(own)+len(group)) for s, (group, own) in zip(shared, found)), covered=sum(group[0] in held for group, _ in found),
                masked=sum(answering[i] is not None for i in data.masked), features=len(np.unique(held)))


def merit(s):
    "What the settings are chosen by: the mean of discovery (F1), membership (F1) and coverage, where a group that is not found counts as 0"
    discovery = 2*s["found"]/(N_GROUPS+s["found"]+s["false"])
    return (discovery+s["f1"]/N_GROUPS+s["covered"]/N_GROUPS)/3


def tune(method, kind, p, n_seeds=2):
    "The setting of the grid with the best mean merit over data sets with an effect, and how many these were"
    settings = [s for s in SETTINGS if s != "null"] if not method.slow else ["r=.6", "unequal"]
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED+(1 if method.slow else n_seeds))
    merits = []
    for setting in settings:
        for seed in seeds:
            data = plant(kind, setting, p, seed)
            merits.append([merit(score(own, data)) for own in answers_of(method, data, method.grid)[0]])
    mean = np.mean(merits, axis=0)
    return dict(setting=method.grid[int(mean.argmax())], merit=float(mean.max()), tried=len(method.grid), data_sets=len(merits))


def summary(runs, of):
    "Means over the seeds; membership and coverage over the true groups that were found"
    total = {name: sum(run[name] for run in runs) for name in runs[0]}
    n, found = len(runs), total["found"]
    share = lambda name: round(total[name]/found, 4) if found else None
    row = dict(seeds=n, found=total["found"]/n, of=of, false=total["false"]/n, reported=total["reported"]/n, features=total["features"]/n,
               precision=share("precision"), recall=share("recall"), coverage=share("covered"), masked=total["masked"]/n,
               found_error=np.std([run["found"] for run in runs])/np.sqrt(n), any_false=float(np.mean([run["false"] > 0 for run in runs])),
               seconds=float(np.median([run["seconds"] for run in runs])), megabytes=max(run["bytes"] for run in runs)/2**20)
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}


def judge(method, kind, setting, p, setting_of_method, seeds, seconds):
    "Rows of one method on one kind of data: seeds 0, 1, ... until `seconds` of CPU are spent, at least one"
    runs, start = [], cpu()
    for seed in range(seeds):
        data = plant(kind, setting, p, seed)
        begun = cpu()
        answers, _, peak = answers_of(method, data, [setting_of_method])
        runs.append(score(answers[0], data) | dict(seconds=cpu()-begun, bytes=peak))
        if cpu()-start > seconds: break
    return summary(runs, len(data.truth))


def cells(quick):
    "(kind, p, setting), narrow ones first"
    if quick: return [(kind, 1000, setting) for kind in KINDS for setting in ("r=.8", "null")]
    return [(kind, p, setting) for p in WIDTHS for kind in KINDS for setting in (SETTINGS if p < 100000 else WIDE)]


def compare(method, places, best, seeds, budget):
    "Rows of one method; none where nobody would expect it to run, a note where it cannot"
    rows = []
    for kind, p, setting in places:
        if kind not in method.kinds or method.only and setting not in method.only: continue
        row, note = dict(kind=kind, p=p, setting=setting, method=method.name), (method.cannot or {}).get((kind, p))
        times = seeds if p < 100000 else min(seeds, 5)
        try: row |= dict(note=note) if note else judge(method, kind, setting, p, best[kind]["setting"], times, budget/len(places)) | dict(note=method.note())
        except Exception as error: row |= dict(note=f"failed: {type(error).__name__}: {error}"[:160])
        rows.append(row)
    return rows


def find_settings(method, known, quick):
    "{kind: setting}; chosen where none are known"
    best = dict(known)
    for kind in method.kinds:
        answers_of(method, plant(kind, "r=.8", 600, 999), method.grid[:1])          # compiles and imports what the clock should not see
        if kind in best: continue
        best[kind] = dict(setting=method.grid[0], tried=1, data_sets=0) if len(method.grid) == 1 or quick else tune(method, kind, 10000)
    return best


def merged(old, new):
    "Old rows, with new ones in their places; in the order of the cells and of the methods"
    key = lambda row: (row["p"], KINDS.index(row["kind"]), SETTINGS.index(row["setting"]), list(METHODS).index(row["method"]))
    rows = {key(row): row for row in [*old, *new] if row["method"] in METHODS}
    return [rows[k] for k in sorted(rows)]


def versions():
    "Of the rivals that are installed"
    found = {}
    for name in PACKAGES:
        try: found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError: found[name] = None
    program = shutil.which("plink1.9")
    return found | dict(plink=program and subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip())


def show(rows):
    "A table for each cell"
    shown = ("method", "seeds", "found", "of", "false", "any_false", "precision", "recall", "coverage", "seconds", "megabytes", "note")
    for kind, p, setting in dict.fromkeys((row["kind"], row["p"], row["setting"]) for row in rows):
        own = [row for row in rows if (row["kind"], row["p"], row["setting"]) == (kind, p, setting)]
        names = (*shown[:5], "masked", *shown[5:]) if setting == "masked" else shown
        title = f"{kind}, p = {p:,}, {setting}: groups found, false groups, members, coverage of the causal feature, CPU seconds, MB of resident memory"
        table([{name: row.get(name, "") for name in names} for row in own], title)


def run(quick=False, full=False, only=None, seeds=None):
    "All methods that are installed, or those whose names contain one of `only`; the rows of the others stand"
    old = {} if quick else read_result("rivals")
    rows, best, new = old.get("rows", []), old.get("best", {}), []
    for name, method in METHODS.items():
        stands = method.stands and not quick and not full and any(row["method"] == name for row in rows)
        if not any(text in name for text in only) if only else stands: continue
        if not method.needs():
            print(f"skipped, not installed: {name}", flush=True)
            continue
        best[name] = find_settings(method, best.get(name, {}), quick)
        new += compare(method, cells(quick), best[name], seeds or (1 if quick else 50), 600 if full else 60)
    show(merged([], new))
    return dict(rows=merged(rows, new), best=best, rivals=versions())
