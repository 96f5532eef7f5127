"Spectral scores and MCFS beside skfeature-chappers on dense columns; all four rivals of FSIR2 alone where columns are sparse."
import warnings
from itertools import product

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from fsnb import as_columns
from fsnb.spectral import EVSC, JELSR, MCFS, MRSF, spec
from fsnb.spectral.distances import rbf_graph

from .common import cpu_clock, extra_memory, table

def clusters(n, p, n_clusters=5, told=20, seed=0):
    "Dense samples in clusters that a few features tell apart, standardised"
    rng = np.random.default_rng(seed)
    z = rng.integers(0, n_clusters, n)
    X = rng.standard_normal((n, p))
    X[:, :told] += 3*rng.standard_normal((n_clusters, told))[z]
    return (X-X.mean(0))/X.std(0)

def words(n, p, density=.01, n_clusters=5, seed=0):
    "Sparse counts, CSC: each cluster of samples has words of its own"
    rng = np.random.default_rng(seed)
    X = sp.random(n, p, density, format="csc", random_state=seed, data_rvs=lambda m: 1.+rng.poisson(1, m))
    z = rng.integers(0, n_clusters, n)
    own = sp.csc_matrix((rng.random((n, 50)) < .6)*(np.arange(50) % n_clusters == z[:, None])*3.)
    return sp.hstack([own, X[:, 50:]], format="csc")

def beside(n, p, d=50, repeat=2):
    "Each method that skfeature-chappers has: processor seconds of both on the same graph, and how far the answers differ"
    from skfeature.function.similarity_based import SPEC, lap_score
    from skfeature.function.sparse_learning_based import MCFS as OTHER
    X = clusters(n, p)
    W = rbf_graph(X).W
    given = dict(W=sp.csr_matrix(W))
    pairs = {
        "SPEC phi1": (lambda: spec(X, graph=W, kind="phi1"), lambda: SPEC.spec(X, None, mode="raw", style=-1, **given)),
        "SPEC phi2": (lambda: spec(X, graph=W), lambda: SPEC.spec(X, None, mode="raw", style=0, **given)),
        "SPEC phi3": (lambda: spec(X, graph=W, kind="phi3", n_eigenvectors=5), lambda: SPEC.spec(X, None, mode="raw", style=5, **given)),
        "Laplacian score": (lambda: np.argsort(spec(X, graph=W)), lambda: lap_score.lap_score(X, None, mode="index", **given)),
        "MCFS": (lambda: MCFS(d, n_clusters=5, standardize=False, graph=W).fit(X).scores_,
                 lambda: np.abs(OTHER.mcfs(X, None, d, mode="raw", n_clusters=5, **given)).max(1)),
    }
    rows = []
    for name, (ours, theirs) in pairs.items():
        own, found = cpu_clock(ours, repeat)
        other, expected = cpu_clock(theirs, repeat)
        rows.append(dict(method=name, n=n, p=p, ours=own, skfeature=other, ratio=other/own,
                         difference=float(np.abs(found-expected).max()/np.abs(expected).max())))
    return rows

def alone(X, kind):
    "The four selectors, without labels and with: processor seconds, and extra memory as a share of X; 20 turns of JELSR"
    rows, y, size = [], np.arange(X.shape[0]) % 3, as_columns(X).n_bytes
    for method, labels in product((MCFS, MRSF, EVSC, JELSR), (None, y)):
        if method is EVSC and labels is not None: continue
        most, few = (dict(max_iter=20), dict(max_iter=2)) if method is JELSR else ({}, {})
        seconds, _ = cpu_clock(lambda: method(50, **most).fit(X, labels), 1)
        memory = extra_memory(lambda: method(50, **few).fit(X, labels))
        rows.append(dict(method=method.__name__, columns=kind, n=X.shape[0], p=X.shape[1], labels=labels is not None, seconds=seconds, memory=memory/size))
    return rows

def refusal(X):
    "What skfeature-chappers says to sparse columns"
    from skfeature.function.sparse_learning_based import MCFS as OTHER
    try: OTHER.mcfs(X.tocsr(), None, 50, n_clusters=5, W=sp.identity(X.shape[0], format="csr"))
    except Exception as error: return f"{type(error).__name__}: {error}"[:200]
    return "none"

def run(quick=False):
    warnings.simplefilter("ignore", UserWarning)
    warnings.simplefilter("ignore", FutureWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    beside(60, 300), alone(clusters(60, 300), "dense"), alone(words(200, 1000), "sparse")      # compile
    n, dense, sparse = (100, 1000, 5000) if quick else (200, 10_000, 100_000)
    X = words(2*n, sparse)
    return dict(beside=table(beside(n, dense), "beside skfeature-chappers, dense, one thread, processor seconds"),
                alone=table(alone(clusters(n, dense), "dense")+alone(X, "sparse"), "alone"), skfeature_on_sparse=refusal(X))
