"""Data whose true features are known, for `fdr`: shared factors, linked columns, few samples, samples that are not exchangeable.

Nulls are independent of y, or of y given covariates, strata and blocks. A support is false where it is a null; where columns are
linked, where it correlates at less than .5 with every causal column.
"""
import numpy as np, scipy.sparse as sp
from functools import lru_cache
from typing import NamedTuple
from .common import dense, standardized
from .datasets import load

class Design(NamedTuple):
    "Data, the number of true units, and the unit of each column (the true ones first), or the causal columns where columns are linked"
    X: object
    y: np.ndarray
    n_true: int
    unit: np.ndarray = None        # (p,); None: each column is a unit
    causal: np.ndarray = None
    given: dict = {}               # what `GDM.fit` is told of the samples
    beside: np.ndarray = None      # (n, q) columns of a rival's regression beside y

def two_classes(n, rng): return rng.permutation(np.arange(n) % 2)

# ---- shared factors
FACTORS = dict(all=(.632, 500, .6), weak=(.3, 500, .6), some=(.6, 50, .6), strong=(.6, 50, 1.2), batch=(.45, 260, .6))

def shared_factor(kind, n, seed, p=500):
    "Ten true columns that share a factor with nulls, all or some; `FACTORS` has its loading, on how many columns, and the true effect"
    rng = np.random.default_rng(seed)
    y, (loading, count, effect) = two_classes(n, rng), FACTORS[kind]
    factor = rng.choice([-1., 1.], n) if kind == "batch" else rng.standard_normal(n)
    load_of = np.where(np.arange(p) < count, loading, 0)
    X = np.sqrt(1-load_of**2)*rng.standard_normal((n, p))+load_of*factor[:, None]
    X[:, :10] += effect*y[:, None]
    return Design(X, y, 10)

def collider(n, seed, p=500):
    "Six true columns u+.5e, where y depends on u; six of the nulls are the e"
    rng = np.random.default_rng(seed)
    u, e = rng.standard_normal((2, n, 6))
    y = rng.random(n) < 1/(1+np.exp(-2.4*u.sum(1)/np.sqrt(6)))
    return Design(np.c_[(u+.5*e)/1.118, e, rng.standard_normal((n, p-12))], y.astype(int), 6)

def library_size(n, seed, p=500):
    "Sparse counts; the totals of samples differ and do not depend on y, ten genes are twice as frequent in one class"
    rng = np.random.default_rng(seed)
    y, total = two_classes(n, rng), rng.lognormal(0, .5, n)
    rate = rng.permutation(np.geomspace(.05, 2, p))
    rate[:10] = np.geomspace(.3, 1.5, 10)
    means = total[:, None]*rate*(1+y[:, None]*(np.arange(p) < 10))
    return Design(sp.csc_matrix(rng.poisson(means), dtype=float), y, 10)

# ---- linked columns
def linked(X, seed, n=1000, n_causal=10, slope=2.):
    "n rows of X; y follows a logistic model of ten columns drawn from those with variation: of text, of .03 to .4 of the rows"
    rng = np.random.default_rng(seed)
    X = X[rng.permutation(X.shape[0])[:n]]
    if sp.issparse(X):
        X = X.tocsc()
        X = X[:, np.diff(X.indptr) >= 3]
        common = np.abs(np.diff(X.indptr)/n-.215) <= .185
    else:
        X = X[:, X.std(0) > 0]
        common = np.array([np.unique(x, return_counts=True)[1].max() < .9*n for x in X.T])
    causal = rng.choice(np.flatnonzero(common), n_causal, replace=False)
    effect = standardized(dense(X, causal))@rng.choice([-1, 1], n_causal)
    y = rng.random(n) < 1/(1+np.exp(-slope*effect/effect.std()))
    return Design(X, y.astype(int), n_causal, causal=causal)

@lru_cache(1)
def rows_of(name):
    "X of a data set, by rows where it is sparse"
    X = load(name)[0]
    return X.tocsr() if sp.issparse(X) else X

def real(name, seed): return linked(rows_of(name), seed)

FOUNDERS = 40

def carriers(n_variants, rng):
    "Which founders carry each variant of a block, (FOUNDERS, n_variants): mutations on the branches of a random tree"
    alive, born, below, lengths, now = list(np.eye(FOUNDERS, dtype=bool)), [0.]*FOUNDERS, [], [], 0.
    while len(alive) > 1:
        now += rng.exponential(2/(len(alive)*(len(alive)-1)))
        for i in sorted(rng.choice(len(alive), 2, replace=False), reverse=True):
            below.append(alive.pop(i))
            lengths.append(now-born.pop(i))
        alive.append(below[-1] | below[-2])
        born.append(now)
    return np.array(below)[rng.choice(len(lengths), n_variants, p=np.array(lengths)/sum(lengths))].T

