"""Data whose true features are known, for `fdr`: shared factors, linked columns, few samples.

Every function returns a `Design`. Nulls are independent of y, so a support is false where it is a null; where columns are linked,
a support is false where it correlates at less than .5 with every causal column.
"""
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .realdata import load


class Design(NamedTuple):
    "Data, and the true unit of each column: units 0 to n_true-1 are true; or, for linked columns, the causal columns"
    X: object
    y: np.ndarray
    n_true: int
    unit: np.ndarray = None        # (p,) of each column; None: each column is its own unit
    causal: np.ndarray = None


def two_classes(n, rng): return rng.permutation(np.arange(n) % 2)


# ---- nulls that share a factor with true columns

LOADINGS = dict(all=(.632, 500), weak=(.3, 500), some=(.6, 50), strong=(.6, 50))     # of the factor, and of how many columns


def shared_factor(kind, n, seed, p=500, shift=.6):
    "Ten true columns of p, and nulls that share one factor with them: all of them, 40 of them (`some`), 40 beside stronger effects"
    rng = np.random.default_rng(seed)
    y = two_classes(n, rng)
    loading, count = LOADINGS[kind]
    load_of = np.where(np.arange(p) < count, loading, 0)
    X = np.sqrt(1-load_of**2)*rng.standard_normal((n, p))+load_of*rng.standard_normal(n)[:, None]
    X[:, :10] += (2*shift if kind == "strong" else shift)*y[:, None]
    return Design(X, y, 10)


def collider(n, seed, p=500):
    "Six true columns u+.5e, whose y depends on u; six nulls are the noise e itself"
    rng = np.random.default_rng(seed)
    u, e = rng.standard_normal((2, n, 6))
    y = rng.random(n) < 1/(1+np.exp(-2.4*u.sum(1)/np.sqrt(6)))
    return Design(np.c_[(u+.5*e)/1.118, e, rng.standard_normal((n, p-12))], y.astype(int), 6)


