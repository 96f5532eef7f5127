"""Thesis 2015, its tables and figures: `table42` (Table 4.2, Figure 4.4), `discovery` (chapter 4), `learning` (chapter 5).

table42: 12 groups of 38 features among 10,000 (Algorithm 6, drawn anew). Part (a), methods that
group: hits, true members in the found group that answers for theirs, and wrong features. Each fused
method has the setting that is best on the very truth, which favours it, and the one that is most
accurate on held-out samples. Part (b), methods that select twelve.

discovery: Table 4.1 (time against sizes), Figures 2.7, 4.1 (pairs), 4.5 to 4.8 (four real sets) and
4.9 (SNPs), Table 4.3, appendix i. None of its four sets can be had: `STANDS_FOR` says what stands in.

learning: tau and the bins (Figures 5.1, 5.2), folds inside (5.4), one class (Table 5.1), faces
(Table 5.2, Figure 5.6), topics of the BBC news (Figures 5.7, 5.8), on the same stand-ins.
"""
import itertools
import numpy as np, scipy.sparse as sp, fsnb
from sklearn.cluster import KMeans
from sklearn.datasets import load_sample_image
from sklearn.metrics import normalized_mutual_info_score, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC, OneClassSVM
from fsnb import FCBF, GDM, GDMCV, MRMR, RCFS, Discretizer, FilterBruteForce, OneClassGDM, make_groups
from fsnb.correlation import Positional, SymmetricalUncertainty
from fsnb.correlation.survey import survey_pairs
from fsnb.groups.metrics import stability, strict_hits
from fsnb.linear import correlation_graph
from fsnb.spectral.jelsr import spectral_embedded_clustering
from .common import average, cpu, linear_svm, splits_of
from .datasets import available, extras, load, signed
from .paperkit import Eliminated, Method, Task, TunedL1, accuracy, count_matched, drawn_task, fit_answer, means, run_methods, split_task
from .rivals import label, plant
from .variants import Cosine

# ---- Table 4.2
GRID = tuple(itertools.product((.1, .12, .15, .2), (.01, .05, .2)))          # alpha, alpha_edges
THRESHOLDS = .3, .1                                                 # of the graphs
PER_ROUND = 6                                                       # K_b, where it is not what is varied
WEIGHTS = {"U(.25, 1)": "informative", "U(0, 1)": "uniform"}        # ours, and as Algorithm 6 prints them
COPIES = (.8, .97), (.75, .85), (.72, .9), (.7, .8)                 # correlations of affiliated features with their support; ours first
SCHEMES = "quotient", "difference"

def twelve(per_round=PER_ROUND, **given): return GDM.thesis2015(12, n_per_iter=per_round, **given)

def grouped(task, members):
    "What is counted of an answer's groups"
    found = strict_hits(members, task.truth)
    every = np.unique(np.concatenate(members)) if len(members) else np.arange(1)
    return dict(hits=found.hits, wrong=found.wrong, exact=found.exact_groups, groups=len(members), accuracy=accuracy(task, every))

def fit_groups(task, model):
    "Seconds, what is counted, and the groups"
    seconds, model = cpu(lambda: model.fit(task.A, task.a))
    members = [list(map(int, own)) for own in model.groups_.members]
    return dict(seconds=seconds, **grouped(task, members), members=members)

def fused(task, quick):
    "The rows of the four fused methods, two settings each; all graphs come from one survey"
    survey, graph = cpu(lambda: correlation_graph(task.A, min(THRESHOLDS)))
    graphs = [graph*(abs(graph) >= threshold) for threshold in THRESHOLDS[:1 if quick else None]]
    grid = GRID[1::3] if quick else GRID
    def over(name, pairs):
        return [fit_groups(task, getattr(fsnb, name)(None, alpha=alpha, alpha_edges=edge, graph=pairs)) for alpha, edge in grid]
    for name in ("GFlasso", "NcFGS", "NcTFGS", "OSCAR"):
        over_graphs = [dict(row, seconds=row["seconds"]+survey) for pairs in graphs for row in over(name, pairs)]
        all_pairs = over(name, None) if name == "OSCAR" else []
        rules = {"by the truth": lambda row: row["hits"]-row["wrong"], "by accuracy": lambda row: row["accuracy"]}
        for chosen, value in rules.items():
            yield dict(max(over_graphs+all_pairs, key=value), method=name.replace("N", "n"), chosen=chosen)
            if all_pairs: yield dict(max(all_pairs, key=value), method="OSCAR, all pairs", chosen=chosen)

