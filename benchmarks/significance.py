"""Is a group chance? `significance`: max-T by permutations; `stability`: stability selection over groups made without y.

The bound of stability selection speaks of `low` groups, which a half chooses with probability q/k or
less: estimated from fresh halves, within two standard errors.
"""
import numpy as np, scipy.sparse as sp
from functools import partial
from scipy.stats import binomtest
from sklearn.feature_selection import SelectKBest, f_classif
from fsnb import as_columns, group_p_values, stable_groups
from fsnb.data.checks import SLACK
from fsnb.groups import feature_p_values, max_t
from fsnb.groups.groups import FeatureGroups
from fsnb.groups.max_t import find_statistics, open_target, permute_target
from fsnb.groups.stability import bound_false_groups, bound_if_unimodal, prepare_stability
from .common import average, clock, replaced

ALPHA, CONFIDENCE = .1, .99

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

def five_pairs(strength): return np.argsort(-strength, kind="stable")[:10].reshape(5, 2)
def chosen_by_label(X, y):
    return five_pairs(find_statistics(as_columns(X), open_target(y, None, len(y))))

def neighbours(X, y): return np.arange(X.shape[1]).reshape(-1, 5)        # fixed groups

# ---- mutants: each is a way to get it wrong; what is exchanged in fsnb.groups.max_t, or what is called instead
def exchanged(**functions):
    "The test with other functions; each is made of the right one"
    def test(*args, **given):
        values = {name: make(getattr(max_t, name)) for name, make in functions.items()}
        with replaced(max_t, **values): return group_p_values(*args, **given)
    return test

def classes_apart(permute):
    "Every class has its samples permuted by itself"
    def apart(task, count, random):
        parts = [permute(task, count, random)[:, c] for c in range(len(task.weights))]
        return np.ascontiguousarray(np.stack(parts, axis=1))
    return apart

def through_a_feature(X, y, groups, B, strata, seed):
    "The maximum runs over the members only, of groups of noise that were made without y, by a feature that is almost y"
    r = np.random.default_rng(seed)
    copy, z = y+.2*r.standard_normal(len(y)), (X-X.mean(0))/X.std(0)
    chosen = five_pairs(np.abs((copy-copy.mean())@z))
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
    # p = wins/B: y itself is not counted among the arrangements
    "identity_forgotten": ("global_null", 10, exchanged(
        _count_reached=lambda count: lambda maxima, statistics: count(maxima, statistics)*(1+1/maxima.shape[1])-1)),
    # the same permutation again and again
    "one_permutation": ("global_null", 99, exchanged(
        permute_target=lambda permute: lambda task, count, random: np.repeat(permute(task, 1, random), count, axis=2))),
    # a permutation that only reaches the same statistic does not count against it
    "ties_won": ("ties", 99, exchanged(_count_reached=lambda count: lambda maxima, statistics: count(maxima, statistics+3*SLACK))),
    "classes_apart": ("three_classes", 99, exchanged(permute_target=classes_apart)),
    "strata_ignored": ("by_strata", 99, lambda X, y, groups, B, strata, seed: group_p_values(X, y, groups, B, None, seed)),
    # the maximum runs over the members only, of groups that were made with y
    "chosen_alone": ("global_null", 99, partial(group_p_values, fixed_groups=True)),
    "through_a_feature": ("global_null", 99, through_a_feature),
    "no_maximum": ("global_null", 99, no_maximum),
    "columns_apart": ("global_null", 99, columns_apart),
}

# ---- the error
def measure(setting, repeats, B=99, make=chosen_by_label, test=group_p_values, exact=None, **given):
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
    low, high = map(float, binomtest(errors, repeats).proportion_ci(2*CONFIDENCE-1))       # Clopper and Pearson's, each one-sided
    exact = setting in EXACT if exact is None else exact
    return dict(error=errors/repeats, low=low, high=high, passed=low <= ALPHA and (high >= ALPHA or not exact), power=found/true if true else None)

