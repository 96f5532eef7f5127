"""Groups found: GDM beside PLINK's clumps, SuSiE, CluDL, SmartCorrelatedSelection and an L1-SVM, the number of groups unknown to all.

    python -m benchmarks rivals --only GDM --seeds 50 --write     methods whose names contain GDM; the rows of others stand

Every method has one setting for each kind of data, the best of its grid over all settings with an
effect, on seeds that it is not judged by; those that an earlier run chose are used again. A method
takes data and a list of settings, and gives one answer, a list of groups, for each setting.
"""
import io, resource, subprocess, tempfile, time
import numpy as np, pandas as pd
from collections import namedtuple
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from sklearn.cluster import FeatureAgglomeration
from sklearn.feature_extraction.image import grid_to_graph
from sklearn.feature_selection import f_classif
from sklearn.model_selection import cross_val_score
from sklearn.svm import LinearSVC
from fsnb import GDM
from fsnb.data.genotypes import write_bed
from .common import CHILD_PEAK, resident, spend, standardized
from .records import read_result

N_SAMPLES, N_GROUPS, PARTNERS, NOISE = 500, 10, 4, .5
UNEQUAL = (1, 1, 2, 2, 3, 4, 5, 7, 10, 14)                 # partners of the ten causal features
SETTINGS = "r=.4", "r=.6", "r=.8", "r=.95", "unequal", "chains", "masked", "null"
KINDS = "normal", "genotype"
FIRST_TUNING_SEED = 1000

# ---- data
# labels 0/1, and the true groups with the causal feature first
Planted = namedtuple("Planted", "kind X y truth p")

class Draw:
    """Columns of n normal values; or of 2n alleles 0/1, of a frequency f, whose sums are genotypes

    A partner copies each allele with probability r, else draws it anew: their correlation is r, of alleles and of dosages.
    """
    def __init__(self, kind, n, rng): self.is_normal, self.n, self.rng = kind == "normal", n, rng

    def fresh(self, count=1, f=.3):
        if self.is_normal: return self.rng.standard_normal((self.n, count))
        return (self.rng.random((2*self.n, count), dtype=np.float32) < f).astype(np.int8)

    def partners(self, base, r, f):
        "One column for each correlation in r, each correlated so with `base`, a column"
        if self.is_normal: return r*base+np.sqrt(1-r**2)*self.fresh(len(r))
        copied = self.rng.random((2*self.n, len(r)), dtype=np.float32) < r
        return np.where(copied, base, self.fresh(len(r), f)).astype(np.int8)

    def mixed(self, sources, share, noise):
        "Normal: their sum times `share`, and `noise`: correlated so with independent sources; else each allele from one of them, by chance"
        if self.is_normal: return share*sources.sum(axis=1, keepdims=True)+noise*self.fresh()
        return sources[np.arange(2*self.n), self.rng.integers(0, sources.shape[1], 2*self.n)][:, None]

def correlation_of(setting): return float(setting[2:]) if setting.startswith("r=") else .8

def causal_blocks(draw, setting, rng):
    """[(columns with the causal one first, true members)], one a causal feature

    `chains`: a~b~c, where c hardly goes with a, and a or b is causal. The last two of `masked` are mixtures of four others each.
    """
    blocks, firsts = [], []
    correlations = [np.full(PARTNERS, correlation_of(setting))]*N_GROUPS
    if setting == "unequal": correlations = [rng.uniform(.6, .95, m) for m in UNEQUAL]
    for i, r in enumerate(correlations):
        f = None if draw.is_normal else rng.uniform(.2, .5)
        if setting == "chains":
            a = draw.fresh(f=f)
            c = draw.partners(a, np.array([.2]), f)
            b = draw.mixed(np.hstack([a, c]), .625, .25)               # corr(a, b) = corr(b, c) = .75
            blocks.append((np.hstack([b, a, c]), 3) if i % 2 else (np.hstack([a, b, c]), 2))
            continue
        is_masked = setting == "masked" and i >= N_GROUPS-2
        sources = np.hstack(firsts[4*(i-8):4*(i-8)+4]) if is_masked else None
        base = draw.mixed(sources, .3, .8) if is_masked else draw.fresh(f=f)
        firsts.append(base)
        blocks.append((np.hstack([base, draw.partners(base, r, base.mean() if f else None)]), len(r)+1))
    return blocks

def idle_blocks(draw, kind, setting, room, rng):
    "Columns that have nothing to do with y: 40 groups like the true ones and single columns, or a genome of blocks of 2 to 20"
    made = 0
    while made < room:
        is_block = kind == "genotype" or made < 40*(PARTNERS+1)
        size = min(room-made, int(rng.integers(2, 21)) if kind == "genotype" else PARTNERS+1 if is_block else room-made)
        f = None if draw.is_normal else rng.uniform(.2, .5)
        base = draw.fresh(f=f) if is_block else draw.fresh(size)
        rho = rng.uniform(.4, .95, size-1) if kind == "genotype" else np.full(size-1, correlation_of(setting))
        yield np.hstack([base, draw.partners(base, rho, f)]) if is_block and size > 1 else base
        made += size