def selectors():
    "Part (b): name -> models of twelve features; where there are several, the one with the fewest wrong is kept"
    return {"GDM tau=0": [twelve(tau=None)], "mRMR, correlations": [MRMR(12, scheme=scheme) for scheme in SCHEMES],
            "FCBF": [FCBF(12), FCBF.icml2003(12)], "RCFS": [RCFS(12, tau=tau, standardize=True) for tau in (.1, .3, .5)],
            "SVM-RFE": [Eliminated(12)], "L1-SVM": [TunedL1(12)], "GDM, supports": [twelve()], "GDM, package defaults, supports": [GDM(12)],
            "ten-line filter, supports": [FilterBruteForce(12)]}

def counted(task, support):
    "Right supports, right affiliates, wrong: the form of Table 4.2 (b)"
    supports, every = {m[0] for m in task.truth}, set().union(*map(set, task.truth))
    own = set(np.asarray(support).tolist())
    return dict(supports=len(own & supports), affiliates=len(own & (every-supports)), wrong=len(own-every),
                groups=sum(bool(own & set(m)) for m in task.truth), accuracy=accuracy(task, np.array(sorted(own))))

def fit_counted(task, model):
    "Seconds, and what is counted of twelve features"
    seconds, answer = fit_answer(model, task)
    return dict(seconds=seconds, **counted(task, answer.support[:12]))

def over_discretisations(task):
    "mRMR by correlations, and by mutual information of three states and of ten bins of equal width; FCBF beside it"
    made = {"correlations": {}, "three states": dict(measure="mutual_info", discretizer="states"),
            "ten bins": dict(measure="mutual_info", discretizer=Discretizer("width"))}
    models = {(name, scheme): MRMR(12, scheme=scheme, **given) for name, given in made.items() for scheme in SCHEMES}
    models |= {("FCBF", ""): FCBF(12), ("FCBF of its paper", ""): FCBF.icml2003(12)}
    for (name, scheme), model in models.items(): yield dict(fit_counted(task, model), measure=name, scheme=scheme)

def over_copies(seed, n, p):
    "The printed algorithm's hits, and the right supports of GDM without its constraint and of the L1-SVM, at each correlation of the copies"
    for rho, (weights, law) in itertools.product(COPIES, WEIGHTS.items()):
        task, named = drawn_task("thesis2015", seed, n, p, weights=law, rho=rho), dict(weights=weights, rho=f"{rho[0]:g} to {rho[1]:g}")
        answer = twelve().fit(task.A, task.a)
        yield dict(named, method="GDM, as in the thesis", **grouped(task, answer.groups_.members))
        for name, model in (("GDM tau=0", twelve(tau=None)), ("L1-SVM", TunedL1(12))):
            yield dict(named, method=name, **counted(task, fit_answer(model, task)[1].support[:12]))

