"GFlasso, OSCAR, NcFGS, NcTFGS beside cvxpy, sortedl1 and the numbers of the original code."
import os
from pathlib import Path
import numpy as np, pytest, scipy.sparse as sp
from sklearn.linear_model import Lasso
from fsnb import OSCAR, GFlasso, NcFGS, NcTFGS, make_groups, naive
from fsnb.data.inputs import as_columns
from fsnb.linear import correlation_graph, gflasso
from fsnb.linear.gflasso import SortedProblem
from fsnb.linear.graph import EdgeProblem, Edges
from fsnb.linear.ncfgs import ConcaveProblem

KINDS = dict(gflasso="difference", goscar="max")
ALL = [GFlasso, OSCAR, NcFGS, NcTFGS]
PLANTED = make_groups(400, 120, [4, 3, 2, 0], weights="informative", random_state=0)

def small(seed):
    r = np.random.default_rng(seed)
    n, p = [(40, 12), (12, 30), (25, 25)][seed % 3]
    X = r.normal(size=(n, p))+r.normal(size=(n, 1))*r.integers(0, 2, p)
    y = X@r.integers(-1, 2, p)+r.normal(size=n)
    graph = np.triu(r.uniform(-1, 1, (p, p))*(r.random((p, p)) < .15), 1)
    i, j = np.nonzero(graph)
    columns = as_columns(X)
    edges, pairs = Edges(graph+graph.T, columns), (np.c_[i, j], graph[i, j])
    return X, y-y.mean(), columns, edges, pairs, r.uniform(1, 8), r.uniform(0, 8)

def by_cvxpy(X, y, edges, s1, s2, kind):
    import cvxpy as cp
    x, ((i, j), w) = cp.Variable(X.shape[1]), (edges[0].T, edges[1])
    tie = cp.maximum(cp.abs(x[i]), cp.abs(x[j]))
    if kind == "difference": tie = cp.abs(x[i]-cp.multiply(np.sign(w), x[j]))
    cost = .5*cp.sum_squares(y-X@x)+s1*cp.norm1(x)+s2*(np.abs(w)@tie)
    return cp.Problem(cp.Minimize(cost)).solve(solver="CLARABEL")

@pytest.mark.parametrize("kind", ["difference", "max"])
@pytest.mark.parametrize("seed", range(3))
def test_as_cvxpy(seed, kind):
    "The gap is a bound, for a rough answer too; a path ends where a single fit does"
    X, y, columns, edges, pairs, s1, s2 = small(seed)
    problem = EdgeProblem(columns, y, edges, kind, standardize=False)
    letter = naive.gflasso_objective if kind == "difference" else naive.goscar_objective
    best = by_cvxpy(X, y, pairs, s1, s2, kind)
    for settings in (dict(max_iter=3), dict(tol=1e-10), dict(tol=1e-10)):
        found = problem.solve(s1, s2, **settings)
        value = letter(X, y, found.x, s1, s2, *pairs)
        assert found.value == pytest.approx(value, rel=1e-9) and value-found.gap <= best*(1+1e-6)
        problem.solve(2*s1, s2)
    assert value == pytest.approx(best, rel=1e-6) and found.gap <= 1e-10*(y@y/2)

@pytest.mark.parametrize("truncation", [np.inf, .4])
@pytest.mark.parametrize("seed", range(3))
def test_no_step_lowers_it(seed, truncation):
    X, y, columns, edges, pairs, s1, s2 = small(seed)
    problem = ConcaveProblem(columns, y, edges, truncation, standardize=False)
    found = problem.solve(s1, s2)
    if np.isinf(truncation): value = naive.ncfgs_objective(X, y, found.x, s1, s2, *pairs)
    else: value = naive.nctfgs_objective(X, y, found.x, s1*truncation, s2*truncation, *pairs,
                                         truncation)
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

@pytest.mark.parametrize("selector", ALL)
def test_finds_what_is_planted(selector):
    X, y = PLANTED.X, PLANTED.y
    make = lambda k=None, graph=.5, **settings: selector(k, graph=graph, **settings).fit(X, y)
    fitted = make(alpha=.15)
    found = {frozenset(own.tolist()) for own in fitted.groups_.members}
    assert {frozenset(own.tolist()) for own in PLANTED.groups.members if len(own) > 1} <= found
    assert fitted.gap_ <= fitted.tol
    for own in fitted.groups_.members:
        assert np.ptp(np.abs(fitted.coef_[own])) <= 1e-9*np.abs(fitted.coef_[own]).max()
    by_number = make(3)
    assert len(by_number.groups_) == 3 <= by_number.n_nonzero_
    assert make(2, alpha=.15).support_.tolist() == fitted.support_[:2].tolist()
    with pytest.warns(UserWarning, match="can be of use, fewer than n_features_to_select=100"):
        assert make(100, alpha=.9).stop_reason_ == "nothing_left"

