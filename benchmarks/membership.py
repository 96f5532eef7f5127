"Is the chance of a membership fair? Independent columns of many kinds; real words against words; the time beside a pass for partners."
from itertools import product

import numpy as np
import scipy.sparse as sp

from fsnb.correlation import Pearson, SymmetricalUncertainty
from fsnb.correlation.cooccurrence import hypergeometric_p_values
from fsnb.data.inputs import as_columns

from .common import clock, quiet, table
from .datasets import available, load

LEVELS = (.05, .01, .001, 1e-4)

def draw_rows(rng, n, p, counts, sigma):
    "p binary columns whose entries fall into rows of log-normal weight"
    weight, X = rng.lognormal(0, sigma, n), np.zeros((n, p))
    for j in range(p): X[rng.choice(n, counts[j % len(counts)], replace=False, p=weight/weight.sum()), j] = 1
    return X

def draw_words(rng, n, p, low, high, sigma):
    "Poisson counts of p words in texts of log-normal length"
    length = rng.lognormal(0, sigma, n)
    rate = np.exp(rng.uniform(np.log(low), np.log(high), p))
    X = rng.poisson(np.outer(length/length.mean(), rate)).astype(float)
    return X[:, X.any(0)]

def kinds():
    "(name, n, function of a generator that makes independent columns)"
    for n in (9, 12, 20, 200): yield f"normal, n={n}", n, lambda rng, n=n: rng.standard_normal((n, 200))
    laws = {"t with 2 degrees": lambda rng, size: rng.standard_t(2, size), "Cauchy": lambda rng, size: rng.standard_cauchy(size),
            "Poisson(1)": lambda rng, size: rng.poisson(1, size), "Poisson(3)": lambda rng, size: rng.poisson(3, size),
            "negative binomial": lambda rng, size: rng.negative_binomial(1, .3, size), "signs": lambda rng, size: rng.choice([-1, 1], size),
            "genotypes 1, 2, 3": lambda rng, size: 1+rng.binomial(2, rng.uniform(.05, .95, size[1]), size)}
    for n in (20, 200):
        for name, law in laws.items(): yield name, n, lambda rng, law=law, n=n: law(rng, (n, 200))
    for sigma in (0, .5, 1.2):
        for low, high in ((1, 30), (30, 80), (100, 380)):
            counts = np.arange(low, high+1)
            yield f"{low} to {high} entries, rows {sigma}", 400, lambda rng, c=counts, s=sigma: draw_rows(rng, 400, 200, c, s)
        yield f"rare words, rows {sigma}", 400, lambda rng, s=sigma: draw_words(rng, 400, 200, .005, .5, s)
    yield "common words, rows 1.2", 400, lambda rng: draw_words(rng, 400, 200, .5, 10, 1.2)

def shares(p):
    "Share of p-values at or below each level"
    return {f"below {level:g}": float(np.mean(p <= level)) for level in LEVELS}

def fairness(pairs):
    "p-values of so many pairs of independent columns, 40 supports a table; of the urn beside them where columns are sparse"
    rows = []
    for name, n, make in kinds():
        found, by_urn, seed = [], [], 0
        while sum(map(len, found)) < pairs:
            X, seed = make(np.random.default_rng(seed)), seed+1
            measure, has = Pearson().fit(as_columns(X)), X != 0
            for z in range(40):
                k = np.arange(z+1, X.shape[1])
                found.append(measure.p_values(z, k, None))
                if "entries" in name: by_urn.append(hypergeometric_p_values(has[has[:, z]][:, k].sum(0), has[:, z].sum(), has[:, k].sum(0), n))
        urn = float(np.mean(np.concatenate(by_urn) <= .01)) if by_urn else None
        rows.append(dict(columns=name, n=n, pairs=sum(map(len, found)), **shares(np.concatenate(found)), urn_below_01=urn))
    return rows

