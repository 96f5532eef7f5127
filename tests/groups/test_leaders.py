"Groups made from X alone: the rule against loops, in any storage, by any measure"
import numpy as np
import pytest
import scipy.sparse as sp
from test_one_column import grouped

from fsnb import group_columns


def plain_leaders(X, threshold):
    "Each free column in order, with the free ones near it, by loops"
    with np.errstate(invalid="ignore"): r = np.nan_to_num(np.corrcoef(X.T))
    free, out = [bool(x.std() > 0) for x in X.T], []
    for j in range(len(free)):
        if not free[j]: continue
        near = [k for k in range(len(free)) if k != j and free[k] and abs(r[j, k]) >= threshold]
        out.append([j, *sorted(near, key=lambda k: (-abs(r[j, k]), k))])
        for k in out[-1]: free[k] = False
    return out


@pytest.mark.parametrize("seed", range(25))
def test_group_columns_against_loops(seed):
    rng = np.random.default_rng(seed)
    _, X = grouped(40, 8, int(rng.integers(1, 6)), .85, rng)
    X = X[:, rng.permutation(X.shape[1])]*rng.choice([-1, 1], X.shape[1])
    X[:, rng.random(X.shape[1]) < .1] = 3.
    if (X == 3).all(): X[0, 0] = 1
    tau = rng.uniform(.1, .6)
    expected = plain_leaders(X, 1-tau)
    for stored in (X, X.astype(np.float32).astype(float), sp.csc_matrix(X)):
        found = group_columns(stored, tau)
        if stored is not X and not sp.issparse(stored): continue
        assert [own.tolist() for own in found] == expected
        for own, r in zip(found.members, found.correlations):
            assert np.allclose(r, np.corrcoef(X[:, own].T)[0] if len(own) > 1 else 1)


def test_copies_stand_in_the_order_of_the_columns():
    x = np.random.default_rng(0).standard_normal(300)
    X = np.c_[x, x*3, -x/7, x+5, np.float32(x)*1e3]
    assert [own.tolist() for own in group_columns(X, .2)] == [[0, 1, 2, 3, 4]]


@pytest.mark.filterwarnings("ignore:.*symmetrical uncertainty")
def test_group_columns_by_another_measure_and_on_nothing():
    X = np.random.default_rng(0).integers(0, 2, (60, 3))
    X = np.c_[X, X[:, 0], 1-X[:, 1]]
    assert [own.tolist() for own in group_columns(X, .2, correlation="su")] == [[0, 3], [1, 4], [2]]
    assert len(group_columns(np.ones((5, 3)), .2)) == 0
    copies = group_columns(np.repeat(np.arange(6.)[:, None], 200, axis=1), .2)
    assert [own.tolist() for own in copies] == [list(range(200))]
    with pytest.raises(ValueError, match=r"tau must lie in \(0, 1\), got 0"): group_columns(X, 0)


def test_group_columns_does_not_depend_on_the_batch(monkeypatch):
    _, X = grouped(50, 30, 4, .85, np.random.default_rng(1))
    whole = group_columns(X, .3)
    from fsnb.correlation.pearson import Pearson
    def one_by_one(self, columns):
        super(Pearson, self).fit(columns)
        self.batch = 1
        return self
    monkeypatch.setattr(Pearson, "fit", one_by_one)
    alone = group_columns(X, .3)
    assert [own.tolist() for own in alone] == [own.tolist() for own in whole]
    assert np.allclose(np.concatenate(alone.correlations), np.concatenate(whole.correlations))


@pytest.mark.parametrize("seed", range(8))
def test_a_mirror_image_is_in_no_group_where_only_positive_values_count(seed):
    rng = np.random.default_rng(seed)
    _, X = grouped(40, 8, int(rng.integers(1, 6)), .85, rng)
    signs = rng.choice([-1, 1], X.shape[1])
    tau = rng.uniform(.1, .5)
    free, R, want = np.ones(X.shape[1], dtype=bool), np.corrcoef((X*signs).T), []
    for j in range(len(free)):
        if not free[j]: continue
        near = [k for k in np.flatnonzero(free) if k != j and R[j, k] >= 1-tau]
        want.append([j, *sorted(near, key=lambda k: (-R[j, k], k))])
        free[want[-1]] = False
    for stored in (X*signs, sp.csc_matrix(X*signs)): assert [own.tolist() for own in group_columns(stored, tau, correlation="positive")] == want
    assert len(want) > len(plain_leaders(X, 1-tau))
