"RCFS: clusters found where they are asked for, the answer's groups."
import numpy as np, pytest, scipy.sparse as sp
from fsnb import RCFS, TraceRatio, group_columns

def chained(seed, n=60, p=40):
    "Columns that wander, so that clusters touch"
    rng = np.random.default_rng(seed)
    walk = np.cumsum(rng.standard_normal((n, p))*rng.choice([.3, 1, 3], p), axis=1)
    X = walk[:, rng.permutation(p)]
    X[:, seed % p] = 1
    return X*(rng.random((n, p)) < .9) if seed % 2 else X

@pytest.mark.parametrize("per_group", [1, 2])
@pytest.mark.parametrize("seed, labels", [(1, True), (2, False), (3, True)])
@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix])
def test_lazy_answer_is_the_whole_answer(store, seed, labels, per_group):
    X = chained(seed)
    y = (X[:, 7] > np.median(X[:, 7]))*1 if labels else None
    settings, X = dict(standardize=seed > 1, per_group=per_group), store(X)
    lazy = RCFS(5, **settings).fit(X, y)
    whole = RCFS(5, groups=group_columns(X, .3), **settings).fit(X, y)
    assert lazy.support_.tolist() == whole.support_.tolist() and lazy.ratio_ == whole.ratio_
    assert [m.tolist() for m in lazy.groups_.members] == [m.tolist() for m in whole.groups_.members]

def test_one_cluster_each_is_the_trace_ratio():
    X = np.random.default_rng(0).standard_normal((60, 12))*np.arange(1, 13)
    y = np.arange(60) % 3
    free, plain = RCFS(4, tau=1e-3).fit(X, y), TraceRatio(4).fit(X, y)
    assert free.support_.tolist() == plain.support_.tolist() and free.ratio_ == plain.ratio_

def test_copies_give_one():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    x, other = y+.5*rng.standard_normal(80), y+rng.standard_normal(80)
    X = np.c_[x, x, -x, other, rng.standard_normal((80, 3))]
    fitted = RCFS(2, standardize=True).fit(X, y)
    assert fitted.support_.tolist() == [0, 3] and fitted.groups_.members[0].tolist() == [0, 1, 2]
    np.testing.assert_allclose(fitted.groups_.correlations[0], [1, 1, -1])
    both = RCFS(2, standardize=True, per_group=2).fit(X, y)
    assert both.support_.tolist() == [0, 1]
    assert sorted(np.concatenate(both.groups_.members)) == [0, 1, 2]

def test_too_few_clusters():
    x = np.arange(20.)
    X = np.c_[x, 2*x+1, np.ones(20), x**2*(-1)**np.arange(20)]
    with pytest.warns(UserWarning, match="only 2 features stand in clusters of their own"):
        fitted = RCFS(3).fit(X, np.arange(20) % 2)
    assert fitted.stop_reason_ == "nothing_left" and 2 not in fitted.support_
