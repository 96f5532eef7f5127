"""Groups found: GDM beside PLINK's clumps, SuSiE, CluDL, SmartCorrelatedSelection and an L1-SVM, the number of groups unknown to all.

    python -m benchmarks rivals                                   about an hour
    python -m benchmarks rivals --only GDM --seeds 50 --write     methods whose names contain GDM, more seeds; the rows of the others stand

Every method has one setting for each kind of data, the best of its grid over all settings with an effect, on seeds of 1000 and more,
which it is not judged by; those that an earlier run chose are used again. GDM("auto") runs as it comes. Data with planted groups, a causal
feature in each: dense normal columns, and genotypes in blocks of linkage. A method takes data and a list of settings, and gives one answer,
a list of groups, for each setting.
"""
import io
import resource
import subprocess
import tempfile
import time
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
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

from .common import CHILD_PEAK, quiet, resident, spend, table
from .paperkit import standardized
from .records import read_result

N_SAMPLES, N_GROUPS, PARTNERS, NOISE = 500, 10, 4, .5
UNEQUAL = (1, 1, 2, 2, 3, 4, 5, 7, 10, 14)                 # partners of the ten causal features
SETTINGS = "r=.4", "r=.6", "r=.8", "r=.95", "unequal", "chains", "masked", "null"
KINDS = "normal", "genotype"
FIRST_TUNING_SEED = 1000

# ---- data

@dataclass
class Planted:
    "X, labels 0/1, and the true groups with the causal feature first"
    kind: str
    X: np.ndarray
    y: np.ndarray
    truth: list

    @property
    def p(self): return self.X.shape[1]

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
    return Planted(kind, X, y, [] if setting == "null" else groups)

# ---- methods

def grid(**axes): return [dict(zip(axes, values)) for values in product(*axes.values())]

def marginal_p(X, y):
    "(p,) two-sided p-values of each column's correlation with y"
    v = (y-y.mean())/np.linalg.norm(y-y.mean())
    norm = np.sqrt((X**2).sum(axis=0)-len(X)*X.mean(axis=0)**2)
    r = np.clip(np.divide(v@X, norm, out=np.zeros(X.shape[1]), where=norm > 0), -1+1e-12, 1-1e-12)
    return 2*t.sf(np.abs(r)*np.sqrt((len(y)-2)/(1-r**2)), len(y)-2)

def gdm(k):
    def fit(data, settings): return [GDM(k, **setting).fit(data.X, data.y).groups_.members for setting in settings]
    return fit

@contextmanager
def plink_files(data):
    "PLINK's binary files: two bits a genotype, columns 1,000 bases apart on one chromosome"
    n, p = data.X.shape
    codes = np.array([3, 2, 0], dtype=np.uint8)[data.X.T.astype(np.int8)]       # copies of the second allele: 3 none, 2 one, 0 two
    codes = np.pad(codes, ((0, 0), (0, -n % 4))).reshape(p, -1, 4)
    packed = codes[:, :, 0] | codes[:, :, 1] << 2 | codes[:, :, 2] << 4 | codes[:, :, 3] << 6
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "d.bed").write_bytes(bytes([0x6c, 0x1b, 1])+packed.astype(np.uint8).tobytes())
        Path(folder, "d.bim").write_text("".join(f"1\t{j}\t0\t{1000*(j+1)}\tA\tC\n" for j in range(p)))
        Path(folder, "d.fam").write_text("".join(f"{i} {i} 0 0 1 {c+1}\n" for i, c in enumerate(data.y, 1)))
        yield folder

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
    X, answers, fits = standardized(data.X), [], {}
    with tempfile.TemporaryDirectory() as memory:           # the tree of Ward is made once for all settings
        for s in settings:
            k = s["n_clusters"]
            if k not in fits:
                cache = memory if len(settings) > 1 else None
                tree = FeatureAgglomeration(n_clusters=k, connectivity=graph, memory=cache, compute_full_tree=True)
                fits[k] = CluDL(tree, DesparsifiedLasso(), random_state=0).fit(X, data.y.astype(float))
                fits[k].importance()
            with redirect_stdout(io.StringIO()):
                called = fits[k].fwer_selection(.05, two_tailed_test=True) if s["rule"] == "fwer .05" else fits[k].fdr_selection(.1)
            labels = fits[k].clustering_.labels_
            answers.append([np.flatnonzero(labels == c) for c in np.unique(labels[np.asarray(called) != 0])])
    return answers