def run_table42(quick=False):
    "Means over the seeds, and the most wrong features of one"
    def averaged(rows, *keys): return average(rows, keys, "seeds", also=lambda own: dict(wrong_most=float(max(row["wrong"] for row in own))))
    n, p, seeds = (500, 1000, 1) if quick else (2048, 10_000, 10)
    made = make_groups(100, 60, (2, 1), random_state=0)
    GDM(2).fit(made.X, made.y)                                      # compiles
    a, b, rounds, mrmr, copies = [], [], [], [], []
    for seed in range(seeds):
        for weights, law in WEIGHTS.items():
            task = drawn_task("thesis2015", seed, n, p, weights=law)
            for size, model in ({size: twelve(size) for size in range(1, 13)} | {"package": GDM(12)}).items():
                row = fit_groups(task, model)
                del row["members"]
                rounds.append(dict(row, per_round=str(size), weights=weights, seed=seed))
            mrmr += [dict(row, weights=weights) for row in over_discretisations(task)]
        task = drawn_task("thesis2015", seed, n, p)
        for name, model in {"GDM, as in the thesis": twelve(), "GDM": GDM(12), "ten-line filter": FilterBruteForce(12, tau=.35)}.items():
            a.append(dict(fit_groups(task, model), method=name, chosen="its default"))
        a += fused(task, quick)
        for name, models in selectors().items():
            b.append(dict(min((fit_counted(task, model) for model in models), key=lambda row: row["wrong"]), method=name))
        copies += over_copies(seed, n, p)
        if seed == 0: figure44 = dict(truth=task.truth, found={row["method"]: row["members"] for row in a if row["chosen"] != "by accuracy"})
    return dict(n=n, p=p, seeds=seeds, a=averaged(a, "method", "chosen"), b=averaged(b, "method"), rounds=averaged(rounds, "weights", "per_round"),
                mrmr=averaged(mrmr, "weights", "measure", "scheme"), copies=averaged(copies, "weights", "rho", "method"),
                every_rounds=rounds, figure44=figure44)

# ---- chapter 4
NUMBERS = 10, 20, 50, 100                          # ten rounds of 1 to 10 supports
STANDS_FOR = {"ng20_bigram_dev": "news20.binary", "farm_ads": "kdd2010", "generated text": "webspam", "generated genotypes": "psoriasis"}

def genotypes(seed, quick=False):
    "Blocks of linkage along a line; ten causal variants of unequal blocks, and half of the label is noise"
    return plant("genotype", "unequal", 2000 if quick else 20_000, seed, n=680)

def stand_in(name, seed, quick=False):
    "A task of one split; the shares are the thesis's (section 4.4.3): halves of the newsgroups, four fifths of the others"
    if name == "generated text":
        shape = (700, 20_000) if quick else (3500, 166_000)
        drawn = make_groups(*shape, (0, 1, 2, 3, 4, 5)*20, weights="normal", sparse=.002, label_noise=.3, n_test=0, random_state=seed)
        return split_task(name, drawn.X, drawn.y, seed, .8)
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

def real(quick):
    "Rows of all methods, means over five splits (Figures 4.5 to 4.8 and i.1, i.2), and the shapes of the sets (Table 4.3)"
    rows, shapes = [], []
    for name in at_hand():
        for seed in range(1 if quick else 5):
            task = stand_in(name, seed, quick)
            rows += run_methods(METHODS, task, NUMBERS[:2] if quick else NUMBERS)
            if seed: continue
            stored = int(task.A.nnz if sp.issparse(task.A) else np.count_nonzero(task.A))
            positive = int((task.a > 0).sum())
            shapes.append(dict(data=name, stands_for=STANDS_FOR[name], features=task.p, training=len(task.a), testing=len(task.b),
                               positive=positive, negative=len(task.a)-positive, nonzeros=stored, density=stored/len(task.a)/task.p))
    return dict(real=means(rows), shapes=shapes)

