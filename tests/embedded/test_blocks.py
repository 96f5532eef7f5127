"Block descent, ElasticNet and GroupLasso: scikit-learn's, the letter, optimality by subgradients, storages."
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model as peers
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks
from fsnb import ElasticNet, FeatureGroups, GroupLasso, make_groups, naive
from fsnb.data.inputs import as_columns
from fsnb.embedded.blocks import Penalty, _fit_blocks, _largest_alpha
from fsnb.embedded.elastic_net import read_targets
from fsnb.embedded.group_lasso import _group_blocks


def made(seed, n=40, p=24, density=.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))*(rng.random((n, p)) < density)*rng.choice([.1, 1, 30], p)+rng.choice([0, 2], p)
    return X, X[:, 0]/X[:, 0].std()-X[:, 1]/X[:, 1].std()+rng.standard_normal(n)


def cut(p, rng):
    "A partition of p columns into blocks"
    order, ends = rng.permutation(p), np.sort(rng.choice(np.arange(1, p), p//3, replace=False))
    return np.split(order, ends)


@parametrize_with_checks([ElasticNet(2), GroupLasso(2)])
def test_estimator(estimator, check): check(estimator)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("l1_ratio", [1., .6])
@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_optimal(seed, n_targets, l1_ratio, sparse):
    "Subgradients vanish, the gap is small and is a bound, the weights are those of the plain loops"
    rng = np.random.default_rng(seed)
    X, _ = made(seed)
    n, p = X.shape
    Y = rng.standard_normal((n_targets, n))+X[:, 0]
    Y -= Y.mean(1, keepdims=True)
    blocks = cut(p, rng)
    owner = np.empty(p, dtype=int)
    for g, members in enumerate(blocks): owner[members] = g
    columns, scale = as_columns(sp.csc_matrix(X) if sparse else X), X.std(0)*rng.choice([1, 2], p)
    penalty = Penalty(owner, rng.random(len(blocks))+.5, 1., l1_ratio)
    penalty = penalty._replace(alpha=.3*_largest_alpha(columns, Y, penalty, scale))
    fit = _fit_blocks(columns, Y, blocks, penalty, scale, tol=1e-13, max_iter=500)
    Z = (X-X.mean(0))/scale
    pull = Z.T@(Y-(Z@fit.W).T).T/n-penalty.ridge*fit.W
    for g, members in enumerate(blocks):
        length = np.linalg.norm(fit.W[members])
        if length: np.testing.assert_allclose(pull[members], penalty.pull[g]*fit.W[members]/length, atol=1e-5*penalty.pull[g])
        else: assert np.linalg.norm(pull[members]) <= penalty.pull[g]*(1+1e-9)
    assert 0 < fit.count < len(blocks) and fit.gap <= 1e-13
    plain = naive.block_descent(Z, Y.T, blocks, penalty.pull, penalty.ridge, rounds=150)
    value = lambda W: (((Y-(Z@W).T)**2).sum()/(2*n)+penalty.ridge*(W**2).sum()/2
                       + sum(own*np.linalg.norm(W[m]) for own, m in zip(penalty.pull, blocks)))
    assert value(fit.W) <= value(plain)+1e-9*value(0*plain)
    rough = _fit_blocks(columns, Y, blocks, penalty, scale, tol=1e-2)
    assert value(rough.W)-value(fit.W) <= rough.gap*value(0*plain)+1e-12


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("kind", ["numbers", "two", "three"])
def test_is_scikit_learn(kind, standardize, sparse):
    X, y = made(5)
    if kind != "numbers": y = np.digitize(y, [0] if kind == "two" else [-1, 1])
    scale = X.std(0) if standardize else np.ones(X.shape[1])
    if kind == "three": peer, Y = peers.MultiTaskElasticNet, (y[:, None] == np.arange(3))*1.
    else: peer, Y = peers.ElasticNet, y/(y.std() if standardize else 1) if kind == "numbers" else 2.*y-1
    theirs = peer(alpha=.1, l1_ratio=.7, tol=1e-10, max_iter=10**6).fit(X/scale, Y)
    ours = ElasticNet(None, alpha=.1, l1_ratio=.7, standardize=standardize, tol=1e-13, max_iter=1000)
    ours.fit(sp.csr_matrix(X) if sparse else X, y)
    back = y.std() if standardize and kind == "numbers" else 1.
    np.testing.assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_)/scale*back, atol=2e-5/scale.min())
    np.testing.assert_allclose(ours.intercept_, np.ravel(theirs.intercept_)*back, atol=1e-4/scale.min())
    np.testing.assert_array_equal(np.sort(ours.support_), np.flatnonzero(np.atleast_2d(theirs.coef_).any(0)))


