"One column a group: the design against loops, and sparse columns stay sparse"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb.groups.stability import _make_design


def grouped(n, n_groups, size, r, rng):
    u = rng.standard_normal((n, n_groups))
    return u, r*np.repeat(u, size, axis=1)+np.sqrt(1-r*r)*rng.standard_normal((n, n_groups*size))


def plain_design(x, groups, represent):
    "The columns of the model, by loops"
    z = [(x[:, j]-x[:, j].mean())/x[:, j].std() for j in range(x.shape[1])]
    if represent == "members": return np.array([z[j] for own in groups for j in own]).T
    if represent == "first": return np.array([z[own[0]] for own in groups]).T
    out = []
    for own in groups:
        total = sum(z[j]*(-1 if z[j]@z[own[0]] < 0 else 1) for j in own)
        out.append(total/total.std())
    return np.array(out).T


@pytest.mark.parametrize("represent", ["mean", "first", "members"])
def test_design_against_loops(represent):
    rng = np.random.default_rng(1)
    _, X = grouped(40, 4, 3, .7, rng)
    X = X*rng.choice([-3., .01, 50], 12)
    groups = [[0, 1, 2], [3], [4, 5], [6, 7, 8, 9, 10, 11]]
    owner = np.repeat(np.arange(4), [3, 1, 2, 6])
    expected = plain_design(X, groups, represent)
    assert np.allclose(_make_design(X, owner, represent), expected)
    stored = _make_design(sp.csc_matrix(X), owner, represent)
    assert sp.issparse(stored) and np.allclose(stored.toarray()-stored.toarray().mean(0), expected)


def test_sparse_is_never_filled():
    "Columns of few entries: the mean of a group has an entry only where a member has one"
    X = sp.random(200, 20, .02, format="csc", random_state=0)
    owner = np.repeat(np.arange(10), 2)
    assert _make_design(X, owner, "mean").nnz <= X.nnz