def label(setting, causal, rng):
    "0/1: a threshold on a weighted sum of the causal columns, of which a masked one has no covariance with it, and noise; on noise for `null`"
    Z = standardized(causal)
    weights = rng.uniform(.6, 1.4, Z.shape[1])
    if setting != "masked": weights *= rng.choice([-1, 1], Z.shape[1])
    else:
        for m in (8, 9):
            own = slice(4*(m-8), 4*(m-8)+4)
            weights[m] = -Z[:, m]@(Z[:, own]@weights[own])/(Z[:, m]@Z[:, m])
    latent = Z@weights
    latent = rng.standard_normal(len(Z)) if setting == "null" else latent/latent.std()+NOISE*rng.standard_normal(len(Z))
    return (latent > np.median(latent)).astype(np.int64)

def plant(kind, setting, p, seed, n=N_SAMPLES):
    "The data set of a kind, setting, width and seed: blocks of genotypes stand side by side in an order drawn by chance, normal columns are mixed"
    rng = np.random.default_rng([seed, p, KINDS.index(kind), SETTINGS.index(setting)])
    draw = Draw(kind, n, rng)
    def values(columns): return columns if draw.is_normal else columns[:n]+columns[n:]
    own = causal_blocks(draw, setting, rng)
    blocks, truths = [values(columns) for columns, _ in own], [count for _, count in own]
    y = label(setting, np.hstack([block[:, :1] for block in blocks]).astype(np.float64), rng)
    room = p-sum(block.shape[1] for block in blocks)
    blocks += [values(columns) for columns in idle_blocks(draw, kind, setting, room, rng)]
    X, start, groups = np.empty((n, p)), 0, [None]*len(truths)
    column = rng.permutation(p) if draw.is_normal else np.arange(p)
    for b in range(len(blocks)) if draw.is_normal else rng.permutation(len(blocks)):
        own = column[start:start+blocks[b].shape[1]]
        if not draw.is_normal: own = rng.permutation(own)
        X[:, own] = blocks[b]
        if b < len(truths): groups[b] = own[:truths[b]]
        start += len(own)
    return Planted(kind, X, y, [] if setting == "null" else groups, p)

# ---- methods
def grid(**axes): return [dict(zip(axes, values)) for values in product(*axes.values())]
def gdm(k): return lambda data, settings: [GDM(k, **setting).fit(data.X, data.y).groups_.members for setting in settings]

HOME = tempfile.TemporaryDirectory()          # of PLINK's files

def write_files(data):
    "PLINK's binary files, columns 1,000 bases apart on one chromosome"
    write_bed(Path(HOME.name, "d.bed"), data.X.astype(np.int8), range(data.p), phenotype=data.y+1)

