"""Data whose true features are known, for `fdr`: shared factors, linked columns, few samples.

Nulls are independent of y. A support is false where it is a null; where columns are linked, where it correlates at less than .5
with every causal column.
"""
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .realdata import load


class Design(NamedTuple):
    "Data, the number of true units, and the unit of each column (the true ones first), or the causal columns where columns are linked"
    X: object
    y: np.ndarray
    n_true: int
    unit: np.ndarray = None        # (p,); None: each column is a unit
    causal: np.ndarray = None


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

def standardized(X, columns):
    "Some columns, dense, of mean 0 and deviation 1"
    some = X[:, columns]
    some = some.toarray() if sp.issparse(some) else some
    return (some-some.mean(0))/some.std(0)


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
    effect = standardized(X, causal)@rng.choice([-1, 1], n_causal)
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