def error_rows(repeats):
    for setting in SETTINGS:
        for method in ("single-step", "step-down"):
            yield dict(setting=setting, groups="made with y", method=method, **measure(setting, repeats, method=method))
        yield dict(setting=setting, groups="fixed", method="step-down of groups",
                   **measure(setting, repeats, make=neighbours, fixed_groups=True))

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
    def test(target, given): return lambda: feature_p_values(columns, target, B, random_state=0, **given)
    tests = {f"{name}, {B} permutations": (test(*about), B) for name, about in kinds.items()}
    tests |= {"a loop of score passes": (lambda: columns.scores(v), 1), "scores, 20 vectors at once": (lambda: columns.scores(some), 20),
              "a loop of scikit-learn's f_classif": (lambda: [np.nanmax(f_classif(X, own)[0]) for own in arranged], 2)}
    best, answers = {}, {}
    for _ in range(repeat):
        for what, (f, count) in tests.items():
            seconds, answers[what] = clock(f, 5 if count == 1 else 1)
            best[what] = min(best.get(what, np.inf), seconds/count)
    F = np.array(answers["a loop of scikit-learn's f_classif"])
    assert np.allclose(answers[f"step-down, {B} permutations"].maxima[:2]**2, F/(F+n-2), rtol=1e-4), "the F test has other maxima"      # R2
    one = best["a loop of score passes"]
    return [dict(what=what, seconds=seconds*B, score_passes=seconds*B/one, ms_a_vector=1e3*seconds) for what, seconds in best.items()]

def run_significance(quick=False):
    repeats = 60 if quick else 2000
    p, B = (20_000, 99) if quick else (1_000_000, 999)
    mutants = [dict(mutant=name, setting=setting, B=B, **measure(setting, repeats, B, test=mutant, exact=setting in EXACT and B == 99))
               for name, (setting, B, mutant) in MUTANTS.items()]                # with 10 permutations the error is 1/11, not alpha
    costs = cost_rows(p, B, 1 if quick else 3)
    return dict(alpha=ALPHA, confidence=CONFIDENCE, repeats=repeats, costs=costs, errors=error_rows(repeats), mutants=mutants)

# ---- stability
K, SIZE = 80, 4
FIXED = [list(range(SIZE*i, SIZE*i+SIZE)) for i in range(K)]
CAUSES = [0, 8, 16, 24]
THRESHOLDS = (.6, .75, .9)

def members_of(u, r, rng):
    "SIZE noisy copies of each latent column, side by side"
    return r*np.repeat(u, SIZE, axis=1)+np.sqrt(1-r*r)*rng.standard_normal((len(u), SIZE*u.shape[1]))