def plink(*args):
    "Run PLINK in its folder, on one thread; watches its resident size"
    command = ["plink1.9", "--bfile", "d", "--allow-no-sex", "--threads", "1", "--memory", "2048", *map(str, args)]
    child = subprocess.Popen(command, cwd=HOME.name, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while child.poll() is None:
        CHILD_PEAK[0] = max(CHILD_PEAK[0], resident(child.pid, "VmHWM"))
        time.sleep(.002)
    if child.returncode: raise RuntimeError(child.stderr.read().decode()[-300:])

def plink_clump(data, settings):
    "--assoc, then --clump for each setting: index columns and their clumps; `expected` false index columns where there is no effect"
    plink("--assoc", "--out", "a")
    answers, path = [], Path(HOME.name, "c.clumped")
    for s in settings:
        path.unlink(missing_ok=True)
        limits = "--clump-p1", s["expected"]/data.p, "--clump-p2", s["p2"], "--clump-r2", s["r2"]
        plink("--clump", "a.assoc", "--clump-kb", 250, *limits, "--out", "c")
        lines = [line.split() for line in path.read_text().splitlines()[1:] if line.strip()] if path.exists() else []
        clumped = [[] if line[11] == "NONE" else [int(part.split("(")[0]) for part in line[11].split(",")] for line in lines]
        answers.append([np.array([int(line[2]), *rest]) for line, rest in zip(lines, clumped)])
    return answers

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
    "As it comes: it sees y only to order the features, so every correlated set is reported"
    return [smart_groups(data, np.arange(data.p), s["threshold"]) for s in settings]

def smart_screened(data, settings):
    "With what it lacks: a screen of the columns before, and after it only sets, and single columns, whose best column passes"
    p_values, answers, made = f_classif(data.X, data.y)[1], [], {}
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
    prepare: object = lambda data: None             # what is not counted
    slow: bool = False                              # tuned on fewer data sets
    only: tuple = SETTINGS                          # settings it is run on

TAUS = .1, .3, .5, .65, .75
METHODS = {m.name: m for m in (
    Method('GDM("auto")', gdm("auto"), [{}]),
    Method('GDM("auto"), tuned', gdm("auto"), grid(tau=TAUS[1:], chance=(.05, .2, .5))),
    Method("GDM(k), told k", gdm(N_GROUPS), grid(tau=TAUS)),
    Method("PLINK clump", plink_clump, grid(expected=(.05, 1, 10), r2=(.05, .1, .2, .5), p2=(1, .05, .01)), ("genotype",), write_files),
    Method("SmartCorrelated, screened", smart_screened, grid(screened=(100, 500), threshold=(.3, .5, .7, .9), expected=(.05, 1))),
    Method("SuSiE", susie, grid(estimate_prior_method=("optim", "EM"), min_abs_corr=(.1, .3, .5))),
    Method("L1-SVM, C by folds", l1_svm_cv, grid(rule=("best", "one error")), slow=True),
    Method("CluDL", cludl, grid(n_clusters=(250, 500, 1000), rule=("fwer .05", "fdr .1")), slow=True),
    Method("SmartCorrelated, as it comes", smart, grid(threshold=(.7,)), slow=True, only=("r=.8",)))}

# ---- scores and rows
def score(reported, data):
    "Sums over true groups: the reported one that shares most members has found it, the smaller of two that share as many"
    found = []
    for group in data.truth:
        shared = [len(np.intersect1d(group, own)) for own in reported]
        best = max(range(len(reported)), key=lambda i: (shared[i], -len(reported[i])), default=0)
        if sum(shared): found.append((group, reported[best], shared[best]))
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
        method.prepare(data)
        merits.append([merit(score(own, data)) for own in method.run(data, method.grid)])
    mean = np.mean(merits, axis=0)
    return dict(setting=method.grid[int(mean.argmax())], merit=float(mean.max()), tried=len(method.grid), data_sets=len(merits))

def processor():
    "CPU seconds of this process and of its children that have ended"
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time()+children.ru_utime+children.ru_stime

def judge(method, kind, setting, p, given, seeds, seconds=60/16):
    "A row of one method on one kind of data: seeds 0, 1, ... until `seconds` of CPU are spent, at least one; members and coverage of the groups found"
    runs, start = [], processor()
    for seed in range(seeds):
        data = plant(kind, setting, p, seed)
        method.prepare(data)
        begun = processor()
        spent, (answer,) = spend(lambda: method.run(data, [given]))
        runs.append(score(answer, data) | dict(seconds=processor()-begun, bytes=spent["extra_memory"]))
        if processor()-start > seconds: break
    total = {name: sum(run[name] for run in runs) for name in runs[0]}
    shares = {name: round(total[name]/total["found"], 4) if total["found"] else None for name in ("precision", "recall", "coverage")}
    return dict(kind=kind, p=p, setting=setting, method=method.name, seeds=len(runs), found=round(total["found"]/len(runs), 4),
                false=round(total["false"]/len(runs), 4), **shares, seconds=round(float(np.median([run["seconds"] for run in runs])), 4),
                megabytes=round(max(run["bytes"] for run in runs)/2**20, 4))

def run(quick=False, only=None, seeds=None):
    "All methods, or those whose names contain one of `only`; the rows of the others, and of what is not installed, stand"
    known = {} if quick else read_result("rivals")
    best, rows, settings, p = known.get("best", {}), [], ("r=.8", "null") if quick else SETTINGS, 1000 if quick else 10_000
    for name, method in METHODS.items():
        stands, own = [row for row in known.get("rows", []) if row["method"] == name], best.setdefault(name, {})
        if only and not any(text in name for text in only):
            rows += stands
            continue
        try:
            for kind in method.kinds:
                judge(method, kind, "r=.8", 600, method.grid[0], 1)          # compiles and imports what the clock should not see
                if kind not in own: own[kind] = dict(setting=method.grid[0]) if quick or len(method.grid) == 1 else tune(method, kind, p)
                given, times = own[kind]["setting"], seeds or (1 if quick else 50)
                rows += [judge(method, kind, setting, p, given, times) for setting in settings if setting in method.only]
        except (ImportError, FileNotFoundError) as error:
            print(f"{name} is not installed: {error}", flush=True)
            rows += stands
    order = list(METHODS)
    rows.sort(key=lambda row: (KINDS.index(row["kind"]), SETTINGS.index(row["setting"]), order.index(row["method"])))
    return dict(rows=rows, best=best)
