"GFlasso, OSCAR, NcFGS, NcTFGS beside cvxpy, sortedl1 and the numbers of the original code; groups, graphs, storages."
import os
from pathlib import Path
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from fsnb import OSCAR, GFlasso, NcFGS, NcTFGS, make_groups, naive
from fsnb.data.inputs import as_columns
from fsnb.linear import correlation_graph, equal_groups
from fsnb.linear.gflasso import SortedProblem
from fsnb.linear.graph import EdgeProblem, Edges
from fsnb.linear.ncfgs import ConcaveProblem

KINDS = dict(gflasso="difference", goscar="max")
ALL = [GFlasso(None, alpha=.15), OSCAR(None, alpha=.15, graph=.5), NcFGS(None, alpha=.15), NcTFGS(None, alpha=.15)]
named = pytest.mark.parametrize("selector", [*ALL, OSCAR(None, alpha=.15)], ids=lambda one: type(one).__name__+str(one.graph))


def small(seed):
    r = np.random.default_rng(seed)
    n, p = [(40, 12), (12, 30), (25, 25)][seed % 3]
    X = r.normal(size=(n, p))+r.normal(size=(n, 1))*r.integers(0, 2, p)
    y = X@r.integers(-1, 2, p)+r.normal(size=n)
    graph = np.triu(r.uniform(-1, 1, (p, p))*(r.random((p, p)) < .15), 1)
    i, j = np.nonzero(graph)
    columns = as_columns(X)
    return X, y-y.mean(), columns, Edges(graph+graph.T, columns), (np.c_[i, j], graph[i, j]), r.uniform(1, 8), r.uniform(0, 8)


def by_cvxpy(X, y, edges, s1, s2, kind):
    import cvxpy as cp
    x, ((i, j), w) = cp.Variable(X.shape[1]), (edges[0].T, edges[1])
    tie = cp.abs(x[i]-cp.multiply(np.sign(w), x[j])) if kind == "difference" else cp.maximum(cp.abs(x[i]), cp.abs(x[j]))
    return cp.Problem(cp.Minimize(.5*cp.sum_squares(y-X@x)+s1*cp.norm1(x)+s2*(np.abs(w)@tie))).solve(solver="CLARABEL")


@pytest.mark.parametrize("kind", ["difference", "max"])
@pytest.mark.parametrize("seed", range(3))
def test_as_cvxpy(seed, kind):
    "The objective, and a gap that is a bound, for a rough answer too; a path ends where a single fit does"
    X, y, columns, edges, pairs, s1, s2 = small(seed)
    problem = EdgeProblem(columns, y, edges, kind, standardize=False)
    best, letter = by_cvxpy(X, y, pairs, s1, s2, kind), naive.gflasso_objective if kind == "difference" else naive.goscar_objective
    for settings in (dict(max_iter=3), dict(tol=1e-10), dict(tol=1e-10)):
        found = problem.solve(s1, s2, **settings)
        value = letter(X, y, found.x, s1, s2, *pairs)
        assert found.value == pytest.approx(value, rel=1e-9) and value-found.gap <= best*(1+1e-6)
        problem.solve(2*s1, s2)
    assert value == pytest.approx(best, rel=1e-6) and found.gap <= 1e-10*(y@y/2)


@pytest.mark.parametrize("truncation", [None, .4])
@pytest.mark.parametrize("seed", range(3))
def test_no_step_lowers_it(seed, truncation):
    X, y, columns, edges, pairs, s1, s2 = small(seed)
    problem = ConcaveProblem(columns, y, edges, truncation, standardize=False)
    found = problem.solve(s1, s2)
    if truncation is None: value = naive.ncfgs_objective(X, y, found.x, s1, s2, *pairs)
    else: value = naive.nctfgs_objective(X, y, found.x, s1*truncation, s2*truncation, *pairs, truncation)
    assert found.value == pytest.approx(value, rel=1e-9) and value <= y@y/2
    for signs in (np.sign(found.x), np.where(found.x != 0, np.sign(found.x), np.sign(found.slope))):
        assert problem.step(found, signs, s1, s2).value >= found.value*(1-1e-8)


