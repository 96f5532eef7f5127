"GFlasso, OSCAR, NcFGS, NcTFGS as selectors: scikit-learn's contract, groups, storage, refusals."
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import OSCAR, GFlasso, NcFGS, NcTFGS
from fsnb.groups import make_groups

ALL = [GFlasso(), OSCAR(threshold=.5), NcFGS(), NcTFGS()]
quiet = pytest.mark.filterwarnings("ignore:no coefficient", "ignore:only 0 groups")


@parametrize_with_checks([*ALL, OSCAR()])
@quiet
def test_estimator(estimator, check): check(estimator)


@pytest.fixture(scope="module")
def planted(): return make_groups(400, 120, group_sizes=[4, 3, 2, 0], weights="informative", random_state=0)


@pytest.mark.parametrize("selector", ALL, ids=lambda one: type(one).__name__)
def test_finds_what_is_planted(selector, planted):
    fitted = selector.set_params(alpha=.15, alpha_edges=.2).fit(planted.X, planted.y)
    found = {frozenset(int(j) for j in own) for own in fitted.groups_.members}
    assert {frozenset(int(j) for j in own) for own in planted.groups.members if len(own) > 1} <= found
    for own in fitted.groups_.members:
        size = np.abs(fitted.coef_[own])
        assert np.ptp(size) <= 1e-12*size.max()
    assert fitted.gap_ <= 1e-10*400/2 and fitted.stop_reason_ == "gap"


@pytest.mark.parametrize("selector", [*ALL, OSCAR()], ids=lambda one: repr(one))
def test_sparse_is_dense(selector):
    X = sp.random(120, 40, .2, format="csr", random_state=0)
    y = np.asarray(X[:, :4].sum(1)).ravel() > .9
    selector.set_params(alpha=.2)
    if selector.threshold: selector.set_params(threshold=.15)
    sparse, dense = (selector.fit(some, y).coef_.copy() for some in (X, X.toarray()))
    np.testing.assert_allclose(sparse, dense, atol=1e-8)


def test_three_classes_and_numbers(planted):
    y = (planted.y > 0)+(planted.X[:, 0] > 0)*1
    fitted = GFlasso(alpha=.2).fit(planted.X, y)
    assert fitted.coef_.shape == (3, 120)
    for own in fitted.groups_.members:
        assert (np.ptp(np.abs(fitted.coef_[:, own]), axis=1) <= 1e-7*np.abs(fitted.coef_).max()).all()
    target = planted.X[:, :3].sum(1)
    one, other = (NcFGS(alpha=.2).fit(planted.X, scale*target).coef_ for scale in (1, 1e8))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_number_is_kept(planted):
    fitted = GFlasso(2, alpha=.15).fit(planted.X, planted.y)
    whole = GFlasso(alpha=.15).fit(planted.X, planted.y)
    assert fitted.stop_reason_ == "n_features_to_select"
    assert fitted.support_.tolist() == whole.support_[:2].tolist()
    with pytest.warns(UserWarning, match="groups? found, fewer than n_features_to_select=100"):
        assert GFlasso(100, alpha=.9).fit(planted.X, planted.y).stop_reason_ == "nothing_left"


@pytest.mark.parametrize("wrong, sentence", [
    (dict(alpha=0), r"alpha must lie in \[1e-9, 1\], got 0"), (dict(alpha_edges=-1), "alpha_edges must lie"),
    (dict(threshold=0), r"threshold must lie in \(0, 1\], got 0"), (dict(min_coef=1), "min_coef must lie"),
    (dict(weights="two"), "weights must be one of"), (dict(tol=0), "tol must lie"), (dict(max_iter=0), "max_iter must"),
    (dict(edges=[[0, 0]]), "edges must join two features, got 0 twice"),
    (dict(edges=[[0, 1], [1, 0]]), r"edges must hold each pair once, got \(0, 1\) twice"),
    (dict(edges=[[.5, 1]]), "edges must be a FeatureGraph or pairs"), (dict(edges=[]), "edges must be a FeatureGraph or pairs"), (dict(n_features_to_select=121), "n_features")])
@pytest.mark.parametrize("selector", [GFlasso, OSCAR, NcFGS, NcTFGS])
def test_wrong_parameters(selector, wrong, sentence, planted):
    if selector is OSCAR and wrong.get("threshold") == 0: sentence = "threshold must"
    with pytest.raises(ValueError, match=sentence): selector(**wrong).fit(planted.X, planted.y)