@pytest.mark.parametrize("seed", range(3))
def test_as_many_as_wanted(seed):
    X, y = made(seed)
    for k in (1, 3, 7):
        fitted = ElasticNet(k).fit(X, y)
        assert len(fitted.support_) == k <= fitted.n_nonzero_
        again = ElasticNet(None, alpha=fitted.alpha_).fit(X, y)
        assert set(fitted.support_) <= set(np.flatnonzero(fitted.coef_[0])) and again.gap_ <= 1e-6
        grouped = GroupLasso(k, groups=[[0, 1], [2, 3, 4]]).fit(X, y)
        assert len(grouped.groups_) == k


def test_groups_of_the_answer():
    data = make_groups(200, 60, [4, 3, 5, 2], random_state=0)
    fitted = GroupLasso(4, groups=data.groups).fit(data.X, data.y)
    assert {frozenset(m) for m in fitted.groups_.members} == {frozenset(m) for m in data.groups.members}
    for j, members in zip(fitted.support_, fitted.groups_.members):
        assert members[0] == j and fitted.scores_[j] == fitted.scores_[members].max()
    alone = GroupLasso(4, tau=.3).fit(data.X, data.y)
    assert all(fitted.coef_[0, m].all() for m in fitted.groups_.members) and len(alone.groups_) == 4


def test_blocks_of_groups():
    X, _ = made(0, p=8)
    X[:, 2] = 5
    columns = as_columns(X)
    for given in ([[0, 2, 1], [4, 5]], FeatureGroups([[0, 2, 1], [4, 5]])):
        blocks, penalty = _group_blocks(columns, given, .3)
        assert [b.tolist() for b in blocks] == [[0, 1], [4, 5], [3], [6], [7]]
        np.testing.assert_allclose(penalty.weights**2, [2, 2, 1, 1, 1])
        assert penalty.owner.tolist() == [0, 0, -1, 2, 1, 1, 3, 4]


def test_targets():
    two, three = read_targets(["b", "a", "b"], 3), read_targets([5, 7, 9, 5], 4)
    np.testing.assert_allclose(two.values+two.mean[:, None], [[1, -1, 1]])
    np.testing.assert_allclose(three.values+three.mean[:, None], [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])
    number = read_targets(np.array([1.5, 2.25, 1e200]), 3)
    np.testing.assert_allclose(number.values.std(), 1)
    np.testing.assert_allclose(number.values*number.scale+number.mean, [[1.5, 2.25, 1e200]], atol=1e188)
    with pytest.raises(ValueError, match="y must have values whose squares fit"): read_targets([1.5, 2.25, 1e200], 3, False)


@pytest.mark.parametrize("wrong, sentence", [
    (dict(alpha=0), "alpha must be None or lie in .1e-50, 1e50., got 0"), (dict(l1_ratio=0), "l1_ratio must lie in .1e-6, 1., got 0"),
    (dict(n_features_to_select=None), "where alpha is None"), (dict(tol=2), "tol must lie in .0, 1., got 2"),
    (dict(max_iter=0), "max_iter must be a whole number")])
def test_refusals(wrong, sentence):
    X, y = made(0)
    with pytest.raises(ValueError, match=sentence): ElasticNet(**wrong).fit(X, y)


def test_wrong_groups():
    X, y = made(0)
    with pytest.raises(ValueError, match="column 1 stands in two places"): GroupLasso(groups=[[0, 1], [1]]).fit(X, y)
    with pytest.raises(ValueError, match="tau must lie in"): GroupLasso(tau=1.).fit(X, y)