def oracle(k):
    folder = Path(os.environ.get("FSNB_DATA", "/nowhere"))/"oracles"
    if not folder.exists(): pytest.skip("oracles is not in FSNB_DATA")
    data = np.load(folder/f"fgsg_{k:02d}.npz", allow_pickle=True)
    (i, j), columns = data["edges"].T, as_columns(data["X"])
    graph = sp.coo_array((data["weights"], (i, j)), shape=2*(columns.n_features,))
    return data, columns, data["y"], Edges(graph+graph.T, columns)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("k", range(0, 10, 3))
def test_as_the_original_code(k, name):
    data, columns, y, edges = oracle(k)
    for level, (s1, s2) in enumerate(zip(data["s1"], data["s2"])):
        found = EdgeProblem(columns, y, edges, KINDS[name], standardize=False).solve(s1, s2)
        assert found.value == pytest.approx(data[name+"_obj"][level], rel=1e-9)
        np.testing.assert_allclose(found.x, data[name+"_x"][level], atol=1e-6*np.abs(found.x).max())


@pytest.mark.parametrize("seed", range(3))
def test_the_graph_of_all_pairs_is_sorted(seed):
    X, y, columns, _, _, s1, s2 = small(seed)
    p = X.shape[1]
    x = EdgeProblem(columns, y, Edges(1-np.eye(p), columns), "max").solve(s1, s2/(p-1)).x
    for store in (np.asarray, sp.csc_matrix):
        found = SortedProblem(as_columns(store(X)), y).solve(s1, s2, 1e-12)
        np.testing.assert_allclose(x, found.x, atol=1e-6*max(1, np.abs(x).max()))
        assert found.gap <= 1e-9*(y@y)


@pytest.fixture(scope="module")
def planted(): return make_groups(400, 120, group_sizes=[4, 3, 2, 0], weights="informative", random_state=0)


@pytest.mark.parametrize("selector", ALL, ids=lambda one: type(one).__name__)
def test_finds_what_is_planted(selector, planted):
    fitted = selector.fit(planted.X, planted.y)
    found = {frozenset(own.tolist()) for own in fitted.groups_.members}
    assert {frozenset(own.tolist()) for own in planted.groups.members if len(own) > 1} <= found and fitted.gap_ <= fitted.tol
    for own in fitted.groups_.members: assert np.ptp(np.abs(fitted.coef_[own])) <= 1e-9*np.abs(fitted.coef_[own]).max()
    by_number = type(selector)(3, graph=.5).fit(planted.X, planted.y)
    assert len(by_number.groups_) == 3 <= by_number.n_nonzero_ and by_number.stop_reason_ == "n_features_to_select"
    whole = selector.fit(planted.X, planted.y).support_
    assert type(selector)(2, alpha=.15, graph=.5).fit(planted.X, planted.y).support_.tolist() == whole[:2].tolist()
    with pytest.warns(UserWarning, match="can be of use, fewer than n_features_to_select=100"):
        assert type(selector)(100, alpha=.9, graph=.5).fit(planted.X, planted.y).stop_reason_ == "nothing_left"


@named
def test_sparse_is_dense_and_a_graph_is_a_setting(selector):
    X = sp.random(120, 40, .2, format="csr", random_state=0)
    y = np.asarray(X[:, :4].sum(1)).ravel() > .9
    low = {} if selector.graph is None else dict(graph=.15)
    fits = [type(selector)(None, alpha=.2, **low).fit(some, y) for some in (X, X.toarray())]
    if low:
        graph = correlation_graph(X, .15)
        fits.append(type(selector)(None, alpha=.2, graph=graph).fit(X, y))
        np.testing.assert_allclose(fits[0].graph_.toarray(), graph.toarray()*(fits[0].graph_.toarray() != 0), atol=1e-12)
        assert fits[2].groups_.to_json() and abs(fits[2].graph_-graph).max() == 0
    for other in fits[1:]: np.testing.assert_allclose(other.coef_, fits[0].coef_, atol=1e-6)