def smart_groups(data, columns, threshold):
    "Correlated sets among some columns, best correlated with y first"
    from feature_engine.selection import SmartCorrelatedSelection
    frame = pd.DataFrame(data.X[:, columns], columns=[str(j) for j in columns])
    model = SmartCorrelatedSelection(threshold=threshold, selection_method="corr_with_target").fit(frame, pd.Series(data.y))
    return [np.array([int(first), *sorted(map(int, rest))]) for first, rest in model.correlated_feature_dict_.items()]

def smart(data, settings):
    "SmartCorrelatedSelection as it comes: it sees y only to order the features, so every correlated set is reported"
    return [smart_groups(data, np.arange(data.p), s["threshold"]) for s in settings]

def smart_screened(data, settings):
    "With what it lacks: a screen of the columns before, and after it only sets, and single columns, whose best column passes"
    p_values, answers, made = marginal_p(data.X, data.y), [], {}
    for s in settings:
        key = s["screened"], s["threshold"]
        columns = np.flatnonzero(p_values <= s["screened"]/data.p)
        if key not in made: made[key] = smart_groups(data, columns, s["threshold"]) if len(columns) > 1 else []
        alone = np.setdiff1d(columns, np.concatenate([*made[key], np.empty(0, int)]))
        answers.append([g for g in [*made[key], *alone[:, None]] if p_values[g].min() <= s["expected"]/data.p])
    return answers

def l1_svm_cv(data, settings):
    "Every column with a weight is a group of one; C by five folds: the best, or the least within a standard error of it"
    X, Cs = standardized(data.X), np.geomspace(.002, .2, 7)
    model = lambda C: LinearSVC(penalty="l1", dual=False, C=C, random_state=0, max_iter=300)
    folds = np.array([cross_val_score(model(C), X, data.y, cv=5) for C in Cs])
    mean, error = folds.mean(axis=1), folds.std(axis=1, ddof=1)/np.sqrt(5)
    best = int(mean.argmax())
    chosen = {"best": Cs[best], "one error": Cs[np.flatnonzero(mean >= mean[best]-error[best])[0]]}
    return [[np.array([j]) for j in np.flatnonzero(model(chosen[s["rule"]]).fit(X, data.y).coef_[0])] for s in settings]

@dataclass
class Method:
    "A row of the table: how to run it, what to try, and on what"
    name: str
    run: object
    grid: list
    kinds: tuple = KINDS
    prepare: object = None                          # a context whose cost is not counted
    slow: bool = False                              # tuned on fewer data sets
    only: tuple = SETTINGS                          # settings it is run on

TAUS = .1, .3, .5, .65, .75
METHODS = {m.name: m for m in (
    Method('GDM("auto")', gdm("auto"), [{}]),
    Method('GDM("auto"), tuned', gdm("auto"), grid(tau=TAUS[1:], chance=(.05, .2, .5))),
    Method("GDM(k), told k", gdm(N_GROUPS), grid(tau=TAUS)),
    Method("PLINK clump", plink_clump, grid(expected=(.05, 1, 10), r2=(.05, .1, .2, .5), p2=(1, .05, .01)), ("genotype",), plink_files),
    Method("SmartCorrelated, screened", smart_screened, grid(screened=(100, 500), threshold=(.3, .5, .7, .9), expected=(.05, 1))),
    Method("SuSiE", susie, grid(estimate_prior_method=("optim", "EM"), min_abs_corr=(.1, .3, .5))),
    Method("L1-SVM, C by folds", l1_svm_cv, grid(rule=("best", "one error")), slow=True),
    Method("CluDL", cludl, grid(n_clusters=(250, 500, 1000), rule=("fwer .05", "fdr .1")), slow=True),
    Method("SmartCorrelated, as it comes", smart, grid(threshold=(.7,)), slow=True, only=("r=.8",)))}

def answers_of(method, data, settings):
    "(what it takes, answers)"
    with method.prepare(data) if method.prepare else nullcontext() as folder:
        given = [] if folder is None else [folder]
        return spend(lambda: quiet(lambda: method.run(data, settings, *given)))

# ---- scores and rows

def best_overlap(group, reported):
    "The reported group that shares most members with a true one, the smaller of two that share as many; None where none does"
    shared = [(len(np.intersect1d(group, other)), -len(other), -i) for i, other in enumerate(reported)]
    most = max(shared, default=(0,))
    return reported[-most[2]] if most[0] else None