@pytest.mark.parametrize("model", [ElasticNet(3), ElasticNet(None, alpha=.05, l1_ratio=1.), GroupLasso(2), GroupLasso(2, groups=[[0, 1], [2, 3]])])
def test_far_from_zero_sparse_is_dense(model):
    "Products of what is stored had lost their digits: descent did not end, or went nowhere"
    rng = np.random.default_rng(3)
    counts = rng.poisson(2, (60, 10))*1.
    y = (counts[:, 0]+counts[:, 4]+rng.random(60) > 4)*1
    near = model.fit(counts, y).scores_.copy()
    dense, sparse = (model.fit(made_of(counts+1e8), y).scores_.copy() for made_of in (np.asarray, sp.csc_matrix))
    np.testing.assert_allclose(dense, near, atol=2e-3)
    np.testing.assert_allclose(sparse, dense, atol=2e-3)
    assert (sparse > 0).tolist() == (dense > 0).tolist()


@pytest.mark.parametrize("storage", [np.asarray, sp.csc_matrix])
def test_of_copies_the_lasso_takes_the_first(storage):
    "The weight went to as many of them as rounding said"
    rng = np.random.default_rng(0)
    x, other = rng.poisson(2, (2, 60))*1.
    y = x+.3*other+.1*rng.standard_normal(60)
    fitted = ElasticNet(None, alpha=.05, l1_ratio=1.).fit(storage(np.c_[x, x, -x, other, x, 2*other]), y)
    assert fitted.support_.tolist() == [0, 3] and fitted.gap_ <= 1e-6
    raw = ElasticNet(None, alpha=.05, l1_ratio=1., standardize=False).fit(storage(np.c_[x, x, -x, other, x, 2*other]), y)
    assert sorted(raw.support_) == [0, 5]          # as they are, the larger copy needs the smaller weight


def near_copies():
    "Forty samples of three directions and a ten-thousandth of noise: sixty columns that are nearly three"
    r = np.random.default_rng(0)
    X = r.normal(size=(40, 3))@r.normal(size=(3, 60))+1e-4*r.normal(size=(40, 60))
    return X, (X[:, 0]+r.normal(size=40) > 0)*1


@pytest.mark.parametrize("selector", [GroupLasso(None, alpha=1e-6, max_iter=5), ElasticNet(None, alpha=1e-6, l1_ratio=1, max_iter=5)])
def test_a_fit_that_is_far_from_its_goal_says_so(selector):
    "A gap of a third of the objective went without a word"
    with pytest.warns(ConvergenceWarning, match=r"max_iter=5 ended the solution at a relative gap of .*, above tol=1e-06"):
        assert selector.fit(*near_copies()).gap_ > 1e-6


@pytest.mark.parametrize("selector, what", [(ElasticNet(None, alpha=1e6), "feature"), (GroupLasso(None, alpha=1e6), "group")])
def test_no_number_is_named_that_nobody_gave(selector, what):
    with pytest.warns(UserWarning, match=f"^no {what} can be of use: nothing is selected"): selector.fit(*near_copies())


def test_copies_share_one_weight_and_go_by_index():
    r = np.random.default_rng(1)
    x, other = r.normal(size=(2, 50))
    y = (x+.5*r.normal(size=50) > 0)*1
    fitted = ElasticNet(3).fit(np.c_[np.repeat(x[:, None], 8, 1)*np.array([1, -1]*4), other], y)
    assert fitted.support_.tolist() == [0, 1, 2]
    assert np.ptp(fitted.scores_[:8]) == 0 and fitted.n_nonzero_ >= 8
    assert (np.sign(fitted.coef_[0, :8])*np.array([1, -1]*4)).tolist() == [1]*8


def test_whole_numbers_become_numbers_by_a_half():
    "At most max(20, n/4) whole numbers are classes; beside a half they are numbers"
    r = np.random.default_rng(0)
    X = r.normal(size=(60, 5))
    y = np.round(3*X[:, 0])
    assert len(ElasticNet(2).fit(X, y).coef_) == len(np.unique(y)) and len(ElasticNet(2).fit(X, y+.5).coef_) == 1