def batch(n, seed, p=500):
    "Two batches, independent of y, shift half of the columns and all ten true ones by one deviation, up or down"
    rng = np.random.default_rng(seed)
    y, second = two_classes(n, rng), rng.random(n) < .5
    X = rng.standard_normal((n, p))
    X[:, :p//2] += second[:, None]*rng.choice([-1, 1], p//2)
    X[:, :10] += .6*y[:, None]
    return Design(X, y, 10)


def chain(n, seed, p=500):
    "Ten chains of eight: the first column is true, each null shares a factor with the one before and another with the one after"
    rng = np.random.default_rng(seed)
    y, X = two_classes(n, rng), rng.standard_normal((n, p))
    for k in range(10):
        own = np.r_[k, 10+7*k:17+7*k]
        factors = rng.standard_normal((n, 9))
        X[:, own] = .66*(factors[:, :-1]+factors[:, 1:])+.36*X[:, own]
        X[:, k] += .8*y
    return Design(X, y, 10)


def library_size(n, seed, p=500):
    "Sparse counts of 500 genes whose samples differ in their totals, which do not depend on y; ten genes are twice as frequent in one class"
    rng = np.random.default_rng(seed)
    y, total = two_classes(n, rng), rng.lognormal(0, .7, n)
    rate = rng.permutation(np.geomspace(.05, 5, p))
    rate[:10] = np.geomspace(.5, 3, 10)
    change = np.where(np.arange(p) < 10, 2., 1.)
    return Design(sp.csc_matrix(rng.poisson(total[:, None]*rate*change**y[:, None]), dtype=float), y, 10)


# ---- causal columns drawn from linked ones

def linked(X, seed, frequent=None, n=1000, n_causal=10, slope=2.):
    "n rows of X, y from a logistic model of ten of its columns: those that are `frequent`, or whose commonest value is rarer than .9"
    rng = np.random.default_rng(seed)
    X = X[rng.permutation(X.shape[0])[:n]]
    if sp.issparse(X):
        X = X.tocsc()
        share = np.diff(X.indptr)/X.shape[0]
        X = X[:, share*X.shape[0] >= 3]
        share = np.diff(X.indptr)/X.shape[0]
        common = (share >= frequent[0]) & (share <= frequent[1])
    else:
        X = X[:, X.std(0) > 0]
        common = np.array([np.unique(x, return_counts=True)[1].max() < .9*len(X) for x in X.T])
    causal = rng.choice(np.flatnonzero(common), n_causal, replace=False)
    effect = standardized(X, causal)@rng.choice([-1, 1], n_causal)
    y = rng.random(len(effect)) < 1/(1+np.exp(-slope*effect/effect.std()))
    return Design(X, y.astype(int), n_causal, causal=causal)


def standardized(X, columns):
    "Some columns, dense, of mean 0 and deviation 1"
    some = X[:, columns]
    some = some.toarray() if sp.issparse(some) else some
    return (some-some.mean(0))/np.maximum(some.std(0), 1e-12)


FOUNDERS = 40


def carriers(rng, n_variants):
    "Which founders carry each variant of a block, (FOUNDERS, n_variants): mutations on the branches of a random tree"
    alive, born = list(np.eye(FOUNDERS, dtype=bool)), [0.]*FOUNDERS
    below, lengths, now = [], [], 0.
    while len(alive) > 1:
        now += rng.exponential(2/(len(alive)*(len(alive)-1)))
        for i in sorted(rng.choice(len(alive), 2, replace=False), reverse=True):
            below.append(alive.pop(i))
            lengths.append(now-born.pop(i))
        alive.append(below[-1] | below[-2])
        born.append(now)
    return np.array(below)[rng.choice(len(lengths), n_variants, p=np.array(lengths)/sum(lengths))].T


def variants(p, seed, n=1000):
    "p genotypes of blocks in linkage disequilibrium, simulated as in nbs/guides/04_genotypes; the rarer allele has .01 or more"
    rng = np.random.default_rng(seed)
    founder, blocks, found = rng.integers(0, FOUNDERS, 2*n), [], 0
    while found < p:
        founder = np.where(rng.random(2*n) < .6, founder, rng.integers(0, FOUNDERS, 2*n))
        alleles = carriers(rng, 2+rng.poisson(25))[founder]
        calls = alleles[:n]*1.+alleles[n:]
        blocks.append(calls[:, np.abs(calls.mean(0)-1) <= .98])
        found += blocks[-1].shape[1]
    return linked(np.hstack(blocks)[:, :p], seed)


@lru_cache(1)
def rows_of(name):
    "A data set, its rows quickly taken"
    X = load(name)[0]
    return X.tocsr() if sp.issparse(X) else X


def real_columns(name, seed):
    "A data set's columns; those of text have three entries or more, causal ones occur in .03 to .4 of the texts"
    return linked(rows_of(name), seed, frequent=(.03, .4))


# ---- few samples

CORRELATION = {40: .62, 60: .52, 100: .40, 200: .28}      # of a true unit with y, by the number of samples


def few_samples(kind, n, seed):
    "Ten true features of 1,000 (ind; `null`: none), thirty (ind30), ten blocks of 200 (block, ar), 4 of 8 wide blocks, a factor in all columns (hub)"
    rng = np.random.default_rng(seed)
    y, r = two_classes(n, rng), 0 if kind.startswith("null") else CORRELATION[n]
    shift, kind = 2*r/np.sqrt(1-r*r)*y[:, None], kind.removeprefix("null ")
    if kind in ("block", "wide"):
        sizes = np.full(200, 10) if kind == "block" else np.r_[np.full(8, 250), np.ones(500, int)]
        n_true, within = (10, .97) if kind == "block" else (4, .96)
        factors = rng.standard_normal((n, len(sizes)))
        factors[:, :n_true] += shift
        unit = np.repeat(np.arange(len(sizes)), sizes)
        return Design(within*factors[:, unit]+np.sqrt(1-within**2)*rng.standard_normal((n, len(unit))), y, n_true, unit)
    if kind == "ar":
        X = rng.standard_normal((n, 40, 50))
        for j in range(1, 50): X[:, :, j] = .9*X[:, :, j-1]+.436*X[:, :, j]
        X[:, :10] += shift[:, :, None]*.9**np.abs(np.arange(50)-25)
        return Design(X.reshape(n, -1), y, 10, np.repeat(np.arange(40), 50))
    n_true = 30 if kind == "ind30" else 10
    X = rng.standard_normal((n, 1000))
    if kind == "hub": X = .775*X+.632*rng.standard_normal((n, 1))
    X[:, :n_true] += shift*(rng.choice([-1, 1], 10) if kind == "ind" else 1)
    return Design(X, y, n_true)