# ---- Figure 4.9
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
    "GDM with tau=0, with .4, and with the distance of its section 4.3.8, beta = 2p; area under the ROC curve of a linear SVM; `lead`: area less that of GDM"
    rows = []
    for seed, own_effect, k in itertools.product(range(2 if quick else 3), (False, True), (10, 50, 100)):
        task = with_distant_copies(seed, quick, own_effect)
        made = {"GDM tau=0": dict(tau=None), "GDM": dict(tau=.4),
                "GDM-CMD": dict(tau=.4, correlation=Positional(positions="index", beta=2*task.p))}
        fits = {name: fit_answer(thesis(k, **given), task) for name, given in made.items()}
        areas = {}
        for name, (_, answer) in fits.items():
            model = linear_svm(task.A, C=1).fit(task.A[:, answer.support], task.a)
            areas[name] = float(roc_auc_score(task.b, model.decision_function(task.B[:, answer.support])))
        rows += [dict(copies="with an effect" if own_effect else "without an effect", method=name, k=k, seed=seed, auc=areas[name],
                      lead=areas[name]-areas["GDM"], members=len(answer.members), seconds=seconds) for name, (seconds, answer) in fits.items()]
    return average(rows, ("copies", "method", "k"), "seeds", ("auc",),
                   lambda own: dict(lead_error=float(np.std([row["lead"] for row in own])/max(1, len(own)-1)**.5)))

# ---- Table 4.1
SIZES = {"features": (2500, 5000, 10_000, 20_000), "samples": (500, 1000, 2000, 4000), "supports a round": (4, 8, 16, 32)}
USUAL = {"samples": 1000, "features": 10_000, "supports a round": 12}

def complexity(quick):
    "CPU seconds of a fit of one round as one size grows and the others stay, on sets drawn by the thesis's Algorithm 6"
    for varies, values in SIZES.items():
        for value in values[:2] if quick else values:
            n, p, k = (USUAL | {varies: value}).values()
            data = make_groups(n, p, preset="thesis2015", n_test=0, random_state=0)
            model = GDM.thesis2015(k, n_per_iter=k, max_iter=1)
            seconds, _ = cpu(lambda: model.fit(data.X, data.y), 3)
            yield dict(varies=varies, value=value, samples=n, features=p, per_round=k, seconds=seconds)

# ---- Figures 2.7 and 4.1
def survey(name, X, note):
    "The share of pairs at every edge"
    seconds, found = cpu(lambda: survey_pairs(X))
    return dict(data=name, note=note, features=X.shape[1], samples=X.shape[0], pairs=int(found.n_pairs-found.n_constant), seconds=seconds,
                edges=found.edges.round(2).tolist(), share=found.share_above().tolist())

def pairs(quick):
    "All pairs of each set at hand; of the texts also those of the columns of so many entries and more"
    for name in ("bbc", "farm_ads", "ng20_bigram_dev"):
        if name not in available() or quick and name != "bbc": continue
        X, _, _ = load(name)
        entries = np.diff(X.indptr)
        for least in (2, 5, 20, 100): yield survey(name, X[:, entries >= least], f"columns of {least} entries or more")
    yield survey("generated genotypes", genotypes(0, quick).X, "side by side")

def run_discovery(quick=False):
    return dict(pairs=pairs(quick), complexity=complexity(quick), snps=snps(quick)) | real(quick)

# ---- Figures 5.1 and 5.2
KS, TAUS = (10, 30, 50, 70, 90), (0, .1, .2, .3, .4, .5)
BINS = 2, 5, 10, 20, 100                       # 50, 20, 10, 5 and 1 % of the range
BY_WIDTH = SymmetricalUncertainty(10, "width")
SWEEPS = {"tau, PCC": {tau: dict(tau=tau or None) for tau in TAUS},
          "tau, SU": {tau: dict(tau=tau or None, correlation=BY_WIDTH) for tau in TAUS},
          "bins": {bins: dict(tau=.4, correlation=SymmetricalUncertainty(bins, "width")) for bins in BINS}}

def sensitivity(quick):
    "Accuracy of an SVM on the supports for each tau and number of bins, means over the splits"
    rows = []
    for name in [name for name in ("generated text", "ng20_bigram_dev") if name in at_hand()]:
        for seed in range(1 if quick else 5):
            task = stand_in(name, seed, quick)
            for (varies, settings), k in itertools.product(SWEEPS.items(), KS[:1] if quick else KS):
                for value, given in settings.items():
                    answer = fit_answer(thesis(k, **given), task)[1]
                    rows.append(dict(data=name, varies=varies, value=value, k=k, accuracy=accuracy(task, answer.support[:k])))
    return average(rows, ("data", "varies", "value", "k"))

