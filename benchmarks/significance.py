"Max-T by permutations: the family-wise error with its confidence limits, mutants that must fail, and what a million columns cost."
import numpy as np
import scipy.sparse as sp
from scipy.stats import beta
from sklearn.feature_selection import f_classif

from fsnb import as_columns, group_p_values
from fsnb.data.checks import SLACK
from fsnb.groups import feature_p_values, max_t
from fsnb.groups.max_t import find_statistics, open_target, permute_target

from .common import clock, replaced, table

ALPHA, CONFIDENCE = .1, .99

def limits(count, repeats, confidence=CONFIDENCE):
    "One-sided Clopper-Pearson limits of a share, the lower and the upper"
    miss = 1-confidence
    low = beta.ppf(miss, count, repeats-count+1) if count else 0.
    high = beta.isf(miss, count+1, repeats-count) if count < repeats else 1.
    return float(low), float(high)

# ---- data: (X, y, strata or None, mask of the features that have nothing to do with y)

def blocks(rng, n, p, size=5, r=.8):
    "Normal columns, correlated at r within blocks"
    shared = np.repeat(rng.standard_normal((n, p//size)), size, axis=1)
    return np.sqrt(r)*shared+np.sqrt(1-r)*rng.standard_normal((n, p))

def global_null(rng):
    return blocks(rng, 30, 50, r=.95), rng.permutation(np.arange(30) % 2), None, np.ones(50, bool)

def partial_null(rng):
    "Ten features go with y, and five of these with the noise too"
    X, y, null = blocks(rng, 30, 50), rng.permutation(np.arange(30) % 2), np.arange(50) >= 10
    X[:, :10] += 1.2*y[:, None]
    X[:, 5:10] += X[:, 10:15]
    return X, y, None, null

def ties(rng):
    "Columns of 0 and 1, each of them twice, and few samples: the maxima themselves tie"
    X = np.repeat(rng.random((12, 10)) < .3, 2, axis=1).astype(float)
    return X, rng.permutation(np.arange(12) % 2), None, np.ones(20, bool)

def sparse(rng):
    "CSC columns of one to eight entries; the first three are those of one class"
    rows = [rng.choice(60, rng.integers(1, 9), replace=False) for _ in range(200)]
    y, X, null = rng.permutation(np.arange(60) % 2), np.zeros((60, 200)), np.arange(200) >= 3
    for j, own in enumerate(rows): X[own, j] = rng.lognormal(size=len(own))
    X[:, :3] = y[:, None]*(rng.random((60, 3)) < .4)
    return sp.csc_matrix(X), y, None, null

def by_strata(rng):
    "A stratum moves y and all features; within it they are independent"
    strata = np.repeat([0, 1, 2], 14)
    y = (rng.random(42) < np.array([.25, .5, .75])[strata]).astype(int)
    return blocks(rng, 42, 50)+.8*strata[:, None], y, strata, np.ones(50, bool)

def three_classes(rng):
    return blocks(rng, 30, 50), rng.permutation(np.arange(30) % 3), None, np.ones(50, bool)

def numbers(rng):
    "y with a heavy tail, three features that go with it"
    X, y, null = blocks(rng, 30, 50), rng.lognormal(size=30), np.arange(50) >= 3
    X[:, :3] += .5*y[:, None]
    return X, y, None, null

SETTINGS = {f.__name__: f for f in (global_null, partial_null, ties, sparse, by_strata, three_classes, numbers)}
EXACT = "global_null",        # no ties, no true feature: the error is alpha itself, neither more nor less

# ---- groups

def chosen_by_label(X, y):
    "Five pairs of the ten features that go best with y"
    square = find_statistics(as_columns(X), open_target(y, None, len(y)))
    return np.argsort(-square, kind="stable")[:10].reshape(5, 2)

def neighbours(X, y):
    "Blocks of five columns side by side: fixed groups"
    return np.arange(X.shape[1]).reshape(-1, 5)

# ---- mutants: each is a way to get it wrong; what is exchanged in fsnb.groups.max_t, or what is called instead

def right(X, y, groups, B, strata, seed, **given):
    return group_p_values(X, y, groups, B, strata, seed, **given)

def exchanged(**functions):
    "The test with other functions; each is made of the right one"
    def test(*args, **given):
        values = {name: make(getattr(max_t, name)) for name, make in functions.items()}
        with replaced(max_t, **values): return right(*args, **given)
    return test

def identity_forgotten(count):
    "p = wins/B: y itself is not counted among the arrangements"
    def wins(maxima, statistics):
        B = maxima.shape[1]
        return count(maxima, statistics)*(1+B)/B-1
    return wins

def ties_won(count):
    "A permutation that only reaches the same statistic does not count against it"
    return lambda maxima, statistics: count(maxima, statistics+3*SLACK)

def classes_apart(permute):
    "Every class has its samples permuted by itself"
    def apart(task, count, random):
        parts = [permute(task, count, random)[:, c] for c in range(len(task.weights))]
        return np.ascontiguousarray(np.stack(parts, axis=1))
    return apart

def one_permutation(permute):
    "The same permutation again and again"
    return lambda task, count, random: np.repeat(permute(task, 1, random), count, axis=2)

def strata_ignored(X, y, groups, B, strata, seed): return group_p_values(X, y, groups, B, None, seed)

def chosen_alone(X, y, groups, B, strata, seed):
    "The maximum runs over the members only, of groups that were made with y"
    return group_p_values(X, y, groups, B, strata, seed, fixed_groups=True)

def through_a_feature(X, y, groups, B, strata, seed):
    "The maximum runs over the members only, of groups of noise that were made without y, by a feature that is almost y"
    r = np.random.default_rng(seed)
    copy, z = y+.2*r.standard_normal(len(y)), (X-X.mean(0))/X.std(0)
    chosen = np.argsort(-np.abs((copy-copy.mean())@z), kind="stable")[:10].reshape(5, 2)
    return group_p_values(np.c_[X, copy], y, chosen, B, strata, seed, fixed_groups=True)

def unit_length(X, y):
    "Centred columns of length 1, and y less its mean"
    z = X-X.mean(0)
    return z/np.linalg.norm(z, axis=0), y-y.mean()

def columns_apart(X, y, groups, B, strata, seed):
    "Every column has its samples permuted by itself"
    rng, (z, v) = np.random.default_rng(seed), unit_length(X, y)
    best = np.array([np.abs(v@rng.permuted(z, axis=0)).max() for _ in range(B)])
    p_values = (1+(best[:, None] >= np.abs(v@z)).sum(0))/(B+1)
    return np.array([p_values[own].min() for own in groups])

def no_maximum(X, y, groups, B, strata, seed):
    "Every feature against its own permutations"
    rng, (z, v) = np.random.default_rng(seed), unit_length(X, y)
    wins = sum(np.abs(rng.permutation(v)@z) >= np.abs(v@z)-1e-9 for _ in range(B))
    return np.array([((1+wins)/(B+1))[own].min() for own in groups])

MUTANTS = {      # name -> (setting, B, test)
    "identity_forgotten": ("global_null", 10, exchanged(_count_reached=identity_forgotten)),
    "one_permutation": ("global_null", 99, exchanged(permute_target=one_permutation)),
    "ties_won": ("ties", 99, exchanged(_count_reached=ties_won)),
    "classes_apart": ("three_classes", 99, exchanged(permute_target=classes_apart)),
    "strata_ignored": ("by_strata", 99, strata_ignored),
    "chosen_alone": ("global_null", 99, chosen_alone),
    "through_a_feature": ("global_null", 99, through_a_feature),
    "no_maximum": ("global_null", 99, no_maximum),
    "columns_apart": ("global_null", 99, columns_apart),
}

# ---- the error

def measure(setting, repeats, B=99, make=chosen_by_label, test=right, exact=None, **given):
    """Error of a test, its limits, whether it passes, and the share of true groups found

    It passes where the lower limit is not above alpha and, where the error is exact, the upper one not below it.
    """
    errors, found, true = 0, 0, 0
    for seed in range(repeats):
        X, y, strata, null = SETTINGS[setting](np.random.default_rng(seed))
        groups = make(X, y)
        reported = test(X, y, groups, B, strata, seed, **given) <= ALPHA+1e-12
        false = null[np.asarray(groups)].all(1)
        errors += int((reported & false).any())
        found, true = found+(reported & ~false).sum(), true+(~false).sum()
    low, high = limits(errors, repeats)
    exact = setting in EXACT if exact is None else exact
    return dict(error=errors/repeats, low=low, high=high, passed=low <= ALPHA and (high >= ALPHA or not exact), power=found/true if true else None)

def measure_mutant(name, repeats):
    "The same of a mutant; with 10 permutations the error is 1/11, not alpha"
    setting, B, mutant = MUTANTS[name]
    return measure(setting, repeats, B, test=mutant, exact=setting in EXACT and B == 99)

def error_rows(repeats):
    rows = []
    for setting in SETTINGS:
        for method in ("single-step", "step-down"):
            rows.append(dict(setting=setting, groups="made with y", method=method, **measure(setting, repeats, method=method)))
        rows.append(dict(setting=setting, groups="fixed", method="step-down of groups",
                         **measure(setting, repeats, make=neighbours, fixed_groups=True)))
    return rows

# ---- the cost

def like_text(p, n=10_000, entries=4, seed=0):
    "CSC with p columns, about `entries` each, most of one or two and some of hundreds; two classes"
    rng = np.random.default_rng(seed)
    count = np.minimum(rng.zipf(1.8, p), 800)
    count = np.maximum(1, np.round(count*entries*p/count.sum())).astype(int)
    indptr = np.r_[0, np.cumsum(count)].astype(np.int64)
    X = sp.csc_matrix((rng.lognormal(size=indptr[-1]).astype(np.float32), rng.integers(0, n, indptr[-1]).astype(np.int32), indptr), (n, p))
    X.sum_duplicates()
    return X, rng.integers(0, 2, n)

def cost_rows(p, B, repeat):
    "B permutations as a multiple of one score pass; the best of a few runs each, in turn; two permutations by a loop of scikit-learn's F test"
    X, y = like_text(p)
    columns, v, n = as_columns(X, checked=True), y-y.mean(), len(y)
    columns.moments()
    r, some = np.random.default_rng(1), np.random.default_rng(0).standard_normal((n, 20))
    kinds = {"single-step": (y, dict(method="single-step")), "step-down": (y, {}), "step-down, 2 threads": (y, dict(n_jobs=2)),
             "one sample of twenty in class 1": (r.random(n) < .05, {}), "five classes": (r.integers(0, 5, n), {}),
             "numbers": (r.standard_normal(n), {})}
    arranged = permute_target(open_target(y, None, n), 2, np.random.RandomState(0))[:, 0].T
    tests = {f"{name}, {B} permutations": lambda target=target, given=given: feature_p_values(columns, target, B, random_state=0, **given)
             for name, (target, given) in kinds.items()}
    for target, given in kinds.values(): feature_p_values(columns, target, 2, **given)
    single = {"a loop of score passes": (lambda: columns.scores(v), 1), "scores, 20 vectors at once": (lambda: columns.scores(some), 20),
              "a loop of scikit-learn's f_classif": (lambda: [np.nanmax(f_classif(X, own)[0]) for own in arranged], 2)}
    best, answers = {}, {}
    for _ in range(repeat):
        for what, (f, count) in ({what: (f, B) for what, f in tests.items()} | single).items():
            seconds, answers[what] = clock(f, 5 if count == 1 else 1)
            best[what] = min(best.get(what, np.inf), seconds/count)
    F = np.array(answers["a loop of scikit-learn's f_classif"])
    assert np.allclose(answers[f"step-down, {B} permutations"].maxima[:2]**2, F/(F+n-2), rtol=1e-4), "the F test has other maxima"      # R2
    one = best["a loop of score passes"]
    return [dict(what=what, seconds=seconds*B, score_passes=seconds*B/one, ms_a_vector=1e3*seconds) for what, seconds in best.items()]

def run(quick=False):
    repeats = 60 if quick else 2000
    p, B = (20_000, 99) if quick else (1_000_000, 999)
    costs = table(cost_rows(p, B, 1 if quick else 3), f"{p} sparse columns, 10,000 samples; loops of single passes are extrapolated from a few")
    errors = table(error_rows(repeats), f"family-wise error at {ALPHA}, {repeats} repeats, with 99 % limits")
    mutants = [dict(mutant=name, setting=MUTANTS[name][0], B=MUTANTS[name][1], **measure_mutant(name, repeats)) for name in MUTANTS]
    return dict(alpha=ALPHA, confidence=CONFIDENCE, repeats=repeats, costs=costs, errors=errors, mutants=table(mutants, "mutants: none may pass"))
