"""Stability selection over groups made without y: false groups beside the bound, and power beside max-T.

`low` groups are those that a half chooses with probability q/k or less, the ones the bound speaks of; the probabilities are
estimated from fresh halves, and a group counts as low within two standard errors.
"""
import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import SelectKBest

from fsnb import group_p_values, stable_groups
from fsnb.data.inputs import as_columns
from fsnb.groups.groups import FeatureGroups
from fsnb.groups.stability import bound_false_groups, bound_if_unimodal, plan_halves

from .common import average, clock, table

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

def signal(make):
    def draw(n, rng):
        u = make(n, rng)
        return members_of(u, .85, rng), labels_of(u[:, CAUSES].sum(1), .5, rng)
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

def plain(count):
    "Some groups, each with a marginal effect of its own"
    def draw(n, rng):
        u = rng.standard_normal((n, K))
        return members_of(u, .95, rng), labels_of(u[:, :count].sum(1), .3, rng)
    return draw

SETTINGS = {"null": null(latent), "null, blocks": null(in_blocks), "null, sparse": sparse_null, "signal": signal(latent),
            "signal, blocks": signal(in_blocks), "signal, sparse": sparse_signal, "signal, masked": masked}

def chosen_by_half(make, n, q, draws, seed):
    "(k,) probability that a half chooses each group, from fresh data"
    counts = np.zeros(K)
    for i in range(draws):
        X, y = make(n//2, np.random.default_rng([seed, i]))
        run = plan_halves(as_columns(X), y, FeatureGroups(FIXED), q, 1, None, "mean", 0)
        counts[run.choose(np.argsort(y, kind="stable"))] += 1
    return counts/draws

def against_the_bound(quick, n=200, q=8, n_pairs=25):
    "Low groups that are reported at three thresholds, beside the two bounds"
    rows, theta = [], q/K
    runs, draws = (3, 20) if quick else (25, 200)
    for name, make in SETTINGS.items():
        low = chosen_by_half(make, n, q, draws, 7) <= theta+2*np.sqrt(theta*(1-theta)/draws)
        share = []
        for seed in range(runs):
            X, y = make(n, np.random.default_rng([1, seed]))
            share.append(stable_groups(X, y, FIXED, q=q, n_pairs=n_pairs, random_state=seed).frequencies)
        for threshold in THRESHOLDS:
            reported = np.array(share) >= threshold-1e-9
            rows.append(dict(setting=name, threshold=threshold, bound=bound_false_groups(q, K, threshold),
                             bound_unimodal=bound_if_unimodal(q, K, threshold, n_pairs), low_reported=reported[:, low].sum(1).mean()))
    return rows

# ways to select groups of data: max-T at .05, stability at a bound of one false group
WAYS = {"max-T": lambda X, y, seed: np.flatnonzero(group_p_values(X, y, FIXED, 999, random_state=seed, fixed_groups=True) <= .05),
        "stable_groups": lambda X, y, seed: stable_groups(X, y, FIXED, n_pairs=25, random_state=seed).selected,
        "stable_groups, marginal": lambda X, y, seed: stable_groups(X, y, FIXED, n_pairs=25, selector=SelectKBest(k=6), q=6, random_state=seed).selected}

def beside_max_t(quick):
    "Groups found, those that the marginal shows (`open`) and those that it does not"
    rows = []
    for name, make, shown, hidden in (("masked", masked, [0, 2, 4], [1, 3, 5]), ("plain", plain(6), range(6), []), ("many", plain(24), range(24), [])):
        for n in (200, 400) if quick else (200, 300, 400, 600):
            for seed in range(2 if quick else 8):
                X, y = make(n, np.random.default_rng([4, seed]))
                for way, find in WAYS.items():
                    seconds, found = clock(lambda: find(X, y, seed), 1)
                    rows.append(dict(setting=name, n=n, way=way, open=int(np.isin(shown, found).sum()), of_open=len(shown),
                                     hidden=int(np.isin(hidden, found).sum()), of_hidden=len(hidden),
                                     false=len(np.setdiff1d(found, [*shown, *hidden])), seconds=seconds))
    return average(rows, ("setting", "n", "way"))

def run(quick=False):
    return dict(bound=table(against_the_bound(quick), f"{K} groups of {SIZE}, n = 200, q = 8, 25 pairs: groups reported, means over the runs"),
                power=table(beside_max_t(quick), "groups found: max-T at .05, stability at a bound of one false group"))
