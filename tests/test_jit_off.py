"""Kernels are plain Python too: with NUMBA_DISABLE_JIT=1 one small grid of each gives the same answers.

A fresh process runs the grid without the compiler and notes which kernels it called; the grid is then run here.
"""
import ast, json, os, subprocess, sys, warnings
from pathlib import Path
import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parent.parent


def kernels():
    "(file, name) of every compiled function of the package"
    found = set()
    for path in (ROOT/"fsnb").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef): continue
            if any("njit" in ast.unparse(d) for d in node.decorator_list):
                found.add((path.relative_to(ROOT).as_posix(), node.name))
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


def selectors():
    "Settings that between them reach every kernel"
    from fsnb import FCBF, FSIR2, GDM, MMFS, QPFS, Discretizer, OneClassGDM
    from fsnb.correlation import Positional, SymmetricalUncertainty
    from fsnb.linear import ElasticNet, GroupLasso
    from fsnb.filters import ConsistencyFilter, ReliefF
    from fsnb.margin import Kernel
    yield from (ElasticNet(3), GroupLasso(2), ReliefF(3, n_neighbors=3))
    yield from (GDM(3), GDM("auto", chance=.5), GDM(3, mode="cut"), GDM(3, fit_on="supports"), OneClassGDM(3))
    yield GDM(2, correlation=SymmetricalUncertainty(4, n_pivots=2), tau=.7)
    yield GDM(2, correlation=Positional(np.arange(10.), window=3.))
    yield from (MMFS(3), MMFS(gamma=.2, C=.3), MMFS(3, kernel="linear"), MMFS(3, kernel="rbf"))
    yield from (MMFS(3, kernel=Kernel("linear", align=align, solver="dcd"), gamma=.5, C=1.) for align in (True, False))
    yield from (QPFS(3), QPFS(3, similarity="mutual_info"), QPFS(3, nystrom=.5, random_state=0))
    yield from (FCBF(min_su=0.), FCBF(discretizer="width", min_su=0.), FCBF(discretizer="frequency"))
    yield from (FCBF(discretizer=None, min_su=0.), FCBF(discretizer=Discretizer(missing="category")))
    yield ConsistencyFilter(2, discretizer="width")
    yield from (Discretizer(how) for how in ("mdl", "width", "frequency"))
    for graph in ("classes", "rbf", "neighbors"):
        yield FSIR2(3, graph=graph)
        yield from (FSIR2.icdm2015(3, solver=solver, graph=graph) for solver in ("lanczos", "power", "secular"))