@pytest.mark.parametrize("selector, graph", [*((one, .15) for one in ALL), (OSCAR, None)])
def test_sparse_is_dense_and_a_graph_is_a_setting(selector, graph):
    X = sp.random(120, 40, .2, format="csr", random_state=0)
    y = np.asarray(X[:, :4].sum(1)).ravel() > .9
    cases = [(X, graph), (X.toarray(), graph)]
    if graph: cases.append((X, correlation_graph(X, graph)))
    fits = [selector(None, alpha=.2, graph=table).fit(some, y) for some, table in cases]
    for other in fits[1:]: np.testing.assert_allclose(other.coef_, fits[0].coef_, atol=1e-6)
    if graph:
        lazy, whole = fits[0].graph_.toarray(), cases[2][1].toarray()
        np.testing.assert_allclose(lazy, whole*(lazy != 0), atol=1e-12)

def test_only_edges_near_coefficients_are_looked_for():
    X = sp.random(200, 600, .05, format="csc", random_state=1)
    y = np.asarray(X[:, :5].sum(1)).ravel()
    fitted = GFlasso(5, graph=.3).fit(X, y+.5)
    whole = GFlasso(None, alpha=fitted.alpha_, graph=correlation_graph(X, .3)).fit(X, y+.5)
    np.testing.assert_allclose(fitted.coef_, whole.coef_, atol=1e-6)
    lazy = fitted.graph_
    assert 0 < lazy.nnz < whole.graph_.nnz/2 and abs(lazy-lazy.T).max() == 0

def test_three_classes_and_numbers():
    X, y = PLANTED.X, (PLANTED.y > 0)+(PLANTED.X[:, 0] > 0)*1
    fitted = GFlasso(None, alpha=.2).fit(X, y)
    size = np.abs(fitted.coef_)
    assert size.shape == (3, 120)
    for own in fitted.groups_.members: assert np.ptp(size[:, own], axis=1).max() <= 1e-7*size.max()
    target = X[:, :3].sum(1)
    one, other = (NcFGS(None, alpha=.2).fit(X, scale*target).coef_ for scale in (1, 1e8))
    np.testing.assert_allclose(one, other, atol=1e-9)

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("selector", ALL)
def test_prices_that_give_the_same_groups_are_left_out(selector, monkeypatch):
    "Where no price gives as many groups as are asked for, the answer is that of all prices"
    r, prices = np.random.default_rng(4), []
    X = r.normal(size=(60, 9))+2*r.normal(size=(60, 3))[:, np.arange(9)//3]
    y = X[:, :4].sum(1)+r.normal(size=60)
    def choose(fit, *args):
        def count(cost):
            prices.append(cost)
            return fit(cost)
        return gflasso_choose(count, *args[:settled])
    gflasso_choose = gflasso.choose_model
    monkeypatch.setattr(gflasso, "choose_model", choose)
    fits, counts = [], []
    for settled in (None, -1):
        prices.clear()
        fits.append(selector(9, graph=.3, alpha_edges=.3).fit(X, y))
        counts.append(len(prices))
    assert fits[0].n_nonzero_ < 9 and counts[0] < counts[1]+(selector is not GFlasso)
    assert fits[0].alpha_ == fits[1].alpha_
    assert [own.tolist() for own in fits[0].groups_.members] == [own.tolist() for own in fits[1].groups_.members]
    np.testing.assert_allclose(fits[0].coef_, fits[1].coef_, atol=1e-9)

def test_no_edges_is_the_lasso():
    Z, y = (PLANTED.X-PLANTED.X.mean(0))/PLANTED.X.std(0), PLANTED.y-PLANTED.y.mean()
    alpha = .2*np.abs(Z.T@y).max()/len(y)
    lasso = Lasso(alpha=alpha, fit_intercept=False, tol=1e-12, max_iter=100000).fit(Z, y).coef_
    for selector in (GFlasso, OSCAR, NcFGS):
        for settings in (dict(alpha_edges=0, graph=.5), dict(graph=sp.csr_array((120, 120)))):
            fitted = selector(None, alpha=.2, tol=1e-10, **settings).fit(PLANTED.X, PLANTED.y)
            np.testing.assert_allclose(fitted.coef_, lasso, atol=1e-6)

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
def test_constants_do_not_count_in_the_prices_of_pairs(store):
    oscar = OSCAR(None, alpha=.1)
    X, y, where = PLANTED.X, PLANTED.y, np.r_[:3, 43:160]
    alone, wide = oscar.fit(store(X), y).coef_, np.ones((400, 160))
    wide[:, where] = X
    with pytest.warns(UserWarning, match="constant columns"): oscar.fit(store(wide), y)
    np.testing.assert_allclose(oscar.coef_[where], alone, atol=1e-7)