# ---- Figure 5.4
FOLDS = {"GDM": thesis, "ECV (Algorithm 5)": lambda k: GDMCV.thesis2015(k, n_per_iter=max(1, k//10), cv=5),
         "GDM, package defaults": GDM, "GDMCV, package defaults": GDMCV, "ten-line filter": FilterBruteForce}

def folds(quick):
    "Accuracy, how stable the supports are, and time in fits of GDM, over splits of a genotype study"
    drawn = genotypes(0, quick)
    X, y, rows = drawn.X.astype(np.float32), signed(drawn.y), []
    for A, a, B, b in splits_of(X, y, 2 if quick else 20, .2):
        task = Task("generated genotypes", A, a, B, b)
        for (name, make), k in itertools.product(FOLDS.items(), (10, 50) if quick else (10, 20, 50, 100)):
            seconds, answer = fit_answer(make(k), task)
            rows.append(dict(method=name, k=k, accuracy=accuracy(task, answer.support), seconds=seconds, support=answer.support.tolist()))
    out = average(rows, ("method", "k"), spread=("accuracy",),
                  also=lambda own: dict(stability=stability([row["support"] for row in own], X.shape[1], kind="nogueira")))
    base = {row["k"]: row["seconds"] for row in out if row["method"] == "GDM"}
    return [row | dict(times_gdm=row["seconds"]/base[row["k"]]) for row in out]

# ---- Table 5.1
def one_class(quick):
    "Fit on the positive samples of the training set, judged on the test set of both classes; the best setting there, as printed"
    def gdm(k, size): return OneClassGDM(k, n_per_iter=size, contamination="auto", C=1, fit_on="supports", chance=None, tol=1e-4)
    nus, sizes = ((.2, .8), (20,)) if quick else ((.2, .4, .6, .8), (20, 60, 100))
    methods = {"OCSVM": {f"nu={nu}": OneClassSVM(kernel="linear", nu=nu) for nu in nus},
               "GDM-OC": {f"{k} features, {size} a round": gdm(k, size) for k in sizes for size in (2, 5, 10)},
               "OneClassGDM, package defaults": {"100 supports": OneClassGDM(100)}, "class mean, a tenth left out": {"": Cosine()}}
    for name in at_hand():
        task = stand_in(name, 0, quick)
        normal = np.flatnonzero(task.a > 0)
        A = task.A.tocsr()[normal] if sp.issparse(task.A) else task.A[normal]
        for method, models in methods.items():
            found = []
            for setting, model in models.items():
                model.fit(A[:100])            # compiles, and is not counted
                seconds, fitted = cpu(lambda: model.fit(A))
                found.append(dict(data=name, stands_for=STANDS_FOR[name], all_positive=float(np.mean(task.b > 0)), method=method, setting=setting,
                                  accuracy=float(np.mean(fitted.predict(task.B) == task.b)), seconds=seconds))
            yield max(found, key=lambda row: row["accuracy"])

# ---- Table 5.2 and Figure 5.6
def patches(n):
    "Grey patches, 32 by 32, of the two photographs that scikit-learn ships: what is no face"
    rng, pictures = np.random.default_rng(0), [load_sample_image(name).mean(2) for name in ("flower.jpg", "china.jpg")]
    for i in range(n):
        a, b = (rng.integers(0, size-64) for size in pictures[i % 2].shape)
        yield pictures[i % 2][a:a+64:2, b:b+64:2].ravel()

# spectral embedded clustering (SEC), which the thesis takes
CLUSTERINGS = {"SEC": lambda X, k, seed: spectral_embedded_clustering(X, k, random_state=seed),
               "k-means": lambda X, k, seed: KMeans(k, n_init=10, random_state=seed).fit(X).labels_}

def faces(quick):
    """Pixels that tell faces from patches; then the persons are clustered on them

    The thesis says no setting, but that the time falls to .27: of those with at most a third of the pixels in groups, the best
    is kept, by the accuracy of SEC's clusters.
    """
    if "ORL" not in available(): return {}
    X, y, _ = load("ORL")
    X, persons = X.astype(float), np.unique(y, return_inverse=True)[1]
    every, rng, seeds = np.arange(X.shape[1]), np.random.default_rng(0), range(2 if quick else 5)
    def cluster(name, pixels, method, seed):
        seconds, labels = cpu(lambda: CLUSTERINGS[method](X[:, pixels], persons.max()+1, seed))
        return dict(method=method, features=name, pixels=len(pixels), accuracy=count_matched(labels, persons)/len(y),
                    mutual=float(normalized_mutual_info_score(y, labels)), seconds=seconds)
    def runs(name, pixels, method): return [cluster(name, pixels, method, seed) for seed in seeds]
    def by_chance(size, method): return [cluster("as many pixels by chance", rng.permutation(every)[:size], method, seed) for seed in seeds]
    def mean_accuracy(own): return float(np.mean([row["accuracy"] for row in own]))
    both, label, settings, models = np.vstack([X, *patches(len(X))]), np.r_[np.ones(len(X)), -np.ones(len(X))], [], {}
    for k, tau in itertools.product((5,) if quick else (5, 10, 20), (.05,) if quick else (.05, .1, .2)):
        model = GDM(k, tau=tau).fit(both, label)
        pixels, name = model.groups_.all_members, f"{k} supports, tau={tau:g}"
        models[name] = model
        settings.append(dict(setting=name, pixels=len(pixels), groups=mean_accuracy(runs("", pixels, "SEC")),
                             chance=mean_accuracy(by_chance(len(pixels), "SEC"))))
    best = max((one for one in settings if one["pixels"] <= len(every)/3), key=lambda one: one["groups"])["setting"]
    pixels, rows = models[best].groups_.all_members, []
    for method in CLUSTERINGS:
        rows += runs("all pixels", every, method)+runs("support-affiliated groups", pixels, method)+by_chance(len(pixels), method)
    return dict(rows=average(rows, ("method", "features"), spread=("accuracy", "mutual")), setting=best,
                supports=models[best].support_.tolist(), members=pixels.tolist(), mean_face=X.mean(0).round(1).tolist(), every_setting=settings)

# ---- Figures 5.7 and 5.8
def topics(quick, k=20):
    "One machine a pair of topics, its groups of several words, and the topic that each speaks for"
    if "bbc" not in available(): return {}
    X, y, names = load("bbc")
    titles, rows, groups = np.asarray(extras("bbc")["class_names"]).astype(str), X.tocsr(), []
    for a, b in list(itertools.combinations(range(len(titles)), 2))[:2 if quick else None]:
        own = np.isin(y, (a, b))
        model = GDM(k, tau=.5, C=1e-3).fit(rows[own].tocsc(), np.where(y[own] == b, 1, -1))
        for members in model.groups_.members:
            topic = titles[b] if model.scores_[members[0]] > 0 else titles[a]
            groups.append(dict(pair=f"{titles[a]} vs. {titles[b]}", topic=str(topic), words=[str(names[j]) for j in members]))
    def balanced(label): return float(np.mean(cross_val_score(LinearSVC(C=.01, random_state=0), rows, y == label, cv=3, scoring="balanced_accuracy")))
    return dict(groups=groups, one_against_rest={str(title): balanced(label) for label, title in enumerate(titles)}, documents=len(y),
                words=X.shape[1], sizes={str(title): int((y == label).sum()) for label, title in enumerate(titles)})

def run_learning(quick=False):
    return dict(sensitivity=sensitivity(quick), folds=folds(quick), one_class=one_class(quick), faces=faces(quick), topics=topics(quick))