def fairness_su(pairs):
    rows = []
    for n, bins, (name, draw) in product((50, 200, 1000), (2, 5, 10), (("normal", "standard_normal"), ("Cauchy", "standard_cauchy"))):
        found, seed = [], 0
        while sum(map(len, found)) < pairs:
            measure = SymmetricalUncertainty(bins).fit(getattr(np.random.default_rng(seed), draw)((n, 250)))
            seed += 1
            found += [measure.p_values(z, np.arange(z+1, 250), None) for z in range(8)]
        rows.append(dict(columns=name, n=n, bins=bins, pairs=sum(map(len, found)), **shares(np.concatenate(found))))
    return rows

def real_words(supports):
    "Random pairs of real words, by how many texts hold them: what the urn and the coins make of the same pairs"
    if "ng20_bigram_dev" not in available(): return []
    X, rng, rows = sp.csc_matrix(load("ng20_bigram_dev")[0]), np.random.default_rng(0), []
    measure = Pearson().fit(as_columns(X))
    count, n = np.diff(X.indptr), X.shape[0]
    for low, high in ((2, 5), (5, 30), (30, 100), (100, 500)):
        pool, coins, urn = np.flatnonzero((count >= low) & (count < high)), [], []
        for z in rng.choice(pool, supports):
            k = rng.choice(pool, 500)
            has = np.zeros(n, dtype=bool)
            has[X[:, [z]].indices] = True
            x = X[:, k]
            shared = np.diff(np.r_[0, np.cumsum(has[x.indices])][x.indptr])
            coins.append(measure.p_values(z, k, None)[k != z])
            urn.append(hypergeometric_p_values(shared, has.sum(), count[k], n)[k != z])
        coins, urn = shares(np.concatenate(coins)), shares(np.concatenate(urn))
        rows.append(dict(entries=f"{low} to {high-1}", **coins, **{f"urn {key}": share for key, share in urn.items()}))
    return rows

def cost(p, supports):
    "265 supports with 60 members each, on news20's shape, beside the passes that find partners"
    rng, n = np.random.default_rng(0), 10_000
    weight = np.cumsum(rng.lognormal(0, .8, n))
    counts = np.minimum(rng.pareto(1., p)+1, 3000).astype(int)
    rows = np.searchsorted(weight, rng.random(counts.sum())*weight[-1]).clip(0, n-1).astype(np.int32)
    X = sp.csc_matrix((np.ones(len(rows), np.float32), rows, np.r_[0, np.cumsum(counts)]), (n, p))
    X.sum_duplicates()
    measure = Pearson().fit(as_columns(X))
    measure.partners(0, .7)
    count = np.diff(X.indptr)
    pool = np.flatnonzero((count >= 5) & (count < 200))
    z = rng.choice(pool, supports)
    sizes, _ = clock(lambda: measure.evidence.sizes, 1)
    members = [np.setdiff1d(rng.choice(pool, 60), j) for j in z]
    measure.p_values(z[0], members[0], None)
    seconds, _ = clock(lambda: [measure.p_values(j, k, None) for j, k in zip(z, members)], 2)
    partners, _ = clock(lambda: [measure.partners(j, .7) for j in z], 2)
    return [dict(p=p, nonzeros=int(X.nnz), supports=supports, row_sizes=sizes, p_values=seconds, partners=partners, ratio=seconds/partners)]

def run(quick=False):
    few = dict(pearson=5_000, su=2_000, words=20, cost=100_000) if quick else dict(pearson=100_000, su=10_000, words=200, cost=1_400_000)
    return dict(pearson=table(quiet(lambda: fairness(few["pearson"])), "Independent columns: share of p-values below a level"),
                su=table(quiet(lambda: fairness_su(few["su"])), "The same for symmetrical uncertainty, bins of equal width"),
                words=table(quiet(lambda: real_words(few["words"])), "Random pairs of real words (ng20_bigram_dev)"),
                cost=table(quiet(lambda: cost(few["cost"], 265)), "Seconds: row sizes once, all p-values, all partners"))