def variants(p, stay, seed, n=1000):
    "p genotypes as in nbs/guides/04_genotypes; at a hotspot a chromosome stays with its founder with probability `stay`, .6 there"
    rng = np.random.default_rng(seed)
    founder, blocks = rng.integers(0, FOUNDERS, 2*n), []
    while sum(block.shape[1] for block in blocks) < p:
        founder = np.where(rng.random(2*n) < stay, founder, rng.integers(0, FOUNDERS, 2*n))
        alleles = carriers(2+rng.poisson(25), rng)[founder]
        calls = alleles[:n]*1.+alleles[n:]
        blocks.append(calls[:, np.abs(calls.mean(0)-1) <= .98])
    return linked(np.hstack(blocks)[:, :p], seed)

# ---- few samples
CORRELATION = {40: .62, 60: .52, 100: .40, 200: .28}      # of a true unit with y, by the number of samples
TRUE = dict(ind=10, ind30=30, hub=10, block=10, ar=10, wide=4)

def few_samples(kind, n, seed, null=False):
    "Independent columns (ind, ind30), a factor in all of them (hub), blocks of one factor (block, wide), autoregressive blocks (ar)"
    rng = np.random.default_rng(seed)
    y, r, true = two_classes(n, rng), CORRELATION[n], 0 if null else TRUE[kind]
    shift = 2*r/np.sqrt(1-r*r)*y[:, None]
    if kind == "ar":
        X = rng.standard_normal((n, 40, 50))
        for j in range(1, 50): X[:, :, j] = .9*X[:, :, j-1]+.436*X[:, :, j]
        X[:, :true] += shift[:, :, None]*.9**np.abs(np.arange(50)-25)
        return Design(X.reshape(n, -1), y, true, np.repeat(np.arange(40), 50))
    if kind in ("block", "wide"):
        sizes, share = (np.full(200, 10), .97) if kind == "block" else (np.r_[np.full(8, 250), np.ones(500, int)], .96)
        unit, factors = np.repeat(np.arange(len(sizes)), sizes), rng.standard_normal((n, len(sizes)))
        factors[:, :true] += shift
        return Design(share*factors[:, unit]+np.sqrt(1-share**2)*rng.standard_normal((n, len(unit))), y, true, unit)
    X = rng.standard_normal((n, 1000))
    if kind == "hub": X = .775*X+.632*rng.standard_normal((n, 1))
    X[:, :true] += shift*(rng.choice([-1, 1], true) if kind == "ind" else 1)
    return Design(X, y, true)

# ---- samples that are not exchangeable; where `null` is true, y depends on covariates, strata or blocks and on no column
def draw_classes(odds, rng): return (rng.random(len(odds)) < 1/(1+np.exp(-odds))).astype(int)
def signed_sum(X, n_true, slope, rng): return slope*standardized(X[:, :n_true])@rng.choice([-1, 1], n_true)

SHIFT = {30: 1.6, 60: 1.2, 100: 1., 200: .8, 1000: .4}

def told(X, y, n_true, covariates):
    "A design whose covariates are told to `GDM.fit` and stand in the rival's regression"
    return Design(X, y, n_true, given=dict(covariates=covariates), beside=covariates.reshape(len(y), -1))

