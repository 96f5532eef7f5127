"Fused penalties beside cvxpy, sortedl1 and the numbers of the original code."
import os
from pathlib import Path
import numpy as np
import pytest
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.fused import FeatureGraph
from fsnb.fused.concave import ConcaveProblem
from fsnb.fused.edges import order_edges
from fsnb.fused.oscar import fit_sorted, oscar_sequence
from fsnb.fused.working_set import Design, FusedProblem

KINDS = dict(gflasso="difference", goscar="max")


def small(seed):
    r = np.random.default_rng(seed)
    n, p = [(40, 12), (12, 30), (25, 25)][seed % 3]
    X = r.normal(size=(n, p))+r.normal(size=(n, 1))*r.integers(0, 2, p)
    y = X@r.integers(-1, 2, p)+r.normal(size=n)
    i, j = np.nonzero(np.triu(r.random((p, p)) < .15, 1))
    return X, y-y.mean(), FeatureGraph(i, j, r.uniform(-1, 1, len(i)), p), r.uniform(1, 8), r.uniform(0, 8)


def by_cvxpy(X, y, graph, s1, s2, kind):
    import cvxpy as cp
    x = cp.Variable(X.shape[1])
    a, b = x[graph.first], x[graph.second]
    tie = cp.abs(a-cp.multiply(np.sign(graph.weight), b)) if kind == "difference" else cp.maximum(cp.abs(a), cp.abs(b))
    problem = cp.Problem(cp.Minimize(.5*cp.sum_squares(y-X@x)+s1*cp.norm1(x)+s2*(np.abs(graph.weight)@tie)))
    return problem.solve(solver="CLARABEL")


@pytest.mark.parametrize("kind", ["difference", "max"])
@pytest.mark.parametrize("seed", range(9))
def test_as_cvxpy(seed, kind):
    X, y, graph, s1, s2 = small(seed)
    problem = FusedProblem(Design(as_columns(X), standardize=False), y, graph, s1, s2, kind)
    fitted = problem.solve()
    letter = naive.gflasso_objective if kind == "difference" else naive.goscar_objective
    value = letter(X, y, fitted.x, s1, s2, np.c_[graph.first, graph.second], graph.weight)
    assert problem.value(fitted) == pytest.approx(value, rel=1e-9)
    best = by_cvxpy(X, y, graph, s1, s2, kind)
    assert value == pytest.approx(best, rel=1e-6)
    assert value-fitted.gap <= best*(1+1e-7) and fitted.gap <= 1e-10*(y@y/2)


@pytest.mark.parametrize("truncation", [None, .4])
@pytest.mark.parametrize("seed", range(6))
def test_no_step_lowers_it(seed, truncation):
    X, y, graph, s1, s2 = small(seed)
    problem = ConcaveProblem(Design(as_columns(X), standardize=False), y, graph, s1, s2, truncation)
    found = problem.solve()
    edges = np.c_[graph.first, graph.second]
    if truncation is None: value = naive.ncfgs_objective(X, y, found.x, s1, s2, edges, graph.weight)
    else: value = naive.nctfgs_objective(X, y, found.x, s1*truncation, s2*truncation, edges, graph.weight, truncation)
    assert found.value == pytest.approx(value, rel=1e-9) and value <= y@y/2
    for signs in (np.sign(found.x), np.where(found.x != 0, np.sign(found.x), np.sign(found.slope))):
        assert problem.step(found, signs).value >= found.value*(1-1e-8)


def oracle(k):
    folder = Path(os.environ.get("FSNB_DATA", "/nowhere"))/"oracles"
    if not folder.exists(): pytest.skip("oracles is not in FSNB_DATA")
    data = np.load(folder/f"fgsg_{k:02d}.npz", allow_pickle=True)
    graph = order_edges(*data["edges"].T, data["weights"], data["X"].shape[1])
    return data, Design(as_columns(data["X"]), standardize=False), data["y"], graph


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("k", range(10))
def test_as_the_original_code(k, name):
    data, design, y, graph = oracle(k)
    for level, (s1, s2) in enumerate(zip(data["s1"], data["s2"])):
        problem = FusedProblem(design, y, graph, s1, s2, KINDS[name])
        fitted = problem.solve()
        assert problem.value(fitted) == pytest.approx(data[name+"_obj"][level], rel=1e-9)
        np.testing.assert_allclose(fitted.x, data[name+"_x"][level], atol=1e-6*np.abs(fitted.x).max())


@pytest.mark.parametrize("k", range(10))
def test_all_pairs_as_sortedl1(k):
    data, design, y, _ = oracle(k)
    p = data["X"].shape[1]
    first, second = np.triu_indices(p, 1)
    graph = FeatureGraph(first, second, np.ones(len(first)), p)
    for level, (s1, s2) in enumerate(zip(data["oscar_s1"], data["oscar_s2"])):
        problem = FusedProblem(design, y, graph, s1, s2, "max")
        fitted = problem.solve()
        assert problem.value(fitted) == pytest.approx(data["oscar_obj"][level], rel=1e-9)
        assert problem.value(fitted) == pytest.approx(data["oscar_obj_sortedl1"][level], rel=1e-9)
        scale = np.abs(fitted.x).max()
        np.testing.assert_allclose(fitted.x, data["oscar_x_sortedl1"][level], atol=1e-7*max(scale, 1))


@pytest.mark.parametrize("seed", range(6))
def test_the_graph_of_all_pairs_is_sorted(seed):
    X, y, _, s1, s2 = small(seed)
    p, columns = X.shape[1], as_columns(X)
    first, second = np.triu_indices(p, 1)
    graph = FeatureGraph(first, second, np.ones(len(first)), p)
    x = FusedProblem(Design(columns), y, graph, s1, s2/p, "max").solve().x
    by_sorting = fit_sorted(columns, y, oscar_sequence(p, s1, s2/p), 1e-12)[0]
    np.testing.assert_allclose(x, by_sorting, atol=1e-7*max(1, np.abs(x).max()))


@pytest.mark.parametrize("name", ["ncFGS", "ncTFGS"])
@pytest.mark.parametrize("k", range(10))
def test_not_above_the_original_code(k, name):
    data, design, y, graph = oracle(k)
    truncation = float(data["tau"]) if name == "ncTFGS" else None
    for level, (s1, s2) in enumerate(zip(data["s1"], data["s2"])):
        for start, x in enumerate(data["starts"]):
            scale = truncation or 1
            found = ConcaveProblem(design, y, graph, s1/scale, s2/scale, truncation).solve(x)
            most = max(data[name+"_obj"][level, start], data[name+"_obj_escape"][level, start])
            assert found.value <= most*(1+1e-9)
