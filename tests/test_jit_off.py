"""Kernels are plain Python too: with NUMBA_DISABLE_JIT=1 one small grid of each gives the same answers.

A fresh process runs the grid without the compiler and notes which kernels it called; the grid is then run here.
"""
import ast, json, os, subprocess, sys, warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
import numpy as np, scipy.sparse as sp, fsnb
from fsnb import (FCBF, FSIR2, GDM, MMFS, QPFS, Discretizer, OneClassGDM, as_columns, group_p_values)
from fsnb.data import sparse
from fsnb.correlation import Pearson, Positional, SymmetricalUncertainty, survey_pairs
from fsnb.data.checks import top
from fsnb.data.genotypes import GenotypeColumns, pack_calls
from fsnb.data.store import open_store, write_store
from fsnb.data.twins import find_duplicates
from fsnb.filters import ConsistencyFilter, ReliefF
from fsnb.gdm.e_values import _visit_scores
from fsnb.linear import ElasticNet, GroupLasso
from fsnb.margin import Kernel
from fsnb.margin.qpfs import SparseTable

PACKAGE = Path(fsnb.__file__).parent

def kernels():
    "(file, name) of every compiled function of the package"
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef): continue
            if any("njit" in ast.unparse(d) for d in node.decorator_list): found.add((str(path), node.name))
    return found