def answers():
    "What each of them selects or makes, on an array and on CSC"
    from fsnb import GDM, as_columns, group_p_values
    from fsnb.correlation import Pearson, SymmetricalUncertainty
    from fsnb.data.checks import top
    from fsnb.data.twins import find_duplicates
    X, y = small()
    with_gaps = X.copy()
    with_gaps[::5, 0] = np.nan
    out = {}
    for store in (np.asarray, sp.csc_matrix):
        for selector in selectors():
            key = f"{store.__name__} {selector!r}"
            own = with_gaps if getattr(selector, "missing", None) == "category" else X
            selector.fit(store(own), None if type(selector).__name__ == "OneClassGDM" else y)
            chosen = getattr(selector, "support_", None)
            out[key] = selector.transform(own).tolist() if chosen is None else chosen.tolist()
        columns = as_columns(store(X))
        out[f"{store.__name__} partners"] = [k.tolist() for k, _ in columns.partners(list(range(10)), .6)]
        out[f"{store.__name__} rare partners"] = [k.tolist() for k, _ in as_columns(store(rare())).partners(list(range(40)), .6)]
        out[f"{store.__name__} partners of one"] = as_columns(store(rare())).partners(8, .9)[0].tolist()
        out[f"{store.__name__} peaks"] = columns.peaks(np.outer(y, [1., 2])).round(9).tolist()
        out[f"{store.__name__} scores"] = np.asarray(columns.scores(np.outer(y, [1., 2]))).round(9).tolist()
        out[f"{store.__name__} combined"] = columns.combine(np.arange(10.)).tolist()
        out[f"{store.__name__} twins"] = find_duplicates(columns).tolist()
        for measure in (Pearson(), SymmetricalUncertainty(4)):
            measure.fit(store(uneven()))
            p = [measure.p_values(z, np.arange(10), np.ones(10)) for z in (20, 2, 30)]
            out[f"{store.__name__} p {type(measure).__name__}"] = [f"{x:.6e}" for x in np.concatenate(p)]
        few = np.asarray(X).astype(np.int8)
        for order in "CF": out[f"{store.__name__} {order} bytes"] = [f"{x:.12e}" for x in as_columns(np.array(few, order=order)).moments()[1]]
        strata = np.arange(len(y)) % 2
        out[f"{store.__name__} chance"] = group_p_values(columns, y, [[0, 1], [5]], 19, strata, 0).tolist()
        out[f"{store.__name__} chance, one stratum"] = group_p_values(columns, y, [[0, 1], [5]], 9, None, 0).tolist()
    from fsnb.margin.qpfs import SparseTable
    out["sparse table"] = [f"{x:.12e}" for x in SparseTable.of(as_columns(sp.csc_matrix(rare())), .5).multiply(np.arange(40.))]
    from tempfile import TemporaryDirectory
    from fsnb.data.store import open_store, write_store
    with TemporaryDirectory() as folder:
        stored = open_store(write_store(f"{folder}/x.fsnb", sp.csc_matrix(rare())), check=True)
        out["store"] = stored.dot(np.arange(60.)).tolist()
    out |= genotypes()
    out |= surveys()
    classes = GDM(3).fit(sp.csc_matrix(X), np.arange(len(y)) % 3)       # three machines: three vectors of weights
    out["three classes"] = classes.support_.tolist()
    from fsnb.gdm.e_values import _visit_scores
    def scores_and_squares(columns, v):
        found = np.empty((2, columns.n_features))
        def keep(here, _, scores, squares): found[:, here] = scores[:, 0], squares[:, 0]
        _visit_scores(columns, v[:, None], keep)
        return found
    remote = as_columns(sp.csc_matrix(uneven()[:, :3]+50))              # centred before they are squared
    many = as_columns(sp.csc_matrix((np.ones(90), np.arange(90), [0, 40, 90]), (20_000, 2)))      # weights are asked for ahead
    out["scores of many rows"] = [f"{x:.9e}" for x in scores_and_squares(many, np.arange(20_000)-9999.5).ravel()]
    out["squares far from zero"] = [f"{x:.9e}" for x in scores_and_squares(remote, np.arange(40)-19.5)[1]]
    from fsnb import Discretizer
    gaps = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    out["gaps are a category"] = Discretizer("width", missing="category").fit_transform(gaps).tolist()
    out["top of many"] = top(np.arange(200_001.), 3).tolist()
    out["columns lie one after the other"] = GDM(3).fit(np.asfortranarray(X), y).support_.tolist()
    return out


def genotypes():
    "What a few variants of two bits a call answer, some calls missing"
    from fsnb.data.genotypes import pack_calls
    from fsnb.data.genotypes import GenotypeColumns
    r = np.random.default_rng(3)
    calls = r.integers(0, 3, (41, 6)).astype(float)
    calls[r.random(calls.shape) < .1] = np.nan
    columns = GenotypeColumns(pack_calls(calls), 41)
    found = dict(counts=columns.counts, scores=columns.scores(r.standard_normal(41)), taken=columns.take([2, 4]),
                 correlations=columns.correlations([0, 3]))
    return {f"genotypes {name}": [f"{x:.12e}" for x in np.ravel(value)] for name, value in found.items()}


def surveys():
    "How many pairs have which correlation, by shared rows and by blocks"
    from fsnb.correlation import survey_pairs
    found = [survey_pairs(way(rare()), above=.5) for way in (sp.csc_matrix, np.asarray)]
    return {f"survey {i}": [one.counts.tolist(), one.pairs[0].tolist()] for i, one in enumerate(found)}


def called(run):
    "What `run` returns, and (file, name) of every function of the package that it called"
    names = set()
    def note(frame, event, _):
        if event == "call": names.add((frame.f_code.co_filename, frame.f_code.co_name))
    sys.setprofile(note)
    try: out = run()
    finally: sys.setprofile(None)
    here = str(ROOT)+os.sep
    return out, {(Path(f).relative_to(ROOT).as_posix(), n) for f, n in names if f.startswith(here+"fsnb")}


def test_kernels_are_plain_python():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert kernels()-{tuple(k) for k in plain["called"]} == set(), "kernels that the grid does not reach"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = answers()
    assert plain["answers"].keys() == compiled.keys()
    for key, value in compiled.items(): assert plain["answers"][key] == value, key


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found, names = called(answers)
    print(json.dumps({"answers": found, "called": sorted(names)}))
