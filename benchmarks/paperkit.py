"""What the benchmarks of the papers share: tasks, methods by name, a clock of CPU time, a judge.

A method is asked for k features and gives its supports in order, with the members of its groups where it groups. Where it
has several settings, each is tried and the one whose supports are best on the held-out samples is kept, for each k anew:
that favours the rivals, as the papers' protocol does ("we report the best results").
"""
import json
import time
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import fsnb
from fsnb.groups.metrics import redundancy_rate

from .common import average
from .records import RESULTS, origin, write_json


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


def signed(y): return np.where(y == np.max(y), 1., -1.)


def split_task(name, X, y, seed, share=.5):
    "A task of a share of the samples, drawn at random, and the others"
    order = np.random.default_rng(seed).permutation(len(y))
    cut = int(share*len(y))
    rows = X.tocsr() if sp.issparse(X) else X
    parts = [rows[np.sort(part)] for part in (order[:cut], order[cut:])]
    A, B = (part.tocsc() for part in parts) if sp.issparse(X) else parts
    y = signed(y)
    return Task(name, A, y[np.sort(order[:cut])], B, y[np.sort(order[cut:])])


def cpu(f):
    "CPU time of one call, and what it returned"
    start = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        out = f()
    return time.process_time()-start, out


# ---- long runs -----------------------------------------------------------------------------------

class Parts(dict):
    """What the parts of a run measured, by name: a seed or a split is a part.

    A full run keeps them in `benchmarks/results/parts/<name>.json`, written after each, so that a run that is ended
    goes on where it stopped; the file goes when the results of the whole run are written (`records.write_result`).
    """
    def __init__(self, name, keep=False):
        self.path = RESULTS/"parts"/f"{name}.json" if keep else None
        super().__init__(json.loads(self.path.read_text()) if keep and self.path.exists() else {})

    def measure(self, key, f):
        "`f()`, a dict, under this key, with its CPU minutes, its commit and its day, unless an earlier run has it"
        if key in self: return
        seconds, found = cpu(f)
        self[key] = dict(found, cpu_minutes=seconds/60, **origin())
        print(key, round(seconds, 1), "s", flush=True)
        if self.path: write_json(self.path, self)

    def of(self, name):
        "Those whose key begins with this name, in order of their number"
        own = [key for key in self if key.rpartition(" ")[0] == name]
        return [self[key] for key in sorted(own, key=lambda key: int(key.rpartition(" ")[2]))]

    def rows(self, name): return [row for part in self.of(name) for row in part["rows"]]

    def minutes(self): return round(sum(part["cpu_minutes"] for part in self.values()), 1)


def run_parts(name, plan, measured, summary, quick=False, full=False):
    """What a long benchmark found

    `plan(quick, full)` gives (part, seed or split) of all parts, `measured(part, seed, quick, full)` what one says, a dict,
    and `summary(parts, size)` what they say together.
    """
    parts = Parts(name, keep=full)
    for part, seed in plan(quick, full): parts.measure(f"{part} {seed}", lambda: measured(part, seed, quick, full))
    return summary(parts, "full" if full else "small")


# ---- methods -------------------------------------------------------------------------------------

@dataclass
class Answer:
    "Supports in order, and all members of their groups (None: the method does not group)"
    support: np.ndarray
    members: np.ndarray = None


@dataclass
class Method:
    "`settings`: k -> {name of a setting: what is fitted}; `nested`: the answer for k starts that for more"
    name: str
    settings: object
    nested: bool = False
    most: int = 10**9            # columns beyond which it is left out
    grouped: bool = False


def answer_of(model):
    "What a fitted selector says"
    groups = getattr(model, "groups_", None)
    return Answer(np.asarray(model.support_), None if groups is None else np.asarray(groups.all_members))


class Eliminated:
    "The order in which SVM-RFE lets go of the features, a quarter a step, the last first: every k from one run"
    def __init__(self, k): self.k = k

    def fit(self, X, y):
        model = fsnb.SVMRFE(10, step=.25).fit(X, y)
        self.support_ = np.argsort(model.ranking_, kind="stable")[:self.k]
        return self