def batch(n, seed, null=False, n_classes=2, p=500):
    """A batch shifts the last .3 of the columns; .8 of its samples are of class 1, .2 of the others; ten columns differ by `SHIFT` between the classes

    Three classes make up .7, .2, .1 of its samples and .1, .2, .7 of the others; each true column is larger in one class, by .8."""
    rng = np.random.default_rng(seed)
    inside, u = rng.permutation(np.arange(n) % 2), rng.random(n)
    y, X = (u < np.where(inside, .8, .2)).astype(int), rng.standard_normal((n, p))
    if n_classes == 3: y = np.where(inside, 2-np.searchsorted([.1, .3], u), np.searchsorted([.1, .3], u))
    X[:, p*7//10:] += inside[:, None]
    if not null: X[:, :10] += SHIFT[n]*y[:, None] if n_classes == 2 else .8*(y[:, None] == np.arange(10) % 3)
    return told(X, y, 0 if null else 10, inside)

def rare_columns(n, seed, null=False, p=2000):
    "The same batch on sparse columns of ones, in .005 to .2 of the rows: the last .3 are three times as frequent in the batch, ten (.05 to .2) in class 1"
    rng = np.random.default_rng(seed)
    inside = rng.permutation(np.arange(n) % 2)
    y, rate = (rng.random(n) < np.where(inside, .8, .2)).astype(int), rng.permutation(np.geomspace(.005, .2, p))
    rate[:10] = np.geomspace(.05, .2, 10)
    raised = np.outer(inside, np.arange(p) >= p*7//10) | np.outer(y, np.arange(p) < (0 if null else 10))
    X = sp.csc_matrix(rng.random((n, p)) < rate*np.where(raised, 3, 1), dtype=float)
    return told(X, y, 0 if null else 10, inside)

def confounded(n, q, seed, squared=False, share=.5, sites=1, odds=2.5, null=False, p=500):
    """q covariates, or their squares, act on y and on columns 10 to 260 of 500; ten columns before them act on y

    share of the samples in class 1; `sites` that act on the same columns and on y are strata; odds: deviation of what covariates and sites add."""
    rng = np.random.default_rng(seed)
    Z, site, X = rng.standard_normal((n, q)), rng.integers(0, sites, n), rng.standard_normal((n, p))
    acts = np.c_[(Z*Z-1)/2**.5 if squared else Z, rng.standard_normal(sites)[site][:, None]][:, :q+(sites > 1)]
    loading = rng.standard_normal((acts.shape[1], 250))
    X[:, 10:260] += acts@(.8*loading/np.linalg.norm(loading, axis=0))
    value = odds*acts.sum(1)/acts.shape[1]**.5+rng.logistic(size=n)
    if not null: value += signed_sum(X, 10, .8, rng)
    y = (value > np.quantile(value, 1-share)).astype(int)
    beside = np.c_[Z, Z*Z if squared else Z[:, :0], site[:, None] == np.arange(1, sites)]
    return Design(X, y, 0 if null else 10, given=dict(covariates=Z) | (dict(strata=site) if sites > 1 else {}), beside=beside)

def text(n, seed, null=False, p=2000):
    "Words of texts of unequal length, which acts on y; ten words act on it too, in .1 to .6 of the texts"
    rng = np.random.default_rng(seed)
    rate = rng.permutation(1/np.arange(3, p+3)**.9)
    X = (rng.random((n, p)) < 1-np.exp(-np.outer(rng.lognormal(4.5, .6, n), rate/rate.sum()))).astype(float)
    words = rng.choice(np.flatnonzero(np.abs(X.mean(0)-.35) < .25), 10, replace=False)
    X = X[:, np.r_[words, np.setdiff1d(np.arange(p), words)]]
    length = standardized(np.log1p(X.sum(1))[:, None])
    y = draw_classes(1.5*length[:, 0]+(0 if null else signed_sum(X, 10, 1.2, rng)), rng)
    return Design(sp.csc_matrix(X), y, 0 if null else 10, given=dict(covariates="row_sums"), beside=length)

def admixed(n, seed, null=False, p=800):
    "Genotypes of samples with .05 to .95 of their ancestors in one of two populations, which acts on y; five variants act on it too; two principal components"
    rng = np.random.default_rng(seed)
    ancestry, first = np.where(rng.random(n) < .5, .15, .85)+rng.uniform(-.1, .1, n), rng.uniform(.05, .95, p)
    second = np.clip(first+rng.normal(0, .15, p), .03, .97)
    X = rng.binomial(2, np.outer(ancestry, first)+np.outer(1-ancestry, second)).astype(float)
    y = draw_classes(3*(ancestry-.5)+(0 if null else signed_sum(X, 5, .9, rng)), rng)
    components = np.linalg.svd(standardized(X), full_matrices=False)[0][:, :2]
    return told(X, y, 0 if null else 5, components)

SIZES = {"12 of 20": np.full(12, 20), "40 of 10": np.full(40, 10), "40 of 5 to 100": np.geomspace(5, 100, 40).astype(int)}

def donors(sizes, intraclass, seed, null=False, p=800):
    "Cells of donors, one class a donor; the intraclass correlation of every column; five columns differ by 2.4 deviations of a donor's mean"
    rng = np.random.default_rng(seed)
    sizes = rng.permutation(SIZES[sizes])
    donor, y = np.repeat(np.arange(len(sizes)), sizes), two_classes(len(sizes), rng)
    own, rest = rng.standard_normal((len(sizes), p))[donor], rng.standard_normal((len(donor), p))
    X = intraclass**.5*own+(1-intraclass)**.5*rest
    if not null: X[:, :5] += 2.4*(intraclass+(1-intraclass)/np.median(sizes))**.5*y[donor][:, None]
    return Design(X, y[donor], 0 if null else 5, given=dict(blocks=donor))

def families(n_families, seed, common=.5, null=False, p=800):
    "Genotypes of four sibs a family; y depends on five variants and on what a family has in common, of deviation `common`"
    rng = np.random.default_rng(seed)
    family, n, frequency = np.repeat(np.arange(n_families), 4), 4*n_families, rng.uniform(.1, .9, p)
    parents = rng.random((2, n_families, 2, p)) < frequency
    chosen = rng.random((2, n, p)) < .5
    X = sum(np.where(pick, own[family, 0], own[family, 1]).astype(float) for pick, own in zip(chosen, parents))
    y = draw_classes(common*rng.standard_normal(n_families)[family]+(0 if null else signed_sum(X, 5, .8, rng)), rng)
    return Design(X, y, 0 if null else 5, given=dict(blocks=family))