def test_only_edges_near_coefficients_are_looked_for():
    X = sp.random(200, 600, .05, format="csc", random_state=1)
    y = np.asarray(X[:, :5].sum(1)).ravel()
    fitted = GFlasso(5, graph=.3).fit(X, y+.5)
    whole = GFlasso(None, alpha=fitted.alpha_, graph=correlation_graph(X, .3)).fit(X, y+.5)
    np.testing.assert_allclose(fitted.coef_, whole.coef_, atol=1e-6)
    assert 0 < fitted.graph_.nnz < whole.graph_.nnz/2 and abs(fitted.graph_-fitted.graph_.T).max() == 0


def test_three_classes_and_numbers(planted):
    y = (planted.y > 0)+(planted.X[:, 0] > 0)*1
    fitted = GFlasso(None, alpha=.2).fit(planted.X, y)
    assert fitted.coef_.shape == (3, 120)
    for own in fitted.groups_.members: assert (np.ptp(np.abs(fitted.coef_[:, own]), axis=1) <= 1e-7*np.abs(fitted.coef_).max()).all()
    target = planted.X[:, :3].sum(1)
    one, other = (NcFGS(None, alpha=.2).fit(planted.X, scale*target).coef_ for scale in (1, 1e8))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_no_edges_is_the_lasso(planted):
    Z, y = (planted.X-planted.X.mean(0))/planted.X.std(0), planted.y-planted.y.mean()
    lasso = Lasso(alpha=.2*np.abs(Z.T@y).max()/len(y), fit_intercept=False, tol=1e-12, max_iter=100000).fit(Z, y).coef_
    for selector in (GFlasso, OSCAR, NcFGS):
        for settings in (dict(alpha_edges=0, graph=.5), dict(graph=sp.csr_array((120, 120)))):
            np.testing.assert_allclose(selector(None, alpha=.2, tol=1e-10, **settings).fit(planted.X, planted.y).coef_, lasso, atol=1e-6)


@pytest.mark.parametrize("n_rows", [1, 3])
def test_without_edges_all_pairs_are_edges(n_rows):
    "Once: rounding in a row put a third feature between two that are equal in every row"
    rng = np.random.default_rng(n_rows)
    for tol in (1e-7, 1e-3):
        for _ in range(30):
            p = int(rng.integers(2, 12))
            coef = rng.integers(1, 3, (n_rows, p))*(1+3*tol*rng.random((n_rows, p)))*rng.choice([-1, 1], (n_rows, p))
            size = np.abs(coef)
            near = (np.abs(size[:, :, None]-size[:, None]) <= tol*size.max()).all(0)
            for _ in range(p): near = near@near
            assert {tuple(group) for group in equal_groups(coef, tol=tol)} == {tuple(np.flatnonzero(row).tolist()) for row in near}
    assert equal_groups(np.array([[1, 1+2e-12, 1+1e-12], [.5, .5, .2]])) == [[0, 1], [2]]


@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
def test_all_pairs_far_from_zero_and_beside_constants(store, planted):
    "Far from zero sparse columns had no digits left for `sortedl1`; constants counted in the prices of pairs"
    counts = np.random.default_rng(3).poisson(2, (60, 10))*1.
    y = (counts[:, 0]+counts[:, 4] > 4)*1
    near, far = (OSCAR(None, alpha=.1).fit(store(counts+shift), y) for shift in (0, 1e8))
    assert far.gap_ <= 1e-6 and [m.tolist() for m in far.groups_.members] == [m.tolist() for m in near.groups_.members]
    X, m = planted.X, planted.X.shape[1]
    with pytest.warns(UserWarning, match="constant columns"): fitted = OSCAR(None, alpha=.1).fit(store(np.c_[X[:, :3], np.ones((400, 40)), X[:, 3:]]), planted.y)
    np.testing.assert_allclose(fitted.coef_[np.r_[:3, 43:40+m]], OSCAR(None, alpha=.1).fit(store(X), planted.y).coef_, atol=1e-7)


def test_an_open_gap_is_told_and_wrong_graphs_are_refused(planted):
    for graph in (1.5, np.ones((3, 3)), np.triu(np.ones((120, 120))), "near"):
        for selector in (GFlasso, OSCAR, NcTFGS):
            with pytest.raises(ValueError, match="graph"): selector(graph=graph).fit(planted.X, planted.y)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ended the solution at a relative gap of .*, above tol"): GFlasso(None, alpha=.02, max_iter=1).fit(planted.X, planted.y)
