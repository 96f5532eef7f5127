"""Correlations: what symmetrical uncertainty costs and what its prefilter saves, position windows; is the chance of a membership fair?

`membership` has p-values of independent columns of many kinds, of real words, and their time.
"""
import numpy as np, scipy.sparse as sp
from itertools import product
from sklearn.metrics import normalized_mutual_info_score
from fsnb import as_columns
from fsnb.correlation import Pearson, Positional, SymmetricalUncertainty
from fsnb.correlation.cooccurrence import hypergeometric_p_values
from .common import clock, extra_memory
from .datasets import available, load, present

SETS = "bbc", "BASEHOCK", "farm_ads", "leukemia_golub", "usps"

def fitted(X, **settings): return SymmetricalUncertainty(**settings).fit(as_columns(X))

def times(n, p):
    "Microseconds of a pair, or of a feature"
    r, everyone = np.random.default_rng(0), np.arange(p)
    codes, X = r.integers(0, 10, (n, p)).astype(np.uint8), r.standard_normal((n, p))
    S, columns = sp.random(n, p, .01, random_state=0, format="csc"), as_columns(X)
    dense, sparse = fitted(codes, binning="none"), fitted(S)
    def theirs(): return [normalized_mutual_info_score(codes[:, 0], codes[:, k]) for k in range(20)]
    rows = {"SU dense, 10 bins": (lambda: dense.tables.row(0, everyone), 3, p),
            "scikit-learn, normalised mutual information (the same number)": (theirs, 1, 20),
            "binning, equal width, a feature": (lambda: fitted(X), 1, p),
            "binning, equal frequency, a feature": (lambda: fitted(X, binning="frequency"), 1, p),
            "Pearson dense float64": (lambda: columns.partners(0, .7), 3, p),
            "SU sparse, 1 % filled": (lambda: sparse.tables.row(0, everyone), 3, p)}
    return [dict(what=what, us_a_pair=1e6*clock(f, repeat)[0]/count) for what, (f, repeat, count) in rows.items()]+[
        dict(what="extra memory over X (dense float64), share", us_a_pair=extra_memory(lambda: fitted(X))/X.nbytes)]

def prefilter(names):
    "Share of pairs that the window of entropies excludes, for 40 supports, whose partners are those of all pairs"
    for name, binning in product(names, ("width", "frequency")):
        X, y, _ = load(name)
        su, p = fitted(X, binning=binning), X.shape[1]
        asked = np.argsort(-su.relevance(y), kind="stable")[:40]
        all_pairs = [su.tables.row(j, np.arange(p)) for j in asked]
        for t in (.5, .6, .7):
            for j, row, (k, _) in zip(asked, all_pairs, su.partners(asked, t)):
                assert np.array_equal(k, np.setdiff1d(np.flatnonzero(row >= t-1e-10), [j]))
            pruned = 1-np.mean([len(su.candidates(j, t)) for j in asked])/p
            yield dict(data=name, binning=binning, threshold=t, pruned_by_entropy=pruned)

def positions(n, p):
    "Partners of fifty variants of a genome, among all and within a window"
    r = np.random.default_rng(0)
    strand = np.empty((2, n, p), dtype=np.int8)
    strand[..., 0] = r.random((2, n)) < .4
    for j in range(1, p): strand[..., j] = np.where(r.random((2, n)) < .93, strand[..., j-1], r.random((2, n)) < .4)
    place, asked = np.cumsum(r.integers(1, 2000, p)), r.choice(p, 50, replace=False)
    columns = as_columns(np.asfortranarray(strand.sum(0, dtype=np.int8)))
    base, near = Pearson().fit(columns), Positional(place, window=200_000.).fit(columns)
    near.partners(asked[:1], .6)
    plain, _ = clock(lambda: base.partners(asked, .6), 1)
    windowed, _ = clock(lambda: near.partners(asked, .6), 3)
    return [dict(what=f"{p} SNPs x {n}, partners of 50, all pairs", seconds=plain), dict(what="within a window of 200 kb", seconds=windowed)]

def run_correlation(quick=False):
    return dict(pairs=times(*(500, 1000) if quick else (2000, 10_000)), pruned=prefilter(present(SETS[1:2] if quick else SETS)),
                position=positions(*(200, 5000) if quick else (1000, 100_000)))

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
        yield dict(columns=name, n=n, pairs=sum(map(len, found)), **shares(np.concatenate(found)), urn_below_01=urn)

def fairness_su(pairs):
    for n, bins, (name, draw) in product((50, 200, 1000), (2, 5, 10), (("normal", "standard_normal"), ("Cauchy", "standard_cauchy"))):
        found, seed = [], 0
        while sum(map(len, found)) < pairs:
            measure = SymmetricalUncertainty(bins).fit(getattr(np.random.default_rng(seed), draw)((n, 250)))
            seed += 1
            found += [measure.p_values(z, np.arange(z+1, 250), None) for z in range(8)]
        yield dict(columns=name, n=n, bins=bins, pairs=sum(map(len, found)), **shares(np.concatenate(found)))

def real_words(supports):
    "Random pairs of real words, by how many texts hold them: what the urn and the coins make of the same pairs"
    if "ng20_bigram_dev" not in available(): return []
    X, rng, rows = sp.csc_matrix(load("ng20_bigram_dev")[0]), np.random.default_rng(0), []
    measure, has = Pearson().fit(as_columns(X)), (X != 0).astype(int)
    count, n = np.diff(X.indptr), X.shape[0]
    for low, high in ((2, 5), (5, 30), (30, 100), (100, 500)):
        pool, coins, urn = np.flatnonzero((count >= low) & (count < high)), [], []
        for z in rng.choice(pool, supports):
            k = rng.choice(pool, 500)
            shared = (has[:, k].T@has[:, [z]]).toarray().ravel()
            coins.append(measure.p_values(z, k, None)[k != z])
            urn.append(hypergeometric_p_values(shared, count[z], count[k], n)[k != z])
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
    seconds, _ = clock(lambda: [measure.p_values(j, k, None) for j, k in zip(z, members)], 2)
    partners, _ = clock(lambda: [measure.partners(j, .7) for j in z], 2)
    return [dict(p=p, nonzeros=int(X.nnz), supports=supports, row_sizes=sizes, p_values=seconds, partners=partners, ratio=seconds/partners)]

def run_membership(quick=False):
    pairs, supports, p = (5_000, 20, 100_000) if quick else (100_000, 200, 1_400_000)
    return dict(pearson=fairness(pairs), su=fairness_su(2_000 if quick else 10_000), words=real_words(supports), cost=cost(p, 265))
