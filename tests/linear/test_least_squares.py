"ElasticNet and GroupLasso: scikit-learn's, the letter, optimality by subgradients, storages, BIC."
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model as peers
from sklearn.exceptions import ConvergenceWarning
from fsnb import ElasticNet, GroupLasso, group_columns, make_groups, naive
from fsnb.data.inputs import as_columns
from fsnb.linear.least_squares import BlockProblem, Blocks, read_targets


def made(seed, n=40, p=24, density=.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))*(rng.random((n, p)) < density)*rng.choice([.1, 1, 30], p)+rng.choice([0, 2], p)
    return X, X[:, 0]/X[:, 0].std()-X[:, 1]/X[:, 1].std()+rng.standard_normal(n)


@pytest.mark.parametrize("l1_ratio", [1., .6])
@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("seed, sparse", [(0, False), (1, True)])
def test_optimal(seed, n_targets, l1_ratio, sparse):
    "Subgradients vanish, the gap is small and is a bound, the weights are those of the plain loops"
    rng = np.random.default_rng(seed)
    X, _ = made(seed)
    n, p = X.shape
    Y = rng.standard_normal((n_targets, n))+X[:, 0]
    Y -= Y.mean(1, keepdims=True)
    groups = np.split(rng.permutation(p), np.sort(rng.choice(np.arange(1, p), p//3, replace=False))) if l1_ratio == 1 else np.arange(p)[:, None]
    columns, scale = as_columns(sp.csc_matrix(X) if sparse else X), X.std(0)*rng.choice([1, 2], p)
    problem = lambda: BlockProblem(columns, Y, Blocks(columns, ~columns.constant, groups), l1_ratio, scale)
    most = problem().largest_alpha()
    assert [problem().solve(share*most, tol=1e-9).count for share in (1.001, .999)] == [0, 1]
    alpha, Z = .3*most, (X-X.mean(0))/scale
    pull, ridge = alpha*l1_ratio*np.sqrt([len(own) for own in groups]), alpha*(1-l1_ratio)
    fit = problem().solve(alpha, tol=1e-13, max_iter=500)
    slope = Z.T@(Y-(Z@fit.W).T).T/n-ridge*fit.W
    for own, cut in zip(groups, pull):
        length = np.linalg.norm(fit.W[own])
        if length: np.testing.assert_allclose(slope[own], cut*fit.W[own]/length, atol=1e-5*cut)
        else: assert np.linalg.norm(slope[own]) <= cut*(1+1e-9)
    assert 0 < fit.count <= len(groups) and fit.gap <= 1e-13 and fit.df == np.count_nonzero(fit.W)
    plain = naive.block_descent(Z, Y.T, groups, pull, ridge, rounds=150)
    value = lambda W: ((Y-(Z@W).T)**2).sum()/(2*n)+ridge*(W**2).sum()/2+sum(cut*np.linalg.norm(W[own]) for own, cut in zip(groups, pull))
    assert value(fit.W) <= value(plain)+1e-9*value(0*plain)
    rough = problem().solve(alpha, tol=1e-2)
    assert value(rough.W)-value(fit.W) <= rough.gap*value(0*plain)+1e-12


@pytest.mark.parametrize("standardize, sparse", [(True, False), (False, True), (True, True)])
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


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_groups_made_where_they_are_asked_for_are_those_of_group_columns(store):
    data = make_groups(200, 60, [4, 3, 5, 2], random_state=0)
    X = store(data.X)
    lazy, whole = GroupLasso(6, tau=.3).fit(X, data.y), GroupLasso(6, groups=group_columns(X, .3)).fit(X, data.y)
    assert lazy.alpha_ == pytest.approx(whole.alpha_, rel=1e-12)
    assert [own.tolist() for own in lazy.groups_.members] == [own.tolist() for own in whole.groups_.members]
    fitted = GroupLasso(4, groups=data.groups).fit(X, data.y)
    assert {frozenset(m) for m in fitted.groups_.members} == {frozenset(m) for m in data.groups.members}
    for j, members in zip(fitted.support_, fitted.groups_.members):
        assert members[0] == j and fitted.scores_[j] == fitted.scores_[members].max() and fitted.coef_[0, members].all()


def test_bic_is_least_on_the_path():
    X, y = made(1, 200, 30)
    fitted = ElasticNet(None, alpha="bic", l1_ratio=1.).fit(X, y)
    def bic(alpha):
        model = ElasticNet(None, alpha=alpha, l1_ratio=1.).fit(X, y)
        rss = ((y-X@model.coef_[0]-model.intercept_)**2).sum()/y.var()
        return 200*np.log(rss)+np.log(200)*np.count_nonzero(model.coef_)
    assert bic(fitted.alpha_) <= min(bic(fitted.alpha_*1.5), bic(fitted.alpha_/1.5))+1e-9 and {0, 1} <= set(fitted.support_) and len(fitted.support_) < 10


def test_targets():
    two, three = read_targets(["b", "a", "b"], 3), read_targets([5, 7, 9, 5], 4)
    np.testing.assert_allclose(two.values+two.mean[:, None], [[1, -1, 1]])
    np.testing.assert_allclose(three.values+three.mean[:, None], [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])
    number = read_targets(np.array([1.5, 2.25, 1e200]), 3)
    np.testing.assert_allclose(number.values*number.scale+number.mean, [[1.5, 2.25, 1e200]], atol=1e188)
    with pytest.raises(ValueError, match="y must have values whose squares fit"): read_targets([1.5, 2.25, 1e200], 3, False)
    X, y = made(0, 60, 5)
    assert len(ElasticNet(2).fit(X, np.round(y)).coef_) > 1 == len(ElasticNet(2).fit(X, np.round(y)+.5).coef_)     # beside a half they are numbers


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
def test_copies(storage):
    "Of them the lasso takes the first; with a ridge they share one weight, and go by index"
    rng = np.random.default_rng(0)
    x, other = rng.poisson(2, (2, 60))*1.
    y, X = x+.3*other+.1*rng.standard_normal(60), storage(np.c_[x, x, -x, other, x, 2*other])
    fitted = ElasticNet(None, alpha=.05, l1_ratio=1.).fit(X, y)
    assert fitted.support_.tolist() == [0, 3] and fitted.gap_ <= 1e-6
    raw = ElasticNet(None, alpha=.05, l1_ratio=1., standardize=False).fit(X, y)
    assert sorted(raw.support_) == [0, 5]          # as they are, the larger copy needs the smaller weight
    even = ElasticNet(3).fit(X, y)
    assert even.support_.tolist() == [0, 1, 2] and np.ptp(even.scores_[[0, 1, 2, 4]]) == 0
    assert np.sign(even.coef_[0, [0, 1, 2, 4]]).tolist() == [1, 1, -1, 1]


@pytest.mark.parametrize("selector, what", [(GroupLasso, "group"), (ElasticNet, "feature")])
def test_a_gap_or_nothing_is_told(selector, what):
    "A gap of a third of the objective went without a word"
    r = np.random.default_rng(0)
    X = r.normal(size=(40, 3))@r.normal(size=(3, 60))+1e-4*r.normal(size=(40, 60))
    y, lasso = (X[:, 0]+r.normal(size=40) > 0)*1, dict(l1_ratio=1) if what == "feature" else {}
    with pytest.warns(ConvergenceWarning, match=r"max_iter=5 ended the solution at a relative gap of .*, above tol=1e-06"):
        assert selector(None, alpha=1e-6, max_iter=5, **lasso).fit(X, y).gap_ > 1e-6
    with pytest.warns(UserWarning, match=f"^no {what} can be of use: nothing is selected"): selector(None, alpha=1e6).fit(X, y)
