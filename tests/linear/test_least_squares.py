"ElasticNet and GroupLasso: scikit-learn's, the letter, optimality by subgradients, storages, BIC."
import numpy as np, pytest, scipy.sparse as sp
from sklearn import linear_model as peers
from fsnb import ElasticNet, GroupLasso, group_columns, make_groups, naive
from fsnb.data.inputs import as_columns
from fsnb.linear.least_squares import BlockProblem, Blocks, read_targets

def made(seed, n=40, p=24, density=.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))*(rng.random((n, p)) < density)
    X = X*rng.choice([.1, 1, 30], p)+rng.choice([0, 2], p)
    return X, X[:, 0]/X[:, 0].std()-X[:, 1]/X[:, 1].std()+rng.standard_normal(n)

@pytest.mark.parametrize("l1_ratio", [1., .6])
@pytest.mark.parametrize("n_targets, store", [(1, np.asarray), (3, sp.csc_matrix)])
def test_optimal(store, n_targets, l1_ratio):
    "Subgradients vanish, the gap is small and is a bound, the weights are those of plain loops"
    rng = np.random.default_rng(n_targets)
    X, _ = made(n_targets)
    n, p = X.shape
    Y = rng.standard_normal((n_targets, n))+X[:, 0]
    Y -= Y.mean(1, keepdims=True)
    ends = np.sort(rng.choice(np.arange(1, p), p//3, replace=False))
    groups = np.split(rng.permutation(p), ends) if l1_ratio == 1 else np.arange(p)[:, None]
    columns, scale = as_columns(store(X)), X.std(0)*rng.choice([1, 2], p)
    blocks = Blocks(columns, ~columns.constant, groups)
    problem = lambda: BlockProblem(columns, Y, blocks, l1_ratio, scale)
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
    def value(W):
        lengths = [np.linalg.norm(W[own]) for own in groups]
        return ((Y-(Z@W).T)**2).sum()/(2*n)+ridge*(W**2).sum()/2+pull@lengths
    plain = naive.block_descent(Z, Y.T, groups, pull, ridge, rounds=150)
    assert value(fit.W) <= value(plain)+1e-9*value(0*plain)
    rough = problem().solve(alpha, tol=1e-2)
    assert value(rough.W)-value(fit.W) <= rough.gap*value(0*plain)+1e-12

@pytest.mark.parametrize("standardize, store", [(True, np.asarray), (False, sp.csr_matrix)])
@pytest.mark.parametrize("kind", ["numbers", "two", "three"])
def test_is_scikit_learn(kind, standardize, store):
    X, y = made(5)
    scale, back = X.std(0) if standardize else np.ones(24), 1.
    peer = peers.ElasticNet
    if kind == "numbers":
        back = y.std() if standardize else 1.
        Y = y/back
    elif kind == "two":
        y = np.digitize(y, [0])
        Y = 2.*y-1
    else:
        y, peer = np.digitize(y, [-1, 1]), peers.MultiTaskElasticNet
        Y = (y[:, None] == np.arange(3))*1.
    theirs = peer(alpha=.1, l1_ratio=.7, tol=1e-10, max_iter=10**6).fit(X/scale, Y)
    ours = ElasticNet(None, alpha=.1, l1_ratio=.7, standardize=standardize, tol=1e-13,
                      max_iter=1000).fit(store(X), y)
    coef = np.atleast_2d(theirs.coef_)
    np.testing.assert_allclose(ours.coef_, coef/scale*back, atol=2e-5/scale.min())
    free = np.ravel(theirs.intercept_)*back
    np.testing.assert_allclose(ours.intercept_, free, atol=1e-4/scale.min())
    np.testing.assert_array_equal(np.sort(ours.support_), np.flatnonzero(coef.any(0)))

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_groups_made_where_they_are_asked_for_are_those_of_group_columns(store):
    data = make_groups(200, 60, [4, 3, 5, 2], random_state=0)
    X = store(data.X)
    lazy = GroupLasso(6, tau=.3).fit(X, data.y)
    whole = GroupLasso(6, groups=group_columns(X, .3)).fit(X, data.y)
    assert lazy.alpha_ == pytest.approx(whole.alpha_, rel=1e-12)
    assert list(map(list, lazy.groups_.members)) == list(map(list, whole.groups_.members))
    fitted = GroupLasso(4, groups=data.groups).fit(X, data.y)
    found = fitted.groups_.members
    assert set(map(frozenset, found)) == set(map(frozenset, data.groups.members))
    for j, own in zip(fitted.support_, found):
        assert own[0] == j == own[fitted.scores_[own].argmax()] and fitted.coef_[0, own].all()

def test_bic_is_least_on_the_path():
    X, y = made(1, 200, 30)
    fitted = ElasticNet(None, alpha="bic", l1_ratio=1.).fit(X, y)
    def bic(alpha):
        model = ElasticNet(None, alpha=alpha, l1_ratio=1.).fit(X, y)
        rss = ((y-X@model.coef_[0]-model.intercept_)**2).sum()/y.var()
        return 200*np.log(rss)+np.log(200)*np.count_nonzero(model.coef_)
    assert bic(fitted.alpha_) <= min(bic(fitted.alpha_*1.5), bic(fitted.alpha_/1.5))+1e-9
    assert {0, 1} <= set(fitted.support_) and len(fitted.support_) < 10

def test_squares_of_targets_fit_and_whole_numbers_beside_a_half_are_numbers():
    y = np.array([1.5, 2.25, 1e200])
    number = read_targets(y, 3)
    np.testing.assert_allclose(number.values*number.scale+number.mean, [y], atol=1e188)
    with pytest.raises(ValueError, match="whose squares fit"): read_targets(y, 3, False)
    X, y = made(0, 60, 5)
    assert [len(ElasticNet(2).fit(X, np.round(y)+by).coef_) > 1 for by in (0, .5)] == [True, False]

@pytest.mark.parametrize("storage", [np.asarray, sp.csc_matrix])
def test_copies(storage):
    "Of them the lasso takes the first; with a ridge they share one weight, and go by index"
    rng = np.random.default_rng(0)
    x, other = rng.poisson(2, (2, 60))*1.
    y, X = x+.3*other+.1*rng.standard_normal(60), storage(np.c_[x, x, -x, other, x, 2*other])
    for standardize, best in ((True, [0, 3]), (False, [0, 5])):     # the larger needs less weight
        lasso = ElasticNet(None, alpha=.05, l1_ratio=1., standardize=standardize).fit(X, y)
        assert sorted(lasso.support_) == best and lasso.gap_ <= 1e-6
    even = ElasticNet(3).fit(X, y)
    assert even.support_.tolist() == [0, 1, 2] and np.ptp(even.scores_[[0, 1, 2, 4]]) == 0
    assert np.sign(even.coef_[0, [0, 1, 2, 4]]).tolist() == [1, 1, -1, 1]
