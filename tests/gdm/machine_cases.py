"Random restricted problems that the tests share"
import numpy as np
from scipy import sparse

def case(seed, spread=10., log_c=2.):
    "A random problem: overlapping cuts, odd scales, copies, constants, sparse or dense, with or without moments"
    r = np.random.default_rng(seed)
    n, d = int(r.integers(2, 70)), int(r.integers(1, 50))
    X = r.standard_normal((n, d))
    if r.random() < .5: X *= np.exp(r.uniform(0, np.log(spread), d))
    if r.random() < .2: X += r.standard_normal(d)*3
    if r.random() < .2: X[:, r.integers(d)] = 0
    if r.random() < .2: X[:, 0] = X[:, -1]
    y = np.where(r.random(n) < .5, 1., -1.) if r.random() < .5 else np.where(X[:, 0]+.1*r.standard_normal(n) > 0, 1., -1.)
    y[0], y[1] = 1, -1
    cuts = [r.permutation(d)[:r.integers(1, d+1)] for _ in range(r.integers(1, 7))]
    if r.random() < .1: cuts.append(cuts[0].copy())
    moments = {}
    if r.random() < .5: moments = dict(mean=X.mean(0), scale=np.where(X.std(0) > 0, X.std(0), 1))
    Z = (X-moments["mean"])/moments["scale"] if moments else X
    if r.random() < .4: X = sparse.csc_matrix(X)
    kw = dict(C=10**r.uniform(-log_c, log_c), fit_intercept=bool(r.random() < .5), **moments)
    return X, y, cuts, kw, Z

def spread_out(weights, cuts, d):
    "Full-length weight vectors and masks, as the loops of naive want them"
    return ([np.bincount(c, w, d) for c, w in zip(cuts, weights)],
            [np.isin(np.arange(d), c).astype(float) for c in cuts])

def medium(seed=0, n=200, d=24, noise=.5):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, d))+.7*r.standard_normal((n, 1))
    y = np.where(X[:, :6]@r.uniform(-1, 1, min(d, 6))+noise*r.standard_normal(n) > 0, 1., -1.)
    return (X-X.mean(0))/X.std(0), y
