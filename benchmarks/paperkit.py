"""What the benchmarks of the papers share: tasks, methods by name, a judge.

A method is asked for k features and gives its supports in order, with the members of its groups where it groups. Where it
has several settings, each is tried and the one whose supports are best on the held-out samples is kept, for each k anew:
that favours the rivals, as the papers' protocol does ("we report the best results").
"""
import numpy as np, scipy.sparse as sp, fsnb
from collections import namedtuple
from dataclasses import dataclass
from scipy.optimize import linear_sum_assignment
from sklearn.svm import LinearSVC
from fsnb.groups.metrics import redundancy_rate
from .common import average, cpu, fit_l1, standardized
from .datasets import signed

@dataclass
class Task:
    "Samples to fit and samples that are held out, y of -1 and 1"
    name: str
    A: object
    a: np.ndarray
    B: object
    b: np.ndarray
    truth: list = None           # true groups, where they are known

    @property
    def p(self): return self.A.shape[1]

def split_task(name, X, y, seed, share=.5):
    "A task of a share of the samples, drawn at random, and the others"
    order = np.random.default_rng(seed).permutation(len(y))
    cut = int(share*len(y))
    here, there = np.sort(order[:cut]), np.sort(order[cut:])
    y = signed(y)
    if not sp.issparse(X): return Task(name, X[here], y[here], X[there], y[there])
    rows = X.tocsr()
    return Task(name, rows[here].tocsc(), y[here], rows[there].tocsc(), y[there])

def drawn_task(preset, seed, n, p, **given):
    "A set of `make_groups` as a task, with its truth"
    data = fsnb.make_groups(n, p, preset=preset, random_state=seed, **given)
    return Task(preset, data.X, signed(data.y), data.X_test, signed(data.y_test), [m.tolist() for m in data.groups.members])

# ---- methods
# supports in order, and all members of their groups (None: the method does not group)
Answer = namedtuple("Answer", "support members", defaults=[None])

@dataclass
class Method:
    "`settings`: k -> {name of a setting: what is fitted}; `nested`: the answer for k starts that for more"
    name: str
    settings: object
    nested: bool = False
    most: int = 10**9            # columns beyond which it is left out
    grouped: bool = False

class Eliminated:
    "The order in which SVM-RFE lets go of the features, a quarter a step, the last first: every k from one run"
    def __init__(self, k): self.k = k

    def fit(self, X, y):
        model = fsnb.SVMRFE(10, step=.25).fit(X, y)
        self.support_ = np.argsort(model.ranking_, kind="stable")[:self.k]
        return self

class TunedL1:
    """An L1-SVM whose C is bisected until it has k features within one in ten, the largest weights first; fits for other k are used again

    `own_seconds` is the time of the one fit that is kept, the search not counted, which favours it."""
    data, path = None, []        # of the last data: (C, features, weights, seconds)

    def __init__(self, k): self.k = k

    def fit(self, X, y):
        if TunedL1.data is not X: TunedL1.data, TunedL1.path = X, []
        path, Z = TunedL1.path, X if sp.issparse(X) else standardized(X)
        for _ in range(14):
            low = max((row[0] for row in path if row[1] <= self.k), default=1e-5)
            high = min((row[0] for row in path if row[1] > self.k), default=10.)
            best = min(path, key=lambda row: abs(row[1]-self.k), default=None)
            if best and abs(best[1]-self.k) <= self.k//10 or low >= high: break
            C = (low*high)**.5
            seconds, model = cpu(lambda: fit_l1(Z, y, C))
            weights = np.abs(model.coef_[0])
            path.append((C, int((weights > 0).sum()), weights, seconds))
        self.C, count, weights, self.own_seconds = min(path, key=lambda row: abs(row[1]-self.k))
        self.support_ = np.argsort(-weights, kind="stable")[:min(self.k, count)]
        return self

def fit_answer(model, task):
    "(CPU seconds, what a selector says)"
    seconds, fitted = cpu(lambda: model.fit(task.A, task.a))
    groups = getattr(fitted, "groups_", None)
    members = None if groups is None else np.asarray(groups.all_members)
    return getattr(fitted, "own_seconds", seconds), Answer(np.asarray(fitted.support_), members)

# ---- the judge
def accuracy(task, support):
    "Of a linear SVM fitted on these features alone; dense columns standardised, sparse ones as they are"
    A, B = task.A[:, support], task.B[:, support]
    if not sp.issparse(A): A, B = standardized(A), standardized(B, A)
    return float(LinearSVC(dual="auto", random_state=0, max_iter=2000).fit(A, task.a).score(B, task.b))

def judge(task, answer, k, grouped=False):
    "What the papers ask of k features: accuracy, redundancy, members, and the truth where it is known"
    support = answer.support[:k]
    row = dict(features=len(support), accuracy=accuracy(task, support), redundancy=redundancy_rate(task.A, support, kind="gdm"))
    if grouped: row |= dict(members=len(answer.members), accuracy_members=accuracy(task, answer.members))
    if task.truth is None: return row
    true = int(np.isin(support, np.concatenate(task.truth)).sum())
    return row | dict(true=true, wrong=len(support)-true)

def count_matched(found, y):
    "Samples whose cluster is the one matched to their class; both are numbers from 0 on"
    counts = np.zeros((max(found.max(), y.max())+1,)*2)
    np.add.at(counts, (y, found), 1)
    return int(counts[linear_sum_assignment(-counts)].sum())

def run_method(method, task, ks):
    "A row for each k: the best of the settings on the held-out samples, with the CPU time of its own fit; `every`: the accuracy of each"
    if task.p > method.most: return
    kept = {}
    for k in ks:
        found = []
        for setting, model in method.settings(max(ks) if method.nested else k).items():
            if not method.nested or setting not in kept: kept[setting] = fit_answer(model, task)
            seconds, answer = kept[setting]
            if method.nested and len(answer.support) < k and k != min(ks): continue      # nothing more to show
            found.append(dict(judge(task, answer, k, method.grouped), setting=setting, seconds=seconds))
        if found: yield dict(data=task.name, method=method.name, k=k, **max(found, key=lambda row: row["accuracy"]),
                             every={row["setting"]: row["accuracy"] for row in found})

def run_methods(methods, task, ks): return [row for method in methods for row in run_method(method, task, ks)]

def means(rows):
    "Over the splits: the mean of each number, also of each setting's accuracy, the deviation of the accuracy, and how many splits"
    def settings(own):
        every = {name: [row["every"][name] for row in own if name in row["every"]] for name in own[0].get("every", {})}
        return dict(setting=" | ".join(sorted({row["setting"] for row in own})),
                    every={name: round(float(np.mean(values)), 5) for name, values in every.items() if len(values) == len(own)})
    out = average(rows, ("data", "method", "k"), "splits", ("accuracy",), settings)
    return [{name: round(value, 5) if isinstance(value, float) else value for name, value in row.items()} for row in out]