def test_truncation_is_checked(planted):
    with pytest.raises(ValueError, match="truncation must lie"): NcTFGS(truncation=0).fit(planted.X, planted.y)
    with pytest.raises(IndexError, match="edges must lie in"): NcFGS(edges=[[0, 120]]).fit(planted.X, planted.y)


def test_no_edges_is_the_lasso(planted):
    from sklearn.linear_model import Lasso
    Z = (planted.X-planted.X.mean(0))/planted.X.std(0)
    y = planted.y-planted.y.mean()
    s1 = .2*np.abs(Z.T@y).max()
    lasso = Lasso(alpha=s1/len(y), fit_intercept=False, tol=1e-12, max_iter=100000).fit(Z, y).coef_
    for selector in (GFlasso, OSCAR, NcFGS):
        coef = selector(alpha=.2, alpha_edges=0, edges=[[0, 1]]).fit(planted.X, planted.y).coef_
        np.testing.assert_allclose(coef, lasso, atol=1e-8)


def test_a_graph_is_a_setting(planted):
    "The record of an answer holds its settings; a graph in place of pairs broke it"
    from fsnb.fused import correlation_graph
    graph = correlation_graph(planted.X, .5)
    by_graph, by_pairs = (GFlasso(alpha=.15, edges=edges).fit(planted.X, planted.y) for edges in (graph, graph.pairs))
    assert [list(own) for own in by_graph.groups_.members] == [list(own) for own in by_pairs.groups_.members]
    large = correlation_graph(planted.X, .01)
    assert GFlasso(alpha=.5, edges=large).fit(planted.X, planted.y).groups_.to_frame() is not None


def test_equal_sizes_in_all_rows_are_one_group():
    "Rounding in the first row put a third feature between two that are equal in every row"
    from fsnb.fused.magnitudes import equal_groups
    coef = np.array([[1, 1+2e-12, 1+1e-12], [.5, .5, .2]])
    assert equal_groups(coef) == [[0, 1], [2]] and equal_groups(coef[:, [0, 2, 1]]) == [[0, 2], [1]]


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_without_edges_all_pairs_are_edges(n_rows):
    "Once: sizes of one level were put in the order of the features, and neighbours there were not near"
    from fsnb.fused.magnitudes import equal_groups
    rng = np.random.default_rng(n_rows)
    for tol in (1e-7, 1e-3):
        for _ in range(150):
            p = int(rng.integers(2, 12))
            coef = rng.integers(1, 3, (n_rows, p))*(1+3*tol*rng.random((n_rows, p)))*rng.choice([-1, 1], (n_rows, p))
            size = np.abs(coef)
            near = (np.abs(size[:, :, None]-size[:, None]) <= tol*size.max()).all(0)
            for _ in range(p): near = near@near
            parts = {tuple(np.flatnonzero(row).tolist()) for row in near}
            assert {tuple(group) for group in equal_groups(coef, tol=tol)} == parts
    steps = np.random.default_rng(0).permutation(np.linspace(1, 2, 1001))
    assert len(equal_groups(steps, tol=1.001e-3/2)) == 1


def test_oscar_far_from_zero(planted):
    "Far from zero sparse columns had no digits left for `sortedl1`"
    counts = np.random.default_rng(3).poisson(2, (60, 10))*1.
    y = (counts[:, 0]+counts[:, 4] > 4)*1
    near, far = (OSCAR().fit(sp.csc_matrix(counts+shift), y) for shift in (0, 1e8))
    assert far.stop_reason_ == "gap" and [m.tolist() for m in far.groups_.members] == [m.tolist() for m in near.groups_.members]


def test_steps_that_end_first_are_told_as_elsewhere(planted):
    from sklearn.exceptions import ConvergenceWarning
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ended before the gap was reached"): GFlasso(max_iter=1).fit(planted.X, planted.y)


@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
def test_constants_change_nothing_for_all_pairs(store, planted):
    "They counted as features in the prices of pairs"
    X, m = planted.X, planted.X.shape[1]
    wide = np.c_[X[:, :3], np.ones((len(X), 40)), X[:, 3:]]
    with pytest.warns(UserWarning, match="constant columns"): fitted = OSCAR().fit(store(wide), planted.y)
    alone, own = OSCAR().fit(store(X), planted.y), np.r_[:3, 43:40+m]
    np.testing.assert_allclose(fitted.coef_[own], alone.coef_, atol=1e-9)
    assert fitted.gap_ <= 1e-6 and not fitted.coef_[3:43].any()