class TunedL1:
    """An L1-SVM whose C is bisected until it has k features within one in ten, the largest weights first.

    What was fitted on the same data for another k is not fitted again; `own_seconds` is the time of the one fit that is kept,
    the search not counted, which favours it.
    """
    data, path = None, []        # of the last data: (C, features, weights, seconds)

    def __init__(self, k): self.k = k

    def one_fit(self, Z, y, C):
        model = LinearSVC(penalty="l1", dual=False, C=C, random_state=0)
        seconds, _ = cpu(lambda: model.fit(Z, y))
        weights = np.abs(model.coef_[0])
        TunedL1.path.append((C, int((weights > 0).sum()), weights, seconds))

    def fit(self, X, y):
        if TunedL1.data is not X: TunedL1.data, TunedL1.path = X, []
        Z = X if sp.issparse(X) else standardized(X)
        for _ in range(14):
            low = max((row[0] for row in TunedL1.path if row[1] <= self.k), default=1e-5)
            high = min((row[0] for row in TunedL1.path if row[1] > self.k), default=10.)
            best = min(TunedL1.path, key=lambda row: abs(row[1]-self.k), default=None)
            if best and abs(best[1]-self.k) <= self.k//10 or low >= high: break
            self.one_fit(Z, y, (low*high)**.5)
        best = min(TunedL1.path, key=lambda row: abs(row[1]-self.k))
        self.C, self.own_seconds = best[0], best[3]
        self.support_ = np.argsort(-best[2], kind="stable")[:min(self.k, best[1])]
        return self


def standardized(X):
    deviation = X.std(0)
    return (X-X.mean(0))/np.where(deviation > 0, deviation, 1)


def fit_answer(model, task):
    seconds, fitted = cpu(lambda: model.fit(task.A, task.a))
    return getattr(fitted, "own_seconds", seconds), answer_of(fitted)


# ---- the judge -----------------------------------------------------------------------------------

def accuracy(task, support, C=1.):
    "Of a linear SVM fitted on these features alone; dense columns standardised, sparse ones as they are"
    A, B = task.A[:, support], task.B[:, support]
    if not sp.issparse(A):
        mean, deviation = A.mean(0), A.std(0)
        deviation = np.where(deviation > 0, deviation, 1)
        A, B = (A-mean)/deviation, (B-mean)/deviation
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        model = LinearSVC(C=C, dual="auto", random_state=0, max_iter=2000).fit(A, task.a)
    return float(model.score(B, task.b))


def judge(task, answer, k, grouped=False):
    "What the papers ask of k features: accuracy, redundancy, members, and the truth where it is known"
    support = answer.support[:k]
    row = dict(features=len(support), accuracy=accuracy(task, support),
               redundancy=redundancy_rate(task.A, support, kind="gdm"))
    if grouped: row.update(members=len(answer.members), accuracy_members=accuracy(task, answer.members))
    if task.truth is not None:
        true = set().union(*map(set, task.truth))
        row["true"] = len(true & set(support.tolist()))
        row["wrong"] = len(support)-row["true"]
    return row


def run_method(method, task, ks):
    "A row for each k: the best of the settings on the held-out samples, with the CPU time of its own fit; `every`: the accuracy of each"
    if task.p > method.most: return []
    rows, kept = [], {}
    for k in ks:
        found = []
        for setting, make in method.settings(max(ks) if method.nested else k).items():
            if not method.nested: seconds, answer = fit_answer(make, task)
            else:
                if setting not in kept: kept[setting] = fit_answer(make, task)
                seconds, answer = kept[setting]
            if method.nested and len(answer.support) < k and k != min(ks): continue      # nothing more to show
            found.append(dict(judge(task, answer, k, method.grouped), setting=setting, seconds=seconds))
        if found: rows.append(dict(data=task.name, method=method.name, k=k, **max(found, key=lambda row: row["accuracy"]),
                               every={row["setting"]: row["accuracy"] for row in found}))
    return rows


def means(rows, keys=("data", "method", "k")):
    "Over the splits: the mean of each number, also of each setting's accuracy, the deviation of the accuracy, and how many splits"
    def settings(own):
        every = {name: [row["every"][name] for row in own if name in row["every"]] for name in own[0].get("every", {})}
        return dict(setting=" | ".join(sorted({row["setting"] for row in own})),
                    every={name: round(float(np.mean(values)), 5) for name, values in every.items() if len(values) == len(own)})
    out = average(rows, keys, "splits", ("accuracy",), settings)
    return [{name: round(value, 5) if isinstance(value, float) else value for name, value in row.items()} for row in out]