def small(n=24, p=10):
    "Counts in pairs, two classes"
    r = np.random.default_rng(0)
    base = r.poisson(1., (n, p//2)).astype(float)
    y = (base[:, 0]+.5*r.standard_normal(n) > base[:, 1]).astype(int)
    return np.repeat(base, 2, axis=1)+r.poisson(.2, (n, p)), y

def uneven(n=40, p=60):
    "Rows of very different weight, sparse columns, and three without zeros"
    r = np.random.default_rng(1)
    X = (r.random((n, p)) < 1-np.exp(-np.outer(r.lognormal(0, 1.2, n), r.uniform(.02, .6, p)))).astype(float)
    X[:, :3] = r.standard_normal((n, 3))
    return X

def rare(n=60, p=40):
    "One entry to nine a column, of both signs, so that partners are looked for among those that share rows"
    r = np.random.default_rng(2)
    X = np.zeros((n, p))
    for j in range(p): X[r.choice(n, 1+j % 9, replace=False), j] = r.choice([-1., 1., 2.], 1+j % 9)
    X[:, 1::8] = X[:, ::8]
    return X

# Between them, and with the functions below, they reach every line of every kernel
DCD = [Kernel("linear", align=align, solver="dcd") for align in (True, False)]
DENSE = [GDM(3), GDM(2, correlation=Positional(np.arange(10.), window=3.)), ReliefF(3, n_neighbors=3),
         MMFS(3, kernel=DCD[1], gamma=.5, C=1.), QPFS(3, nystrom=.5, random_state=0), FCBF(min_su=0.),
         FCBF(discretizer=None, min_su=0.), ConsistencyFilter(2, discretizer="width"), Discretizer("frequency")]
SPARSE = [GDM("auto", chance=.5), GDM(3, mode="cut"), OneClassGDM(3), MMFS(gamma=.2, C=.3),
          MMFS(3, kernel=DCD[0], gamma=.5, C=1.), QPFS(3, similarity="mutual_info"), ReliefF(3, n_neighbors=3),
          FCBF(discretizer=None, min_su=0.), FCBF(discretizer=Discretizer(missing="category")),
          ElasticNet(3), GroupLasso(2), FSIR2(3)]
SPARSE += [FSIR2.icdm2015(3, solver="secular", graph=graph) for graph in ("classes", "rbf", "neighbors")]

def answers():
    "What each of them selects or makes, what columns of each kind say, and chance"
    X, y = small()
    gappy = np.where((np.arange(X.size).reshape(X.shape) % 7 == 0) & (np.arange(10) % 3 > 0), np.nan, X)
    for store, models in ((np.asarray, DENSE), (sp.csc_matrix, SPARSE)):
        name = store.__name__
        for model in models:
            own = gappy if "category" in repr(model) else X
            model.fit(store(own), None if isinstance(model, OneClassGDM) else y)
            yield f"{name} {model!r}", getattr(model, "support_", model.transform(own))
        columns, few = as_columns(store(X)), as_columns(store(rare()))
        with patch.object(sparse, "_SCREENED", 0):          # small X is indexed by rows at once
            partners = columns.partners(range(10), .6), few.partners(range(40), .6), [few.partners(8, .9)]
        for key, found in zip("abc", partners):
            yield f"{name} partners {key}", np.concatenate([k for k, _ in found])
        yield f"{name} peaks", columns.peaks(np.outer(y, [1., 2]))
        yield f"{name} scores", columns.scores(np.outer(y, [1., 2]))
        yield f"{name} combined", columns.combine(np.arange(10.))
        yield f"{name} twins", find_duplicates(columns)
        measure = (Pearson() if store is sp.csc_matrix else SymmetricalUncertainty(4)).fit(store(uneven()))
        yield f"{name} p", np.concatenate([measure.p_values(z, np.arange(10), np.ones(10)) for z in (20, 2, 30)])
        for strata in (np.arange(len(y)) % 2, None):
            found = group_p_values(columns, y, [[0, 1], [5]], 19, strata, 0)
            yield f"{name} chance {strata is None}", found
        for order in "CF" if store is np.asarray else "C":
            yield f"{name} strata {order}", GDM(3).fit(store(np.array(X, order=order)), y, strata=np.arange(len(y)) % 2).support_
        pairs = survey_pairs(store(rare()), above=.5)
        yield f"{name} survey", np.r_[pairs.counts, pairs.pairs[0]]
    measure = Pearson().fit(uneven())
    yield "dense p", np.concatenate([measure.p_values(z, np.arange(10), np.ones(10)) for z in (20, 2, 30)])
    for order in "CF":
        yield f"{order} bytes", as_columns(np.array(X, dtype=np.int8, order=order)).moments()[1]
    yield "columns after one another", GDM(3).fit(np.asfortranarray(X), y).support_
    yield "three classes", GDM(3).fit(sp.csc_matrix(X), np.arange(len(y)) % 3).support_     # three vectors of weights
    yield "sparse table", SparseTable.of(as_columns(sp.csc_matrix(rare())), .5).multiply(np.arange(40.))
    with TemporaryDirectory() as folder:
        path = write_store(f"{folder}/x.fsnb", sp.csc_matrix(rare()))
        yield "store", open_store(path, check=True).dot(np.arange(60.))
    r = np.random.default_rng(3)
    calls = r.integers(0, 3, (41, 6)).astype(float)
    calls[r.random(calls.shape) < .1] = np.nan
    columns = GenotypeColumns(pack_calls(calls), 41)
    for name, value in dict(counts=columns.counts, scores=columns.scores(r.standard_normal(41)), taken=columns.take([2, 4]),
                            correlations=columns.correlations([0, 3])).items(): yield f"genotypes {name}", value
    def scores_and_squares(columns, v):
        found = np.empty((2, columns.n_features))
        def keep(here, _, scores, squares): found[:, here] = scores[:, 0], squares[:, 0]
        _visit_scores(columns, v[:, None], keep)
        return found
    remote = as_columns(sp.csc_matrix(uneven()[:, :3]+50))              # centred before they are squared
    yield "squares far from zero", scores_and_squares(remote, np.arange(40)-19.5)[1]
    many = as_columns(sp.csc_matrix((np.ones(90), np.arange(90), [0, 40, 90]), (20_000, 2)))      # weights are asked for ahead
    yield "scores of many rows", scores_and_squares(many, np.arange(20_000)-9999.5)
    yield "gaps are a category", Discretizer("width", missing="category").fit_transform(gappy)
    yield "top of many", top(np.arange(200_001.), 3)

def written():
    "The answers as text: whole numbers exactly, others to 13 digits, long sums and p-values to ten and seven"
    def digits(key): return 6 if key.endswith(" p") else 9 if "scores" in key or "peaks" in key or "squares" in key else 12
    with warnings.catch_warnings(action="ignore"):
        return {key: [f"{x:.{digits(key)}e}" for x in np.ravel(value)] for key, value in answers()}

def called(run):
    "What `run` returns, and (file, name) of every function of the package that it called"
    names = set()
    def note(frame, event, _):
        if event == "call": names.add((frame.f_code.co_filename, frame.f_code.co_name))
    sys.setprofile(note)
    try: out = run()
    finally: sys.setprofile(None)
    return out, {(f, n) for f, n in names if f.startswith(str(PACKAGE)+os.sep)}

def test_kernels_are_plain_python():
    done = subprocess.run([sys.executable, __file__], env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert kernels()-{tuple(k) for k in plain["called"]} == set(), "kernels that the grid does not reach"
    compiled = written()
    assert plain["answers"].keys() == compiled.keys()
    for key, value in compiled.items(): assert plain["answers"][key] == value, key

if __name__ == "__main__":
    found, names = called(written)
    print(json.dumps({"answers": found, "called": sorted(names)}))