def in_blocks(n, rng, r=.6):
    "K latent columns; those of a block of 8 correlate by r"
    return np.sqrt(r)*np.repeat(rng.standard_normal((n, K//8)), 8, axis=1)+np.sqrt(1-r)*rng.standard_normal((n, K))

def labels_of(total, noise, rng):
    "Signs of a sum with noise, split at the median"
    total = total+noise*total.std()*rng.standard_normal(len(total))
    return (total > np.median(total))*1

def latent(n, rng): return rng.standard_normal((n, K))
def null(make): return lambda n, rng: (members_of(make(n, rng), .85, rng), rng.permutation(n) % 2)

def signal(make, causes=CAUSES, r=.85, noise=.5):
    "Some groups, each with a marginal effect of its own"
    def draw(n, rng):
        u = make(n, rng)
        return members_of(u, r, rng), labels_of(u[:, causes].sum(1), noise, rng)
    return draw

def words(n, rng):
    "Columns of ones: a group shares most of its rows, of which there are 2 to 40 in a hundred"
    share = rng.permutation(np.geomspace(.02, .4, K))
    latent = rng.random((n, K)) < share
    moved = rng.random((n, SIZE*K)) < .1
    X = np.where(moved, rng.random((n, SIZE*K)) < np.repeat(share, SIZE), np.repeat(latent, SIZE, axis=1))
    return X.astype(float), latent, share

def sparse_null(n, rng): return sp.csc_matrix(words(n, np.random.default_rng(rng.integers(2**32)))[0]), rng.permutation(n) % 2

def sparse_signal(n, rng):
    "The causes are the four most frequent words"
    X, latent, share = words(n, rng)
    order = np.argsort(-share)
    place = np.r_[np.setdiff1d(np.arange(K), CAUSES), CAUSES]      # where the rarest come first, the causes last
    latent[:, place], X = latent[:, order[::-1]], X.reshape(n, K, SIZE)
    X[:, place] = X[:, order[::-1]].copy()
    z = (latent-latent.mean(0))/latent.std(0).clip(1e-9)
    return sp.csc_matrix(X.reshape(n, -1)), labels_of(z[:, CAUSES].sum(1), .5, rng)

def masked(n, rng, pairs=3, r=.8):
    "y depends on u0 - r u1, where corr(u0, u1) = r: the marginal effect of u1 is 0; three such pairs"
    u = rng.standard_normal((n, K))
    u[:, 1:2*pairs:2] = r*u[:, :2*pairs:2]+np.sqrt(1-r*r)*u[:, 1:2*pairs:2]
    return members_of(u, .95, rng), labels_of((u[:, :2*pairs:2]-r*u[:, 1:2*pairs:2]).sum(1), .3, rng)

DRAWN = {"null": null(latent), "null, blocks": null(in_blocks), "null, sparse": sparse_null, "signal": signal(latent),
         "signal, blocks": signal(in_blocks), "signal, sparse": sparse_signal, "signal, masked": masked}

def against_the_bound(quick, n=200, q=8, n_pairs=25):
    "Low groups that are reported at three thresholds, beside the two bounds"
    theta = q/K
    runs, draws = (3, 20) if quick else (25, 200)
    for name, make in DRAWN.items():
        counts, share = np.zeros(K), []                        # of fresh halves that choose each group
        for i in range(draws):
            X, y = make(n//2, np.random.default_rng([7, i]))
            run = prepare_stability(as_columns(X), y, FeatureGroups(FIXED), q, 1, None, "mean", 0)
            counts[run.choose(np.argsort(y, kind="stable"))] += 1
        low = counts/draws <= theta+2*np.sqrt(theta*(1-theta)/draws)
        for seed in range(runs):
            X, y = make(n, np.random.default_rng([1, seed]))
            share.append(stable_groups(X, y, FIXED, q=q, n_pairs=n_pairs, random_state=seed).frequencies)
        for threshold in THRESHOLDS:
            reported = np.array(share) >= threshold-1e-9
            yield dict(setting=name, threshold=threshold, bound=bound_false_groups(q, K, threshold),
                       bound_unimodal=bound_if_unimodal(q, K, threshold, n_pairs), low_reported=reported[:, low].sum(1).mean())

# ways to select groups of data: max-T at .05, stability at a bound of one false group
WAYS = {"max-T": lambda X, y, seed: np.flatnonzero(group_p_values(X, y, FIXED, 999, random_state=seed, fixed_groups=True) <= .05),
        "stable_groups": lambda X, y, seed: stable_groups(X, y, FIXED, n_pairs=25, random_state=seed).selected,
        "stable_groups, marginal": lambda X, y, seed: stable_groups(X, y, FIXED, n_pairs=25, selector=SelectKBest(k=6), q=6, random_state=seed).selected}

def beside_max_t(quick):
    "Groups found, those that the marginal shows (`open`) and those that it does not"
    rows, six, all_24 = [], range(6), range(24)
    kinds = {"masked": (masked, [0, 2, 4], [1, 3, 5]), "plain": (signal(latent, six, .95, .3), six, []), "many": (signal(latent, all_24, .95, .3), all_24, [])}
    for name, (make, shown, hidden) in kinds.items():
        for n in (200, 400) if quick else (200, 300, 400, 600):
            for seed in range(2 if quick else 8):
                X, y = make(n, np.random.default_rng([4, seed]))
                for way, find in WAYS.items():
                    seconds, found = clock(lambda: find(X, y, seed), 1)
                    rows.append(dict(setting=name, n=n, way=way, open=int(np.isin(shown, found).sum()), of_open=len(shown),
                                     hidden=int(np.isin(hidden, found).sum()), of_hidden=len(hidden),
                                     false=len(np.setdiff1d(found, [*shown, *hidden])), seconds=seconds))
    return average(rows, ("setting", "n", "way"))

def run_stability(quick=False): return dict(bound=against_the_bound(quick), power=beside_max_t(quick))