def score(reported, data):
    "What one answer found of the truth; sums over the true groups that it found"
    answering = [(group, best_overlap(group, reported)) for group in data.truth]
    found = [(group, own, len(np.intersect1d(group, own))) for group, own in answering if own is not None]
    planted, held = np.concatenate([*data.truth, np.empty(0, int)]), np.concatenate([*reported, np.empty(0, int)])
    return dict(found=len(found), false=sum(not np.isin(own, planted).any() for own in reported),
                precision=sum(s/len(own) for _, own, s in found), recall=sum(s/len(group) for group, _, s in found),
                f1=sum(2*s/(len(own)+len(group)) for group, own, s in found), coverage=sum(group[0] in held for group, _, _ in found))

def merit(s):
    "What the settings are chosen by: the mean of discovery (F1), membership (F1) and coverage, where a group that is not found counts as 0"
    discovery = 2*s["found"]/(N_GROUPS+s["found"]+s["false"])
    return (discovery+s["f1"]/N_GROUPS+s["coverage"]/N_GROUPS)/3

def tune(method, kind, p):
    "The setting of the grid with the best mean merit over data sets with an effect, and how many these were"
    settings, seeds = (["r=.6", "unequal"], 1) if method.slow else (SETTINGS[:-1], 2)
    merits = []
    for setting, seed in product(settings, range(FIRST_TUNING_SEED, FIRST_TUNING_SEED+seeds)):
        data = plant(kind, setting, p, seed)
        merits.append([merit(score(own, data)) for own in answers_of(method, data, method.grid)[1]])
    mean = np.mean(merits, axis=0)
    return dict(setting=method.grid[int(mean.argmax())], merit=float(mean.max()), tried=len(method.grid), data_sets=len(merits))

def processor():
    "CPU seconds of this process and of its children that have ended"
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time()+children.ru_utime+children.ru_stime

def judge(method, kind, setting, p, given, seeds, seconds):
    "A row of one method on one kind of data: seeds 0, 1, ... until `seconds` of CPU are spent, at least one; members and coverage of the groups found"
    runs, start = [], processor()
    for seed in range(seeds):
        data, begun = plant(kind, setting, p, seed), processor()
        spent, (answer,) = answers_of(method, data, [given])
        runs.append(score(answer, data) | dict(seconds=processor()-begun, bytes=spent["extra_memory"]))
        if processor()-start > seconds: break
    total = {name: sum(run[name] for run in runs) for name in runs[0]}
    shares = {name: round(total[name]/total["found"], 4) if total["found"] else None for name in ("precision", "recall", "coverage")}
    return dict(kind=kind, p=p, setting=setting, method=method.name, seeds=len(runs), found=round(total["found"]/len(runs), 4),
                false=round(total["false"]/len(runs), 4), **shares, seconds=round(float(np.median([run["seconds"] for run in runs])), 4),
                megabytes=round(max(run["bytes"] for run in runs)/2**20, 4))

def measure(method, own, settings, p, seeds):
    "Rows of one method; `own`: its setting for each kind of data, chosen where none is known"
    for kind in method.kinds:
        answers_of(method, plant(kind, "r=.8", 600, 999), method.grid[:1])          # compiles and imports what the clock should not see
        if kind not in own: own[kind] = tune(method, kind, p) if len(method.grid) > 1 and p == 10_000 else dict(setting=method.grid[0])
    places = [(kind, setting) for kind in method.kinds for setting in settings if setting in method.only]
    return [judge(method, kind, setting, p, own[kind]["setting"], seeds, 60/16) for kind, setting in places]

def run(quick=False, only=None, seeds=None):
    "All methods, or those whose names contain one of `only`; the rows of the others, and of what is not installed, stand"
    known = {} if quick else read_result("rivals")
    best, rows, settings = known.get("best", {}), [], ("r=.8", "null") if quick else SETTINGS
    for name, method in METHODS.items():
        stands = [row for row in known.get("rows", []) if row["method"] == name]
        if only and not any(text in name for text in only):
            rows += stands
            continue
        try: rows += measure(method, best.setdefault(name, {}), settings, 1000 if quick else 10_000, seeds or (1 if quick else 50))
        except (ImportError, FileNotFoundError) as error:
            print(f"{name} is not installed: {error}", flush=True)
            rows += stands
    order = list(METHODS)
    rows.sort(key=lambda row: (KINDS.index(row["kind"]), SETTINGS.index(row["setting"]), order.index(row["method"])))
    return dict(rows=table(rows, "groups found, false groups, members, coverage of the causal feature, CPU seconds, MB of resident memory"), best=best)
